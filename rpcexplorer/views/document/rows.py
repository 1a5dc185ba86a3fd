"""The rows of a document that are on view: which line each shows, with folds and wrapping applied.

The stretches that `Folds` tells of are cut into runs of lines, and only the runs' heights are kept; what is in a run is
found out when it is looked at.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from msgspec import Struct

from rpcexplorer.views.document.document import Document
from rpcexplorer.views.document.folds import NOTHING, Folds, LineRun
from rpcexplorer.views.document.outline import EVERYTHING
from rpcexplorer.views.document.places import in_string

_KEPT = 16  # runs whose lines stay known
_AT_ONCE = 32  # runs that are measured in one step: a millisecond


class DocumentRow(Struct, frozen=True):
    """One row of the screen."""

    line: int
    """The line of the document, from 0."""
    text: str
    """What is shown, printable; a folded container says what it holds."""
    fold: str
    """``open`` or ``folded`` on the first row of a container, else empty."""
    continued: bool
    """It is a later piece of a wrapped line."""
    start: int
    """Which character of its line the row begins with; 0 unless lines are wrapped."""
    in_string: bool = False
    """The text begins inside a JSON string, which matters for its colours."""


class _Inside(NamedTuple):
    """What is on view of a run."""

    starts: list[int]
    """The offset of each line on view."""
    tops: list[int]
    """How many of the run's rows come before each, and at last how many there are."""


class Rows:
    """Rows by number, from 0, and the folds that decide which there are."""

    def __init__(self, document: Document, *, wrap: int | None = None) -> None:
        self.document = document
        self._folds = Folds(document)
        self._wrap: int | None = None
        self._heights: dict[LineRun, int] = {}
        self._inside: dict[LineRun, _Inside] = {}
        self._arrange()
        self.wrap(wrap)

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self._tops[-1]

    def row(self, index: int, start: int = 0, limit: int | None = None) -> DocumentRow:
        """A row, of which only `limit` characters from `start` on are decoded."""
        line, nth = self._locate(index)
        per_row = self._per_row(line)
        offset = nth * (per_row or 0)
        fold = self._folds.sign(line)
        if fold == "folded":
            text = self._summed_up(line, offset, per_row)[start : None if limit is None else start + limit]
        else:
            rest = limit if per_row is None else min(max(per_row - start, 0), per_row if limit is None else limit)
            text = self.document.line(line, offset + start, rest)
        cut = offset + start
        inside = bool(cut) and self.document.is_json and in_string(self.document, line, cut)
        return DocumentRow(line, text, "" if nth else fold, nth > 0, offset, inside)

    def row_of(self, line: int, character: int = 0) -> int:
        """The row that shows a character of a line or, if the line is inside a fold, the first row of the fold."""
        at = bisect_right(self._runs, line, key=lambda run: run.start) - 1
        run, top = self._runs[at], self._tops[at]
        if self._is_whole(run):
            return top + min(line, run.end - 1) - run.start
        inside, start = self._look(run), self.document.span(line)[0]
        nth = bisect_right(inside.starts, start) - 1
        if nth < 0:
            return top - 1 - self._locate(top - 1)[1]
        top, rows = top + inside.tops[nth], inside.tops[nth + 1] - inside.tops[nth]
        if inside.starts[nth] != start or rows == 1:
            return top
        return top + min(character // (self._per_row(line) or 1), rows - 1)

    def toggle(self, line: int) -> bool:
        """Fold or unfold the container that opens on a line or else is around it; False if there is none."""
        if not self.document.is_json:
            return False
        line, _ = self._locate(self.row_of(line))
        opener = line if self.document.outline.opens(line) else self.document.outline.opener(line)
        if opener is None:
            return False
        self._put(opener, folded=self._folds.sign(opener) == "open")
        return True

    def fold_all(self) -> None:
        """Fold all that the outermost container holds."""
        self.fold_to(1)

    def unfold_all(self) -> None:
        self.fold_to(EVERYTHING)

    def fold_to(self, depth: int) -> None:
        """Fold every container that is inside `depth` others, and no other; a container inside it stays folded."""
        deque(self.folding_to(depth), maxlen=0)

    def folding_to(self, depth: int) -> Iterator[None]:
        """``fold_to`` in steps, for a large document; nothing changes before the last."""
        yield from self._folding(Folds(self.document, depth if self.document.is_json else EVERYTHING))

    def folding_like(self, beginning: Rows) -> Iterator[None]:
        """Fold in steps what is folded in the rows of the beginning of this document."""
        yield from self._folding(self._folds.like(beginning._folds))

    def _folding(self, folds: Folds) -> Iterator[None]:
        for stretch in folds.stretches:
            yield from self._measure(stretch, self._wrap, self._heights)
        self._folds = folds
        self._arrange()

    def reveal(self, line: int) -> None:
        """Unfold whatever hides a line, and nothing more."""
        while (on_view := self._locate(self.row_of(line))[0]) != line:
            self._put(on_view, folded=False)

    def wrap(self, width: int | None) -> None:
        """Let no row have more columns than this; None gives each line one row. Rows of hex are never wrapped."""
        deque(self.wrapping(width), maxlen=0)

    def wrapping(self, width: int | None) -> Iterator[None]:
        """``wrap`` in steps, for a large document; nothing changes before the last."""
        needless = width is None or self.document.is_hex or self.document.widest <= width
        wrap = None if needless else width
        if wrap == self._wrap:
            return
        heights: dict[LineRun, int] = {}
        for stretch in self._folds.stretches:
            yield from self._measure(stretch, wrap, heights)
        self._wrap, self._heights, self._inside = wrap, heights, {}
        self._arrange()

    def _put(self, opener: int, *, folded: bool) -> None:
        self._folds = self._folds.turned(opener, folded=folded)
        self._arrange()

    def _summed_up(self, line: int, offset: int, per_row: int | None) -> str:
        """A folded line from a character on; behind its end, what it holds and the bracket that closes it."""
        outline = self.document.outline
        text = self.document.line(line, offset, per_row)
        if offset + len(text) < self.document.size(*self.document.span(line))[0]:
            return text
        size, closing = outline.size(line), self.document.line(outline.closer(line)).strip()
        noun = "item" if closing.startswith("]") else "member"
        return f"{text} {size:,} {noun}{'' if size == 1 else 's'} {closing}"

    def _arrange(self) -> None:
        """Find out how many rows each run of lines has."""
        self._runs: list[LineRun] = []
        heights: list[int] = []
        for stretch in self._folds.stretches:
            for run in self._cut(stretch, self._wrap):
                if height := self._height(run, self._wrap, self._heights):
                    self._runs.append(run)
                    heights.append(height)
        self._tops = list(accumulate(heights, initial=0))

    def _measure(self, stretch: LineRun, wrap: int | None, heights: dict[LineRun, int]) -> Iterator[None]:
        """Find out in steps how many rows each run of a stretch would have."""
        for nth, run in enumerate(self._cut(stretch, wrap)):
            self._height(run, wrap, heights)
            if nth % _AT_ONCE == _AT_ONCE - 1:
                yield

    def _cut(self, stretch: LineRun, wrap: int | None) -> Iterator[LineRun]:
        if stretch.level >= EVERYTHING and wrap is None:
            yield stretch
        elif stretch.level != NOTHING:
            for start, end in self.document.index.pieces(stretch.start, stretch.end):
                yield LineRun(start, end, stretch.level)

    def _is_whole(self, run: LineRun) -> bool:
        """Whether each line of it has just one row."""
        return run.level >= EVERYTHING and self._wrap is None

    def _height(self, run: LineRun, wrap: int | None, heights: dict[LineRun, int]) -> int:
        """How many rows a run has; looked up in the heights that are known by now, and kept there."""
        if run.level >= EVERYTHING and wrap is None:
            return run.end - run.start
        if run not in heights:
            height = self.document.outline.count(run.level, run.start, run.end)
            if wrap is not None:
                fits = wrap // self.document.growth
                newlines = self.document.outline.newlines(run.level, run.start, run.end, least=fits + 1)
                starts = [at + 1 for at in newlines] if run.start else [0]
                height += sum(self._rows_from(start, wrap) - 1 for start in starts)
            heights[run] = height
        return heights[run]

    def _locate(self, index: int) -> tuple[int, int]:
        """The line that a row shows, and which of its rows this is."""
        if not 0 <= index < self.count:
            raise IndexError(f"there are {self.count} rows, and no row {index}")
        at = bisect_right(self._tops, index) - 1
        run, nth = self._runs[at], index - self._tops[at]
        if self._is_whole(run):
            return run.start + nth, 0
        inside = self._look(run)
        within = bisect_right(inside.tops, nth) - 1
        return self.document.line_at(inside.starts[within]), nth - inside.tops[within]

    def _look(self, run: LineRun) -> _Inside:
        """What is on view of a run; kept for as long as it is likely to be asked for again."""
        if run not in self._inside:
            if len(self._inside) >= _KEPT:
                self._inside.pop(next(iter(self._inside)))
            self._inside[run] = self._found_inside(run)
        return self._inside[run]

    def _found_inside(self, run: LineRun) -> _Inside:
        newlines = self.document.outline.newlines(run.level, run.start, run.end)
        starts = [at + 1 for at in newlines] if run.start else [0]
        wrap = self._wrap
        heights = (1 if wrap is None else self._rows_from(start, wrap) for start in starts)
        return _Inside(starts, list(accumulate(heights, initial=0)))

    def _rows_from(self, start: int, wrap: int) -> int:
        """How many rows the line has that starts at an offset."""
        end = self.document.text.find(b"\n", start)
        return self._wrapped(start, len(self.document.text) if end < 0 else end, wrap)[0]

    def _per_row(self, line: int) -> int | None:
        """How many characters of a line go on one row; None if all do."""
        return None if self._wrap is None else self._wrapped(*self.document.span(line), self._wrap)[1]

    def _wrapped(self, begin: int, end: int, wrap: int) -> tuple[int, int]:
        """Of a line by its span: how many rows it has, and how many characters go on one.

        A line with a character of two columns has half as many on a row: some stay short, none is ever too long.
        """
        if (end - begin) * self.document.growth <= wrap:
            return 1, wrap
        characters, widest = self.document.size(begin, end)
        per_row = max(wrap // widest, 1)
        return max(-(-characters // per_row), 1), per_row
