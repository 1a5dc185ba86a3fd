"""A table of a list of objects; ``text.table`` makes the columns."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import accumulate
from typing import ClassVar, Final

from textual import events, work
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from rpcexplorer.text.printable import clipped, columns
from rpcexplorer.text.table import WIDEST, CellKind, Table
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import AFTER_NUMBER, Pieces, ThemeStyles, segments
from rpcexplorer.tui.widgets.reader import AFTER, BEFORE, number_width
from rpcexplorer.tui.widgets.rows import LineView

GAP: Final = 2
"""Blanks between two columns; the sign of a sorted one is the first."""
MANY: Final = 20_000
"""Rows; larger tables are sorted in a thread, so that keys work meanwhile."""
ROLES: Final[dict[CellKind, str]] = {"string": "text", "number": "json-number", "literal": "json-literal"}
"""Other kinds (null, nested, absent) are dim."""


class Grid(LineView):
    """A table with a cursor on a cell; heading and row numbers do not scroll."""

    DEFAULT_CSS = """
    Grid { overflow-x: auto; scrollbar-size-horizontal: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "move_aside(-1)", show=False),
        Binding("right,l", "move_aside(1)", show=False),
        Binding("enter", "open", show=False),
    ]
    heading_rows = 1

    table: reactive[Table | None] = reactive[Table | None](None, always_update=True)
    column: reactive[int] = reactive(0)
    """The column under the cursor."""
    order: reactive[tuple[int, bool] | None] = reactive[tuple[int, bool] | None](None)
    """The sorted column, and whether descending; None is the list's order."""

    @message
    class ElementOpened(Message):
        """The user wants to see a whole element as JSON."""

        index: int
        """The index of the element in the list."""
        path: str
        """The path of the list."""

    def __init__(self) -> None:
        super().__init__()
        self._widths: list[int] = []
        self._starts: list[int] = [0]
        self._sorting = False

    def value(self) -> bytes:
        """Return the JSON text of the cell under the cursor, unchanged."""
        if not self.table or not self.row_count:
            return b""
        return self.table.cell_value(self.cursor, self.column)

    def path(self) -> str:
        if not self.table or not self.row_count:
            return ""
        return self.table.cell_path(self.cursor, self.column)

    @property
    def _numbers(self) -> int:
        """Columns for row numbers; the first cell starts where JSON does."""
        return number_width(self.row_count) + AFTER_NUMBER

    @property
    def _room(self) -> int:
        """Columns for the cells on view."""
        return max(self.scrollable_content_region.width - self._numbers, 1)

    @property
    def row_count(self) -> int:
        return self.table.rows if self.table else 0

    def render_line(self, y: int) -> Strip:
        if y == 0 and self.table and self.table.rows:
            return self._heading(self.table, ThemeStyles.of(self))
        return super().render_line(y)

    def _heading(self, table: Table, styles: ThemeStyles) -> Strip:
        cells = []
        for at in self._on_view():
            column = table.columns[at]
            role = "middle bold" if self._sign(at) else "middle"
            if self.has_focus and at == self.column:
                role = "accent bold"
            name = _aligned(column.name, self._widths[at], right=column.kind == "number")
            cells += [(name, role), (f"{self._sign(at):<{GAP}}", "middle bold")]
        before = BEFORE if self.scroll_offset.x > 0 else ""
        after = AFTER if self._starts[-1] - GAP - self.scroll_offset.x > self._room else ""
        return self._strip([(f"{before:>{self._numbers - 1}} ", "dim")], cells, styles, after=after)

    def draw_row(self, row: int, width: int, styles: ThemeStyles) -> Strip:  # noqa: ARG002
        assert self.table
        chosen = self.has_focus and row == self.cursor
        cells = []
        for at in self._on_view():
            cell = self.table.cell(row, at)
            role = ROLES.get(cell.kind, "dim")
            if chosen and at == self.column:
                role += " bold underline"
            text = _aligned(cell.text, self._widths[at], right=self.table.columns[at].kind == "number")
            cells += [(text, role), (" " * GAP, "text")]
        number = f"{self.table.original(row):>{self._numbers - AFTER_NUMBER}}{'':{AFTER_NUMBER}}"
        before = [(number, "dim")]
        return self._strip(before, cells, styles, ground="selection" if chosen else "background")

    def _strip(
        self, before: Pieces, cells: Pieces, styles: ThemeStyles, *, after: str = "", ground: str = "background"
    ) -> Strip:
        """Draw a line: the fixed part, then the scrolled cells that fit."""
        skipped = self.scroll_offset.x - self._starts[next(self._on_view(), 0)]
        room = self._room - len(after)
        shown = Strip(segments(cells, styles, ground)).crop(skipped, skipped + room)
        shown = shown.adjust_cell_length(room, styles.style("text", ground))
        edge = segments([(after, "dim")], styles, ground)
        return Strip([*segments(before, styles, ground), *shown, *edge])

    def _on_view(self) -> Iterator[int]:
        """Return the columns that are at least partly on view."""
        left, right = self.scroll_offset.x, self.scroll_offset.x + self._room
        return (at for at, start in enumerate(self._starts[:-1]) if start < right and self._starts[at + 1] > left)

    def _sign(self, column: int) -> str:
        if self.order is None or self.order[0] != column:
            return ""
        if self._sorting:
            return "…"
        return "▼" if self.order[1] else "▲"

    def validate_column(self, column: int) -> int:
        last = len(self.table.columns) - 1 if self.table else 0
        return max(min(column, last), 0)

    def watch_table(self) -> None:
        """Show another table from its first cell, unsorted."""
        self._widths = _widths(self.table) if self.table else []
        self._starts = list(accumulate((width + GAP for width in self._widths), initial=0))
        self._sorting = False
        self.set_reactive(Grid.order, None)
        self.set_reactive(Grid.cursor, 0)
        self.set_reactive(Grid.column, 0)
        self.rows_changed(self._numbers + max(self._starts[-1] - GAP, 0))
        self.scroll_to(0, 0, animate=False)

    def watch_column(self) -> None:
        self.reveal()

    def reveal(self) -> None:
        """Bring the cell into view, horizontally too, its beginning first."""
        super().reveal()
        if self.row_count:
            start, end = self._starts[self.column], self._starts[self.column + 1] - GAP
            x = min(max(self.scroll_offset.x, end - self._room + 1), start)
            if self.column == 0:
                x = 0
            self.scroll_to(x=x, animate=False, force=True)

    def on_click(self, event: events.Click) -> None:
        if event.y == 0:
            self.column = self._column_at(event.x)
            self.action_sort()

    def click_row(self, row: int, event: events.Click) -> None:
        """Put the cursor on a cell; a second click opens its element."""
        column = self._column_at(event.x)
        self.move_to(row)
        self.column = column
        if event.chain == 2:
            self.action_open()

    def _column_at(self, x: int) -> int:
        if x >= self._numbers:
            inside = x - self._numbers + self.scroll_offset.x
            for at in self._on_view():
                if inside < self._starts[at + 1]:
                    return at
        return self.column

    def action_move_aside(self, by: int) -> None:
        self.column += by

    def action_open(self) -> None:
        if self.table and self.row_count:
            self.post_message(self.ElementOpened(self.table.original(self.cursor), self.table.path))

    def action_sort(self) -> None:
        """Sort by the current column: ascending, descending, unsorted in turn."""
        if self.table is None or self._sorting:
            return
        ascending, descending = (self.column, False), (self.column, True)
        if self.order == descending:
            self.order = None
        elif self.order == ascending:
            self.order = descending
        else:
            self.order = ascending
        self._sort(self.table)

    @work(group="sort")
    async def _sort(self, table: Table) -> None:
        """Sort in a thread if the table is large; the cursor goes to the top."""
        if self.order is None:
            table.unsort()
        elif table.rows < MANY:
            table.sort(*self.order)
        else:
            self._sorting = True
            await asyncio.to_thread(table.sort, *self.order)
        if table is self.table:
            self._sorting = False
            self.cursor = 0
            self.refresh()


def _widths(table: Table) -> list[int]:
    """Return the widths of the columns.

    The last row counts as well as the first ones, as ids and the like grow.
    """
    last = (columns(table.cell(table.rows - 1, at).text) for at in range(len(table.columns)))
    return [max(column.width, min(needed, WIDEST)) for column, needed in zip(table.columns, last, strict=True)]


def _aligned(text: str, width: int, *, right: bool) -> str:
    """Return a text padded or cut to a width."""
    shown = clipped(text, width)
    blank = " " * (width - columns(shown))
    if right:
        return blank + shown
    return shown + blank
