"""A long list of changes is read to its end on a low and narrow terminal."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from rpcexplorer.model.methods.changes import MethodChange, MethodChanges
from rpcexplorer.tui.call.docs.changes import ChangesDialog
from rpcexplorer.tui.widgets.sheet import Sheet
from tests.tui.stage import Stage, text_of

WHEN = datetime(2026, 11, 2, 9, 30, tzinfo=UTC)


@pytest.mark.thorough
def test_the_last_of_many_is_reached_and_words_that_are_too_long_go_on_below() -> None:
    changes = tuple(MethodChange(f"method.{at:03}", "changed", ("doc " + "word " * 30,)) for at in range(100))

    async def run() -> None:
        stage = Stage()
        async with stage.run_test(size=(60, 16)) as pilot:
            dialog = ChangesDialog("demo", MethodChanges(WHEN, WHEN, changes, more=7))
            stage.push_screen(dialog)
            await pilot.pause()
            assert "~ method.000  changed" in text_of(dialog.query_one(Sheet))
            await pilot.press("end")
            end = text_of(dialog.query_one(Sheet))
            assert "~ method.099  changed" in end
            assert "7 more are not kept." in end
            assert max(map(len, end.splitlines())) <= 60
            await pilot.press("q")
            assert stage.screen is not dialog

    asyncio.run(run())
