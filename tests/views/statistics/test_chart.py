"""Bars of one line: the most is full, the least can be seen, nothing is blank."""

from __future__ import annotations

from datetime import datetime

import pytest

from rpcexplorer.history.statistics import Chart
from rpcexplorer.text.history import bars, chart_lines

MORNING = datetime(2026, 11, 21, 10)  # noqa: DTZ001 - on the clock of whoever looks


def test_the_most_is_full_and_the_least_can_be_seen() -> None:
    assert bars([0, 1, 400, 500, 800], 800) == " ▁▄▅█"
    assert bars([0, 1, 400, 500, 800], 800, plain=True) == " .=+#"


@pytest.mark.parametrize(
    ("minutes", "many", "told"),
    [
        (60, 3, "21 Nov 2026 10:00 to 21 Nov 2026 12:00 · each bar 1 h"),
        (15, 1, "21 Nov 2026 10:00 · each bar 15 min"),
        (7 * 1440, 2, "21 Nov 2026 to 28 Nov 2026 · each bar 7 days"),
    ],
)
@pytest.mark.everyday(3)
def test_calls_and_failures_have_one_scale_and_the_times_below(minutes: int, many: int, told: str) -> None:
    calls, failed, times = chart_lines(Chart(MORNING, minutes, ((8, 1),) * many))
    assert (calls, failed, times) == ("█" * many, "▁" * many, told)
