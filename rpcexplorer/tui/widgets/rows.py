"""Scrolling views of rows: lists with a cursor, and pages to read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, ClassVar, Generic, TypeVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip

from rpcexplorer.text.columns import Column, Shared, arranged, headings, shared
from rpcexplorer.text.wrapping import wrapped
from rpcexplorer.tui.commands import Commanded
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import Pieces, ThemeStyles, line

Item = TypeVar("Item")


class LineView(Commanded, ScrollView, can_focus=True, scope="lists"):
    """A view that only draws the rows on view, with a cursor.

    A subclass counts its rows and draws one. Nothing here loops over rows: a response may have millions.
    """

    DEFAULT_CSS = """
    LineView { background: $background; overflow-x: hidden; scrollbar-size-vertical: 1; }
    """
    heading_rows: int = 0
    """Rows at the top that do not scroll, drawn by the subclass."""
    ground = "background"
    """The colour behind rows that are not chosen."""

    empty: reactive[Sequence[Pieces]] = reactive[Sequence[Pieces]](())
    """Shown if there are no rows: the next step."""
    cursor: reactive[int] = reactive(0, repaint=False)
    """The row under the cursor, from 0; -1 if no row can be."""

    def on_mount(self) -> None:
        if isinstance(self.screen, ModalScreen):
            self.ground = "surface"

    @property
    def row_count(self) -> int:
        raise NotImplementedError

    def draw_row(self, row: int, width: int, styles: ThemeStyles) -> Strip:
        """Draw a row in exactly ``width`` columns."""
        raise NotImplementedError

    def nearest(self, row: int, by: int = 1) -> int:  # noqa: ARG002 - for subclasses that skip rows
        """Return the nearest possible row, down first if ``by`` is positive."""
        return min(max(row, 0), self.row_count - 1)

    def rows_of(self, row: int) -> range:
        """Return the rows that are drawn and brought into view with the cursor's."""
        return range(row, row + 1)

    @property
    def view_height(self) -> int:
        return max(self.scrollable_content_region.height - self.heading_rows, 1)

    def render_line(self, y: int) -> Strip:
        width, styles = self.scrollable_content_region.width, ThemeStyles.of(self)
        row, count = y - self.heading_rows + self.scroll_offset.y, self.row_count
        if 0 <= row < count:
            return self.draw_row(row, width, styles)
        if not count and 0 <= row < len(self.empty):
            return line(self.empty[row], width, styles, ground=self.ground)
        return Strip.blank(width, styles.style(ground=self.ground))

    def rows_changed(self, width: int = 0) -> None:
        """Scroll over as many rows as there are now, and draw them."""
        self.virtual_size = Size(width, self.row_count + self.heading_rows)
        self.refresh()

    def reveal(self) -> None:
        """Scroll the cursor's rows into view, as little as possible."""
        if self.cursor >= 0:
            rows = self.rows_of(self.cursor)
            y = min(max(self.scroll_offset.y, rows.stop - self.view_height), rows.start)
            if y != self.scroll_offset.y:
                self.scroll_to(y=y, animate=False, force=True)

    def move_to(self, row: int, by: int = 1) -> None:
        """Move to the nearest possible row; without one, scroll."""
        self.cursor = self.nearest(row, by)
        if self.cursor < 0:
            self.scroll_to(y=row, animate=False, force=True)
        else:
            self.reveal()

    def leap_to(self, row: int) -> None:
        """Move to a row; if it was out of view, show some rows above it too."""
        if not self.scroll_offset.y <= row < self.scroll_offset.y + self.view_height:
            self.scroll_above(row)
        self.move_to(row, -1)

    def scroll_above(self, row: int) -> None:
        """Scroll a row to the lower end of the upper third of the view."""
        self.scroll_to(y=max(row - self.view_height // 3, 0), animate=False, force=True)

    def validate_cursor(self, cursor: int) -> int:
        return self.nearest(cursor)

    def watch_cursor(self, before: int, now: int) -> None:
        for rows in map(self.rows_of, (before, now)):
            self.refresh_lines(rows.start + self.heading_rows, len(rows))
        self.reveal()

    def on_resize(self) -> None:
        self.reveal()

    def on_click(self, event: events.Click) -> None:
        row = event.y - self.heading_rows + self.scroll_offset.y
        if event.y >= self.heading_rows and row < self.row_count:
            self.click_row(row, event)

    def click_row(self, row: int, event: events.Click) -> None:  # noqa: ARG002 - for subclasses
        """Act on a click, so that the mouse is as good as the keys."""
        if self.cursor >= 0:
            self.move_to(row)

    def action_move(self, by: int) -> None:
        self.move_to((self.cursor if self.cursor >= 0 else self.scroll_offset.y) + by, by)

    def action_page(self, by: int) -> None:
        self.action_move(by * max(self.view_height - 1, 1))

    def action_up(self) -> None:
        self.action_move(-1)

    def action_down(self) -> None:
        self.action_move(1)

    def action_previous_page(self) -> None:
        self.action_page(-1)

    def action_next_page(self) -> None:
        self.action_page(1)

    def action_half_page_up(self) -> None:
        self.action_move(-max(self.view_height // 2, 1))

    def action_half_page_down(self) -> None:
        self.action_move(max(self.view_height // 2, 1))

    def action_first(self) -> None:
        self.move_to(0)

    def action_last(self) -> None:
        self.move_to(self.row_count - 1, -1)


class RowList(LineView, Generic[Item]):
    """A list of items, one of which can be chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "choose", show=False)]
    CLICK_CHOOSES: ClassVar[bool] = True
    """A click chooses a row; otherwise only a double click does."""

    items: reactive[Sequence[Item]] = reactive[Sequence[Any]]((), always_update=True)

    @message
    class CursorMoved(Message):
        """The cursor is on another row."""

        row_list: RowList[Any]
        item: Any

    @message
    class RowChosen(Message):
        """A row was chosen, by key or by click."""

        row_list: RowList[Any]
        item: Any

    def draw(self, item: Item, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        """Draw an item in ``width`` columns; ``chosen``: the cursor is on it."""
        raise NotImplementedError

    def can_choose(self, item: Item) -> bool:  # noqa: ARG002 - for subclasses with headings
        """Return whether the cursor may be on this item."""
        return True

    @property
    def chosen(self) -> Item | None:
        items, at = self.items, self.cursor
        return items[at] if 0 <= at < len(items) else None

    @property
    def row_count(self) -> int:
        return len(self.items)

    def draw_row(self, row: int, width: int, styles: ThemeStyles) -> Strip:
        return self.draw(self.items[row], width, styles, chosen=row == self.cursor)

    def nearest(self, row: int, by: int = 1) -> int:
        row = super().nearest(row)
        down, up = range(max(row, 0), len(self.items)), range(row, -1, -1)
        ways = (down, up) if by > 0 else (up, down)
        return next((at for way in ways for at in way if self.can_choose(self.items[at])), -1)

    def rows_of(self, row: int) -> range:
        """Return the row; the first one together with its headings."""
        return range(0 if row == self.nearest(0) else row, row + 1)

    def watch_items(self) -> None:
        self.rows_changed()
        self.cursor = self.nearest(self.cursor)

    def watch_cursor(self, before: int, now: int) -> None:
        super().watch_cursor(before, now)
        if before != now and self.chosen is not None:
            self.post_message(self.CursorMoved(self, self.chosen))

    def click_row(self, row: int, event: events.Click) -> None:
        if self.can_choose(self.items[row]):
            is_double = event.chain > 1 and row == self.cursor
            self.move_to(row)
            if self.CLICK_CHOOSES or is_double:
                self.action_choose()

    def action_choose(self) -> None:
        if self.chosen is not None:
            self.post_message(self.RowChosen(self, self.chosen))


class ItemList(RowList[Item], inherit_bindings=False):
    """A list in columns. The screen has the key that chooses a row."""

    DEFAULT_CSS = "ItemList { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = LineView.BINDINGS

    def __init__(self, columns: Sequence[Column[Item]] = (), key: Callable[[Item], object] = lambda item: item) -> None:
        """``key``: what stays the same of a row when it is shown again."""
        super().__init__()
        self._columns, self._key = columns, key
        self._shared: tuple[int, Shared[Item]] = (-1, ())
        """A width of the list, and how it is shared."""
        self._last: Item | None = None
        """The last row at the cursor, also while there are no rows."""
        self.heading_rows = int(any(column.heading for column in columns))

    def start_at(self, item: Item) -> None:
        """Put the cursor on this row as soon as it is shown."""
        self._last = item

    def in_columns(self, item: Item) -> bool:  # noqa: ARG002 - for subclasses with other rows, which draw them themselves
        return True

    def show(
        self, items: Sequence[Item], columns: Sequence[Column[Item]] | None = None, *, from_top: bool = False
    ) -> None:
        """Show other rows, with the cursor on the same one.

        If that is gone, the cursor stays at its place, or goes to the top if ``from_top``.
        """
        self._last = before = self._last if self.chosen is None else self.chosen
        at = 0 if from_top else self.cursor
        if before is not None:
            key = self._key(before)
            if not (0 <= at < len(items) and self._key(items[at]) == key):
                at = next((index for index, item in enumerate(items) if self._key(item) == key), at)
        self._columns = self._columns if columns is None else columns
        self.items = items
        self.cursor = at

    def watch_items(self) -> None:
        self._shared = (-1, ())
        super().watch_items()

    def arrangement(self, width: int) -> Shared[Item]:
        if self._shared[0] != width:
            is_measured = any(column.is_measured for column in self._columns)
            rows = [*filter(self.in_columns, self.items)] if is_measured else ()  # There may be a million events.
            self._shared = width, shared(self._columns, rows, width)
        return self._shared[1]

    def draw(self, item: Item, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        left, right = arranged(self.arrangement(width), item, width)
        return line(left, width, styles, right=right, ground="selection" if chosen else self.ground)

    def render_line(self, y: int) -> Strip:
        if y >= self.heading_rows:
            return super().render_line(y)
        width = self.scrollable_content_region.width
        shown = self.arrangement(width) if self.items else ()
        left, right = arranged(headings(shown), None, width)
        return line(left, width, ThemeStyles.of(self), right=right)


SheetLine = Sequence[tuple[str, str]]
"""Pieces of text, each with its role."""


class Sheet(LineView):
    """Lines to read, wrapped to the width; keys scroll."""

    DEFAULT_CSS = """
    Sheet { scrollbar-gutter: stable; }
    """

    lines: reactive[Sequence[SheetLine]] = reactive[Sequence[SheetLine]]((), always_update=True)
    cursor: reactive[int] = reactive(-1)

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: Sequence[SheetLine] = ()

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def draw_row(self, row: int, width: int, styles: ThemeStyles) -> Strip:
        return line(self._rows[row], width, styles, ground=self.ground)

    def nearest(self, row: int, by: int = 1) -> int:  # noqa: ARG002 - there is no cursor
        return -1

    def watch_lines(self) -> None:
        self.lay_out()

    def on_resize(self) -> None:
        self.lay_out()

    def lay_out(self) -> None:
        """Wrap the lines for the current width, if it is known."""
        width = self.scrollable_content_region.width
        self._rows = []
        if width > 0:
            self._rows = list(chain.from_iterable(wrapped(words, width) for words in self.lines))
        self.rows_changed()
