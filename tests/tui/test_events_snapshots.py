"""Pictures of connections that stay open: the header, the events, an answer, the question about a process."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import Change, DestinationChanged, ProcessCommand
from rpcexplorer.model.event import Event
from rpcexplorer.rpc.messages import Result
from rpcexplorer.secrets.destination import DISPUTED, NOT_ALLOWED
from rpcexplorer.tui.app import ExplorerApp, PersonOnScreen
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.dialogs import may_allow
from rpcexplorer.tui.events import AnswerDialog, EventsScreen
from rpcexplorer.tui.widgets.dialog import Confirm
from tests.tui.test_snapshots import NOW, FixedDay, made
from tests.tui.visiting import on, on_view
from tests.tui.waiting import until

PROFILES = """\
version = 1

[profile.node]
url = "ws://127.0.0.1:8545"
path = "/"
description = "A node of mine"
badge = "dev"
auth = { kind = "none" }

[profile.node.method.eth_blockNumber]
safe = true

[profile.node.method.eth_subscribe]
params = ["newHeads"]
"""
SUBSCRIBED = made("eth_subscribe", Result(b'"0x1"'), status=None, url="ws://127.0.0.1:8545/", params='["newHeads"]')
BLOCK = b"""{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":\
{"number":"%#x","hash":"0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6",\
"gasUsed":"0x5208","timestamp":"0x6560d0af"}}}"""
ASKED = b'{"jsonrpc":"2.0","id":7,"method":"roots/list","params":{"_meta":{"progressToken":1}}}'
SIZES = [(80, 24), (120, 40), (200, 60)]
Snap = Callable[..., bool]
Show = Callable[[ExplorerApp, Pilot[Any], CallScreen], Awaitable[None]]
pytestmark = [
    pytest.mark.drawn,
    pytest.mark.thorough,
    pytest.mark.parametrize("size", SIZES, ids=lambda each: f"{each[0]}x{each[1]}"),
]


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fix ids, the time zone and the clock."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setattr("rpcexplorer.tui.call.state.fresh_id", lambda: "1m7ypmkv7qa7kfj")
    for module in ("widgets.bars", "connections", "events"):
        monkeypatch.setattr(f"rpcexplorer.tui.{module}.datetime", FixedDay)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def picture(
    compare_picture: Snap,
    make_explorer: Callable[..., Explorer],
    person: PersonOnScreen,
    monkeypatch: pytest.MonkeyPatch,
    size: tuple[int, int],
) -> Callable[..., bool]:
    """Return a function that compares the screen once it ``shows`` all texts."""
    explorer = make_explorer(PROFILES)
    explorer.use("node")
    explorer.history.append(SUBSCRIBED)
    requests = SimpleNamespace(unanswered=0)
    state = {"is_open": True, "is_closing": False, "since": NOW - timedelta(minutes=2), "ended": None}
    connection = SimpleNamespace(requests=requests, **state)
    monkeypatch.setattr(explorer, "connection_of", lambda _: connection)

    def taken(show: Show, *shows: str, svg: bool = False) -> bool:
        app = ExplorerApp(explorer, person, "node")

        async def before(pilot: Pilot[Any]) -> None:
            await until(pilot, lambda: app.calls is not None)
            assert app.calls is not None
            app.calls.drafts.choose("eth_subscribe")
            await pilot.press("f3")
            await show(app, pilot, app.calls)
            await until(pilot, lambda: all(text in on_view(app) for text in shows))

        return compare_picture(app, terminal_size=size, run_before=before, svg=svg)

    return taken


def arrive(explorer: Explorer, *events: Event) -> None:
    """Let events arrive: blocks, with others between them."""
    assert explorer.profile is not None
    blocks = [
        Event(
            NOW + timedelta(seconds=12 * at), "notification", BLOCK % (7000 + at), "eth_subscription", of=SUBSCRIBED.id
        )
        for at in range(4)
    ]
    for event in sorted([*blocks, *events], key=lambda event: event.when):
        explorer.hooks.on_event(explorer.profile, event)


def strange() -> list[Event]:
    answered = Event(
        NOW + timedelta(seconds=1.2), "request", ASKED, "roots/list", b"6", answer=b'"result":{"roots":[]}'
    )
    late = b'{"jsonrpc":"2.0","id":"1m7ypmkv7qa0009","result":true}'
    return [
        answered,
        Event(NOW + timedelta(seconds=15), "response", late, remark="the call has already ended"),
        Event(NOW + timedelta(seconds=27), "unreadable", b"Listening on 8545", remark="this is not a JSON object"),
    ]


def waiting() -> Event:
    return Event(NOW + timedelta(seconds=13.5), "request", ASKED, "roots/list", b"7")


async def subscribed(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
    screen.exchange = SUBSCRIBED
    arrive(app.explorer)
    await until(pilot, lambda: "4 events" in on_view(app))


def test_open_connection(picture: Callable[..., bool]) -> None:
    assert picture(subscribed, "● open 2 min · 4 events", "✓ result")


def test_events(picture: Callable[..., bool], size: tuple[int, int]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        arrive(app.explorer, *strange())
        await pilot.press("alt+v")
        await on(pilot, EventsScreen)
        await until(pilot, lambda: "7 events" in on_view(app))

    shows = ("Events  7", "following", "! this is not a JSON object", '"number": "0x1b5b"')
    assert picture(show, *shows, svg=size == (120, 40))


def test_filtered_events_while_a_request_waits(picture: Callable[..., bool]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        arrive(app.explorer, *strange(), waiting())
        await pilot.press("alt+v")
        await on(pilot, EventsScreen)
        await pilot.press("slash", *"method:roots")
        await until(pilot, lambda: "? roots/list waits" in on_view(app))

    assert picture(show, "2 found", "waits for your answer")


def test_request_is_answered(picture: Callable[..., bool]) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        arrive(app.explorer, waiting())
        await pilot.press("alt+v")
        await on(pilot, EventsScreen)
        await until(pilot, lambda: "? roots/list waits" in on_view(app))
        await pilot.press("a")
        await on(pilot, AnswerDialog)
        await pilot.press("end", "ctrl+u", *'{"roots": []')

    assert picture(show, "Answer roots/list?", "answer", "refuse", '"roots"')


def test_question_about_a_process(picture: Callable[..., bool]) -> None:
    process = ProcessCommand(("pylsp", "--check-parent-process", "-v"), "~/shop", "/usr/local/bin/pylsp")
    rows = (
        Change("folder", "", process.folder),
        Change("words", "pylsp", "pylsp --check-parent-process -v", "~/shop/sessions.toml:12"),
        Change("program", "", process.program),
    )
    moved = DestinationChanged("process", NOT_ALLOWED, rows, process=process)

    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        app.push_screen(may_allow("node", moved))
        await on(pilot, Confirm)

    assert picture(show, "Start this process for node?", "→ pylsp --check", "Don't start")


def test_question_about_a_changed_profile(picture: Callable[..., bool]) -> None:
    rows = (
        Change("origin", "https://notes.example.com", "https://evil.example.net", "~/shop/sessions.toml:4"),
        Change("login.method", "not set", "eth_sendTransaction", "~/shop/sessions.toml:5"),
    )
    moved = DestinationChanged("destination", DISPUTED, rows)

    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        app.push_screen(may_allow("node", moved))
        await on(pilot, Confirm)

    assert picture(show, "Send calls and secrets of node there?", "→ https://evil", "Don't send")
