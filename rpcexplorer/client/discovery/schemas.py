"""JSON Schema as services write it, in short words: what a value may be, and what is known of a parameter.

Total and bounded: schemas may refer to themselves, to nowhere and to each other, and be anything but a schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rpcexplorer.client.discovery.collecting import Collected
from rpcexplorer.client.discovery.limits import KIND, example_of, first_line_of, kind_of, line_of, name_of
from rpcexplorer.model.method import Parameter

HOPS = 8
"""References that may lead to references."""
DEPTH = 3
"""Levels of a schema that its kind is told of: ``array of array of string``."""
CHOICES = 6
"""Values of an enum, or alternatives of a schema, that are named."""
NOTHING: dict[str, Any] = {}


class Schemas:
    """The schemas of one document."""

    def __init__(self, root: Any, types: Any = None) -> None:
        """References lead to places in ``root``; those that are bare names, to ``types``."""
        self._root = root
        self._types: Mapping[str, Any] = types if isinstance(types, dict) else NOTHING
        self._kinds: dict[tuple[int, int], str] = {}
        """Of schemas by identity and depth: many references may lead to one of them."""

    def follow(self, value: Any) -> dict[str, Any]:
        """The object itself or the one it refers to; an empty one for anything else, and for a circle."""
        for _ in range(HOPS):
            if not isinstance(value, dict):
                return NOTHING
            reference = value.get("$ref")
            if not isinstance(reference, str):
                return value
            value = self._at(reference)
        return NOTHING

    def _at(self, reference: str) -> Any:
        start, *parts = reference.split("/", HOPS)
        if start != "#":
            return self._types.get(reference)
        value: Any = self._root
        for part in parts:
            if not isinstance(value, dict):
                return None
            value = value.get(part.replace("~1", "/").replace("~0", "~"))
        return value

    def parameter(self, name: Any, entry: Any, *, required: Any = None) -> Parameter:
        """A parameter by its schema. What stands beside a reference is said of this one alone, and wins."""
        here = entry if isinstance(entry, dict) else NOTHING
        schema = self.follow(entry)
        required = required if isinstance(required, bool) else None
        return Parameter(
            name_of(name),
            required,
            self.kind(entry),
            first_line_of(here.get("description")) or first_line_of(schema.get("description")),
            None if required else example_of(here.get("default", schema.get("default"))),
            example_of(first_example(schema)),
        )

    def properties(self, schema: Any, collected: Collected) -> tuple[Parameter, ...]:
        """The members of an object that a schema describes."""
        schema = self.follow(schema)
        members, required = schema.get("properties"), schema.get("required")
        if not isinstance(members, dict) or not collected.parameters_fit(members):
            return ()
        needed = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set[str]()
        return tuple(self.parameter(name, entry, required=name in needed) for name, entry in members.items())

    def kind(self, schema: Any, depth: int = 0) -> str:
        """What a schema lets through, in short words; empty where it does not say."""
        schema = self.follow(schema)
        if depth > DEPTH or not schema:
            return ""
        key = (id(schema), depth)
        if key not in self._kinds:
            self._kinds[key] = line_of(self._kind(schema, depth), KIND)
        return self._kinds[key]

    def _kind(self, schema: dict[str, Any], depth: int) -> str:
        choices = schema.get("enum", schema.get("enums", [schema["const"]] if "const" in schema else None))
        if isinstance(choices, list) and choices:
            return one_of(choices)
        types = schema.get("type")
        words = [self._word(word, depth) for word in (types[:CHOICES] if isinstance(types, list) else [types])]
        if words == [""]:
            words = self._guessed(schema, depth)
        items = self.kind(schema.get("items"), depth + 1)
        return _either(f"array of {items}" if word == "array" and items else word for word in words)

    def _word(self, word: Any, depth: int) -> str:
        """A type; one of several may be a schema of its own."""
        return self.kind(word, depth + 1) if isinstance(word, dict) else kind_of(word)

    def _guessed(self, schema: dict[str, Any], depth: int) -> list[str]:
        """The kinds of a schema that names no type of its own."""
        for combined in ("oneOf", "anyOf", "allOf"):
            parts = schema.get(combined)
            if isinstance(parts, list):
                kinds = [self.kind(part, depth + 1) for part in parts[:CHOICES]]
                return [kind for kind in kinds if kind][: 1 if combined == "allOf" else CHOICES]
        if "properties" in schema or "items" in schema:
            return ["object" if "properties" in schema else "array"]
        parent = schema.get("extends")  # a type of Kodi's, by its name
        return [self.kind({"$ref": parent}, depth + 1)] if isinstance(parent, str) else []


def one_of(choices: list[Any]) -> str:
    """The kind of a value that must be one of a few."""
    more = " | …" if len(choices) > CHOICES else ""
    return "one of " + " | ".join(_shown(choice) for choice in choices[:CHOICES]) + more


def first_example(schema: dict[str, Any]) -> Any:
    for several in ("examples", "enum", "enums"):
        values = schema.get(several)
        if isinstance(values, list) and values:
            return values[0]
    return schema.get("example", schema.get("const"))


def _either(words: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(word for word in words if word))


def _shown(choice: Any) -> str:
    """A value of an enum, as short as it can be."""
    match choice:
        case str():
            return line_of(choice, KIND)
        case None | bool():
            return {None: "null", True: "true", False: "false"}[choice]
        case int() | float():
            return str(choice)
    return "…"
