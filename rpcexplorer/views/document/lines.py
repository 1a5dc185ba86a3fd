"""Where each line of some bytes stands, by a sparse count of newlines: cheap for five million lines and for one.

Only bytes and offsets live here; what a line shows is `document.py`'s, what it means in JSON `outline.py`'s.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from itertools import accumulate, islice
from typing import Final

BLOCK: Final = 16_384
"""Bytes; newlines are counted per block, and only the blocks that are looked at are taken apart."""
STEP: Final = 64 * BLOCK
"""Bytes that are gone through in one go, where it is done in steps: a millisecond or two."""
_KEPT = 64  # blocks that stay taken apart


def newlines_before(text: bytes) -> Iterator[array[int]]:
    """How many newlines come before each block, and at last how many there are; in steps, the same array growing."""
    before = array("Q", [0])
    for start in range(0, max(len(text), 1), STEP):
        stop = min(start + STEP, len(text))
        counted = (text.count(b"\n", at, min(at + BLOCK, stop)) for at in range(start, stop, BLOCK))
        before.extend(islice(accumulate(counted, initial=before[-1]), 1, None))
        yield before


class Lines:
    """Numbered lines, from 0. A newline at the very end ends the last line and starts no other."""

    def __init__(self, text: bytes, before: array[int] | None = None) -> None:
        """``before``: what ``newlines_before`` has found, where somebody took the time for it."""
        self.text = text
        self._before = before or deque(newlines_before(text), maxlen=1)[0]
        self._breaks = self._before[-1]
        self.count = self._breaks + (not text.endswith(b"\n"))
        self._apart: dict[int, list[int]] = {}

    def start(self, line: int) -> int:
        """The offset of its first byte."""
        return self._newline(line - 1) + 1 if line else 0

    def end(self, line: int) -> int:
        """The offset after its last byte, where the newline is."""
        return self._newline(line) if line < self._breaks else len(self.text)

    def at(self, offset: int) -> int:
        """The line an offset is on; a newline is on the line that it ends."""
        offset = max(min(offset, len(self.text)), 0)
        block = offset // BLOCK
        return min(self._before[block] + self.text.count(b"\n", block * BLOCK, offset), self.count - 1)

    def pieces(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The lines from `start` to before `end` in runs of about a block; the same cuts whatever is asked for.

        Line 0 is a run of its own: it is the only one without a newline before it.
        """
        while start < end:
            block = bisect_right(self._before, start - 1) if start else 0
            cut = self._before[block] + 1 if block < len(self._before) else end
            yield start, min(cut, end)
            start = cut

    def pieces_before(self, end: int) -> Iterator[tuple[int, int]]:
        """The runs of ``pieces``, from before `end` back to line 0."""
        while end > 0:
            start = self._before[bisect_right(self._before, end - 2) - 1] + 1 if end > 1 else 0
            yield start, end
            end = start

    def longest(self, floor: int, start: int = 0, end: int | None = None) -> int:
        """Bytes of the longest line between two offsets, or `floor` if none is longer.

        The higher the floor, the more lines are leapt over at once.
        """
        text, rfind = self.text, self.text.rfind
        stop = len(text) if end is None else end
        longest, at = floor, start
        while at + longest < stop:
            newline = rfind(b"\n", at, at + longest + 1)
            if newline < 0:
                newline = text.find(b"\n", at, stop)
                newline = stop if newline < 0 else newline
                longest = newline - at
            at = newline + 1
        return longest

    def longest_so_far(self, floor: int) -> Iterator[int]:
        """``longest`` of the whole text in steps; the last one is final."""
        at, longest = 0, floor
        while at < len(self.text):
            newline = self.text.find(b"\n", at + STEP)
            end = len(self.text) if newline < 0 else newline
            longest = self.longest(longest, at, end)
            yield longest
            at = end + 1

    def _newline(self, number: int) -> int:
        block = bisect_right(self._before, number) - 1
        nth = number - self._before[block]
        return self._newlines(block)[nth] if nth else self.text.find(b"\n", block * BLOCK)

    def _newlines(self, block: int) -> list[int]:
        found = self._apart.get(block)
        if found is None:
            if len(self._apart) >= _KEPT:
                self._apart.pop(next(iter(self._apart)))
            start = block * BLOCK
            lengths = map(len, self.text[start : start + BLOCK].split(b"\n")[:-1])
            found = self._apart[block] = [at + start + nth for nth, at in enumerate(accumulate(lengths))]
        return found
