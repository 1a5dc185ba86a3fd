"""Text found in a document, in its bytes: nothing is decoded, and whoever searches can pause between slices.

A needle without upper case finds any case, letters beyond ASCII included. What is searched is the text as it came:
an escape in a string is found by its spelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from rpcexplorer.views.document.document import Document

SLICE: Final = 1 << 20
"""Bytes that are searched at a time: some milliseconds."""
MatchSpan = tuple[int, int]
"""The offsets of a match in the text."""


class _Query(NamedTuple):
    """A needle ready to be looked for."""

    pattern: re.Pattern[bytes]
    """It; where any case will do, for a text whose ASCII letters are made lower."""
    any_case: bool
    """Whether any case will do."""
    longest: int
    """Bytes that a match has at most."""


def matches(document: Document, needle: str, start: int = 0, end: int | None = None) -> Iterator[MatchSpan]:
    """All matches between two offsets, in turn; none for an empty needle."""
    for found in _slices(document.text, needle, start, end):
        yield from found


def _slices(text: bytes, needle: str, start: int = 0, end: int | None = None) -> Iterator[list[MatchSpan]]:
    """The matches of each slice in turn; one belongs to the slice in which it starts."""
    if not needle:
        return
    query = _query(needle)
    end = len(text) if end is None else end
    at = start
    while at < end:
        stop = min(at + SLICE, end)
        found = _found(text, query, at, stop, end)
        yield found
        at = max(stop, found[-1][1] if found else 0)


def _found(text: bytes, query: _Query, start: int, stop: int, end: int) -> list[MatchSpan]:
    """The matches that start between `start` and `stop` and end before `end`."""
    piece = text[start : min(stop + query.longest - 1, end)]
    if query.any_case:
        piece = piece.lower()
    spans = (found.span() for found in query.pattern.finditer(piece))
    return [(start + first, start + last) for first, last in spans if start + first < stop]


@lru_cache(maxsize=8)
def _query(needle: str) -> _Query:
    any_case = needle == needle.lower()
    letters = [_spellings(letter) if any_case else [_encoded(letter)] for letter in needle]
    pattern = b"".join(
        re.escape(letter[0]) if len(letter) == 1 else b"(?:%s)" % b"|".join(map(re.escape, letter))
        for letter in letters
    )
    return _Query(re.compile(pattern), any_case, sum(len(max(letter, key=len)) for letter in letters))


def _spellings(letter: str) -> list[bytes]:
    """A letter in each case, as it reads when all ASCII letters are lower."""
    return sorted({_encoded(cased).lower() for cased in (letter, letter.lower(), letter.upper())}, reverse=True)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
