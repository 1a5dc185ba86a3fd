"""Completion: names and values for a place, and the signature."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from rpcexplorer.jsontext.cursor import TypedPlace, place_at
from rpcexplorer.jsontext.scan import NUMBER, STRING, decoded, elements
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import By, Described
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import INVALID_PARAMS, Result, spelled
from rpcexplorer.schema.example import PLAIN, Maker
from rpcexplorer.schema.fit import Looks, is_small
from rpcexplorer.schema.node import Node, SchemaReader
from rpcexplorer.schema.words import in_one_line, kind_words, limit_words, step_words, value_words
from rpcexplorer.variables.references import inert_value

MOST_SCHEMAS: Final = 30
"""Schemas to follow from one level to the next."""
MOST_NODES: Final = 100
DEEP: Final = 6
"""Alternatives inside alternatives."""
MOST_SIBLINGS: Final = 20
"""Neighbours of a place that select its alternatives."""
LONGEST: Final = 200
"""Characters of such a neighbour."""


class SchemaPlaces:
    """The schemas of a method's params by path."""

    def __init__(self, described: Described) -> None:
        self.reader = SchemaReader(described.definitions)
        self._described = described

    def schemas(self, path: Sequence[str | int], siblings: Sequence[Mapping[str, str]] = ()) -> tuple[Any, ...]:
        """Return the schemas at a path; ``siblings`` has the scalars of each level."""
        if not path:
            return ()
        found = self._of_param(path[0])
        for at, step in enumerate(path[1:], start=1):
            here = self.nodes(found, siblings[at] if at < len(siblings) else {})
            found = [schema for node in here for schema in _inside(node, step) if schema is not False]
            found = list({id(schema): schema for schema in found}.values())[:MOST_SCHEMAS]
        return tuple(found)

    def nodes(self, schemas: Iterable[Any], siblings: Mapping[str, str] | None = None) -> list[Node]:
        """Return the nodes of schemas and of their possible alternatives."""
        known = dict(_values(siblings or {}))
        looks = Looks(self.reader)
        found: list[Node] = []
        rest = [(schema, 0) for schema in reversed(list(schemas))]
        while rest and len(found) < MOST_NODES:
            schema, deep = rest.pop()
            node = self.reader.node(schema)
            found.append(node)
            if deep < DEEP:
                several = [alternative for alternative in node.alternatives[:MOST_NODES] if alternative is not False]
                possible = [alternative for alternative in several if not self._is_ruled_out(alternative, known, looks)]
                rest += [(alternative, deep + 1) for alternative in reversed(possible or several)]
        return found

    def _of_param(self, step: str | int) -> list[Any]:
        params = self._described.params
        if isinstance(step, int):
            return [params[step].schema] if step < len(params) else []
        return [param.schema for param in params if param.name == step][:1]

    def _is_ruled_out(self, schema: Any, known: Mapping[str, Any], looks: Looks) -> bool:
        node = self.reader.node(schema)
        if known and node.kinds and "object" not in node.kinds:
            return True
        return not all(looks.could_be(node.member(name), value) for name, value in known.items())


def required_in(nodes: Sequence[Node]) -> frozenset[str]:
    """Return members that every alternative requires; the first node is base."""
    if not nodes:
        return frozenset()
    others = [node.required for node in nodes[1:] if node.properties or node.required]
    return nodes[0].required | (frozenset.intersection(*others) if others else frozenset())


def _inside(node: Node, step: str | int) -> Iterable[Any]:
    if isinstance(step, int):
        return (node.element(step),) if not node.kinds or "array" in node.kinds else ()
    return (node.member(step),) if not node.kinds or "object" in node.kinds else ()


def _values(siblings: Mapping[str, str]) -> Iterable[tuple[str, Any]]:
    for name, text in list(siblings.items())[:MOST_SIBLINGS]:
        if text and len(text) <= LONGEST:
            try:
                yield name, msgspec.json.decode(text)
            except msgspec.DecodeError:
                continue


MOST: Final = 50
"""Candidates for one place."""
MOST_SHOWN: Final = 60
MOST_EXAMPLES: Final = 20
LONGEST_WORDS: Final = 100
_BEGUN: Final = ("string", "array", "object")
"""Types whose candidates the user continues to type."""


class Candidate(Struct, frozen=True):
    """A row of the completion list."""

    text: str
    """JSON to insert."""
    shown: str
    """A name or a short value, as the list shows it."""
    words: str = ""
    """A short description."""
    cursor: int | None = None
    """Offset of the cursor in ``text``; None for its end."""


class Completion(Struct, frozen=True):
    """The candidates for a place."""

    start: int
    """Start and end of the typed token that a candidate replaces."""
    end: int
    candidates: tuple[Candidate, ...]


AskForValues = Callable[[str, tuple[str | int, ...]], Sequence[Candidate]]
"""Return earlier values for a name and its path."""


def completions(
    text: str, offset: int, described: Described, *, by: By | None = None, values: AskForValues | None = None
) -> Completion | None:
    """Return the candidates at an offset, the best first, or None."""
    place = place_at(text, offset)
    if place is None or "{{" in place.typed:
        return None
    if by is not None and by != _by(place):
        return None
    places = SchemaPlaces(described)
    if place.due == "value":
        found = _ranked(
            place, _complete_values(place, described, places, values), lambda value: (value.shown, value.text[1:])
        )
    else:
        rows = sorted(_members(place.path, place, described, places), key=lambda row: row.rank)
        free = (row for row in rows if row.name not in place.levels[-1].members)
        found = [_name(place, row, places) for row in _ranked(place, free, lambda row: (row.name,))]
    best = {candidate.text: candidate for candidate in found if candidate.text != text[place.start : place.end]}
    return Completion(place.start, place.end, tuple(best.values())) if best else None


T = TypeVar("T")


def _ranked(place: TypedPlace, found: Iterable[T], words: Callable[[T], Iterable[str]]) -> list[T]:
    """Sort candidates: those that start with the typed text come first."""
    typed = place.typed.casefold()
    best: list[T] = []
    others: list[T] = []
    for candidate in found:
        keys = [word.casefold() for word in words(candidate)]
        if any(key.startswith(typed) for key in keys):
            best.append(candidate)
        elif len(typed) > 1 and any(typed in key for key in keys):
            others.append(candidate)
        if len(best) >= MOST:
            break
    return [*best, *others][:MOST]


class _MemberRow(Struct, frozen=True):
    """A member that can be added."""

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


def _param_rows(described: Described) -> Iterator[_MemberRow]:
    for param in described.params:
        if param.name and not param.name.startswith("..."):
            yield _MemberRow(param.name, param.schema, bool(param.required), param.doc, param.deprecated)


def _members(
    path: Sequence[str | int], place: TypedPlace, described: Described, places: SchemaPlaces
) -> Iterator[_MemberRow]:
    """Yield the possible members of the object around a place."""
    if not path:
        yield from _param_rows(described) if place.levels[0].is_object else ()
        return
    siblings = [level.members for level in place.levels]
    seen: set[str] = set()
    nodes = places.nodes(places.schemas(path, siblings), siblings[-1])
    required = required_in(nodes)
    for node in nodes:
        for name, schema in node.properties.items():
            if name not in seen and schema is not False:
                seen.add(name)
                marks = (schema.get("deprecated"), schema.get("readOnly")) if isinstance(schema, dict) else ()
                yield _MemberRow(name, schema, name in required, "", True in marks)


def _name(place: TypedPlace, row: _MemberRow, places: SchemaPlaces) -> Candidate:
    """Return a name with its comma, and the simplest value if it is obvious."""
    node = places.reader.node(row.schema)
    doc = in_one_line((row.doc or node.doc).partition("\n\n")[0], LONGEST_WORDS)
    facts = ", ".join(filter(None, (kind_words(places.reader, row.schema), limit_words(node), row.marks)))
    words = in_one_line(" · ".join(filter(None, (facts, doc))), LONGEST_WORDS)
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


def _complete_values(
    place: TypedPlace, described: Described, places: SchemaPlaces, values: AskForValues | None
) -> Iterator[Candidate]:
    """Yield values of the service, then earlier ones, else the simplest."""
    nodes = places.nodes(places.schemas(place.path, [level.members for level in place.levels]))
    names = [step for step in place.path if isinstance(step, str)]
    first = place.path[0]
    if not names and isinstance(first, int) and first < len(described.params):
        names = [described.params[first].name]
    name = names[-1] if names else ""  # An element has the name of its list.
    known = [*_stated_values(nodes), *_of_examples(place, described)]
    found = [_value(value, words) for value, words in known if is_small(value)]
    found += [candidate for candidate in (values(name, place.path) if values else ()) if _may_be(nodes, candidate.text)]
    if not (place.typed or place.quoted or known):
        found += _plainest(nodes, places)
    for candidate in found:
        if place.quoted and not candidate.text.startswith('"'):
            continue  # After a quote only text fits.
        cursor = len(candidate.text) if candidate.cursor is None else candidate.cursor
        yield replace(candidate, text=f"{candidate.text}, ", cursor=cursor) if place.comma else candidate


def _stated_values(nodes: Iterable[Node]) -> Iterator[tuple[Any, str]]:
    """Yield values in schemas: choices first, then defaults."""
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
    """Yield values of example calls at the place, by name or position."""
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
            yield value, f"from example {value_words(call.name)}" if call.name else "an example"


def _step(value: Any, step: str | int) -> Any:
    if isinstance(value, dict) and isinstance(step, str):
        return value.get(step, UNSET)
    if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
        return value[step]
    return UNSET


def _plainest(nodes: Iterable[Node], places: SchemaPlaces) -> Iterator[Candidate]:
    """Yield the simplest value of each type, with its required members."""
    for node in nodes:
        for kind in node.kinds:
            if kind in _BEGUN:
                schema = {"type": kind, "properties": dict(node.properties), "required": [*node.required]}
                value = Maker(places.reader).made(schema).value
                text = inert_value(value)
                if is_small(value):
                    yield Candidate(text, in_one_line(text, MOST_SHOWN), kind, None if value else len(text) - 1)


def _value(value: Any, words: str) -> Candidate:
    text = inert_value(value)
    return Candidate(text, value_words(value) if _is_scalar(value) else in_one_line(text, MOST_SHOWN), words)


def _may_be(nodes: Iterable[Node], text: str) -> bool:
    """Return whether a text or number fits one of the types.

    A reference fits any type.
    """
    kinds = {"string"} if text[:1] == '"' else {"number"} if set(text) & set(".eE") else {"number", "integer"}
    allowed = {kind for node in nodes for kind in node.kinds}
    return "{{" in text or not allowed or bool(kinds & allowed)


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, dict | list)


MOST_NAMES: Final = 6
"""Names in the rest of a signature."""


def signature(text: str, offset: int, described: Described, *, by: By | None = None) -> str:
    """Return the signature: ``count integer 1 … 100, next: kind, since (optional)``.

    Empty if nothing is known.
    """
    place = place_at(text, offset)
    if not text[:offset].strip():
        return _line("", "", _names(_param_rows(described)))
    if place is None or not described.params or (by or _by(place)) != _by(place):
        return ""
    places, path = SchemaPlaces(described), place.path
    schemas = places.schemas(path, [level.members for level in place.levels])
    described_schemas = (
        f"{kind_words(places.reader, schema)} {limit_words(places.reader.node(schema))}".strip() for schema in schemas
    )
    words = next(filter(None, described_schemas), "")
    if path and isinstance(path[0], int):
        names = [param.name or f"#{number}" for number, param in enumerate(described.params, start=1)]
        if path[0] >= len(names):
            return ""
        after = [_listed(name, param.required) for name, param in zip(names, described.params, strict=True)]
        return _line("".join([names[path[0]], *step_words(path[1:])]), words, after[path[0] + 1 :])
    present = {*place.levels[-1].members, *(map(str, path[-1:]) if place.due == "value" else ())}
    rows = _members(path[:-1] if place.due == "value" else path, place, described, places)
    return _line("".join(step_words(path)).lstrip("."), words, _names(row for row in rows if row.name not in present))


def _by(place: TypedPlace) -> By:
    return "name" if place.levels[0].is_object else "position"


def _names(rows: Iterable[_MemberRow]) -> list[str]:
    """Return the names, required ones first."""
    shown = sorted((row for row in rows if not row.deprecated), key=lambda row: row.rank)
    return [_listed(row.name, row.required) for row in shown]


def _listed(name: str, required: bool | None) -> str:
    return name if required else f"{name} (optional)"


def _line(current: str, words: str, after: Sequence[str]) -> str:
    here = " ".join(filter(None, (current, words)))
    then = ", ".join(after[:MOST_NAMES]) + (" …" if len(after) > MOST_NAMES else "")
    return f"{here}, next: {then}" if then and here else here or then


MAX_VALUES: Final = 5
"""Values from each source."""
MOST_CALLS: Final = 200
MOST_TEXT: Final = 2_000_000
"""Characters to read for one list, and of one call."""
LONGEST_TEXT: Final = 64_000
MAX_VALUE_CHARACTERS: Final = 100
"""Characters of a value, and of a name."""
_VALUE: Final = rf"({STRING}|{NUMBER})(?=[\s,\]}}])"
_ID: Final = regex(r"(.{2,}?)_?ids?", re.IGNORECASE)
"""The name of an id."""


def earlier_values(
    calls: Iterable[Exchange], method: str, name: str, path: tuple[str | int, ...]
) -> tuple[Candidate, ...]:
    """Return earlier values of a param: those sent, then those received."""
    used: dict[str, Candidate] = {}
    received: dict[str, Candidate] = {}
    left = MOST_TEXT
    for _, call in zip(range(MOST_CALLS), calls, strict=False):
        if left <= 0 or len(used) + len(received) >= 2 * MAX_VALUES:
            break
        if not call.foreign and getattr(call.outcome, "code", None) != INVALID_PARAMS:
            left -= len(call.params)
            for text in _used(call, method, name, path):
                _put(used, text, "used before" if call.method == method else f"used for {call.method}")
        if isinstance(call.outcome, Result) and call.kind == "call":
            reply = bytes(call.outcome.text[:LONGEST_TEXT]).decode(errors="replace")
            left -= len(reply)
            for text in _received_values(reply, call.method, name):
                if "{{" not in text:
                    _put(received, text, f"from a response to {call.method}")
    return (*used.values(), *(candidate for text, candidate in received.items() if text not in used))


def _put(found: dict[str, Candidate], text: str, words: str) -> None:
    """Add a value that is short, not empty and not redacted."""
    if len(found) < MAX_VALUES and text not in found and text.strip('"') and len(text) <= MAX_VALUE_CHARACTERS:
        value = decoded(text) if text[0] == '"' else text
        if "«" not in value:
            shown = value_words(value) if text[0] == '"' else text
            found[text] = Candidate(text, shown, " ".join(words.split())[:MAX_VALUE_CHARACTERS])


def _used(call: Exchange, method: str, name: str, path: tuple[str | int, ...]) -> Iterator[str]:
    """Yield the values in a call's params, by name or by path."""
    text = call.params[:LONGEST_TEXT]
    if name and call.kind == "call":
        yield from _values_of_name(text, name)
    if call.method == method and len(path) == 1 and isinstance(path[0], int):
        spans = elements(text) or ()
        for start, end in spans[path[0] : path[0] + 1]:
            if re.fullmatch(rf"{STRING}|{NUMBER}", text[start:end]):
                yield text[start:end]


def _received_values(reply: str, method: str, name: str) -> Iterator[str]:
    """Yield the values in a response with this name.

    For ``user_id`` these are also the ids of users.
    """
    if not name:
        return
    yield from _values_of_name(reply, name)
    if not (thing := _ID.fullmatch(name)) or len(name) > MAX_VALUE_CHARACTERS:
        return
    if thing[1].casefold() in method.casefold():
        yield from _values_of_name(reply, "id")
    inside = rf'"{re.escape(thing[1])}s?"\s*:\s*\[?\s*\{{[^{{}}]*?"id"\s*:\s*{_VALUE}'
    yield from (found[1] for found in re.finditer(inside, reply, re.IGNORECASE))


def _values_of_name(text: str, name: str) -> Iterator[str]:
    if len(name) <= MAX_VALUE_CHARACTERS:
        yield from (found[1] for found in re.finditer(rf"{re.escape(spelled(name))}\s*:\s*{_VALUE}", text))
