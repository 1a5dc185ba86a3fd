"""Make a service's schema one document that the validator accepts."""

from __future__ import annotations

from typing import Any, Final

from msgspec import UNSET, Struct

from rpcexplorer.model.method import By, Described, DescribedParam
from rpcexplorer.patterns import regex
from rpcexplorer.schema.dialect import (
    ANNOTATIONS,
    IS_UNSURE,
    LIST_KEYS,
    NAMED_KEYS,
    SCHEMA_KEYS,
    modern,
)

MAX_PARTS: Final = 50_000
"""Nested schemas, with references; the validator needs 1.4 kB for each."""
MAX_LEVELS: Final = 40
"""Nested schemas before the next becomes a definition; the validator's stack is limited."""
_OLD: Final = regex(r"draft-0?[3-7]\b")
"""Drafts in which keywords next to a reference are ignored."""


class _TooLargeError(Exception):
    pass


class _Rewriting:
    """Rewrites the schemas of one method, part by part."""

    def __init__(self, described: Described) -> None:
        self._known = described.definitions
        self._ignores_siblings = _OLD.search(described.draft) is not None
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
        if id(schema) not in self._names:
            name = f"d{len(self._names)}"
            self._names[id(schema)] = ({"$ref": f"#/$defs/{name}"}, schema)
            self._waiting.append((name, schema))
        return self._names[id(schema)][0]

    def rewrite_definitions(self) -> None:
        while self._waiting:
            name, schema = self._waiting.pop()
            self.definitions[name] = self._rewritten(schema, 0)

    def _part(self, schema: Any, level: int) -> Any:
        """Rewrite a part of a schema; a deep one becomes a definition."""
        if not isinstance(schema, dict):
            return schema is not False
        if level >= MAX_LEVELS:
            return self.later(schema)
        if schema.keys() == {"$ref"} and isinstance(self._known.get(str(schema["$ref"])), dict):
            return self.later(self._known[schema["$ref"]])
        return self._rewritten(schema, level + 1)

    def _rewritten(self, source: dict[str, Any], level: int) -> dict[str, Any]:
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise _TooLargeError
        if self._ignores_siblings and isinstance(source.get("$ref"), str):
            source = {"$ref": source["$ref"]}
        made = modern(source, self._known)
        for key in ANNOTATIONS:
            made.pop(key, None)
        if made.pop(IS_UNSURE, False):
            del made["type"]
        if "$ref" in made:
            self._redirect(made)
        for key, value in made.items():
            if key in SCHEMA_KEYS:
                made[key] = self._part(value, level)
            elif key in LIST_KEYS:
                made[key] = [self._part(part, level) for part in value]
            elif key in NAMED_KEYS:
                made[key] = {name: self._part(part, level) for name, part in value.items()}
        return made

    def _redirect(self, made: dict[str, Any]) -> None:
        """Replace a reference by one to our definition; without a target, drop it."""
        reference = made.pop("$ref")
        target = self._known.get(reference)
        if isinstance(target, dict):
            made["$ref"] = self.later(target)["$ref"]
        elif target is None:
            self.elsewhere = self.elsewhere or " ".join(reference[:80].split())


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


def bundle_result(described: Described) -> Bundle:
    """Return the schema for a result."""
    if described.result is UNSET or described.result is True:
        return Bundle(why_not="the service does not describe the result")
    rewriting = _Rewriting(described)
    return _finished(rewriting, {"allOf": [rewriting.later(described.result)]})


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


def schema_of_params(described: Described, by: By, schemas: list[Any]) -> dict[str, Any]:
    """Return the schema for all params together; ``schemas`` has one for each."""
    params = described.params
    has_names = all(param.name for param in params)
    is_closed = not described.extra or not any(param.stands_for_others for param in params)
    if by == "name":
        whole: dict[str, Any] = {"type": "object"}
        whole["properties"] = {param.name: schema for param, schema in zip(params, schemas, strict=True) if param.name}
        required = [param.name for param in params if param.name and param.required]
        if required:
            whole["required"] = list(dict.fromkeys(required))
        if is_closed and has_names:
            whole["additionalProperties"] = False
        return whole
    whole = {"type": "array"}
    if schemas:
        whole["prefixItems"] = schemas
    needed = max((place for place, param in enumerate(params, 1) if param.required), default=0)
    if needed:
        whole["minItems"] = needed
    if not described.extra or (is_closed and has_names):
        whole["maxItems"] = len(params)
    return whole
