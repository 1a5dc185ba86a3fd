"""Reading the history in slices: only as far as needed, and stoppable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.model.problem import UserError
from rpcexplorer.text.history import Day
from rpcexplorer.tui.history_search import Reading, advice
from tests.history.recording import START, exchange

SLICE = 200
"""Calls of a part of them."""
MANY = [exchange(number) for number in range(3 * SLICE)]
EVERYTHING = HistoryFilter()


def reading_of(records: Iterable[Exchange | None], wanted: HistoryFilter = EVERYTHING, goal: int = 10_000) -> Reading:
    reading = Reading(iter(records), wanted, START.date(), UTC)
    reading.goal = goal
    return reading


async def read(reading: Reading) -> Reading:
    while not reading.full:
        await reading.go_on()
    return reading


async def test_reading_stops_at_its_goal_and_goes_on() -> None:
    reading = reading_of(MANY, goal=SLICE)
    assert ((await read(reading)).found, reading.ended) == (SLICE, False)
    reading.goal = len(MANY) + 1
    assert ((await read(reading)).found, reading.ended) == (len(MANY), True)
    assert reading.rows == [Day(START.date(), "today"), *MANY]


async def test_unmatched_calls_are_skipped() -> None:
    odd = exchange(7, method="user.get")
    assert (await read(reading_of([*MANY, odd], HistoryFilter(in_method="user")))).rows[1:] == [odd]


async def test_reading_without_matches_can_be_stopped() -> None:
    passed: list[int] = []
    reading = reading_of([])

    def records() -> Iterator[None]:
        for stretch in range(100):
            passed.append(stretch)
            if stretch == 3:
                reading.give_up()
            yield None

    reading._records = records()
    await reading.go_on()
    assert passed == [0, 1, 2, 3]
    assert (reading.found, reading.rows, reading.ended) == (0, [], False)


async def test_unreadable_files_are_reported_with_found_calls() -> None:
    def records() -> Iterator[Exchange]:
        yield from MANY[:SLICE]
        raise UserError("cannot read it: no")

    reading = await read(reading_of(records()))
    assert (reading.problem, reading.ended, reading.found) == ("cannot read it: no", True, SLICE)


def test_shorter_reading_does_not_replace_longer_one() -> None:
    reading = reading_of(MANY)
    reading.least = 2 * SLICE
    for found, is_ready in ((0, False), (SLICE, False), (2 * SLICE, True)):
        reading.found = found
        assert reading.ready is is_ready


async def test_count_is_shown_as_far_as_known() -> None:
    assert reading_of(MANY).count == ""
    assert (await read(reading_of(MANY, goal=SLICE))).count == f"newest {SLICE} calls"
    assert (await read(reading_of(MANY))).count == f"{len(MANY)} calls"
    assert (await read(reading_of(MANY[:1]))).count == "1 call"


async def test_search_shows_its_terms_and_progress() -> None:
    ping = HistoryFilter.of("method:ping", now=START)
    assert reading_of(MANY, ping).state == "0 found, searching …   method contains “ping”"
    assert (
        await read(reading_of(MANY, ping, goal=SLICE))
    ).state == f"{SLICE} found so far, scroll down for more   method contains “ping”"
    assert (await read(reading_of(MANY, ping))).state == f"{len(MANY)} found   method contains “ping”"
    assert (await read(reading_of(MANY))).state == ""


async def test_empty_list_names_the_next_step() -> None:
    async def message(wanted: HistoryFilter, *, recording: bool = True) -> str:
        lines = advice(await read(reading_of([], wanted)), "staging", recording=recording)
        return " ".join("".join(text for text, _ in words).strip() for words in lines)

    assert await message(EVERYTHING) == "No calls yet. Press Esc, then F5 to send one."
    assert (await message(HistoryFilter(profile="staging"))).startswith(
        "No calls with staging yet. Press Esc, then F5 to send one. Press p to show"
    )
    assert await message(HistoryFilter(words=("a",))) == "No calls match the filter. Press / to change it."
    assert await message(HistoryFilter(outcome="event")) == "No events match the filter. Press / to change it."
    assert (
        await message(HistoryFilter.of("a", "staging", now=START))
        == "No calls with staging match the filter. Press / to change it, or p to show all profiles."
    )
    assert "record = false" in await message(EVERYTHING, recording=False)
