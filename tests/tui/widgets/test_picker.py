"""A list that typing narrows: the palette, and themes with a preview."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.widgets import Static

from rpcexplorer.tui.widgets.picker import Pick, Picker
from tests.tui.stage import Staged, staged, text_of

PICKS = [Pick("a", "apple", "a fruit", "F1"), Pick("b", "banana"), Pick("c", "[@click=app.quit]cherry[/]", "\x1b[31m")]


@asynccontextmanager
async def picking(size: tuple[int, int] = (100, 30), **more: Any) -> AsyncIterator[tuple[Picker, Staged, list[Any]]]:
    """Open a picker over another widget; the last value gets its answer."""
    answers: list[Any] = []
    async with staged(Static("below"), size=size) as program:
        program.app.push_screen(Picker("Fruit", PICKS, **more), answers.append)
        yield await program.on(Picker), program, answers
        await program.until(lambda: bool(answers))


def labels(picker: Picker) -> list[str]:
    return [item.pick.id for item in picker.list.items]


async def test_typing_narrows_and_enter_takes_the_best() -> None:
    async with picking() as (picker, program, answers):
        assert labels(picker) == ["a", "b", "c"]
        await program.type_in("bn")
        await program.until(lambda: labels(picker) == ["b"])
        await program.type_in("xyz")
        await program.until(lambda: labels(picker) == [])
        assert "No matches" in text_of(picker.list)
        await program.press("enter")
        assert program.app.screen is picker
        await program.type_in("bn")
        await program.press("enter")
    assert answers == ["b"]


async def test_arrows_move_while_typing_and_escape_cancels() -> None:
    async with picking(on="a") as (picker, program, answers):
        await program.press("down", "tab", "down")
        assert picker.list.cursor == 2
        await program.press("up")
        assert picker.list.cursor == 1
        await program.press("escape")
    assert answers == [None]


async def test_click_chooses_a_row() -> None:
    async with picking() as (_, program, answers):
        await program.click("PickList", offset=(4, 1))
    assert answers == ["b"]


async def test_preview_follows_the_cursor_and_the_text() -> None:
    seen: list[str] = []
    async with picking(on="b", moved=seen.append) as (_, program, answers):
        assert seen[-1] == "b"
        await program.press("down")
        await program.until(lambda: seen[-1] == "c")
        await program.type_in("app")
        await program.until(lambda: seen[-1] == "a")
        await program.press("escape")
    assert answers == [None]


async def test_hostile_labels_are_inert() -> None:
    async with picking() as (picker, program, _):
        assert "[@click=app.quit]cherry[/]" in text_of(picker.list)
        assert "\x1b" not in program.app.export_screenshot()
        await program.press("escape")


@pytest.mark.thorough
async def test_cursor_is_visible_in_a_low_terminal() -> None:
    async with picking(size=(40, 9)) as (picker, program, _):
        await program.press("down", "down")
        await program.until(lambda: "cherry" in text_of(picker.list))
        assert picker.region.contains_region(picker.list.region)
        await program.press("escape")


async def test_descriptions_begin_in_one_column(monkeypatch: pytest.MonkeyPatch) -> None:
    picks = [Pick("a", "fig", "a fruit"), Pick("b", "blackberry", "a berry"), Pick("c", "x" * 30, "a word")]
    monkeypatch.setattr("tests.tui.widgets.test_picker.PICKS", picks)
    async with picking() as (picker, program, _):
        fig, berry, long = text_of(picker.list).split("\n")
        assert fig.index("a fruit") == berry.index("a berry") == 3 + 17 + 2
        assert "x  a word" in long
        await program.press("escape")
