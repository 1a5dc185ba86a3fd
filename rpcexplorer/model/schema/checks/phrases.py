"""The pieces that sentences about a value are made of: what it must be, what it is, several names in a row.

They know no place and no text: where something stands, and which of it is told, is said in ``wording.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from rpcexplorer.model.schema.words import in_one_line

NAMED: Final = 8
"""Choices or names that are told."""
LONGEST: Final = 60
"""Characters of one of them."""
KIND_WORDS: Final = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}
_WORDS: Final = {
    "not": "is what may not stand there",
    "propertyNames": "has a name that may not be there",
    "uniqueItems": "has the same element twice",
    "contains": "lacks an element that must be among them",
    "minContains": "lacks elements that must be among them",
    "maxContains": "has too many elements of one kind",
    "oneOf": "fits more than one of the alternatives, and may fit only one",
    "anyOf": "fits none of the alternatives",
}
"""For what is told alike whatever the schema says."""
_LIMITS: Final = {
    "minimum": ("must be", "", " or more"),
    "maximum": ("must be", "", " or less"),
    "exclusiveMinimum": ("must be more than", "", ""),
    "exclusiveMaximum": ("must be less than", "", ""),
    "multipleOf": ("must be a multiple of", "", ""),
    "minLength": ("must have at least", "character", ""),
    "maxLength": ("must have at most", "character", ""),
    "minItems": ("must have at least", "element", ""),
    "maxItems": ("must have at most", "element", ""),
    "minProperties": ("must have at least", "member", ""),
    "maxProperties": ("must have at most", "member", ""),
}


def must(keyword: str, rule: Any) -> str:
    """What a keyword wants of a value: ``must be 3 or more``."""
    match keyword:
        case "enum" if isinstance(rule, list):
            return f"must be {'one of ' if len(rule) > 1 else ''}{listed(map(spelled_value, rule))}"
        case "const":
            return f"must be {short(spelled_value(rule))}"
        case "pattern":
            return f"must match {short(str(rule))}"
    if isinstance(rule, int | float) and (words := _LIMITS.get(keyword)):
        return f"{words[0]} {counted(rule, words[1])}{words[2]}"
    if rule is False:
        return "may not be there"
    return _WORDS.get(keyword) or f"does not fit “{short(keyword)}” of its schema"


def kind_of_text(text: str) -> str:
    """What JSON text is, in words."""
    kinds = {'"': "string", "{": "object", "[": "array", "t": "boolean", "f": "boolean", "n": "null"}
    return KIND_WORDS[kinds.get(text[:1], "number")] if text else "nothing"


def either(kinds: Iterable[str]) -> str:
    words = [KIND_WORDS.get(kind, kind) for kind in kinds]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else "something else"


def listed(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join([short(name) for name in every[:NAMED]]) + (f" … ({len(every):,})" if len(every) > NAMED else "")


def counted(number: float, unit: str) -> str:
    told = short(spelled_value(number))
    return f"{told} {unit}{'s' * (number != 1)}" if unit else told


def spelled_value(value: Any) -> str:
    """As JSON has it; a sign where nobody would read it: thousands of digits, a thousand levels."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return "…"


def short(text: str) -> str:
    return in_one_line(text, LONGEST)
