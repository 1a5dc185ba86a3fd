"""Texts against the schemas of a service, through the real process: right verdicts, in time, whatever the schema is."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from rpcexplorer.checking.checker import Checker
from rpcexplorer.model.schema.checked import Checked
from rpcexplorer.model.schema.described import Described, DescribedParam

T = TypeVar("T")


def used(use: Callable[[Checker], Awaitable[T]], **options: Any) -> T:
    """What comes of a checker that is closed afterwards."""

    async def run() -> T:
        checker = Checker(**options)
        try:
            return await use(checker)
        finally:
            await checker.close()

    return asyncio.run(run())


def taking(definitions: dict[str, Any] | None = None, **params: Any) -> Described:
    """A method whose params have these schemas."""
    return Described(tuple(DescribedParam(*each) for each in params.items()), definitions=definitions or {})


def checked(described: Described, *texts: str, **options: Any) -> list[Checked]:
    async def all_of_them(checker: Checker) -> list[Checked]:
        return [await checker.params(described, text) for text in texts]

    return used(all_of_them, **options)


def test_params_are_checked_as_they_are_given() -> None:
    method = taking(count={"type": "Number"}, kind={"enum": ["a", "b"]})
    right, wrong, placed = checked(method, '{"count": 1.5}', '{"count": "x",\n "kind": 3}', "[1, 5]")
    assert right.is_right
    assert [(each.pointer, each.line, each.column) for each in wrong.problems] == [
        (("count",), 1, 11),
        (("kind",), 2, 10),
    ]
    assert [each.pointer for each in placed.problems] == [(1,)]


def test_a_check_that_does_not_end_is_ended_and_its_schema_left_alone() -> None:
    """Alternatives that double at each of many levels: there is no schema that would take longer."""
    levels = 40
    doubling: dict[str, Any] = {
        f"#/{level}": {"anyOf": [{"$ref": f"#/{level + 1}"}, {"allOf": [{"$ref": f"#/{level + 1}"}]}]}
        for level in range(levels)
    }
    endless = taking({**doubling, f"#/{levels}": {"type": "string"}}, a={"$ref": "#/0"})

    async def use(checker: Checker) -> list[str]:
        first = await checker.params(endless, '{"a": 1}')
        pid = checker.pid
        again = await checker.params(endless, '{"a": 1}')
        other = await checker.params(taking(a={"type": "string"}), '{"a": "b"}')
        return [first.why_not, str(pid), again.why_not, other.why_not]

    first, pid, again, other = used(use, deadline=0.2)
    assert (first, pid) == ("the check came to no end", "None")
    assert again == "a check by its schema came to no end before"
    assert other == ""


def test_the_process_ends_with_the_program_and_leaves_nothing() -> None:
    async def use(checker: Checker) -> int | None:
        await checker.params(taking(a={"type": "string"}), '{"a": 1}')
        return checker.pid

    pid = used(use)
    assert pid is not None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize("program", [("/no/such/program",), (sys.executable, "-c", "print('hello')")])
def test_where_no_process_starts_nothing_is_checked_and_it_is_said_so(program: tuple[str, ...]) -> None:
    found = checked(taking(a={"type": "string"}), '{"a": 1}', program=program)
    assert found[0].why_not.startswith("the process that checks does not start")
