"""Fill in variables, and insert parts of results into other calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import count
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.jsontext.params import Typo, parse
from rpcexplorer.jsontext.pointers import PointerLookup, at_pointer, names_of
from rpcexplorer.jsontext.scan import LOOSE_STRING, Span, decoded, elements, is_value, members
from rpcexplorer.model.draft import MARK, Batch, Draft, sent_draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.problem import cut, nearest
from rpcexplorer.model.secret import HIDDEN, defused
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import spelled
from rpcexplorer.variables.references import (
    MADE,
    NOTHING,
    OPENING,
    REFERENCE,
    TOKEN,
    Reference,
    can_be_named,
    reference,
    to_last,
)

LONGEST: Final = 16 * 1024 * 1024
"""Largest text with its values filled in, in characters."""
_LONE: Final = regex(f"(?P<whole>{HIDDEN.pattern})|«")
"""A secret reference, which stays, or a guillemet that could become part of one."""


class LastResult(Struct, frozen=True):
    """The newest result of a method, or the result of an opening call."""

    text: str = ""
    why: str = ""
    """Why there is no usable result."""
    is_later: bool = False
    """There will be one when the call is sent."""


class Sources(Struct, frozen=True):
    """Where values come from; those given for one call win."""

    given: Mapping[str, str] = NOTHING
    variables: Mapping[str, str] = NOTHING
    last: Callable[[str], LastResult] = lambda method: LastResult(why=f"there is no result of {method}")
    """Return the newest result of a method."""
    opened: Callable[[str], LastResult] = lambda name: LastResult(why=f"there is no opening call {name}")
    """Return the result of an opening call."""
    seed: str = ""
    """Generated values depend on it, so that the preview shows the same ones."""
    moment: datetime | None = None
    """None for now."""


class Unresolved(Struct, frozen=True):
    reference: Reference
    why: str
    """A clause such as "has no value"."""
    guess: str = ""
    """A variable with a similar name, if there is one."""
    is_later: bool = False
    """It gets its value when the call is sent."""

    def __str__(self) -> str:
        advice = f" Did you mean {{{{{self.guess}}}}}?" if self.guess else ""
        return f"{{{{{cut(self.reference.name)}}}}} {self.why}.{advice}"


class Missing(Struct, frozen=True):
    """Variables and result references without a value."""

    unresolved: tuple[Unresolved, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the variables that the user can be asked for."""
        references = [missing.reference for missing in self.unresolved if not missing.reference.method]
        return tuple(reference.name for reference in references if can_be_named(reference.name))

    @property
    def what(self) -> str:
        """Return a sentence for each of them."""
        return " ".join(map(str, self.unresolved))

    @property
    def sentence(self) -> str:
        return f"Nothing was sent: {self.what}"


class Resolution(Struct, frozen=True):
    """A draft with its values; references without a value stay.

    If any reference was resolved, ``typed`` is set even if the text is equal: a value can be spelled like a reference.
    """

    draft: Draft | Batch
    unresolved: tuple[Unresolved, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return the warnings for a call that is sent with unresolved names."""
        return tuple(str(one) if one.is_later else f"{one} It is sent as typed." for one in self.unresolved)


def resolution(draft: Draft | Batch, sources: Sources) -> Resolution:
    """Fill in the values.

    A draft that has its values already, has no references or is invalid stays unchanged.
    """
    if OPENING not in draft.text or draft.typed is not None or isinstance(draft.read(), Typo):
        return Resolution(draft)
    values = _Values(sources)
    whole = _with_tokens(draft, values.in_token)
    if whole != draft.text or values.looked_up:
        draft = replace(draft, text=whole, typed=draft.text)
    return Resolution(draft, tuple(values.missing.values()))


def _with_tokens(draft: Draft | Batch, replaced: Callable[[re.Match[str]], str]) -> str:
    """Return the text of a draft with each string of its params replaced."""
    text, at = [], 0
    for start, end in params_in(draft):
        text += [draft.text[at:start], TOKEN.sub(replaced, draft.text[start:end])]
        at = end
    return "".join([*text, draft.text[at:]])


def used_in(draft: Draft | Batch) -> tuple[Reference, ...]:
    if OPENING not in draft.text or isinstance(draft.read(), Typo):
        return ()
    found: dict[Reference, None] = {}
    for span in params_in(draft):
        for token in TOKEN.finditer(draft.text, *span):
            for match in REFERENCE.finditer(token["string"]):
                if match["inside"]:
                    found[reference(match["inside"])] = None
    return tuple(found)


def params_in(draft: Draft | Batch) -> Iterator[Span]:
    """Yield the places of params, the only parts of a batch to resolve."""
    if isinstance(draft, Draft):
        yield 0, len(draft.text)
        return
    start = len(draft.text) - len(draft.text.removeprefix("\ufeff"))
    for row, end in elements(draft.text, start) or ():
        for member in members(draft.text[row:end]) or ():
            if member.name == "params":
                yield row + member.value[0], row + member.value[1]


class _Values:
    """The values for one draft, and the references without a value."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._moment = (sources.moment or datetime.now(UTC)).astimezone(UTC)
        self._count = count()
        self._results: dict[tuple[str, str], tuple[LastResult, PointerLookup]] = {}
        """Keyed by method and opening call: each result is read once."""
        self._length = 0
        self.looked_up = False
        self.missing: dict[str, Unresolved] = {}
        """Keyed by the name in the text."""

    def in_token(self, token: re.Match[str]) -> str:
        string, colon = token["string"], token["colon"] or ""
        if OPENING not in string:
            return token[0]
        inside = string[1:-1]
        alone = REFERENCE.fullmatch(inside)
        if alone and alone["inside"] and not colon:
            wanted = reference(alone["inside"])
            if wanted.as_json:
                return self._value(wanted) or string
        parts, at, is_changed = [], 0, False
        for found in REFERENCE.finditer(inside):
            part = self._part(found)
            is_changed |= part != found[0]
            parts += [_literal(inside[at : found.start()]), part]
            at = found.end()
        if not is_changed:
            return token[0]
        return f'"{"".join(parts)}{_literal(inside[at:])}"{colon}'

    def _part(self, found: re.Match[str]) -> str:
        if not found["inside"]:
            return OPENING
        wanted = reference(found["inside"])
        value = self._value(wanted)
        if value is None:
            return found[0]
        if value.startswith('"') and not wanted.as_json:
            value = decoded(value)
        return _harmless(spelled(value)[1:-1])

    def _value(self, wanted: Reference) -> str | None:
        """Return the value as JSON text, or None if it is unresolved."""
        self.looked_up = True
        value = self._looked_up(wanted)
        if not isinstance(value, Unresolved) and wanted.as_json and not is_value(value, strict=True):
            value = Unresolved(wanted, "needs a JSON value, such as 1, true or text in quotes")
        if not isinstance(value, Unresolved):
            self._length += len(value)
            if self._length <= LONGEST:
                return _harmless(value.strip())
            value = Unresolved(wanted, f"would make the params larger than {LONGEST // 1024**2} MiB")
        self.missing.setdefault(str(wanted), value)
        return None

    def _looked_up(self, wanted: Reference) -> str | Unresolved:
        """Return the text for a JSON value as written, else as a JSON string."""
        if wanted.method or wanted.opening:
            return self._of_result(wanted)
        name = wanted.name
        if name in MADE:
            return spelled(self._made(name))
        for known in (self._sources.given, self._sources.variables):
            if name in known and can_be_named(name):
                return known[name] if wanted.as_json else spelled(known[name])
        if not can_be_named(name):
            before, _, suffix = name.rpartition(":")
            if can_be_named(before):
                ways = f"Write {OPENING}{before}}}}} or {OPENING}{before}:json}}}}"
                return Unresolved(wanted, f"has the unknown suffix :{suffix}. {ways}")
            return Unresolved(wanted, f"is not a variable name. To send {OPENING} itself, write {OPENING * 2}")
        guess = nearest(name, [*self._sources.given, *self._sources.variables, *MADE])
        return Unresolved(wanted, "has no value", guess or "")

    def _of_result(self, wanted: Reference) -> str | Unresolved:
        key = wanted.method, wanted.opening
        if key not in self._results:
            sources = self._sources
            result = sources.opened(wanted.opening) if wanted.opening else sources.last(wanted.method)
            self._results[key] = result, PointerLookup(result.text)
        found, levels = self._results[key]
        if found.is_later:
            return Unresolved(wanted, "gets its value when the call is sent", is_later=True)
        if found.why:
            return Unresolved(wanted, f"has no value: {found.why}")
        value = None
        if not wanted.pointer or wanted.pointer.startswith("/"):
            value = levels.at(wanted.pointer)
        if value is None:
            what = f"the newest result of {cut(wanted.method)}"
            if wanted.opening:
                what = f"the result of the opening call {cut(wanted.opening)}"
            return Unresolved(wanted, f"has no value: {what} does not contain {cut(wanted.pointer)}")
        return value if wanted.as_json or value.startswith('"') else spelled(value)

    def _made(self, name: str) -> str:
        if name == "today":
            return self._moment.date().isoformat()
        if name == "now":
            return self._moment.isoformat(timespec="seconds").replace("+00:00", "Z")
        from random import Random  # Few calls need it.
        from uuid import UUID

        bits = Random(f"{self._sources.seed} {next(self._count)}").getrandbits(128)  # noqa: S311 - no secret
        return str(UUID(int=bits, version=4))


def _harmless(spelled_value: str) -> str:
    """Return a value, spelled as JSON, with its secret references escaped."""
    return spelled_value.replace("«", "\\u00ab")


def _literal(typed: str) -> str:
    """Escape text next to a value: together they must not be a secret reference."""
    return _LONE.sub(lambda found: found["whole"] or "\\u00ab", typed)


_STRING: Final = regex(LOOSE_STRING, re.DOTALL)
_OPENS: Final = frozenset(["", "[", "{", ":", ","])
"""Characters before a JSON value."""
_ENDS: Final = frozenset(["", "]", "}", ","])
"""Characters after a JSON value."""


def placed(text: str, at: int, value: str, name: str = "", parameters: Iterable[str] = ()) -> tuple[str, int]:
    """Insert a value into params; return them and the offset after it.

    ``value`` is JSON, ``at`` the cursor's offset. The value replaces the member called ``name``. If there is none but a
    parameter of that name, the member is added. If the value at the cursor would make valid params invalid, it becomes
    the last one.
    """
    from rpcexplorer.jsontext.edit import added, changed, span_of  # Only the screen inserts values.

    if text.startswith(MARK):
        text = f" {text[1:]}"  # Offsets stay.
    if not text.strip():
        text, at = "[]", 1
    found = members(text) if text.lstrip().startswith("{") else None
    is_known = any(member.name == name for member in found or ())
    step: str | int = name
    if name and is_known:
        text = changed(text, (name,), value)
    elif found is not None and name and (not found or name in parameters):
        text = added(text, (), value, name)
    else:
        here = _at_cursor(text, at, value)
        if not isinstance(parse(here[0]), Typo) or isinstance(parse(text), Typo):
            return here
        if found is None:
            step = len(elements(text) or ())
            text = added(text, (), value)
        else:
            step = name or "value"
            text = added(text, (), value, step)
    span = span_of(text, (step,))
    assert span is not None
    return text, span[1]


def _at_cursor(text: str, at: int, value: str) -> tuple[str, int]:
    """Insert a value at the cursor; into a string, a string without quotes."""
    for string in _STRING.finditer(text):
        if string.start() < at < string.end():
            inside = value[1:-1] if value.startswith('"') else value
            return f"{text[:at]}{inside}{text[at:]}", at + len(inside)
    before = "" if text[:at].rstrip()[-1:] in _OPENS else ", "
    after = "" if text[at:].lstrip()[:1] in _ENDS else ", "
    return f"{text[:at]}{before}{value}{after}{text[at:]}", at + len(before) + len(value)


class TakenValue(Struct, frozen=True):
    """A part of a result, as the response pane shows it."""

    method: str
    pointer: str
    text: str
    """JSON text."""

    @property
    def name(self) -> str:
        """Return the last name of its path; empty for an index or the whole."""
        names = names_of(self.pointer)
        return names[-1] if names and not names[-1].isdecimal() else ""

    def spelled(self, last: LastResult) -> tuple[str, str]:
        """Return a result reference, or the value itself; and a notice."""
        now = None if last.why else at_pointer(last.text, self.pointer)
        if now is None:
            why = last.why or f"the newest result of {cut(self.method)} does not contain this path"
            return defused(self.text), f"Inserted the value itself, not a reference: {why}."
        reference = to_last(self.method, self.pointer, as_json=not self.text.startswith('"'))
        if now == self.text or self.text[:1] in "[{":  # Objects and arrays are shown with another layout.
            return f'"{reference}"', ""
        return f'"{reference}"', f"The newest result of {cut(self.method)} has another value at this path: {cut(now)}."


def escaped(draft: Draft | Batch) -> Draft | Batch:
    """Return a draft that sends its text exactly, references included."""
    if OPENING not in draft.text or isinstance(draft.read(), Typo):
        return draft

    def doubled(token: re.Match[str]) -> str:
        return REFERENCE.sub(lambda found: found[0].replace(OPENING, OPENING * 2), token[0])

    return replace(draft, text=_with_tokens(draft, doubled))


def as_it_went_out(exchange: Exchange) -> Exchange:
    """Return a record with the params that were sent, all references escaped."""
    if OPENING not in exchange.params and exchange.params_sent is None:
        return exchange
    return replace(exchange, params=escaped(sent_draft(exchange)).text, params_sent=None)
