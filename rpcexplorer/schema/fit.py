"""Guess which schema a value belongs to; ``check`` gives the verdict."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from math import inf
from typing import Any, Final

import msgspec
from msgspec import UNSET

from rpcexplorer.model.method import By, Described
from rpcexplorer.schema.bundle import schema_of_params
from rpcexplorer.schema.dialect import is_number
from rpcexplorer.schema.node import SchemaReader, is_kind, kind_of_value
from rpcexplorer.variables.references import REFERENCE

LEVELS: Final = 3
"""Levels of a value to look at."""
MAX_LOOKS: Final = 1_000
"""Places to look at; further ones count as a match, and a key stays fast."""
ROUNDING: Final = 1e-9
"""A float is only nearly a multiple of 0.1."""
BACKTRACKING: Final = 100_000
"""Steps back that a pattern may take."""
PATTERN_BYTES: Final = 1024 * 1024
"""Bytes of a compiled pattern."""
MAX_SMALL_PARTS: Final = 200
"""Parts of a value that can be copied and shown quickly."""
MAX_SMALL_CHARACTERS: Final = 2_000
"""Characters of a text in it."""
_UNITS: Final[dict[type, str]] = {str: "Length", list: "Items", dict: "Properties"}


class Looks:
    """Answers several questions about values; together they visit at most ``MAX_LOOKS`` schemas."""

    def __init__(self, reader: SchemaReader, *, with_limits: bool = False) -> None:
        """``with_limits``: a value beyond the limits does not match."""
        self._reader, self._with_limits = reader, with_limits
        self._left = MAX_LOOKS

    def could_be(self, schema: Any, value: Any, levels: int = LEVELS) -> bool:
        """Return whether type, choices and members of a value fit a schema."""
        self._left -= 1
        if schema is False:
            return False
        if self._left < 0 or is_reference(value):
            return True
        node = self._reader.node(schema)
        if node.choices is not None and not is_one_of(value, node.choices):
            return False
        if node.kinds and node.is_sure and not is_kind(kind_of_value(value), node.kinds):
            return False
        if self._with_limits and not is_within(node.limits, value):
            return False
        if not levels:
            return True
        inside: list[tuple[Any, Any]] = []
        if isinstance(value, dict):
            if not node.required <= value.keys():
                return False
            inside = [(node.member(name), member) for name, member in value.items()]
        elif isinstance(value, list):
            inside = [(node.element(index), element) for index, element in enumerate(value)]
        if not all(self.could_be(part, member, levels - 1) for part, member in inside[:MAX_LOOKS]):
            return False
        return not node.alternatives or any(self.could_be(part, value, levels - 1) for part in node.alternatives)


def could_be_params(described: Described, text: str, by: By | None = None) -> bool:
    """Return whether names, types and choices of params fit a method.

    ``by`` is the only way in which the service accepts them.
    """
    value = value_of(text)
    if value is UNSET:
        return False
    way: By = "name" if isinstance(value, dict) else "position"
    if by and by != way:
        if value:
            return False
        way, value = by, {"position": [], "name": {}}[by]
    schema = schema_of_params(described, way, [param.schema for param in described.params])
    reader = SchemaReader(described.definitions)
    return is_within(reader.node(schema).limits, value) and Looks(reader).could_be(schema, value)


def could_be_result(described: Described, text: bytes) -> bool:
    """Return whether types and choices of a result fit a method."""
    value = value_of(text)
    return value is not UNSET and Looks(SchemaReader(described.definitions)).could_be(described.result, value)


def value_of(text: str | bytes) -> Any:
    """Return the value of a JSON text; ``UNSET`` if Python cannot hold it."""
    for decode in (msgspec.json.decode, json.loads):
        with suppress(msgspec.MsgspecError, ValueError, RecursionError):
            return decode(text)
    return UNSET


def is_within(limits: Mapping[str, Any], value: Any) -> bool:
    """Return whether a value is within the limits of a node."""
    if is_number(value):
        return (
            limits.get("minimum", -inf) <= value <= limits.get("maximum", inf)
            and limits.get("exclusiveMinimum", -inf) < value < limits.get("exclusiveMaximum", inf)
            and ("multipleOf" not in limits or _is_multiple(value, limits["multipleOf"]))
        )
    unit = _UNITS.get(type(value))
    if unit is None:
        return True
    if not limits.get(f"min{unit}", 0) <= len(value) <= limits.get(f"max{unit}", inf):
        return False
    return unit != "Length" or "pattern" not in limits or _matches(limits["pattern"], value)


def _is_multiple(value: float, step: float) -> bool:
    try:
        return abs(value / step - round(value / step)) < ROUNDING
    except OverflowError:  # Numbers of hundreds of digits.
        return True


def _matches(pattern: str, text: str) -> bool:
    """Return whether a text matches a pattern; an invalid one matches."""
    from jsonschema_rs import Draft202012Validator, FancyRegexOptions, ValidationError  # This import takes 35 ms.

    options = FancyRegexOptions(backtrack_limit=BACKTRACKING, size_limit=PATTERN_BYTES)
    try:
        return Draft202012Validator({"pattern": pattern}, pattern_options=options).is_valid(text)
    except (ValidationError, UnicodeError):
        return True


def is_reference(value: Any) -> bool:
    """Return whether a text is only a reference ``{{…}}``."""
    if not isinstance(value, str):
        return False
    found = REFERENCE.fullmatch(value)
    return found is not None and bool(found["inside"])


def is_same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal; true is not 1."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def is_one_of(value: Any, choices: Iterable[Any]) -> bool:
    return any(is_same(value, choice) for choice in choices)


def is_small(value: Any) -> bool:
    """Return whether a value is small enough to copy and show quickly."""
    rest, parts = [value], 0
    while rest:
        part = rest.pop()
        parts += 1
        if isinstance(part, str) and len(part) > MAX_SMALL_CHARACTERS:
            return False
        if isinstance(part, dict):
            rest += part.values()
        elif isinstance(part, list):
            rest += part
        if parts + len(rest) > MAX_SMALL_PARTS:
            return False
    return True
