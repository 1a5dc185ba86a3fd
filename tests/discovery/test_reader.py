"""Methods in full: what a document says beyond the line of a method stays, in the words of the service."""

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
    """What becomes of the values of an example, of a method that takes a, b and c."""
    given = [{"name": name, "value": value} for name, value in values]
    method = {"params": [{"name": name} for name in "abc"], "examples": [{"name": "e", "params": given}]}
    return only(method | ({"paramStructure": structure} if structure else {})).examples[0].params


def test_all_that_a_method_has_is_kept() -> None:
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
        dialect="rpc.discover",
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
def test_an_example_stands_as_it_could_be_sent(values: Any, structure: str | None, params: Any) -> None:
    assert example(*values, structure=structure) == params


def test_a_value_that_lies_elsewhere_is_no_value() -> None:
    method = {"examples": [{"params": [{"name": "a", "externalValue": "https://x"}, {"name": "b", "value": None}]}]}
    assert only(method).examples[0].params == [None]


def test_a_result_without_a_schema_says_nothing_of_what_comes_back() -> None:
    assert only({"result": {"name": "r", "description": "Something"}}).result is UNSET
    assert only({"result": {"name": "r", "schema": True}}).result is True


def test_a_param_that_is_its_own_schema_is_one_without_its_name() -> None:
    (param,) = only({"params": [{"name": "a", "required": True, "type": "string"}]}).params
    assert param == DescribedParam("a", {"type": "string"}, True)


@pytest.mark.parametrize(
    ("said", "draft"),
    [
        ({"$schema": "https://meta.open-rpc.org/"}, ""),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "http://json-schema.org/draft-07/schema#"),
        (
            {"jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema"},
            "https://json-schema.org/draft/2020-12/schema",
        ),
    ],
)
def test_the_draft_is_that_of_the_schemas(said: Any, draft: str) -> None:
    assert only({}, **said).draft == draft


def test_what_is_too_much_is_left_out_from_the_schemas_on_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_HELD", 1_000)
    large = {"name": "m", "params": [{"name": "a", "schema": {"enum": ["x" * 900, "y" * 900]}}], "tags": ["t"]}
    small = {"name": "n", "params": [{"name": "a", "schema": {"enum": ["x" * 900]}}]}
    listing = read_openrpc({"methods": [large, small]})
    assert listing.described["m"].params == (DescribedParam("a", True, False),)
    assert listing.described["n"].params[0].schema == {"enum": ["x" * 900]}
    assert listing.skipped == ("schemas or examples of 1 methods skipped: more than can be stored",)


def test_behind_the_last_param_that_is_kept_stands_one_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_PARAMS", 2)
    some = [{"name": name, "required": True} for name in "abcd"]
    listing = read_openrpc({"methods": [{"name": "m", "params": some}, {"name": "n", "params": some[:2]}]})
    assert [each.name for each in listing.described["m"].params] == ["a", "b", "..."]
    assert [each.stands_for_others for each in listing.described["m"].params] == [False, False, True]
    assert [each.name for each in listing.described["n"].params] == ["a", "b"]
    assert listing.skipped == ("params of 1 methods skipped: more than can be stored",)


def test_one_large_schema_that_all_refer_to_is_counted_with_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_OF_ALL", 5_000)
    param = {"$ref": "#/p"}
    methods = [{"name": f"m{number}", "params": [param]} for number in range(10)]
    listing = read_openrpc({"methods": methods, "p": {"name": "a", "schema": {"enum": ["x" * 900]}}})
    kept = [each.params[0].schema for each in listing.described.values()]
    assert [schema is not True for schema in kept] == [True] * 5 + [False] * 5
    assert listing.skipped == ("schemas or examples of 5 methods skipped: more than can be stored",)


def test_what_schemas_refer_to_is_shared_by_all_methods() -> None:
    refer = {"params": [{"name": "a", "schema": {"$ref": "#/components/schemas/A"}}]}
    listing = read_openrpc(
        {
            "methods": [{"name": "m", **refer}, {"name": "n", **refer}],
            "components": {"schemas": {"A": {"type": "null"}}},
        }
    )
    assert listing.described["m"].definitions is listing.described["n"].definitions


def test_a_schema_that_brings_its_own_definitions_has_them() -> None:
    def method(name: str, kind: str) -> dict[str, Any]:
        schema = {"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"$ref": "#/components/schemas/S"}, "k": {"type": kind}}}
        return {"name": name, "params": [{"name": "p", "schema": {**schema, "items": {"$ref": "#/$defs/k"}}}]}

    shared = {"type": "object"}
    plain = {"name": "c", "params": [{"name": "p", "schema": {"$ref": "#/components/schemas/S"}}]}
    found = read_openrpc(
        {"methods": [method("a", "string"), method("b", "null"), plain], "components": {"schemas": {"S": shared}}}
    ).described
    assert {name: each.definitions.get("#/$defs/k") for name, each in found.items()} == {
        "a": {"type": "string"},
        "b": {"type": "null"},
        "c": None,
    }
    assert all(each.definitions["#/components/schemas/S"] is shared for each in found.values())
    assert found["a"].definitions["#/$defs/a~1b"] == {"$ref": "#/components/schemas/S"}


def test_definitions_of_their_own_cost_no_more_than_they_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_FOR_OWN", 10)
    schema = {"$ref": "#/$defs/x", "$defs": {"x": {"items": [{} for _ in range(20)]}}}
    methods = [{"name": f"m{number}", "params": [{"schema": dict(schema)}]} for number in range(3)]
    found = read_openrpc({"methods": methods}).described
    assert [bool(each.definitions) for each in found.values()] == [True, False, False]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3) | st.just("\ud800"), inner),
    max_leaves=20,
)


@given(VALUES)
def test_what_is_clean_can_be_written_and_is_clean_once_and_for_all(value: Any) -> None:
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
def test_half_characters_are_marked_and_numbers_that_are_none_are_left_out(value: Any, cleaned: Any) -> None:
    assert clean(value) == cleaned


@pytest.mark.parametrize("value", [{"a": ["é😀", 1.5, None]}, [], "x", 7, [[0]] * 1_000])
def test_what_is_clean_already_stays_the_value_that_it_is(value: Any) -> None:
    assert clean(value) is value


def nested(levels: int) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


def test_a_document_of_too_many_levels_is_refused() -> None:
    assert clean(nested(MAX_LEVELS - 1))
    for levels in (MAX_LEVELS + 1, 900):
        assert value_of(json.dumps(nested(levels)).encode()).refusal == "unreadable: it has more than 200 levels"
    assert value_of(b"[" * 100_000).refusal.startswith("unreadable: ")
