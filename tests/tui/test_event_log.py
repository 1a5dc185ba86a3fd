"""The log of events in memory: its bounds, and the filter."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from rpcexplorer.client.server_messages import event_of
from rpcexplorer.model import event as model
from rpcexplorer.model.event import Event
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import MARGIN, Secret
from rpcexplorer.redaction.exchange import EventRedactor
from rpcexplorer.rpc.codec import open_object
from rpcexplorer.tui import event_log
from rpcexplorer.tui.event_log import GONE, AllEvents, EventFilter, EventLog, EventRates, EventSearch

NOTHING = EventRedactor(Profile("node", "tcp://127.0.0.1:9"), ())
NOW = datetime(2026, 11, 21, 10, 41, 7, 5000, tzinfo=UTC)


def event(method: str = "tick", params: str = "{}", **more: Any) -> Event:
    text = f'{{"jsonrpc":"2.0","method":"{method}","params":{params}}}'.encode()
    usual: dict[str, Any] = {"when": NOW, "kind": "notification", "text": text, "method": method}
    return Event(**usual | more)


def log_of(*events: Event) -> EventLog:
    log = EventLog()
    for one in events:
        log.take(one)
    return log


def methods(log: EventLog) -> list[str]:
    return [event.method for event in AllEvents(log)]


@pytest.mark.parametrize(("limit", "value"), [("MAX_EVENTS", 3), ("MAX_BYTES", 3 * (len(event("m0").text) + 2))])
def test_log_keeps_the_newest_and_counts_all(limit: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, limit, value)
    log = log_of(*(event(f"m{number}") for number in range(8)))
    assert (methods(log), log.count, log.dropped) == (["m5", "m6", "m7"], 8, 5)
    assert [log.numbered(number).method for number in (5, 7)] == ["m5", "m7"]
    assert log.numbered(4) is GONE


def test_newest_event_is_the_last_one() -> None:
    assert EventLog().newest is None
    assert (newest := log_of(event("a"), event("b")).newest) is not None
    assert newest.method == "b"


def test_event_larger_than_the_log_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "MAX_BYTES", 100)
    log = log_of(event("a"), event("b", f'"{"x" * 100}"'), event("c"))
    assert (methods(log), log.count, log.dropped) == (["c"], 3, 2)


@pytest.mark.parametrize("kind", ["notification", "request", "response", "unreadable"])
def test_event_of_each_kind_is_cut(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "MAX_EVENT", 20)
    monkeypatch.setattr(model, "MARGIN", 4)
    whole = event("m" * 30, kind=kind, id=b"1")
    text = whole.text
    log = log_of(whole)
    assert log.newest is whole
    assert (whole.text, whole.size, whole.method) == (text[:24], len(text), "mmmm")
    assert whole.answer_with(b'"result":1') == b'{"jsonrpc":"2.0","id":1,"result":1}'


@pytest.mark.parametrize(
    ("message", "remark"),
    [('"method":"ask"', "its id is longer than 1,000 bytes"), ('"result":1', "no call waits for this")],
)
def test_long_id_is_not_kept(message: str, remark: str) -> None:
    text = f'{{"jsonrpc":"2.0","id":"{"x" * 1_000}",{message}}}'.encode()
    found = event_of(text, open_object(text))
    assert (found.id, found.remark[: len(remark)], found.waits) == (None, remark, False)


def test_stderr_keeps_the_last_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "MAX_STDERR", 10)
    log = EventLog()
    for line in ("one", "two", "three", "a line that is too long"):
        log.take_stderr(line)
    assert list(log.stderr) == ["a line tha"]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", True),
        ("block", True),
        ("Block", False),
        ("method:eth", True),
        ("method:net", False),
        ("eth_ 0x1 method:sub", True),
        ("0x2", False),
    ],
)
def test_filter_matches_words_and_methods(typed: str, found: bool) -> None:
    one = event("eth_subscription", '{"subscription":"0x1","result":"BLOCK"}')
    assert (EventFilter.of(typed).found([one], NOTHING) == [one]) is found


def test_filter_finds_no_part_of_a_secret() -> None:
    hide = EventRedactor(Profile("shop", "tcp://127.0.0.1:9"), [Secret("correct-horse", "shop.token")])
    one = event("of correct-horse", '{"token":"correct-horse","name":"horse"}')
    typed = ("correct", "correct-horse", "horse", "method:correct", "method:of")
    assert [bool(EventFilter.of(word).found([one], hide)) for word in typed] == [False, False, True, False, True]


def test_filter_finds_no_secret_among_many_events() -> None:
    hide = EventRedactor(Profile("shop", "tcp://127.0.0.1:9"), [Secret("correct-horse", "shop.token")])
    log = log_of(*(event("tick", '"correct-horse"' if number % 7 == 3 else '"correct"') for number in range(1_000)))
    search = EventSearch(log, EventFilter.of("correct"))
    search.search(hide, 60)
    assert search.is_complete
    assert {one.text for one in search} == {event("tick", '"correct"').text}
    assert len(search) == sum(number % 7 != 3 for number in range(1_000))


def test_filter_finds_no_half_of_a_secret_at_the_cut() -> None:
    hide = EventRedactor(Profile("shop", "tcp://127.0.0.1:9"), [Secret("correct-horse", "shop.token")])
    start = "x" * (model.MAX_EVENT + MARGIN - len("correct"))
    long = Event(NOW, "unreadable", f"{start}correct-horse".encode())
    log_of(long)
    assert long.text.endswith(b"correct")
    assert not EventFilter.of("correct").found([long], hide)


def test_search_goes_on_after_events_were_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "MAX_EVENTS", 4)
    log = EventLog()
    search = EventSearch(log, EventFilter.of("method:odd"))
    for number in range(4):
        log.take(event("odd" if number % 2 else "even", str(number)))
    search.search(NOTHING, 0)
    assert not search.is_complete
    search.search(NOTHING, 60)
    assert [one.text for one in search] == [event("odd", "1").text, event("odd", "3").text]
    for number in range(4, 7):
        log.take(event("odd" if number % 2 else "even", str(number)))
    assert search[0].remark == "dropped"
    search.search(NOTHING, 60)
    assert search.update() == 1
    assert [one.text for one in search] == [event("odd", "3").text, event("odd", "5").text]


async def test_large_event_is_searched_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "AT_ONCE_BYTES", 100)
    log = log_of(event("a"), event("b", f'"{"x" * 100}"'), event("c"))
    threads = list[bool]()

    def found(some: Sequence[Event], _: object) -> Sequence[Event]:
        threads.append(threading.current_thread() is threading.main_thread())
        return [one for one in some if one.method != "a"]

    wanted: Any = SimpleNamespace(found=found)
    search = EventSearch(log, wanted)

    search.search(NOTHING, 60)
    while not search.is_complete:
        await asyncio.sleep(0)
        search.search(NOTHING, 60)
    assert [one.method for one in search] == ["b", "c"]
    assert threads == [True, False, True]


SECOND = int(NOW.timestamp())


def later(method: str, seconds: int) -> Event:
    return event(method, when=NOW + timedelta(seconds=seconds))


def test_rates_count_events_in_each_second() -> None:
    log = log_of(later("a", 0), later("a", 2), later("b", 2), later("a", 2))
    rates = EventRates(log)
    rates.update()
    log.take(later("b", 3))
    rates.update()
    assert rates.rows(SECOND + 4, 5, 2) == [("a", [1, 0, 2, 0, 0]), ("b", [0, 0, 1, 1, 0])]
    assert rates.rows(SECOND + 4, 2, 1) == [("all", [1, 0])]
    assert rates.last_second(0) == SECOND + 3


def test_rare_methods_are_counted_together() -> None:
    log = log_of(*(later(name, 0) for name in "aabbcd"), event("", when=NOW, kind="unreadable"))
    rates = EventRates(log)
    rates.update()
    assert rates.rows(SECOND, 1, 3) == [("a", [2]), ("b", [2]), ("others", [3])]
    assert ("unreadable", [1]) in rates.rows(SECOND, 1, 9)


def test_old_seconds_and_many_methods_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "MAX_KINDS", 2)
    rates = EventRates(log_of(later("a", 0), *(later(f"m{number}", 900) for number in range(9))))
    rates.update()
    assert rates.rows(SECOND + 900, 1, 9) == [("m0", [1]), ("others", [8])]
