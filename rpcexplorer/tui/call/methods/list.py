"""The list in the method picker: how a method, a heading and a typed name are drawn.

Which rows there are is laid down in ``views/method_rows``; the keys come from the line above the list, so this is not
focused itself, only clicked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from textwrap import wrap
from typing import Final

from rich.cells import cell_len
from textual.reactive import reactive
from textual.strip import Strip

from rpcexplorer.auth.registry import needs_credentials
from rpcexplorer.text.printable import columns, printable
from rpcexplorer.tui.theming import Pieces, ThemeStyles, line, width_of
from rpcexplorer.tui.widgets.row_list import RowList
from rpcexplorer.views.method_rows import Heading, MethodListRow, MethodRow, Standing, TypedRow, group_of

ROOMY: Final = 50
"""From this width on there is room for a method's doc beside its name."""
MARGIN: Final = 3
"""Columns before a name: a blank, the mark, a blank."""
_MARKS: Final[dict[Standing, tuple[str, str]]] = {
    "pinned": ("★", "careful"),
    "recent": ("·", "middle"),
    "plain": (" ", "text"),
}
_CURRENT: Final = ("▸", "accent bold")
_MORE: Final = ("…", "dim")
_AUTH: Final = len("  cookie")
_LONGEST: Final = 200
"""Characters of a name or doc that are looked at; no screen shows more."""
UNKNOWN: Final = "Not known. F9 discovers."
"""What is told of a name that is not in the list."""
NOTHING_KNOWN: Final = (
    "No methods are known yet.",
    "F9 asks the service.",
    "Type any name, then Enter.",
)


class MethodList(RowList[MethodListRow], can_focus=False):
    """Methods, one a row: mark, name, ``!`` where it is unsafe, the auth it needs; its doc where there is room."""

    DEFAULT_CSS = """
    MethodList { height: 1fr; }
    """

    current: reactive[str] = reactive("")
    """The method that stands in the editor."""
    here: reactive[bool] = reactive(False)
    """What is typed goes to this list."""
    longest: reactive[int] = reactive(0)
    """Columns of the longest name: docs start at the same column in every row."""

    def can_choose(self, item: MethodListRow) -> bool:
        """Headings say what is below them and nothing else."""
        return not isinstance(item, Heading)

    def draw(self, item: MethodListRow, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        ground = "background" if not chosen else "selection" if self.here else "surface"
        if isinstance(item, Heading):
            return line([(" ", "text"), (item.words[:_LONGEST], "dim")], width, styles, ground=ground)
        side = "middle" if ground == "selection" else "dim"
        words, right = (
            self._typed(item, side, chosen=chosen) if isinstance(item, TypedRow) else self._method(item, width, side)
        )
        if width >= ROOMY:
            told = UNKNOWN if isinstance(item, TypedRow) else item.method.doc
            column = MARGIN + min(self.longest, width * 2 // 5) + len("  ")
            words = [*words, (" " * max(column - width_of(words), 2), "text"), (told[:width], side)]
        if width == self.size.width:  # else the scrollbar is the margin
            right = [*right, (" ", "text")]
        return line(words, width, styles, right=right, ground=ground)

    def empty(self, width: int, styles: ThemeStyles) -> Sequence[Strip]:
        """How to come by methods."""
        room = max(width - MARGIN - 1, 10)
        told = [part for sentence in NOTHING_KNOWN for part in wrap(sentence, room)]
        return [line([(" " * MARGIN, "text"), (part, "dim")], width, styles) for part in told]

    def go_to(self, place: int) -> None:
        """Put the cursor there, or on the nearest row that can be chosen, and on view."""
        self.cursor = place
        self.reveal()

    def _typed(self, row: TypedRow, side: str, *, chosen: bool) -> tuple[Pieces, Pieces]:
        name = (f'"{row.name[:_LONGEST]}"', "text")
        return [(" " * MARGIN, "text"), ("call ", side), name], [("  Enter", side)] if chosen else []

    def _method(self, row: MethodRow, width: int, side: str) -> tuple[Pieces, Pieces]:
        """Pieces from the left and at the right; signs have words if these leave the room that the doc needs."""
        method, current, roomy = row.method, row.method.name == self.current, width >= ROOMY
        auth = f"  {method.auth}" if method.auth and needs_credentials(method.auth) else ""
        right = [(auth.rjust(_AUTH) if roomy and method.safe is False else auth, side)]
        told = MARGIN + min(self.longest, width * 2 // 5) + columns(f"  {method.doc[:width]}  ! unsafe ")
        in_words = roomy and told + width_of(right) <= width
        unsafe = [("  ! unsafe" if in_words else "  !", "careful")] if method.safe is False else []
        room = width - MARGIN - width_of(unsafe) - width_of(right) - 1
        mark = _CURRENT if current else _MARKS[row.standing]
        words = [(" ", "text"), mark, (" ", "text"), *_name(row, room, current=current)]
        return (words, [*unsafe, *right]) if roomy else ([*words, *unsafe], right)

    def watch_current(self) -> None:
        self.refresh()

    def watch_here(self) -> None:
        self.refresh()

    def watch_longest(self) -> None:
        self.refresh()


def known_of(row: MethodListRow | None) -> Sequence[tuple[str, str]]:
    """What the signs of a row mean, then its doc: where there is no room for them beside its name."""
    match row:
        case MethodRow(method=method):
            sign = ("! unsafe  ", "careful") if method.safe is False else ("  ", "text")
            return [sign, (method.doc[:_LONGEST], "dim")]
        case TypedRow():
            return [(f"  {UNKNOWN}", "dim")]
    return []


def _name(row: MethodRow, room: int, *, current: bool) -> Pieces:
    """The name with its group part lighter and what matched underlined, in no more columns than there is room."""
    name = row.method.name[:_LONGEST]
    group = group_of(name)
    shown: list[tuple[str, str]] = []
    for at, char in enumerate(name):
        found = at in row.positions
        colour = "accent bold" if current else "middle" if group and at <= len(group) and not found else "text"
        shown.append((printable(char), f"{colour} bold underline" if found else colour))
    shown = _shortened(shown, room, at_start=bool(group))
    return [("".join(text for text, _ in same), role) for role, same in groupby(shown, key=itemgetter(1))]


def _shortened(shown: list[tuple[str, str]], room: int, *, at_start: bool) -> list[tuple[str, str]]:
    """Characters that fit. The end of a name tells more than its group, so that gives way first where there is one."""
    over = width_of(shown) - room
    if over <= 0:
        return shown
    kept = deque(shown)
    while kept and over >= 0:
        text, _ = kept.popleft() if at_start else kept.pop()
        over -= cell_len(text)
    return [_MORE, *kept] if at_start else [*kept, _MORE]
