from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.schema.node import SchemaReader
from rpcexplorer.text.docs import MOST_ALTERNATIVES, MOST_MEMBERS, MOST_VALUES, MemberRows, SchemaMember
from rpcexplorer.text.markdown import MOST_ROWS, PageRows


def shown(*members: SchemaMember, width: int | None = 80, definitions: dict[str, Any] | None = None) -> list[str]:
    rows = PageRows(width)
    MemberRows(SchemaReader(definitions or {}), rows).table(members)
    return ["".join(part for part, _ in row).rstrip() for row in rows.made]


COUNT = SchemaMember("count", {"type": "integer", "minimum": 1, "maximum": 9, "default": 3}, False, "How **many**")
KIND = SchemaMember("kind", {"enum": [f"value-{at}" for at in range(6)]}, True)


def test_members_stand_in_columns_with_what_is_known_of_each() -> None:
    assert shown(COUNT, KIND) == [
        "  count  integer  optional  How many; 1 … 9; default 3",
        "  kind   string   required  one of value-0 | value-1 | value-2 | value-3 |",
        "                            value-4 | value-5",
    ]


def test_the_values_of_elements_are_all_named_too() -> None:
    several = SchemaMember("kinds", {"type": "array", "items": KIND.schema, "description": "Some."})
    assert shown(several, width=None) == [
        "  kinds  array of string  Some. each one of value-0 | value-1 | value-2 | value-3 | value-4 | value-5",
    ]


def test_where_there_is_no_room_for_columns_what_is_said_stands_below() -> None:
    assert shown(COUNT, width=30) == [
        "  count  integer  optional",
        "      How many; 1 … 9; default",
        "      3",
    ]


def test_a_doc_in_several_lines_stands_below() -> None:
    assert shown(SchemaMember("a", True, doc="First.\n\n- one")) == ["  a", "      First.", "", "      • one"]


def test_what_stands_inside_is_indented_and_ends_where_it_comes_round() -> None:
    tree = {"type": "object", "properties": {"name": {"type": "string"}, "branches": {"items": {"$ref": "#/T"}}}}
    assert shown(SchemaMember("root", {"$ref": "#/T"}, True), definitions={"#/T": tree}) == [
        "  root  object  required",
        "    name      string           optional",
        "    branches  array of object  optional",
        "      as above",
    ]


def test_deeper_members_are_counted() -> None:
    schema: dict[str, Any] = {"properties": {"last": {"type": "null"}}}
    for name in "edcba":
        schema = {"properties": {name: schema}}
    assert shown(SchemaMember("x", schema))[-1].strip() == "… 1 member inside"


def test_alternatives_with_members_are_told_apart() -> None:
    new = {"title": "new", "properties": {"name": {"type": "string"}}}
    old = {"title": "old", "properties": {"id": {"type": "integer"}}}
    assert shown(SchemaMember("who", {"oneOf": [{"type": "null"}, new, old]})) == [
        "  who  null or object",
        "    either new",
        "      name  string  optional",
        "    or old",
        "      id  integer  optional",
    ]


def test_alternatives_of_an_alternative_are_shown_and_those_beyond_the_bound_counted() -> None:
    one = {"title": "inner", "anyOf": [{"type": "null"}, {"properties": {"deep": {"type": "string"}}}]}
    many = [{"title": f"t{at}", "properties": {f"p{at}": True}} for at in range(MOST_ALTERNATIVES + 2)]
    lines = shown(SchemaMember("who", {"oneOf": [one, *many]}))
    said = [line.strip() for line in lines[1:5]]
    assert said == ["either inner", "deep  string  optional", "or t0", "p0  optional"]
    assert lines[-1] == "    … or 3 more"
    assert f"    or t{MOST_ALTERNATIVES - 2}" in lines


def test_alternatives_with_the_same_title_are_told_apart_by_their_kinds() -> None:
    objects = {"type": "array", "title": "both", "items": {"properties": {"a": {"type": "null"}}}}
    texts = {"type": "array", "title": "both", "items": {"type": "string"}}
    assert shown(SchemaMember("all", {"oneOf": [texts, objects]}))[1:] == [
        "    either array of string",
        "    or array of object",
        "      a  null  optional",
    ]


def test_other_names_and_places_are_members_too() -> None:
    pair = {"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": {"type": "null"}}
    bag = {"type": "object", "additionalProperties": {"type": "number"}}
    assert shown(SchemaMember("pair", pair), SchemaMember("bag", bag)) == [
        "  pair  array",
        "    #1             string",
        "    #2             integer",
        "    (any further)  null",
        "  bag   object",
        "    (any other name)  number",
    ]


def test_long_lists_are_cut_and_counted() -> None:
    few, many = SchemaMember("x", {"enum": [*range(999)]}), SchemaMember("x", {"enum": [*range(10_000)]})
    assert shown(few, width=None)[0].endswith(f" | {MOST_VALUES - 1} … and {999 - MOST_VALUES} more")
    assert shown(many, width=None)[0].endswith(" … and at least 800 more")
    assert shown(*[COUNT] * 1_000)[-1] == f"  … and {1_000 - MOST_MEMBERS:,} more"


def circle() -> dict[str, Any]:
    """Fifty schemas, each with all of them as members."""
    members = {f"p{at}": {"$ref": f"#/{at}"} for at in range(50)}
    return {f"#/{at}": {"properties": dict(members)} for at in range(50)}


@pytest.mark.thorough
def test_schemas_that_lead_everywhere_are_bounded() -> None:
    assert len(shown(SchemaMember("x", {"$ref": "#/0"}), definitions=circle())) <= MOST_ROWS
    deep: dict[str, Any] = {}
    for _ in range(1_000):
        deep = {"anyOf": [deep, deep], "items": deep, "properties": {"\x1b\ud800": deep}}
    wide: dict[str, Any] = {}
    for _ in range(100):
        wide = {"anyOf": [dict(wide) for _ in range(MOST_ALTERNATIVES)]}
    assert len(shown(SchemaMember("x", wide))) == 1
    lines = shown(SchemaMember("x", deep))
    assert len(lines) <= MOST_ROWS
    assert all(line.isprintable() for line in lines)
