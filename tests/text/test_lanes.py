"""Tests of lanes, sparklines and bars."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.history.statistics import Latency
from rpcexplorer.text.lanes import (
    BARS,
    PlotPoint,
    Scale,
    bar_rows,
    lane,
    nice_step,
    plot,
    range_lane,
    ruler,
    share_bar,
    sparkline,
)
from rpcexplorer.text.printable import in_ascii
from rpcexplorer.text.wrapping import text_of

USUAL_SCALE = Scale(-2, 0)
"""From 10 ms to 1 s."""


@pytest.mark.parametrize(
    ("durations", "narrow", "wide"),
    [
        ([], "1 ms    100 1 s  ", "1 ms       10 ms      100 ms     1 s     10 s"),
        ([0.01, 1.0], "10 ms   100   1 s", "10 ms                 100 ms              1 s"),
        ([0.012, 0.314], "10 ms   100   1 s", "10 ms                 100 ms              1 s"),
        ([0.0095, 1.1], "  10 ms 100   1 s", "      10 ms           100 ms          1 s    "),
        ([0.03], "     100 ms  1 s ", "               100 ms                1 s     "),
        ([0.0001, 900.0], "0.1 ms 100 10 s  ", "0.1 ms       10    100   1 s   10     100    "),
        ([0.0, nan, inf], "0.1 ms  1      10", "0.1 ms                1 ms              10 ms"),
    ],
)
def test_scale_fits_the_durations(durations: list[float], narrow: str, wide: str) -> None:
    scale = Scale.of(durations)
    assert (scale.heading(17), scale.heading(45)) == (narrow, wide)


@pytest.mark.parametrize(
    ("seconds", "usual", "drawn"),
    [
        (0.01, None, "●················"),
        (0.1, None, "········●········"),
        (1.0, None, "················●"),
        (0.012, 0.063, "·●····┊··········"),
        (0.314, 0.063, "······┊·····●····"),
        (0.063, 0.063, "······●··········"),
        (0.0, 99.0, "●···············┊"),
        (inf, None, "················●"),
    ],
)
def test_lane_has_a_point_and_the_usual_tick(seconds: float, usual: float | None, drawn: str) -> None:
    assert text_of(lane(USUAL_SCALE, 17, seconds, "text", usual)) == drawn


def test_point_of_a_lane_has_its_own_role() -> None:
    assert lane(USUAL_SCALE, 5, 0.1, "wrong", 0.03) == [("·", "line"), ("┊", "middle"), ("●", "wrong"), ("··", "line")]


@pytest.mark.parametrize(
    ("latency", "drawn"),
    [
        (Latency(0.012, 0.063, 0.25, 0.5), "·━━━━━━━●━━━━━━╌╌▸···"),
        (Latency(0.02, 0.02, 0.02, 0.02), "···●·················"),
        (Latency(0.01, 0.1, 1.0, 1.0), "━━━━━━━━━━●━━━━━━━━━━"),
    ],
)
def test_range_has_median_and_the_slowest(latency: Latency, drawn: str) -> None:
    assert text_of(range_lane(USUAL_SCALE, 21, latency)) == drawn


@pytest.mark.parametrize(
    ("durations", "bars"),
    [
        ([], "      "),
        ([0.02], "     ▂"),
        ([0.02, 0.021, 0.019, 0.028, 0.04, 0.16], "▂▂▂▃▄█"),
        ([9.0, 0.02, 0.02, 0.02, 0.02, 0.02, 0.01], "▂▂▂▂▂▁"),
        ([0.0, 1e9], "    ▁█"),
    ],
)
def test_sparkline_compares_with_the_usual_duration(durations: list[float], bars: str) -> None:
    assert sparkline(durations, 0.02) == bars


@pytest.mark.parametrize(
    ("values", "height", "rows"),
    [
        ([0, 1, 8, 16], 2, ["   █", " ▁██"]),
        ([0, 1, 1000], 1, [" ▁█"]),
        ([], 2, ["", ""]),
    ],
)
def test_bars_show_the_smallest_value(values: list[int], height: int, rows: list[str]) -> None:
    assert bar_rows(values, max(values, default=0), height) == rows


@pytest.mark.parametrize(
    ("part", "whole", "drawn"),
    [(0, 9, "········"), (1, 999, "▇·······"), (4, 8, "▇▇▇▇····"), (8, 8, "▇▇▇▇▇▇▇▇"), (0, 0, "········")],
)
def test_share_is_drawn_as_a_bar(part: int, whole: int, drawn: str) -> None:
    assert text_of(share_bar(part, whole, 8, "wrong")) == drawn


@pytest.mark.parametrize(
    ("width", "end", "unit", "line"),
    [
        (60, 130, "ms", "0        20       40        60       80       100      120 ms"),
        (30, 1.7, "s", "0                 1 s"),
        (9, 3, "ms", "0 ms"),
    ],
)
def test_ruler_counts_in_round_numbers(width: int, end: float, unit: str, line: str) -> None:
    assert ruler(width, end, unit) == line


@pytest.mark.parametrize(("least", "step"), [(0.9, 1), (1, 1), (1.1, 2), (21, 25), (26, 50), (0.003, 0.005)])
def test_step_of_an_axis_is_round(least: float, step: float) -> None:
    assert nice_step(least) == pytest.approx(step)


def test_terminals_without_blocks_get_ascii() -> None:
    drawn = BARS + text_of(lane(USUAL_SCALE, 5, 0.1, "text", 0.03))
    assert in_ascii(drawn) == ".:-=+*%#.|o.."


@given(st.lists(st.floats()), st.floats(), st.integers(1, 200))
def test_lanes_have_their_width(durations: list[float], seconds: float, width: int) -> None:
    scale = Scale.of(durations)
    assert len(text_of(lane(scale, width, seconds, "text", seconds))) == width
    assert len(text_of(range_lane(scale, width, Latency(1, 2, 3, 4)))) == width


def test_plot_has_points_above_labelled_axes() -> None:
    points = [PlotPoint(part, seconds, ("●", "text")) for part, seconds in ((0.0, 0.01), (0.5, 0.1), (1.0, 1.0))]
    lines = plot([*points, PlotPoint(0.5, 0.1, ("◉", "wrong"))], 0.1, 19, 6)
    assert [text_of(line) for line in lines] == [
        "   1 s ┤          ●",
        "       │           ",
        "100 ms ┤┄┄┄┄┄◉┄┄┄┄┄",
        "       │           ",
        " 10 ms ┤●          ",
        "       └───────────",
    ]
    assert ("◉", "wrong") in lines[2]
