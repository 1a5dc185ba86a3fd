"""Tests of history lines and of the page of a call."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.history.statistics import GROUPINGS, Chart, Statistics, Timeline
from rpcexplorer.model.exchange import Cancelled, Damaged, Exchange, Outcome, Unreached
from rpcexplorer.model.filter import OUTCOME_WORDS, HistoryFilter
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.text.columns import table_lines
from rpcexplorer.text.exchange import SIGNS, outcome_cell, short_params
from rpcexplorer.text.history import (
    MARGIN,
    Day,
    chart_lines,
    day_words,
    filter_words,
    history_line,
    key_of,
    left_out_words,
    method_plot,
    moment_words,
    note_page,
    rows_of,
    shown,
    statistics_columns,
    strip_words,
    time_axis,
    total_lines,
    total_words,
    words_for,
)
from rpcexplorer.text.printable import columns, printable
from rpcexplorer.text.wrapping import text_of
from rpcexplorer.transport.port import Phases, Response
from tests.text.exchanges import WHEN, exchange

COLOURS = re.compile(r"\x1b\[[0-9]+m")
INVALID = ErrorObject(-32602, "Invalid params", None, b'{"code":-32602}', ("id differs",))


def page(call: Exchange) -> str:
    return shown(call, zone=UTC)


def test_line_shows_method_profile_outcome_duration_and_time() -> None:
    line = history_line(exchange(INVALID), 100, zone=UTC)
    assert line.split("  ")[0] == "✗ 01jd4x9a2mk7c3q"
    assert re.split(r"\s{2,}", line)[1:] == [
        *("user.get", "staging", "error -32602 Invalid params", "34 ms", "10:40:12")
    ]


def test_times_are_in_the_local_zone() -> None:
    assert history_line(exchange(INVALID), 100, zone=timezone(timedelta(hours=2))).endswith("12:40:12")


def test_imported_call_is_labelled() -> None:
    theirs, ours = exchange(INVALID, foreign=True), exchange(INVALID)
    assert "  imported, error -32602 Inval" in history_line(theirs, 100, zone=UTC)
    assert "from      a case: someone else recorded this call" in page(theirs)
    assert "a case" not in page(ours) + history_line(ours, 100, zone=UTC)


@given(st.text(), st.text(), st.text(), st.integers(0, 130), st.floats(0, 1e9))
def test_line_fits_the_width_and_is_printable(method: str, message: str, name: str, width: int, seconds: float) -> None:
    odd = exchange(ErrorObject(1, message, None, b""), method=method, name=name, seconds=seconds)
    line = history_line(odd, width, zone=UTC)
    assert columns(line) <= width
    assert printable(line) == line
    assert COLOURS.sub("", history_line(odd, width, zone=UTC, colour=True)) == line


def test_unsuccessful_http_status_is_shown() -> None:
    line = history_line(exchange(Malformed("not JSON"), status=502), 100, zone=UTC)
    assert "HTTP 502, malformed: not JSON" in line


def test_whole_line_is_not_cut() -> None:
    method, message = "some.very.long.name.of.a.method", "a long message of the server " * 4
    failed = exchange(ErrorObject(1, message, None, b""), method=method)
    line = history_line(failed, 60, zone=UTC, whole=True)
    assert method in line
    assert f"error 1 {message}" in line
    assert line.endswith("10:40:12")


def test_reused_connection_is_shown_with_the_duration() -> None:
    told = exchange(INVALID, phases=Phases(wait=0.017, kept=True))
    assert "took      34 ms (connection reused, wait 17 ms)" in page(told)


def test_page_of_a_call_shows_every_field() -> None:
    told = exchange(
        INVALID,
        body=b'{"error":{"code":-32602,"data":1.10}}',
        phases=Phases(name=0.001, tls=0.012, wait=0.017),
        notes=("logged in as ada",),
        name="outage",
        note="two\nlines",
    )
    text = """\
✗ error -32602 Invalid params   HTTP 200 · 34 ms · 37 B
  the method does not accept these params

  call      01jd4x9a2mk7c3q
  method    user.get
  name      ★ outage
  note      two
            lines
  profile   staging
  url       https://rpc.example.com/api/v2/
  when      21 Nov 2026 10:40:12 +0000
  took      34 ms (name 1 ms, TLS 12 ms, wait 17 ms)
  sent      112 B
  status    HTTP/1.1 200 OK
  also      logged in as ada
  warnings  id differs

params
{
  "id": 42
}

response
{
  "error": {
    "code": -32602,
    "data": 1.10
  }
}"""
    assert page(told) == text


def test_known_response_headers_are_shown() -> None:
    headers = (("X-Request-Id", "7f3a"), ("X-\x1b[2J", "\u202e"), ("X-Empty", ""))
    text = page(exchange(Result(b"1"), response=Response(200, "OK", "", headers, b"1", 1)))
    assert "}\n\nheaders\nX-Request-Id: 7f3a\nX-␛[2J: \\u202e\nX-Empty:\n\nresponse\n1" in text
    assert "headers" not in page(exchange(Result(b"1")))


def test_call_without_response_shows_no_response_section() -> None:
    text = page(exchange(Unreached("connect", "nothing listens"), status=None))
    assert text.startswith(f"{SIGNS['unreached']} no response: nothing listens   34 ms\n")
    assert "\nresponse" not in text
    assert "status" not in text


def test_cut_response_shows_its_full_size() -> None:
    response = Response(200, "OK", "HTTP/1.1", (), b'{"a": 1', 38_000_000, cut=True)
    assert "response, the first 7 B of 38 MB\n" in page(exchange(Result(b"{}"), response=response))


def test_result_is_shown_without_a_recorded_body() -> None:
    assert page(exchange(Result(b'"pong"'))).endswith('response\n"pong"')


def test_binary_body_is_shown_in_hex() -> None:
    assert "00000000  ff fe" in page(exchange(Malformed("not UTF-8"), body=b"\xff\xfe"))


@pytest.mark.parametrize("field", ["method", "params", "profile", "url", "name", "note", "id"])
def test_external_text_is_escaped(field: str) -> None:
    odd: dict[str, Any] = {field: "x\x1b]52;c;?\x07\u202e"}
    text = page(exchange(Result(b"1"), **odd))
    assert printable(text, lines=True) == text
    assert "x␛]52;c;?␇\\u202e" in text


def found() -> Statistics:
    one = Statistics("method")
    for number in range(1200):
        one.add(exchange(Result(b"1") if number % 100 else ErrorObject(1, "no", None, b"")))
    one.add(exchange(Result(b"1"), method="日本\x1b]52;c;?\x07" + "x" * 9000, seconds=125.0))
    one.add(Damaged("f", "torn", "x"))
    return one


def test_statistics_align_names_left_and_numbers_right() -> None:
    rows = found().rows()[:1]
    heading, line = table_lines(statistics_columns("method", rows, WHEN.date(), UTC), rows, 100)
    assert heading.split() == ["method", "profile", "calls", "failed", "median", "p95", "max", "last"]
    assert line.split() == ["user.get", "staging", "1,200", "12", "34", "ms", "34", "ms", "34", "ms", "10:40:12"]
    assert len(heading) == len(line)
    assert line.index("1,200") + 5 == heading.index("calls") + 5


@pytest.mark.parametrize("width", [60, 80, 200])
def test_statistics_fit_the_width(width: int) -> None:
    rows = found().rows()
    for line in table_lines(statistics_columns("method", rows, WHEN.date(), UTC), rows, width):
        assert columns(line) <= width
        assert printable(line) == line


def test_all_calls_are_one_line() -> None:
    assert total_words(found()) == "1,201 calls · 12 failed: 12 errors · median 34 ms, p95 34 ms, max 2 min 5 s"
    assert left_out_words(found()) == "1 damaged record is not counted"
    assert total_lines(found(), columns(total_words(found())) - 1) == [
        "1,201 calls · 12 failed: 12 errors",
        "median 34 ms, p95 34 ms, max 2 min 5 s",
    ]
    assert total_lines(found(), columns(total_words(found()))) == [total_words(found())]
    nothing = Statistics()
    assert (total_lines(nothing, 1), left_out_words(nothing)) == (["0 calls"], "")
    nothing.add(exchange(Result(b"1")))
    assert total_words(nothing).startswith("1 call · none failed · median 34 ms")


MORNING = datetime(2026, 11, 21, 10)  # noqa: DTZ001 - on the clock of whoever looks


@pytest.mark.parametrize(
    ("minutes", "many", "told"),
    [
        (60, 3, "21 Nov 2026 10:00 to 12:00 · 1 h per bar"),
        (15, 1, "21 Nov 2026 10:00 · 15 min per bar"),
        (1440, 1, "21 Nov 2026 · 1 day per bar"),
        (7 * 1440, 2, "21 Nov 2026 to 28 Nov 2026 · 7 days per bar"),
    ],
)
@pytest.mark.everyday(3)
def test_calls_and_failures_share_a_scale_above_times(minutes: int, many: int, told: str) -> None:
    lines = chart_lines(Chart(MORNING, minutes * 60, ((8, 1),) * many), MARGIN + many)
    assert [text_of(line) for line in lines] == ["calls   " + "█" * many, "failed  " + "▁" * many, "        " + told]


def test_high_chart_has_a_number_and_an_axis() -> None:
    bars = ((1_600, 0), (800, 200), (1, 0), *[(0, 0)] * 9)
    lines = chart_lines(Chart(MORNING, 20, bars), 40, height=2)
    assert [text_of(line) for line in lines] == [
        "1,600   ██                      ",
        "calls   ████▁▁                  ",
        "failed    ▁▁                    ",
        "        10:00       10:02",
        "        21 Nov 2026 10:00 to 10:03 · 20 s per bar",
    ]


def test_plot_marks_a_call_among_those_of_its_method() -> None:
    calls = [
        exchange(Result(b"1"), id=str(number), when=WHEN + timedelta(seconds=number), seconds=seconds)
        for number, seconds in enumerate((0.02, 0.02, 0.5, 0.03))
    ]
    lines = [text_of(line) for line in method_plot(calls[3], calls, 0.02, (40, 8), UTC)]
    assert lines[0] == " user.get  4 calls   ┄ usual 20 ms"
    assert lines[-1] == "        10:40:12                10:40:15"
    assert "".join(lines).count("●") == 3
    assert "".join(lines).count("◉") == 1
    assert method_plot(calls[0], calls[:2], 0.02, (40, 8)) == []


@pytest.mark.parametrize(
    ("minutes", "width", "words"),
    [
        ([], 60, ""),
        ([0, 1, 1, 3], 60, "10:40 ▄     █           ▄ 10:43   calls in each 10 s"),
        ([0, 1, 1, 3], 40, ""),
        ([0, 0.5], 60, "10:40:12 █              █ 10:40:44   calls in each 2 s"),
        ([0, 1440, 2880], 60, "21 Nov █       █       █ 23 Nov   calls in each 3 h"),
    ],
)
def test_calls_over_time_fit_in_a_line(minutes: list[float], width: int, words: str) -> None:
    timeline = Timeline(UTC)
    for minute in minutes:
        timeline.add(exchange(Result(b"1"), when=WHEN + timedelta(minutes=minute)))
    assert strip_words(timeline, width) == words


@pytest.mark.parametrize(
    ("start", "seconds", "many", "wide", "axis"),
    [
        (MORNING, 1, 40, 1, "10:00:00       10:00:15       10:00:30"),
        (MORNING + timedelta(minutes=7), 60, 40, 1, "        10:15          10:30          10:45"),
        (MORNING, 3600, 30, 1, "  12:00       22 Nov      12:00"),
        (datetime(2026, 11, 21), 86400, 30, 1, "21 Nov        5 Dec         19 Dec"),  # noqa: DTZ001
        (MORNING, 3600, 3, 12, "10:00       11:00       12:00"),
    ],
)
def test_axis_has_round_times(start: datetime, seconds: int, many: int, wide: int, axis: str) -> None:
    assert time_axis(Chart(start, seconds, ((1, 0),) * many), wide) == axis


@pytest.mark.parametrize("name", ["user.get", "Two Words", 'with "quotes" in it', "日本", "a:b"])
@pytest.mark.everyday(5)
def test_filter_of_a_row_finds_its_calls(name: str) -> None:
    outcomes: list[Outcome] = [Result(b"1"), ErrorObject(-32602, "no", None, b""), ErrorObject(None, "odd", None, b"")]
    for call in (exchange(outcome, method=name, profile="my shop") for outcome in outcomes):
        for by in GROUPINGS:
            found = Statistics(by)
            found.add(call)
            (row,) = found.rows()
            for of_one in (True, False):
                wanted = HistoryFilter.of(words_for(row, by, of_one=of_one), now=WHEN)
                assert wanted.matches(call), (by, of_one)
                longer = exchange(call.outcome, method=f"{name}.more", profile="my shop too")
                assert by == "code" or '"' in name or of_one > (by == "method") or not wanted.matches(longer)
                assert wanted != HistoryFilter() or (of_one and by == "profile")


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
    assert text_of(outcome_cell(exchange(outcome, status=status))) == words


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


def test_params_are_shortened_to_their_values() -> None:
    params = '{"filter": {"active": true}, "ids": [1, 2]}'
    assert short_params(params, with_names=False) == "{true} [1 2]"


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
    lines = [text_of(words).strip() for words in note_page(noted, UTC)]
    assert lines[1:4] == ["★ outage", "Ada was told.", "So was Bob."]
    assert lines[5:7] == ["expected  result", "/total = 3"]
    assert "when      2026-11-21 10:40:12 +0000" in lines
    assert not any(line.startswith("received") for line in lines)


def test_call_without_name_and_note_says_so() -> None:
    lines = [text_of(words).strip() for words in note_page(exchange(INVALID), UTC)]
    assert lines[1:3] == ["No name yet.", "No note yet."]
