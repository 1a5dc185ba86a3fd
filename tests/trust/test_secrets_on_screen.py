"""The screen never shows, copies or writes a password of a response.

The shown text is taken from the picture that the program can save, so pictures are searched as well.
"""

from __future__ import annotations

import asyncio
import html
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp, PersonOnScreen
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.connection_test import ConnectionTest
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.profiles import ProfilesScreen
from tests.export.snippets import SNIPPETS
from tests.fakes.wire import RawServer
from tests.trust.auth_types import KINDS, Gate
from tests.trust.planted import AWKWARD, Parrot, leaks
from tests.tui.visiting import on, run_test
from tests.tui.waiting import until

SECRET = AWKWARD["quotes and backslashes"]
SESSION = "s3ss10n-0f-the-screen"
PROFILES = """\
[profile.shop]
url = "{url}"
auth = {{ kind = "cookie", username = "ada" }}
"""


class Witness:
    """A recorder of everything that was on screen."""

    def __init__(self, app: ExplorerApp, pilot: Pilot[Any]) -> None:
        self.app, self.pilot = app, pilot
        self.seen: dict[str, str] = {}

    async def look(self, at: str) -> None:
        """Record the screen, as a picture and as the text in it."""
        await self.pilot.pause()
        picture = self.app.export_screenshot()
        rows = re.findall(r"<text[^>]*>(.*?)</text>", picture, re.DOTALL)
        self.seen[f"picture of {at}"] = picture
        self.seen[f"text of {at}"] = html.unescape("".join(rows)).replace("\xa0", " ")
        self.seen[f"clipboard at {at}"] = self.app.clipboard
        self.seen[f"toasts at {at}"] = " ".join(str(toast.message) for toast in self.app._notifications)


Day = Callable[[Witness, CallScreen], Awaitable[None]]


async def call(screen: CallScreen, witness: Witness, method: str, *tabs: str) -> None:
    """Send a call, and look at the response."""
    screen.drafts.choose(method)
    screen.params.replace("[]")
    await witness.pilot.pause()
    before = screen.exchange
    await witness.pilot.press("f5")
    await until(witness.pilot, lambda: screen.exchange is not before and not screen.running)
    screen.response.focus_inside()
    for tab in tabs:
        screen.response.tab = tab
        await witness.look(f"{method} {tab}")
    screen.response.tab = "Result"


async def copies(screen: CallScreen, witness: Witness) -> None:
    """Copy the response in every format."""
    await witness.pilot.press("down")
    for part in ("value", "path", "response", "raw", "headers", "request", *SNIPPETS):
        witness.app.copy_to_clipboard("")
        screen.response.action_copy(part)
        await until(witness.pilot, lambda: bool(witness.app.clipboard))
        witness.seen[f"copied {part}"] = witness.app.clipboard


async def day(witness: Witness, screen: CallScreen) -> None:
    """Use all screens as on a typical day."""
    app, pilot, explorer = witness.app, witness.pilot, screen.explorer
    await call(screen, witness, "echo.error", "Result", "Raw")
    await call(screen, witness, "echo.reason", "Result", "Headers")
    await call(screen, witness, "echo.cut", "Raw", "Timing")
    await call(screen, witness, "echo.result", "Result", "Raw", "Headers")
    await copies(screen, witness)
    await pilot.press("f", ".", "enter")
    await until(pilot, lambda: not (screen.response.transform is None or screen.response.transform.is_running))
    await witness.look("a filter")
    screen.params.tab = "Request"
    await witness.look("the request")
    await pilot.press("f9")
    await until(pilot, lambda: bool(explorer.method_lists.learned(explorer.profiles.profiles["shop"])))
    await witness.look("discovery")
    await pilot.press("f6")
    await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and bool(app.screen.children))
    await pilot.press("down")
    await witness.look("history")
    await pilot.press("escape", "f7")
    await until(pilot, lambda: isinstance(app.screen, ProfilesScreen) and bool(app.screen.children))
    await run_test(pilot, "alt+t")
    await witness.look("the test of a connection")


async def short_day(witness: Witness, screen: CallScreen) -> None:
    """Show how credentials are sent, a response, and a connection test."""
    app, pilot = witness.app, witness.pilot
    await call(screen, witness, "echo.reason", "Result", "Headers")
    await call(screen, witness, "echo.result", "Result", "Raw", "Headers")
    for part in ("raw", "curl", "python"):
        app.copy_to_clipboard("")
        screen.response.action_copy(part)
        await until(pilot, lambda: bool(app.clipboard))
        witness.seen[f"copied {part}"] = app.clipboard
    screen.params.tab = "Request"
    await witness.look("the request")
    await pilot.press("f7")
    await until(pilot, lambda: isinstance(app.screen, ProfilesScreen) and bool(app.screen.children))
    await witness.look("the profile")
    await pilot.press("alt+t")
    dialog: ConnectionTest = await on(pilot, ConnectionTest)
    await pilot.press("enter")
    await until(pilot, lambda: dialog._is_over)
    await witness.look("the test of a connection")


def visited(
    folder: Path, server: RawServer, profile: str, given: dict[str, str], day: Day, *, size: tuple[int, int]
) -> dict[str, str]:
    """Return all texts that are shown or written on a day with a profile."""
    seen: dict[str, str] = {}

    async def visit() -> None:
        (folder / "sessions.toml").write_text(profile)
        variables = {"RPCEXPLORER_HOME": str(folder / "home"), **given}
        person = PersonOnScreen()
        app = ExplorerApp(Explorer.open(folder=folder, environment=variables, person=person), person, "shop")
        async with app.run_test(size=size, notifications=True) as pilot:
            await until(pilot, lambda: isinstance(app.screen, CallScreen) and bool(app.screen.method))
            assert isinstance(app.screen, CallScreen)
            witness = Witness(app, pilot)
            await day(witness, app.screen)
        seen.update(witness.seen)

    with server:
        asyncio.run(visit())
    written = (path for path in folder.rglob("*") if path.is_file() and path.name != "secrets.toml")
    return seen | {str(path): path.read_text(errors="replace") for path in written}


@pytest.mark.thorough
def test_screen_clipboard_and_files_hold_no_secret(tmp_path: Path) -> None:
    parrot = Parrot(SECRET, session=SESSION)
    server = RawServer(parrot)
    sinks = visited(
        tmp_path, server, PROFILES.format(url=server.origin), {"RPCEXPLORER_SHOP_PASSWORD": SECRET}, day, size=(80, 24)
    )
    for secret in (SECRET, SESSION):
        assert any(json.dumps(secret)[1:-1].encode() in heard for heard in parrot.heard)
    assert "«shop.password»" in sinks["text of echo.result Result"]
    assert "«shop.session»" in sinks["copied raw"]
    assert "echo.result" in sinks["text of history"]
    assert leaks(sinks, [SECRET, SESSION]) == []


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["a header from a 409", "query with a login"])
def test_screen_holds_no_secret_of_another_auth_type(tmp_path: Path, kind: str) -> None:
    planted = KINDS[kind]
    gate = Gate(planted, SECRET)
    server = RawServer(gate)
    profile = f'[profile.shop]\nurl = "{server.origin}"\nempty_params = "[]"\n{planted.settings}\n'
    given = {f"RPCEXPLORER_SHOP_{planted.typed.upper()}": SECRET}
    sinks = visited(tmp_path, server, profile, given, short_day, size=(120, 40))
    assert gate.let_in >= 2
    tested = sinks["text of the test of a connection"]
    assert "✓ Credentials" in tested or "✓ Login" in tested
    assert leaks(sinks, gate.secrets) == []
