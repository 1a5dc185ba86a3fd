"""Work in small steps: a generator that yields after each, and returns what came of it.

Whoever has nothing else to do takes it at once, whoever has a loop in turns with others.

Steps are worth it where one call takes more than 65 ms for 100 MB, since no thread has a turn in it: to parse a reply
takes 80, to see that it is UTF-8 15 to 225 (the script decides), to search it for the spellings of a secret 220. They
are not where it takes 5, as to look for a number that is too long, or 30, as to find one string of bytes.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator, Iterator
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Steps: TypeAlias = Generator[None, None, T]


def at_once(steps: Steps[T]) -> T:
    came: list[T] = []
    deque(kept(steps, came), maxlen=0)
    return came[0]


async def run_in_turns(steps: Steps[T], run_seconds: float = 0.008, pause_seconds: float = 0.001) -> T:
    """Run steps with pauses for others, and return their result.

    With pauses of 0 a loop only looks whether there is something to do; the threads that read keys and write the screen
    would wait for the interpreter all the while.
    """
    import asyncio  # the demo imports this module, and starts without a loop

    came: list[T] = []
    until = time.perf_counter() + run_seconds
    for _ in kept(steps, came):
        if time.perf_counter() > until:
            await asyncio.sleep(pause_seconds)
            until = time.perf_counter() + run_seconds
    return came[0]


def kept(steps: Steps[T], came: list[T]) -> Iterator[None]:
    """Pass the steps on; what came of them is there behind the last."""
    came.append((yield from steps))
