"""One look through the history: read in slices beside the screen, as far as somebody wants to see.

The files are read in a thread, which touches nothing but its own slice; whoever waits for it may stop waiting.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from datetime import date, tzinfo
from itertools import chain
from typing import Final

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.model.problem import Trouble
from rpcexplorer.text.history import HistoryRow, filter_words, rows_of
from rpcexplorer.tui.theming import Pieces

SLICE: Final = 200
"""So many found calls end the first slice."""
MOMENT: Final = 0.05
"""Seconds after which that ends with whatever was found."""
LONGEST: Final = 8
"""Each slice is twice as long as the one before, to so many times the first: to show what was found takes time too."""
Records = Iterator[Exchange | Damaged | None]
"""Calls, newest first; None wherever one may stop for a moment."""


class Reading:
    """What was found so far of what is wanted."""

    def __init__(
        self, records: Records, wanted: HistoryFilter, goal: int, today: date, zone: tzinfo | None = None
    ) -> None:
        self.wanted = wanted
        self.goal = goal
        """It goes on until so many are found."""
        self.least = 0
        """Before so many are found it is no good to anyone: as many are on view."""
        self.rows: list[HistoryRow] = []
        self.found = 0
        self.ended = False
        """Everything was looked through."""
        self.trouble = ""
        """Why it could not be."""
        self._records, self._today, self._zone = records, today, zone
        self._length = 1
        self._given_up = False

    @property
    def full(self) -> bool:
        """There is nothing to be done for now."""
        return self.ended or self.found >= self.goal

    @property
    def ready(self) -> bool:
        """What was found can be shown."""
        return self.full or self.found >= self.least

    @property
    def count(self) -> str:
        """How many calls there are, as far as that is known without looking for some of them."""
        if filter_words(self.wanted) or not (self.found or self.ended):
            return ""
        if not self.ended:
            return f"the newest {self.found:,}"
        return f"{self.found:,} call{'s' * (self.found != 1)}"

    @property
    def told(self) -> str:
        """What is looked for, and how far that has come; empty where everything is wanted."""
        if not (told := filter_words(self.wanted, self._zone)):
            return ""
        on = "" if self.ended else " so far, more further down" if self.full else ", searching …"
        return f"{self.found:,} found{on}   {told}"

    def give_up(self) -> None:
        """Nobody waits for it any longer."""
        self._given_up = True

    async def go_on(self) -> None:
        reading = asyncio.ensure_future(asyncio.to_thread(self._slice))
        await asyncio.wait([reading])
        trouble = reading.exception()
        if isinstance(trouble, Trouble):
            self.trouble, self.ended = trouble.sentence, True
            return
        found, self.ended = reading.result()
        self.found += len(found)
        self.rows.extend(rows_of(found, self._today, self._zone, after=self.rows))

    def _slice(self) -> tuple[list[Exchange | Damaged], bool]:
        """The next few, and whether they were the last."""
        found: list[Exchange | Damaged] = []
        end = time.monotonic() + MOMENT * self._length
        enough = min(SLICE * self._length, max(self.goal - self.found, 1))  # a slow disk must not make more of it
        self._length = min(2 * self._length, LONGEST)
        for one in self._records:
            if one is not None and self.wanted.matches(one):
                found.append(one)
            if self._given_up or len(found) >= enough or time.monotonic() > end:
                return found, False
        return found, True


def records_of(explorer: Explorer, wanted: HistoryFilter) -> Records:
    """Every call that may be meant, newest first; those on top could not be written yet."""
    history = explorer.history
    return chain(reversed(history.unsaved), history.search_in_steps(wanted))


def advice(reading: Reading, profile: str, *, recording: bool) -> list[Pieces]:
    """What is said where nothing was found, and what to do about it; ``recording``: calls are written down at all."""
    only = reading.wanted.profile is not None
    if reading.trouble:
        return []
    if not reading.ended:
        return [[("   Looking …", "dim")]]
    if filter_words(reading.wanted):
        of, or_all = (f" of {profile}", ", or look at all profiles") if only else ("", "")
        return [[(f"   No call{of} is like this. Change the filter{or_all}.", "dim")]]
    if not recording:
        return [[("   Calls are not recorded: settings.toml says record = false under [history].", "dim")]]
    whose = f" with {profile}" if only else ""
    more: list[Pieces] = (
        [[("   ", "text"), ("p", "bold"), (" shows the calls of all profiles.", "dim")]] if only else []
    )
    return [[(f"   No calls{whose} yet. ", "dim"), ("Esc", "bold"), (" goes back to make one.", "dim")], *more]
