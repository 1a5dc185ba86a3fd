"""Results of a load test as a table, JSON, and an exit code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec.structs import replace

from rpcexplorer.load.plan import LOGIN, NO_RESPONSE, NOT_SENT, Report, Row
from rpcexplorer.text.exchange import duration
from rpcexplorer.text.printable import columns, fitted, printable

HEADINGS: Final = {"calls": 10, "failed": 17, "median": 9, "p95": 9, "max": 9, "per second": 12}
"""The columns and their widths."""
MIN_NAME: Final = 12
MAX_NAME: Final = 60
TOTAL: Final = "all"
FAILED: Final = 6


def table(report: Report, width: int) -> Iterator[str]:
    """Yield the lines of a table, and one for each reason of failures."""
    rows = [*report.rows, replace(report.total, name=TOTAL)]
    longest = max(columns(printable(row.name)) for row in rows)
    room = max(MIN_NAME, min(longest, MAX_NAME, width - sum(HEADINGS.values())))
    yield " " * room + _in_columns(HEADINGS)
    for row in rows:
        yield fitted(printable(row.name), room) + _in_columns(_cells(row))
    for one in sorted(report.failures, key=lambda one: -one.count):
        yield f"✗ {printable(one.row)}: {printable(one.reason)}  {one.count:,}×"  # noqa: RUF001 - the sign is meant


def _in_columns(cells: Iterable[str]) -> str:
    return "".join(cell.rjust(width) for cell, width in zip(cells, HEADINGS.values(), strict=True))


def _cells(row: Row) -> list[str]:
    failed = f"{row.failed:,} ({row.failed / row.calls:.1%})" if row.failed else "0"
    if not row.calls:
        return ["0", failed, "", "", "", "0.0"]
    times = [duration(milliseconds / 1000) for milliseconds in (row.median, row.p95, row.slowest)]
    return [f"{row.calls:,}", failed, *times, f"{row.rate:,.1f}"]


def as_json(report: Report) -> dict[str, Any]:
    """Return the results for ``--json``."""
    return {
        "total": _numbers(replace(report.total, name=TOTAL)),
        "rows": list(map(_numbers, report.rows)),
        "failures": [{"name": one.row, "reason": one.reason, "count": one.count} for one in report.failures],
    }


def _numbers(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "calls": row.calls,
        "failed": row.failed,
        "median_ms": round(row.median, 3),
        "p95_ms": round(row.p95, 3),
        "max_ms": round(row.slowest, 3),
        "per_second": round(row.rate, 3),
    }


def exceeded_limits(report: Report, max_failed: float, p95: float | None) -> list[str]:
    """Return a sentence for each limit that was exceeded.

    ``max_failed`` is a share of all calls; ``p95``, in seconds, is for each row but the login.
    """
    found, total = [], report.total
    if total.failed > max_failed * total.calls:
        share = f"{total.failed:,} of {total.calls:,} calls failed ({total.failed / total.calls:.2%})"
        found.append(f"{share}. The limit is {max_failed * 100:g}%.")
    if p95 is not None:
        slow = [row for row in report.rows if row.name != LOGIN and row.p95 > p95 * 1000]
        found += [f"p95 of {row.name} is {duration(row.p95 / 1000)}. The limit is {duration(p95)}." for row in slow]
    return found


def exit_code(report: Report, *, is_exceeded: bool) -> int:
    """Return the exit code of a test that was not interrupted."""
    reasons = {one.reason for one in report.failures}
    unreached = sum(one.count for one in report.failures if one.reason.startswith(NO_RESPONSE))
    if f"{NOT_SENT}: credentials" in reasons:
        return 3
    if unreached == report.total.calls:
        return 4
    if any(reason.startswith(NOT_SENT) for reason in reasons):
        return 2
    return FAILED if is_exceeded else 0
