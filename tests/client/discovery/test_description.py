"""Service descriptions: of the draft of JSON-RPC 1.1, and of flask-jsonrpc, in the structure of real ones."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.discovery.documents import read_service
from rpcexplorer.model.method import DescribedError, ExampleCall, Method, Parameter

DRAFT = {
    "sdversion": "1.0",
    "name": "Shop",
    "id": "urn:uuid:41544946",
    "version": "2.1",
    "procs": [
        {
            "name": "sum",
            "summary": "Adds.",
            "help": "Adds two numbers.\n\nOf any size.",
            "idempotent": True,
            "params": [{"name": "a", "type": "num"}, {"name": "b", "type": "arr"}, "c"],
            "return": {"type": "num"},
        },
        {"name": "drop", "params": [], "return": "nil"},
    ],
}
FLASK = {
    "id": "urn:uuid:6109e5f7",
    "name": "Shop",
    "version": "1.0.0",
    "servers": [{"url": "/api"}],
    "methods": {
        "add": {
            "name": "add",
            "notification": True,
            "params": [
                {"name": "a", "type": "Number", "required": True, "minimum": 1},
                {"name": "how", "type": "Object", "properties": {"x": {"name": "x", "type": "String"}}},
            ],
            "returns": {"name": "default", "type": "Object", "properties": {"sum": {"type": "Number"}}},
            "type": "method",
            "validation": True,
        },
        "rpc.describe": {"description": "Tells all", "name": "rpc.describe", "params": [], "summary": "Describe"},
    },
}


def test_the_draft_of_1_1_names_procedures_with_types_of_its_own() -> None:
    listing = read_service(DRAFT, "system.describe")
    assert (listing.about, listing.skipped) == ('"Shop 2.1"', ())
    assert listing.methods == (
        Method(
            "sum",
            "Adds.",
            safe=True,
            source="discovered",
            parameters=(Parameter("a", None, "number"), Parameter("b", None, "array"), Parameter("c")),
            details="Adds two numbers.\n\nOf any size.",
            result="number",
            dialect="system.describe",
        ),
        Method("drop", source="discovered", result="null", dialect="system.describe"),
    )


def test_flask_jsonrpc_names_methods_in_an_object() -> None:
    add, describe = read_service(FLASK, "rpc.describe").methods
    assert add == Method(
        "add",
        source="discovered",
        parameters=(Parameter("a", True, "number"), Parameter("how", None, "object")),
        result="object",
        dialect="rpc.describe",
    )
    assert (describe.doc, describe.details) == ("Describe", "Tells all")


@pytest.mark.parametrize(
    "value", [{"procs": ["a", "b"]}, {"procs": [{"name": "a"}, {"name": "b"}]}, {"methods": {"a": 1, "b": None}}]
)
def test_names_alone_are_methods(value: Any) -> None:
    assert [method.name for method in read_service(value, "x").methods] == ["a", "b"]


def test_what_has_no_name_is_counted() -> None:
    assert read_service({"procs": [{}, 7, None, {"name": "a"}]}, "x").skipped == (
        "3 left out: without a name that can be called",
    )


@pytest.mark.parametrize("value", ["text", 7, ["a"], {"name": "Shop"}, {"procs": 7}])
def test_another_answer_is_no_description(value: Any) -> None:
    assert "not with a service description" in read_service(value, "x").refusal


def test_types_in_words_of_its_own_are_schemas_that_anybody_can_check() -> None:
    total = read_service(DRAFT, "x").described["sum"]
    assert [(each.name, each.schema, each.required) for each in total.params] == [
        ("a", {"type": "number"}, None), ("b", {"type": "array"}, None), ("c", True, None),
    ]  # fmt: skip
    assert total.result == {"type": "number"}
    add = read_service(FLASK, "x").described["add"]
    assert [each.schema for each in add.params] == [
        {"type": "number", "minimum": 1},
        {"type": "object", "properties": {"x": {"type": "string"}}},
    ]
    assert add.result == {"type": "object", "properties": {"sum": {"type": "number"}}}


@pytest.mark.parametrize(
    ("said", "schema"),
    [
        ({"type": "any"}, True),
        ({"type": "Shop.Item"}, True),
        ({"type": "bit"}, {"type": "boolean"}),
        ({"type": "String", "min_length": 2, "max_digits": 4, "pattern": None}, {"type": "string", "minLength": 2}),
        ({"type": "Object", "properties": {"p": 7}}, {"type": "object", "properties": {"p": {}}}),
    ],
)
def test_a_word_that_is_no_kind_says_nothing_and_limits_are_respelled(said: Any, schema: Any) -> None:
    entry = {"name": "m", "params": [{"name": "p", **said}]}
    assert read_service({"procs": [entry]}, "x").described["m"].params[0].schema == schema


def test_errors_examples_and_tags_of_a_description_are_kept() -> None:
    entry = {
        "name": "m",
        "params": [{"name": "a", "type": "Number"}],
        "errors": [{"code": 7, "message": "no", "data": None, "status_code": 500}],
        "examples": [{"name": "e", "params": [{"name": "a", "value": 1}], "returns": {"name": "r", "value": 2}}],
        "tags": ["t"],
    }
    described = read_service({"methods": {"m": entry}}, "x").described["m"]
    assert (described.errors, described.examples, described.tags) == (
        (DescribedError(7, "no"),),
        (ExampleCall("e", [1], result=2),),
        ("t",),
    )


def test_properties_inside_properties_end_somewhere() -> None:
    deep: Any = {"type": "Object"}
    for _ in range(500):
        deep = {"type": "Object", "properties": {"p": deep}}
    assert read_service({"procs": [{"name": "m", "params": [deep]}]}, "x").described["m"].params[0].schema
