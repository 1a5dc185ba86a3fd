"""From the outermost value down into whatever differs, and never into what is written the same on both sides.

Nothing recurses: how deep a text nests costs no stack. Members are told in the order of the left side, each that is
only on the right behind the one it follows there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from rpcexplorer.jsontext.pointers import ANY
from rpcexplorer.jsontext.scan import Span
from rpcexplorer.jsontext.steps import Steps
from rpcexplorer.model.comparing.comparison import ComparedPlace, Difference, DifferenceKind, PassedKind, PassedOver
from rpcexplorer.model.comparing.ignoring import LEVELS, PointerPattern, below, escaped, left_out
from rpcexplorer.model.comparing.indexed import IndexedParts, Numbering
from rpcexplorer.model.comparing.pairing import Pairing
from rpcexplorer.model.comparing.parts import LevelParts, NamedSpan, Parts, is_flat, is_native
from rpcexplorer.model.comparing.scalars import has_mark, hidden_places, hides, same_number, same_string
from rpcexplorer.model.secret import HIDDEN

TURN: Final = 256
"""Pairs of values that are looked at in one step."""


class Pair(NamedTuple):
    """A value on the left and the one that belongs to it on the right; None where there is none."""

    left: Span | None
    right: Span | None
    left_pointer: str
    right_pointer: str
    patterns: tuple[PointerPattern, ...]
    level: int


class Walk:
    """One comparison while it lasts."""

    def __init__(self, left: Parts, right: Parts) -> None:
        self.left, self.right = left, right
        self.differences: list[Difference] = []
        self.passed: list[PassedOver] = []
        self.unaligned: list[str] = []
        self.hidden = 0
        self._pairing = Pairing(left, right)
        self._marks = has_mark(left.text) or has_mark(right.text)

    def run(self, patterns: tuple[PointerPattern, ...]) -> Steps[None]:
        """Compare the two texts."""
        pairs = [Pair(whole(self.left.text), whole(self.right.text), "", "", patterns, 0)]
        count = 0
        while pairs:
            inside = yield from self._look(pairs.pop())
            inside.reverse()
            pairs += inside
            count += 1
            if count % TURN == 0:
                yield

    def _look(self, pair: Pair) -> Steps[list[Pair]]:
        """Tell a difference, or what is to be compared inside of the two values."""
        if pair.left is None or pair.right is None:
            self._alone(pair)
            return []
        left, right = self.left.text[slice(*pair.left)], self.right.text[slice(*pair.right)]
        if left == right:
            self.hidden += hidden_places(left) if self._marks else 0
            return []
        if left_out(pair.patterns):
            self._pass("ignored", pair)
            return []
        kind = left[:1] + right[:1]
        if kind == b"{{" and pair.level < LEVELS:
            return (yield from self._members(pair, pair.left, pair.right))
        if kind == b"[[" and pair.level < LEVELS:
            return (yield from self._elements(pair, pair.left, pair.right))
        if self._marks and (hides(left) or hides(right)):
            self._pass("hidden", pair)
        elif same_number(left, right):
            self._tell("spelling", pair)
        elif kind in {b"{{", b"[["} and (yield from self._is_same(pair.left, pair.right)):
            if self._marks and (hidden_places(left) or hidden_places(right)):
                self._pass("hidden", pair)
        elif not same_string(left, right):
            self._tell("changed", pair)
        return []

    def _alone(self, pair: Pair) -> None:
        if left_out(pair.patterns):
            self._pass("ignored", pair)
        elif self._marks and HIDDEN.search(pair.left_pointer if pair.left else pair.right_pointer):
            self._pass("hidden", pair)  # nobody can say which name this is
        else:
            self._tell("removed" if pair.left else "added", pair)

    def _tell(self, kind: DifferenceKind, pair: Pair) -> None:
        self.differences.append(Difference(kind, *_places(pair)))

    def _pass(self, kind: PassedKind, pair: Pair) -> None:
        self.passed.append(PassedOver(kind, *_places(pair)))
        self.hidden += kind == "hidden"

    def _members(self, pair: Pair, left: Span, right: Span) -> Steps[list[Pair]]:
        ours, theirs = (yield from self.left.members(left)), (yield from self.right.members(right))
        found = []
        for name, one, two in merged(ours, theirs):
            if one is None or two is None or not self._is_written_the_same(one, two):
                part, patterns = escaped(name), below(pair.patterns, name)
                pointers = f"{pair.left_pointer}/{part}", f"{pair.right_pointer}/{part}"
                found.append(Pair(one, two, *pointers, patterns, pair.level + 1))
        return found

    def _elements(self, pair: Pair, left: Span, right: Span) -> Steps[list[Pair]]:
        ours, theirs = (yield from self.left.elements(left)), (yield from self.right.elements(right))
        paired = yield from self._pairing.of(ours, theirs, _of_elements(pair.patterns))
        if not paired.whole:
            self.unaligned.append(pair.left_pointer)
        found = []
        for count, (at, to) in enumerate(paired.pairs):
            if count % TURN == 0:
                yield
            one = ours[at] if at is not None else None
            two = theirs[to] if to is not None else None
            if one is None or two is None or not (at in paired.same or self._is_written_the_same(one, two)):
                names = [str(index) for index in (at, to) if index is not None]
                pointers = f"{pair.left_pointer}/{names[0]}", f"{pair.right_pointer}/{names[-1]}"
                found.append(Pair(one, two, *pointers, below(pair.patterns, *names), pair.level + 1))
        return found

    def _is_same(self, left: Span, right: Span) -> Steps[bool]:
        """Whether two values are the same, however deep they nest."""
        ours, theirs = self.left, self.right
        if not (isinstance(ours, IndexedParts) and isinstance(theirs, IndexedParts)):
            numbering, texts = Numbering(), (ours.text[slice(*left)], theirs.text[slice(*right)])
            ours = yield from IndexedParts.of(texts[0], numbering)
            theirs = yield from IndexedParts.of(texts[1], numbering)
            left = right = (0, 0)
        return ours.number(left) == theirs.number(right) != -1

    def _is_written_the_same(self, left: Span, right: Span) -> bool:
        """Whether there is nothing to look for: neither a difference nor a secret."""
        if self._marks or left[1] - left[0] != right[1] - right[0]:
            return False
        return self.left.text[slice(*left)] == self.right.text[slice(*right)]


def _places(pair: Pair) -> tuple[ComparedPlace | None, ComparedPlace | None]:
    left = ComparedPlace(pair.left_pointer, *pair.left) if pair.left else None
    return left, ComparedPlace(pair.right_pointer, *pair.right) if pair.right else None


def _of_elements(patterns: Sequence[PointerPattern]) -> tuple[PointerPattern, ...]:
    """What is left out of elements wherever they stand: before they are aligned, none has a place."""
    return tuple(each[1:] for each in patterns if each[:1] == (ANY,))


def whole(text: bytes) -> Span:
    """Where the value stands in its text."""
    return len(text) - len(text.lstrip()), len(text.rstrip())


def merged(left: Sequence[NamedSpan], right: Sequence[NamedSpan]) -> Iterator[tuple[str, Span | None, Span | None]]:
    """Members by name. Of a name that stands twice, the first belongs to the first and the second to the second."""
    if [name for name, _ in left] == [name for name, _ in right]:
        yield from ((name, one, two) for (name, one), (_, two) in zip(left, right, strict=True))
        return
    places: dict[tuple[str, int], int] = {}
    seen: dict[str, int] = defaultdict(int)
    for at, (name, _) in enumerate(left):
        places[name, seen[name]] = at
        seen[name] += 1
    partners: dict[int, Span] = {}
    following: dict[int, list[NamedSpan]] = defaultdict(list)
    seen, last = defaultdict(int), -1
    for name, span in right:
        place = places.get((name, seen[name]))
        seen[name] += 1
        if place is None:
            following[last].append((name, span))
        else:
            partners[place] = span
            last = place
    yield from ((name, None, span) for name, span in following[-1])
    for at, (name, span) in enumerate(left):
        yield name, span, partners.get(at)
        if at in following:
            yield from ((other, None, new) for other, new in following[at])


def parts_of(left: bytes, right: bytes) -> Steps[tuple[Parts, Parts]]:
    """Both sides taken apart in the same way."""
    marks = has_mark(left) or has_mark(right)  # such are looked for in what Python reads, which is less deep
    if (yield from _by_level(left, marks=marks)) and (yield from _by_level(right, marks=marks)):
        return LevelParts(left), LevelParts(right)
    numbering = Numbering()
    return (yield from IndexedParts.of(left, numbering)), (yield from IndexedParts.of(right, numbering))


def _by_level(text: bytes, *, marks: bool) -> Steps[bool]:
    return (not marks and (yield from is_native(text))) or (yield from is_flat(text))
