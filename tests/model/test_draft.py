"""A batch's text: the calls that it becomes, or what is wrong with it and where."""

from __future__ import annotations

import pytest

from rpcexplorer.model.draft import Batch, to_calls
from rpcexplorer.protocol.messages import Call
from rpcexplorer.protocol.text import Problem


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_byte_order_mark_is_no_part_of_a_batch(mark: str) -> None:
    calls = to_calls(Batch(mark + ' [{"method": "a", "params": [1.10]}, {"method": "b", "id": null}]'), "x")
    assert calls == (Call("a", "[1.10]", "x.1"), Call("b", "[]", None))


def test_a_problem_in_a_batch_behind_a_byte_order_mark_is_told_at_its_place() -> None:
    problem = to_calls(Batch('\ufeff[{"method": "a"},\n {"method": 1}]'), "x")
    assert isinstance(problem, Problem)
    assert (problem.line, problem.column, problem.what) == (2, 2, "a call needs a method")
