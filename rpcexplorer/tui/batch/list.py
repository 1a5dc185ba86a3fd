"""The calls of a batch, a line each, numbered; beside each what came of it, below them what nobody asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from msgspec import Struct
from textual.binding import Binding, BindingType
from textual.strip import Strip

from rpcexplorer.model.batch import BatchRow, CollectedCalls
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.text.exchange import kind_word, on_one_line, outcome_pieces
from rpcexplorer.text.printable import clipped, columns, fitted
from rpcexplorer.tui.commands import bindings
from rpcexplorer.tui.theming import Pieces, ThemeStyles, line, width_of
from rpcexplorer.tui.widgets.row_list import RowList

_KIND: Final = len("notification")
_METHOD: Final = 48
"""Columns that a method gets at most; in a narrow list a quarter of the width."""
_PARAMS: Final = 8
"""Columns of params below which they are left out."""


class BatchLine(Struct, frozen=True):
    """A call, or a reply that belongs to none."""

    number: int
    row: BatchRow | None
    came: Exchange | None


def lines_of_batch(batch: CollectedCalls) -> list[BatchLine]:
    calls = (BatchLine(number, row, row.came) for number, row in enumerate(batch.rows, start=1))
    return [*calls, *(BatchLine(0, None, came) for came in batch.unexpected)]


class BatchList(RowList[BatchLine]):
    """Number, kind, method, params, outcome."""

    DEFAULT_CSS = "BatchList { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        each for each in bindings("batch") if isinstance(each, Binding) and each.id == "batch.load"
    ]

    def __init__(self, advice: Sequence[Pieces] = ()) -> None:
        """``advice`` is said where there are no calls."""
        super().__init__()
        self._advice = advice
        self._methods = 0

    def draw(self, item: BatchLine, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        """A call with its number and what came of it; the params give way first."""
        ground = "selection" if chosen else "background"
        if item.row is None:
            return self._draw_unexpected(item, width, styles, ground)
        draft = item.row.draft
        methods = max(min(self._methods, _METHOD, width // 4), 1)
        words = [
            (f"{item.number:>3}  ", "dim"),
            (f"{kind_word(notification=draft.notification):<{_KIND}}  ", "careful" if draft.notification else "middle"),
            (fitted(draft.method, methods), "text bold"),
        ]
        room = width - width_of(words) - len("    ")
        came = [] if item.came is None else outcome_pieces(item.came, max(room - _PARAMS, room // 2))
        left = room - width_of(came)
        if left >= _PARAMS:
            words.append((f"  {clipped(on_one_line(draft.text), left)}", "middle"))
        return line(words, width, styles, right=[*came, (" ", "text")], ground=ground)

    def _draw_unexpected(self, item: BatchLine, width: int, styles: ThemeStyles, ground: str) -> Strip:
        if item.came is None:
            return Strip.blank(width, styles.style())
        words = [("  ?  ", "careful"), (item.came.remarks[0].removeprefix("an "), "careful")]
        came = [("  ", "text"), *outcome_pieces(item.came, width // 3), (" ", "text")]
        return line(words, width, styles, right=came, ground=ground)

    def empty(self, width: int, styles: ThemeStyles) -> Sequence[Strip]:
        return [line(words, width, styles) for words in self._advice]

    def watch_items(self) -> None:
        """The column of methods is as wide as the longest of them."""
        names = (each.row.draft.method for each in self.items if each.row is not None)
        self._methods = max((columns(name[:_METHOD]) for name in names), default=0)
        super().watch_items()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What nobody asked for is only to be read."""
        if action == "load":
            return self.chosen is not None and self.chosen.row is not None
        return super().check_action(action, parameters)

    def action_load(self) -> None:
        self.action_choose()
