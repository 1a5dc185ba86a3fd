"""Params that can be sent, and problems of others with place and fix."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext import fixes
from rpcexplorer.jsontext.params import MAX_FIXED, Params, Typo, parse
from rpcexplorer.jsontext.scan import is_value

containers = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
).map(lambda value: value if isinstance(value, list | dict) else [value])


def problem(text: str) -> Typo:
    """Return the problem of a text that cannot be sent."""
    verdict = parse(text)
    assert isinstance(verdict, Typo), verdict
    return verdict


@pytest.mark.parametrize(
    ("text", "sent", "kind", "size"),
    [
        ("", "[]", "array", 0),
        (" \t\r\n", "[]", "array", 0),
        ("{ }", "{}", "object", 0),
        ("[ 1.10, 1e400,\n 7E+00 ]", "[1.10,1e400,7E+00]", "array", 3),
        ('{"a": 1, "a": [2, 3]}', '{"a":1,"a":[2,3]}', "object", 2),
        ('["\\u0041\\/ x", "// \'"]', '["\\u0041\\/ x","// \'"]', "array", 2),
        ('["\\ud800", "\\udc00 y"]', '["\\ud800","\\udc00 y"]', "array", 2),
        pytest.param("[" + "9" * 5000 + "]", "[" + "9" * 5000 + "]", "array", 1, id="long number"),
        ("\ufeff[1]", "[1]", "array", 1),
    ],
)
def test_sent_text_is_the_typed_one_without_whitespace(text: str, sent: str, kind: str, size: int) -> None:
    assert parse(text) == Params(sent, kind, size)  # type: ignore[arg-type]


@pytest.mark.thorough
def test_any_depth_can_be_sent() -> None:
    deep = "[" * 100_000 + "]" * 100_000
    assert parse(deep) == Params(deep, "array", 1)


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("", "empty array"),
        ("{}", "empty object"),
        ("[1]", "array with 1 element"),
        ("[1, 2]", "array with 2 elements"),
        ('{"a": 1}', "object with 1 member"),
        ('{"a": 1, "b": 2}', "object with 2 members"),
    ],
)
def test_params_have_kind_and_size(text: str, remark: str) -> None:
    verdict = parse(text)
    assert isinstance(verdict, Params)
    assert verdict.remark == remark


@given(containers, st.sampled_from([None, 1, 4]), st.booleans())
def test_output_of_json_dumps_can_be_sent(value: object, indent: int | None, ascii_only: bool) -> None:
    verdict = parse(json.dumps(value, indent=indent, ensure_ascii=ascii_only))
    assert isinstance(verdict, Params)
    assert json.loads(verdict.text) == value
    assert verdict.size == len(value)  # type: ignore[arg-type]


def test_typo_of_the_service_document_is_explained() -> None:
    found = problem('["username": "ada", "password": "x"]')
    expected = 'line 1, column 12: members need braces, not square brackets. Write {"username": …}'
    assert str(found) == expected
    assert (found.offset, found.end) == (11, 12)


def test_message_does_not_repeat_values() -> None:
    for text in ('["password": "hunter2"]', '{"password": hunter2}', '{"password": "hunter2" 1}', "['hunter2']"):
        assert "hunter2" not in str(problem(text))


PLACES = [
    ('{\n  "a": 1,\n  b: 2\n}', 3, 3, "name"),
    ("[\"one\",\r\n'two']", 2, 1, "double quotes"),
    ('["é", 😀]', 1, 7, "😀"),
    ("[1, 2,]", 1, 6, "comma"),
    ('{"a": 1,}', 1, 8, "comma"),
    ("[1,, 2]", 1, 4, "comma"),
    ("[1] // one", 1, 5, "comments"),
    ("[1, /* one", 1, 5, "has no end"),
    ("# one\n[1]", 1, 1, "comments"),
    ("[None]", 1, 2, "None"),
    ('{"a": undefined}', 1, 7, "undefined"),
    ("[“a”]", 1, 2, "“"),
    ('{"a": 1 "b": 2}', 1, 9, "comma is missing"),
    ('{"a": 1\n "b": 2}', 2, 2, "comma is missing"),
    ('{"a" 1}', 1, 6, "colon is missing"),
    ('{"a" = 1}', 1, 6, "="),
    ("[1; 2]", 1, 3, ";"),
    ("[1, 2", 1, 6, "not closed"),
    ('{"a": [1, 2\n\n', 1, 12, "not closed"),
    ('{"a": "b}', 1, 7, "no closing quote"),
    ('{"a": 1}}', 1, 9, "has no opening bracket"),
    ("[1, 2}", 1, 6, "cannot close"),
    ('{"a": [1}', 1, 9, "still open"),
    ("{1, 2}", 1, 2, "name needs double quotes"),
    ('{"a", "b"}', 1, 5, "has no value"),
    ("[+1]", 1, 2, "not a JSON number"),
    ("[0xFF]", 1, 2, "double quotes"),
    ("[NaN]", 1, 2, "NaN"),
    ("[1, -Infinity]", 1, 5, "-Infinity"),
    ('["a\tb"]', 1, 4, "tab"),
    ('["a\nb"]', 1, 4, "line break"),
    ('["a\x00b"]', 1, 4, "U+0000"),
    ('["\\x41"]', 1, 3, "escape"),
    ('["C:\\users"]', 1, 5, "escape"),
    ('["a\ud800"]', 1, 4, "cannot be sent"),
    ("[1,\u00a02]", 1, 4, "U+00A0"),
    ("[1] x", 1, 5, "params end"),
    ("[1] [2]", 1, 5, "params end"),
    ("[1],", 1, 4, "end of the params"),
    ('{"a": }', 1, 7, "value is missing"),
    ('{"a"', 1, 5, "has no value"),
    ('{"a": 1, "b"}', 1, 13, "has no value"),
    ("{: 1}", 1, 2, "name is missing"),
    ('[1, "a": 2]', 1, 8, "no names"),
    ('{"a": 1: 2}', 1, 8, "cannot follow"),
    ("{[1]: 2}", 1, 2, "must be text"),
    ('["say "hi" now"]', 1, 8, "closing quote"),
    ("(1)", 1, 1, "("),
    ("[@]", 1, 2, "@"),
    ("5", 1, 1, "array or an object"),
    ('"x"', 1, 1, "array or an object"),
    ("null", 1, 1, "array or an object"),
    ('{"a": 1}, {"b": 2}', 1, 9, "array or an object"),
]


@pytest.mark.parametrize(("text", "line", "column", "words"), PLACES)
def test_first_typo_is_reported_with_its_place(text: str, line: int, column: int, words: str) -> None:
    found = problem(text)
    assert (found.line, found.column) == (line, column), str(found)
    assert words in found.what
    assert found.instead
    assert str(found) == f"line {line}, column {column}: {found.what}. {found.instead[:1].upper()}{found.instead[1:]}"


def test_first_typo_is_the_first_in_text() -> None:
    text = "{\"a\": 1, // note\n 'b': None,}"
    assert problem(text).what == "JSON has no comments"
    quotes = problem(text.replace("// note", ""))
    assert (quotes.what, quotes.instead) == ("text needs double quotes, not single ones", 'write " instead')
    assert problem("[1,, 'a']").what == "there is one comma too many"


def test_message_contains_no_control_characters() -> None:
    for text in ("[\x1b]", "{a\u202eb: 1}", '["a\x1b[2J": 1]', "[\x9b]"):
        assert str(problem(text)).isprintable()


pieces = st.sampled_from(
    [
        *"[]{},:;=\"'`“”\u2019\\\n .-+10_ae<>()#\ufeff\u00a0\ud800\x00",
        *("//", "/*", "*/", "None", "true", "NaN", "0x", '"k":', "C:\\", "b'", '\\"'),
    ]
)


@given(st.text(max_size=30) | st.lists(pieces, max_size=25).map("".join))
def test_any_text_has_a_verdict(text: str) -> None:
    verdict = parse(text)
    if isinstance(verdict, Params):
        assert is_value(verdict.text, strict=True)
        return
    assert 0 <= verdict.offset <= verdict.end <= len(text)
    assert verdict.what != "this is not JSON"
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert 1 <= verdict.column <= len(lines[verdict.line - 1]) + 1 or "\r\n" in text


@pytest.mark.parametrize(
    ("start", "problem"),
    [
        ('{"a" 1, ', "line 2, column 2: this is not JSON. Correct it here."),
        ("\ufeff{'a': 1, ", "line 2, column 2: this is not JSON. Correct it here."),
        ("curl ", "line 2, column 1: this is not JSON. Correct it here."),
    ],
)
def test_long_params_name_the_first_error_without_fix(
    start: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fixes, "find_typos", None)  # searching all typos would take seconds
    mark = "\ufeff" * start.startswith("\ufeff")
    read = parse(f"{mark}\n{start.removeprefix(mark)}" + "{" * MAX_FIXED)
    assert isinstance(read, Typo)
    assert str(read).startswith(problem)
    assert read.fix is None


def test_long_params_that_are_scalar_say_so() -> None:
    read = parse(f'"{"a" * MAX_FIXED}"')
    assert isinstance(read, Typo)
    assert str(read) == "line 1, column 1: params must be an array or an object. Put this in square brackets"
