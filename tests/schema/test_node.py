"""A place in a schema: whichever draft and habit it is written in, the same is known of it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from rpcexplorer.schema.node import ANYTHING, MOST_MEMBERS, Definitions, Node, SchemaReader


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
def test_kinds_are_told_in_the_words_of_json_schema(schema: Any, kinds: tuple[str, ...]) -> None:
    assert node_of(schema).kinds == kinds


def test_what_is_referred_to_is_joined_and_the_nearest_words_win() -> None:
    found = node_of({"$ref": "X", "description": "here"}, X={"type": "int", "description": "there", "minimum": 3})
    assert (found.kinds, found.doc, found.limits) == (("integer",), "here", {"minimum": 3})


def test_parts_that_hold_together_are_one_object() -> None:
    found = node_of(
        {"allOf": [{"$ref": "Base"}, {"properties": {"b": {"required": True}}}], "required": ["c"]},
        Base={"properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False},
    )
    assert found.kinds == ("object",)
    assert (sorted(found.properties), sorted(found.required)) == (["a", "b"], ["a", "b", "c"])
    assert found.additional is False
    assert (found.member("a"), found.member("z")) == ({"type": "string"}, False)


def test_a_type_of_kodis_has_what_it_extends() -> None:
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
def test_alternatives_are_told_apart(schema: Any) -> None:
    reader = SchemaReader({})
    assert [reader.node(each).kinds for each in reader.node(schema).alternatives] == [("string",), ("null",)]


@pytest.mark.parametrize(
    "schema", [{"const": 5}, {"enum": [5]}, {"enums": [5]}, {"allOf": [{"enum": [4, 5]}, {"const": 5}]}]
)
def test_the_narrowest_choices_count(schema: Any) -> None:
    assert node_of(schema).choices == (5,)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": [{"type": "string"}], "additionalItems": {"type": "number"}},
        {"prefixItems": [{"type": "string"}], "items": {"type": "number"}},
    ],
)
def test_elements_have_schemas_by_their_place(schema: Any) -> None:
    found = node_of(schema)
    assert (found.kinds, found.element(0), found.element(7)) == (("array",), {"type": "string"}, {"type": "number"})


def test_a_default_may_be_null_and_is_told_from_none() -> None:
    assert node_of({"default": None}).default is None
    assert node_of({}).default is UNSET


@pytest.mark.parametrize("schema", [{"$ref": "A"}, {"allOf": [{"$ref": "A"}]}, {"$ref": "nowhere"}])
def test_a_circle_and_a_reference_to_nowhere_let_anything_stand(schema: Any) -> None:
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
def test_bounds_are_numbers_whichever_draft_says_them_and_the_narrowest_counts(schema: Any, limits: Any) -> None:
    assert node_of(schema).limits == limits


def test_members_are_told_from_the_nearest_part_on_and_in_a_bounded_number() -> None:
    together = {"allOf": [{"properties": {"b": True, "c": True}}, {"properties": {"a": False, "d": True}}]}
    assert [*node_of({"properties": {"a": True}, **together}).properties.items()][:2] == [("a", True), ("b", True)]
    wide: list[Any] = [{"properties": {f"p{at}": {} for at in range(MOST_MEMBERS)}} for _ in range(3)]
    reader = SchemaReader({})
    assert [len(reader.node(each).properties) for each in wide] == [MOST_MEMBERS, 0, 0]


def test_references_are_followed_as_far_as_they_lead() -> None:
    schemas = {"A": {"items": {"$ref": "#/components/schemas/B~1b"}}, "B/b": {"type": "string"}}
    root = {"components": {"schemas": schemas}}
    found = Definitions(root).gather([{"properties": {"a": {"$ref": "#/components/schemas/A"}}}])
    assert found == {
        "#/components/schemas/A": schemas["A"],
        "#/components/schemas/B~1b": {"type": "string"},
    }


def test_a_schema_is_found_by_the_name_that_it_gives_itself_and_a_type_by_its_bare_name() -> None:
    root = {"x": [{"$id": "urn:a", "type": "string"}, {"$anchor": "b", "type": "null"}]}
    found = Definitions(root, {"Player.Id": {"type": "integer"}}).gather(
        [{"$ref": "urn:a"}, {"$ref": "#b"}, {"$ref": "Player.Id"}, {"extends": "Player.Id"}]
    )
    assert {name: schema["type"] for name, schema in found.items()} == {
        "urn:a": "string",
        "#b": "null",
        "Player.Id": "integer",
    }


def test_another_document_is_never_asked_for() -> None:
    assert Definitions({}).gather([{"$ref": "https://example.org/schema.json"}, {"$ref": "#/no/where"}]) == {}


def test_a_circle_ends_and_a_place_in_a_list_is_found() -> None:
    root: Any = {"methods": [{"params": [{"schema": {"$ref": "#/methods/0/params/0/schema"}}]}]}
    found = Definitions(root).gather([root["methods"][0]["params"][0]["schema"]])
    assert list(found) == ["#/methods/0/params/0/schema"]
    assert Definitions(root).at("#/methods/7") is None


def test_ten_thousand_references_in_a_circle_end() -> None:
    schemas = {f"S{number}": {"$ref": f"#/s/S{(number + 1) % 10_000}"} for number in range(10_000)}
    assert len(Definitions({"s": schemas}).gather([{"$ref": "#/s/S0"}])) == 10_000


def test_places_inside_each_other_are_kept_as_far_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.schema.node.MOST_HELD", 2_000)
    root: Any = {"a": {"b": {"c": {"enum": ["x" * 800]}}}}
    definitions = Definitions(root)
    found = definitions.gather([{"allOf": [{"$ref": "#/a/b/c"}, {"$ref": "#/a/b"}, {"$ref": "#/a"}, {"$ref": "#/a"}]}])
    assert (len(found), definitions.left_out) == (2, 1)


def test_a_reference_is_part_of_an_address_and_may_be_spelled_as_one() -> None:
    root = {"s": {"List[int]": {"type": "array"}, "a%20b": {"type": "null"}}}
    found = Definitions(root).gather([{"$ref": "#/s/List%5Bint%5D"}, {"$ref": "#/s/a%20b"}])
    assert (found["#/s/List%5Bint%5D"], found["#/s/a%20b"]) == ({"type": "array"}, {"type": "null"})
