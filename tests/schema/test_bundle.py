"""Schemas as services write them, rewritten to need no other document."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.schema.bundle import MAX_PARTS
from tests.fakes.violations import made, problems


def taking(
    definitions: dict[str, Any] | None = None, *, extra: bool = True, draft: str = "", **params: Any
) -> Described:
    described = tuple(DescribedParam(name, schema) for name, schema in params.items())
    return Described(described, extra=extra, draft=draft, definitions=definitions or {})


def is_right(value: str, schema: Any, definitions: dict[str, Any] | None = None, *, draft: str = "") -> bool:
    return not problems(taking(definitions, draft=draft, a=schema), f'{{"a": {value}}}')


@pytest.mark.parametrize(
    ("schema", "right", "wrong"),
    [
        ({"type": "Number"}, "1.5", '"x"'),
        ({"type": "int"}, "1.0", "1.5"),
        ({"type": ["str", "None"]}, "[1]", None),
        ({"type": ["str", "null"]}, "null", "1"),
        ({"type": "wibble"}, "[1]", None),
        ({"type": "hash"}, '"ab12"', None),
        ({"type": 5, "enum": [], "required": 7, "minimum": "x", "pattern": 3, "items": 4}, "1", None),
        ({"type": [{"type": "string"}, "integer"]}, "1", "1.5"),
        ({"type": "string", "nullable": True}, "null", "1"),
        ({"enum": ["a"], "nullable": True}, "null", "1"),
        ({"anyOf": [{"type": "string"}], "nullable": True}, "null", "1"),
        ({"minimum": 1, "exclusiveMinimum": True}, "2", "1"),
        ({"maximum": 1, "exclusiveMaximum": False}, "1", "2"),
        ({"divisibleBy": 3}, "6", "7"),
        ({"enums": ["a", "b"]}, '"a"', '"c"'),
        ({"items": [{"type": "string"}], "additionalItems": False}, '["x"]', '["x", 1]'),
        ({"items": [{"type": "string"}]}, '["x", 1]', "[1]"),
        ({"properties": {"b": {"type": "string", "required": True}}}, '{"b": "x"}', "{}"),
        ({"dependencies": {"b": ["c"], "d": {"required": ["e"]}}}, '{"b": 1, "c": 2}', '{"d": 1}'),
        ({"dependencies": {"b": "c"}}, "{}", '{"b": 1}'),
        ({"format": "date-time"}, '"yesterday"', None),
        ({"pattern": "("}, '"x"', None),
        ({"pattern": "^(?!b)"}, '"a"', '"b"'),
        ({"$id": "http://localhost:1/", "$schema": "http://localhost:1/", "type": "string"}, '"x"', "1"),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}], "type": [{"const": 5}]}, "5", '"x"'),
        ({"const": None}, "null", "0"),
        (False, None, "1"),
        (True, "1", None),
    ],
)
@pytest.mark.everyday(40)
def test_unusual_keywords_get_their_intended_meaning(schema: Any, right: str | None, wrong: str | None) -> None:
    assert right is None or is_right(right, schema)
    assert wrong is None or not is_right(wrong, schema)


def test_references_work_recursively_and_by_bare_name() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "Node"}, "value": {"$ref": "#/d/V"}}}
    known = {"Node": node, "#/d/V": {"type": "integer"}}
    assert is_right('{"next": {"next": {"value": 5}}}', {"$ref": "Node"}, known)
    assert not is_right('{"next": {"next": {"value": "5"}}}', {"$ref": "Node"}, known)
    assert is_right("1", {"$ref": "A"}, {"A": {"$ref": "B"}, "B": {"$ref": "A"}})


def test_reference_outside_document_allows_anything_and_is_reported() -> None:
    schema = made(taking(a={"$ref": "http://localhost:1/x#/y"}, b={"type": "string"}))
    assert schema.why_not == "the service's document does not contain “http://localhost:1/x#/y”"
    assert "localhost" not in str(schema.schema)
    found = problems(taking(a={"$ref": "http://localhost:1/x#/y"}, b={"type": "string"}), '{"a": 1, "b": 2}')
    assert [problem.pointer for problem in found] == [("b",)]


def test_old_drafts_ignore_keywords_next_to_a_reference() -> None:
    schema, known = {"$ref": "A", "type": "string"}, {"A": {"title": "anything"}}
    assert is_right("1", schema, known, draft="http://json-schema.org/draft-07/schema#")
    assert not is_right("1", schema, known)


def test_extending_schema_has_inherited_and_own_members() -> None:
    known = {
        "Base": {"properties": {"a": {"type": "string"}}, "additionalProperties": False},
        "More": {"extends": "Base", "properties": {"b": {"type": "integer"}}},
    }
    assert is_right('{"a": "x", "b": 1}', {"$ref": "More"}, known)
    assert not is_right('{"a": 1}', {"$ref": "More"}, known)
    assert not is_right('{"c": 1}', {"$ref": "More"}, known)


def test_unknown_name_is_problem_if_all_are_known() -> None:
    assert problems(taking(a=True, b=True), '{"c": 1}')
    assert not problems(taking(a=True, kwargs=True), '{"c": 1}')
    assert not problems(Described((DescribedParam("", True),)), '{"c": 1}')
    assert made(Described()).why_not == "the service does not describe the params"
    assert problems(Described(extra=False), '{"c": 1}')


def test_position_limits_params_and_null_omits_optional_ones() -> None:
    method = Described(
        (DescribedParam("a", {"type": "string"}, required=True), DescribedParam("b", {"type": "string"}))
    )
    assert not problems(method, '["x", null]', "position")
    assert [problem.pointer for problem in problems(method, '[null, "x", 1]', "position")] == [(0,), ()]
    assert not problems(Described((DescribedParam("", {"type": "string"}),)), '["x", 1]', "position")


def test_result_is_checked_if_it_has_a_schema() -> None:
    assert made(Described(), None).why_not == "the service does not describe the result"
    assert problems(Described(result={"type": "string"}), "1", None)
    assert not problems(Described(result={"type": "string"}), '"x"', None)


def deep(levels: int) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {"properties": {"a": schema}}
    return schema


HOSTILE: dict[str, tuple[Any, dict[str, Any]]] = {
    "deep": (deep(900), {}),
    "bases in a circle": (
        {"extends": "A"},
        {"A": {"extends": ["B", "A"]}, "B": {"extends": [["A"], {"extends": "B"}]}},
    ),
    "numbers of all kinds": ({"minimum": 1e308, "maximum": -(10**400), "multipleOf": -1, "minLength": 1e300}, {}),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.everyday(3)
def test_any_description_gives_a_usable_schema(name: str) -> None:
    schema, known = HOSTILE[name]
    problems(taking(known, a=schema, b={"type": "string"}), '{"a": {"a": {}}, "b": "x"}')


def test_schema_of_too_many_parts_is_not_checked() -> None:
    members: dict[str, Any] = {str(number): {} for number in range(MAX_PARTS)}
    assert made(taking(a={"properties": members})).why_not == "the schema is too large"
