"""The batch screen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

from msgspec import Struct
from textual.strip import Strip

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.batch import BatchRow, CollectedCalls, parts_of
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange, fresh_id
from rpcexplorer.model.problem import capitalised, counted
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text.columns import Cell, Column
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
from rpcexplorer.text.printable import clipped
from rpcexplorer.transport.port import Progress
from rpcexplorer.tui.browser import Browser, Detail
from rpcexplorer.tui.call.state import Running
from rpcexplorer.tui.commands import first_key
from rpcexplorer.tui.key_queue import PendingKeys, opens
from rpcexplorer.tui.theme import ThemeStyles, line
from rpcexplorer.tui.widgets.bars import Frame
from rpcexplorer.tui.widgets.dialog import Choice, Confirm
from rpcexplorer.tui.widgets.rows import ItemList
from rpcexplorer.variables.resolve import Missing


class BatchLine(Struct, frozen=True):
    """A call with its response, or a response without a call."""

    number: int
    row: BatchRow | None
    exchange: Exchange | None

    @property
    def draft(self) -> Draft:
        assert self.row is not None
        return self.row.draft


def _kind(line: BatchLine) -> Cell:
    is_notification = line.draft.notification
    return [(kind_word(notification=is_notification), "careful" if is_notification else "middle")]


def _params(line: BatchLine, room: int) -> Cell:
    return [(clipped(on_one_line(line.draft.text), room), "middle")]


def _outcome(line: BatchLine, room: int) -> Cell:
    return outcome_pieces(line.exchange, max(room - MIN_PARAMS, room // 2)) if line.exchange else []


MIN_PARAMS: Final = 8
"""Columns below which the params are omitted."""
COLUMNS: Final = (
    Column[BatchLine](lambda line: [(f"{line.number:>3}", "dim")], width=3, gap=0),
    Column(_kind),
    Column[BatchLine](lambda line: [(line.draft.method, "text bold")], share=4),
    Column(fit=_params, fills=True, least=MIN_PARAMS),
    Column(fit=_outcome, right=True, gap=1),
    Column[BatchLine](width=1, gap=0),
)


class BatchList(ItemList[BatchLine]):
    def in_columns(self, item: BatchLine) -> bool:
        return item.row is not None

    def draw(self, item: BatchLine, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        if item.row is not None or item.exchange is None:
            return super().draw(item, width, styles, chosen=chosen)
        unexpected = [("  ?  ", "careful"), (item.exchange.remarks[0].removeprefix("an "), "careful")]
        outcome = [("  ", "text"), *outcome_pieces(item.exchange, width // 3), (" ", "text")]
        return line(unexpected, width, styles, right=outcome, ground="selection" if chosen else "background")


MAX_NAMED: Final = 6
REASON_COLUMNS: Final = 60
TICK: Final = 0.1
LARGE: Final = 256 * 1024
"""Bytes of a response that is parsed in a thread."""


class BatchScreen(Browser[BatchLine, BatchRow | None], scope="batch"):
    """The collected calls and a preview of the current one."""

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
        super().__init__(BatchList(COLUMNS), pending, frame, explorer.profile)
        self.explorer, self._under_way = explorer, under_way
        keymap = explorer.settings.keymap
        add = first_key("add-to-batch", keymap) or first_key("palette", keymap)
        advice = [("   No calls yet. Press ", "dim"), (add, "bold"), (" in the editor to add one.", "dim")]
        self.list.empty = [[], advice]
        self._begin_at = at

    def on_mount(self) -> None:
        self._show(self.calls.place_of(self._begin_at))

    @property
    def calls(self) -> CollectedCalls:
        profile = self.explorer.profile
        return self.explorer.batches.of(profile) if profile is not None else CollectedCalls()

    @property
    def draft(self) -> Draft | None:
        """The call under the cursor."""
        return self.row.draft if self.row is not None and self.row.row is not None else None

    def _show(self, at: int | None = None) -> None:
        batch, at = self.calls, self.list.cursor if at is None else at
        lines = [BatchLine(number, row, row.exchange) for number, row in enumerate(batch.rows, start=1)]
        self.list.items = lines + [BatchLine(0, None, exchange) for exchange in batch.unexpected]
        self.list.cursor = at
        self._show_bar()
        self.show_detail()

    def _show_bar(self) -> None:
        count = len(self.calls.rows)
        sent = self.calls.sent if self.stop is None else None
        words = [("Batch", "bold"), (f"  {counted(count, 'call')}", "middle")]
        self.bar.after, self.remarks.pieces = (), []
        if sent is not None:
            self.bar.after = [(f"   {transport_line(sent)}", "middle")]
            words += [("   ", "text"), *ended(sent, self.bar.room - len(f"Batch  {count:,} calls   "))]
            if sent.exit_code:  # The explanation of an error code is shown with its call.
                explained = explanation(sent.outcome)
                self.remarks.pieces = [piece for piece in remark_pieces(sent, 0) if piece[0] != explained]
        self.bar.words = words

    def on_resize(self) -> None:
        self._show_bar()

    def detail(self, row: BatchLine | None) -> Detail:
        if row is None:
            return Detail(None)
        exchange = row.exchange
        if exchange is None:
            what = f"  {kind_word(notification=row.draft.notification)}, not sent yet"
            title = [(row.draft.method, "text bold"), (what, "middle")]
            text = (row.draft.text.strip() or "[]").encode(errors="backslashreplace")
            return Detail(None, outcome=lambda _: title, text=text)
        outcome = exchange.outcome
        text = (outcome.value if isinstance(outcome, Result | ErrorObject) else b"") or exchange.response.body
        return Detail(
            None,
            outcome=partial(ended, exchange),
            outcome_after=[(f"   {size(exchange.response.size)}", "middle")] if exchange.response.size else (),
            remarks=partial(remark_pieces, exchange),
            text=text,
            nothing="No response to show.",
        )

    def has(self, state: str) -> bool:
        profile, line = self.explorer.profile, self.row
        match state:
            case "idle":
                return self.stop is None
            case "row":
                return self.draft is not None
            case "filled":
                return bool(self.calls.rows)
            case "sent":
                return line is not None and line.exchange is not None
            case "above":
                return self.list.cursor > 0
            case "below":
                return self.list.cursor < len(self.calls.rows) - 1
            case "undo":
                return profile is not None and self.explorer.batches.has_replaced(profile)
        return super().has(state)

    action_load = Browser.action_open

    def choose(self, row: BatchLine) -> None:
        if row.row is not None and self.stop is None:
            self.dismiss(row.row)

    def action_up(self) -> None:
        self._change(self.calls.moved(self.list.cursor, -1), self.list.cursor - 1)

    def action_down(self) -> None:
        self._change(self.calls.moved(self.list.cursor, 1), self.list.cursor + 1)

    def action_notification(self) -> None:
        self._change(self.calls.toggled(self.list.cursor))

    def action_remove(self) -> None:
        self._change(self.calls.without(self.list.cursor), undoable=True)

    def action_clear(self) -> None:
        self._change(CollectedCalls(), undoable=True)

    def action_copy(self) -> None:
        if self.row is not None and self.row.exchange is not None:
            from rpcexplorer.tui.call.copying import copy_recorded

            copy_recorded(self, self.row.exchange)

    def action_undo(self) -> None:
        if (profile := self.explorer.profile) is not None:
            self._warn(self.explorer.batches.bring_back(profile, self.explorer.credentials.in_use()))
            self._show()

    def _change(self, batch: CollectedCalls, at: int | None = None, *, undoable: bool = False) -> None:
        if (profile := self.explorer.profile) is not None:
            write = self.explorer.batches.replace if undoable else self.explorer.batches.keep
            self._warn(write(profile, batch, self.explorer.credentials.in_use()))
            self._show(at)

    def _warn(self, problem: str) -> None:
        if problem:
            self.notify(f"{capitalised(problem)}.", severity="warning")

    def action_send(self) -> None:
        running = self._under_way() if self.stop is None else "the batch"
        if running:
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
        under_way = Running(self.explorer, "sending", "the batch")

        def show() -> None:
            self.bar.after = ()
            room, progress = self.bar.room, under_way.progress
            self.bar.words = running(under_way.words, under_way.method, progress, under_way.seconds, room=room)

        def watch(progress: Progress) -> None:
            """Let keys go: no secret is asked for once the batch is sent."""
            under_way.progress = progress
            self.pending.go_on("send")

        self.stop, ticking = under_way.stop, self.set_interval(TICK, show)
        try:
            show()
            self.refresh_bindings()
            exchange = await self.explorer.call(draft, id=id, watch=watch, stop=under_way.stop)
            is_large = len(exchange.response.body) > LARGE
            parts = await asyncio.to_thread(parts_of, exchange) if is_large else parts_of(exchange)
        finally:
            ticking.stop()
            self.stop = None  # Not before: Esc would close the screen, and the outcome would be lost.
            self._show()
        self._change(batch.with_exchange(exchange, parts))

    async def _resolved(self, batch: Batch, id: str) -> Batch | Draft | None:
        """Return the batch with its variables filled; None to send nothing."""
        found = self.explorer.resolved(batch, id=id)
        if not isinstance(found, Missing):
            return found
        rows = [(str(one.reference), clipped(one.why, REASON_COLUMNS)) for one in found.unresolved[:MAX_NAMED]]
        choices = [Choice("typed", "Send as typed")]
        if len(found.names) == len(found.unresolved):
            choices.insert(0, Choice("fill", "Enter values"))
        answer = await self.app.push_screen_wait(Confirm("Send this batch without these values?", rows, choices))
        if answer == "fill":
            from rpcexplorer.tui.saved_calls import fill_variables

            return await fill_variables(self, self.explorer, batch, {}, id=id)
        return batch if answer == "typed" else None
