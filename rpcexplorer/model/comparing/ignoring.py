"""What is left out of a comparison: JSON pointers, with ``*`` for any member or element."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from rpcexplorer.jsontext.pointers import ANY, names_of

PointerPattern: TypeAlias = tuple[str, ...]
"""What is left of a pointer below the place that was reached."""
LEVELS: Final = 200
"""Deeper than this a value is one: the same or not. A pointer to something in it would be longer than the thing."""
NONE: Final[tuple[PointerPattern, ...]] = ()


def patterns_of(pointers: Iterable[str]) -> tuple[PointerPattern, ...]:
    """Pointers taken apart. What does not begin with a slash is none, and leaves out nothing; nor does one so deep."""
    every = (names_of(each) for each in pointers if each.startswith("/"))
    return tuple(each for each in every if len(each) <= LEVELS)


def below(patterns: Sequence[PointerPattern], *names: str) -> tuple[PointerPattern, ...]:
    """What is left of the patterns one level down, where a value has these names (an index on either side)."""
    return tuple(each[1:] for each in patterns if each and (each[0] == ANY or each[0] in names)) if patterns else NONE


def left_out(patterns: Sequence[PointerPattern]) -> bool:
    """Whether one of them ends here."""
    return () in patterns


def escaped(name: str) -> str:
    """A member's name as a part of a pointer."""
    return name.replace("~", "~0").replace("/", "~1") if "~" in name or "/" in name else name
