"""The completion list of the params editor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual import on
from textual.geometry import Offset
from textual.keys import key_to_character
from textual.reactive import reactive
from textual.strip import Strip

from rpcexplorer.patterns import regex
from rpcexplorer.text.printable import printable
from rpcexplorer.tui.theme import ThemeStyles, line
from rpcexplorer.tui.widgets.editor import Editor, in_string, place_of, row_of
from rpcexplorer.tui.widgets.rows import RowList
from rpcexplorer.variables.references import OPENING, Offered

if TYPE_CHECKING:
    from rpcexplorer.schema.complete import Candidate, Completion
    from rpcexplorer.tui.call.advice import Advice

CLOSING: Final = "}}"
MAX_NAME: Final = 300
"""Characters before the cursor that are searched for braces."""
_OPEN_REFERENCE: Final = regex(r"(?<!\{)\{\{(?P<typed>[^{}]*)$")


MAX_ROWS: Final = 8
MIN_ROOM: Final = 60
"""Columns that the list takes if it needs them, even where fewer are right of the word."""
_STEPS: Final = {"up": -1, "down": 1, "pageup": -MAX_ROWS, "pagedown": MAX_ROWS}
_NAME_ENDINGS: Final = (": ", ': ""', ": []", ": {}")
"""The ends of candidates that are names of members."""
_KEYS: Final = frozenset({*_STEPS, "tab", "enter", "escape"})


class CompletionList(RowList["Candidate"], can_focus=False):
    """The candidates at the cursor; the editor passes the keys."""

    DEFAULT_CSS = """
    CompletionList {
        display: none; overlay: screen; constrain: inside inflect; width: 20; height: 1; background: $surface;
        border-left: outer $accent; scrollbar-background: $surface;
    }
    """

    ground = "surface"

    is_open: reactive[bool] = reactive(False, repaint=False)

    def watch_is_open(self) -> None:
        self.display = self.is_open

    def __init__(self, editor: Editor, advice: Advice) -> None:
        super().__init__()
        self._editor, self._advice = editor, advice
        self._names: tuple[int, Sequence[Offered]] | None = None
        """The offset of braces, and the names that fit between them."""
        self._shown: Completion | None = None
        self._in_braces = False
        self._chosen_by_hand = False
        """An arrow key has moved the cursor to its row."""
        self._declined = -1
        """The offset of a word for which the user closed the list."""
        self._followed = ("", (0, 0))
        """The text and the cursor that were handled last."""
        self._is_typing = False
        """The last key was a character or deleted one."""
        self._empty_pair = (-1, "")
        """The offset inside a new empty pair, and its opening character."""

    def draw(self, item: Candidate, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        ground = "selection" if chosen else self.ground
        name = (item.shown, "text bold" if chosen else "text")
        return line([name, (f"  {item.words} ", "dim")], width, styles, ground=ground)

    def follow(self) -> None:
        """Update the list after a change of the text or the cursor."""
        if not (self._is_typing or self.display):
            return
        now = self._editor.text, self._editor.cursor_location
        opens = self._is_typing and now[0] != self._followed[0]
        if opens or (self.display and now != self._followed):
            self._followed = now
            self._offer(opens=opens, is_wanted=False)

    def want(self) -> bool:
        """Open the list on request; return whether there is anything to offer."""
        self._followed, self._declined = (self._editor.text, self._editor.cursor_location), -1
        self._offer(opens=True, is_wanted=True)
        return self.display

    def look_again(self) -> None:
        """Update an open list: more may be known now."""
        if self.display and (self._editor.text, self._editor.cursor_location) == self._followed:
            self._offer(opens=False, is_wanted=False)

    def close(self) -> None:
        self.is_open = False
        self._shown = None

    def forget(self) -> None:
        """Close the list for another text or without the focus."""
        self.close()
        self._names, self._declined, self._is_typing = None, -1, False

    def key(self, key: str) -> bool:
        """Handle a key; return False if it is not for the list."""
        (inside, sign), self._empty_pair = self._empty_pair, (-1, "")
        # the opening character is there already
        if inside == self._editor.cursor_offset and key_to_character(key) == sign:
            return True
        if key not in _KEYS:
            self._is_typing = key_to_character(key) is not None
            return False
        self.follow()  # The changes of earlier keys may not have been handled yet.
        if not self.display:
            return False
        if key == "enter" and not (self._in_braces or self._chosen_by_hand):
            row, column = self._editor.cursor_location
            if not in_string(self._editor.document.get_line(row)[:column]):
                return False
        if key in _STEPS:
            self._chosen_by_hand = True
            self.action_move(_STEPS[key])
        elif key == "escape":
            self._declined = self._shown.start if self._shown else -1
            self.close()
        else:
            self._insert()
        return True

    @on(RowList.RowChosen)
    def _row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        self._insert()

    @on(RowList.CursorMoved)
    def _row_cursor_moved(self, event: RowList.CursorMoved) -> None:
        event.stop()

    def _find(self, text: str) -> Completion | None:
        """Return the candidates at the cursor."""
        if not self._editor.selection.is_empty:
            return None
        offset, (row, column) = self._editor.cursor_offset, self._editor.cursor_location
        line_text = self._editor.document.get_line(row)
        reference = _OPEN_REFERENCE.search(line_text[max(column - MAX_NAME, 0) : column])
        self._in_braces = reference is not None
        if reference is None:
            return self._advice.complete(text, offset)
        from rpcexplorer.schema.complete import Candidate, Completion

        start = offset - len(reference["typed"]) - len(OPENING)
        if start == self._declined:
            return Completion(start, start, ())
        if self._names is None or self._names[0] != start:
            self._names = start, self._advice.names()
        end = offset
        if line_text.startswith(CLOSING, column):  # braces that the editor closed
            end += len(CLOSING)
        word = reference["typed"].strip().lower()
        names = [offered for offered in self._names[1] if word in offered.inside.lower()]
        quote = "" if in_string(line_text[: column - len(reference[0])]) else '"'
        candidates = []
        for name in sorted(names, key=lambda offered: not offered.inside.lower().startswith(word)):
            inserted = f"{quote}{OPENING}{name.inside}{CLOSING}{quote}"
            after = len(CLOSING + quote) if name.inside.endswith("#") else 0  # a pointer into that result can follow
            candidates.append(Candidate(inserted, name.inside, name.words, len(inserted) - after))
        return Completion(start, end, tuple(candidates))

    def _offer(self, *, opens: bool, is_wanted: bool) -> None:
        """Open, update or close the list; typing opens it only if that helps."""
        text, found = self._followed[0], self._find(self._followed[0])
        if found is None or found.start != self._declined:
            self._declined = -1
        goes_on = self._shown is not None and found is not None and self._shown.start == found.start
        if found is None or not (opens or goes_on) or not self._is_useful(found, is_wanted=is_wanted or goes_on):
            self.close()
            return
        chosen = self.chosen if goes_on and self._chosen_by_hand else None
        self._shown, self.items = found, found.candidates
        at = _index_of(chosen, self.items) if chosen else None
        self.cursor, self._chosen_by_hand = at or 0, at is not None
        row, index = place_of(text, found.start)
        column = row_of(self._editor.document.get_line(row)).column(index)
        self.is_open = True
        widest = max(cell_len(printable(f" {candidate.shown}  {candidate.words}  ")) for candidate in self.items)
        x, y, *_ = self._editor.region
        scroll_x, scroll_y = self._editor.scroll_offset
        left = x + self._editor.gutter_width + column - scroll_x
        room = self._editor.screen.size.width - left
        self.styles.width, self.styles.height = min(widest, max(room, MIN_ROOM)), min(len(self.items), MAX_ROWS)
        self.absolute_offset = Offset(left, y + row - scroll_y + 1)
        self.refresh(layout=True)

    def _is_useful(self, found: Completion, *, is_wanted: bool) -> bool:
        """Return whether candidates differ from the text and are wanted here."""
        text = self._followed[0]
        typed = text[found.start : found.end].strip()
        has_choice = any(candidate.text.strip() != typed for candidate in found.candidates)
        if not has_choice or found.start == self._declined:
            return False
        before = text[: found.start].rstrip(" ")[-1:]
        expects_value = before in {":", "[", ","} and not any(
            candidate.text.endswith(_NAME_ENDINGS) for candidate in found.candidates
        )
        return is_wanted or found.start < self._editor.cursor_offset or expects_value

    def _insert(self) -> None:
        """Insert the chosen candidate if it still fits."""
        chosen, found = self.chosen, self._find(self._editor.text)
        self.close()
        if chosen is None or found is None:
            return
        at = _index_of(chosen, found.candidates)
        if at is None:
            return
        row, text = found.candidates[at], self._editor.text
        start, end = place_of(text, found.start), place_of(text, found.end)
        self._editor.replace(row.text, start, end, maintain_selection_offset=False)
        cursor = len(row.text) if row.cursor is None else row.cursor
        self._editor.go_to(found.start + cursor)
        self._followed = self._editor.text, self._followed[1]
        if self._in_braces and row.shown.endswith("#"):  # a pointer into that result can be typed
            self._declined = self._editor.cursor_offset - len(row.shown) - len(OPENING)
        elif not self._in_braces and row.text.endswith(_NAME_ENDINGS):  # its value comes next
            self._empty_pair = (self._editor.cursor_offset, row.text[-2:-1] if row.cursor else "")
            self.want()


def _index_of(chosen: Candidate, rows: Sequence[Candidate]) -> int | None:
    """Return the index of a candidate, whose text may have changed."""
    alike = [at for at, row in enumerate(rows) if row.shown == chosen.shown]
    for at in alike:
        if rows[at].text == chosen.text:
            return at
    return alike[0] if alike else None
