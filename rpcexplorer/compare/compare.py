"""The differences between two responses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from rpcexplorer.compare.pairing import paired
from rpcexplorer.compare.parts import (
    MARK,
    MAX_COMPARED_LEVELS,
    Document,
    NamedSpan,
    PointerPattern,
    below,
    canonical,
    hidden_count,
    hides,
    is_ignored,
    is_same_number,
    masked,
    patterns_of,
)
from rpcexplorer.jsontext.pointers import ANY, pointer_of
from rpcexplorer.jsontext.scan import Span, is_value
from rpcexplorer.jsontext.slices import fault
from rpcexplorer.jsontext.steps import Steps
from rpcexplorer.model.draft import sent_draft, to_calls
from rpcexplorer.model.exchange import Cancelled, Exchange, OutcomeName, Refused, Unreached
from rpcexplorer.model.secret import HIDDEN
from rpcexplorer.rpc.codec import id_of, open_array, read_object
from rpcexplorer.rpc.messages import ErrorObject, Malformed, MessageForm, Result, array_of, spelled, spellings

DifferenceKind = Literal["changed", "spelling", "added", "removed", "ignored", "hidden"]
ComparedVerdict = Literal["same", "differs", "not comparable"]


class ComparedPlace(Struct, frozen=True, gc=False):
    """The place of a value in one of the two texts."""

    pointer: str
    """A JSON pointer, which values of a duplicate name share."""
    start: int
    """In bytes, like the end."""
    end: int


class Difference(Struct, frozen=True, gc=False):
    """A value that differs, or is on one side only."""

    kind: DifferenceKind
    """``spelling``: equal numbers. ``ignored``, ``hidden``: not compared.

    A hidden value has a secret in its name.
    """
    left: ComparedPlace | None
    """None if the value was added."""
    right: ComparedPlace | None
    """None if the value was removed."""


class Comparison(Struct, frozen=True, eq=False, weakref=True):
    """Two responses and their differences in reading order."""

    verdict: ComparedVerdict
    outcomes: tuple[OutcomeName, OutcomeName]
    left: bytes = b""
    """The JSON text that was compared: a result, or an error's members."""
    right: bytes = b""
    differences: tuple[Difference, ...] = ()
    passed: tuple[Difference, ...] = ()
    """Places that may differ and were ignored or redacted."""
    hidden: int = 0
    """Values that were not compared because they contain a redacted secret."""
    why: str = ""
    """Why they cannot be compared, as a sentence."""

    @property
    def ignored(self) -> tuple[str, ...]:
        """Return pointers of ignored values that are not written the same."""
        places = (passed.left or passed.right for passed in self.passed if passed.kind == "ignored")
        return tuple(place.pointer for place in places if place)


TURN: Final = 256
"""Pairs of values to compare in one step."""


class Pair(NamedTuple):
    """A value on each side; None if there is no counterpart."""

    left: Span | None
    right: Span | None
    left_pointer: str
    right_pointer: str
    patterns: tuple[PointerPattern, ...]
    level: int


class Walk:
    """A comparison in progress."""

    def __init__(self, left: bytes, right: bytes) -> None:
        self.left, self.right = Document(left), Document(right)
        self.differences: list[Difference] = []
        self.passed: list[Difference] = []
        self.hidden = 0
        self._has_marks = MARK in left or MARK in right

    def run(self, patterns: tuple[PointerPattern, ...]) -> Steps[None]:
        """Compare the two texts.

        Raise RecursionError if they differ and are nested too deep.
        """
        if self.left.text != self.right.text:
            self.left.check_depth()
            self.right.check_depth()
        pairs = [Pair(self.left.root, self.right.root, "", "", patterns, 0)]
        count = 0
        while pairs:
            inside = yield from self._compare(pairs.pop())
            inside.reverse()
            pairs += inside
            count += 1
            if count % TURN == 0:
                yield

    def _compare(self, pair: Pair) -> Steps[list[Pair]]:
        """Add a difference, or return the pairs inside of the two values."""
        if pair.left is None or pair.right is None:
            self._add_alone(pair)
            return []
        left, right = self.left.text[slice(*pair.left)], self.right.text[slice(*pair.right)]
        kind = left[:1] + right[:1]
        if left == right:
            if self._has_marks:
                self.hidden += hidden_count(left)
        elif is_ignored(pair.patterns):
            self._add("ignored", pair)
        elif kind == b"{{" and pair.level < MAX_COMPARED_LEVELS:
            return (yield from self._members(pair, pair.left, pair.right))
        elif kind == b"[[" and pair.level < MAX_COMPARED_LEVELS:
            return (yield from self._elements(pair, pair.left, pair.right))
        elif hides(left) or hides(right):
            self._add("hidden", pair)
        elif is_same_number(left, right):
            self._add("spelling", pair)
        elif canonical(masked(left)) != canonical(masked(right)):
            self._add("changed", pair)
        elif hidden_count(left) or hidden_count(right):
            self._add("hidden", pair)
        return []

    def _add_alone(self, pair: Pair) -> None:
        pointer = pair.left_pointer if pair.left else pair.right_pointer
        if is_ignored(pair.patterns):
            self._add("ignored", pair)
        elif self._has_marks and HIDDEN.search(pointer):
            self._add("hidden", pair)  # The name is redacted, so it may be any name.
        elif pair.left:
            self._add("removed", pair)
        else:
            self._add("added", pair)

    def _add(self, kind: DifferenceKind, pair: Pair) -> None:
        left = ComparedPlace(pair.left_pointer, *pair.left) if pair.left else None
        right = ComparedPlace(pair.right_pointer, *pair.right) if pair.right else None
        difference = Difference(kind, left, right)
        if kind == "hidden":
            self.hidden += 1
        if kind in {"ignored", "hidden"}:
            self.passed.append(difference)
        else:
            self.differences.append(difference)

    def _members(self, pair: Pair, left: Span, right: Span) -> Steps[list[Pair]]:
        ours = yield from self.left.members(left)
        theirs = yield from self.right.members(right)
        found = []
        for name, one, two in merged(ours, theirs):
            if not self._is_written_the_same(one, two):
                part = pointer_of([name])
                pointers = pair.left_pointer + part, pair.right_pointer + part
                found.append(Pair(one, two, *pointers, below(pair.patterns, name), pair.level + 1))
        return found

    def _elements(self, pair: Pair, left: Span, right: Span) -> Steps[list[Pair]]:
        ours = yield from self.left.elements(left)
        theirs = yield from self.right.elements(right)
        our_texts = [self.left.text[start:end] for start, end in ours]
        their_texts = [self.right.text[start:end] for start, end in theirs]
        # The elements have no index yet.
        anywhere = tuple(pattern[1:] for pattern in pair.patterns if pattern[:1] == (ANY,))
        pairs = yield from paired(our_texts, their_texts, anywhere)
        found = []
        for count, (at, to) in enumerate(pairs):
            if count % TURN == 0:
                yield
            one = ours[at] if at is not None else None
            two = theirs[to] if to is not None else None
            if not self._is_written_the_same(one, two):
                names = [str(index) for index in (at, to) if index is not None]
                pointers = f"{pair.left_pointer}/{names[0]}", f"{pair.right_pointer}/{names[-1]}"
                found.append(Pair(one, two, *pointers, below(pair.patterns, *names), pair.level + 1))
        return found

    def _is_written_the_same(self, left: Span | None, right: Span | None) -> bool:
        """Return whether neither a difference nor a secret can be inside."""
        if left is None or right is None or self._has_marks or left[1] - left[0] != right[1] - right[0]:
            return False
        return self.left.text[slice(*left)] == self.right.text[slice(*right)]


def merged(left: Sequence[NamedSpan], right: Sequence[NamedSpan]) -> Iterator[tuple[str, Span | None, Span | None]]:
    """Yield members by name; duplicates are matched in order."""
    ours, theirs = _numbered(left), _numbered(right)
    following: dict[tuple[str, int], list[tuple[str, int]]] = defaultdict(list)
    last = ("", 0)
    for key in theirs:
        if key in ours:
            last = key
        else:
            following[last].append(key)
    yield from ((name, None, theirs[name, at]) for name, at in following.get(("", 0), ()))
    for key, span in ours.items():
        yield key[0], span, theirs.get(key)
        if key in following:
            yield from ((name, None, theirs[name, at]) for name, at in following[key])


def _numbered(members: Sequence[NamedSpan]) -> dict[tuple[str, int], Span]:
    counts: Counter[str] = Counter()
    found = {}
    for name, span in members:
        counts[name] += 1
        found[name, counts[name]] = span
    return found


NOTHING: Final = b"null"
"""The text of a notification, which has no response."""


def why_not(left: Exchange, right: Exchange) -> str:
    """Return why two exchanges cannot be compared; empty if they can."""
    for side, exchange in (("left", left), ("right", right)):
        size = len(exchange.response.body)
        match exchange.outcome:
            case _ if exchange.response.cut:
                return f"The recorded response on the {side} was cut at {size:,} of {exchange.response.size:,} bytes."
            case Cancelled():
                return f"The call on the {side} was cancelled: there is no response to compare."
            case Refused():
                return f"The call on the {side} was not sent: there is no response to compare."
            case Result(text=text) if not text:
                return f"The recorded response on the {side} can no longer be read."
    return ""


def text_of(exchange: Exchange) -> bytes:
    """Return the JSON text to compare."""
    responses = _batch(exchange) if exchange.kind == "batch" else None
    if responses is not None:
        return responses
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
    """Return a malformed response as JSON: itself, or as one string."""
    text = body.decode("utf-8", "surrogateescape")
    return body if is_value(text) else _string(text)


def _string(text: str) -> bytes:
    return spelled(text).encode()


def _batch(exchange: Exchange) -> bytes | None:
    """Return the responses to a batch in the order of its calls, or None."""
    outcome, form = exchange.outcome, MessageForm(exchange.envelope)
    text = outcome.value if isinstance(outcome, Result | ErrorObject) else exchange.response.body
    calls = to_calls(sent_draft(exchange), exchange.id)
    if fault(text) is not None or not isinstance(calls, tuple):
        return None
    texts = open_array(text)
    if texts is None:
        return None
    responses = [(id_of(text, form), text) for text in texts]
    ordered = []
    for call in calls:
        if call.id is None:
            continue
        wanted = spellings(call.id)
        response = next((response for response in responses if response[0] in wanted), None)
        if response is None:
            ordered.append(b"null")
        else:
            responses.remove(response)
            ordered.append(_spelled_response(response[1], form))
    ordered += [_spelled_response(text, form) for _, text in responses]
    return array_of(ordered)


def _spelled_response(text: bytes, form: MessageForm) -> bytes:
    match read_object(text, None, form):
        case Result(value=value):
            return b'{"result":' + value + b"}"
        case ErrorObject() as error:
            return b'{"error":' + _error(error) + b"}"
    return text


Outcomes: TypeAlias = tuple[OutcomeName, OutcomeName]
TOO_DEEP: Final = "The responses are nested too deep to be compared: more than 900 levels."


def compared(left: Exchange, right: Exchange, ignore: Sequence[str] = ()) -> Steps[Comparison]:
    """Compare two responses in steps of a few milliseconds.

    ``ignore`` has JSON pointers into the result, with ``*`` for any member or element. A result and an error differ as
    a whole.
    """
    outcomes = (left.outcome_name, right.outcome_name)
    if why := why_not(left, right):
        return Comparison("not comparable", outcomes, why=why)
    one, two = text_of(left), text_of(right)
    if outcomes[0] != outcomes[1]:
        places = (ComparedPlace("", *Document(text).root) for text in (one, two))
        return Comparison("differs", outcomes, one, two, (Difference("changed", *places),))
    return (yield from compared_texts(one, two, ignore, outcomes))


def compared_texts(
    left: bytes, right: bytes, ignore: Sequence[str] = (), outcomes: Outcomes = ("result", "result")
) -> Steps[Comparison]:
    """Compare two JSON texts."""
    walk = Walk(left, right)
    try:
        yield from walk.run(patterns_of(ignore))
    except RecursionError:
        return Comparison("not comparable", outcomes, why=TOO_DEEP)
    verdict: ComparedVerdict = "differs" if walk.differences else "same"
    differences, passed = tuple(walk.differences), tuple(walk.passed)
    return Comparison(verdict, outcomes, left, right, differences, passed, walk.hidden)
