"""A list that typing narrows: the palette, and themes with a preview."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from rpcexplorer.tui.widgets.picker import Pick, Picker
from tests.tui.stage import Stage, text_of
from tests.tui.visiting import on, type_in
from tests.tui.waiting import until

PICKS = [Pick("a", "apple", "a fruit", "F1"), Pick("b", "banana"), Pick("c", "[@click=app.quit]cherry[/]", "\x1b[31m")]


def pick(act: Callable[[Pilot[None], Picker], Awaitable[None]], size: tuple[int, int] = (100, 30), **more: Any) -> Any:
    """Open a picker, act, and return its answers."""
    answers: list[Any] = []

    async def run() -> None:
        stage = Stage(Static("below"))
        async with stage.run_test(size=size) as pilot:
            stage.push_screen(Picker("Fruit", PICKS, **more), answers.append)
            picker = await on(pilot, Picker)
            await act(pilot, picker)
            await until(pilot, lambda: bool(answers))
            await pilot.pause()

    asyncio.run(run())
    return answers


def labels(picker: Picker) -> list[str]:
    return [item.pick.id for item in picker.list.items]


def test_typing_narrows_and_enter_takes_the_best() -> None:
    async def act(pilot: Pilot[None], picker: Picker) -> None:
        assert labels(picker) == ["a", "b", "c"]
        await type_in(pilot, "bn")
        await until(pilot, lambda: labels(picker) == ["b"])
        await type_in(pilot, "xyz")
        await until(pilot, lambda: labels(picker) == [])
        assert "No matches" in text_of(picker.list)
        await pilot.press("enter")
        assert pilot.app.screen is picker
        await type_in(pilot, "bn")
        await pilot.press("enter")

    assert pick(act) == ["b"]


def test_arrows_move_while_typing_and_escape_cancels() -> None:
    async def act(pilot: Pilot[None], picker: Picker) -> None:
        await pilot.press("down", "tab", "down")
        assert picker.list.cursor == 2
        await pilot.press("up")
        assert picker.list.cursor == 1
        await pilot.press("escape")

    assert pick(act, on="a") == [None]


def test_click_chooses_a_row() -> None:
    async def act(pilot: Pilot[None], picker: Picker) -> None:
        await pilot.click("PickList", offset=(4, 1))

    assert pick(act) == ["b"]


def test_preview_follows_the_cursor_and_the_text() -> None:
    seen: list[str] = []

    async def act(pilot: Pilot[None], picker: Picker) -> None:
        assert seen[-1] == "b"
        await pilot.press("down")
        await until(pilot, lambda: seen[-1] == "c")
        await type_in(pilot, "app")
        await until(pilot, lambda: seen[-1] == "a")
        await pilot.press("escape")

    assert pick(act, on="b", moved=seen.append) == [None]


def test_hostile_labels_are_inert() -> None:
    async def act(pilot: Pilot[None], picker: Picker) -> None:
        assert "[@click=app.quit]cherry[/]" in text_of(picker.list)
        assert "\x1b" not in pilot.app.export_screenshot()
        await pilot.press("escape")

    pick(act)


@pytest.mark.thorough
def test_cursor_is_visible_in_a_low_terminal() -> None:
    async def act(pilot: Pilot[None], picker: Picker) -> None:
        await pilot.press("down", "down")
        await until(pilot, lambda: "cherry" in text_of(picker.list))
        assert picker.region.contains_region(picker.list.region)
        await pilot.press("escape")

    pick(act, size=(40, 9))
