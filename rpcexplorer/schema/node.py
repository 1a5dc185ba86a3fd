"""Nodes of a JSON Schema, with their references resolved."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from msgspec import UNSET, Struct

from rpcexplorer.schema.dialect import IS_UNSURE, LEAST, LIMITS, MOST, as_list, members_of, modern

MAX_JOINED: Final = 200
"""Schemas to join for one place: references and ``allOf`` can make a small document endless."""
MOST_CHOICES: Final = 1_000
"""Choices or alternatives of one place."""
MOST_MEMBERS: Final = 50_000
"""Members that one reader reads: thousands of places may each join the same large object."""
NOTHING: Final[dict[str, Any]] = {"not": {}}
"""``False`` as a part: a schema that nothing matches."""


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


class Node(Struct, frozen=True):
    """The allowed values of a place. Its schemas are raw, not nodes."""

    kinds: tuple[str, ...] = ()
    """Types such as ``string``; empty if any type is allowed."""
    is_sure: bool = True
    """Its type names have one meaning; else another type may be right."""
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
    """Keyed by the names in ``LIMITS``."""
    deprecated: bool = False
    read_only: bool = False

    def element(self, index: int) -> Any:
        """Return the schema of an element."""
        return self.prefix[index] if index < len(self.prefix) else self.items

    def member(self, name: str) -> Any:
        """Return the schema of a member; ``False`` if it is not allowed."""
        return self.properties.get(name, self.additional)

    def inside(self, step: str | int) -> Any:
        """Return the schema of an element or member."""
        return self.element(step) if isinstance(step, int) else self.member(step)


ANYTHING: Final = Node()


class SchemaReader:
    """Reads the schemas of one method as nodes."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions
        self._modern: dict[int, tuple[Any, dict[str, Any]]] = {}
        self._nodes: dict[int, tuple[Any, Node]] = {}
        """Both by schema id, with the schema to keep the id."""
        self._members_left = MOST_MEMBERS

    def node(self, schema: Any) -> Node:
        """Return the node of a schema; of an invalid one, anything is allowed."""
        if not isinstance(schema, dict):
            return ANYTHING
        if id(schema) not in self._nodes:
            self._nodes[id(schema)] = (schema, self._joined(list(self.parts(schema))))
        return self._nodes[id(schema)][1]

    def parts(self, schema: Any) -> Iterator[dict[str, Any]]:
        """Yield a schema, its references and its ``allOf``, the nearest first.

        They are in draft 2020-12.
        """
        rest: list[Any] = [schema]
        seen: set[int] = set()
        while rest and len(seen) < MAX_JOINED:
            source = rest.pop()
            if source is False:
                source = NOTHING
            if not isinstance(source, dict) or id(source) in seen:
                continue
            seen.add(id(source))
            if id(source) not in self._modern:
                self._modern[id(source)] = (source, modern(source, self._definitions))
            part = self._modern[id(source)][1]
            yield part
            rest += reversed(part.get("allOf", ())[:MAX_JOINED])
            if "$ref" in part:
                rest.append(self._definitions.get(part["$ref"]))

    def _joined(self, parts: list[dict[str, Any]]) -> Node:
        """Join parts into one node: all narrow it, the nearest wins."""
        properties: dict[str, Any] = {}
        for part in parts:
            members = members_of(part)
            for name, schema in islice(members.items(), self._members_left):
                properties.setdefault(name, schema)
            self._members_left -= min(self._members_left, len(members))
        alternatives: list[Any] = []
        examples: list[Any] = []
        required: set[str] = set()
        for part in parts:
            alternatives += alternatives_of(part)
            examples += part.get("examples", ())
            required.update(part.get("required", ()))
        return Node(
            kinds=_kinds(parts),
            is_sure=not any(IS_UNSURE in part for part in parts),
            title=_nearest(parts, "title", ""),
            doc=_nearest(parts, "description", ""),
            choices=_choices(parts),
            default=_nearest(parts, "default", UNSET),
            examples=tuple(examples),
            properties=properties,
            required=frozenset(required),
            additional=_narrowest([_additional(part) for part in parts]),
            prefix=tuple(_nearest(parts, "prefixItems", ())),
            items=_nearest(parts, "items", True),
            alternatives=tuple(alternatives[:MOST_CHOICES]),
            limits=_limits(parts),
            deprecated=_nearest(parts, "deprecated", False),
            read_only=_nearest(parts, "readOnly", False),
        )


def _nearest(parts: list[dict[str, Any]], key: str, default: Any) -> Any:
    return next((part[key] for part in parts if key in part), default)


def _kinds(parts: list[dict[str, Any]]) -> tuple[str, ...]:
    """Return the types of the nearest part that has any, else guess them."""
    for part in parts:
        if "type" in part:
            return tuple(as_list(part["type"]))
    if any(alternatives_of(part) or "enum" in part or "const" in part for part in parts):
        return ()
    if any(members_of(part) for part in parts):
        return ("object",)
    if any("items" in part or "prefixItems" in part for part in parts):
        return ("array",)
    return ()


def alternatives_of(part: dict[str, Any]) -> list[Any]:
    found: list[Any] = part.get("oneOf") or part.get("anyOf") or []
    return found


def _choices(parts: list[dict[str, Any]]) -> tuple[Any, ...] | None:
    """Return the shortest list, because each part narrows."""
    found = [part["enum"] for part in parts if "enum" in part]
    found += [[part["const"]] for part in parts if "const" in part]
    if not found:
        return None
    return tuple(min(found, key=len)[:MOST_CHOICES])


def _additional(part: dict[str, Any]) -> Any:
    """Return the schema of other members; patterns count as other ones."""
    declared = part.get("additionalProperties", part.get("unevaluatedProperties", True))
    patterns = members_of(part, "patternProperties")
    if declared is True or not patterns:
        return declared
    several = list(islice(patterns.values(), MOST_CHOICES))
    if isinstance(declared, dict):
        several.append(declared)
    return several[0] if len(several) == 1 else {"anyOf": several}


def _narrowest(found: list[Any]) -> Any:
    """Return ``False`` before a schema, a schema before anything."""
    if any(schema is False for schema in found):
        return False
    return next((schema for schema in found if isinstance(schema, dict)), True)


def _limits(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the narrowest bounds, and other limits of the nearest part."""
    found: dict[str, Any] = {}
    for part in parts:
        for key in [key for key in LIMITS if key in part]:  # Most parts have none of them.
            if key not in found:
                found[key] = part[key]
            elif key in LEAST:
                found[key] = max(found[key], part[key])
            elif key in MOST:
                found[key] = min(found[key], part[key])
    return found
