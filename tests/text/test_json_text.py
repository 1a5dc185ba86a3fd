"""JSON for a terminal: laid out, safe, coloured with nothing but our own escape sequences."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.text.json_text import COLOUR_LIMIT, highlighted, json_of, raw_of, tokens
from rpcexplorer.text.printable import printable_bytes

COLOURS = re.compile(r"\x1b\[([0-9]*)m")
NAMES = {"36": "key", "32": "string", "33": "number", "35": "literal", "2": "dim", "0": ""}


def inks(text: str) -> list[tuple[str, str]]:
    """The tokens of coloured text, whitespace aside, and what each is coloured as."""
    _, *parts = COLOURS.split("\x1b[0m" + text)
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [(NAMES[code], token) for code, token in pairs if token.strip()]


def test_json_is_laid_out_and_its_tokens_told_apart() -> None:
    shown = highlighted(b'{"a":[1.10,"x\\"y",null,-1e400]}')
    assert COLOURS.sub("", shown) == '{\n  "a": [\n    1.10,\n    "x\\"y",\n    null,\n    -1e400\n  ]\n}'
    assert inks(shown) == [
        ("dim", "{"), ("key", '"a"'), ("dim", ":"), ("dim", "["),
        ("number", "1.10"), ("dim", ","), ("string", '"x\\"y"'), ("dim", ","), ("literal", "null"), ("dim", ","),
        ("number", "-1e400"), ("dim", "]"), ("dim", "}"),
    ]  # fmt: skip


@given(st.text() | st.text(st.sampled_from('{}[]",:\\ \n\x1b1-aé')))
def test_colours_change_nothing_but_colour_and_nothing_else_escapes(text: str) -> None:
    shown = highlighted(text)
    assert COLOURS.sub("", shown) == highlighted(text, colour=False)
    assert "\x1b" not in highlighted(text, colour=False)


@pytest.mark.parametrize("text", [b"<html>1 {true}</html>", b"", b"plain words", b"\xff\xfe{\x00"])
def test_what_is_no_json_is_only_made_printable(text: bytes) -> None:
    assert highlighted(text) == printable_bytes(text)


def test_text_beyond_the_limit_stays_plain() -> None:
    text = '"' + "x" * COLOUR_LIMIT + '"'
    assert highlighted(text) == text


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


def test_whatever_a_service_said_can_stand_in_our_json() -> None:
    deep: Any = []
    for _ in range(5_000):
        deep = [deep]
    told = json.loads(json_of([raw_of("\ud800é"), raw_of(deep), raw_of(float("inf")), raw_of({"a": 10**30})]))
    assert told == ["\ud800é", None, None, {"a": 10**30}]
