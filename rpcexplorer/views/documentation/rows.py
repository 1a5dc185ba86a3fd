"""PageRows of a page to read: words wrapped between blanks, JSON and code anywhere, each with an indent of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from typing import Final, TypeAlias

from rpcexplorer.views.cells import columns
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.sentences import WordLine

LEAST: Final = 16
"""Columns below which nothing is wrapped for: no screen that shows docs is narrower."""
MOST_ROWS: Final = 1_000
"""Of one page. Whoever wrote more wrote it for a program."""
_TOKEN = re.compile(r"\s+|\S+")
_Break: TypeAlias = Callable[[WordLine, int, int], Iterator[WordLine]]


class PageRows:
    """Gathers the rows of a page of so many columns; with None nothing is wrapped."""

    def __init__(self, width: int | None = None) -> None:
        self.width = None if width is None else max(width, LEAST)
        self.made: list[WordLine] = []

    @property
    def is_full(self) -> bool:
        return len(self.made) >= MOST_ROWS

    def blank(self) -> None:
        """A blank row, where there is something above to be apart from."""
        if self.made and self.made[-1]:
            self.made.append([])

    def add(self, words: WordLine, hang: int = 0) -> None:
        """Prose: further rows begin in column ``hang``."""
        self._take(words, hang, _prose)

    def verbatim(self, words: WordLine, hang: int = 0) -> None:
        """What breaks anywhere, as its blanks may mean something."""
        self._take(words, hang, _anywhere)

    def _take(self, words: WordLine, hang: int, broken: _Break) -> None:
        words = [(printable(text), role) for text, role in words if text]
        width = self.width
        if self.is_full:
            return
        if width is None or sum(columns(text) for text, _ in words) <= width:
            self.made.append(words)
            return
        hang = min(hang, width * 3 // 5)
        for row in islice(broken(words, width, hang), MOST_ROWS - len(self.made)):
            self.made.append([("".join(text for text, _ in run), role) for role, run in groupby(row, itemgetter(1))])


def _prose(words: WordLine, width: int, hang: int) -> Iterator[WordLine]:
    row: WordLine = []
    used, begun = 0, False
    for gap, word in _apart(words):
        wide, blank = _columns(word), _columns(gap)
        if begun and used + blank + wide > width:
            yield row
            row, used = [(" " * hang, "text")], hang
        else:
            row, used = [*row, *gap], used + blank
        begun = True
        if used + wide > width:
            *whole, row = _anywhere([*row, *word], width, hang)
            yield from whole
            used = _columns(row)
        else:
            row, used = [*row, *word], used + wide
    yield row


def _anywhere(words: WordLine, width: int, hang: int) -> Iterator[WordLine]:
    row: WordLine = []
    room, fresh = width, True
    for text, role in words:
        at = 0
        while at < len(text):
            end = _fits(text, at, room, least=1 if fresh and room == width - hang else 0)
            if end > at:
                row.append((text[at:end], role))
                room, at, fresh = room - columns(text[at:end]), end, False
            if at < len(text):
                yield row
                row, room, fresh = [(" " * hang, "text")], width - hang, True
    yield row


def _fits(text: str, at: int, room: int, *, least: int) -> int:
    """Where the part of a text ends that takes no more than so many columns."""
    end = min(at + max(room, 0), len(text))
    if not text[at:end].isascii():
        end = at
        while end < len(text) and (room := room - columns(text[end])) >= 0:
            end += 1
    return max(end, at + least)


def _apart(words: WordLine) -> Iterator[tuple[WordLine, WordLine]]:
    """The words, each with the blanks before it; a word may have pieces of several roles."""
    gap: WordLine = []
    word: WordLine = []
    for text, role in words:
        for token in _TOKEN.findall(text):
            if not token.isspace():
                word.append((token, role))
                continue
            if word:
                yield gap, word
                gap, word = [], []
            gap.append((token, role))
    if word:
        yield gap, word


def _columns(pieces: WordLine) -> int:
    return sum(columns(text) for text, _ in pieces)
