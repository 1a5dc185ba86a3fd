"""The statistics screen."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date, tzinfo
from itertools import chain
from typing import Any, ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from rpcexplorer.explorer import Explorer
from rpcexplorer.history.statistics import GROUPINGS, ORDERS, Figures, Grouping, Order, Statistics
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.text.history import (
    CALLS,
    FAILED,
    MARGIN,
    TableColumns,
    chart_lines,
    filter_words,
    left_out_words,
    total_lines,
    words_for,
)
from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.full_screen import FullScreen
from rpcexplorer.tui.history_search import Records, SlicedReader
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.theme import Pieces, ThemeStyles, line
from rpcexplorer.tui.widgets.bars import Bar, Frame, WarningLines
from rpcexplorer.tui.widgets.rows import RowList

SLICE_SECONDS: Final = 0.1
AT_ONCE: Final = 300
"""Calls that are counted at once, which takes a few milliseconds."""


class Counting(SlicedReader):
    def __init__(self, records: Records, zone: tzinfo | None = None) -> None:
        super().__init__(records, SLICE_SECONDS)
        self.by: dict[Grouping, Statistics] = {by: Statistics(by, zone) for by in GROUPINGS}

    async def go_on(self) -> None:
        found, ended = await self._read_slice()
        for start in range(0, len(found), AT_ONCE):
            for one in found[start : start + AT_ONCE]:
                for statistics in self.by.values():
                    statistics.add(one)
            await asyncio.sleep(0)
        self.ended = ended


_EDGE = "   "


class SummaryLines(Widget):
    """The fixed lines above the list."""

    DEFAULT_CSS = "SummaryLines { height: auto; background: $background; }"

    statistics: reactive[Statistics | None] = reactive[Statistics | None](None, always_update=True, layout=True)

    def get_content_height(self, *_: Any) -> int:
        return len(self._lines())

    def render_line(self, y: int) -> Strip:
        lines, styles = self._lines(), ThemeStyles.of(self)
        return line(lines[y] if y < len(lines) else [], self.size.width, styles)

    def _lines(self) -> Sequence[Pieces]:
        """Return the totals and the chart of calls and failures over time."""
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
    """A row for each method, profile or code, with a fixed heading."""

    DEFAULT_CSS = "FiguresList { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = bindings("statistics", "statistics.open")

    today: reactive[date] = reactive(date.min)

    def __init__(self, zone: tzinfo | None = None) -> None:
        super().__init__()
        self._zone = zone
        self._by = Statistics()
        self._columns: TableColumns | None = None

    def show(self, found: Statistics, rows: Sequence[Figures]) -> None:
        """Show other rows, with the cursor on the same name."""
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

    def on_resize(self) -> None:
        self._columns = None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "open":
            return self.chosen is not None
        return super().check_action(action, parameters)

    action_open = RowList.action_choose


TABS: Final[dict[Grouping, str]] = {"method": "Methods", "profile": "Profiles", "code": "Codes"}
SORTED: Final[dict[Order, str]] = {"calls": "most calls", "failures": "most failures", "p95": "slowest"}
PATIENCE: Final = 3.0
"""Keys wait this long for the rows that they act on."""
FIGURES: Final = "figures"


class StatisticsScreen(FullScreen[str | None]):
    """The statistics. Choosing a row answers a filter for its calls."""

    scope: ClassVar[Scope] = "statistics"
    BINDINGS: ClassVar[list[BindingType]] = bindings("statistics", without="statistics.open")

    def __init__(self, explorer: Explorer, wanted: HistoryFilter, pending: PendingKeys, frame: Frame) -> None:
        super().__init__(pending, frame, explorer.profile)
        self._wanted = wanted
        self._order: Order = "calls"
        unsaved = list(filter(wanted.matches, reversed(explorer.history.unsaved)))
        records = chain(unsaved, explorer.history.search_in_steps(wanted, whole=False))
        self._counting = Counting(records, frame.zone)
        self._bar, self._remarks, self._heading = Bar(), WarningLines(), Bar()
        self._summary, self.list = SummaryLines(), FiguresList(frame.zone)
        self._bar.tabs, self._bar.open, self._bar.key = tuple(TABS.values()), TABS["method"], "[ ]"
        self.list.today = frame.day

    def compose(self) -> ComposeResult:
        yield from self.frame.around(self._bar, self._remarks, self._summary, self._heading, self.list)

    def on_mount(self) -> None:
        self._bar.here = True
        self.set_focus(self.list)
        self.pending.wait(FIGURES)
        self.set_timer(PATIENCE, lambda: self.pending.go_on(FIGURES))
        self._count()

    def on_unmount(self) -> None:
        self._counting.give_up()
        self.pending.go_on(FIGURES)

    @work(exclusive=True, group="counting")
    async def _count(self) -> None:
        self._show()
        while not self._counting.ended:
            await self._counting.go_on()
            self._show()
        self.pending.go_on(FIGURES)

    def _show(self) -> None:
        counting, found = self._counting, self._counting.by[self._by]
        self._bar.words = [("Statistics", "bold"), (f"  {SORTED[self._order]} first", "middle")]
        if not counting.ended:
            self._bar.words = [*self._bar.words, ("  counting …", "careful")]
        remarks = [(filter_words(self._wanted, self.frame.zone), "middle"), (self._wanted.profile or "", "middle")]
        remarks += [(left_out_words(found), "careful"), (counting.problem, "wrong")]
        self._remarks.pieces = [(words, role) for words, role in remarks if words]
        advice = "Counting …"
        if counting.ended:
            is_filtered = bool(filter_words(self._wanted, self.frame.zone))
            nothing = "No calls match the filter. Press Esc, then / to change it."
            advice = nothing if is_filtered else "No calls yet. Press Esc twice, then F5 to send one."
        self.list.empty = [[(_EDGE + advice, "dim")]]
        self.list.show(found, found.rows(self._order))
        self._summary.statistics = found
        self._entitle()
        self.refresh_bindings()

    def _entitle(self) -> None:
        self._heading.words = [(self.list.heading[1:], "dim")] if self.list.items else []

    @property
    def _by(self) -> Grouping:
        return next(by for by in GROUPINGS if TABS[by] == self._bar.open)

    def on_resize(self) -> None:
        self.call_after_refresh(self._entitle)

    @on(Bar.TabClicked)
    def _tab_clicked(self, event: Bar.TabClicked) -> None:
        event.stop()
        self._turn_to(event.tab)

    @on(RowList.RowChosen)
    def _chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        if isinstance(event.item, Figures):
            self.dismiss(words_for(event.item, self._by, of_one=self._wanted.profile is not None))

    def _turn_to(self, tab: str) -> None:
        self._bar.open = tab
        self._show()
        self.list.action_first()

    def action_tab_next(self) -> None:
        self._turn_to(self._bar.next_tab())

    def action_tab_previous(self) -> None:
        self._turn_to(self._bar.next_tab(-1))

    def action_sort(self) -> None:
        """Sort by the next column, and go to the top."""
        self._order = ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)]
        self._show()
        self.list.action_first()

    def action_close(self) -> None:
        self.dismiss(None)
