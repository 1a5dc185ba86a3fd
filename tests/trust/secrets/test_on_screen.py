"""The screen on a server that repeats the password: nothing on view, copied or written down holds it in any spelling.

What is on view is taken from the picture that the program itself can save, so that pictures are searched as well.
"""

from __future__ import annotations

import asyncio
import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.response.pane import ResponsePane
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.dialogs.person import PersonOnScreen
from rpcexplorer.tui.history.screen import HistoryScreen
from rpcexplorer.tui.profiles.screen import ProfilesScreen
from rpcexplorer.views.copying.snippets import SNIPPETS
from tests.fakes.wire import RawServer
from tests.trust.secrets.planted import AWKWARD, Parrot, leaks
from tests.tui.visiting import begun
from tests.tui.waiting import until

SECRET = AWKWARD["quotes and backslashes"]
SESSION = "s3ss10n-0f-the-screen"
PROFILES = """\
[profile.shop]
url = "{url}"
auth = {{ kind = "cookie", username = "ada" }}
"""


class Witness:
    """Looks at the screen again and again, and remembers all it has seen."""

    def __init__(self, app: ExplorerApp, pilot: Pilot[Any]) -> None:
        self.app, self.pilot = app, pilot
        self.seen: dict[str, str] = {}

    async def look(self, at: str) -> None:
        """Take down what is on view, as a picture and as the text in it."""
        await self.pilot.pause()
        picture = self.app.export_screenshot()
        rows = re.findall(r"<text[^>]*>(.*?)</text>", picture, re.DOTALL)
        self.seen[f"picture of {at}"] = picture
        self.seen[f"text of {at}"] = html.unescape("".join(rows)).replace("\xa0", " ")
        self.seen[f"clipboard at {at}"] = self.app.clipboard
        self.seen[f"toasts at {at}"] = " ".join(str(toast.message) for toast in self.app._notifications)


async def call(screen: CallScreen, witness: Witness, method: str, *tabs: str) -> None:
    """Send, and look at what came."""
    screen.choose(method)
    screen.params.replace("{}")
    await witness.pilot.pause()
    before = screen.exchange
    await witness.pilot.press("f5")
    await until(witness.pilot, lambda: screen.exchange is not before and not screen.what)
    screen.response.focus_inside()
    for tab in tabs:
        screen.response.tab = tab
        await witness.look(f"{method} {tab}")
    screen.response.tab = "Result"


async def copies(screen: CallScreen, witness: Witness) -> None:
    """Copy all that can be copied of the reply."""
    await witness.pilot.press("down")
    for what in ("value", "path", "reply", "raw", *SNIPPETS):
        witness.app.copy_to_clipboard("")
        screen.response.post_message(ResponsePane.CopyReplyWanted(screen.response, what))
        await until(witness.pilot, lambda: bool(witness.app.clipboard))
        witness.seen[f"copied {what}"] = witness.app.clipboard


async def day(witness: Witness, screen: CallScreen) -> None:
    """What one does with the program."""
    app, pilot, explorer = witness.app, witness.pilot, screen.explorer
    await call(screen, witness, "echo.error", "Result", "Raw")
    await call(screen, witness, "echo.reason", "Result", "Headers")
    await call(screen, witness, "echo.cut", "Raw", "Timing")
    await call(screen, witness, "echo.result", "Result", "Raw", "Headers")
    await copies(screen, witness)
    await pilot.press("f", ".", "enter")
    await until(pilot, lambda: bool(screen.response.filtered) and not screen.response.waiting)
    await witness.look("a filter")
    screen.params.tab = "Request"
    await witness.look("the request")
    await pilot.press("f9")
    await until(pilot, lambda: bool(explorer.catalogues.of(explorer.profiles.profiles["shop"])))
    await witness.look("discovery")
    await pilot.press("f6")
    await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and bool(app.screen.children))
    await pilot.press("down")
    await witness.look("history")
    await pilot.press("escape", "f7")
    await until(pilot, lambda: isinstance(app.screen, ProfilesScreen) and bool(app.screen.children))
    await begun(pilot, "t")
    await witness.look("the test of a connection")


@pytest.mark.thorough
def test_nothing_on_view_copied_or_written_holds_a_secret(tmp_path: Path) -> None:
    seen: dict[str, str] = {}

    async def visit(url: str) -> None:
        (tmp_path / "sessions.toml").write_text(PROFILES.format(url=url))
        variables = {"RPCEXPLORER_SHOP_PASSWORD": SECRET, "RPCEXPLORER_HOME": str(tmp_path / "home")}
        person = PersonOnScreen()
        app = ExplorerApp(Explorer.open(folder=tmp_path, environment=variables, person=person), person, "shop")
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            await until(pilot, lambda: isinstance(app.screen, CallScreen) and bool(app.screen.method))
            assert isinstance(app.screen, CallScreen)
            witness = Witness(app, pilot)
            await day(witness, app.screen)
        seen.update(witness.seen)

    parrot = Parrot(SECRET, session=SESSION)
    with RawServer(parrot) as server:
        asyncio.run(visit(server.origin))
    for secret in (SECRET, SESSION):
        assert any(json.dumps(secret)[1:-1].encode() in heard for heard in parrot.heard)
    assert "«shop.password»" in seen["text of echo.result Result"]
    assert "«shop.session»" in seen["copied raw"]
    assert "echo.result" in seen["text of history"]
    written = (path for path in tmp_path.rglob("*") if path.is_file() and path.name != "secrets.toml")
    sinks = seen | {str(path): path.read_text(errors="replace") for path in written}
    assert leaks(sinks, [SECRET, SESSION]) == []
