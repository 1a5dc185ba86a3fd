"""Params made from the schemas of a method, for generated checks.

Hypothesis draws and shrinks them. The draws are bounded in size and depth, so that no schema makes them endless.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from datetime import UTC
from functools import cache, partial
from typing import Any, Final

from hypothesis import reject
from hypothesis import strategies as st

from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.patterns import regex
from rpcexplorer.schema.example import FORMATS, Maker, with_each_alternative
from rpcexplorer.schema.node import Node, SchemaReader, kind_of_value

Draw = Callable[[st.SearchStrategy[Any]], Any]
MAX_DEPTH: Final = 5
"""Levels of drawn values; below them, the simplest value that fits is used."""
MAX_VALUES: Final = 200
"""Drawn values of one call."""
MAX_ALTERNATIVES: Final = 50
MORE_ELEMENTS: Final = 4
"""Elements of an array above its minimum."""
MAX_ELEMENTS: Final = 100
"""An array that needs more is not made."""
MAX_OPTIONAL: Final = 50
"""Optional members of an object that are there or not; more would take long."""
MAX_CHARACTERS: Final = 50
"""Characters of a text above its minimum."""
LONGEST_TEXT: Final = 10_000
"""A text that must be longer is not made."""
EXACT: Final = 2**53 - 1
"""The largest integer that every JSON reader keeps."""
KINDS: Final = ("null", "boolean", "integer", "number", "string", "array", "object")
_RISKY: Final = regex(r"\)[*+{]|\(\?[=!<]|\\[1-9]")
"""A repeated group, a look around or a reference back: matching such a pattern can take endless time."""
WRONG: Final[tuple[Any, ...]] = (None, True, -1, 0.5, "", "wrong", [], {})
"""Values of each type, to put where another type belongs."""
UNKNOWN: Final = "unknown_param"


class ParamsMaker:
    """Draws the params of one method."""

    def __init__(self, described: Described) -> None:
        self._described = described
        self._reader = SchemaReader(described.definitions)
        self._maker = Maker(self._reader)
        self._simplest_values: dict[int, tuple[Any, Any]] = {}
        """By the id of a schema: the schema and its simplest value."""
        self._alternatives: dict[int, tuple[Any, list[dict[str, Any]]]] = {}
        """Keyed by the id of a schema: one schema for each of its alternatives."""
        self._singles: dict[tuple[str, int], st.SearchStrategy[Any]] = {}
        """Keyed by type and the id of a node, which the reader keeps."""
        self._left = MAX_VALUES
        names = [param.name for param in described.params]
        self.by_position = described.by == "position" or not all(names)

    def valid(self) -> st.SearchStrategy[Any]:
        """Return the strategy of params that the schemas allow, as far as it knows their keywords."""

        @st.composite
        def params(draw: Draw) -> Any:
            self._left = MAX_VALUES
            return self._params(draw)

        return params()

    def invalid(self) -> st.SearchStrategy[Any]:
        """Return the strategy of valid params with one mistake."""

        @st.composite
        def params(draw: Draw) -> Any:
            self._left = MAX_VALUES
            made = self._params(draw)
            places = list(self._places(made))
            if not self._described.extra:
                places.append(([], None))
            if not places:
                reject()
            place, schema = draw(st.sampled_from(places))
            if not place:
                return [*made, UNKNOWN] if isinstance(made, list) else made | {UNKNOWN: 1}
            mistakes = [partial(_replaced, made, place, wrong) for wrong in _wrong_values(self._reader.node(schema))]
            if isinstance(place[-1], str):
                mistakes.append(partial(_removed, made, place))
            if not mistakes:
                reject()
            return draw(st.sampled_from(mistakes))()

        return params()

    def _params(self, draw: Draw) -> Any:
        drawn: list[tuple[DescribedParam, Any]] = []
        for param in self._described.params:
            is_unsure = param.required is None and not param.stands_for_others
            if param.required or is_unsure or draw(st.booleans()):
                drawn.append((param, self._value(draw, param.schema, 0)))
            elif self.by_position:
                break  # A later param would take this one's place.
        if self.by_position:
            return [value for _, value in drawn]
        return {param.name: value for param, value in drawn}

    def _value(self, draw: Draw, schema: Any, depth: int) -> Any:
        self._left -= 1
        if depth > MAX_DEPTH or self._left < 0:
            return self._simplest(schema)
        node = self._reader.node(schema)
        if node.choices is not None:
            return draw(st.sampled_from(node.choices))
        if node.alternatives:
            return self._value(draw, draw(st.sampled_from(self._each_alternative(schema))), depth + 1)
        kind = draw(_one_of(node.kinds or KINDS))
        match kind:
            case "array":
                return self._array(draw, node, depth)
            case "object":
                return self._object(draw, node, depth)
            case _:
                return draw(self._single(kind, node))

    def _simplest(self, schema: Any) -> Any:
        if id(schema) not in self._simplest_values:
            self._simplest_values[id(schema)] = (schema, self._maker.made(schema).value)
        return self._simplest_values[id(schema)][1]

    def _single(self, kind: str, node: Node) -> st.SearchStrategy[Any]:
        """Return the strategy of a value without parts, made once: most time goes into making them."""
        key = (kind, id(node))
        if key not in self._singles:
            self._singles[key] = _SINGLES[kind](node)
        return self._singles[key]

    def _each_alternative(self, schema: Any) -> list[dict[str, Any]]:
        if id(schema) not in self._alternatives:
            found = list(with_each_alternative(list(self._reader.parts(schema)), MAX_ALTERNATIVES))
            self._alternatives[id(schema)] = (schema, found or [schema])
        return self._alternatives[id(schema)][1]

    def _array(self, draw: Draw, node: Node, depth: int) -> list[Any]:
        least = node.limits.get("minItems", 0)
        most = min(node.limits.get("maxItems", MAX_ELEMENTS), least + MORE_ELEMENTS)
        if node.items is False:
            most = min(most, len(node.prefix))
        if most < least or least > MAX_ELEMENTS:
            reject()
        count = draw(st.integers(least, most))
        return [self._value(draw, node.element(index), depth + 1) for index in range(count)]

    def _object(self, draw: Draw, node: Node, depth: int) -> dict[str, Any]:
        names = [name for name in node.properties if name in node.required]
        optional = [name for name in node.properties if name not in node.required]
        names += [name for name in optional[:MAX_OPTIONAL] if draw(st.booleans())]
        names += sorted(node.required - node.properties.keys())
        names = [name for name in names if node.member(name) is not False]
        return {name: self._value(draw, node.member(name), depth + 1) for name in names}

    def _places(self, params: Any) -> Iterator[tuple[list[Any], Any]]:
        """Yield the path of each value, and its schema."""
        rest: list[tuple[list[Any], Any, Any]] = []
        for at, param in enumerate(self._described.params):
            key = at if self.by_position else param.name
            if at < len(params) if self.by_position else key in params:
                rest.append(([key], param.schema, params[key]))
        for place, schema, value in rest:  # the list grows during the loop
            yield place, schema
            if not isinstance(schema, dict):
                continue
            node = self._reader.node(schema)
            steps: list[Any] = []
            if isinstance(value, dict):
                steps += value
            elif isinstance(value, list):
                steps += range(len(value))
            for step in steps[: max(0, MAX_VALUES - len(rest))]:
                rest.append(([*place, step], node.inside(step), value[step]))


@cache
def _one_of(kinds: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.sampled_from(kinds)


def _integers(node: Node) -> st.SearchStrategy[int]:
    limits = node.limits
    low, high = -EXACT, EXACT
    if "minimum" in limits:
        low = math.ceil(limits["minimum"])
    if "exclusiveMinimum" in limits:
        low = max(low, math.floor(limits["exclusiveMinimum"]) + 1)
    if "maximum" in limits:
        high = math.floor(limits["maximum"])
    if "exclusiveMaximum" in limits:
        high = min(high, math.ceil(limits["exclusiveMaximum"]) - 1)
    step = limits.get("multipleOf", 1)
    if not isinstance(step, int) or step < 1:
        step = 1
    first, last = -(-low // step), high // step
    if first > last:
        return st.nothing()
    return st.integers(first, last).map(lambda number: number * step)


def _numbers(node: Node) -> st.SearchStrategy[float]:
    limits = node.limits
    if "multipleOf" in limits:
        return _integers(node)
    low = limits.get("exclusiveMinimum", limits.get("minimum", -1e15))
    high = limits.get("exclusiveMaximum", limits.get("maximum", 1e15))
    if not low < high:
        return st.just(low)
    return st.floats(
        low,
        high,
        allow_nan=False,
        allow_infinity=False,
        allow_subnormal=False,
        exclude_min="exclusiveMinimum" in limits,
        exclude_max="exclusiveMaximum" in limits,
    )


def _texts(node: Node) -> st.SearchStrategy[str]:
    limits = node.limits
    if "pattern" in limits:
        return _matching(limits["pattern"], node)
    if limits.get("format") in _FORMATS:
        return _FORMATS[limits["format"]]
    if limits.get("format") in FORMATS:
        return st.just(FORMATS[limits["format"]])
    least = limits.get("minLength", 0)
    most = min(limits.get("maxLength", LONGEST_TEXT), least + MAX_CHARACTERS)
    if most < least or least > LONGEST_TEXT:
        return st.nothing()
    return st.text(_CHARACTERS, min_size=least, max_size=most)


_CHARACTERS: Final = st.characters(exclude_categories=["Cs"], exclude_characters="«")
"""All but half characters, and the sign of secret references."""
_FORMATS: Final[dict[str, st.SearchStrategy[str]]] = {
    "date-time": st.datetimes(timezones=st.just(UTC)).map(lambda time: time.isoformat()),
    "date": st.dates().map(lambda date: date.isoformat()),
    "uuid": st.uuids().map(str),
    "ipv4": st.ip_addresses(v=4).map(str),
    "ipv6": st.ip_addresses(v=6).map(str),
}


_SINGLES: Final[dict[str, Callable[[Node], st.SearchStrategy[Any]]]] = {
    "null": lambda _: st.none(),
    "boolean": lambda _: st.booleans(),
    "integer": _integers,
    "number": _numbers,
    "string": _texts,
}


def _matching(pattern: str, node: Node) -> st.SearchStrategy[str]:
    """Return texts that match a pattern, or the examples of the service if the pattern is risky or another dialect."""
    found = [value for value in node.examples if isinstance(value, str)]
    if _RISKY.search(pattern) or len(pattern) > MAX_VALUES:
        return st.sampled_from(found) if found else st.nothing()
    least, most = node.limits.get("minLength", 0), node.limits.get("maxLength", LONGEST_TEXT)
    try:
        texts = st.from_regex(pattern, alphabet=_CHARACTERS)
        texts.validate()
        return texts.filter(lambda text: least <= len(text) <= most and not text.endswith("\n"))
    except Exception:  # noqa: BLE001 - whatever Python's parser raises for a pattern of JavaScript
        return st.sampled_from(found) if found else st.nothing()


def _wrong_values(node: Node) -> Iterator[Any]:
    """Yield values of other types, and values next to the limits."""
    allowed = {*node.kinds, "integer"} if "number" in node.kinds else {*node.kinds}
    if allowed or node.choices is not None or node.alternatives:
        yield from (wrong for wrong in WRONG if kind_of_value(wrong) not in allowed)
    yield from _beyond(node)


def _beyond(node: Node) -> Iterator[Any]:
    """Yield values next to the limits, outside of them."""
    limits = node.limits
    if "minimum" in limits:
        yield limits["minimum"] - 1
    if "maximum" in limits:
        yield limits["maximum"] + 1
    if "maxLength" in limits and limits["maxLength"] < LONGEST_TEXT:
        yield "x" * (limits["maxLength"] + 1)
    if "maxItems" in limits and limits["maxItems"] < MAX_ELEMENTS:
        yield [None] * (limits["maxItems"] + 1)


def _replaced(params: Any, place: Sequence[Any], value: Any) -> Any:
    changed = deepcopy(params)
    _parent(changed, place)[place[-1]] = value
    return changed


def _removed(params: Any, place: Sequence[Any]) -> Any:
    changed = deepcopy(params)
    del _parent(changed, place)[place[-1]]
    return changed


def _parent(params: Any, place: Sequence[Any]) -> Any:
    for step in place[:-1]:
        params = params[step]
    return params
