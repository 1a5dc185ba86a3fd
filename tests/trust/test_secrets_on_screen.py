"""The screen never shows, copies or writes a password of a response.

The shown text is taken from the picture that the program can save, so pictures are searched as well.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import PersonOnScreen
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.profiles import ProfilesScreen
from tests.export.snippets import SNIPPETS
from tests.fakes.wire import RawServer
from tests.trust.auth_types import KINDS, Gate
from tests.trust.planted import AWKWARD, Parrot, leaks
from tests.tui.program import Program, open_program

SECRET = AWKWARD["quotes and backslashes"]
SESSION = "s3ss10n-0f-the-screen"
PROFILES = """\
[profile.shop]
url = "{url}"
auth = {{ kind = "cookie", username = "ada" }}
"""


class Witness:
    """A recorder of everything that was on screen."""

    def __init__(self, program: Program) -> None:
        self.program, self.app, self.screen = program, program.app, program.calls
        self.seen: dict[str, str] = {}

    async def look(self, at: str) -> None:
        """Record the screen, as a picture and as the text in it."""
        await self.program.pause()
        picture = self.app.export_screenshot()
        rows = re.findall(r"<text[^>]*>(.*?)</text>", picture, re.DOTALL)
        self.seen[f"picture of {at}"] = picture
        self.seen[f"text of {at}"] = html.unescape("".join(rows)).replace("\xa0", " ")
        self.seen[f"clipboard at {at}"] = self.app.clipboard
        self.seen[f"toasts at {at}"] = self.program.notices


Day = Callable[[Witness], Awaitable[None]]


async def call(witness: Witness, method: str, *tabs: str) -> None:
    """Send a call, and look at the response."""
    await witness.program.send(method, "[]")
    for tab in tabs:
        witness.screen.response.tab = tab
        await witness.look(f"{method} {tab}")
    witness.screen.response.tab = "Result"


async def copies(witness: Witness, *parts: str) -> None:
    """Copy parts of the response."""
    for part in parts:
        witness.app.copy_to_clipboard("")
        witness.screen.response.action_copy(part)
        await witness.program.until(lambda: bool(witness.app.clipboard))
        witness.seen[f"copied {part}"] = witness.app.clipboard


async def day(witness: Witness) -> None:
    """Use all screens as on a typical day."""
    program, screen, explorer = witness.program, witness.screen, witness.screen.explorer
    await call(witness, "echo.error", "Result", "Raw")
    await call(witness, "echo.reason", "Result", "Headers")
    await call(witness, "echo.cut", "Raw", "Timing")
    await call(witness, "echo.result", "Result", "Raw", "Headers")
    await program.press("down")
    await copies(witness, "value", "path", "response", "raw", "headers", "request", *SNIPPETS)
    await program.press("f", ".", "enter")
    await program.until(lambda: not (screen.response.transform is None or screen.response.transform.is_running))
    await witness.look("a filter")
    screen.params.tab = "Request"
    await witness.look("the request")
    await program.press("f9")
    await program.until(lambda: bool(explorer.method_lists.learned(explorer.profiles.profiles["shop"])))
    await witness.look("discovery")
    await program.press("f6")
    await program.on(HistoryScreen)
    await program.press("down")
    await witness.look("history")
    await program.press("escape", "f7")
    await program.on(ProfilesScreen)
    await program.test_connection("alt+t")
    await witness.look("the test of a connection")


async def short_day(witness: Witness) -> None:
    """Show how credentials are sent, a response, and a connection test."""
    program, screen = witness.program, witness.screen
    await call(witness, "echo.reason", "Result", "Headers")
    await call(witness, "echo.result", "Result", "Raw", "Headers")
    await copies(witness, "raw", "curl", "python")
    screen.params.tab = "Request"
    await witness.look("the request")
    await program.press("f7")
    await program.on(ProfilesScreen)
    await witness.look("the profile")
    await program.test_connection("alt+t")
    await witness.look("the test of a connection")


async def visited(
    folder: Path, server: RawServer, profile: str, given: dict[str, str], day: Day, *, size: tuple[int, int]
) -> dict[str, str]:
    """Return all texts that are shown or written on a day with a profile."""
    (folder / "sessions.toml").write_text(profile)
    variables = {"RPCEXPLORER_HOME": str(folder / "home"), **given}
    explorer = Explorer.open(folder=folder, environment=variables, person=PersonOnScreen())
    with server:
        async with open_program(explorer, profile="shop", size=size) as program:
            witness = Witness(program)
            await day(witness)
    written = (path for path in folder.rglob("*") if path.is_file() and path.name != "secrets.toml")
    return witness.seen | {str(path): path.read_text(errors="replace") for path in written}


@pytest.mark.thorough
async def test_screen_clipboard_and_files_hold_no_secret(tmp_path: Path) -> None:
    parrot = Parrot(SECRET, session=SESSION)
    server = RawServer(parrot)
    sinks = await visited(
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
async def test_screen_holds_no_secret_of_another_auth_type(tmp_path: Path, kind: str) -> None:
    planted = KINDS[kind]
    gate = Gate(planted, SECRET)
    server = RawServer(gate)
    profile = f'[profile.shop]\nurl = "{server.origin}"\nempty_params = "[]"\n{planted.settings}\n'
    given = {f"RPCEXPLORER_SHOP_{planted.typed.upper()}": SECRET}
    sinks = await visited(tmp_path, server, profile, given, short_day, size=(120, 40))
    assert gate.let_in >= 2
    tested = sinks["text of the test of a connection"]
    assert "✓ Credentials" in tested or "✓ Login" in tested
    assert leaks(sinks, gate.secrets) == []
