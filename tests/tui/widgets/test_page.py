from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.geometry import Offset

from rpcexplorer.tui.widgets.editor import EditorRow, Flat, Page, lines_of, place_of

ANY = st.text(alphabet='ab\n\r\t"{ä日\x1b\u202e\u2028\x0c❤\ufe0f\u0301\ud800', max_size=30)


@given(ANY)
def test_text_keeps_every_character_except_line_ends(text: str) -> None:
    assert Page(text).text == text.replace("\r\n", "\n").replace("\r", "\n")


@given(ANY, ANY, st.integers(0, 30), st.integers(0, 30))
def test_replace_equals_slicing_and_keeps_the_size(text: str, new: str, first: int, last: int) -> None:
    page = Page(text)
    text = page.text
    first, last = sorted((min(first, len(text)), min(last, len(text))))
    result = page.replace_range(place_of(text, first), place_of(text, last), new)
    new = "\n".join(lines_of(new))
    assert page.text == text[:first] + new + text[last:]
    assert result.replaced_text == text[first:last]
    assert result.end_location == place_of(page.text, first + len(new))
    assert page.get_size(4) == Page(page.text).get_size(4)


@pytest.mark.parametrize(
    ("text", "columns"),
    [("abc", [0, 1, 2, 3]), ("\ta", [0, 2, 3]), ("a\ta", [0, 1, 2, 3]), ("日a", [0, 2, 3]), ("\x1ba", [0, 1, 2])],
)
def test_each_character_has_its_column(text: str, columns: list[int]) -> None:
    assert [EditorRow(text).column(at) for at in range(len(text) + 1)] == columns


@given(ANY)
def test_row_is_drawn_harmless_in_its_columns(text: str) -> None:
    row = EditorRow(lines_of(text)[0])
    shown = row.shown(0, len(row.text))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert cell_len(shown) == row.width
    for at in range(len(row.text)):
        assert row.column(row.index(row.column(at))) == row.column(at)


def test_row_ends_with_a_blank_for_the_cursor() -> None:
    assert EditorRow("ab").shown(1, 3) == "b "
    assert EditorRow("a\x1b").shown(1, 3) == "␛ "


def test_screen_and_text_positions_match() -> None:
    page = Flat(Page("ab\n日本x"))
    assert page.location_to_offset((1, 2)) == Offset(4, 1)
    assert page.offset_to_location(Offset(5, 1)) == (1, 3)
    assert page.offset_to_location(Offset(3, 1)) == (1, 1)
    assert page.offset_to_location(Offset(99, 99)) == (1, 3)
    assert page.height == 2
