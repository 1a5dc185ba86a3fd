"""A list of objects as a table on screen."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import ClassVar

import pytest
from rich.style import Style
from textual.binding import Binding, BindingType

from rpcexplorer.text.table import Table
from rpcexplorer.tui.theme import ThemeStyles
from rpcexplorer.tui.widgets import grid as grid_file
from rpcexplorer.tui.widgets.grid import Grid
from rpcexplorer.tui.widgets.reader import AFTER, BEFORE
from tests.tui.stage import Staged, staged, text_of

PEOPLE = b"""[
  {"id": 30, "name": "Ada", "rate": 1.10, "active": true, "tags": ["a"]},
  {"id": 1, "name": null, "rate": 99, "active": false, "tags": []},
  {"id": 2, "name": "\\u001b[31mBo", "active": true, "tags": [1, 2]}
]"""
MANY = json.dumps([{"id": number, "name": f"n{number}", "note": "x" * 30} for number in range(1200)]).encode()


class Alone(Grid):
    """A grid without the body around it, which has the key."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("s", "sort")]


@asynccontextmanager
async def tabled(value: bytes = PEOPLE, size: tuple[int, int] = (60, 12)) -> AsyncIterator[tuple[Grid, Staged]]:
    """Show a list of objects as a table."""
    grid = Alone()
    grid.styles.height = "1fr"
    async with staged(grid, size=size) as program:
        grid.table = Table.of(value)
        grid.focus()
        await program.pause()
        yield grid, program


def names(grid: Grid, column: int = 0) -> list[str]:
    assert grid.table is not None
    return [grid.table.cell(row, column).text for row in range(grid.table.rows)]


def style_of(grid: Grid, text: str, y: int) -> Style:
    return next(piece.style for piece in grid.render_line(y) if piece.style and piece.text.strip() == text)


async def test_columns_are_aligned_and_missing_values_empty() -> None:
    async with tabled() as (grid, _):
        assert text_of(grid).split("\n") == [
            "      id  name     rate  active  tags",
            "  0   30  Ada      1.10  true    [ 1 item ]",
            "  1    1  null       99  false   [ 0 items ]",
            "  2    2  ␛[31mBo        true    [ 2 items ]",
        ]


async def test_null_differs_from_text_by_its_colour() -> None:
    async with tabled() as (grid, program):
        styles = ThemeStyles.of(grid)
        assert style_of(grid, "null", 2) == styles.style("dim")
        await program.press("down", "right")
        assert style_of(grid, "null", 2) == styles.style("middle bold underline", "selection")
        assert style_of(grid, "name", 0) == styles.style("accent bold")


@pytest.mark.parametrize(
    ("keys", "cursor"),
    [
        (["down", "j", "up"], (1, 0)),
        (["k", "left"], (0, 0)),
        (["right", "l", "h"], (0, 1)),
        (["right"] * 9, (0, 2)),
        (["pagedown"], (10, 0)),
        (["pagedown", "pagedown", "pageup"], (10, 0)),
        (["right", "end"], (1199, 1)),
        (["end", "home"], (0, 0)),
    ],
)
async def test_keys_move_the_visible_cell(keys: Sequence[str], cursor: tuple[int, int]) -> None:
    async with tabled(MANY, (40, 12)) as (grid, program):
        await program.press(*keys)
        await program.pause()
        assert (grid.cursor, grid.column) == cursor
        assert f"n{cursor[0]}" in text_of(grid) or cursor[1] == 2


async def test_columns_scroll_under_fixed_numbers_with_signs() -> None:
    async with tabled(MANY, (40, 12)) as (grid, program):
        heading = text_of(grid).split("\n")[0]
        assert heading.startswith("         id  name ")
        assert heading.endswith(AFTER)
        await program.press("right", "right")
        await program.pause()
        heading, first, *_ = text_of(grid).split("\n")
        assert BEFORE in heading
        assert AFTER not in heading
        assert first.startswith("   0")
        assert first.rstrip().endswith("x" * 28)
        await program.press("home", "left", "left")
        await program.pause()
        assert grid.scroll_offset.x == 0


async def test_sorting_goes_up_down_and_back() -> None:
    async with tabled() as (grid, program):
        for ids, sign in ((["1", "2", "30"], "id▲"), (["30", "2", "1"], "id▼"), (["30", "1", "2"], "id")):
            await program.press("down", "s")
            await program.pause()
            assert names(grid) == ids
            assert text_of(grid).split()[0] == sign
            assert (grid.cursor, grid.column) == (0, 0)


async def test_long_table_is_sorted_once_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid_file, "MANY", 2)

    async with tabled() as (grid, program):
        grid.action_sort()
        assert names(grid) == ["30", "1", "2"]
        await program.app.workers.wait_for_complete()
        assert names(grid) == ["1", "2", "30"]
        assert "id▲" in text_of(grid)


async def test_enter_opens_the_element_of_a_sorted_row() -> None:
    async with tabled() as (_, program):
        await program.press("s", "down", "down", "enter")
        await program.pause()
        (opened,) = program.of(Grid.ElementOpened)
        assert (opened.index, opened.path) == (0, ".")


async def test_current_cell_has_original_value_and_path() -> None:
    async with tabled() as (grid, program):
        await program.press("right", "right")
        assert (grid.value(), grid.path()) == (b"1.10", "$[0].rate")
        await program.press("s", "down")
        await program.pause()
        assert (grid.value(), grid.path()) == (b"99", "$[1].rate")
        grid.table = None
        assert (grid.value(), grid.path()) == (b"", "")


@pytest.mark.thorough
async def test_new_table_starts_unsorted_at_first_cell() -> None:
    async with tabled(MANY) as (grid, program):
        await program.press("end", "right", "s", "end")
        await program.pause()
        grid.table = Table.of(PEOPLE)
        await program.pause()
        assert (grid.cursor, grid.column, grid.scroll_offset, grid.order) == (0, 0, (0, 0), None)
        assert text_of(grid).split()[:2] == ["id", "name"]


@pytest.mark.thorough
async def test_mouse_selects_opens_and_sorts() -> None:
    async with tabled() as (grid, program):
        await program.click(Grid, offset=(11, 2))
        assert (grid.cursor, grid.column) == (1, 1)
        await program.click(Grid, offset=(2, 3))
        assert (grid.cursor, grid.column) == (2, 1)
        await program.click(Grid, offset=(7, 0))
        await program.pause()
        assert names(grid) == ["1", "2", "30"]
        assert not program.of(Grid.ElementOpened)
        await program.click(Grid, offset=(7, 2), times=2)
        await program.pause()
        assert [message.index for message in program.of(Grid.ElementOpened)] == [2]


async def test_grid_without_a_table_does_nothing() -> None:
    async with tabled() as (grid, program):
        grid.table = None
        await program.press("down", "right", "end", "s", "enter", "pagedown")
        await program.pause()
        assert text_of(grid) == ""
        assert (grid.cursor, grid.column) == (-1, 0)
        assert not program.of(Grid.ElementOpened)
