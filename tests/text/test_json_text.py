"""Tests of JSON for a terminal: indented, safe, with our colours only."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext import slices
from rpcexplorer.text import json_text
from rpcexplorer.text.json_text import COLOUR_LIMIT, highlighted, highlighted_pieces, json_of, raw_of, tokens
from rpcexplorer.text.printable import printable_bytes

COLOURS = re.compile(r"\x1b\[([0-9]*)m")
NAMES = {"36": "key", "32": "string", "33": "number", "35": "literal", "2": "dim", "0": ""}


def inks(text: str) -> list[tuple[str, str]]:
    """Return the tokens of coloured text and their colours, without blanks."""
    _, *parts = COLOURS.split("\x1b[0m" + text)
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [(NAMES[code], token) for code, token in pairs if token.strip()]


def test_json_is_indented_and_coloured_by_token() -> None:
    shown = highlighted(b'{"a":[1.10,"x\\"y",null,-1e400]}')
    assert COLOURS.sub("", shown) == '{\n  "a": [\n    1.10,\n    "x\\"y",\n    null,\n    -1e400\n  ]\n}'
    assert inks(shown) == [
        ("dim", "{"), ("key", '"a"'), ("dim", ":"), ("dim", "["),
        ("number", "1.10"), ("dim", ","), ("string", '"x\\"y"'), ("dim", ","), ("literal", "null"), ("dim", ","),
        ("number", "-1e400"), ("dim", "]"), ("dim", "}"),
    ]  # fmt: skip


@given(st.text() | st.text(st.sampled_from('{}[]",:\\ \n\x1b1-aé')))
def test_colours_add_only_colour_sequences(text: str) -> None:
    shown = highlighted(text)
    assert COLOURS.sub("", shown) == highlighted(text, colour=False)
    assert "\x1b" not in highlighted(text, colour=False)


@pytest.mark.parametrize("text", [b"<html>1 {true}</html>", b"", b"plain words", b"\xff\xfe{\x00"])
def test_text_without_json_is_only_made_printable(text: bytes) -> None:
    assert highlighted(text) == printable_bytes(text)


def test_text_beyond_the_limit_stays_plain() -> None:
    text = '"' + "x" * COLOUR_LIMIT + '"'
    assert highlighted(text) == text


values = st.recursive(
    st.none() | st.integers() | st.floats() | st.text(st.sampled_from('ab" \\\n\x1b\u202e漢é,:]}'), max_size=30),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from("a:{漢"), inner, max_size=3),
)


@given(values, st.booleans(), st.integers(3, 60))
def test_slices_are_highlighted_like_the_whole_text(value: Any, ascii_only: bool, size: int) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "SLICE", size)
        patch.setattr(json_text, "SLICE", 0)
        in_slices, plain = "".join(highlighted_pieces(text)), "".join(highlighted_pieces(text, colour=False))
        patch.setattr(json_text, "COLOUR_LIMIT", 0)
        assert "".join(highlighted_pieces(text)) == plain
    assert plain == highlighted(text, colour=False)
    cut = re.compile(r"\x1b\[0m\x1b\[(2|32)m")  # a token that continues in the next slice
    assert cut.sub("", in_slices) == cut.sub("", highlighted(text))


@pytest.mark.parametrize("text", [b"[1, 2,", b'["\xff", 1]', b"[1, 2, 3] trailing"])
def test_text_that_is_not_json_is_highlighted_whole(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "SLICE", 4)
    monkeypatch.setattr(json_text, "SLICE", 0)
    assert list(highlighted_pieces(memoryview(text))) == [highlighted(text)]


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


def test_piece_inside_a_string_continues_the_string() -> None:
    assert named('rest, 12": 5', in_string=True) == [
        ("key", 'rest, 12"'), ("punctuation", ":"), ("number", "5"),
    ]  # fmt: skip
    assert named('a \\" b", 1', in_string=True)[:2] == [("string", 'a \\" b"'), ("punctuation", ",")]
    assert named("all of it", in_string=True) == [("string", "all of it")]
    assert named("", in_string=True) == []


@pytest.mark.parametrize("summary", ["1 item", "1,200 items", "1 member", "5 members"])
def test_size_of_folded_container_is_punctuation(summary: str) -> None:
    assert named(f'"a": [ {summary} ],')[-3:] == [
        ("punctuation", "["), ("punctuation", summary), ("punctuation", "],"),
    ]  # fmt: skip
    assert ("error", "items") in named("[5 items]")


@given(st.text() | st.text(st.sampled_from('{}[]",:\\ 1-atrue')), st.booleans())
def test_tokens_cover_all_text_except_blanks(text: str, in_string: bool) -> None:
    at = 0
    for start, end, _ in tokens(text, in_string=in_string):
        assert text[at:start].strip() == ""
        assert at <= start <= end
        at = end
    assert text[at:].strip() == ""


@pytest.mark.thorough
def test_tokens_of_long_lines_take_linear_time(soon: None) -> None:
    for line in ('"' + "\\" * 200_000, '"' * 200_000, json.dumps(["x"] * 50_000), "[" * 200_000):
        assert list(tokens(line))


def test_unusual_values_of_services_become_valid_json() -> None:
    deep: Any = []
    for _ in range(5_000):
        deep = [deep]
    told = json.loads(json_of([raw_of("\ud800é"), raw_of(deep), raw_of(float("inf")), raw_of({"a": 10**30})]))
    assert told == ["\ud800é", None, None, {"a": 10**30}]
