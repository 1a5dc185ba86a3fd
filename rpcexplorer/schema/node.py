"""Nodes of a JSON Schema, with their references resolved."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from math import isfinite
from typing import Any, Final, TypeGuard
from urllib.parse import unquote

from msgspec import UNSET, Struct

from rpcexplorer.jsontext.pointers import names_of

KINDS: Final = {
    spelling: kind
    for kind, spellings in {
        "string": "str text char varchar",
        "integer": "int i4 i8 int32 int64 uint uint32 uint64 long",
        "number": "float double decimal real numeric num",
        "boolean": "bool bit",
        "object": "struct dict map mapping hash obj table",
        "array": "list tuple vector sequence arr",
        "null": "nil none void undefined",
    }.items()
    for spelling in (kind, *spellings.split())
}
UNSURE: Final = frozenset({"hash", "table", "bit", "decimal", "numeric", "map", "none", "void"})
"""Type names with different meanings, which are not checked."""


def kind_of_value(value: object) -> str:
    """Return the type of a value; a whole number is an integer."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case str():
            return "string"
        case dict():
            return "object"
    return "array"


def is_kind(kind: str, kinds: Collection[str]) -> bool:
    """Return whether a type is one of these; an integer is a number, too."""
    return kind in kinds or (kind == "integer" and "number" in kinds)


MOST_JOINED: Final = 200
"""Parts to join for one place."""
MOST_CHOICES: Final = 1_000
MOST_MEMBERS: Final = 50_000
"""Members that one reader reads."""
MOST_MARKED: Final = 1_000
"""Members of one part that can be marked as required."""
LEAST: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
MOST: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
LIMITS: Final = (*LEAST, *MOST, "multipleOf", "pattern", "format", "uniqueItems")
"""Keywords that narrow a type."""
_COUNTS: Final = frozenset({*LEAST, *MOST} - {"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"})
NOTHING: Final[dict[str, Any]] = {"not": {}}
"""``False`` as a part: a schema that nothing matches."""
_EXCLUSIVE: Final = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}
_INCLUSIVE: Final = {exclusive: inclusive for inclusive, exclusive in _EXCLUSIVE.items()}
_JOINS: Final = ("oneOf", "anyOf")


class Node(Struct, frozen=True):
    """The allowed values of a place. Its schemas are raw, not nodes."""

    kinds: tuple[str, ...] = ()
    """Types such as ``string``; empty if any type is allowed."""
    title: str = ""
    doc: str = ""
    """Markdown."""
    choices: tuple[Any, ...] | None = None
    """The only allowed values, if they are listed."""
    default: Any = UNSET
    examples: tuple[Any, ...] = ()
    properties: Mapping[str, Any] = {}
    required: frozenset[str] = frozenset()
    additional: Any = True
    """Other members: a schema, ``True`` for anything, ``False`` for none."""
    prefix: tuple[Any, ...] = ()
    """The first elements, each with its own schema."""
    items: Any = True
    """Other elements, like ``additional``."""
    alternatives: tuple[Any, ...] = ()
    """One of these must match as well."""
    limits: Mapping[str, Any] = {}
    """By the names in ``LIMITS``; bounds of drafts 3 and 4 are converted."""
    deprecated: bool = False
    read_only: bool = False

    def element(self, index: int) -> Any:
        """Return the schema of an element."""
        return self.prefix[index] if index < len(self.prefix) else self.items

    def member(self, name: str) -> Any:
        """Return the schema of a member; ``False`` if it is not allowed."""
        return self.properties.get(name, self.additional)


ANYTHING: Final = Node()


class SchemaReader:
    """Reads the schemas of one method as nodes."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions
        self._nodes: dict[int, tuple[Any, Node]] = {}
        """By schema id, with the schema to keep the id."""
        self._room = MOST_MEMBERS
        """Members left to read; further schemas have none."""

    def node(self, schema: Any) -> Node:
        """Return the node of a schema; of an invalid one, anything is allowed."""
        if not isinstance(schema, dict):
            return ANYTHING
        known = self._nodes.get(id(schema))
        if known is None:
            parts = list(self.parts(schema))
            known = self._nodes[id(schema)] = (schema, _joined(parts, self._room))
            self._room -= min(self._room, sum(len(members_of(part)) for part in parts))
        return known[1]

    def parts(self, schema: Any) -> Iterator[dict[str, Any]]:
        """Yield a schema, its references and its ``allOf``, the nearest first."""
        rest: list[Any] = [schema]
        seen: set[int] = set()
        while rest and len(seen) < MOST_JOINED:
            part = rest.pop()
            part = NOTHING if part is False else part
            if not isinstance(part, dict) or id(part) in seen:
                continue
            seen.add(id(part))
            yield part
            rest += reversed(list(islice(self._followed(part), MOST_JOINED)))

    def _followed(self, part: dict[str, Any]) -> Iterator[Any]:
        for key in ("$ref", "$dynamicRef", "$recursiveRef", "extends"):
            value = part.get(key)
            for target in value if isinstance(value, list) else (value,):
                if isinstance(target, str):
                    yield self._definitions.get(target)
                elif key == "extends":
                    yield target
        together = part.get("allOf")
        yield from together if isinstance(together, list) else ()


def _joined(parts: list[dict[str, Any]], room: int) -> Node:
    """Join parts into one node: all narrow it, the nearest wins."""
    properties: dict[str, Any] = {}
    for name, schema in islice((row for part in parts for row in members_of(part).items()), room):
        properties.setdefault(name, schema)
    alternatives = [alternative for part in parts for alternative in alternatives_of(part)]
    return Node(
        kinds=_kinds(parts),
        title=_first_text(parts, "title"),
        doc=_first_text(parts, "description"),
        choices=_choices(parts),
        default=next((part["default"] for part in parts if "default" in part), UNSET),
        examples=tuple(_examples(parts)),
        properties=properties,
        required=frozenset(name for part in parts for name in required_of(part)),
        additional=_narrowest([_additional(part) for part in parts]),
        prefix=next((prefix for part in parts if (prefix := _prefix(part))), ()),
        items=_rest_of_items(parts),
        alternatives=tuple(alternatives[:MOST_CHOICES]),
        limits=_limits(parts),
        deprecated=any(part.get("deprecated") is True for part in parts),
        read_only=any(part.get("readOnly") is True for part in parts),
    )


def _kinds(parts: list[dict[str, Any]]) -> tuple[str, ...]:
    """Return the types of the nearest part that has any, else guess them."""
    nullable = any(part.get("nullable") is True for part in parts)
    for part in parts:
        if kinds := kinds_of(part):
            return (*kinds, "null") if nullable and "null" not in kinds else kinds
    if nullable or any(alternatives_of(part) or choices_of(part) is not None for part in parts):
        return ()
    if any(members_of(part) for part in parts):
        return ("object",)
    return ("array",) if any("items" in part or "prefixItems" in part for part in parts) else ()


def kinds_of(part: dict[str, Any]) -> tuple[str, ...]:
    """Return the types of a part; empty if it has none or an unknown one."""
    declared = part.get("type")
    words = declared if isinstance(declared, list) else [declared]
    if any(isinstance(word, dict) for word in words):
        return ()
    kinds = dict.fromkeys(KINDS.get(word.lower(), "") for word in words if isinstance(word, str))
    return () if "" in kinds else tuple(kinds)


def alternatives_of(part: dict[str, Any]) -> list[Any]:
    """Return ``oneOf``, ``anyOf`` and draft 3's types that are schemas."""
    for key in _JOINS:
        if isinstance(found := part.get(key), list) and found:
            return found
    declared = part.get("type")
    if isinstance(declared, list) and any(isinstance(word, dict) for word in declared):
        return [word if isinstance(word, dict) else {"type": word} for word in declared]
    return []


def choices_of(part: dict[str, Any]) -> list[Any] | None:
    if "const" in part:
        return [part["const"]]
    found = part.get("enum", part.get("enums"))
    return found if isinstance(found, list) and found else None


def _choices(parts: list[dict[str, Any]]) -> tuple[Any, ...] | None:
    """Return the shortest list, because each part narrows."""
    found = [choices for part in parts if (choices := choices_of(part)) is not None]
    return tuple(min(found, key=len)[:MOST_CHOICES]) if found else None


def _examples(parts: list[dict[str, Any]]) -> Iterator[Any]:
    for part in parts:
        several = part.get("examples")
        if isinstance(several, list):
            yield from several[:MOST_CHOICES]
        if "example" in part:
            yield part["example"]


def members_of(schema: Any, key: str = "properties") -> dict[str, Any]:
    """Return the schemas of a keyword by name."""
    found = schema.get(key) if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else {}


def required_of(part: dict[str, Any]) -> Iterator[str]:
    """Yield names in the list, and properties that are marked as required."""
    names = part.get("required")
    if isinstance(names, list):
        yield from (name for name in names if isinstance(name, str))
    for name, schema in islice(members_of(part).items(), MOST_MARKED):
        if isinstance(schema, dict) and schema.get("required") is True:
            yield name


def _additional(part: dict[str, Any]) -> Any:
    """Return the schema of other members; patterns count as other ones."""
    declared = part.get("additionalProperties", part.get("unevaluatedProperties", True))
    patterns = part.get("patternProperties")
    if declared is True or not isinstance(patterns, dict) or not patterns:
        return declared
    several = [*islice(patterns.values(), MOST_CHOICES), *([declared] if isinstance(declared, dict) else [])]
    return several[0] if len(several) == 1 else {"anyOf": several}


def _narrowest(found: list[Any]) -> Any:
    """Return ``False`` before a schema, a schema before anything."""
    if any(schema is False for schema in found):
        return False
    return next((schema for schema in found if isinstance(schema, dict)), True)


def _prefix(part: dict[str, Any]) -> tuple[Any, ...]:
    """Return elements with their own schemas; older drafts use ``items``."""
    for key in ("prefixItems", "items"):
        if isinstance(found := part.get(key), list):
            return tuple(found)
    return ()


def _rest_of_items(parts: list[dict[str, Any]]) -> Any:
    for part in parts:
        key = "additionalItems" if isinstance(part.get("items"), list) else "items"
        if isinstance(found := part.get(key), dict | bool):
            return found
    return True


def _limits(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the narrowest bounds, and other limits of the nearest part."""
    found: dict[str, Any] = {}
    for part in parts:
        for key, value in limits_of(part):
            if key not in found:
                found[key] = value
            elif key in LEAST:
                found[key] = max(found[key], value)
            elif key in MOST:
                found[key] = min(found[key], value)
    return found


def limits_of(part: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key in [key for key in LIMITS if key in part]:  # Most parts have none of them.
        if (limit := _limit(part, key, part[key])) is not None:
            yield key, limit
    if "divisibleBy" in part and "multipleOf" not in part:  # The name in draft 3.
        yield from limits_of({"multipleOf": part["divisibleBy"]})


def _limit(part: dict[str, Any], key: str, value: Any) -> Any:
    """Return the value of a limit, or None if it is invalid."""
    if key == "uniqueItems":
        return value is True or None
    if key in {"pattern", "format"}:
        return value or None if isinstance(value, str) else None
    if key in _COUNTS:
        return int(value) if is_number(value) and value >= 0 and value == int(value) else None
    if key == "multipleOf":
        return value if is_number(value) and value > 0 else None
    if value is True:  # In drafts 3 and 4.
        value = part.get(_INCLUSIVE.get(key, ""))
    elif part.get(_EXCLUSIVE.get(key, "")) is True:
        return None
    return value if is_number(value) else None


def is_number(value: Any) -> TypeGuard[int | float]:
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _first_text(parts: list[dict[str, Any]], key: str) -> str:
    return next((text for part in parts if isinstance(text := part.get(key), str) and text.strip()), "")


MOST_DEFINITIONS: Final = 20_000
"""Definitions of one document."""
MOST_PARTS: Final = 2_000_000
"""Objects and arrays to look at; a document of 1 MB has fewer."""
LONGEST_REFERENCE: Final = 1_000
MOST_HELD: Final = 4 * 1024 * 1024
"""Characters of all definitions as JSON.

One may contain another, so they may be larger than the document.
"""
MOST_TOO_LARGE: Final = 8
"""Definitions that are found too large before the rest is skipped."""


class Definitions:
    """The definitions of a document by their references."""

    def __init__(self, root: Any, types: Any = None) -> None:
        """Names without a path refer to ``types``."""
        self._root = root
        self._types: Mapping[str, Any] = types if isinstance(types, dict) else {}
        self.found: dict[str, Any] = {}
        self.left_out = 0
        """References whose targets are too large."""
        self._refused: set[str] = set()
        self._seen: dict[int, Any] = {}
        """Schemas by id: thousands of methods may share one."""
        self._room = MOST_HELD

    def gather(self, schemas: Iterable[Any]) -> dict[str, Any]:
        """Return everything that these schemas refer to, directly or not."""
        rest = list(schemas)
        while rest and len(self._seen) < MOST_PARTS:
            part = rest.pop()
            if not isinstance(part, dict | list) or id(part) in self._seen:
                continue
            self._seen[id(part)] = part
            if isinstance(part, list):
                rest += part
                continue
            for reference in _references(part):
                if reference not in self.found and reference not in self._refused:
                    target = self.at(reference)
                    if isinstance(target, dict | bool) and self._is_kept(reference, target):
                        self.found[reference] = target
                        rest.append(target)
            rest += part.values()
        return self.found

    def _is_kept(self, reference: str, target: Any) -> bool:
        """Return whether there is room; one that is too large is not tried again."""
        is_over = len(self.found) >= MOST_DEFINITIONS or len(self._refused) >= MOST_TOO_LARGE
        size = self._room + 1 if is_over else weight(target, self._room)
        if size <= self._room:
            self._room -= size
            return True
        self.left_out += 1
        if not is_over:
            self._refused.add(reference)
        return False

    def with_own(self, own: Mapping[str, Any]) -> Definitions:
        """Return the definitions for schemas that have their ``own`` as well."""
        known = self._named  # Searched once, not in each copy.
        other = Definitions(self._root, {**self._types, **own})
        other.__dict__["_named"] = known
        return other

    @property
    def looked_at(self) -> int:
        """Return the number of objects and arrays."""
        return len(self._seen)

    def at(self, reference: str) -> Any:
        """Return the target of a reference, or None."""
        if reference == "#":
            return self._root
        found = self._place(reference) if reference.startswith("#/") else None
        if found is not None or reference in self._types:
            return self._types.get(reference) if found is None else found
        return None if reference.startswith("#/") else self._named.get(reference)

    def _place(self, reference: str) -> Any:
        value: Any = self._root
        for part in names_of(reference[1:]):
            if isinstance(value, dict):
                value = value[part] if part in value else value.get(unquote(part))
            elif isinstance(value, list) and part.isdecimal() and int(part[:9]) < len(value):
                value = value[int(part[:9])]
            else:
                return None
        return value

    @cached_property
    def _named(self) -> dict[str, Any]:
        """Return schemas by the names that they give themselves."""
        named: dict[str, Any] = {}
        rest, parts = [self._root], 0
        while rest and parts < MOST_PARTS:
            part = rest.pop()
            parts += 1
            if isinstance(part, dict):
                for key, sign in (("$id", ""), ("id", ""), ("$anchor", "#"), ("$dynamicAnchor", "#")):
                    if isinstance(name := part.get(key), str):
                        named.setdefault(f"{sign}{name}", part)
                rest += [value for value in part.values() if isinstance(value, dict | list)]
            elif isinstance(part, list):
                rest += [value for value in part if isinstance(value, dict | list)]
        return named


def weight(value: Any, limit: int) -> int:
    """Estimate the characters of a JSON value; stop above the limit."""
    rest, size = [value], 0
    while rest and size <= limit:
        part = rest.pop()
        if isinstance(part, dict):
            size += 2 + 4 * len(part) + sum(map(len, part))
            rest += part.values()
        elif isinstance(part, list):
            size += 2 + len(part)
            rest += part
        else:
            size += len(part) + 2 if isinstance(part, str) else 5
    return size


def references_in(schema: Any) -> set[str]:
    """Return the references in a schema."""
    found: set[str] = set()
    rest, parts = [schema], 0
    while rest and parts < MOST_PARTS:
        part = rest.pop()
        parts += 1
        if isinstance(part, dict):
            found.update(_references(part))
            rest += [value for value in part.values() if isinstance(value, dict | list)]
        elif isinstance(part, list):
            rest += [value for value in part if isinstance(value, dict | list)]
    return found


def _references(part: dict[str, Any]) -> Iterator[str]:
    """Yield the references of an object; Kodi's types use ``extends``."""
    for key in ("$ref", "$dynamicRef", "$recursiveRef", "extends"):
        value = part.get(key)
        for reference in value if isinstance(value, list) else (value,):
            if isinstance(reference, str) and len(reference) <= LONGEST_REFERENCE:
                yield reference
