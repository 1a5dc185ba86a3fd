"""Actions that open something: each request is carried out, one after the other, and none opens twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from textual import events
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.batch import BatchScreen
from rpcexplorer.tui.call.response import ResponsePane
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.keys import Keyboard, opens
from tests.fakes.wire import HOLD, RawServer
from tests.tui.visiting import on, rest, said, visit
from tests.tui.waiting import until


class Dialog(ModalScreen[None]):
    def compose(self) -> ComposeResult:
        yield Static("open")


class Desk(Keyboard[None]):
    """An application with an action that works for a while and one that opens a dialog."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.done: list[str] = []
        self.keys_done: list[str] = []

    def on_key(self, event: events.Key) -> None:
        self.keys_done.append(event.key)

    @opens("copy")
    async def copy(self, name: str) -> None:
        self.pending.go_on("copy")
        self.done.append(f"begin {name}")
        await self.gate.wait()
        self.done.append(f"end {name}")

    @opens("dialog")
    async def open_dialog(self) -> None:
        await self.push_screen_wait(Dialog())
        self.done.append("closed")
        await self.gate.wait()


def run(scene: Callable[[Desk, Pilot[None]], Any]) -> None:
    async def story() -> None:
        app = Desk()
        async with app.run_test() as pilot:
            await app.push_screen(Screen())
            await scene(app, pilot)

    asyncio.run(story())


def test_actions_of_a_group_run_one_after_the_other() -> None:
    async def scene(app: Desk, pilot: Pilot[None]) -> None:
        app.copy("a")
        await pilot.pause()
        app.copy("b")
        app.copy("c")
        await pilot.pause()
        assert app.done == ["begin a"]
        app.gate.set()
        await until(pilot, lambda: len(app.done) == 6)
        assert app.done == ["begin a", "end a", "begin b", "end b", "begin c", "end c"]

    run(scene)


def test_keys_wait_for_an_action_that_waits_its_turn() -> None:
    async def scene(app: Desk, pilot: Pilot[None]) -> None:
        app.copy("a")
        await pilot.pause()
        app.copy("b")
        app.post_message(events.Key("x", "x"))
        await pilot.pause()
        assert app.keys_done == []
        app.gate.set()
        await until(pilot, lambda: app.keys_done == ["x"])
        assert app.done[:3] == ["begin a", "end a", "begin b"]
        assert app.pending.runs == {}

    run(scene)


def test_double_click_opens_one_dialog() -> None:
    async def scene(app: Desk, pilot: Pilot[None]) -> None:
        app.open_dialog()
        app.open_dialog()
        await on(pilot, Dialog)
        app.open_dialog()
        app.gate.set()
        app.screen.dismiss()
        await until(pilot, lambda: app.done == ["closed"])
        await rest(pilot)
        assert not isinstance(app.screen, Dialog)

    run(scene)


def test_request_after_the_dialog_closed_opens_it_again() -> None:
    async def scene(app: Desk, pilot: Pilot[None]) -> None:
        app.open_dialog()
        (await on(pilot, Dialog)).dismiss()
        await until(pilot, lambda: app.done == ["closed"])
        app.open_dialog()
        app.gate.set()
        await on(pilot, Dialog)

    run(scene)


def test_failed_action_leaves_the_next_one_free() -> None:
    class Broken(Desk):
        @opens("copy")
        async def fail(self) -> None:
            raise asyncio.CancelledError

    async def story() -> None:
        app = Broken()
        async with app.run_test() as pilot:
            app.fail()
            await pilot.pause()
            app.gate.set()
            app.copy("a")
            await until(pilot, lambda: app.done == ["begin a", "end a"])

    asyncio.run(story())


def test_two_quick_copies_are_both_made(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f5")
        await until(pilot, lambda: screen.exchange is not None)
        copied: list[str] = []
        monkeypatch.setattr(app, "copy_to_clipboard", copied.append)
        for form in ("reply", "curl", "headers"):
            screen.response.post_message(ResponsePane.CopyReplyWanted(screen.response, form))
        await until(pilot, lambda: len(copied) == 3)
        assert '"jsonrpc"' in copied[0]
        assert copied[1].startswith("curl")
        assert copied[2].startswith("HTTP")

    visit(explorer, scene)


@pytest.mark.parametrize("action", ["login", "new_session", "discover"])
def test_login_and_discovery_wait_for_no_running_call(make_explorer: Callable[..., Explorer], action: str) -> None:
    with RawServer([HOLD]) as server:
        explorer = make_explorer(f'version = 1\n[profile.slow]\nurl = "{server.origin}"\n')

        async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
            await pilot.press("f5")
            await until(pilot, lambda: screen._progress is not None)
            getattr(screen, f"action_{action}")()
            await pilot.pause()
            assert "Nothing was sent: ping is still running. Esc cancels it." in said(app)
            await pilot.press("escape")
            await until(pilot, lambda: screen.exchange is not None)
            await rest(pilot)
            assert len(server.requests) == 1

        visit(explorer, scene, profile="slow")


def test_batch_being_sent_is_not_sent_again(make_explorer: Callable[..., Explorer]) -> None:
    with RawServer([HOLD]) as server:
        explorer = make_explorer(f'version = 1\n[profile.slow]\nurl = "{server.origin}"\nauth = {{ kind = "none" }}\n')

        async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
            await pilot.press("alt+p", "alt+l")
            batch: BatchScreen = await on(pilot, BatchScreen)
            await pilot.press("f5")
            await until(pilot, lambda: batch._progress is not None)
            await pilot.press("f5")
            await pilot.pause()
            assert "Nothing was sent: the batch is still running." in said(app)
            await pilot.press("escape")
            await until(pilot, lambda: not batch.sending)
            await rest(pilot)
            assert len(server.requests) == 1

        visit(explorer, scene, profile="slow")
