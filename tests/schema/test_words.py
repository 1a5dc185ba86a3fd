"""Short descriptions of schemas."""

from __future__ import annotations

from typing import Any

from rpcexplorer.schema.node import SchemaReader
from rpcexplorer.schema.words import LONGEST_KIND, kind_words, limit_words

KINDS = ("int", "str", "bool", "nil", "int", "int", "list")
"""One more type than is described."""


def kind_of(schema: Any, **definitions: Any) -> str:
    return kind_words(SchemaReader(definitions), schema)


def limits_of(**schema: Any) -> str:
    return limit_words(SchemaReader({}).node(schema))


def test_type_has_a_short_description() -> None:
    schemas: tuple[Any, ...] = (
        {"type": "Number"},
        {"type": ["string", "null"]},
        {"type": "array", "items": {"type": "array", "items": {"$ref": "Id"}}},
        {"type": ["array", "null"], "items": {"enum": ["a", "b"]}},
        {"enum": ["a", None, 5, True, "", {"x": 1}, "left out"]},
        {"enum": ["1", "-2.5e3", "null", "v1"]},
        {"const": "on"},
        {"oneOf": [{"type": "string"}, {"$ref": "Id"}, {"type": "string"}]},
        {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"properties": {"a": {}}},
        {"oneOf": [{"oneOf": [{"type": kind} for kind in KINDS]}, {"type": "object"}]},
        {"anyOf": [{"type": "string"}, {}]},
        False,
        True,
        {},
        "no schema",
    )
    assert [kind_of(schema, Id={"type": "integer"}) for schema in schemas] == [
        "number",
        "string or null",
        "array of array of integer",
        "array of one of a | b or null",
        'one of a | null | 5 | true | "" | {…} | …',
        'one of "1" | "-2.5e3" | "null" | v1',
        "one of on",
        "string or integer",
        "object",
        "object",
        "integer or string or boolean or null or object or …",
        "",
        "nothing",
        "",
        "",
        "",
    ]


def test_limits_have_short_descriptions() -> None:
    assert limits_of(minimum=1, maximum=100) == "1 … 100"
    assert limits_of(minimum=0, exclusiveMaximum=1.5, multipleOf=0.5) == "at least 0, less than 1.5, a multiple of 0.5"
    assert limits_of(minimum=3, exclusiveMinimum=True) == "more than 3"
    assert limits_of(format="email", minLength=1, pattern="^a b$") == "email, at least 1 character, matches ^a b$"
    assert limits_of(minItems=2, maxItems=2, uniqueItems=True) == "2 elements, no duplicates"
    assert limits_of(maxLength=20, maxProperties=1) == "at most 20 characters, at most 1 member"
    assert limits_of(minimum="5", maxLength=-1, format=7, uniqueItems=False) == ""


def test_narrowest_limits_of_parts_are_described() -> None:
    assert limits_of(minimum=1, maximum=9, allOf=[{"minimum": 3, "maximum": 100}]) == "3 … 9"


def test_descriptions_are_short_for_any_schema() -> None:
    deep: Any = {"type": "string"}
    for _ in range(1_000):
        deep = {"type": "array", "items": deep}
    circle: Any = {"oneOf": [{"$ref": "A"}, {"type": "array", "items": {"$ref": "A"}}]}
    wide = {"oneOf": [{"oneOf": [{"enum": ["x" * 1_000] * 10}] * 10}] * 10}
    kinds = [
        kind_of(deep),
        kind_of({"$ref": "A"}, A=circle),
        kind_of(wide),
        kind_of({"enum": [f"{at}\n\tb" * 5_000 for at in range(9)]}),
    ]
    assert kinds[:2] == ["array of array of array of array", ""]
    assert max(map(len, kinds)) <= LONGEST_KIND
    assert "\n" not in "".join(kinds)
    assert limits_of(minimum=-(10**5_000), pattern="x" * 1_000).startswith("at least …, matches xxx")
