"""Work in small steps: a generator that yields after each, and returns what came of it.

Whoever has nothing else to do takes it at once. How others get a turn in between is for those who have a loop.

Steps are worth it where one call takes more than 65 ms for 100 MB, since no thread has a turn in it: to parse a reply
takes 80, to see that it is UTF-8 15 to 225 (the script decides), to search it for the spellings of a secret 220. They
are not where it takes 5, as to look for a number that is too long, or 30, as to find one string of bytes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Steps: TypeAlias = Generator[None, None, T]


def at_once(steps: Steps[T]) -> T:
    came: list[T] = []
    deque(kept(steps, came), maxlen=0)
    return came[0]


def kept(steps: Steps[T], came: list[T]) -> Iterator[None]:
    """Pass the steps on; what came of them is there behind the last."""
    came.append((yield from steps))
