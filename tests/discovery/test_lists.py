"""Lists of names with help texts, ubus, modules and Graphene."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from rpcexplorer.discovery.lists import (
    GET_METHODS,
    NAME_LISTS,
    SESSION,
    objects,
    read_modules,
    read_names,
    read_objects,
    with_help,
    with_signatures,
)
from rpcexplorer.discovery.methods import Parameter
from rpcexplorer.discovery.questions import Answer, Question
from rpcexplorer.model.method import Described, DescribedParam
from tests.discovery.driving import drive
from tests.discovery.lines import lines_of

PLAIN = Described(protocol="system.listMethods")


@pytest.mark.parametrize(
    "value",
    [
        ["a", "b"],
        [{"name": "a", "params": []}, {"name": "b"}],
        {"methods": ["a", "b"]},
        {"a": {"doc": "x"}, "b": None},
        {"methods": {"a": 1, "b": 2}},
        ["a", "b", "a"],
    ],
)
def test_names_are_found_in_every_form(value: Any) -> None:
    listing = read_names(value, "system.listMethods")
    assert [*listing.described] == ["a", "b"]
    assert {(method.source, method.protocol) for method in lines_of(listing)} == {("discovered", "system.listMethods")}
    assert (listing.skipped, listing.refusal) == ((), "")


def test_invalid_names_are_counted() -> None:
    listing = read_names(["ok", 7, None, [], {"name": 1}, "\udfff", "x" * 999], "system.listMethods")
    assert [*listing.described] == ["ok"]
    assert listing.skipped == ("6 names skipped: missing or invalid",)


def test_too_many_names_are_cut_and_counted() -> None:
    listing = read_names([f"m{number}" for number in range(100_000)], "system.listMethods")
    assert len(lines_of(listing)) == 20_000
    assert listing.skipped == ("80,000 names skipped: more than 20,000",)


def test_help_becomes_a_line_and_unindented_details() -> None:
    method = with_help(PLAIN, "\n    Gets a user\n    by number.\n\n    :param id:\n        which one\n    ")
    assert method.doc == "Gets a user by number."
    assert method.details == "Gets a user\nby number.\n\n:param id:\n    which one"


@pytest.mark.parametrize("value", [None, "", "  \n", 7, [], ["text"], {}, {"help": 7}])
def test_invalid_help_changes_nothing(value: Any) -> None:
    assert with_help(PLAIN, value) == PLAIN


@pytest.mark.parametrize("value", [None, "signatures not supported", "undef", 7, [], [[]], [7], {"a": 1}])
def test_invalid_signature_changes_nothing(value: Any) -> None:
    assert with_signatures(PLAIN, value) == PLAIN


@pytest.mark.parametrize(
    ("value", "params", "result"),
    [
        ([[], "junk", ["struct", "int", "string"]], [("integer", True), ("string", True)], {"type": "object"}),
        (
            [["int", "int"], ["int", "str", "bool"]],
            [(["integer", "string"], True), ("boolean", False)],
            {"type": "integer"},
        ),
        (["undef", "str"], [("string", True)], UNSET),
        ([["dateTime.iso8601", "base64"]], [("string", True)], {"type": "string"}),
        ([["array"], ["struct"]], [], {"type": ["array", "object"]}),
    ],
)
def test_signatures_are_merged_by_position(value: Any, params: Any, result: Any) -> None:
    described = with_signatures(PLAIN, value)
    assert [(param.schema["type"], param.required) for param in described.params] == params
    assert (described.result, described.extra, described.protocol) == (result, False, "system.listMethods")


def test_type_unknown_to_json_allows_any_value() -> None:
    described = with_signatures(PLAIN, [["Some.Class", "Other.Class", {"a": 1}, "any"]])
    assert [(param.schema, param.kind) for param in described.params] == [
        (True, "Other.Class"),
        (True, ""),
        (True, ""),
    ]
    assert (described.result, described.result_kind) == (UNSET, "Some.Class")


OBJECTS: dict[str, Any] = {
    "network.device": {"status": {"name": "string"}, "set_state": {"name": "string", "defer": "boolean"}},
    "system": {"board": {}, "info": {}, "watchdog": {"frequency": "number", "more": "table", "list": "array"}},
}


def test_ubus_methods_are_reached_through_call() -> None:
    questions, listing = drive(objects(()), Answer(OBJECTS))
    assert questions == [Question("list", '["*"]')]
    assert listing.about == "which calls 5 methods of 2 objects"
    (call,) = lines_of(listing)
    assert (call.name, call.doc, call.by) == (
        "call",
        "Calls a method of an object (5 methods of 2 objects)",
        "position",
    )
    assert call.parameters == (
        Parameter("object", True, "one of system | network.device", example="system"),
        Parameter("method", True, "one of board | status | set_state | info | watchdog", example="board"),
        Parameter("arguments", True, "object"),
    )
    assert call.details.splitlines() == [
        SESSION,
        "",
        "network.device status {name: string}",
        "network.device set_state {name: string, defer: boolean}",
        "system board",
        "system info",
        "system watchdog {frequency: number, more: object, list: array}",
    ]


def test_unknown_types_and_too_many_methods_allow_anything() -> None:
    (_, _, arguments) = read_objects({"o": {"m": {"a": "blob", "b": 7}}}).described["call"].params
    assert arguments.schema["anyOf"][0]["properties"] == {"a": True, "b": True}
    call = read_objects({"o": {f"m{number}": {} for number in range(3_000)}}).described["call"]
    assert call.params[2].schema == {"type": "object"}
    assert call.details.splitlines()[-1] == "o m2999"


def test_modules_are_named_without_methods() -> None:
    listing = read_modules({"eth": "1.0", "net": "1.0"})
    assert lines_of(listing) == ()
    assert listing.refusal.startswith("the server lists only modules (eth, net)")


GET_BLOCK = {"args": {"block_num": 0, "what": None}, "ret": {"id": "", "count": 0, "next": None}}


def test_graphene_signature_of_each_name_is_requested() -> None:
    no = Answer(refusal="error -32000 no")
    names = Answer(["block_api.get_block", "condenser_api.ping", "known"])
    questions, listing = drive(NAME_LISTS[GET_METHODS]({"known"}), names, Answer(GET_BLOCK), no)
    assert questions == [
        Question("jsonrpc.get_methods", "{}"),
        Question("jsonrpc.get_signature", '{"method":"block_api.get_block"}', aside=True),
        Question("jsonrpc.get_signature", '{"method":"condenser_api.ping"}', aside=True),
    ]
    block, ping, _ = lines_of(listing)
    assert block.parameters == (Parameter("block_num", None, "integer"), Parameter("what"))
    assert (block.params, block.by, block.result) == (GET_BLOCK["args"], "name", "object")
    assert (ping.parameters, listing.skipped) == ((), ("jsonrpc.get_signature for 1 of 2 methods: error -32000 no",))
    assert listing.described["block_api.get_block"] == Described(
        (DescribedParam("block_num", {"type": "integer"}), DescribedParam("what", True)),
        {"type": "object", "properties": {"id": {"type": "string"}, "count": {"type": "integer"}}},
        protocol="jsonrpc.get_methods",
        by="name",
        start=GET_BLOCK["args"],
    )


@pytest.mark.parametrize("value", [None, 7, [], {}, {"args": 7}, {"ret": {}}])
def test_invalid_graphene_signature_changes_nothing(value: Any) -> None:
    _, listing = drive(NAME_LISTS[GET_METHODS](()), Answer(["a"]), Answer(value))
    assert listing.described == {"a": Described(protocol=GET_METHODS)}
