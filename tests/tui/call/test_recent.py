"""The newest calls under the methods."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from rpcexplorer.model.exchange import Cancelled, Outcome, Sent, Unreached
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.text.exchange import outcome_word
from rpcexplorer.tui.call.methods import MethodsPane, RecentList
from tests.text.exchanges import WHEN, exchange
from tests.tui.stage import FakeState, Staged, staged, text_of

CALLS = [
    exchange(Result(b"1"), id="c", method="user.list"),
    exchange(ErrorObject(-32602, "Invalid params", None, b""), id="b", when=WHEN - timedelta(minutes=1)),
    exchange(Cancelled(), id="a", method="report.run", when=WHEN - timedelta(minutes=9)),
]


@asynccontextmanager
async def recalling(width: int = 32) -> AsyncIterator[tuple[MethodsPane, Staged]]:
    """Show a pane whose recent calls have the focus."""
    pane = MethodsPane(FakeState())
    pane.recent = CALLS
    async with staged(pane, size=(width, 24)) as program:
        pane.query_one(RecentList).focus()
        await program.pause()
        yield pane, program


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


async def test_call_row_has_sign_method_params_and_outcome() -> None:
    async with recalling() as (pane, _):
        assert shown(pane) == [
            " ✓ user.list   id 42      34 ms",
            " ✗ user.get    id 42     -32602",
            " ◌ report.run  id 42  cancelled",
        ]


@pytest.mark.thorough
async def test_wide_row_has_the_time_too() -> None:
    async with recalling(width=46) as (pane, _):
        assert shown(pane)[2] == " ◌ report.run  id 42         cancelled  10:31"


async def test_enter_and_a_click_recall_a_call() -> None:
    async with recalling() as (_, program):
        await program.press("down", "enter")
        await program.click(RecentList, offset=(5, 2))
        recalled = program.of(RecentList.Recalled)
        assert [(message.exchange, message.resend) for message in recalled] == [(CALLS[1], False), (CALLS[2], False)]
        assert program.of(MethodsPane.MethodChosen) == []


@pytest.mark.thorough
async def test_cursor_stays_on_its_call_after_newer_ones() -> None:
    async with recalling() as (pane, program):
        await program.press("down", "r")
        pane.recent = [exchange(Sent(), id="d"), *CALLS]
        await program.press("r")
        again = [(message.exchange, message.resend) for message in program.of(RecentList.Recalled)]
        assert again == [(CALLS[1], True), (CALLS[1], True)]


async def test_hostile_method_name_is_shown_and_does_nothing() -> None:
    async with recalling() as (pane, program):
        pane.recent = [exchange(Result(b"1"), method="\x1b[2J[b]" + "漢" * 99)]
        await program.pause()
        strip = pane.query_one(RecentList).render_line(0)
        assert strip.cell_length == 32
        assert strip.text.startswith(" ✓ ␛[2J[b]漢")
        assert strip.text.endswith("…  id…  34 ms ")
