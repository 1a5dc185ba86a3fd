"""A comparison line by line: the way to each difference, a little of what stands around it, and folds between.

What is equal is not even looked at before somebody unfolds it, so that ten megabytes with one difference cost one.
There are no commas: a line is a value, and the last one of an object is like the others.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby, islice, zip_longest
from typing import Final, Literal, NamedTuple
from weakref import WeakKeyDictionary

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.compare.compare import Comparison, Difference, PassedOver, merged, parts_of, whole
from rpcexplorer.jsontext.scan import Span
from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.rpc.messages import spelled
from rpcexplorer.views.comparing.values import begun, differing, laid_out, one_line
from rpcexplorer.views.printable import printable

LineKind = Literal["equal", "changed", "spelling", "added", "removed", "ignored", "hidden", "fold", "note"]
PASSED: Final = frozenset({"ignored", "hidden"})
"""What was not compared."""
CONTEXT: Final = 2
"""Equal values that are shown before and behind a difference."""
RUN: Final = 500
"""Equal values that one unfolding shows; behind them there is another fold."""
LONGEST: Final = 100
"""Lines of one value on one side that are shown before it is unfolded."""
DIFFERENCES: Final = 2_000
"""Differences that are laid out before more are wanted."""
MORE: Final = "more than "
"""How the fold begins behind which there are more of them."""
INDENTED: Final = 64
"""Levels that are indented."""


class ComparedLine(Struct, frozen=True):
    """A line of two columns. All of it is printable."""

    kind: LineKind
    left: str | None
    """None where there is nothing on this side."""
    right: str | None
    difference: int | None = None
    """Which of the comparison's differences it shows."""
    fold: str = ""
    """What to add to ``unfolded`` to see what is behind this line; empty where nothing is."""
    note: str = ""
    """A remark: the same number, or from which character on two strings differ."""


class _Child(NamedTuple):
    """A value in an object or array, on the left, on the right, or on both."""

    prefix: str
    left: Span | None
    right: Span | None


def compared_lines(
    comparison: Comparison, unfolded: Collection[str] = frozenset(), *, full: bool = False
) -> Sequence[ComparedLine]:
    """The lines of a comparison. ``unfolded`` has the ``fold`` of lines behind which all is to be seen.

    ``full``: nothing is folded.
    """
    if comparison.verdict == "not comparable":
        return [_note(comparison.why)]
    if comparison not in _LAYOUTS:
        _LAYOUTS[comparison] = _Layout(comparison)
    return list(_LAYOUTS[comparison].lines(unfolded, full=full))


def stacked(lines: Iterable[ComparedLine]) -> Iterator[ComparedLine]:
    """For one column: of a difference of several lines all that was before, then all that is now."""
    for difference, run in groupby(lines, lambda line: line.difference):
        group = list(run)
        if difference is None or len(group) < 2:
            yield from group
            continue
        text = [line for line in group if line.kind != "fold"]
        yield from (replace(line, right=None) for line in text if line.left is not None)
        yield from (replace(line, left=None) for line in text if line.right is not None)
        yield from (line for line in group if line.kind == "fold")


def is_pair(shown: ComparedLine) -> bool:
    """Whether both sides have something of their own in it; one below the other they take two rows."""
    alike = shown.kind in {"equal", "fold", "note"} or (
        shown.kind in {"ignored", "hidden"} and shown.left == shown.right
    )
    return shown.left is not None and shown.right is not None and not alike


def _note(text: str) -> ComparedLine:
    return _both("note", printable(text))


def _both(kind: LineKind, text: str, fold: str = "") -> ComparedLine:
    return ComparedLine(kind, text, text, fold=fold)


class _Layout:
    """A comparison taken apart for showing; what was once taken apart need not be so again."""

    def __init__(self, comparison: Comparison) -> None:
        self._left_text, self._right_text = comparison.left, comparison.right
        self._left, self._right = at_once(parts_of(comparison.left, comparison.right))
        self._children: dict[Span, list[_Child]] = {}
        marks: list[tuple[int | None, Difference | PassedOver]] = list(enumerate(comparison.differences))
        marks += [(None, each) for each in comparison.passed]
        self._at_left = {mark.left.start: (at, mark) for at, mark in marks if mark.left}
        self._at_right = {mark.right.start: (at, mark) for at, mark in marks if mark.right and not mark.left}
        self._starts = sorted(self._at_left), sorted(self._at_right)
        self._count = len(comparison.differences)
        self._unfolded: Collection[str] = ()
        self._full = False
        self._shown, self._most = 0, DIFFERENCES

    def lines(self, unfolded: Collection[str], *, full: bool) -> Iterator[ComparedLine]:
        self._unfolded, self._full, self._shown, self._most = unfolded, full, 0, DIFFERENCES
        while f"{MORE}{self._most}" in unfolded:
            self._most *= 10
        yield from self._pair("", whole(self._left_text), whole(self._right_text), 0)
        if self._shown < self._count:
            yield _both("fold", f"⋯ {self._count - self._shown:,} more differences", f"{MORE}{self._most}")

    def _is_open(self, key: str) -> bool:
        return self._full or key in self._unfolded

    @property
    def _enough(self) -> bool:
        return self._shown >= self._most and not self._full

    def _pair(self, prefix: str, left: Span, right: Span, level: int) -> Iterator[ComparedLine]:
        """A value that is on both sides."""
        if left[0] in self._at_left:
            yield from self._marked(prefix, left, right, level)
        elif self._has_marks(left, right):
            yield from self._opened(prefix, left, right, level)
        else:
            yield from self._equal(prefix, left, right, level)

    def _has_marks(self, left: Span | None, right: Span | None) -> bool:
        return any(
            span is not None and bisect_left(starts, span[0]) < bisect_left(starts, span[1])
            for span, starts in zip((left, right), self._starts, strict=True)
        )

    def _opened(self, prefix: str, left: Span, right: Span, level: int) -> Iterator[ComparedLine]:
        """A container in which something differs."""
        blank = _indent(level)
        opener, closer = ("{", "}") if self._left_text[left[0] : left[0] + 1] == b"{" else ("[", "]")
        yield _both("equal", printable(blank + prefix + opener))
        waiting: list[_Child] = []
        first = True
        for child in self._inside(left, right):
            if child.left and child.right and not self._has_marks(child.left, child.right):
                waiting.append(child)
                continue
            if self._enough:
                break
            yield from self._run(waiting, level + 1, head=first, tail=False, opener=opener)
            waiting, first = [], False
            if child.left and child.right:
                yield from self._pair(child.prefix, child.left, child.right, level + 1)
            else:
                yield from self._marked(child.prefix, child.left, child.right, level + 1)
        yield from self._run(waiting, level + 1, head=False, tail=True, opener=opener)
        yield _both("equal", blank + closer)

    def _inside(self, left: Span, right: Span) -> list[_Child]:
        if left not in self._children:
            taken = self._members(left, right) if self._left_text[left[0]] == ord("{") else self._elements(left, right)
            self._children[left] = list(taken)
        return self._children[left]

    def _members(self, left: Span, right: Span) -> Iterator[_Child]:
        ours, theirs = at_once(self._left.members(left)), at_once(self._right.members(right))
        for name, one, two in merged(ours, theirs):
            yield _Child(f"{spelled(name)}: ", one, two)

    def _elements(self, left: Span, right: Span) -> Iterator[_Child]:
        """Elements as they were paired: those that are alone are known, and the others follow one another."""
        theirs = iter(at_once(self._right.elements(right)))
        for one in at_once(self._left.elements(left)):
            if one[0] in self._at_left and self._at_left[one[0]][1].right is None:
                yield _Child("", one, None)
                continue
            for two in theirs:
                alone = two[0] in self._at_right
                yield _Child("", None if alone else one, two)
                if not alone:
                    break
        yield from (_Child("", None, two) for two in theirs)

    def _run(self, run: Sequence[_Child], level: int, *, head: bool, tail: bool, opener: str) -> Iterator[ComparedLine]:
        """Equal values one behind the other: the nearest are shown, the others folded."""
        before, behind = (0 if head else CONTEXT), (0 if tail else CONTEXT)
        if len(run) <= before + behind + 1:
            yield from self._all(run, level)
            return
        folded = run[before : len(run) - behind]
        yield from self._all(run[:before], level)
        yield from self._folded(folded, level, opener)
        yield from self._all(run[len(run) - behind :] if behind else (), level)

    def _folded(self, run: Sequence[_Child], level: int, opener: str) -> Iterator[ComparedLine]:
        assert run[0].left is not None
        key = f"{run[0].left[0]}+{len(run)}"
        if self._is_open(key):
            shown = len(run) if self._full else RUN
            yield from self._all(run[:shown], level)
            if run[shown:]:
                yield from self._folded(run[shown:], level, opener)
            return
        noun = "member" if opener == "{" else "element"
        text = f"{_indent(level)}⋯ {len(run):,} equal {noun}{'s' if len(run) > 1 else ''}"
        yield _both("fold", text, key)

    def _all(self, run: Sequence[_Child], level: int) -> Iterator[ComparedLine]:
        for child in run:
            assert child.left is not None
            assert child.right is not None
            yield from self._equal(child.prefix, child.left, child.right, level)

    def _equal(self, prefix: str, left: Span, right: Span, level: int) -> Iterator[ComparedLine]:
        ours, theirs = self._left_text[slice(*left)], self._right_text[slice(*right)]
        blank = _indent(level)
        key = f"{left[0]}"
        if ours[:1] not in b"[{" or len(ours) <= len("{}"):
            yield ComparedLine("equal", blank + one_line(prefix, ours), blank + one_line(prefix, theirs))
        elif self._is_open(key):
            yield from self._columns("equal", prefix, ours, theirs, level=level, key=key)
        else:
            yield ComparedLine("fold", blank + begun(prefix, ours), blank + begun(prefix, theirs), fold=key)

    def _marked(self, prefix: str, left: Span | None, right: Span | None, level: int) -> Iterator[ComparedLine]:
        """A value that differs, or was passed over."""
        index, mark = self._at_left[left[0]] if left else self._at_right[right[0] if right else -1]
        self._shown += index is not None
        ours = self._left_text[slice(*left)] if left else None
        theirs = self._right_text[slice(*right)] if right else None
        blank = _indent(level)
        if ours and theirs and ours[:1] not in b"[{" and theirs[:1] not in b"[{":
            one, two, note = differing(prefix, ours, theirs, spelling=mark.kind == "spelling")
            yield ComparedLine(mark.kind, blank + one, blank + two, index, note=note)
        else:
            key = f"{left[0]}" if left else f"r{right[0] if right else 0}"
            if mark.kind in PASSED and not self._is_open(key):  # nobody wants to see all of it
                shown = [None if side is None else blank + begun(prefix, side) for side in (ours, theirs)]
                yield ComparedLine(mark.kind, shown[0], shown[1], fold=key)
                return
            yield from self._columns(mark.kind, prefix, ours, theirs, level=level, key=key, index=index)

    def _columns(
        self,
        kind: LineKind,
        prefix: str,
        left: bytes | None,
        right: bytes | None,
        *,
        level: int,
        key: str,
        index: int | None = None,
    ) -> Iterator[ComparedLine]:
        """Two values laid out beside each other."""
        most = None if self._full else LONGEST
        while most and f"{key}:{most}" in self._unfolded:
            most *= 10
        ours, theirs = laid_out(prefix, left, _indent(level)), laid_out(prefix, right, _indent(level))
        for one, two in islice(zip_longest(ours, theirs), most):
            yield ComparedLine(kind, one, two, index)
        count = max(len(ours), len(theirs))
        if most and count > most:
            text = f"{_indent(level)}⋯ {count - most:,} more lines"
            yield ComparedLine(
                "fold", text if left is not None else None, text if right is not None else None, index, f"{key}:{most}"
            )


def _indent(level: int) -> str:
    return "  " * min(level, INDENTED)


_LAYOUTS: Final[WeakKeyDictionary[Comparison, _Layout]] = WeakKeyDictionary()
