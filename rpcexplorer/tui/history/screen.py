"""The history screen: every call that was made, to find, read, load into the editor, send again, name and forget.

Each of its commands is an action of a few lines here; what is on view is ``searching.py``'s.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from textual import on
from textual.binding import BindingType

from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.text.history import HistoryRow, moment_words
from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.dialogs.other_profile import other_profile
from rpcexplorer.tui.history.changes import annotated, deleted
from rpcexplorer.tui.history.choice import HistoryChoice
from rpcexplorer.tui.history.marking import MarkingScreen
from rpcexplorer.tui.messages import CopyCallWanted, StatisticsWanted, TicketWanted
from rpcexplorer.tui.pending_keys import opens
from rpcexplorer.tui.sizes import NARROW
from rpcexplorer.tui.widgets.row_list import RowList


class HistoryScreen(MarkingScreen):
    """Calls can be taken from it to the call screen, copied, named and deleted."""

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
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-wide")]  # noqa: RUF012 - Textual's own declaration
    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-tall")]  # noqa: RUF012 - Textual's own declaration

    @on(RowList.RowChosen)
    def _chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        self._choose("load", event.item)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        call, record = (None, None) if self._stale else (self._call, self._record)
        written = self._case is None and not any(record is waiting for waiting in self.explorer.history.unsaved)
        single = call is not None and call.kind != "batch"  # the editor holds one call
        can = {
            "load": call is not None,
            "to_profile": single,
            "keep_call": single,
            "again": call is not None and not call.foreign,  # a stranger's is replayed: that asks where to
            "copy": call is not None,
            "ticket": call is not None,
            "name": call is not None and written,
            "annotate": call is not None and written,
            "delete": record is not None and bool(record.id) and written,
            "search": not self._pane.typing,
            "statistics": self._case is None and not self._stale,
            "scope": bool(self._profile),
        }
        return can[action] if action in can else super().check_action(action, parameters)

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
        """Out of what the focus is in: the filter, the preview, the marks, the calls of one figure, the screen."""
        if self._pane.typing:
            self._pane.leave_filter()
        elif self._preview.has_focus_within:
            self.set_focus(self._pane.list)
        elif not self._unmark() and not self._pane.widen():
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

    def action_statistics(self) -> None:
        """Of the calls that are looked for; a row of them leads back here."""
        if self._reading is not None:
            self.post_message(StatisticsWanted(self, self._reading.wanted, self._pane.narrow))

    def action_ticket(self) -> None:
        if self._call is not None:
            self.post_message(TicketWanted(self, self._call))

    @opens("edit")
    async def action_keep_call(self) -> None:
        """As it was typed, so that what stood in it for a value is found anew."""
        from rpcexplorer.tui.saved.keeping import kept

        if (call := self._call) is not None:
            await kept(self, self.explorer, Draft(call.method, call.params), name=call.name)

    @opens("edit")
    async def action_name(self) -> None:
        await self._annotate("name")

    @opens("edit")
    async def action_annotate(self) -> None:
        await self._annotate("note")

    async def _annotate(self, what: Literal["name", "note"]) -> None:
        call = self._call
        if call is not None and (now := await annotated(self, self.explorer, call, what, self._moment(call))):
            self._changed(call, now)
            self._look()

    @opens("edit")
    async def action_delete(self) -> None:
        """Ask first; what is deleted is gone."""
        record = self._record
        moment = self._moment(record) if isinstance(record, Exchange) else ""
        if record is not None and await deleted(self, self.explorer, record, moment):
            self._changed(record)
            self._look()

    def _moment(self, call: Exchange) -> str:
        return moment_words(call.when, self._preview.today, self._zone)
