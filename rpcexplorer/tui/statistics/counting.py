"""Many calls counted beside the screen, in slices, in every way that they can be looked at.

The history is read in a thread, which touches nothing but its own slice. What it found is counted a few calls at a
time, for the screen draws what was counted, and answers keys, at any moment.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from datetime import tzinfo
from typing import Final

from rpcexplorer.history.statistics import GROUPINGS, Grouping, Statistics
from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.model.problem import Trouble

SLICE: Final = 0.1
"""Seconds of the first slice."""
AT_ONCE: Final = 300
"""Calls that are counted before anything else has its turn: a few milliseconds."""
LONGEST: Final = 8
"""Each is twice as long as the one before, to so many times the first: to show what was counted takes time too."""


class Counting:
    """What is known of the calls that were read so far."""

    def __init__(self, records: Iterator[Exchange | Damaged | None], zone: tzinfo | None = None) -> None:
        self.by: dict[Grouping, Statistics] = {by: Statistics(by, zone) for by in GROUPINGS}
        self.ended = False
        """Everything was read."""
        self.trouble = ""
        """Why it could not be."""
        self._records = records
        self._found: list[Exchange | Damaged] = []
        """What was read and is not counted yet."""
        self._length = 1
        self._given_up = False

    def give_up(self) -> None:
        """Nobody waits for it any longer."""
        self._given_up = True

    async def go_on(self) -> None:
        """Count the next slice."""
        reading = asyncio.ensure_future(asyncio.to_thread(self._slice))
        await asyncio.wait([reading])
        trouble = reading.exception()
        found, self._found = self._found, []
        for start in range(0, len(found), AT_ONCE):
            for one in found[start : start + AT_ONCE]:
                for each in self.by.values():
                    each.add(one)
            await asyncio.sleep(0)
        if isinstance(trouble, Trouble):
            self.trouble, self.ended = trouble.sentence, True
        else:
            self.ended = reading.result()

    def _slice(self) -> bool:
        """Read the next few; whether they were the last."""
        end = time.monotonic() + SLICE * self._length
        self._length = min(2 * self._length, LONGEST)
        for one in self._records:
            if one is not None:
                self._found.append(one)
            if self._given_up or time.monotonic() > end:
                return False
        return True
