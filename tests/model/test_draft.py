"""A batch's text: the calls that it becomes, or what is wrong with it and where."""

from __future__ import annotations

import json

import pytest

from rpcexplorer.jsontext.typed.params import Params, Problem
from rpcexplorer.model.draft import Batch, judged, to_calls
from rpcexplorer.protocol.messages import Call


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_byte_order_mark_is_no_part_of_a_batch(mark: str) -> None:
    calls = to_calls(Batch(mark + ' [{"method": "a", "params": [1.10]}, {"method": "b", "id": null}]'), "x")
    assert calls == (Call("a", "[1.10]", "x.1"), Call("b", "[]", None))


def test_a_problem_in_a_batch_behind_a_byte_order_mark_is_told_at_its_place() -> None:
    problem = to_calls(Batch('\ufeff[{"method": "a"},\n {"method": 1}]'), "x")
    assert isinstance(problem, Problem)
    assert (problem.line, problem.column, problem.what) == (2, 2, "a call needs a method")


def test_a_name_that_stands_twice_is_remarked_and_the_params_are_sent_as_typed() -> None:
    read, remark = judged('{"id": 1, "id": 2}')
    assert isinstance(read, Params)
    assert (read.text, read.remark) == ('{"id":1,"id":2}', "object with 2 members")
    assert remark == "\u201cid\u201d twice in one object: sent as typed"
    assert judged('{"id": 1}')[1] == judged('{"id": 1, "id": ')[1] == judged("")[1] == ""


@pytest.mark.parametrize("name", ["", " ", "\t"])
def test_a_batch_in_which_a_method_has_no_name_is_a_problem_at_its_place(name: str) -> None:
    problem = to_calls(Batch(f'[{{"method": "a"}},\n {{"method": {json.dumps(name)}}}]'), "x")
    assert isinstance(problem, Problem)
    assert (problem.line, problem.what) == (2, "the method of this call has no name")
