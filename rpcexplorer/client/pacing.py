"""Steps on a loop: everybody else has a turn in between, so that typing goes on."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from rpcexplorer.jsontext.steps import Steps, T, kept

TURN: Final = 0.008
"""Seconds of steps in a row."""
PAUSE: Final = 0.001
"""Seconds for others. With none at all a loop only looks whether there is something to do; the threads that read keys
and write the screen would wait for the interpreter all the while."""


async def in_turns(steps: Steps[T]) -> T:
    came: list[T] = []
    until = time.perf_counter() + TURN
    for _ in kept(steps, came):
        if time.perf_counter() > until:
            await asyncio.sleep(PAUSE)
            until = time.perf_counter() + TURN
    return came[0]
