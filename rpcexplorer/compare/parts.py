"""The values of a JSON text to compare: places and meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from rpcexplorer.jsontext.pointers import ANY, names_of
from rpcexplorer.jsontext.scan import Span, decoded, elements, members
from rpcexplorer.jsontext.slices import fault
from rpcexplorer.jsontext.steps import Steps, at_once
from rpcexplorer.model.secret import HIDDEN

if TYPE_CHECKING:
    import json

TURN: Final = 4096
"""Elements to read in one step."""
NamedSpan: TypeAlias = tuple[str, Span]
"""A member: its decoded name and the span of its value."""
PointerPattern: TypeAlias = tuple[str, ...]
"""The rest of a pointer, below the current value."""
MAX_COMPARED_LEVELS: Final = 200
"""Deeper values are compared as a whole: pointers would be longer."""
MARK: Final = "«".encode()
MASKED: Final = '"«»"'.encode()
_ELEMENTS: Final = msgspec.json.Decoder(list[msgspec.Raw])
_MEMBERS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_RAW: Final = msgspec.json.Decoder(msgspec.Raw)
REFUSED: Final = (msgspec.DecodeError, RecursionError)
_PLAIN_BYTES: Final = b" " * 0x20 + bytes(range(0x20, 0x80)) + b" " * 0x80


@cache
def _gap() -> re.Pattern[bytes]:
    return re.compile(rb"[ \t\n\r,]*+")


@cache
def _name() -> re.Pattern[bytes]:
    return re.compile(rb'[ \t\n\r,]*+("[^"\\]*+(?:\\.[^"\\]*+)*+")[ \t\n\r]*+:[ \t\n\r]*+')


@cache
def _string() -> re.Pattern[bytes]:
    return re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


class Document:
    """A JSON text that is split one level at a time, with msgspec if possible."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.root: Span = (len(text) - len(text.lstrip()), len(text.rstrip()))

    @cached_property
    def _readable(self) -> bytes:
        return readable(self.text)

    def check_depth(self) -> None:
        """Raise RecursionError if the text is nested too deep for msgspec.

        Comparing it would take too long.
        """
        _RAW.decode(self._readable)

    def elements(self, span: Span) -> Steps[list[Span]]:
        """Return the spans of an array's elements."""
        try:
            raws = _ELEMENTS.decode(memoryview(self._readable)[slice(*span)])
        except REFUSED:  # The caller's own stack is deep, as for a deep value.
            return [(span[0] + start, span[0] + end) for start, end in elements(self._characters(span)) or ()]
        found: list[Span] = []
        past, at = _gap().match, span[0] + 1
        for count, raw in enumerate(raws):
            if gap := past(self.text, at):
                at = gap.end()
            end = at + memoryview(raw).nbytes
            found.append((at, end))
            at = end
            if count % TURN == 0:
                yield
        return found

    def members(self, span: Span) -> Steps[list[NamedSpan]]:
        """Return the members of an object in order, duplicates included."""
        found: list[NamedSpan] = []
        text, match, at = self._readable, _name().match, span[0] + 1
        try:
            raws = _MEMBERS.decode(memoryview(text)[slice(*span)])
        except REFUSED:
            raws = {}
        for name, raw in raws.items():
            key = match(text, at)
            if key is None:
                break
            is_plain = key[1] == b'"' + name.encode() + b'"'
            if not is_plain and name_of(key[1]) != name:
                break  # A name is a duplicate, and msgspec has only its last value.
            start = key.end()
            at = start + memoryview(raw).nbytes
            if text is not self.text:
                name = name_of(self.text[slice(*key.span(1))])  # noqa: PLW2901
            found.append((name, (start, at)))
            if len(found) % TURN == 0:
                yield
        if text[at : span[1]].strip() == b"}":
            return found
        return [
            (name_of(self.text[span[0] + key[0] : span[0] + key[1]]), (span[0] + value[0], span[0] + value[1]))
            for _, key, value in members(self._characters(span)) or ()
        ]

    def _characters(self, span: Span) -> str:
        """Return a character for each byte, so that offsets are the same."""
        return self.text[slice(*span)].decode("latin-1")


def readable(text: bytes) -> bytes:
    """Return a text that msgspec reads, with each value at the same offset.

    Servers send text that msgspec refuses: NaN, lone surrogates, raw control characters, bytes that are not UTF-8.
    """
    try:
        _RAW.decode(text)
        is_readable = fault(text) is None
    except msgspec.DecodeError:
        is_readable = False
    except RecursionError:  # It is too deep, not wrong.
        is_readable = True
    if is_readable:
        return text
    text = re.sub(rb"\\[^u]", b"xx", text)
    text = re.sub(rb"\\u.{4}", b"xxxxxx", text)
    text = re.sub(rb"NaN|Infinity", lambda found: b"1" * len(found[0]), text)
    return text.translate(_PLAIN_BYTES)


def fields(value: bytes) -> Mapping[str, msgspec.Raw | bytes]:
    """Return the members of an object; of duplicates the last; else none."""
    if not value.startswith(b"{"):
        return {}
    try:
        return _MEMBERS.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError):
        document = Document(value)
        return {name: value[slice(*span)] for name, span in at_once(document.members(document.root))}


def name_of(string: bytes) -> str:
    """Return the text of a JSON string; invalid characters stay."""
    return decoded(string.decode("utf-8", "surrogateescape"))


def patterns_of(pointers: Iterable[str]) -> tuple[PointerPattern, ...]:
    """Split pointers to ignore; invalid and very deep ones are dropped."""
    patterns = (names_of(pointer) for pointer in pointers if pointer.startswith("/"))
    return tuple(pattern for pattern in patterns if len(pattern) <= MAX_COMPARED_LEVELS)


def below(patterns: Sequence[PointerPattern], *names: str) -> tuple[PointerPattern, ...]:
    """Return the rest of the patterns for a value with one of these names.

    For an element these are its indexes on both sides.
    """
    return tuple(pattern[1:] for pattern in patterns if pattern and (pattern[0] == ANY or pattern[0] in names))


def is_ignored(patterns: Sequence[PointerPattern]) -> bool:
    """Return whether one of them ends here."""
    return () in patterns


def canonical(value: bytes, patterns: Sequence[PointerPattern] = ()) -> Any:
    """Return a value that is equal for JSON of equal meaning.

    Order of members, escapes and layout do not matter. Numbers keep their spelling. Values that the patterns ignore are
    left out.
    """
    if value[:1] == b'"':
        return name_of(value)
    if value[:1] not in b"[{":
        return value
    return "", repr(_without(_decoder().decode(value.decode("utf-8", "surrogateescape")), patterns))


class _Number(str):
    """A number in the spelling of the server."""

    __slots__ = ()
    __repr__ = str.__str__


@cache
def _decoder() -> json.JSONDecoder:
    import json  # Only this parser passes on the spelling of numbers.

    return json.JSONDecoder(
        parse_int=_Number, parse_float=_Number, parse_constant=_Number, object_pairs_hook=_object, strict=False
    )


def _object(pairs: list[tuple[str, Any]]) -> tuple[Any, ...]:
    """Return names and values; the order of duplicates counts."""
    found = list[Any]()
    for pair in sorted(pairs, key=lambda pair: pair[0]):
        found += pair
    return tuple(found)


def _without(value: Any, patterns: Sequence[PointerPattern]) -> Any:
    if not patterns or not isinstance(value, tuple | list):
        return value
    if isinstance(value, tuple):
        names, values = value[::2], value[1::2]
    else:
        names, values = tuple(map(str, range(len(value)))), tuple(value)
    rest = []
    for name, inside in zip(names, values, strict=True):
        deeper = below(patterns, name)
        if not is_ignored(deeper):
            rest.append((name, _without(inside, deeper)))
    if isinstance(value, tuple):
        return _object(rest)
    return [inside for _, inside in rest]


def is_same_number(left: bytes, right: bytes) -> bool:
    """Return whether both are equal numbers, of any length and spelling."""
    from decimal import Decimal

    try:
        return Decimal(left.decode()) == Decimal(right.decode())
    except (ArithmeticError, ValueError):
        return False


def hides(token: bytes) -> bool:
    """Return whether the value is a string with a redacted secret."""
    return token[:1] == b'"' and MARK in token and HIDDEN.search(token.decode("utf-8", "replace")) is not None


def hidden_count(text: bytes) -> int:
    """Return the number of strings with a redacted secret."""
    if MARK not in text:
        return 0
    return sum(map(hides, _string().findall(text)))


def masked(text: bytes) -> bytes:
    """Return the text with the same string for each redacted one."""
    if MARK not in text:
        return text
    return _string().sub(lambda found: MASKED if hides(found[0]) else found[0], text)
