"""What the last refresh of the methods has found that was not so before, to be read; a method of it can be opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Static

from rpcexplorer.discovery.changes import MethodChange, MethodChanges
from rpcexplorer.text.docs import change_lines, changes_counted, changes_found
from rpcexplorer.text.printable import clipped
from rpcexplorer.tui.dialogs.dialog import Dialog, keys, plain
from rpcexplorer.tui.theming import ThemeStyles, line
from rpcexplorer.tui.widgets.row_list import RowList
from rpcexplorer.tui.widgets.sheet import SheetLine, wrapped

APART: Final = 11
"""Lines of the screen that are not the list's: the block around it, the title, when it was found, the keys."""
APART_LOW: Final = 7
"""In a low terminal, where none of them is empty."""
LOW: Final = 26
LEAST: Final = 3
ROOM: Final = 48
"""Columns of a method's name in a sentence."""


class ChangeRow(NamedTuple):
    """A row of what is said of a method; its name stands in the first."""

    words: SheetLine
    change: MethodChange
    is_first: bool


class ChangesList(RowList[ChangeRow]):
    """The cursor goes from method to method. What is said of one may be longer than the list is high."""

    DEFAULT_CSS = """
    ChangesList { background: $surface; scrollbar-background: $surface; scrollbar-gutter: stable; }
    """

    def __init__(self, changes: Sequence[MethodChange]) -> None:
        super().__init__()
        self._changes, self._width = changes, 0

    def can_choose(self, item: ChangeRow) -> bool:
        return item.is_first

    def draw(self, item: ChangeRow, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        return line(item.words, width, styles, ground="selection" if chosen else "surface")

    def on_mount(self) -> None:
        """Keys may come before there is a width."""
        self._lay_out(self.screen.size.width)

    def on_resize(self) -> None:
        if width := self.scrollable_content_region.width:
            self._lay_out(width)
        super().on_resize()

    def _lay_out(self, width: int) -> None:
        """Rows for this width; the cursor stays on its method."""
        if width != self._width:
            self._width, on = width, self.chosen
            self.items = [row for change in self._changes for row in _rows(change, width)]
            self.cursor = next((at for at, row in enumerate(self.items) if on and row.change is on.change), 0)
        height = self.screen.size.height
        self.styles.height = max(min(len(self.items), height - (APART if height >= LOW else APART_LOW)), LEAST)

    def reveal(self) -> None:
        """The method under the cursor with all that is said of it, or as much of that as there is room for."""
        first, end = self._block()
        region = Region(0, first, 1, min(end - first, max(self.size.height, 1)))
        self.scroll_to_region(region, animate=False, force=True, immediate=True, x_axis=False)

    def action_move(self, by: int) -> None:
        if not self._read_on(by):
            super().action_move(by)

    def action_page(self, by: int) -> None:
        """No method is left out."""
        step = by * max(self.size.height - 1, 1)
        if not self._read_on(step):
            at = self._nearest(self.cursor + step, -1)
            self.cursor = at if by < 0 or at > self.cursor else self._nearest(self.cursor + 1, 1)

    def _read_on(self, by: int) -> bool:
        """Scroll as long as more is said of the method under the cursor than is on view; whether there was more."""
        (first, end), top, height = self._block(), self.scroll_offset.y, self.size.height
        if by > 0 and 0 < height < end - top:
            to = min(top + by, end - height)
        elif by < 0 and first < top:
            to = max(top + by, first)
        else:
            return False
        self.scroll_to(y=to, animate=False, immediate=True, force=True)
        return True

    def _block(self) -> tuple[int, int]:
        """The rows of the method under the cursor."""
        first = max(self.cursor, 0)
        end = first + 1
        while end < len(self.items) and not self.items[end].is_first:
            end += 1
        return first, end


class ChangesDialog(Dialog[str]):
    """The answer is the name of the method to be opened, or None."""

    DEFAULT_CSS = """
    ChangesDialog > .block { width: 96; max-height: 100%; padding: 1 0; }
    ChangesDialog.-low > .block { padding: 0; }
    ChangesDialog .title, ChangesDialog .words, ChangesDialog .hint { padding: 0 3; }
    ChangesDialog.-tall .words { margin-bottom: 1; }
    ChangesDialog ChangesList { margin: 0 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "leave", show=False)]

    def __init__(self, profile: str, changes: MethodChanges) -> None:
        super().__init__(f"Methods of {profile}: {changes_counted(changes.methods)}")
        self._found, self._list = changes_found(changes), ChangesList(changes.methods)
        self._told = Static(classes="hint")

    def content(self) -> ComposeResult:
        yield Static(plain(self._found), classes="words")
        yield self._list
        yield self._told

    def on_mount(self) -> None:
        self._tell_keys()
        self.set_focus(self._list)

    def on_resize(self) -> None:
        self._list.on_resize()

    def on_row_list_cursor_moved(self, event: RowList.CursorMoved) -> None:
        event.stop()
        self._tell_keys()

    def on_row_list_row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        change = event.item.change
        if change.kind == "gone":
            self._told.update(plain(f"{clipped(change.name, ROOM)} is gone from the service and cannot be opened."))
        else:
            self.dismiss(change.name)

    def _tell_keys(self) -> None:
        self._told.update(keys("↑ ↓", "choose", "Enter", "opens the method", "Esc", "closes"))


def _rows(change: MethodChange, width: int) -> list[ChangeRow]:
    """Its name in a row, and what is said of it in as many as it takes."""
    name, *said = change_lines(change)
    return [
        ChangeRow(name, change, is_first=True),
        *(ChangeRow(row, change, is_first=False) for each in said for row in wrapped(each, max(width, 1))),
    ]
