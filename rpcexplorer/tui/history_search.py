"""Records of the history, read in slices between the keys, and the search for some of them."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date, tzinfo
from typing import Final, TypeAlias

from msgspec import Struct

from rpcexplorer.history.statistics import Timeline
from rpcexplorer.model.exchange import FAILED, Damaged, Exchange
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.model.problem import UserError, counted
from rpcexplorer.model.secret import host_of
from rpcexplorer.text.history import HistoryRow, filter_words, rows_of
from rpcexplorer.tui.theme import Pieces


class CaseOnView(Struct, frozen=True):
    """Calls of a case that someone else has recorded. They are read-only."""

    name: str
    calls: Sequence[Exchange | Damaged]
    note: str = ""
    addresses: Sequence[str] = ()
    """The URLs that its calls were sent to."""

    @property
    def origins(self) -> list[str]:
        """The origin of the calls, longest wording first."""
        if not self.addresses:
            return ["by someone else"]
        url, more = self.addresses[0], len(self.addresses) - 1
        others = f" and {counted(more, 'more URL')}" if more else ""
        sent = [f"sent to {words}{others}" for words in (url, host_of(url))]
        return [f"by someone else, {sent[0]}", *sent]


Record: TypeAlias = Exchange | Damaged
SLICE_SECONDS: Final = 0.05
MAX_SLICE_SECONDS: Final = 0.4
"""Slices grow up to this, because showing results takes time, too."""


class Records:
    """Reads records in a thread, one slice of time after the other."""

    def __init__(self, records: Iterator[Record | None]) -> None:
        """``records``: newest first, None where the reader can pause."""
        self.ended = False
        self.problem = ""
        """The reason why some records could not be read."""
        self._records, self._seconds = records, SLICE_SECONDS
        self._given_up = False

    def give_up(self) -> None:
        """End the current slice: its result is no longer needed."""
        self._given_up = True

    async def more(self, matches: Callable[[Record], bool] = lambda _: True, most: int = sys.maxsize) -> list[Record]:
        """Return the records of the next slice."""
        found: list[Record] = []
        reading = asyncio.ensure_future(asyncio.to_thread(self._read, found, matches, most))
        await asyncio.wait([reading])
        problem = reading.exception()
        if isinstance(problem, UserError):
            self.problem, self.ended = problem.sentence, True
        else:
            self.ended = reading.result()
        return found

    def _read(self, found: list[Record], matches: Callable[[Record], bool], most: int) -> bool:
        """Read one slice; return whether there are no more records."""
        end = time.monotonic() + self._seconds
        self._seconds = min(2 * self._seconds, MAX_SLICE_SECONDS)
        for record in self._records:
            if record is not None and matches(record):
                found.append(record)
            if self._given_up or len(found) >= most or time.monotonic() > end:
                return False
        return True


NEWEST: Final = 200
"""Calls that are read at first, and whenever the end comes into view."""
MOST: Final = 2000
"""Calls that a filter finds before it pauses."""


class Reading(Records):
    """One search, with the rows found so far."""

    def __init__(
        self, records: Iterator[Record | None], wanted: HistoryFilter, today: date, zone: tzinfo | None = None
    ) -> None:
        super().__init__(records)
        self.wanted = wanted
        self.goal = MOST if filter_words(wanted) else NEWEST
        """Number of calls to find before it pauses."""
        self.least = 0
        """Number of calls on screen: fewer results do not replace them."""
        self.rows: list[HistoryRow] = []
        self.found = 0
        self.failed = 0
        self.timeline = Timeline(zone)
        """When the newest of the found calls were made."""
        self._today, self._zone = today, zone

    @property
    def full(self) -> bool:
        """Whether it can pause."""
        return self.ended or self.found >= self.goal

    @property
    def ready(self) -> bool:
        """Whether the results can be shown."""
        return self.full or self.found >= self.least

    @property
    def count(self) -> str:
        """The number of calls in words; empty with a filter."""
        if filter_words(self.wanted) or not (self.found or self.ended):
            return ""
        if not self.ended:
            return f"newest {counted(self.found, 'call')}"
        return counted(self.found, "call")

    @property
    def state(self) -> str:
        """The filter and its progress in words; empty without a filter."""
        if not (words := filter_words(self.wanted, self._zone)):
            return ""
        on = "" if self.ended else " so far, scroll down for more" if self.full else ", searching …"
        return f"{self.found:,} found{on}   {words}"

    async def go_on(self) -> None:
        found = await self.more(self.wanted.matches, max(self.goal - self.found, 1))
        for record in found[: max(MOST - self.found, 0)]:
            self.timeline.add(record)
        self.found += len(found)
        calls = (record for record in found if isinstance(record, Exchange) and record.kind != "event")
        self.failed += sum(call.counts_as in FAILED for call in calls)
        self.rows.extend(rows_of(found, self._today, self._zone, after=self.rows))


def advice(reading: Reading, profile: str, *, recording: bool) -> list[Pieces]:
    """Return what to show if no call was found.

    ``recording``: whether calls are recorded at all.
    """
    only = reading.wanted.profile is not None
    if reading.problem:
        return []
    if not reading.ended:
        return [[("   Searching …", "dim")]]
    if filter_words(reading.wanted):
        records = "events" if reading.wanted.outcomes == ("event",) else "calls"
        nothing = f"No {records}{f' with {profile}' if only else ''} match the filter."
        change = f"Press / to change it{', or p to show all profiles' if only else ''}."
        return [[(f"   {nothing}", "dim")], [(f"   {change}", "dim")]]
    if not recording:
        return [[("   Calls are not recorded: settings.toml has record = false under [history].", "dim")]]
    nothing = f"No calls with {profile} yet." if only else "No calls yet."
    more: list[Pieces] = (
        [[("   Press ", "dim"), ("p", "bold"), (" to show the calls of all profiles.", "dim")]] if only else []
    )
    keys: Pieces = [("Esc", "bold"), (", then ", "dim"), ("F5", "bold"), (" to send one.", "dim")]
    return [[(f"   {nothing}", "dim")], [("   Press ", "dim"), *keys], *more]
