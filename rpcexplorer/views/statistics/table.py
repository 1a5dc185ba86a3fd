"""Figures of calls as rows of a table, and what is said of all of them in one line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, tzinfo
from typing import Final

from rpcexplorer.history.statistics import Figures, Grouping, Statistics
from rpcexplorer.model.exchange import OutcomeName
from rpcexplorer.views.cells import clipped, columns, fitted
from rpcexplorer.views.history_rows import moment_words
from rpcexplorer.views.words.sentences import duration

_NAMES: Final[dict[Grouping, tuple[str, ...]]] = {
    "method": ("method", "profile"),
    "profile": ("profile",),
    "code": ("came of it",),
}
_NUMBERS: Final = ("calls", "failed", "median", "95 %", "worst", "last")
_WIDTHS: Final = (7, 7, 9, 9, 9, 22)
_NARROW: Final = 76
"""Columns below which the last call goes unsaid."""
_LEAST: Final = 8
_LONGEST: Final = 200
"""Characters of a name that are looked at; no column shows more."""
_PROFILE: Final = 12


class TableColumns:
    """How wide each column is in so much room."""

    def __init__(self, by: Grouping, rows: Sequence[Figures], width: int) -> None:
        self._by = by
        self._shown = len(_NUMBERS) - (width < _NARROW)
        room = width - sum(_WIDTHS[: self._shown])
        names = [(*(_NAMES[by]),), *(row.name for row in rows)]
        widest = [max(columns(clipped(name[at][:_LONGEST], width)) for name in names) for at in range(len(_NAMES[by]))]
        other = min(sum(widest[1:]), _PROFILE)
        first = max(min(widest[0], room - other - 2 * bool(other)), _LEAST)
        self._widths = [first, other][: len(widest)]

    @property
    def heading(self) -> str:
        return self._line(_NAMES[self._by], _NUMBERS)

    def line(self, row: Figures, today: date, zone: tzinfo | None = None) -> str:
        """One row: names cut where there is no room for them, numbers never."""
        latency = row.latency()
        took = [duration(seconds) for seconds in (latency.median, latency.p95, latency.worst)] if latency else [""] * 3
        last = moment_words(row.last, today, zone) if row.last else ""
        return self._line(row.name, (f"{row.calls:,}", f"{row.failed:,}" if row.failed else "", *took, last))

    def _line(self, names: Sequence[str], numbers: Sequence[str]) -> str:
        left = "  ".join(fitted(name[:_LONGEST], width) for name, width in zip(names, self._widths, strict=True))
        right = "".join(f"{number:>{width}}" for number, width in zip(numbers, _WIDTHS, strict=True) if width)
        return left + right[: sum(_WIDTHS[: self._shown])]


def total_words(statistics: Statistics) -> str:
    """All calls in one line: ``128 calls · 9 failed: 7 errors, 2 unreached · median 34 ms, 95 % 120 ms, …``."""
    total = statistics.total
    parts = [f"{total.calls:,} call{'s' * (total.calls != 1)}"]
    if total.failed:
        kinds = ", ".join(_counted(name, many) for name, many in total.failures.items())
        parts.append(f"{total.failed:,} failed: {kinds}")
    elif total.calls:
        parts.append("none failed")
    if latency := total.latency():
        took = (duration(latency.median), duration(latency.p95), duration(latency.worst))
        parts.append("median {}, 95 % {}, worst {}".format(*took))
    return " · ".join(parts)


def total_lines(statistics: Statistics, width: int) -> list[str]:
    """What is said of all calls, in two lines where there is no room for one."""
    words = total_words(statistics)
    calls, _, took = words.rpartition(" · ")
    return [words] if columns(words) <= width or not calls else [calls, took]


def left_out_words(statistics: Statistics) -> str:
    """What the figures know nothing of; empty where that is nothing."""
    many = statistics.damaged
    return f"{many:,} damaged record{'s are' if many != 1 else ' is'} not counted" if many else ""


def _counted(name: OutcomeName, many: int) -> str:
    return f"{many:,} {name}{'s' * (name == 'error' and many != 1)}"
