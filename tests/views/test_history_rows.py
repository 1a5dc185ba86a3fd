"""Filters as a person types them, days as headings, outcomes in a few words."""

from __future__ import annotations

from datetime import UTC, date, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.model.exchange import Cancelled, Damaged, ErrorObject, Exchange, Malformed, Response, Result, Unreached
from rpcexplorer.views.history_rows import (
    OUTCOMES,
    Day,
    Wanted,
    came,
    day_words,
    moment_words,
    note_page,
    rows_of,
    same,
)
from tests.views.exchanges import WHEN, exchange

INVALID = ErrorObject(-32602, "Invalid params", None, b'{"code":-32602}')
DAMAGED = Damaged("me.toml", "its time is missing", 'method = "ping" # Ada')
TODAY = WHEN.date()


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("", Wanted()),
        ("  Ada   Lovelace ", Wanted(("ada", "lovelace"))),
        ('"Ada Lovelace" x', Wanted(("ada lovelace", "x"))),
        ('"not closed', Wanted(("not closed",))),
        ("outcome:error user", Wanted(("user",), outcome="error")),
        ("user Method:User.Get", Wanted(("user",), method="user.get")),
        ("outcome: x", Wanted(("x",))),
        ("status:502 http://a", Wanted(("status:502", "http://a"))),
        ("method:a method:b", Wanted(method="b")),
    ],
)
def test_a_filter_is_words_and_kinds_and_anything_else_is_text(typed: str, wanted: Wanted) -> None:
    assert Wanted.of(typed) == wanted


def test_whoever_types_a_profile_looks_beyond_the_one_in_use() -> None:
    assert Wanted.of("ada", "staging").only == "staging"
    assert Wanted.of("profile:prod", "staging") == Wanted(profile="prod", only=None)


@pytest.mark.parametrize(
    "typed",
    ["42", "GET", "method:user", "method:GET", "outcome:error", "outcome:err", "profile:stag", "invalid", "Héllo", "★"],
)
def test_what_is_looked_for_may_stand_anywhere_in_request_and_reply(typed: str) -> None:
    body = '{"error":{"code":-32602,"message":"Invalid params","data":"héllo"}}'.encode()
    assert Wanted.of(typed).has(exchange(INVALID, body=body, name="★ one"))


@pytest.mark.parametrize("typed", ["43", "method:list", "outcome:result", "profile:prod", "outcome:banana", "42 nope"])
def test_each_part_of_a_filter_must_be_there(typed: str) -> None:
    assert not Wanted.of(typed).has(exchange(INVALID))


def test_only_one_profile_is_meant_to_the_letter() -> None:
    assert Wanted(only="staging").has(exchange(INVALID))
    assert not Wanted(only="stag").has(exchange(INVALID))


@pytest.mark.parametrize(
    ("wanted", "has"),
    [
        (Wanted(), True),
        (Wanted(("ada",)), True),
        (Wanted(("bob",)), False),
        (Wanted(only="x"), True),
        (Wanted(method="ping"), False),
    ],
)
def test_of_a_damaged_record_only_its_text_is_known(wanted: Wanted, has: bool) -> None:
    assert wanted.has(DAMAGED) is has


def test_a_half_typed_outcome_means_all_that_begin_so() -> None:
    assert Wanted(outcome="").outcome_name is None
    assert Wanted(outcome="un").outcome_name == "unreached"
    assert Wanted(outcome="nothing").outcomes == ()
    assert Wanted(outcome="nothing").outcome_name == "nothing", "which no call has"


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("", ""),
        ("outcome:e method:user", "outcome error · method with “user”"),
        ("outcome:", ""),
        ("ada bob", "text with “ada” and “bob”"),
        ("profile:prod", "profile with “prod”"),
        ("outcome:banana", f"there is no outcome banana, but {', '.join(OUTCOMES)}"),
    ],
)
def test_a_filter_is_told_in_words(typed: str, told: str) -> None:
    assert Wanted.of(typed, "staging").told() == told


@given(st.text())
def test_any_text_is_a_filter(typed: str) -> None:
    wanted = Wanted.of(typed)
    assert all(word in typed.casefold() for word in (*wanted.words, wanted.method, wanted.profile))
    assert bool(wanted.told()) is (wanted != Wanted())


def test_each_day_has_a_heading_of_its_own() -> None:
    calls = [exchange(INVALID, when=WHEN - timedelta(days=days)) for days in (0, 0, 1, 3)]
    rows = list(rows_of(calls, TODAY, UTC))
    assert [row.words for row in rows if isinstance(row, Day)] == ["today", "yesterday", "Wed 18 Nov 2026"]
    assert [row for row in rows if isinstance(row, Exchange)] == calls
    assert isinstance(rows[0], Day)


def test_rows_that_come_later_go_on_with_the_day_above_them() -> None:
    above = list(rows_of([exchange(INVALID), DAMAGED], TODAY, UTC))
    assert list(rows_of([exchange(INVALID)], TODAY, UTC, after=above)) == [exchange(INVALID)]


def test_a_damaged_record_stays_where_it_lies() -> None:
    call = exchange(INVALID)
    assert list(rows_of([DAMAGED, call, DAMAGED], TODAY, UTC)) == [DAMAGED, Day(TODAY, "today"), call, DAMAGED]


def test_days_are_those_of_whoever_looks() -> None:
    east = timezone(timedelta(hours=14))
    (day, _) = rows_of([exchange(INVALID)], TODAY, east)
    assert day == Day(date(2026, 11, 22), "Sun 22 Nov 2026")


def test_a_moment_names_its_day_where_that_is_not_today() -> None:
    assert moment_words(WHEN, TODAY, UTC) == "10:40:12"
    assert moment_words(WHEN, TODAY + timedelta(days=1), UTC) == "21 Nov 2026 10:40:12"
    assert day_words(TODAY, TODAY + timedelta(days=1)) == "yesterday"


@pytest.mark.parametrize(
    ("outcome", "status", "words"),
    [
        (INVALID, 200, "-32602 Invalid params"),
        (INVALID, 500, "HTTP 500, -32602 Invalid params"),
        (ErrorObject(None, "odd", None, b""), 200, "error without code odd"),
        (Result(b"1"), 200, "result  0 B"),
        (Malformed("The reply is an HTML page"), 502, "HTTP 502, an HTML page"),
        (Cancelled(), None, "cancelled"),
        (Unreached("name", "no such host"), None, "unreached: no such host"),
    ],
)
def test_what_came_of_a_call_is_a_few_words(outcome: Malformed, status: int | None, words: str) -> None:
    assert "".join(text for text, _ in came(exchange(outcome, status=status))) == words


def test_the_same_call_is_known_whatever_was_noted_meanwhile() -> None:
    call, day = exchange(INVALID), Day(TODAY, "today")
    assert same(call, exchange(INVALID, name="outage"))
    assert not same(call, exchange(INVALID, id="another"))
    assert not same(day, call)
    assert not same(DAMAGED, Damaged("me.toml", "another", ""))


def test_a_note_stands_above_the_circumstances() -> None:
    noted = exchange(INVALID, name="outage", note="Ada was told.\nSo was Bob.", response=Response())
    lines = ["".join(text for text, _ in words).strip() for words in note_page(noted, UTC)]
    assert lines[1:4] == ["★ outage", "Ada was told.", "So was Bob."]
    assert "when      2026-11-21 10:40:12 +0000" in lines
    assert not any(line.startswith("received") for line in lines)


def test_a_call_without_name_and_note_says_so() -> None:
    lines = ["".join(text for text, _ in words).strip() for words in note_page(exchange(INVALID), UTC)]
    assert lines[1:3] == ["No name yet.", "No note yet."]
