"""A list to choose from by typing: the command palette, the themes, the forms to copy in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widgets import Input

from rpcexplorer.text.matching import ranked
from rpcexplorer.tui.theme import ThemeStyles, line
from rpcexplorer.tui.widgets.dialog import Dialog
from rpcexplorer.tui.widgets.inputs import Entry
from rpcexplorer.tui.widgets.rows import RowList

MOST: Final = 16
"""Rows of the list."""
APART: Final = 7
"""Lines of the screen that are not the list's: the block above it and below, title and entry."""


class Pick(Struct, frozen=True):
    """One of the things to choose from."""

    id: str
    label: str
    words: str = ""
    """What is said of it, dim."""
    mark: str = ""
    """At the right edge: a key, or what is chosen today."""
    synonyms: str = ""
    """What it is found by as well, and nobody reads."""
    idle: bool = False
    """It cannot be chosen now: only who looks for it sees it, dim."""
    is_page: bool = False
    """It is a page to read, and comes after what can be done."""


class Shown(Struct, frozen=True):
    """A choice and where the typed letters stand in its label."""

    pick: Pick
    positions: tuple[int, ...] = ()


def matching(picks: Sequence[Pick], query: str) -> list[Shown]:
    """Return the picks that a query means, the best first; without one, all that can be chosen."""
    words = query.lower().split()
    if not words:
        return [Shown(pick) for pick in picks if not pick.idle]
    found = ranked(query, [pick.label for pick in picks])
    named = [Shown(picks[match.index], match.positions) for match in found]
    known = {match.index for match in found}
    others = (pick for at, pick in enumerate(picks) if at not in known)
    described = [Shown(pick) for pick in others if _has(words, f"{pick.words} {pick.synonyms}".lower())]

    def is_meant(pick: Pick) -> bool:
        """Return whether it has the words as they were typed: scattered letters and descriptions come later."""
        return all(word in pick.label.lower() or word in pick.synonyms.split() for word in words)

    return sorted([*named, *described], key=lambda each: (not is_meant(each.pick), each.pick.idle, each.pick.is_page))


def _has(words: Sequence[str], text: str) -> bool:
    return all(word in text for word in words)


class PickList(RowList[Shown], can_focus=False):
    """The choices that match. The keys come from where one types."""

    DEFAULT_CSS = """
    PickList { background: $surface; scrollbar-background: $surface; }
    """
    GROUND = "surface"

    def draw(self, item: Shown, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        """Label, what is said of it, and the mark."""
        ground = "selection" if chosen else self.GROUND
        found, plain = ("text bold underline", "text bold") if chosen else ("accent bold underline", "text")
        if item.pick.idle:
            found, plain = "middle underline", "middle"
        letters = [(letter, found if at in item.positions else plain) for at, letter in enumerate(item.pick.label)]
        mark = " › "  # noqa: RUF001 - the sign is meant
        words = [(mark if chosen else "   ", plain), *letters, (f"  {item.pick.words}", "middle" if chosen else "dim")]
        return line(words, width, styles, right=[(f"  {item.pick.mark} ", "middle")], ground=ground)


class Picker(Dialog[str]):
    """Type, arrows, Enter. The answer is the id of what was chosen, or None."""

    DEFAULT_CSS = """
    Picker { align: center top; }
    Picker.-preview { background: transparent; }
    Picker > .block { margin-top: 2; padding: 1 0; max-height: 100%; }
    Picker.-low > .block { margin-top: 1; padding: 0; }
    Picker .title { padding: 0 3; }
    Picker Input, Picker Input:focus { margin: 0 2 1 2; }
    Picker.-low Input, Picker.-low Input:focus { margin: 0 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,shift+tab", "step('move', -1)", show=False),
        Binding("down,tab", "step('move', 1)", show=False),
        Binding("pageup", "step('page', -1)", show=False),
        Binding("pagedown", "step('page', 1)", show=False),
    ]

    def __init__(
        self, title: str, picks: Sequence[Pick], *, on: str = "", moved: Callable[[str], None] | None = None
    ) -> None:
        """``on`` is where the cursor starts; ``moved`` is told of each step, for a preview."""
        super().__init__(title)
        self._picks, self._on, self._moved = picks, on, moved
        self._line, self.list = Entry(hint="type to find"), PickList()
        self.list.empty = [[("   No matches.", "dim")]]
        """The choices that match."""
        self.set_class(moved is not None, "-preview")

    def content(self) -> ComposeResult:
        """The line to type into, and the list."""
        yield self._line
        yield self.list

    def on_mount(self) -> None:
        self._show("", next((at for at, pick in enumerate(self._picks) if pick.id == self._on), 0))
        self.set_focus(self._line)

    def on_resize(self) -> None:
        """As many rows as there are, and as there is room for."""
        self.list.styles.height = max(min(len(self.list.items), MOST, self.size.height - APART), 1)

    def _show(self, query: str, cursor: int = 0) -> None:
        """The best match is under the cursor, and previewed."""
        self.list.items = matching(self._picks, query)
        self.list.cursor = cursor
        self.on_resize()
        self._tell()

    def _tell(self) -> None:
        if self._moved is not None and self.list.chosen is not None:
            self._moved(self.list.chosen.pick.id)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value or len(self.list.items) != len(self._picks):
            self._show(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.list.action_choose()

    def on_row_list_cursor_moved(self, event: RowList.CursorMoved) -> None:
        event.stop()
        self._tell()

    def on_row_list_row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        if not event.item.pick.idle:
            self.dismiss(event.item.pick.id)

    def action_step(self, way: str, by: int) -> None:
        """The keys of a list, while the focus is where one types."""
        if way == "move":
            self.list.action_move(by)
        else:
            self.list.action_page(by)
