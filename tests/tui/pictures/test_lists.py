"""Lists as text: history, batch, statistics, profiles, comparison, replay, checks and events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.checks.judge import Failure
from rpcexplorer.checks.run import Check, CheckResult, CheckRun
from rpcexplorer.client.replay import Replayed, replayed
from rpcexplorer.compare.compare import compared
from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.params import Typo
from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.model.batch import CollectedCalls, parts_of
from rpcexplorer.model.draft import Batch, Draft, to_calls
from rpcexplorer.model.exchange import Stop
from rpcexplorer.model.expectation import Expectation
from rpcexplorer.model.method import SavedCall
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.batch import decode_batch
from rpcexplorer.rpc.messages import Result
from rpcexplorer.tui.batch import BatchScreen
from rpcexplorer.tui.checks import ChecksScreen
from rpcexplorer.tui.replay import ReplayScreen
from tests.tui.pictures import scenes
from tests.tui.pictures.drawing import LARGE, SMALL, USUAL, Compare, in_sizes
from tests.tui.program import open_program

pytestmark = pytest.mark.thorough


async def test_batch_in_the_history(explorer: Explorer, compare: Compare) -> None:
    async with open_program(explorer) as program:
        await scenes.open_history(program)
        await program.press("end")
        await compare(program, "user.get, ping batch", "Enter shows each call")


COLLECTED = (
    CollectedCalls()
    .added(Draft("user.get", '{"id": 42}'))
    .added(Draft("user.rename", '{"id": 42, "name": "Ada Lovelace"}'))
    .added(Draft("audit.write", '["renamed"]', notification=True))
    .added(Draft("ping"))
)
REPLIES = (
    b'[{"jsonrpc":"2.0","id":"1m7ypmkv7qa0050.2","error":{"code":-32602,"message":"Invalid params"}},'
    b'{"jsonrpc":"2.0","id":"1m7ypmkv7qa0050.1","result":{"id":42,"name":"Ada","balance":1.10}},'
    b'{"jsonrpc":"2.0","id":"stray","result":true}]'
)
REQUESTS = to_calls(Batch(COLLECTED.text), "1m7ypmkv7qa0050")
assert not isinstance(REQUESTS, Typo)
SENT = scenes.made("4 calls", decode_batch(REPLIES, REQUESTS), 50, kind="batch", params=COLLECTED.text, reply=REPLIES)


@in_sizes(SMALL, USUAL, LARGE)
async def test_batch(explorer: Explorer, compare: Compare, size: tuple[int, int]) -> None:
    assert explorer.profile is not None
    async with open_program(explorer, size=size) as program:
        explorer.batches.keep(explorer.profile, COLLECTED.with_exchange(SENT, parts_of(SENT)), ())
        await program.press("alt+l")
        await program.on(BatchScreen)
        await program.press("down")
        await compare(program, "Batch 4 calls", "-32602 Invalid", "No response to this", "unexpected response")


PONG = scenes.made("ping", Result(b'"pong"'), 12, seconds=0.012, profile="prod", foreign=True)
FAILS = replace(scenes.ERROR, profile="prod", foreign=True)


async def replay(_: Stop) -> AsyncIterator[Replayed]:
    """Replay three of five calls."""
    yield replayed(PONG, replace(PONG, seconds=0.021), at_once(compared(PONG, PONG)))
    yield replayed(scenes.ON_PROD, scenes.ON_STAGING, at_once(compared(scenes.ON_PROD, scenes.ON_STAGING, ["/seen"])))
    yield Replayed(FAILS, scenes.UNREACHED, None, "failed", str(getattr(scenes.UNREACHED.outcome, "sentence", "")))
    await asyncio.Event().wait()


@in_sizes(SMALL, USUAL)
async def test_replay(explorer: Explorer, compare: Compare, size: tuple[int, int]) -> None:
    names = ["ping", "user.list", "user.get", "user.get", "report.run"]
    remark = "first sent to https://rpc.example.com/api/v2/, now sent to https://staging.example.com/api/v2/"
    async with open_program(explorer, size=size) as program:
        app = program.app
        opened = ReplayScreen(
            explorer, "Replay  5 calls on staging", replay, app.pending, scenes.frame(program), names=names
        )
        opened.remarks.pieces = [(remark, "careful")]
        app.push_screen(opened)
        await program.until(lambda: len(opened.done) == 3)
        await program.press("down")
        await compare(program, "3 of 5", "≠ user.list", "sending")


def check(name: str, method: str, **expected: Any) -> Check:
    expectation = Expectation(**expected)
    call = SavedCall(name, method, file="~/shop/sessions.toml", line=12, expect=expectation)
    return Check(call, expectation, Profile("staging", "https://staging.example.com"))


CHECKS = [
    check("ping", "ping"),
    check("list users", "user.list", values=(("/total", "3"), ("/items/0/name", '"Ada"'))),
    check("create", "user.create", code=-1),
    check("late", "ping", within=1),
]
CHECKED = [
    CheckResult(CHECKS[0], seconds=0.0341, id="a"),
    CheckResult(
        CHECKS[1],
        (Failure("/total", "3", "4"), Failure("/items/0/name", '"Ada"', '"Ada Lovelace"')),
        seconds=0.0512,
        id="b",
    ),
    CheckResult(CHECKS[2], error="no response: the server closed the connection", id="c", code=4, seconds=2),
]


async def test_checks_while_they_run(explorer: Explorer, compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run(_: object, *__: object, show: Callable[[CheckResult], None], **___: object) -> None:
        for result in CHECKED:
            show(result)
        await asyncio.Event().wait()

    monkeypatch.setattr(CheckRun, "run", run)
    async with open_program(explorer, size=SMALL) as program:
        opened = ChecksScreen(explorer, CHECKS, program.app.pending, scenes.frame(program))
        program.app.push_screen(opened)
        await program.until(lambda: len(opened.results) == 3)
        await program.press("down")
        await compare(program, "3 of 4", "✗ list users", "waiting", 'got "Ada Lovelace"')


async def test_filtered_events_while_a_request_waits(explorer: Explorer, compare: Compare) -> None:
    scenes.connect(explorer)
    async with open_program(explorer) as program:
        await scenes.open_events(program, *scenes.STRANGE, scenes.WAITING)
        await program.press("slash", *"method:roots")
        await compare(program, "2 found", "? waits for your answer")
