"""Methods written as an OpenRPC document and read back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.demo.declaration import document as demo_document
from rpcexplorer.demo.methods import TABLE
from rpcexplorer.discovery.documents import read_document
from rpcexplorer.discovery.interview import discovery_of
from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.openrpc import openrpc_document, openrpc_text
from rpcexplorer.model.method import Described, DescribedParam, ExampleCall, Method
from rpcexplorer.model.problem import UserError
from rpcexplorer.schema.node import SchemaReader
from tests.corpora.documents import KODI, document
from tests.discovery.lines import lines_of, start_of

COMPONENTS_PATH = "#/components/schemas/"


def written(listing: Listing) -> str:
    found = discovery_of(datetime(2026, 1, 2, tzinfo=UTC), listing, ())
    return openrpc_text(openrpc_document("shop", found.methods, found.described.get, found.events))


def assert_read_back(listing: Listing) -> None:
    text = written(listing)
    again = read_document(json.loads(text), next(iter(listing.described.values())).protocol)
    assert written(again) == text
    before, after = ({line.name: line for line in lines_of(found)} for found in (listing, again))
    assert after == before
    assert again.events.keys() == listing.events.keys()
    for name in after:
        old, new = listing.described[name], again.described[name]
        assert start_of(new) == start_of(old)
        for was, now in zip(old.params, new.params, strict=True):
            reader, other = SchemaReader(old.definitions), SchemaReader(new.definitions)
            node, same = reader.node(was.schema), other.node(now.schema)
            assert (same.kinds, same.choices, same.limits) == (node.kinds, node.choices, node.limits)
            assert (list(same.properties), same.required) == (list(node.properties), node.required)
            assert (now.name, now.required, now.doc) == (was.name, was.required, was.doc)
        assert (len(new.errors), len(new.examples), new.tags) == (len(old.errors), len(old.examples), old.tags)


def test_demo_methods_are_read_back_unchanged() -> None:
    assert_read_back(read_document(demo_document(TABLE.values()), "shop"))


@pytest.mark.thorough
def test_kodi_types_and_events_are_read_back_unchanged() -> None:
    assert_read_back(read_document(document(KODI), "kodi"))


def test_references_become_components_and_nothing_else_changes() -> None:
    one: dict[str, Any] = {
        "A": {"extends": ["B", "nowhere"], "properties": {"$ref": {"$ref": "A"}, "default": {"$ref": "B"}}},
        "B": {"enum": [{"$ref": "A"}], "default": {"$ref": "A"}, "not": {"$ref": "https://other.example/x"}},
        "#": {"methods": []},
        "#/definitions/A": True,
    }
    other = {"B": {"type": "null"}}
    full = {
        "one": Described((DescribedParam("a", {"$ref": "A"}), DescribedParam("b", {"$ref": "#"})), definitions=one),
        "same": Described(result={"items": [{"$ref": "#/definitions/A"}]}, definitions=one),
        "other": Described(result={"$ref": "B"}, definitions=other),
    }
    made = openrpc_document("shop", [Method(name) for name in full], full.get)
    schemas = made["components"]["schemas"]
    assert schemas == {
        "A": True,
        "A_2": {
            "extends": [f"{COMPONENTS_PATH}B", "nowhere"],
            "properties": {"$ref": {"$ref": f"{COMPONENTS_PATH}A_2"}, "default": {"$ref": f"{COMPONENTS_PATH}B"}},
        },
        "B": one["B"],
        "B_2": {"type": "null"},
    }
    by_name = {method["name"]: method for method in made["methods"]}
    assert [param["schema"] for param in by_name["one"]["params"]] == [{"$ref": f"{COMPONENTS_PATH}A_2"}, {"$ref": "#"}]
    assert by_name["same"]["result"]["schema"] == {"items": [{"$ref": f"{COMPONENTS_PATH}A"}]}
    assert by_name["other"]["result"]["schema"] == {"$ref": f"{COMPONENTS_PATH}B_2"}
    assert one["A"]["extends"] == ["B", "nowhere"]


def test_method_without_description_is_written_from_its_line() -> None:
    line = Method("m", "Does", auth="none", safe=True, deprecated=True)
    (entry,) = openrpc_document("shop", [line], lambda _: None)["methods"]
    assert entry == {
        "name": "m", "summary": "Does", "deprecated": True, "params": [], "x-safe": True, "x-auth": "none",
    }  # fmt: skip


def test_params_without_names_are_written_by_position() -> None:
    full = Described((DescribedParam("", {"type": "integer"}, True),))
    (entry,) = openrpc_document("shop", [Method("m")], lambda _: full)["methods"]
    assert entry["paramStructure"] == "by-position"
    assert entry["params"] == [{"name": "param1", "required": True, "schema": {"type": "integer"}}]


def test_examples_are_written_with_param_names() -> None:
    params = (DescribedParam("a"), DescribedParam("b"))
    full = Described(params, examples=(ExampleCall("x", [1, 2, 3]), ExampleCall("y", {"b": 5}, result=None)))
    (entry,) = openrpc_document("shop", [Method("m")], lambda _: full)["methods"]
    assert entry["examples"] == [
        {"name": "x", "params": [{"name": name, "value": at} for at, name in enumerate(("a", "b", "param3"), start=1)]},
        {"name": "y", "params": [{"name": "b", "value": 5}], "result": {"name": "result", "value": None}},
    ]


def test_surrogates_are_escaped_and_deep_schemas_rejected() -> None:
    text = openrpc_text({"é": "\ud800"})
    assert json.loads(text) == {"é": "\ud800"}
    assert text.isascii()
    assert "é" in openrpc_text({"é": 1})
    deep: Any = {}
    for _ in range(5_000):
        deep = {"items": deep}
    made = openrpc_document("shop", [Method("m")], lambda _: Described(result=deep))
    with pytest.raises(UserError):
        openrpc_text(made)


_NAMES = st.sampled_from(["A", "B", "#/definitions/A", "#/x/y~1z", "https://a.example/b#c", "", "é"])
_SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.booleans(), st.builds(lambda name: {"$ref": name}, _NAMES), st.just({"type": "integer"})),
    lambda inner: st.one_of(
        st.dictionaries(st.sampled_from(["properties", "default", "$ref"]), st.dictionaries(_NAMES, inner, max_size=2)),
        st.builds(lambda items: {"items": items}, inner),
        st.builds(lambda parts: {"allOf": parts}, st.lists(inner, max_size=2)),
    ),
    max_leaves=6,
)


@pytest.mark.thorough
@given(st.dictionaries(_NAMES, _SCHEMAS, max_size=4), _SCHEMAS)
def test_any_schema_keeps_its_reference_targets(definitions: dict[str, Any], schema: Any) -> None:
    full = Described((DescribedParam("x", schema),), definitions=definitions)
    text = openrpc_text(openrpc_document("shop", [Method("m")], lambda _: full))
    listing = read_document(json.loads(text), "shop")
    assert written(listing) == text
    new = listing.described["m"]
    before, after = (SchemaReader(described.definitions).node(described.params[0].schema) for described in (full, new))
    assert (after.kinds, list(after.properties)) == (before.kinds, list(before.properties))
