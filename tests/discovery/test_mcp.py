"""Tools, prompts and resources as servers of the Model Context Protocol list them."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.discovery import mcp
from rpcexplorer.discovery.mcp import MOST_PAGES, tools
from rpcexplorer.discovery.methods import Listing, Parameter
from rpcexplorer.discovery.questions import Answered, Question
from rpcexplorer.model.method import DescribedParam
from tests.discovery.driving import drive
from tests.discovery.lines import lines_of, start_of

NONE = Answered(refusal="not offered (-32601)")
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


def listed(*entries: Any, prompts: Answered = NONE, resources: Answered = NONE) -> Listing:
    return drive(tools(()), Answered({"tools": [*entries]}), prompts, resources)[1]


def test_the_schemas_of_a_tool_are_kept_whole_and_its_result_is_in_the_envelope_of_tools() -> None:
    described = listed(ADD).described["add"]
    assert described.params == (
        DescribedParam("a", ADD["inputSchema"]["properties"]["a"], True, "The first"),
        DescribedParam("b", {"$ref": "#/$defs/Number"}, True),
        DescribedParam("how", ADD["inputSchema"]["properties"]["how"], False),
    )
    assert described.definitions == {"#/$defs/Number": {"type": "integer", "minimum": 0}}
    assert described.result["properties"]["structuredContent"] is ADD["outputSchema"]
    assert {*described.result["properties"]} == {"content", "isError", "structuredContent"}
    assert (described.extra, described.dialect) == (True, "tools/list")


def test_one_reference_may_mean_two_things_in_what_goes_in_and_what_comes_out() -> None:
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
def test_params_are_found_wherever_a_schema_has_them(schema: Any, extra: bool, names: list[str]) -> None:
    described = listed({"name": "t", "inputSchema": schema}).described["t"]
    assert (described.extra, sorted(each.name for each in described.params)) == (extra, names)


def test_schemas_that_are_too_much_are_left_out_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp, "MOST_HELD", 200)
    large = {"type": "object", "properties": {f"p{number}": {} for number in range(100)}}
    listing = listed({"name": "large", "inputSchema": large}, {"name": "small", "inputSchema": {"type": "object"}})
    assert [(name, full.params) for name, full in listing.described.items()] == [("large", ()), ("small", ())]
    assert listing.skipped == ("schemas of 1 tools skipped: more than can be stored",)


@pytest.mark.parametrize(("hint", "safe"), [(True, True), (False, False), ("yes", None), (None, None)])
def test_a_tool_is_as_safe_as_its_server_says(hint: Any, safe: Any) -> None:
    assert lines_of(listed({"name": "t", "annotations": {"readOnlyHint": hint}}))[0].safe is safe


def test_all_pages_are_asked_for() -> None:
    questions, listing = drive(
        tools(()),
        Answered({"tools": [{"name": "a"}], "nextCursor": 'x"'}),
        Answered({"tools": [{"name": "b"}], "nextCursor": ""}),
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


def test_a_page_that_fails_leaves_those_before_it() -> None:
    page = Answered({"tools": [{"name": "a"}], "nextCursor": "x"})
    _, listing = drive(tools(()), page, Answered(refusal="not offered (HTTP 404)"), NONE, NONE)
    assert [*listing.described] == ["a"]
    assert listing.skipped == ("tools/list: not offered (HTTP 404)",)


def test_a_cursor_that_comes_again_ends_the_pages() -> None:
    page = Answered({"tools": [], "nextCursor": "x"})
    questions, _ = drive(tools(()), page, page, NONE, NONE)
    assert len(questions) == 4


def test_pages_without_end_are_cut_at_a_number_that_is_said() -> None:
    pages = [Answered({"tools": [{"name": f"t{at}"}], "nextCursor": f"{at}"}) for at in range(MOST_PAGES)]
    questions, listing = drive(tools(()), *pages, NONE, NONE)
    assert (len(questions), len(lines_of(listing))) == (MOST_PAGES + 2, MOST_PAGES)
    assert listing.skipped == ("tools/list: only the first 100 pages were read",)


def test_prompts_and_resources_are_behind_a_method_each_that_names_them() -> None:
    takes = [{"name": "who", "description": "Whom", "required": True}, {"name": "how"}, {"name": 7}, None]
    prompts = [{"name": "greet", "description": "Says hello"}, {"name": "bye", "arguments": takes}]
    resources = [{"uri": "demo://a.md", "name": "a", "title": "An a"}]
    listing = listed(ADD, prompts=Answered({"prompts": prompts}), resources=Answered({"resources": resources}))
    get, read = lines_of(listing)[1:]
    assert (get.name, get.doc, get.safe) == ("prompts/get", "Gets one of 2 prompts", True)
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


def test_a_tool_that_its_own_name_does_not_reach_is_said_and_not_listed() -> None:
    listing = listed({"name": "ping"}, {"name": "git/status"}, {"name": "ok"})
    assert [*listing.described] == ["ok"]
    assert listing.skipped == ("only tools/call reaches what is named like a method of the protocol: ping, git/status",)


@pytest.mark.parametrize(
    "answer", [{"prompts": 7}, {"prompts": [7, None, {}]}, [], 7, {"prompts": [{"name": 7}], "nextCursor": 7}]
)
def test_prompts_that_are_none_are_left_out(answer: Any) -> None:
    assert [method.name for method in lines_of(listed(ADD, prompts=Answered(answer)))] == ["add"]


def test_a_server_without_tools_is_in_order() -> None:
    assert listed() == Listing()
