"""Bounds as a person types them, and which calls they leave."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.model.filter import BOUNDS, Bounds
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.transport.port import Response
from tests.views.exchanges import WHEN, exchange

EAST = timezone(timedelta(hours=2))
NOW = datetime(2026, 11, 21, 12, 40, 59, tzinfo=EAST)
MINUTE = datetime(2026, 11, 21, 10, 40, tzinfo=UTC)
MIDNIGHT = datetime(2026, 11, 20, 22, tzinfo=UTC)
DAY = timedelta(days=1)


def read(kind: str, text: str) -> Any:
    found = Bounds.of({kind: text}, NOW)
    assert not found.wrong
    return getattr(found, kind)


@pytest.mark.parametrize(
    ("kind", "text", "meant"),
    [
        ("code", "-32602", -32602),
        ("status", "404", (404, 404)),
        ("status", "5XX", (500, 599)),
        ("slower", "100ms", 0.1),
        ("slower", "1.5S", 1.5),
        ("faster", "2m", 120),
        ("larger", "1MB", 1_000_000),
        ("larger", "1.5kB", 1500),
        ("smaller", "500B", 500),
        ("since", "2h", MINUTE - timedelta(hours=2)),
        ("until", "1w", MINUTE - 7 * DAY),
        ("since", "today", MIDNIGHT),
        ("until", "today", MIDNIGHT + DAY),
        ("since", "yesterday", MIDNIGHT - DAY),
        ("since", "2026-11-20", MIDNIGHT - DAY),
        ("until", "2026-11-20", MIDNIGHT),
        ("since", "9:05", datetime(2026, 11, 21, 7, 5, tzinfo=UTC)),
        ("since", "2026-11-20T14:30", datetime(2026, 11, 20, 12, 30, tzinfo=UTC)),
        ("until", "2026-11-20t14:30:01z", datetime(2026, 11, 20, 14, 30, 1, tzinfo=UTC)),
    ],
)
def test_a_bound_is_read_as_people_write_it(kind: str, text: str, meant: object) -> None:
    assert read(kind, text) == meant


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("code", "x"),
        ("code", "-32602.0"),
        ("status", "0xx"),
        ("status", "ok"),
        ("slower", "1"),
        ("slower", "s"),
        ("faster", "-1s"),
        ("larger", "1"),
        ("larger", "1 MB"),
        ("since", "2"),
        ("since", "tomorrow"),
        ("since", "25:00"),
        ("since", "2026-02-30"),
        ("until", "9999-12-31"),
        ("since", "0001-01-01"),
        ("since", "999999w"),
    ],
)
def test_what_cannot_be_read_says_what_to_write_and_means_nothing(kind: str, text: str) -> None:
    (said,) = (found := Bounds.of({kind: text}, NOW)).wrong
    assert said.startswith(f"{kind}:{text} is no ")
    assert not found.hold(exchange(Result(b"1")))


def test_what_is_only_begun_is_no_bound() -> None:
    assert Bounds.of(dict.fromkeys(BOUNDS, ""), NOW) == Bounds()


def test_a_clock_without_a_zone_is_that_of_the_machine() -> None:
    assert Bounds.of({"since": "2h"}, NOW.astimezone().replace(tzinfo=None)).since == MINUTE - timedelta(hours=2)


def test_twice_the_same_within_a_minute_is_the_same_question() -> None:
    asked = {"since": "90m", "until": "1h"}
    assert Bounds.of(asked, NOW) == Bounds.of(asked, NOW.replace(second=0))


@given(st.sampled_from(BOUNDS), st.text(max_size=12) | st.from_regex(r"[0-9:\-]{1,10}(ms|[smhdw])?", fullmatch=True))
def test_whatever_is_typed_is_a_bound_or_a_sentence(kind: str, text: str) -> None:
    found = Bounds.of({kind: text}, NOW)
    assert not text or (getattr(found, kind) is None) is bool(found.wrong)


CALL = exchange(ErrorObject(-32602, "no", None, b""), status=404, body=b"x" * 100, seconds=0.5)


@pytest.mark.parametrize(
    ("bounds", "has"),
    [
        (Bounds(code=-32602), True),
        (Bounds(code=-32601), False),
        (Bounds(status=(400, 499)), True),
        (Bounds(status=(500, 599)), False),
        (Bounds(since=WHEN), True),
        (Bounds(since=WHEN + timedelta(seconds=1)), False),
        (Bounds(until=WHEN), False),
        (Bounds(until=WHEN + timedelta(seconds=1)), True),
        (Bounds(slower=0.5), False),
        (Bounds(slower=0.4), True),
        (Bounds(faster=0.5), False),
        (Bounds(faster=0.6), True),
        (Bounds(larger=100), False),
        (Bounds(larger=99, smaller=101), True),
        (Bounds(smaller=100), False),
    ],
)
@pytest.mark.everyday(15)
def test_a_call_lies_within_its_bounds_or_not(bounds: Bounds, has: bool) -> None:
    assert bounds.hold(CALL) is has


def test_without_a_reply_there_is_no_status() -> None:
    assert not Bounds(status=(100, 999)).hold(exchange(Result(b""), response=Response()))
