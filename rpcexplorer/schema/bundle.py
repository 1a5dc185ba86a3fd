"""Make a service's schema one document that the validator accepts."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, Final

from msgspec import UNSET, Struct

from rpcexplorer.model.method import By, Described, DescribedParam
from rpcexplorer.patterns import regex
from rpcexplorer.schema.node import KINDS, UNSURE, is_number, limits_of, members_of, required_of

MAX_PARTS: Final = 50_000
"""Nested schemas, with references; the validator needs 1.4 kB for each."""
LEVELS: Final = 40
"""Nested schemas before the next becomes a definition."""
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
"""Drafts in which keywords next to a reference are ignored."""


class _TooLargeError(Exception):
    pass


class _Rewriting:
    """Rewrites the schemas of one method, part by part."""

    def __init__(self, described: Described) -> None:
        self._known = described.definitions
        self._draft = described.draft
        self.definitions: dict[str, Any] = {}
        """The definitions by name."""
        self._names: dict[int, tuple[dict[str, Any], Any]] = {}
        """The reference to each schema by id, with the schema to keep the id."""
        self._waiting: list[tuple[str, dict[str, Any]]] = []
        """Definitions that are not rewritten yet."""
        self._parts = 0
        self.elsewhere = ""
        """The first reference without a target in the service's document."""

    def later(self, schema: Any) -> Any:
        """Return a reference to a definition for this schema."""
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
        """Rewrite a part of a schema; a deep one becomes a definition."""
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
            made |= {"allOf": [{"$ref": reference} for reference in more]} if more else {}
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
        """Merge the types that a type of Kodi ``extends``; its own keywords win."""
        if "extends" not in source:
            return source
        bases, rest = [source], deque([source.get("extends")])
        while rest and len(bases) < MOST_BASES:
            extended = rest.popleft()
            if isinstance(extended, list):
                rest += extended[:MOST_BASES]
                continue
            base = self._known.get(extended) if isinstance(extended, str) else extended
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
        """Add alternatives to those that exist; both must match."""
        inside = [self._part(part, level) for part in parts]
        if key in made and key == "allOf":
            made[key] = [*made[key], *inside]
        elif key in made:
            made.setdefault("allOf", []).append({key: inside})
        else:
            made[key] = inside

    def _add_items(self, made: dict[str, Any], source: dict[str, Any], level: int) -> None:
        """Add the schemas of elements, in the keywords of any draft."""
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
        declared = source["type"]
        words = declared if isinstance(declared, list) else [declared]
        if any(isinstance(word, dict) for word in words):
            schemas = [word if isinstance(word, dict) else {"type": word} for word in words]
            self._add_several(made, "anyOf", schemas, level)
            return
        kinds = [KINDS.get(word.lower()) for word in words if isinstance(word, str) and word.lower() not in UNSURE]
        if kinds and None not in kinds and len(kinds) == len(words):
            made["type"] = list(dict.fromkeys(kinds)) if len(kinds) > 1 else kinds[0]


def _plain(source: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords that contain no schema and have a valid value."""
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
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


class Bundle(Struct, frozen=True):
    """A schema document to check a text with."""

    schema: dict[str, Any] = {}
    by: By | None = None
    """How the params are given; None for a result."""
    params: tuple[DescribedParam, ...] = ()
    why_not: str = ""
    """Why nothing, or not all of it, can be checked."""


def bundle_params(described: Described, by: By) -> Bundle:
    """Return the schema for params by name or by position."""
    params = described.params
    if not params and described.extra:
        return Bundle(by=by, why_not="the service does not describe the params")
    rewriting = _Rewriting(described)
    schemas = [rewriting.later(param.schema) for param in params]
    return _finished(rewriting, schema_of_params(described, by, schemas), by, params)


def schema_of_params(described: Described, by: By, schemas: list[Any]) -> dict[str, Any]:
    """Return the schema for all params together; ``schemas`` has one for each."""
    params = described.params
    closed = not described.extra or not any(param.stands_for_others for param in params)
    if by == "name":
        return _by_name(params, schemas, closed=closed)
    return _by_position(described, schemas, closed=closed)


def bundle_result(described: Described) -> Bundle:
    """Return the schema for a result."""
    if described.result is UNSET or described.result is True:
        return Bundle(why_not="the service does not describe the result")
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
        return Bundle(by=by, why_not="the schema is too large")
    elsewhere = rewriting.elsewhere
    why_not = f"the service's document does not contain “{elsewhere}”" if elsewhere else ""
    return Bundle({**whole, "$defs": rewriting.definitions}, by, params, why_not)
