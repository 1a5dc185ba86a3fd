"""Tests of escaping: output has no control or invisible characters."""

from __future__ import annotations

import sys
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.text.printable import (
    UNPRINTABLE,
    clipped,
    columns,
    fitted,
    is_printable,
    printable,
    printable_bytes,
    readable,
)


@pytest.mark.thorough
@pytest.mark.parametrize(("lines", "kept"), [(False, set()), (True, {"\n", "\t"})])
def test_every_character_becomes_printable(lines: bool, kept: set[str]) -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    shown = set(printable(everything, lines=lines))
    assert {char for char in shown if category(char) in UNPRINTABLE} == kept


@given(st.text())
def test_printable_twice_equals_printable_once(text: str) -> None:
    once = printable(text)
    assert printable(once) == once


@given(st.text(st.characters(categories=["L", "M", "N", "P", "S", "Zs"])))
def test_printable_text_is_unchanged(text: str) -> None:
    if all(map(is_printable, text)):
        assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", "␛[2J"),
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("a\x00b\rc\x7f", "a␀b␍c␡"),
        ("line\nand\ttab", "line␊and␉tab"),
        ("\x9b31m\x85", "\\u009b31m\\u0085"),
        ("a\u202eb\u2066c", "a\\u202eb\\u2066c"),
        ("zero\u200bwidth\u00adsoft\ufeff", "zero\\u200bwidth\\u00adsoft\\ufeff"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\U000e0041\ue000\uffff", "\\U000e0041\\ue000\\uffff"),
        ("half \ud83d", "half \\ud83d"),
        ("blank \u3164\u115f\u034f\U000e0100", "blank \\u3164\\u115f\\u034f\\U000e0100"),
        ("Grüße, 漢字, no\u00a0break, 😀", "Grüße, 漢字, no\u00a0break, 😀"),
    ],
)
def test_unprintable_characters_become_visible(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_only_newline_and_tab_stay_in_lines() -> None:
    assert printable("a\n\tb\r\n\x0b\x1b", lines=True) == "a\n\tb␍\n␋␛"
    assert printable("é\n\tb\r\n\x0b\x1b", lines=True) == "é\n\tb␍\n␋␛"


def test_emoji_style_selector_stays_but_hides_nothing() -> None:
    assert printable("❤\ufe0f ©\ufe0e") == "❤\ufe0f ©\ufe0e"
    assert printable("\ufe0fa\ufe0e❤\ufe0f\ufe0f") == "\\ufe0fa\\ufe0e❤\ufe0f\\ufe0f"


def test_other_bytes_are_shown_as_rows_of_hex() -> None:
    assert printable_bytes(bytes(range(0x38, 0x48)) + b"\xff\x00 \x7f") == (
        "00000000  38 39 3a 3b 3c 3d 3e 3f  40 41 42 43 44 45 46 47  89:;<=>?@ABCDEFG\n"
        "00000010  ff 00 20 7f                                       ·· ·"
    )


@given(st.binary())
def test_any_bytes_become_printable(body: bytes) -> None:
    assert printable(printable_bytes(body), lines=True) == printable_bytes(body)


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_body_cut_inside_last_character_is_text(cut: int) -> None:
    body = "laugh 😀".encode()[:-cut]
    assert printable_bytes(body) == "laugh " + "".join(f"\\x{byte:02x}" for byte in body[6:])


def test_invalid_byte_before_the_end_makes_body_binary() -> None:
    assert readable(b"caf\xe9 noir") is None
    assert readable(b"\x80") is None
    assert readable(b"a\xe9\xe9") is None
    assert readable("\ud800\ud800".encode("utf-8", "surrogatepass")) is None


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        ("abc", 3),
        ("é", 1),
        ("e\u0301", 1),
        ("กี่", 1),
        ("漢字", 4),
        ("❤\ufe0f", 2),
        ("⭐\ufe0f", 2),
        ("👍🏽", 2),
    ],
)
def test_wide_characters_take_two_columns_and_marks_none(text: str, width: int) -> None:
    assert columns(text) == width


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("user.list", 9, "user.list"),
        ("user.list", 8, "user.li…"),
        ("user.list", 1, "…"),
        ("user.list", 0, ""),
        ("漢字かな", 5, "漢字…"),
        ("漢字かな", 4, "漢…"),
        ("a\x1bb\nc", 5, "a␛b␊c"),
    ],
)
def test_text_is_cut_at_width_with_a_sign(text: str, width: int, shown: str) -> None:
    assert clipped(text, width) == shown


@given(st.text(), st.integers(0, 30))
def test_fitted_text_takes_exactly_its_columns(text: str, width: int) -> None:
    assert columns(fitted(text, width)) == width
