"""The tokens of one line of JSON: each has its role, and pieces and broken text are taken as well."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.text.json_text import tokens


def named(text: str, *, in_string: bool = False) -> list[tuple[str, str]]:
    return [(role, text[start:end]) for start, end, role in tokens(text, in_string=in_string)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('  "a": 1.10,', [("key", '"a"'), ("punctuation", ":"), ("number", "1.10"), ("punctuation", ",")]),
        ('"x\\"y: z",', [("string", '"x\\"y: z"'), ("punctuation", ",")]),
        ('"\\\\": null', [("key", '"\\\\"'), ("punctuation", ":"), ("literal", "null")]),
        ("-1e+9", [("number", "-1e+9")]),
        ("[NaN, -Infinity]", [("punctuation", "["), ("literal", "NaN"), ("punctuation", ","),
                              ("literal", "-Infinity"), ("punctuation", "]")]),
        ("  },", [("punctuation", "},")]),
        ("nope true", [("error", "nope"), ("literal", "true")]),
        ("trueish", [("error", "trueish")]),
        ('"cut', [("string", '"cut')]),
        ('"cut\\', [("string", '"cut\\')]),
        ("", []),
    ],
)  # fmt: skip
def test_each_token_has_its_role(line: str, expected: list[tuple[str, str]]) -> None:
    assert named(line) == expected


def test_a_piece_that_begins_inside_a_string_goes_on_as_one() -> None:
    assert named('rest, 12": 5', in_string=True) == [
        ("key", 'rest, 12"'), ("punctuation", ":"), ("number", "5"),
    ]  # fmt: skip
    assert named('a \\" b", 1', in_string=True)[:2] == [("string", 'a \\" b"'), ("punctuation", ",")]
    assert named("all of it", in_string=True) == [("string", "all of it")]
    assert named("", in_string=True) == []


@pytest.mark.parametrize("summary", ["1 item", "1,200 items", "1 member", "5 members"])
def test_what_a_folded_container_holds_is_no_value(summary: str) -> None:
    assert named(f'"a": [ {summary} ],')[-3:] == [
        ("punctuation", "["), ("punctuation", summary), ("punctuation", "],"),
    ]  # fmt: skip
    assert ("error", "items") in named("[5 items]")


@given(st.text() | st.text(st.sampled_from('{}[]",:\\ 1-atrue')), st.booleans())
def test_tokens_never_overlap_and_leave_out_nothing_but_blanks(text: str, in_string: bool) -> None:
    at = 0
    for start, end, _ in tokens(text, in_string=in_string):
        assert text[at:start].strip() == ""
        assert at <= start <= end
        at = end
    assert text[at:].strip() == ""


@pytest.mark.thorough
def test_a_long_line_takes_no_time_that_grows_faster_than_it(soon: None) -> None:
    for line in ('"' + "\\" * 200_000, '"' * 200_000, json.dumps(["x"] * 50_000), "[" * 200_000):
        assert list(tokens(line))
