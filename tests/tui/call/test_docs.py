from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from rpcexplorer.model.method import Described, DescribedParam, ExampleCall, Method
from rpcexplorer.tui.call.docs import DocsPane, DocsSheet
from tests.tui.stage import Staged, staged, text_of

GET = Method("user.get", "One user", deprecated=True)
EXAMPLES = tuple(ExampleCall(f"Example of {at}", {"id": at, "with": ["x" * 80]}) for at in range(9))
FULL = Described((DescribedParam("id", {"type": "integer"}, True, "Which user it is"),), examples=EXAMPLES)


@asynccontextmanager
async def documented() -> AsyncIterator[tuple[DocsPane, Staged]]:
    """Show the docs of a method with nine examples."""
    pane = DocsPane("Alt+m")
    async with staged(pane, size=(60, 14)) as program:
        pane.show(GET, FULL, None)
        pane.page.focus()
        await program.pause()
        yield pane, program


def taken(program: Staged) -> list[str]:
    return [message.example.name for message in program.of(DocsSheet.ExampleTaken)]


async def test_cursor_walks_examples_and_enter_inserts_shown_one() -> None:
    async with documented() as (pane, program):
        assert text_of(pane.bar).startswith("▌Docs  user.get  ! deprecated")
        assert "id  integer  required  Which user it is" in text_of(pane.page)
        await program.press("n", "n")
        assert "▸ Example of 1" in text_of(pane.page)
        await program.press("enter")
        assert taken(program) == ["Example of 1"]
        await program.press("end")
        assert "▸" not in text_of(pane.page)
        await program.press("enter")  # no example is on screen
        assert taken(program) == ["Example of 1"]
        assert "▸ Example of 1" in text_of(pane.page)
        await program.press("N", "N", "enter")
        assert taken(program) == ["Example of 1", "Example of 8"]
        pane.show(GET, FULL, None)
        assert "▸ Example of 8" in text_of(pane.page)
        await program.press("n")
        pane.show(Method("user.other", "Another"), FULL, None)
        assert "▸" not in text_of(pane.page)
        assert "Another" in text_of(pane.page)
        await program.press("n")
        assert "▸ Example of 0" in text_of(pane.page)
        pane.show(Method("ping"), None, None)
        await program.press("n", "enter", "down")
        assert "The docs and params of this method are unknown." in text_of(pane.page)
        assert len(taken(program)) == 2


@pytest.mark.thorough
async def test_click_on_an_example_inserts_it() -> None:
    async with documented() as (pane, program):
        row = text_of(pane.page).splitlines().index("  Example of 0")
        await program.click(DocsSheet, offset=(5, row))
        assert taken(program) == ["Example of 0"]
        await program.click(DocsSheet, offset=(5, 0))
        assert len(taken(program)) == 1


@pytest.mark.thorough
async def test_other_width_wraps_again_and_keeps_the_example() -> None:
    async with documented() as (pane, program):
        await program.press("n", "enter")
        await program.resize_terminal(24, 14)
        await program.until(lambda: pane.page.size.width == 24)
        await program.press("enter", "enter")
        assert taken(program)[-1] == "Example of 0"
        assert all(len(line) <= 24 for line in text_of(pane.page).splitlines())
