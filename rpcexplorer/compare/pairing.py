"""Which elements of two arrays belong together."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice, pairwise, takewhile
from typing import Final, NamedTuple, TypeAlias

from rpcexplorer.compare.parts import STEP, IndexedParts, Parts, PointerPattern, canonical_part, has_mark
from rpcexplorer.jsontext.scan import Span
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


NAMES: Final = ("id", "_id", "uuid", "guid", "uid", "key", "name", "hash", "txid", "address", "path", "url", "code")
"""Members that are there to tell one element from another, wherever they are."""
TRIED: Final = 12
"""Members that are tried beside those."""
PARTS: Final = 64
"""Parts of an element that are looked at."""
SCALAR: Final = b""
NO_FIELDS: Final[Mapping[str, bytes]] = {}


class Element:
    """An element of an array, as far as it takes to find its partner."""

    __slots__ = ("_parts", "fields", "first", "kind")

    def __init__(self, kind: bytes, fields: Mapping[str, bytes] = NO_FIELDS, first: Sequence[bytes] = ()) -> None:
        self.kind = kind
        """How a container begins; empty for a scalar."""
        self.fields = fields
        """The members of an object, as they are written."""
        self.first = first
        """The first elements of an array."""
        self._parts: frozenset[object] | None = None

    @property
    def parts(self) -> frozenset[object]:
        """Names with their values, or elements: made for those alone that are set beside others."""
        if self._parts is None:
            self._parts = frozenset(self.first or islice(self.fields.items(), PARTS))
        return self._parts


def likeness(left: Element, right: Element, naming: str | None) -> float:
    """Nothing where they have nothing to do with each other: then one went and another came."""
    if left.kind != right.kind:
        return 0.01
    if left.kind == SCALAR:
        return 0.5
    most = max(len(left.parts), len(right.parts), 1)
    same = len(left.parts & right.parts) / most
    if left.kind == b"[":
        return 0.1 + same
    names = len(left.fields.keys() & right.fields.keys())
    if same < 0.5 and (not names or (naming and left.fields.get(naming) != right.fields.get(naming))):
        return 0
    return 0.1 + same + 0.1 * names / max(len(left.fields), len(right.fields), 1)


def naming_member(left: Sequence[Element], right: Sequence[Element]) -> Steps[str | None]:
    """The member by which elements on both sides can be known: each has a value of its own there, and most are shared.

    One that is called ``id`` or the like names them as soon as a single value is shared.
    """
    first = next((each.fields for each in (*left[:1], *right[:1]) if each.fields), {})
    by_name = [name for name in NAMES if name in first]
    others = islice((name for name, value in first.items() if value[:1] not in b"[{" and name not in by_name), TRIED)
    for name in (*by_name, *others):
        ours = named(left, name)
        yield
        theirs = named(right, name) if ours else {}
        yield
        shared = len(ours.keys() & theirs.keys())
        if shared >= (1 if name in by_name else (min(len(left), len(right)) + 1) // 2):
            return name
    return next(iter(by_name), None)


def named(elements: Sequence[Element], name: str) -> dict[bytes, int]:
    """Where the elements stand that have this value for a name, and are the only ones; none where many share one."""
    places: dict[bytes, int] = {}
    count = 0
    for at, element in enumerate(elements):
        value = element.fields.get(name)
        if value is not None:
            places[value] = at
            count += 1
    return places if len(places) == count else {}


Indices: TypeAlias = tuple[int | None, int | None]
"""On the left and on the right; None where there is no partner."""
MOST_COMPARED: Final = 2_500
"""Pairs of elements between two matches that are looked at to see which are alike; beyond it their place decides."""
ELEMENTS_PER_STEP: Final = 1024
"""Elements that are looked at in one step."""
FOUND: Final = -2
"""The number of elements that are written alike at the beginning or the end of both: these find each other."""
_PLAIN: Final = re.compile(rb'[^\[{\\"][^\\]*|"[^\\\x00-\x1f]*"')
"""A scalar that can be spelled in no other way and be the same."""


class Paired(NamedTuple):
    """The elements of two arrays, in the order in which they are told."""

    pairs: Sequence[Indices]
    same: AbstractSet[int]
    """Those on the left of which it is known that they are the same, and nothing in them is to be passed over."""
    whole: bool
    """Whether all could be aligned."""


class Pairing:
    """Pairs elements of the arrays of two texts."""

    def __init__(self, left: Parts, right: Parts) -> None:
        self._left, self._right = left, right
        self._marks = has_mark(left.text) or has_mark(right.text)

    def of(self, left: Sequence[Span], right: Sequence[Span], patterns: tuple[PointerPattern, ...]) -> Steps[Paired]:
        """All elements of both.

        It is always done in the same direction, so that seen from the other side it is the same.
        """
        if not left or not right:
            return Paired(list(_sequence([], len(left), len(right))), set(), whole=True)
        one, other = (yield from Elements.of(self._left, left)), (yield from Elements.of(self._right, right))
        turned = one.text > other.text
        run = _OneArray(*((other, one) if turned else (one, other)), patterns, marks=self._marks)
        matches, alike = yield from run.pairs()
        if turned:
            matches, alike = _turned(matches), _turned(alike)
        same = set() if patterns or self._marks else {at for at, _ in matches}
        pairs = sorted([*matches, *alike])
        yield
        return Paired(list(_sequence(pairs, len(left), len(right))), same, run.whole)


def _are_equal(pair: tuple[bytes, bytes]) -> bool:
    return pair[0] == pair[1]


def _turned(pairs: Sequence[IndexPair]) -> list[IndexPair]:
    return [(to, at) for at, to in pairs]


class Elements:
    """The elements of one array."""

    def __init__(self, parts: Parts, spans: Sequence[Span], raw: Sequence[bytes]) -> None:
        self.parts, self.spans, self.raw = parts, spans, raw
        self.text = parts.text[spans[0][0] : spans[-1][1]]

    @classmethod
    def of(cls, parts: Parts, spans: Sequence[Span]) -> Steps[Elements]:
        raw: list[bytes] = []
        for begin in range(0, len(spans), ELEMENTS_PER_STEP):
            raw += [parts.text[start:end] for start, end in spans[begin : begin + ELEMENTS_PER_STEP]]
            yield
        return cls(parts, spans, raw)

    def element(self, at: int) -> Element:
        """What it takes to find a partner for one of them."""
        kind, span = self.raw[at][:1], self.spans[at]
        if kind == b"{":
            return Element(kind, self.parts.fields(span))
        return Element(kind, first=self.parts.first(span, PARTS)) if kind == b"[" else Element(SCALAR)


class _OneArray:
    """Two arrays while their elements are paired."""

    def __init__(self, left: Elements, right: Elements, patterns: tuple[PointerPattern, ...], *, marks: bool) -> None:
        self._left, self._right, self._patterns, self._marks = left, right, patterns, marks
        self.whole = True

    def pairs(self) -> Steps[tuple[list[IndexPair], list[IndexPair]]]:
        """Those that are the same, and those that are alike."""
        if len(self._left.raw) == len(self._right.raw) == 1:
            return [], [(0, 0)]
        ours, theirs = yield from self._keys()
        matches, self.whole = yield from aligned(ours, theirs)
        alike: list[IndexPair] = []
        ends = [(-1, -1), *matches, (len(ours), len(theirs))]
        for (at, to), (end, stop) in pairwise(ends):
            if end - at > 1 and stop - to > 1:
                alike += yield from self._alike(range(at + 1, end), range(to + 1, stop))
        return matches, alike

    def _keys(self) -> Steps[tuple[list[int], list[int]]]:
        """A number for each element that it shares with those that are the same."""
        raws = self._left.raw, self._right.raw
        first = sum(1 for _ in takewhile(_are_equal, zip(*raws, strict=False)))
        yield
        rest = min(map(len, raws)) - first
        last = sum(1 for _ in takewhile(_are_equal, islice(zip(*map(reversed, raws), strict=False), rest)))
        yield
        numbers: dict[Hashable, int] = {}
        known: dict[bytes, int] = {}
        found: list[list[int]] = []
        for elements in (self._left, self._right):
            keys = [FOUND] * first
            done = 0
            for at in range(first, len(elements.raw) - last):
                raw = elements.raw[at]
                if raw not in known:
                    known[raw] = numbers.setdefault((yield from self._key(elements, at)), len(numbers))
                    done += len(raw)
                    if done > STEP:
                        done = 0
                        yield
                keys.append(known[raw])
            found.append([*keys, *[FOUND] * last])
        return found[0], found[1]

    def _key(self, elements: Elements, at: int) -> Steps[Hashable]:
        parts, span, raw = elements.parts, elements.spans[at], elements.raw[at]
        if isinstance(parts, IndexedParts):
            return parts.number(span, self._patterns)
        if _PLAIN.fullmatch(raw) and not self._marks:
            return raw
        return (yield from canonical_part(parts, span, self._patterns, marks=self._marks))

    def _alike(self, left: range, right: range) -> Steps[list[IndexPair]]:
        """Pairs among elements of which none is the same as another."""
        if len(left) == len(right) and self._left.raw[left[0]][:1] not in b"{[":
            return list(zip(left, right, strict=True))
        ours = yield from self._elements(self._left, left)
        theirs = yield from self._elements(self._right, right)
        naming = yield from naming_member(ours, theirs)
        by_name = list(_by_name(ours, theirs, naming)) if naming else []
        found = []
        for (at, to), (end, stop) in pairwise([(-1, -1), *by_name, (len(ours), len(theirs))]):
            one, other = ours[at + 1 : end], theirs[to + 1 : stop]
            if not one or not other:
                continue
            if len(one) * len(other) <= MOST_COMPARED:
                pairs = list(_most_alike(one, other, naming))
            else:
                self.whole = self.whole and len(one) == len(other)
                pairs = yield from _by_place(one, other, naming)
            found += [(at + 1 + first, to + 1 + second) for first, second in pairs]
            yield
        return [(left[at], right[to]) for at, to in (*by_name, *found)]

    @staticmethod
    def _elements(elements: Elements, places: range) -> Steps[list[Element]]:
        found = []
        for at in places:
            found.append(elements.element(at))
            if len(found) % ELEMENTS_PER_STEP == 0:
                yield
        return found


def _by_name(left: Sequence[Element], right: Sequence[Element], naming: str) -> Sequence[IndexPair]:
    """Elements of one name, as many as have the same order on both sides."""
    theirs = named(right, naming)
    return rising([(at, theirs[name]) for name, at in named(left, naming).items() if name in theirs])


def _by_place(left: Sequence[Element], right: Sequence[Element], naming: str | None) -> Steps[list[IndexPair]]:
    """Each with the one in its place, if they have anything to do with each other."""
    found = []
    for at, (one, other) in enumerate(zip(left, right, strict=False)):
        if likeness(one, other, naming):
            found.append((at, at))
        if at % ELEMENTS_PER_STEP == 0:
            yield
    return found


def _most_alike(left: Sequence[Element], right: Sequence[Element], naming: str | None) -> Iterator[IndexPair]:
    """The pairs, both rising, that are most alike together."""
    best = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]
    alike = [[likeness(one, other, naming) for other in right] for one in left]
    for at in range(len(left) - 1, -1, -1):
        for to in range(len(right) - 1, -1, -1):
            paired = best[at + 1][to + 1] + alike[at][to]
            best[at][to] = max(paired, best[at + 1][to], best[at][to + 1])
    at = to = 0
    while at < len(left) and to < len(right):
        if alike[at][to] and best[at][to] == best[at + 1][to + 1] + alike[at][to]:
            yield at, to
            at, to = at + 1, to + 1
        elif best[at][to] == best[at + 1][to]:
            at += 1
        else:
            to += 1


def _sequence(pairs: Sequence[IndexPair], left: int, right: int) -> Iterator[Indices]:
    """All elements: between two pairs first those that went, then those that came."""
    start = begin = 0
    for at, to in (*pairs, (left, right)):
        yield from ((alone, None) for alone in range(start, at))
        yield from ((None, alone) for alone in range(begin, to))
        if at < left:
            yield at, to
        start, begin = at + 1, to + 1
