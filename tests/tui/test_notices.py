"""What the program says of itself: on lines of its own above the footer, for a while, over nothing that is read."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets._toast import Toast

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.dialogs.picker import Picker
from rpcexplorer.tui.history.screen import HistoryScreen
from rpcexplorer.tui.widgets.footer import Footer
from tests.tui.visiting import on, said, visit
from tests.tui.waiting import until


async def told(app: ExplorerApp, pilot: Pilot[Any], count: int = 1) -> list[Toast]:
    """The sentences on view, once they are laid out."""
    await until(pilot, lambda: len([each for each in app.screen.query(Toast) if each.region.height]) == count)
    return list(app.screen.query(Toast))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_a_sentence_has_a_line_of_its_own_between_the_reply_and_the_footer(
    explorer: Explorer, size: tuple[int, int]
) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        before, params = calls.response.region, calls.params.region
        app.notify("A sentence.", timeout=60)
        (toast,) = await told(app, pilot)
        assert toast.region.height == 1
        assert toast.region.bottom == app.screen.query_one(Footer).region.y
        await until(pilot, lambda: calls.response.region.bottom == toast.region.y)
        assert (calls.response.region.offset, calls.params.region) == (before.offset, params), "nothing moved"

    visit(explorer, scene, size=size)


@pytest.mark.thorough
def test_it_goes_by_itself_and_the_reply_has_its_line_back(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        before = calls.response.region
        app.notify("A sentence.", timeout=2)
        await until(pilot, lambda: calls.response.region.height == before.height - 1)
        await until(pilot, lambda: calls.response.region == before)
        assert said(app) == ""

    visit(explorer, scene)


@pytest.mark.thorough
def test_a_long_sentence_and_several_are_read_whole_and_leave_half_of_the_screen(explorer: Explorer) -> None:
    long = "What is said here goes on for longer than a line has room. " * 3

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        app.notify(long.strip(), timeout=60)
        app.notify("And another one.", timeout=60)
        first, second = await told(app, pilot, 2)
        assert (first.region.height, second.region.height) == (3, 1)
        assert first.region.width == 80
        for number in range(20):
            app.notify(f"Sentence {number}.", timeout=60)
        await until(pilot, lambda: calls.response.region.bottom == 12)
        await until(pilot, lambda: list(app.screen.query(Toast))[-1].region.bottom == 23)  # the newest is on view

    visit(explorer, scene, size=(80, 24))


@pytest.mark.thorough
def test_what_is_said_anew_takes_the_place_of_what_was_said_and_complaints_stay(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        for sentence in ("x is in the batch: 1 call.", "x is in the batch: 2 calls.", "Copied.", "Copied."):
            app.notify(sentence)
        for sentence in ("a.toml: one", "a.toml: two"):
            app.notify(sentence, severity="warning")
        await pilot.pause()
        assert [each.message.lstrip("! ") for each in app._notifications] == [
            "x is in the batch: 2 calls.", "Copied.", "a.toml: one", "a.toml: two",
        ]  # fmt: skip

    visit(explorer, scene)


def test_other_screens_and_dialogs_show_it_too(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        for key, kind in [("f6", HistoryScreen), ("ctrl+p", Picker)]:
            await pilot.press(key)
            screen = await on(pilot, kind)
            app.clear_notifications()
            app.notify("A sentence.", timeout=60)
            (toast,) = await told(app, pilot)
            assert toast.region.bottom == screen.size.height - 1

    visit(explorer, scene)


@pytest.mark.thorough
def test_what_must_not_be_overlooked_is_told_by_a_sign_as_well_as_by_colour(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        app.notify("A warning.", severity="warning")
        app.notify("A failure.", severity="error")
        await until(pilot, lambda: said(app) == "! A warning.\n✗ A failure.")

    visit(explorer, scene)
