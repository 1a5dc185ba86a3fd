"""The batch of a profile on screen: its calls in order, sent as one body, each with the outcome of its own.

What is collected is kept by the explorer; each key changes it at once, so that nothing is lost by leaving.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.batch import CollectedCalls, parts_of
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Stop, fresh_id
from rpcexplorer.text.exchange import ended, explanation, running, told, transport_line
from rpcexplorer.transport.port import Progress
from rpcexplorer.tui.batch.choice import BatchChoice
from rpcexplorer.tui.batch.list import BatchLine, BatchList, lines_of_batch
from rpcexplorer.tui.batch.preview import BatchPreview
from rpcexplorer.tui.commands import Scope, bindings, first_key
from rpcexplorer.tui.dialogs.answer_once import AnswersOnce
from rpcexplorer.tui.messages import CopyCallWanted
from rpcexplorer.tui.pending_keys import PendingKeys, opens
from rpcexplorer.tui.sizes import NARROW
from rpcexplorer.tui.widgets.bar import Bar
from rpcexplorer.tui.widgets.remarks import Remarks
from rpcexplorer.tui.widgets.row_list import RowList

TICK: Final = 0.1
LARGE: Final = 256 * 1024
"""Bytes of a reply that is taken apart beside the screen."""


class BatchScreen(AnswersOnce[BatchChoice | None], Screen[BatchChoice | None]):
    """The list of calls, and the one under the cursor beside it, or below where it is narrow."""

    DEFAULT_CSS = """
    BatchScreen { background: $background; color: $text; layout: vertical; overflow: hidden; }
    BatchScreen.-prod { border-left: outer $prod; border-right: outer $prod; }
    BatchScreen #batch { height: 1fr; }
    BatchScreen #calls { width: 55%; border-right: solid $line; }
    BatchScreen BatchPreview { width: 1fr; }
    BatchScreen.-narrow #batch { layout: vertical; }
    BatchScreen.-narrow #calls { width: 1fr; border-right: none; }
    BatchScreen.-narrow.-low BatchPreview { display: none; }
    """
    scope: ClassVar[Scope] = "batch"
    BINDINGS: ClassVar[list[BindingType]] = bindings("batch")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-wide")]  # noqa: RUF012 - Textual's own declaration
    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-tall")]  # noqa: RUF012 - Textual's own declaration

    sending: reactive[bool] = reactive(False, init=False)
    """It is under way: nothing can be changed until it is back."""

    def __init__(
        self,
        explorer: Explorer,
        pending: PendingKeys | None = None,
        *,
        header: Widget | None = None,
        footer: Widget | None = None,
        under_way: Callable[[], str] = lambda: "",
        at: Draft | None = None,
    ) -> None:
        """``under_way`` says which call runs elsewhere: one at a time is sent. ``at``: where the cursor is at first."""
        super().__init__()
        self.explorer = explorer
        self.pending = pending or PendingKeys()
        self._header, self._footer, self._under_way = header, footer, under_way
        add = first_key("add-to-batch", explorer.settings.keymap) or "The palette"
        self._bar, self._remarks = Bar(), Remarks()
        advice = [("   No calls yet. ", "dim"), (add, "bold"), (" puts the call in the editor here.", "dim")]
        self._list = BatchList([[], advice])
        self._preview = BatchPreview()
        self._begin_at = at
        self._stop: Stop | None = None
        self._progress: Progress | None = None
        self._started = 0.0

    def compose(self) -> ComposeResult:
        if self._header is not None:
            yield self._header
        with Horizontal(id="batch"):
            with Vertical(id="calls"):
                yield self._bar
                yield self._remarks
                yield self._list
            yield self._preview
        if self._footer is not None:
            yield self._footer

    def on_mount(self) -> None:
        profile = self.explorer.profile
        self.set_class(profile is not None and profile.badge == "prod", "-prod")
        self._show(self.calls.place_of(self._begin_at))
        self.set_focus(self._list)

    # --- what is on view ---------------------------------------------------------------------------------------

    @property
    def calls(self) -> CollectedCalls:
        profile = self.explorer.profile
        return self.explorer.batches.of(profile) if profile is not None else CollectedCalls()

    @property
    def _at(self) -> int | None:
        """Which of the calls is under the cursor."""
        return self._list.cursor if self._list.chosen is not None and self._list.chosen.row is not None else None

    @property
    def row(self) -> Draft | None:
        """The call under the cursor."""
        return self._list.chosen.row.draft if self._list.chosen and self._list.chosen.row else None

    def _show(self, at: int | None = None) -> None:
        """The batch as it is by now, with the cursor on one of its calls."""
        at = max(self._list.cursor, 0) if at is None else at
        self._list.items = lines_of_batch(self.calls)
        self._list.cursor = at
        self._preview.shown = self._list.chosen
        self._say()

    def _say(self) -> None:
        """How many calls there are, and how it ended when they were sent last."""
        count, sent = len(self.calls.rows), self.calls.sent
        words = [("Batch", "bold"), (f"  {count:,} call{'s' * (count != 1)}", "middle")]
        self._bar.after = ()
        if sent is not None and not self.sending:
            self._bar.after = [(f"   {transport_line(sent)}", "middle")]
            words += [("   ", "text"), *ended(sent, self._bar.room - len(f"Batch  {count:,} calls   "))]
        self._bar.words = words
        failed = sent if sent is not None and sent.exit_code and not self.sending else None
        pieces = told(failed, 0) if failed else []  # what a code means is said where the call is
        self._remarks.pieces = [each for each in pieces if failed and each[0] != explanation(failed.outcome)]
        self.refresh_bindings()

    def on_resize(self) -> None:
        self._say()

    def on_descendant_focus(self) -> None:
        self._bar.here = self._list.has_focus
        self.refresh_bindings()

    @on(RowList.CursorMoved)
    def _moved(self, event: RowList.CursorMoved) -> None:
        event.stop()
        self._preview.shown = self._list.chosen
        self.refresh_bindings()

    @on(RowList.RowChosen)
    def _chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        line: BatchLine = event.item
        if line.row is not None and not self.sending:
            self.dismiss(BatchChoice(line.row.draft, line.row.came))

    # --- changing it -------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        profile, rows = self.explorer.profile, self.calls.rows
        can = {
            "load": self._at is not None,
            "up": self._at is not None and self._at > 0,
            "down": self._at is not None and self._at < len(rows) - 1,
            "remove": self._at is not None,
            "notification": self._at is not None,
            "copy": self._at is not None and self.calls.rows[self._at].came is not None,
            "clear": bool(rows),
            "send": bool(rows),
            "undo": profile is not None and self.explorer.batches.has_replaced(profile),
        }
        return can[action] and (action == "send" or not self.sending) if action in can else True

    def action_up(self) -> None:
        self._move(-1)

    def action_down(self) -> None:
        self._move(1)

    def _move(self, by: int) -> None:
        if (at := self._at) is not None:
            self._keep(self.calls.moved(at, by))
            self._show(at + by)

    def action_notification(self) -> None:
        if (at := self._at) is not None:
            self._keep(self.calls.toggled(at))
            self._show()

    def action_remove(self) -> None:
        if (at := self._at) is not None:
            self._replace(self.calls.without(at))

    def action_copy(self) -> None:
        if (at := self._at) is not None and (came := self.calls.rows[at].came) is not None:
            self.post_message(CopyCallWanted(self, came))

    def action_clear(self) -> None:
        self._replace(CollectedCalls())

    def action_undo(self) -> None:
        if (profile := self.explorer.profile) is not None:
            self._tell(self.explorer.batches.bring_back(profile, self.explorer.credentials.in_use()))
            self._show()

    def _keep(self, batch: CollectedCalls) -> None:
        if (profile := self.explorer.profile) is not None:
            self._tell(self.explorer.batches.keep(profile, batch, self.explorer.credentials.in_use()))

    def _replace(self, batch: CollectedCalls) -> None:
        if (profile := self.explorer.profile) is not None:
            self._tell(self.explorer.batches.replace(profile, batch, self.explorer.credentials.in_use()))
            self._show()

    def _tell(self, trouble: str) -> None:
        if trouble:
            self.notify(f"{trouble[0].upper()}{trouble[1:]}.", markup=False, severity="warning")

    # --- sending it --------------------------------------------------------------------------------------------

    def action_send(self) -> None:
        if running := "the batch" if self.sending else self._under_way():
            self.notify(f"Nothing was sent: {running} is still running.", markup=False)
        else:
            self._send()

    @opens("send")
    async def _send(self) -> None:
        """Ask for values and consent, send, and show the outcome of each call."""
        from rpcexplorer.tui.batch.open_values import with_values
        from rpcexplorer.tui.dialogs.confirm import may_send

        batch, id = self.calls, fresh_id()
        draft = await with_values(self, self.explorer, Batch(batch.text), id)
        if draft is None or not await may_send(self, self.explorer, draft):
            return
        self._stop, self._progress = Stop(), None
        self._started = time.monotonic() - self.explorer.credentials.asked_for
        self.sending = True
        ticking = self.set_interval(TICK, self._tick)
        try:
            self._tick()
            exchange = await self.explorer.call(draft, id=id, watch=self._watch, stop=self._stop)
            self._stop = None  # it has ended: nothing is left to be cancelled
            is_large = len(exchange.response.body) > LARGE
            parts = await asyncio.to_thread(parts_of, exchange) if is_large else parts_of(exchange)
            self._keep(batch.came(exchange, parts))
        finally:
            ticking.stop()
            self._stop = None
            self.sending = False
        self._show()

    def _watch(self, progress: Progress) -> None:
        """It is on its way, and no secret will be asked for before it is back."""
        self._progress = progress
        self.pending.go_on("send")

    def _tick(self) -> None:
        elapsed = time.monotonic() - self._started - self.explorer.credentials.asked_for
        self._bar.after, self._bar.words = (), running("sending", "the batch", self._progress, elapsed)

    def watch_sending(self) -> None:
        self.refresh_bindings()
        self._say()

    def interrupt(self) -> bool:
        """End what runs; whether anything did."""
        if self._stop is None:
            return False
        self._stop.press()
        return True

    def action_close(self) -> None:
        """Out of what runs, the preview, the screen."""
        if self.interrupt():
            return
        if self._preview.has_focus_within:
            self.set_focus(self._list)
        else:
            self.dismiss(None)
