"""The statistics screen."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import chain
from typing import Any, Final

from textual import work
from textual.strip import Strip
from textual.widget import Widget

from rpcexplorer.explorer import Explorer
from rpcexplorer.history.statistics import GROUPINGS, ORDERS, Figures, Grouping, Order, Statistics, Timeline
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.text.history import (
    LANE_LEGEND,
    MARGIN,
    chart_lines,
    filter_words,
    lane_columns,
    left_out_words,
    total_lines,
    words_for,
)
from rpcexplorer.tui.browser import Browser
from rpcexplorer.tui.history_search import Records
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.theme import Pieces, ThemeStyles, line
from rpcexplorer.tui.widgets.bars import Frame
from rpcexplorer.tui.widgets.rows import ItemList

AT_ONCE: Final = 300
"""Calls that are counted at once, which takes a few milliseconds."""
EDGE: Final = "   "
LOW_CHART, HIGH_CHART = 2, 5
"""Rows of the bars, without those for failures and times."""
HIGH_SCREEN: Final = 32


class SummaryLines(Widget):
    """The totals and the chart above the list."""

    DEFAULT_CSS = "SummaryLines { height: auto; background: $background; }"

    def __init__(self, timeline: Timeline) -> None:
        super().__init__()
        self._timeline = timeline
        self._statistics = Statistics()

    def show(self, statistics: Statistics) -> None:
        self._statistics = statistics
        self.refresh(layout=True)

    def get_content_height(self, *_: Any) -> int:
        return len(self._lines())

    def render_line(self, y: int) -> Strip:
        lines = self._lines()
        return line(lines[y] if y < len(lines) else [], self.size.width, ThemeStyles.of(self))

    def _lines(self) -> Sequence[Pieces]:
        found, room = self._statistics, self.container_size.width - 2 * len(EDGE)
        chart = self._timeline.chart(max(room - MARGIN, 1))
        if chart is None:
            return []
        is_high = self.screen.size.height >= HIGH_SCREEN
        lines = [[(words, "text")] for words in total_lines(found, room)]
        lines += chart_lines(chart, room, HIGH_CHART if is_high else LOW_CHART)
        if is_high:
            lines.append([])
        return [[(EDGE, "text"), *words] for words in (*lines, LANE_LEGEND)]


TABS: Final[dict[Grouping, str]] = {"method": "Methods", "profile": "Profiles", "code": "Codes"}
SORTED: Final[dict[Order, str]] = {"calls": "most calls", "failures": "most failures", "p95": "slowest"}
PATIENCE: Final = 3.0
"""Keys wait this long for the rows that they act on."""
FIGURES: Final = "figures"


class StatisticsScreen(Browser[Figures, str | None], scope="statistics"):
    """The statistics. Choosing a row answers a filter for its calls."""

    HAS_DETAIL = False

    def __init__(self, explorer: Explorer, wanted: HistoryFilter, pending: PendingKeys, frame: Frame) -> None:
        columns = lane_columns("method", (), frame.day, frame.zone)
        super().__init__(ItemList(columns, lambda row: row.name), pending, frame, explorer.profile)
        self._wanted = wanted
        self._order: Order = "calls"
        self._by = {by: Statistics(by) for by in GROUPINGS}
        self._timeline = Timeline(frame.zone)
        unsaved = list(filter(wanted.matches, reversed(explorer.history.unsaved)))
        self._records = Records(chain(unsaved, explorer.history.search_in_steps(wanted, whole=False)))
        self._summary = SummaryLines(self._timeline)
        self.bar.tabs, self.bar.open, self.bar.key = tuple(TABS.values()), TABS["method"], "[ ]"

    def over_list(self) -> Sequence[Widget]:
        return [self._summary]

    def on_mount(self) -> None:
        self.pending.wait(FIGURES)
        self.set_timer(PATIENCE, lambda: self.pending.go_on(FIGURES))
        self._count()

    def on_unmount(self) -> None:
        self._records.give_up()
        self.pending.go_on(FIGURES)

    @work(exclusive=True, group="counting")
    async def _count(self) -> None:
        self._show()
        while not self._records.ended:
            for number, record in enumerate(await self._records.more(), start=1):
                self._timeline.add(record)
                for statistics in self._by.values():
                    statistics.add(record)
                if number % AT_ONCE == 0:
                    await asyncio.sleep(0)
            self._show()
        self.pending.go_on(FIGURES)

    @property
    def _grouping(self) -> Grouping:
        return next(by for by in GROUPINGS if TABS[by] == self.bar.open)

    def _show(self) -> None:
        found, is_complete = self._by[self._grouping], self._records.ended
        counting = [] if is_complete else [("  counting …", "careful")]
        scope = f"  {self._wanted.profile}" if self._wanted.profile else "  all profiles"
        order = f"  {SORTED[self._order]} first"
        self.bar.words = [("Statistics", "bold"), (scope, "middle"), (order, "middle"), *counting]
        words = filter_words(self._wanted, self.frame.zone)
        remarks = [(words, "middle"), (left_out_words(found), "careful"), (self._records.problem, "wrong")]
        self.remarks.pieces = [(text, role) for text, role in remarks if text]
        advice = "Counting …"
        if is_complete and words:
            advice = "No calls match the filter. Press Esc, then / to change it."
        elif is_complete:
            advice = "No calls yet. Press Esc twice, then F5 to send one."
        self.list.empty = [[(EDGE + advice, "dim")]]
        rows, edge = found.rows(self._order), len(EDGE)
        columns = lane_columns(self._grouping, rows, self.frame.day, self.frame.zone, edge=edge)
        self.list.show(rows, columns, from_top=True)
        self._summary.show(found)
        self.refresh_bindings()

    def has(self, state: str) -> bool:
        match state:
            case "figures":
                return self.row is not None
        return super().has(state)

    def choose(self, row: Figures) -> None:
        self.dismiss(words_for(row, self._grouping, of_one=self._wanted.profile is not None))

    def open_tab(self, tab: str) -> None:
        self.bar.open = tab
        self._show()
        self.list.action_first()

    def action_tab_next(self, by: int = 1) -> None:
        self.open_tab(self.bar.next_tab(by))

    def action_sort(self) -> None:
        """Sort by the next column, and go to the top."""
        self._order = ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)]
        self._show()
        self.list.action_first()
