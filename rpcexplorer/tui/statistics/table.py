"""Figures as a list under what is said of all calls: their number, how long they took, and bars over time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, tzinfo
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from rpcexplorer.history.statistics import Figures, Statistics
from rpcexplorer.text.history import CALLS, FAILED, MARGIN, TableColumns, chart_lines, total_lines
from rpcexplorer.tui.commands import bindings
from rpcexplorer.tui.theming import Pieces, ThemeStyles, line
from rpcexplorer.tui.widgets.row_list import RowList

_EDGE = "   "


class SummaryLines(Widget):
    """Lines that stand still above a list."""

    DEFAULT_CSS = "SummaryLines { height: auto; background: $background; }"

    statistics: reactive[Statistics | None] = reactive[Statistics | None](None, always_update=True, layout=True)

    def get_content_height(self, *_: Any) -> int:
        return len(self._lines())

    def render_line(self, y: int) -> Strip:
        lines, styles = self._lines(), ThemeStyles.of(self)
        return line(lines[y] if y < len(lines) else [], self.size.width, styles)

    def _lines(self) -> Sequence[Pieces]:
        """The whole, calls and failures over time, and what the bars stand for."""
        found = self.statistics
        if found is None or not found.total.calls:
            return []
        width = self.container_size.width - 2 * len(_EDGE)
        lines: list[Pieces] = [[(_EDGE + words, "text")] for words in total_lines(found, width)]
        chart = found.chart(max(width - MARGIN, 1))
        if chart is not None:
            calls, failed, times = chart_lines(chart)
            lines += [
                [(_EDGE + CALLS, "dim"), (calls, "accent")],
                [(_EDGE + FAILED, "dim"), (failed, "wrong")],
                [(_EDGE + " " * MARGIN + times, "dim")],
            ]
        return [*lines, []]


class FiguresList(RowList[Figures]):
    """One row for each method, profile or code, under a heading that stays."""

    DEFAULT_CSS = "FiguresList { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        each for each in bindings("statistics") if isinstance(each, Binding) and each.id == "statistics.open"
    ]

    today: reactive[date] = reactive(date.min)
    advice: reactive[str] = reactive("")
    """What is said where there are no rows."""

    def __init__(self, zone: tzinfo | None = None) -> None:
        super().__init__()
        self._zone = zone
        self._by = Statistics()
        self._columns: TableColumns | None = None

    def show(self, found: Statistics, rows: Sequence[Figures]) -> None:
        """Other rows; the cursor stays on what it was on, wherever that is now."""
        on = self.chosen.name if self.chosen is not None else None
        self._by, self._columns = found, None
        at = next((index for index, row in enumerate(rows) if row.name == on), 0)
        self.items = rows
        self.cursor = at

    @property
    def heading(self) -> str:
        return _EDGE + self._table.heading

    @property
    def _table(self) -> TableColumns:
        if self._columns is None:
            self._columns = TableColumns(self._by.by, self.items, max(self.size.width - 2 * len(_EDGE), 1))
        return self._columns

    def draw(self, item: Figures, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        text = _EDGE + self._table.line(item, self.today, self._zone)
        return line([(text, "text")], width, styles, ground="selection" if chosen else "background")

    def empty(self, width: int, styles: ThemeStyles) -> Sequence[Strip]:
        return [line([(_EDGE + self.advice, "dim")], width, styles)]

    def on_resize(self) -> None:
        self._columns = None
        super().on_resize()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "open":
            return self.chosen is not None
        return super().check_action(action, parameters)

    def action_open(self) -> None:
        self.action_choose()
