"""Tests of statistics of calls, by time and by group."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from statistics import median_low

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.history.statistics import LAST_RESULTS, Chart, Grouping, Latency, Statistics, Timeline, UsualTimes
from rpcexplorer.model.exchange import Cancelled, Damaged, Exchange, Outcome, Sent, Unreached
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.transport.port import Response
from tests.text.exchanges import WHEN, exchange

MINUTE = timedelta(minutes=1)
NO = ErrorObject(-32602, "no", None, b"")
REFUSED = Unreached("connect", "refused")


def of(calls: Iterable[Exchange | Damaged], by: Grouping = "method") -> Statistics:
    found = Statistics(by)
    for call in calls:
        found.add(call)
    return found


def chart_of(calls: Iterable[Exchange | Damaged], width: int, least: int = 60, zone: timezone = UTC) -> Chart | None:
    timeline = Timeline(zone)
    for call in calls:
        timeline.add(call)
    return timeline.chart(width, least)


def call(method: str, seconds: float, outcome: Outcome = Result(b"1"), profile: str = "prod") -> Exchange:  # noqa: B008
    return exchange(outcome, method=method, seconds=seconds, profile=profile)


CALLS = [
    call("a", 0.1),
    call("a", 0.3, NO),
    call("a", 0.2, profile="test"),
    call("b", 9.0, REFUSED),
    call("b", 0.4, Malformed("html")),
    call("c", 5.0, Cancelled()),
    call("c", 0.5, Sent()),
]


def test_calls_and_failures_are_counted_by_group() -> None:
    rows = {row.name: row for row in of(CALLS).rows()}
    assert {name: (row.calls, row.failures) for name, row in rows.items()} == {
        ("a", "prod"): (2, {"error": 1}),
        ("a", "test"): (1, {}),
        ("b", "prod"): (2, {"malformed": 1, "unreached": 1}),
        ("c", "prod"): (2, {}),
    }
    assert (of(CALLS).total.calls, of(CALLS).total.failed) == (7, 3)
    assert [row.name for row in of(CALLS, "profile").rows()] == [("prod",), ("test",)]
    assert {row.name[0]: row.calls for row in of(CALLS, "code").rows()} == {
        "result": 2,
        "-32602": 1,
        "unreached": 1,
        "malformed": 1,
        "cancelled": 1,
        "sent": 1,
    }


def test_duration_counts_only_with_a_response() -> None:
    rows = {row.name: row.latency() for row in of(CALLS).rows()}
    assert rows["b", "prod"] == Latency(0.4, 0.4, 0.4, 0.4)
    assert rows["c", "prod"] is None  # It was cancelled, or only sent.
    assert of([call("b", 9.0, REFUSED)]).total.latency() is None


def test_rows_are_sorted_by_the_chosen_column() -> None:
    found = of(CALLS)
    assert [row.name[0] for row in found.rows("failures")] == ["b", "a", "c", "a"]
    assert [row.name[0] for row in found.rows("p95")] == ["b", "a", "a", "c"]
    assert [row.name for row in found.rows()][-1] == ("a", "test")


@given(st.lists(st.floats(0, 100), min_size=1, max_size=60))
def test_percentile_95_covers_95_percent_of_calls(took: list[float]) -> None:
    latency = of(call("a", seconds) for seconds in took).total.latency()
    assert latency is not None
    assert latency.median == median_low(took)
    assert latency.worst == max(took)
    assert sum(seconds <= latency.p95 for seconds in took) >= 0.95 * len(took)
    assert sum(seconds < latency.p95 for seconds in took) < 0.95 * len(took)


def test_first_and_last_use_times_and_ignore_damage() -> None:
    found = of([exchange(NO, when=WHEN + MINUTE), exchange(NO), Damaged("f", "torn", "x")])
    assert (found.total.first, found.total.last, found.damaged) == (WHEN, WHEN + MINUTE, 1)


def at(*minutes: int) -> list[Exchange]:
    start = datetime(2026, 11, 21, tzinfo=UTC)
    return [exchange(NO if minute % 2 else Result(b"1"), when=start + minute * MINUTE) for minute in minutes]


@pytest.mark.parametrize(
    ("minutes", "width", "step", "start", "bars"),
    [
        ([0], 10, 1, 0, [(1, 0)]),
        ([0, 3, 3], 4, 1, 0, [(1, 0), (0, 0), (0, 0), (2, 2)]),
        ([2, 7], 4, 2, 2, [(1, 0), (0, 0), (1, 1)]),
        ([4, 13, 13], 2, 10, 0, [(1, 0), (2, 2)]),
        ([59, 61, 180], 4, 60, 0, [(1, 1), (1, 1), (0, 0), (1, 0)]),
        ([0, 7 * 1440 - 1], 7, 1440, 0, [(1, 0), *[(0, 0)] * 5, (1, 1)]),
    ],
)
@pytest.mark.everyday(5)
def test_bars_use_the_shortest_step_that_fits(
    minutes: list[int], width: int, step: int, start: int, bars: list[tuple[int, int]]
) -> None:
    begin = datetime(2026, 11, 21) + start * MINUTE  # noqa: DTZ001 - on the clock of whoever looks
    assert chart_of(at(*minutes), width) == Chart(begin, step * 60, tuple(bars))


def test_short_time_has_bars_of_seconds() -> None:
    calls = [exchange(NO, when=WHEN + timedelta(seconds=second)) for second in (0, 4, 5, 29)]
    chart = chart_of(calls, 7, least=1)
    assert chart is not None
    assert (chart.seconds, [calls for calls, _ in chart.bars]) == (5, [1, 2, 0, 0, 0, 0, 1])


def test_days_are_in_the_local_zone() -> None:
    chart = chart_of(at(0, 60, 4 * 1440), 6, zone=timezone(timedelta(hours=-1)))
    assert chart is not None
    assert (chart.seconds, [calls for calls, _ in chart.bars]) == (1440 * 60, [1, 1, 0, 0, 1])
    assert chart.start == datetime(2026, 11, 20)  # noqa: DTZ001 - on the clock of whoever looks


@given(st.lists(st.datetimes(datetime(2, 1, 2), datetime(9998, 12, 30)), min_size=1, max_size=20), st.integers(1, 90))  # noqa: DTZ001
def test_chart_contains_all_calls_and_fits(times: list[datetime], width: int) -> None:
    calls = (exchange(NO, when=when.replace(tzinfo=UTC), response=Response()) for when in times)
    chart = chart_of(calls, width, least=1)
    assert chart is not None
    assert len(chart.bars) <= width
    assert sum(calls for calls, _ in chart.bars) == len(times)
    assert chart.start <= min(times)
    assert chart.start + len(chart.bars) * timedelta(seconds=chart.seconds) > max(times)


def test_chart_needs_calls_and_room() -> None:
    assert chart_of([], 10) is None
    assert chart_of([Damaged("f", "torn", "x"), exchange(Result(b"1"), kind="event")], 10) is None
    assert chart_of(CALLS, 0) is None
    assert all(one.calls >= other.calls for one, other in pairwise(of(CALLS).rows()))


def test_usual_duration_is_the_median_of_the_last_results() -> None:
    times = UsualTimes()
    for seconds in (9.0, 0.1):
        times.add(call("a", seconds))
    assert times.usual("prod", "a") is None
    times.add(call("a", 0.3))
    assert times.usual("prod", "a") == 0.3
    for _ in range(LAST_RESULTS):
        times.add(call("a", 0.2))
    assert times.last("prod", "a") == [0.2] * LAST_RESULTS
    assert (times.usual("prod", "a"), times.usual("test", "a")) == (0.2, None)


def test_earlier_durations_come_before_the_known() -> None:
    times = UsualTimes()
    times.add(call("a", 0.5))
    for number in range(1, LAST_RESULTS + 9):
        times.add_earlier(call("a", float(number)))
    assert times.last("prod", "a")[-3:] == [2.0, 1.0, 0.5]
    assert len(times.last("prod", "a")) == LAST_RESULTS


@pytest.mark.parametrize(
    "other",
    [
        call("a", 0.1, NO),
        call("a", 0.1, Result(b"1", message="the tool failed")),
        call("a", 0.1, Cancelled()),
        call("a", float("nan")),
        exchange(Result(b"1"), method="a", profile="prod", kind="batch"),
        exchange(Result(b"1"), method="a", profile="prod", writer="ada@laptop"),
        exchange(Result(b"1"), method="a", profile="prod", foreign=True),
    ],
)
def test_only_own_results_of_single_calls_are_usual(other: Exchange) -> None:
    times = UsualTimes()
    times.add(other)
    times.add_earlier(other)
    assert times.last("prod", "a") == []


def test_calls_without_a_profile_have_no_usual_duration() -> None:
    times = UsualTimes()
    times.add(call("a", 0.1, profile="url"))
    assert times.last("url", "a") == []
