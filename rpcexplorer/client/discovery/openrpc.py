"""An OpenRPC document as methods. Total: whatever the value is, a listing comes out, and it is bounded.

References are followed inside the document only. What cannot be used is counted and said, never raised.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rpcexplorer.auth.registry import KINDS
from rpcexplorer.client.discovery.limits import KIND, example_of, first_line_of, kind_of, line_of, name_of, text_of
from rpcexplorer.model.catalogue import By, Listing, Method, Parameter

DIALECT = "rpc.discover"
MOST_METHODS = 20_000
MOST_PARAMETERS = 50_000
"""Of all methods together: references make a small document say a lot."""
HOPS = 8
"""References that may lead to references."""
DEPTH = 3
"""Levels of a schema that its kind is told of: ``array of array of string``."""
CHOICES = 6
"""Values of an enum, or alternatives of a schema, that are named."""

EMPTY: Final = "not offered (an empty result)"

_NOTHING: dict[str, Any] = {}
_STRUCTURES: dict[Any, By] = {"by-name": "name", "by-position": "position"}
_AUTHS: dict[Any, str] = {kind: kind for kind in KINDS}


def read_openrpc(value: Any) -> Listing:
    if not value:
        return Listing(refusal=EMPTY)
    if not isinstance(value, dict) or not isinstance(value.get("methods"), dict | list):
        return Listing(refusal="answered, but not with an OpenRPC document, which has a list of methods")
    document = _Document(value)
    methods = document.methods(_named_entries(value["methods"]))
    return Listing(methods, _about(document, value), tuple(document.skipped()))


def _about(document: _Document, value: dict[str, Any]) -> str:
    version, info = line_of(value.get("openrpc"), 20), document.follow(value.get("info"))
    title = f"{line_of(info.get('title'), KIND)} {line_of(info.get('version'), 20)}".strip()
    return f"OpenRPC {version}".strip() + (f', "{title}"' if title else "")


def _named_entries(entries: Any) -> Iterable[tuple[Any, Any]]:
    """Name and entry, of a list as it should be or of an object by name. None where the entry has its own name."""
    return entries.items() if isinstance(entries, dict) else ((None, entry) for entry in entries)


class _Document:
    """One document being read, with what has been left out of it so far."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._kinds: dict[tuple[int, int], str] = {}
        """Of schemas by identity and depth: many references may lead to one of them."""
        self._parameters_left = MOST_PARAMETERS
        self._nameless = self._repeated = self._too_many = self._without_parameters = 0

    def skipped(self) -> Iterable[str]:
        """What was left out, in sentences."""
        for count, why in (
            (self._nameless, "without a name that can be called"),
            (self._repeated, "named a second time"),
            (self._too_many, f"beyond the first {MOST_METHODS:,}"),
        ):
            if count:
                yield f"{count:,} left out: {why}"
        if self._without_parameters:
            yield f"the params of {self._without_parameters:,} methods left out: the document describes too many"

    def methods(self, entries: Iterable[tuple[Any, Any]]) -> tuple[Method, ...]:
        """All that can be used, in the document's order."""
        found: dict[str, Method] = {}
        for own_name, entry in entries:
            described = self.follow(entry)
            name = name_of(described.get("name") or own_name)
            if not name:
                self._nameless += 1
            elif name in found:
                self._repeated += 1
            elif len(found) == MOST_METHODS:
                self._too_many += 1
            else:
                found[name] = self._method(name, described)
        return tuple(found.values())

    def _method(self, name: str, entry: dict[str, Any]) -> Method:
        doc = line_of(entry.get("summary")) or first_line_of(entry.get("description"))
        details = text_of(entry.get("description"))
        safe = entry.get("x-safe")
        return Method(
            name,
            doc,
            auth=_one_of(_AUTHS, entry.get("x-auth")),
            safe=safe if isinstance(safe, bool) else None,
            source="discovered",
            parameters=self._parameters(entry),
            by=_one_of(_STRUCTURES, entry.get("paramStructure")),
            details="" if details.rstrip(".") == doc.rstrip(".") else details,
            result=self.kind(self.follow(entry.get("result")).get("schema")),
            deprecated=entry.get("deprecated") is True,
            dialect=DIALECT,
        )

    def _parameters(self, entry: dict[str, Any]) -> tuple[Parameter, ...]:
        params = entry.get("params")
        if not isinstance(params, dict | list) or not params:
            return ()
        if len(params) > self._parameters_left:
            self._without_parameters += 1
            return ()
        self._parameters_left -= len(params)
        examples = self._examples(entry)
        return tuple(self._parameter(name, param, examples) for name, param in _named_entries(params))

    def _parameter(self, own_name: Any, param: Any, examples: dict[str, Any]) -> Parameter:
        described = self.follow(param)
        name = name_of(described.get("name") if own_name is None else own_name)
        schema = self.follow(described.get("schema", described))
        required = described.get("required", False if own_name is None else None)
        return Parameter(
            name,
            required if isinstance(required, bool) else None,
            self.kind(schema),
            line_of(described.get("summary")) or first_line_of(described.get("description", schema.get("description"))),
            example_of(schema.get("default")),
            examples.get(name, example_of(_first_example(schema))),
        )

    def _examples(self, entry: dict[str, Any]) -> dict[str, Any]:
        """The values of the method's first example, by parameter."""
        pairings = entry.get("examples")
        pairing = self.follow(pairings[0]) if isinstance(pairings, list) and pairings else _NOTHING
        params = pairing.get("params")
        given = [self.follow(param) for param in params[:CHOICES]] if isinstance(params, list) else []
        values = {name_of(value.get("name")): example_of(value.get("value")) for value in given}
        return {name: value for name, value in values.items() if name and value is not None}

    def follow(self, value: Any) -> dict[str, Any]:
        """The object itself or the one it refers to; an empty one for anything else, and for a circle."""
        for _ in range(HOPS):
            if not isinstance(value, dict):
                return _NOTHING
            reference = value.get("$ref")
            if not isinstance(reference, str):
                return value
            value = self._at(reference)
        return _NOTHING

    def _at(self, reference: str) -> Any:
        value: Any = self._root
        start, *parts = reference.split("/", HOPS)
        if start != "#":
            return None
        for part in parts:
            if not isinstance(value, dict):
                return None
            value = value.get(part.replace("~1", "/").replace("~0", "~"))
        return value

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
        choices = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if isinstance(choices, list) and choices:
            more = " | …" if len(choices) > CHOICES else ""
            return "one of " + " | ".join(_shown(choice) for choice in choices[:CHOICES]) + more
        types = schema.get("type")
        words = [kind_of(word) for word in (types[:CHOICES] if isinstance(types, list) else [types])]
        if words == [""]:
            words = self._guessed(schema, depth)
        items = self.kind(schema.get("items"), depth + 1)
        return _either(f"array of {items}" if word == "array" and items else word for word in words)

    def _guessed(self, schema: dict[str, Any], depth: int) -> list[str]:
        """The kinds of a schema that names no type of its own."""
        for combined in ("oneOf", "anyOf", "allOf"):
            parts = schema.get(combined)
            if isinstance(parts, list):
                kinds = [self.kind(part, depth + 1) for part in parts[:CHOICES]]
                return [kind for kind in kinds if kind][: 1 if combined == "allOf" else CHOICES]
        return ["object"] if "properties" in schema else ["array"] if "items" in schema else []


def _first_example(schema: dict[str, Any]) -> Any:
    for several in ("examples", "enum"):
        values = schema.get(several)
        if isinstance(values, list) and values:
            return values[0]
    return schema.get("example", schema.get("const"))


def _one_of(words: dict[Any, Any], word: Any) -> Any:
    return words.get(word) if isinstance(word, str) else None


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
