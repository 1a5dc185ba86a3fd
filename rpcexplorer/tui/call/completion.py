"""The completion list of the params editor."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct
from rich.cells import cell_len
from textual.geometry import Offset
from textual.keys import key_to_character
from textual.strip import Strip

from rpcexplorer.text.printable import printable
from rpcexplorer.tui.theme import ThemeStyles, line
from rpcexplorer.tui.widgets.editor import Editor, in_string, offset_of, place_of, row_of
from rpcexplorer.tui.widgets.rows import RowList
from rpcexplorer.variables.references import OPENING, Offered

if TYPE_CHECKING:
    from rpcexplorer.schema.complete import Candidate, Completion

CLOSING: Final = "}}"
LOOKED_AT: Final = 300
"""Characters before the cursor that are looked at: no name is longer."""
_BEGUN: Final = re.compile(r"(?<!\{)\{\{(?P<typed>[^{}]*)$")


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


def taken(offered: Offered, open_one: Begun) -> tuple[str, int]:
    """What takes the place of the braces and what was typed, and where in it the cursor stands then.

    Outside of a string it becomes one. Of a result a part can be named behind it.
    """
    reference = f"{OPENING}{offered.inside}{CLOSING}"
    text = reference if open_one.quoted else f'"{reference}"'
    after = len(CLOSING) + (not open_one.quoted) if offered.inside.endswith("#") else 0
    return text, len(text) - after


MOST: Final = 8
"""Rows on view."""
WIDEST: Final = 60
_STEPS: Final = {"up": -1, "down": 1, "pageup": -MOST, "pagedown": MOST}
_NAMES: Final = (": ", ': ""', ": []", ": {}")
"""How a row ends that is a name."""
_KEYS: Final = frozenset({*_STEPS, "tab", "enter", "escape"})
AskForNames: TypeAlias = Callable[[], Sequence[Offered]]
"""What could stand between double braces."""
Complete: TypeAlias = "Callable[[str, int], Completion | None]"
"""What could stand at an offset of a text of params; None where nobody knows."""


def incomplete(text: str, offset: int) -> Completion | None:  # noqa: ARG001
    """Nobody knows."""
    return None


class CompletionList(RowList["Candidate"], can_focus=False):
    """The rows that fit. The keys come from the editor."""

    DEFAULT_CSS = """
    CompletionList {
        display: none; overlay: screen; constrain: inside inflect; width: 20; height: 1; background: $surface;
        scrollbar-background: $surface;
    }
    """

    def __init__(self, editor: Editor, names: AskForNames, complete: Complete) -> None:
        super().__init__()
        self._editor = editor
        self._names, self._complete = names, complete
        self._known: tuple[int, Sequence[Offered]] | None = None
        """Where braces begin, and what there is to choose from between them."""
        self._found: Completion | None = None
        """What is on view."""
        self._in_braces = False
        self._chosen_by_hand = False
        """The arrows have led to the row under the cursor."""
        self._declined = -1
        """Where what is typed begins for which nobody wants a list."""
        self._followed = ""
        """The text that the list was last told of."""
        self._place = (0, 0)
        """Where the cursor stood then."""
        self._is_typed = False
        """The last key was a letter, or took one back."""
        self._empty = (-1, "")
        """Where the cursor stands in an empty pair that a row has just put in, and how that begins."""

    def draw(self, item: Candidate, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        """What it is, and what is known of it."""
        ground = "selection" if chosen else "surface"
        name = (f" {item.shown}", "text bold" if chosen else "text")
        return line([name, (f"  {item.words} ", "middle" if chosen else "dim")], width, styles, ground=ground)

    def follow(self) -> None:
        """The text has changed, or only the cursor, with which no list opens."""
        if not (self._is_typed or self.display):
            return
        text, place = self._editor.text, self._editor.cursor_location
        opens = self._is_typed and text != self._followed
        if opens or (self.display and (text, place) != (self._followed, self._place)):
            self._followed, self._place = text, place
            self._tell(self._find(text), opens=opens, wanted=False)

    def want(self) -> bool:
        """Somebody asks what could stand here; whether anything is known."""
        self._followed, self._place, self._declined = self._editor.text, self._editor.cursor_location, -1
        self._tell(self._find(self._followed), opens=True, wanted=True)
        return self.display

    def look_again(self) -> None:
        """More may be known of what could stand there; a list that is open shows it."""
        if self.display and (self._editor.text, self._editor.cursor_location) == (self._followed, self._place):
            self._tell(self._find(self._followed), opens=False, wanted=False)

    def close(self) -> None:
        if self.display:
            self.display = False
        self._found = None

    def forget(self) -> None:
        """Another text, or nobody types here any more."""
        self.close()
        self._known, self._declined, self._is_typed = None, -1, False

    def key(self, key: str) -> bool:
        """What a key does to the list; False where it is not the list's."""
        (inside, sign), self._empty = self._empty, (-1, "")
        if inside == self._offset and key_to_character(key) == sign:  # it is there already
            return True
        if key not in _KEYS:
            self._is_typed = key_to_character(key) is not None
            return False
        self.follow()  # it may have been pressed before the list was told of the letters before it
        if not self.display or (key == "enter" and not self._takes_enter):
            return False
        if key in _STEPS:
            self._chosen_by_hand = True
            self.action_move(_STEPS[key])
        elif key == "escape":
            self._declined = self._found.start if self._found else -1
            self.close()
        else:
            self._take()
        return True

    def on_row_list_row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        self._take()

    def on_row_list_cursor_moved(self, event: RowList.CursorMoved) -> None:
        event.stop()

    @property
    def _takes_enter(self) -> bool:
        row, column = self._editor.cursor_location
        return self._in_braces or self._chosen_by_hand or in_string(self._editor.document.get_line(row)[:column])

    @property
    def _offset(self) -> int:
        return offset_of(self._editor.document.lines, self._editor.cursor_location)

    def _find(self, text: str) -> Completion | None:
        """What could stand at the cursor."""
        if not self._editor.selection.is_empty:
            return None
        row, column = self._editor.cursor_location
        before, after = self._editor.document.get_line(row)[:column], self._editor.document.get_line(row)[column:]
        open_one = begun(before) if OPENING in before[-LOOKED_AT:] else None
        self._in_braces = open_one is not None
        if open_one is None:
            return self._complete(text, self._offset)
        from rpcexplorer.schema.complete import Candidate, Completion

        start = self._offset - len(open_one.typed) - len(OPENING)
        if start == self._declined:
            return Completion(start, start, ())
        if self._known is None or self._known[0] != start:
            self._known = start, self._names()
        end = self._offset + len(CLOSING) * after.startswith(CLOSING)  # braces that closed by themselves
        offered = fitting(self._known[1], open_one.typed)
        pieces = ((each, *taken(each, open_one)) for each in offered)
        rows = tuple(Candidate(piece, each.inside, each.words, cursor) for each, piece, cursor in pieces)
        return Completion(start, end, rows)

    def _tell(self, found: Completion | None, *, opens: bool, wanted: bool) -> None:
        """Open, go on or close: a list opens where something was typed, unless somebody asked for it."""
        if found is None or found.start != self._declined:
            self._declined = -1
        goes_on = self._found is not None and found is not None and self._found.start == found.start
        if found is None or not (opens or goes_on) or not self._is_worth_it(found, wanted=wanted or goes_on):
            self.close()
            return
        chosen = self.chosen if goes_on and self._chosen_by_hand else None
        self._found, self.items = found, found.candidates
        at = _found_again(chosen, self.items) if chosen else None
        self.cursor, self._chosen_by_hand = at or 0, at is not None
        self._show(*place_of(self._followed, found.start))

    def _is_worth_it(self, found: Completion, *, wanted: bool) -> bool:
        typed = self._followed[found.start : found.end]
        has_choice = any(each.text.strip() != typed.strip() for each in found.candidates)
        is_begun = found.start < self._offset or self._is_value(found)
        return has_choice and found.start != self._declined and (wanted or is_begun)

    def _is_value(self, found: Completion) -> bool:
        """Behind a colon, or in an array, where values are known: nobody has to type a letter of one to see them."""
        before = self._followed[: found.start].rstrip(" ")[-1:]
        return before in {":", "[", ","} and not any(each.text.endswith(_NAMES) for each in found.candidates)

    def _show(self, row: int, index: int) -> None:
        """Under where it begins, as wide as it has to be."""
        column = row_of(self._editor.document.get_line(row)).column(index)
        self.display = True
        widest = max(cell_len(printable(f" {each.shown}  {each.words}  ")) for each in self.items)
        self.styles.width, self.styles.height = min(widest, WIDEST), min(len(self.items), MOST)
        x, y, *_ = self._editor.region
        scroll_x, scroll_y = self._editor.scroll_offset
        self.absolute_offset = Offset(x + self._editor.gutter_width + column - scroll_x, y + row - scroll_y + 1)
        self.refresh(layout=True)

    def _take(self) -> None:
        """Put the row in that was chosen, where it still fits."""
        chosen, text = self.chosen, self._editor.text
        found = self._find(text)
        at = _found_again(chosen, found.candidates) if chosen and found else None
        row = found.candidates[at] if found and at is not None else None
        self.close()
        if found is None or row is None:
            return
        start, end = place_of(text, found.start), place_of(text, found.end)
        self._editor.replace(row.text, start, end, maintain_selection_offset=False)
        self._followed = self._editor.text
        self._editor.move_cursor(
            place_of(self._followed, found.start + (len(row.text) if row.cursor is None else row.cursor))
        )
        if self._in_braces and row.shown.endswith("#"):  # a part of that result can be named behind it
            self._declined = self._offset - len(row.shown) - len(OPENING)
        elif not self._in_braces and row.text.endswith(_NAMES):  # what may stand behind it
            self._empty = (self._offset, row.text[-2:-1] if row.cursor else "")
            self.want()


def _found_again(chosen: Candidate, rows: Sequence[Candidate]) -> int | None:
    """Where a row stands now. Two may look alike; and what it puts in may hang on what was typed meanwhile."""
    alike = [at for at, each in enumerate(rows) if each.shown == chosen.shown]
    return next((at for at in alike if rows[at].text == chosen.text), alike[0] if alike else None)
