"""The running program as a person sees it: keys go in, text comes out."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual import events
from textual.app import App
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.tui.app import ExplorerApp, PersonOnScreen
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.connection_test import ConnectionTest
from rpcexplorer.tui.profiles import ProfilesScreen
from rpcexplorer.tui.widgets.picker import Picker
from rpcexplorer.tui.widgets.rows import Sheet

PATIENCE = 15.0
"""Seconds to wait for a condition."""
ITEMS = '{"items": [{"n": 2, "word": "alder"}, {"n": 1, "word": "birch"}], "count": 2}'
"""A response of thirteen lines with a list of objects."""


class Running(Pilot[Any]):
    """An app of ours that runs without a terminal."""

    @property
    def text(self) -> str:
        """Everything on the screen, line by line."""
        screen = self.app.screen
        return "\n".join(strip.text for strip in screen._compositor.render_strips(screen.size))

    @property
    def words(self) -> str:
        """Everything on the screen, line by line, with several blanks as one."""
        return "\n".join(" ".join(line.split()) for line in self.text.splitlines())

    @property
    def unbroken(self) -> str:
        """Everything on the screen without blanks, for long words that a dialog breaks."""
        return "".join(self.text.replace("▌", "").split())

    @property
    def notices(self) -> str:
        """The text of all notices."""
        return "\n".join(str(notice.message) for notice in self.app._notifications)

    async def sees(self, *texts: str) -> None:
        """Wait until the screen or a notice shows all of these texts, also where a dialog breaks its lines."""

        def are_shown() -> bool:
            words = self.words
            shown = "\n".join([words, words.replace("\n▌ ", " "), self.notices])
            return all(text in shown for text in texts)

        try:
            await self.until(are_shown)
        except AssertionError as error:
            error.add_note(f"wanted: {texts}; the notices: {self.notices}")
            raise

    async def misses(self, text: str) -> None:
        """Wait until a text is gone."""
        await self.until(lambda: text not in self.words)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Run the app until the condition holds, also for a socket of a thread."""
        last = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < last, f"not within {PATIENCE:.0f} s; on the screen:\n{self.text}"
            await self.pause(0.002)

    async def on(self, kind: type[Any]) -> Any:
        """Wait for a screen of this class until it is idle."""
        await self.until(lambda: isinstance(self.app.screen, kind) and bool(self.app.screen.children))
        await self.pause()
        await self.pause()
        return self.app.screen

    async def rest(self) -> None:
        """Wait until nothing more happens by itself."""
        for _ in range(4):
            await self.pause()

    def post(self, *keys: str) -> None:
        """Post keys as a terminal does."""
        for key in keys:
            self.app.post_message(events.Key(key, key if len(key) == 1 else None))

    async def burst(self, *keys: str) -> None:
        """Send keys at once, as over a slow network: nothing happens between two."""
        self.post(*keys)
        await self.pause()

    async def type_in(self, text: str) -> None:
        """Replace the text of the focused line, as a paste does."""
        await self.press("end", "ctrl+u")
        await self.paste(text)

    async def paste(self, text: str) -> None:
        """Paste a text, as a terminal does."""
        self.app.post_message(events.Paste(text))
        await self.pause()

    async def choose(self, words: str) -> None:
        """Find a row of the open list by its words, and choose it."""
        await self.on(Picker)
        await self.paste(words)
        await self.press("enter")

    async def run_command(self, words: str) -> None:
        """Find a command in the palette, and run it."""
        await self.press("ctrl+p")
        await self.choose(words)


class Program(Running):
    """The whole program."""

    app: ExplorerApp

    def __init__(self, app: ExplorerApp) -> None:
        super().__init__(app)
        self.pressed: set[str] = set()
        """Keys, and the words of commands without keys."""

    async def play(self, script: str) -> None:
        """Do what each line of a script says, and wait for what the screen shows then.

        First come the keys, or a verb of ``act`` with its text, and after each bar a result::

            f6 m down | 1 marked | not waiting
        """
        for line in script.strip().splitlines():
            act, *results = (part.strip() for part in line.split("|"))
            self.app._clipboard = ""
            await self.act(act)
            for result in results:
                await self._see(result)

    async def act(self, act: str) -> None:
        """Press keys, or do what a verb says."""
        verb, _, text = act.partition(" ")
        method, _, params = text.partition(" ")
        match verb:
            case "write":
                await self.write(method, params)
                await self.press("f3")
            case "send":
                await self.send(method or "demo.echo", params or ITEMS)
            case "sent":
                self.pressed.add(text)
                await self.sent(text)
            case "paste":
                await self.paste(text)
            case "replace":
                await self.type_in(text)
            case "choose":
                await self.choose(text)
            case "command":
                self.pressed.add(text)
                await self.run_command(text)
            case "profile":
                await self.profiles(text)
            case _:
                self.pressed.update(act.split())
                await self.press(*act.split())

    async def _see(self, result: str) -> None:
        """Wait until the screen shows a text.

        ``not …`` is on the screen no longer, ``copied …`` is in the clipboard, ``clipboard …`` is all of it, and
        ``recorded …`` counts the calls that are in the history and done.
        """
        if result.startswith("not "):
            await self.misses(result.removeprefix("not "))
        elif result.startswith("copied "):
            await self.until(lambda: result.removeprefix("copied ") in self.app.clipboard)
        elif result.startswith("clipboard "):
            await self.until(lambda: result.removeprefix("clipboard ") == self.app.clipboard)
        elif result.startswith("recorded "):
            count = int(result.removeprefix("recorded "))
            await self.until(lambda: len(self.app.explorer.recent(9)) == count and self.calls.running is None)
        else:
            await self.sees(result)

    async def opens(self) -> None:
        """Wait until the first screen is idle."""
        await self.until(lambda: _is_open(self.app))
        await self.pause()

    @property
    def calls(self) -> CallScreen:
        """The call screen, also below another screen."""
        assert self.app.calls is not None
        return self.app.calls

    async def write(self, method: str, params: str) -> None:
        """Choose a method and replace its params, as a paste does."""
        self.calls.drafts.choose(method)
        self.calls.params.replace(params)
        await self.pause()

    async def sent(self, *keys: str) -> Exchange:
        """Press keys that send, F5 by default, and wait for the exchange."""
        before = self.calls.exchange
        await self.press(*(keys or ["f5"]))
        await self.until(lambda: self.calls.exchange is not before and not self.calls.running)
        assert self.calls.exchange is not None
        return self.calls.exchange

    async def send(self, method: str, params: str) -> Exchange:
        """Send a call, and put the cursor into its response."""
        await self.write(method, params)
        exchange = await self.sent()
        self.calls.response.focus_inside()
        await self.pause()
        return exchange

    @property
    def page(self) -> str:
        """The text of the page of this screen or dialog, also what is out of view."""
        lines = self.app.screen.query_one(Sheet).lines
        return "\n".join("".join(text for text, _ in line) for line in lines)

    async def test_connection(self, *keys: str) -> ConnectionTest:
        """Open a connection test with these keys; run it to its end."""
        await self.press(*keys)
        dialog: ConnectionTest = await self.on(ConnectionTest)
        assert "at most 16 requests" in self.page
        await self.press("enter")
        await self.until(lambda: bool(dialog.report.checks) and not dialog.report.under_way)
        await self.pause()
        return dialog

    async def profiles(self, at: str = "") -> ProfilesScreen:
        """Open the profiles screen with the cursor on a profile."""
        if not isinstance(self.app.screen, ProfilesScreen):
            await self.press("f7")
        screen: ProfilesScreen = await self.on(ProfilesScreen)
        if at:
            listing = screen.list
            listing.cursor = next(number for number, row in enumerate(listing.items) if row.name == at)
            await self.pause()
        return screen


@asynccontextmanager
async def running(app: App[Any], size: tuple[int, int] = (120, 40)) -> AsyncIterator[Running]:
    """Run an app for one widget or screen."""
    async with app.run_test(size=size, notifications=True):
        yield Running(app)


@asynccontextmanager
async def open_program(
    explorer: Explorer, *, profile: str | None = None, case: Path | None = None, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[Program]:
    """Open the program, or a case in it, and wait until its first screen is idle."""
    app = make_app(explorer, profile, case)
    async with app.run_test(size=size, notifications=True):
        program = Program(app)
        await program.opens()
        yield program


def make_app(explorer: Explorer, profile: str | None = None, case: Path | None = None) -> ExplorerApp:
    """Return the program, which does not run yet."""
    person = explorer.credentials._person
    assert isinstance(person, PersonOnScreen)
    app = ExplorerApp(explorer, person, profile, case)
    app.keys.clock = lambda: 0.0  # A test types faster than people: no text is too early after a dialog.
    return app


def _is_open(app: ExplorerApp) -> bool:
    """Return whether the first screen is there with all its panes."""
    screen = app.screen
    if not isinstance(screen, CallScreen):
        return type(screen).__name__ != "Screen" and screen.is_mounted
    if app.calls is not screen or not screen.is_mounted:
        return False
    return bool(screen.method) or screen.drafts.is_opening or not app.explorer.listed_methods()
