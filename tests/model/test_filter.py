"""Filters as users type them, and the exchanges that match."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.model.exchange import FAILED, OUTCOMES, Damaged
from rpcexplorer.model.filter import BOUNDS, Bounds, HistoryFilter, narrowed
from rpcexplorer.rpc.messages import ErrorObject, Result
from tests.text.exchanges import WHEN, exchange

INVALID = ErrorObject(-32602, "Invalid params", None, b'{"code":-32602}')
DAMAGED = Damaged("me.toml", "its time is missing", 'method = "ping" # Ada')
WHOSE = {"by:eva": [True, False], "by:you": [False, True], "by:": [True, True], '"by:eva"': [False, False]}


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("", HistoryFilter()),
        ("  Ada   Lovelace ", HistoryFilter(words=("ada", "lovelace"))),
        ('"Ada Lovelace" x', HistoryFilter(words=("ada lovelace", "x"))),
        ('"not closed', HistoryFilter(words=("not closed",))),
        ("outcome:error user", HistoryFilter(words=("user",), outcome="error")),
        ("user Method:User.Get", HistoryFilter(words=("user",), in_method="user.get")),
        ("outcome: x", HistoryFilter(words=("x",))),
        ("state:502 http://a", HistoryFilter(words=("state:502", "http://a"))),
        ("Status:502 a slower:1.5s", HistoryFilter(words=("a",), bounds=Bounds(status=(502, 502), slower=1.5))),
        ('"status:502"', HistoryFilter(words=("status:502",))),
        ("method:a method:b", HistoryFilter(in_method="b")),
        ("method:=User.Get profile:=a", HistoryFilter(method="User.Get", named_profile="a")),
        ('method:"=a b" profile:=', HistoryFilter(method="a b")),
        ("outcome:error outcome:un", HistoryFilter(outcome="error un")),
    ],
)
def test_filter_has_words_prefixes_and_text(typed: str, wanted: HistoryFilter) -> None:
    assert HistoryFilter.of(typed, now=WHEN) == wanted


def test_typed_profile_replaces_the_current_one() -> None:
    assert HistoryFilter.of("ada", "staging", now=WHEN).profile == "staging"
    assert HistoryFilter.of("profile:prod", "staging", now=WHEN) == HistoryFilter(in_profile="prod")


@pytest.mark.parametrize(
    "typed",
    ["42", "GET", "method:user", "method:GET", "outcome:error", "outcome:err", "profile:stag", "invalid", "Héllo", "★"],
)
def test_text_is_searched_in_request_and_response(typed: str) -> None:
    body = '{"error":{"code":-32602,"message":"Invalid params","data":"héllo"}}'.encode()
    assert HistoryFilter.of(typed, now=WHEN).matches(exchange(INVALID, body=body, name="★ one"))


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("limit 6", True),
        ('limit 6 Where {name "ada, b" tags [1 2]}', True),
        ('{"limit":6', True),
        ("limit 7", False),
        ("limit 6 name", False),
        ("limit:6", False),
    ],
)
def test_params_are_found_as_a_row_shows_them(text: str, has: bool) -> None:
    call = exchange(INVALID, params='{"limit": 6,\n "where": {"name": "Ada, B", "tags": [1, 2]}}')
    assert HistoryFilter(text).matches(call) is has
    assert HistoryFilter(words=(text,)).matches(call) is has


@pytest.mark.parametrize(
    ("wanted", "has"),
    [
        (HistoryFilter(), True),
        (HistoryFilter(words=("ada",)), True),
        (HistoryFilter(words=("bob",)), False),
        (HistoryFilter(profile="x"), False),
        (HistoryFilter(in_method="ping"), False),
    ],
)
def test_damaged_record_matches_only_by_its_text(wanted: HistoryFilter, has: bool) -> None:
    assert wanted.matches(DAMAGED) is has


def test_outcome_prefix_matches_all_outcomes_that_start_so() -> None:
    assert HistoryFilter(outcome="").outcomes == tuple(name for name in OUTCOMES if name != "event")
    assert HistoryFilter(outcome="no-").outcomes == ("unreached",)
    assert HistoryFilter(outcome="nothing").outcomes == HistoryFilter(outcome="error nothing").outcomes == ()
    assert HistoryFilter(outcome="f").outcomes == HistoryFilter(outcome="failed").outcomes == FAILED
    assert HistoryFilter(outcome="failed canc").outcomes == ("error", "malformed", "unreached", "cancelled")


def test_events_match_only_if_they_are_meant() -> None:
    assert HistoryFilter(outcome="e").outcomes == ("error",)
    assert HistoryFilter(outcome="ev").outcomes == HistoryFilter(outcome="event").outcomes == ("event",)
    assert HistoryFilter(outcome="event error").outcomes == ("error", "event")


def test_whole_name_must_match_exactly() -> None:
    for typed, found in {"method:=user.GET": False, "method:=user.get": True, "method:=user": False}.items():
        assert HistoryFilter.of(typed, now=WHEN).matches(exchange(INVALID)) is found
    for typed, found in {"profile:=staging": True, "profile:=stag": False}.items():
        wanted = HistoryFilter.of(typed, "prod", now=WHEN)
        assert (wanted.profile, wanted.matches(exchange(INVALID))) == (None, found)


def test_by_matches_the_name_of_the_writer() -> None:
    hers, mine = exchange(INVALID, writer="Eva@desk"), exchange(INVALID)
    found = {typed: [HistoryFilter.of(typed, now=WHEN).matches(entry) for entry in (hers, mine)] for typed in WHOSE}
    assert found == WHOSE


def test_new_prefixed_word_replaces_the_one_before() -> None:
    assert narrowed("", "method:=a") == "method:=a"
    assert narrowed('outcome:failed method:a "two words" since:2h', "outcome:error") == (
        'method:a "two words" since:2h outcome:error'
    )


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("invalid  params", HistoryFilter("invalid  params")),
        ("code:-1 invalid  params", HistoryFilter("invalid params", bounds=Bounds(code=-1))),
        ('"id": 5 Method:user', HistoryFilter('"id": 5', in_method="user")),
        ('since: {"slower:1s"}', HistoryFilter('since: {"slower:1s"}')),
        ('"status:ok"', HistoryFilter("status:ok")),
        ('method:"a b" profile:x', HistoryFilter(in_method="a b", in_profile="x")),
    ],
)
@pytest.mark.everyday(6)
def test_text_around_filter_words_does_not_change(typed: str, wanted: HistoryFilter) -> None:
    assert HistoryFilter.around(typed, now=WHEN) == wanted


@given(st.text())
def test_any_text_is_a_filter(typed: str) -> None:
    wanted = HistoryFilter.of(typed, now=WHEN)
    assert all(word in typed.casefold() for word in (*wanted.words, wanted.in_method, wanted.in_profile))


def test_unreadable_file_matches_any_filter() -> None:
    assert HistoryFilter("x", profile="a", method="b", outcome="error").matches(Damaged("me.toml", "no permission", ""))


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
        ("since", "5m", MINUTE - timedelta(minutes=5)),
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
def test_bound_is_parsed_in_common_spellings(kind: str, text: str, meant: object) -> None:
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
def test_invalid_bound_says_what_to_write(kind: str, text: str) -> None:
    (problem,) = (found := Bounds.of({kind: text}, NOW)).wrong
    assert problem.startswith(f"{kind}:{text} is not a")
    assert not found.hold(exchange(Result(b"1")))


def test_time_without_a_zone_is_local() -> None:
    assert Bounds.of({"since": "2h"}, NOW.astimezone().replace(tzinfo=None)).since == MINUTE - timedelta(hours=2)


def test_equal_filters_within_a_minute_are_equal() -> None:
    asked = {"since": "90m", "until": "1h"}
    assert Bounds.of(asked, NOW) == Bounds.of(asked, NOW.replace(second=0))


@given(st.sampled_from(BOUNDS), st.text(max_size=12) | st.from_regex(r"[0-9:\-]{1,10}(ms|[smhdw])?", fullmatch=True))
def test_any_text_is_a_bound_or_a_sentence(kind: str, text: str) -> None:
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
def test_exchange_matches_if_within_bounds(bounds: Bounds, has: bool) -> None:
    assert bounds.hold(CALL) is has
