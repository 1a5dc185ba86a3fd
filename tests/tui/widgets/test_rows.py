from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from rpcexplorer.tui.widgets.rows import Sheet, SheetLine, wrapped
from tests.tui.stage import Stage, text_of


def rows(words: SheetLine, width: int) -> list[str]:
    return ["".join(text for text, _ in row) for row in wrapped(words, width)]


@pytest.mark.parametrize(
    ("words", "becomes"),
    [
        ([("short", "text")], ["short"]),
        ([], [""]),
        ([("  one two three four", "text")], ["  one two", "  three", "  four"]),
        ([("ab  ", "dim"), ("one two three", "text")], ["ab  one", "    two", "    three"]),
        ([("abcdefgh  ", "dim"), ("one two", "text")], ["abcdefgh  ", "one two"]),
        ([("abcdefg ", "dim"), ("one two", "text")], ["abcdefg ", "one two"]),
        ([("  ", "text"), ("[1, 2, 3, 4]", "json-number")], ["  [1, 2, 3", "  , 4]"]),
        ([("abcdefghijklm", "text")], ["abcdefghij", "klm"]),
        ([("日本日本日本", "text")], ["日本日本日", "本"]),
        ([("  ", "text")] * 5 + [("a", "text")], ["          ", "  a"]),
        ([("     ", "text"), ("    ", "json-key"), ("日", "text")], ["         ", "     日"]),
        ([("         日本日", "text")], ["         ", "        日", "        本", "        日"]),
    ],
)
def test_what_is_too_long_goes_on_below(words: SheetLine, becomes: list[str]) -> None:
    assert rows(words, 10) == becomes


@given(st.lists(st.tuples(st.text("ab {日\x1b", max_size=20), st.sampled_from(["text", "json-key"])), max_size=5))
def test_no_row_is_too_wide_and_nothing_but_blanks_is_lost(words: list[tuple[str, str]]) -> None:
    broken = rows(words, 8)
    assert all(cell_len(row) <= 8 for row in broken)
    whole = "".join(text for text, _ in words).replace("\x1b", "␛")
    assert "".join(broken).replace(" ", "") == whole.replace(" ", "")


def test_a_sheet_scrolls_by_keys_and_follows_its_width() -> None:
    async def run() -> None:
        sheet = Sheet()
        async with Stage(sheet).run_test(size=(20, 4)) as pilot:
            sheet.lines = [[(f"line {at}", "text")] for at in range(10)]
            sheet.focus()
            await pilot.pause()
            assert text_of(sheet).startswith("line 0\nline 1")
            await pilot.press("down", "j")
            assert text_of(sheet).startswith("line 2")
            await pilot.press("pagedown")
            assert text_of(sheet).startswith("line 5")
            await pilot.press("end")
            assert text_of(sheet).endswith("line 9")
            await pilot.press("home", "up")
            assert text_of(sheet).startswith("line 0")
            sheet.lines = [[("one two three", "text")]]
            await pilot.resize_terminal(9, 4)
            await pilot.pause()
            assert text_of(sheet) == "one two\nthree"

    asyncio.run(run())
