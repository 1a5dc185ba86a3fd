"""The editor for JSON: Textual's text area with our own drawing, coloured by Pygments, and keys that know JSON.

It knows no method and no verdict: what is wrong in the text is told from outside, as a range to be marked. Only what
is on view is drawn and coloured, so that a key costs the same in a long text as in a short one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import ClassVar, Final

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.strip import Strip
from textual.widgets import TextArea
from textual.widgets.text_area import DocumentNavigator, Edit, Location

from rpcexplorer.importing.pasted import is_command
from rpcexplorer.text.json_text import json_tokens
from rpcexplorer.tui.editor.page import TAB, Flat, Page, lines_of, place_of, row_of
from rpcexplorer.tui.editor.strokes import KEYS, RUB_OUT, Stroke, pair_at, stroke
from rpcexplorer.tui.sizes import AFTER_NUMBER, GUTTER
from rpcexplorer.tui.theming import ThemeStyles
from rpcexplorer.tui.widgets.in_order import InOrder

COLOURED: Final = 4_000
"""Characters of a line that get colours."""
UNDONE: Final = 1_000
"""Changes that can be taken back."""
MARKED: Final = 20
"""Warnings that are marked."""
SHORT: Final = 40
"""Characters of a value behind which the cursor may start."""
PAIRS: Final = {"[": "[]", "{": "{}"}
_STRING: Final = r'"[^"\\\r\n]*+(?:\\[^\r\n][^"\\\r\n]*+)*+"'
_FIRST_VALUE: Final = re.compile(rf"(?:[\s\[{{]|{_STRING}\s*+:)*+({_STRING}|[^\s\[\]{{}},:\"]++|(?=\s*+[\]}}]))")
_OURS: Final = {"f6", "f7", "ctrl+z,super+z", "ctrl+y,super+y"}
"""Keys of Textual's text area that mean something else here, or are in the table of commands."""


class Editor(InOrder, TextArea, inherit_bindings=False):
    """A text of JSON, or of what may become JSON."""

    DEFAULT_CSS = """
    Editor, Editor:focus {
        border: none; padding: 0; background: $background; color: $text;
        scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(each for each in TextArea.BINDINGS if not (isinstance(each, Binding) and each.key in _OURS)),
        Binding("ctrl+home", "text_start", show=False),
        Binding("ctrl+end", "text_end", show=False),
        Binding("ctrl+shift+home", "text_start(True)", show=False),
        Binding("ctrl+shift+end", "text_end(True)", show=False),
    ]

    mark: reactive[tuple[int, int] | None] = reactive[tuple[int, int] | None](None)
    """The place of the problem, as offsets in the text."""
    warned: reactive[Sequence[tuple[int, int]]] = reactive[Sequence[tuple[int, int]]](())
    """What may be wrong, as offsets in the text as it is."""
    coloured: reactive[bool] = reactive(False)
    """Pygments is there: the first screen does not wait for it."""

    def __init__(self) -> None:
        super().__init__(show_line_numbers=True, soft_wrap=False, max_checkpoints=UNDONE)
        self.indent_width = TAB
        self.cursor_blink = False
        self._pair: tuple[Location, ...] = ()
        self._marked: tuple[Location, Location] | None = None
        self._warned: list[tuple[Location, Location]] = []
        self.first: Callable[[str], bool] = lambda _: False
        """Who is asked first whether a key is theirs."""
        self._is_start = False
        """Nothing was typed yet into an empty pair: a bracket takes its place."""

    @property
    def gutter_width(self) -> int:
        return max(GUTTER, len(str(self.document.line_count)) + AFTER_NUMBER)

    def load(self, text: str) -> None:
        """Another text, with no changes to take back; the cursor stands inside of an empty pair, else at the start."""
        self.mark = None
        self.load_text(text)
        self._is_start = text in PAIRS.values()
        if self._is_start:
            self.move_cursor((0, 1))

    def to_first_value(self) -> None:
        """The cursor goes where somebody would type first: behind what stands there, or inside its quotes or pair.

        Of a long value it is the beginning, so that no line begins left of the view.
        """
        if found := _FIRST_VALUE.match(text := self.text[:COLOURED]):
            is_text = found[0].endswith('"')
            end = found.end() - is_text if len(found[1]) <= SHORT else found.start(1) + is_text
            self.move_cursor(place_of(text, end))
            self.scroll_to(y=0, animate=False, immediate=True)  # it may have no room yet: then a line is all of it
            self.call_after_refresh(self.scroll_cursor_visible)

    def put(self, text: str) -> None:
        """Another text, as one change that can be taken back; the cursor stays where it was as far as it can."""
        old, new = self.text, "\n".join(lines_of(text))
        if old == new:
            return
        start = _shared(old, new)
        same = _shared(old[start:][::-1], new[start:][::-1])
        self.history.checkpoint()
        self.replace(new[start : len(new) - same], place_of(old, start), place_of(old, len(old) - same))
        self.history.checkpoint()

    def watch_mark(self) -> None:
        text = self.text
        self._marked = (place_of(text, self.mark[0]), place_of(text, self.mark[1])) if self.mark else None
        self.refresh()

    def watch_warned(self) -> None:
        text = self.text if self.warned else ""
        self._warned = [(place_of(text, start), place_of(text, end)) for start, end in self.warned[:MARKED]]
        self.refresh()

    def watch_selection(self) -> None:
        empty = self.selection.is_empty
        self._pair = (pair_at(self.document.lines, self.cursor_location) or ()) if empty else ()

    def on_mount(self) -> None:
        """Colours come once the text is there."""
        self.call_after_refresh(self.set_reactive, Editor.coloured, True)
        self.call_after_refresh(self.refresh)

    async def on_key(self, event: events.Key) -> None:
        """Brackets, quotes and Enter know JSON; everything else is the text area's."""
        if self.first(event.key):
            event.stop()
            event.prevent_default()
            return
        key = "\n" if event.key == "enter" else event.character or ""
        if key != RUB_OUT and self._stroke(key):
            event.stop()
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """An object, an array or a whole command takes the place of the empty pair that nobody has typed into."""
        if self._takes_the_start("[" if is_command(event.text) else event.text.strip()[:1]):
            self.select_all()

    def _takes_the_start(self, first: str) -> bool:
        if not first:  # a key that types nothing
            return False
        taken, self._is_start = self._is_start and first in PAIRS and self.text in PAIRS.values(), False
        return taken

    def action_delete_left(self) -> None:
        """An empty pair goes as a whole."""
        if not self._stroke(RUB_OUT):
            super().action_delete_left()

    def action_text_start(self, select: bool = False) -> None:
        """Move the cursor to the start of the text."""
        self.move_cursor((0, 0), select=select)

    def action_text_end(self, select: bool = False) -> None:
        """Move the cursor to the end of the text."""
        self.move_cursor(self.document.end, select=select)

    def find_matching_bracket(self, bracket: str, search_from: Location) -> Location | None:  # noqa: ARG002
        """Not Textual's way: it walks the whole text, and into strings."""
        return None

    def _stroke(self, key: str) -> bool:
        """Do what a key means in JSON; False where it means nothing special."""
        if self._takes_the_start(key):
            self.put(PAIRS[key])
            self.move_cursor((0, 1))
            return True
        if key not in KEYS or not self.selection.is_empty:
            return False
        done = stroke(self.document.lines, self.cursor_location, key)
        if done is not None:
            self._do(done)
        return done is not None

    def _do(self, done: Stroke) -> None:
        if not done.moves_only:
            self.edit(Edit(done.text, done.start, done.end, maintain_selection_offset=False))
        if self.cursor_location != done.cursor:
            self.move_cursor(done.cursor)

    def _set_document(self, text: str, language: str | None) -> None:  # noqa: ARG002 - Pygments knows the language
        self.document = Page(text)
        self.wrapped_document = Flat(self.document, tab_width=TAB)
        self.navigator = DocumentNavigator(self.wrapped_document)
        self._build_highlight_map()
        self.move_cursor((0, 0))
        self._rewrap_and_refresh_virtual_size()

    def render_line(self, y: int) -> Strip:
        styles, width = ThemeStyles.of(self), self.scrollable_content_region.width
        scroll_x, scroll_y = self.scroll_offset
        at = y + scroll_y
        if at >= self.document.line_count:
            return Strip.blank(width, styles.style())
        here = at == self.cursor_location[0] and self.has_focus
        ground = "surface" if here else "background"
        number = f"{at + 1:>{self.gutter_width - AFTER_NUMBER}}" + " " * AFTER_NUMBER
        gutter = Segment(number, styles.style("middle" if here else "dim", ground))
        text = self._text(at, scroll_x, width - self.gutter_width, styles, ground)
        return Strip.join([Strip([gutter]), text]).adjust_cell_length(width, styles.style("text", ground))

    def _text(self, at: int, left: int, room: int, styles: ThemeStyles, ground: str) -> Strip:
        """The part of a line between two columns; an ellipsis says that there is more."""
        row = row_of(self.document.get_line(at))
        start, end = row.index(left), row.index(left + room) + 1
        roles = self._roles(at, start, end, ground)
        pieces = [Segment(row.shown(first, last), styles.style(*style)) for first, last, style in _runs(roles, start)]
        skipped = left - row.column(start)
        if row.width - left <= room:
            return Strip(pieces).crop(skipped, skipped + room)
        more = Strip([Segment("…", styles.style("dim", ground))])
        return Strip.join([Strip(pieces).crop(skipped, skipped + room - 1), more])

    def _roles(self, at: int, start: int, end: int, ground: str) -> list[tuple[str, str]]:
        """Role and ground of each character between two of a line; one more than the line has is the cursor's."""
        line = self.document.get_line(at)
        end = min(end, len(line) + 1)
        styles = [("text", ground)] * max(end - start, 0)

        def paint(first: int, last: int, role: str | None, below: str | None = None) -> None:
            for index in range(max(first, start) - start, min(last, end) - start):
                styles[index] = (role or styles[index][0], below or styles[index][1])

        for first, last, role in _colours(line[:COLOURED]) if self.coloured else ():
            paint(first, last, role)
        for each in self._warned:
            if span := _span_in(each, at, len(line)):
                paint(span[0], max(span[1], span[0] + 1), "careful underline")
        if span := _span_in(self._marked, at, len(line)):
            paint(span[0], max(span[1], span[0] + 1), "wrong bold underline")
        if span := _span_in(tuple(sorted(self.selection)), at, len(line) + 1):
            paint(*span, None, "selection")
        for row, column in self._pair:
            if row == at:
                paint(column, column + 1, "accent bold", None)
        if self.has_focus and self.cursor_location[0] == at:
            column = self.cursor_location[1]
            paint(column, column + 1, "input-cursor-foreground", "input-cursor-background")
        return styles


def _shared(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return bisect_left(range(1, min(len(one), len(other)) + 1), True, key=lambda size: one[:size] != other[:size])


def _span_in(between: tuple[Location, ...] | None, at: int, length: int) -> tuple[int, int] | None:
    """The part of a line that lies between two places."""
    if not between or not between[0][0] <= at <= between[1][0]:
        return None
    (first, left), (last, right) = between
    return (left if at == first else 0), (right if at == last else length)


def _runs(styles: list[tuple[str, str]], start: int) -> Iterator[tuple[int, int, tuple[str, str]]]:
    for style, run in groupby(styles):
        end = start + sum(1 for _ in run)
        yield start, end, style
        start = end


@lru_cache(512)
def _colours(line: str) -> tuple[tuple[int, int, str], ...]:
    return tuple(json_tokens(line))
