"""The process that checks: its answers to any question."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.problem import MOST_PROBLEMS, Checked, SchemaProblem
from rpcexplorer.schema.check_process import MAX_VALUES, MethodCheck, NotCheckedError, _validator, answer


def asked(schema: Any, text: str) -> Checked:
    """Return the answer to a question about a result."""
    return answered(msgspec.json.encode(Described(result=schema)), msgspec.json.encode((text, "result", None)))


def answered(method: bytes, question: bytes) -> Checked:
    return msgspec.json.decode(answer(method, question), type=Checked)


@pytest.mark.parametrize(
    ("text", "is_known"),
    [("[]", False), ("[1]", False), ('{"b": 1}', False), ("[1, 2]", True), ('{"b": 1, "a": 2}', True)],
)
def test_params_that_may_be_required_are_reported(text: str, is_known: bool) -> None:
    number = {"type": "number"}
    described = Described((DescribedParam("a", number), DescribedParam("b", number), DescribedParam("*args")))
    expected = Checked() if is_known else Checked(why_not="required params are not known", in_part=True)
    assert MethodCheck(described).params(text) == expected


def test_invalid_question_gets_an_answer() -> None:
    assert answered(b"[", b"").why_not == answered(b"{}", b"[1]").why_not == "the text cannot be read"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "the text is not JSON"),
        ("", "the text is not JSON"),
        ("[NaN]", "NaN is not JSON"),
        (
            '{"a": 1, "b": {"c": 1, "c": 2}}',
            "“c” appears twice in one object",
        ),
        ('["\\ud800"]', "the text contains a lone surrogate (half a character)"),
        ("[" * 100_000, "the text is nested too deeply"),
        ("[" * 5_000 + "]" * 5_000, "the text is nested too deeply"),
        ("9" * 5_000, "the text cannot be read"),
    ],
)
@pytest.mark.everyday(10)
def test_text_that_cannot_be_checked_has_a_reason(text: str, reason: str) -> None:
    schema = {"type": "object", "additionalProperties": {"type": "object"}}
    assert asked(schema, text).why_not.startswith(reason)


@pytest.mark.parametrize(
    ("schema", "text", "right"),
    [
        ({"maximum": 5}, "1e400", False),
        ({"type": "integer"}, "1e400", True),
        ({"exclusiveMinimum": 0}, "1e-400", True),
        ({"maximum": 9007199254740992}, "9007199254740993", False),
        ({"const": 123456789012345678901234567890}, "123456789012345678901234567891", False),
        ({"enum": [123456789012345678901234567890]}, "123456789012345678901234567890", True),
        ({"maximum": 0.1}, "0.1000000000000000000000001", False),
        ({"multipleOf": 0.01}, "4.35", True),
        ({"type": "integer"}, "1.0", True),
        ({"const": 0}, "-0.0", True),
        ({"type": "integer"}, "12345678901234567890.5", False),
        ({"maxLength": 1}, '"\\ud83d\\ude00"', True),
    ],
)
@pytest.mark.everyday(12)
def test_numbers_are_checked_exactly(schema: Any, text: str, right: bool) -> None:
    assert asked(schema, text).is_right == right


def test_number_of_reported_problems_is_bounded() -> None:
    assert len(asked({"items": {"type": "string"}}, json.dumps([1] * 10_000)).problems) == MOST_PROBLEMS
    names = json.dumps(dict.fromkeys(map(str, range(1_000)), 1))
    assert len(asked({"additionalProperties": False}, names).problems) == MOST_PROBLEMS
    required = {"required": [f"p{n}" for n in range(900)], "properties": {"p950": {"type": "string"}}}
    pointers = [problem.pointer for problem in asked(required, '{"p950": 1}').problems]
    assert ("p950",) in pointers, "what is wrong comes before what is missing"
    nested: dict[str, Any] = {"type": "string"}
    for _ in range(30):
        nested = {"anyOf": [nested, {"type": "null"}]}
    assert len(asked(nested, "5").problems) == 1


def test_many_values_report_only_the_first_problem() -> None:
    schema = {"items": {"type": "string"}}
    found = asked(schema, json.dumps([""] * MAX_VALUES + [1] * MAX_VALUES))
    assert [problem.pointer for problem in found.problems] == [(MAX_VALUES,)]
    assert (found.why_not, found.in_part) == ("with more than 20,000 values, only the first problem is reported", True)
    assert asked(schema, json.dumps([""] * 2 * MAX_VALUES)).is_right


@pytest.mark.parametrize(
    ("pattern", "text", "right"),
    [
        ("^(a+)+$", "a" * 5_000 + "!", False),
        (r"^(a|a)*\1(a+)+(?=c)$", "a" * 400 + "!", True),  # the engine gives up, so nothing is reported
        ("((x{1000}){1000}){1000}", "x", True),
        ("(", "x", True),
        (r"^\p{Letter}+$", "é", True),
        ("^(?<!x)a", "b", False),
    ],
)
@pytest.mark.everyday(6)
def test_no_pattern_takes_long(pattern: str, text: str, right: bool) -> None:
    schema = {"properties": {"a": {"pattern": pattern}}, "patternProperties": {pattern: True}}
    assert asked(schema, json.dumps({"a": text})).is_right == right


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://localhost:1/x"},
        {"$ref": "file:///etc/passwd"},
        {"type": "wibble"},
        {"$ref": "#/$defs/none"},
        [5],
    ],
)
@pytest.mark.everyday(5)
def test_invalid_schema_is_reported_and_nothing_is_fetched(schema: Any) -> None:
    with pytest.raises(NotCheckedError, match="the schema is invalid"):
        _validator(schema)


def taking(**params: Any) -> MethodCheck:
    return MethodCheck(Described(tuple(DescribedParam(*param, required=False) for param in params.items())))


@pytest.mark.parametrize(
    ("wanted", "right", "wrong", "words"),
    [
        ("email", "a.b+c@x.org", "ada", "must be an email address, such as ada@example.org"),
        ("uri", "urn:x", "example", "must be a URI, such as https://example.org/"),
        ("date", "2026-07-28", "28.7.2026", "must be a date, such as 2026-07-28"),
        ("date-time", "2026-07-28T12:00:00Z", "noon", "must be a date and time, such as 2026-07-28T12:00:00Z"),
        ("ipv4", "127.0.0.1", "localhost", "must be in the format ipv4"),
        ("poem", "roses", "", ""),
    ],
)
def test_formats_are_checked_if_they_are_rules(wanted: str, right: str, wrong: str, words: str) -> None:
    params = (DescribedParam("a", {"type": "string", "format": wanted}),)
    strict, lenient = MethodCheck(Described(params, checks_formats=True)), MethodCheck(Described(params))
    right, wrong = json.dumps({"a": right}), json.dumps({"a": wrong})
    assert strict.params(right).problems == lenient.params(wrong).problems == ()
    assert [problem.sentence for problem in strict.params(wrong).problems] == [f"a {words}"] * bool(words)


def test_params_are_checked_by_name_and_by_position() -> None:
    method = taking(count={"type": "Number"}, kind={"enum": ["a", "b"]})
    assert method.params('{"count": 1.5}').is_right
    wrong = method.params('{"count": "x",\n "kind": 3}').problems
    assert [(problem.pointer, problem.line, problem.column) for problem in wrong] == [
        (("count",), 1, 11),
        (("kind",), 2, 10),
    ]
    assert [problem.pointer for problem in method.params("[1, 5]").problems] == [(1,)]
    assert method.params("5").why_not == "the params are neither an array nor an object"


def wrong(found: Sequence[SchemaProblem]) -> tuple[int, int]:
    """Return the number of unknown names, and of all problems.

    An unknown name hides the problems of its value.
    """
    return sum(problem.keyword == "additionalProperties" for problem in found), len(found)


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ('{"cuont": "5",  "kind": "A", "tags": "x"}', '{"count": 5,  "kind": "a", "tags": ["x"]}'),
        ('{"count": "11", "sizes": "7", "tags": 7}', '{"count": "11", "sizes": "7", "tags": 7}'),
        ('{"x": 1}', '{"x": 1}'),
        ('["5", "B"]', '[5, "b"]'),
    ],
)
def test_offered_fix_leaves_fewer_problems(text: str, fixed: str) -> None:
    method = taking(
        count={"type": "integer", "maximum": 10},
        kind={"enum": ["a", "b"]},
        tags={"type": "array", "items": {"type": "string"}},
        sizes={"type": "array", "items": {"type": "integer"}},
    )
    found = method.params(text).problems
    while fix := next((problem.fix for problem in found if problem.fix), None):
        text, before = fix.text, found
        found = method.params(text).problems
        assert wrong(found) < wrong(before)
    assert text == fixed


def test_params_given_the_other_way_are_one_problem() -> None:
    method = taking(a={"type": "string"}, b={"type": "integer"})
    (named,), (placed,) = (
        method.params('\n["x", 5]', "name").problems,
        method.params('{"b": 5, "a": "x"}', "position").problems,
    )
    assert (named.sentence, named.line, named.column) == ("the method needs params by name: write an object", 2, 1)
    assert [problem.fix.text for problem in (named, placed) if problem.fix] == ['\n{"a": "x", "b": 5}', '["x", 5]']
    assert method.params('["x", "y"]', "name").problems[0].fix is None
    assert all(method.params(text, "name").is_right for text in ("[]", " [ ]", "[\n]\n"))
    assert all(method.params(text, "position").is_right for text in ("{}", "{ }", "\ufeff{\t}"))
