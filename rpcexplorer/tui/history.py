"""The history screen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, tzinfo
from functools import partial
from itertools import chain
from typing import Any, ClassVar, Final, Literal

from msgspec import Struct
from msgspec.structs import replace
from textual import on, work
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from rpcexplorer.explorer import Explorer
from rpcexplorer.history.statistics import UsualTimes
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.model.filter import YOU, HistoryFilter, narrowed
from rpcexplorer.model.problem import capitalised
from rpcexplorer.model.profile import AD_HOC_NAME
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text.columns import Cell, Column, arranged, headings
from rpcexplorer.text.exchange import (
    ROLES,
    SIGNS,
    duration_role,
    ended,
    headers_page,
    outcome_cell,
    outcome_word,
    outcome_words,
    params_words,
    remark_pieces,
    size,
    transport_pieces,
)
from rpcexplorer.text.history import (
    Day,
    HistoryRow,
    case_note_lines,
    key_of,
    method_plot,
    moment_words,
    note_page,
    strip_words,
)
from rpcexplorer.text.lanes import Scale, lane
from rpcexplorer.text.printable import clipped, columns, printable
from rpcexplorer.text.wrapping import WordLine, wrapped
from rpcexplorer.tui.browser import Browser, Detail
from rpcexplorer.tui.commands import first_key
from rpcexplorer.tui.dialogs import other_profile
from rpcexplorer.tui.history_search import NEWEST, CaseOnView, Reading, advice
from rpcexplorer.tui.key_queue import PendingKeys, opens
from rpcexplorer.tui.theme import ThemeStyles, line
from rpcexplorer.tui.widgets.bars import Bar, Frame
from rpcexplorer.tui.widgets.dialog import Ask, Caution, Choice, Confirm
from rpcexplorer.tui.widgets.inputs import Entry
from rpcexplorer.tui.widgets.rows import ItemList, Sheet


class HistoryChoice(Struct, frozen=True):
    """A call chosen in the history, and the action to do."""

    exchange: Exchange
    action: Literal["load", "again", "carry"]
    profile: str = ""
    filter: str = ""
    """The filter that found it."""


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


MARK: Final = "●"
"""The sign of a marked call."""
MAX_LABEL_COLUMNS: Final = 24
"""Columns of a name or a note before the params."""
PROFILE_COLUMNS: Final = 12
LANE_COLUMNS: Final = 17
MIN_LANE_WIDTH: Final = 70
"""A list that is narrower has no lanes, so that the params have room; more with a column for profile or writer."""
NEAR: Final = 50
"""Rows before the end at which more are read."""


class HistoryList(ItemList[HistoryRow]):
    """Calls, newest first. A double click on a row chooses it."""

    CLICK_CHOOSES = False

    class EndNear(Message):
        """The last rows are almost in view: more may be wanted."""

    def can_choose(self, item: HistoryRow) -> bool:
        return not isinstance(item, Day)

    def in_columns(self, item: HistoryRow) -> bool:
        return isinstance(item, Exchange)

    def draw(self, item: HistoryRow, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        match item:
            case Day(words=day):
                _, axis = arranged(headings(self.arrangement(width)), None, width)
                return line([(f"   {day}", "dim")], width, styles, right=axis)
            case Damaged(reason=reason):
                words = [(" ! damaged  ", "careful"), (reason, "middle")]
                return line(words, width, styles, ground="selection" if chosen else "background")
        return super().draw(item, width, styles, chosen=chosen)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if new_value > old_value and new_value + self.size.height + NEAR >= len(self.items):
            self.post_message(self.EndNear())


def usual_of(call: Exchange, times: UsualTimes | None) -> float | None:
    return times.usual(call.profile, call.method) if times is not None else None


def columns_of(
    rows: Sequence[HistoryRow],
    is_marked: Callable[[Exchange], bool],
    zone: tzinfo | None,
    times: UsualTimes | None = None,
    *,
    everyone: bool,
    of_case: bool,
) -> list[Column[Any]]:
    """Return the columns for calls of all profiles or of one, perhaps of a case.

    ``times``: the durations that are usual.
    """
    calls = [row for row in rows if isinstance(row, Exchange)]
    scale = Scale.of(call.seconds for call in calls if call.kind != "event")

    def mark(call: Exchange) -> Cell:
        return [(MARK if is_marked(call) else " ", "text bold"), (SIGNS[call.counts_as], ROLES[call.counts_as])]

    def params(call: Exchange) -> Cell:
        if call.kind == "event":
            return outcome_cell(call)
        words = [("imported  ", "careful")] if call.foreign and not of_case else []
        if call.name or call.note:
            words.append((f"★ {clipped(call.name or call.note, MAX_LABEL_COLUMNS)}  ", "careful"))
        return [*words, (params_words(call), "middle")]

    def took(call: Exchange) -> Cell:
        if call.kind == "event":
            return []
        usual = usual_of(call, times)
        return lane(scale, LANE_COLUMNS, call.seconds, duration_role(call, usual), usual)

    def outcome(call: Exchange) -> Cell:
        return [] if call.kind == "event" else [outcome_word(call)]

    writer = Column[Exchange](lambda call: [(call.writer or YOU, "dim")], most=PROFILE_COLUMNS)
    profile = Column[Exchange](lambda call: [(call.profile, "dim")], most=PROFILE_COLUMNS)
    has_writers = any(call.writer for call in calls)
    names = [*([writer] if has_writers else []), *([profile] if everyone else [])]
    least = MIN_LANE_WIDTH + len(names) * PROFILE_COLUMNS
    return [
        Column(mark, width=2, gap=0),
        Column[Exchange](lambda call: [(call.method, "text")], share=5 if everyone else 4, gap=1),
        *names,
        Column(params, fills=True),
        Column(took, scale.heading(LANE_COLUMNS), width=LANE_COLUMNS, drop=least),
        Column(outcome, width=10, right=True, gap=0),
        Column[Exchange](lambda call: [(f"{call.when.astimezone(zone):%H:%M:%S}", "dim")], width=8),
        Column[Exchange](width=1, gap=0),
    ]


PLOT_ROWS: Final = 12
MIN_PLOT_PANE: Final = 30
"""A lower pane has no plot, so that the response has room."""
MAX_PLOTTED: Final = 2_000
"""The newest calls of the list that a plot may show."""


class MethodPlot(Widget):
    """The durations of the calls of one method over time."""

    DEFAULT_CSS = f"MethodPlot {{ height: {PLOT_ROWS}; background: $background; }}"

    def __init__(self, zone: tzinfo | None) -> None:
        super().__init__()
        self._zone = zone
        self._lines: Sequence[WordLine] = ()

    def show(self, call: Exchange | None, rows: Sequence[HistoryRow], times: UsualTimes | None, pane: Size) -> None:
        """Show the calls of the same method and profile; nothing if they are few, or the pane is low."""
        self._lines = ()
        if call is not None and call.kind == "call" and pane.height >= MIN_PLOT_PANE:
            newest = (row for row in rows[:MAX_PLOTTED] if isinstance(row, Exchange) and row.kind == "call")
            calls = [one for one in newest if (one.method, one.profile) == (call.method, call.profile)]
            size = (pane.width - 1, PLOT_ROWS - 1)
            self._lines = method_plot(call, calls, usual_of(call, times), size, self._zone)
        self.display = bool(self._lines)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        words = self._lines[y - 1] if 0 < y <= len(self._lines) else []
        return line(words, self.size.width, ThemeStyles.of(self))


VALUE_COLUMNS: Final = 56
"""Columns for a value in a question."""
ALL: Final = "all profiles"
TABS: Final = ("Response", "Headers", "Request", "Note")
EVENT_TABS: Final = ("Message", "Note")
PAUSE_SECONDS: Final = 0.08
"""Pause in typing after which a search starts."""
PATIENCE_SECONDS: Final = 3.0
"""Keys wait this long for rows; after that, one may be for leaving."""
ROWS: Final = "rows"


class HistoryScreen(Browser[HistoryRow, HistoryChoice | None], scope="history"):
    """The recorded calls, or those of a case."""

    DEFAULT_CSS = "HistoryScreen #main { width: 60%; }"
    FILTER = "text  outcome:error  method:user  since:2h  slower:1s  code:-32602"

    def __init__(
        self,
        explorer: Explorer,
        pending: PendingKeys,
        frame: Frame,
        *,
        case: CaseOnView | None = None,
        last: HistoryChoice | None = None,
    ) -> None:
        """``case``: show its calls instead of the history. ``last``: go on with its filter, at its call."""
        super().__init__(HistoryList(key=key_of), pending, frame, explorer.profile)
        if last is not None:
            self.filter.set_reactive(Entry.value, last.filter)
            self.list.start_at(last.exchange)
        self.explorer, self._case = explorer, case
        self._profile = explorer.profile.name if explorer.profile and case is None else ""
        self.everyone = bool(self._profile) and explorer.remembered.history_of_all
        """The calls of all profiles are shown."""
        self.marked: tuple[Exchange, ...] = ()
        """The marked calls, in order of marking. They stay through other filters."""
        self._narrowed = ("", "")
        """The filter after a row of the statistics was chosen, and the one before."""
        self.reading: Reading | None = None
        self._plot = MethodPlot(frame.zone)
        self.shown: Reading | None = None
        """The newest search with results, or with none at the end."""
        self._next: Callable[[], object] | None = None
        """Acts on the rows of the typed filter, once they are there."""
        self._patience: Timer | None = None

    def over_both(self) -> Sequence[Widget]:
        return [CaseNote(self._case.note)] if self._case is not None and self._case.note else []

    @property
    def _times(self) -> UsualTimes | None:
        """The durations that are usual; calls of a case are of someone else."""
        return self.explorer.history.times if self._case is None else None

    def on_mount(self) -> None:
        super().on_mount()
        self.pane.mount(self._plot)
        if self._times is None and self._case is None:
            self._read_times()

    @work(group="times")
    async def _read_times(self) -> None:
        """Show which durations are usual, as soon as that is known."""
        await asyncio.to_thread(self.explorer.journal.read_times, self.explorer.profile)
        if self.shown is not None:
            self._show_rows(self.shown)

    def on_screen_resume(self) -> None:
        """Search again: other processes may have recorded calls, too."""
        self.search()

    def on_unmount(self) -> None:
        if self.reading is not None:
            self.reading.give_up()
        self.pending.go_on(ROWS)

    # The rows

    @property
    def is_stale(self) -> bool:
        """Whether the rows on screen belong to an older filter."""
        return self.shown is None or self.reading is None or self.shown.wanted != self.reading.wanted

    def search(self, pause: float = 0.0) -> None:
        """Search from the newest call on.

        The same filter finds at least as many rows as before. ``pause``: seconds to wait for another letter of the
        filter; keys do not wait then.
        """
        today, zone = self.frame.day, self.frame.zone
        only = None if self.everyone else self._profile or None
        wanted = HistoryFilter.of(self.filter.value, only, now=datetime.combine(today, datetime.now(zone).timetz()))
        history = self.explorer.history
        records = chain(reversed(history.unsaved), history.search_in_steps(wanted))
        reading = Reading(iter(self._case.calls) if self._case is not None else records, wanted, today, zone)
        if (before := self.reading) is not None:
            before.give_up()
            if before.wanted == wanted:
                reading.goal, reading.least = before.goal, max(before.least, before.found)
        self.reading = reading
        if not pause:
            if self._patience is not None:
                self._patience.stop()
            self.pending.wait(ROWS)
            self._patience = self.set_timer(PATIENCE_SECONDS, self._let_keys_go)
        self._read(reading, pause)

    @on(HistoryList.EndNear)
    def _read_on(self, event: HistoryList.EndNear) -> None:
        """Find more calls, unless a search is running or has found all."""
        event.stop()
        reading = self.reading
        if reading is not None and reading.full and not reading.ended:
            reading.goal = reading.found + NEWEST
            self._read(reading)

    @work(exclusive=True, group="reading")
    async def _read(self, reading: Reading, pause: float = 0.0) -> None:
        await asyncio.sleep(pause)
        if not reading.least:
            self._show_state()
        while not reading.full:
            await reading.go_on()
            if reading.ready:
                self._show_rows(reading)

    def _show_rows(self, reading: Reading) -> None:
        rows, everyone = reading.rows, reading.wanted.profile is None
        columns = columns_of(
            rows, self._is_marked, self.frame.zone, self._times, everyone=everyone, of_case=self._case is not None
        )
        self.list.empty = advice(reading, self._scope_name, recording=self.explorer.journal.recording)
        self.list.show(rows, columns, from_top=self.shown is None or reading.wanted != self.shown.wanted)
        if reading.found or reading.full:
            self.shown = reading
            if self._next is not None:
                self._next()
            self._let_keys_go()
        self._show_state()
        self.show_detail()

    def _let_keys_go(self) -> None:
        self._next = None
        self.pending.go_on(ROWS)

    def filter_changed(self) -> None:
        self.search(PAUSE_SECONDS)

    def into_list(self, move: Callable[[], Any]) -> None:
        """Go to the list, and move there once the typed filter has results."""
        self.set_focus(self.list)
        if self.is_stale:
            self._next = move
            self.search()
        else:
            move()

    # What is shown

    @property
    def _scope_name(self) -> str:
        """The profile in words; calls to all typed URLs are recorded as one."""
        return "typed URLs" if self._profile == AD_HOC_NAME else self._profile

    def _show_state(self) -> None:
        """Show title, marks, and the filter with the progress of its search, or shorter words for them."""
        reading, case, name = self.reading, self._case, self._scope_name
        if reading is None:
            return
        self.bar.tabs = () if case else (name, ALL) if name else (ALL,)
        self.bar.key, self.bar.open = "p" if name else "", ALL if self.everyone or not name else name
        title = [("Case", "bold"), (f"  {case.name}", "careful")] if case else [("History", "bold")]
        marked = [(f"  {MARK} {len(self.marked)} marked", "text bold")] if self.marked else []
        failed = [(f"  {reading.failed:,} failed", "wrong")] if reading.count and reading.failed else []
        self.bar.words = [*title, (f"  {reading.count}", "middle"), *failed, *marked]
        wordings = [reading.problem or reading.state]
        if not wordings[0] and case is not None:
            wordings = case.origins
        room = self.state.content_size.width
        if not wordings[0]:
            wordings = [strip_words(reading.timeline, room)]
        fitting = (words for words in wordings if columns(printable(words)) <= room)
        self.show_state(next(fitting, wordings[-1]), is_wrong=bool(reading.problem))

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_state)
        self.call_after_refresh(self.show_detail)

    def show_detail(self) -> None:
        super().show_detail()
        self._plot.show(self._call, self.list.items, self._times, self.pane.size)

    def tabs_of(self, row: HistoryRow) -> Sequence[str]:
        if not isinstance(row, Exchange):
            return ()
        return EVENT_TABS if row.kind == "event" else TABS

    def detail(self, row: HistoryRow | None) -> Detail:
        if isinstance(row, Damaged):
            reason, file = row.reason, row.file
            return Detail(
                [("damaged record", "text bold")],
                outcome=lambda _: [("! ", "careful"), (reason, "careful bold")],
                remarks=lambda _: [(file, "middle")],
                text=row.text.strip().encode(errors="backslashreplace"),
                is_raw=True,
            )
        if not isinstance(row, Exchange):
            return Detail(nothing="The call under the cursor is shown here.")
        call = row
        shown = Detail(
            [(call.method, "text bold")],
            [(f"  {self._moment(call)}", "dim")],
            outcome=partial(ended, call),
            outcome_after=transport_pieces(call, call.method, usual_of(call, self._times)),
        )
        match self.tab:
            case "Headers":
                return replace(shown, page=headers_page(call))
            case "Note":
                return replace(shown, page=note_page(call, self.frame.zone, self._case.note if self._case else ""))
            case "Request":
                facts = [(call.kind, "middle"), (call.profile, "middle"), (call.url, "middle")]
                text = (call.params.strip() or "[]").encode(errors="backslashreplace")
                return replace(shown, remarks=lambda _: facts, text=text)
        batch = [("Enter shows each call of the batch", "middle")] if call.kind == "batch" else []
        if batch and not call.foreign:  # An imported call is replayed instead: that asks for a profile.
            key = first_key("history.again", self.explorer.settings.keymap)
            batch.append((f"{key} resends the batch", "middle"))
        value = call.outcome.value if isinstance(call.outcome, Result | ErrorObject) else b""
        without = {"sent": "A notification: no response was expected.", "unreached": "No response."}
        return replace(
            shown,
            remarks=lambda room: [*remark_pieces(call, room), *batch],
            text=value or call.response.body,
            nothing=without.get(call.outcome_name, "The response has no body."),
        )

    # What can be done

    @property
    def record(self) -> Exchange | Damaged | None:
        return self.row if isinstance(self.row, Exchange | Damaged) else None

    @property
    def _call(self) -> Exchange | None:
        """The call or event under the cursor."""
        return self.record if isinstance(self.record, Exchange) else None

    @property
    def _event(self) -> Exchange | None:
        return self._call if self._call is not None and self._call.kind == "event" else None

    def has(self, state: str) -> bool:
        call = self._call
        match state:
            case "row":
                return self.record is not None and not self.is_stale
            case "readable":
                return call is not None
            case "event" | "call":
                return call is not None and (call.kind == "event") is (state == "event")
            case "calls":
                return bool(self.marked) or (self.has("row") and self.has("call"))
            case "single":
                return call is not None and call.kind != "batch"  # The editor holds one call.
            case "own":
                return call is not None and not call.foreign  # An imported call is replayed instead.
            case "written":
                record, unsaved = self.record, self.explorer.history.unsaved
                is_saved = record is not None and bool(record.id) and all(record is not call for call in unsaved)
                return self._case is None and is_saved
            case "recorded":
                return self._case is None and not self.is_stale
            case "scoped":
                return bool(self._profile)
            case "profile":
                return self.explorer.profile is not None
        return super().has(state)

    action_load = Browser.action_open

    def action_again(self) -> None:
        self._answer("again", self.row)

    def choose(self, row: HistoryRow) -> None:
        self._answer("load", row)

    def _answer(self, action: Literal["load", "again"], row: HistoryRow | None) -> None:
        if isinstance(row, Exchange) and self.check_action(action, ()):
            self.dismiss(HistoryChoice(row, action, filter=self.filter.value))

    @opens("carry")
    async def action_to_profile(self) -> None:
        call = self._call
        if call is not None and (name := await other_profile(self, self.explorer, call.profile)):
            self.dismiss(HistoryChoice(call, "carry", name, self.filter.value))

    def step_back(self) -> bool:
        """Unmark all calls, or widen a filter that a row of the statistics has narrowed."""
        if self.marked:
            self._mark(())
            return True
        narrow, wide = self._narrowed
        self._narrowed = ("", "")
        if not narrow or self.filter.value != narrow:
            return False
        self.filter.value = wide
        return True

    def _narrow(self, words: str) -> None:
        """Add words to the filter, until a step back."""
        before = self.filter.value
        self.filter.value = narrowed(before, words)
        self._narrowed = (self.filter.value, before)

    def on_bar_tab_clicked(self, event: Bar.TabClicked) -> None:
        if event.bar is not self.bar:
            super().on_bar_tab_clicked(event)
        elif (event.tab == ALL) != self.everyone:
            self.action_scope()

    def _is_marked(self, call: Exchange) -> bool:
        return any(marked.id == call.id for marked in self.marked)

    def _mark(self, calls: Iterable[Exchange]) -> None:
        self.marked = tuple(calls)
        self.list.refresh()
        self._show_state()
        self.refresh_bindings()

    def _others_marked(self, call: Exchange | Damaged) -> list[Exchange]:
        return [exchange for exchange in self.marked if exchange.id != call.id]

    def action_scope(self) -> None:
        """Switch between all profiles and the current one, and remember it."""
        self.explorer.remembered.history_of_all = self.everyone = not self.everyone
        self.search()

    def action_copy(self) -> None:
        from rpcexplorer.tui.call.copying import copy_recorded

        if self._event is not None:
            self._copy_message(self._event)
        elif self._call is not None:
            copy_recorded(self, self._call)

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
        from rpcexplorer.tui.call.copying import copy_recorded

        if self._call is not None:
            copy_recorded(self, self._call, "report")

    @opens("statistics")
    async def action_statistics(self) -> None:
        """Open the statistics of the filtered calls.

        A row of them leads back here.
        """
        from rpcexplorer.tui.statistics import StatisticsScreen

        if self.reading is not None:
            statistics = StatisticsScreen(self.explorer, self.reading.wanted, self.pending, self.frame)
            if words := await self.app.push_screen_wait(statistics):
                self._narrow(words)

    @property
    def _meant(self) -> Sequence[Exchange]:
        """The marked calls, oldest first; else the call at the cursor."""
        return _oldest_first(self.marked) or ([self._call] if self._call is not None else [])

    def action_mark(self) -> None:
        if (call := self._call) is not None:
            others = self._others_marked(call)
            self._mark(others if len(others) < len(self.marked) else [*others, call])

    @opens("comparison")
    async def action_compare(self) -> None:
        """Compare with the last marked call, or an earlier one.

        In a case, it is the last call with the same method and params.
        """
        from rpcexplorer.tui.compare import compare

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
        await compare(self, call, others[-1] if others else None)

    @opens("replay")
    async def action_replay(self) -> None:
        """Replay the marked calls, else the call at the cursor.

        In a case, all calls that match the filter are replayed if none is marked.
        """
        from rpcexplorer.tui.replay import replay

        meant, reading = self._meant, self.reading
        if self._case is not None and reading is not None and not self.marked:
            calls = (call for call in self._case.calls if isinstance(call, Exchange))
            meant = _oldest_first(filter(reading.wanted.matches, calls))
        if meant:
            await replay(self, meant)

    @opens("export")
    async def action_export(self) -> None:
        from rpcexplorer.tui.call.copying import export_case

        if meant := self._meant:
            await export_case(self, self.explorer, meant)

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
        self.search()

    @opens("edit")
    async def action_delete(self) -> None:
        record = self.record
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
        named = [(label, clipped(" ".join(text.split()), VALUE_COLUMNS)) for label, text in rows if text]
        question = Confirm(title, named, [Choice("delete", "Delete")], caution=Caution.DELETION)
        if await self.app.push_screen_wait(question) == "delete":
            await self._write(lambda: self.explorer.journal.delete(self.explorer.profile, record.id))
            self._mark(self._others_marked(record))
            self.search()

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
        return moment_words(call.when, self.frame.day, self.frame.zone)


def _cut_words(event: Exchange) -> str:
    return f"cut, the whole message had {size(event.response.size)}" if event.response.cut else ""


def _oldest_first(calls: Iterable[Exchange]) -> list[Exchange]:
    return sorted(calls, key=lambda call: call.when)
