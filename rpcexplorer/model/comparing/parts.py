"""JSON text taken apart level by level: where elements and members stand, at native speed where it can be had.

msgspec says where a value ends. It refuses what servers write all the same (NaN, lone surrogates, depth): such a text
is taken apart once and whole, by us (`indexed.py`).
"""

from __future__ import annotations

import re
from typing import Final, Protocol, TypeAlias

import msgspec

from rpcexplorer.jsontext.scan import Span, decoded, members
from rpcexplorer.jsontext.steps import Steps
from rpcexplorer.jsontext.utf8 import faults

TURN: Final = 4096
"""Parts that are looked at in one step."""

NamedSpan: TypeAlias = tuple[str, Span]
"""A member: its name with the escapes read, and where its value stands."""

_GAP = re.compile(rb"[ \t\n\r,]*+")
_COLON = re.compile(rb"[ \t\n\r]*+:[ \t\n\r]*+")
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


class NativeParts:
    """A text that msgspec reads."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._view = memoryview(text)

    def elements(self, span: Span) -> Steps[list[Span]]:
        """Where the elements of the array stand that is there."""
        gap, text, at = _GAP.match, self.text, span[0] + 1
        found: list[Span] = []
        raws = _ELEMENTS.decode(self._view[slice(*span)])
        for number, raw in enumerate(raws, start=1):
            space = gap(text, at)
            start = space.end() if space else at
            at = start + memoryview(raw).nbytes
            found.append((start, at))
            if number % TURN == 0:
                yield
        return found

    def members(self, span: Span) -> Steps[list[NamedSpan]]:
        """The members of the object that is there, in order; a name that stands twice comes twice."""
        text, at = self.text, span[0] + 1
        found: list[NamedSpan] = []
        for name, raw in _MEMBERS.decode(self._view[slice(*span)]).items():
            key, value = f'"{name}"'.encode(), bytes(raw)
            start = _past(_GAP, text, at)
            colon = _COLON.match(text, start + len(key)) if text.startswith(key, start) else None
            if colon is None or not text.startswith(value, colon.end()):
                return self._slowly(span)  # an escape in a name, or one name twice
            at = colon.end() + len(value)
            found.append((name, (colon.end(), at)))
            if len(found) % TURN == 0:
                yield
        return found if _past(_GAP, text, at) == span[1] - 1 else self._slowly(span)

    def _slowly(self, span: Span) -> list[NamedSpan]:
        characters = self.text[slice(*span)].decode("latin-1")  # so that places of characters are those of bytes
        return [
            (name_of(self.text[span[0] + key[0] : span[0] + key[1]]), (span[0] + value[0], span[0] + value[1]))
            for _, key, value in members(characters) or ()
        ]


def _past(pattern: re.Pattern[bytes], text: bytes, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def name_of(string: bytes) -> str:
    """The text that a JSON string stands for; bytes that are no UTF-8 and half characters stay what they are."""
    return decoded(string.decode("utf-8", "surrogateescape"))


def is_native(text: bytes) -> Steps[bool]:
    """Whether msgspec reads the text. There is no way to ask it beforehand, so its exceptions end here."""
    for fault in faults(text):
        if fault is not None:
            return False
        yield
    try:
        _RAW.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
