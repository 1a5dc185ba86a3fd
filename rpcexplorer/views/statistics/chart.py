"""Calls and failures over time as bars of one line each, with what the first, the last and each of them stands for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from rpcexplorer.history.statistics import Chart

_BARS: Final = "▁▂▃▄▅▆▇█"
_PLAIN: Final = ".:-=+*%#"
"""For terminals whose encoding has no bars."""
CALLS, FAILED = "calls   ", "failed  "
MARGIN: Final = len(CALLS)


def bars(values: Sequence[int], most: int, *, plain: bool = False) -> str:
    """A character for each value; nothing at all is blank, and the least there is can be seen."""
    signs = _PLAIN if plain else _BARS
    return "".join(signs[max(0, -(-value * len(signs) // most) - 1)] if value else " " for value in values)


def chart_lines(chart: Chart, *, plain: bool = False) -> tuple[str, str, str]:
    """Calls, failures on the same scale, and the times below them."""
    most = max(calls for calls, _ in chart.bars)
    calls = bars([calls for calls, _ in chart.bars], most, plain=plain)
    failed = bars([failed for _, failed in chart.bars], most, plain=plain)
    return calls, failed, _times(chart)


def _times(chart: Chart) -> str:
    last = chart.start + timedelta(minutes=chart.minutes * (len(chart.bars) - 1))
    begin, end = (_moment(each, chart.minutes) for each in (chart.start, last))
    between = f"each bar {span(chart.minutes)}"
    return f"{begin} · {between}" if len(chart.bars) == 1 else f"{begin} to {end} · {between}"


def _moment(moment: datetime, minutes: int) -> str:
    day = f"{moment.day} {moment:%b %Y}"
    return day if minutes % (24 * 60) == 0 else f"{day} {moment:%H:%M}"


def span(minutes: int) -> str:
    """``5 min``, ``3 h``, ``7 days``."""
    if minutes % (24 * 60) == 0:
        days = minutes // (24 * 60)
        return f"{days:,} day{'s' * (days != 1)}"
    return f"{minutes // 60} h" if minutes % 60 == 0 else f"{minutes} min"
