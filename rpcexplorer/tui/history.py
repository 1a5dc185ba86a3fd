"""The history screen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Final, Literal

from msgspec import Struct
from msgspec.structs import replace
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.geometry import Size

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.model.problem import capitalised
from rpcexplorer.text.exchange import outcome_words, size
from rpcexplorer.text.history import HistoryRow, case_note_lines, moment_words
from rpcexplorer.text.printable import clipped, printable
from rpcexplorer.text.wrapping import wrapped
from rpcexplorer.tui.commands import Scope, bindings, commands_of, keys_of
from rpcexplorer.tui.dialogs import other_profile
from rpcexplorer.tui.full_screen import FullScreen
from rpcexplorer.tui.history_panes import HistoryList, HistoryPane, HistoryPreview
from rpcexplorer.tui.history_search import PAUSE_SECONDS, CaseOnView, Search
from rpcexplorer.tui.key_queue import PendingKeys, opens
from rpcexplorer.tui.messages import (
    ComparisonWanted,
    CopyCallWanted,
    ExportWanted,
    ReplayWanted,
    ReportWanted,
    StatisticsWanted,
)
from rpcexplorer.tui.widgets.bars import Frame
from rpcexplorer.tui.widgets.dialog import Ask, Caution, Choice, Confirm
from rpcexplorer.tui.widgets.rows import RowList, Sheet


class HistoryChoice(Struct, frozen=True):
    """A call chosen in the history, and the action to do."""

    exchange: Exchange
    action: Literal["load", "again", "carry"]
    profile: str = ""


class CaseNote(Sheet):
    """The note of a case. A long one gets the focus, so that keys scroll it."""

    DEFAULT_CSS = """
    CaseNote { height: auto; max-height: 30%; background: $surface; }
    CaseNote.-long { border-bottom: solid $line; border-subtitle-color: $middle; }
    """
    MORE: ClassVar[str] = " ↓ PgDn scroll, Tab go to the calls "

    def __init__(self, note: str) -> None:
        super().__init__()
        self.can_focus = False
        self.set_reactive(Sheet.lines, case_note_lines(note))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return sum(1 for line in self.lines for _ in wrapped(line, max(width - 1, 1)))

    def on_resize(self) -> None:
        super().on_resize()
        is_long, was_long = self.virtual_size.height > self.size.height, self.can_focus
        self.can_focus, self.border_subtitle = is_long, self.MORE if is_long else ""
        self.set_class(is_long, "-long")
        if is_long and not was_long:
            self.screen.set_focus(self)


ROOM: Final = 56
"""Columns for a value in a question."""


class HistoryScreen(FullScreen[HistoryChoice | None]):
    DEFAULT_CSS = """
    HistoryScreen #history { height: 1fr; }
    HistoryScreen HistoryPane { width: 55%; border-right: solid $line; }
    HistoryScreen HistoryPreview { width: 1fr; }
    HistoryScreen.-narrow #history { layout: vertical; }
    HistoryScreen.-narrow HistoryPane { width: 1fr; border-right: none; }
    HistoryScreen.-narrow.-low HistoryPreview { display: none; }
    """
    scope: ClassVar[Scope] = "history"
    BINDINGS: ClassVar[list[BindingType]] = bindings("history")

    def __init__(
        self, explorer: Explorer, pending: PendingKeys, frame: Frame, *, case: CaseOnView | None = None
    ) -> None:
        """``case``: show its calls instead of the history."""
        super().__init__(pending, frame, explorer.profile)
        self.explorer, self._case = explorer, case
        self._profile = explorer.profile.name if explorer.profile and case is None else ""
        self._pane, self._preview = HistoryPane(frame.zone), HistoryPreview(frame.zone)
        self.search = Search(self, self._pane, explorer, self.pending, self._show_call, frame=frame, case=case)
        self.marked: tuple[Exchange, ...] = ()
        """The marked calls, in order of marking. They stay through other filters."""

    def compose(self) -> ComposeResult:
        note = [CaseNote(self._case.note)] if self._case is not None and self._case.note else []
        yield from self.frame.around(*note, Horizontal(self._pane, self._preview, id="history"))

    def on_mount(self) -> None:
        if self._case is not None:
            self._pane.case, self._preview.case_note = self._case.name, self._case.note
        self._pane.profile = self._profile
        self._pane.everyone = bool(self._profile) and self.explorer.remembered.history_of_all
        self.set_focus(self._pane.list)

    def on_unmount(self) -> None:
        self.search.stop()

    def on_screen_resume(self) -> None:
        """Search again: other processes may have recorded calls, too."""
        self.search.start()

    def on_descendant_focus(self) -> None:
        self.refresh_bindings()

    @property
    def _record(self) -> Exchange | Damaged | None:
        row = self._pane.list.chosen
        return row if isinstance(row, Exchange | Damaged) else None

    @property
    def _call(self) -> Exchange | None:
        return self._record if isinstance(self._record, Exchange) else None

    @property
    def _event(self) -> Exchange | None:
        return self._call if self._call is not None and self._call.kind == "event" else None

    def _show_call(self) -> None:
        self._preview.today = self.search.today
        self._preview.call = self._record
        self.refresh_bindings()

    def _mark(self, calls: Iterable[Exchange]) -> None:
        self.marked = tuple(calls)
        self._pane.marked = frozenset(call.id for call in self.marked)
        self.refresh_bindings()

    def _others_marked(self, call: Exchange | Damaged) -> list[Exchange]:
        return [exchange for exchange in self.marked if exchange.id != call.id]

    @on(HistoryPane.ScopeWanted)
    def _scope_wanted(self, event: HistoryPane.ScopeWanted) -> None:
        if event.everyone != self._pane.everyone:
            self.action_scope()

    @on(HistoryPane.FilterChanged)
    def _filter_changed(self) -> None:
        self.search.start(PAUSE_SECONDS)

    @on(HistoryPane.KeyForList)
    def _into_list(self, event: HistoryPane.KeyForList) -> None:
        """Go from the filter to the list, once the typed filter has results."""
        event.stop()
        self.set_focus(self._pane.list)
        self.search.when_found(event.move)

    @on(HistoryList.EndNear)
    def _end_near(self, event: HistoryList.EndNear) -> None:
        event.stop()
        self.search.read_on()

    @on(RowList.CursorMoved)
    def _cursor_moved(self, event: RowList.CursorMoved) -> None:
        event.stop()
        self._show_call()

    @on(RowList.RowChosen)
    def _row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        self._choose("load", event.item)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        is_stale = self.search.is_stale
        noted, record = (None, None) if is_stale else (self._call, self._record)
        call = None if noted is not None and noted.kind == "event" else noted
        written = self._case is None and not any(record is waiting for waiting in self.explorer.history.unsaved)
        single = call is not None and call.kind != "batch"  # The editor holds one call.
        can = {
            "load": call is not None,
            "to_profile": single,
            "keep_call": single and self.explorer.profile is not None,
            # An imported call is replayed instead: that asks for a profile.
            "again": call is not None and not call.foreign,
            "copy": noted is not None,
            "save": noted is not None and call is None,
            "ticket": call is not None,
            "mark": call is not None,
            "compare": call is not None,
            "replay": call is not None or bool(self.marked),
            "export": call is not None or bool(self.marked),
            "name": noted is not None and written,
            "annotate": noted is not None and written,
            "delete": record is not None and bool(record.id) and written,
            "search": not self._pane.typing,
            "statistics": self._case is None and not is_stale,
            "scope": bool(self._profile),
        }
        return can.get(action, True)

    def on_key(self, event: events.Key) -> None:
        """Say why a key for calls does nothing with an event."""
        keymap = self.explorer.settings.keymap
        actions = {command.action for command in commands_of("history") if event.key in keys_of(command, keymap)}
        is_possible = all(self.check_action(action, ()) for action in actions)
        if self._event is not None and not (self._pane.typing or is_possible):
            event.stop()
            self.notify("This is an event. Only calls can be loaded, resent, compared or exported.")

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
        """Leave the filter, preview, marks, narrowed filter or the screen."""
        if self._pane.typing:
            self._pane.leave_filter()
        elif self._preview.has_focus_within:
            self.set_focus(self._pane.list)
        elif self.marked:
            self._mark(())
        elif not self._pane.widen():
            self.dismiss(None)

    def action_search(self) -> None:
        self._pane.focus_filter()

    def action_tab_next(self) -> None:
        self._preview.turn(1)

    def action_tab_previous(self) -> None:
        self._preview.turn(-1)

    def action_scope(self) -> None:
        """Switch between all profiles and the current one, and remember it."""
        self.explorer.remembered.history_of_all = self._pane.everyone = not self._pane.everyone
        self.search.start()

    def action_copy(self) -> None:
        if self._event is not None:
            self._copy_message(self._event)
        elif self._call is not None:
            self.post_message(CopyCallWanted(self._call))

    @opens("copy")
    async def _copy_message(self, event: Exchange) -> None:
        from rpcexplorer.tui.call.copying import copy_message

        await copy_message(self, self.explorer, event.response.body, _cut_words(event))

    @opens("save")
    async def action_save(self) -> None:
        from rpcexplorer.tui.call.copying import save_message

        if (event := self._event) is not None:
            body, name = event.response.body, event.method or "event"
            await save_message(self, self.explorer, body, name, _cut_words(event))

    def action_ticket(self) -> None:
        if self._call is not None:
            self.post_message(ReportWanted(self._call))

    def action_statistics(self) -> None:
        """Open the statistics of the filtered calls.

        A row of them leads back here.
        """
        if self.search.reading is not None:
            self.post_message(StatisticsWanted(self.search.reading.wanted, self._pane.narrow))

    @property
    def _meant(self) -> Sequence[Exchange]:
        """The marked calls, oldest first; else the call at the cursor."""
        return _oldest_first(self.marked) or ([self._call] if self._call is not None else [])

    def action_mark(self) -> None:
        if (call := self._call) is not None:
            others = self._others_marked(call)
            self._mark(others if len(others) < len(self.marked) else [*others, call])

    def action_compare(self) -> None:
        """Compare with the last marked call, or an earlier one.

        In a case, it is the last call with the same method and params.
        """
        if (call := self._call) is None:
            return
        case = self._case.calls if self._case is not None else ()
        same = [
            record
            for record in case
            if isinstance(record, Exchange) and record.id != call.id and record.method == call.method
            if record.params == call.params
        ]
        others = self._others_marked(call) or same
        self.post_message(ComparisonWanted(call, others[-1] if others else None))

    def action_replay(self) -> None:
        """Replay the marked calls, else the call at the cursor.

        In a case, all calls that match the filter are replayed if none is marked.
        """
        meant, reading = self._meant, self.search.reading
        if self._case is not None and reading is not None and not self.marked:
            calls = (call for call in self._case.calls if isinstance(call, Exchange))
            meant = _oldest_first(filter(reading.wanted.matches, calls))
        if meant:
            self.post_message(ReplayWanted(meant))

    def action_export(self) -> None:
        if meant := self._meant:
            self.post_message(ExportWanted(meant))

    @opens("edit")
    async def action_keep_call(self) -> None:
        """Save the typed form of the call, with its variables."""
        from rpcexplorer.tui.saved_calls import ask_to_save

        if (call := self._call) is not None:
            await ask_to_save(self, self.explorer, Draft(call.method, call.params), name=call.name)

    @opens("edit")
    async def action_name(self) -> None:
        await self._annotate("name", "Save a name for this call?")

    @opens("edit")
    async def action_annotate(self) -> None:
        await self._annotate("note", "Save a note about this call?")

    async def _annotate(self, field: Literal["name", "note"], title: str) -> None:
        """Ask for a name or a note; an empty one removes it."""
        call = self._call
        if call is None or self._is_refused(call):
            return
        words = f"{clipped(call.method, 32)}   {self._moment(call)}"
        ask = Ask(
            title, value=getattr(call, field), words=words, hint=f"leave empty to remove the {field}", done="save"
        )
        text = await self.app.push_screen_wait(ask)
        if text is None:
            return
        change = {field: self.explorer.redactor().text(text.strip())}
        journal, profile = self.explorer.journal, self.explorer.profile
        is_written = await self._write(lambda: journal.annotate(profile, call.id, **change))
        if is_written:
            self._mark(replace(call, **change) if marked.id == call.id else marked for marked in self.marked)
        self.search.start()

    @opens("edit")
    async def action_delete(self) -> None:
        record = self._record
        if record is None or (isinstance(record, Exchange) and self._is_refused(record)):
            return
        if isinstance(record, Damaged):
            title = "Delete this damaged record from the history?"
            rows = [("file", record.file), ("damage", record.reason)]
        else:
            title = "Delete this call from the history?"
            moment, outcome = self._moment(record), outcome_words(record.outcome)
            rows = [("call", record.method), ("when", moment), ("outcome", outcome)]
            rows += [("profile", record.profile), ("name", record.name), ("note", record.note)]
        named = [(label, clipped(" ".join(text.split()), ROOM)) for label, text in rows if text]
        question = Confirm(title, named, [Choice("delete", "Delete")], caution=Caution.DELETION)
        if await self.app.push_screen_wait(question) == "delete":
            await self._write(lambda: self.explorer.journal.delete(self.explorer.profile, record.id))
            self._mark(self._others_marked(record))
            self.search.start()

    def _is_refused(self, call: Exchange) -> bool:
        """Return whether the call cannot be changed, and show why."""
        if refused := self.explorer.journal.refusal(self.explorer.profile, call):
            self._warn(refused)
        return bool(refused)

    async def _write(self, change: Callable[[], str]) -> bool:
        """Change the file in a thread; return whether it worked.

        Another process may hold the file.
        """
        if problem := await asyncio.to_thread(change):
            self._warn(problem)
        return not problem

    def _warn(self, why: str) -> None:
        words = printable(why).removesuffix(".")
        self.notify(f"{capitalised(words)}.", severity="warning", timeout=10)

    def _moment(self, call: Exchange) -> str:
        return moment_words(call.when, self.search.today, self.frame.zone)


def _cut_words(event: Exchange) -> str:
    return f"cut, the whole message had {size(event.response.size)}" if event.response.cut else ""


def _oldest_first(calls: Iterable[Exchange]) -> list[Exchange]:
    return sorted(calls, key=lambda call: call.when)
