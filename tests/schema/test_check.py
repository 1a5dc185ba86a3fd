"""Checks through the real process: right verdicts in time, for any schema."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest

from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.problem import Checked
from rpcexplorer.schema.check import MAX_PARAMS_CHARACTERS, Checker

T = TypeVar("T")


def used(use: Callable[[Checker], Awaitable[T]], **options: Any) -> T:
    """Use a checker, close it, and return the result."""

    async def run() -> T:
        checker = Checker(**options)
        try:
            return await use(checker)
        finally:
            await checker.close()

    return asyncio.run(run())


def taking(definitions: dict[str, Any] | None = None, **params: Any) -> Described:
    """Describe a method whose params have these schemas."""
    return Described(tuple(DescribedParam(*param) for param in params.items()), definitions=definitions or {})


def checked(described: Described, *texts: str, **options: Any) -> list[Checked]:
    async def all_of_them(checker: Checker) -> list[Checked]:
        return [await checker.params(described, text) for text in texts]

    return used(all_of_them, **options)


def doubling(levels: int = 40) -> Described:
    """Return a schema whose alternatives double at each level.

    No schema takes longer to check.
    """
    known: dict[str, Any] = {
        f"#/{level}": {"anyOf": [{"$ref": f"#/{level + 1}"}, {"allOf": [{"$ref": f"#/{level + 1}"}]}]}
        for level in range(levels)
    }
    return taking({**known, f"#/{levels}": {"type": "string"}}, a={"$ref": "#/0"})


def test_params_over_one_megabyte_are_not_checked() -> None:
    long = f'["{"x" * MAX_PARAMS_CHARACTERS}"]'
    found = checked(taking(a={"type": "integer"}), long, program=("/nowhere",))
    assert found == [Checked(why_not="the params are larger than 1 MB")]


def test_check_that_times_out_is_not_repeated() -> None:
    async def use(checker: Checker) -> list[str]:
        first = await checker.params(doubling(), '{"a": 1}')
        pid = checker.pid
        second = await checker.params(doubling(), '{"a": 1}')
        third = await checker.params(doubling(), '{"a": 1}')
        method = taking(a={"type": "string"})
        other = await checker.params(method, '{"a": "b"}')
        if other.why_not:  # a busy machine may be that slow once
            other = await checker.params(method, '{"a": "b"}')
        return [first.why_not, str(pid), second.why_not, third.why_not, other.why_not]

    first, pid, second, third, other = used(use, deadline=0.2)
    assert (first, pid, second) == ("the check took too long", "None", "the check took too long")
    assert third == "earlier checks with this schema took too long"
    assert other == ""


def test_cancelled_check_does_not_delay_the_next() -> None:
    method = taking(a={"type": "string"})

    async def use(checker: Checker) -> Checked:
        impatient = [asyncio.ensure_future(checker.params(method, f'{{"a": {number}}}')) for number in range(20)]
        await checker.params(method, "[]")
        for task in impatient[::2]:
            task.cancel()
        kept = await asyncio.gather(*impatient[1::2])
        assert all(len(result.problems) == 1 for result in kept)
        pid, under_way = checker.pid, asyncio.ensure_future(checker.params(method, '{"a": 5}'))
        for _ in range(5):
            await asyncio.sleep(0)
        under_way.cancel()
        assert len((await checker.params(method, '{"a": 6}')).problems) == 1
        assert checker.pid == pid
        return await checker.params(method, '{"a": "x"}')

    assert used(use).is_right


def test_loop_that_ends_during_check_leaves_no_process() -> None:
    """The checker is not closed, as when the program is interrupted."""
    pids: list[int | None] = []

    async def run() -> None:
        checker = Checker(deadline=60)
        await checker.params(taking(a={"type": "string"}), "{}")
        pids.append(checker.pid)
        asyncio.ensure_future(checker.params(doubling(), '{"a": 1}'))  # noqa: RUF006 - it is cancelled with the loop
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    asyncio.run(run())
    assert pids[0] is not None
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def test_schema_nested_too_deep_is_not_checked() -> None:
    schema: Any = {}
    for _ in range(1_000):
        schema = {"items": schema}
    assert checked(taking(a=schema), "[1]")[0].why_not == "the schema is nested too deeply"


def test_killed_process_starts_again() -> None:
    method = taking(a={"type": "string"})

    def end(pid: int) -> None:
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)

    async def use(checker: Checker) -> int | None:
        await checker.params(method, "[]")
        assert checker.pid is not None
        await asyncio.to_thread(end, checker.pid)
        assert (await checker.params(method, '{"a": "x"}')).is_right
        return checker.pid

    pid = used(use)
    assert pid is not None
    with pytest.raises(ProcessLookupError):  # the new one ends with the checker
        os.kill(pid, 0)


@pytest.mark.parametrize("program", [("/no/such/program",), (sys.executable, "-c", "print('hello')")])
def test_no_process_means_no_check_and_a_reason(program: tuple[str, ...]) -> None:
    found = checked(taking(a={"type": "string"}), '{"a": 1}', program=program)
    assert found[0].why_not.startswith("the schema checker does not start")


def test_busy_threads_of_the_loop_delay_no_check() -> None:
    async def use(checker: Checker) -> Checked:
        go = threading.Event()
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        waiting = loop.run_in_executor(None, go.wait)
        try:
            return await checker.params(taking(a={"type": "string"}), '{"a": "x"}')
        finally:
            go.set()
            await waiting

    assert used(use).is_right
