"""Work in small steps: a generator that yields after each, and returns what came of it.

Whoever has nothing else to do takes it at once. How others get a turn in between is for those who have a loop.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Steps: TypeAlias = Generator[None, None, T]


def at_once(steps: Steps[T]) -> T:
    """Take all steps now."""
    came: list[T] = []
    deque(kept(steps, came), maxlen=0)
    return came[0]


def kept(steps: Steps[T], came: list[T]) -> Iterator[None]:
    """The same steps; what came of them is there behind the last."""
    came.append((yield from steps))
