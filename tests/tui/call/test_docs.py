from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from rpcexplorer.model.method import Described, DescribedParam, ExampleCall, Method
from rpcexplorer.tui.call.docs import DocsPane, DocsSheet
from tests.tui.stage import Stage, text_of
from tests.tui.waiting import until

GET = Method("user.get", "One user", deprecated=True)
EXAMPLES = tuple(ExampleCall(f"Example of {at}", {"id": at, "with": ["x" * 80]}) for at in range(9))
FULL = Described((DescribedParam("id", {"type": "integer"}, True, "Which user it is"),), examples=EXAMPLES)
Play = Callable[[DocsPane, Pilot[None], Stage], Awaitable[None]]


def play(scene: Play, size: tuple[int, int] = (60, 14)) -> None:
    async def run() -> None:
        pane = DocsPane("Alt+m")
        stage = Stage(pane)
        async with stage.run_test(size=size) as pilot:
            pane.show(GET, FULL, None)
            pane.page.focus()
            await pilot.pause()
            await scene(pane, pilot, stage)

    asyncio.run(run())


def taken(stage: Stage) -> list[str]:
    return [message.example.name for message in stage.of(DocsSheet.ExampleTaken)]


def test_cursor_walks_examples_and_enter_inserts_shown_one() -> None:
    async def scene(pane: DocsPane, pilot: Pilot[None], stage: Stage) -> None:
        assert text_of(pane.bar).startswith("▍Docs  user.get  ! deprecated")
        assert "id  integer  required  Which user it is" in text_of(pane.page)
        await pilot.press("n", "n")
        assert "▸ Example of 1" in text_of(pane.page)
        await pilot.press("enter")
        assert taken(stage) == ["Example of 1"]
        await pilot.press("end")
        assert "▸" not in text_of(pane.page)
        await pilot.press("enter")  # no example is on screen
        assert taken(stage) == ["Example of 1"]
        assert "▸ Example of 1" in text_of(pane.page)
        await pilot.press("N", "N", "enter")
        assert taken(stage) == ["Example of 1", "Example of 8"]
        pane.show(GET, FULL, None)
        assert "▸ Example of 8" in text_of(pane.page)
        await pilot.press("n")
        pane.show(Method("user.other", "Another"), FULL, None)
        assert "▸" not in text_of(pane.page)
        assert "Another" in text_of(pane.page)
        await pilot.press("n")
        assert "▸ Example of 0" in text_of(pane.page)
        pane.show(Method("ping"), None, None)
        await pilot.press("n", "enter", "down")
        assert "The docs and params of this method are unknown." in text_of(pane.page)
        assert len(taken(stage)) == 2

    play(scene)


@pytest.mark.thorough
def test_click_on_an_example_inserts_it() -> None:
    async def scene(pane: DocsPane, pilot: Pilot[None], stage: Stage) -> None:
        row = text_of(pane.page).splitlines().index("  Example of 0")
        await pilot.click(DocsSheet, offset=(5, row))
        assert taken(stage) == ["Example of 0"]
        await pilot.click(DocsSheet, offset=(5, 0))
        assert len(taken(stage)) == 1

    play(scene)


@pytest.mark.thorough
def test_other_width_wraps_again_and_keeps_the_example() -> None:
    async def scene(pane: DocsPane, pilot: Pilot[None], stage: Stage) -> None:
        await pilot.press("n", "enter")
        await pilot.resize_terminal(24, 14)
        await until(pilot, lambda: pane.page.size.width == 24)
        await pilot.press("enter", "enter")
        assert taken(stage)[-1] == "Example of 0"
        assert all(len(line) <= 24 for line in text_of(pane.page).splitlines())

    play(scene)
