"""Reading of OpenRPC documents, valid and hostile."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.discovery.methods import Parameter
from rpcexplorer.discovery.openrpc import read_openrpc
from rpcexplorer.model.method import Described
from tests.discovery.lines import Line, lines_of


def document(*methods: Any, **more: Any) -> dict[str, Any]:
    return {"openrpc": "1.3.2", "info": {"title": "shop", "version": "1.0"}, "methods": list(methods), **more}


def in_full(*params: Any, **more: Any) -> Described:
    """Return the only method of a document, with these params."""
    members = {key: more.pop(key) for key in ("components", "$defs") if key in more}
    return read_openrpc(document({"name": "m", "params": list(params), **more}, **members)).described["m"]


def only(*params: Any, **more: Any) -> Line:
    return Line.read("m", in_full(*params, **more))


def kind(schema: Any, **more: Any) -> str:
    return only({"name": "p", "schema": schema}, **more).parameters[0].kind


def test_method_is_read_whole() -> None:
    method = only(
        {"name": "id", "required": True, "summary": "Which one", "schema": {"type": "integer", "examples": [7]}},
        {"name": "order", "schema": {"enum": ["asc", "desc"], "default": "asc"}},
        summary="Lists  users",
        description="Lists users.\n\n  Newest first.",
        paramStructure="by-name",
        result={"name": "r", "schema": {"type": "array", "items": {"type": "string"}}},
        deprecated=True,
        **{"x-auth": "inline", "x-safe": True},
    )
    assert method == Line(
        "m",
        "Lists users",
        auth="inline",
        safe=True,
        source="discovered",
        parameters=(
            Parameter("id", True, "integer", "Which one", None, 7),
            Parameter("order", False, "one of asc | desc", "", "asc", "asc"),
        ),
        by="name",
        details="Lists users.\n\nNewest first.",
        result="array of string",
        deprecated=True,
        protocol="rpc.discover",
    )


def test_references_inside_the_document_are_followed() -> None:
    components = {
        "contentDescriptors": {"Id": {"name": "id", "required": True, "schema": {"$ref": "#/components/schemas/a~1b"}}},
        "schemas": {"a/b": {"$ref": "#/components/schemas/Real"}, "Real": {"type": "integer", "default": 3}},
    }
    method = only({"$ref": "#/components/contentDescriptors/Id"}, components=components)
    assert method.parameters == (Parameter("id", True, "integer", default=3),)


def test_params_as_an_object_are_read() -> None:
    listing = read_openrpc({"methods": {"user.get": {"params": {"id": {"type": "integer", "required": True}, "x": 0}}}})
    assert lines_of(listing)[0].name == "user.get"
    assert lines_of(listing)[0].parameters == (Parameter("id", True, "integer"), Parameter("x"))


def test_invalid_and_repeated_names_are_counted() -> None:
    names: list[Any] = ["a", "a", "", " ", None, 7, ["a"], "\ud800", "n" * 257, "[/] \x1b]52;c;?\x07"]
    listing = read_openrpc(document(*({"name": name} for name in names), "text", None))
    assert [*listing.described] == ["a", "[/] \x1b]52;c;?\x07"]
    assert listing.skipped == (
        "9 names skipped: missing or invalid",
        "1 name skipped: repeated",
    )


def test_long_texts_are_cut() -> None:
    method = only({"name": "p", "description": "z" * 9_999}, summary="s" * 9_999, description="d\n" * 9_999)
    assert (len(method.doc), len(method.details), len(method.parameters[0].doc)) == (200, 2_000, 200)


@pytest.mark.parametrize(("name", "by"), [("Hydrated transactions", "position"), ("hydrated", None)])
def test_params_named_by_titles_are_sent_by_position(name: str, by: str | None) -> None:
    params = [{"name": "Block", "required": True}, {"name": name}]
    listing = read_openrpc({"methods": [{"name": "a", "params": params}, {"name": "b", "params": params[:1]}]})
    assert [method.by for method in lines_of(listing)] == [by, by]
    stated = {"methods": [{"name": "a", "params": params, "paramStructure": "by-name"}]}
    assert lines_of(read_openrpc(stated))[0].by == "name"
