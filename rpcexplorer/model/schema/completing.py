"""What could be put in where a person is typing params: names that are not there yet, and values that may stand there.

Pure: values that are known from elsewhere, such as those last used, are asked of whoever calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from msgspec import UNSET, Struct

from rpcexplorer.jsontext.cursor import TypedPlace, place_at
from rpcexplorer.model.method import By, Described
from rpcexplorer.model.schema.node import Node
from rpcexplorer.model.schema.starting import starting_value
from rpcexplorer.model.schema.values.fitting import small
from rpcexplorer.model.schema.values.places import SchemaPlaces, required_in
from rpcexplorer.model.schema.values.plain import PLAIN
from rpcexplorer.model.schema.words import in_one_line, kind_words, limit_words, value_words
from rpcexplorer.model.templates.inert import inert_value

MOST: Final = 50
"""Candidates of one place."""
MOST_SHOWN: Final = 60
MOST_EXAMPLES: Final = 20
LONGEST_WORDS: Final = 100
_BEGUN: Final = ("string", "array", "object")
"""Kinds of which something can be put in that is typed on."""


class Candidate(Struct, frozen=True):
    """Something that can be put in."""

    text: str
    """What is put in, as JSON."""
    shown: str
    """What stands in the list: a name, or a value in short."""
    words: str = ""
    """What it is, in few words."""
    cursor: int | None = None
    """Where to type on in ``text``; None: behind it."""


class Completion(Struct, frozen=True):
    """What can be put in at a place."""

    start: int
    """What is typed of it begins here, and ends there: this is replaced."""
    end: int
    candidates: tuple[Candidate, ...]


AskForValues = Callable[[str, tuple[str | int, ...]], Sequence[Candidate]]
"""Values known from elsewhere for the name of a param or a member, and the path to it."""


def completions(
    text: str, offset: int, described: Described, *, by: By | None = None, values: AskForValues | None = None
) -> Completion | None:
    """What could stand at an offset, the best first; None where nothing can be said."""
    place = place_at(text, offset)
    if place is None or "{{" in place.typed:
        return None
    if by is not None and by != ("name" if place.levels[0].is_object else "position"):
        return None
    places = SchemaPlaces(described)
    if place.due == "value":
        found = _ranked(place, _values(place, described, places, values), lambda each: (each.shown, each.text[1:]))
    else:
        rows = sorted(_members(place, described, places), key=lambda row: row.rank)
        free = (row for row in rows if row.name not in place.levels[-1].members)
        found = [_name(place, row, places) for row in _ranked(place, free, lambda row: (row.name,))]
    best = {each.text: each for each in found if each.text != text[place.start : place.end]}
    return Completion(place.start, place.end, tuple(best.values())) if best else None


T = TypeVar("T")


def _ranked(place: TypedPlace, found: Iterable[T], words: Callable[[T], Iterable[str]]) -> list[T]:
    """Those that go on as was typed first, then those that have it in them."""
    typed = place.typed.casefold()
    best: list[T] = []
    others: list[T] = []
    for each in found:
        keys = [word.casefold() for word in words(each)]
        if any(key.startswith(typed) for key in keys):
            best.append(each)
        elif len(typed) > 1 and any(typed in key for key in keys):
            others.append(each)
        if len(best) >= MOST:
            break
    return [*best, *others][:MOST]


class _MemberRow(Struct, frozen=True):
    """A member that may be there."""

    name: str
    schema: Any
    required: bool
    doc: str = ""
    deprecated: bool = False

    @property
    def rank(self) -> int:
        return 2 if self.deprecated else 0 if self.required else 1

    @property
    def marks(self) -> str:
        return "deprecated" if self.deprecated else "required" if self.required else ""


def _members(place: TypedPlace, described: Described, places: SchemaPlaces) -> Iterator[_MemberRow]:
    """What may stand in the object at hand."""
    if not place.path:
        if place.levels[0].is_object:
            yield from (
                _MemberRow(each.name, each.schema, bool(each.required), each.doc, each.deprecated)
                for each in described.params
                if each.name and not each.name.startswith("...")
            )
        return
    beside = [level.members for level in place.levels]
    seen: set[str] = set()
    nodes = places.nodes(places.schemas(place.path, beside), beside[-1])
    required = required_in(nodes)
    for node in nodes:
        for name, schema in node.properties.items():
            if name not in seen and schema is not False:
                seen.add(name)
                marks = (schema.get("deprecated"), schema.get("readOnly")) if isinstance(schema, dict) else ()
                yield _MemberRow(name, schema, name in required, "", True in marks)


def _name(place: TypedPlace, row: _MemberRow, places: SchemaPlaces) -> Candidate:
    """A name, with the comma that is due and the plainest value where there is one obvious."""
    node = places.reader.node(row.schema)
    doc = in_one_line((row.doc or node.doc).partition("\n\n")[0], LONGEST_WORDS)
    told = ", ".join(filter(None, (kind_words(places.reader, row.schema), limit_words(node), row.marks)))
    words = in_one_line(" · ".join(filter(None, (told, doc))), LONGEST_WORDS)
    text = inert_value(row.name)
    if place.colon:
        return Candidate(text, row.name, words)
    before = ", " if place.due == "next" else ""
    value = _plain(node)
    text = f"{before}{text}: {value}"
    cursor = len(text) - (1 if value in {'""', "[]", "{}"} else 0)
    return Candidate(f"{text}, " if place.comma else text, row.name, words, cursor)


def _plain(node: Node) -> str:
    if node.choices is not None:
        return inert_value(node.choices[0]) if len(node.choices) == 1 and _is_scalar(node.choices[0]) else ""
    if len(node.kinds) != 1 or node.alternatives:
        return ""
    return PLAIN[node.kinds[0]] if node.kinds[0] in {*_BEGUN, "null"} else ""


def _values(
    place: TypedPlace, described: Described, places: SchemaPlaces, values: AskForValues | None
) -> Iterator[Candidate]:
    nodes, name = _at(place, described, places)
    known = [*_said(nodes), *_of_examples(place, described)]
    offered = [_value(place, value, words) for value, words in known]
    yield from (each for each in offered if each is not None)
    elsewhere = values(name, place.path) if values else ()
    yield from (_fitted(place, each) for each in elsewhere if _suits(place, each.text) and _may_be(nodes, each.text))
    if not place.typed and not place.quoted and not known:
        yield from _plainest(place, nodes, places)


def _at(place: TypedPlace, described: Described, places: SchemaPlaces) -> tuple[list[Node], str]:
    """What may stand at the place, and the name that it goes by: an element goes by that of its list."""
    beside = [level.members for level in place.levels]
    names = [step for step in place.path if isinstance(step, str)]
    first = place.path[0]
    if not names and isinstance(first, int) and first < len(described.params):
        names = [described.params[first].name]
    return places.nodes(places.schemas(place.path, beside)), names[-1] if names else ""


def _said(nodes: Iterable[Node]) -> Iterator[tuple[Any, str]]:
    """Values that schemas name: choices first, then what is usual."""
    nodes = list(nodes)
    for node in nodes:
        choices = node.choices or ()
        yield from ((value, "the default" if value == node.default else "") for value in choices[:MOST])
        if node.choices is None:
            yield from ((value, "") for kind in node.kinds for value in _OF_KIND.get(kind, ()))
    for node in nodes:
        if node.default is not UNSET:
            yield node.default, "the default"
        yield from ((value, "an example") for value in node.examples[:MOST_EXAMPLES])


_OF_KIND: Final[Mapping[str, tuple[Any, ...]]] = {"boolean": (True, False), "null": (None,)}


def _of_examples(place: TypedPlace, described: Described) -> Iterator[tuple[Any, str]]:
    """What example calls have at the place, by name or by position."""
    for call in described.examples[:MOST_EXAMPLES]:
        value, steps = call.params, list(place.path)
        first = steps[0]
        if isinstance(value, list) and isinstance(first, str):
            steps[0] = next((at for at, param in enumerate(described.params) if param.name == first), -1)
        elif isinstance(value, dict) and isinstance(first, int) and first < len(described.params):
            steps[0] = described.params[first].name
        for step in steps:
            value = _step(value, step)
        if value is not UNSET:
            yield value, f"of {value_words(call.name)}" if call.name else "an example"


def _step(value: Any, step: str | int) -> Any:
    if isinstance(value, dict) and isinstance(step, str):
        return value.get(step, UNSET)
    if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
        return value[step]
    return UNSET


def _plainest(place: TypedPlace, nodes: Iterable[Node], places: SchemaPlaces) -> Iterator[Candidate]:
    """The plainest value of each kind that may stand there, with what must be in it."""
    for node in nodes:
        for kind in node.kinds:
            if kind in _BEGUN:
                schema = {"type": kind, "properties": dict(node.properties), "required": [*node.required]}
                value = starting_value(places.reader, schema).value
                if (found := _value(place, value, kind)) is not None:
                    inside = len(found.text) - 1 - (2 if place.comma else 0)
                    yield Candidate(found.text, found.text.removesuffix(", "), kind, None if value else inside)


def _value(place: TypedPlace, value: Any, words: str) -> Candidate | None:
    """A value of a service; None for one that is not put in."""
    if not small(value):
        return None
    text = inert_value(value)
    if not _suits(place, text):
        return None
    shown = value_words(value) if _is_scalar(value) else in_one_line(text, MOST_SHOWN)
    return _fitted(place, Candidate(text, shown, words))


def _fitted(place: TypedPlace, candidate: Candidate) -> Candidate:
    """With the comma that is due behind it."""
    if not place.comma:
        return candidate
    return Candidate(f"{candidate.text}, ", candidate.shown, candidate.words, candidate.cursor or len(candidate.text))


def _suits(place: TypedPlace, text: str) -> bool:
    """What is begun in quotes is a text."""
    return not place.quoted or text.startswith('"')


def _may_be(nodes: Iterable[Node], text: str) -> bool:
    """Whether a text or a number is of a kind that may stand there; a reference may stand for anything."""
    kinds = {"string"} if text[:1] == '"' else {"number"} if set(text) & set(".eE") else {"number", "integer"}
    allowed = {kind for node in nodes for kind in node.kinds}
    return "{{" in text or not allowed or bool(kinds & allowed)


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, dict | list)
