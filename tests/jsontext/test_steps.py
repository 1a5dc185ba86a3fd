"""Steps that run in turns with other tasks."""

from __future__ import annotations

import asyncio

from rpcexplorer.jsontext.steps import Steps, run_in_turns


def three_steps(heard: list[str]) -> Steps[str]:
    for _ in range(3):
        heard.append("step")
        yield
    return "done"


def test_other_tasks_run_between_steps() -> None:
    heard: list[str] = []

    async def both() -> str:
        asyncio.get_running_loop().call_soon(heard.append, "another")
        return await run_in_turns(three_steps(heard), 0)

    assert asyncio.run(both()) == "done"
    assert heard == ["step", "another", "step", "step"]
