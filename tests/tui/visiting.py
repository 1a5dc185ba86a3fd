"""The whole program on an explorer, and helpers that many tests use."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from textual import events
from textual.app import App
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Static

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp, PersonOnScreen
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.connection_test import ConnectionTest
from rpcexplorer.tui.profiles import ProfilesScreen
from rpcexplorer.tui.widgets.rows import Sheet
from tests.tui.stage import text_of
from tests.tui.waiting import until

Story = Callable[[ExplorerApp, Pilot[Any]], Awaitable[None]]
Scene = Callable[[ExplorerApp, Pilot[Any], CallScreen], Awaitable[None]]


def tell(explorer: Explorer, story: Story, *, profile: str | None = None, size: tuple[int, int] = (120, 40)) -> None:
    """Open the program at its first screen, and run a story."""
    person = explorer.credentials._person
    assert isinstance(person, PersonOnScreen)

    async def run() -> None:
        app = ExplorerApp(explorer, person, profile)
        app.keys.clock = lambda: 0.0  # A story types faster than people: no text is too early after a dialog.
        async with app.run_test(size=size, notifications=True) as pilot:
            await until(pilot, lambda: is_there(app))
            await pilot.pause()
            await story(app, pilot)

    asyncio.run(run())


def is_there(app: ExplorerApp) -> bool:
    """Return whether the first screen is open with all its panes."""
    is_first = type(app.screen).__name__ != "Screen" and app.screen.is_mounted
    return is_first and (app.calls is app.screen if isinstance(app.screen, CallScreen) else True)


def visit(explorer: Explorer, scene: Scene, *, profile: str = "demo", size: tuple[int, int] = (120, 40)) -> None:
    """Open the call screen, wait until it is idle, and run a scene."""

    async def story(app: ExplorerApp, pilot: Pilot[Any]) -> None:
        screen = app.calls
        assert screen is not None
        await until(pilot, lambda: bool(screen.method) or not explorer.listed_methods())
        await scene(app, pilot, screen)

    tell(explorer, story, profile=profile, size=size)


async def burst(pilot: Pilot[Any], *keys: str) -> None:
    """Send keys at once, as over a slow network: nothing happens between two."""
    post(pilot.app, *keys)
    await pilot.pause()


def post(app: App[Any], *keys: str) -> None:
    """Post keys as a terminal does."""
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else None))


async def rest(pilot: Pilot[Any]) -> None:
    """Wait until nothing more happens by itself."""
    for _ in range(4):
        await pilot.pause()


async def on(pilot: Pilot[Any], kind: type[Any]) -> Any:
    """Wait for a screen of this class until it is idle."""
    app = pilot.app
    await until(pilot, lambda: isinstance(app.screen, kind) and bool(app.screen.children))
    await pilot.pause()
    await pilot.pause()
    return app.screen


async def profiles(pilot: Pilot[Any], at: str = "") -> ProfilesScreen:
    """Open the profiles screen with the cursor on a profile."""
    if not isinstance(pilot.app.screen, ProfilesScreen):
        await pilot.press("f7")
    screen: ProfilesScreen = await on(pilot, ProfilesScreen)
    if at:
        select_profile(screen, at)
        await pilot.pause()
    return screen


def select_profile(screen: ProfilesScreen, name: str) -> None:
    """Put the cursor on a profile."""
    listing = screen.list
    listing.cursor = next(at for at, row in enumerate(listing.items) if row.name == name)


async def type_in(pilot: Pilot[Any], text: str) -> None:
    """Replace the text of the focused line, as a paste does."""
    await pilot.press("end", "ctrl+u")
    assert pilot.app.focused is not None
    pilot.app.focused.post_message(events.Paste(text))
    await pilot.pause()


def page(screen: ProfilesScreen) -> str:
    """Return the page of the profile under the cursor, visible or not."""
    return "\n".join("".join(text for text, _ in line) for line in screen.pane.sheet.lines)


def asked(dialog: ConnectionTest) -> str:
    """Return the text on the page of a test."""
    return "\n".join("".join(text for text, _ in line) for line in dialog.query_one(Sheet).lines)


async def run_test(pilot: Pilot[Any], *keys: str) -> ConnectionTest:
    """Open a connection test with these keys; run it to its end."""
    await pilot.press(*keys)
    dialog: ConnectionTest = await on(pilot, ConnectionTest)
    assert "at most 16 requests" in asked(dialog)
    await pilot.press("enter")
    await until(pilot, lambda: bool(dialog.report.checks) and not dialog.report.under_way)
    await pilot.pause()
    return dialog


def names(screen: ProfilesScreen) -> list[str]:
    """Return the profiles in the list."""
    return [row.name for row in screen.list.items]


def notices(app: App[Any]) -> str:
    """Return the text of all notices."""
    return "\n".join(str(notice.message) for notice in app._notifications)


def shown(root: Widget) -> str:
    """Return the visible text of a dialog."""
    return "\n".join(str(widget.render()) for widget in root.query(Static) if widget.display)


def on_view(app: App[Any]) -> str:
    """Return everything on screen, line by line."""
    screen = app.screen
    return "\n".join(strip.text for strip in screen._compositor.render_strips(screen.size))


def seen(app: App[Any]) -> str:
    """Return everything on screen, line by line, with several blanks as one."""
    return "\n".join(" ".join(line.split()) for line in on_view(app).splitlines())


def is_on_view(widget: Widget) -> bool:
    """Return whether a widget and all around it are displayed."""
    return all(around.display for around in widget.ancestors_with_self if isinstance(around, Widget))


def drawn(widget: Widget) -> str:
    """Return the text of a widget of ours that is drawn line by line."""
    return text_of(widget)
