"""Problems with params in words."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.model.method import Described, DescribedParam
from tests.fakes.violations import problems

WORDS: list[tuple[Any, str, str]] = [
    ({"type": "integer"}, '"x"', "a must be a whole number, not a string"),
    ({"type": ["string", "null", "boolean"]}, "5", "a must be a string, null or true or false, not a number"),
    ({"enum": ["x", 5, None]}, "true", 'a must be one of "x", 5, null'),
    ({"const": "x"}, "1", 'a must be "x"'),
    ({"enum": ["x"]}, "1", 'a must be "x"'),
    ({"minimum": 1}, "0", "a must be 1 or more"),
    ({"exclusiveMaximum": 1}, "1", "a must be less than 1"),
    ({"multipleOf": 0.5}, "0.3", "a must be a multiple of 0.5"),
    ({"minLength": 2}, '"x"', "a must have at least 2 characters"),
    ({"maxItems": 1}, "[1, 2]", "a must have at most 1 element"),
    ({"pattern": "^x"}, '"y"', "a must match the pattern `^x`"),
    ({"uniqueItems": True}, "[1, 1]", "a contains the same element twice"),
    ({"not": {}}, "1", "a is a value that the schema forbids"),
    ({"contains": {"const": 5}}, "[1]", "a must contain at least one element that matches the schema's “contains”"),
    ({"propertyNames": {"maxLength": 1}}, '{"xx": 1}', "a has a name that the schema does not allow"),
    (False, "1", "a is not allowed"),
    ({"required": ["b"]}, "{}", "a.b is missing"),
    (
        {"required": ["b"], "properties": {"b": {"type": "string", "format": "date"}}},
        "{}",
        "a.b is missing (string, date)",
    ),
    ({"properties": {"b": {}}, "additionalProperties": False}, '{"c": 1}', "“c” is not one of the members of a: b"),
    ({"additionalProperties": False}, '{"c": 1}', "“c” is not allowed: a must be empty"),
    ({"dependentRequired": {"b": ["c"]}}, '{"b": 1}', "a.c is missing"),
    ({"items": {"type": "string"}}, "[[1]]", "a[0] must be a string, not an array"),
    ({"anyOf": [{"type": "string"}, {"type": "array"}]}, "1", "a must be a string or an array, not a number"),
    (
        {"oneOf": [{"minimum": 1}, {"minimum": 2}]},
        "3",
        "a matches more than one alternative, but must match exactly one",
    ),
    ({"oneOf": [{"type": "string"}, {"required": ["b"], "type": "object"}]}, "{}", "a.b is missing"),
    (
        {"properties": {"b": {"items": {"items": {"type": "null"}}}}},
        '{"b": [[1]]}',
        "…b[0][0] must be null, not a number",
    ),
]


def taking(**params: Any) -> Described:
    return Described(tuple(DescribedParam(name, schema) for name, schema in params.items()))


@pytest.mark.parametrize(("schema", "value", "sentence"), WORDS)
@pytest.mark.everyday(40)
def test_problem_is_one_plain_sentence(schema: Any, value: str, sentence: str) -> None:
    (found,) = problems(taking(a=schema), f'{{"a": {value}}}')
    assert found.sentence == sentence


def test_misspelt_name_lists_the_known_names() -> None:
    text = '{"count": 1, "cuont": 2}'
    (found,) = problems(taking(count={}, kind={}), text)
    assert found.sentence == "“cuont” is not one of the params: count, kind"
    assert (text[found.offset : found.end], found.pointer) == ('"cuont"', ("cuont",))


def test_name_of_digits_is_a_name() -> None:
    inner = {"properties": {"2": {"additionalProperties": False}, "3": {"pattern": "("}}}
    (found,) = problems(taking(a={}, **{"0": {"type": "integer"}}), '{"a": 1, "0": "x"}')
    assert found.sentence == "0 must be a whole number, not a string"
    (found,) = problems(taking(a=inner), '{"a": {"2": {"b": 1}, "3": "x"}}')
    assert found.sentence == "“b” is not allowed: a[2] must be empty"


def test_position_names_missing_params_and_marks_extra_ones() -> None:
    method = Described(tuple(DescribedParam(name, {"type": "string"}, required=name != "b") for name in "abc"))
    assert [problem.sentence for problem in problems(method, '["x"]', "position")] == [
        "b is missing (string)",
        "c is missing (string)",
    ]
    assert [problem.sentence for problem in problems(method, "[]", "position")] == [
        "a is missing (string)",
        "c is missing (string)",
    ]
    text = '["x", "y", "z", "four"]'
    (found,) = problems(method, text, "position")
    assert (found.sentence, text[found.offset : found.end]) == ("the method has only 3 params: a, b, c", '"four"')


def test_problem_has_line_and_column_of_typed_text() -> None:
    text = '{\r\n "a":\r  5,\n\t"b" : true\n}'
    found = problems(taking(a={"type": "string"}, b={"type": "null"}), text)
    assert [(problem.line, problem.column, text[problem.offset : problem.end]) for problem in found] == [
        (3, 3, "5"),
        (4, 8, "true"),
    ]


def test_names_unknown_after_a_mismatch_are_not_reported() -> None:
    part = {"properties": {"b": {"type": "string"}}, "required": ["b"]}
    method = taking(a={"allOf": [part], "unevaluatedProperties": False})
    assert [problem.pointer for problem in problems(method, '{"a": {"b": 1}}')] == [("a", "b")]
    assert [problem.sentence for problem in problems(method, '{"a": {"b": "", "c": 1}}')] == [
        "“c” is not one of the members of a"
    ]


def test_problem_that_reference_may_fix_is_not_reported() -> None:
    method = taking(a={"type": "integer"}, b={"anyOf": [{"items": {"type": "integer"}}]}, c={})
    assert not problems(method, '{"a": "{{n:json}}", "b": ["{{m}}"], "{{name}}": 1}')
    assert len(problems(method, '{"a": "{{n:json}}", "b": ["x"], "d": "{{name}}"}')) == 2


def test_problem_that_no_reference_can_fix_is_reported() -> None:
    method = taking(
        x={"type": "array", "uniqueItems": True, "minItems": 2},
        y={"anyOf": [{"type": "array"}, {"enum": [{"k": 1}]}]},
        z={"anyOf": [{"type": "array"}, {"type": "integer"}]},
    )
    assert not problems(method, '{"x": ["{{v}}", "{{v}}"], "y": {"k": "{{v:json}}"}}')
    text = '{"x": {"a": "{{v}}"}, "z": {"a": "{{v}}"}}'
    assert [problem.pointer for problem in problems(method, text)] == [("x",), ("z",)]
    assert [problem.keyword for problem in problems(method, '{"x": ["{{v}}"]}')] == ["minItems"]


def test_result_contains_no_references() -> None:
    members = {"a": {"const": "«p.token»"}, "b": {"minLength": 9}}
    for text in ('{"a": "{{name}}"}', '{"b": "{{name}}"}', '["{{name}}"]'):
        assert len(problems(Described(result={"type": "object", "properties": members}), text, None)) == 1


def test_secret_reference_is_checked_only_as_a_string() -> None:
    method = taking(key={"type": "string", "pattern": "^[0-9a-f]+$", "minLength": 40}, n={"type": "integer"})
    assert not problems(method, '{"key": "«demo.password»"}')
    for text in ('{"key": "«demo:password»"}', '{"key": "\\u00abdemo.password»"}', '{"n": "«demo.password»"}'):
        assert problems(method, text)


def test_schema_text_is_cut_to_one_line() -> None:
    method = taking(a={"enum": ["x\n" * 500, *map(str, range(50))]}, **{"b\n" * 200: {}})
    for found in problems(method, '{"a": 5, "%s": 1}' % ("z" * 5_000)):
        assert len(found.sentence) < 700
        assert "\n" not in found.sentence
