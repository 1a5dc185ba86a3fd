"""A searchable list: command palette, themes, forms to copy in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.strip import Strip
from textual.widgets import Input, Static

from rpcexplorer.text.matching import ranked
from rpcexplorer.text.printable import columns
from rpcexplorer.tui.theme import ThemeStyles, line
from rpcexplorer.tui.widgets.dialog import Dialog, keys
from rpcexplorer.tui.widgets.inputs import Entry
from rpcexplorer.tui.widgets.rows import RowList

MOST: Final = 16
"""Rows of the list."""
MAX_LABEL_COLUMNS: Final = 17
"""That of most commands. Descriptions of longer labels begin further right."""
APART: Final = 8
"""Screen lines of the block that are not list rows."""


class Pick(Struct, frozen=True):
    """A choice."""

    id: str
    label: str
    words: str = ""
    """A description, shown dim."""
    mark: str = ""
    """Shown at the right: a key, or the mark of the current choice."""
    synonyms: str = ""
    """Words that find it, not shown."""
    why_not: str = ""
    """Why it cannot be chosen now: only a search shows it, dim."""
    is_page: bool = False
    """It is a theme or a page of the manual, listed after the commands."""


class Shown(Struct, frozen=True):
    """A choice, with the matched positions of its label."""

    pick: Pick
    positions: tuple[int, ...] = ()


def matching(picks: Sequence[Pick], query: str) -> list[Shown]:
    """Return the matching picks, the best first.

    Without a query, return all that can be chosen.
    """
    words = query.lower().split()
    if not words:
        return [Shown(pick) for pick in picks if not pick.why_not]

    def is_meant(pick: Pick) -> bool:
        """Return whether label or synonyms contain the words.

        Matches of scattered letters and descriptions come after these, and not of pages.
        """
        return all(word in pick.label.lower() or word in pick.synonyms.split() for word in words)

    found = ranked(query, [pick.label for pick in picks])
    matched = [Shown(picks[match.index], match.positions) for match in found]
    named = [shown for shown in matched if not shown.pick.is_page or is_meant(shown.pick)]
    known = {match.index for match in found}
    described = []
    for at, pick in enumerate(picks):
        text = f"{pick.words} {pick.synonyms}".lower()
        if at not in known and all(word in text for word in words):
            described.append(Shown(pick))

    def order(shown: Shown) -> tuple[bool, bool, bool]:
        return not is_meant(shown.pick), bool(shown.pick.why_not), shown.pick.is_page

    return sorted([*named, *described], key=order)


class PickList(RowList[Shown], can_focus=False):
    """The matching choices; keys come from the input line."""

    label_columns = 0
    """Columns of the labels, so that descriptions are aligned."""

    def draw(self, item: Shown, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        ground = "selection" if chosen else self.ground
        found, plain, about, mark = "accent bold underline", "text", "dim", "   "
        if chosen:
            found, plain, about, mark = "text bold underline", "text bold", "middle", " › "  # noqa: RUF001 - the sign
        if item.pick.why_not:
            found, plain = "middle underline", "middle"
        words = [(mark, plain)]
        for at, letter in enumerate(item.pick.label):
            words.append((letter, found if at in item.positions else plain))
        blanks = " " * max(self.label_columns - columns(item.pick.label), 0)
        words.append((f"{blanks}  {item.pick.words}", about))
        return line(words, width, styles, right=[(f"  {item.pick.mark} ", "middle")], ground=ground)


class Picker(Dialog[str]):
    """A searchable list; the answer is an id, or None."""

    DEFAULT_CSS = """
    Picker { align: center top; }
    Picker.-preview { background: transparent; }
    Picker > .block { margin-top: 2; padding: 1 0; max-height: 100%; }
    Picker.-low > .block { margin-top: 1; padding: 0; }
    Picker .title { padding: 0 3; }
    Picker .hint { padding: 0 3; margin-top: 0; }
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
        self,
        title: str,
        picks: Sequence[Pick],
        *,
        on: str = "",
        moved: Callable[[str], None] | None = None,
        typed: str = "",
    ) -> None:
        """``on``: the first choice; ``moved`` is called at each step; ``typed``: the beginning of the search."""
        super().__init__(title)
        self._picks, self._on, self._moved = picks, on, moved
        self._line, self.list = Entry(typed, hint="type to find"), PickList()
        self.list.label_columns = min(max((columns(pick.label) for pick in picks), default=0), MAX_LABEL_COLUMNS)
        self.list.empty = [[("   No matches.", "dim")]]
        self.set_class(moved is not None, "-preview")

    def content(self) -> ComposeResult:
        yield self._line
        yield self.list
        yield Static(self.hint(), classes="hint")

    def hint(self) -> Content:
        return keys("↑↓", "choose", "Enter", "select", "Esc", "cancel")

    def on_mount(self) -> None:
        ids = [pick.id for pick in self._picks]
        typed = self._line.value
        self._show(typed, ids.index(self._on) if self._on in ids and not typed else 0)
        self.set_focus(self._line)

    def on_resize(self) -> None:
        """Show as many rows as there is room for."""
        self.list.styles.height = max(min(len(self.list.items), MOST, self.size.height - APART), 1)

    def _show(self, query: str, cursor: int = 0) -> None:
        """Show the matches, with the best one under the cursor."""
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
        if event.item.pick.why_not:
            self.notify(event.item.pick.why_not)
        else:
            self.dismiss(event.item.pick.id)

    def action_step(self, way: str, by: int) -> None:
        """Move the cursor of the list, while the input has the focus."""
        if way == "move":
            self.list.action_move(by)
        else:
            self.list.action_page(by)


class Several(Picker):
    """A searchable list of which several can be chosen; Enter switches one."""

    def __init__(self, title: str, picks: Sequence[Pick], toggle: Callable[[str], Sequence[Pick]]) -> None:
        """``toggle`` switches a choice by its id, and returns all choices with their marks."""
        super().__init__(title, picks)
        self._toggle = toggle

    def hint(self) -> Content:
        return keys("↑↓", "move", "Enter", "switch", "Esc", "done")

    def on_row_list_row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        event.prevent_default()  # That of the picker would close it.
        self._picks = self._toggle(event.item.pick.id)
        self._show(self._line.value, self.list.cursor)
