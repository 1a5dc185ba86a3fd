"""A schema of a service as one document that the checker accepts."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, Final

from msgspec import UNSET, Struct

from rpcexplorer.model.method import By, Described, DescribedParam
from rpcexplorer.patterns import regex
from rpcexplorer.schema.node import KINDS, UNSURE, is_number, limits_of, members_of, required_of

MAX_PARTS: Final = 50_000
"""Schemas inside one another, those that are referred to counted once: the validator takes 1.4 kB for the least."""
LEVELS: Final = 40
"""Schemas inside one another before the next stands for itself: who reads them counts how deep they nest."""
MOST_BASES: Final = 50
_ONE: Final = (
    "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "unevaluatedProperties",
    "unevaluatedItems",
)  # fmt: skip
_LIST: Final = ("allOf", "anyOf", "oneOf")
_NAMED: Final = ("properties", "patternProperties", "dependentSchemas")
_COUNTS: Final = ("minContains", "maxContains")
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_OLD: Final = regex(r"draft-0?[3-7]\b")
"""Drafts in which nothing counts beside a reference."""


class _TooLargeError(Exception):
    pass


class _Rewriting:
    """The schemas of one method, rewritten one part after the other."""

    def __init__(self, described: Described) -> None:
        self._known = described.definitions
        self._draft = described.draft
        self.definitions: dict[str, Any] = {}
        """The schemas that stand for themselves, by name."""
        self._names: dict[int, tuple[dict[str, Any], Any]] = {}
        """The reference to each, by its identity, with itself, so that nothing else takes its place."""
        self._waiting: list[tuple[str, dict[str, Any]]] = []
        """Definitions that are not rewritten yet."""
        self._parts = 0
        self.elsewhere = ""
        """The first reference that leads to nothing of the service's."""

    def later(self, schema: Any) -> Any:
        """A reference to a schema that stands for itself."""
        if not isinstance(schema, dict):
            return schema is not False
        known = self._names.get(id(schema))
        if known is None:
            name = f"d{len(self._names)}"
            known = self._names[id(schema)] = ({"$ref": f"#/$defs/{name}"}, schema)
            self._waiting.append((name, schema))
        return known[0]

    def rewrite_definitions(self) -> None:
        while self._waiting:
            name, schema = self._waiting.pop()
            self.definitions[name] = self._rewritten(schema, 0)

    def _part(self, schema: Any, level: int) -> Any:
        """A part of a schema, rewritten; a deep one stands for itself."""
        if not isinstance(schema, dict):
            return schema is not False
        if level >= LEVELS:
            return self.later(schema)
        if schema.keys() == {"$ref"} and isinstance(target := self._known.get(str(schema["$ref"])), dict):
            return self.later(target)
        return self._rewritten(schema, level + 1)

    def _rewritten(self, source: dict[str, Any], level: int) -> dict[str, Any] | bool:
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise _TooLargeError
        made: dict[str, Any] = {}
        if references := list(self._references(source)):
            made["$ref"], *more = references
            made |= {"allOf": [{"$ref": each} for each in more]} if more else {}
            if _OLD.search(self._draft):
                return made
        source = self._with_bases(source)
        for key in _ONE:
            if isinstance(part := source.get(key), dict | bool):
                made[key] = self._part(part, level)
        for key in _LIST:
            if isinstance(parts := source.get(key), list) and parts:
                self._add_several(made, key, parts, level)
        for key in _NAMED:
            if isinstance(members := source.get(key), dict):
                made[key] = {str(name): self._part(part, level) for name, part in members.items()}
        self._add_items(made, source, level)
        self._add_dependencies(made, source, level)
        self._add_type(made, source, level)
        made |= _plain(source)
        return _nullable(made) if source.get("nullable") is True else made

    def _references(self, source: dict[str, Any]) -> Iterator[str]:
        for key in _REFERENCES:
            if isinstance(reference := source.get(key), str):
                target = self._known.get(reference)
                if isinstance(target, dict):
                    yield self.later(target)["$ref"]
                elif not isinstance(target, bool):
                    self.elsewhere = self.elsewhere or " ".join(reference[:80].split())

    def _with_bases(self, source: dict[str, Any]) -> dict[str, Any]:
        """With what it extends, as Kodi has it: its own words win, and all members count."""
        if "extends" not in source:
            return source
        bases, rest = [source], deque([source.get("extends")])
        while rest and len(bases) < MOST_BASES:
            each = rest.popleft()
            if isinstance(each, list):
                rest += each[:MOST_BASES]
                continue
            base = self._known.get(each) if isinstance(each, str) else each
            if isinstance(base, dict) and not any(base is known for known in bases):
                bases.append(base)
                rest.append(base.get("extends"))
        if len(bases) == 1:
            return source
        merged = {key: value for base in reversed(bases) for key, value in base.items()}
        members: dict[str, Any] = {}
        for base in reversed(bases):
            members |= members_of(base)
        return merged | ({"properties": members} if members else {})

    def _add_several(self, made: dict[str, Any], key: str, parts: list[Any], level: int) -> None:
        """Alternatives; where there are some already, both hold."""
        inside = [self._part(part, level) for part in parts]
        if key in made and key == "allOf":
            made[key] = [*made[key], *inside]
        elif key in made:
            made.setdefault("allOf", []).append({key: inside})
        else:
            made[key] = inside

    def _add_items(self, made: dict[str, Any], source: dict[str, Any], level: int) -> None:
        """The elements with schemas of their own, and all others, in the words of whichever draft."""
        first, rest = source.get("prefixItems"), source.get("items")
        if isinstance(rest, list):
            first, rest = rest, source.get("additionalItems")
        if isinstance(first, list) and first:
            made["prefixItems"] = [self._part(part, level) for part in first]
        if isinstance(rest, dict | bool):
            made["items"] = self._part(rest, level)

    def _add_dependencies(self, made: dict[str, Any], source: dict[str, Any], level: int) -> None:
        found = {**members_of(source, "dependencies"), **members_of(source, "dependentRequired")}
        for name, part in found.items():
            if isinstance(part, dict):
                made.setdefault("dependentSchemas", {})[str(name)] = self._part(part, level)
            elif names := [part] if isinstance(part, str) else _texts(part):
                made.setdefault("dependentRequired", {})[str(name)] = names

    def _add_type(self, made: dict[str, Any], source: dict[str, Any], level: int) -> None:
        if "type" not in source:
            return
        said = source["type"]
        words = said if isinstance(said, list) else [said]
        if any(isinstance(word, dict) for word in words):
            schemas = [word if isinstance(word, dict) else {"type": word} for word in words]
            self._add_several(made, "anyOf", schemas, level)
            return
        kinds = [KINDS.get(word.lower()) for word in words if isinstance(word, str) and word.lower() not in UNSURE]
        if kinds and None not in kinds and len(kinds) == len(words):
            made["type"] = list(dict.fromkeys(kinds)) if len(kinds) > 1 else kinds[0]


def _plain(source: dict[str, Any]) -> dict[str, Any]:
    """The words that hold no other schema, as far as they mean something."""
    made = dict(limits_of(source))
    made |= {key: int(source[key]) for key in _COUNTS if is_number(source.get(key)) and source[key] >= 0}
    choices = source.get("enum", source.get("enums"))
    if isinstance(choices, list) and choices:
        made["enum"] = choices
    if "const" in source:
        made["const"] = source["const"]
    if required := list(dict.fromkeys(required_of(source))):
        made["required"] = required
    return made


def _nullable(made: dict[str, Any]) -> dict[str, Any]:
    if made.keys() & {"$ref", "allOf", "anyOf", "oneOf", "not", "const"}:
        return {"anyOf": [made, {"type": "null"}]}
    if (kinds := made.get("type")) is not None:
        made["type"] = list(dict.fromkeys([*(kinds if isinstance(kinds, list) else [kinds]), "null"]))
    if "enum" in made and None not in made["enum"]:
        made["enum"] = [*made["enum"], None]
    return made


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


class Bundle(Struct, frozen=True):
    """What a text is checked by."""

    schema: dict[str, Any] = {}
    by: By | None = None
    """How the params are given that it is for; None for a result."""
    params: tuple[DescribedParam, ...] = ()
    why_not: str = ""
    """Why nothing can be checked, or which part of it cannot."""


def bundle_params(described: Described, by: By) -> Bundle:
    """For params that are given by name, or by position."""
    params = described.params
    if not params and described.extra:
        return Bundle(by=by, why_not="the service does not say what it takes")
    rewriting = _Rewriting(described)
    schemas = [rewriting.later(param.schema) for param in params]
    closed = not described.extra or not any(param.stands_for_others for param in params)
    whole = (
        _by_name(params, schemas, closed=closed) if by == "name" else _by_position(described, schemas, closed=closed)
    )
    return _finished(rewriting, whole, by, params)


def bundle_result(described: Described) -> Bundle:
    """For what comes back."""
    if described.result is UNSET or described.result is True:
        return Bundle(why_not="the service does not say what comes back")
    rewriting = _Rewriting(described)
    return _finished(rewriting, {"allOf": [rewriting.later(described.result)]})


def _by_name(params: tuple[DescribedParam, ...], schemas: list[Any], *, closed: bool) -> dict[str, Any]:
    whole: dict[str, Any] = {"type": "object"}
    whole["properties"] = {param.name: schema for param, schema in zip(params, schemas, strict=True) if param.name}
    if required := [param.name for param in params if param.name and param.required]:
        whole["required"] = list(dict.fromkeys(required))
    if closed and all(param.name for param in params):
        whole["additionalProperties"] = False
    return whole


def _by_position(described: Described, schemas: list[Any], *, closed: bool) -> dict[str, Any]:
    params = described.params
    whole: dict[str, Any] = {"type": "array"}
    if schemas:
        whole["prefixItems"] = schemas
    if needed := max((place + 1 for place, param in enumerate(params) if param.required), default=0):
        whole["minItems"] = needed
    if not described.extra or (closed and all(param.name for param in params)):
        whole["maxItems"] = len(params)
    return whole


def _finished(
    rewriting: _Rewriting, whole: dict[str, Any], by: By | None = None, params: tuple[DescribedParam, ...] = ()
) -> Bundle:
    try:
        rewriting.rewrite_definitions()
    except _TooLargeError:
        return Bundle(by=by, why_not="its schema is too large to be checked")
    elsewhere = rewriting.elsewhere
    why_not = f"what “{elsewhere}” refers to is not in the service's document" if elsewhere else ""
    return Bundle({**whole, "$defs": rewriting.definitions}, by, params, why_not)
