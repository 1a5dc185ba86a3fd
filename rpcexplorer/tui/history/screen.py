"""The history screen: every call that was made, to find, read, load into the editor, send again, name and forget.

It reads the history through ``Reading`` and knows no more of files than that. Each of its commands is an action of a
few lines here, which makes the file a little longer than others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import date, datetime, tzinfo
from typing import ClassVar, Final, Literal

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.dialogs.answer_once import AnswersOnce
from rpcexplorer.tui.dialogs.other_profile import other_profile
from rpcexplorer.tui.history.changes import annotated, deleted
from rpcexplorer.tui.history.choice import HistoryChoice
from rpcexplorer.tui.history.list import HistoryList
from rpcexplorer.tui.history.pane import HistoryPane
from rpcexplorer.tui.history.preview import HistoryPreview
from rpcexplorer.tui.history.reading import Reading, advice, story_of
from rpcexplorer.tui.messages import CopyCallWanted
from rpcexplorer.tui.pending_keys import PendingKeys, opens
from rpcexplorer.tui.widgets.row_list import RowList
from rpcexplorer.views.history_rows import HistoryRow, filter_words, moment_words, same

NEWEST: Final = 200
"""So many calls are read at first, and again when the last of them come into view."""
MOST: Final = 2000
"""A filter looks on by itself until it has found so many."""
PAUSE: Final = 0.08
"""Seconds without a key before a filter is looked for."""
PATIENCE: Final = 3.0
"""Seconds after which keys wait no longer for the rows that they are for; what is on view then can only be left."""
ROWS: Final = "rows"


class HistoryScreen(AnswersOnce[HistoryChoice | None], Screen[HistoryChoice | None]):
    """The list with its filter, and a preview of the call under the cursor: beside it, or below where it is narrow."""

    DEFAULT_CSS = """
    HistoryScreen { background: $background; color: $text; layout: vertical; overflow: hidden; }
    HistoryScreen.-prod { border-left: outer $prod; border-right: outer $prod; }
    HistoryScreen #history { height: 1fr; }
    HistoryScreen HistoryPane { width: 55%; border-right: solid $line; }
    HistoryScreen HistoryPreview { width: 1fr; }
    HistoryScreen.-narrow #history { layout: vertical; }
    HistoryScreen.-narrow HistoryPane { width: 1fr; border-right: none; }
    HistoryScreen.-narrow.-low HistoryPreview { display: none; }
    """
    scope: ClassVar[Scope] = "history"
    BINDINGS: ClassVar[list[BindingType]] = bindings("history")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual's own declaration
    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-tall")]  # noqa: RUF012 - Textual's own declaration

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
    ) -> None:
        """``zone``: where whoever looks lives; ``today``: which day it is there. None asks the machine."""
        super().__init__()
        self.explorer = explorer
        self.pending = pending or PendingKeys()
        self._header, self._footer, self._zone, self._today = header, footer, zone, today
        self._profile = explorer.profile.name if explorer.profile else ""
        self.set_reactive(HistoryScreen.everyone, bool(self._profile) and explorer.remembered.history_of_all)
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
        with Horizontal(id="history"):
            yield self._pane
            yield self._preview
        if self._footer is not None:
            yield self._footer

    def on_mount(self) -> None:
        profile = self.explorer.profile
        self.set_class(profile is not None and profile.badge == "prod", "-prod")
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
        before, wanted = self._reading, HistoryFilter.of(self._pane.text, only)
        today = self._preview.today = self._today or datetime.now(self._zone).date()
        story = story_of(self.explorer, wanted)
        reading = Reading(story, wanted, MOST if filter_words(wanted) else NEWEST, today, self._zone)
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
        self._pane.count, self._pane.told, self._pane.trouble = reading.count, reading.told, reading.trouble

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

    @on(RowList.RowChosen)
    def _chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        self._choose("load", event.item)

    @on(HistoryList.EndNear)
    def _end_near(self, event: HistoryList.EndNear) -> None:
        event.stop()
        reading = self._reading
        if reading is not None and reading.full and not reading.ended:
            reading.goal = reading.found + NEWEST
            self._read(reading)

    # --- actions -----------------------------------------------------------------------------------------------

    @property
    def _stale(self) -> bool:
        """What is on view is no answer to what is typed."""
        return self._shown is None or self._reading is None or self._shown.wanted != self._reading.wanted

    @property
    def _record(self) -> Exchange | Damaged | None:
        """What the cursor stands on."""
        row = self._pane.list.chosen
        return row if isinstance(row, Exchange | Damaged) else None

    @property
    def _call(self) -> Exchange | None:
        """The call under the cursor, where it could be read."""
        return self._record if isinstance(self._record, Exchange) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        call, record = (None, None) if self._stale else (self._call, self._record)
        written = not any(record is waiting for waiting in self.explorer.history.unsaved)
        single = call is not None and call.kind != "batch"  # the editor holds one call
        can = {
            "load": single,
            "to_profile": single,
            "again": call is not None,
            "copy": call is not None,
            "name": call is not None and written,
            "annotate": call is not None and written,
            "delete": record is not None and bool(record.id) and written,
            "search": not self._pane.typing,
            "scope": bool(self._profile),
        }
        return can.get(action, True)

    def action_load(self) -> None:
        self._choose("load", self._record)

    def action_again(self) -> None:
        self._choose("again", self._record)

    @opens("carry")
    async def action_to_profile(self) -> None:
        call = self._call
        if call is not None and (name := await other_profile(self, self.explorer, call.profile)):
            self.dismiss(HistoryChoice(call, "carry", name))

    def _choose(self, action: Literal["load", "again"], row: HistoryRow | None) -> None:
        if isinstance(row, Exchange) and self.check_action(action, ()):
            self.dismiss(HistoryChoice(row, action))

    def action_close(self) -> None:
        """Out of what the focus is in: the filter, the preview, the screen."""
        if self._pane.typing:
            self._pane.leave_filter()
        elif self._preview.has_focus_within:
            self.set_focus(self._pane.list)
        else:
            self.dismiss(None)

    def action_search(self) -> None:
        self._pane.focus_filter()

    def action_tab_next(self) -> None:
        self._preview.turn(1)

    def action_tab_previous(self) -> None:
        self._preview.turn(-1)

    def action_scope(self) -> None:
        self.everyone = not self.everyone

    def action_copy(self) -> None:
        if self._call is not None:
            self.post_message(CopyCallWanted(self, self._call))

    @opens("edit")
    async def action_name(self) -> None:
        await self._annotate("name")

    @opens("edit")
    async def action_annotate(self) -> None:
        await self._annotate("note")

    async def _annotate(self, what: Literal["name", "note"]) -> None:
        call = self._call
        if call is not None and await annotated(self, self.explorer, call, what, self._moment(call)):
            self._look()

    @opens("edit")
    async def action_delete(self) -> None:
        """Ask first; what is deleted is gone."""
        record = self._record
        moment = self._moment(record) if isinstance(record, Exchange) else ""
        if record is not None and await deleted(self, self.explorer, record, moment):
            self._look()

    def _moment(self, call: Exchange) -> str:
        return moment_words(call.when, self._preview.today, self._zone)
