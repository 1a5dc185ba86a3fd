"""A search in a document as it goes on: the place at hand, and how many there are as far as they are counted.

Whatever could take long is done in steps, so that whoever runs them can breathe in between. It draws nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Final

from rpcexplorer.text.document import Document, MatchSpan, matches

NEAR: Final = 32 * 1024
"""Bytes that are searched first, as the next place is seldom far."""
STEP: Final = 256 * 1024
"""Bytes that are searched at a time at most: about a millisecond."""
OFFSETS: Final = 1_000
"""Places in the text that stay known while they are on view."""


class Hits:
    def __init__(self, document: Document, needle: str) -> None:
        self.document = document
        self.needle = needle
        self.current: MatchSpan | None = None
        """The place at hand."""
        self.total = 0
        """How many are counted."""
        self.counted = False
        """These are all."""
        self._size = len(document.text)
        self._longest = 8 * len(needle)  # no letter takes more bytes, in either case
        self._begins = [0]
        """Where each step of the count began, and behind them how far it has come."""
        self._totals = [0]
        """How many there are before each of these."""
        self._number: tuple[MatchSpan | None, int | None] = None, None
        self._offset = lru_cache(OFFSETS)(self._found_offset)

    @property
    def index(self) -> int | None:
        """The number of the place at hand, from 0; None before the count has come by."""
        if self._number[0] != self.current or self._number[1] is None:
            self._number = self.current, self._counted_before(self.current)
        return self._number[1]

    def seek(self, offset: int) -> Iterator[None]:
        """Go to the first place at or after an offset, round the corner if need be."""
        for begin, end in chain(_onwards(offset, self._size), _onwards(0, offset)):
            if found := self._starting(begin, end):
                self.current = found[0]
                return
            yield

    def forwards(self) -> Iterator[None]:
        """Go to the place after the one at hand."""
        return self.seek(self.current[1] if self.current else 0)

    def backwards(self) -> Iterator[None]:
        """Go to the place before the one at hand."""
        offset = self.current[0] if self.current else 0
        for begin, end in chain(_back(0, offset), _back(offset, self._size)):
            if found := self._starting(begin, end):
                self.current = found[-1]
                return
            yield

    def count(self) -> Iterator[None]:
        """Count on; the total grows with each step."""
        while (begin := self._begins[-1]) < self._size:
            end = min(begin + STEP, self._size)
            found = self._starting(begin, end)
            self.total += len(found)
            self._begins.append(max(end, found[-1][1] if found else end))
            self._totals.append(self.total)
            yield
        self.counted = True

    def on(self, line: int, first: int, last: int) -> Iterator[tuple[int, int, bool]]:
        """The places among some characters of a line, as characters of the line, and whether it is the one at hand."""
        start, end = self.document.span(line)
        begin = max(self._offset(line, first) - self._longest, start)
        stop = min(self._offset(line, last) + self._longest, end)
        for found in matches(self.document, self.needle, begin, stop):
            place = self.document.place(line, *found)
            if place[0] < last and place[1] > first:
                yield (*place, found == self.current)

    def _found_offset(self, line: int, character: int) -> int:
        """About where in the text a character of a line begins: known is only the way back.

        It takes four bytes at most, and a byte is shown as four characters at most.
        """
        start, end = self.document.span(line)
        offsets = range(min(start + character // 4, end), min(start + character * 4, end))
        at = bisect_left(offsets, character, key=lambda offset: self.document.place(line, start, offset)[1])
        return offsets.start + at

    def _counted_before(self, place: MatchSpan | None) -> int | None:
        if place is None or place[0] >= self._begins[-1]:
            return None
        at = bisect_right(self._begins, place[0]) - 1
        return self._totals[at] + len(self._starting(self._begins[at], place[0]))

    def _starting(self, begin: int, end: int) -> list[MatchSpan]:
        """The places that start between two offsets, wherever they end."""
        if begin >= end:
            return []
        found = matches(self.document, self.needle, begin, min(end + self._longest, self._size))
        return [place for place in found if place[0] < end]


def _onwards(start: int, end: int) -> Iterator[MatchSpan]:
    """From one offset to another, first in small steps."""
    step = NEAR
    while start < end:
        yield start, min(start + step, end)
        start, step = start + step, min(step * 2, STEP)


def _back(start: int, end: int) -> Iterator[MatchSpan]:
    """From the end back to the start, first in small steps."""
    step = NEAR
    while start < end:
        yield max(end - step, start), end
        end, step = end - step, min(step * 2, STEP)
