"""Rows that are drawn while they are on view, and pages to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final, Generic, TypeVar

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from rpcexplorer.text.printable import printable
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import ThemeStyles, line

SCROLLING: Final = (
    Binding("up,k", "move(-1)", show=False),
    Binding("down,j", "move(1)", show=False),
    Binding("pageup", "page(-1)", show=False),
    Binding("pagedown", "page(1)", show=False),
    Binding("home", "first", show=False),
    Binding("end", "last", show=False),
)
"""A widget that has them has ``action_move``, ``action_page``, ``action_first`` and ``action_last``."""
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


SheetLine = Sequence[tuple[str, str]]
"""Pieces of text, each with its role."""


class Sheet(ScrollView, can_focus=True):
    """Nothing on it can be changed."""

    DEFAULT_CSS = """
    Sheet { background: $background; overflow-x: hidden; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*SCROLLING]

    lines: reactive[Sequence[SheetLine]] = reactive[Sequence[SheetLine]]((), always_update=True)
    """What is to be read."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: list[SheetLine] = []

    def render_line(self, y: int) -> Strip:
        width, styles = self.scrollable_content_region.width, ThemeStyles.of(self)
        at = y + self.scroll_offset.y
        return line(self._rows[at], width, styles) if at < len(self._rows) else Strip.blank(width, styles.style())

    def watch_lines(self) -> None:
        """Other lines; what stands at the top of the view stays there if it can."""
        self._lay_out()

    def on_resize(self) -> None:
        self._lay_out()

    def action_move(self, by: int) -> None:
        self.scroll_relative(y=by, animate=False)

    def action_page(self, by: int) -> None:
        self.action_move(by * max(self.size.height - 1, 1))

    def action_first(self) -> None:
        self.scroll_home(animate=False)

    def action_last(self) -> None:
        self.scroll_end(animate=False)

    def _lay_out(self) -> None:
        room = max(self.scrollable_content_region.width, 1)
        self._rows = [row for each in self.lines for row in wrapped(each, room)]
        self.virtual_size = Size(0, len(self._rows))
        self.refresh()


def wrapped(words: SheetLine, width: int) -> Iterator[SheetLine]:
    """A line as rows of at most so many columns.

    Prose breaks between words, JSON anywhere, as its blanks may mean something. Further rows start below the last
    piece where that leaves them a third of the width (a value below a value), else as far in as the first row.
    """
    words = [(printable(text), role) for text, role in words]
    long = sum(len(text) for text, _ in words) > width * 2 or sum(cell_len(text) for text, _ in words) > width
    if not long:
        yield words
        return
    indent = " " * min(_hanging(words, width), max(width - 2, 0))  # a letter may take two columns
    row: list[tuple[str, str]] = []
    room, fresh = width, True
    for text, role in words:
        at = 0
        while at < len(text):
            begun = bool("".join(piece for piece, _ in row).strip())
            end = _break(text, at, room, begun=begun, fresh=fresh, prose=_is_prose(role))
            row.append((text[at:end], role))
            room, fresh = room - cell_len(text[at:end]), fresh and end == at
            at = end
            if at < len(text):
                yield row
                row, room, fresh = [(indent, "text")], width - len(indent), True
                at += len(text[at:]) - len(text[at:].lstrip()) if _is_prose(role) else 0
    yield row


def _is_prose(role: str) -> bool:
    return not role.startswith("json-")


def _hanging(words: SheetLine, width: int) -> int:
    before = sum(cell_len(text) for text, _ in words[:-1])
    last, first = words[-1][0], words[0][0]
    column = before + len(last) - len(last.lstrip())
    return column if column <= width * 2 // 3 else len(first) - len(first.lstrip())


def _break(text: str, at: int, room: int, *, begun: bool, fresh: bool, prose: bool) -> int:
    """Where a text ends that has so much room: at once where a word on the row, or all of it, leaves too little.

    On a ``fresh`` row, which has nothing but its indent, there is a letter at least.
    """
    end, used = at, 0
    if text[at : at + room].isascii():
        end = min(at + room, len(text))
    else:
        while end < len(text) and (used := used + cell_len(text[end])) <= room:
            end += 1
    if prose and end < len(text) and text[end] != " ":
        blank = text.rfind(" ", at, end)
        if blank > at and text[at:blank].strip():
            return blank
        if begun:
            return at
    return end if end > at or not fresh else at + 1
