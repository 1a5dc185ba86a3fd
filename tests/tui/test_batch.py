"""The batch on screen: collecting, ordering, sending, reading outcomes."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.drafts import CollectedBatches
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.batch import BatchParts, BatchRow, CollectedCalls, parts_of
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange, Sent
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.batch import decode_batch
from rpcexplorer.tui import batch as batch_screen
from rpcexplorer.tui.batch import BatchList, BatchScreen
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.widgets.bars import Frame
from rpcexplorer.tui.widgets.dialog import Confirm, Form
from rpcexplorer.tui.widgets.reader import Reader
from tests.fakes.explorer import open_explorer
from tests.text.exchanges import exchange
from tests.tui.program import open_program
from tests.tui.stage import OneScreen, showing, text_of

PROFILES = """\
default = "shop"
[profile.shop]
url = "https://shop.example.com"
[profile.prod]
url = "https://rpc.example.com"
badge = "prod"
"""
THREE = CollectedCalls().added(Draft("user.get", '{"id": 42}')).added(Draft("ping")).added(Draft("log", "[3]"))
REPLIES = (
    b'[{"jsonrpc":"2.0","id":"x.2","error":{"code":-32601,"message":"Method not found"}},'
    b'{"jsonrpc":"2.0","id":"x.1","result":{"name":"Ada"}},{"jsonrpc":"2.0","id":"y","result":9}]'
)


@pytest.fixture
def shop(tmp_path: Path) -> Explorer:
    explorer = open_explorer(tmp_path, PROFILES)
    explorer.use("shop")
    explorer.batches.keep(in_use(explorer), THREE, ())
    return explorer


def in_use(explorer: Explorer) -> Profile:
    assert explorer.profile is not None
    return explorer.profile


class OpenBatch(OneScreen):
    """The batch alone."""

    screen: BatchScreen
    answers: list[BatchRow | None]

    @property
    def rows(self) -> list[str]:
        return rows(self.screen)


@asynccontextmanager
async def on_screen(explorer: Explorer) -> AsyncIterator[OpenBatch]:
    """Open the batch."""
    async with showing(OpenBatch, BatchScreen(explorer, PendingKeys(), Frame()), (120, 30)) as batch:
        yield batch


def answering(explorer: Explorer, body: bytes = REPLIES) -> list[str]:
    """Answer every batch with this body; return the list of sent texts."""
    texts: list[str] = []

    async def call(draft: Batch, **_: Any) -> Exchange:
        texts.append(draft.text)
        return exchange(decode_batch(body, ()), body=body, id="x", kind="batch", params=draft.text)

    explorer.call = call  # type: ignore[method-assign, assignment]
    return texts


def rows(screen: BatchScreen) -> list[str]:
    return [" ".join(row.split()) for row in text_of(screen.query_one(BatchList)).splitlines()]


async def test_methods_follow_the_widest_kind(shop: Explorer) -> None:
    async with on_screen(shop) as batch:
        assert "  1  call  user.get  " in text_of(batch.screen.query_one(BatchList))
        await batch.press("n")
        assert "  2  call          ping  " in text_of(batch.screen.query_one(BatchList))


async def test_collected_calls_are_ordered_changed_removed_and_kept(shop: Explorer) -> None:
    async with on_screen(shop) as batch:
        assert batch.rows == ['1 call user.get {"id": 42}', "2 call ping []", "3 call log [3]"]
        assert not batch.screen.check_action("up", ())
        await batch.press("J", "J", "n")
        assert batch.rows == ["1 call ping []", "2 call log [3]", '3 notification user.get {"id": 42}']
        assert not batch.screen.check_action("down", ())
        await batch.press("K", "delete")
        assert batch.rows == ["1 call ping []", "2 call log [3]"]
        await batch.press("delete", "delete")
        assert batch.rows == ["", "No calls yet. Press Alt+p in the editor to add one."]
        assert not batch.screen.check_action("send", ())
        await batch.press("ctrl+z", "ctrl+z", "ctrl+z")
        await batch.press("escape")
    assert batch.answers == [None]
    again = CollectedBatches(shop.paths.drafts / "batches").of(in_use(shop))
    assert [row.draft.method for row in again.rows] == ["ping", "user.get", "log"]


async def test_each_call_of_a_batch_shows_its_outcome(shop: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, copied = answering(shop), list[str]()
    monkeypatch.setattr("rpcexplorer.tui.call.copying.copy_recorded", lambda _, one: copied.append(one.id))
    async with on_screen(shop) as batch:
        await batch.press("end", "n", "home", "f5")
        await batch.until(lambda: bool(batch.screen.calls.sent))
        assert [bool(json.loads(text)) for text in texts] == [True]
        assert batch.rows == [
            '1 call user.get {"id": 42} ✓ result 52 B',
            "2 call ping [] ✗ -32601 Method not found",
            "3 notification log [3] → sent",
            '? unexpected response: no call has the id "y" ✓ result 37 B',
        ]
        reader = batch.screen.query_one(Reader)
        assert reader.document is not None
        assert b"Ada" in reader.document.text[:]
        await batch.press("end")
        assert reader.document.text == b"9"
        assert not batch.screen.check_action("remove", ())
        await batch.press("enter")
        assert batch.screen.is_current, "a call that was not sent cannot be loaded"
        await batch.press("up", "up", "y")
        assert copied == ["x.2"]
        await batch.press("enter")
    (choice,) = batch.answers
    assert choice is not None
    assert choice.draft == Draft("ping")
    assert choice.exchange is not None
    assert (choice.exchange.id, choice.exchange.exit_code) == ("x.2", 1)


@pytest.mark.thorough
async def test_confirming_profile_confirms_a_batch(shop: Explorer) -> None:
    texts = answering(shop)
    shop.use("prod")
    shop.batches.keep(in_use(shop), THREE, ())
    async with on_screen(shop) as batch:
        await batch.press("f5")
        question = await batch.on(Confirm)
        assert ("calls", "3: user.get, ping, log") in question._words
        await batch.press("escape")
        await batch.pause()
        assert texts == []
        assert batch.screen.calls.sent is None


@pytest.mark.thorough
@pytest.mark.parametrize("answer", ["keep", "typed", "fill"])
async def test_variables_of_a_batch_are_asked_for(shop: Explorer, answer: str) -> None:
    texts = answering(shop)
    shop.batches.keep(in_use(shop), CollectedCalls().added(Draft("a", '["{{n}}", "{{today}}"]')), ())
    async with on_screen(shop) as batch:
        await batch.press("f5")
        question = await batch.on(Confirm)
        question.dismiss(answer)
        if answer == "fill":
            form = await batch.on(Form)
            await batch.press(*"7", "enter")
            await batch.until(lambda: batch.app.screen is not form)
        if answer == "keep":
            await batch.pause()
            assert texts == []
        else:
            await batch.until(lambda: bool(batch.screen.calls.sent))
            assert ('["7", ' if answer == "fill" else '["{{n}}", ') in texts[0]


@pytest.mark.thorough
async def test_batch_is_locked_while_a_response_is_parsed(shop: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(shop)
    started, go_on = threading.Event(), threading.Event()

    def slowly(whole: Exchange) -> BatchParts:
        started.set()
        go_on.wait()
        return parts_of(whole)

    monkeypatch.setattr(batch_screen, "parts_of", slowly)
    monkeypatch.setattr(batch_screen, "LARGE", 1)
    async with on_screen(shop) as batch:
        try:
            await batch.press("f5")
            await batch.until(started.is_set)
            await batch.press("delete", "J", "n", "escape")
            assert not batch.screen.check_action("remove", ())
            assert batch.screen.is_current, "its outcome would be lost"
            assert [row.draft for row in batch.screen.calls.rows] == [row.draft for row in THREE.rows]
        finally:
            go_on.set()
        await batch.until(lambda: bool(batch.screen.calls.sent))
        await batch.until(lambda: batch.screen.stop is None)
        await batch.press("delete")
        assert [row.draft.method for row in batch.screen.calls.rows] == ["ping", "log"]
        assert batch.rows[0].endswith("Method not found")


@pytest.mark.thorough
async def test_escape_cancels_a_running_batch_before_closing(shop: Explorer) -> None:
    async def call(draft: Batch, *, stop: Any, **_: Any) -> Exchange:
        stop.watch(asyncio.current_task())
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            task = asyncio.current_task()
            assert task is not None
            task.uncancel()
        return exchange(Sent(), kind="batch", params=draft.text)

    shop.call = call  # type: ignore[method-assign, assignment]
    async with on_screen(shop) as batch:
        batch.screen.action_send()
        await batch.until(lambda: batch.screen.stop is not None)
        assert not batch.screen.check_action("remove", ())
        batch.screen.action_close()
        await batch.until(lambda: batch.screen.stop is None)
        assert batch.screen.is_current
        assert batch.rows[0].endswith("→ sent")
        batch.screen.action_close()
    assert batch.answers == [None]


async def test_batch_makes_round_trip_from_editor_to_history(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls

        await program.write("demo.echo", '{"n": 1.10}')
        await program.press("alt+p")
        await program.write("demo.echo", "[")
        await program.press("alt+p")
        await program.sees("not added ")
        await program.press("f5")
        await program.sees("not sent ")
        await program.write("nowhere", "[]")
        await program.press("alt+p", "alt+l")
        batch = await program.on(BatchScreen)
        assert rows(batch) == ['1 call demo.echo {"n": 1.10}', "2 call nowhere []"], "invalid JSON is not added"
        await program.press("f5")
        await program.until(lambda: bool(batch.calls.sent))
        await program.press("home", "J", "enter")
        await program.until(lambda: program.app.screen is screen)
        assert (screen.method, screen.params.text) == ("demo.echo", '{"n": 1.10}')
        assert screen.exchange is not None
        assert b"1.10" in screen.exchange.response.body
        assert screen.exchange.kind == "call"
        screen.params.replace('{"n": 2}')
        await program.press("alt+p", "alt+l")
        mended = await program.on(BatchScreen)
        assert rows(mended)[1] == '2 call demo.echo {"n": 2}', "it is back at its position"
        assert mended.draft == Draft("demo.echo", '{"n": 2}'), "and so is the cursor"
        await program.press("escape")
        await program.until(lambda: program.app.screen is screen)
        await program.write("demo.echo", "[3]")
        await program.press("alt+p")
        await program.until(lambda: len(explorer.batches.of(in_use(explorer)).rows) == 3)
        await program.press("alt+l")
        await program.on(BatchScreen)
        await program.press("n", "enter")
        await program.until(lambda: program.app.screen is screen)
        said = "demo.echo was a notification. To send it as a call with an id, press F5. To send it without an id, use "
        assert f"{said}“send notification” in the command palette." in program.notices
        explorer.batches.keep(in_use(explorer), CollectedCalls(), ())
        await program.press("f6")
        await program.on(HistoryScreen)
        await program.press("enter")
        loaded = await program.on(BatchScreen)
        assert "✓ result" in rows(loaded)[0]
        assert "-32601" in rows(loaded)[1]
