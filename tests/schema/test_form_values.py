"""Typed text becomes JSON, and unchanged values keep their spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.schema.form import FormField, FormRows, FormView, shown, typed_json, typed_problem, typed_value

KINDS = {"s": {"type": "string"}, "n": {"type": "number"}, "a": True}
DESCRIBED = Described(tuple(DescribedParam(name, schema) for name, schema in KINDS.items()))


def field(name: str, before: str) -> FormField:
    text = f'{{"{name}": {before}}}' if before else "{}"
    return next(row for row in FormRows(DESCRIBED).of(text) if row.name == name)


@pytest.mark.parametrize(
    ("name", "before", "into", "typed", "value"),
    [
        ("s", '"a\\u0062\\/"', "ab/", "ab/", '"a\\u0062\\/"'),
        ("s", '"a"', "a", '"q"', '"\\"q\\""'),
        ("s", '""', "", "null", '"null"'),
        ("s", "", "", "", '""'),
        ("s", '"two\\nlines"', '"two\\nlines"', "3", "3"),
        ("s", "7", "7", "x", None),
        ("n", "1.10", "1.10", "1.10", "1.10"),
        ("n", "1", "1", " 1e400 ", "1e400"),
        ("n", "1", "1", "{{x}}", '"{{x}}"'),
        ("n", "1", "1", "x1", None),
        ("n", "null", "0", "null", "null"),
        ("a", '"x"', '"x"', "[1, 1.0]", "[1, 1.0]"),
        ("a", "", "null", "[1,", None),
    ],
)
def test_typed_text_becomes_a_value(name: str, before: str, into: str, typed: str, value: str | None) -> None:
    row = field(name, before)
    start = {"s": '""', "n": "0", "a": "null"}[name]
    assert shown(row, start) == into
    assert typed_value(row, typed, start) == value


def test_start_value_with_a_reference_stays_escaped() -> None:
    row, start = field("s", ""), '"\\u00abdemo.password»"'
    assert typed_value(row, shown(row, start), start) == start


def test_json_of_several_lines_keeps_its_indentation() -> None:
    text = '{\n  "a": [\n    {"b": 1},\n\n    2\n  ]\n}'
    row = FormRows(DESCRIBED).of(text, FormView({("a",): False}))[2]
    assert (row.name, row.state) == ("a", "value")
    own = '[\n  {"b": 1},\n\n  2\n]'
    assert shown(row, "", "  ") == own
    assert typed_value(row, own, "", "  ") == row.text
    assert typed_value(row, own.replace("1", "3"), "", "  ") == '[\n    {"b": 3},\n\n    2\n  ]'
    assert shown(row, "", "      ") == row.text, "it stands further to the left than its line"
    assert typed_value(row, row.text.replace("1", "3"), "", "      ") == row.text.replace("1", "3")


def test_typed_word_for_a_number_gets_no_quotes() -> None:
    problem = typed_problem("7abc", "integer or null")
    assert problem is not None
    assert (str(problem), problem.fix) == ("line 1, column 1: this is not an integer. Write digits", None)
    trailing = typed_problem("[7,]", "integer")
    assert trailing is not None
    assert trailing.fix is not None


@pytest.mark.parametrize(
    ("typed", "place", "what", "fixed"),
    [
        ("", (1, 1), "a value is missing", None),
        ("'a'", (1, 1), "text needs double quotes, not single ones", '"a"'),
        ("[1,\n2,]", (2, 2), "there is a comma after the last element", "[1,\n2]"),
        ('"1,2", 3', (1, 8), "there is more than one value", '["1,2", 3]'),
        ("-", (1, 1), "- does not belong here", None),
    ],
)
def test_typed_problem_names_place_and_fix(typed: str, place: tuple[int, int], what: str, fixed: str | None) -> None:
    problem = typed_problem(typed)
    assert problem is not None
    assert ((problem.line, problem.column), problem.what) == (place, what)
    assert (problem.fix.text if problem.fix else None) == fixed


@given(st.one_of(st.text(alphabet="[]{},:'\"1aN-/#\n \ufeff", max_size=12), st.text(max_size=6)))
def test_typed_problem_lies_inside_the_text(typed: str) -> None:
    problem = typed_problem(typed)
    assert (problem is None) == (typed_json(typed) is not None)
    assert problem is None or 0 <= problem.offset <= problem.end <= len(typed)
