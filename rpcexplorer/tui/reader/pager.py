"""A document on view, line by line: only what can be seen is decoded, coloured and drawn, so that size does not matter.

Moving, folding and wrapping live here. Which rows there are is laid down in ``views/document/rows``, how one is drawn
in ``row.py``; searching is the reader's. The file is longer than others because folds, wrapping and the rest of a
document all come late, and each must leave the place where it is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import ClassVar, Final

from textual import events, work
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from rpcexplorer.text.document import EVERYTHING, Document
from rpcexplorer.text.document_rows import Rows
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.pacing import paced
from rpcexplorer.tui.reader.hits import Hits
from rpcexplorer.tui.reader.row import Painter, number_width
from rpcexplorer.tui.sizes import AFTER_NUMBER
from rpcexplorer.tui.theming import Pieces, ThemeStyles, line
from rpcexplorer.tui.widgets.scrolling import SCROLLING

AT_ONCE: Final = 4
"""Steps that nobody can feel."""
END: Final = sys.maxsize
"""A line that is behind every other."""
ASIDE: Final = 8
"""Columns that a key scrolls sideways, and that are kept beside a place that is brought on view."""


class Pager(ScrollView, can_focus=True):
    """One line of it is under the cursor."""

    DEFAULT_CSS = """
    Pager {
        background: $background; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; scrollbar-gutter: stable;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *SCROLLING,
        Binding("left", "aside(-1)", show=False),
        Binding("right", "aside(1)", show=False),
        Binding("shift+left", "aside(-8)", show=False),
        Binding("shift+right", "aside(8)", show=False),
    ]

    document: reactive[Document | None] = reactive[Document | None](None, always_update=True)
    """What is read."""
    wrapped: reactive[bool] = reactive(False)
    """Long lines go on below, rather than out of sight."""
    empty: reactive[Sequence[Pieces]] = reactive[Sequence[Pieces]](())
    """What is said while there is no document."""
    cursor: reactive[int] = reactive(0)
    """The line at hand, from 0."""

    @message
    class Works(Message):
        """It is at something that takes a while, or no longer: see ``doing``."""

        pager: Pager

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: Rows | None = None
        self._coming: Rows | None = None
        """Those of the whole, where the beginning of a document is on view."""
        self._painter: Painter | None = None
        """What all rows have in common that are being drawn."""
        self._at = 0
        """The row under the cursor; a wrapped line has several."""
        self._hits: Hits | None = None
        """What is marked in the text."""
        self._folding: Callable[[Rows], Iterator[None]] | None = None
        """The folds that are wanted and not there yet."""
        self._rearranging = False
        """Other rows are on their way."""
        self._wanted: int | None = None
        """The line to go to when the whole is there."""
        self._told = ""

    # --- drawing -----------------------------------------------------------------------------------------------

    def render_lines(self, crop: Region) -> list[Strip]:
        """What all rows have in common is found out once for all of them."""
        self._painter = self._found_painter()
        strips = super().render_lines(crop)
        self._painter = None
        return strips

    def render_line(self, y: int) -> Strip:
        painter = self._painter or self._found_painter()
        if self._rows is None or painter is None:
            return line(self.empty[y] if y < len(self.empty) else (), self._width, ThemeStyles.of(self))
        at = y + self.scroll_offset.y
        if at >= self._rows.count:
            return Strip.blank(self._width, painter.styles.style())
        return painter.line(self._rows.row(at, painter.left, painter.room + 1), here=self.has_focus and at == self._at)

    def _found_painter(self) -> Painter | None:
        if self.document is None:
            return None
        left = self.scroll_offset.x if self._runs_on else 0
        return Painter(
            self.document, self._hits, ThemeStyles.of(self), left, self._room, number_width(self.document.lines)
        )

    @property
    def _width(self) -> int:
        return self.scrollable_content_region.width

    @property
    def _margin(self) -> int:
        return number_width(self.document.lines if self.document else 0) + AFTER_NUMBER

    @property
    def _room(self) -> int:
        return max(self._width - self._margin, 1)

    @property
    def _runs_on(self) -> bool:
        """Lines run out of sight at the right; rows of hex always do."""
        return not self.wrapped or bool(self.document and self.document.is_hex)

    # --- folding -----------------------------------------------------------------------------------------------

    def fold(self) -> None:
        """Fold or unfold the value under the cursor, or the one around it."""
        if self._rows is not None and self._rows.toggle(self.cursor):
            self._arrange(self.cursor)

    def fold_all(self) -> None:
        self.fold_to(1)

    def unfold_all(self) -> None:
        self.fold_to(EVERYTHING)

    def fold_to(self, depth: int) -> None:
        self._folding = lambda rows: rows.folding_to(depth)
        self._rearrange()

    @property
    def doing(self) -> str:
        """What it is at, in words; empty where it is at rest."""
        if self._rearranging:
            return "folding" if self._folding else "wrapping"
        if self.document is None or self.document.complete:
            return ""
        if self._wanted is None:
            return "laying out"
        place = "the end" if self._wanted == END else f"line {self._wanted + 1:,}"
        return f"laying out, then to {place}"

    @property
    def folding(self) -> bool:
        return self._rearranging and self._folding is not None

    def stop_folding(self) -> None:
        self._folding = None
        self._rearrange()

    def _rearrange(self) -> None:
        """Other rows after some steps: at once where there are few, as nearly always, else between the keys."""
        self.workers.cancel_group(self, "rows")
        self._rearranging = False
        if rows := self._coming or self._rows:
            steps = self._steps(rows)
            if are_few(steps):
                self._show(rows)
            else:
                self._rearranging = True
                self._rearrange_large(rows, steps)
        self._tell_what()

    def _steps(self, rows: Rows) -> Iterator[None]:
        """Break lines where the room ends; before there is any, not yet. Then fold."""
        yield from rows.wrapping(self._room if self.wrapped and self.size.width else None)
        if self._folding is not None:
            yield from self._folding(rows)
            self._folding = None

    # A worker without a description gets one that spells out all it is given.
    @work(exclusive=True, group="rows", description="rows")
    async def _rearrange_large(self, rows: Rows, steps: Iterator[None]) -> None:
        async for _ in paced(steps):
            pass
        self._rearranging = False
        self._show(rows)
        self._tell_what()

    def _show(self, rows: Rows) -> None:
        """These are on view from now on; the line at hand stays, unless another is waited for."""
        wanted = None
        if rows is self._coming:
            self._rows, self._coming, self._hits = rows, None, None
            self.set_reactive(Pager.document, rows.document)
            wanted = self._wanted
        self._arrange(self.cursor)
        if wanted is not None:
            self.go_to(wanted)

    def _tell_what(self) -> None:
        """Say what it is at, where that is something else than before."""
        if self.doing != self._told:
            self._told = self.doing
            self.post_message(self.Works(self))

    def _arrange(self, line: int) -> None:
        """Other rows are on view: the cursor goes to the line, or to the fold that it is in."""
        if self._rows is not None:
            self._measure(self._rows)
            self._put(self._rows.row_of(line))

    def _measure(self, rows: Rows) -> None:
        text = rows.document.widest if self._runs_on else 0
        self.virtual_size = Size(self._margin + text, rows.count)
        self.refresh()

    # --- moving ------------------------------------------------------------------------------------------------

    def go_to(self, line: int) -> None:
        """Put the cursor on a line, unfolding what hides it; after a leap, with some of what stands before it."""
        if self._rows is None:
            return
        wanted, count = line, self._rows.count
        line = min(max(line, 0), self._rows.document.lines - 1)
        self._rows.reveal(line)
        if self._rows.count != count:
            self._measure(self._rows)
        at, height = self._rows.row_of(line), self.scrollable_content_region.height
        if not self.scroll_offset.y <= at < self.scroll_offset.y + height:
            self._scroll_down_to(at - height // 3)
        self._move_to(at, wanted)

    def _move_to(self, at: int, line: int = 0) -> None:
        """Go to a row, and on to a line that is not there yet as soon as it is, unless somebody moves meanwhile."""
        self._put(at)
        beyond = self.document is not None and not self.document.complete and line >= self.document.lines
        self._wanted = line if beyond else None
        self._tell_what()

    def reveal_characters(self, first: int, last: int) -> None:
        """Bring some characters of the line at hand on view, sideways or in its later rows."""
        if self._rows is None:
            return
        if self._runs_on:
            left = self.scroll_offset.x
            if not left <= first <= last <= left + self._room - 1:
                self._scroll_aside_to(0 if last < self._room else max(first - ASIDE, 0))
            return
        at = self._rows.row_of(self.cursor)
        if at + 1 < self._rows.count and (second := self._rows.row(at + 1, 0, 0)).continued:
            self._put(at + first // second.start)

    def _put(self, at: int) -> None:
        """The cursor goes to a row, or the nearest there is, and on view."""
        if self._rows is None:
            return
        at = min(max(at, 0), self._rows.count - 1)
        for row in (self._at, at):
            self.refresh(Region(0, row - self.scroll_offset.y, self.size.width, 1))
        self._at = at
        self.cursor = self._rows.row(at, 0, 0).line
        height = max(self.scrollable_content_region.height, 1)
        self._scroll_down_to(min(max(self.scroll_offset.y, at - height + 1), at))

    def _scroll_down_to(self, y: int) -> None:
        if y != self.scroll_offset.y:
            self.scroll_to(y=y, animate=False, immediate=True, force=True)

    def _scroll_aside_to(self, x: int) -> None:
        if x != self.scroll_offset.x:
            self.scroll_to(x=x, animate=False, immediate=True, force=True)

    # --- watching ----------------------------------------------------------------------------------------------

    def go_on_with(self, document: Document) -> None:
        """The whole, where its beginning is on view: the place and the folds stay."""
        self._coming = Rows(document)
        if self._folding is None and (beginning := self._rows) is not None:
            self._folding = lambda rows: rows.folding_like(beginning)
        self._rearrange()

    def watch_document(self) -> None:
        self._coming = self._hits = self._wanted = self._folding = None
        self._at = 0
        self.set_reactive(Pager.cursor, 0)
        self._rows = None if self.document is None else Rows(self.document)
        self.virtual_size = Size(0, 0)
        self.scroll_to(0, 0, animate=False, immediate=True, force=True)
        self._rearrange()
        self.refresh()

    def watch_wrapped(self) -> None:
        """Other rows; the line at hand stays."""
        self._scroll_aside_to(0)
        self._rearrange()

    def watch_cursor(self, line: int) -> None:
        """The row goes along when it is set from outside."""
        if self._rows is not None and self._rows.row(self._at, 0, 0).line != line:
            self.go_to(line)

    def on_resize(self) -> None:
        """Other room: lines may break elsewhere, and the line at hand stays on view."""
        self._rearrange()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """A click puts the cursor there; on the sign of a fold it folds or unfolds."""
        at = event.y + self.scroll_offset.y
        if self._rows is not None and at < self._rows.count:
            self._move_to(at)
            if self._rows.row(at, 0, 0).fold and self._margin - AFTER_NUMBER <= event.x < self._margin:
                self.fold()

    def action_move(self, by: int) -> None:
        self._move_to(self._at + by)

    def action_page(self, by: int) -> None:
        self._move_to(self._at + by * max(self.size.height - 1, 1))

    def action_first(self) -> None:
        self._move_to(0)

    def action_last(self) -> None:
        self._move_to(self._rows.count if self._rows else 0, END)

    def action_aside(self, by: int) -> None:
        self._scroll_aside_to(max(self.scroll_offset.x + by * ASIDE, 0))


def are_few(steps: Iterator[None]) -> bool:
    """Take the first steps at once; whether these were all."""
    return sum(1 for _ in islice(steps, AT_ONCE)) < AT_ONCE
