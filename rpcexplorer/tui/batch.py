"""The batch screen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.strip import Strip

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.batch import BatchRow, CollectedCalls, parts_of
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange, Stop, fresh_id
from rpcexplorer.model.problem import capitalised, counted
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text.document import Document
from rpcexplorer.text.exchange import (
    ended,
    explanation,
    kind_word,
    on_one_line,
    outcome_pieces,
    remark_pieces,
    running,
    size,
    transport_line,
)
from rpcexplorer.text.printable import clipped, columns, fitted
from rpcexplorer.transport.port import Progress
from rpcexplorer.tui.commands import Scope, bindings, first_key
from rpcexplorer.tui.full_screen import FullScreen
from rpcexplorer.tui.key_queue import PendingKeys, opens
from rpcexplorer.tui.messages import CopyCallWanted
from rpcexplorer.tui.theme import Pieces, ThemeStyles, line, width_of
from rpcexplorer.tui.widgets.bars import Bar, Frame, WarningLines
from rpcexplorer.tui.widgets.dialog import Choice, Confirm
from rpcexplorer.tui.widgets.reader import Reader
from rpcexplorer.tui.widgets.rows import MAX_NAME_COLUMNS, RowList
from rpcexplorer.variables.resolve import Missing

_KIND: Final = len("notification")
_PARAMS: Final = 8
"""Columns below which the params are omitted."""


class BatchLine(Struct, frozen=True):
    """A call with its response, or a response without a call."""

    number: int
    row: BatchRow | None
    exchange: Exchange | None


class BatchList(RowList[BatchLine]):
    DEFAULT_CSS = "BatchList { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = bindings("batch", "batch.load")

    def __init__(self, advice: Sequence[Pieces] = ()) -> None:
        """``advice`` is shown if there are no calls."""
        super().__init__()
        self.empty = advice
        self._methods = 0

    def draw(self, item: BatchLine, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        ground = "selection" if chosen else "background"
        if item.row is None:
            assert item.exchange is not None
            unexpected = [("  ?  ", "careful"), (item.exchange.remarks[0].removeprefix("an "), "careful")]
            outcome = [("  ", "text"), *outcome_pieces(item.exchange, width // 3), (" ", "text")]
            return line(unexpected, width, styles, right=outcome, ground=ground)
        draft = item.row.draft
        methods = max(min(self._methods, MAX_NAME_COLUMNS, width // 4), 1)
        words = [
            (f"{item.number:>3}  ", "dim"),
            (f"{kind_word(notification=draft.notification):<{_KIND}}  ", "careful" if draft.notification else "middle"),
            (fitted(draft.method, methods), "text bold"),
        ]
        room = width - width_of(words) - len("    ")
        outcome = [] if item.exchange is None else outcome_pieces(item.exchange, max(room - _PARAMS, room // 2))
        left = room - width_of(outcome)
        if left >= _PARAMS:
            words.append((f"  {clipped(on_one_line(draft.text), left)}", "middle"))
        return line(words, width, styles, right=[*outcome, (" ", "text")], ground=ground)

    def watch_items(self) -> None:
        names = (line.row.draft.method for line in self.items if line.row is not None)
        self._methods = max((columns(name[:MAX_NAME_COLUMNS]) for name in names), default=0)
        super().watch_items()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is possible: only own calls can be loaded."""
        if action == "load":
            return self.chosen is not None and self.chosen.row is not None
        return super().check_action(action, parameters)

    action_load = RowList.action_choose


MAX_NAMED: Final = 6
REASON_COLUMNS: Final = 60


class BatchPreview(Vertical):
    DEFAULT_CSS = """
    BatchPreview { background: $background; }
    BatchPreview > Reader { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "fold", show=False)]

    shown: reactive[BatchLine | None] = reactive[BatchLine | None](None, init=False, always_update=True)

    def __init__(self) -> None:
        super().__init__()
        self._bar, self._remarks, self._reader = Bar(classes="-tinted"), WarningLines(), Reader()

    def compose(self) -> ComposeResult:
        yield self._bar
        yield self._remarks
        yield self._reader

    def on_mount(self) -> None:
        self.watch_shown()

    def on_resize(self) -> None:
        self._show_bar()

    def on_descendant_focus(self) -> None:
        self._bar.here = True

    def on_descendant_blur(self) -> None:
        self._bar.here = self.has_focus_within

    def watch_shown(self) -> None:
        self._show_bar()
        shown = self.shown
        self._reader.empty = [] if shown is None else [[], [("   No response to show.", "dim")]]
        text = b""
        if shown is not None and shown.exchange is not None:
            outcome = shown.exchange.outcome
            text = (outcome.value if isinstance(outcome, Result | ErrorObject) else b"") or shown.exchange.response.body
        elif shown is not None and shown.row is not None:
            text = (shown.row.draft.text.strip() or "[]").encode(errors="backslashreplace")
        self._reader.document = Document.of_json(text) if text else None

    def _show_bar(self) -> None:
        exchange = self.shown.exchange if self.shown else None
        self._remarks.pieces = []
        if exchange is not None:
            self._bar.after = [(f"   {size(exchange.response.size)}", "middle")] if exchange.response.size else ()
            self._bar.words = ended(exchange, self._bar.room)
            self._remarks.pieces = remark_pieces(exchange, self._bar.room)
        elif self.shown is not None and self.shown.row is not None:
            draft = self.shown.row.draft
            self._bar.after = ()
            what = f"  {kind_word(notification=draft.notification)}, not sent yet"
            self._bar.words = [(draft.method, "text bold"), (what, "middle")]
        else:
            self._bar.words = self._bar.after = ()

    def action_fold(self) -> None:
        self._reader.fold()


TICK: Final = 0.1
LARGE: Final = 256 * 1024
"""Bytes of a response that is parsed in a thread."""


class BatchScreen(FullScreen[BatchRow | None]):
    """The collected calls and a preview of the current one."""

    DEFAULT_CSS = """
    BatchScreen #batch { height: 1fr; }
    BatchScreen #calls { width: 55%; border-right: solid $line; }
    BatchScreen BatchPreview { width: 1fr; }
    BatchScreen.-narrow #batch { layout: vertical; }
    BatchScreen.-narrow #calls { width: 1fr; border-right: none; }
    BatchScreen.-narrow.-low BatchPreview { display: none; }
    """
    scope: ClassVar[Scope] = "batch"
    BINDINGS: ClassVar[list[BindingType]] = bindings("batch")

    sending: reactive[bool] = reactive(False, init=False)
    """While the batch is sent, it cannot be changed."""

    def __init__(
        self,
        explorer: Explorer,
        pending: PendingKeys,
        frame: Frame,
        *,
        under_way: Callable[[], str] = lambda: "",
        at: Draft | None = None,
    ) -> None:
        """``under_way`` names a call that another screen sends.

        ``at``: the call under the cursor at first.
        """
        super().__init__(pending, frame, explorer.profile)
        self.explorer, self._under_way = explorer, under_way
        keymap = explorer.settings.keymap
        add = first_key("add-to-batch", keymap) or first_key("palette", keymap)
        self._bar, self._remarks = Bar(), WarningLines()
        advice = [("   No calls yet. Press ", "dim"), (add, "bold"), (" in the editor to add one.", "dim")]
        self._list = BatchList([[], advice])
        self._preview = BatchPreview()
        self._begin_at = at
        self._stop: Stop | None = None
        self._progress: Progress | None = None
        self._started = 0.0

    def compose(self) -> ComposeResult:
        calls = Vertical(self._bar, self._remarks, self._list, id="calls")
        yield from self.frame.around(Horizontal(calls, self._preview, id="batch"))

    def on_mount(self) -> None:
        self._show(self.calls.place_of(self._begin_at))
        self.set_focus(self._list)

    @property
    def calls(self) -> CollectedCalls:
        profile = self.explorer.profile
        return self.explorer.batches.of(profile) if profile is not None else CollectedCalls()

    @property
    def _at(self) -> int | None:
        return self._list.cursor if self._list.chosen is not None and self._list.chosen.row is not None else None

    @property
    def row(self) -> Draft | None:
        return self._list.chosen.row.draft if self._list.chosen and self._list.chosen.row else None

    def _show(self, at: int | None = None) -> None:
        at = max(self._list.cursor, 0) if at is None else at
        batch = self.calls
        calls = (BatchLine(number, row, row.exchange) for number, row in enumerate(batch.rows, start=1))
        self._list.items = [*calls, *(BatchLine(0, None, exchange) for exchange in batch.unexpected)]
        self._list.cursor = at
        self._preview.shown = self._list.chosen
        self._show_bar()

    def _show_bar(self) -> None:
        count, sent = len(self.calls.rows), self.calls.sent
        words = [("Batch", "bold"), (f"  {counted(count, 'call')}", "middle")]
        self._bar.after = ()
        if sent is not None and not self.sending:
            self._bar.after = [(f"   {transport_line(sent)}", "middle")]
            words += [("   ", "text"), *ended(sent, self._bar.room - len(f"Batch  {count:,} calls   "))]
        self._bar.words = words
        failed = sent if sent is not None and sent.exit_code and not self.sending else None
        pieces = remark_pieces(failed, 0) if failed else []  # The explanation of an error code is shown with its call.
        self._remarks.pieces = [piece for piece in pieces if failed and piece[0] != explanation(failed.outcome)]
        self.refresh_bindings()

    def on_resize(self) -> None:
        self._show_bar()

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
            self.dismiss(line.row)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        profile, rows = self.explorer.profile, self.calls.rows
        can = {
            "load": self._at is not None,
            "up": self._at is not None and self._at > 0,
            "down": self._at is not None and self._at < len(rows) - 1,
            "remove": self._at is not None,
            "notification": self._at is not None,
            "copy": self._at is not None and self.calls.rows[self._at].exchange is not None,
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
            self._write(self.calls.moved(at, by))
            self._show(at + by)

    def action_notification(self) -> None:
        if (at := self._at) is not None:
            self._write(self.calls.toggled(at))
            self._show()

    def action_remove(self) -> None:
        if (at := self._at) is not None:
            self._write(self.calls.without(at), undoable=True)
            self._show()

    def action_copy(self) -> None:
        if (at := self._at) is not None and (exchange := self.calls.rows[at].exchange) is not None:
            self.post_message(CopyCallWanted(exchange))

    def action_clear(self) -> None:
        self._write(CollectedCalls(), undoable=True)
        self._show()

    def action_undo(self) -> None:
        if (profile := self.explorer.profile) is not None:
            self._warn(self.explorer.batches.bring_back(profile, self.explorer.credentials.in_use()))
            self._show()

    def _write(self, batch: CollectedCalls, *, undoable: bool = False) -> None:
        if (profile := self.explorer.profile) is not None:
            write = self.explorer.batches.replace if undoable else self.explorer.batches.keep
            self._warn(write(profile, batch, self.explorer.credentials.in_use()))

    def _warn(self, problem: str) -> None:
        if problem:
            self.notify(f"{capitalised(problem)}.", severity="warning")

    def action_send(self) -> None:
        if running := "the batch" if self.sending else self._under_way():
            self.notify(f"Nothing was sent: {running} was still running.")
        else:
            self._send()

    @opens("send")
    async def _send(self) -> None:
        from rpcexplorer.tui.dialogs import may_send

        batch, id = self.calls, fresh_id()
        draft = await self._resolved(Batch(batch.text), id)
        if draft is None or not await may_send(self, self.explorer, draft):
            return
        self._stop, self._progress = Stop(), None
        self._started = time.monotonic() - self.explorer.credentials.asked_for
        self.sending = True
        ticking = self.set_interval(TICK, self._tick)
        try:
            self._tick()
            exchange = await self.explorer.call(draft, id=id, watch=self._watch, stop=self._stop)
            self._stop = None  # The batch has ended and can no longer be cancelled.
            is_large = len(exchange.response.body) > LARGE
            parts = await asyncio.to_thread(parts_of, exchange) if is_large else parts_of(exchange)
            self._write(batch.with_exchange(exchange, parts))
        finally:
            ticking.stop()
            self._stop = None
            self.sending = False
        self._show()

    async def _resolved(self, batch: Batch, id: str) -> Batch | Draft | None:
        """Return the batch with its variables filled; None to send nothing."""
        found = self.explorer.resolved(batch, id=id)
        if not isinstance(found, Missing):
            return found
        rows = [
            (str(missing.reference), clipped(missing.why, REASON_COLUMNS)) for missing in found.unresolved[:MAX_NAMED]
        ]
        choices = [Choice("typed", "Send as typed")]
        if len(found.names) == len(found.unresolved):
            choices.insert(0, Choice("fill", "Enter values"))
        answer = await self.app.push_screen_wait(Confirm("Send this batch without these values?", rows, choices))
        if answer == "fill":
            from rpcexplorer.tui.saved_calls import fill_variables

            return await fill_variables(self, self.explorer, batch, {}, id=id)
        return batch if answer == "typed" else None

    def _watch(self, progress: Progress) -> None:
        """Let keys go: no secret is asked for once the batch is sent."""
        self._progress = progress
        self.pending.go_on("send")

    def _tick(self) -> None:
        elapsed = time.monotonic() - self._started - self.explorer.credentials.asked_for
        self._bar.after, self._bar.words = (), running("sending", "the batch", self._progress, elapsed)

    def watch_sending(self) -> None:
        self.refresh_bindings()
        self._show_bar()

    def interrupt(self) -> bool:
        if self._stop is None:
            return False
        self._stop.press()
        return True

    def action_close(self) -> None:
        """Cancel the batch, else leave the preview, else the screen."""
        if self.interrupt() or self.sending:  # Closing now would lose the outcome of the batch.
            return
        if self._preview.has_focus_within:
            self.set_focus(self._list)
        else:
            self.dismiss(None)
