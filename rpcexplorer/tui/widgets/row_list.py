"""A list whose rows are drawn only while they are on view, so that ten thousand of them cost what fifty cost.

It knows nothing of what its rows mean: a subclass says how one is drawn and which of them can be chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theming import ThemeStyles
from rpcexplorer.tui.widgets.scrolling import SCROLLING

Item = TypeVar("Item")


class RowList(ScrollView, Generic[Item], can_focus=True):
    """Rows one below the other, one of them under the cursor."""

    DEFAULT_CSS = """
    RowList { background: $background; scrollbar-size-vertical: 1; overflow-x: hidden; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *SCROLLING,
        Binding("enter", "choose", show=False),
    ]

    items: reactive[Sequence[Item]] = reactive[Sequence[Any]]((), always_update=True)
    cursor: reactive[int] = reactive(0)
    """The row under the cursor; -1 where no row can be chosen."""

    @message
    class CursorMoved(Message):
        """The cursor stands on another row."""

        row_list: RowList[Any]
        item: Any

    @message
    class RowChosen(Message):
        """A row was chosen, by key or by click."""

        row_list: RowList[Any]
        item: Any

    def draw(self, item: Item, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        """One row, exactly ``width`` columns. ``chosen``: the cursor stands on it."""
        raise NotImplementedError

    def can_choose(self, item: Item) -> bool:  # noqa: ARG002 - for subclasses with headings
        """Whether the cursor may stand on this row."""
        return True

    def empty(self, width: int, styles: ThemeStyles) -> Sequence[Strip]:  # noqa: ARG002
        """What is shown where there are no rows: what to do, never nothing."""
        return ()

    @property
    def chosen(self) -> Item | None:
        return self.items[self.cursor] if 0 <= self.cursor < len(self.items) else None

    def render_line(self, y: int) -> Strip:
        width, styles = self.scrollable_content_region.width, ThemeStyles.of(self)
        index = y + self.scroll_offset.y
        if index < len(self.items):
            return self.draw(self.items[index], width, styles, chosen=index == self.cursor)
        if not self.items and y < len(lines := self.empty(width, styles)):
            return lines[y]
        return Strip.blank(width, styles.style())

    def validate_cursor(self, cursor: int) -> int:
        """The nearest row that can be chosen, downwards first."""
        return self._nearest(cursor, 1)

    def watch_items(self) -> None:
        """Other rows: the cursor stays where it can."""
        self.virtual_size = Size(0, len(self.items))
        self.cursor = self._nearest(self.cursor, 1)
        self.refresh()

    def watch_cursor(self, before: int, now: int) -> None:
        for index in (before, now):
            self.refresh(Region(0, index - self.scroll_offset.y, self.size.width, 1))
        self.reveal()
        if before != now and self.chosen is not None:
            self.post_message(self.CursorMoved(self, self.chosen))

    def reveal(self) -> None:
        """Scroll so that the row under the cursor is on view, with the heading above it where that is the first."""
        if self.cursor < 0:
            return
        top = self.cursor if any(self.can_choose(item) for item in self.items[: self.cursor]) else 0
        region = Region(0, top, 1, self.cursor - top + 1)
        self.scroll_to_region(region, animate=False, force=True, immediate=True, x_axis=False)

    def on_resize(self) -> None:
        """The row under the cursor stays on view."""
        self.reveal()

    def on_click(self, event: events.Click) -> None:
        """A click puts the cursor there and chooses; the mouse is as good as the keys."""
        index = event.y + self.scroll_offset.y
        if index < len(self.items) and self.can_choose(self.items[index]):
            self.cursor = index
            self.action_choose()

    def action_move(self, by: int) -> None:
        self.cursor = self._nearest(self.cursor + by, by)

    def action_page(self, by: int) -> None:
        self.cursor = self._nearest(self.cursor + by * max(self.size.height - 1, 1), by)

    def action_first(self) -> None:
        self.cursor = self._nearest(0, 1)

    def action_last(self) -> None:
        self.cursor = self._nearest(len(self.items) - 1, -1)

    def action_choose(self) -> None:
        if self.chosen is not None:
            self.post_message(self.RowChosen(self, self.chosen))

    def _nearest(self, index: int, by: int) -> int:
        """The nearest row that can be chosen, looking in one direction first and then in the other."""
        last = len(self.items) - 1
        if last < 0:
            return -1
        index = min(max(index, 0), last)
        ahead = range(index, last + 1) if by > 0 else range(index, -1, -1)
        behind = range(index, -1, -1) if by > 0 else range(index, last + 1)
        return next((each for way in (ahead, behind) for each in way if self.can_choose(self.items[each])), -1)
