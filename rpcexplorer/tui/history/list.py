"""The history as a list: the calls of a day under its heading, what came of each, how long it took and when it was."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import ClassVar, Final

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.model.filter import YOU
from rpcexplorer.text.exchange import ROLES, SIGNS, came, duration
from rpcexplorer.text.history import Day, HistoryRow
from rpcexplorer.text.printable import clipped, columns, fitted
from rpcexplorer.tui.commands import bindings
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theming import Pieces, ThemeStyles, line, width_of
from rpcexplorer.tui.widgets.row_list import RowList

_LONGEST: Final = 200
"""Characters of a name that are looked at; no row shows more."""
_METHOD: Final = 48
"""Columns that a method gets at most; in a narrow list a quarter of the width, or a fifth."""
_PROFILE: Final = 12
_TOOK: Final = len(" 31.2 s ")
_OUTCOME: Final = len("-32602 I  ★ ")
"""Columns that a name leaves to the outcome."""
MARK: Final = "●"
"""Stands before a call that is marked."""
_NEAR: Final = 50
"""So many rows before the end, more are wanted."""


class HistoryList(RowList[HistoryRow]):
    """Calls, newest first. A click puts the cursor on one, another click on the same takes it."""

    DEFAULT_CSS = "HistoryList { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        each for each in bindings("history") if isinstance(each, Binding) and each.id == "history.load"
    ]

    everyone: reactive[bool] = reactive(False)
    """The calls are those of all profiles: each row names its own."""
    advice: reactive[Sequence[Pieces]] = reactive[Sequence[Pieces]](())
    """What is said where there are no rows."""

    of_case: reactive[bool] = reactive(False)
    """All are somebody else's, which need not be said of each."""
    marked: reactive[frozenset[str]] = reactive(frozenset[str]())
    """The ids of calls that are marked."""

    @message
    class EndNear(Message):
        """The last rows come into view: more may be wanted."""

        listing: HistoryList

    def __init__(self, zone: tzinfo | None = None) -> None:
        """``zone``: where whoever looks lives; None asks the machine."""
        super().__init__()
        self._zone = zone
        self._methods = self._profiles = self._writers = 0

    def can_choose(self, item: HistoryRow) -> bool:
        """Headings are none of the calls."""
        return not isinstance(item, Day)

    def draw(self, item: HistoryRow, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        """A heading, a call, or what is left of a damaged record."""
        ground = "selection" if chosen else "background"
        match item:
            case Day(words=words):
                return line([(f"   {words}", "dim")], width, styles)
            case Damaged(reason=reason):
                return line([(" ! damaged  ", "careful"), (reason, "middle")], width, styles, ground=ground)
        return self._draw_call(item, width, styles, ground)

    def _draw_call(self, call: Exchange, width: int, styles: ThemeStyles, ground: str) -> Strip:
        outcome = call.counts_as
        methods = max(min(self._methods, _METHOD, width // (5 if self.everyone else 4)), 1)
        mark = MARK if call.id in self.marked else " "
        words = [
            (mark, "accent"),
            (f"{SIGNS[outcome]} ", ROLES[outcome]),
            (fitted(call.method[:_LONGEST], methods), "text"),
        ]
        if self._writers:
            words.append(("  " + fitted(call.writer or YOU, self._writers), "dim"))
        if self.everyone:
            words.append(("  " + fitted(call.profile, self._profiles), "dim"))
        words.append(("  ", "text"))
        took, clock = duration(call.seconds).rjust(_TOOK), f"  {call.when.astimezone(self._zone):%H:%M:%S} "
        room = width - width_of([*words, (took, ""), (clock, "")])
        label = (call.name or call.note)[:_LONGEST]
        named = f"  ★ {clipped(label, max(room - _OUTCOME, 3))}" if label else ""
        told = came(call) if self.of_case or not call.foreign else [("a case  ", "careful"), *came(call)]
        if width_of([*told, (named, "")]) > room and told[-1][1] == "dim":
            told.pop()  # the size goes before a word is cut
        right = [(named, "careful"), (took, "middle"), (clock, "dim")]
        return line([*words, *told], width, styles, right=right, ground=ground)

    def empty(self, width: int, styles: ThemeStyles) -> Sequence[Strip]:
        return [line(words, width, styles) for words in self.advice]

    def watch_items(self) -> None:
        """The columns of names are as wide as the longest of them."""
        calls = [row for row in self.items if isinstance(row, Exchange)]
        self._methods = _widest({call.method for call in calls}, _METHOD)
        self._profiles = _widest({call.profile for call in calls}, _PROFILE)
        others = {call.writer for call in calls if call.writer}
        self._writers = _widest({*others, YOU}, _PROFILE) if others else 0
        super().watch_items()

    def watch_everyone(self) -> None:
        self.refresh()

    def watch_marked(self) -> None:
        self.refresh()

    def watch_advice(self) -> None:
        self.refresh()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Ask for more in time."""
        super().watch_scroll_y(old_value, new_value)
        if new_value > old_value and new_value + self.size.height + _NEAR >= len(self.items):
            self.post_message(self.EndNear(self))

    def on_click(self, event: events.Click) -> None:
        """The first click looks, the second takes."""
        event.prevent_default()
        index = event.y + self.scroll_offset.y
        if index == self.cursor:
            self.action_choose()
        elif index < len(self.items) and self.can_choose(self.items[index]):
            self.cursor = index

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A damaged record is only to be read."""
        if action == "load":
            return isinstance(self.chosen, Exchange)
        return super().check_action(action, parameters)

    def action_load(self) -> None:
        self.action_choose()


def _widest(names: set[str], most: int) -> int:
    return max((columns(clipped(name[:_LONGEST], most)) for name in names), default=0)
