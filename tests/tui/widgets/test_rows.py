from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from textual.strip import Strip

from rpcexplorer.tui.theme import ThemeStyles, line
from rpcexplorer.tui.widgets.rows import RowList, Sheet
from tests.tui.stage import staged, text_of


async def test_sheet_scrolls_by_keys_and_follows_its_width() -> None:
    sheet = Sheet()
    async with staged(sheet, size=(20, 4)) as program:
        sheet.lines = [[(f"line {at}", "text")] for at in range(10)]
        sheet.focus()
        await program.pause()
        assert text_of(sheet).startswith("line 0\nline 1")
        await program.press("down", "j")
        assert text_of(sheet).startswith("line 2")
        await program.press("pagedown")
        assert text_of(sheet).startswith("line 5")
        await program.press("end")
        assert text_of(sheet).endswith("line 9")
        await program.press("home", "up")
        assert text_of(sheet).startswith("line 0")
        sheet.lines = [[("one two three", "text")]]
        await program.resize_terminal(9, 4)
        await program.pause()
        assert text_of(sheet) == "one two\nthree"


class Numbers(RowList[int]):
    """A row list whose every tenth number is a heading."""

    DEFAULT_CSS = "Numbers { height: 1fr; }"

    def can_choose(self, item: int) -> bool:
        return item % 10 > 0

    def draw(self, item: int, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        return line([(f"{item}{'<' * chosen}", "text")], width, styles)


class Counted(Sequence[int]):
    """Numbers that count their reads."""

    looked_at = 0

    def __len__(self) -> int:
        return 1_000_000

    def __getitem__(self, index: Any) -> Any:
        assert isinstance(index, int), "a slice would copy them"
        self.looked_at += 1
        return range(len(self))[index]


async def test_keys_skip_headings_and_show_the_first() -> None:
    numbers = Numbers()
    async with staged(numbers, size=(20, 5)) as program:
        numbers.items = range(32)
        numbers.focus()
        await program.pause()
        assert text_of(numbers) == "0\n1<\n2\n3\n4"
        for key, cursor, top in (
            ("pagedown", 5, 1), ("pagedown", 9, 5), ("down", 11, 7), ("up", 9, 7), ("pageup", 5, 5),
            ("end", 31, 27), ("pageup", 27, 27), ("k", 26, 26), ("home", 1, 0), ("up", 1, 0),
        ):  # fmt: skip
            await program.press(key)
            assert (key, numbers.cursor, numbers.scroll_offset.y) == (key, cursor, top)


async def test_click_or_double_click_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = Numbers()
    async with staged(numbers, size=(20, 5)) as program:
        numbers.items = range(3)
        for y in (0, 4):  # a heading, and no row
            await program.click(Numbers, offset=(3, y))
        assert not program.of(RowList.RowChosen)
        await program.click(Numbers, offset=(3, 2))
        assert [message.item for message in program.of(RowList.RowChosen)] == [2]
        monkeypatch.setattr(Numbers, "CLICK_CHOOSES", False)
        await program.click(Numbers, offset=(3, 1))
        await program.click(Numbers, offset=(3, 1))
        assert numbers.cursor == 1
        assert len(program.of(RowList.RowChosen)) == 1
        await program.click(Numbers, offset=(3, 1), times=2)
        assert [message.item for message in program.of(RowList.RowChosen)] == [2, 1]


async def test_moving_in_a_million_rows_reads_few() -> None:
    numbers, items = Numbers(), Counted()
    async with staged(numbers, size=(20, 5)) as program:
        numbers.items = items
        numbers.focus()
        await program.press("end", "pageup", "up", "home", "pagedown", "down", "end")
        assert numbers.cursor == 999_999
        assert text_of(numbers).endswith("999999<")
        assert items.looked_at < 500


def test_sheet_without_a_width_has_no_rows() -> None:
    """A sheet drawn before its layout would be a column of letters."""
    sheet = Sheet()
    sheet.set_reactive(Sheet.lines, [[("Some words.", "text")]])
    sheet.lay_out()
    assert sheet.row_count == 0
