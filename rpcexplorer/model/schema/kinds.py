"""The kinds of JSON values, however a service spells them."""

from __future__ import annotations

from typing import Final

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


def kind_of_value(value: object) -> str:
    """The kind of a value; a whole number is an integer however it is spelled."""
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
