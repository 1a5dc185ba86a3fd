"""The history screen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, tzinfo
from itertools import chain
from typing import Any, ClassVar, Final, Literal

from msgspec import Struct
from msgspec.structs import replace
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.geometry import Size
from textual.reactive import reactive
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.model.problem import Trouble
from rpcexplorer.text.exchange import outcome_words
from rpcexplorer.text.history import HistoryRow, case_note_lines, filter_words, moment_words, rows_of, same
from rpcexplorer.text.printable import clipped, printable
from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.dialogs import other_profile
from rpcexplorer.tui.history_panes import HistoryList, HistoryPane, HistoryPreview
from rpcexplorer.tui.keys import PendingKeys, opens
from rpcexplorer.tui.messages import (
    ComparisonWanted,
    CopyCallWanted,
    ExportWanted,
    ReplayWanted,
    StatisticsWanted,
    TicketWanted,
)
from rpcexplorer.tui.theme import NARROW, Pieces
from rpcexplorer.tui.widgets.dialog import AnswersOnce, Ask, Choice, Confirm
from rpcexplorer.tui.widgets.rows import RowList, Sheet, wrapped


class CaseOnView(Struct, frozen=True):
    """A case that somebody else has handed on: its calls are in no history of this person's, and nothing changes it."""

    name: str
    """Of its file."""
    calls: Sequence[Exchange | Damaged]
    """In its order."""
    note: str = ""
    addresses: Sequence[str] = ()
    """Where its calls went."""

    @property
    def told(self) -> str:
        """Whose it is, and where it comes from."""
        more = len(self.addresses) - 1
        where = f", sent to {self.addresses[0]}{f' and {more} more' if more else ''}" if self.addresses else ""
        return f"somebody else's{where}"


class HistoryChoice(Struct, frozen=True):
    """What the person wants with a call."""

    exchange: Exchange
    action: Literal["load", "again", "carry"]
    profile: str = ""
    """Where it is to be taken."""


SLICE: Final = 200
"""So many found calls end the first slice."""
MOMENT: Final = 0.05
"""Seconds after which that ends with whatever was found."""
LONGEST: Final = 8
"""Each slice is twice as long as the one before, to so many times the first: to show what was found takes time too."""
Records = Iterator[Exchange | Damaged | None]
"""Calls, newest first; None wherever one may stop for a moment."""


class Reading:
    """What was found so far of what is wanted."""

    def __init__(
        self, records: Records, wanted: HistoryFilter, goal: int, today: date, zone: tzinfo | None = None
    ) -> None:
        self.wanted = wanted
        self.goal = goal
        """It goes on until so many are found."""
        self.least = 0
        """Before so many are found it is no good to anyone: as many are on view."""
        self.rows: list[HistoryRow] = []
        self.found = 0
        self.ended = False
        """Everything was looked through."""
        self.trouble = ""
        """Why it could not be."""
        self._records, self._today, self._zone = records, today, zone
        self._length = 1
        self._given_up = False

    @property
    def full(self) -> bool:
        """There is nothing to be done for now."""
        return self.ended or self.found >= self.goal

    @property
    def ready(self) -> bool:
        """What was found can be shown."""
        return self.full or self.found >= self.least

    @property
    def count(self) -> str:
        """How many calls there are, as far as that is known without looking for some of them."""
        if filter_words(self.wanted) or not (self.found or self.ended):
            return ""
        if not self.ended:
            return f"the newest {self.found:,}"
        return f"{self.found:,} call{'s' * (self.found != 1)}"

    @property
    def told(self) -> str:
        """What is looked for, and how far that has come; empty where everything is wanted."""
        if not (told := filter_words(self.wanted, self._zone)):
            return ""
        on = "" if self.ended else " so far, more further down" if self.full else ", searching …"
        return f"{self.found:,} found{on}   {told}"

    def give_up(self) -> None:
        """Nobody waits for it any longer."""
        self._given_up = True

    async def go_on(self) -> None:
        reading = asyncio.ensure_future(asyncio.to_thread(self._slice))
        await asyncio.wait([reading])
        trouble = reading.exception()
        if isinstance(trouble, Trouble):
            self.trouble, self.ended = trouble.sentence, True
            return
        found, self.ended = reading.result()
        self.found += len(found)
        self.rows.extend(rows_of(found, self._today, self._zone, after=self.rows))

    def _slice(self) -> tuple[list[Exchange | Damaged], bool]:
        """The next few, and whether they were the last."""
        found: list[Exchange | Damaged] = []
        end = time.monotonic() + MOMENT * self._length
        enough = min(SLICE * self._length, max(self.goal - self.found, 1))  # a slow disk must not make more of it
        self._length = min(2 * self._length, LONGEST)
        for one in self._records:
            if one is not None and self.wanted.matches(one):
                found.append(one)
            if self._given_up or len(found) >= enough or time.monotonic() > end:
                return found, False
        return found, True


def records_of(explorer: Explorer, wanted: HistoryFilter) -> Records:
    """Every call that may be meant, newest first; those on top could not be written yet."""
    history = explorer.history
    return chain(reversed(history.unsaved), history.search_in_steps(wanted))


def advice(reading: Reading, profile: str, *, recording: bool) -> list[Pieces]:
    """What is said where nothing was found, and what to do about it; ``recording``: calls are written down at all."""
    only = reading.wanted.profile is not None
    if reading.trouble:
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


class MarkingScreen(SearchScreen):
    """Marks are of calls, not of rows: they stay through another filter, and are gone with the screen."""

    _marked: tuple[Exchange, ...] = ()
    """In the order in which they were marked."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        call = None if self._stale else self._call
        can = {
            "mark": call is not None,
            "compare": call is not None,
            "replay": call is not None or bool(self._marked),
            "export": call is not None or bool(self._marked),
        }
        return can.get(action, True)

    @property
    def _meant(self) -> Sequence[Exchange]:
        """What is marked, oldest first; else the call under the cursor."""
        if self._marked:
            return sorted(self._marked, key=lambda call: call.when)
        return [self._call] if self._call is not None else []

    def action_mark(self) -> None:
        """Mark the call, or remove its mark. The cursor stays, so that the same key takes it back."""
        call = self._call
        if call is None:
            return
        others = tuple(each for each in self._marked if each.id != call.id)
        self._mark(others if len(others) < len(self._marked) else (*others, call))

    def _mark(self, calls: tuple[Exchange, ...]) -> None:
        self._marked = calls
        self._pane.marked = frozenset(call.id for call in calls)
        self.refresh_bindings()

    def _changed(self, before: Exchange | Damaged, now: Exchange | None = None) -> None:
        """A marked call is meant as it is by now; one that is gone, or may be, is not meant any longer."""
        calls = (now if each.id == before.id else each for each in self._marked)
        self._mark(tuple(each for each in calls if each is not None))

    def _unmark(self) -> bool:
        """Let all go; whether anything was marked."""
        were = bool(self._marked)
        self._mark(())
        return were

    def action_compare(self) -> None:
        """Compare with the call that was marked last, else with the same call of the case, else with the one before."""
        call = self._call
        if call is not None:
            others = [each for each in self._marked if each.id != call.id] or self._same_calls(call)
            self.post_message(ComparisonWanted(self, call, others[-1] if others else None))

    def _same_calls(self, call: Exchange) -> list[Exchange]:
        """Return the other calls of the case with the same method and params."""
        calls = self._case.calls if self._case is not None else ()
        others = [each for each in calls if isinstance(each, Exchange) and each.id != call.id]
        return [each for each in others if (each.method, each.params) == (call.method, call.params)]

    def action_replay(self) -> None:
        """Replay what is marked; if nothing is, the call under the cursor, or all that are shown of a case."""
        meant = self._meant
        if self._case is not None and self._reading is not None and not self._marked:
            calls = (call for call in self._case.calls if isinstance(call, Exchange))
            meant = sorted(filter(self._reading.wanted.matches, calls), key=lambda call: call.when)
        if meant:
            self.post_message(ReplayWanted(self, meant))

    def action_export(self) -> None:
        if meant := self._meant:
            self.post_message(ExportWanted(self, meant))


ROOM = 56
"""Columns that the questions have for what they name."""


async def annotated(
    screen: Screen[Any], explorer: Explorer, call: Exchange, what: Literal["name", "note"], moment: str
) -> Exchange | None:
    """Ask for a name or a note; an empty one takes it away. The call as it is by now, where it may have changed."""
    if _refused(screen, explorer, call):
        return None
    title = "Name this call" if what == "name" else "A note to this call"
    words = f"{clipped(call.method, 32)}   {moment}"
    ask = Ask(title, value=getattr(call, what), words=words, hint=f"empty: it has no {what}")
    given = await screen.app.push_screen_wait(ask)
    if given is None:
        return None
    change = {what: explorer.redactor().text(given.strip())}
    is_done = await _done(screen, lambda: explorer.journal.annotate(explorer.profile, call.id, **change))
    return replace(call, **change) if is_done else call


async def deleted(screen: Screen[Any], explorer: Explorer, record: Exchange | Damaged, moment: str) -> bool:
    """Name what will be gone for good, and ask. Whether it may be gone."""
    if isinstance(record, Exchange) and _refused(screen, explorer, record):
        return False
    if isinstance(record, Damaged):
        rows = [("file", record.file), ("damage", record.reason)]
    else:
        rows = [("call", record.method), ("when", moment), ("outcome", outcome_words(record.outcome))]
        rows += [("profile", record.profile), ("name", record.name), ("note", record.note)]
    named = [(label, clipped(" ".join(text.split()), ROOM)) for label, text in rows if text]
    choices = [Choice("keep", "Keep it"), Choice("delete", "Delete it for good")]
    if await screen.app.push_screen_wait(Confirm("Delete this from the history?", named, choices)) != "delete":
        return False
    await _done(screen, lambda: explorer.journal.delete(explorer.profile, record.id))
    return True


def _refused(screen: Screen[Any], explorer: Explorer, call: Exchange) -> bool:
    """Whether it is somebody else's, which is said before anything is asked."""
    if refused := explorer.journal.refusal(explorer.profile, call):
        screen.notify(_sentence(refused), markup=False, severity="warning", timeout=10)
    return bool(refused)


async def _done(screen: Screen[Any], change: Callable[[], str]) -> bool:
    """Change the file, in a thread: another process may hold it for a moment. Where that failed it is told."""
    if trouble := await asyncio.to_thread(change):
        screen.notify(_sentence(trouble), markup=False, severity="warning", timeout=10)
    return not trouble


def _sentence(why: str) -> str:
    """Why it cannot be done, where nothing else is said with it."""
    said = printable(why).removesuffix(".")
    return f"{said[:1].upper()}{said[1:]}."


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
        from rpcexplorer.tui.saved_calls import kept

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
