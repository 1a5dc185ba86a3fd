"""Example values that a schema accepts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from math import ceil, floor
from typing import Any, Final

from msgspec import UNSET

from rpcexplorer.model.method import Started
from rpcexplorer.schema.fit import Fitting, same, sample, small
from rpcexplorer.schema.node import Node, SchemaReader, alternatives_of
from rpcexplorer.schema.words import value_words

PLAIN: Final = {
    "string": '""', "integer": "0", "number": "0", "boolean": "false", "array": "[]", "object": "{}", "null": "null",
}  # fmt: skip
"""The plainest value of each kind, as JSON."""
FORMATS: Final = {
    "date-time": "2026-01-01T00:00:00Z",
    "date": "2026-01-01",
    "time": "00:00:00Z",
    "duration": "PT1S",
    "uuid": "00000000-0000-0000-0000-000000000000",
    "uri": "https://example.org/",
    "url": "https://example.org/",
    "iri": "https://example.org/",
    "email": "user@example.org",
    "idn-email": "user@example.org",
    "hostname": "example.org",
    "idn-hostname": "example.org",
    "ipv4": "127.0.0.1",
    "ip-address": "127.0.0.1",
    "ipv6": "::1",
}
"""A value of each format of which the empty text is none."""
LONGEST: Final = 1_000
HUGE: Final = 1e300
"""From here on a sum may have no end."""


def numbers(limits: Mapping[str, Any], *, whole: bool) -> Iterator[float]:
    """Nought where it may stand, else those next to the bounds: one of them is right where any is."""
    yield 0
    step = limits.get("multipleOf", 1 if whole else 0)
    low = limits.get("minimum", limits.get("exclusiveMinimum"))
    high = limits.get("maximum", limits.get("exclusiveMaximum"))
    if low is not None and high is not None and not whole and max(abs(low), abs(high)) < HUGE:
        yield _whole_if_it_is(low / 2 + high / 2)
    for bound, round_up in ((low, True), (high, False)):
        if bound is None:
            continue
        yield bound
        if step:
            times = _times(bound, step, up=round_up)
            away = 1 if round_up else -1
            yield from (_whole_if_it_is((times + more) * step) for more in (0, away))
        if whole:
            yield from (ceil(bound), floor(bound), ceil(bound) + 1, floor(bound) - 1)
        else:
            yield bound + 1 if round_up else bound - 1


def _times(bound: float, step: float, *, up: bool) -> int:
    if isinstance(bound, int) and isinstance(step, int):
        return -(-bound // step) if up else bound // step
    try:
        return ceil(bound / step) if up else floor(bound / step)
    except OverflowError:
        return 0


def _whole_if_it_is(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def text(limits: Mapping[str, Any]) -> str:
    """A text of the format that is wanted, or as long as it must be."""
    plain = FORMATS.get(limits.get("format", ""), "")
    least = min(limits.get("minLength", 0), LONGEST)
    return plain if len(plain) >= least else plain + "x" * (least - len(plain))


STEPS: Final = 1_000
"""Places that are filled, and alternatives that are tried, for one value."""
OF_AN_ALTERNATIVE: Final = 4
"""Steps that one more counts for."""
FITTING_STEPS: Final = 10_000
"""Of one maker."""
DEEP: Final = 30
MOST_ELEMENTS: Final = 100
MOST_TRIED: Final = 20
"""Examples, choices or alternatives of one place that are tried."""
TOO_LARGE: Final = "its schema is too large to be filled in"
_ORDER: Final = ("string", "integer", "number", "boolean", "array", "object", "null")


class Maker:
    """Makes values for the schemas of one method."""

    def __init__(self, reader: SchemaReader) -> None:
        self._reader = reader
        self._steps = 0
        self._fitting = Fitting(reader, FITTING_STEPS)
        self._open: list[int] = []
        """The schemas that are being made, each inside the one before, by identity."""

    def made(self, schema: Any, place: str = "", given: Iterable[Any] = ()) -> Started:
        """A value; ``given`` are those that are better than any other, and ``place`` is what it is called."""
        self._steps = 0
        return self._made(schema, place, tuple(given))

    def _made(self, schema: Any, place: str, given: tuple[Any, ...] = (), *, joined: bool = False) -> Started:
        """``joined``: the schema itself is made here, and what it joins is known by its first part."""
        self._steps += 1
        if schema is False:
            return Started(None, f"{_called(place)}: its schema lets nothing stand there")
        if not isinstance(schema, dict):
            return Started(next(filter(small, given), None))
        node = self._reader.node(schema)
        for value in (*given, *_said(node)):
            if small(value) and self._fitting.fits(schema, value) is not False:
                return Started(value)
        if self._steps > STEPS or len(self._open) > DEEP:
            return Started(None, f"{_called(place)}: {TOO_LARGE}")
        parts = islice(self._reader.parts(schema), int(joined), None)
        key = id(next((part for part in parts if part.keys() - {"$ref"}), schema))
        if key in self._open:
            return Started(None, f"{_called(place)}: its schema wants itself inside itself, without end")
        self._open.append(key)
        try:
            return self._new(schema, node, place)
        finally:
            self._open.pop()

    def _new(self, schema: dict[str, Any], node: Node, place: str) -> Started:
        """A value that the service does not give."""
        first: Started | None = None
        ways = self._by_alternative(schema, place) if node.alternatives else self._by_kind(node, place)
        for started in ways:
            if not started.why_not:
                if (right := self._fitting.fits(schema, started.value)) is not False:
                    too_large = right is None and self._fitting.is_over
                    return Started(started.value, f"{_called(place)}: {TOO_LARGE}") if too_large else started
                first = first or Started(started.value, f"{_called(place)}: its schema wants more than can be made")
            first = first or started
        return first or Started(None, f"{_called(place)}: its schema lets nothing stand there")

    def _by_alternative(self, schema: dict[str, Any], place: str) -> Iterator[Started]:
        parts = list(self._reader.parts(schema))
        for chosen in parts:
            for alternative in alternatives_of(chosen)[:MOST_TRIED]:
                if alternative is False:
                    continue
                self._steps += OF_AN_ALTERNATIVE
                rest = [_without(part, alternatives=part is chosen) for part in parts]
                yield self._made({"allOf": [alternative, *rest]}, place, joined=True)
            if alternatives_of(chosen):
                return  # those of other parts stand in the rest

    def _by_kind(self, node: Node, place: str) -> Iterator[Started]:
        kinds = node.kinds or ("null", *_ORDER)
        for kind in sorted(kinds, key=lambda kind: kind == "null") if node.kinds else kinds:
            match kind:
                case "object":
                    yield self._object(node, place)
                case "array":
                    yield self._array(node, place)
                case "string":
                    yield _text(node, place)
                case "integer" | "number":
                    yield from (Started(value) for value in numbers(node.limits, whole=kind == "integer"))
                case "boolean":
                    yield from (Started(False), Started(True))
                case _:
                    yield Started(None)

    def _object(self, node: Node, place: str) -> Started:
        names = [name for name in node.properties if name in node.required]
        names += sorted(node.required - set(names))
        least = node.limits.get("minProperties", 0)
        names += [name for name in node.properties if name not in node.required][: max(0, least - len(names))]
        value, why_not = {}, ""
        for name in names[:STEPS]:
            started = self._made(node.member(name), f"{place}.{name}" if place else name)
            value[name] = started.value
            why_not = why_not or started.why_not
        return Started(value, why_not)

    def _array(self, node: Node, place: str) -> Started:
        least = node.limits.get("minItems", 0)
        if least > MOST_ELEMENTS:
            return Started([], f"{_called(place)}: at least {value_words(least)} elements are wanted")
        value: list[Any] = []
        why_not = ""
        for at in range(least):
            schema = node.element(at)
            started = self._made(schema, f"{place}[{at}]", tuple(self._others(schema, value, node)))
            value.append(started.value)
            why_not = why_not or started.why_not
        return Started(value, why_not)

    def _others(self, schema: Any, before: list[Any], node: Node) -> Iterator[Any]:
        """Values for one more element, where no two may be the same."""
        if not before or not node.limits.get("uniqueItems"):
            return
        element = self._reader.node(schema)
        for value in (*_said(element), *_like(before[-1], len(before))):
            if not any(same(value, other) for other in before):
                yield value


def _said(node: Node) -> Iterator[Any]:
    """Values that the service itself names for a place."""
    yield from node.examples[:MOST_TRIED]
    if node.default is not UNSET:
        yield node.default
    yield from (node.choices or ())[:MOST_TRIED]


def _text(node: Node, place: str) -> Started:
    pattern = node.limits.get("pattern")
    if pattern is None:
        return Started(text(node.limits))
    if (made := sample(pattern)) is not None:
        return Started(made)
    return Started("", f"{_called(place)}: it must match {value_words(pattern)}, and no example is given")


def _like(value: Any, times: int) -> Iterator[Any]:
    match value:
        case bool():
            yield not value
        case int() | float():
            yield from (value + 1, value - 1, value + times)
        case str():
            yield from (f"{value}{times}", f"{value[:-1]}{times}")
    yield from ("", 0, False, None, [], {})


def _without(part: dict[str, Any], *, alternatives: bool) -> dict[str, Any]:
    """A part by itself: without what is followed from it, and perhaps without its alternatives."""
    gone = {"$ref", "$dynamicRef", "$recursiveRef", "extends", "allOf"}
    if alternatives:
        gone.add("oneOf" if part.get("oneOf") else "anyOf")
        if isinstance(kinds := part.get("type"), list) and any(isinstance(kind, dict) for kind in kinds):
            gone.add("type")
    return {key: value for key, value in part.items() if key not in gone}


def _called(place: str) -> str:
    return place or "the value"
