"""Which elements of two arrays belong together."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any, Final, TypeAlias

from rpcexplorer.compare.parts import TURN, PointerPattern, below, canonical, fields, left_out, masked
from rpcexplorer.jsontext.steps import Steps

IndexPair: TypeAlias = tuple[int, int]
Indices: TypeAlias = tuple[int | None, int | None]
"""On the left and on the right; None if the element has no counterpart."""
NAMES: Final = ("id", "_id", "uuid", "guid", "uid", "key", "name", "hash", "txid", "address", "path", "url", "code")
"""Members that tell one element from another wherever they are."""
MAX_TRIED: Final = 12
"""Members that are tried after those."""
RUNS: Final = (16, 4, *[1] * 30)
"""How many items are matched together, round by round."""
MAX_CANONICAL_BYTES: Final = 128 * 1024
"""A larger element is known by its spelling alone: to read it takes too long for one step."""
STEP_BYTES: Final = 64 * 1024
"""Bytes of elements that are read in one step."""


def paired(
    left: Sequence[bytes], right: Sequence[bytes], patterns: tuple[PointerPattern, ...]
) -> Steps[Sequence[Indices]]:
    """Pair the elements, and return all of both sides in the order in which they are shown.

    Elements are pairs if they have the same identity, or mean the same without what the patterns ignore in each; then
    by their place between two pairs.
    """
    if len(left) == len(right) == 1:
        return [(0, 0)]
    left, right = [*map(masked, left)], [*map(masked, right)]
    shorter = min(len(left), len(right))
    head = next((at for at in range(shorter) if left[at] != right[at]), shorter)
    rest = shorter - head
    tail = next((at for at in range(rest) if left[-1 - at] != right[-1 - at]), rest)
    yield
    found = [(at, at) for at in range(head)]
    if rest > tail:
        inside = yield from _paired_inside(left[head : len(left) - tail], right[head : len(right) - tail], patterns)
        found += [(head + at, head + to) for at, to in inside]
    found += [(len(left) - at, len(right) - at) for at in range(tail, 0, -1)]
    yield
    return list(_sequence(found, len(left), len(right)))


def _sequence(pairs: Sequence[IndexPair], left: int, right: int) -> Iterator[Indices]:
    """Yield all elements: between two pairs first the removed ones, then the added ones."""
    start = begin = 0
    for at, to in (*pairs, (left, right)):
        yield from ((alone, None) for alone in range(start, at))
        yield from ((None, alone) for alone in range(begin, to))
        if at < left:
            yield at, to
        start, begin = at + 1, to + 1


def matched(left: Sequence[Hashable], right: Sequence[Hashable]) -> Steps[list[IndexPair]]:
    """Pair equal items, rising on both sides, in n log n; a few less than the most that could be.

    The first of several equal items belongs to the first on the other side, and so on; what does not rise then is tried
    again between the pairs. Runs of items are matched before single ones, as hardly any run is there by chance.
    (``difflib`` finds one in a hundred more, but needs 0.6 s for 2,000 items of two values, and four times that for
    4,000; this needs 0.01 s.)
    """
    found: list[IndexPair] = []
    for width in RUNS:
        before = len(found)
        ours, theirs = (yield from _runs(left, width)), (yield from _runs(right, width))
        for start, end, begin, stop in [*_gaps(found, len(left), len(right))]:
            places = defaultdict[Hashable, list[int]](list)
            for to in range(stop - width, begin - 1, -1):
                places[theirs[to]].append(to)
                if to % TURN == 0:
                    yield
            equal = []
            for at in range(start, end - width + 1):
                if places.get(ours[at]):
                    equal.append((at, places[ours[at]].pop()))
                if at % TURN == 0:
                    yield
            found += yield from _rising(equal)
        if width == 1 and len(found) == before:
            break
        found.sort()
    return found


def _runs(items: Sequence[Hashable], width: int) -> Steps[Sequence[Hashable]]:
    """Return what is equal for equal runs, by the index of their first item."""
    if width == 1:
        return items
    runs: list[int] = []
    for run in zip(*(islice(items, at, None) for at in range(width)), strict=False):
        runs.append(hash(run))
        if len(runs) % TURN == 0:
            yield
    return runs


def _gaps(pairs: Sequence[IndexPair], left: int, right: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield where both sides have items between two pairs: start and end on the left, start and end on the right."""
    for (at, to), (end, stop) in pairwise([(-1, -1), *pairs, (left, right)]):
        if end - at > 1 and stop - to > 1:
            yield at + 1, end, to + 1, stop


def _rising(pairs: Sequence[IndexPair]) -> Steps[list[IndexPair]]:
    """Return as many of the pairs, in their order, as rise in their second index too."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for at, (_, second) in enumerate(pairs):
        place = bisect_left(ends, second)
        before.append(last[place - 1] if place else -1)
        ends[place : place + 1] = [second]
        last[place : place + 1] = [at]
        if at % TURN == 0:
            yield
    chosen = []
    at = last[-1] if last else -1
    while at >= 0:
        chosen.append(pairs[at])
        at = before[at]
    return chosen[::-1]


def _paired_inside(
    left: Sequence[bytes], right: Sequence[bytes], patterns: tuple[PointerPattern, ...]
) -> Steps[list[IndexPair]]:
    keys = yield from _identities(left, right, patterns)
    has_identity = keys is not None
    if keys is None:
        keys = (yield from _keys(left, patterns)), (yield from _keys(right, patterns))
    found = yield from matched(*keys)
    for start, end, begin, stop in [*_gaps(found, len(left), len(right))]:
        for count, (at, to) in enumerate(zip(range(start, end), range(begin, stop), strict=False)):
            if _are_alike(left[at], right[to], has_identity=has_identity):
                found.append((at, to))
            if count % TURN == 0:
                yield
    return sorted(found)


def _keys(elements: Sequence[bytes], patterns: tuple[PointerPattern, ...]) -> Steps[list[Any]]:
    """Return what is equal for elements that mean the same."""
    keys, done = [], 0
    for element in elements:
        keys.append(_key(element, patterns))
        done += len(element)
        if done > STEP_BYTES:
            done = 0
            yield
    return keys


def _key(element: bytes, patterns: tuple[PointerPattern, ...]) -> Any:
    return element if len(element) > MAX_CANONICAL_BYTES else canonical(element, patterns)


def _identities(
    left: Sequence[bytes], right: Sequence[bytes], patterns: tuple[PointerPattern, ...]
) -> Steps[tuple[list[Any], list[Any]] | None]:
    """Return the values of the member by which the elements of both sides are known; None if there is no such member.

    No two elements of a side share its value. If its name does not say that it is one, both sides share most values.
    """
    sides = []
    for elements in (left, right):
        side = []
        for at, element in enumerate(elements):
            side.append(fields(element))
            if at % TURN == 0:
                yield
        sides.append(side)
    scalars = [name for name, value in sides[0][0].items() if bytes(value)[:1] not in b"[{"]
    names = [name for name in NAMES if name in scalars]
    others = [name for name in scalars if name not in names][:MAX_TRIED]
    for name in (*names, *others):
        if left_out(below(patterns, name)):
            continue
        keys: list[list[Any]] = [
            [_key(bytes(members[name]), ()) if name in members else None for members in side] for side in sides
        ]
        yield
        values = [[key for key in side if key is not None] for side in keys]
        ours, theirs = map(set, values)
        is_unique = len(values[0]) == len(ours) > 0 < len(theirs) == len(values[1])
        if is_unique and (name in names or 2 * len(ours & theirs) >= min(len(left), len(right))):
            for elements, side_keys in zip((left, right), keys, strict=True):
                for at, key in enumerate(side_keys):
                    if key is None:  # equal to what means the same, and to no identity
                        side_keys[at] = (_key(elements[at], patterns),)
            return keys[0], keys[1]
    return None


def _are_alike(left: bytes, right: bytes, *, has_identity: bool) -> bool:
    """Return whether one may have changed into the other: objects that share a name.

    If they are known by their identity, which differs, they share at least half of their members.
    """
    ours, theirs = fields(left), fields(right)
    if not ours or not theirs:
        return True
    if not has_identity:
        return not ours.keys().isdisjoint(theirs)
    same = sum(name in theirs and bytes(value) == bytes(theirs[name]) for name, value in ours.items())
    return 2 * same >= max(len(ours), len(theirs))
