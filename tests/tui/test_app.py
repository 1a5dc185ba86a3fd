"""What the end of the program waits for, and what it does not."""

from __future__ import annotations

import asyncio
import threading

from rpcexplorer.tui.key_queue import run_in_thread


def test_work_that_takes_long_is_given_up_at_once_when_the_program_ends() -> None:
    """A thread of the loop would be waited for: here it works until the loop is closed, and longer."""
    begun, closed, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> str:
        begun.set()
        closed.wait(60)
        ended.set()
        return "read"

    async def leave() -> None:
        reading = asyncio.ensure_future(run_in_thread(work))
        await asyncio.sleep(0)
        begun.wait(60)
        reading.cancel()

    asyncio.run(leave())
    assert not ended.is_set()
    closed.set()
    assert ended.wait(60)
    assert asyncio.run(run_in_thread(work)) == "read"
