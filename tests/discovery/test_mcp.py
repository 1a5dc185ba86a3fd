"""Tools, prompts and resources of Model Context Protocol servers."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.discovery import reader
from rpcexplorer.discovery.mcp import MAX_PAGES, tools
from rpcexplorer.discovery.methods import Listing, Parameter
from rpcexplorer.discovery.questions import Answer, Question
from rpcexplorer.model.method import DescribedParam
from tests.discovery.driving import drive
from tests.discovery.lines import lines_of, start_of

NONE = Answer(refusal="not offered (-32601)")
ADD: dict[str, Any] = {
    "name": "add",
    "description": "Adds two numbers.\n\nBoth are needed.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "a": {"title": "A", "type": "integer", "description": "The first"},
            "b": {"$ref": "#/$defs/Number"},
            "how": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": "fast"},
        },
        "required": ["a", "b"],
        "$defs": {"Number": {"type": "integer", "minimum": 0}},
    },
    "outputSchema": {"type": "object", "properties": {"result": {"type": "integer"}}},
    "annotations": {"title": "Add", "readOnlyHint": True},
}


def listed(*entries: Any, prompts: Answer = NONE, resources: Answer = NONE) -> Listing:
    return drive(tools(()), Answer({"tools": [*entries]}), prompts, resources)[1]


def test_tool_keeps_its_schemas_and_result_envelope() -> None:
    described = listed(ADD).described["add"]
    assert described.params == (
        DescribedParam("a", ADD["inputSchema"]["properties"]["a"], True, "The first"),
        DescribedParam("b", {"$ref": "#/$defs/Number"}, True),
        DescribedParam("how", ADD["inputSchema"]["properties"]["how"], False),
    )
    assert described.definitions == {"#/$defs/Number": {"type": "integer", "minimum": 0}}
    assert described.result["properties"]["structuredContent"] is ADD["outputSchema"]
    assert {*described.result["properties"]} == {"content", "isError", "structuredContent"}
    assert (described.extra, described.protocol) == (True, "tools/list")


def test_input_and_output_references_are_kept_apart() -> None:
    def schema(kind: str) -> dict[str, Any]:
        inner = {"type": "object", "properties": {"next": {"$ref": "#/$defs/X"}, "kind": {"type": kind}}}
        return {"type": "object", "properties": {"x": {"$ref": "#/$defs/X"}}, "$defs": {"X": inner}}

    described = listed({"name": "t", "inputSchema": schema("string"), "outputSchema": schema("integer")}).described["t"]
    result = described.result["properties"]["structuredContent"]
    assert described.params[0].schema == {"$ref": "#/$defs/X"}
    assert result["properties"]["x"] == {"$ref": "output#/$defs/X"}
    assert described.definitions["#/$defs/X"]["properties"]["kind"] == {"type": "string"}
    of_output = described.definitions["output#/$defs/X"]["properties"]
    assert of_output == {"next": {"$ref": "output#/$defs/X"}, "kind": {"type": "integer"}}


@pytest.mark.parametrize(
    ("schema", "extra", "names"),
    [
        (
            {"$ref": "#/$defs/In", "$defs": {"In": {"properties": {"a": True}, "additionalProperties": False}}},
            False,
            ["a"],
        ),
        ({"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}, "required": ["b"]}]}, True, ["a", "b"]),
        ({"properties": {"": {}, "b": 7, "c": {}}, "additionalProperties": False}, True, ["c"]),
        (7, True, []),
        (None, True, []),
    ],
)
def test_params_are_found_anywhere_in_a_schema(schema: Any, extra: bool, names: list[str]) -> None:
    described = listed({"name": "t", "inputSchema": schema}).described["t"]
    assert (described.extra, sorted(param.name for param in described.params)) == (extra, names)


def test_too_large_schemas_are_skipped_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_ADDED_CHARACTERS", 200)
    large = {"type": "object", "properties": {f"p{number}": {} for number in range(100)}}
    small = {"type": "object", "properties": {"a": {}}}
    listing = listed({"name": "small", "inputSchema": small}, {"name": "large", "inputSchema": large})
    assert [(name, len(full.params)) for name, full in listing.described.items()] == [("small", 1), ("large", 0)]
    assert listing.skipped == ("1 part skipped: the description is too large with them",)


@pytest.mark.parametrize(("hint", "safe"), [(True, True), (False, False), ("yes", None), (None, None)])
def test_tool_is_safe_if_the_server_says_so(hint: Any, safe: Any) -> None:
    assert lines_of(listed({"name": "t", "annotations": {"readOnlyHint": hint}}))[0].safe is safe


def test_all_pages_are_requested() -> None:
    questions, listing = drive(
        tools(()),
        Answer({"tools": [{"name": "a"}], "nextCursor": 'x"'}),
        Answer({"tools": [{"name": "b"}], "nextCursor": ""}),
        NONE,
        NONE,
    )
    assert questions == [
        Question("tools/list", "{}"),
        Question("tools/list", r'{"cursor":"x\""}', aside=True),
        Question("prompts/list", "{}", aside=True),
        Question("resources/list", "{}", aside=True),
    ]
    assert [*listing.described] == ["a", "b"]


def test_failed_page_keeps_the_pages_before_it() -> None:
    page = Answer({"tools": [{"name": "a"}], "nextCursor": "x"})
    _, listing = drive(tools(()), page, Answer(refusal="not offered (HTTP 404)"), NONE, NONE)
    assert [*listing.described] == ["a"]
    assert listing.skipped == ("tools/list: not offered (HTTP 404)",)


def test_repeated_cursor_ends_the_pages() -> None:
    page = Answer({"tools": [], "nextCursor": "x"})
    questions, _ = drive(tools(()), page, page, NONE, NONE)
    assert len(questions) == 4


def test_endless_pages_are_cut_and_reported() -> None:
    pages = [Answer({"tools": [{"name": f"t{at}"}], "nextCursor": f"{at}"}) for at in range(MAX_PAGES)]
    questions, listing = drive(tools(()), *pages, NONE, NONE)
    assert (len(questions), len(lines_of(listing))) == (MAX_PAGES + 2, MAX_PAGES)
    assert listing.skipped == ("tools/list: only the first 100 pages were read",)


def test_prompts_and_resources_are_one_method_each() -> None:
    takes = [{"name": "who", "description": "Whom", "required": True}, {"name": "how"}, {"name": 7}, None]
    prompts = [{"name": "greet", "description": "Says hello"}, {"name": "bye", "arguments": takes}]
    resources = [{"uri": "demo://a.md", "name": "a", "title": "An a"}]
    listing = listed(ADD, prompts=Answer({"prompts": prompts}), resources=Answer({"resources": resources}))
    get, read = lines_of(listing)[1:]
    assert (get.name, get.doc, get.safe) == ("prompts/get", "Gets a prompt of the server (2 prompts)", True)
    assert get.parameters == (
        Parameter("name", True, "one of greet | bye", example="greet"),
        Parameter("arguments", False, "object"),
    )
    assert get.details == "greet: Says hello\nbye"
    name, arguments = listing.described["prompts/get"].params
    assert (name.schema["enum"], name.required, arguments.required) == (["greet", "bye"], True, False)
    greet, bye = arguments.schema["anyOf"]
    assert (greet, bye["required"]) == ({"title": "greet", "type": "object", "properties": {}}, ["who"])
    assert bye["properties"] == {"who": {"type": "string", "description": "Whom"}, "how": {"type": "string"}}
    (uri,) = listing.described["resources/read"].params
    assert (uri.schema, uri.required) == ({"type": "string", "examples": ["demo://a.md"]}, True)
    starts = [start_of(listing.described[name]) for name in ("prompts/get", "resources/read")]
    assert starts == [{"name": "greet"}, {"uri": "demo://a.md"}]
    assert read.details == "demo://a.md: An a"


def test_tool_named_like_an_mcp_method_is_skipped() -> None:
    listing = listed({"name": "ping"}, {"name": "git/status"}, {"name": "ok"})
    assert [*listing.described] == ["ok"]
    assert listing.skipped == (
        "tools with the name of an MCP method skipped: ping, git/status. Call them with tools/call",
    )


@pytest.mark.parametrize(
    "answer", [{"prompts": 7}, {"prompts": [7, None, {}]}, [], 7, {"prompts": [{"name": 7}], "nextCursor": 7}]
)
def test_invalid_prompts_are_left_out(answer: Any) -> None:
    assert [method.name for method in lines_of(listed(ADD, prompts=Answer(answer)))] == ["add"]


def test_server_without_tools_is_valid() -> None:
    assert listed() == Listing()
