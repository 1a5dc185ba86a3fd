"""The smallest right value for a schema, or the reason why there is none."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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
        ({"type": "integer", "exclusiveMaximum": -3, "multipleOf": 5}, -5),
        ({"type": "number", "minimum": 0, "exclusiveMinimum": True, "exclusiveMaximum": 1}, 0.5),
        ({"type": "string", "minLength": 3}, "xxx"),
        ({"type": "string", "format": "uuid"}, "00000000-0000-0000-0000-000000000000"),
        ({"type": "string", "pattern": "^0x[0-9a-f]{4}$"}, "0x0000"),
        ({"type": "array", "minItems": 3, "uniqueItems": True, "items": {"type": "integer"}}, [0, 1, 2]),
        ({"type": "array", "minItems": 2, "prefixItems": [{"const": 1}], "items": {"type": "string"}}, [1, ""]),
        (
            {"properties": {"b": {"type": "boolean"}, "c": {}, "a": {"$ref": "A"}}, "required": ["a", "b", "z"]},
            {"b": False, "a": [], "z": None},
        ),
        ({"type": "object", "minProperties": 1, "properties": {"a": {"type": "string"}}}, {"a": ""}),
        ({"oneOf": [False, {"type": "string", "pattern": "(?=x)"}, {"$ref": "A"}]}, []),
        ({"type": "integer", "minimum": 3, "oneOf": [{"maximum": 1}, {"minimum": 5}]}, 5),
        ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}], "properties": {"a": False, "b": {}}}, {"b": None}),
        ({"not": {"type": ["null", "string"]}}, 0),
        (True, None),
    ],
)  # fmt: skip
def test_the_plainest_value_that_is_right_is_made(schema: Any, value: Any) -> None:
    found = made(schema, A={"type": "array"})
    assert (found.value, type(found.value), found.why_not) == (value, type(value), "")


@pytest.mark.parametrize(
    ("schema", "why_not"),
    [
        (False, "x: its schema lets nothing stand there"),
        ({"allOf": [False], "default": 5}, "x: its schema wants more than can be made"),
        ({"type": "string", "pattern": "(?=a)a"}, "x: it must match (?=a)a, and no example is given"),
        ({"$ref": "Circle"}, "x.next: its schema wants itself inside itself, without end"),
        ({"type": "array", "minItems": 10**9}, "x: at least 1000000000 elements are wanted"),
        ({"type": "integer", "minimum": 5, "maximum": 4}, "x: its schema wants more than can be made"),
        ({"properties": {"a": {"items": False, "minItems": 1}}, "required": ["a"]}, "x.a[0]: its schema lets nothing"),
    ],
)
def test_why_there_is_no_right_value_is_said_with_its_place(schema: Any, why_not: str) -> None:
    circle = {"type": "object", "properties": {"next": {"$ref": "Circle"}}, "required": ["next"]}
    assert made(schema, Circle=circle).why_not.startswith(why_not)


def test_a_circle_ends_where_it_may() -> None:
    either = {"oneOf": [{"$ref": "List"}, {"type": "null"}]}
    found = made({"$ref": "List"}, List={"type": "object", "properties": {"next": either}, "required": ["next"]})
    assert found == Started({"next": None})


def deep(levels: int) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema, "b": schema}, "required": ["a", "b"]}
    return schema


class Counting(SchemaReader):
    """Counts what is asked for."""

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
def test_a_schema_of_any_size_takes_a_bounded_number_of_steps(schema: Any) -> None:
    reader = Counting({"Around": {"oneOf": [{"type": "array", "minItems": 1, "items": {"$ref": "Around"}}] * 20}})
    found = Maker(reader).made(schema)
    assert found.why_not
    assert reader.asked < 60_000


NAMES = st.sampled_from(["a", "b", "c"])
KINDS = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
FEW = st.integers(0, 3)
PATTERNS = st.sampled_from(["^0x[0-9a-f]*$", "a|b", "[^x]{2,}", "\\d\\.\\w?$"])
LEAVES = st.one_of(
    st.builds(lambda kind: {"type": kind}, KINDS),
    st.builds(lambda kind, other: {"type": [kind, other]} if kind != other else {}, KINDS, KINDS),
    st.builds(lambda low, more: {"type": "integer", "minimum": low, "maximum": low + more}, st.integers(-9, 9), FEW),
    st.builds(lambda low, step: {"type": "integer", "exclusiveMinimum": low, "multipleOf": step + 1}, FEW, FEW),
    st.builds(lambda low, more: {"type": "number", "exclusiveMinimum": low, "exclusiveMaximum": low + more}, FEW, FEW),
    st.builds(lambda low, more: {"type": "string", "minLength": low, "maxLength": low + more}, FEW, FEW),
    st.builds(lambda at: {"type": "string", "pattern": at}, PATTERNS),
    st.builds(lambda at: {"enum": at}, st.lists(st.sampled_from([None, 0, 1.5, "", "a", [], {}, True]), min_size=1)),
    st.sampled_from([True, False, {}, {"const": 5}, {"format": "date-time", "type": "string"}, {"$ref": "#/$defs/A"}]),
)  # fmt: skip


def branches(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    members = st.dictionaries(NAMES, inner, max_size=3)
    some = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.builds(
            lambda properties, required, more: {
                "type": "object", "properties": properties, "required": required, "additionalProperties": more
            },
            members, st.lists(NAMES, max_size=3, unique=True), st.booleans(),
        ),
        st.builds(
            lambda items, least, once: {"type": "array", "items": items, "minItems": least, "uniqueItems": once},
            inner, FEW, st.booleans(),
        ),
        st.builds(lambda word, parts: {word: parts}, st.sampled_from(["oneOf", "anyOf", "allOf"]), some),
        st.builds(lambda one, parts: one | {"anyOf": parts} if isinstance(one, dict) else one, inner, some),
        st.builds(lambda inner, default: {"allOf": [inner], "default": default}, inner, st.sampled_from([5, "", None])),
    )  # fmt: skip


SCHEMAS = st.recursive(LEAVES, branches, max_leaves=8)


@given(SCHEMAS, SCHEMAS)
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_what_is_made_is_right_or_why_it_is_not_is_said(schema: Any, other: Any) -> None:
    found = Maker(SchemaReader({"#/$defs/A": other})).made(schema)
    if not found.why_not:
        whole = {"$defs": {"A": other}, "allOf": [schema]}
        jsonschema_rs.Draft202012Validator(whole).validate(found.value)
