"""The smallest right value for a schema, or why there is none."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.model.method import Started
from rpcexplorer.schema.example import Maker
from rpcexplorer.schema.node import SchemaReader


def made(schema: Any, **definitions: Any) -> Started:
    return Maker(SchemaReader(definitions)).made(schema, "x")


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string", "examples": [5, "like this"], "default": "d"}, "like this"),
        ({"type": "string", "default": "d", "enum": ["a", "d"]}, "d"),
        ({"type": "string", "default": 5, "enum": [7, "a"]}, "a"),
        ({"const": None}, None),
        ({"type": ["null", "Number"]}, 0),
        ({"type": "integer", "minimum": 2.5}, 3),
        ({"type": "integer", "exclusiveMaximum": -3}, -4),
        ({"type": "number", "minimum": 1.5}, 1.5),
        ({"type": "string", "minLength": 3}, "xxx"),
        ({"type": "string", "format": "uuid"}, "00000000-0000-0000-0000-000000000000"),
        ({"type": "string", "pattern": "^0x[0-9a-f]*$", "default": "7", "examples": ["0x7"]}, "0x7"),
        ({"type": "string", "pattern": "^x+$", "minLength": 2}, "xx"),
        ({"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "integer"}}, [0]),
        ({"type": "array", "minItems": 2, "prefixItems": [{"const": 1}], "items": {"type": "string"}}, [1, ""]),
        (
            {"properties": {"b": {"type": "boolean"}, "c": {}, "a": {"$ref": "A"}}, "required": ["a", "b", "z"]},
            {"b": False, "a": [], "z": None},
        ),
        ({"type": "object", "minProperties": 1, "properties": {"a": {"type": "string"}}}, {"a": ""}),
        ({"oneOf": [False, {"type": "string", "pattern": "(?=x)"}, {"$ref": "A"}]}, []),
        ({"type": "integer", "minimum": 3, "oneOf": [{"maximum": 1}, {"minimum": 5}]}, 5),
        ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}], "properties": {"a": False, "b": {}}}, {"b": None}),
        (True, None),
    ],
)  # fmt: skip
def test_simplest_right_value_is_generated(schema: Any, value: Any) -> None:
    found = made(schema, A={"type": "array"})
    assert (found.value, type(found.value), found.why_not) == (value, type(value), "")


@pytest.mark.parametrize(
    ("schema", "why_not"),
    [
        (False, "x: the schema allows no value"),
        ({"type": "string", "pattern": "^a"}, "x: it must match the pattern `^a`, and the schema has no example"),
        ({"$ref": "Circle"}, "x.next: the schema requires endless nesting"),
        ({"type": "array", "minItems": 2, "uniqueItems": True}, "x: at least 2 different elements are required"),
        ({"type": "array", "minItems": 10**9}, "x: at least 1000000000 elements are required"),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, "x: no number satisfies the schema"),
        ({"type": "integer", "minimum": 5, "maximum": 4}, "x: no number satisfies the schema"),
        ({"properties": {"a": {"items": False, "minItems": 1}}, "required": ["a"]}, "x.a[0]: the schema allows no"),
    ],
)
def test_missing_right_value_has_place_and_reason(schema: Any, why_not: str) -> None:
    circle = {"type": "object", "properties": {"next": {"$ref": "Circle"}}, "required": ["next"]}
    assert made(schema, Circle=circle).why_not.startswith(why_not)


def test_recursion_ends_as_soon_as_allowed() -> None:
    either = {"oneOf": [{"$ref": "List"}, {"type": "null"}]}
    found = made({"$ref": "List"}, List={"type": "object", "properties": {"next": either}, "required": ["next"]})
    assert found == Started({"next": None})


def deep(levels: int) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema, "b": schema}, "required": ["a", "b"]}
    return schema


class Counting(SchemaReader):
    """A reader that counts its calls."""

    asked = 0

    def node(self, schema: Any) -> Any:
        self.asked += 1
        return super().node(schema)


@pytest.mark.parametrize(
    "schema",
    [
        deep(1_000),
        {"$ref": "Around"},
        {"oneOf": [{"oneOf": [{"oneOf": [{"oneOf": [False] * 50}] * 50}] * 50}] * 50},
        {"allOf": [{"properties": {f"p{at}": {"$ref": "Around"} for at in range(10_000)}, "required": ["p1", "p9"]}]},
        {"type": "object", "required": [f"p{at}" for at in range(10_000)], "additionalProperties": {"$ref": "Around"}},
        {"type": "array", "minItems": 100, "items": {"type": "array", "minItems": 100, "items": {"type": "string"}}},
    ],
)
def test_schema_of_any_size_takes_bounded_steps(schema: Any) -> None:
    reader = Counting({"Around": {"oneOf": [{"type": "array", "minItems": 1, "items": {"$ref": "Around"}}] * 20}})
    found = Maker(reader).made(schema)
    assert found.why_not
    assert reader.asked < 60_000
