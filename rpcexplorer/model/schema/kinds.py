"""The kinds of JSON values, however a service spells them."""

from __future__ import annotations

from collections.abc import Collection
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
UNSURE: Final = frozenset({"hash", "table", "bit", "decimal", "numeric", "map", "none", "void"})
"""Spellings that mean one kind here and another there: whoever checks takes nothing from them."""


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


def is_kind(kind: str, kinds: Collection[str]) -> bool:
    """Whether a value of a kind is of one of these: a whole number is a number as well."""
    return kind in kinds or (kind == "integer" and "number" in kinds)
