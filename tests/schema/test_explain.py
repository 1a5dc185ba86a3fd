"""Problems with params in the words of whoever typed them."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.model.method import Described, DescribedParam
from tests.fakes.violations import problems

WORDS: list[tuple[Any, str, str]] = [
    ({"type": "integer"}, '"x"', "a must be a whole number; this is a string"),
    ({"type": ["string", "null", "boolean"]}, "5", "a must be a string, null or true or false; this is a number"),
    ({"enum": ["x", 5, None]}, "true", 'a must be one of "x", 5, null'),
    ({"const": "x"}, "1", 'a must be "x"'),
    ({"enum": ["x"]}, "1", 'a must be "x"'),
    ({"minimum": 1}, "0", "a must be 1 or more"),
    ({"exclusiveMaximum": 1}, "1", "a must be less than 1"),
    ({"multipleOf": 0.5}, "0.3", "a must be a multiple of 0.5"),
    ({"minLength": 2}, '"x"', "a must have at least 2 characters"),
    ({"maxItems": 1}, "[1, 2]", "a must have at most 1 element"),
    ({"pattern": "^x"}, '"y"', "a must match ^x"),
    ({"uniqueItems": True}, "[1, 1]", "a has the same element twice"),
    ({"not": {}}, "1", "a is what may not stand there"),
    ({"contains": {"const": 5}}, "[1]", "a lacks an element that must be among them"),
    ({"propertyNames": {"maxLength": 1}}, '{"xx": 1}', "a has a name that may not be there"),
    (False, "1", "a may not be there"),
    ({"required": ["b"]}, "{}", "a.b is missing"),
    (
        {"required": ["b"], "properties": {"b": {"type": "string", "format": "date"}}},
        "{}",
        "a.b is missing (string, date)",
    ),
    ({"properties": {"b": {}}, "additionalProperties": False}, '{"c": 1}', "“c” is not one of the members of a: b"),
    ({"additionalProperties": False}, '{"c": 1}', "“c” is not one of the members of a, which has none"),
    ({"dependentRequired": {"b": ["c"]}}, '{"b": 1}', "a.c is missing"),
    ({"items": {"type": "string"}}, "[[1]]", "a[0] must be a string; this is an array"),
    ({"anyOf": [{"type": "string"}, {"type": "array"}]}, "1", "a must be a string or an array; this is a number"),
    (
        {"oneOf": [{"minimum": 1}, {"minimum": 2}]},
        "3",
        "a fits more than one of the alternatives, and may fit only one",
    ),
    ({"oneOf": [{"type": "string"}, {"required": ["b"], "type": "object"}]}, "{}", "a.b is missing"),
    (
        {"properties": {"b": {"items": {"items": {"type": "null"}}}}},
        '{"b": [[1]]}',
        "…b[0][0] must be null; this is a number",
    ),
]


def taking(**params: Any) -> Described:
    return Described(tuple(DescribedParam(name, schema) for name, schema in params.items()))


@pytest.mark.parametrize(("schema", "value", "sentence"), WORDS)
@pytest.mark.everyday(40)
def test_each_problem_is_one_plain_sentence(schema: Any, value: str, sentence: str) -> None:
    (found,) = problems(taking(a=schema), f'{{"a": {value}}}')
    assert found.sentence == sentence


def test_a_misspelt_name_is_told_with_those_there_are() -> None:
    text = '{"count": 1, "cuont": 2}'
    (found,) = problems(taking(count={}, kind={}), text)
    assert found.sentence == "“cuont” is not one of its params: count, kind"
    assert (text[found.offset : found.end], found.pointer) == ('"cuont"', ("cuont",))


def test_what_is_missing_by_position_is_named_and_what_is_too_much_stands_where_it_is() -> None:
    method = Described(tuple(DescribedParam(name, {"type": "string"}, required=name != "b") for name in "abc"))
    assert [each.sentence for each in problems(method, '["x"]', "position")] == [
        "b is missing (string)",
        "c is missing (string)",
    ]
    assert [each.sentence for each in problems(method, "[]", "position")] == [
        "a is missing (string)",
        "c is missing (string)",
    ]
    text = '["x", "y", "z", "four"]'
    (found,) = problems(method, text, "position")
    assert (found.sentence, text[found.offset : found.end]) == ("at most 3 params: a, b, c", '"four"')


def test_a_problem_tells_its_line_and_column_in_the_text_as_typed() -> None:
    text = '{\r\n "a":\r  5,\n\t"b" : true\n}'
    found = problems(taking(a={"type": "string"}, b={"type": "null"}), text)
    assert [(each.line, each.column, text[each.offset : each.end]) for each in found] == [(3, 3, "5"), (4, 8, "true")]


def test_names_that_nobody_knows_because_a_part_does_not_hold_are_not_told() -> None:
    part = {"properties": {"b": {"type": "string"}}, "required": ["b"]}
    method = taking(a={"allOf": [part], "unevaluatedProperties": False})
    assert [each.pointer for each in problems(method, '{"a": {"b": 1}}')] == [("a", "b")]
    assert [each.sentence for each in problems(method, '{"a": {"b": "", "c": 1}}')] == [
        "“c” is not one of the members of a"
    ]


def test_what_a_reference_will_put_there_is_no_problem_yet() -> None:
    method = taking(a={"type": "integer"}, b={"anyOf": [{"items": {"type": "integer"}}]}, c={})
    assert not problems(method, '{"a": "{{n:json}}", "b": ["{{m}}"], "{{name}}": 1}')
    assert len(problems(method, '{"a": "{{n:json}}", "b": ["x"], "d": "{{name}}"}')) == 2


def test_what_no_value_of_a_reference_puts_right_is_told_as_long_as_it_stands() -> None:
    method = taking(
        x={"type": "array", "uniqueItems": True, "minItems": 2},
        y={"anyOf": [{"type": "array"}, {"enum": [{"k": 1}]}]},
        z={"anyOf": [{"type": "array"}, {"type": "integer"}]},
    )
    assert not problems(method, '{"x": ["{{v}}", "{{v}}"], "y": {"k": "{{v:json}}"}}')
    text = '{"x": {"a": "{{v}}"}, "z": {"a": "{{v}}"}}'
    assert [each.pointer for each in problems(method, text)] == [("x",), ("z",)]
    assert [each.keyword for each in problems(method, '{"x": ["{{v}}"]}')] == ["minItems"]


def test_in_a_result_nothing_is_a_reference() -> None:
    members = {"a": {"const": "«p.token»"}, "b": {"minLength": 9}}
    for text in ('{"a": "{{name}}"}', '{"b": "{{name}}"}', '["{{name}}"]'):
        assert len(problems(Described(result={"type": "object", "properties": members}), text, None)) == 1


def test_a_placeholder_of_a_secret_stands_for_a_text_that_is_not_known_here() -> None:
    method = taking(key={"type": "string", "pattern": "^[0-9a-f]+$", "minLength": 40}, n={"type": "integer"})
    assert not problems(method, '{"key": "«demo.password»"}')
    for text in ('{"key": "«demo:password»"}', '{"key": "\\u00abdemo.password»"}', '{"n": "«demo.password»"}'):
        assert problems(method, text)


def test_the_text_of_a_service_is_cut_and_stays_in_one_line() -> None:
    method = taking(a={"enum": ["x\n" * 500, *map(str, range(50))]}, **{"b\n" * 200: {}})
    for found in problems(method, '{"a": 5, "%s": 1}' % ("z" * 5_000)):
        assert len(found.sentence) < 700
        assert "\n" not in found.sentence
