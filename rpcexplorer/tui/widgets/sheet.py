"""A page to read: lines of words, scrolled up and down; what is too long goes on below. It knows no subject."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import BindingType
from textual.geometry import Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from rpcexplorer.text.printable import printable
from rpcexplorer.tui.theming import ThemeStyles, line
from rpcexplorer.tui.widgets.scrolling import SCROLLING

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
