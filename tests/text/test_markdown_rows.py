from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.text.markdown import MAX_ROWS, PageRows
from rpcexplorer.text.printable import columns

PIECES = st.lists(st.tuples(st.text("ab 日 \x1b\ud800", max_size=40), st.sampled_from(["text", "dim"])), max_size=6)


def shown(rows: PageRows) -> list[str]:
    return ["".join(text for text, _ in row) for row in rows.made]


def test_prose_wraps_between_words_with_hanging_indent() -> None:
    rows = PageRows(20)
    rows.add([("  name  ", "dim"), ("what it is and", "text"), (" more", "bold")], 8)
    assert shown(rows) == ["  name  what it is", "        and more"]
    assert ("and", "text") not in rows.made[0]
    assert rows.made[1][-1] == (" more", "bold")


def test_verbatim_text_wraps_anywhere_and_keeps_blanks() -> None:
    rows = PageRows(16)
    rows.verbatim([("  a   b   c   d   e", "middle")], 4)
    assert shown(rows) == ["  a   b   c   d ", "      e"]


def test_blank_rows_are_single_and_between_others() -> None:
    rows = PageRows()
    rows.blank()
    rows.add([("a", "text")])
    rows.blank()
    rows.blank()
    assert shown(rows) == ["a", ""]


@pytest.mark.thorough
@given(PIECES, st.integers(16, 30), st.integers(0, 40), st.booleans())
def test_rows_fit_the_page_and_lose_only_blanks(
    words: list[tuple[str, str]], width: int, hang: int, verbatim: bool
) -> None:
    rows, whole = PageRows(width), PageRows()
    (rows.verbatim if verbatim else rows.add)(words, hang)
    whole.add(words)
    assert all(columns(row) <= width for row in shown(rows))
    assert "".join(shown(rows)).replace(" ", "") == "".join(shown(whole)).replace(" ", "")
    assert all(row.isprintable() for row in shown(rows))


def test_page_has_a_maximum_of_rows() -> None:
    rows = PageRows(16)
    rows.add([("word " * 20 * MAX_ROWS, "text")])
    rows.add([("more", "text")])
    assert len(rows.made) == MAX_ROWS
