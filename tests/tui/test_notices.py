"""Notices: above the footer, in as many lines as they need, for a while."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp, NotificationLine
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.dialogs import PageDialog
from rpcexplorer.tui.widgets.rows import Sheet
from tests.tui.visiting import drawn, notices, on, on_view, rest, visit
from tests.tui.waiting import until

MARKUP = "[b]x[/b] [@click=app.quit]y[/] [/] [true]"
LONG = "What is said here goes on for longer than a line has room, at any width that a test has; so the end is cut."


async def rows_with_notice(app: ExplorerApp, pilot: Pilot[Any], text: str) -> tuple[list[str], list[str]]:
    """Return the rows of the screen before and during a notice."""
    app.clear_notifications()
    await rest(pilot)
    before = on_view(app).splitlines()
    app.notify(text, timeout=60)
    await until(pilot, lambda: text[:40] in on_view(app))
    return before, on_view(app).splitlines()


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.everyday(1)
def test_notice_leaves_the_footer_on_view(explorer: Explorer, size: tuple[int, int]) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        for keys in [[], ["f2"], ["f6"], ["escape", "f7"]]:
            await pilot.press(*keys)
            await rest(pilot)
            before, now = await rows_with_notice(app, pilot, LONG)
            lines = 2 if size[0] < len(LONG) else 1
            assert before[-1] == now[-1], keys
            assert before[: -1 - lines] == now[: -1 - lines], keys
            assert " ".join(row.strip("▍ ") for row in now[-1 - lines : -1]) == LONG

    visit(explorer, scene, size=size)


def test_notice_in_a_dialog_covers_its_last_line(explorer: Explorer) -> None:
    """Test the page of keys, a form, the palette."""

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        for keys in [["f1"], ["escape", "f7", "e"], ["escape", "ctrl+p"]]:
            await pilot.press(*keys)
            await rest(pilot)
            before, now = await rows_with_notice(app, pilot, "Short.")
            assert before[:-1] == now[:-1], keys

    visit(explorer, scene, size=(80, 24))


def test_long_notices_are_read_whole_on_a_page(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        app.notify(LONG + LONG + LONG, timeout=60)
        await until(pilot, lambda: "Alt+w more" in on_view(app))
        app.notify("Two lines:\nthe second one [/].", timeout=60)
        await until(pilot, lambda: "▍Two lines: the second one [/]." in on_view(app))
        assert "Alt+w 1 more" in on_view(app)
        await pilot.click(NotificationLine)
        await until(pilot, lambda: "Alt+w more" in on_view(app))
        app.clear_notifications()
        await pilot.press("alt+w")
        page = await on(pilot, PageDialog)
        words = " ".join(drawn(page.query_one(Sheet)).split())
        assert "Two lines: the second one [/]." in words
        assert words.endswith(LONG + LONG + LONG), "the newest comes first"

    visit(explorer, scene, size=(80, 24))


def test_notices_of_widgets_read_no_markup(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        calls.params.notify(f"{MARKUP} of a pane", title=MARKUP)
        calls.notify(f"{MARKUP} of a screen", title=MARKUP)
        app.notify(f"{MARKUP} of the app", title=MARKUP)
        await until(pilot, lambda: f"▍{MARKUP} of the app" in on_view(app))
        assert {notice.markup for notice in app._notifications} == {False}
        await pilot.press("alt+w")
        page = await on(pilot, PageDialog)
        assert drawn(page.query_one(Sheet)).count(MARKUP) == 3

    visit(explorer, scene)


@pytest.mark.thorough
def test_newer_notice_replaces_older_and_problems_stay(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        for sentence in ("x is in the batch: 1 call.", "x is in the batch: 2 calls.", "Copied.", "Copied."):
            app.notify(sentence)
        for sentence in ("a.toml: one", "a.toml: two"):
            app.notify(sentence, severity="warning")
        await pilot.pause()
        assert [notice.message.lstrip("! ") for notice in app._notifications] == [
            "x is in the batch: 2 calls.", "Copied.", "a.toml: one", "a.toml: two",
        ]  # fmt: skip

    visit(explorer, scene)


@pytest.mark.thorough
def test_warnings_and_errors_have_a_sign(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        app.notify("A warning.", severity="warning")
        app.notify("A failure.", severity="error")
        await until(pilot, lambda: notices(app) == "! A warning.\n✗ A failure.")

    visit(explorer, scene)
