"""The history screen."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, tzinfo
from itertools import chain
from typing import Any, ClassVar, Final, Literal

from msgspec import Struct
from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.geometry import Size
from textual.screen import Screen
from textual.timer import Timer

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.model.problem import UserError, capitalised, counted
from rpcexplorer.text.exchange import outcome_words
from rpcexplorer.text.history import HistoryRow, case_note_lines, filter_words, moment_words, rows_of
from rpcexplorer.text.printable import clipped, printable
from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.dialogs import other_profile
from rpcexplorer.tui.history_panes import HistoryList, HistoryPane, HistoryPreview
from rpcexplorer.tui.key_queue import PendingKeys, opens
from rpcexplorer.tui.messages import (
    ComparisonWanted,
    CopyCallWanted,
    ExportWanted,
    ReplayWanted,
    StatisticsWanted,
    TicketWanted,
)
from rpcexplorer.tui.theme import NARROW, Pieces
from rpcexplorer.tui.widgets.bars import Frame
from rpcexplorer.tui.widgets.dialog import AnswersOnce, Ask, Choice, Confirm
from rpcexplorer.tui.widgets.rows import RowList, Sheet, wrapped


class CaseOnView(Struct, frozen=True):
    """Calls that somebody else has recorded: they are in no history of ours, and nothing changes them."""

    name: str
    """Name of its file."""
    calls: Sequence[Exchange | Damaged]
    note: str = ""
    addresses: Sequence[str] = ()
    """Where its calls were sent."""

    @property
    def origin(self) -> str:
        more = len(self.addresses) - 1
        where = f", sent to {self.addresses[0]}{f' and {more} more' if more else ''}" if self.addresses else ""
        return f"somebody else's{where}"


class HistoryChoice(Struct, frozen=True):
    """A call that the history was left with, and what to do with it."""

    exchange: Exchange
    action: Literal["load", "again", "carry"]
    profile: str = ""
    """The profile to carry it to."""


Records = Iterator[Exchange | Damaged | None]
"""Calls, newest first; None wherever the reader may stop for a moment."""
MAX_SLICE_FACTOR: Final = 8
"""Each slice is twice as long as the one before, up to this: showing what was found takes time too."""


class SlicedReader:
    """Reads records in a thread, one slice of time after the other."""

    def __init__(self, records: Records, seconds: float, per_slice: int = sys.maxsize) -> None:
        """``seconds`` and ``per_slice``: time and records that end the first slice."""
        self.ended = False
        self.problem = ""
        """Why not all records could be read."""
        self._records, self._seconds, self._per_slice = records, seconds, per_slice
        self._factor = 1
        self._given_up = False

    def give_up(self) -> None:
        """End the slice that is being read: nobody waits for it any more."""
        self._given_up = True

    async def _read_slice(
        self, matches: Callable[[Exchange | Damaged], bool] = lambda _: True, most: int = sys.maxsize
    ) -> tuple[list[Exchange | Damaged], bool]:
        """Return the next records, and whether they are the last."""
        found: list[Exchange | Damaged] = []
        reading = asyncio.ensure_future(asyncio.to_thread(self._read, found, matches, most))
        await asyncio.wait([reading])
        problem = reading.exception()
        if isinstance(problem, UserError):
            self.problem = problem.sentence
            return found, True
        return found, reading.result()

    def _read(self, found: list[Exchange | Damaged], matches: Callable[[Exchange | Damaged], bool], most: int) -> bool:
        """Return whether there are no more records."""
        end = time.monotonic() + self._seconds * self._factor
        most = min(self._per_slice * self._factor, most)
        self._factor = min(2 * self._factor, MAX_SLICE_FACTOR)
        for record in self._records:
            if record is not None and matches(record):
                found.append(record)
            if self._given_up or len(found) >= most or time.monotonic() > end:
                return False
        return True


SLICE: Final = 200
"""Calls that end the first slice."""
SLICE_SECONDS: Final = 0.05


class Reading(SlicedReader):
    """The rows of one search that were found so far."""

    def __init__(
        self, records: Records, wanted: HistoryFilter, goal: int, today: date, zone: tzinfo | None = None
    ) -> None:
        super().__init__(records, SLICE_SECONDS, SLICE)
        self.wanted = wanted
        self.goal = goal
        """Calls to find before it pauses."""
        self.least = 0
        """Calls on view: fewer do not replace them."""
        self.rows: list[HistoryRow] = []
        self.found = 0
        self._today, self._zone = today, zone

    @property
    def full(self) -> bool:
        """Whether it has nothing to do for now."""
        return self.ended or self.found >= self.goal

    @property
    def ready(self) -> bool:
        """Whether what was found can be shown."""
        return self.full or self.found >= self.least

    @property
    def count(self) -> str:
        """How many calls there are, in words, as far as it is known without a search."""
        if filter_words(self.wanted) or not (self.found or self.ended):
            return ""
        if not self.ended:
            return f"the newest {self.found:,}"
        return counted(self.found, "call")

    @property
    def state(self) -> str:
        """The filter and its progress in words; empty without a filter."""
        if not (words := filter_words(self.wanted, self._zone)):
            return ""
        on = "" if self.ended else " so far, more further down" if self.full else ", searching …"
        return f"{self.found:,} found{on}   {words}"

    async def go_on(self) -> None:
        """Read the next slice."""
        found, self.ended = await self._read_slice(self.wanted.matches, max(self.goal - self.found, 1))
        self.found += len(found)
        self.rows.extend(rows_of(found, self._today, self._zone, after=self.rows))


def advice(reading: Reading, profile: str, *, recording: bool) -> list[Pieces]:
    """Return what to do if nothing was found; ``recording``: calls are recorded at all."""
    only = reading.wanted.profile is not None
    if reading.problem:
        return []
    if not reading.ended:
        return [[("   Looking …", "dim")]]
    if filter_words(reading.wanted):
        of, or_all = (f" of {profile}", ", or look at all profiles") if only else ("", "")
        return [[(f"   No call{of} is like this. Change the filter{or_all}.", "dim")]]
    if not recording:
        return [[("   Calls are not recorded: settings.toml says record = false under [history].", "dim")]]
    whose = f" with {profile}" if only else ""
    more: list[Pieces] = (
        [[("   ", "text"), ("p", "bold"), (" shows the calls of all profiles.", "dim")]] if only else []
    )
    return [[(f"   No calls{whose} yet. ", "dim"), ("Esc", "bold"), (" goes back to make one.", "dim")], *more]


NEWEST: Final = 200
"""Calls that are read at first, and again each time the last of them come into view."""
MOST: Final = 2000
"""Calls that a filter finds before it pauses."""
PAUSE_SECONDS: Final = 0.08
"""Time without a key before a typed filter is searched for."""
PATIENCE_SECONDS: Final = 3.0
"""Time that keys wait for their rows; after that, one of them may be meant to leave."""
ROWS: Final = "rows"


class Search:
    """Fills a pane with the calls that its filter describes; keys wait for the rows that they are for."""

    def __init__(
        self,
        host: Screen[Any],
        pane: HistoryPane,
        explorer: Explorer,
        pending: PendingKeys,
        changed: Callable[[], object],
        *,
        frame: Frame,
        case: CaseOnView | None = None,
    ) -> None:
        """``changed`` is called when there are other rows. ``case``: search its calls, and not the history."""
        self._host, self._pane, self._explorer, self._pending = host, pane, explorer, pending
        self._changed, self._frame, self._case = changed, frame, case
        self.today = frame.day
        self.reading: Reading | None = None
        """The newest search."""
        self.shown: Reading | None = None
        """The newest search that found something, or that there is nothing."""
        self._shown_filter: HistoryFilter | None = None
        """The filter of the rows on view."""
        self._next: Callable[[], object] | None = None
        """What to do once the rows are found."""
        self._patience: Timer | None = None

    @property
    def is_stale(self) -> bool:
        """Whether the rows on view are of another filter than the newest."""
        return self.shown is None or self.reading is None or self.shown.wanted != self.reading.wanted

    def start(self, pause: float = 0.0) -> None:
        """Search from the newest call on; the same filter finds at least as many rows as there are.

        ``pause``: seconds in which another letter of the filter may be typed; keys do not wait then.
        """
        zone = self._frame.zone
        self.today = self._frame.day
        only = None if self._pane.everyone else self._pane.profile or None
        wanted = HistoryFilter.of(self._pane.text, only, now=datetime.combine(self.today, datetime.now(zone).timetz()))
        if self._case is not None:
            records: Records = iter(self._case.calls)
        else:
            history = self._explorer.history
            records = chain(reversed(history.unsaved), history.search_in_steps(wanted))
        reading = Reading(records, wanted, MOST if filter_words(wanted) else NEWEST, self.today, zone)
        if (before := self.reading) is not None:
            before.give_up()
            if before.wanted == wanted:
                reading.goal, reading.least = before.goal, max(before.least, before.found)
        self.reading = reading
        if not pause:
            if self._patience is not None:
                self._patience.stop()
            self._pending.wait(ROWS)
            self._patience = self._host.set_timer(PATIENCE_SECONDS, self._let_keys_go)
        self._read(reading, pause)

    def read_on(self) -> None:
        """Find more calls, unless it is searching or has found all of them."""
        reading = self.reading
        if reading is not None and reading.full and not reading.ended:
            reading.goal = reading.found + NEWEST
            self._read(reading)

    def when_found(self, action: Callable[[], object]) -> None:
        """Do something with the rows of the filter that is typed."""
        if self.is_stale:
            self._next = action
            self.start()
        else:
            action()

    def stop(self) -> None:
        if self.reading is not None:
            self.reading.give_up()
        self._pending.go_on(ROWS)

    def _let_keys_go(self) -> None:
        self._next = None
        self._pending.go_on(ROWS)

    def _read(self, reading: Reading, pause: float = 0.0) -> None:
        async def read() -> None:
            await asyncio.sleep(pause)
            if not reading.least:
                self._show_state(reading)
            while not reading.full:
                await reading.go_on()
                if reading.ready:
                    self._show(reading)

        work: Any = read  # mypy finds two types for a function that is called later
        self._host.run_worker(work, group="reading", exclusive=True)

    def _show(self, reading: Reading) -> None:
        calls = self._pane.list
        calls.empty = advice(reading, self._pane.profile, recording=self._explorer.journal.recording)
        calls.everyone = reading.wanted.profile is None
        calls.show(reading.rows, from_top=reading.wanted != self._shown_filter)
        self._shown_filter = reading.wanted
        if reading.found or reading.full:
            self.shown = reading
            if self._next is not None:
                self._next()
            self._let_keys_go()
        self._show_state(reading)
        self._changed()

    def _show_state(self, reading: Reading) -> None:
        state = reading.state or (self._case.origin if self._case is not None else "")
        self._pane.count, self._pane.told, self._pane.problem = reading.count, state, reading.problem


class Marks:
    """The marked calls: they stay through another filter, and are gone with the screen."""

    def __init__(self, changed: Callable[[], object]) -> None:
        self.calls: tuple[Exchange, ...] = ()
        """In the order in which they were marked."""
        self._changed = changed

    def others(self, call: Exchange) -> tuple[Exchange, ...]:
        return tuple(each for each in self.calls if each.id != call.id)

    def toggle(self, call: Exchange) -> None:
        others = self.others(call)
        self._set(others if len(others) < len(self.calls) else (*others, call))

    def update(self, before: Exchange | Damaged, now: Exchange | None = None) -> None:
        """Replace a call that was changed, if it is marked; without ``now``, remove its mark."""
        calls = (now if each.id == before.id else each for each in self.calls)
        self._set(tuple(each for each in calls if each is not None))

    def clear(self) -> bool:
        """Remove all marks; return whether there were any."""
        were = bool(self.calls)
        self._set(())
        return were

    def _set(self, calls: tuple[Exchange, ...]) -> None:
        self.calls = calls
        self._changed()


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


ROOM: Final = 56
"""Columns that the questions have for what they name."""


class HistoryScreen(AnswersOnce[HistoryChoice | None], Screen[HistoryChoice | None]):
    """The calls of the history or of a case, and a preview of the one under the cursor."""

    DEFAULT_CSS = """
    HistoryScreen { background: $background; color: $text; layout: vertical; overflow: hidden; }
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

    def __init__(
        self, explorer: Explorer, pending: PendingKeys, frame: Frame, *, case: CaseOnView | None = None
    ) -> None:
        """``case``: show its calls, and not the history."""
        super().__init__()
        self.explorer, self.pending, self._frame, self._case = explorer, pending, frame, case
        self._profile = explorer.profile.name if explorer.profile and case is None else ""
        self._pane, self._preview = HistoryPane(frame.zone), HistoryPreview(frame.zone)
        self.search = Search(self, self._pane, explorer, self.pending, self._show_call, frame=frame, case=case)
        self.marks = Marks(self._show_marks)

    def compose(self) -> ComposeResult:
        note = [CaseNote(self._case.note)] if self._case is not None and self._case.note else []
        yield from self._frame.around(*note, Horizontal(self._pane, self._preview, id="history"))

    def on_mount(self) -> None:
        profile = self.explorer.profile
        self.set_class(profile is not None and profile.badge == "prod", "-prod")
        if self._case is not None:
            self._pane.case, self._preview.case_note = self._case.name, self._case.note
        self._pane.profile = self._profile
        self._pane.everyone = bool(self._profile) and self.explorer.remembered.history_of_all
        self.set_focus(self._pane.list)

    def on_unmount(self) -> None:
        self.search.stop()

    def on_screen_resume(self) -> None:
        """Search again: calls may have been recorded meanwhile, also by other processes."""
        self.search.start()

    def on_descendant_focus(self) -> None:
        self.refresh_bindings()

    # --- showing -----------------------------------------------------------------------------------------------

    @property
    def _record(self) -> Exchange | Damaged | None:
        row = self._pane.list.chosen
        return row if isinstance(row, Exchange | Damaged) else None

    @property
    def _call(self) -> Exchange | None:
        return self._record if isinstance(self._record, Exchange) else None

    def _show_call(self) -> None:
        self._preview.today = self.search.today
        self._preview.call = self._record
        self.refresh_bindings()

    def _show_marks(self) -> None:
        self._pane.marked = frozenset(call.id for call in self.marks.calls)
        self.refresh_bindings()

    @on(HistoryPane.ScopeWanted)
    def _scope_wanted(self, event: HistoryPane.ScopeWanted) -> None:
        if event.everyone != self._pane.everyone:
            self.action_scope()

    @on(HistoryPane.FilterChanged)
    def _filter_changed(self) -> None:
        self.search.start(PAUSE_SECONDS)

    @on(HistoryPane.LedOn)
    def _into_list(self, event: HistoryPane.LedOn) -> None:
        """Leave the filter; what is typed has to be found first."""
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

    # --- actions -----------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        is_stale = self.search.is_stale
        call, record = (None, None) if is_stale else (self._call, self._record)
        written = self._case is None and not any(record is waiting for waiting in self.explorer.history.unsaved)
        single = call is not None and call.kind != "batch"  # the editor holds one call
        can = {
            "load": call is not None,
            "to_profile": single,
            "keep_call": single and self.explorer.profile is not None,
            "again": call is not None and not call.foreign,  # a stranger's is replayed: that asks where to
            "copy": call is not None,
            "ticket": call is not None,
            "mark": call is not None,
            "compare": call is not None,
            "replay": call is not None or bool(self.marks.calls),
            "export": call is not None or bool(self.marks.calls),
            "name": call is not None and written,
            "annotate": call is not None and written,
            "delete": record is not None and bool(record.id) and written,
            "search": not self._pane.typing,
            "statistics": self._case is None and not is_stale,
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
        """Leave the filter, the preview, the marks, the calls of one figure, or the screen."""
        if self._pane.typing:
            self._pane.leave_filter()
        elif self._preview.has_focus_within:
            self.set_focus(self._pane.list)
        elif not self.marks.clear() and not self._pane.widen():
            self.dismiss(None)

    def action_search(self) -> None:
        self._pane.focus_filter()

    def action_tab_next(self) -> None:
        self._preview.turn(1)

    def action_tab_previous(self) -> None:
        self._preview.turn(-1)

    def action_scope(self) -> None:
        """Show the calls of all profiles or of the one in use, at the next start as well."""
        self.explorer.remembered.history_of_all = self._pane.everyone = not self._pane.everyone
        self.search.start()

    def action_copy(self) -> None:
        if self._call is not None:
            self.post_message(CopyCallWanted(self._call))

    def action_ticket(self) -> None:
        if self._call is not None:
            self.post_message(TicketWanted(self._call))

    def action_statistics(self) -> None:
        """Count the calls that the filter finds; a row of the statistics leads back here."""
        if self.search.reading is not None:
            self.post_message(StatisticsWanted(self.search.reading.wanted, self._pane.narrow))

    # --- marked calls ------------------------------------------------------------------------------------------

    @property
    def _meant(self) -> Sequence[Exchange]:
        """The marked calls, oldest first; else the call under the cursor."""
        return _oldest_first(self.marks.calls) or ([self._call] if self._call is not None else [])

    def action_mark(self) -> None:
        """Mark the call, or remove its mark; the cursor stays."""
        if self._call is not None:
            self.marks.toggle(self._call)

    def action_compare(self) -> None:
        """Compare with the call that was marked last, else with the same call of the case, else with the one before."""
        if (call := self._call) is None:
            return
        case = self._case.calls if self._case is not None else ()
        same = [
            each
            for each in case
            if isinstance(each, Exchange) and each.id != call.id and each.method == call.method
            if each.params == call.params
        ]
        others = self.marks.others(call) or same
        self.post_message(ComparisonWanted(call, others[-1] if others else None))

    def action_replay(self) -> None:
        """Replay the marked calls, else all calls of a case that the filter finds, else the one under the cursor."""
        meant, reading = self._meant, self.search.reading
        if self._case is not None and reading is not None and not self.marks.calls:
            calls = (call for call in self._case.calls if isinstance(call, Exchange))
            meant = _oldest_first(filter(reading.wanted.matches, calls))
        if meant:
            self.post_message(ReplayWanted(meant))

    def action_export(self) -> None:
        if meant := self._meant:
            self.post_message(ExportWanted(meant))

    # --- changing a record -------------------------------------------------------------------------------------

    @opens("edit")
    async def action_keep_call(self) -> None:
        """Save it as it was typed, with its variables."""
        from rpcexplorer.tui.saved_calls import kept

        if (call := self._call) is not None:
            await kept(self, self.explorer, Draft(call.method, call.params), name=call.name)

    @opens("edit")
    async def action_name(self) -> None:
        await self._annotate("name", "Name this call")

    @opens("edit")
    async def action_annotate(self) -> None:
        await self._annotate("note", "A note to this call")

    async def _annotate(self, field: Literal["name", "note"], title: str) -> None:
        """Ask for a name or a note; an empty one removes it."""
        call = self._call
        if call is None or self._is_refused(call):
            return
        words = f"{clipped(call.method, 32)}   {self._moment(call)}"
        ask = Ask(title, value=getattr(call, field), words=words, hint=f"empty: it has no {field}")
        text = await self.app.push_screen_wait(ask)
        if text is None:
            return
        change = {field: self.explorer.redactor().text(text.strip())}
        journal, profile = self.explorer.journal, self.explorer.profile
        is_written = await self._write(lambda: journal.annotate(profile, call.id, **change))
        self.marks.update(call, replace(call, **change) if is_written else call)
        self.search.start()

    @opens("edit")
    async def action_delete(self) -> None:
        record = self._record
        if record is None or (isinstance(record, Exchange) and self._is_refused(record)):
            return
        if isinstance(record, Damaged):
            rows = [("file", record.file), ("damage", record.reason)]
        else:
            moment, outcome = self._moment(record), outcome_words(record.outcome)
            rows = [("call", record.method), ("when", moment), ("outcome", outcome)]
            rows += [("profile", record.profile), ("name", record.name), ("note", record.note)]
        named = [(label, clipped(" ".join(text.split()), ROOM)) for label, text in rows if text]
        choices = [Choice("keep", "Keep it"), Choice("delete", "Delete it for good")]
        question = Confirm("Delete this from the history?", named, choices)
        if await self.app.push_screen_wait(question) == "delete":
            await self._write(lambda: self.explorer.journal.delete(self.explorer.profile, record.id))
            self.marks.update(record)
            self.search.start()

    def _is_refused(self, call: Exchange) -> bool:
        """Return whether the call cannot be changed; says so before anything is asked."""
        if refused := self.explorer.journal.refusal(self.explorer.profile, call):
            self._warn(refused)
        return bool(refused)

    async def _write(self, change: Callable[[], str]) -> bool:
        """Change the file in a thread, as another process may hold it; return whether that was possible."""
        if problem := await asyncio.to_thread(change):
            self._warn(problem)
        return not problem

    def _warn(self, why: str) -> None:
        words = printable(why).removesuffix(".")
        self.notify(f"{capitalised(words)}.", severity="warning", timeout=10)

    def _moment(self, call: Exchange) -> str:
        return moment_words(call.when, self.search.today, self._frame.zone)


def _oldest_first(calls: Iterable[Exchange]) -> list[Exchange]:
    return sorted(calls, key=lambda call: call.when)
