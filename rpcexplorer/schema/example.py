"""Make example values that a schema accepts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from math import ceil, floor
from typing import Any, Final

from msgspec import UNSET

from rpcexplorer.model.method import Started
from rpcexplorer.schema.fit import Looks, is_small, is_within
from rpcexplorer.schema.node import Node, SchemaReader, alternatives_of
from rpcexplorer.schema.words import value_words

PLAIN: Final = {
    "string": '""', "integer": "0", "number": "0", "boolean": "false", "array": "[]", "object": "{}", "null": "null",
}  # fmt: skip
"""The simplest value of each type, as JSON."""
FORMATS: Final = {
    "date-time": "2026-01-01T00:00:00Z",
    "date": "2026-01-01",
    "time": "00:00:00Z",
    "duration": "PT1S",
    "uuid": "00000000-0000-0000-0000-000000000000",
    "uri": "https://example.org/",
    "url": "https://example.org/",
    "email": "user@example.org",
    "hostname": "example.org",
    "ipv4": "127.0.0.1",
    "ipv6": "::1",
}
"""A value of each format that does not allow empty text."""
MAX_CHARACTERS: Final = 1_000
"""Characters of a generated text, also if ``minLength`` is in the millions."""
MAX_STEPS: Final = 1_000
"""Schemas to join for one value: alternatives inside alternatives may be endless."""
MAX_DEPTH: Final = 30
MAX_ELEMENTS: Final = 100
"""Elements of a generated array; nobody wants to edit more."""
MAX_TRIED: Final = 20
"""Examples, choices or alternatives to try for one place."""
_ORDER: Final = ("string", "integer", "number", "boolean", "array", "object", "null")


class Maker:
    """Makes values for the schemas of one method.

    Examples of the service come first, then the simplest values.
    """

    def __init__(self, reader: SchemaReader) -> None:
        self._reader = reader
        self._looks = Looks(reader, with_limits=True)
        self._steps = 0
        self._open: list[int] = []
        """Ids of the schemas in progress, the outermost first."""

    def made(self, schema: Any, place: str = "", given: Iterable[Any] = ()) -> Started:
        """Return a value for a place; values in ``given`` are preferred."""
        self._steps = 0
        if not isinstance(schema, dict | bool):
            schema = True
        given = tuple(given)
        if schema is True:
            return Started(next((value for value in given if is_small(value)), None))
        return self._made(schema, place, given)

    def _made(self, schema: Any, place: str, given: tuple[Any, ...] = (), *, is_joined: bool = False) -> Started:
        """Return a value; ``is_joined``: the schema only joins others."""
        if schema is False:
            return _failed(place, "the schema allows no value")
        if not isinstance(schema, dict):
            return Started(None)
        node = self._reader.node(schema)
        for value in (*given, *_values_named(node)):
            if is_small(value) and self._looks.could_be(schema, value):
                return Started(value)
        parts = list(self._reader.parts(schema))
        self._steps += len(parts)
        if self._steps > MAX_STEPS or len(self._open) > MAX_DEPTH:
            return _failed(place, "the schema is too large")
        inner = [part for part in parts[int(is_joined) :] if part.keys() - {"$ref"}]
        key = id(inner[0] if inner else schema)
        if key in self._open:
            return _failed(place, "the schema requires endless nesting")
        self._open.append(key)
        try:
            if node.alternatives:
                return _first_valid(self._by_alternative(parts, place))
            return _first_valid(self._by_kind(node, place))
        finally:
            self._open.pop()

    def _by_alternative(self, parts: list[dict[str, Any]], place: str) -> Iterator[Started]:
        for schema in with_each_alternative(parts, MAX_TRIED):
            yield self._made(schema, place, is_joined=True)

    def _by_kind(self, node: Node, place: str) -> Iterator[Started]:
        kinds: Iterable[str] = ("null", *_ORDER)
        if node.kinds:  # Null is the last choice.
            kinds = sorted(node.kinds, key=lambda kind: kind == "null")
        for kind in kinds:
            match kind:
                case "object":
                    yield self._object(node, place)
                case "array":
                    yield self._array(node, place)
                case "string":
                    yield _text(node, place)
                case "integer" | "number":
                    number = number_within(node.limits, whole=kind == "integer")
                    if number is None:
                        yield _failed(place, "no number satisfies the schema")
                    else:
                        yield Started(number)
                case "boolean":
                    yield Started(False)
                case _:
                    yield Started(None)

    def _object(self, node: Node, place: str) -> Started:
        names = [name for name in node.properties if name in node.required]
        names += sorted(node.required - set(names))
        missing = node.limits.get("minProperties", 0) - len(names)
        if missing > 0:
            names += [name for name in node.properties if name not in node.required][:missing]
        made: dict[str, Started] = {}
        for name in names[:MAX_STEPS]:
            made[name] = self._made(node.member(name), f"{place}.{name}" if place else name)
        value = {name: started.value for name, started in made.items()}
        return Started(value, _why_not(made.values()))

    def _array(self, node: Node, place: str) -> Started:
        least = node.limits.get("minItems", 0)
        kind = "elements"
        if "uniqueItems" in node.limits and least > 1:
            kind = "different elements"
        if kind != "elements" or least > MAX_ELEMENTS:
            return Started([], f"{place or 'the value'}: at least {value_words(least)} {kind} are required")
        made = [self._made(node.element(index), f"{place}[{index}]") for index in range(least)]
        return Started([started.value for started in made], _why_not(made))


def _first_valid(found: Iterator[Started]) -> Started:
    """Return the first valid value, else the first one."""
    first: Started | None = None
    for started in found:
        if not started.why_not:
            return started
        first = first or started
    return first or _failed("", "the schema allows no value")


def _why_not(made: Iterable[Started]) -> str:
    return next((started.why_not for started in made if started.why_not), "")


def _failed(place: str, reason: str) -> Started:
    return Started(None, f"{place or 'the value'}: {reason}")


def _values_named(node: Node) -> Iterator[Any]:
    """Yield the values that the service names for a place."""
    yield from node.examples[:MAX_TRIED]
    if node.default is not UNSET:
        yield node.default
    yield from (node.choices or ())[:MAX_TRIED]


def with_each_alternative(parts: list[dict[str, Any]], most: int) -> Iterator[dict[str, Any]]:
    """Yield a schema for each alternative, together with all that the parts require."""
    chosen = next(part for part in parts if alternatives_of(part))
    # The chosen alternative includes those of other parts.
    key = "oneOf" if "oneOf" in chosen else "anyOf"
    rest = [without(chosen, {key})] + [without(part) for part in parts if part is not chosen]
    for alternative in chosen[key][:most]:
        if alternative is not False:
            yield {"allOf": [alternative, *rest]}


def without(part: dict[str, Any], keys: Collection[str] = ()) -> dict[str, Any]:
    """Return a part without its references and without other keywords."""
    return {key: value for key, value in part.items() if key not in {"$ref", "allOf", *keys}}


def number_within(limits: Mapping[str, Any], *, whole: bool) -> float | None:
    """Return 0 if it is within the limits, else a number next to a bound.

    None if neither fits.
    """
    candidates: list[float] = [0]
    for key, step in (("minimum", 1), ("exclusiveMinimum", 1), ("maximum", -1), ("exclusiveMaximum", -1)):
        if key in limits:
            up, down = ceil(limits[key]), floor(limits[key])
            candidates += [limits[key], up, down, up + step, down + step]
    for number in candidates:
        if is_within(limits, number) and (not whole or number % 1 == 0):
            return number
    return None


def _text(node: Node, place: str) -> Started:
    limits = node.limits
    least = min(limits.get("minLength", 0), MAX_CHARACTERS)
    plain = FORMATS.get(limits.get("format", ""), "").ljust(least, "x")
    pattern = limits.get("pattern")
    if pattern is None or is_within(limits, plain):
        return Started(plain)
    words = f"it must match the pattern `{value_words(pattern)}`, and the schema has no example"
    return Started("", f"{place or 'the value'}: {words}")
