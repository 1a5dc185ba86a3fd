"""A list of objects as a table on screen: a heading, and as many rows and columns as there is room for.

Which columns there are and what stands in a cell is laid down in ``views/document/table.py``; here it is only drawn
and walked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import accumulate
from typing import ClassVar, Final

from textual import events, work
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from rpcexplorer.text.printable import clipped, columns
from rpcexplorer.text.table import WIDEST, CellKind, Table
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import AFTER_NUMBER, Pieces, ThemeStyles, segments
from rpcexplorer.tui.widgets.reader import AFTER, BEFORE, number_width
from rpcexplorer.tui.widgets.rows import SCROLLING

GAP: Final = 2
"""Columns between two columns; a sorted one's sign stands in the first of them."""
MANY: Final = 20_000
"""Rows; more of them are sorted in a thread, so that the screen goes on."""
ROLES: Final[dict[CellKind, str]] = {"string": "text", "number": "json-number", "literal": "json-literal"}
"""What is not among them (null, nested, absent) is dim."""
Cursor = tuple[int, int]
"""Row as sorted, and column."""


class Grid(ScrollView, can_focus=True):
    """One cell is under the cursor; the heading and the numbers of the rows stay where they are."""

    DEFAULT_CSS = """
    Grid { background: $background; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *SCROLLING,
        Binding("left,h", "move(0, -1)", show=False),
        Binding("right,l", "move(0, 1)", show=False),
        Binding("enter", "open", show=False),
    ]

    table: reactive[Table | None] = reactive[Table | None](None, always_update=True)
    """What is shown."""
    cursor: reactive[Cursor] = reactive((0, 0))
    """The cell at hand."""
    order: reactive[tuple[int, bool] | None] = reactive[tuple[int, bool] | None](None)
    """The column that the rows are sorted by, and whether downwards; None is the list's own order."""

    @message
    class ElementOpened(Message):
        """An element is wanted whole."""

        grid: Grid
        index: int
        """Its number in the list."""
        path: str
        """Where the list is, as the table spells it."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._widths: list[int] = []
        self._starts: list[int] = [0]
        self._sorting = False

    # --- what is at hand ---------------------------------------------------------------------------------------

    def value(self) -> bytes:
        """The JSON text of the cell at hand, as the server wrote it."""
        return self.table.cell_value(*self.cursor) if self.table and self.table.rows else b""

    def path(self) -> str:
        return self.table.cell_path(*self.cursor) if self.table and self.table.rows else ""

    # --- drawing -----------------------------------------------------------------------------------------------

    @property
    def _numbers(self) -> int:
        """Columns for the numbers of the rows; the first cell starts where JSON does."""
        return number_width(self.table.rows if self.table else 0) + AFTER_NUMBER

    @property
    def _room(self) -> int:
        """Columns for the cells on view."""
        return max(self.scrollable_content_region.width - self._numbers, 1)

    def render_line(self, y: int) -> Strip:
        width, styles = self.scrollable_content_region.width, ThemeStyles.of(self)
        row = y - 1 + self.scroll_offset.y
        if self.table is None or row >= self.table.rows:
            return Strip.blank(width, styles.style())
        return self._heading(self.table, styles) if y == 0 else self._row(self.table, row, styles)

    def _heading(self, table: Table, styles: ThemeStyles) -> Strip:
        cells = []
        for at in self._on_view():
            column = table.columns[at]
            here = self.has_focus and at == self.cursor[1]
            role = "accent bold" if here else "middle bold" if self._sign(at) else "middle"
            name = _aligned(column.name, self._widths[at], right=column.kind == "number")
            cells += [(name, role), (f"{self._sign(at):<{GAP}}", "accent")]
        left, right = self.scroll_offset.x, self._starts[-1] - GAP - self.scroll_offset.x > self._room
        before = f"{BEFORE if left else '':>{self._numbers - 1}} "
        return self._strip([(before, "dim")], cells, styles, after=AFTER if right else "")

    def _row(self, table: Table, row: int, styles: ThemeStyles) -> Strip:
        chosen = self.has_focus and row == self.cursor[0]
        cells = []
        for at in self._on_view():
            cell = table.cell(row, at)
            role = ROLES.get(cell.kind, "dim")
            if chosen:
                role = {"dim": "middle"}.get(role, role) + " bold underline" * (at == self.cursor[1])
            text = _aligned(cell.text, self._widths[at], right=table.columns[at].kind == "number")
            cells += [(text, role), (" " * GAP, "text")]
        number = f"{table.original(row):>{self._numbers - AFTER_NUMBER}}{'':{AFTER_NUMBER}}"
        before = [(number, "middle" if chosen else "dim")]
        return self._strip(before, cells, styles, ground="selection" if chosen else "background")

    def _strip(
        self, before: Pieces, cells: Pieces, styles: ThemeStyles, *, after: str = "", ground: str = "background"
    ) -> Strip:
        """A line: what stays, then the cells as far as they are scrolled and there is room."""
        skipped = self.scroll_offset.x - self._starts[next(self._on_view(), 0)]
        room = self._room - len(after)
        shown = Strip(segments(cells, styles, ground)).crop(skipped, skipped + room)
        shown = shown.adjust_cell_length(room, styles.style("text", ground))
        edge = segments([(after, "dim")], styles, ground)
        return Strip([*segments(before, styles, ground), *shown, *edge])

    def _on_view(self) -> Iterator[int]:
        """The columns of which something can be seen."""
        left, right = self.scroll_offset.x, self.scroll_offset.x + self._room
        return (at for at, start in enumerate(self._starts[:-1]) if start < right and self._starts[at + 1] > left)

    def _sign(self, column: int) -> str:
        if self.order is None or self.order[0] != column:
            return ""
        return "…" if self._sorting else "▼" if self.order[1] else "▲"

    # --- watching ----------------------------------------------------------------------------------------------

    def validate_cursor(self, cursor: Cursor) -> Cursor:
        last = (self.table.rows - 1, len(self.table.columns) - 1) if self.table else (0, 0)
        return max(min(cursor[0], last[0]), 0), max(min(cursor[1], last[1]), 0)

    def watch_table(self) -> None:
        """Another table, from its first cell, in the order of the list."""
        self._widths = _widths(self.table) if self.table else []
        self._starts = list(accumulate((width + GAP for width in self._widths), initial=0))
        rows = self.table.rows if self.table else 0
        self._sorting = False
        self.set_reactive(Grid.order, None)
        self.set_reactive(Grid.cursor, (0, 0))
        self.virtual_size = Size(self._numbers + max(self._starts[-1] - GAP, 0), rows + 1)
        self.scroll_to(0, 0, animate=False, immediate=True)
        self.refresh()

    def watch_cursor(self, before: Cursor, now: Cursor) -> None:
        for row in (-1, before[0] - self.scroll_offset.y, now[0] - self.scroll_offset.y):
            self.refresh(Region(0, row + 1, self.size.width, 1))
        self._reveal()

    def on_resize(self) -> None:
        """The cell at hand stays on view."""
        self._reveal()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """A cell is at hand, and opened by the second click; a click on the heading sorts."""
        x = event.x - self._numbers + self.scroll_offset.x
        under = (at for at in self._on_view() if event.x >= self._numbers and x < self._starts[at + 1])
        column = next(under, self.cursor[1])
        if event.y == 0:
            self.cursor = (self.cursor[0], column)
            self.action_sort()
        elif self.table and (row := event.y - 1 + self.scroll_offset.y) < self.table.rows:
            self.cursor = (row, column)
            if event.chain == 2:
                self.action_open()

    def _reveal(self) -> None:
        """Scroll no farther than needed for the cell at hand to be seen, its beginning first."""
        if self.table is None or not self.table.rows:
            return
        row, column = self.cursor
        height = max(self.scrollable_content_region.height - 1, 1)
        y = min(max(self.scroll_offset.y, row - height + 1), row)
        start, end = self._starts[column], self._starts[column + 1] - GAP
        x = min(max(self.scroll_offset.x, end - self._room + 1), start)
        self.scroll_to(x if column else 0, y, animate=False, immediate=True, force=True)

    # --- actions -----------------------------------------------------------------------------------------------

    def action_move(self, rows: int, columns: int = 0) -> None:
        self.cursor = (self.cursor[0] + rows, self.cursor[1] + columns)

    def action_page(self, by: int) -> None:
        self.action_move(by * max(self.size.height - 2, 1))

    def action_first(self) -> None:
        self.cursor = (0, self.cursor[1])

    def action_last(self) -> None:
        self.cursor = (self.table.rows if self.table else 0, self.cursor[1])

    def action_open(self) -> None:
        if self.table and self.table.rows:
            self.post_message(self.ElementOpened(self, self.table.original(self.cursor[0]), self.table.path))

    def action_sort(self) -> None:
        """Sort by the column at hand; then the other way round; then as the list was."""
        if self.table is None or self._sorting:
            return
        column = self.cursor[1]
        was = self.order if self.order and self.order[0] == column else None
        self.order = (column, False) if was is None else (column, True) if not was[1] else None
        self._sort(self.table)

    @work(group="sort")
    async def _sort(self, table: Table) -> None:
        """The first of the new order are looked at next."""
        if self.order is None:
            table.unsort()
        elif table.rows < MANY:
            table.sort(*self.order)
        else:
            self._sorting = True
            await asyncio.to_thread(table.sort, *self.order)
        if table is self.table:
            self._sorting = False
            self.cursor = (0, self.cursor[1])
            self.refresh()


def _widths(table: Table) -> list[int]:
    """What each column asks for by its first rows. Ids and their like grow, so that the last row counts as well."""
    last = (columns(table.cell(table.rows - 1, at).text) for at in range(len(table.columns)))
    return [max(column.width, min(needed, WIDEST)) for column, needed in zip(table.columns, last, strict=True)]


def _aligned(text: str, width: int, *, right: bool) -> str:
    """Text in exactly so many columns."""
    shown = clipped(text, width)
    blank = " " * (width - columns(shown))
    return blank + shown if right else shown + blank
