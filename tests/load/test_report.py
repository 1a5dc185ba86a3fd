"""Results of load tests: the table, the limits and the exit code."""

from __future__ import annotations

import pytest

from rpcexplorer.load.plan import Failures, Report, Row
from rpcexplorer.load.report import as_json, exceeded_limits, exit_code, table
from rpcexplorer.text.printable import columns

LIST = Row("@list", calls=1000, failed=10, median=3, p95=250, slowest=1200, rate=99.96)
LOGIN = Row("login", calls=5, median=400, p95=900, slowest=900, rate=0.5)
TOTAL = Row("Aggregated", calls=1005, failed=10, median=3, p95=260, slowest=1200, rate=100.46)
REPORT = Report(5, (LIST, LOGIN), TOTAL, (Failures("@list", "error -32000", 10),), is_final=True)


def report(calls: int, *reasons: tuple[str, int]) -> Report:
    failures = tuple(Failures("@list", reason, count) for reason, count in reasons)
    return Report(0, (), Row("", calls, sum(count for _, count in reasons)), failures)


def test_table_aligns_numbers_and_names_failures() -> None:
    assert [*table(REPORT, 100)] == [
        "                 calls           failed   median      p95      max  per second",
        "@list            1,000        10 (1.0%)     3 ms   250 ms    1.2 s       100.0",
        "login                5                0   400 ms   900 ms   900 ms         0.5",
        "all              1,005        10 (1.0%)     3 ms   260 ms    1.2 s       100.5",
        "✗ @list: error -32000  10×",  # noqa: RUF001 - the sign is meant
    ]


def test_table_fits_narrow_terminals() -> None:
    row = Row("@" + "日本" * 40, calls=1)
    assert {columns(line) for line in table(Report(1, (row,), row), 80)} == {80}


def test_table_escapes_names() -> None:
    row = Row("@\x1b]52;c;x\x07", calls=1)
    assert all(line.isprintable() for line in table(Report(1, (row,), row), 80))


@pytest.mark.parametrize(("max_failed", "sentences"), [(0.0, 1), (0.009, 1), (0.01, 0), (1.0, 0)])
def test_share_of_failures_has_a_limit(max_failed: float, sentences: int) -> None:
    found = exceeded_limits(REPORT, max_failed, None)
    assert len(found) == sentences
    assert all(sentence.endswith(f" The limit is {max_failed * 100:g}%.") for sentence in found)


def test_p95_limit_is_for_calls_not_logins() -> None:
    assert exceeded_limits(REPORT, 1, 0.2) == ["p95 of @list is 250 ms. The limit is 200 ms."]
    assert exceeded_limits(REPORT, 1, 0.25) == []


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (report(9), 0),
        (report(9, ("error -32000", 9)), 6),
        (report(9, ("no response: connect", 8)), 6),
        (report(9, ("no response: connect", 8), ("no response: timeout", 1)), 4),
        (report(0), 4),
        (report(9, ("not sent: credentials", 1), ("error 1", 8)), 3),
        (report(9, ("not sent: params", 9)), 2),
    ],
)
def test_worst_failure_decides_the_exit_code(found: Report, code: int) -> None:
    assert exit_code(found, is_exceeded=code == 6) == code


def test_json_has_rounded_milliseconds() -> None:
    assert as_json(REPORT)["rows"][0] == {
        "name": "@list",
        "calls": 1000,
        "failed": 10,
        "median_ms": 3,
        "p95_ms": 250,
        "max_ms": 1200,
        "per_second": 99.96,
    }
