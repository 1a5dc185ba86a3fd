r"""The structure of laid-out JSON, read from its indentation: what opens, closes and encloses, and counts of it.

No token is decoded. A line at depth d starts with 2d spaces and strings hold no raw newline, so that one pattern
over the bytes tells which lines stand at most so deep. Counts are kept for each run of lines that `Lines.pieces`
gives, as scrolling asks the same things again and again. What is on view and what is folded is `rows.py`'s.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from rpcexplorer.jsontext.layout import LEVELS
from rpcexplorer.views.document.lines import Lines

EVERYTHING: Final = LEVELS + 1
"""A level that no line is deeper than."""
_SPACES = re.compile(rb" *")
_CLOSERS = {ord("["): b"]", ord("{"): b"}"}
_COUNTS = 1 << 16  # runs whose counts are kept


class Outline:
    """Containers by the lines they open and close on.

    Lines are *at level n* if they stay when every container at depth n is folded: those of depth up to n, without
    the closing brackets at n. So inside a container at depth n - 1, one line is at level n for each of its items.
    """

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._text = lines.text
        self._closers: dict[int, int] = {}
        self._sizes: dict[int, int] = {}
        self._counted = lru_cache(_COUNTS)(self._count)

    def depth(self, line: int) -> int:
        """How many containers are around it; a closing bracket is as deep as the opening one."""
        start = self._lines.start(line)
        return (self.first(line) - start) // 2

    def first(self, line: int) -> int:
        """The offset of what follows the indentation."""
        found = _SPACES.match(self._text, self._lines.start(line))
        assert found
        return found.end()

    def opens(self, line: int) -> bool:
        """Whether a container that is not empty opens on it."""
        return self._text[max(self._lines.end(line) - 1, 0) : self._lines.end(line)] in {b"[", b"{"}

    def closes(self, line: int) -> bool:
        """Whether it is the end of such a container."""
        first = self.first(line)
        return self._text[first : first + 1] in {b"]", b"}"}

    def closer(self, opener: int) -> int:
        """The line on which the container ends that opens on this one; of a text that breaks off, the last line."""
        if opener not in self._closers:
            end = self._lines.end(opener)
            indent = b"\n" + b"  " * self.depth(opener)
            found = self._text.find(indent + _CLOSERS[self._text[end - 1]], end)
            self._closers[opener] = self._lines.count - 1 if found < 0 else self._lines.at(found + 1)
        return self._closers[opener]

    def opener(self, line: int) -> int | None:
        """The line on which the container opens that this line closes or, if it closes none, is in."""
        level = self.depth(line) - (not self.closes(line))
        if level < 0:
            return None
        for start, end in self._lines.pieces_before(line):
            if self.count(level, start, end):
                newlines = self.newlines(level, start, end)
                return self._lines.at(newlines[-1] + 1) if newlines else 0
        return None

    def size(self, opener: int) -> int:
        """How many items or members the container has that opens on this line."""
        if opener not in self._sizes:
            self._sizes[opener] = self.index(opener, self.closer(opener))
        return self._sizes[opener]

    def index(self, opener: int, line: int) -> int:
        """Which of the items of this container, from 0, starts on `line`."""
        level = self.depth(opener) + 1
        return sum(self.count(level, start, end) for start, end in self._lines.pieces(opener + 1, line))

    def count(self, level: int, start: int, end: int) -> int:
        """How many lines of a run, or of a part of one, are at a level."""
        return self._counted(level, start, end)

    def newlines(self, level: int, start: int, end: int, least: int = 0) -> list[int]:
        """The offsets of the newlines before the lines of a run that are at a level and have `least` bytes or more.

        Line 0 has none.
        """
        first, stop = self._span(start, end)
        return [found.start() for found in _at_level(level, least).finditer(self._text, first, stop)]

    def _count(self, level: int, start: int, end: int) -> int:
        if level >= EVERYTHING:
            return end - start
        first, stop = self._span(start, end)
        return len(_at_level(level).findall(self._text, first, stop)) + (start == 0)

    def _span(self, start: int, end: int) -> tuple[int, int]:
        return max(self._lines.start(start) - 1, 0), self._lines.end(end - 1)


@lru_cache
def _at_level(level: int, least: int = 0) -> re.Pattern[bytes]:
    """The newline before a line that is at this level and so long."""
    shallow = b"" if level >= EVERYTHING else b"(?! {%d}[ \\]}])" % (2 * level)
    return re.compile(b"\n" + shallow + (rb"(?=[^\n]{%d})" % least if least else b""))
