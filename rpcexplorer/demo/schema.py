"""JSON Schema as far as the demo's declarations use it: what a value must be, and the first place where it is not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

Schema = Mapping[str, Any]
"""type, enum, minimum, maximum, minLength, maxLength, pattern, items, minItems, maxItems, properties, required, oneOf,
``$ref`` to one of ``SCHEMAS``. Members that are not named are refused."""
HOME: Final = "#/components/schemas/"
"""Where the document keeps the schemas that have a name."""
SCHEMAS: Final[dict[str, Schema]] = {}
"""Those that several methods share, or that contain themselves; whoever declares one puts it here."""
_KINDS: Final[dict[str, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "null": lambda value: value is None,
}


def named(name: str) -> Schema:
    """A reference to a schema of the document."""
    return {"$ref": f"{HOME}{name}"}


def wrong(value: Any, schema: Schema, where: str) -> str:
    """What is wrong, in a sentence that begins with the place; empty where nothing is."""
    schema = _followed(schema)
    if "oneOf" in schema:
        if sum(not wrong(value, each, where) for each in schema["oneOf"]) == 1:
            return ""
        return f'"{where}" must be {wanted(schema)}.'
    if not _is_right(value, schema):
        return f'"{where}" must be {wanted(schema)}.'
    if isinstance(value, dict):
        return _wrong_member(value, schema, where)
    if isinstance(value, list) and "items" in schema:
        return next(filter(None, (wrong(each, schema["items"], f"{where}/{at}") for at, each in enumerate(value))), "")
    return ""


def wanted(schema: Schema) -> str:
    """What is right, in words."""
    schema = _followed(schema)
    if "oneOf" in schema:
        return " or ".join(wanted(each) for each in schema["oneOf"])
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return " or ".join(_wanted(kind, schema) for kind in kinds)


def _followed(schema: Schema) -> Schema:
    return SCHEMAS[schema["$ref"].removeprefix(HOME)] if "$ref" in schema else schema


def _is_right(value: Any, schema: Schema) -> bool:
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(_KINDS[kind](value) for kind in kinds):
        return False
    if isinstance(value, str):
        fits = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
        chosen = value in schema.get("enum", [value])
        return fits and chosen and re.search(schema.get("pattern", ""), value) is not None
    if isinstance(value, list):
        return bool(schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    return True


def _wrong_member(value: dict[str, Any], schema: Schema, where: str) -> str:
    members = schema.get("properties")
    if members is None:
        return ""
    for name in schema.get("required", ()):
        if name not in value:
            return f'"{where}" needs "{name}": {wanted(members[name])}.'
    for name, each in value.items():
        if name not in members:
            return f'"{where}" has no "{name}". It takes {", ".join(members)}.'
        if said := wrong(each, members[name], f"{where}/{name}"):
            return said
    return ""


def _wanted(kind: str, schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    match kind:
        case "string":
            if "pattern" in schema:
                return f"a string like {schema['examples'][0]}"
            return f"a string of at most {schema['maxLength']} characters" if "maxLength" in schema else "a string"
        case "boolean":
            return "true or false"
        case "object":
            return f"an object with {', '.join(schema['properties'])}" if "properties" in schema else "an object"
        case "array":
            return f"an array of {schema['minItems']} or more" if "minItems" in schema else "an array"
        case "null":
            return "null"
    article = "an" if kind == "integer" else "a"
    return f"{article} {kind} from {low} to {high}" if None not in {low, high} else f"{article} {kind}"
