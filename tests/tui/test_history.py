"""The history screen, its keys, and their effects."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

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
from tests.tui.stage import OneScreen, showing, text_of

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


class OpenHistory(OneScreen):
    """The history screen alone."""

    screen: HistoryScreen
    answers: list[HistoryChoice | None]

    async def press(self, *keys: str) -> None:
        """Press keys, and wait for reading and writing, but not for answers to dialogs."""
        await super().press(*keys)
        await self.settle()

    async def settle(self) -> None:
        await self.pause()
        while any(
            worker.is_running and (worker.group == "reading" or self.app.screen is self.screen)
            for worker in self.app.workers
        ):
            await self.pause()
        await self.pause()

    @property
    def rows(self) -> list[str]:
        return text_of(self.screen.list).splitlines()

    @property
    def methods(self) -> list[str]:
        return [row.method for row in self.screen.list.items if isinstance(row, Exchange)]

    @property
    def chosen(self) -> str:
        row = self.screen.row
        return row.method if isinstance(row, Exchange) else ""

    def keys_wait(self) -> bool:
        return self.screen.pending.is_waiting

    def can(self, *commands: str) -> set[str]:
        """Return which of these commands are possible."""
        return {command for command in commands if self.screen.check_action(command, ())}


@asynccontextmanager
async def on_screen(
    explorer: Explorer, size: tuple[int, int] = (120, 40), *, case: CaseOnView | None = None
) -> AsyncIterator[OpenHistory]:
    """Open the history, or a case, and wait until it is read."""
    screen = HistoryScreen(explorer, PendingKeys(), Frame(zone=UTC, today=START.date()), case=case)
    async with showing(OpenHistory, screen, size) as history:
        await history.settle()
        yield history


async def test_calls_are_listed_newest_first_by_day(recorded: Explorer) -> None:
    async with on_screen(recorded) as history:
        shown = [" ".join(row.split()) for row in history.rows]
        assert shown == [
            "today 100 ms 1 s",
            "◌ report.run [] ··●·············· cancelled 12:00:03",
            "✗ user.get id 42 ··●·············· -32602 12:00:02",
            "✓ ping [] ··●·············· 34 ms 12:00:01",
            "yesterday 100 ms 1 s",
            "✓ user.list ★ outage [] ··●·············· 34 ms 12:00:00",
        ]
        assert "History 4 calls" in history.words
        assert "calls in each 2 h" in history.words


async def test_calls_of_the_method_are_plotted_over_time(explorer: Explorer) -> None:
    calls = [exchange(number, method="ping", seconds=0.02) for number in range(4)]
    record(explorer, *calls, exchange(9, method="once"), exchange(10, method="ping", profile="prod"))
    async with on_screen(explorer) as history:
        assert "calls ┄" not in history.words
        await history.press("down")
        await history.until(lambda: "ping 4 calls ┄ usual 20 ms" in history.words)
        assert history.words.count("◉") == 1
    async with on_screen(explorer, (120, 28)) as history:
        await history.press("down")
        assert "4 calls ┄" not in history.words


async def test_lanes_compare_durations_with_the_usual(explorer: Explorer) -> None:
    calls = [exchange(number, method="ping", seconds=0.02) for number in range(4)]
    record(explorer, *calls, exchange(9, method="ping", seconds=0.5), exchange(10, method="once", seconds=0.05))
    async with on_screen(explorer) as history:
        await history.until(lambda: "┊" in history.rows[2])
        shown = [" ".join(row.split()) for row in history.rows][:4]
        assert shown == [
            "today 10 ms 100 1 s",
            "✓ once [] ······●·········· 50 ms 12:00:10",
            "✓ ping [] ··┊···········●·· 500 ms 12:00:09",
            "✓ ping [] ··●·············· 20 ms 12:00:03",
        ]
    async with on_screen(explorer, (104, 40)) as history:
        await history.until(lambda: explorer.history.times is not None)
        assert [" ".join(row.split()) for row in history.rows][:2] == ["today", "✓ once [] 50 ms 12:00:10"]


async def test_preview_follows_the_cursor(recorded: Explorer) -> None:
    async with on_screen(recorded, (140, 40)) as history:
        assert "│ report.run 12:00:03" in history.words
        await history.press("down")
        assert "│ user.get 12:00:02" in history.words
        assert "│ ✗ error -32602 HTTP 200 · 34 ms · 100 B" in history.words


async def test_events_are_listed_by_their_filter(recorded: Explorer) -> None:
    text = b'{"id":1,"method":"ask"}'
    asked = Event(START + DAY, "request", text, "ask", b"1", "not answered: too late", of="1m7ypmkv7qa7kfj")
    assert recorded.profile
    recorded.journal.record_event(asked, recorded.profile)
    assert recorded.journal.flush_events() == ""
    async with on_screen(recorded, (140, 40)) as history:
        await history.press("right_square_bracket", "slash", *"outcome:event", "down")
        assert [" ".join(row.split()) for row in history.rows][1:] == [
            "← ask event: not answered: too late 23 B 12:00:00"
        ]
        for words in (
            "│ ask ",
            "← event 23 B",
            "sent for the call 1m7ypmkv7qa7kfj",
            "not answered:",
            '"method": "ask"',
        ):
            assert words in history.words
        assert history.can(*ACTIONS) == {"name", "annotate", "delete", "copy"}
        await history.press("enter", "f5", "m", "tab", "alt+k")
        assert history.app.screen is history.screen
        assert history.answers == []


@pytest.mark.thorough
async def test_chosen_profiles_of_the_list_are_remembered(recorded: Explorer, tmp_path: Path) -> None:
    async with on_screen(recorded) as history:
        assert not history.screen.everyone
        await history.press("p")
    again = open_explorer(tmp_path)
    again.use("staging")
    async with on_screen(again) as history:
        assert history.screen.everyone
        assert history.methods == ["report.run", "user.get", "ping", "ping", "user.list"]
        assert history.screen.bar.open == "all profiles"
        await history.press("p")
        assert history.methods == ["report.run", "user.get", "ping", "user.list"]
    assert not again.remembered.history_of_all


@pytest.mark.thorough
async def test_list_without_a_profile_shows_all_calls(recorded: Explorer) -> None:
    recorded.remembered.history_of_all = True
    recorded.profile = None
    async with on_screen(recorded) as history:
        assert len(history.methods) == len(CALLS)
        assert history.can("scope", "to_profile") == {"to_profile"}
        assert history.screen.bar.open == "all profiles"
        await history.press("alt+k")  # a saved call belongs to the profile in use
        assert history.app.screen is history.screen
    assert recorded.remembered.history_of_all


async def test_one_key_shows_all_profiles_with_damaged_files(recorded: Explorer) -> None:
    file = next(recorded.history.folder.glob("*.toml"))
    file.write_text(file.read_text().replace('outcome = "cancelled"', 'outcome = "canceled"'))
    async with on_screen(recorded) as history:
        assert history.methods == ["user.get", "ping", "user.list"]
        await history.press("p")
        assert history.methods == ["user.get", "ping", "ping", "user.list"]
        assert any(row.split()[:4] == ["✓", "ping", "prod", "[]"] for row in history.rows)
        await history.press("home")
        assert history.rows[0].startswith(" ! damaged  its outcome must be one of")
        assert not history.can("load")
        await history.press("p")
        assert history.methods == ["user.get", "ping", "user.list"]


async def test_long_name_beside_an_outcome_is_cut(explorer: Explorer) -> None:
    record(explorer, exchange(1, method=", ".join(["demo.echo"] * 6)))
    async with on_screen(explorer) as history:
        assert text_of(history.screen.pane.outcome).startswith(" ✓ result  of demo.echo, demo.e…   200 · 34 ms")


async def test_title_counts_failed_calls(recorded: Explorer) -> None:
    async with on_screen(recorded) as history:
        assert text_of(history.screen.bar).startswith("▌History  4 calls  1 failed  ")


@pytest.mark.thorough
async def test_tabs_of_the_title_can_be_clicked(recorded: Explorer) -> None:
    async with on_screen(recorded) as history:
        bar = history.screen.bar
        await history.click(bar, offset=(bar.size.width - 8, 0))
        await history.settle()
        assert history.screen.everyone


@pytest.mark.thorough
async def test_more_calls_are_read_near_the_end(explorer: Explorer) -> None:
    record(explorer, *(exchange(number) for number in range(NEWEST + 30)))
    async with on_screen(explorer) as history:
        assert len(history.methods) == NEWEST
        assert f"newest {NEWEST} calls" in history.words
        await history.press("end")
        assert len(history.methods) == NEWEST + 30
        assert f"History {NEWEST + 30} calls" in history.words


@pytest.mark.thorough
async def test_calls_of_other_processes_appear_after_returning(recorded: Explorer) -> None:
    async with on_screen(recorded) as history:
        await history.press("down", "t")
        record(recorded, exchange(9, method="later"))
        await history.press("escape")
        assert history.methods[:2] == ["later", "report.run"]
        assert history.chosen == "user.get"


async def test_empty_history_names_the_next_step(explorer: Explorer) -> None:
    async with on_screen(explorer) as history:
        assert [row.strip() for row in history.rows[:2]] == [
            "No calls with staging yet.",
            "Press Esc, then F5 to send one.",
        ]
        assert not history.can(*ACTIONS)


async def test_unwritten_call_is_on_top_and_read_only(recorded: Explorer) -> None:
    recorded.history.unsaved.append(exchange(99, method="unsaved"))
    async with on_screen(recorded) as history:
        assert history.chosen == "unsaved"
        assert not history.can("name", "annotate", "delete")
        await history.press("down")
        assert history.can("name", "annotate", "delete") == {"name", "annotate", "delete"}


async def test_foreign_text_in_the_history_is_inert(explorer: Explorer) -> None:
    record(explorer, exchange(0, method="\x1b]52;c;eA==\x07", name="[@click=app.quit]x[/]", params="\u202e"))
    async with on_screen(explorer) as history:
        assert "␛]52;c;" in history.rows[1]
        assert "★ [@click=app" in history.rows[1]
        await history.press("right_square_bracket", "delete", "escape", "t", "escape")


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
async def test_filter_searches_the_whole_history(recorded: Explorer, typed: str, found: list[str]) -> None:
    async with on_screen(recorded) as history:
        await history.press("slash", *typed)
        assert history.methods == found
        assert f"\n{len(found)} found " in history.words
        assert ("The call under the cursor is shown here." in history.words) is (not found)


def hold(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Hold all searches from now on until the event is set."""
    go_on, search = threading.Event(), explorer.history.search_in_steps

    def slow(wanted: HistoryFilter) -> Iterator[Exchange | Damaged | None]:
        go_on.wait()
        yield from search(wanted)

    monkeypatch.setattr(explorer.history, "search_in_steps", slow)
    return go_on


@pytest.mark.parametrize("is_patient", [True, False])
async def test_keys_wait_for_the_rows_they_act_on(
    recorded: Explorer, monkeypatch: pytest.MonkeyPatch, is_patient: bool
) -> None:
    monkeypatch.setattr("rpcexplorer.tui.history.PATIENCE_SECONDS", 60.0 if is_patient else 0.01)
    # A slice that ends on a slow machine may have only one row, and there is nowhere to go.
    monkeypatch.setattr("rpcexplorer.tui.history_search.SLICE_SECONDS", 60.0)
    async with on_screen(recorded) as history:
        go_on = hold(recorded, monkeypatch)
        try:
            await history.burst("slash", *"user")
            assert not history.keys_wait(), "the next letter does not wait"
            await history.burst("pagedown")
            assert history.methods[0] == "report.run", "the old rows are not acted on"
            if not is_patient:
                await history.until(lambda: not history.keys_wait())
            assert history.keys_wait() is is_patient
        finally:
            go_on.set()
        await history.settle()
        assert (history.methods, history.keys_wait()) == (["user.get", "user.list"], False)
        assert history.chosen == ("user.list" if is_patient else "user.get")


@pytest.mark.thorough
async def test_closed_screen_stops_its_search(recorded: Explorer) -> None:
    async with on_screen(recorded) as history:
        reading = history.screen.reading
        assert reading is not None
        assert not reading._given_up
        await history.press("escape")
        assert reading._given_up


@pytest.mark.thorough
async def test_click_selects_and_double_click_loads(recorded: Explorer) -> None:
    async with on_screen(recorded) as history:
        calls = history.screen.list
        await history.click(calls, offset=(5, 3))
        assert history.chosen == "ping"
        await history.click(calls, offset=(5, 0))
        await history.double_click(calls, offset=(5, 3))
        (choice,) = history.answers
    assert choice is not None
    assert choice.exchange.method == "ping"


@pytest.mark.thorough
@pytest.mark.parametrize(("key", "action"), [("enter", "load"), ("f5", "again")])
async def test_batch_can_be_opened_and_resent(explorer: Explorer, key: str, action: str) -> None:
    own = exchange(1, "[]", method="a, b", kind="batch", params="[]")
    record(explorer, replace(own, id="theirs", foreign=True, when=START), own)
    async with on_screen(explorer, (200, 40)) as history:
        assert "Enter shows each call of the batch" in history.words
        assert "F5 resends the batch" in history.words
        await history.press("down")
        assert not history.can("again")
        assert "Enter shows each call of the batch" in history.words
        assert "F5 resends the batch" not in history.words
        await history.press("up", key)
        (choice,) = history.answers
    assert choice is not None
    assert (choice.action, choice.exchange.kind) == (action, "batch")


@pytest.mark.thorough
async def test_call_of_another_user_is_marked_when_loaded(recorded: Explorer) -> None:
    theirs = to_block(exchange(9, method="hers")).encode()
    (recorded.history.folder / "eva@desk.toml").write_bytes(theirs)
    async with on_screen(recorded) as history:
        assert history.rows[1].split()[:3] == ["✓", "hers", "eva@desk"]
        assert history.rows[2].split()[:3] == ["◌", "report.run", "you"]
        for key in ("t", "a", "delete"):
            await history.press(key)
            assert history.app.screen is history.screen
            assert history.notices.endswith("It was recorded by eva@desk, and only eva@desk can change it.")
        await history.press("left_square_bracket")
        assert "by eva@desk" in history.words
    assert (recorded.history.folder / "eva@desk.toml").read_bytes() == theirs


@pytest.mark.everyday(1)
@pytest.mark.parametrize(("key", "what"), [("t", "name"), ("a", "note")])
async def test_name_and_note_are_recorded(recorded: Explorer, key: str, what: str) -> None:
    async with on_screen(recorded) as history:
        await history.press("down", key)
        assert isinstance(history.app.screen, Ask)
        await history.press(*" see", "enter")
        assert "★ see" in history.rows[2]
        assert history.chosen == "user.get"
        await history.press(key, "ctrl+u", "enter")
        assert "★" not in history.rows[2]
        await history.press(key, *"never", "escape")
    found = recorded.history.newest(2)[1]
    assert isinstance(found, Exchange)
    assert getattr(found, what) == ""


@pytest.mark.thorough
async def test_deleted_call_keeps_the_cursor_near(recorded: Explorer) -> None:
    async with on_screen(recorded) as history:
        await history.press("m", "down", "m", "delete", "right", "enter")
        assert history.methods == ["report.run", "ping", "user.list"]
        assert [(call.method, call.name) for call in history.screen._meant] == [("report.run", "")], (
            "the removed call is no longer selected"
        )
        assert "● 1 marked" in history.words
        await history.press("up", "t")
        await history.press(*"odd", "enter")
        assert [(call.method, call.name) for call in history.screen._meant] == [("report.run", "odd")], (
            "with its current values"
        )
        await history.press("down")
        assert history.chosen == "ping"
        assert "│ ping " in history.words
        await history.press("end", "delete", "right", "enter")
        assert (history.methods, history.chosen) == (["report.run", "ping"], "ping")


@pytest.mark.thorough
async def test_empty_list_after_deletion_can_be_read_again(explorer: Explorer) -> None:
    record(explorer, CALLS[2])
    async with on_screen(explorer) as history:
        await history.press("delete", "right", "enter")
        assert history.methods == []
        for _ in range(2):
            history.screen.on_screen_resume()
            await history.settle()
        assert history.methods == []
        record(explorer, CALLS[3])
        history.screen.on_screen_resume()
        await history.settle()
        assert history.chosen == "user.get"


@pytest.mark.thorough
async def test_failed_change_is_reported(recorded: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded.journal, "delete", lambda *_: "cannot write [b]: the disk is full")
    async with on_screen(recorded) as history:
        await history.press("delete", "right", "enter")
        assert history.notices == "Cannot write [b]: the disk is full."
        assert len(history.methods) == 4


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


async def test_marked_calls_stay_marked_through_a_filter(
    recorded: Explorer, replayed: list[list[Exchange]], compared: list[tuple[Exchange, Exchange | None]]
) -> None:
    async with on_screen(recorded) as history:
        await history.press("alt+r", "m")
        assert history.chosen == "report.run", "the cursor stays"
        await history.press("down", "m", "down", "d")
        assert [row[:1] for row in history.rows[1:3]] == ["●", "●"]
        assert "● 2 marked" in history.words
        await history.press(*"/user", "enter")
        assert history.methods == ["user.get", "user.list"]
        await history.press("alt+r")
        assert list(map(methods_of, replayed)) == [["report.run"], ["user.get", "report.run"]]
        await history.press("up", "m", "down", "d")  # user.get is unmarked, and the cursor is on user.list
        assert list(map(methods_of, compared)) == [["ping", "user.get"], ["user.list", "report.run"]]
        await history.press("escape")
        assert "marked" not in history.words
        await history.press("alt+r", "escape")
        assert methods_of(replayed[-1]) == ["user.list"]
        assert history.answers == [None]


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
async def test_case_in_little_room_cuts_no_words(
    recorded: Explorer, width: int, origin: str, title: str, outcome: str
) -> None:
    case = CaseOnView(
        "case.toml",
        [replace(CALLS[0], method="a.long.name", when=START)],
        "",
        ["https://rpc.staging.example-company.com/api/v2/"],
    )
    async with on_screen(recorded, (width, 24), case=case) as history:
        await history.pause()
        assert str(history.screen.state.content) == origin
        assert text_of(history.screen.pane.bar).partition("  Response")[0].strip() == title
        assert text_of(history.screen.pane.outcome).partition("   ")[0].strip() == outcome


@pytest.mark.parametrize("url", ["http://[bad/", "http://a\N{ACCOUNT OF}b/", "bad"])
async def test_case_with_an_invalid_url_is_listed(recorded: Explorer, url: str) -> None:
    async with on_screen(recorded, case=CaseOnView("case.toml", CALLS[:1], "", [url])) as history:
        assert f"by someone else, sent to {url}" in history.words
        assert history.methods == [CALLS[0].method]


async def test_case_is_listed_read_only_and_sends_nothing(recorded: Explorer, replayed: list[list[Exchange]]) -> None:
    calls = [replace(call, foreign=True, profile="staging", expect="result\n/total = 3") for call in CALLS[:2]]
    case = CaseOnView("case.toml", calls, "fails\nfor us", ["https://theirs.example.com/rpc", "https://b.example.com"])
    async with on_screen(recorded, (120, 30), case=case) as history:
        assert "\n▌Case case.toml 2 calls " in history.words
        assert "\nsent to https://theirs.example.com/rpc and 1 more URL " in history.words
        assert history.screen.focused is history.screen.list, "a short note takes no focus"
        assert history.methods == ["user.list", "ping"]
        possible = {"load", "to_profile", "copy", "mark", "compare", "replay", "export", "search"}
        assert history.can(*possible, "again", "name", "annotate", "delete", "scope") == possible
        await history.press("f5", "p", "t", "a", "delete", "left_square_bracket")
        assert history.app.screen is history.screen
        assert "│ expected result\n" in history.words
        assert "│ /total = 3\n" in history.words
        await history.press(*"/ping", "enter")
        await history.press("alt+r")
        assert history.methods == ["ping"]
        await history.press("/", "backspace", "enter")
        await history.press("alt+r", "m", "alt+r")
        await history.until(lambda: len(replayed) == 3)
        assert list(map(methods_of, replayed)) == [["ping"], ["user.list", "ping"], ["ping"]]
    assert not recorded.remembered.history_of_all


async def test_call_of_a_case_is_compared_within_it(
    recorded: Explorer, compared: list[tuple[Exchange, Exchange | None]]
) -> None:
    calls = [replace(CALLS[0], foreign=True, id=name, profile=name) for name in ("stag", "prod")]
    case = CaseOnView("case.toml", [*calls, replace(CALLS[1], foreign=True)])
    async with on_screen(recorded, (120, 30), case=case) as history:
        await history.press("d", "down", "d", "down", "d")
        pairs = [(one.id, other and other.id) for one, other in compared]
        assert pairs == [("stag", "prod"), ("prod", "stag"), (CALLS[1].id, None)]


NOTE = f"{'Fails on Tuesdays. ' * 30}\n\nSteps:\n{'go on' * 40}\nlast words"


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
@pytest.mark.everyday(1)
async def test_case_note_is_shown_first_and_whole(recorded: Explorer, size: tuple[int, int]) -> None:
    case = CaseOnView("case.toml", [replace(call, foreign=True) for call in CALLS[:2]], NOTE)
    async with on_screen(recorded, size, case=case) as history:
        note = history.screen.query_one(CaseNote)

        def rows() -> list[str]:
            return [note.render_line(y).text.strip() for y in range(note.scrollable_content_region.height)]

        assert note.region.y == 0
        seen = rows()
        assert seen[0].startswith("Note  Fails on Tuesdays.")
        while note.scroll_offset.y < note.max_scroll_y:
            assert history.screen.focused is note, "the keys scroll a cut text"
            await history.press("down")
            seen.append(rows()[-1])
        assert "".join("".join(seen).split()) == "Note" + "".join(NOTE.split())
        await history.press(*(("tab", "down") if note.max_scroll_y else ()))
        assert history.screen.focused is history.screen.list
        await history.press("left_square_bracket")
        assert "Fails on Tuesdays." in "".join(text for line in history.screen.pane.sheet.lines for text, _ in line)
