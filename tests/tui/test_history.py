"""The history screen, its keys, and their effects."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from datetime import UTC, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.history.record import to_block
from rpcexplorer.model.event import Event
from rpcexplorer.model.exchange import Cancelled, Damaged, Exchange
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.transport.port import Response
from rpcexplorer.tui.history import CaseNote, HistoryChoice, HistoryScreen
from rpcexplorer.tui.history_search import NEWEST, CaseOnView
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.widgets.bars import Frame
from rpcexplorer.tui.widgets.dialog import Ask
from tests.fakes.explorer import open_explorer
from tests.history.recording import START, exchange
from tests.tui.stage import Stage, text_of
from tests.tui.visiting import seen
from tests.tui.waiting import until

PROFILES = """\
default = "staging"
[profile.staging]
url = "https://staging.example.com"
[profile.prod]
url = "https://rpc.example.com"
badge = "prod"
"""
INVALID = '{"jsonrpc":"2.0","id":"1","error":{"code":-32602,"message":"Invalid params","data":{"page":"late"}}}'
DAY = timedelta(days=1)
CALLS = [
    exchange(99, method="user.list", name="outage", when=START - DAY),
    exchange(0, method="ping", profile="prod"),
    exchange(1, method="ping"),
    exchange(2, INVALID, method="user.get", params='{"id": 42}'),
    exchange(3, method="report.run", outcome=Cancelled(), response=Response()),
]
"""Oldest first."""
ACTIONS = ["load", "again", "copy", "ticket", "mark", "compare", "replay", "export", "name", "annotate", "delete"]
Act = Callable[[Pilot[None], HistoryScreen], Awaitable[None]]


@pytest.fixture
def explorer(tmp_path: Path) -> Explorer:
    explorer = open_explorer(tmp_path, PROFILES)
    explorer.use("staging")
    return explorer


@pytest.fixture
def recorded(explorer: Explorer) -> Explorer:
    record(explorer, *CALLS)
    return explorer


def record(explorer: Explorer, *calls: Exchange) -> None:
    for call in calls:
        explorer.history.append(call)


def on_screen(
    explorer: Explorer, act: Act, size: tuple[int, int] = (120, 40), *, case: CaseOnView | None = None
) -> tuple[list[HistoryChoice | None], Stage]:
    """Open the history, act, and return its answers and the app."""
    answers: list[HistoryChoice | None] = []
    stage = Stage()

    async def run() -> None:
        async with stage.run_test(size=size) as pilot:
            screen = HistoryScreen(explorer, PendingKeys(), Frame(zone=UTC, today=START.date()), case=case)
            stage.push_screen(screen, answers.append)
            await settled(pilot)
            await act(pilot, screen)

    asyncio.run(run())
    return answers, stage


async def settled(pilot: Pilot[None]) -> None:
    """Wait for reading and writing, but not for answers to dialogs."""
    await pilot.pause()
    while any(
        worker.is_running and (worker.group == "reading" or isinstance(pilot.app.screen, HistoryScreen))
        for worker in pilot.app.workers
    ):
        await pilot.pause()
    await pilot.pause()


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await settled(pilot)


def rows(screen: HistoryScreen) -> list[str]:
    return text_of(screen.list).splitlines()


def methods(screen: HistoryScreen) -> list[str]:
    return [row.method for row in screen.list.items if isinstance(row, Exchange)]


def chosen(screen: HistoryScreen) -> str:
    row = screen.row
    return row.method if isinstance(row, Exchange) else ""


def test_calls_are_listed_newest_first_by_day(recorded: Explorer) -> None:
    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        shown = [" ".join(row.split()) for row in rows(screen)]
        assert shown == [
            "today 100 ms 1 s",
            "◌ report.run [] ··●·············· cancelled 12:00:03",
            "✗ user.get id 42 ··●·············· -32602 12:00:02",
            "✓ ping [] ··●·············· 34 ms 12:00:01",
            "yesterday 100 ms 1 s",
            "✓ user.list ★ outage [] ··●·············· 34 ms 12:00:00",
        ]
        assert "History 4 calls" in seen(pilot.app)

    on_screen(recorded, act)


def test_lanes_compare_durations_with_the_usual(explorer: Explorer) -> None:
    calls = [exchange(number, method="ping", seconds=0.02) for number in range(4)]
    record(explorer, *calls, exchange(9, method="ping", seconds=0.5), exchange(10, method="once", seconds=0.05))

    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        await until(pilot, lambda: "┊" in rows(screen)[2])
        shown = [" ".join(row.split()) for row in rows(screen)][:4]
        assert shown == [
            "today 10 ms 100 1 s",
            "✓ once [] ······●·········· 50 ms 12:00:10",
            "✓ ping [] ··┊···········●·· 500 ms 12:00:09",
            "✓ ping [] ··●·············· 20 ms 12:00:03",
        ]

    async def narrow(pilot: Pilot[None], screen: HistoryScreen) -> None:
        await until(pilot, lambda: explorer.history.times is not None)
        assert [" ".join(row.split()) for row in rows(screen)][:2] == ["today", "✓ once [] 50 ms 12:00:10"]

    on_screen(explorer, act)
    on_screen(explorer, narrow, (104, 40))


def test_preview_follows_the_cursor(recorded: Explorer) -> None:
    async def act(pilot: Pilot[None], _: HistoryScreen) -> None:
        assert "│ report.run 12:00:03" in seen(pilot.app)
        await press(pilot, "down")
        assert "│ user.get 12:00:02" in seen(pilot.app)
        assert "│ ✗ error -32602 HTTP 200 · 34 ms · 100 B" in seen(pilot.app)

    on_screen(recorded, act, (140, 40))


def test_events_are_listed_by_their_filter(recorded: Explorer) -> None:
    text = b'{"id":1,"method":"ask"}'
    asked = Event(START + DAY, "request", text, "ask", b"1", "not answered: too late", of="1m7ypmkv7qa7kfj")
    assert recorded.profile
    recorded.journal.record_event(asked, recorded.profile)
    assert recorded.journal.flush_events() == ""

    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        await press(pilot, "right_square_bracket", "slash", *"outcome:event", "down")
        assert [" ".join(row.split()) for row in rows(screen)][1:] == [
            "← ask event: not answered: too late 23 B 12:00:00"
        ]
        for text in ("│ ask ", "← event 23 B", "sent for the call 1m7ypmkv7qa7kfj", "not answered:", '"method": "ask"'):
            assert text in seen(pilot.app)
        can = {action for action in ACTIONS if screen.check_action(action, ())}
        assert can == {"name", "annotate", "delete", "copy"}
        await press(pilot, "enter", "f5", "m", "tab", "alt+k")
        assert pilot.app.screen is screen

    assert on_screen(recorded, act, (140, 40))[0] == []


@pytest.mark.thorough
def test_preview_shows_headers_of_a_recorded_response(recorded: Explorer) -> None:
    headers = (("Content-Type", "application/json"), ("X-Request-Id", "7f3a"))
    record(recorded, exchange(9, response=Response(200, "OK", headers=headers, body=b"1", size=1)))

    async def act(pilot: Pilot[None], _: HistoryScreen) -> None:
        await press(pilot, "right_square_bracket")
        for text in ("200 OK", "Content-Type application/json", "X-Request-Id 7f3a"):
            assert text in seen(pilot.app)

    on_screen(recorded, act)


@pytest.mark.thorough
def test_chosen_profiles_of_the_list_are_remembered(recorded: Explorer, tmp_path: Path) -> None:
    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        assert not screen.everyone
        await press(pilot, "p")

    async def next_time(pilot: Pilot[None], screen: HistoryScreen) -> None:
        assert screen.everyone
        assert methods(screen) == ["report.run", "user.get", "ping", "ping", "user.list"]
        assert screen.bar.open == "all profiles"
        await press(pilot, "p")
        assert methods(screen) == ["report.run", "user.get", "ping", "user.list"]

    on_screen(recorded, act)
    again = open_explorer(tmp_path)
    again.use("staging")
    on_screen(again, next_time)
    assert not again.remembered.history_of_all


@pytest.mark.thorough
def test_list_without_a_profile_shows_all_calls(recorded: Explorer) -> None:
    recorded.remembered.history_of_all = True
    recorded.profile = None

    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        assert len(methods(screen)) == len(CALLS)
        assert not screen.check_action("scope", ())
        assert screen.bar.open == "all profiles"
        assert screen.check_action("to_profile", ())
        await press(pilot, "alt+k")  # a saved call belongs to the profile in use
        assert pilot.app.screen is screen

    on_screen(recorded, act)
    assert recorded.remembered.history_of_all


def test_one_key_shows_all_profiles_with_damaged_files(recorded: Explorer) -> None:
    file = next(recorded.history.folder.glob("*.toml"))
    file.write_text(file.read_text().replace('outcome = "cancelled"', 'outcome = "canceled"'))

    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        assert methods(screen) == ["user.get", "ping", "user.list"]
        await press(pilot, "p")
        assert methods(screen) == ["user.get", "ping", "ping", "user.list"]
        assert any(row.split()[:4] == ["✓", "ping", "prod", "[]"] for row in rows(screen))
        await press(pilot, "home")
        assert rows(screen)[0].startswith(" ! damaged  its outcome must be one of")
        assert not screen.check_action("load", ())
        await press(pilot, "p")
        assert methods(screen) == ["user.get", "ping", "user.list"]

    on_screen(recorded, act)


@pytest.mark.thorough
def test_tabs_of_the_title_can_be_clicked(recorded: Explorer) -> None:
    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        bar = screen.bar
        await pilot.click(bar, offset=(bar.size.width - 8, 0))
        await settled(pilot)
        assert screen.everyone

    on_screen(recorded, act)


@pytest.mark.thorough
def test_more_calls_are_read_near_the_end(explorer: Explorer) -> None:
    record(explorer, *(exchange(number) for number in range(NEWEST + 30)))

    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        assert len(methods(screen)) == NEWEST
        assert f"newest {NEWEST} calls" in seen(pilot.app)
        await press(pilot, "end")
        assert len(methods(screen)) == NEWEST + 30
        assert f"History {NEWEST + 30} calls" in seen(pilot.app)

    on_screen(explorer, act)


@pytest.mark.thorough
def test_calls_of_other_processes_appear_after_returning(recorded: Explorer) -> None:
    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        await press(pilot, "down", "t")
        record(recorded, exchange(9, method="later"))
        await press(pilot, "escape")
        assert methods(screen)[:2] == ["later", "report.run"]
        assert chosen(screen) == "user.get"

    on_screen(recorded, act)


def test_empty_history_names_the_next_step(explorer: Explorer) -> None:
    async def act(_: Pilot[None], screen: HistoryScreen) -> None:
        assert [row.strip() for row in rows(screen)[:2]] == [
            "No calls with staging yet.",
            "Press Esc, then F5 to send one.",
        ]
        assert not any(
            screen.check_action(name, ()) for name in ("load", "again", "name", "annotate", "copy", "delete")
        )

    on_screen(explorer, act)


def test_unwritten_call_is_on_top_and_read_only(recorded: Explorer) -> None:
    recorded.history.unsaved.append(exchange(99, method="unsaved"))

    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        assert chosen(screen) == "unsaved"
        assert not any(screen.check_action(name, ()) for name in ("name", "annotate", "delete"))
        await press(pilot, "down")
        assert all(screen.check_action(name, ()) for name in ("name", "annotate", "delete"))

    on_screen(recorded, act)


def test_foreign_text_in_the_history_is_inert(explorer: Explorer) -> None:
    record(explorer, exchange(0, method="\x1b]52;c;eA==\x07", name="[@click=app.quit]x[/]", params="\u202e"))

    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        assert "␛]52;c;" in rows(screen)[1]
        assert "★ [@click=app" in rows(screen)[1]
        await press(pilot, "right_square_bracket", "delete", "escape", "t", "escape")

    on_screen(explorer, act)


@pytest.mark.everyday(1)
@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("method:user", ["user.get", "user.list"]),
        ("42 invalid", ["user.get"]),
        ("profile:prod", ["ping"]),
        ("outcome:error list", []),
    ],
)
def test_filter_searches_the_whole_history(recorded: Explorer, typed: str, found: list[str]) -> None:
    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        await press(pilot, "slash", *typed)
        assert methods(screen) == found
        assert f"\n{len(found)} found " in seen(pilot.app)
        assert ("The call under the cursor is shown here." in seen(pilot.app)) is (not found)

    on_screen(recorded, act)


def hold(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Hold all searches from now on until the event is set."""
    go_on, search = threading.Event(), explorer.history.search_in_steps

    def slow(wanted: HistoryFilter) -> Iterator[Exchange | Damaged | None]:
        go_on.wait()
        yield from search(wanted)

    monkeypatch.setattr(explorer.history, "search_in_steps", slow)
    return go_on


def keys_wait(screen: HistoryScreen) -> bool:
    return screen.pending.is_waiting


@pytest.mark.parametrize("is_patient", [True, False])
def test_keys_wait_for_the_rows_they_act_on(
    recorded: Explorer, monkeypatch: pytest.MonkeyPatch, is_patient: bool
) -> None:
    monkeypatch.setattr("rpcexplorer.tui.history.PATIENCE_SECONDS", 60.0 if is_patient else 0.01)
    # A slice that ends on a slow machine may have only one row, and there is nowhere to go.
    monkeypatch.setattr("rpcexplorer.tui.history_search.SLICE_SECONDS", 60.0)

    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        go_on = hold(recorded, monkeypatch)
        try:
            await pilot.press("slash", *"user")
            assert not keys_wait(screen), "the next letter does not wait"
            await pilot.press("down")
            assert methods(screen)[0] == "report.run", "the old rows are not acted on"
            if not is_patient:
                await until(pilot, lambda: not keys_wait(screen))
            assert keys_wait(screen) is is_patient
        finally:
            go_on.set()
        await settled(pilot)
        assert (methods(screen), keys_wait(screen)) == (["user.get", "user.list"], False)
        assert chosen(screen) == ("user.list" if is_patient else "user.get")

    on_screen(recorded, act)


@pytest.mark.thorough
def test_closed_screen_stops_its_search(recorded: Explorer) -> None:
    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        reading = screen.reading
        assert reading is not None
        assert not reading._given_up
        await press(pilot, "escape")
        assert reading._given_up

    on_screen(recorded, act)


@pytest.mark.thorough
def test_click_selects_and_second_click_loads(recorded: Explorer) -> None:
    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        calls = screen.list
        await pilot.click(calls, offset=(5, 3))
        assert chosen(screen) == "ping"
        await pilot.click(calls, offset=(5, 0))
        await pilot.click(calls, offset=(5, 3))

    (choice,), _ = on_screen(recorded, act)
    assert choice is not None
    assert choice.exchange.method == "ping"


@pytest.mark.thorough
@pytest.mark.parametrize(("key", "action"), [("enter", "load"), ("f5", "again")])
def test_batch_can_be_opened_and_resent(explorer: Explorer, key: str, action: str) -> None:
    own = exchange(1, "[]", method="a, b", kind="batch", params="[]")
    record(explorer, replace(own, id="theirs", foreign=True, when=START), own)

    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        said = screen.pane.remarks
        opens = "Enter shows each call of the batch"
        assert said.pieces[-2:] == [(opens, "middle"), ("F5 resends the batch", "middle")]
        await press(pilot, "down")
        assert not screen.check_action("again", ())
        assert said.pieces[-1] == (opens, "middle")
        await press(pilot, "up", key)

    ((choice,), _) = on_screen(explorer, act)
    assert choice is not None
    assert (choice.action, choice.exchange.kind) == (action, "batch")


@pytest.mark.thorough
def test_call_of_another_user_is_marked_when_loaded(recorded: Explorer) -> None:
    theirs = to_block(exchange(9, method="hers")).encode()
    (recorded.history.folder / "eva@desk.toml").write_bytes(theirs)

    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        assert rows(screen)[1].split()[:3] == ["✓", "hers", "eva@desk"]
        assert rows(screen)[2].split()[:3] == ["◌", "report.run", "you"]
        for key in ("t", "a", "delete"):
            await press(pilot, key)
            assert pilot.app.screen is screen
            messages = [notice.message for notice in pilot.app._notifications]
            assert messages[-1] == "It was recorded by eva@desk, and only eva@desk can change it."
        await press(pilot, "left_square_bracket")
        assert "by eva@desk" in seen(pilot.app)

    on_screen(recorded, act)
    assert (recorded.history.folder / "eva@desk.toml").read_bytes() == theirs


@pytest.mark.everyday(1)
@pytest.mark.parametrize(("key", "what"), [("t", "name"), ("a", "note")])
def test_name_and_note_are_recorded(recorded: Explorer, key: str, what: str) -> None:
    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        await press(pilot, "down", key)
        assert isinstance(pilot.app.screen, Ask)
        await press(pilot, *" see", "enter")
        assert "★ see" in rows(screen)[2]
        assert chosen(screen) == "user.get"
        await press(pilot, key, "ctrl+u", "enter")
        assert "★" not in rows(screen)[2]
        await press(pilot, key, *"never", "escape")

    on_screen(recorded, act)
    found = recorded.history.newest(2)[1]
    assert isinstance(found, Exchange)
    assert getattr(found, what) == ""


@pytest.mark.thorough
def test_deleted_call_keeps_the_cursor_near(recorded: Explorer) -> None:
    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        await press(pilot, "m", "down", "m", "delete", "right", "enter")
        assert methods(screen) == ["report.run", "ping", "user.list"]
        assert [(call.method, call.name) for call in screen._meant] == [("report.run", "")], (
            "the removed call is no longer selected"
        )
        assert "● 1 marked" in seen(pilot.app)
        await press(pilot, "up", "t")
        await press(pilot, *"odd", "enter")
        assert [(call.method, call.name) for call in screen._meant] == [("report.run", "odd")], (
            "with its current values"
        )
        await press(pilot, "down")
        assert chosen(screen) == "ping"
        assert "│ ping " in seen(pilot.app)
        await press(pilot, "end", "delete", "right", "enter")
        assert (methods(screen), chosen(screen)) == (["report.run", "ping"], "ping")

    on_screen(recorded, act)


@pytest.mark.thorough
def test_empty_list_after_deletion_can_be_read_again(explorer: Explorer) -> None:
    record(explorer, CALLS[2])

    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        await press(pilot, "delete", "right", "enter")
        assert methods(screen) == []
        for _ in range(2):
            screen.on_screen_resume()
            await settled(pilot)
        assert methods(screen) == []
        record(explorer, CALLS[3])
        screen.on_screen_resume()
        await settled(pilot)
        assert chosen(screen) == "user.get"

    on_screen(explorer, act)


@pytest.mark.thorough
def test_failed_change_is_reported(recorded: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded.journal, "delete", lambda *_: "cannot write [b]: the disk is full")

    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        await press(pilot, "delete", "right", "enter")
        assert [notice.message for notice in pilot.app._notifications] == ["Cannot write [b]: the disk is full."]
        assert len(methods(screen)) == 4

    on_screen(recorded, act)


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> list[list[Exchange]]:
    """Return the calls of each replay, which is not done."""
    found: list[list[Exchange]] = []

    async def replay(_: HistoryScreen, records: Sequence[Exchange]) -> None:
        found.append([*records])

    monkeypatch.setattr("rpcexplorer.tui.replay.replay", replay)
    return found


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Exchange, Exchange | None]]:
    """Return the two calls of each comparison, which is not done."""
    found: list[tuple[Exchange, Exchange | None]] = []

    async def compare(_: HistoryScreen, one: Exchange, other: Exchange | None = None) -> None:
        found.append((one, other))

    monkeypatch.setattr("rpcexplorer.tui.compare.compare", compare)
    return found


def methods_of(calls: Iterable[Exchange | None]) -> list[str]:
    return [call.method if call else "" for call in calls]


def test_marked_calls_stay_marked_through_a_filter(
    recorded: Explorer, replayed: list[list[Exchange]], compared: list[tuple[Exchange, Exchange | None]]
) -> None:
    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        await press(pilot, "alt+r", "m")
        assert chosen(screen) == "report.run", "the cursor stays"
        await press(pilot, "down", "m", "down", "d")
        assert [row[:1] for row in rows(screen)[1:3]] == ["●", "●"]
        assert "● 2 marked" in seen(pilot.app)
        await press(pilot, *"/user", "enter")
        assert methods(screen) == ["user.get", "user.list"]
        await press(pilot, "alt+r")
        assert list(map(methods_of, replayed)) == [["report.run"], ["user.get", "report.run"]]
        await press(pilot, "up", "m", "down", "d")  # user.get is unmarked, and the cursor is on user.list
        assert list(map(methods_of, compared)) == [["ping", "user.get"], ["user.list", "report.run"]]
        await press(pilot, "escape")
        assert "marked" not in seen(pilot.app)
        await press(pilot, "alt+r", "escape")
        assert methods_of(replayed[-1]) == ["user.list"]

    answers, _ = on_screen(recorded, act)
    assert answers == [None]


@pytest.mark.parametrize(
    ("width", "origin", "title", "outcome"),
    [
        (
            80,
            "by someone else, sent to https://rpc.staging.example-company.com/api/v2/",
            "a.long.name  12:00:00",
            "✓ result",
        ),
        (120, "sent to https://rpc.staging.example-company.com/api/v2/", "a.long.name", "✓ result"),
        (100, "sent to https://rpc.staging.example-company.com/api/v2/", "", "✓ result  of a.long.name"),
    ],
)
def test_case_in_little_room_cuts_no_words(
    recorded: Explorer, width: int, origin: str, title: str, outcome: str
) -> None:
    case = CaseOnView(
        "case.toml",
        [replace(CALLS[0], method="a.long.name", when=START)],
        "",
        ["https://rpc.staging.example-company.com/api/v2/"],
    )

    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        await pilot.pause()
        assert str(screen.state.content) == origin
        assert text_of(screen.pane.bar).partition("  Response")[0].strip() == title
        assert text_of(screen.pane.outcome).partition("   ")[0].strip() == outcome

    on_screen(recorded, act, (width, 24), case=case)


@pytest.mark.parametrize("url", ["http://[bad/", "http://a\N{ACCOUNT OF}b/", "bad"])
def test_case_with_an_invalid_url_is_listed(recorded: Explorer, url: str) -> None:
    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        assert f"by someone else, sent to {url}" in seen(pilot.app)
        assert methods(screen) == [CALLS[0].method]

    on_screen(recorded, act, case=CaseOnView("case.toml", CALLS[:1], "", [url]))


def test_case_is_listed_read_only_and_sends_nothing(recorded: Explorer, replayed: list[list[Exchange]]) -> None:
    calls = [replace(call, foreign=True, profile="staging", expect="result\n/total = 3") for call in CALLS[:2]]
    case = CaseOnView("case.toml", calls, "fails\nfor us", ["https://theirs.example.com/rpc", "https://b.example.com"])

    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        stage = pilot.app
        assert isinstance(stage, Stage)
        assert "\n▌Case case.toml 2 calls " in seen(stage)
        assert "\nsent to https://theirs.example.com/rpc and 1 more URL " in seen(stage)
        assert screen.focused is screen.list, "a short note takes no focus"
        assert methods(screen) == ["user.list", "ping"]
        can = {"load", "to_profile", "copy", "mark", "compare", "replay", "export", "search"}
        cannot = {"again", "name", "annotate", "delete", "scope"}
        assert {command for command in can | cannot if screen.check_action(command, ())} == can
        await press(pilot, "f5", "p", "t", "a", "delete", "left_square_bracket")
        assert stage.screen is screen
        assert "│ expected result\n" in seen(stage)
        assert "│ /total = 3\n" in seen(stage)
        await press(pilot, *"/ping", "enter")
        await press(pilot, "alt+r")
        assert methods(screen) == ["ping"]
        await press(pilot, "/", "backspace", "enter")
        await press(pilot, "alt+r", "m", "alt+r")
        await until(pilot, lambda: len(replayed) == 3)
        assert list(map(methods_of, replayed)) == [["ping"], ["user.list", "ping"], ["ping"]]

    on_screen(recorded, act, (120, 30), case=case)
    assert not recorded.remembered.history_of_all


def test_call_of_a_case_is_compared_within_it(
    recorded: Explorer, compared: list[tuple[Exchange, Exchange | None]]
) -> None:
    calls = [replace(CALLS[0], foreign=True, id=name, profile=name) for name in ("stag", "prod")]
    case = CaseOnView("case.toml", [*calls, replace(CALLS[1], foreign=True)])

    async def act(pilot: Pilot[None], _: HistoryScreen) -> None:
        stage = pilot.app
        assert isinstance(stage, Stage)
        await press(pilot, "d", "down", "d", "down", "d")
        pairs = [(one.id, other and other.id) for one, other in compared]
        assert pairs == [("stag", "prod"), ("prod", "stag"), (CALLS[1].id, None)]

    on_screen(recorded, act, (120, 30), case=case)


NOTE = f"{'Fails on Tuesdays. ' * 30}\n\nSteps:\n{'go on' * 40}\nlast words"


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
@pytest.mark.everyday(1)
def test_case_note_is_shown_first_and_whole(recorded: Explorer, size: tuple[int, int]) -> None:
    case = CaseOnView("case.toml", [replace(call, foreign=True) for call in CALLS[:2]], NOTE)

    def rows(screen: HistoryScreen) -> list[str]:
        note = screen.query_one(CaseNote)
        return [note.render_line(y).text.strip() for y in range(note.scrollable_content_region.height)]

    async def act(pilot: Pilot[None], screen: HistoryScreen) -> None:
        note = screen.query_one(CaseNote)
        assert note.region.y == 0
        seen = rows(screen)
        assert seen[0].startswith("Note  Fails on Tuesdays.")
        while note.scroll_offset.y < note.max_scroll_y:
            assert screen.focused is note, "the keys scroll a cut text"
            await press(pilot, "down")
            seen.append(rows(screen)[-1])
        assert "".join("".join(seen).split()) == "Note" + "".join(NOTE.split())
        await press(pilot, *(("tab", "down") if note.max_scroll_y else ()))
        assert screen.focused is screen.list
        await press(pilot, "left_square_bracket")
        assert "Fails on Tuesdays." in "".join(text for line in screen.pane.sheet.lines for text, _ in line)

    on_screen(recorded, act, size, case=case)
