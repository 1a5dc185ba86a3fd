"""Statistics of many calls: count, failures, times; and the usual duration of each method.

Calls are added one by one. Only the duration of each call is kept in memory.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from math import ceil, isfinite
from typing import Final, Literal, get_args

from msgspec import Struct, field

from rpcexplorer.model.exchange import FAILED, Damaged, Exchange, OutcomeName
from rpcexplorer.model.profile import AD_HOC_NAME

Grouping = Literal["method", "profile", "code"]
GROUPINGS: Final[tuple[Grouping, ...]] = get_args(Grouping)
Order = Literal["calls", "failures", "p95"]
ORDERS: Final[tuple[Order, ...]] = get_args(Order)
ANSWERED: Final[frozenset[OutcomeName]] = frozenset({"result", "error", "malformed"})
"""Only of these it is known how long the server took."""
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - as a clock on the wall shows it, wherever that hangs
_SECOND: Final = timedelta(seconds=1)
MINUTE, HOUR, DAY = 60, 60 * 60, 24 * 60 * 60
_STEPS: Final = (
    *(1, 2, 5, 10, 20, 30),
    *(MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE),
    *(HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR),
    *(DAY, 7 * DAY, 30 * DAY),
)
"""Seconds of one bar. Longer spans use whole days."""


class Latency(Struct, frozen=True):
    fastest: float
    median: float
    p95: float
    """95 of 100 calls took no longer."""
    worst: float


class Figures(Struct):
    name: tuple[str, ...] = ()
    """The common values: method and profile, profile, or code."""
    calls: int = 0
    outcomes: dict[OutcomeName, int] = field(default_factory=dict)
    first: datetime | None = None
    last: datetime | None = None
    took: array[float] = field(default_factory=lambda: array("d"))
    _latency: tuple[int, Latency | None] = (0, None)
    """Cached result for this number of calls, as sorting takes time."""

    def add(self, call: Exchange) -> None:
        outcome = call.counts_as
        self.calls += 1
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
        self.first = call.when if self.first is None else min(self.first, call.when)
        self.last = call.when if self.last is None else max(self.last, call.when)
        if outcome in ANSWERED:
            self.took.append(call.seconds)

    @property
    def failures(self) -> dict[OutcomeName, int]:
        return {name: self.outcomes[name] for name in FAILED if name in self.outcomes}

    @property
    def failed(self) -> int:
        return sum(self.failures.values())

    def latency(self) -> Latency | None:
        """Exactly, by nearest rank; None where nothing was answered."""
        many, known = self._latency
        if many != len(self.took):
            ranked = sorted(self.took)
            known = Latency(ranked[0], *(ranked[ceil(part * len(ranked) / 100) - 1] for part in (50, 95, 100)))
            self._latency = len(ranked), known
        return known


LAST_RESULTS: Final = 20
"""Results of a method that its usual duration is the median of."""
FEWEST_RESULTS: Final = 3
"""With fewer, nothing is usual yet."""


class UsualTimes:
    """The durations of the last results of each method, for each profile."""

    def __init__(self) -> None:
        self._seconds: dict[tuple[str, str], deque[float]] = {}

    def add(self, call: Exchange) -> None:
        """Add the newest call, if it has a result."""
        if _has_usual_time(call):
            self._of(call).append(call.seconds)

    def add_earlier(self, call: Exchange) -> None:
        """Add a call that was made before all that are known."""
        if _has_usual_time(call) and len(self._of(call)) < LAST_RESULTS:
            self._of(call).appendleft(call.seconds)

    def _of(self, call: Exchange) -> deque[float]:
        return self._seconds.setdefault((call.profile, call.method), deque(maxlen=LAST_RESULTS))

    def last(self, profile: str, method: str) -> Sequence[float]:
        """Return the durations, the oldest first."""
        return list(self._seconds.get((profile, method), ()))

    def usual(self, profile: str, method: str) -> float | None:
        """Return the median; None if there are too few results."""
        ranked = sorted(self.last(profile, method))
        if len(ranked) < FEWEST_RESULTS:
            return None
        return ranked[(len(ranked) - 1) // 2]


def _has_usual_time(call: Exchange) -> bool:
    """Return whether the call counts.

    Other people may be nearer to the server, and calls without a profile go to different servers under one name.
    """
    is_own = not call.writer and not call.foreign and call.profile != AD_HOC_NAME
    return is_own and call.kind == "call" and call.counts_as == "result" and isfinite(call.seconds)


class Chart(Struct, frozen=True):
    start: datetime
    """Start of the first bar, in the user's time zone."""
    seconds: int
    """Length of the period of each bar."""
    bars: tuple[tuple[int, int], ...]
    """Calls, and how many of them failed."""


class Timeline:
    """How many calls were made, and how many failed, in each second."""

    def __init__(self, zone: tzinfo | None = None) -> None:
        """``zone`` is the user's time zone; None uses the machine's."""
        self._zone = zone
        self._seconds: dict[int, tuple[int, int]] = {}

    def add(self, found: Exchange | Damaged) -> None:
        if isinstance(found, Damaged) or found.kind == "event":
            return
        second = (found.when.astimezone(self._zone).replace(tzinfo=None) - _EPOCH) // _SECOND
        calls, failed = self._seconds.get(second, (0, 0))
        self._seconds[second] = calls + 1, failed + (found.counts_as in FAILED)

    def chart(self, width: int, least: int = 1) -> Chart | None:
        """Return at most ``width`` bars of ``least`` seconds or more; None if there are no calls."""
        if not self._seconds or width < 1:
            return None
        first, last = min(self._seconds), max(self._seconds)
        steps = (step for step in _STEPS if step >= least)
        step = next((step for step in steps if last // step - first // step < width), 0)
        start = first // (step or DAY) * (step or DAY)
        step = step or ceil((last - start + 1) / width / DAY) * DAY
        bars = [(0, 0)] * ((last - start) // step + 1)
        for second, (calls, failed) in self._seconds.items():
            at = (second - start) // step
            bars[at] = bars[at][0] + calls, bars[at][1] + failed
        return Chart(_EPOCH + start * _SECOND, step, tuple(bars))


class Statistics:
    def __init__(self, by: Grouping = "method") -> None:
        self.by = by
        self.total = Figures()
        self.damaged = 0
        self._rows: dict[tuple[str, ...], Figures] = {}

    def add(self, found: Exchange | Damaged) -> None:
        if isinstance(found, Damaged):
            self.damaged += 1
            return
        if found.kind == "event":
            return
        name = self._name(found)
        if name not in self._rows:
            self._rows[name] = Figures(name)
        self._rows[name].add(found)
        self.total.add(found)

    def _name(self, call: Exchange) -> tuple[str, ...]:
        if self.by == "method":
            return call.method, call.profile
        if self.by == "profile":
            return (call.profile,)
        code = getattr(call.outcome, "code", None)
        return (call.counts_as if code is None else str(code),)

    def rows(self, order: Order = "calls") -> list[Figures]:

        def rank(row: Figures) -> float:
            if order == "calls":
                return row.calls
            if order == "failures":
                return row.failed
            latency = row.latency()
            return latency.p95 if latency else -1.0

        return sorted(self._rows.values(), key=lambda row: (-rank(row), -row.calls, row.name))
