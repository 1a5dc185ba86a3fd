"""JSON pointers, and the places of values in a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple, TypeAlias

import msgspec

from rpcexplorer.jsontext.scan import Span, elements, members
from rpcexplorer.patterns import regex

POINTER: Final = regex(r"(?:/(?:[^~/]|~[01])*)*")
ANY: Final = "*"
DIGITS: Final = 9
"""Digits of an index; no array has more elements."""
_Part: TypeAlias = str | msgspec.Raw
_Level: TypeAlias = Mapping[str, _Part] | Sequence[_Part]


def parts_of(pointer: str) -> tuple[str, ...] | None:
    """Return the names in a pointer, or None if the text is not one."""
    if not POINTER.fullmatch(pointer):
        return None
    return names_of(pointer)


def names_of(pointer: str) -> tuple[str, ...]:
    """Return the names in a pointer."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def spans_at(text: str, parts: Sequence[str]) -> Iterator[Span]:
    """Yield the span of each value at a path with ``*``, in order."""
    start = len(text) - len(text.lstrip())
    spans = [(start, start + len(text.strip()))]
    for part in parts:
        spans = [inside for span in spans for inside in _inside(text[slice(*span)], span[0], part)]
    yield from spans


class Levels:
    """A text to look up several parts; each container is split once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._taken: dict[tuple[str, ...], _Level] = {}
        """By path."""

    def at(self, pointer: str) -> str | None:
        """Return the text at a pointer without ``*``, or None.

        Of duplicate names the last one counts, as for every reader of JSON.
        """
        part: _Part = self._text
        names = names_of(pointer)
        for count, name in enumerate(names):
            level = self._taken.get(names[:count])
            if level is None:
                level = self._taken[names[:count]] = _level(part)
            found = _step(level, name)
            if found is None:
                return None
            part = found
        return _spelled(part).strip()


def at_pointer(text: str, pointer: str) -> str | None:
    """Return the text at a pointer, or None; see ``Levels``."""
    return Levels(text).at(pointer)


def _level(part: _Part) -> _Level:
    """Return the parts of an object or array; of other values none."""
    try:
        return _decoder().decode(part)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):  # The text is not strict JSON, or too deep.
        text = _spelled(part)
    if (found := members(text)) is not None:
        return {member.name: text[slice(*member.value)] for member in found}
    return [text[slice(*span)] for span in elements(text) or ()]


def _step(level: _Level, name: str) -> _Part | None:
    if isinstance(level, Mapping):
        return level.get(name)
    return next(iter(level[int(name[:DIGITS]) :][:1]), None) if name.isdecimal() else None


def _spelled(part: _Part) -> str:
    return part if isinstance(part, str) else bytes(part).decode()


@cache
def _decoder() -> msgspec.json.Decoder[dict[str, msgspec.Raw] | list[msgspec.Raw]]:
    """Return a decoder for strict JSON that keeps each part's spelling.

    It is many times as fast as Python code.
    """
    return msgspec.json.Decoder(dict[str, msgspec.Raw] | list[msgspec.Raw])


def _inside(text: str, at: int, part: str) -> Iterator[Span]:
    if text[:1] == "{":
        found = [member.value for member in members(text) or () if part in {ANY, member.name}]
    elif text[:1] == "[" and (part == ANY or (part.isdecimal() and len(part) <= DIGITS)):
        every = elements(text) or []
        found = every if part == ANY else every[int(part) :][:1]
    else:
        found = []
    yield from ((at + start, at + end) for start, end in found)


_Path: TypeAlias = tuple[str | int, ...]


class ValuePlace(NamedTuple):
    """The place of a value in a text."""

    start: int
    end: int
    name_start: int
    """Start of a member's name with its quotes; else the value's start."""
    name_end: int


class Places:
    """A text to find several values; each container is split once."""

    def __init__(self, text: str) -> None:
        self._text = text
        start = len(text) - len(text.lstrip())
        end = len(text.rstrip())
        self._known: dict[_Path, ValuePlace | None] = {(): ValuePlace(start, end, start, start)}
        self._taken: dict[_Path, dict[str | int, ValuePlace]] = {}

    def at(self, path: Sequence[str | int]) -> ValuePlace | None:
        """Return the place at a path, or None."""
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
            (
                member.name,
                ValuePlace(at + member.value[0], at + member.value[1], at + member.key[0], at + member.key[1]),
            )
            for member in members(text) or ()
        ]
    spans: list[Span] = (elements(text) or []) if text.startswith("[") else []
    return [
        (index, ValuePlace(at + start, at + end, at + start, at + start)) for index, (start, end) in enumerate(spans)
    ]
