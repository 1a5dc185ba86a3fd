"""Durations and counts as pictures of block characters: lanes, sparklines, bars, axes.

Terminals without these characters get ASCII, see ``text.printable.in_ascii``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, isfinite, log2, log10
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from rpcexplorer.text.wrapping import WordLine, joined

if TYPE_CHECKING:
    from rpcexplorer.history.statistics import Latency

BARS: Final = "▁▂▃▄▅▆▇█"
TRACK, POINT, HERE, TICK, LINE, TAIL, END = "·", "●", "◉", "┊", "━", "╌", "▸"
FASTEST, SLOWEST = -4, 3
"""Powers of ten: lanes begin at 0.1 ms or later, and end at 1,000 s or earlier."""
PARTS: Final = 3
"""An axis begins and ends at a third of a power of ten, so that it rarely changes and has little unused room."""
MIN_PARTS: Final = 2 * PARTS
MIN_POWER_COLUMNS: Final = 9
"""A lane with fewer columns for each power of ten has no room for all units."""


class Scale(Struct, frozen=True):
    """A logarithmic axis of seconds, between two powers of ten."""

    first: float = -3
    last: float = 1

    @classmethod
    def of(cls, durations: Iterable[float]) -> Scale:
        """Return a short axis that has these durations."""
        known = [seconds for seconds in durations if isfinite(seconds)]
        if not known:
            return cls()
        first = floor(_power(min(known)) * PARTS)
        last = ceil(_power(max(known)) * PARTS)
        if last - first < MIN_PARTS:
            last = min(first + MIN_PARTS, SLOWEST * PARTS)
            first = last - MIN_PARTS
        return cls(first / PARTS, last / PARTS)

    def cell(self, seconds: float, width: int) -> int:
        """Return the cell of a duration; what is beyond the axis is at its end."""
        if not isfinite(seconds):
            return width - 1
        part = (_power(seconds) - self.first) / (self.last - self.first)
        return round(min(max(part, 0.0), 1.0) * (width - 1))

    @property
    def powers(self) -> range:
        """The powers of ten on the axis."""
        return range(ceil(self.first), floor(self.last) + 1)

    def heading(self, width: int) -> str:
        """Return the powers of ten above a lane, as many as have room. In little room, only a new unit is said."""
        is_roomy = width >= MIN_POWER_COLUMNS * (self.last - self.first)
        text, unit = "", ""
        for power in self.powers:
            number, own_unit = _label(power)
            label = number if own_unit == unit and not is_roomy else f"{number} {own_unit}"
            at = min(self.cell(10.0**power, width), width - len(label))
            if not text or at > len(text):
                text, unit = f"{text:<{at}}{label}", own_unit
        return f"{text:<{width}}"


def _power(seconds: float) -> float:
    return min(max(log10(max(seconds, 10.0**FASTEST)), FASTEST), SLOWEST)


def _label(power: int) -> tuple[str, str]:
    if power < 0:
        return f"{10.0 ** (power + 3):g}", "ms"
    return f"{10**power}", "s"


def lane(scale: Scale, width: int, seconds: float, role: str, usual: float | None = None) -> WordLine:
    """Return a track with a point for a duration, and a tick for the usual one."""
    cells = [(TRACK, "line")] * width
    if usual is not None:
        cells[scale.cell(usual, width)] = (TICK, "middle")
    cells[scale.cell(seconds, width)] = (POINT, role)
    return joined(cells)


def range_lane(scale: Scale, width: int, latency: Latency) -> WordLine:
    """Return a track with a line from the fastest to 95 of 100, a point for the median, and the slowest."""
    begin, end = scale.cell(latency.fastest, width), scale.cell(latency.p95, width)
    last = scale.cell(latency.worst, width)
    cells = [(TRACK, "line")] * width
    cells[end : last + 1] = [(TAIL, "middle")] * (last + 1 - end)
    if last > end:
        cells[last] = (END, "middle")
    cells[begin : end + 1] = [(LINE, "accent")] * (end + 1 - begin)
    cells[scale.cell(latency.median, width)] = (POINT, "text")
    return joined(cells)


SPARK_CELLS: Final = 6
LEVELS_PER_DOUBLING: Final = 2


def sparkline(durations: Sequence[float], usual: float) -> str:
    """Return the last durations as bars beside the usual one.

    The usual duration is one level above the lowest. Two levels more are twice as long.
    """
    bars = ""
    for seconds in durations[-SPARK_CELLS:]:
        ratio = max(seconds, 1e-9) / max(usual, 1e-9)
        height = 1 + round(LEVELS_PER_DOUBLING * log2(ratio))
        bars += BARS[min(max(height, 0), len(BARS) - 1)]
    return bars.rjust(SPARK_CELLS)


def bar_rows(values: Sequence[int], most: int, height: int) -> list[str]:
    """Return bars over several rows, the upper one first. Any value is visible; 0 is blank."""
    levels = [ceil(value * height * len(BARS) / most) if most else 0 for value in values]
    rows = []
    for row in range(height - 1, -1, -1):
        filled = [min(max(level - row * len(BARS), 0), len(BARS)) for level in levels]
        rows.append("".join((" " + BARS)[count] for count in filled))
    return rows


def level(part: float, whole: float) -> str:
    """Return a part of a whole as one bar; a blank for nothing."""
    if part <= 0 or whole <= 0:
        return " "
    return BARS[min(ceil(part / whole * len(BARS)), len(BARS)) - 1]


def share_bar(part: int, whole: int, width: int, role: str) -> WordLine:
    """Return a part of a whole as a bar; any part is visible."""
    filled = min(ceil(part * width / whole), width) if part and whole else 0
    return joined([(BARS[-2] * filled, role), (TRACK * (width - filled), "line")])


THIN, THINNEST = "▆", "▏"


def thin_bar(start: float, length: float, width: int) -> tuple[str, str]:
    """Return the blanks before a bar, and a bar that leaves a line free above it; both numbers are parts of 1."""
    first = min(round(start * width), width - 1)
    cells = min(round((start + length) * width), width) - first
    return " " * first, THIN * cells or THINNEST


NICE: Final = (1, 2, 2.5, 5, 10)
"""Steps of an axis, times a power of ten."""
RULER_COLUMNS: Final = 9
"""Columns from a number of a ruler to the next, at least."""


def nice_step(least: float) -> float:
    """Return the smallest step of an axis that is not smaller."""
    power = 10.0 ** floor(log10(max(least, 1e-9)))
    return next(step * power for step in NICE if step * power >= least * 0.999999)


def ruler(width: int, end: float, unit: str) -> str:
    """Return the numbers of an axis from 0 to ``end``, over ``width`` columns, and its unit."""
    step = nice_step(end * RULER_COLUMNS / width)
    text, number = "", 0.0
    while number <= end:
        text = f"{text:<{round(number / end * width)}}{number:g}"
        number += step
    return f"{text} {unit}"


AXIS_COLUMNS: Final = len("100 ms ┤")
DASH: Final = "┄"


class PlotPoint(Struct, frozen=True):
    """A duration at a moment, as a part of the time that a plot shows."""

    part: float
    seconds: float
    sign: tuple[str, str]
    """The sign and its role."""


def plot(points: Sequence[PlotPoint], usual: float | None, width: int, height: int) -> list[WordLine]:
    """Return durations over time as signs above an axis, in ``height`` rows; later points cover earlier ones."""
    room, rows = max(width - AXIS_COLUMNS, 1), height - 1
    scale = Scale.of([point.seconds for point in points])
    cells = [[(" ", "text")] * room for _ in range(rows)]
    if usual is not None:
        cells[scale.cell(usual, rows)] = [(DASH, "line")] * room
    for point in points:
        cells[scale.cell(point.seconds, rows)][round(point.part * (room - 1))] = point.sign
    labels = {scale.cell(10.0**power, rows): " ".join(_label(power)) for power in scale.powers}
    lines = []
    for row in range(rows - 1, -1, -1):
        label = labels.get(row, "")
        mark = "┤" if label else "│"
        lines.append(joined([(f"{label:>{AXIS_COLUMNS - 2}} ", "dim"), (mark, "line"), *cells[row]]))
    lines.append([(" " * (AXIS_COLUMNS - 1) + "└" + "─" * room, "line")])
    return lines
