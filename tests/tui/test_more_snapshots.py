"""Pictures of rarer states.

Like those of ``test_snapshots``, whose values they share, they do not depend on a clock, a port or a machine. The day
is always the same.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from datetime import UTC
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual import events
from textual.pilot import Pilot

from rpcexplorer.checks.judge import Failure
from rpcexplorer.checks.run import Check as SavedCheck
from rpcexplorer.checks.run import CheckResult, CheckRun
from rpcexplorer.client.probe import Proposal
from rpcexplorer.client.replay import Replayed, replayed
from rpcexplorer.client.report import Check, Report
from rpcexplorer.compare.compare import compared
from rpcexplorer.explorer import Explorer
from rpcexplorer.files.paths import Paths
from rpcexplorer.files.toml_shape import Source
from rpcexplorer.jsontext.params import Typo
from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.model.batch import CollectedCalls, parts_of
from rpcexplorer.model.draft import Batch, Draft, to_calls
from rpcexplorer.model.exchange import Exchange, Sent, Stop
from rpcexplorer.model.expectation import Expectation
from rpcexplorer.model.method import Described, DescribedParam, SavedCall
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.batch import decode_batch
from rpcexplorer.rpc.messages import Malformed, Result
from rpcexplorer.transport.port import Response
from rpcexplorer.tui.app import ExplorerApp, PersonOnScreen
from rpcexplorer.tui.batch import BatchScreen
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.checks import ChecksScreen
from rpcexplorer.tui.compare import ComparisonScreen
from rpcexplorer.tui.connection_test import ConnectionTest
from rpcexplorer.tui.dialogs import Credentials
from rpcexplorer.tui.form import FormScreen
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.profile_form import ProfileForm
from rpcexplorer.tui.profiles import ProfilesScreen
from rpcexplorer.tui.replay import ReplayScreen
from rpcexplorer.tui.statistics import StatisticsScreen
from rpcexplorer.tui.widgets.bars import Footer, Frame
from rpcexplorer.tui.widgets.dialog import Confirm
from tests.fakes.editor import type_in
from tests.tui.test_snapshots import CALLS, ERROR, PROFILES, RESULT, TYPED, UNREACHED, FixedDay, made, showing, state
from tests.tui.visiting import on, on_view, select_profile
from tests.tui.waiting import until

SMALL, USUAL, TALL = (80, 24), (120, 34), (120, 40)
NOTIFICATION = made("user.create", Sent(), status=None, kind="notification", seconds=0.0093)
NOTIFICATION = replace(NOTIFICATION, response=Response(204, "No Content", "HTTP/1.1"))
BATCH = made(
    "user.get, ping",
    Result(b'[{"id": 42, "name": "Ada Lovelace"}, "pong"]'),
    50,
    kind="batch",
    params='[{"method": "user.get", "params": {"id": 42}}, {"method": "ping", "params": []}]',
)
SHOP = '\n[profile.shop]\nurl = "https://shop.example.com"\nbadge = "staging"\nauth = { kind = "cookie" }\n'
PLACES = Paths(Path("~/.config/rpcexplorer"), Path("~/.local/state/rpcexplorer"), Path("~/.cache/rpcexplorer"))
pytestmark = [pytest.mark.drawn, pytest.mark.thorough]
Snap = Callable[..., bool]
Show = Callable[[ExplorerApp, Pilot[Any], CallScreen], Awaitable[None]]


def place(source: Source) -> str:
    """Return a source with the same path on every machine."""
    return source.file if source.line is None else f"~/shop/sessions.toml:{source.line}"


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fix ids, the time zone, the day and the names of files."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setattr("rpcexplorer.tui.call.state.fresh_id", lambda: "1m7ypmkv7qa7kfj")
    monkeypatch.setattr("rpcexplorer.tui.widgets.bars.datetime", FixedDay)
    monkeypatch.setattr("rpcexplorer.profiles.profiles.Profiles.files_of", lambda *_: [Path("~/shop/sessions.toml")])
    monkeypatch.setattr("rpcexplorer.files.toml_shape.Source.__str__", place)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def explorer(make_explorer: Callable[..., Explorer]) -> Explorer:
    explorer = make_explorer(PROFILES + SHOP, RPCEXPLORER_PROD_PASSWORD="correct-horse")
    explorer.use("staging")
    type_in(explorer, "user.list", TYPED)
    for name, value in vars(Explorer).items():
        if isinstance(value, cached_property):
            getattr(explorer, name)  # opens its files in the home of the test: the paths below are only shown
    explorer.paths = PLACES
    return explorer


@pytest.fixture
def picture(compare_picture: Snap, explorer: Explorer, person: PersonOnScreen) -> Callable[..., bool]:
    """Return a function that compares the screen once it ``shows`` all texts."""

    def taken(
        show: Show,
        *shows: str,
        calls: Iterable[Exchange] = (),
        size: tuple[int, int] = USUAL,
        profile: str = "staging",
        svg: bool = False,
    ) -> bool:
        for exchange in reversed([*calls]):
            explorer.history.append(exchange)
        explorer.use(profile)
        app = ExplorerApp(explorer, person, profile)
        return compare_picture(app, terminal_size=size, run_before=state(*shows, then=show), svg=svg)

    return taken


def paste(app: ExplorerApp, text: str) -> None:
    """Paste a text into the focused widget."""
    assert app.focused is not None
    app.focused.post_message(events.Paste(text))


async def history(_: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
    await pilot.press("f6")
    opened = await on(pilot, HistoryScreen)
    await until(pilot, lambda: opened.reading is not None and opened.reading.full)


def test_notification_sent(picture: Callable[..., bool]) -> None:
    assert picture(showing(NOTIFICATION), "→ sent", "sends no response", calls=[NOTIFICATION, *CALLS])


def test_unknown_method_can_be_called(picture: Callable[..., bool]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f2")
        paste(app, "user.rename")

    assert picture(show, 'call "user.rename"', "no matches", calls=CALLS)


REFUSED = made(
    "user.list",
    Malformed('HTTP 401 Unauthorized: the server asks for credentials (Basic realm="shop"). The response has no body.'),
    status=401,
    body=b"",
)
REFUSED = replace(
    REFUSED, response=replace(REFUSED.response, headers=(("WWW-Authenticate", 'Basic realm="shop"'),), body=b"", size=0)
)


def hinting(then: Show | None = None) -> Show:
    """Show a call that was just rejected, with its hint."""

    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await showing(REFUSED)(app, pilot, screen)
        assert app.explorer.profile is not None
        screen.advice.offer(REFUSED, app.explorer.profile, screen.action_send)
        if then is not None:
            await then(app, pilot, screen)

    return show


def test_hint_in_a_small_terminal(picture: Callable[..., bool]) -> None:
    assert picture(hinting(), "! Unauthorized", "^R set auth.kind to basic in staging and resend", size=SMALL)


def test_accepted_hint_in_a_tall_terminal(picture: Callable[..., bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.explorer.Explorer.reload", lambda _: None)

    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await until(pilot, lambda: "apply hint" in on_view(app))
        await pilot.press("ctrl+r")
        await on(pilot, Confirm)

    assert picture(hinting(show), "auth.kind  none → basic", "Change in project file", calls=CALLS, size=TALL)


def test_without_colours(picture: Callable[..., bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await showing(RESULT)(app, pilot, screen)
        await pilot.press("f4", "down", "down")
        assert app.no_color

    assert picture(show, "✓ result", '"Grace Hopper"', calls=CALLS, svg=True)


def test_credentials_are_asked_for_and_masked(picture: Callable[..., bool]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f8")
        await on(pilot, Credentials)
        paste(app, "ada")
        await pilot.press("tab")
        paste(app, "correct-horse")

    assert picture(show, "user name       ada", f"password        {'•' * 13}", profile="shop")


def test_another_session_is_asked_for(picture: Callable[..., bool], explorer: Explorer) -> None:
    shop = explorer.profiles.get("shop")
    assert isinstance(shop, Profile)
    for field in ("username", "password", "session"):
        explorer.credentials.hold(shop, field, "known", keep=False)

    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        screen.action_new_session()
        await on(pilot, Credentials)

    assert picture(show, "Log in to shop?", "session id      entered, until you quit", profile="shop")


def test_history_in_a_small_terminal(picture: Callable[..., bool]) -> None:
    assert picture(history, "History  5 calls", "-32602 ", '"Ada Lovelace"', calls=CALLS, size=SMALL)


def test_batch_in_the_history(picture: Callable[..., bool]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await history(app, pilot, screen)
        await pilot.press("end")

    assert picture(show, "user.get, ping  batch", "Enter shows each call", calls=[*CALLS, BATCH])


COLLECTED = (
    CollectedCalls()
    .added(Draft("user.get", '{"id": 42}'))
    .added(Draft("user.rename", '{"id": 42, "name": "Ada Lovelace"}'))
    .added(Draft("audit.write", '["renamed"]', notification=True))
    .added(Draft("ping"))
)
CAME = (
    b'[{"jsonrpc":"2.0","id":"1m7ypmkv7qa0050.2","error":{"code":-32602,"message":"Invalid params"}},'
    b'{"jsonrpc":"2.0","id":"1m7ypmkv7qa0050.1","result":{"id":42,"name":"Ada","balance":1.10}},'
    b'{"jsonrpc":"2.0","id":"stray","result":true}]'
)
CALLED = to_calls(Batch(COLLECTED.text), "1m7ypmkv7qa0050")
assert not isinstance(CALLED, Typo)
SENT = made("4 calls", decode_batch(CAME, CALLED), 50, kind="batch", params=COLLECTED.text)
SENT = replace(SENT, response=replace(SENT.response, body=CAME, size=len(CAME)))


@pytest.mark.parametrize("size", [SMALL, TALL, (200, 60)], ids=lambda each: f"{each[0]}x{each[1]}")
def test_batch(picture: Callable[..., bool], explorer: Explorer, size: tuple[int, int]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        assert explorer.profile is not None
        explorer.batches.keep(explorer.profile, COLLECTED.with_exchange(SENT, parts_of(SENT)), ())
        await pilot.press("alt+l")
        await on(pilot, BatchScreen)
        await pilot.press("down")

    assert picture(show, "Batch  4 calls", "-32602 Invalid", "No response to this", "unexpected response", size=size)


ADDRESS = {
    "type": "object",
    "required": ["city"],
    "properties": {
        "street": {"type": "string"},
        "city": {"type": "string", "minLength": 1},
        "country": {"enum": ["Meridia", "Port Elara"]},
    },
}
DESCRIBED = Described(
    (
        DescribedParam("name", {"type": "string", "maxLength": 40}, required=True, doc="In full, as it is printed."),
        DescribedParam("born", {"type": ["integer", "null"], "minimum": 1900, "maximum": 2100}),
        DescribedParam("active", {"type": "boolean"}),
        DescribedParam("address", ADDRESS, doc="Where parcels go.\nNobody else sees it."),
        DescribedParam("roles", {"type": "array", "items": {"enum": ["user", "admin"]}}, deprecated=True),
        DescribedParam("login", {"oneOf": [{"type": "string"}, {"title": "token", "type": "object"}]}),
        DescribedParam("manager", {"type": "integer"}, required=True),
    )
)
FILLED = """{
  "name": "Ada Lovelace",
  "born": null,
  "address": {
    "city": 7
  },
  "roles": ["user"],
  "nickname": "countess"
}"""


@pytest.mark.everyday(1)
@pytest.mark.parametrize("size", [SMALL, TALL, (200, 60)], ids=lambda each: f"{each[0]}x{each[1]}")
def test_params_as_a_form(picture: Callable[..., bool], size: tuple[int, int]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        screen.drafts.choose("user.create")
        screen.params.replace(FILLED)
        screen.described = DESCRIBED
        await pilot.press("alt+e")
        await on(pilot, FormScreen)
        await pilot.press("home", "down", "down", "down")

    assert picture(
        show,
        "Form  user.create",
        "! 3 problems",
        "is not one of the params",
        "Where parcels go.",
        size=size,
        svg=size == TALL,
    )


def test_empty_history(picture: Callable[..., bool]) -> None:
    assert picture(history, "History  0 calls", "No calls with staging yet.")


@pytest.mark.parametrize("size", [SMALL, TALL, (200, 60)], ids=["small", "tall", "large"])
def test_statistics(picture: Callable[..., bool], monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]) -> None:
    monkeypatch.setattr("rpcexplorer.tui.widgets.bars.datetime", FixedDay)
    methods = ("user.get", "user.list", "user.list", "order.create", "ping", "report.run")
    calls = [
        made(
            methods[number % 6],
            ERROR.outcome if number % 9 == 4 else UNREACHED.outcome if number % 31 == 7 else Result(b"1"),
            number * (7 + number % 5),
            seconds=0.02 * (1 + number % 13) ** 1.7,
        )
        for number in range(90)
    ]

    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await history(app, pilot, screen)
        await pilot.press("s")
        opened = await on(pilot, StatisticsScreen)
        await until(pilot, lambda: opened._records.ended)
        await pilot.press("s", "down")

    assert picture(show, "90 calls", "most failures first", "per bar", calls=[*calls], size=size, svg=size == TALL)


async def profiles(pilot: Pilot[Any], at: str = "staging") -> None:
    await pilot.press("f7")
    select_profile(await on(pilot, ProfilesScreen), at)
    await pilot.pause()


def test_profiles_in_a_small_terminal(picture: Callable[..., bool]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await profiles(pilot)

    assert picture(show, "Profiles  3", "Shared staging", size=SMALL)


def test_profile_removal_dialog(picture: Callable[..., bool]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await profiles(pilot, "prod")
        await pilot.press("delete")
        await on(pilot, Confirm)

    assert picture(show, "Remove prod?", "Cancel")


def test_profile_form(picture: Callable[..., bool]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await profiles(pilot, "prod")
        await pilot.press("e")
        await on(pilot, ProfileForm)

    assert picture(show, "Edit prod", "description     The real thing", "empty params")


def test_preset_fills_the_profile_form(picture: Callable[..., bool]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await profiles(pilot)
        await pilot.press("a")
        form = await on(pilot, ProfileForm)
        paste(app, "downloads")
        await pilot.press("tab")
        paste(app, "http://127.0.0.1:6800")
        form.input_of("preset").focus()
        await pilot.press("a")

    assert picture(
        show, "Calls go to http://127.0.0.1:6800/jsonrpc", "is the value of --rpc-secret", "token:{token}", size=SMALL
    )


def test_profile_form_with_problems(picture: Callable[..., bool]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await profiles(pilot)
        await pilot.press("a")
        await on(pilot, ProfileForm)
        paste(app, "production")
        await pilot.press("tab")
        paste(app, "rpc.example.com")
        await pilot.press("ctrl+s")

    assert picture(show, "Add a profile", "✗ A URL begins with https:// or http://", size=SMALL)


CHECKS = (
    Check("Name", "well", "The host name was resolved.", 0.0012),
    Check("TCP", "well", "Connected.", 0.0131),
    Check("TLS", "well", "Encrypted. The certificate is valid.", 0.0208),
    Check("HTTP", "well", "Status 401 from Transmission", 0.0093),
    Check("Address", "failed", "No JSON-RPC at /api/v2/: HTTP 401. /transmission/rpc asks for credentials.", code=5),
    Check("Content type", "well", "Preset transmission uses application/json."),
    Check("Empty params", "well", "Preset transmission uses {}."),
    Check("Handshake", "unknown", "Unknown before a login."),
    Check("JSON-RPC", "unknown", "Unknown before a login."),
    Check(
        "Server", "well", "The server looks like Transmission before 4.1, the BitTorrent client (preset transmission)."
    ),
    Check("Login", "failed", "The server asks for Basic auth.", code=3),
)


@pytest.mark.parametrize("size", [SMALL, TALL], ids=["small", "tall"])
def test_connection_test_result(picture: Callable[..., bool], size: tuple[int, int]) -> None:
    async def tested(*_: object, **__: object) -> Report:
        return Report(CHECKS, Proposal((("preset", "transmission"), ("auth.kind", "basic"))), requests=2)

    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await profiles(pilot, "prod")
        await pilot.press("alt+t")
        dialog: ConnectionTest = await on(pilot, ConnectionTest)
        dialog._explorer.test = tested  # type: ignore[method-assign]
        await pilot.press("enter")
        await until(pilot, lambda: bool(dialog.report.checks))

    assert picture(show, "Connection test: prod", "not set → transmission", "Save", size=size)


SIZES = pytest.mark.parametrize("size", [SMALL, TALL, (200, 60)], ids=["small", "tall", "wide"])
USERS = [
    {"id": 40 + at, "name": name, "roles": ["reader"]} for at, name in enumerate(("Ada", "Grace", "Edsger", "Barbara"))
]
BEFORE = {"items": USERS, "next": "c2VhcmNo", "ratio": 1.0, "seen": "10:40:12", "total": 4}
AFTER = {
    **BEFORE, "items": [{"id": 39, "name": "Alan"}, *USERS[:2], {**USERS[2], "name": "Edsger W."}, USERS[3]],
    "ratio": 1.00, "seen": "10:41:09", "total": 5, "more": False,
}  # fmt: skip
ON_PROD = made("user.list", Result(json.dumps(BEFORE).encode()), 9, profile="prod", foreign=True)
ON_STAGING = made("user.list", Result(json.dumps(AFTER).replace("1.0", "1.00").encode()), seconds=0.0512)
PONG = made("ping", Result(b'"pong"'), 12, seconds=0.012, profile="prod", foreign=True)
FAILS = replace(ERROR, profile="prod", foreign=True)


def frame(screen: CallScreen) -> Frame:
    return Frame(screen.header.copy, Footer, UTC, FixedDay.now(UTC).date())


@SIZES
def test_comparison_of_two_responses(picture: Callable[..., bool], size: tuple[int, int]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        opened = ComparisonScreen(app.explorer, ON_PROD, ON_STAGING, app.pending, frame(screen), ignore=["/seen"])
        app.push_screen(opened)
        await until(pilot, lambda: opened.comparison is not None)
        await pilot.press("n")

    assert picture(show, "2 values differ", "Edsger W.", "difference 2 of", size=size, svg=size == TALL)


@SIZES
def test_replay_of_calls(picture: Callable[..., bool], size: tuple[int, int]) -> None:
    async def run(_: Stop) -> AsyncIterator[Replayed]:
        yield replayed(PONG, replace(PONG, seconds=0.021), at_once(compared(PONG, PONG)))
        yield replayed(ON_PROD, ON_STAGING, at_once(compared(ON_PROD, ON_STAGING, ["/seen"])))
        yield Replayed(FAILS, UNREACHED, None, "failed", str(getattr(UNREACHED.outcome, "sentence", "")))
        await asyncio.Event().wait()

    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        names = ["ping", "user.list", "user.get", "user.get", "report.run"]
        said = [
            (
                "first sent to https://rpc.example.com/api/v2/, now sent to https://staging.example.com/api/v2/",
                "careful",
            )
        ]
        title = "Replay  5 calls on staging"
        opened = ReplayScreen(app.explorer, title, run, app.pending, frame(screen), names=names)
        opened.remarks.pieces = said
        app.push_screen(opened)
        await until(pilot, lambda: len(opened.done) == 3)
        await pilot.press("down")

    assert picture(show, "3 of 5", "≠ user.list", "sending", size=size)


def check(name: str, method: str, **expected: Any) -> SavedCheck:
    call = SavedCall(name, method, file="~/shop/sessions.toml", line=12, expect=Expectation(**expected))
    return SavedCheck(call, Expectation(**expected), Profile("staging", "https://staging.example.com"))


def test_checks_while_they_run(picture: Callable[..., bool], monkeypatch: pytest.MonkeyPatch) -> None:
    of_list = check("list users", "user.list", values=(("/total", "3"), ("/items/0/name", '"Ada"')))
    some = [check("ping", "ping"), of_list, check("create", "user.create", code=-1), check("late", "ping", within=1)]
    failures = (Failure("/total", "3", "4"), Failure("/items/0/name", '"Ada"', '"Ada Lovelace"'))
    results = [
        CheckResult(some[0], seconds=0.0341, id="a"),
        CheckResult(some[1], failures, seconds=0.0512, id="b"),
        CheckResult(some[2], error="no response: the server closed the connection", id="c", code=4, seconds=2),
    ]

    async def run(_: object, *__: object, show: Callable[[CheckResult], None], **___: object) -> None:
        for result in results:
            show(result)
        await asyncio.Event().wait()

    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        monkeypatch.setattr(CheckRun, "run", run)
        opened = ChecksScreen(screen.explorer, some, app.pending, frame(screen))
        app.push_screen(opened)
        await until(pilot, lambda: len(opened.results) == 3)
        await pilot.press("down")

    assert picture(show, "3 of 4", "✗ list users", "waiting", 'got "Ada Lovelace"', size=SMALL)


def test_expectations_to_choose_from(picture: Callable[..., bool], explorer: Explorer) -> None:
    calls = """
[call.users]
method = "user.list"
expect = { outcome = "error", code = -1 }
[call.one]
method = "user.get"
expect = { within = 500 }
"""
    file = explorer.profiles.files[-1]
    file.write_text(file.read_text() + calls)
    explorer.reload()

    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        for name, call in explorer.saved_calls().items():
            screen.all_verdicts["staging", call] = "failed" if name == "users" else "passed"
        screen.explorer_changed()
        await showing(replace(RESULT, params="[]"))(app, pilot, screen)
        screen.drafts.choose("@users")
        await pilot.pause()
        screen.check_remark = [("✗ check failed: outcome: wanted error, got result", "wrong")]
        await pilot.press("f4", "down", "down", "e")

    assert picture(show, "Expect in @users", "replaces outcome, code", "✗ check failed")
