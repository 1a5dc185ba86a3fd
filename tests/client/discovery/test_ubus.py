"""Objects and methods as OpenWrt lists them."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.discovery.lists import SESSION, objects, read_objects
from rpcexplorer.discovery.questions import Answered, Question
from rpcexplorer.model.method import Parameter
from rpcexplorer.schema.start import starting_point
from tests.client.discovery.driving import drive

OBJECTS: dict[str, Any] = {
    "network.device": {"status": {"name": "string"}, "set_state": {"name": "string", "defer": "boolean"}},
    "system": {"board": {}, "info": {}, "watchdog": {"frequency": "number", "more": "table", "list": "array"}},
}


def test_all_that_there_is_is_reached_through_one_method() -> None:
    questions, listing = drive(objects(()), Answered(OBJECTS))
    assert questions == [Question("list", '["*"]')]
    assert listing.about == "5 methods of 2 objects are called through it"
    (call,) = listing.methods
    assert (call.name, call.doc, call.by) == ("call", "Calls one of 5 methods of 2 objects", "position")
    assert call.parameters == (
        Parameter("object", True, "one of network.device | system", example="system"),
        Parameter("method", True, "string", example="board"),
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


def test_what_each_method_takes_is_one_of_what_the_last_param_may_be() -> None:
    described = read_objects(OBJECTS).described["call"]
    of, name, arguments = described.params
    assert of.schema["enum"] == ["network.device", "system"]
    assert name.schema["enum"] == ["status", "set_state", "board", "info", "watchdog"]
    status, _, board, _, watchdog = arguments.schema["anyOf"]
    assert status["properties"] == {"name": {"type": "string"}}
    assert board == {"title": "system board", "type": "object", "properties": {}}
    kinds = {key: schema["type"] for key, schema in watchdog["properties"].items()}
    assert kinds == {"frequency": "number", "more": "object", "list": "array"}
    assert described.result["items"][0]["type"] == "integer"


def test_kinds_that_json_has_not_and_methods_beyond_counting_are_anything() -> None:
    (_, _, arguments) = read_objects({"o": {"m": {"a": "blob", "b": 7}}}).described["call"].params
    assert arguments.schema["anyOf"][0]["properties"] == {"a": True, "b": True}
    (_, _, arguments) = read_objects({"o": {f"m{number}": {} for number in range(3_000)}}).described["call"].params
    assert arguments.schema == {"type": "object"}


def test_the_params_to_start_from_are_of_a_method_that_takes_none() -> None:
    assert starting_point(read_objects(OBJECTS).methods[0]) == ["system", "board", {}]
    (call,) = read_objects({"file": {"read": {"path": "string"}}}).methods
    assert starting_point(call) == ["file", "read", {}]


def test_thousands_of_methods_are_cut_at_a_number_that_is_said() -> None:
    (call,) = read_objects({"o": {f"m{number}": {} for number in range(3_000)}}).methods
    assert call.details.splitlines()[-1] == "and 2,000 more"


@pytest.mark.parametrize("value", [["system"], "text", 7, {"system": None}, {"system": ["board"]}])
def test_another_answer_is_none_of_ubus(value: Any) -> None:
    assert read_objects(value).refusal.startswith("answered, but not with objects and their methods")


@pytest.mark.parametrize("value", [None, {}, [], {"system": {}}, {"": {"a": {}}}])
def test_an_empty_answer_offers_nothing(value: Any) -> None:
    assert read_objects(value).refusal == "not offered (an empty result)"
