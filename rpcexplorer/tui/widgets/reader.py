"""The reader of large documents."""

from __future__ import annotations

import asyncio
import sys
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, groupby, islice
from typing import ClassVar, Final

from msgspec import Struct
from rich.segment import Segment
from textual import events, work
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from rpcexplorer.text.document import EVERYTHING, Document, MatchSpan, matches
from rpcexplorer.text.document_rows import DocumentRow, Rows, line_of_item, path_at, pointer_at, value_at
from rpcexplorer.text.json_text import tokens
from rpcexplorer.tui.keys import paced
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import AFTER_NUMBER, GUTTER, Pieces, ThemeStyles, clipped, filled, line
from rpcexplorer.tui.widgets.rows import SCROLLING

NEAR: Final = 32 * 1024
"""Bytes that are searched first, as the next place is seldom far."""
STEP: Final = 256 * 1024
"""Bytes that are searched at a time at most: about a millisecond."""
OFFSETS: Final = 1_000
"""Places in the text that stay known while they are on view."""


class Hits:
    def __init__(self, document: Document, needle: str) -> None:
        self.document = document
        self.needle = needle
        self.current: MatchSpan | None = None
        """The place at hand."""
        self.total = 0
        """How many are counted."""
        self.counted = False
        """These are all."""
        self._size = len(document.text)
        self._longest = 8 * len(needle)  # no letter takes more bytes, in either case
        self._begins = [0]
        """Where each step of the count began, and behind them how far it has come."""
        self._totals = [0]
        """How many there are before each of these."""
        self._number: tuple[MatchSpan | None, int | None] = None, None
        self._offset = lru_cache(OFFSETS)(self._found_offset)

    @property
    def index(self) -> int | None:
        """The number of the place at hand, from 0; None before the count has come by."""
        if self._number[0] != self.current or self._number[1] is None:
            self._number = self.current, self._counted_before(self.current)
        return self._number[1]

    def seek(self, offset: int) -> Iterator[None]:
        """Go to the first place at or after an offset, round the corner if need be."""
        for begin, end in chain(_onwards(offset, self._size), _onwards(0, offset)):
            if found := self._starting(begin, end):
                self.current = found[0]
                return
            yield

    def forwards(self) -> Iterator[None]:
        """Go to the place after the one at hand."""
        return self.seek(self.current[1] if self.current else 0)

    def backwards(self) -> Iterator[None]:
        """Go to the place before the one at hand."""
        offset = self.current[0] if self.current else 0
        for begin, end in chain(_back(0, offset), _back(offset, self._size)):
            if found := self._starting(begin, end):
                self.current = found[-1]
                return
            yield

    def count(self) -> Iterator[None]:
        """Count on; the total grows with each step."""
        while (begin := self._begins[-1]) < self._size:
            end = min(begin + STEP, self._size)
            found = self._starting(begin, end)
            self.total += len(found)
            self._begins.append(max(end, found[-1][1] if found else end))
            self._totals.append(self.total)
            yield
        self.counted = True

    def on(self, line: int, first: int, last: int) -> Iterator[tuple[int, int, bool]]:
        """The places among some characters of a line, as characters of the line, and whether it is the one at hand."""
        start, end = self.document.span(line)
        begin = max(self._offset(line, first) - self._longest, start)
        stop = min(self._offset(line, last) + self._longest, end)
        for found in matches(self.document, self.needle, begin, stop):
            place = self.document.place(line, *found)
            if place[0] < last and place[1] > first:
                yield (*place, found == self.current)

    def _found_offset(self, line: int, character: int) -> int:
        """About where in the text a character of a line begins: known is only the way back.

        It takes four bytes at most, and a byte is shown as four characters at most.
        """
        start, end = self.document.span(line)
        offsets = range(min(start + character // 4, end), min(start + character * 4, end))
        at = bisect_left(offsets, character, key=lambda offset: self.document.place(line, start, offset)[1])
        return offsets.start + at

    def _counted_before(self, place: MatchSpan | None) -> int | None:
        if place is None or place[0] >= self._begins[-1]:
            return None
        at = bisect_right(self._begins, place[0]) - 1
        return self._totals[at] + len(self._starting(self._begins[at], place[0]))

    def _starting(self, begin: int, end: int) -> list[MatchSpan]:
        """The places that start between two offsets, wherever they end."""
        if begin >= end:
            return []
        found = matches(self.document, self.needle, begin, min(end + self._longest, self._size))
        return [place for place in found if place[0] < end]


def _onwards(start: int, end: int) -> Iterator[MatchSpan]:
    """From one offset to another, first in small steps."""
    step = NEAR
    while start < end:
        yield start, min(start + step, end)
        start, step = start + step, min(step * 2, STEP)


def _back(start: int, end: int) -> Iterator[MatchSpan]:
    """From the end back to the start, first in small steps."""
    step = NEAR
    while start < end:
        yield max(end - step, start), end
        end, step = end - step, min(step * 2, STEP)


BEFORE, AFTER = "‹", "›"  # noqa: RUF001 - the signs are meant
"""There is more at this side."""
FOUND: Final = {True: "careful reverse", False: "careful underline"}
"""How a place that was found is drawn: the one at hand, and the others."""
_SIGNS: Final = {"open": ("▾", "dim"), "folded": ("▸", "accent")}


def number_width(count: int) -> int:
    """Columns for the numbers of so many lines; JSON starts in the same column as in the editor as long as it can."""
    return max(GUTTER - AFTER_NUMBER, len(str(count)))


class Painter(Struct, frozen=True):
    """What all rows of one moment have in common."""

    document: Document
    hits: Hits | None
    styles: ThemeStyles
    left: int
    """How many characters are out of sight at the left."""
    room: int
    """Columns for the text."""

    numbers: int
    """Columns for the numbers of lines."""

    def line(self, row: DocumentRow, *, here: bool) -> Strip:
        """A whole line; ``here``: the cursor stands on it and can be seen."""
        ground = "selection" if here else "background"
        sign, role = _SIGNS.get(row.fold, (" ", "text"))
        number = ("" if row.continued else str(row.line + 1)).rjust(self.numbers) + " "
        margin = [(number, "middle" if here else "dim"), (sign, role), (BEFORE if self.left else " ", "dim")]
        pieces = [Segment(text, self.styles.style(role, ground)) for text, role in margin]
        text = clipped(
            list(self._segments(row.text, self._roles(row), ground)),
            self.room,
            Segment(AFTER, self.styles.style("dim", ground)),
        )
        # one strip and no more: Textual's have seven caches each
        return filled([*pieces, *text], self.numbers + AFTER_NUMBER + self.room, self.styles.style("text", ground))

    def _roles(self, row: DocumentRow) -> list[str]:
        """The role of each character. What a fold says is nobody's text: no colours there, and nothing is found."""
        roles = ["text"] * len(row.text)

        def paint(start: int, end: int, role: str) -> None:
            start, end = max(start, 0), min(end, len(roles))
            roles[start:end] = [role] * (end - start)

        first = row.start + self.left
        own = len(roles)
        if self.document.is_json:
            for start, end, token in tokens(row.text, in_string=row.in_string):
                paint(start, end, f"json-{token}")
        if row.fold == "folded":
            own = max(self.document.size(*self.document.span(row.line))[0] - first, 0)
            paint(own, row.text.rfind(" "), "middle")
        if self.hits is not None:
            for start, end, at_hand in self.hits.on(row.line, first, first + own):
                paint(start - first, end - first, FOUND[at_hand])
        return roles

    def _segments(self, text: str, roles: Sequence[str], ground: str) -> Iterator[Segment]:
        start = 0
        for role, run in groupby(roles):
            end = start + sum(1 for _ in run)
            yield Segment(text[start:end], self.styles.style(role, ground))
            start = end


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
