"""Tests of words for filters, headings of days and short outcomes."""

from __future__ import annotations

from datetime import UTC, date, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.model.exchange import Cancelled, Damaged, Exchange, Unreached
from rpcexplorer.model.filter import OUTCOME_WORDS, HistoryFilter
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.text.exchange import outcome_cell, short_params
from rpcexplorer.text.history import Day, day_words, filter_words, key_of, moment_words, note_page, rows_of
from rpcexplorer.text.printable import printable
from rpcexplorer.transport.port import Response
from tests.text.exchanges import WHEN, exchange

INVALID = ErrorObject(-32602, "Invalid params", None, b'{"code":-32602}')
DAMAGED = Damaged("me.toml", "its time is missing", 'method = "ping" # Ada')
TODAY = WHEN.date()


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("", ""),
        ("outcome:e method:user", "outcome error · method contains “user”"),
        ("outcome:", ""),
        ("ada bob", "text contains “ada” and “bob”"),
        ("profile:prod", "profile contains “prod”"),
        (
            "code:-1 status:5xx slower:1s smaller:2kB",
            "code -1 · HTTP 500 to 599 · slower than 1.0 s · smaller than 2.0 kB",
        ),
        ("since:2h until:2026-11-21", "since 21 Nov 2026 08:40 · before 22 Nov 2026 00:00"),
        (
            "larger:1 a",
            "larger:1 is not a size: write a number with its unit, such as 500B, 20kB or 1MB · text contains “a”",
        ),
        ("outcome:banana", f"there is no outcome banana. Write one of {', '.join(OUTCOME_WORDS)}"),
        ("outcome:failed method:=a.b", "outcome error or malformed or no response · method “a.b”"),
        ("profile:=prod by:ada", "profile “prod” · by “ada”"),
    ],
)
def test_filter_is_described_in_words(typed: str, told: str) -> None:
    assert filter_words(HistoryFilter.of(typed, "staging", now=WHEN), UTC) == told


@given(st.text())
def test_every_filter_except_the_empty_has_words(typed: str) -> None:
    wanted = HistoryFilter.of(typed, now=WHEN)
    assert bool(filter_words(wanted)) is (wanted != HistoryFilter())


def test_each_day_has_a_heading() -> None:
    calls = [exchange(INVALID, when=WHEN - timedelta(days=days)) for days in (0, 0, 1, 3)]
    rows = list(rows_of(calls, TODAY, UTC))
    assert [row.words for row in rows if isinstance(row, Day)] == ["today", "yesterday", "Wed 18 Nov 2026"]
    assert [row for row in rows if isinstance(row, Exchange)] == calls
    assert isinstance(rows[0], Day)


def test_later_rows_do_not_repeat_the_day() -> None:
    above = list(rows_of([exchange(INVALID), DAMAGED], TODAY, UTC))
    assert list(rows_of([exchange(INVALID)], TODAY, UTC, after=above)) == [exchange(INVALID)]


def test_damaged_record_keeps_its_position() -> None:
    call = exchange(INVALID)
    assert list(rows_of([DAMAGED, call, DAMAGED], TODAY, UTC)) == [DAMAGED, Day(TODAY, "today"), call, DAMAGED]


def test_days_are_in_the_local_zone() -> None:
    east = timezone(timedelta(hours=14))
    (day, _) = rows_of([exchange(INVALID)], TODAY, east)
    assert day == Day(date(2026, 11, 22), "Sun 22 Nov 2026")


def test_moment_has_a_date_unless_it_is_today() -> None:
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
        (Malformed("The response is an HTML page"), 502, "HTTP 502, an HTML page"),
        (Malformed("The reply is an HTML page"), 502, "HTTP 502, an HTML page"),
        (Cancelled(), None, "cancelled"),
        (Unreached("name", "no such host"), None, "no response: no such host"),
    ],
)
def test_outcome_of_a_call_is_short(outcome: Malformed, status: int | None, words: str) -> None:
    assert "".join(text for text, _ in outcome_cell(exchange(outcome, status=status))) == words


@pytest.mark.parametrize(
    ("params", "shown"),
    [
        ('{"id": 12}', "id 12"),
        ('{ "page": 8,\n  "count": 20 }', "page 8 count 20"),
        ('["tea"]', '"tea"'),
        ('[1, "x", null]', '1 "x" null'),
        ("{}", "{}"),
        ("[]", "[]"),
        ("", ""),
        ('{"filter": {"active": true}, "ids": [1, 2]}', "filter {active true} ids [1 2]"),
        ('[{"id": 1}, {"id": 1.50}]', "{id 1} {id 1.50}"),
        ('{"full name": "a, b: {\\" c", "tags": []}', '"full name" "a, b: {\\" c" tags []'),
        ('{"token": "«shop.password»", "page": "{{page}}"}', 'token "«shop.password»" page "{{page}}"'),
        ('{"id": 12, "na', 'id 12 "na'),
        ('{"a": "\x1b[2J"}', 'a "␛[2J"'),
    ],
)
def test_params_are_shortened_for_a_column(params: str, shown: str) -> None:
    assert short_params(params) == shown


@given(st.text())
def test_any_params_become_one_printable_line(params: str) -> None:
    assert printable(short_params(params)) == short_params(params)


def test_call_is_the_same_after_a_new_note() -> None:
    call, day = exchange(INVALID), Day(TODAY, "today")
    assert key_of(call) == key_of(exchange(INVALID, name="outage"))
    assert key_of(call) != key_of(exchange(INVALID, id="another"))
    assert key_of(day) != key_of(call)
    assert key_of(DAMAGED) != key_of(Damaged("me.toml", "another", ""))


def test_note_is_shown_above_the_details() -> None:
    note, expect = "Ada was told.\nSo was Bob.", "result\n/total = 3"
    noted = exchange(INVALID, name="outage", note=note, expect=expect, response=Response())
    lines = ["".join(text for text, _ in words).strip() for words in note_page(noted, UTC)]
    assert lines[1:4] == ["★ outage", "Ada was told.", "So was Bob."]
    assert lines[5:7] == ["expected  result", "/total = 3"]
    assert "when      2026-11-21 10:40:12 +0000" in lines
    assert not any(line.startswith("received") for line in lines)


def test_call_without_name_and_note_says_so() -> None:
    lines = ["".join(text for text, _ in words).strip() for words in note_page(exchange(INVALID), UTC)]
    assert lines[1:3] == ["No name yet.", "No note yet."]
