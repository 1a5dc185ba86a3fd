"""Whole methods: the facts of a document beyond a method's line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from rpcexplorer.discovery import reader
from rpcexplorer.discovery.openrpc import read_openrpc
from rpcexplorer.discovery.questions import value_of
from rpcexplorer.discovery.reader import MAX_LEVELS, Document, admit, within_limits
from rpcexplorer.model.method import Described, DescribedError, DescribedParam, ExampleCall


def only(method: dict[str, Any], **more: Any) -> Described:
    return read_openrpc({"openrpc": "1.3.2", "methods": [{"name": "m", **method}], **more}).described["m"]


def example(*values: tuple[str, Any], structure: str | None = None) -> Any:
    """Return the example params of a method that takes a, b and c."""
    given = [{"name": name, "value": value} for name, value in values]
    method = {"params": [{"name": name} for name in "abc"], "examples": [{"name": "e", "params": given}]}
    return only(method | ({"paramStructure": structure} if structure else {})).examples[0].params


def test_method_keeps_all_its_facts() -> None:
    components = {
        "contentDescriptors": {"Id": {"name": "id", "required": True, "schema": {"$ref": "#/components/schemas/Id"}}},
        "schemas": {"Id": {"type": "integer", "minimum": 1}},
        "errors": {"Gone": {"code": 7, "message": "gone", "data": {"since": "x"}}},
        "tags": {"shop": {"name": "shop"}},
        "examplePairings": {"first": {"name": "first", "params": [{"$ref": "#/components/examples/one"}]}},
        "examples": {"one": {"name": "id", "value": 1}},
    }
    method = {
        "params": [{"$ref": "#/components/contentDescriptors/Id", "description": "Of *this* one"}],
        "result": {"name": "user", "description": "The **user**", "schema": {"type": "object"}},
        "errors": [{"$ref": "#/components/errors/Gone"}, {"code": True, "message": "odd"}],
        "tags": [{"$ref": "#/components/tags/shop"}, "plain", {"name": 7}],
        "examples": [{"$ref": "#/components/examplePairings/first"}],
    }
    assert only(method, components=components) == Described(
        (DescribedParam("id", {"$ref": "#/components/schemas/Id"}, True, "Of *this* one"),),
        {"type": "object"},
        "user",
        "The **user**",
        (DescribedError(7, "gone", {"since": "x"}), DescribedError(None, "odd")),
        (ExampleCall("first", [1]),),
        ("shop", "plain"),
        protocol="rpc.discover",
        definitions={"#/components/schemas/Id": {"type": "integer", "minimum": 1}},
    )


@pytest.mark.parametrize(
    ("values", "structure", "params"),
    [
        ([("a", 1), ("b", 2)], None, [1, 2]),
        ([("a", 1), ("b", 2)], "by-name", {"a": 1, "b": 2}),
        ([("", 1), ("", 2)], "by-name", {"a": 1, "b": 2}),
        ([("b", 2), ("a", 1)], "by-position", [1, 2]),
        ([("c", 3)], None, {"c": 3}),
        ([("other", 1)], None, [1]),
    ],
)
def test_example_has_params_that_can_be_sent(values: Any, structure: str | None, params: Any) -> None:
    assert example(*values, structure=structure) == params


def test_external_example_value_is_left_out() -> None:
    method = {"examples": [{"params": [{"name": "a", "externalValue": "https://x"}, {"name": "b", "value": None}]}]}
    assert only(method).examples[0].params == [None]


def test_result_without_schema_is_unknown() -> None:
    assert only({"result": {"name": "r", "description": "Something"}}).result is UNSET
    assert only({"result": {"name": "r", "schema": True}}).result is True


def test_param_can_be_its_own_schema_without_name() -> None:
    (param,) = only({"params": [{"name": "a", "required": True, "type": "string"}]}).params
    assert param == DescribedParam("a", {"type": "string"}, True)


@pytest.mark.parametrize(
    ("document", "draft"),
    [
        ({"$schema": "https://meta.open-rpc.org/"}, ""),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "http://json-schema.org/draft-07/schema#"),
        (
            {"jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema"},
            "https://json-schema.org/draft/2020-12/schema",
        ),
    ],
)
def test_draft_is_that_of_the_schemas(document: Any, draft: str) -> None:
    assert only({}, **document).draft == draft


def test_too_large_method_keeps_its_name_and_first_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_METHOD_CHARACTERS", 1_000)
    monkeypatch.setattr(reader, "MAX_ENTRIES", 2)
    large = {"name": "m", "summary": "An m", "params": [{"name": "a", "schema": {"enum": ["x" * 900, "y" * 900]}}]}
    small = {"name": "n", "params": [{"name": "a", "schema": {"enum": ["x" * 900]}}]}
    many = {"name": "o", "params": [{"name": name} for name in "abc"]}
    listing = within_limits(read_openrpc({"methods": [large, small, many], "x-notifications": [large]}))
    assert listing.described["m"] == listing.events["m"] == Described(protocol="rpc.discover", doc="An m")
    assert listing.described["n"].params[0].schema == {"enum": ["x" * 900]}
    assert listing.described["o"].params == ()
    assert listing.skipped == ("descriptions of 3 methods skipped: too large",)


def test_references_add_a_limited_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_ADDED_CHARACTERS", 5_000)
    param = {"$ref": "#/p"}
    methods = [{"name": f"m{number}", "params": [param]} for number in range(10)]
    listing = read_openrpc({"methods": methods, "p": {"name": "a", "schema": {"enum": ["x" * 900]}}})
    kept = [described.params[0].schema for described in listing.described.values()]
    assert [schema is not True for schema in kept] == [True] * 5 + [False] * 5
    assert listing.skipped == ("5 parts skipped: the description is too large with them",)
    nested: Any = {"a": {"b": {"c": {"enum": ["x" * 2_800]}}}}
    document = Document(nested)
    found = document.definitions([{"allOf": [{"$ref": "#/a/b/c"}, {"$ref": "#/a/b"}, {"$ref": "#/a"}]}])
    assert (len(found), document.room.refused) == (1, 2)


def test_definitions_are_shared_by_all_methods() -> None:
    refer = {"params": [{"name": "a", "schema": {"$ref": "#/components/schemas/A"}}]}
    listing = read_openrpc(
        {
            "methods": [{"name": "m", **refer}, {"name": "n", **refer}],
            "components": {"schemas": {"A": {"type": "null"}}},
        }
    )
    assert listing.described["m"].definitions is listing.described["n"].definitions


def test_schema_with_own_definitions_gets_them() -> None:
    def method(name: str, kind: str) -> dict[str, Any]:
        schema = {"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"$ref": "#/components/schemas/S"}, "k": {"type": kind}}}
        return {"name": name, "params": [{"name": "p", "schema": {**schema, "items": {"$ref": "#/$defs/k"}}}]}

    shared = {"type": "object"}
    plain = {"name": "c", "params": [{"name": "p", "schema": {"$ref": "#/components/schemas/S"}}]}
    found = read_openrpc(
        {"methods": [method("a", "string"), method("b", "null"), plain], "components": {"schemas": {"S": shared}}}
    ).described
    assert {name: described.definitions.get("#/$defs/k") for name, described in found.items()} == {
        "a": {"type": "string"},
        "b": {"type": "null"},
        "c": None,
    }
    assert all(described.definitions["#/components/schemas/S"] is shared for described in found.values())
    assert found["a"].definitions["#/$defs/a~1b"] == {"$ref": "#/components/schemas/S"}


def test_references_are_followed_to_their_end() -> None:
    schemas = {"A": {"items": {"$ref": "#/components/schemas/B~1b"}}, "B/b": {"type": "string"}}
    root = {"components": {"schemas": schemas}}
    found = Document(root).definitions([{"properties": {"a": {"$ref": "#/components/schemas/A"}}}])
    assert found == {
        "#/components/schemas/A": schemas["A"],
        "#/components/schemas/B~1b": {"type": "string"},
    }


def test_schema_is_found_by_id_or_name() -> None:
    root = {"x": [{"$id": "urn:a", "type": "string"}, {"id": "b", "type": "null"}]}
    found = Document(root, {"Player.Id": {"type": "integer"}}).definitions(
        [{"$ref": "urn:a"}, {"$ref": "b"}, {"$ref": "Player.Id"}, {"extends": "Player.Id"}]
    )
    assert {name: schema["type"] for name, schema in found.items()} == {
        "urn:a": "string",
        "b": "null",
        "Player.Id": "integer",
    }


def test_other_documents_are_never_fetched() -> None:
    assert Document({}).definitions([{"$ref": "https://example.org/schema.json"}, {"$ref": "#/no/where"}]) == {}


def test_circular_reference_into_a_list_ends() -> None:
    root: Any = {"methods": [{"params": [{"schema": {"$ref": "#/methods/0/params/0/schema"}}]}]}
    found = Document(root).definitions([root["methods"][0]["params"][0]["schema"]])
    assert list(found) == ["#/methods/0/params/0/schema"]
    assert Document(root).at("#/methods/7") is None


def test_10000_circular_references_end() -> None:
    schemas = {f"S{number}": {"$ref": f"#/s/S{(number + 1) % 10_000}"} for number in range(10_000)}
    assert len(Document({"s": schemas}).definitions([{"$ref": "#/s/S0"}])) == 10_000


def test_reference_may_be_percent_encoded() -> None:
    root = {"s": {"List[int]": {"type": "array"}, "a%20b": {"type": "null"}}}
    found = Document(root).definitions([{"$ref": "#/s/List%5Bint%5D"}, {"$ref": "#/s/a%20b"}])
    assert (found["#/s/List%5Bint%5D"], found["#/s/a%20b"]) == ({"type": "array"}, {"type": "null"})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3) | st.just("\ud800"), inner),
    max_leaves=20,
)


@given(VALUES)
def test_cleaned_value_can_be_stored_and_is_stable(value: Any) -> None:
    cleaned = admit(value)
    json.dumps(cleaned, allow_nan=False, ensure_ascii=False).encode()
    assert admit(cleaned) is cleaned


@pytest.mark.parametrize(
    ("value", "cleaned"),
    [
        (["\ud800é", {"a\udfff": 1}], ["\ufffdé", {"a\ufffd": 1}]),
        ({"default": float("nan"), "enum": [1, float("inf")], "type": "number"}, {"type": "number"}),
        ([{"const": [[float("nan")]]}, float("inf")], [{}, None]),
        (float("-inf"), None),
    ],
)
def test_surrogates_are_replaced_and_invalid_numbers_dropped(value: Any, cleaned: Any) -> None:
    assert admit(value) == cleaned


@pytest.mark.parametrize("value", [{"a": ["é😀", 1.5, None]}, [], "x", 7, [[0]] * 1_000])
def test_clean_value_is_returned_unchanged(value: Any) -> None:
    assert admit(value) is value


def nested(levels: int) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


def test_too_deep_or_too_large_document_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    assert admit(nested(MAX_LEVELS - 1))
    for levels in (MAX_LEVELS + 1, 900):
        assert (
            value_of(json.dumps(nested(levels)).encode()).refusal == "unreadable: the response has more than 200 levels"
        )
    assert value_of(b"[" * 100_000).refusal.startswith("unreadable: ")
    monkeypatch.setattr(reader, "MAX_PARTS", 10)
    assert value_of(b"[0,1,2,3,4,5,6,7,8]").refusal == ""
    assert value_of(b"[0,1,2,3,4,5,6,7,8,9]").refusal == "unreadable: the response has more than 10 values"
