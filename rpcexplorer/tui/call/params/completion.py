"""What could stand between the double braces that are being typed: a small list under the cursor.

It takes keys only while it is on view, and nothing is looked up unless two braces stand before the cursor on its line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct
from rich.cells import cell_len
from textual.geometry import Offset
from textual.strip import Strip

from rpcexplorer.model.templates.offered import Offered
from rpcexplorer.model.templates.references import OPENING
from rpcexplorer.tui.call.params.editor import Editor
from rpcexplorer.tui.call.params.strokes import in_string
from rpcexplorer.tui.theming import ThemeStyles, line
from rpcexplorer.tui.widgets.row_list import RowList

MOST: Final = 8
"""Rows on view."""
WIDEST: Final = 60
LOOKED_AT: Final = 300
"""Characters before the cursor that are looked at: no name is longer."""

_BEGUN: Final = re.compile(r"(?<!\{)\{\{(?P<typed>[^{}]*)$")
_STEPS: Final = {"up": -1, "down": 1, "pageup": -MOST, "pagedown": MOST}

AskForNames = Callable[[], Sequence[Offered]]


class Begun(Struct, frozen=True):
    """A reference that is being typed."""

    typed: str
    """What stands behind its braces so far."""
    quoted: bool
    """It stands in a string."""


def begun(before: str) -> Begun | None:
    """The reference that is open at the end of what stands before the cursor on its line."""
    if OPENING not in before[-LOOKED_AT:] or (found := _BEGUN.search(before[-LOOKED_AT:])) is None:
        return None
    return Begun(found["typed"], in_string(before[: len(before) - len(found[0])]))


def fitting(names: Sequence[Offered], typed: str) -> list[Offered]:
    """Those that begin like it, then those that have it somewhere inside."""
    word = typed.strip().lower()
    first = [each for each in names if each.inside.lower().startswith(word)]
    return [*first, *(each for each in names if word in each.inside.lower() and each not in first)]


def taken(offered: Offered, open_one: Begun, after: str) -> tuple[str, int]:
    """What takes the place of the braces and what was typed; and how many characters behind the cursor go with it.

    Braces that closed by themselves are not doubled; outside of a string it becomes one.
    """
    closing = len(after) - len(after.removeprefix("}}"))
    reference = f"{OPENING}{offered.inside}}}}}"
    return (reference if open_one.quoted else f'"{reference}"'), closing


class CompletionList(RowList[Offered], can_focus=False):
    """The names that fit. The keys come from the editor."""

    DEFAULT_CSS = """
    CompletionList {
        display: none; overlay: screen; constrain: inside inflect; width: 20; height: 1; background: $surface;
        scrollbar-background: $surface;
    }
    """

    def __init__(self, editor: Editor, names: AskForNames) -> None:
        super().__init__()
        self._editor = editor
        self._names = names
        self._known: Sequence[Offered] | None = None
        """What there is to choose from, while the list is on view."""
        self._declined: tuple[int, int] | None = None
        """Where the braces stand for which nobody wants a list."""

    def draw(self, item: Offered, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        """Name and what it comes to."""
        ground = "selection" if chosen else "surface"
        name = (f" {item.inside}", "text bold" if chosen else "text")
        return line([name, (f"  {item.words} ", "middle" if chosen else "dim")], width, styles, ground=ground)

    def follow(self, *, opening: bool) -> None:
        """The text has changed, or only the cursor, with which no list opens."""
        row, column = self._editor.cursor_location
        line = self._editor.document.get_line(row)
        is_near = OPENING in line[max(column - LOOKED_AT, 0) : column] and self._editor.selection.is_empty
        open_one = begun(line[:column]) if is_near else None
        if open_one is None:
            self.close()
            self._declined = None
            return
        if (place := (row, column - len(open_one.typed))) == self._declined or not (opening or self.display):
            return
        self._declined = None
        if self._known is None:
            self._known = self._names()
        self.items = fitting(self._known, open_one.typed)
        self._show(row, place[1] - len(OPENING))

    def close(self) -> None:
        if self.display:
            self.display = False
        self._known = None

    def key(self, key: str) -> bool:
        """What a key does to the list; False where it is not the list's."""
        if not self.display:
            return False
        if key in _STEPS:
            self.action_move(_STEPS[key])
        elif key in {"tab", "enter"}:
            self._take()
        elif key == "escape":
            row, column = self._editor.cursor_location
            open_one = begun(self._editor.document.get_line(row)[:column])
            self._declined = (row, column - len(open_one.typed)) if open_one else None
            self.close()
        else:
            return False
        return True

    def on_row_list_row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        self._take()

    def on_row_list_cursor_moved(self, event: RowList.CursorMoved) -> None:
        event.stop()

    def _show(self, row: int, column: int) -> None:
        """Under the braces, as wide as it has to be."""
        self.display = bool(self.items)
        if not self.items:
            return
        self.cursor = 0
        widest = max(cell_len(f" {each.inside}  {each.words}  ") for each in self.items)
        self.styles.width, self.styles.height = min(widest, WIDEST), min(len(self.items), MOST)
        x, y, *_ = self._editor.region
        scroll_x, scroll_y = self._editor.scroll_offset
        self.absolute_offset = Offset(x + self._editor.gutter_width + column - scroll_x, y + row - scroll_y + 1)
        self.refresh(layout=True)

    def _take(self) -> None:
        row, column = self._editor.cursor_location
        text = self._editor.document.get_line(row)
        open_one = begun(text[:column])
        if self.chosen is None or open_one is None:
            self.close()
            return
        value, closing = taken(self.chosen, open_one, text[column:])
        start = column - len(open_one.typed) - len(OPENING)
        self.close()
        self._editor.replace(value, (row, start), (row, column + closing), maintain_selection_offset=False)
        end = start + len(value)
        if self.chosen.inside.endswith("#"):  # a part of that result can be named behind it
            end -= len("}}") if open_one.quoted else len('}}"')
            self._declined = (row, end - len(self.chosen.inside))
        self._editor.move_cursor((row, end))
