"""Values in a schema of any draft: what is known about them."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from rpcexplorer.schema.node import ANYTHING, MOST_MEMBERS, Node, SchemaReader


def node_of(schema: Any, **definitions: Any) -> Node:
    return SchemaReader(definitions).node(schema)


@pytest.mark.parametrize(
    ("schema", "kinds"),
    [
        ({"type": "Number"}, ("number",)),
        ({"type": ["string", "null"]}, ("string", "null")),
        ({"type": "string", "nullable": True}, ("string", "null")),
        ({"type": "wibble"}, ()),
        ({"type": 5}, ()),
        ({"properties": {"a": {}}}, ("object",)),
        ({"prefixItems": [{}]}, ("array",)),
        ({"enum": ["a"]}, ()),
        (True, ()),
        (None, ()),
        ([], ()),
    ],
)
def test_types_have_the_names_of_json_schema(schema: Any, kinds: tuple[str, ...]) -> None:
    assert node_of(schema).kinds == kinds


def test_reference_is_joined_and_nearest_keywords_win() -> None:
    found = node_of({"$ref": "X", "description": "here"}, X={"type": "int", "description": "there", "minimum": 3})
    assert (found.kinds, found.doc, found.limits) == (("integer",), "here", {"minimum": 3})


def test_parts_of_all_of_are_joined() -> None:
    found = node_of(
        {"allOf": [{"$ref": "Base"}, {"properties": {"b": {"required": True}}}], "required": ["c"]},
        Base={"properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False},
    )
    assert found.kinds == ("object",)
    assert (sorted(found.properties), sorted(found.required)) == (["a", "b"], ["a", "b", "c"])
    assert found.additional is False
    assert (found.member("a"), found.member("z")) == ({"type": "string"}, False)


def test_kodi_type_has_members_that_it_extends() -> None:
    found = node_of({"extends": ["A", "B"]}, A={"type": "object", "properties": {"a": {}}}, B={"properties": {"b": {}}})
    assert (found.kinds, sorted(found.properties)) == (("object",), ["a", "b"])


@pytest.mark.parametrize(
    "schema",
    [
        {"oneOf": [{"type": "string"}, {"type": "null"}]},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"type": [{"type": "string"}, "null"]},
    ],
)
def test_alternatives_are_separate(schema: Any) -> None:
    reader = SchemaReader({})
    assert [reader.node(alternative).kinds for alternative in reader.node(schema).alternatives] == [
        ("string",),
        ("null",),
    ]


@pytest.mark.parametrize(
    "schema", [{"const": 5}, {"enum": [5]}, {"enums": [5]}, {"allOf": [{"enum": [4, 5]}, {"const": 5}]}]
)
def test_narrowest_choices_win(schema: Any) -> None:
    assert node_of(schema).choices == (5,)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": [{"type": "string"}], "additionalItems": {"type": "number"}},
        {"prefixItems": [{"type": "string"}], "items": {"type": "number"}},
    ],
)
def test_elements_have_schemas_by_position(schema: Any) -> None:
    found = node_of(schema)
    assert (found.kinds, found.element(0), found.element(7)) == (("array",), {"type": "string"}, {"type": "number"})


def test_null_default_differs_from_no_default() -> None:
    assert node_of({"default": None}).default is None
    assert node_of({}).default is UNSET


@pytest.mark.parametrize("schema", [{"$ref": "A"}, {"allOf": [{"$ref": "A"}]}, {"$ref": "nowhere"}])
def test_circular_or_broken_reference_allows_anything(schema: Any) -> None:
    assert node_of(schema, A={"$ref": "B"}, B={"allOf": [{"$ref": "A"}]}) == ANYTHING


@pytest.mark.parametrize(
    ("schema", "limits"),
    [
        ({"minimum": 3, "exclusiveMinimum": True, "maximum": 9}, {"exclusiveMinimum": 3, "maximum": 9}),
        ({"minimum": 3, "exclusiveMinimum": False}, {"minimum": 3}),
        ({"maxLength": 4.0, "minLength": "2", "maximum": True, "minItems": -1}, {"maxLength": 4}),
        ({"divisibleBy": 5, "uniqueItems": False, "pattern": 7}, {"multipleOf": 5}),
        ({"minimum": 3, "allOf": [{"minimum": 5}, {"minimum": float("inf")}]}, {"minimum": 5}),
    ],
)
def test_limits_of_any_draft_use_the_narrowest(schema: Any, limits: Any) -> None:
    assert node_of(schema).limits == limits


def test_members_start_with_the_nearest_and_are_bounded() -> None:
    together = {"allOf": [{"properties": {"b": True, "c": True}}, {"properties": {"a": False, "d": True}}]}
    assert [*node_of({"properties": {"a": True}, **together}).properties.items()][:2] == [("a", True), ("b", True)]
    wide: list[Any] = [{"properties": {f"p{at}": {} for at in range(MOST_MEMBERS)}} for _ in range(3)]
    reader = SchemaReader({})
    assert [len(reader.node(schema).properties) for schema in wide] == [MOST_MEMBERS, 0, 0]
