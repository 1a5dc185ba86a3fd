"""Work in small steps on the loop of the screen, with pauses in which keys are heard and lines drawn."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import closing
from typing import Final, TypeVar

T = TypeVar("T")
SLICE: Final = 0.006
"""Seconds of steps in a row."""
PAUSE: Final = 0.002
"""Seconds for everybody else: a key takes a dozen callbacks before it is seen on screen."""


async def paced(steps: Iterator[T]) -> AsyncIterator[T]:
    until = time.perf_counter() + SLICE
    for step in steps:
        yield step
        if time.perf_counter() > until:
            await asyncio.sleep(PAUSE)
            until = time.perf_counter() + SLICE


async def in_turns(steps: Generator[None, None, T]) -> T:
    """What comes of the steps; whoever is stopped meanwhile stops them."""
    came: list[T] = []

    def all_of_them() -> Iterator[None]:
        came.append((yield from steps))

    with closing(steps):
        async for _ in paced(all_of_them()):
            pass
    return came[0]
