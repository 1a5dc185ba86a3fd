"""The reader of large documents."""

from __future__ import annotations

import asyncio
import sys
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import chain, groupby, islice
from typing import ClassVar, Final

from msgspec import Struct
from msgspec.structs import replace
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.worker import Worker

from rpcexplorer.text.document import EVERYTHING, Document, Span, matches
from rpcexplorer.text.document_rows import DocumentRow, Rows, line_of_item, naming_values, path_at, pointer_at, value_at
from rpcexplorer.text.json_text import tokens
from rpcexplorer.text.printable import columns
from rpcexplorer.tui.key_queue import paced
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import AFTER_NUMBER, GUTTER, ThemeStyles, clipped, filled
from rpcexplorer.tui.widgets.rows import LineView

NEAR: Final = 32 * 1024
"""Bytes that are searched first: the next match is often near."""
STEP: Final = 256 * 1024
"""Bytes that are searched in one step, in about a millisecond."""
OFFSETS: Final = 1_000
"""Cached offsets of characters on view."""


class Hits:
    """The matches of a needle in a document, found and counted in steps."""

    def __init__(self, document: Document, needle: str) -> None:
        self.document = document
        self.needle = needle
        self.current: Span | None = None
        """The match that the search went to."""
        self.total = 0
        """The number of matches so far."""
        self.counted = False
        """The total is final."""
        self._size = len(document.text)
        self._longest = 8 * len(needle)  # no letter takes more bytes, in either case
        self._begins = [0]
        """The offset of each step of the count, and of the next one."""
        self._totals = [0]
        """The number of matches before each of these."""
        self._number: tuple[Span | None, int | None] = None, None
        self._offset = lru_cache(OFFSETS)(self._found_offset)

    @property
    def index(self) -> int | None:
        """The index of the current match; None until it is counted."""
        if self._number[0] != self.current or self._number[1] is None:
            self._number = self.current, self._counted_before(self.current)
        return self._number[1]

    def seek(self, offset: int) -> Iterator[None]:
        """Go to the first match from an offset on, else to the first of all."""
        for begin, end in chain(_onwards(offset, self._size), _onwards(0, offset)):
            found = self._starting(begin, end)
            if found:
                self.current = found[0]
                return
            yield

    def forwards(self) -> Iterator[None]:
        """Go to the next match."""
        return self.seek(self.current[1] if self.current else 0)

    def backwards(self) -> Iterator[None]:
        """Go to the previous match."""
        offset = self.current[0] if self.current else 0
        for begin, end in chain(_back(0, offset), _back(offset, self._size)):
            found = self._starting(begin, end)
            if found:
                self.current = found[-1]
                return
            yield

    def count(self) -> Iterator[None]:
        """Count on; the total grows with each step."""
        while self._begins[-1] < self._size:
            begin = self._begins[-1]
            end = min(begin + STEP, self._size)
            found = self._starting(begin, end)
            self.total += len(found)
            self._begins.append(max(end, found[-1][1] if found else end))
            self._totals.append(self.total)
            yield
        self.counted = True

    def on(self, line: int, first: int, last: int) -> Iterator[tuple[int, int, bool]]:
        """Yield the matches in a range of a line, with the current one marked."""
        start, end = self.document.span(line)
        begin = max(self._offset(line, first) - self._longest, start)
        stop = min(self._offset(line, last) + self._longest, end)
        for found in matches(self.document, self.needle, begin, stop):
            place = self.document.place(line, *found)
            if place[0] < last and place[1] > first:
                yield (*place, found == self.current)

    def _found_offset(self, line: int, character: int) -> int:
        """Return the approximate offset of a character of a line.

        Only the inverse is known, so it is searched. A character has at most four bytes, and a byte is shown as at most
        four characters.
        """
        start, end = self.document.span(line)
        offsets = range(min(start + character // 4, end), min(start + character * 4, end))
        at = bisect_left(offsets, character, key=lambda offset: self.document.place(line, start, offset)[1])
        return offsets.start + at

    def _counted_before(self, place: Span | None) -> int | None:
        if place is None or place[0] >= self._begins[-1]:
            return None
        at = bisect_right(self._begins, place[0]) - 1
        return self._totals[at] + len(self._starting(self._begins[at], place[0]))

    def _starting(self, begin: int, end: int) -> list[Span]:
        """Return the matches that start between two offsets."""
        if begin >= end:
            return []
        found = matches(self.document, self.needle, begin, min(end + self._longest, self._size))
        return [place for place in found if place[0] < end]


def _onwards(start: int, end: int) -> Iterator[Span]:
    """Yield spans from one offset to another, small ones first."""
    step = NEAR
    while start < end:
        yield start, min(start + step, end)
        start, step = start + step, min(step * 2, STEP)


def _back(start: int, end: int) -> Iterator[Span]:
    """Yield spans from the end back to the start, small ones first."""
    step = NEAR
    while start < end:
        yield max(end - step, start), end
        end, step = end - step, min(step * 2, STEP)


AT_ONCE: Final = 4
"""Steps that are too short to be felt."""
TYPING_SECONDS: Final = 0.1
"""A search waits this long for another letter after its first steps."""
REPORT_SECONDS: Final = 0.1
"""The time between two interim counts."""


class StepRunner:
    """Runs work in steps: the first ones at once, others between keys."""

    def __init__(self, host: Widget, name: str, pause_seconds: float = 0) -> None:
        self._host, self._name, self._pause_seconds = host, name, pause_seconds
        self._worker: Worker[None] | None = None

    @property
    def is_running(self) -> bool:
        return self._worker is not None

    def run(
        self, steps: Iterator[None], done: Callable[[], object], report: Callable[[], object] = lambda: None
    ) -> None:
        """Run other steps; call ``report`` regularly until they are done."""
        self.stop()
        if sum(1 for _ in islice(steps, AT_ONCE)) < AT_ONCE:
            done()
            return
        report()
        work = partial(self._run_on, steps, done, report)
        self._worker = self._host.run_worker(work, group=self._name, description=self._name)

    async def _run_on(self, steps: Iterator[None], done: Callable[[], object], report: Callable[[], object]) -> None:
        await asyncio.sleep(self._pause_seconds)
        reported = time.monotonic()
        async for _ in paced(steps):
            if time.monotonic() - reported > REPORT_SECONDS:
                report()
                reported = time.monotonic()
        self._worker = None
        done()

    def stop(self) -> None:
        if self._worker is not None:
            self._worker.cancel()
            self._worker = None


class Find:
    """A search in a document: its needle, its matches, the current one."""

    def __init__(self, host: Widget, arrived: Callable[[Hits], object], counted: Callable[[], object]) -> None:
        """Call ``arrived`` at each match, and ``counted`` during the count."""
        self.needle = ""
        """The text that was searched last."""
        self.hits: Hits | None = None
        self._arrived, self._counted = arrived, counted
        self._seeking, self._counting = (StepRunner(host, name, TYPING_SECONDS) for name in ("seek", "count"))
        self.origin: int | None = None
        """The offset at which the search began."""

    def search(self, document: Document | None, needle: str, line: int) -> None:
        """Go to the first match from a line on, and count all.

        An empty needle ends the search.
        """
        before = self.hits
        self.forget()
        self.needle = needle
        if document is None or not needle:
            self._counted()
            return
        has_moved = not (before and before.current and before.document.line_at(before.current[0]) == line)
        if self.origin is None or has_moved:  # otherwise the needle gets longer
            self.origin = document.span(line)[0]
        self.hits = Hits(document, needle)
        self._seek(self.hits, self.hits.seek(self.origin))
        self._counting.run(self.hits.count(), self._counted, self._counted)

    def forwards(self, hits: Hits) -> None:
        self.origin = None
        self._seek(hits, hits.forwards())

    def backwards(self, hits: Hits) -> None:
        self.origin = None
        self._seek(hits, hits.backwards())

    def forget(self) -> None:
        """Drop the matches, and stop the search; the needle stays."""
        self._seeking.stop()
        self._counting.stop()
        self.hits = None

    def _seek(self, hits: Hits, steps: Iterator[None]) -> None:
        self._seeking.run(steps, partial(self._arrived, hits))


BEFORE, AFTER = "‹", "›"  # noqa: RUF001 - the signs are meant
"""The line goes on at this side."""
FOUND: Final = {True: "careful reverse", False: "careful underline"}
"""The roles of matches: the current one, and the others."""
_SIGNS: Final = {"open": ("▾", "dim"), "folded": ("▸", "middle")}


def number_width(count: int) -> int:
    """Return the columns for line numbers.

    JSON starts in the same column as in the editor, if possible.
    """
    return max(GUTTER - AFTER_NUMBER, len(str(count)))


def _numbers(document: Document) -> int:
    return number_width(document.lines) if document.is_numbered else 0


class Painter(Struct, frozen=True):
    """Draws rows; has the values that all rows of a frame share."""

    rows: Rows
    hits: Hits | None
    styles: ThemeStyles
    left: int
    """Characters that are scrolled out at the left."""
    room: int
    """Columns for the text."""

    numbers: int
    """Columns for the numbers of lines; 0 for none."""

    def line(self, at: int, *, here: bool) -> Strip:
        """Draw a row; ``here``: a visible cursor is on it."""
        row = self._named(self.rows.row(at, self.left, self.room + 1))
        ground = "selection" if here else "background"
        sign, role = _SIGNS.get(row.fold, (" ", "text"))
        number = " " * (self.numbers + 1)
        if self.numbers and not row.continued:
            number = f"{row.line + 1:>{self.numbers}} "
        margin = [(number, "dim"), (sign, role), (BEFORE if self.left else " ", "dim")]
        pieces = [Segment(text, self.styles.style(role, ground)) for text, role in margin]
        start, whole = 0, list[Segment]()
        for role, run in groupby(self._roles(row)):
            end = start + len(list(run))
            whole.append(Segment(row.text[start:end], self.styles.style(role, ground)))
            start = end
        text = clipped(whole, self.room, Segment(AFTER, self.styles.style("dim", ground)))
        # only one strip, as each has seven caches
        return filled([*pieces, *text], self.numbers + AFTER_NUMBER + self.room, self.styles.style("text", ground))

    def _own(self, row: DocumentRow) -> int:
        """Return how many characters of a folded row belong to the document."""
        size, _ = self.rows.document.size(*self.rows.document.span(row.line))
        return max(size - row.start - self.left, 0)

    def _named(self, row: DocumentRow) -> DocumentRow:
        """Add to a folded object what it is, if there is room: ``{ 7  Ada Lovelace … 9 members }``."""
        own = self._own(row) if row.fold == "folded" else 0
        if not 0 < own < len(row.text):
            return row
        values = naming_values(self.rows.document, row.line)
        while values:
            text = f"{row.text[:own]} {'  '.join(values)} …{row.text[own:]}"
            if columns(text) <= self.room:
                return replace(row, text=text)
            values.pop()
        return row

    def _roles(self, row: DocumentRow) -> list[str]:
        """Return the role of each character.

        The words of a fold do not belong to the document.
        """
        roles = ["text"] * len(row.text)

        def paint(start: int, end: int, role: str) -> None:
            start, end = max(start, 0), min(end, len(roles))
            roles[start:end] = [role] * (end - start)

        document, first, own = self.rows.document, row.start + self.left, len(roles)
        if document.is_json:
            for start, end, token in tokens(row.text, in_string=row.in_string):
                paint(start, end, f"json-{token}")
        elif row.line < len(document.role_lines):
            at = -first
            for part, role in document.role_lines[row.line]:
                paint(at, at + len(part), role)
                at += len(part)
        if row.fold == "folded":
            own = self._own(row)
            paint(own, row.text.rfind(" "), "middle")
        if self.hits is not None:
            for start, end, at_hand in self.hits.on(row.line, first, first + own):
                paint(start - first, end - first, FOUND[at_hand])
        return roles


END: Final = sys.maxsize
"""A line after every other."""
ASIDE: Final = 8
"""Columns that a key scrolls, and that are kept before a match."""


class Reader(LineView):
    """A view of a large document: lines fold, wrap and are searched."""

    DEFAULT_CSS = """
    Reader { overflow-x: auto; scrollbar-size-horizontal: 0; scrollbar-gutter: stable; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "aside(-1)", show=False),
        Binding("right", "aside(1)", show=False),
        Binding("shift+left", "aside(-8)", show=False),
        Binding("shift+right", "aside(8)", show=False),
    ]

    document: reactive[Document | None] = reactive[Document | None](None, always_update=True)
    wrapped: reactive[bool] = reactive(False)
    """Long lines are wrapped."""

    class Works(Message):
        """Long work has begun or ended: see ``doing``."""

    @message
    class Found(Message):
        """The matches so far; posted again while the count goes on."""

        needle: str
        total: int
        counted: bool
        """The total is final."""
        index: int | None
        """The index of the current match; None while it is unknown."""

    def __init__(self) -> None:
        super().__init__()
        self.find = Find(self, self._arrive, self._report_found)
        self.current_line = 0
        """The line under the cursor, from 0; a wrapped line has several rows."""
        self._rows: Rows | None = None
        self._coming: Rows | None = None
        """The rows of the whole document, while only its beginning is shown."""
        self._arranging = StepRunner(self, "rows")
        self._folding: Callable[[Rows], Iterator[None]] | None = None
        """Folds that are still to be made."""
        self._wanted: int | None = None
        """The line to go to as soon as the whole document is laid out."""
        self._reported = ""
        self._painter: Painter | None = None

    @property
    def row_count(self) -> int:
        return self._rows.count if self._rows is not None else 0

    def render_lines(self, crop: Region) -> list[Strip]:
        self._painter = self._new_painter(self._rows) if self._rows is not None else None
        strips = super().render_lines(crop)
        self._painter = None
        return strips

    def draw_row(self, row: int, width: int, styles: ThemeStyles) -> Strip:  # noqa: ARG002 - the painter has them
        assert self._rows is not None
        painter = self._painter or self._new_painter(self._rows)
        return painter.line(row, here=self.has_focus and row == self.cursor)

    def _new_painter(self, rows: Rows) -> Painter:
        left, numbers = self.scroll_offset.x if self._runs_on else 0, _numbers(rows.document)
        return Painter(rows, self.find.hits, ThemeStyles.of(self), left, self._room, numbers)

    @property
    def _margin(self) -> int:
        return (_numbers(self.document) if self.document else 0) + AFTER_NUMBER

    @property
    def _room(self) -> int:
        return max(self.scrollable_content_region.width - self._margin, 1)

    @property
    def _runs_on(self) -> bool:
        """Lines are cut at the right; rows of hex always are."""
        return not self.wrapped or bool(self.document and self.document.is_hex)

    def watch_document(self) -> None:
        self.find.forget()
        self._coming = self._wanted = self._folding = None
        self.current_line = 0
        self.set_reactive(Reader.cursor, 0)
        self._rows = None if self.document is None else Rows(self.document)
        self.virtual_size = Size(0, 0)
        self.scroll_to(0, 0, animate=False, force=True)
        self._rearrange()
        self.refresh()

    def go_on_with(self, document: Document) -> None:
        """Replace the beginning by the whole document; keep place and folds."""
        self._coming = Rows(document)
        if self._folding is None and (beginning := self._rows) is not None:
            self._folding = lambda rows: rows.folding_like(beginning)
        self._rearrange()

    def path(self) -> str:
        return path_at(self.document, self.current_line) if self.document else ""

    def pointer(self) -> str:
        return pointer_at(self.document, self.current_line, exact=True) if self.document else ""

    def value(self) -> bytes:
        """Return the text of the value under the cursor."""
        return value_at(self.document, self.current_line) if self.document else b""

    @property
    def doing(self) -> str:
        """The running work in words; empty if there is none."""
        if self._arranging.is_running:
            return "folding" if self._folding else "wrapping"
        if self.document is None or self.document.complete:
            return ""
        if self._wanted is None:
            return "formatting"
        place = "the end" if self._wanted == END else f"line {self._wanted + 1:,}"
        return f"formatting, then going to {place}"

    def _report_work(self) -> None:
        if self.doing != self._reported:
            self._reported = self.doing
            self.post_message(self.Works())

    def fold(self) -> None:
        """Fold or unfold the value under the cursor, or the one around it."""
        if self._rows is not None and self._rows.toggle(self.current_line):
            self._arrange(self._rows)

    def fold_all(self) -> None:
        self.fold_to(1)

    def unfold_all(self) -> None:
        self.fold_to(EVERYTHING)

    def fold_to(self, depth: int) -> None:
        self._folding = lambda rows: rows.folding_to(depth)
        self._rearrange()

    @property
    def folding(self) -> bool:
        return self._arranging.is_running and self._folding is not None

    def stop_folding(self) -> None:
        self._folding = None
        self._rearrange()

    def watch_wrapped(self) -> None:
        self._scroll_aside_to(0)
        self._rearrange()

    def on_resize(self) -> None:
        self._rearrange()

    def _rearrange(self) -> None:
        """Wrap and fold in steps, then show the rows."""
        self._arranging.stop()
        if rows := self._coming or self._rows:
            self._arranging.run(self._steps(rows), partial(self._show, rows))
        self._report_work()

    def _steps(self, rows: Rows) -> Iterator[None]:
        """Wrap the lines if the width is known, then fold."""
        yield from rows.wrapping(self._room if self.wrapped and self.size.width else None)
        if self._folding is not None:
            yield from self._folding(rows)
            self._folding = None

    def _show(self, rows: Rows) -> None:
        """Show these rows; keep the line, or go to the one that was awaited."""
        if rows is not self._coming:
            self._arrange(rows)
        else:
            self.find.forget()
            self._rows, self._coming, wanted = rows, None, self._wanted
            self.set_reactive(Reader.document, rows.document)
            self._arrange(rows)
            if wanted is not None:
                self.go_to(wanted)
            if self.find.needle:
                self.search(self.find.needle)
        self._report_work()

    def _arrange(self, rows: Rows) -> None:
        """Put the cursor on its line among other rows, or on the line's fold."""
        self._measure(rows)
        self._put(rows.row_of(self.current_line))

    def _measure(self, rows: Rows) -> None:
        self.rows_changed(self._margin + (rows.document.widest if self._runs_on else 0))

    def move_to(self, row: int, by: int = 1) -> None:
        """Go to a row, and no longer to an awaited line."""
        self._wanted = None
        self._put(row, by)
        self._report_work()

    def _put(self, row: int, by: int = 1) -> None:
        super().move_to(row, by)
        if self._rows is not None:
            self.current_line = self._rows.row(self.cursor, 0, 0).line

    def go_to(self, line: int) -> None:
        """Go to a line and unfold it, once it is laid out."""
        if self._rows is None:
            return
        at, count = min(max(line, 0), self._rows.document.lines - 1), self._rows.count
        self._rows.reveal(at)
        if self._rows.count != count:
            self._measure(self._rows)
        self.leap_to(self._rows.row_of(at))
        self._wait_for(line)

    def _wait_for(self, line: int) -> None:
        if self.document is not None and not self.document.complete and line >= self.document.lines:
            self._wanted = line
            self._report_work()

    def go_to_element(self, index: int, path: str = ".") -> None:
        """Go to an item of the list at a path."""
        if self.document is not None and self.document.is_json:
            self.go_to(line_of_item(self.document, path, index))

    def click_row(self, row: int, event: events.Click) -> None:
        """Put the cursor on a row; on the sign of a fold, fold or unfold."""
        self.move_to(row)
        has_sign = self._rows is not None and bool(self._rows.row(row, 0, 0).fold)
        if has_sign and self._margin - AFTER_NUMBER <= event.x < self._margin:
            self.fold()

    def action_last(self) -> None:
        super().action_last()
        self._wait_for(END)

    def action_aside(self, by: int) -> None:
        self._scroll_aside_to(max(self.scroll_offset.x + by * ASIDE, 0))

    def _scroll_aside_to(self, x: int) -> None:
        self.scroll_to(x=x, animate=False, force=True)

    def search(self, needle: str) -> None:
        """Go to the first match from the cursor on, and count all.

        An empty needle ends the search.
        """
        self.find.search(self.document, needle, self.current_line)
        self.refresh()

    def next_hit(self) -> None:
        if self.find.hits is None:
            self.search(self.find.needle)
        else:
            self.find.forwards(self.find.hits)

    def previous_hit(self) -> None:
        if self.find.hits is None:
            self.search(self.find.needle)
        else:
            self.find.backwards(self.find.hits)

    def _arrive(self, hits: Hits) -> None:
        """Bring the match into view, horizontally or in a wrapped line."""
        self.refresh()
        if hits.current is None and self.find.origin is not None:  # a longer needle has no match
            self.go_to(hits.document.line_at(self.find.origin))
        if hits.current is None or self._rows is None:
            return
        line = hits.document.line_at(hits.current[0])
        self.go_to(line)
        first, last = hits.document.place(line, *hits.current)
        if self._runs_on:
            left = self.scroll_offset.x
            if not left <= first <= last <= left + self._room - 1:
                self._scroll_aside_to(0 if last < self._room else max(first - ASIDE, 0))
        else:
            row = self._rows.row_of(self.current_line)
            if row + 1 < self._rows.count:
                second = self._rows.row(row + 1, 0, 0)
                if second.continued:
                    self._put(row + first // second.start)
        self._report_found()

    def _report_found(self) -> None:
        hits, needle = self.find.hits, self.find.needle
        if hits is None:
            self.post_message(self.Found(needle, 0, counted=True, index=None))
        else:
            counted = hits.counted and hits.document.complete
            self.post_message(self.Found(needle, hits.total, counted, hits.index))
