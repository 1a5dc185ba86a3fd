"""The editor of JSON text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import ClassVar, Final

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset, Size
from textual.reactive import reactive
from textual.strip import Strip
from textual.widgets import TextArea
from textual.widgets.text_area import Document, DocumentNavigator, Edit, EditResult, Location, WrappedDocument

from rpcexplorer.importing.pasted import is_command
from rpcexplorer.patterns import regex
from rpcexplorer.text.json_text import tokens
from rpcexplorer.text.printable import printable
from rpcexplorer.tui.theme import AFTER_NUMBER, GUTTER, ThemeStyles
from rpcexplorer.tui.widgets.inputs import InOrder

TAB: Final = 2
_PECULIAR = regex("[^\x20-\x7e\xa0-\xac\xae-\u02ff\u0391-\u03a1\u03a3-\u03ff\u0400-\u0482]")
"""Characters that may not be one column wide, or need an escape."""


def lines_of(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def place_of(text: str, offset: int) -> Location:
    """Return row and column of an offset; lines end with a newline."""
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset), offset - start


def offset_of(lines: Sequence[str], place: Location) -> int:
    """Return the offset of a row and column."""
    row, column = place
    return sum(map(len, lines[:row])) + row + column


class EditorRow:
    """A drawn line: control characters as pictures, tabs as blanks."""

    __slots__ = ("_at", "_drawn", "_shifts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._drawn: dict[int, str] = {}
        self._at: list[int] = []
        self._shifts: list[int] = []
        if _is_plain(text):
            return
        shift = 0
        for found in _PECULIAR.finditer(text):
            at = found.start()
            self._drawn[at], width = _drawn(text, at, at + shift)
            shift += width - 1
            self._at.append(at)
            self._shifts.append(shift)

    def column(self, index: int) -> int:
        before = bisect_left(self._at, index)
        return index + self._shifts[before - 1] if before else index

    def index(self, column: int) -> int:
        """Return the character in a column, or the end of the line."""
        return max(bisect_right(range(len(self.text) + 1), column, key=self.column) - 1, 0)

    def shown(self, start: int, end: int) -> str:
        """Return drawn characters; the end of the line is a blank."""
        text = self.text[start:end]
        if self._drawn:
            text = "".join(self._drawn.get(at, char) for at, char in enumerate(text, start))
        return f"{text} " if end > len(self.text) else text

    @property
    def width(self) -> int:
        return self.column(len(self.text))


def _is_plain(text: str) -> bool:
    """Return whether a text is printable ASCII, which is quick to check."""
    return text.isascii() and text.isprintable()


def _drawn(text: str, at: int, column: int) -> tuple[str, int]:
    """Return a drawn character, and its width."""
    char = text[at]
    if char == "\t":
        width = TAB - column % TAB
        return " " * width, width
    if char in "\ufe0e\ufe0f" and at:  # It belongs to the symbol before it.
        both, before = printable(text[at - 1 : at + 1]), printable(text[at - 1])
        return both.removeprefix(before), cell_len(both) - cell_len(before)
    shown = printable(char)
    return shown, cell_len(shown)


@lru_cache(1024)
def row_of(line: str) -> EditorRow:
    """Return a drawn line, cached while it is on view."""
    return EditorRow(line)


class Page(Document):
    """A document that ends lines at newlines only and knows its widest line."""

    def __init__(self, text: str) -> None:
        self._newline = "\n"
        self._lines = lines_of(text)
        self._widths = _widths(self._lines)
        self._text: str | None = None
        """The joined lines, cached: each key asks for them many times."""

    @property
    def text(self) -> str:
        if self._text is None:
            self._text = "\n".join(self._lines)
        return self._text

    def get_size(self, tab_width: int) -> Size:  # noqa: ARG002 - a tab's width is known
        return Size(max(self._widths), len(self._lines))

    def replace_range(self, start: Location, end: Location, text: str) -> EditResult:
        """Replace a range; line ends of any kind become newlines."""
        (top, left), (bottom, right) = sorted((start, end))
        replaced = self.get_text_range((top, left), (bottom, right))
        before = self._lines[top][:left] if top < len(self._lines) else ""
        after = self._lines[bottom][right:] if bottom < len(self._lines) else ""
        lines = lines_of(text)
        lines[0] = before + lines[0]
        last = top + len(lines) - 1, len(lines[-1])
        lines[-1] += after
        for width in map(_width, self._lines[top : bottom + 1]):
            self._widths[width] -= 1
            if not self._widths[width]:
                del self._widths[width]
        self._lines[top : bottom + 1] = lines
        self._widths.update(_widths(lines))
        self._text = None
        return EditResult(last, replaced)


def _widths(lines: Sequence[str]) -> Counter[int]:
    """Count the widths of lines."""
    width = len if _is_plain("".join(lines)) else _width
    return Counter(map(width, lines))


def _width(line: str) -> int:
    return len(line) if _is_plain(line) else row_of(line).width


class Flat(WrappedDocument):
    """A document that is never wrapped: each line is a row of the screen."""

    def wrap(self, width: int, tab_width: int | None = None) -> None:
        """Nothing is wrapped."""

    def wrap_range(self, start: Location, old_end: Location, new_end: Location) -> None:
        """Nothing is wrapped."""

    @property
    def height(self) -> int:
        return self.document.line_count

    def offset_to_location(self, offset: Offset) -> Location:
        """Return the nearest character to a screen position."""
        row = min(max(offset[1], 0), self.document.line_count - 1)
        return row, row_of(self.document.get_line(row)).index(max(offset[0], 0))

    def location_to_offset(self, location: Location) -> Offset:
        """Return the screen position of a character."""
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
        """Return nothing: the row itself draws tabs."""
        return []


INDENT: Final = 2
MAX_PAIRED_CHARACTERS: Final = 100_000
"""Brackets of longer lines and texts are not paired: it takes too long."""
MAX_PAIRED_LINES: Final = 5_000
"""Lines that are searched for the partner of a bracket."""
BACKSPACE: Final = "\b"
_CLOSERS: Final = {"{": "}", "[": "]"}
_OPENERS: Final = {"}": "{", "]": "["}
KEYS: Final = frozenset('{}[]"\n\b')
"""Keys with a special effect in JSON."""
_BEFORE_BREAK = " \t,:]}"
"""A pair is only opened before these: else it would enclose something."""
_STRING = regex(r'"(?:[^"\\\n]|\\.)*+"?')
_CLOSED_STRING = regex(r'"(?:[^"\\]|\\.)*+"')
_BRACKET = regex(r'"(?:[^"\\]|\\.)*+"?|([\[\]{}])')


class Stroke(Struct, frozen=True):
    """The effect of a key: a text that replaces a range, and the cursor."""

    start: Location
    end: Location
    text: str
    cursor: Location


def stroke(lines: Sequence[str], place: Location, key: str) -> Stroke | None:
    """Return the effect of a key; None for the usual one."""
    row, column = place
    line = lines[row]
    if len(line) > MAX_PAIRED_CHARACTERS:
        return None
    before, after = line[:column], line[column:]
    if key == BACKSPACE:
        return _delete(lines, place, before, after)
    if key == '"':
        return _quote(place, before, after)
    if in_string(before):
        return None
    if key == "\n":
        return _break(place, before, after)
    if key in _CLOSERS:
        return _open(lines, place, after, key)
    return _close(lines, place, before, after, key)


def in_string(before: str) -> bool:
    """Return whether a string is open at the end of a part of a line."""
    return '"' in before and '"' in _CLOSED_STRING.sub("", before)


def _quote(place: Location, before: str, after: str) -> Stroke | None:
    """Open a string with its end, or step over an end."""
    if in_string(before):
        is_escaped = (len(before) - len(before.rstrip("\\"))) % 2 == 1
        return _step(place) if after.startswith('"') and not is_escaped else None
    is_beside_word = before[-1:].isalnum() or before[-1:] in {"_", '"'}
    if is_beside_word or after[:1] not in _BEFORE_BREAK:
        return None
    return _pair(place, '""')


def _open(lines: Sequence[str], place: Location, after: str, key: str) -> Stroke | None:
    """Open a bracket with its closer, unless a closer is left over."""
    if after[:1] not in _BEFORE_BREAK or _lacking(lines, key) < 0:
        return None
    return _pair(place, key + _CLOSERS[key])


def _close(lines: Sequence[str], place: Location, before: str, after: str, key: str) -> Stroke | None:
    """Step over a closer, even on the next line; dedent on a blank line."""
    row, column = place
    is_missing = _lacking(lines, _OPENERS[key]) > 0
    if not is_missing and after.startswith(key):
        return _step(place)
    if after.strip():
        return None
    closer = None if is_missing else _closer_below(lines, row + 1, key)
    if closer is not None:
        if before.strip():
            return Stroke(place, place, "", (closer[0], closer[1] + 1))
        return Stroke((row, 0), (closer[0], 0), "", (row, closer[1] + 1))
    if before.strip() or not before:
        return None
    start = row, max(column - INDENT, 0)
    return Stroke(start, place, key, (row, start[1] + 1))


def _break(place: Location, before: str, after: str) -> Stroke:
    """Begin an indented line; a closer gets a line of its own."""
    row, column = place
    opener, rest = before.rstrip()[-1:], after.lstrip()
    indent = before[: len(before) - len(before.lstrip())]
    end = row, column + len(after) - len(rest)
    closing = f"\n{indent}" if rest and _CLOSERS.get(opener) == rest[0] else ""
    if opener in _CLOSERS:
        indent += " " * INDENT
    return Stroke(place, end, f"\n{indent}{closing}", (row + 1, len(indent)))


def _delete(lines: Sequence[str], place: Location, before: str, after: str) -> Stroke | None:
    """Delete both characters of an empty pair, or a level of indent."""
    row, column = place
    both = before[-1:] + after[:1]
    if both in {"{}", "[]", '""'} and not in_string(before[:-1]):
        if both != '""' and _lacking(lines, both[0]) > 0:
            return None  # The closer belongs to another opener.
        return Stroke((row, column - 1), (row, column + 1), "", (row, column - 1))
    if len(before) > 1 and not before.strip(" "):
        start = row, (column - 1) // INDENT * INDENT
        return Stroke(start, place, "", start)
    return None


def _step(place: Location) -> Stroke:
    return Stroke(place, place, "", (place[0], place[1] + 1))


def _pair(place: Location, text: str) -> Stroke:
    return Stroke(place, place, text, (place[0], place[1] + 1))


def _closer_below(lines: Sequence[str], row: int, closer: str) -> Location | None:
    """Find a closer that is the first text from a row on."""
    while row < len(lines) and not lines[row].strip():
        row += 1
    if row == len(lines) or not lines[row].lstrip().startswith(closer):
        return None
    return row, len(lines[row]) - len(lines[row].lstrip())


def _lacking(lines: Sequence[str], opener: str) -> int:
    """Count the missing closers of a bracket; left over ones are negative."""
    if sum(map(len, lines)) > MAX_PAIRED_CHARACTERS:
        return 0
    bare = _STRING.sub("", "\n".join(lines))
    return bare.count(opener) - bare.count(_CLOSERS[opener])


def pair_at(lines: Sequence[str], place: Location) -> tuple[Location, Location] | None:
    """Find the bracket at or just before a place, and its partner."""
    row, column = place
    for at in (column, column - 1):
        char = lines[row][at : at + 1] if at >= 0 else ""
        if (char in _CLOSERS or char in _OPENERS) and (at, char) in _brackets(lines[row]):
            step = 1 if char in _CLOSERS else -1
            partner = _partner(lines, (row, at), step)
            return ((row, at), partner) if partner else None
    return None


def _partner(lines: Sequence[str], place: Location, step: int) -> Location | None:
    """Find the partner of a bracket, down (1) or up (-1)."""
    row, column = place
    open_brackets: list[str] = []
    last = min(max(row + step * MAX_PAIRED_LINES, -1), len(lines))
    for at in range(row, last, step):
        for index, char in _brackets(lines[at])[::step]:
            if at == row and (index - column) * step < 0:
                continue
            if (char in _CLOSERS) == (step > 0):
                open_brackets.append(char)
            elif {open_brackets.pop(), char} not in ({"{", "}"}, {"[", "]"}):
                return None
            elif not open_brackets:
                return at, index
    return None


@lru_cache(1024)
def _brackets(line: str) -> tuple[tuple[int, str], ...]:
    """Return the brackets of a line outside strings, with their columns."""
    if len(line) > MAX_PAIRED_CHARACTERS:
        return ()
    return tuple((found.start(), found[1]) for found in _BRACKET.finditer(line) if found[1])


MAX_COLOURED_CHARACTERS: Final = 4_000
"""Only this beginning of a line gets colours."""
MAX_UNDO: Final = 1_000
"""Changes that can be undone."""
MAX_MARKED: Final = 20
"""Warnings that are underlined."""
MAX_SHORT_VALUE: Final = 40
"""Characters; the cursor starts before a longer value."""
PAIRS: Final = {"[": "[]", "{": "{}"}
_STRING_PATTERN: Final = r'"[^"\\\r\n]*+(?:\\[^\r\n][^"\\\r\n]*+)*+"'
_FIRST_VALUE: Final = regex(
    rf"(?:[\s\[{{]|{_STRING_PATTERN}\s*+:)*+({_STRING_PATTERN}|[^\s\[\]{{}},:\"]++|(?=\s*+[\]}}]))"
)
_OURS: Final = {"f6", "f7", "ctrl+z,super+z", "ctrl+y,super+y"}
"""Keys of Textual's text area with another meaning here."""


class Editor(InOrder, TextArea, inherit_bindings=False):
    """An editor of JSON."""

    DEFAULT_CSS = """
    Editor, Editor:focus {
        border: none; padding: 0; background: $background; color: $text;
        scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(binding for binding in TextArea.BINDINGS if not (isinstance(binding, Binding) and binding.key in _OURS)),
        Binding("ctrl+home", "text_start", show=False),
        Binding("ctrl+end", "text_end", show=False),
        Binding("ctrl+shift+home", "text_start(True)", show=False),
        Binding("ctrl+shift+end", "text_end(True)", show=False),
    ]

    mark: reactive[tuple[int, int] | None] = reactive[tuple[int, int] | None](None)
    """The offsets of the problem."""
    warned: reactive[Sequence[tuple[int, int]]] = reactive[Sequence[tuple[int, int]]](())
    """The offsets of the warnings."""

    def __init__(self) -> None:
        super().__init__(show_line_numbers=True, soft_wrap=False, max_checkpoints=MAX_UNDO)
        self.indent_width = TAB
        self.cursor_blink = False
        self._pair: tuple[Location, ...] = ()
        self._marked: tuple[Location, Location] | None = None
        self._warned: list[tuple[Location, Location]] = []
        self.intercept: Callable[[str], bool] = lambda _: False
        """Handles a key first, and returns whether it did."""
        self._is_start = False
        """A loaded empty pair was not edited yet: a bracket replaces it."""

    @property
    def gutter_width(self) -> int:
        return max(GUTTER, len(str(self.document.line_count)) + AFTER_NUMBER)

    def load(self, text: str) -> None:
        """Load a text without an undo history; the cursor is inside "[]"."""
        self.mark = None
        self.load_text(text)
        self._is_start = text in PAIRS.values()
        if self._is_start:
            self.move_cursor((0, 1))

    def to_first_value(self) -> None:
        """Put the cursor after the first value, or before a long one.

        It is inside the quotes or brackets of the value.
        """
        text = self.text[:MAX_COLOURED_CHARACTERS]
        found = _FIRST_VALUE.match(text)
        if found is not None:
            quote = 1 if found[0].endswith('"') else 0
            offset = found.end() - quote
            if len(found[1]) > MAX_SHORT_VALUE:
                offset = found.start(1) + quote
            self.move_cursor(place_of(text, offset))
            self.scroll_to(y=0, animate=False, immediate=True)  # before the first layout only one line is known
            self.call_after_refresh(self.scroll_cursor_visible)

    def put(self, text: str) -> None:
        """Replace the text as one change that can be undone.

        The cursor stays if possible.
        """
        old, new = self.text, "\n".join(lines_of(text))
        if old == new:
            return
        start = _shared(old, new)
        same = _shared(old[start:][::-1], new[start:][::-1])
        self.history.checkpoint()
        self.replace(new[start : len(new) - same], place_of(old, start), place_of(old, len(old) - same))
        self.history.checkpoint()

    @property
    def cursor_offset(self) -> int:
        return offset_of(self.document.lines, self.cursor_location)

    def go_to(self, offset: int) -> None:
        """Move the cursor to an offset in the text."""
        self.move_cursor(place_of(self.text, offset))

    def watch_mark(self) -> None:
        self._marked = None
        if self.mark is not None:
            start, end = self.mark
            self._marked = place_of(self.text, start), place_of(self.text, end)
        self.refresh()

    def watch_warned(self) -> None:
        text = self.text
        self._warned = [(place_of(text, start), place_of(text, end)) for start, end in self.warned[:MAX_MARKED]]
        self.refresh()

    def watch_selection(self) -> None:
        self._pair = ()
        if self.selection.is_empty:
            self._pair = pair_at(self.document.lines, self.cursor_location) or ()

    async def on_key(self, event: events.Key) -> None:
        """Handle brackets, quotes and Enter as JSON; leave others to Textual."""
        if self.intercept(event.key):
            event.stop()
            event.prevent_default()
            return
        key = "\n" if event.key == "enter" else event.character or ""
        if key != BACKSPACE and self._stroke(key):
            event.stop()
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """Let a pasted object, array or command replace the initial pair."""
        first = "[" if is_command(event.text) else event.text.strip()[:1]
        if self._replaces_start(first):
            self.select_all()

    def _replaces_start(self, first: str) -> bool:
        """Return whether a character replaces the initial empty pair.

        Afterwards the pair counts as edited.
        """
        if not first or not self._is_start:  # Without a character, the key types nothing.
            return False
        self._is_start = False
        return first in PAIRS and self.text in PAIRS.values()

    def action_delete_left(self) -> None:
        """Delete an empty pair as a whole."""
        if not self._stroke(BACKSPACE):
            super().action_delete_left()

    def action_text_start(self, select: bool = False) -> None:
        """Move the cursor to the start of the text."""
        self.move_cursor((0, 0), select=select)

    def action_text_end(self, select: bool = False) -> None:
        """Move the cursor to the end of the text."""
        self.move_cursor(self.document.end, select=select)

    def find_matching_bracket(self, bracket: str, search_from: Location) -> Location | None:  # noqa: ARG002
        """Return None: ``pair_at`` is faster and ignores strings."""
        return None

    def _stroke(self, key: str) -> bool:
        """Handle a key with a special effect; return whether it has one."""
        if self._replaces_start(key):
            self.put(PAIRS[key])
            self.move_cursor((0, 1))
            return True
        if key not in KEYS or not self.selection.is_empty:
            return False
        effect = stroke(self.document.lines, self.cursor_location, key)
        if effect is None:
            return False
        if effect.text or effect.start != effect.end:
            self.edit(Edit(effect.text, effect.start, effect.end, maintain_selection_offset=False))
        if self.cursor_location != effect.cursor:
            self.move_cursor(effect.cursor)
        return True

    def _set_document(self, text: str, language: str | None) -> None:  # noqa: ARG002 - it is always JSON
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
        has_cursor = at == self.cursor_location[0] and self.has_focus
        ground = "surface" if has_cursor else "background"
        number = f"{at + 1:>{self.gutter_width - AFTER_NUMBER}}" + " " * AFTER_NUMBER
        gutter = Segment(number, styles.style("middle" if has_cursor else "dim", ground))
        text = self._text(at, scroll_x, width - self.gutter_width, styles, ground)
        return Strip.join([Strip([gutter]), text]).adjust_cell_length(width, styles.style("text", ground))

    def _text(self, at: int, left: int, room: int, styles: ThemeStyles, ground: str) -> Strip:
        """Draw a line from a column on; an ellipsis marks a cut."""
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
        """Return role and background of characters.

        The end of the line has one, too, for the cursor.
        """
        line = self.document.get_line(at)
        end = min(end, len(line) + 1)
        styles = [("text", ground)] * max(end - start, 0)

        def paint(first: int, last: int, role: str | None, below: str | None = None) -> None:
            for index in range(max(first, start) - start, min(last, end) - start):
                styles[index] = (role or styles[index][0], below or styles[index][1])

        for first, last, role in _colours(line[:MAX_COLOURED_CHARACTERS]):
            paint(first, last, role)
        for warned in self._warned:
            first, last = _span_in(warned, at, len(line), least=1)
            paint(first, last, "careful underline")
        if self._marked is not None:
            first, last = _span_in(self._marked, at, len(line), least=1)
            paint(first, last, "wrong bold underline")
        top, bottom = sorted(self.selection)
        first, last = _span_in((top, bottom), at, len(line) + 1)
        paint(first, last, None, "selection")
        if not self.has_focus:
            return styles
        for row, column in self._pair:
            if row == at:
                paint(column, column + 1, "accent bold")
        if self.cursor_location[0] == at:
            column = self.cursor_location[1]
            paint(column, column + 1, "text reverse", "background")
        return styles


def _shared(one: str, other: str) -> int:
    """Return the length of the common beginning of two texts."""
    return bisect_left(range(1, min(len(one), len(other)) + 1), True, key=lambda size: one[:size] != other[:size])


def _span_in(between: tuple[Location, Location], at: int, length: int, least: int = 0) -> tuple[int, int]:
    """Return the part of a line between two places, nothing if they are on other lines."""
    (first, left), (last, right) = between
    if not first <= at <= last:
        return 0, 0
    start = left if at == first else 0
    end = right if at == last else length
    return start, max(end, start + least)


def _runs(styles: list[tuple[str, str]], start: int) -> Iterator[tuple[int, int, tuple[str, str]]]:
    for style, run in groupby(styles):
        end = start + sum(1 for _ in run)
        yield start, end, style
        start = end


@lru_cache(512)
def _colours(line: str) -> tuple[tuple[int, int, str], ...]:
    return tuple((start, end, f"json-{role}") for start, end, role in tokens(line))
