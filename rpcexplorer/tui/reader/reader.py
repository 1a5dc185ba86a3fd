"""The reader of replies: a pager that knows values by their place, and searches.

It has only its own ways of moving; everything else that can be done with a reply is called by the pane around it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Final

from textual import work
from textual.message import Message

from rpcexplorer.text.document_rows import Rows, line_of_item, path_at, pointer_at, value_at
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.pacing import paced
from rpcexplorer.tui.reader.hits import Hits
from rpcexplorer.tui.reader.pager import Pager, are_few

TYPING: Final = 0.1
"""Seconds without another letter before what takes longer is searched: a letter more, and it would be in vain."""
TELLING: Final = 0.1
"""Seconds from one word of how many were found so far to the next."""


class Reader(Pager):
    """A document to be read, one line of it at hand."""

    @message
    class Found(Message):
        """What a search has found so far. It comes again and again while the count goes on."""

        reader: Reader
        needle: str
        total: int
        counted: bool
        """The total is final."""
        index: int | None
        """Which of them is at hand, from 0; None while that is not known."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.needle = ""
        """What was searched last."""
        self._origin: int | None = None
        """Where the search began that is being typed, as an offset in the text."""

    # --- places ------------------------------------------------------------------------------------------------

    def path(self) -> str:
        return path_at(self.document, self.cursor) if self.document else ""

    def pointer(self) -> str:
        return pointer_at(self.document, self.cursor, exact=True) if self.document else ""

    def value(self) -> bytes:
        """The text of the value under the cursor."""
        return value_at(self.document, self.cursor) if self.document else b""

    def go_to_element(self, index: int, path: str = ".") -> None:
        """Put the cursor on an item of the list at a path, as a table spells it."""
        if self.document is not None and self.document.is_json:
            self.go_to(line_of_item(self.document, path, index))

    def _show(self, rows: Rows) -> None:
        """A search that found its way through the beginning goes through the whole."""
        other = rows.document is not self.document
        if other:
            self._stop()
        super()._show(rows)
        if other and self.needle:
            self.search(self.needle)

    def watch_document(self) -> None:
        self._stop()
        super().watch_document()

    # --- searching ---------------------------------------------------------------------------------------------

    def search(self, needle: str) -> None:
        """Go to the first place at or after the cursor, and count them all; an empty needle ends the search."""
        self._stop()
        before, self._hits, self.needle = self._hits, None, needle
        if self.document is None or not needle:
            self.post_message(self.Found(self, needle, 0, counted=True, index=None))
        else:
            if self._origin is None or not self._stayed(before):
                self._origin = self.document.span(self.cursor)[0]
            self._hits = Hits(self.document, needle)
            self._follow(self._hits, self._hits.seek(self._origin))
            self._count(self._hits, self._hits.count())
        self.refresh()

    def next_hit(self) -> None:
        if self._hits is None:
            self.search(self.needle)
        else:
            self._origin = None
            self._follow(self._hits, self._hits.forwards())

    def previous_hit(self) -> None:
        if self._hits is None:
            self.search(self.needle)
        else:
            self._origin = None
            self._follow(self._hits, self._hits.backwards())

    def _stayed(self, before: Hits | None) -> bool:
        """Nobody moved the cursor since the last search: as one types on, it starts where it began."""
        return bool(before and before.current and before.document.line_at(before.current[0]) == self.cursor)

    def _stop(self) -> None:
        self.workers.cancel_group(self, "seek")
        self.workers.cancel_group(self, "count")

    def _follow(self, hits: Hits, steps: Iterator[None]) -> None:
        """The first steps at once, as nearly always they do; the others when nobody types on."""
        self.workers.cancel_group(self, "seek")
        if are_few(steps):
            self._arrive(hits)
        else:
            self._seek(hits, steps)

    @work(exclusive=True, group="seek", description="seek")
    async def _seek(self, hits: Hits, steps: Iterator[None]) -> None:
        await asyncio.sleep(TYPING)
        async for _ in paced(steps):
            pass
        self._arrive(hits)

    def _count(self, hits: Hits, steps: Iterator[None]) -> None:
        """Count the matches at once where they are few, else between the keys."""
        few = are_few(steps)
        self._tell(hits)
        if not few:
            self._count_on(hits, steps)

    @work(exclusive=True, group="count", description="count")
    async def _count_on(self, hits: Hits, steps: Iterator[None]) -> None:
        await asyncio.sleep(TYPING)
        told = time.monotonic()
        async for _ in paced(steps):
            if (now := time.monotonic()) - told > TELLING:
                self._tell(hits)
                told = now
        self._tell(hits)

    def _arrive(self, hits: Hits) -> None:
        """Put the place at hand on view."""
        if hits.current is not None:
            line = hits.document.line_at(hits.current[0])
            self.go_to(line)
            self.reveal_characters(*hits.document.place(line, *hits.current))
            self._tell(hits)
        self.refresh()

    def _tell(self, hits: Hits) -> None:
        counted = hits.counted and hits.document.complete
        self.post_message(self.Found(self, hits.needle, hits.total, counted, hits.index))
