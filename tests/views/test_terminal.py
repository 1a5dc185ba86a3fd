"""JSON for a terminal: laid out, safe, coloured with nothing but our own escape sequences."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext.layout import indented
from rpcexplorer.text.json_text import COLOUR_LIMIT, highlighted
from rpcexplorer.text.printable import printable, printable_bytes

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


def test_only_the_sixteen_colours_of_the_terminal_are_used() -> None:
    assert set(COLOURS.findall(highlighted('{"a": [1, "b", true]}'))) <= {"0", "2", *map(str, range(30, 38))}


def test_without_colour_there_is_no_escape_sequence() -> None:
    assert highlighted('{"a":1}', colour=False) == '{\n  "a": 1\n}'


@given(st.text() | st.text(st.sampled_from('{}[]",:\\ \n\x1b1-aé')))
def test_colours_change_nothing_but_colour_and_nothing_else_escapes(text: str) -> None:
    shown = highlighted(text)
    assert COLOURS.sub("", shown) == highlighted(text, colour=False)
    assert "\x1b" not in highlighted(text, colour=False)


def test_escape_sequences_in_a_string_are_shown_and_not_obeyed() -> None:
    assert inks(highlighted('"\x1b[31m\u202e"')) == [("string", '"␛[31m\\u202e"')]


def test_every_spelling_of_the_server_is_kept() -> None:
    text = b'{"a":1.10,"a":1e400,"b":123456789012345678901,"c":"\\u00e9\\/"}'
    shown = highlighted(text, colour=False)
    assert all(token in shown for token in ("1.10", "1e400", "123456789012345678901", '"\\u00e9\\/"'))
    assert shown.count('"a"') == 2


@pytest.mark.parametrize("text", [b"<html>1 {true}</html>", b"", b"plain words", b"\xff\xfe{\x00"])
def test_what_is_no_json_is_only_made_printable(text: bytes) -> None:
    assert highlighted(text) == printable_bytes(text)


def test_json_that_was_cut_is_coloured_as_far_as_it_goes() -> None:
    assert inks(highlighted('{"a": "uncl')) == [("dim", "{"), ("key", '"a"'), ("dim", ":"), ("string", '"uncl')]


def test_what_is_no_token_of_json_has_no_colour() -> None:
    assert highlighted("[1] trailing").endswith("]\x1b[0m trailing")


def test_text_beyond_the_limit_stays_plain() -> None:
    text = '"' + "x" * COLOUR_LIMIT + '"'
    assert highlighted(text) == text


@pytest.mark.thorough
def test_ten_megabytes_take_seconds_at_most(soon: None) -> None:
    text = "[" + ",".join(['{"id": 12, "name": "Ada", "tags": ["a", null]}'] * 100_000) + "]"
    assert len(COLOURS.sub("", highlighted(text))) == len(printable(indented(text), lines=True))
