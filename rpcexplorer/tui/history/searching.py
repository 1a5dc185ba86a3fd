"""What the history screen shows: the calls that are looked for, as far as they are read, and the one at hand.

It reads the history through ``Reading`` and knows no more of files than that. What can be done with a call is
``screen.py``'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import date, datetime, tzinfo
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.geometry import Size
from textual.reactive import reactive
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.text.history import HistoryRow, case_note_lines, filter_words, same
from rpcexplorer.tui.dialogs.answer_once import AnswersOnce
from rpcexplorer.tui.history.choice import CaseOnView, HistoryChoice
from rpcexplorer.tui.history.list import HistoryList
from rpcexplorer.tui.history.pane import HistoryPane
from rpcexplorer.tui.history.preview import HistoryPreview
from rpcexplorer.tui.history.reading import Reading, advice, records_of
from rpcexplorer.tui.pending_keys import PendingKeys
from rpcexplorer.tui.widgets.row_list import RowList
from rpcexplorer.tui.widgets.sheet import Sheet, wrapped

NEWEST: Final = 200
"""So many calls are read at first, and again when the last of them come into view."""
MOST: Final = 2000
"""A filter looks on by itself until it has found so many."""
PAUSE: Final = 0.08
"""Seconds without a key before a filter is looked for."""
PATIENCE: Final = 3.0
"""Seconds after which keys wait no longer for the rows that they are for; what is on view then can only be left."""
ROWS: Final = "rows"


class CaseNote(Sheet):
    """The note of a case, above everything else. A long one has the focus first, so that keys scroll it."""

    DEFAULT_CSS = """
    CaseNote { height: auto; max-height: 30%; background: $surface; }
    CaseNote.-long { border-bottom: solid $line; border-subtitle-color: $middle; }
    """
    MORE: ClassVar[str] = " ↓ PgDn show more, Tab goes on to the calls "

    def __init__(self, note: str) -> None:
        super().__init__()
        self.can_focus = False
        self.set_reactive(Sheet.lines, case_note_lines(note))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return sum(1 for each in self.lines for _ in wrapped(each, max(width - 1, 1)))

    def on_resize(self) -> None:
        super().on_resize()
        is_long, was_long = self.virtual_size.height > self.size.height, self.can_focus
        self.can_focus, self.border_subtitle = is_long, self.MORE if is_long else ""
        self.set_class(is_long, "-long")
        if is_long and not was_long:
            self.screen.set_focus(self)


class SearchScreen(AnswersOnce[HistoryChoice | None], Screen[HistoryChoice | None]):
    """The list with its filter, and a preview of the call under the cursor: beside it, or below where it is narrow."""

    everyone: reactive[bool] = reactive(False, init=False)
    """The calls of all profiles are shown, not only those of the one in use."""

    def __init__(
        self,
        explorer: Explorer,
        pending: PendingKeys | None = None,
        *,
        header: Widget | None = None,
        footer: Widget | None = None,
        zone: tzinfo | None = None,
        today: date | None = None,
        case: CaseOnView | None = None,
    ) -> None:
        """``zone``: where whoever looks lives; ``today``: which day it is there. None asks the machine.

        ``case``: its calls are shown, and not those of the history.
        """
        super().__init__()
        self.explorer = explorer
        self.pending = pending or PendingKeys()
        self._header, self._footer, self._zone, self._today = header, footer, zone, today
        self._case = case
        self._profile = explorer.profile.name if explorer.profile and case is None else ""
        """Whose calls are meant where those of one profile are."""
        self.set_reactive(SearchScreen.everyone, bool(self._profile) and explorer.remembered.history_of_all)
        self._reading: Reading | None = None
        self._answered: HistoryFilter | None = None
        """What those on view were looked for by."""
        self._shown: Reading | None = None
        """The last that found something, or that there is nothing."""
        self._on: HistoryRow | None = None
        """What the cursor stood on last, while nothing is found."""
        self._led_on: Callable[[], object] | None = None
        """What is to be done with the rows that are being looked for."""
        self._patience: Timer | None = None
        self._pane, self._preview = HistoryPane(zone), HistoryPreview(zone)

    def compose(self) -> ComposeResult:
        if self._header is not None:
            yield self._header
        if self._case is not None and self._case.note:
            yield CaseNote(self._case.note)
        with Horizontal(id="history"):
            yield self._pane
            yield self._preview
        if self._footer is not None:
            yield self._footer

    def on_mount(self) -> None:
        profile = self.explorer.profile
        self.set_class(profile is not None and profile.badge == "prod", "-prod")
        if self._case is not None:
            self._pane.case, self._preview.case_note = self._case.name, self._case.note
        self._pane.profile, self._pane.everyone = self._profile, self.everyone
        self.set_focus(self._pane.list)

    def on_unmount(self) -> None:
        """Nobody waits any longer for what is being looked for."""
        if self._reading is not None:
            self._reading.give_up()
        self.pending.go_on(ROWS)

    # --- reading -----------------------------------------------------------------------------------------------

    def on_screen_resume(self) -> None:
        """Calls may have come in meanwhile, from other processes too."""
        self._look()

    def _look(self, pause: float = 0.0) -> None:
        """Read from the newest on, for what is typed. The same question leaves as much on view as there was.

        Keys wait for the rows, except while somebody types what they are to be like.
        """
        only = None if self.everyone else self._profile or None
        now = datetime.now(self._zone)
        today = self._preview.today = self._today or now.date()
        now = datetime.combine(today, now.timetz())
        before, wanted = self._reading, HistoryFilter.of(self._pane.text, only, now=now)
        records = records_of(self.explorer, wanted) if self._case is None else iter(self._case.calls)
        reading = Reading(records, wanted, MOST if filter_words(wanted) else NEWEST, today, self._zone)
        if before is not None:
            before.give_up()
            if before.wanted == wanted:
                reading.goal, reading.least = before.goal, max(before.least, before.found)
        self._reading = reading
        if not pause:
            self._hold_keys()
        self._read(reading, pause)

    def _hold_keys(self) -> None:
        if self._patience is not None:
            self._patience.stop()
        self.pending.wait(ROWS)
        self._patience = self.set_timer(PATIENCE, self._let_keys_go)

    def _let_keys_go(self) -> None:
        self._led_on = None
        self.pending.go_on(ROWS)

    @work(exclusive=True, group="reading")
    async def _read(self, reading: Reading, pause: float = 0.0) -> None:
        """Read on until there is enough. What is on view stays until there is as much to take its place."""
        await asyncio.sleep(pause)
        if not reading.least:
            self._tell(reading)
        while not reading.full:
            await reading.go_on()
            if reading.ready:
                self._show(reading)

    def _show(self, reading: Reading) -> None:
        """What was found so far. The cursor stays on its call, or where that was; another question starts on top."""
        calls = self._pane.list
        self._on = on = self._on if calls.chosen is None else calls.chosen
        at = calls.cursor if reading.wanted == self._answered else 0
        if on is not None and not (0 <= at < len(reading.rows) and same(on, reading.rows[at])):
            at = next((index for index, row in enumerate(reading.rows) if same(on, row)), at)
        self._answered = reading.wanted
        calls.advice = advice(reading, self._profile, recording=self.explorer.journal.recording)
        calls.everyone = reading.wanted.profile is None
        calls.items = reading.rows
        calls.cursor = at
        if reading.found or reading.full:
            self._shown = reading
            if self._led_on is not None:
                self._led_on()
            self._let_keys_go()
        self._tell(reading)
        self._preview.call = self._record
        self.refresh_bindings()

    def _tell(self, reading: Reading) -> None:
        """How far it has come."""
        told = reading.told or (self._case.told if self._case is not None else "")
        self._pane.count, self._pane.told, self._pane.trouble = reading.count, told, reading.trouble

    # --- what happened -----------------------------------------------------------------------------------------

    def watch_everyone(self) -> None:
        """Other calls, and at the next start these again."""
        self.explorer.remembered.history_of_all = self._pane.everyone = self.everyone
        self._look()

    def on_descendant_focus(self) -> None:
        self.refresh_bindings()

    @on(HistoryPane.FilterChanged)
    def _typed(self) -> None:
        self._look(PAUSE)

    @on(HistoryPane.LedOn)
    def _into_list(self, event: HistoryPane.LedOn) -> None:
        """Out of the filter: what is typed has to be found first."""
        event.stop()
        self.set_focus(self._pane.list)
        if self._stale:
            self._led_on = event.move
            self._look()
        else:
            event.move()

    @on(HistoryPane.ScopeWanted)
    def _scope_wanted(self, event: HistoryPane.ScopeWanted) -> None:
        self.everyone = event.everyone

    @on(RowList.CursorMoved)
    def _moved(self, event: RowList.CursorMoved) -> None:
        event.stop()
        self._preview.call = self._record
        self.refresh_bindings()

    @on(HistoryList.EndNear)
    def _end_near(self, event: HistoryList.EndNear) -> None:
        event.stop()
        reading = self._reading
        if reading is not None and reading.full and not reading.ended:
            reading.goal = reading.found + NEWEST
            self._read(reading)

    @property
    def _stale(self) -> bool:
        """What is on view is no answer to what is typed."""
        return self._shown is None or self._reading is None or self._shown.wanted != self._reading.wanted

    @property
    def _record(self) -> Exchange | Damaged | None:
        row = self._pane.list.chosen
        return row if isinstance(row, Exchange | Damaged) else None

    @property
    def _call(self) -> Exchange | None:
        """The call under the cursor, where it could be read."""
        return self._record if isinstance(self._record, Exchange) else None
