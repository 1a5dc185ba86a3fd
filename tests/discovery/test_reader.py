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
from rpcexplorer.discovery.reader import MAX_LEVELS, clean
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


def test_too_large_parts_are_skipped_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_METHOD_CHARACTERS", 1_000)
    large = {"name": "m", "params": [{"name": "a", "schema": {"enum": ["x" * 900, "y" * 900]}}], "tags": ["t"]}
    small = {"name": "n", "params": [{"name": "a", "schema": {"enum": ["x" * 900]}}]}
    listing = read_openrpc({"methods": [large, small]})
    assert listing.described["m"].params == (DescribedParam("a", True, False),)
    assert listing.described["n"].params[0].schema == {"enum": ["x" * 900]}
    assert listing.skipped == ("schemas or examples of 1 method skipped: too large to store",)


def test_too_many_params_end_with_one_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_PARAMS", 2)
    some = [{"name": name, "required": True} for name in "abcd"]
    listing = read_openrpc({"methods": [{"name": "m", "params": some}, {"name": "n", "params": some[:2]}]})
    assert [param.name for param in listing.described["m"].params] == ["a", "b", "..."]
    assert [param.stands_for_others for param in listing.described["m"].params] == [False, False, True]
    assert [param.name for param in listing.described["n"].params] == ["a", "b"]
    assert listing.skipped == ("params of 1 method skipped: too many to store",)


def test_shared_large_schema_counts_for_each_method(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_TOTAL_CHARACTERS", 5_000)
    param = {"$ref": "#/p"}
    methods = [{"name": f"m{number}", "params": [param]} for number in range(10)]
    listing = read_openrpc({"methods": methods, "p": {"name": "a", "schema": {"enum": ["x" * 900]}}})
    kept = [described.params[0].schema for described in listing.described.values()]
    assert [schema is not True for schema in kept] == [True] * 5 + [False] * 5
    assert listing.skipped == ("schemas or examples of 5 methods skipped: too large to store",)


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


def test_own_definitions_have_a_limited_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_OWN_PARTS", 10)
    schema = {"$ref": "#/$defs/x", "$defs": {"x": {"items": [{} for _ in range(20)]}}}
    methods = [{"name": f"m{number}", "params": [{"schema": dict(schema)}]} for number in range(3)]
    found = read_openrpc({"methods": methods}).described
    assert [bool(described.definitions) for described in found.values()] == [True, False, False]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3) | st.just("\ud800"), inner),
    max_leaves=20,
)


@given(VALUES)
def test_cleaned_value_can_be_stored_and_is_stable(value: Any) -> None:
    cleaned = clean(value)
    json.dumps(cleaned, allow_nan=False, ensure_ascii=False).encode()
    assert clean(cleaned) is cleaned


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
    assert clean(value) == cleaned


@pytest.mark.parametrize("value", [{"a": ["é😀", 1.5, None]}, [], "x", 7, [[0]] * 1_000])
def test_clean_value_is_returned_unchanged(value: Any) -> None:
    assert clean(value) is value


def nested(levels: int) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


def test_too_deep_document_is_rejected() -> None:
    assert clean(nested(MAX_LEVELS - 1))
    for levels in (MAX_LEVELS + 1, 900):
        assert (
            value_of(json.dumps(nested(levels)).encode()).refusal == "unreadable: the response has more than 200 levels"
        )
    assert value_of(b"[" * 100_000).refusal.startswith("unreadable: ")
