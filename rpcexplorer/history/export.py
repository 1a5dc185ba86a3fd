"""Calls written as a case, without secrets and local paths."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.files.io import size_words
from rpcexplorer.history.record import BOM, UNUSUAL, changed, quoted, to_block, to_exchange, to_record
from rpcexplorer.jsontext.pointers import ANY, parts_of, spans_at
from rpcexplorer.jsontext.scan import STRING, decoded
from rpcexplorer.model.exchange import MOST, MOST_CALLS, Exchange, Unreached
from rpcexplorer.model.problem import LONGEST, joined_words
from rpcexplorer.model.profile import AD_HOC_NAME, Profile
from rpcexplorer.model.secret import HIDDEN, UNRECORDED, Secret, unrecorded
from rpcexplorer.patterns import regex
from rpcexplorer.redaction.exchange import for_history, redacted, redactor_of
from rpcexplorer.redaction.redactor import Edit, Redactor, edited, is_common
from rpcexplorer.redaction.spellings import SHORTEST
from rpcexplorer.rpc.messages import ErrorObject, Result

_FILE: Final = regex(r"(?:(?<=_file )|(?<= names \())(?:~|[A-Za-z]:)?[/\\](?:(?:(?!: |; |://)[^/\\\n])*[/\\])*")
"""The folder in the path of a file that a profile or variable names: it begins after `…_file` or ` names (`.

It may contain blanks, because its end is known.
"""
_FOLDER: Final = regex(r"(?<![\w:/.\\])(?:~|[A-Za-z]:)?[/\\](?:[^\s/\\:;,«»]+[/\\])+(?=[^\s/\\:;,])")
"""The folder of any other file, before the name of the file."""


def without_folders(sentence: str, profile: Profile) -> str:
    """Return a sentence of rpcexplorer without the folders of local files."""
    for file in (profile.ca_file, profile.cert_file, profile.key_file):
        if file:
            sentence = sentence.replace(file, Path(file).name)
    return _FOLDER.sub("", _FILE.sub("", sentence))


PARTS: Final = ("params", "result", "error")
_TOKEN: Final = regex(rf'"jsonrpc"\s*+:\s*+"2\.0"|(?P<string>{STRING})(?P<key>\s*+:)?|(?P<number>-?[0-9][0-9.eE+-]*+)')
"""A value or a key of JSON, except the version: a response needs that."""


class Exported(Struct, frozen=True):
    exchanges: tuple[Exchange, ...]
    note: str
    dropped: tuple[str, ...] = ()
    """Ids of calls without their response, which may contain redacted values."""
    short: tuple[str, ...] = ()
    """Pointers to values that are too short to be redacted inside other text."""

    @property
    def text(self) -> str:
        note = f"note = {quoted(self.note)}\n" if self.note else ""
        return f"case = 1\n{note}\n" + "".join(map(to_block, self.exchanges))

    @property
    def too_much(self) -> str:
        """Return why the calls are too large for a case, or nothing."""
        if len(self.exchanges) > MOST_CALLS:
            return f"A case can hold at most {MOST_CALLS:,} calls, but you chose {len(self.exchanges):,}"
        size = sum(len(exchange.response.body) for exchange in self.exchanges)
        if size > MOST:
            return f"A case can hold at most {size_words(MOST)}, but the responses alone have {size_words(size)}"
        return ""

    @property
    def lines(self) -> str:
        """Return lines of JSON, each an object with the keys of a case."""
        rows = (json.dumps(to_record(exchange), ensure_ascii=False, default=_moment) for exchange in self.exchanges)
        return "".join(UNUSUAL.sub(_escaped, row) + "\n" for row in rows)


def exported(
    exchanges: Sequence[Exchange],
    profiles: Mapping[str, Profile],
    secrets: Sequence[Secret],
    note: str = "",
    hide: Sequence[str] = (),
) -> Exported | str:
    """Return calls to share, oldest first, or why they cannot be exported.

    A reason is a pointer to no value, or a value to redact that is part of a method's name, which must stay.
    """
    calls = [_clean(call, profiles, secrets) for call in sorted(exchanges, key=lambda call: call.when)]
    note = Redactor(secrets, guesses=True).text(note)
    hiding = _Hiding()
    dropped: list[str] = []
    for pointer in hide:
        if problem := hiding.look(pointer, calls):
            return problem
    if hide:
        if problem := hiding.look_at_methods(calls):
            return problem
        for at, call in enumerate(calls):
            if hiding.is_blind(call, hide):
                dropped.append(call.id)
                size = call.response.size or len(call.response.body)
                call = _read_again(replace(call, response=replace(call.response, body=b"", cut=True, size=size)))  # noqa: PLW2901
            calls[at] = hiding.applied(call, hide)
        note = hiding.clean(note)
    return Exported(tuple(calls), note, tuple(dropped), tuple(hiding.short))


def _clean(call: Exchange, profiles: Mapping[str, Profile], secrets: Sequence[Secret]) -> Exchange:
    profile = profiles.get(call.profile) or Profile(AD_HOC_NAME, call.url, path="", ad_hoc=True)
    record = redacted(call, for_history(None), profile, secrets)
    hide = redactor_of(profile, secrets, guesses=True).text
    outcome = record.outcome
    if isinstance(outcome, Unreached):
        outcome = replace(outcome, sentence=without_folders(outcome.sentence, profile))
    remarks = tuple(without_folders(remark, profile) for remark in record.response.remarks)
    return _read_again(
        replace(
            record,
            id=hide(record.id),
            profile=hide(record.profile),
            name=hide(record.name),
            note=hide(record.note),
            notes=(),  # They name this person's folders.
            expect=hide(record.expect),
            outcome=outcome,
            response=replace(record.response, remarks=remarks),
            writer="",
        )
    )


def _read_again(call: Exchange) -> Exchange:
    """Return the call with an outcome that says no more than its record."""
    read = to_exchange(to_record(call))
    return read if isinstance(read, Exchange) else call


class _Hiding:
    """Values to redact, found by pointers and then removed everywhere."""

    def __init__(self) -> None:
        self._values: set[str] = set()
        self.short: list[str] = []

    def look(self, pointer: str, calls: Iterable[Exchange]) -> str:
        if not parts_of(pointer):
            what = pointer or "An empty text"
            return f"{what} is not a JSON pointer. Write one such as /params/name or /users/*/email."
        found: list[str] = []
        for call in calls:
            found += _parts_at(pointer, call)
        if not found:
            return f"Nothing was written: no call has a value at {pointer}. Check the names in it."
        for text in found:
            for token in _TOKEN.finditer(text):
                value = _value_of(token)
                if value and not HIDDEN.fullmatch(value):
                    self._values.add(value)
                    if pointer not in self.short and is_common(value):
                        self.short.append(pointer)
        return ""

    def look_at_methods(self, calls: Iterable[Exchange]) -> str:
        """Return a sentence if a value to redact is part of a method's name.

        The sentence contains only the ids of the calls. A short value counts only if it is a word of the name.
        """
        ids = []
        for call in calls:
            words = re.split(r"[\W_]+", call.method)
            if self.clean(call.method) != call.method or not self._values.isdisjoint(words):
                ids.append(call.id)
        if not ids:
            return ""
        where = f"name of call {ids[0]}" if len(ids) == 1 else f"names of calls {joined_words(ids)}"
        return f"Nothing was written: a value to redact is part of the method {where}. Export the other calls only."

    def is_blind(self, call: Exchange, pointers: Sequence[str]) -> bool:
        """Return whether a reply may hide something that cannot be found."""
        if call.response.cut or not call.response.body:
            return bool(call.response.body)
        tops = {(parts_of(pointer) or ("params",))[0] for pointer in pointers}
        return tops != {"params"} and _place_of(call) is None

    def applied(self, call: Exchange, pointers: Sequence[str]) -> Exchange:
        ways: list[tuple[str, ...]] = []
        for pointer in pointers:
            ways += _ways(pointer, call)
        params = [parts[1:] for parts in ways if parts[0] == "params"]
        hides_code = ("error",) in ways or ("error", "code") in ways
        hides_message = ("error",) in ways or ("error", "message") in ways
        if isinstance(call.outcome, Result) and call.outcome.message:
            # A failed tool's text is a part of the result.
            hides_message = hides_message or _may_be_in_result(ways, call)

        def hide(key: str, value: Any) -> Any:
            match key, value:
                case "params" | "params_sent", str():
                    return self._hidden(value, params)
                case "reply", _:
                    return self._body(call, ways).encode("utf-8", "surrogateescape")
                case "code", _:
                    return None if hides_code or str(value) in self._values else value
                case "message", _ if hides_message:
                    return UNRECORDED
                case "kind" | "outcome" | "step" | "envelope", _:  # words of ours
                    return value
                case _, str():
                    return self.clean(value)
                case "remarks", list():
                    return [self.clean(self._hidden(text, [])) for text in value]  # they quote values as JSON
                case _, list():
                    return list(map(self.clean, value))
            return value

        left = to_exchange(changed(to_record(call), hide))
        assert isinstance(left, Exchange), left  # _clean has read it back
        return left

    def _body(self, call: Exchange, ways: Sequence[tuple[str, ...]]) -> str:
        body = call.response.body.decode("utf-8", "surrogateescape")
        place = _place_of(call)
        if place is None:
            return self._hidden(body, []) if body.lstrip()[:1] in ("{", "[") else self.clean(body)
        name, start, end = place
        inside = self._hidden(body[start:end], [parts[1:] for parts in ways if parts[0] == name])
        return self._hidden(body[:start], []) + inside + self._hidden(body[end:], [])

    def _hidden(self, text: str, ways: Iterable[Sequence[str]]) -> str:
        """Hide these places of a JSON text, and the same values elsewhere in it."""
        spans = set[tuple[int, int]]()
        for parts in ways:
            spans.update(spans_at(text, parts))
        edits: list[Edit] = []
        for start, end in sorted(spans):
            if not edits or start >= edits[-1].end:  # the outer one of two
                edits.append(Edit(start, end, f'"{UNRECORDED}"'))
        text = edited(text, edits)
        return self._text(self._without_same(text))

    def _without_same(self, text: str, shortest_number: int = 1) -> str:
        edits = []
        for token in _TOKEN.finditer(text):
            if _value_of(token) in self._values:
                group = "number" if token["number"] else "string"
                if group == "string" or len(token["number"]) >= shortest_number:
                    edits.append(Edit(*token.span(group), f'"{UNRECORDED}"'))
        return edited(text, edits)

    def clean(self, text: str) -> str:
        """Hide values in a sentence, which may quote the beginning of one."""
        if text in self._values:
            return UNRECORDED
        text = self._text(self._without_same(text, SHORTEST))  # a short number may be part of a date
        if "…" in text:
            for value in self._long:
                for length in range(min(len(value) - 1, LONGEST), SHORTEST - 1, -1):
                    text = text.replace(f"{value[:length]}…", f"{UNRECORDED}…")
        return text

    def _text(self, text: str) -> str:
        """Hide values inside any text if they are long enough."""
        return self._redactor.text(text) if self._values else text

    @cached_property
    def _long(self) -> Sequence[str]:
        """Values that are looked for inside text; complete when all are noted."""
        return [value for value in sorted(self._values) if len(value) >= SHORTEST]

    @cached_property
    def _redactor(self) -> Redactor:
        return Redactor(unrecorded(value) for value in self._long)


def _ways(pointer: str, call: Exchange) -> Iterator[tuple[str, ...]]:
    """Return the places that a pointer means: from the top, result or error.

    In a batch these are also the top and the result of each response.
    """
    parts = parts_of(pointer) or ()
    if parts[0] in PARTS:
        yield parts
    yield "result", *parts
    yield "error", *parts
    if call.kind == "batch":
        yield "result", ANY, *parts
        yield "result", ANY, "result", *parts


def _value_of(token: re.Match[str]) -> str:
    """Return a number or text, empty for a key."""
    if token["number"]:
        return token["number"]
    return decoded(token["string"]) if token["string"] and not token["key"] else ""


def _may_be_in_result(ways: Iterable[Sequence[str]], call: Exchange) -> bool:
    """Return whether a value to redact may be in the result."""
    if _place_of(call) is None:
        return True
    for text in _texts_of(call, "result"):
        for part, *inside in ways:
            if part == "result" and any(spans_at(text, inside)):
                return True
    return False


def _parts_at(pointer: str, call: Exchange) -> Iterator[str]:
    """Yield the JSON texts that a pointer means in a call."""
    for part, *inside in _ways(pointer, call):
        for text in _texts_of(call, part):
            for start, end in spans_at(text, inside):
                yield text[start:end]


def _texts_of(call: Exchange, part: str) -> Iterator[str]:
    if part == "params":
        yield call.params
        if call.params_sent is not None:
            yield call.params_sent
        return
    place = _place_of(call)
    if place is not None and place[0] == part:
        yield call.response.body.decode("utf-8", "surrogateescape")[place[1] : place[2]]


def _place_of(call: Exchange) -> tuple[str, int, int] | None:
    """Return whether the reply is a result or an error, and where it is."""
    value = getattr(call.outcome, "value", b"")
    if not value or call.response.cut:
        return None
    body = call.response.body
    name = "error" if isinstance(call.outcome, ErrorObject) and call.kind != "batch" else "result"
    at = body.find(value) if body.count(value) == 1 else _member_at(body, value)
    if at < 0:
        return None
    text = len(body[:at].decode("utf-8", "surrogateescape"))
    return name, text, text + len(value.decode("utf-8", "surrogateescape"))


def _member_at(body: bytes, value: bytes) -> int:
    """Find a value that the body holds several times, by its member name."""
    mark = BOM if body.startswith(BOM) else b""
    text = body.removeprefix(mark).decode("utf-8", "surrogateescape")
    wanted = value.decode("utf-8", "surrogateescape")
    for name in ("result", "error", "arguments"):
        for start, end in spans_at(text, (name,)):
            if text[start:end] == wanted:
                return len(mark + text[:start].encode("utf-8", "surrogateescape"))
    return -1


def _moment(value: Any) -> str:
    """Spell a time as a case does."""
    return str(value.isoformat(timespec="milliseconds").replace("+00:00", "Z"))


def _escaped(run: re.Match[str]) -> str:
    """Spell characters that cannot be printed as JSON's escapes."""
    return "".join(map(_visible, run[0]))


def _visible(letter: str) -> str:
    return letter if letter.isprintable() else json.dumps(letter)[1:-1]
