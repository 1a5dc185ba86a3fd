"""Which element of an array belongs to which of another.

First those that are the same, in the longest order that both have. What is left between them is paired where it is
alike: by a member that names an element, such as ``id``, or by how much of it is the same, or by place.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice, pairwise, takewhile
from typing import Final, NamedTuple, TypeAlias

from rpcexplorer.jsontext.scan import Span
from rpcexplorer.jsontext.steps import Steps
from rpcexplorer.model.comparing.aligning import IndexPair, aligned, rising
from rpcexplorer.model.comparing.canonical import STEP, canonical_part
from rpcexplorer.model.comparing.ignoring import PointerPattern
from rpcexplorer.model.comparing.indexed import IndexedParts
from rpcexplorer.model.comparing.likeness import PARTS, SCALAR, Element, likeness, named, naming_member
from rpcexplorer.model.comparing.parts import Parts
from rpcexplorer.model.comparing.scalars import has_mark

Indices: TypeAlias = tuple[int | None, int | None]
"""On the left and on the right; None where there is no partner."""
MOST_COMPARED: Final = 2_500
"""Pairs of elements between two matches that are looked at to see which are alike; beyond it their place decides."""
TURN: Final = 1024
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
        for begin in range(0, len(spans), TURN):
            raw += [parts.text[start:end] for start, end in spans[begin : begin + TURN]]
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
            if len(found) % TURN == 0:
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
        if at % TURN == 0:
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
