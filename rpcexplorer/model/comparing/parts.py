"""JSON text taken apart level by level: where elements and members stand, at native speed where it can be had.

msgspec says where a value ends. It refuses what servers write all the same: a container with NaN or half a character in
it is taken apart by us, and a text that nests very deep once and whole (`indexed.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Protocol, TypeAlias

import msgspec

from rpcexplorer.jsontext.scan import Span, decoded, elements, members
from rpcexplorer.jsontext.slices import LEVELS, faults, slices
from rpcexplorer.jsontext.steps import Steps

TURN: Final = 4096
"""Parts that are looked at in one step."""
COMMA, BLANK = b", "
NamedSpan: TypeAlias = tuple[str, Span]
"""A member: its name with the escapes read, and where its value stands."""
_GAP = re.compile(rb"[ \t\n\r,]*+")
_NAME: Final = re.compile(rb'[ \t\n\r,]*+("[^"\\]*+(?:\\.[^"\\]*+)*+")[ \t\n\r]*+:[ \t\n\r]*+', re.DOTALL)
_SPELLINGS: Final = ((b'":', 1), (b'": ', 2))
"""How most servers write: a colon, and how many bytes a comma takes, without blanks or with one."""
REFUSED: Final = (msgspec.DecodeError, RecursionError)
_CONSTANTS: Final = (
    (re.compile(rb"NaN(?<=[:,\[ \t\n\r]NaN)(?=[,\]} \t\n\r])"), b"111"),  # letters first: so they are found fast
    (re.compile(rb"Infinity(?<=[-:,\[ \t\n\r]Infinity)(?=[,\]} \t\n\r])"), b"11111111"),
)
_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw])
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_RAW = msgspec.json.Decoder(msgspec.Raw)


class Parts(Protocol):
    """One text, and what stands where in it."""

    text: bytes

    def elements(self, span: Span) -> Steps[list[Span]]:
        """Where the elements of the array stand that is there."""

    def members(self, span: Span) -> Steps[list[NamedSpan]]:
        """The members of the object that is there, in order; a name that stands twice comes twice."""

    def fields(self, span: Span) -> dict[str, bytes]:
        """The members of a small object, as they are written; of a name that stands twice, the last."""

    def first(self, span: Span, most: int) -> list[bytes]:
        """The first elements of a small array, as they are written."""


class LevelParts:
    """A text that is taken apart level by level: by msgspec, or by us where it refuses what stands in a container."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._readable = readable(text)
        self._view = memoryview(self._readable)
        self._spelling = _SPELLINGS[0]
        """How it is written, as far as that is known: most texts are written alike from end to end."""

    def elements(self, span: Span) -> Steps[list[Span]]:
        """Where the elements of the array stand that is there."""
        text, start = self.text, span[0] + 1
        found: list[Span] = []
        try:
            raws = _ELEMENTS.decode(self._view[slice(*span)])
        except REFUSED:
            return [(span[0] + begin, span[0] + end) for begin, end in elements(self._characters(span)) or ()]
        for number, raw in enumerate(raws, start=1):
            if text[start] == COMMA:  # with a blank or none behind it: no need to search for more
                start += 1 + (text[start + 1] == BLANK)
            if text[start] <= BLANK:
                start = _past(_GAP, text, start)
            end = start + memoryview(raw).nbytes
            found.append((start, end))
            start = end
            if start < span[1] and text[start] <= BLANK:
                start = _past(_GAP, text, start)
            if number % TURN == 0:
                yield
        return found

    def members(self, span: Span) -> Steps[list[NamedSpan]]:
        """The members of the object that is there, in order; a name that stands twice comes twice."""
        yield from ()
        try:
            raws = _MEMBERS.decode(self._view[slice(*span)])
        except REFUSED:
            return self._slowly(span)
        for spelling in (self._spelling, *_SPELLINGS):
            if (found := self._written(raws, span, *spelling)) is not None:
                self._spelling = spelling
                return found
        return self._spaced(raws, span) or self._slowly(span)

    def _written(self, raws: Mapping[str, msgspec.Raw], span: Span, colon: bytes, comma: int) -> list[NamedSpan] | None:
        """Where the members stand if they are written so, and have no escape in a name and no name twice; else None."""
        text, at = self.text, span[0] + 1
        found: list[NamedSpan] = []
        for name, raw in raws.items():
            key, value = b'"' + name.encode() + colon, bytes(raw)
            start = at + len(key)
            if not (text.startswith(key, at) and self._readable.startswith(value, start)):
                return None
            end = start + len(value)
            found.append((name, (start, end)))
            at = end + comma
        return found if at - comma == span[1] - 1 else None

    def _spaced(self, raws: Mapping[str, msgspec.Raw], span: Span) -> list[NamedSpan] | None:
        """Where the members stand, whatever blanks there are, if no name stands twice; else None."""
        at = span[0] + 1
        found: list[NamedSpan] = []
        for name, raw in raws.items():
            key, value = _NAME.match(self.text, at), bytes(raw)
            if key is None or name_of(key[1]) != name or not self._readable.startswith(value, key.end()):
                return None
            at = key.end() + len(value)
            found.append((name, (key.end(), at)))
        return found if self.text[at : span[1]].strip() == b"}" else None

    def fields(self, span: Span) -> dict[str, bytes]:
        """The members of a small object, as they are written; of a name that stands twice, the last."""
        try:
            return {name: bytes(raw) for name, raw in _MEMBERS.decode(self._view[slice(*span)]).items()}
        except REFUSED:
            return {name: self.text[start:end] for name, (start, end) in self._slowly(span)}

    def first(self, span: Span, most: int) -> list[bytes]:
        """The first elements of a small array, as they are written."""
        try:
            return list(map(bytes, _ELEMENTS.decode(self._view[slice(*span)])[:most]))
        except REFUSED:
            characters = self._characters(span)
            return [characters[slice(*each)].encode("latin-1") for each in (elements(characters) or ())[:most]]

    def _slowly(self, span: Span) -> list[NamedSpan]:
        return [
            (name_of(self.text[span[0] + key[0] : span[0] + key[1]]), (span[0] + value[0], span[0] + value[1]))
            for _, key, value in members(self._characters(span)) or ()
        ]

    def _characters(self, span: Span) -> str:
        """As characters whose places are those of the bytes: nothing beside ASCII has a meaning outside of strings."""
        return self.text[slice(*span)].decode("latin-1")


def _past(pattern: re.Pattern[bytes], text: bytes, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def name_of(string: bytes) -> str:
    """The text that a JSON string stands for; bytes that are no UTF-8 and half characters stay what they are."""
    return decoded(string.decode("utf-8", "surrogateescape"))


def readable(text: bytes) -> bytes:
    """The text with numbers where it has NaN and the like: what stands in it stands there as well.

    It is for those who ask where that is. In a string, too, something may be another letter.
    """
    for constant, number in _CONSTANTS:
        text = constant.sub(number, text)
    return text


def is_native(text: bytes) -> Steps[bool]:
    """Whether msgspec reads the text, but for NaN and the like. It cannot be asked: its exceptions end here."""
    for fault in faults(text):
        if fault is not None:
            return False
        yield
    try:
        _RAW.decode(readable(text))
    except REFUSED:
        return False
    return True


def is_flat(text: bytes) -> Steps[bool]:
    """Whether it is UTF-8 that nests so little that one level after the other can be looked through."""
    for fault in faults(text):
        if fault is not None:
            return False
        yield
    for part in slices(text):
        if part.depth > LEVELS:
            return False
        yield
    return True
