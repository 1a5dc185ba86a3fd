"""Schemas of any draft, Kodi's and OpenAPI's too, in the keywords of draft 2020-12.

A service's schema is stored as the service gave it. Whoever reads it reads ``modern(…)``: the checker, completion,
explanation, examples and forms. Keywords that are unknown or have an invalid value are dropped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, Final, TypeGuard

KINDS: Final = {
    **dict.fromkeys(("string", "str", "text", "char", "varchar"), "string"),
    **dict.fromkeys(("integer", "int", "i4", "i8", "int32", "int64", "uint", "uint32", "uint64", "long"), "integer"),
    **dict.fromkeys(("number", "float", "double", "decimal", "real", "numeric", "num"), "number"),
    **dict.fromkeys(("boolean", "bool", "bit"), "boolean"),
    **dict.fromkeys(("object", "struct", "dict", "map", "mapping", "hash", "obj", "table"), "object"),
    **dict.fromkeys(("array", "list", "tuple", "vector", "sequence", "arr"), "array"),
    **dict.fromkeys(("null", "nil", "none", "void", "undefined"), "null"),
}
UNSURE: Final = frozenset({"hash", "table", "bit", "decimal", "numeric", "map", "none", "void"})
"""Type names with different meanings, which are not checked."""
IS_UNSURE: Final = "x-unsure"
"""Our keyword in a modern schema whose ``type`` is one of ``UNSURE``."""
MAX_BASES: Final = 50
"""Types that one type extends. Kodi has 4; thousands would be merged again for each place."""
LEAST: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
MOST: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
LIMITS: Final = (*LEAST, *MOST, "multipleOf", "pattern", "format", "uniqueItems")
"""Keywords that narrow a type."""
_ALL_LIMITS: Final = frozenset((*LIMITS, "minContains", "maxContains"))
_BOUNDS: Final = frozenset({"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"})
_EXCLUSIVE: Final = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}
_INCLUSIVE: Final = {exclusive: inclusive for inclusive, exclusive in _EXCLUSIVE.items()}
REFERENCES: Final = frozenset({"$ref", "extends"})
"""Keywords that refer to schemas; ``extends`` is Kodi's."""
SCHEMA_KEYS: Final = frozenset(
    (
        *("not", "if", "then", "else", "contains", "propertyNames", "items"),
        *("additionalProperties", "unevaluatedProperties", "unevaluatedItems"),
    )
)
"""Keywords whose value is a schema."""
LIST_KEYS: Final = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
"""Keywords whose value is a list of schemas."""
NAMED_KEYS: Final = frozenset(("properties", "patternProperties", "dependentSchemas"))
"""Keywords whose value is an object of schemas."""
_TEXTS: Final = ("title", "description")
_MARKS: Final = ("deprecated", "readOnly")
ANNOTATIONS: Final = frozenset({"default", "examples", *_TEXTS, *_MARKS})
"""Keywords that say something about a value, but match any."""


def references_of(part: dict[str, Any]) -> Iterator[str]:
    """Yield the references of an object."""
    for key in REFERENCES.intersection(part):
        for reference in as_list(part[key]):
            if isinstance(reference, str):
                yield reference


def references_in(schema: Any) -> set[str]:
    """Return the references in a schema."""
    found: set[str] = set()
    rest = [schema]
    while rest:
        part = rest.pop()
        if isinstance(part, dict):
            found.update(references_of(part))
            rest += part.values()
        elif isinstance(part, list):
            rest += part
    return found


def members_of(schema: Any, key: str = "properties") -> dict[str, Any]:
    """Return the schemas of a keyword by name."""
    if not isinstance(schema, dict) or not isinstance(schema.get(key), dict):
        return {}
    found: dict[str, Any] = schema[key]
    return found


def as_list(value: Any) -> list[Any]:
    """Return the values of a keyword that may have one or several."""
    return value if isinstance(value, list) else [value]


def is_number(value: Any) -> TypeGuard[int | float]:
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def modern(source: dict[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema in draft 2020-12; the schemas inside it are as they were."""
    if "extends" in source:
        source = _with_bases(source, definitions)
    made: dict[str, Any] = {}
    for key, value in source.items():
        if key in SCHEMA_KEYS:
            is_valid = isinstance(value, dict | bool)
        elif key in LIST_KEYS:
            is_valid = isinstance(value, list) and value != []
        else:
            is_valid = key in NAMED_KEYS and isinstance(value, dict)
        if is_valid:
            made[key] = value
    if isinstance(source.get("$ref"), str):
        made["$ref"] = source["$ref"]
    _add_items(made, source)
    _add_dependencies(made, source)
    _add_type(made, source)
    made |= limits_of(source)
    choices = source.get("enum", source.get("enums"))
    if isinstance(choices, list) and choices:
        made["enum"] = choices
    if "const" in source:
        made["const"] = source["const"]
    required = list(dict.fromkeys(_required(source)))
    if required:
        made["required"] = required
    if source.get("nullable") is True:
        made = _nullable(made)
    _add_annotations(made, source)
    return made


def _with_bases(source: dict[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Merge the types that a type of Kodi ``extends``; its own keywords win."""
    bases, rest = [source], deque([source["extends"]])
    while rest and len(bases) < MAX_BASES:
        extended = rest.popleft()
        if isinstance(extended, list):
            rest += extended[:MAX_BASES]
            continue
        base = definitions.get(extended) if isinstance(extended, str) else extended
        if isinstance(base, dict) and not any(base is known for known in bases):
            bases.append(base)
            rest.append(base.get("extends"))
    merged: dict[str, Any] = {}
    members: dict[str, Any] = {}
    for base in bases:
        for key, value in base.items():
            merged.setdefault(key, value)
        for name, schema in members_of(base).items():
            members.setdefault(name, schema)
    if members:
        merged["properties"] = members
    return merged


def _add_items(made: dict[str, Any], source: dict[str, Any]) -> None:
    """Add the elements with their own schemas, which older drafts have in ``items``."""
    if isinstance(source.get("items"), list):
        if source["items"]:
            made["prefixItems"] = source["items"]
        if isinstance(source.get("additionalItems"), dict | bool):
            made["items"] = source["additionalItems"]


def _add_dependencies(made: dict[str, Any], source: dict[str, Any]) -> None:
    dependencies = {**members_of(source, "dependencies"), **members_of(source, "dependentRequired")}
    if not dependencies:
        return
    schemas, names = dict(members_of(source, "dependentSchemas")), dict[str, Any]()
    for name, needed in dependencies.items():
        if isinstance(needed, dict):
            schemas[name] = needed
        elif isinstance(needed, str):
            names[name] = [needed]
        elif isinstance(needed, list):
            names[name] = [word for word in needed if isinstance(word, str)]
    if schemas:
        made["dependentSchemas"] = schemas
    if names:
        made["dependentRequired"] = names


def _add_type(made: dict[str, Any], source: dict[str, Any]) -> None:
    """Add the standard words of the types, if all of them are known."""
    if "type" not in source:
        return
    words = as_list(source["type"])
    if any(isinstance(word, dict) for word in words):  # In draft 3, a type may be a schema.
        schemas = [_as_schema(word) for word in words]
        if "anyOf" in made or "oneOf" in made:
            made["allOf"] = [*made.get("allOf", ()), {"anyOf": schemas}]
        else:
            made["anyOf"] = schemas
        return
    names = [word.lower() for word in words if isinstance(word, str)]
    if not names or not all(name in KINDS for name in names):
        return
    kinds = list(dict.fromkeys(KINDS[name] for name in names))
    made["type"] = kinds if len(kinds) > 1 else kinds[0]
    if not UNSURE.isdisjoint(names) or len(names) < len(words) or IS_UNSURE in source:
        made[IS_UNSURE] = True


def _as_schema(word: Any) -> dict[str, Any]:
    return word if isinstance(word, dict) else {"type": word}


def limits_of(source: dict[str, Any]) -> dict[str, Any]:
    """Return the valid limits; bounds of drafts 3 and 4 are converted."""
    made: dict[str, Any] = {}
    for key in source:
        if key in _ALL_LIMITS:
            limit = _limit(source, key)
            if limit is not None:
                made[key] = limit
    step = source.get("divisibleBy")  # The name of ``multipleOf`` in draft 3.
    if is_number(step) and step > 0:
        made.setdefault("multipleOf", step)
    return made


def _limit(source: dict[str, Any], key: str) -> Any:
    """Return the value of a limit, or None if it is invalid."""
    value = source[key]
    if key == "uniqueItems":
        is_valid = value is True
    elif key in {"pattern", "format"}:
        is_valid = isinstance(value, str) and value != ""
    elif key in _BOUNDS:
        if value is True:  # In drafts 3 and 4.
            value = source.get(_INCLUSIVE.get(key, ""))
        is_valid = is_number(value) and source.get(_EXCLUSIVE.get(key, "")) is not True
    elif key == "multipleOf":
        is_valid = is_number(value) and value > 0
    else:
        is_valid = is_number(value) and value >= 0 and value == int(value)
        if is_valid:
            value = int(value)
    return value if is_valid else None


def _required(source: dict[str, Any]) -> Iterator[str]:
    """Yield names in the list, and properties that are marked as required."""
    names = source.get("required")
    if isinstance(names, list):
        yield from (name for name in names if isinstance(name, str))
    for name, schema in members_of(source).items():
        if isinstance(schema, dict) and schema.get("required") is True:
            yield name


def _nullable(made: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that allows null, too: ``nullable`` of OpenAPI."""
    if not made.keys().isdisjoint({"$ref", "allOf", "anyOf", "oneOf", "not", "const"}):
        return {"anyOf": [made, {"type": "null"}]}
    if "type" in made:
        made["type"] = list(dict.fromkeys([*as_list(made["type"]), "null"]))
    if "enum" in made and None not in made["enum"]:
        made["enum"] = [*made["enum"], None]
    return made


def _add_annotations(made: dict[str, Any], source: dict[str, Any]) -> None:
    if "default" in source:
        made["default"] = source["default"]
    for key in _TEXTS:
        if isinstance(source.get(key), str) and source[key].strip():
            made[key] = source[key]
    for key in _MARKS:
        if source.get(key) is True:
            made[key] = True
    examples: list[Any] = []
    if isinstance(source.get("examples"), list):
        examples += source["examples"]
    if "example" in source:
        examples.append(source["example"])
    if examples:
        made["examples"] = examples
