"""The differences of two responses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from rpcexplorer.compare.pairing import Pairing
from rpcexplorer.compare.parts import (
    MAX_COMPARED_LEVELS,
    IndexedParts,
    LevelParts,
    NamedSpan,
    Numbering,
    Parts,
    PointerPattern,
    below,
    escaped,
    has_mark,
    hidden_places,
    hides,
    is_flat,
    is_native,
    left_out,
    patterns_of,
    same_number,
    same_string,
)
from rpcexplorer.jsontext.pointers import ANY
from rpcexplorer.jsontext.scan import Span, is_value
from rpcexplorer.jsontext.slices import fault
from rpcexplorer.jsontext.steps import Steps, at_once
from rpcexplorer.model.draft import sent_draft, to_calls
from rpcexplorer.model.exchange import Cancelled, Exchange, OutcomeName, Refused, Unreached
from rpcexplorer.model.secret import HIDDEN
from rpcexplorer.rpc.codec import id_of, open_array, read_object
from rpcexplorer.rpc.messages import ErrorObject, Malformed, MessageForm, Result, spelled, spellings

DifferenceKind = Literal["changed", "spelling", "added", "removed"]
PassedKind = Literal["ignored", "hidden"]
ComparedVerdict = Literal["same", "differs", "not comparable"]


class ComparedPlace(Struct, frozen=True, gc=False):
    """Where a value stands in one of the two texts."""

    pointer: str
    """A JSON pointer. Of a name that an object has twice, it is the pointer of both."""
    start: int
    """Of its bytes."""
    end: int


class Difference(Struct, frozen=True, gc=False):
    """One value that is not the same on both sides, or is on one side only."""

    kind: DifferenceKind
    """``spelling``: the same number, written otherwise."""
    left: ComparedPlace | None
    """None where it was added."""
    right: ComparedPlace | None
    """None where it was removed."""


class PassedOver(Struct, frozen=True, gc=False):
    """A value that was not compared, though it is not written the same on both sides, or is on one side only."""

    kind: PassedKind
    """``hidden``: a secret's name stands for it, so that nobody can say whether it differs."""
    left: ComparedPlace | None
    right: ComparedPlace | None


class Comparison(Struct, frozen=True, eq=False, weakref=True):
    """Two replies side by side, and every place where they differ, in reading order."""

    verdict: ComparedVerdict
    outcomes: tuple[OutcomeName, OutcomeName]
    left: bytes = b""
    """What was compared, as JSON text: a result as the server wrote it, or an error's code, message and data."""
    right: bytes = b""
    differences: tuple[Difference, ...] = ()
    passed: tuple[PassedOver, ...] = ()
    """Places that may differ, and were not compared."""
    hidden: int = 0
    """Values that were not compared as a secret's name stands for it; also where that is so on both sides."""
    unaligned: tuple[str, ...] = ()
    """Pointers of arrays too different for their elements to be aligned: those were compared one by one, by place."""
    why: str = ""
    """Why they are not comparable; empty where they are."""

    @property
    def ignored(self) -> tuple[str, ...]:
        """Pointers that were left out, and perhaps differ; what is written the same on both sides is none of them."""
        places = (each.left or each.right for each in self.passed if each.kind == "ignored")
        return tuple(place.pointer for place in places if place)


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
        if kind == b"{{" and pair.level < MAX_COMPARED_LEVELS:
            return (yield from self._members(pair, pair.left, pair.right))
        if kind == b"[[" and pair.level < MAX_COMPARED_LEVELS:
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


NOTHING: Final = b"null"
"""What is compared of a notification: that it went out is all there is."""


def why_not(left: Exchange, right: Exchange) -> str:
    """Why two exchanges cannot be compared, in a sentence; empty where they can."""
    for side, exchange in (("left", left), ("right", right)):
        came = len(exchange.response.body)
        match exchange.outcome:
            case _ if exchange.response.cut:
                return f"The record on the {side} was cut at {came:,} of {exchange.response.size:,} bytes."
            case Cancelled():
                return f"The call on the {side} was cancelled: there is no reply to compare."
            case Refused():
                return f"The call on the {side} was not sent: there is no reply to compare."
            case Result(text=text) if not text:
                return f"The recorded reply on the {side} can no longer be read."
    return ""


def text_of(exchange: Exchange) -> bytes:
    """The JSON text that is compared."""
    if exchange.kind == "batch" and (replies := _batch(exchange)) is not None:
        return replies
    match exchange.outcome:
        case Result(value=value):
            return value
        case ErrorObject() as error:
            return _error(error)
        case Malformed():
            return _body(exchange.response.body)
        case Unreached(step=step):
            return b'{"step":' + spelled(step).encode() + b"}"
    return NOTHING


def _error(error: ErrorObject) -> bytes:
    code = b"null" if error.code is None else str(error.code).encode()
    data = b"" if error.data is None else b',"data":' + error.data
    return b'{"code":' + code + b',"message":' + _string(error.message) + data + b"}"


def _body(body: bytes) -> bytes:
    """Bytes that were no reply: as JSON where they are that, else as one string."""
    text = body.decode("utf-8", "surrogateescape")
    return body if is_value(text) else _string(text)


def _string(text: str) -> bytes:
    return spelled(text).encode()


def _batch(exchange: Exchange) -> bytes | None:
    """The replies to a batch, each for the call that it answers and in the order of the calls; None if unreadable."""
    outcome, form = exchange.outcome, MessageForm(exchange.envelope)
    text = outcome.value if isinstance(outcome, Result | ErrorObject) else exchange.response.body
    texts = open_array(text) if fault(text) is None else None
    calls = to_calls(sent_draft(exchange), exchange.id)
    if texts is None or not isinstance(calls, tuple):
        return None
    replies = [(id_of(text, form), text) for text in texts]
    ordered = []
    for call in calls:
        if call.id is None:
            continue
        wanted = spellings(call.id)
        place = next((at for at, (id, _) in enumerate(replies) if id in wanted), None)
        ordered.append(b"null" if place is None else _reply(replies.pop(place)[1], form))
    ordered += [_reply(text, form) for _, text in replies]
    return b"[" + b",".join(ordered) + b"]"


def _reply(text: bytes, form: MessageForm) -> bytes:
    match read_object(text, None, form):
        case Result(value=value):
            return b'{"result":' + value + b"}"
        case ErrorObject() as error:
            return b'{"error":' + _error(error) + b"}"
    return text


Outcomes: TypeAlias = tuple[OutcomeName, OutcomeName]


def compared(left: Exchange, right: Exchange, ignore: Sequence[str] = ()) -> Steps[Comparison]:
    """What differs between two replies, in steps of a few milliseconds: who stops taking them stops the work.

    ``ignore`` holds JSON pointers from the result on, ``*`` for any member or element. A result and an error differ as
    a whole; what is inside of them is not set against each other.
    """
    outcomes = (left.outcome_name, right.outcome_name)
    if why := why_not(left, right):
        return Comparison("not comparable", outcomes, why=why)
    one, two = text_of(left), text_of(right)
    if outcomes[0] != outcomes[1]:
        places = ComparedPlace("", *whole(one)), ComparedPlace("", *whole(two))
        return Comparison("differs", outcomes, one, two, (Difference("changed", *places),))
    return (yield from _compared(one, two, ignore, outcomes))  # the codec has read both: they are JSON


def compared_texts(left: bytes, right: bytes, ignore: Sequence[str] = ()) -> Steps[Comparison]:
    """What differs between two JSON texts; one that is none is compared as the string of its letters."""
    left, right = (yield from _json_of(left)), (yield from _json_of(right))
    return (yield from _compared(left, right, ignore, ("result", "result")))


def _compared(left: bytes, right: bytes, ignore: Sequence[str], outcomes: Outcomes) -> Steps[Comparison]:
    walk = Walk(*(yield from parts_of(left, right)))
    yield from walk.run(patterns_of(ignore))
    return Comparison(
        "differs" if walk.differences else "same",
        outcomes,
        left,
        right,
        tuple(walk.differences),
        tuple(walk.passed),
        walk.hidden,
        tuple(walk.unaligned),
    )


def _json_of(text: bytes) -> Steps[bytes]:
    if (yield from is_native(text)) or is_value(text.decode("latin-1")):
        return text
    return spelled(text.decode("utf-8", "backslashreplace")).encode()


def compared_at_once(left: Exchange, right: Exchange, ignore: Sequence[str] = ()) -> Comparison:
    """For those who have nothing else to do."""
    return at_once(compared(left, right, ignore))
