"""Columns of text on a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.text.printable import clipped, columns, fitted


@pytest.mark.parametrize(
    ("text", "width"), [("", 0), ("abc", 3), ("é", 1), ("e\u0301", 1), ("漢字", 4), ("❤\ufe0f", 1)]
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
def test_text_is_cut_where_the_columns_end_and_says_so(text: str, width: int, shown: str) -> None:
    assert clipped(text, width) == shown


@given(st.text(), st.integers(0, 30))
def test_fitted_text_takes_exactly_its_columns(text: str, width: int) -> None:
    assert columns(fitted(text, width)) == width
