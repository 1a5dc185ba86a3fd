"""The newest calls under the methods."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, timedelta, timezone

import pytest
from textual.pilot import Pilot

from rpcexplorer.model.exchange import Cancelled, Outcome, Sent, Unreached
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.text.exchange import outcome_word
from rpcexplorer.tui.call.methods import MethodsPane, RecentList
from tests.text.exchanges import WHEN, exchange
from tests.tui.stage import FakeState, Stage, text_of

CALLS = [
    exchange(Result(b"1"), id="c", method="user.list"),
    exchange(ErrorObject(-32602, "Invalid params", None, b""), id="b", when=WHEN - timedelta(minutes=1)),
    exchange(Cancelled(), id="a", method="report.run", when=WHEN - timedelta(minutes=9)),
]
Story = Callable[[Pilot[None], MethodsPane, Stage], Awaitable[None]]


def play(story: Story, *, zone: timezone = UTC, width: int = 32) -> None:
    """Run a story with a pane whose recent calls have the focus."""

    async def run() -> None:
        pane = MethodsPane(FakeState(zone=zone))
        pane.recent = CALLS
        stage = Stage(pane)
        async with stage.run_test(size=(width, 24)) as pilot:
            pane.query_one(RecentList).focus()
            await pilot.pause()
            await story(pilot, pane, stage)

    asyncio.run(run())


def shown(pane: MethodsPane) -> list[str]:
    return text_of(pane.query_one(RecentList)).split("\n")


@pytest.mark.parametrize(
    ("outcome", "words", "role"),
    [
        (Result(b"1"), "34 ms", "middle"),
        (ErrorObject(-32602, "", None, b""), "-32602", "wrong"),
        (ErrorObject(None, "", None, b""), "error", "wrong"),
        (ErrorObject(10**4400, "", None, b""), "error", "wrong"),
        (Malformed("no"), "malformed", "wrong"),
        (Unreached("name", "no such host"), "no resp.", "wrong"),
        (Cancelled(), "cancelled", "careful"),
        (Sent(), "sent", "well"),
    ],
)
def test_each_outcome_has_a_word_and_a_colour(outcome: Outcome, words: str, role: str) -> None:
    assert outcome_word(exchange(outcome)) == (words, role)


def test_call_row_has_sign_method_params_and_outcome() -> None:
    async def story(_pilot: Pilot[None], pane: MethodsPane, _stage: Stage) -> None:
        assert shown(pane) == [
            " ✓ user.list   id 42      34 ms",
            " ✗ user.get    id 42     -32602",
            " ◌ report.run  id 42  cancelled",
        ]

    play(story)


@pytest.mark.thorough
def test_wide_row_has_the_time_too() -> None:
    async def story(_pilot: Pilot[None], pane: MethodsPane, _stage: Stage) -> None:
        assert shown(pane)[2] == " ◌ report.run  id 42         cancelled  10:31"

    play(story, width=46)


def test_enter_and_a_click_recall_a_call() -> None:
    async def story(pilot: Pilot[None], pane: MethodsPane, stage: Stage) -> None:
        await pilot.press("down", "enter")
        await pilot.click(RecentList, offset=(5, 2))
        recalled = stage.of(RecentList.Recalled)
        assert [(message.exchange, message.resend) for message in recalled] == [(CALLS[1], False), (CALLS[2], False)]
        assert stage.of(MethodsPane.MethodChosen) == []

    play(story)


@pytest.mark.thorough
def test_cursor_stays_on_its_call_after_newer_ones() -> None:
    async def story(pilot: Pilot[None], pane: MethodsPane, stage: Stage) -> None:
        await pilot.press("down", "r")
        pane.recent = [exchange(Sent(), id="d"), *CALLS]
        await pilot.press("r")
        again = [(message.exchange, message.resend) for message in stage.of(RecentList.Recalled)]
        assert again == [(CALLS[1], True), (CALLS[1], True)]

    play(story)


def test_hostile_method_name_is_shown_and_does_nothing() -> None:
    async def story(pilot: Pilot[None], pane: MethodsPane, _stage: Stage) -> None:
        pane.recent = [exchange(Result(b"1"), method="\x1b[2J[b]" + "漢" * 99)]
        await pilot.pause()
        strip = pane.query_one(RecentList).render_line(0)
        assert strip.cell_length == 32
        assert strip.text.startswith(" ✓ ␛[2J[b]漢")
        assert strip.text.endswith("…  id…  34 ms ")

    play(story)
