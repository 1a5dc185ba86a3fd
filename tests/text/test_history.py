"""Tests of history lines and of the page of a call."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.history.statistics import GROUPINGS, Chart, Statistics
from rpcexplorer.model.exchange import Damaged, Outcome, Unreached
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.text.columns import table_lines
from rpcexplorer.text.exchange import SIGNS
from rpcexplorer.text.history import (
    bars,
    chart_lines,
    history_line,
    left_out_words,
    shown,
    statistics_columns,
    total_lines,
    total_words,
    words_for,
)
from rpcexplorer.text.printable import columns, printable
from rpcexplorer.transport.port import Phases, Response
from tests.text.exchanges import WHEN, exchange

COLOURS = re.compile(r"\x1b\[[0-9]+m")
INVALID = ErrorObject(-32602, "Invalid params", None, b'{"code":-32602}', ("id differs",))


def test_line_shows_method_profile_outcome_duration_and_time() -> None:
    line = history_line(exchange(INVALID), 100, zone=UTC)
    assert line.split("  ")[0] == "✗ 01jd4x9a2mk7c3q"
    assert re.split(r"\s{2,}", line)[1:] == [
        *("user.get", "staging", "error -32602 Invalid params", "34 ms", "10:40:12")
    ]


def test_times_are_in_the_local_zone() -> None:
    assert history_line(exchange(INVALID), 100, zone=timezone(timedelta(hours=2))).endswith("12:40:12")


def test_imported_call_is_labelled() -> None:
    theirs = exchange(INVALID, foreign=True)
    assert "  imported, error -32602 Inval" in history_line(theirs, 100, zone=UTC)
    assert "from      a case: someone else recorded this call" in shown(theirs, zone=UTC)
    assert "a case" not in shown(exchange(INVALID), zone=UTC) + history_line(exchange(INVALID), 100, zone=UTC)


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
    assert "took      34 ms (connection reused, wait 17 ms)" in shown(told, zone=UTC)


def test_page_of_a_call_shows_every_field() -> None:
    told = exchange(
        INVALID,
        body=b'{"error":{"code":-32602,"data":1.10}}',
        phases=Phases(name=0.001, tls=0.012, wait=0.017),
        notes=("logged in as ada",),
        name="outage",
        note="two\nlines",
    )
    assert (
        shown(told, zone=UTC)
        == """\
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
    )


def test_known_response_headers_are_shown() -> None:
    headers = (("X-Request-Id", "7f3a"), ("X-\x1b[2J", "\u202e"), ("X-Empty", ""))
    page = shown(exchange(Result(b"1"), response=Response(200, "OK", "", headers, b"1", 1)), zone=UTC)
    assert "}\n\nheaders\nX-Request-Id: 7f3a\nX-␛[2J: \\u202e\nX-Empty:\n\nresponse\n1" in page
    assert "headers" not in shown(exchange(Result(b"1")), zone=UTC)


def test_call_without_response_shows_no_response_section() -> None:
    page = shown(exchange(Unreached("connect", "nothing listens"), status=None), zone=UTC)
    assert page.startswith(f"{SIGNS['unreached']} no response: nothing listens   34 ms\n")
    assert "\nresponse" not in page
    assert "status" not in page


def test_cut_response_shows_its_full_size() -> None:
    response = Response(200, "OK", "HTTP/1.1", (), b'{"a": 1', 38_000_000, cut=True)
    assert "response, the first 7 B of 38 MB\n" in shown(exchange(Result(b"{}"), response=response), zone=UTC)


def test_result_is_shown_without_a_recorded_body() -> None:
    assert shown(exchange(Result(b'"pong"')), zone=UTC).endswith('response\n"pong"')


def test_binary_body_is_shown_in_hex() -> None:
    assert "00000000  ff fe" in shown(exchange(Malformed("not UTF-8"), body=b"\xff\xfe"), zone=UTC)


@pytest.mark.parametrize("field", ["method", "params", "profile", "url", "name", "note", "id"])
def test_external_text_is_escaped(field: str) -> None:
    odd: dict[str, Any] = {field: "x\x1b]52;c;?\x07\u202e"}
    page = shown(exchange(Result(b"1"), **odd), zone=UTC)
    assert printable(page, lines=True) == page
    assert "x␛]52;c;?␇\\u202e" in page


def found() -> Statistics:
    one = Statistics("method", UTC)
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


def test_largest_bar_is_full_and_smallest_is_visible() -> None:
    assert bars([0, 1, 400, 500, 800], 800) == " ▁▄▅█"
    assert bars([0, 1, 400, 500, 800], 800, plain=True) == " .=+#"


@pytest.mark.parametrize(
    ("minutes", "many", "told"),
    [
        (60, 3, "21 Nov 2026 10:00 to 21 Nov 2026 12:00 · 1 h per bar"),
        (15, 1, "21 Nov 2026 10:00 · 15 min per bar"),
        (7 * 1440, 2, "21 Nov 2026 to 28 Nov 2026 · 7 days per bar"),
    ],
)
@pytest.mark.everyday(3)
def test_calls_and_failures_share_a_scale_above_times(minutes: int, many: int, told: str) -> None:
    calls, failed, times = chart_lines(Chart(MORNING, minutes, ((8, 1),) * many))
    assert (calls, failed, times) == ("█" * many, "▁" * many, told)


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
