"""Answers that are names and no more."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.discovery.lists import get_methods, read_modules, read_names
from rpcexplorer.discovery.questions import Answered, Question
from rpcexplorer.model.method import Described, DescribedParam, Parameter
from tests.client.discovery.driving import drive


@pytest.mark.parametrize("dialect", ["rpc_methods", "Shelly.ListMethods"])
def test_names_are_of_the_dialect_that_told_them(dialect: str) -> None:
    listing = read_names({"version": 1, "methods": ["chain_getBlock", "state_call"]}, dialect)
    assert [(method.name, method.dialect) for method in listing.methods] == [
        ("chain_getBlock", dialect), ("state_call", dialect),
    ]  # fmt: skip


def test_modules_are_named_and_nothing_is_listed() -> None:
    listing = read_modules({"eth": "1.0", "net": "1.0"})
    assert listing.methods == ()
    assert listing.refusal.startswith("tells of modules only (eth, net)")


@pytest.mark.parametrize("value", [["eth"], "eth", 7])
def test_another_answer_names_no_modules(value: Any) -> None:
    assert read_modules(value).refusal == "answered, but not with modules by name"


def test_thousands_of_modules_are_a_short_sentence() -> None:
    assert len(read_modules({f"module{number}": "1.0" for number in range(10_000)}).refusal) < 500


GET_BLOCK = {"args": {"block_num": 0, "what": None}, "ret": {"id": "", "count": 0, "next": None}}


def test_the_signature_of_each_name_is_asked_for_by_the_way() -> None:
    no = Answered(refusal="answered: error -32000 no")
    names = Answered(["block_api.get_block", "condenser_api.ping", "known"])
    questions, listing = drive(get_methods({"known"}), names, Answered(GET_BLOCK), no)
    assert questions == [
        Question("jsonrpc.get_methods", "{}"),
        Question("jsonrpc.get_signature", '{"method":"block_api.get_block"}', aside=True),
        Question("jsonrpc.get_signature", '{"method":"condenser_api.ping"}', aside=True),
    ]
    block, ping, _ = listing.methods
    assert block.parameters == (Parameter("block_num", None, "integer"), Parameter("what", None, "null"))
    assert (block.params, block.by, block.result) == (GET_BLOCK["args"], "name", "object")
    assert (ping.parameters, listing.skipped) == ((), ("jsonrpc.get_signature: answered: error -32000 no, for 1 of 2",))
    assert listing.described == {
        "block_api.get_block": Described(
            (DescribedParam("block_num", {"type": "integer"}), DescribedParam("what", True)),
            {"type": "object", "properties": {"id": {"type": "string"}, "count": {"type": "integer"}}},
            dialect="jsonrpc.get_methods",
        )
    }


@pytest.mark.parametrize("value", [None, 7, [], {}, {"args": 7}, {"ret": {}}])
def test_a_signature_that_is_none_changes_nothing(value: Any) -> None:
    _, listing = drive(get_methods(()), Answered(["a"]), Answered(value))
    assert (listing.methods[0].parameters, listing.described) == ((), {})


def test_params_by_position_show_as_what_to_start_from() -> None:
    _, listing = drive(get_methods(()), Answered(["a"]), Answered({"args": [["name"]], "ret": []}))
    assert (listing.methods[0].params, listing.methods[0].by, listing.methods[0].result) == ([["name"]], None, "array")
    assert listing.described["a"].result == {"type": "array"}
