"""A shown response in a filter or a command, and the messages of these."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.processes import ending_words
from rpcexplorer.tui.widgets.bars import WarningLines
from rpcexplorer.tui.widgets.verdict import ProblemLine
from tests.tui.visiting import drawn, notices, visit
from tests.tui.waiting import until


def words(calls: CallScreen) -> list[str]:
    """Return the text lines of the response pane."""
    return [str(widget.render()) for widget in calls.response.query(Static) if widget.display]


async def replied(pilot: Pilot[Any], calls: CallScreen) -> None:
    """Send a call and focus its response."""
    await pilot.press("f5")
    await until(pilot, lambda: calls.exchange is not None)
    await pilot.press("f4")


@pytest.mark.thorough
@pytest.mark.parametrize("enter", [False, True], ids=["while it is typed", "when it is taken"])
def test_problem_of_a_filter_is_shown_once(explorer: Explorer, enter: bool) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await replied(pilot, calls)
        await pilot.press("f", *".a |||", *(["enter"] if enter else []))
        await until(pilot, lambda: "unexpected" in str(calls.query_one(WarningLines).render()))
        await pilot.pause()
        assert "\n".join([*words(calls), notices(app)]).count("unexpected") == 1

    visit(explorer, scene)


def test_table_of_filtered_response_names_the_original_key(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await replied(pilot, calls)
        await pilot.press("f", "full_stop", "enter", "t")
        await until(pilot, lambda: "Press o first" in notices(app))

    visit(explorer, scene)


def test_filter_that_ends_while_quitting_is_ignored(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    running = asyncio.Event()

    async def transform(*_: object) -> tuple[bytes, str, bool]:
        running.set()
        with suppress(asyncio.CancelledError):  # It ends in the moment in which it is cancelled.
            await asyncio.Event().wait()
        return b"1", "", False

    monkeypatch.setattr("rpcexplorer.tui.processes.transform", transform)

    async def scene(_: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await replied(pilot, calls)
        await pilot.press("f", "full_stop", "enter")
        await running.wait()
        calls.response.focus_inside()

    visit(explorer, scene)


def test_unnamed_signal_is_shown_by_its_number() -> None:
    assert (ending_words(0), ending_words(-15), ending_words(-200)) == (
        "exit code 0",
        "ended by SIGTERM",
        "ended by signal 200",
    )


def test_call_without_a_method_names_the_next_step(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        calls.drafts.choose("")
        await pilot.press("f5")
        await until(pilot, lambda: calls.exchange is not None)
        assert calls.exchange is not None
        assert calls.exchange.outcome_name == "refused"
        assert "Name one, such as" in str(calls.query_one(WarningLines).render())

    visit(explorer, scene, profile="prod")


def test_duplicate_name_is_a_warning_and_sent_unchanged(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        calls.drafts.choose("demo.echo")
        calls.params.replace('{"id": 1, "id": 2}')
        line = calls.query_one(ProblemLine)
        await until(pilot, lambda: "valid JSON  object with 2 members" in drawn(line))
        assert "“id” appears twice in one object and is sent as typed" in " ".join(drawn(line).split())
        await pilot.press("f5")
        await until(pilot, lambda: calls.exchange is not None)
        assert b'{"id":1,"id":2}' in b"".join(bytes(calls.response.body.text).split())
        calls.params.replace('{"id": 1}')
        await until(pilot, lambda: "twice" not in drawn(line))

    visit(explorer, scene, size=(100, 30))
