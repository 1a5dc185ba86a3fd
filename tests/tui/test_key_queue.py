"""Actions that open a dialog: each request runs in turn, none twice."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

import rpcexplorer.tui
from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.batch import BatchScreen
from rpcexplorer.tui.key_queue import Keys, opens
from tests.fakes.wire import HOLD, RawServer
from tests.tui.program import Running, open_program, running


class Dialog(ModalScreen[None]):
    was_cancelled = True

    def compose(self) -> ComposeResult:
        yield Static("open")


class Desk(App[None]):
    """An app with a slow action and one that opens a dialog."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.keys = Keys(self, super().on_event, clock=lambda: self.now)
        self.pending = self.keys.pending
        self.gate = asyncio.Event()
        self.done: list[str] = []
        self.keys_done: list[str] = []
        self.messages: list[str] = []
        self.on_x: Callable[[], object] = lambda: None

    def on_mount(self) -> None:
        self.keys.watch_screens()

    async def on_event(self, event: events.Event) -> None:
        if not await self.keys.take(event):
            await super().on_event(event)

    def notify(self, message: str, **_: Any) -> None:
        self.messages.append(message)

    def on_key(self, event: events.Key) -> None:
        self.keys_done.append(event.key)
        if event.key == "x":
            self.on_x()

    @opens("copy")
    async def copy(self, name: str) -> None:
        self.pending.go_on("copy")
        self.done.append(f"begin {name}")
        await self.gate.wait()
        self.done.append(f"end {name}")

    @opens("copy")
    async def fail(self) -> None:
        raise asyncio.CancelledError

    @opens("dialog")
    async def open_dialog(self) -> None:
        await self.push_screen_wait(Dialog())
        self.done.append("closed")
        await self.gate.wait()


@asynccontextmanager
async def desk() -> AsyncIterator[tuple[Desk, Running]]:
    """Open the app with an empty screen."""
    app = Desk()
    async with running(app) as program:
        await app.push_screen(Screen())
        yield app, program


async def test_actions_of_a_group_run_in_order() -> None:
    async with desk() as (app, program):
        app.copy("a")
        await program.pause()
        app.copy("b")
        app.copy("c")
        await program.pause()
        assert app.done == ["begin a"]
        app.gate.set()
        await program.until(lambda: len(app.done) == 6)
        assert app.done == ["begin a", "end a", "begin b", "end b", "begin c", "end c"]


async def test_keys_wait_for_an_action_in_its_queue() -> None:
    async with desk() as (app, program):
        app.copy("a")
        await program.pause()
        app.copy("b")
        app.post_message(events.Key("x", "x"))
        await program.pause()
        assert app.keys_done == []
        app.gate.set()
        await program.until(lambda: app.keys_done == ["x"])
        assert app.done[:3] == ["begin a", "end a", "begin b"]
        assert app.pending.runs == {}


class Relay(Static):
    """A widget that passes a message on several times."""

    class Passed(Message):
        def __init__(self, hops: int) -> None:
            super().__init__()
            self.hops = hops

    def on_relay_passed(self, event: Passed) -> None:
        event.stop()
        app = self.app
        assert isinstance(app, Desk)
        if event.hops:
            next(widget for widget in app.screen.query(Relay) if widget is not self).post_message(
                self.Passed(event.hops - 1)
            )
        else:
            app.keys_done.append("passed")


async def test_key_waits_for_messages_of_messages() -> None:
    async with desk() as (app, program):
        await app.screen.mount(Relay(), Relay())
        app.on_x = lambda: app.screen.query(Relay).first().post_message(Relay.Passed(20))
        program.post("x", "y")
        await program.until(lambda: "y" in app.keys_done and "passed" in app.keys_done)
        assert app.keys_done == ["x", "passed", "y"]


async def test_key_waits_for_a_widget_that_is_mounted() -> None:
    async with desk() as (app, program):

        class Slow(Static):
            async def on_mount(self) -> None:
                await asyncio.sleep(0.01)
                app.keys_done.append("mounted")

        await app.screen.mount(Vertical())
        app.on_x = lambda: app.screen.query_one(Vertical).mount(Slow())
        program.post("x", "y")
        await program.until(lambda: "y" in app.keys_done)
        assert app.keys_done == ["x", "mounted", "y"]


@pytest.mark.thorough
def test_handlers_wait_for_nothing_but_messages() -> None:
    """Keys do not see a waiting handler: such work needs a worker."""
    waiting: set[str] = set()
    for file in Path(rpcexplorer.tui.__path__[0]).rglob("*.py"):
        kinds = [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.ClassDef)]
        for node in (node for kind in kinds for node in kind.body if isinstance(node, ast.AsyncFunctionDef)):
            made_of = {ast.unparse(decorator).partition("(")[0] for decorator in node.decorator_list}
            is_handler = "on" in made_of or node.name.lstrip("_").startswith(("on_", "action_", "watch_", "key_"))
            if is_handler and not made_of & {"opens", "work"} and any(isinstance(e, ast.Await) for e in ast.walk(node)):
                waiting.add(f"{file.stem}.{node.name}")
    assert waiting == {"app.on_event", "app.on_unmount", "inputs._on_key"}, "they wait for the app's own actions"


async def test_endless_handler_delays_keys_for_limited_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.tui.key_queue.MAX_SETTLE_SECONDS", 0.01)
    async with desk() as (app, program):
        app.on_x = lambda: app.screen.call_later(app.gate.wait)
        program.post("x", "y", "z")
        await program.until(lambda: app.keys.is_idle)
        app.gate.set()
        await program.until(lambda: app.keys_done == ["x", "y", "z"])


async def test_double_click_opens_one_dialog() -> None:
    async with desk() as (app, program):
        app.open_dialog()
        app.open_dialog()
        await program.on(Dialog)
        app.open_dialog()
        app.gate.set()
        app.screen.dismiss()
        await program.until(lambda: app.done == ["closed"])
        await program.rest()
        assert not isinstance(app.screen, Dialog)


async def test_request_after_the_dialog_closed_opens_it_again() -> None:
    async with desk() as (app, program):
        app.open_dialog()
        (await program.on(Dialog)).dismiss()
        await program.until(lambda: app.done == ["closed"])
        app.open_dialog()
        app.gate.set()
        await program.on(Dialog)


NOTICE = "Dropped keys that were typed for the closed dialog: "


def at(seconds: float, typed: Iterable[str]) -> list[events.Key]:
    """Return keys that were typed at a time."""
    keys = [events.Key(key, key if len(key) == 1 else None) for key in typed]
    for key in keys:
        key.time = seconds
    return keys


async def close_dialog(app: Desk, program: Running, *, was_cancelled: bool) -> None:
    """Open and close a dialog at 10 s."""
    await app.push_screen(Dialog())
    await program.pause()
    app.now = 10.0
    app.screen.was_cancelled = was_cancelled  # type: ignore[attr-defined]
    app.screen.dismiss()
    await program.pause()


@pytest.mark.parametrize(
    ("was_cancelled", "typed", "done", "dropped"),
    [
        (True, [*at(10.1, ["p", "w", "tab", "backspace"]), *at(10.29, ["enter"])], [], 5),
        (True, at(9.9, "a"), [], 1),
        (True, [*at(10.2, "a"), *at(10.4, "b"), *at(10.6, "c"), *at(10.91, "x")], ["x"], 3),
        (True, [*at(10.1, "a"), *at(10.2, ["f5", "x"])], ["f5", "x"], 1),
        (False, at(10.1, "ab"), ["a", "b"], 0),
    ],
)
async def test_text_after_a_cancelled_dialog_is_dropped(
    was_cancelled: bool, typed: list[events.Key], done: list[str], dropped: int
) -> None:
    async with desk() as (app, program):
        await close_dialog(app, program, was_cancelled=was_cancelled)
        for key in typed:
            app.post_message(key)
        await program.pause()
        await program.until(lambda: app.keys.is_idle)
        assert app.keys_done == done
        assert app.messages[-1:] == ([f"{NOTICE}{dropped}."] if dropped else [])


async def test_pasted_text_after_a_cancelled_dialog_is_counted() -> None:
    async with desk() as (app, program):
        await close_dialog(app, program, was_cancelled=True)
        paste = events.Paste("password")
        paste.time = 10.2
        app.post_message(paste)
        await program.until(lambda: app.messages[-1:] == [f"{NOTICE}8."])
        assert app.keys_done == []


async def test_failed_action_leaves_the_next_one_free() -> None:
    async with desk() as (app, program):
        app.fail()
        await program.pause()
        app.gate.set()
        app.copy("a")
        await program.until(lambda: app.done == ["begin a", "end a"])


async def test_two_quick_copies_are_both_made(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.press("f5")
        await program.until(lambda: program.calls.exchange is not None)
        copied: list[str] = []
        monkeypatch.setattr(program.app, "copy_to_clipboard", copied.append)
        for form in ("response", "curl", "headers"):
            program.calls.response.action_copy(form)
        await program.until(lambda: len(copied) == 3)
        assert '"jsonrpc"' in copied[0]
        assert copied[1].startswith("curl")
        assert copied[2].startswith("HTTP")


@pytest.mark.parametrize("action", ["send", "login", "new_session", "discover"])
async def test_nothing_else_is_sent_while_a_call_runs(make_explorer: Callable[..., Explorer], action: str) -> None:
    with RawServer([HOLD]) as server:
        explorer = make_explorer(f'version = 1\n[profile.slow]\nurl = "{server.origin}"\n')
        async with open_program(explorer, profile="slow") as program:
            screen = program.calls
            await program.press("f5")
            await program.until(lambda: screen.running is not None and screen.running.progress is not None)
            getattr(screen, f"action_{action}")()
            await program.pause()
            assert "Nothing was sent: ping was still running. Esc cancels a running call." in program.notices
            await program.press("escape")
            await program.until(lambda: screen.exchange is not None)
            await program.rest()
            assert len(server.requests) == 1


async def test_batch_being_sent_is_not_sent_again(make_explorer: Callable[..., Explorer]) -> None:
    with RawServer([HOLD]) as server:
        explorer = make_explorer(f'version = 1\n[profile.slow]\nurl = "{server.origin}"\nauth = {{ kind = "none" }}\n')
        async with open_program(explorer, profile="slow") as program:
            await program.press("alt+p", "alt+l")
            batch: BatchScreen = await program.on(BatchScreen)
            await program.press("f5")
            await program.until(lambda: bool(server.requests))
            await program.press("f5")
            await program.pause()
            assert "Nothing was sent: the batch was still running." in program.notices
            await program.press("escape")
            await program.until(lambda: batch.stop is None)
            await program.rest()
            assert len(server.requests) == 1
