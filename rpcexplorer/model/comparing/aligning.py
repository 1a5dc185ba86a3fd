"""The longest run of what two sequences have in common, in their order; with a bound on the work.

What stands once on both sides is found first, and parts the rest into short stretches; those are searched for the
fewest insertions and deletions (Myers, "An O(ND) Difference Algorithm"). Where that would take too long, it is said.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from rpcexplorer.jsontext.steps import Steps

MOST_EDITS: Final = 800
"""Insertions and deletions in a stretch beyond which it is given up: the work grows with their square."""
MOST_ROUNDS: Final = 30
"""How often stretches are parted into shorter ones."""
TURN: Final = 8192
IndexPair: TypeAlias = tuple[int, int]
Stretch: TypeAlias = tuple[int, int, int, int, int]
"""Start and end on the left, start and end on the right, and how often it was parted already."""


def aligned(left: Sequence[int], right: Sequence[int]) -> Steps[tuple[list[IndexPair], bool]]:
    """Places of equal items, both rising; and whether all of it was searched to the end."""
    found: list[IndexPair] = []
    searched = True
    stretches: list[Stretch] = [(0, len(left), 0, len(right), 0)]
    while stretches:
        stretch = _trimmed(left, right, stretches.pop(), found)
        yield
        if stretch[0] == stretch[1] or stretch[2] == stretch[3]:
            continue
        anchors = yield from _anchors(left, right, stretch) if stretch[4] < MOST_ROUNDS else _none()
        if anchors:
            found += anchors
            stretches += _between(stretch, anchors)
            continue
        matches = yield from shortest(left, right, stretch)
        searched = searched and matches is not None
        found += matches or ()
    found.sort()
    return found, searched


def _trimmed(left: Sequence[int], right: Sequence[int], stretch: Stretch, found: list[IndexPair]) -> Stretch:
    """The stretch without what both sides begin and end with, which goes to what was found."""
    start, end, begin, stop, rounds = stretch
    while start < end and begin < stop and left[start] == right[begin]:
        found.append((start, begin))
        start, begin = start + 1, begin + 1
    while start < end and begin < stop and left[end - 1] == right[stop - 1]:
        end, stop = end - 1, stop - 1
        found.append((end, stop))
    return start, end, begin, stop, rounds


def _none() -> Steps[list[IndexPair]]:
    yield from ()
    return []


def _anchors(left: Sequence[int], right: Sequence[int], stretch: Stretch) -> Steps[list[IndexPair]]:
    """Items that stand once in the stretch on both sides, as many as have the same order on both."""
    start, end, begin, stop, _ = stretch
    ours, theirs = (yield from _singles(left, start, end)), (yield from _singles(right, begin, stop))
    both = [(at, theirs[item]) for item, at in ours.items() if item in theirs]
    yield
    return rising(both)


def _singles(items: Sequence[int], start: int, end: int) -> Steps[dict[int, int]]:
    """Where the items stand that stand there once."""
    places: dict[int, int] = {}
    twice: set[int] = set()
    for at in range(start, end):
        if items[at] in places:
            twice.add(items[at])
        places[items[at]] = at
        if at % TURN == 0:
            yield
    for item in twice:
        del places[item]
    return places


def rising(pairs: Sequence[IndexPair]) -> list[IndexPair]:
    """The most pairs, taken in their order, whose second parts rise as well."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for at, (_, second) in enumerate(pairs):
        place = bisect_left(ends, second)
        before.append(last[place - 1] if place else -1)
        ends[place : place + 1] = [second]
        last[place : place + 1] = [at]
    chosen = []
    at = last[-1] if last else -1
    while at >= 0:
        chosen.append(pairs[at])
        at = before[at]
    return chosen[::-1]


def _between(stretch: Stretch, anchors: Sequence[IndexPair]) -> Iterator[Stretch]:
    """What lies between the anchors, and before and behind them."""
    start, end, begin, stop, rounds = stretch
    for at, to in (*anchors, (end, stop)):
        if start < at and begin < to:
            yield start, at, begin, to, rounds + 1
        start, begin = at + 1, to + 1


def shortest(left: Sequence[int], right: Sequence[int], stretch: Stretch) -> Steps[list[IndexPair] | None]:
    """The fewest edits between the two sides of a stretch; None where they are too many to be looked for."""
    start, end, begin, stop, _ = stretch
    ours, theirs = set(left[start:end]), set(right[begin:stop])
    rows = [at for at in range(start, end) if left[at] in theirs]  # what is on one side only is in no match
    columns = [at for at in range(begin, stop) if right[at] in ours]
    a, b = [left[at] for at in rows], [right[at] for at in columns]
    trace: list[list[int]] = []
    far: list[int] = []
    for edits in range(MOST_EDITS + 1):
        trace.append(far)
        far = _further(a, b, far, edits)
        yield
        diagonal = len(a) - len(b)
        if abs(diagonal) <= edits and (diagonal + edits) % 2 == 0 and far[diagonal + edits + 1] >= len(a):
            return [(rows[x], columns[y]) for x, y in _traced(trace, len(a), len(b))]
    return None


def _further(a: Sequence[int], b: Sequence[int], before: Sequence[int], edits: int) -> list[int]:
    """How far one gets with one edit more, on each diagonal from ``-edits - 1`` to ``edits + 1``."""
    reached = [-1] * (2 * edits + 3)
    for diagonal in range(-edits, edits + 1, 2):
        x = _reached_from(before, diagonal, edits)[0] if edits else 0
        y = x - diagonal
        while x < len(a) and y < len(b) and a[x] == b[y]:
            x, y = x + 1, y + 1
        reached[diagonal + edits + 1] = x
    return reached


def _reached_from(before: Sequence[int], diagonal: int, edits: int) -> tuple[int, int]:
    """Where one stands right behind the last edit, and the diagonal on which one stood before it."""
    inserts = diagonal == -edits or (diagonal != edits and before[diagonal + edits - 1] < before[diagonal + edits + 1])
    return (before[diagonal + edits + 1], diagonal + 1) if inserts else (before[diagonal + edits - 1] + 1, diagonal - 1)


def _traced(trace: Sequence[Sequence[int]], x: int, y: int) -> Iterator[IndexPair]:
    """The equal items on the way, from its end back to its beginning."""
    for edits in range(len(trace) - 1, -1, -1):
        start, came_from = _reached_from(trace[edits], x - y, edits) if edits else (0, 0)
        while x > start:
            x, y = x - 1, y - 1
            yield x, y
        if edits:
            x = trace[edits][came_from + edits]
            y = x - came_from
