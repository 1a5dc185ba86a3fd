"""JSON pointers, and the places of values in a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple, TypeAlias

import msgspec

from rpcexplorer.jsontext.scan import Span, elements, members

ANY: Final = "*"
DIGITS: Final = 9
"""Digits of an index; no array has more elements."""
_Part: TypeAlias = str | msgspec.Raw
_Level: TypeAlias = Mapping[str, _Part] | Sequence[_Part]


def parts_of(pointer: str) -> tuple[str, ...] | None:
    """Return the names in a pointer, or None if the text is not one."""
    if pointer and not pointer.startswith("/"):
        return None
    if "~" in pointer.replace("~0", " ").replace("~1", " "):
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
        outer, spans = spans, []
        for start, end in outer:
            spans += _inside(text[start:end], start, part)
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
    found = members(text)
    if found is not None:
        return {member.name: text[slice(*member.value)] for member in found}
    return [text[slice(*span)] for span in elements(text) or ()]


def _step(level: _Level, name: str) -> _Part | None:
    if isinstance(level, Mapping):
        return level.get(name)
    if not _is_index(name) or int(name) >= len(level):
        return None
    return level[int(name)]


def _is_index(name: str) -> bool:
    return name.isdecimal() and len(name) <= DIGITS


def _spelled(part: _Part) -> str:
    return part if isinstance(part, str) else bytes(part).decode()


@cache
def _decoder() -> msgspec.json.Decoder[dict[str, msgspec.Raw] | list[msgspec.Raw]]:
    """Return a decoder for strict JSON that keeps each part's spelling.

    It is many times as fast as Python code.
    """
    return msgspec.json.Decoder(dict[str, msgspec.Raw] | list[msgspec.Raw])


def _inside(text: str, at: int, part: str) -> Iterator[Span]:
    found: list[Span] = []
    if text.startswith("{"):
        found = [member.value for member in members(text) or () if part in {ANY, member.name}]
    elif text.startswith("["):
        found = elements(text) or []
        if part != ANY:
            found = found[int(part) :][:1] if _is_index(part) else []
    yield from ((at + start, at + end) for start, end in found)


class ValuePlace(NamedTuple):
    """The place of a value in a text."""

    start: int
    end: int
    name_start: int
    """Start of a member's name with its quotes; else the value's start."""
    name_end: int


def places_in(text: str, span: Span) -> list[tuple[str | int, ValuePlace]]:
    """Return the places in an object or array, by name or index; of other values none."""
    at, inside = span[0], text[slice(*span)]
    if inside.startswith("["):
        spans = [(at + start, at + end) for start, end in elements(inside) or ()]
        return [(index, ValuePlace(start, end, start, start)) for index, (start, end) in enumerate(spans)]
    found: list[tuple[str | int, ValuePlace]] = []
    if inside.startswith("{"):
        for name, key, value in members(inside) or ():
            found.append((name, ValuePlace(at + value[0], at + value[1], at + key[0], at + key[1])))
    return found


_Path: TypeAlias = tuple[str | int, ...]


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
            self._taken[here] = dict(places_in(self._text, (place.start, place.end)))
        return self._taken[here]
