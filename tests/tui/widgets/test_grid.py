"""A list of objects as a table on screen."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

import pytest
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.pilot import Pilot

from rpcexplorer.text.table import Table
from rpcexplorer.tui.theme import ThemeStyles
from rpcexplorer.tui.widgets import grid as grid_file
from rpcexplorer.tui.widgets.grid import Grid
from rpcexplorer.tui.widgets.reader import AFTER, BEFORE
from tests.tui.stage import Stage, text_of

PEOPLE = b"""[
  {"id": 30, "name": "Ada", "rate": 1.10, "active": true, "tags": ["a"]},
  {"id": 1, "name": null, "rate": 99, "active": false, "tags": []},
  {"id": 2, "name": "\\u001b[31mBo", "active": true, "tags": [1, 2]}
]"""
MANY = json.dumps([{"id": number, "name": f"n{number}", "note": "x" * 30} for number in range(1200)]).encode()


class Alone(Grid):
    """A grid without the body around it, which has the key."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("s", "sort")]


Scene = Callable[[Grid, Pilot[None], Stage], Awaitable[None]]


def play(scene: Scene, value: bytes = PEOPLE, size: tuple[int, int] = (60, 12)) -> None:
    async def run() -> None:
        grid = Alone()
        grid.styles.height = "1fr"
        stage = Stage(grid)
        async with stage.run_test(size=size) as pilot:
            grid.table = Table.of(value)
            grid.focus()
            await pilot.pause()
            await scene(grid, pilot, stage)

    asyncio.run(run())


def names(grid: Grid, column: int = 0) -> list[str]:
    assert grid.table is not None
    return [grid.table.cell(row, column).text for row in range(grid.table.rows)]


def style_of(grid: Grid, text: str, y: int) -> Style:
    return next(piece.style for piece in grid.render_line(y) if piece.style and piece.text.strip() == text)


def test_columns_are_aligned_and_missing_values_empty() -> None:
    async def scene(grid: Grid, pilot: Pilot[None], stage: Stage) -> None:
        assert text_of(grid).split("\n") == [
            "      id  name     rate  active  tags",
            "  0   30  Ada      1.10  true    [ 1 item ]",
            "  1    1  null       99  false   [ 0 items ]",
            "  2    2  ␛[31mBo        true    [ 2 items ]",
        ]

    play(scene)


def test_null_differs_from_text_by_its_colour() -> None:
    async def scene(grid: Grid, pilot: Pilot[None], stage: Stage) -> None:
        styles = ThemeStyles.of(grid)
        assert style_of(grid, "null", 2) == styles.style("dim")
        await pilot.press("down", "right")
        assert style_of(grid, "null", 2) == styles.style("middle bold underline", "selection")
        assert style_of(grid, "name", 0) == styles.style("accent bold")

    play(scene)


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
def test_keys_move_the_visible_cell(keys: Sequence[str], cursor: tuple[int, int]) -> None:
    async def scene(grid: Grid, pilot: Pilot[None], stage: Stage) -> None:
        await pilot.press(*keys)
        await pilot.pause()
        assert (grid.cursor, grid.column) == cursor
        assert f"n{cursor[0]}" in text_of(grid) or cursor[1] == 2

    play(scene, MANY, (40, 12))


def test_columns_scroll_under_fixed_numbers_with_signs() -> None:
    async def scene(grid: Grid, pilot: Pilot[None], stage: Stage) -> None:
        heading = text_of(grid).split("\n")[0]
        assert heading.startswith("         id  name ")
        assert heading.endswith(AFTER)
        await pilot.press("right", "right")
        await pilot.pause()
        heading, first, *_ = text_of(grid).split("\n")
        assert BEFORE in heading
        assert AFTER not in heading
        assert first.startswith("   0")
        assert first.rstrip().endswith("x" * 28)
        await pilot.press("home", "left", "left")
        await pilot.pause()
        assert grid.scroll_offset.x == 0

    play(scene, MANY, (40, 12))


def test_sorting_goes_up_down_and_back() -> None:
    async def scene(grid: Grid, pilot: Pilot[None], stage: Stage) -> None:
        for ids, sign in ((["1", "2", "30"], "id▲"), (["30", "2", "1"], "id▼"), (["30", "1", "2"], "id")):
            await pilot.press("down", "s")
            await pilot.pause()
            assert names(grid) == ids
            assert text_of(grid).split()[0] == sign
            assert (grid.cursor, grid.column) == (0, 0)

    play(scene)


def test_long_table_is_sorted_once_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid_file, "MANY", 2)

    async def scene(grid: Grid, pilot: Pilot[None], stage: Stage) -> None:
        grid.action_sort()
        assert names(grid) == ["30", "1", "2"]
        await stage.workers.wait_for_complete()
        assert names(grid) == ["1", "2", "30"]
        assert "id▲" in text_of(grid)

    play(scene)


def test_enter_opens_the_element_of_a_sorted_row() -> None:
    async def scene(grid: Grid, pilot: Pilot[None], stage: Stage) -> None:
        await pilot.press("s", "down", "down", "enter")
        await pilot.pause()
        (opened,) = stage.of(Grid.ElementOpened)
        assert (opened.index, opened.path) == (0, ".")

    play(scene)


def test_current_cell_has_original_value_and_path() -> None:
    async def scene(grid: Grid, pilot: Pilot[None], stage: Stage) -> None:
        await pilot.press("right", "right")
        assert (grid.value(), grid.path()) == (b"1.10", "$[0].rate")
        await pilot.press("s", "down")
        await pilot.pause()
        assert (grid.value(), grid.path()) == (b"99", "$[1].rate")
        grid.table = None
        assert (grid.value(), grid.path()) == (b"", "")

    play(scene)


@pytest.mark.thorough
def test_new_table_starts_unsorted_at_first_cell() -> None:
    async def scene(grid: Grid, pilot: Pilot[None], stage: Stage) -> None:
        await pilot.press("end", "right", "s", "end")
        await pilot.pause()
        grid.table = Table.of(PEOPLE)
        await pilot.pause()
        assert (grid.cursor, grid.column, grid.scroll_offset, grid.order) == (0, 0, (0, 0), None)
        assert text_of(grid).split()[:2] == ["id", "name"]

    play(scene, MANY)


@pytest.mark.thorough
def test_mouse_selects_opens_and_sorts() -> None:
    async def scene(grid: Grid, pilot: Pilot[None], stage: Stage) -> None:
        await pilot.click(Grid, offset=(11, 2))
        assert (grid.cursor, grid.column) == (1, 1)
        await pilot.click(Grid, offset=(2, 3))
        assert (grid.cursor, grid.column) == (2, 1)
        await pilot.click(Grid, offset=(7, 0))
        await pilot.pause()
        assert names(grid) == ["1", "2", "30"]
        assert not stage.of(Grid.ElementOpened)
        await pilot.click(Grid, offset=(7, 2), times=2)
        await pilot.pause()
        assert [message.index for message in stage.of(Grid.ElementOpened)] == [2]

    play(scene)


def test_grid_without_a_table_does_nothing() -> None:
    async def scene(grid: Grid, pilot: Pilot[None], stage: Stage) -> None:
        grid.table = None
        await pilot.press("down", "right", "end", "s", "enter", "pagedown")
        await pilot.pause()
        assert text_of(grid) == ""
        assert (grid.cursor, grid.column) == (-1, 0)
        assert not stage.of(Grid.ElementOpened)

    play(scene)
