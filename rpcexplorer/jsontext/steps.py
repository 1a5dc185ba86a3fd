"""Work in small steps: generators that yield after each step.

Steps are needed where one call takes more than 65 ms for 100 MB, because no other thread runs meanwhile. Parsing a
response takes 80 ms, checking its UTF-8 15 to 225 (depending on the script), searching it for the spellings of a secret
220. They are not needed to search for a number that is too long (5 ms), or for one string of bytes (30 ms).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator, Iterator
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Steps: TypeAlias = Generator[None, None, T]


def at_once(steps: Steps[T]) -> T:
    results: list[T] = []
    deque(keep_result(steps, results), maxlen=0)
    return results[0]


async def run_in_turns(steps: Steps[T], run_seconds: float = 0.008, pause_seconds: float = 0.001) -> T:
    """Run steps with pauses for other tasks, and return their result.

    With pauses of 0 the threads that read keys and write the screen would always wait for the interpreter.
    """
    import asyncio  # The demo imports this module and starts without an event loop.

    results: list[T] = []
    until = time.perf_counter() + run_seconds
    for _ in keep_result(steps, results):
        if time.perf_counter() > until:
            await asyncio.sleep(pause_seconds)
            until = time.perf_counter() + run_seconds
    return results[0]


def keep_result(steps: Steps[T], results: list[T]) -> Iterator[None]:
    """Yield the steps; append their result to the list at the end."""
    results.append((yield from steps))
