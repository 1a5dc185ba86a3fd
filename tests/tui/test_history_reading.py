"""Reading the history in slices: only as far as needed, and stoppable."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator
from datetime import UTC
from types import SimpleNamespace
from typing import Any

import pytest

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.model.problem import UserError
from rpcexplorer.text.history import Day, HistoryRow
from rpcexplorer.tui.history_search import SLICE, CaseOnView, Reading, Search, advice
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.widgets.bars import Frame
from tests.history.recording import START, exchange

MANY = [exchange(number) for number in range(3 * SLICE)]
EVERYTHING = HistoryFilter()


def reading_of(records: Iterable[Exchange | None], wanted: HistoryFilter = EVERYTHING, goal: int = 10_000) -> Reading:
    return Reading(iter(records), wanted, goal, START.date(), UTC)


def read(reading: Reading) -> Reading:
    async def on() -> None:
        while not reading.full:
            await reading.go_on()

    asyncio.run(on())
    return reading


def test_reading_stops_at_its_goal_and_goes_on() -> None:
    reading = reading_of(MANY, goal=SLICE)
    assert (read(reading).found, reading.ended) == (SLICE, False)
    reading.goal = len(MANY) + 1
    assert (read(reading).found, reading.ended) == (len(MANY), True)
    assert reading.rows == [Day(START.date(), "today"), *MANY]


def test_unmatched_calls_are_skipped() -> None:
    odd = exchange(7, method="user.get")
    assert read(reading_of([*MANY, odd], HistoryFilter(in_method="user"))).rows[1:] == [odd]


def test_reading_without_matches_can_be_stopped() -> None:
    passed: list[int] = []
    reading = reading_of([])

    def records() -> Iterator[None]:
        for stretch in range(100):
            passed.append(stretch)
            if stretch == 3:
                reading.give_up()
            yield None

    reading._records = records()
    asyncio.run(reading.go_on())
    assert passed == [0, 1, 2, 3]
    assert (reading.found, reading.rows, reading.ended) == (0, [], False)


def test_first_calls_appear_at_once_then_longer_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(monotonic=lambda: 0.0)  # else a slow machine ends a slice before it is full
    monkeypatch.setattr("rpcexplorer.tui.history_search.time", clock)
    reading = reading_of(exchange(number) for number in range(20 * SLICE))
    found: list[int] = []

    async def on() -> None:
        while len(found) < 5:
            await reading.go_on()
            found.append(reading.found // SLICE)

    asyncio.run(on())
    assert found == [1, 3, 7, 15, 20]


def test_unreadable_files_are_reported_with_found_calls() -> None:
    def records() -> Iterator[Exchange]:
        yield from MANY[:SLICE]
        raise UserError("cannot read it: no")

    reading = read(reading_of(records()))
    assert (reading.problem, reading.ended, reading.found) == ("cannot read it: no", True, SLICE)


def test_shorter_reading_does_not_replace_longer_one() -> None:
    reading = reading_of(MANY)
    reading.least = 2 * SLICE
    asyncio.run(reading.go_on())
    assert not reading.ready
    asyncio.run(reading.go_on())
    assert reading.ready


def test_count_is_shown_as_far_as_known() -> None:
    assert reading_of(MANY).count == ""
    assert read(reading_of(MANY, goal=SLICE)).count == f"newest {SLICE} calls"
    assert read(reading_of(MANY)).count == f"{len(MANY)} calls"
    assert read(reading_of(MANY[:1])).count == "1 call"


def test_search_shows_its_terms_and_progress() -> None:
    ping = HistoryFilter.of("method:ping", now=START)
    assert reading_of(MANY, ping).state == "0 found, searching …   method contains “ping”"
    assert (
        read(reading_of(MANY, ping, goal=SLICE)).state
        == f"{SLICE} found so far, scroll down for more   method contains “ping”"
    )
    assert read(reading_of(MANY, ping)).state == f"{len(MANY)} found   method contains “ping”"
    assert read(reading_of(MANY)).state == ""


def test_empty_list_names_the_next_step() -> None:
    def message(wanted: HistoryFilter, *, recording: bool = True) -> str:
        lines = advice(read(reading_of([], wanted)), "staging", recording=recording)
        return " ".join("".join(text for text, _ in words).strip() for words in lines)

    assert message(EVERYTHING) == "No calls yet. Press Esc, then F5 to send one."
    assert message(HistoryFilter(profile="staging")).startswith(
        "No calls with staging yet. Press Esc, then F5 to send one. Press p to show"
    )
    assert message(HistoryFilter(words=("a",))) == "No calls match the filter. Press / to change it."
    assert message(HistoryFilter(outcome="event")) == "No events match the filter. Press / to change it."
    assert (
        message(HistoryFilter.of("a", "staging", now=START))
        == "No calls with staging match the filter. Press / to change it, or p to show all profiles."
    )
    assert "record = false" in message(EVERYTHING, recording=False)


class Host:
    """A host that runs a worker on demand."""

    def __init__(self, filter_text: str = "") -> None:
        self.workers: list[Callable[[], Coroutine[Any, Any, None]]] = []
        self.timers: list[Callable[[], object]] = []
        self.rows: list[HistoryRow] = []
        self.pending = PendingKeys()
        pane_list = SimpleNamespace(show=self.show)
        self.pane = SimpleNamespace(text=filter_text, everyone=True, profile="", scope_name="", list=pane_list)
        explorer = SimpleNamespace(journal=SimpleNamespace(recording=True))
        search: Any = Search
        case = CaseOnView("case.toml", MANY[:3])
        self.search = search(self, self.pane, explorer, self.pending, lambda: None, frame=Frame(zone=UTC), case=case)

    def show(self, rows: list[HistoryRow], **_: object) -> None:
        self.rows = rows

    def run_worker(self, work: Callable[[], Coroutine[Any, Any, None]], **_: object) -> None:
        self.workers.append(work)

    def set_timer(self, _: float, callback: Callable[[], object]) -> Any:
        self.timers.append(callback)
        return SimpleNamespace(stop=lambda: None)

    def run(self) -> None:
        asyncio.run(self.workers.pop()())


def test_search_keys_wait_for_its_rows() -> None:
    host = Host()
    host.search.start()
    waited = host.pending.is_waiting
    host.run()
    assert (waited, host.pending.is_waiting) == (True, False)
    assert host.rows[1:] == MANY[:3]


def test_search_keys_wait_for_no_typed_filter() -> None:
    host = Host("ping")
    host.search.start(0.001)
    assert not host.pending.is_waiting
    assert host.search.is_stale


def test_search_action_waits_for_rows_of_its_filter() -> None:
    host, found = Host(), list[int]()
    host.search.start()
    host.run()
    host.search.when_found(lambda: found.append(len(host.rows)))
    assert found == [4]
    host.pane.text = "nowhere"
    host.search.start(0.001)
    host.search.when_found(lambda: found.append(len(host.rows)))
    assert found == [4]
    host.run()
    assert found == [4, 0]


def test_search_action_is_dropped_after_long_wait() -> None:
    host, found = Host(), list[str]()
    host.search.when_found(lambda: found.append("moved"))
    host.timers.pop()()
    assert not host.pending.is_waiting
    host.run()
    assert (found, len(host.rows)) == ([], 4)
