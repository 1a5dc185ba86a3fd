"""What comes next while params are typed: the param at hand, and those that are still to come, in one line."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from rpcexplorer.jsontext.cursor import TypedPlace, place_at
from rpcexplorer.model.method import By, Described
from rpcexplorer.model.schema.node import Node
from rpcexplorer.model.schema.values.places import SchemaPlaces, required_in
from rpcexplorer.model.schema.words import kind_words, limit_words, step_words

MOST_NAMES = 6
"""That are told on each side."""


class Signature(Struct, frozen=True):
    """Where a person is among the params of a method."""

    current: str
    """The name of what is being typed; empty between two."""
    after: tuple[str, ...]
    """What is still to come: by name what must be there first. A name with ``?`` may be left out."""
    words: str = ""
    """The kind and the limits of what is being typed."""

    @property
    def line(self) -> str:
        """As it is told: ``count integer 1 … 100 · then kind, since?``."""
        here = " ".join(filter(None, (self.current, self.words)))
        then = ", ".join(self.after[:MOST_NAMES]) + (" …" if len(self.after) > MOST_NAMES else "")
        return " · ".join(filter(None, (here, f"then {then}" if then and here else then)))


def signature(text: str, offset: int, described: Described, *, by: By | None = None) -> Signature | None:
    """What is due at an offset; None where nothing is known of it."""
    if not described.params:
        return None
    if not text[:offset].strip():
        return Signature("", tuple(_params(described)))
    place = place_at(text, offset)
    if place is None or (by or _by(place)) != _by(place):
        return None
    places = SchemaPlaces(described)
    top = place.path[0] if place.path else None
    if isinstance(top, int):
        return _by_position(top, place, described, places)
    if place.due != "value" and not place.path:
        there = place.levels[0].members
        return Signature("", tuple(_params(described, leave_out=set(there))))
    return _by_name(place, described, places)


def _by(place: TypedPlace) -> By:
    return "name" if place.levels[0].is_object else "position"


def _by_position(at: int, place: TypedPlace, described: Described, places: SchemaPlaces) -> Signature | None:
    names = [param.name or f"#{number}" for number, param in enumerate(described.params, start=1)]
    if at >= len(names):
        return None
    after = [_named(name, param.required) for name, param in zip(names, described.params, strict=True)][at + 1 :]
    words = _said(place, places)
    return Signature("".join([names[at], *step_words(place.path[1:])]), tuple(after), words)


def _by_name(place: TypedPlace, described: Described, places: SchemaPlaces) -> Signature:
    words = _said(place, places)
    if len(place.path) == 1 and place.due == "value":
        current = str(place.path[0])
        there = {*place.levels[0].members, current}
        return Signature(current, tuple(_params(described, leave_out=there)), words)
    nodes = places.nodes(_object(place, places), place.levels[-1].members)
    there = {*place.levels[-1].members, str(place.path[-1])}
    current = "".join(step_words(place.path)).lstrip(".")
    return Signature(current, tuple(_missing(nodes, there)), words)


def _object(place: TypedPlace, places: SchemaPlaces) -> tuple[object, ...]:
    """The schemas of the object at hand."""
    path = place.path[:-1] if place.due == "value" else place.path
    return places.schemas(path, [level.members for level in place.levels])


def _said(place: TypedPlace, places: SchemaPlaces) -> str:
    """Kind and limits of what is at the path."""
    schemas = places.schemas(place.path, [level.members for level in place.levels])
    told = (f"{kind_words(places.reader, each)} {limit_words(places.reader.node(each))}".strip() for each in schemas)
    return next(filter(None, told), "")


def _params(described: Described, leave_out: set[str] | None = None) -> Iterator[str]:
    rows = [param for param in described.params if param.name and param.name not in (leave_out or ())]
    yield from (param.name for param in rows if param.required)
    yield from (f"{param.name}?" for param in rows if not param.required and not param.deprecated)


def _missing(nodes: list[Node], there: set[str]) -> Iterator[str]:
    needed = required_in(nodes)
    names = {name: name in needed for node in nodes for name in node.properties if name not in there}
    yield from (name for name, required in names.items() if required)
    yield from (f"{name}?" for name, required in names.items() if not required)


def _named(name: str, required: bool | None) -> str:
    return name if required else f"{name}?"
