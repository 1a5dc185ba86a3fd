"""JSON pointers, and the places of values in a text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple, TypeAlias

import msgspec

from rpcexplorer.jsontext.scan import Span, elements, members

ANY: Final = "*"
MAX_INDEX_DIGITS: Final = 9
"""No array has more elements, and int() raises on thousands of digits."""
_Value: TypeAlias = str | msgspec.Raw
"""The text of a value."""
_Container: TypeAlias = Mapping[str, _Value] | Sequence[_Value]
"""The texts in an object or array."""


def parts_of(pointer: str) -> tuple[str, ...] | None:
    """Return the names in a pointer, or None if the text is not one."""
    if pointer and not pointer.startswith("/"):
        return None
    without_escapes = pointer.replace("~0", "").replace("~1", "")
    if "~" in without_escapes:
        return None
    return names_of(pointer)


def names_of(pointer: str) -> tuple[str, ...]:
    """Return the names in a pointer."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def pointer_of(names: Iterable[str | int]) -> str:
    """Return the pointer that has these names."""
    parts = [str(name).replace("~", "~0").replace("/", "~1") for name in names]
    return "".join(f"/{part}" for part in parts)


class PointerLookup:
    """A text to look up the texts of several values. Each container is split once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._containers: dict[tuple[str, ...], _Container] = {}
        """Keyed by path."""

    def at(self, pointer: str) -> str | None:
        """Return the text at a pointer without ``*``, or None.

        Of duplicate names the last one counts, as for every reader of JSON.
        """
        value: _Value = self._text
        names = names_of(pointer)
        for depth, name in enumerate(names):
            path = names[:depth]
            if path not in self._containers:
                self._containers[path] = _split(value)
            inner = _value_in(self._containers[path], name)
            if inner is None:
                return None
            value = inner
        return _as_text(value).strip()


def at_pointer(text: str, pointer: str) -> str | None:
    """Return the text at a pointer, or None; see ``PointerLookup``."""
    return PointerLookup(text).at(pointer)


def _split(value: _Value) -> _Container:
    """Return the texts in an object or array; of other values none."""
    try:
        return _decoder().decode(value)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):  # The text is not strict JSON, or too deep.
        text = _as_text(value)
    found = members(text)
    if found is not None:
        return {member.name: text[slice(*member.value)] for member in found}
    return [text[slice(*span)] for span in elements(text) or ()]


def _value_in(container: _Container, name: str) -> _Value | None:
    if isinstance(container, Mapping):
        return container.get(name)
    index = _index(name)
    if index is None or index >= len(container):
        return None
    return container[index]


def _index(name: str) -> int | None:
    return int(name) if name.isdecimal() and len(name) <= MAX_INDEX_DIGITS else None


def _as_text(value: _Value) -> str:
    if isinstance(value, str):
        return value
    return bytes(value).decode()


@cache
def _decoder() -> msgspec.json.Decoder[dict[str, msgspec.Raw] | list[msgspec.Raw]]:
    """Return a decoder for strict JSON that keeps each value's spelling.

    It is many times as fast as Python code.
    """
    return msgspec.json.Decoder(dict[str, msgspec.Raw] | list[msgspec.Raw])


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
    places: list[tuple[str | int, ValuePlace]] = []
    if inside.startswith("["):
        for index, (start, end) in enumerate(elements(inside) or ()):
            places.append((index, ValuePlace(at + start, at + end, at + start, at + start)))
    elif inside.startswith("{"):
        for name, key, value in members(inside) or ():
            places.append((name, ValuePlace(at + value[0], at + value[1], at + key[0], at + key[1])))
    return places


def spans_at(text: str, names: Sequence[str]) -> list[Span]:
    """Return the span of each value at a path, in order; ``*`` is any name."""
    start = len(text) - len(text.lstrip())
    spans = [(start, start + len(text.strip()))]
    for name in names:
        wanted = {name, _index(name)}  # A name of an object, or an index of an array.
        inner: list[Span] = []
        for span in spans:
            for key, place in places_in(text, span):
                if name == ANY or key in wanted:
                    inner.append((place.start, place.end))
        spans = inner
    return spans


_Path: TypeAlias = tuple[str | int, ...]


class Places:
    """A text to look up the places of several values. Each container is split once."""

    def __init__(self, text: str) -> None:
        self._text = text
        start = len(text) - len(text.lstrip())
        end = len(text.rstrip())
        self._places: dict[_Path, ValuePlace | None] = {(): ValuePlace(start, end, start, start)}
        self._containers: dict[_Path, dict[str | int, ValuePlace]] = {}

    def at(self, path: Sequence[str | int]) -> ValuePlace | None:
        """Return the place at a path, or None. An index may be a member's name."""
        place = self._places[()]
        for length in range(1, len(path) + 1):
            outer, inner = tuple(path[: length - 1]), tuple(path[:length])
            if inner not in self._places:
                self._places[inner] = self._place_in(outer, place, path[length - 1])
            place = self._places[inner]
        return place

    def _place_in(self, path: _Path, place: ValuePlace | None, name: str | int) -> ValuePlace | None:
        if place is None:
            return None
        if path not in self._containers:
            self._containers[path] = dict(places_in(self._text, (place.start, place.end)))
        container = self._containers[path]
        if name in container:
            return container[name]
        return container.get(str(name))
