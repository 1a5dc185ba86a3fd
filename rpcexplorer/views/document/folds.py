"""Which containers of a document are folded.

It is a rule (containers at a depth and below are folded) with exceptions (this one is not, that one is). Both say the
same thing about a stretch of lines: the level, as `Outline` counts, that is on view there.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final, NamedTuple, TypeAlias

from rpcexplorer.views.document.document import Document
from rpcexplorer.views.document.outline import EVERYTHING

NOTHING: Final = -1
"""The level of what is inside a folded container: no line is on view there."""


class LineRun(NamedTuple):
    """Lines in a row for which one rule holds."""

    start: int
    """The first line."""
    end: int
    """The line after the last."""
    level: int
    """What is on view of them."""


_Exceptions: TypeAlias = dict[int, tuple[int, int]]
"""By the line a container opens on: the line it closes on, and the level on view between the two."""


class Folds:
    """What is folded, and is never changed: other folds are others."""

    def __init__(self, document: Document, depth: int = EVERYTHING, exceptions: _Exceptions | None = None) -> None:
        """Every container inside ``depth`` others is folded."""
        self._document = document
        self._rule = min(max(depth, 0), EVERYTHING)
        self._exceptions = exceptions or {}
        self.stretches = self._stretched()
        """The document cut where another level begins to be on view."""

    def sign(self, line: int) -> str:
        """``open`` or ``folded`` where a container opens, else empty: inside of it would be too deep to be on view."""
        outline = self._document.outline
        if not (self._document.is_json and outline.opens(line)):
            return ""
        at = bisect_right(self.stretches, line + 1, key=lambda stretch: stretch.start) - 1
        return "folded" if outline.depth(line) >= self.stretches[at].level else "open"

    def turned(self, opener: int, *, folded: bool) -> Folds:
        """With a container folded or not: by the rule if that is enough, else as an exception from it."""
        closer = self._document.outline.closer(opener)
        inner = closer if folded else opener + 1
        others = {line: told for line, told in self._exceptions.items() if not opener <= line < inner}
        by_rule = Folds(self._document, self._rule, others)
        if (by_rule.sign(opener) == "folded") == folded:
            return by_rule
        level = NOTHING if folded else self._document.outline.depth(opener) + 1
        return Folds(self._document, self._rule, {**others, opener: (closer, level)})

    def like(self, beginning: Folds) -> Folds:
        """What is folded in the beginning of this document, and nothing else."""
        closer = self._document.outline.closer
        exceptions = {line: (closer(line), level) for line, (_, level) in beginning._exceptions.items()}
        return Folds(self._document, beginning._rule, exceptions)

    def _stretched(self) -> list[LineRun]:
        cut: list[LineRun] = []
        at = 0
        around = [(self._document.lines, self._rule)]
        for opener, (closer, level) in sorted(self._exceptions.items()):
            while around[-1][0] <= opener:
                end, outer = around.pop()
                cut.append(LineRun(at, end, outer))
                at = end
            cut.append(LineRun(at, opener + 1, around[-1][1]))
            at = opener + 1
            around.append((closer + 1, level))
        for end, outer in reversed(around):
            cut.append(LineRun(at, end, outer))
            at = end
        return [stretch for stretch in cut if stretch.start < stretch.end]
