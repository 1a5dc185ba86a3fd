"""Where in a text the values stand that paths of names and numbers lead to.

The text is read as servers write it; of a name that stands twice in one object the last one is meant, as it is for
whoever decodes the text. A process of its own uses it: nothing is imported that such a process does not need.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from rpcexplorer.jsontext.scan import Span, elements, members

_Path: TypeAlias = tuple[str | int, ...]


class ValuePlace(NamedTuple):
    """Where a value stands."""

    start: int
    end: int
    name_start: int
    """The name of a member, quotes included; that of an element, or of the whole text, is as long as nothing."""
    name_end: int


class Places:
    """A text of which several values are wanted: each container on the path to one is taken apart once."""

    def __init__(self, text: str) -> None:
        self._text = text
        start = len(text) - len(text.lstrip())
        end = len(text.rstrip())
        self._known: dict[_Path, ValuePlace | None] = {(): ValuePlace(start, end, start, start)}
        self._taken: dict[_Path, dict[str | int, ValuePlace]] = {}

    def at(self, path: Sequence[str | int]) -> ValuePlace | None:
        """Where a path leads to; None where there is nothing."""
        place = self._known[()]
        for length in range(1, len(path) + 1):
            here = tuple(path[:length])
            if here not in self._known:
                inside = self._inside(here[:-1], place) if place else {}
                self._known[here] = inside.get(here[-1], inside.get(str(here[-1])))
            place = self._known[here]
        return place

    def _inside(self, here: _Path, place: ValuePlace) -> dict[str | int, ValuePlace]:
        if here not in self._taken:
            self._taken[here] = dict(_parts(self._text[place.start : place.end], place.start))
        return self._taken[here]


def _parts(text: str, at: int) -> list[tuple[str | int, ValuePlace]]:
    if text.startswith("{"):
        return [
            (each.name, ValuePlace(at + each.value[0], at + each.value[1], at + each.key[0], at + each.key[1]))
            for each in members(text) or ()
        ]
    spans: list[Span] = (elements(text) or []) if text.startswith("[") else []
    return [
        (index, ValuePlace(at + start, at + end, at + start, at + start)) for index, (start, end) in enumerate(spans)
    ]
