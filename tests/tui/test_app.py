"""The end of the program and the work that it waits for."""

from __future__ import annotations

import asyncio
import threading

from rpcexplorer.tui.key_queue import run_in_thread


def test_long_work_is_abandoned_at_the_end() -> None:
    """A thread of the loop would delay the end: this work outlasts the loop."""
    started, closed, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> str:
        started.set()
        closed.wait(60)
        ended.set()
        return "read"

    async def leave() -> None:
        reading = asyncio.ensure_future(run_in_thread(work))
        await asyncio.sleep(0)
        started.wait(60)
        reading.cancel()

    asyncio.run(leave())
    assert not ended.is_set()
    closed.set()
    assert ended.wait(60)
    assert asyncio.run(run_in_thread(work)) == "read"
