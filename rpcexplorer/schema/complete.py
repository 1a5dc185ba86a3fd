"""Completion: names and values for a place, and the signature."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, TypeVar

from msgspec import UNSET, Struct
from msgspec.structs import replace

from rpcexplorer.jsontext.cursor import TypedPlace, place_at
from rpcexplorer.jsontext.scan import NUMBER, STRING, decoded, elements
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import By, Described
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import INVALID_PARAMS, Result, spelled
from rpcexplorer.schema.example import PLAIN, Maker
from rpcexplorer.schema.fit import Looks, is_small, value_of
from rpcexplorer.schema.node import Node, SchemaReader, is_kind, kind_of_value
from rpcexplorer.schema.words import in_one_line, kind_words, limit_words, step_words, value_words
from rpcexplorer.variables.references import inert_value

MOST_SCHEMAS: Final = 30
"""Schemas to follow from one level to the next."""
MOST_NODES: Final = 100
"""Alternatives of one place, with those inside them: references can make them endless."""
DEEP: Final = 6
"""Alternatives inside alternatives."""
MOST: Final = 50
"""Candidates for one place; the user continues to type."""
MOST_EXAMPLES: Final = 20
MOST_NAMES: Final = 6
"""Names in the rest of a signature, which is one line."""
LONGEST_WORDS: Final = 100
LONGEST_SHOWN: Final = 60
_BEGUN: Final = ("string", "array", "object")
"""Types whose candidates the user continues to type."""
_CONTAINERS: Final[Mapping[type, str]] = {int: "array", str: "object"}
"""The type of a value by the steps into it."""
_OF_KIND: Final[Mapping[str, tuple[Any, ...]]] = {"boolean": (True, False), "null": (None,)}


class SchemaPlaces:
    """The schemas of a method's params by path."""

    def __init__(self, described: Described) -> None:
        self.reader = SchemaReader(described.definitions)
        self._described = described

    def schemas(self, path: Sequence[str | int], siblings: Sequence[Mapping[str, str]]) -> tuple[Any, ...]:
        """Return the schemas at a path; ``siblings`` has the scalars of each level."""
        if not path:
            return ()
        found = self._of_param(path[0])
        for step, members in zip(path[1:], siblings[1:], strict=False):
            inside: dict[int, Any] = {}
            for node in self.nodes(found, members):
                if node.kinds and _CONTAINERS[type(step)] not in node.kinds:
                    continue
                schema = node.inside(step)
                if schema is not False:
                    inside[id(schema)] = schema
            found = list(inside.values())[:MOST_SCHEMAS]
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
            return [param.schema for param in params[step : step + 1]]
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
    required = nodes[0].required
    others = [node.required for node in nodes[1:] if node.properties or node.required]
    if others:
        required |= frozenset.intersection(*others)
    return required


def _values(siblings: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """Yield the values of a few neighbours, which select the alternatives."""
    for name, text in islice(siblings.items(), 20):
        value = value_of(text)
        if value is not UNSET:
            yield name, value


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
        candidates = _complete_values(place, described, places, values)
        found = _best(place.typed, candidates, lambda value: [value.shown, value.text[1:]])
    else:
        rows = sorted(_members(place.path, place, described, places), key=_rank)
        free = (row for row in rows if row.name not in place.levels[-1].members)
        found = [_name(place, row, places) for row in _best(place.typed, free, lambda row: [row.name])]
    best = {candidate.text: candidate for candidate in found}
    best.pop(text[place.start : place.end], None)
    if not best:
        return None
    return Completion(place.start, place.end, tuple(best.values()))


T = TypeVar("T")


def _best(typed: str, candidates: Iterable[T], words: Callable[[T], list[str]]) -> list[T]:
    """Return candidates with the typed text; those that start with it come first."""
    typed = typed.casefold()
    best: list[T] = []
    others: list[T] = []
    for candidate in candidates:
        keys = [word.casefold() for word in words(candidate)]
        if any(key.startswith(typed) for key in keys):
            best.append(candidate)
        elif len(typed) > 1 and any(typed in key for key in keys):
            others.append(candidate)
        if len(best) == MOST:
            break
    return [*best, *others][:MOST]


class _MemberRow(Struct, frozen=True):
    """A member that can be added."""

    name: str
    schema: Any
    required: bool
    doc: str = ""
    deprecated: bool = False


def _rank(row: _MemberRow) -> tuple[bool, bool]:
    """Return the order of rows: the required ones first, deprecated ones last."""
    return row.deprecated, not row.required


def _param_rows(described: Described) -> Iterator[_MemberRow]:
    for param in described.params:
        if param.name and not param.name.startswith("..."):
            yield _MemberRow(param.name, param.schema, bool(param.required), param.doc, param.deprecated)


def _members(
    path: Sequence[str | int], place: TypedPlace, described: Described, places: SchemaPlaces
) -> Iterator[_MemberRow]:
    """Yield the possible members of the object around a place."""
    if not path:
        if place.levels[0].is_object:
            yield from _param_rows(described)
        return
    siblings = [level.members for level in place.levels]
    seen: set[str] = set()
    nodes = places.nodes(places.schemas(path, siblings), siblings[-1])
    required = required_in(nodes)
    for node in nodes:
        for name, schema in node.properties.items():
            if name not in seen and schema is not False:
                seen.add(name)
                # Marks are only read at the schema itself: there may be 10,000 members.
                is_marked = isinstance(schema, dict) and True in (schema.get("deprecated"), schema.get("readOnly"))
                yield _MemberRow(name, schema, name in required, "", is_marked)


def _name(place: TypedPlace, row: _MemberRow, places: SchemaPlaces) -> Candidate:
    """Return a name with its comma, and the simplest value if it is obvious."""
    node = places.reader.node(row.schema)
    facts = [kind_words(places.reader, row.schema), limit_words(node)]
    if row.deprecated:
        facts.append("deprecated")
    elif row.required:
        facts.append("required")
    doc = in_one_line((row.doc or node.doc).partition("\n\n")[0], LONGEST_WORDS)
    both = [", ".join(fact for fact in facts if fact), doc]
    words = in_one_line(" · ".join(part for part in both if part), LONGEST_WORDS)
    text = inert_value(row.name)
    if place.colon:
        return Candidate(text, row.name, words)
    value = _obvious_value(node)
    text = f"{text}: {value}"
    if place.due == "next":
        text = f", {text}"
    cursor = len(text)
    if value in {'""', "[]", "{}"}:
        cursor -= 1
    if place.comma:
        text += ", "
    return Candidate(text, row.name, words, cursor)


def _obvious_value(node: Node) -> str:
    """Return the only choice, or the empty value of the only type, else ""."""
    if node.choices is not None:
        if len(node.choices) != 1 or isinstance(node.choices[0], dict | list):
            return ""
        return inert_value(node.choices[0])
    if len(node.kinds) != 1 or node.alternatives or node.kinds[0] not in {*_BEGUN, "null"}:
        return ""
    return PLAIN[node.kinds[0]]


def _complete_values(
    place: TypedPlace, described: Described, places: SchemaPlaces, values: AskForValues | None
) -> Iterator[Candidate]:
    """Yield values of the service, then earlier ones, else the simplest."""
    nodes = places.nodes(places.schemas(place.path, [level.members for level in place.levels]))
    known = [*_stated_values(nodes), *_of_examples(place, described)]
    found = [_value(value, words) for value, words in known if is_small(value)]
    if values:
        earlier = values(_name_of_value(place, described), place.path)
        found += [candidate for candidate in earlier if _may_be(nodes, candidate.text)]
    if not (place.typed or place.quoted or known):
        found += _simplest_values(nodes, places)
    for candidate in found:
        if place.quoted and not candidate.text.startswith('"'):
            continue  # After a quote only text fits.
        if not place.comma:
            yield candidate
            continue
        cursor = len(candidate.text) if candidate.cursor is None else candidate.cursor
        yield replace(candidate, text=f"{candidate.text}, ", cursor=cursor)


def _name_of_value(place: TypedPlace, described: Described) -> str:
    """Return the name of a place; an element has the name of its list."""
    for step in reversed(place.path):
        if isinstance(step, str):
            return step
    for at, param in enumerate(described.params):
        if at == place.path[0]:
            return param.name
    return ""


def _stated_values(nodes: Sequence[Node]) -> Iterator[tuple[Any, str]]:
    """Yield values in schemas: choices first, then defaults."""
    for node in nodes:
        for value in (node.choices or ())[:MOST]:
            yield value, "the default" if value == node.default else ""
        if node.choices is None:
            for kind in node.kinds:
                for value in _OF_KIND.get(kind, ()):
                    yield value, ""
    for node in nodes:
        if node.default is not UNSET:
            yield node.default, "the default"
        for value in node.examples[:MOST_EXAMPLES]:
            yield value, "an example"


def _of_examples(place: TypedPlace, described: Described) -> Iterator[tuple[Any, str]]:
    """Yield values of example calls at the place, by name or position."""
    names = [param.name for param in described.params]
    for call in described.examples[:MOST_EXAMPLES]:
        value = call.params
        if isinstance(value, list) and place.levels[0].is_object:
            value = dict(zip(names, value, strict=False))
        elif isinstance(value, dict) and not place.levels[0].is_object:
            value = [value.get(name, UNSET) for name in names]
        for step in place.path:
            if isinstance(value, dict) and isinstance(step, str):
                value = value.get(step, UNSET)
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                value = value[step]
            else:
                value = UNSET
        words = f"from example {value_words(call.name)}" if call.name else "an example"
        if value is not UNSET:
            yield value, words


def _simplest_values(nodes: Iterable[Node], places: SchemaPlaces) -> Iterator[Candidate]:
    """Yield the simplest value of each type, with its required members."""
    for node in nodes:
        for kind in node.kinds:
            if kind not in _BEGUN:
                continue
            schema = {"type": kind, "properties": dict(node.properties), "required": [*node.required]}
            value = Maker(places.reader).made(schema).value
            if not is_small(value):
                continue
            text = inert_value(value)
            cursor = None if value else len(text) - 1
            yield Candidate(text, in_one_line(text, LONGEST_SHOWN), kind, cursor)


def _value(value: Any, words: str) -> Candidate:
    text = inert_value(value)
    shown = value_words(value)
    if isinstance(value, dict | list):
        shown = in_one_line(text, LONGEST_SHOWN)
    return Candidate(text, shown, words)


def _may_be(nodes: Iterable[Node], text: str) -> bool:
    """Return whether a value fits one of the types; a reference fits any."""
    allowed: set[str] = set()
    for node in nodes:
        allowed.update(node.kinds)
    return "{{" in text or not allowed or is_kind(kind_of_value(value_of(text)), allowed)


def signature(text: str, offset: int, described: Described, *, by: By | None = None) -> str:
    """Return the signature: ``count integer 1 … 100, next: kind, since (optional)``.

    Empty if nothing is known.
    """
    if not text[:offset].strip():
        return _signature("", "", _names(_param_rows(described)))
    place = place_at(text, offset)
    if place is None or not described.params or by not in {None, _by(place)}:
        return ""
    places, path = SchemaPlaces(described), place.path
    words = ""
    for schema in places.schemas(path, [level.members for level in place.levels]):
        words = words or f"{kind_words(places.reader, schema)} {limit_words(places.reader.node(schema))}".strip()
    if path and isinstance(path[0], int):
        names = [param.name or f"#{number}" for number, param in enumerate(described.params, start=1)]
        if path[0] >= len(names):
            return ""
        after = [_listed(name, param.required) for name, param in zip(names, described.params, strict=True)]
        return _signature("".join([names[path[0]], *step_words(path[1:])]), words, after[path[0] + 1 :])
    present, around = set(place.levels[-1].members), path
    if place.due == "value":
        present.update(map(str, path[-1:]))
        around = path[:-1]
    rows = _members(around, place, described, places)
    names = _names(row for row in rows if row.name not in present)
    return _signature("".join(step_words(path)).removeprefix("."), words, names)


def _by(place: TypedPlace) -> By:
    return "name" if place.levels[0].is_object else "position"


def _names(rows: Iterable[_MemberRow]) -> list[str]:
    """Return the names, required ones first."""
    shown = sorted((row for row in rows if not row.deprecated), key=_rank)
    return [_listed(row.name, row.required) for row in shown]


def _listed(name: str, required: bool | None) -> str:
    return name if required else f"{name} (optional)"


def _signature(current: str, words: str, after: Sequence[str]) -> str:
    here = f"{current} {words}".strip()
    then = ", ".join(after[:MOST_NAMES])
    if len(after) > MOST_NAMES:
        then += " …"
    if here and then:
        return f"{here}, next: {then}"
    return here or then


MAX_VALUES: Final = 5
"""Values from each source."""
MOST_CALLS: Final = 200
MOST_TEXT: Final = 2_000_000
"""Characters to read for one list: it is searched while the user types."""
LONGEST_TEXT: Final = 64_000
"""Characters to read of one call."""
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
    for call in islice(calls, MOST_CALLS):
        if left <= 0 or len(used) + len(received) >= 2 * MAX_VALUES:
            break
        if not call.foreign and getattr(call.outcome, "code", None) != INVALID_PARAMS:
            left -= len(call.params)
            words = "used before" if call.method == method else f"used for {call.method}"
            for text in _used(call, method, name, path):
                _put(used, text, words)
        if isinstance(call.outcome, Result) and call.kind == "call":
            response = bytes(call.outcome.text[:LONGEST_TEXT]).decode(errors="replace")
            left -= len(response)
            for text in _received_values(response, call.method, name):
                if "{{" not in text:
                    _put(received, text, f"from a response to {call.method}")
    new = [candidate for text, candidate in received.items() if text not in used]
    return (*used.values(), *new)


def _put(found: dict[str, Candidate], text: str, words: str) -> None:
    """Add a value that is short, not empty and not redacted."""
    if len(found) == MAX_VALUES or text in found or not text.strip('"') or len(text) > MAX_VALUE_CHARACTERS:
        return
    shown = value = text
    if text.startswith('"'):
        value = decoded(text)
        shown = value_words(value)
    if "«" not in value:
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


def _received_values(response: str, method: str, name: str) -> Iterator[str]:
    """Yield the values in a response with this name.

    For ``user_id`` these are also the ids of users.
    """
    if not name or len(name) > MAX_VALUE_CHARACTERS:
        return
    yield from _values_of_name(response, name)
    thing = _ID.fullmatch(name)
    if thing is None:
        return
    if thing[1].casefold() in method.casefold():
        yield from _values_of_name(response, "id")
    inside = rf'"{re.escape(thing[1])}s?"\s*:\s*\[?\s*\{{[^{{}}]*?"id"\s*:\s*{_VALUE}'
    for found in re.finditer(inside, response, re.IGNORECASE):
        yield found[1]


def _values_of_name(text: str, name: str) -> Iterator[str]:
    if len(name) <= MAX_VALUE_CHARACTERS:
        for found in re.finditer(rf"{re.escape(spelled(name))}\s*:\s*{_VALUE}", text):
            yield found[1]
