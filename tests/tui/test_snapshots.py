"""Pictures of the main states, which depend on no clock, port or machine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, Self

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Cancelled, Exchange, Outcome, Unreached
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.transport.port import Phases, Progress, Response
from rpcexplorer.tui.app import ExplorerApp, PersonOnScreen
from rpcexplorer.tui.call.response import Transform
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.call.state import Running
from tests.fakes.editor import type_in
from tests.tui.visiting import on_view
from tests.tui.waiting import until

pytestmark = pytest.mark.drawn
PROFILES = """\
version = 1
default = "staging"

[profile.staging]
url = "https://staging.example.com"
description = "Shared staging"
badge = "staging"
auth = { kind = "none" }

[profile.staging.method."user.create"]
doc = "Creates a user"
params = { name = "Ada" }
safe = false
auth = "cookie"

[profile.staging.method."user.delete"]
doc = "Deletes a user"
params = { id = 1 }
safe = false
auth = "cookie"

[profile.staging.method."user.get"]
doc = "One user, by number"
params = { id = 42 }
safe = true
auth = "cookie"

[profile.staging.method."user.list"]
doc = "Lists users, newest first"
params = { page = 1, filter = { active = true } }
safe = true
auth = "cookie"

[profile.prod]
url = "https://rpc.example.com"
description = "The real thing"
badge = "prod"
auth = { kind = "inline", username = "support" }
"""
BODY = b"""{"items": [{"id": 123456789012345678901, "name": "Ada Lovelace", "balance": 1.10, "active": true, \
"manager": null}, {"id": 2, "name": "Alan Turing", "balance": 0.00001000, "active": true, "manager": 1}, \
{"id": 3, "name": "Grace Hopper", "balance": 1e400, "active": false, "manager": 1}], "next": "c2VhcmNo"}"""
TYPED = """{
  "page": 1,
  "filter": {
    "active": true
  }
}"""
NOW = datetime(2026, 11, 21, 10, 41, 7, tzinfo=UTC)
PHASES = Phases(name=0.0011, connect=0.0042, tls=0.0087, send=0.0004, wait=0.0152, transfer=0.0021)


def made(method: str, outcome: Outcome, minutes: int = 0, *, status: int | None = 200, **fields: Any) -> Exchange:
    """Return an exchange with made-up values."""
    body = getattr(outcome, "value", b"") or fields.pop("body", b"")
    reply = b'{"jsonrpc": "2.0", "id": "1m7ypmkv7qa7kfj", "result": ' + body + b"}"
    headers = (("Content-Type", "application/json"), ("Server", "example/1.0"))
    response = Response(status, "OK", "HTTP/1.1", headers, reply, len(reply)) if status else Response()
    known: dict[str, Any] = {
        "id": f"1m7ypmkv7qa{minutes:04}",
        "when": NOW - timedelta(minutes=minutes),
        "profile": "staging",
        "url": "https://staging.example.com/api/v2/",
        "params": '{"page": 1}',
        "kind": "call",
        "seconds": 0.0341,
        "sent": 112,
        "response": replace(response, phases=PHASES),
    }
    return Exchange(method=method, outcome=outcome, **known | fields)


RESULT = made("user.list", Result(BODY))
ERROR = made(
    "user.get",
    ErrorObject(
        -32602,
        "Invalid params",
        b'{"id": "must be an integer"}',
        value=b'{"code": -32602, "message": "Invalid params", "data": {"id": "must be an integer"}}',
    ),
    1,
    seconds=0.0182,
)
UNREACHED = made(
    "auth",
    Unreached("connect", "Nothing answers at staging.example.com:443: is the server running, and is the port right?"),
    38,
    status=None,
)
MALFORMED = made("user.list", Malformed("The response is not JSON."), 40, status=502, body=b"")
MALFORMED = replace(
    MALFORMED,
    response=replace(
        MALFORMED.response, reason="Bad Gateway", body=b"<html>\n<h1>502 Bad Gateway</h1>\n</html>\n", size=42
    ),
)
CANCELLED = made("report.run", Cancelled(maybe_ran=True), 9, status=None)
CALLS = [RESULT, ERROR, made("ping", Result(b'"pong"'), 2, seconds=0.012), CANCELLED, UNREACHED]
State = Callable[[ExplorerApp, Pilot[Any], CallScreen], Awaitable[None]]
Snap = Callable[..., bool]


class FixedDay(datetime):
    """A clock with a fixed day."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return cls.fromtimestamp(NOW.timestamp(), tz)


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fix ids, the time zone and the day."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setattr("rpcexplorer.tui.call.state.fresh_id", lambda: "1m7ypmkv7qa7kfj")
    monkeypatch.setattr("rpcexplorer.tui.widgets.bars.datetime", FixedDay)
    import time

    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def calls(make_explorer: Callable[..., Explorer], person: PersonOnScreen) -> tuple[ExplorerApp, Explorer]:
    explorer = make_explorer(PROFILES, RPCEXPLORER_PROD_PASSWORD="correct-horse")
    explorer.use("staging")
    for exchange in reversed(CALLS):
        explorer.history.append(exchange)
    type_in(explorer, "user.list", TYPED)
    return ExplorerApp(explorer, person, "staging"), explorer


def state(*shows: str, then: State | None = None) -> Callable[[Pilot[Any]], Awaitable[None]]:
    """Return a scene that chooses a method and waits for ``shows``."""
    assert shows, "name a text that the picture shows"

    async def before(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, ExplorerApp)
        await until(pilot, lambda: isinstance(app.screen, CallScreen) and bool(app.screen.method))
        screen = app.screen
        assert isinstance(screen, CallScreen)
        screen.drafts.choose("user.list")
        await pilot.pause()
        if then is not None:
            await then(app, pilot, screen)
            await pilot.pause()
        await until(pilot, lambda: all(text in on_view(app) for text in shows))

    return before


def showing(exchange: Exchange) -> State:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        screen.drafts.choose(exchange.method)
        screen.exchange = exchange

    return show


SIZE = (120, 34)


def test_result(compare_picture: Snap, calls: tuple[ExplorerApp, Explorer]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await showing(RESULT)(app, pilot, screen)
        await pilot.press("f4", "2")

    assert compare_picture(
        calls[0],
        terminal_size=SIZE,
        svg=True,
        run_before=state("✓ result", '"next": "c2VhcmNo"', "{ 5 members }", then=show),
    )


@pytest.mark.thorough
def test_side_by_side(compare_picture: Snap, calls: tuple[ExplorerApp, Explorer]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await showing(RESULT)(app, pilot, screen)
        await pilot.press("alt+s", "f4", "2")

    assert compare_picture(calls[0], terminal_size=(200, 60), run_before=state("✓ result", "{ 5 members }", then=show))


@pytest.mark.thorough
def test_notice(compare_picture: Snap, calls: tuple[ExplorerApp, Explorer]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await showing(RESULT)(app, pilot, screen)
        app.notify("Saved the result, 1.2 kB, in /home/ada/user.list.json.", timeout=60)
        app.notify("What must not be overlooked begins with a sign.", severity="warning", timeout=60)
        await pilot.pause()

    shows = ("What must not be overlooked", "Alt+w 1 more")
    assert compare_picture(calls[0], terminal_size=(80, 24), run_before=state(*shows, then=show))


OUTCOMES = {
    "error": ("✗ error -32602", "the method does not accept these params", '"id": "must be an integer"'),
    "unreached": ("no response   34 ms", "Nothing answers at staging.example.com:443"),
    "malformed": ("! malformed", "The response is not JSON.", "<h1>502 Bad Gateway</h1>"),
    "cancelled": ("◌ cancelled", "The server may have run it"),
}
"""Text on the picture of each outcome."""


@pytest.mark.everyday(1)
@pytest.mark.parametrize("exchange", [ERROR, UNREACHED, MALFORMED, CANCELLED], ids=lambda each: each.outcome_name)
def test_outcome(compare_picture: Snap, calls: tuple[ExplorerApp, Explorer], exchange: Exchange) -> None:
    shows = OUTCOMES[exchange.outcome_name]
    assert compare_picture(calls[0], terminal_size=SIZE, run_before=state(*shows, then=showing(exchange)))


@pytest.mark.thorough
def test_typing(compare_picture: Snap, calls: tuple[ExplorerApp, Explorer]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f2", *"usr")

    assert compare_picture(calls[0], terminal_size=SIZE, run_before=state(" usr", "4 of 8", then=show))


@pytest.mark.thorough
def test_problem(compare_picture: Snap, calls: tuple[ExplorerApp, Explorer]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        screen.drafts.choose("arg_test")
        screen.params.replace('["username": "ada"]')

    assert compare_picture(
        calls[0], terminal_size=SIZE, run_before=state("✗ line 1, column 12", "^R make it an object", then=show)
    )


A_THIRD = Progress("receiving", 38_000_000, 100_000_000, 1.4)
"""of a large response has arrived"""


@pytest.mark.thorough
def test_sending(compare_picture: Snap, calls: tuple[ExplorerApp, Explorer], monkeypatch: pytest.MonkeyPatch) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        running = Running(app.explorer, "sending")
        running.progress = A_THIRD
        monkeypatch.setattr(Running, "seconds", 1.4)
        screen.running = running
        await until(pilot, lambda: screen.response.has_class("-old"))

    assert compare_picture(calls[0], terminal_size=SIZE, run_before=state("◐ receiving", "38 MB of 100 MB", then=show))


@pytest.mark.thorough
def test_request(compare_picture: Snap, calls: tuple[ExplorerApp, Explorer]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f3", "ctrl+o")

    assert compare_picture(
        calls[0], terminal_size=SIZE, run_before=state("POST /api/v2/ HTTP/1.1", '"method":"user.list"', then=show)
    )


@pytest.mark.thorough
def test_table(compare_picture: Snap, calls: tuple[ExplorerApp, Explorer]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await showing(RESULT)(app, pilot, screen)
        await pilot.press("f4", "t")

    assert compare_picture(
        calls[0],
        terminal_size=SIZE,
        run_before=state("id  name             balance  active  manager", "2  Alan Turing", then=show),
    )


@pytest.mark.thorough
def test_search(compare_picture: Snap, calls: tuple[ExplorerApp, Explorer]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await showing(RESULT)(app, pilot, screen)
        await pilot.press("f4", "slash", *"true")
        await until(pilot, lambda: screen.response.body.reader.find.needle == "true")

    assert compare_picture(calls[0], terminal_size=SIZE, run_before=state("/   true", "1 of 2", then=show))


@pytest.mark.thorough
def test_filter(compare_picture: Snap, calls: tuple[ExplorerApp, Explorer]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await showing(RESULT)(app, pilot, screen)
        await pilot.press("f4")
        screen.response.body.made = b'"Ada Lovelace"\n"Alan Turing"'  # as if jq ran
        label, sentence = ".items[].name", "formatted by jq, not by the server"
        screen.response.transform = Transform(label, label, is_running=False, sentence=sentence)

    assert compare_picture(
        calls[0], terminal_size=SIZE, run_before=state("FILTERED   .items[].name", '1   "Ada Lovelace"', then=show)
    )


TABS = {
    "Raw": ('1   {"jsonrpc": "2.0", "id": "1m7ypmkv7qa7kfj", "result": {"items"',),
    "Headers": ("HTTP/1.1 200 OK", "Content-Type  application/json"),
    "Timing": ("name lookup", "TLS", "▆ 34 ms"),
}
"""Text on the picture of each tab."""


@pytest.mark.thorough
@pytest.mark.parametrize("tab", TABS)
def test_tab(compare_picture: Snap, calls: tuple[ExplorerApp, Explorer], tab: str) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await showing(RESULT)(app, pilot, screen)
        screen.response.tab = tab

    assert compare_picture(calls[0], terminal_size=SIZE, run_before=state(*TABS[tab], then=show))


SCREENS = {
    "help": ("f1", "Keys", "Send the call in the editor."),
    "history": ("f6", "History  5 calls", "-32602 ", '"Ada Lovelace"'),
    "profiles": ("f7", "Profiles  2", "Shared staging"),
    "palette": ("ctrl+p", "Command palette", "type to find", "Format the params, one member per line."),
}
"""Key that opens each screen, and a text on its picture."""


@pytest.mark.everyday(1)
@pytest.mark.parametrize("name", SCREENS)
def test_screen(
    compare_picture: Snap, calls: tuple[ExplorerApp, Explorer], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, *shows = SCREENS[name]
    monkeypatch.setattr("rpcexplorer.profiles.profiles.Profiles.files_of", lambda *_: [Path("~/shop/sessions.toml")])

    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press(key)
        await until(pilot, lambda: app.screen is not screen)
        await pilot.pause()

    assert compare_picture(calls[0], terminal_size=SIZE, svg=True, run_before=state(*shows, then=show))


def test_confirm(compare_picture: Snap, calls: tuple[ExplorerApp, Explorer]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        calls[1].use("prod")
        screen.show_profile()
        screen.drafts.choose("user.delete")
        screen.params.replace('{"id": 42}')
        await pilot.press("f5")
        await until(pilot, lambda: app.screen is not screen)

    assert compare_picture(
        calls[0], terminal_size=SIZE, svg=True, run_before=state("Send to PROD?", "user.delete is unsafe", then=show)
    )


@pytest.mark.thorough
def test_narrow_prod(compare_picture: Snap, calls: tuple[ExplorerApp, Explorer]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        calls[1].use("prod")
        screen.show_profile()
        await showing(RESULT)(app, pilot, screen)

    assert compare_picture(
        calls[0], terminal_size=(80, 24), svg=True, run_before=state(" PROD ", "✓ result", then=show)
    )


@pytest.mark.thorough
def test_narrow_methods(compare_picture: Snap, calls: tuple[ExplorerApp, Explorer]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f2")

    assert compare_picture(
        calls[0], terminal_size=(80, 24), run_before=state("▌Methods", "Lists users, newest first", then=show)
    )


@pytest.mark.thorough
def test_wide(compare_picture: Snap, calls: tuple[ExplorerApp, Explorer]) -> None:
    shows = ("Lists users, newest first", "✓ result", '"next": "c2VhcmNo"')
    assert compare_picture(calls[0], terminal_size=(200, 60), svg=True, run_before=state(*shows, then=showing(RESULT)))


@pytest.mark.everyday(1)
@pytest.mark.parametrize("theme", sorted(path.stem for path in (Path(__file__).parents[2] / "themes").glob("*.toml")))
def test_theme(compare_picture: Snap, calls: tuple[ExplorerApp, Explorer], theme: str) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        app.use_theme(theme)
        await showing(RESULT)(app, pilot, screen)
        await pilot.press("f4")
        assert app.theme == theme

    assert compare_picture(
        calls[0], terminal_size=SIZE, svg=True, run_before=state("✓ result", '"name": "Grace Hopper"', then=show)
    )


def test_welcome(
    compare_picture: Snap,
    make_explorer: Callable[..., Explorer],
    person: PersonOnScreen,
) -> None:
    explorer = make_explorer("")
    app = ExplorerApp(explorer, person)

    async def before(pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: "Welcome to rpcexplorer" in on_view(app))

    assert compare_picture(app, terminal_size=SIZE, svg=True, run_before=before)
