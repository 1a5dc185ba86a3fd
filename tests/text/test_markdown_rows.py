from __future__ import annotations

from rpcexplorer.text.markdown import MAX_ROWS, PageRows


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
    rows.add([("  a   b   c   d   e", "middle")], 4, "anywhere")
    assert shown(rows) == ["  a   b   c   d ", "      e"]


def test_blank_rows_are_single_and_between_others() -> None:
    rows = PageRows()
    rows.blank()
    rows.add([("a", "text")])
    rows.blank()
    rows.blank()
    assert shown(rows) == ["a", ""]


def test_page_has_a_maximum_of_rows() -> None:
    rows = PageRows(16)
    rows.add([("word " * 20 * MAX_ROWS, "text")])
    rows.add([("more", "text")])
    assert len(rows.made) == MAX_ROWS
