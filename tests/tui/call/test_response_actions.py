"""A shown response in a filter or a command, and the messages of these."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.processes import ending_words
from rpcexplorer.tui.widgets.bars import WarningLines
from rpcexplorer.tui.widgets.verdict import ProblemLine
from tests.tui.program import open_program
from tests.tui.visiting import drawn
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
async def test_problem_of_a_filter_is_shown_once(explorer: Explorer, enter: bool) -> None:
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        await replied(program, calls)
        await program.press("f", *".a |||", *(["enter"] if enter else []))
        await program.until(lambda: "unexpected" in str(calls.query_one(WarningLines).render()))
        await program.pause()
        assert "\n".join([*words(calls), program.notices]).count("unexpected") == 1


async def test_table_of_filtered_response_names_the_original_key(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await replied(program, program.calls)
        await program.press("f", "full_stop", "enter", "t")
        await program.until(lambda: "Press o first" in program.notices)


async def test_filter_that_ends_while_quitting_is_ignored(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    running = asyncio.Event()

    async def transform(*_: object) -> tuple[bytes, str, bool]:
        running.set()
        with suppress(asyncio.CancelledError):  # It ends in the moment in which it is cancelled.
            await asyncio.Event().wait()
        return b"1", "", False

    monkeypatch.setattr("rpcexplorer.tui.processes.transform", transform)

    async with open_program(explorer, profile="demo") as program:
        await replied(program, program.calls)
        await program.press("f", "full_stop", "enter")
        await running.wait()
        program.calls.response.focus_inside()


def test_unnamed_signal_is_shown_by_its_number() -> None:
    assert (ending_words(0), ending_words(-15), ending_words(-200)) == (
        "exit code 0",
        "ended by SIGTERM",
        "ended by signal 200",
    )


async def test_call_without_a_method_names_the_next_step(explorer: Explorer) -> None:
    async with open_program(explorer, profile="prod") as program:
        calls = program.calls
        calls.drafts.choose("")
        await program.press("f5")
        await program.until(lambda: calls.exchange is not None)
        assert calls.exchange is not None
        assert calls.exchange.outcome_name == "refused"
        assert "Name one, such as" in str(calls.query_one(WarningLines).render())


async def test_duplicate_name_is_a_warning_and_sent_unchanged(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo", size=(100, 30)) as program:
        calls = program.calls
        calls.drafts.choose("demo.echo")
        calls.params.replace('{"id": 1, "id": 2}')
        line = calls.query_one(ProblemLine)
        await program.until(lambda: "valid JSON  object with 2 members" in drawn(line))
        assert "“id” appears twice in one object and is sent as typed" in " ".join(drawn(line).split())
        await program.press("f5")
        await program.until(lambda: calls.exchange is not None)
        assert b'{"id":1,"id":2}' in b"".join(bytes(calls.response.body.text).split())
        calls.params.replace('{"id": 1}')
        await program.until(lambda: "twice" not in drawn(line))
