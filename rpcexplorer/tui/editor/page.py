"""The text behind the editor: its lines, and how many columns each of their characters takes on the screen.

Lines end where JSON's do. (A form feed or U+2028 stands inside a line here; Textual's own document would take it for a
line's end and lose it.) Nothing here costs more for a long text than for a short one, as it runs on each key.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from rich.cells import cell_len
from textual.geometry import Offset, Size
from textual.widgets.text_area import Document, EditResult, Location, WrappedDocument

from rpcexplorer.text.printable import printable

TAB: Final = 2
_PECULIAR = re.compile("[^\x20-\x7e\xa0-\xac\xae-\u02ff\u0391-\u03a1\u03a3-\u03ff\u0400-\u0482]")
"""Characters that may take another number of columns than one, or that must not reach the terminal as they are."""


def lines_of(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def place_of(text: str, offset: int) -> Location:
    """Row and column of an offset in a text whose lines end in a newline."""
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset), offset - start


def offset_of(lines: Sequence[str], place: Location) -> int:
    """Where in a text a row and a column are."""
    row, column = place
    return sum(map(len, lines[:row])) + row + column


class EditorRow:
    """A line as it is drawn: control characters as pictures, tabs as blanks."""

    __slots__ = ("_at", "_drawn", "_shifts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._drawn: dict[int, str] = {}
        self._at: list[int] = []
        self._shifts: list[int] = []
        shift = 0
        for found in () if _is_plain(text) else _PECULIAR.finditer(text):
            at = found.start()
            self._drawn[at], width = _drawn(text, at, at + shift)
            shift += width - 1
            self._at.append(at)
            self._shifts.append(shift)

    def column(self, index: int) -> int:
        before = bisect_left(self._at, index)
        return index + self._shifts[before - 1] if before else index

    def index(self, column: int) -> int:
        """The character that stands in a column; beyond the last one, the end of the line."""
        return max(bisect_right(range(len(self.text) + 1), column, key=self.column) - 1, 0)

    def shown(self, start: int, end: int) -> str:
        """Some of the characters, as they are drawn; the line's end is a blank."""
        blank = " " * (end > len(self.text))
        if not self._drawn:
            return self.text[start:end] + blank
        return "".join(self._drawn.get(at, self.text[at]) for at in range(start, end - len(blank))) + blank

    @property
    def width(self) -> int:
        return self.column(len(self.text))


def _is_plain(text: str) -> bool:
    """Nothing but ASCII that is seen, which is most of the world's JSON and is found out in no time."""
    return text.isascii() and text.isprintable()


def _drawn(text: str, at: int, column: int) -> tuple[str, int]:
    """How one character is drawn, and in how many columns."""
    char = text[at]
    if char == "\t":
        width = TAB - column % TAB
        return " " * width, width
    if char in "\ufe0e\ufe0f" and at:  # it belongs to the symbol before it
        both, before = printable(text[at - 1 : at + 1]), printable(text[at - 1])
        return both.removeprefix(before), cell_len(both) - cell_len(before)
    shown = printable(char)
    return shown, cell_len(shown)


@lru_cache(1024)
def row_of(line: str) -> EditorRow:
    """A line as it is drawn, remembered while it is on view."""
    return EditorRow(line)


class Page(Document):
    """Textual's document with lines as above, which knows its widest line at any time."""

    def __init__(self, text: str) -> None:
        self._newline = "\n"
        self._lines = lines_of(text)
        self._widths = _widths(self._lines)
        self._text: str | None = None
        """The lines joined, until one changes: with each key the text is asked for many times."""

    @property
    def text(self) -> str:
        if self._text is None:
            self._text = "\n".join(self._lines)
        return self._text

    def get_size(self, tab_width: int) -> Size:  # noqa: ARG002 - a tab's width is known
        return Size(max(self._widths), len(self._lines))

    def replace_range(self, start: Location, end: Location, text: str) -> EditResult:
        """Put a text in place of a range; line ends of any kind become newlines."""
        (top, left), (bottom, right) = sorted((start, end))
        replaced = self.get_text_range((top, left), (bottom, right))
        before = self._lines[top][:left] if top < len(self._lines) else ""
        after = self._lines[bottom][right:] if bottom < len(self._lines) else ""
        lines = lines_of(text)
        lines[0] = before + lines[0]
        last = top + len(lines) - 1, len(lines[-1])
        lines[-1] += after
        self._forget(self._lines[top : bottom + 1])
        self._lines[top : bottom + 1] = lines
        self._widths.update(_widths(lines))
        self._text = None
        return EditResult(last, replaced)

    def _forget(self, lines: Iterable[str]) -> None:
        for width in map(_width, lines):
            self._widths[width] -= 1
            if not self._widths[width]:
                del self._widths[width]


def _widths(lines: Sequence[str]) -> Counter[int]:
    """Count the widths of lines; of plain ones, which are usual and quick, the lengths."""
    return Counter(map(len, lines) if _is_plain("".join(lines)) else map(_width, lines))


def _width(line: str) -> int:
    return len(line) if _is_plain(line) else row_of(line).width


class Flat(WrappedDocument):
    """Textual's view on a document that is wrapped, for one that never is: a line is a row of the screen."""

    def wrap(self, width: int, tab_width: int | None = None) -> None:
        """Nothing is wrapped."""

    def wrap_range(self, start: Location, old_end: Location, new_end: Location) -> None:
        """Nothing is wrapped."""

    @property
    def height(self) -> int:
        return self.document.line_count

    def offset_to_location(self, offset: Offset) -> Location:
        """What stands at a place of the screen, or nearest to it."""
        row = min(max(offset[1], 0), self.document.line_count - 1)
        return row, row_of(self.document.get_line(row)).index(max(offset[0], 0))

    def location_to_offset(self, location: Location) -> Offset:
        """Where on the screen a character stands."""
        row, index = location
        row = min(max(row, 0), self.document.line_count - 1)
        return Offset(row_of(self.document.get_line(row)).column(index), row)

    def get_target_document_column(self, line_index: int, x_offset: int, y_offset: int) -> int:  # noqa: ARG002
        return row_of(self.document.get_line(line_index)).index(max(x_offset, 0))

    def get_sections(self, line_index: int) -> list[str]:
        return [self.document.get_line(line_index)]

    def get_offsets(self, line_index: int) -> list[int]:  # noqa: ARG002
        return []

    def get_tab_widths(self, line_index: int) -> list[int]:  # noqa: ARG002
        """Tabs are drawn by the row itself."""
        return []
