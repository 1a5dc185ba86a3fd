"""Make example values that a schema accepts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
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
"""Characters of a generated text."""
MAX_STEPS: Final = 1_000
"""Places and alternatives to try for one value."""
OF_AN_ALTERNATIVE: Final = 4
"""Steps that one more alternative costs."""
MAX_DEPTH: Final = 30
MAX_ELEMENTS: Final = 100
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
        return self._made(schema, place, tuple(given))

    def _made(self, schema: Any, place: str, given: tuple[Any, ...] = (), *, joined: bool = False) -> Started:
        """Return a value; ``joined``: the parts of the schema are joined."""
        self._steps += 1
        if schema is False:
            return _failed(place, "the schema allows no value")
        if not isinstance(schema, dict):
            return Started(next(filter(is_small, given), None))
        node = self._reader.node(schema)
        for value in (*given, *_values_named(node)):
            if is_small(value) and self._looks.could_be(schema, value):
                return Started(value)
        if self._steps > MAX_STEPS or len(self._open) > MAX_DEPTH:
            return _failed(place, "the schema is too large")
        parts = islice(self._reader.parts(schema), int(joined), None)
        key = id(next((part for part in parts if part.keys() - {"$ref"}), schema))
        if key in self._open:
            return _failed(place, "the schema requires endless nesting")
        self._open.append(key)
        try:
            found = self._by_alternative(schema, place) if node.alternatives else self._by_kind(node, place)
            first = next(found, None) or _failed(place, "the schema allows no value")
            return first if not first.why_not else next((made for made in found if not made.why_not), first)
        finally:
            self._open.pop()

    def _by_alternative(self, schema: dict[str, Any], place: str) -> Iterator[Started]:
        parts = list(self._reader.parts(schema))
        chosen = next(part for part in parts if alternatives_of(part))
        # The chosen alternative includes those of other parts.
        rest = [_without(part, alternatives=part is chosen) for part in parts]
        for alternative in alternatives_of(chosen)[:MAX_TRIED]:
            if alternative is not False:
                self._steps += OF_AN_ALTERNATIVE
                yield self._made({"allOf": [alternative, *rest]}, place, joined=True)

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
                    number = number_within(node.limits, whole=kind == "integer")
                    yield (Started(number) if number is not None else _failed(place, "no number satisfies the schema"))
                case "boolean":
                    yield Started(False)
                case _:
                    yield Started(None)

    def _object(self, node: Node, place: str) -> Started:
        names = [name for name in node.properties if name in node.required]
        names += sorted(node.required - set(names))
        least = node.limits.get("minProperties", 0)
        names += [name for name in node.properties if name not in node.required][: max(0, least - len(names))]
        made = {name: self._made(node.member(name), f"{place}.{name}" if place else name) for name in names[:MAX_STEPS]}
        why_not = next((started.why_not for started in made.values() if started.why_not), "")
        return Started({name: started.value for name, started in made.items()}, why_not)

    def _array(self, node: Node, place: str) -> Started:
        least = node.limits.get("minItems", 0)
        is_unique = node.limits.get("uniqueItems") and least > 1
        if is_unique or least > MAX_ELEMENTS:
            kind = "different elements" if is_unique else "elements"
            return Started([], f"{place or 'the value'}: at least {value_words(least)} {kind} are required")
        made = [self._made(node.element(index), f"{place}[{index}]") for index in range(least)]
        return Started(
            [started.value for started in made], next((started.why_not for started in made if started.why_not), "")
        )


def _failed(place: str, reason: str) -> Started:
    return Started(None, f"{place or 'the value'}: {reason}")


def _values_named(node: Node) -> Iterator[Any]:
    """Yield the values that the service names for a place."""
    yield from node.examples[:MAX_TRIED]
    if node.default is not UNSET:
        yield node.default
    yield from (node.choices or ())[:MAX_TRIED]


def _without(part: dict[str, Any], *, alternatives: bool) -> dict[str, Any]:
    """Return a part without references and perhaps without alternatives."""
    gone = {"$ref", "$dynamicRef", "$recursiveRef", "extends", "allOf"}
    if alternatives:
        gone.add("oneOf" if part.get("oneOf") else "anyOf")
        if isinstance(kinds := part.get("type"), list) and any(isinstance(kind, dict) for kind in kinds):
            gone.add("type")
    return {key: value for key, value in part.items() if key not in gone}


def number_within(limits: Mapping[str, Any], *, whole: bool) -> float | None:
    """Return 0 if it is within the limits, else a number next to a bound.

    None if neither fits.
    """
    found: list[float] = [0]
    bounds = (("minimum", 1), ("exclusiveMinimum", 1), ("maximum", -1), ("exclusiveMaximum", -1))
    for bound, step in ((limits[key], step) for key, step in bounds if key in limits):
        found += [bound, ceil(bound), floor(bound), ceil(bound) + step, floor(bound) + step]
    return next((number for number in found if is_within(limits, number) and not (whole and number % 1)), None)


def _text(node: Node, place: str) -> Started:
    limits = node.limits
    plain = FORMATS.get(limits.get("format", ""), "").ljust(min(limits.get("minLength", 0), MAX_CHARACTERS), "x")
    pattern = limits.get("pattern")
    if pattern is None or is_within(limits, plain):
        return Started(plain)
    return Started(
        "", f"{place or 'the value'}: it must match the pattern `{value_words(pattern)}`, and the schema has no example"
    )
