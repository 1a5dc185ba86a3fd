"""The search of the history screen, in slices between the keys."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, tzinfo
from itertools import chain
from typing import Any, Final

from msgspec import Struct
from textual.screen import Screen
from textual.timer import Timer

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.model.problem import UserError, counted
from rpcexplorer.model.secret import host_of
from rpcexplorer.text.history import HistoryRow, filter_words, rows_of
from rpcexplorer.tui.history_panes import HistoryPane
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.theme import Pieces
from rpcexplorer.tui.widgets.bars import Frame


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


Records = Iterator[Exchange | Damaged | None]
"""Calls, newest first; None where the reader can pause."""
MAX_SLICE_FACTOR: Final = 8
"""Slices grow up to this, because showing results takes time, too."""


class SlicedReader:
    """Reads records in a thread, one slice of time after the other."""

    def __init__(self, records: Records, seconds: float, per_slice: int = sys.maxsize) -> None:
        """``seconds`` and ``per_slice`` limit the first slice."""
        self.ended = False
        self.problem = ""
        """The reason why some records could not be read."""
        self._records, self._seconds, self._per_slice = records, seconds, per_slice
        self._factor = 1
        self._given_up = False

    def give_up(self) -> None:
        """End the current slice: its result is no longer needed."""
        self._given_up = True

    async def read_slice(
        self, matches: Callable[[Exchange | Damaged], bool] = lambda _: True, most: int = sys.maxsize
    ) -> tuple[list[Exchange | Damaged], bool]:
        """Return the next records, and whether they are the last."""
        found: list[Exchange | Damaged] = []
        reading = asyncio.ensure_future(asyncio.to_thread(self._read, found, matches, most))
        await asyncio.wait([reading])
        problem = reading.exception()
        if isinstance(problem, UserError):
            self.problem = problem.sentence
            return found, True
        return found, reading.result()

    def _read(self, found: list[Exchange | Damaged], matches: Callable[[Exchange | Damaged], bool], most: int) -> bool:
        """Read one slice; return whether there are no more records."""
        end = time.monotonic() + self._seconds * self._factor
        most = min(self._per_slice * self._factor, most)
        self._factor = min(2 * self._factor, MAX_SLICE_FACTOR)
        for record in self._records:
            if record is not None and matches(record):
                found.append(record)
            if self._given_up or len(found) >= most or time.monotonic() > end:
                return False
        return True


SLICE: Final = 200
"""Calls that end the first slice."""
SLICE_SECONDS: Final = 0.05


class Reading(SlicedReader):
    """One search, with the rows found so far."""

    def __init__(
        self, records: Records, wanted: HistoryFilter, goal: int, today: date, zone: tzinfo | None = None
    ) -> None:
        super().__init__(records, SLICE_SECONDS, SLICE)
        self.wanted = wanted
        self.goal = goal
        """Number of calls to find before it pauses."""
        self.least = 0
        """Number of calls on screen: fewer results do not replace them."""
        self.rows: list[HistoryRow] = []
        self.found = 0
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
        found, self.ended = await self.read_slice(self.wanted.matches, max(self.goal - self.found, 1))
        self.found += len(found)
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


NEWEST: Final = 200
"""Calls that are read at first, and whenever the end comes into view."""
MOST: Final = 2000
"""Calls that a filter finds before it pauses."""
PAUSE_SECONDS: Final = 0.08
"""Pause in typing after which a search starts."""
PATIENCE_SECONDS: Final = 3.0
"""Keys wait this long for rows; after that, one may be for leaving."""
ROWS: Final = "rows"


class Search:
    """Fills a pane with the calls that match its filter.

    Keys wait for the rows that they act on.
    """

    def __init__(
        self,
        host: Screen[Any],
        pane: HistoryPane,
        explorer: Explorer,
        pending: PendingKeys,
        changed: Callable[[], object],
        *,
        frame: Frame,
        case: CaseOnView | None = None,
    ) -> None:
        """``changed`` is called after the rows have changed.

        ``case``: search its calls instead of the history.
        """
        self._host, self._pane, self._explorer, self._pending = host, pane, explorer, pending
        self._changed, self._frame, self._case = changed, frame, case
        self.today = frame.day
        self.reading: Reading | None = None
        self.shown: Reading | None = None
        """The newest search with results, or with none at the end."""
        self._shown_filter: HistoryFilter | None = None
        self._next: Callable[[], object] | None = None
        self._patience: Timer | None = None

    @property
    def is_stale(self) -> bool:
        """Whether the rows on screen belong to an older filter."""
        return self.shown is None or self.reading is None or self.shown.wanted != self.reading.wanted

    def start(self, pause: float = 0.0) -> None:
        """Search from the newest call on.

        The same filter finds at least as many rows as before. ``pause``: seconds to wait for another letter of the
        filter; keys do not wait then.
        """
        zone = self._frame.zone
        self.today = self._frame.day
        only = None if self._pane.everyone else self._pane.profile or None
        wanted = HistoryFilter.of(self._pane.text, only, now=datetime.combine(self.today, datetime.now(zone).timetz()))
        if self._case is not None:
            records: Records = iter(self._case.calls)
        else:
            history = self._explorer.history
            records = chain(reversed(history.unsaved), history.search_in_steps(wanted))
        reading = Reading(records, wanted, MOST if filter_words(wanted) else NEWEST, self.today, zone)
        if (before := self.reading) is not None:
            before.give_up()
            if before.wanted == wanted:
                reading.goal, reading.least = before.goal, max(before.least, before.found)
        self.reading = reading
        if not pause:
            if self._patience is not None:
                self._patience.stop()
            self._pending.wait(ROWS)
            self._patience = self._host.set_timer(PATIENCE_SECONDS, self._let_keys_go)
        self._read(reading, pause)

    def read_on(self) -> None:
        """Find more calls, unless a search is running or has found all."""
        reading = self.reading
        if reading is not None and reading.full and not reading.ended:
            reading.goal = reading.found + NEWEST
            self._read(reading)

    def when_found(self, action: Callable[[], object]) -> None:
        """Act on the rows of the typed filter, once they are there."""
        if self.is_stale:
            self._next = action
            self.start()
        else:
            action()

    def stop(self) -> None:
        if self.reading is not None:
            self.reading.give_up()
        self._pending.go_on(ROWS)

    def _let_keys_go(self) -> None:
        self._next = None
        self._pending.go_on(ROWS)

    def _read(self, reading: Reading, pause: float = 0.0) -> None:
        async def read() -> None:
            await asyncio.sleep(pause)
            if not reading.least:
                self._show_state(reading)
            while not reading.full:
                await reading.go_on()
                if reading.ready:
                    self._show(reading)

        work: Any = read  # mypy finds two types for a function that is called later.
        self._host.run_worker(work, group="reading", exclusive=True)

    def _show(self, reading: Reading) -> None:
        calls = self._pane.list
        calls.empty = advice(reading, self._pane.scope_name, recording=self._explorer.journal.recording)
        calls.everyone = reading.wanted.profile is None
        calls.show(reading.rows, from_top=reading.wanted != self._shown_filter)
        self._shown_filter = reading.wanted
        if reading.found or reading.full:
            self.shown = reading
            if self._next is not None:
                self._next()
            self._let_keys_go()
        self._show_state(reading)
        self._changed()

    def _show_state(self, reading: Reading) -> None:
        case = self._case.origins if self._case is not None else ()
        self._pane.progress = [reading.state] if reading.state else case
        self._pane.count, self._pane.problem = reading.count, reading.problem
