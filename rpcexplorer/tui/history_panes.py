"""The parts of the history screen: list, filter and preview."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, tzinfo
from itertools import product
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.model.filter import YOU, narrowed
from rpcexplorer.model.profile import AD_HOC_NAME
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text.document import Document
from rpcexplorer.text.exchange import (
    ROLES,
    SIGNS,
    duration,
    ended,
    headers_page,
    outcome_cell,
    remark_pieces,
    transport_pieces,
)
from rpcexplorer.text.history import Day, HistoryRow, moment_words, note_page, same
from rpcexplorer.text.printable import clipped, columns, fitted, printable
from rpcexplorer.tui.commands import bindings
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import ThemeStyles, line, width_of
from rpcexplorer.tui.widgets.bars import Bar, WarningLines
from rpcexplorer.tui.widgets.filter_pane import FilterPane
from rpcexplorer.tui.widgets.reader import Reader
from rpcexplorer.tui.widgets.rows import MAX_NAME_CHARACTERS, MAX_NAME_COLUMNS, RowList, Sheet

_PROFILE: Final = 12
_TOOK: Final = len(" 31.2 s ")
_OUTCOME: Final = len("-32602 I  ★ ")
"""Columns that a name leaves for the outcome."""
MARK: Final = "●"
"""The sign of a marked call."""
_NEAR: Final = 50
"""Rows before the end at which more are read."""


class HistoryList(RowList[HistoryRow]):
    """Calls, newest first. The second click on a row chooses it."""

    DEFAULT_CSS = "HistoryList { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = bindings("history", "history.load")
    CLICK_CHOOSES = False

    everyone: reactive[bool] = reactive(False)
    """Calls of all profiles are shown: each row has its profile."""

    of_case: reactive[bool] = reactive(False)
    """The calls of a case are shown: rows need no mark for imported."""
    marked: reactive[frozenset[str]] = reactive(frozenset[str]())

    class EndNear(Message):
        """The last rows are almost in view: more may be wanted."""

    def __init__(self, zone: tzinfo | None = None) -> None:
        """``zone``: time zone of the user; None for that of the machine."""
        super().__init__()
        self._zone = zone
        self._methods = self._profiles = self._writers = 0
        self._last: HistoryRow | None = None
        """The last row at the cursor, also while there are no rows."""

    def show(self, rows: Sequence[HistoryRow], *, from_top: bool) -> None:
        """Show other rows, with the cursor on the same call.

        If that is gone, it stays on its row, or goes to the top if ``from_top``.
        """
        self._last = on = self._last if self.chosen is None else self.chosen
        at = 0 if from_top else self.cursor
        if on is not None and not (0 <= at < len(rows) and same(on, rows[at])):
            at = next((index for index, row in enumerate(rows) if same(on, row)), at)
        self.items = rows
        self.cursor = at

    def can_choose(self, item: HistoryRow) -> bool:
        return not isinstance(item, Day)

    def draw(self, item: HistoryRow, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        ground = "selection" if chosen else "background"
        match item:
            case Day(words=day):
                return line([(f"   {day}", "dim")], width, styles)
            case Damaged(reason=reason):
                return line([(" ! damaged  ", "careful"), (reason, "middle")], width, styles, ground=ground)
        call = item
        outcome = call.counts_as
        methods = max(min(self._methods, MAX_NAME_COLUMNS, width // (5 if self.everyone else 4)), 1)
        mark = MARK if call.id in self.marked else " "
        words = [
            (mark, "accent"),
            (f"{SIGNS[outcome]} ", ROLES[outcome]),
            (fitted(call.method[:MAX_NAME_CHARACTERS], methods), "text"),
        ]
        if self._writers:
            words.append(("  " + fitted(call.writer or YOU, self._writers), "dim"))
        if self.everyone:
            words.append(("  " + fitted(call.profile, self._profiles), "dim"))
        words.append(("  ", "text"))
        took = ("" if call.kind == "event" else duration(call.seconds)).rjust(_TOOK)
        clock = f"  {call.when.astimezone(self._zone):%H:%M:%S} "
        room = width - width_of([*words, (took, ""), (clock, "")])
        label = (call.name or call.note)[:MAX_NAME_CHARACTERS]
        named = f"  ★ {clipped(label, max(room - _OUTCOME, 3))}" if label else ""
        imported = [("imported  ", "careful")] if call.foreign and not self.of_case else []
        outcome_pieces = [*imported, *outcome_cell(call)]
        if width_of([*outcome_pieces, (named, "")]) > room and outcome_pieces[-1][1] == "dim":
            outcome_pieces.pop()  # Drop the size before a word is cut.
        right = [(named, "careful"), (took, "middle"), (clock, "dim")]
        return line([*words, *outcome_pieces], width, styles, right=right, ground=ground)

    def watch_items(self) -> None:
        calls = [row for row in self.items if isinstance(row, Exchange)]
        self._methods = _widest({call.method for call in calls}, MAX_NAME_COLUMNS)
        self._profiles = _widest({call.profile for call in calls}, _PROFILE)
        others = {call.writer for call in calls if call.writer}
        self._writers = _widest({*others, YOU}, _PROFILE) if others else 0
        super().watch_items()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if new_value > old_value and new_value + self.size.height + _NEAR >= len(self.items):
            self.post_message(self.EndNear())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is possible: damaged records can't be loaded."""
        if action == "load":
            return isinstance(self.chosen, Exchange) and self.chosen.kind != "event"
        return super().check_action(action, parameters)

    action_load = RowList.action_choose


def _widest(names: set[str], most: int) -> int:
    return max((columns(clipped(name[:MAX_NAME_CHARACTERS], most)) for name in names), default=0)


ALL: Final = "all profiles"


class HistoryPane(FilterPane[HistoryList]):
    """Title with tabs, filter, state of the search, and list."""

    DEFAULT_CSS = """
    HistoryPane > .state { height: auto; min-height: 1; max-height: 3; }
    HistoryPane > .state.-wrong { color: $wrong; }
    """
    profile: reactive[str] = reactive("", init=False)
    case: reactive[str] = reactive("")
    """The name of the case on screen; empty for the history."""
    everyone: reactive[bool] = reactive(False)
    """The calls of all profiles are shown."""
    marked: reactive[frozenset[str]] = reactive(frozenset[str]())
    count: reactive[str] = reactive("")
    """The number of calls, in words."""
    progress: reactive[Sequence[str]] = reactive[Sequence[str]](())
    """The filter and the progress of the search, or shorter words for them."""
    problem: reactive[str] = reactive("")
    """The reason why nothing can be searched."""

    @message
    class ScopeWanted(Message):
        """The user wants to see all profiles, or only the current one."""

        everyone: bool

    def __init__(self, zone: tzinfo | None = None) -> None:
        """``zone``: time zone of the user; None for that of the machine."""
        super().__init__(HistoryList(zone), "text  outcome:error  method:user  since:2h  slower:1s  code:-32602")
        self._wider = ("", "")
        """The filter after `narrow`, and the one before."""

    def narrow(self, words: str) -> None:
        """Add words to the filter, until `widen`."""
        before = self._filter.value
        self._filter.value = narrowed(before, words)
        self._wider = (self._filter.value, before)

    def widen(self) -> bool:
        """Undo `narrow`; return False if the filter has changed since."""
        narrow, wide = self._wider
        self._wider = ("", "")
        if found := bool(narrow) and self._filter.value == narrow:
            self._filter.value = wide
        return found

    @property
    def scope_name(self) -> str:
        """The profile in words; calls to all typed URLs are recorded as one."""
        return "typed URLs" if self.profile == AD_HOC_NAME else self.profile

    def watch_profile(self) -> None:
        self._bar.tabs = () if self.case else (self.scope_name, ALL) if self.profile else (ALL,)
        self._bar.key = "p" if self.profile else ""
        self.watch_everyone()

    def watch_everyone(self) -> None:
        self._bar.open = ALL if self.everyone else self.scope_name or ALL

    def watch_count(self) -> None:
        title = [("Case", "bold"), (f"  {self.case}", "careful")] if self.case else [("History", "bold")]
        words = [*title, (f"  {self.count}", "middle")]
        self._bar.words = [*words, (f"  {MARK} {len(self.marked)} marked", "accent")] if self.marked else words

    def watch_case(self) -> None:
        self.list.of_case = bool(self.case)
        self.watch_profile()
        self.watch_count()

    def watch_marked(self) -> None:
        self.list.marked = self.marked
        self.watch_count()

    def watch_progress(self) -> None:
        wordings = list(map(printable, [self.problem] if self.problem else self.progress or [""]))
        room = self._state.content_size.width
        self._state.update(Content(next((words for words in wordings if columns(words) <= room), wordings[-1])))
        self._state.set_class(bool(self.problem), "-wrong")

    def watch_problem(self) -> None:
        self.watch_progress()

    def on_resize(self) -> None:
        self.call_after_refresh(self.watch_progress)

    def on_bar_tab_clicked(self, event: Bar.TabClicked) -> None:
        event.stop()
        self.post_message(self.ScopeWanted(event.tab == ALL))


TABS: Final = ("Response", "Headers", "Request", "Note")
EVENT_TABS: Final = ("Message", "Note")
KEYS: Final = "[ ]"
"""The keys that switch tabs."""


class HistoryPreview(Vertical):
    """The call at the cursor: method, time, outcome and one of four tabs."""

    DEFAULT_CSS = """
    HistoryPreview { background: $background; }
    HistoryPreview > Reader, HistoryPreview > Sheet { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "fold", show=False)]

    call: reactive[Exchange | Damaged | None] = reactive[Exchange | Damaged | None](None, init=False)
    tab: reactive[str] = reactive(TABS[0], init=False)
    today: reactive[date] = reactive(date.min)

    def __init__(self, zone: tzinfo | None = None) -> None:
        """``zone``: time zone of the user; None for that of the machine."""
        super().__init__()
        self._zone = zone
        self.case_note = ""
        """The note of the case that the call is in."""
        self._bar, self._outcome, self._remarks = Bar(), Bar(classes="-tinted"), WarningLines()
        self._reader, self._sheet = Reader(), Sheet()

    def compose(self) -> ComposeResult:
        yield self._bar
        yield self._outcome
        yield self._remarks
        yield self._reader
        yield self._sheet

    def on_mount(self) -> None:
        self.watch_call()

    def watch_call(self) -> None:
        match self.call:
            case Damaged(reason=reason):
                self._outcome.after = ()
                self._bar.words = [("damaged record", "text bold")]
                self._outcome.words = [("! ", "careful"), (reason, "careful bold")]
            case None:
                self._bar.words = []
        self._outcome.display = self.call is not None
        is_event = isinstance(self.call, Exchange) and self.call.kind == "event"
        self._bar.tabs = EVENT_TABS if is_event else TABS if isinstance(self.call, Exchange) else ()
        if self.tab not in (self._bar.tabs or TABS):
            self.tab = TABS[0]
        self._entitle()
        self._lay_out()

    def watch_tab(self) -> None:
        self._lay_out()

    def on_descendant_focus(self) -> None:
        self._bar.here = True

    def on_descendant_blur(self) -> None:
        self._bar.here = self.has_focus_within

    def on_bar_tab_clicked(self, event: Bar.TabClicked) -> None:
        event.stop()
        self.tab = event.tab

    def on_resize(self) -> None:
        self._entitle()

    def turn(self, by: int = 1) -> None:
        if self._bar.tabs:
            self.tab = self._bar.next_tab(by)

    def action_fold(self) -> None:
        self._reader.fold()

    def _entitle(self) -> None:
        """Show the method, the time and the outcome.

        If the room is too small, drop the keys of the tabs, then the time. A long method is shown after the outcome.
        """
        call = self.call
        if not isinstance(call, Exchange):
            self._bar.key = ""
            return
        moment = moment_words(call.when, self.today, self._zone)
        words = [(call.method, "text bold"), (f"  {moment}", "dim")]
        for self._bar.words, self._bar.key in product((words, words[:1], [(moment, "dim")], []), (KEYS, "")):
            if width_of(self._bar.words) <= self._bar.room + len("✓ "):
                break
        self._outcome.after = transport_pieces(call, call.method if self._bar.words[:1] == words[:1] else "")
        self._outcome.words = ended(call, self._outcome.room)

    def _lay_out(self) -> None:
        call, on_sheet = self.call, False
        self._remarks.pieces, document = [], None
        self._reader.empty = [[], [("   The call under the cursor is shown here.", "dim")]]
        if isinstance(call, Damaged):
            self._remarks.pieces = [(call.file, "middle")]
            document = Document.raw(call.text.strip().encode(errors="backslashreplace"))
        elif isinstance(call, Exchange):
            on_sheet = self.tab in {"Headers", "Note"}
            if on_sheet:
                self._sheet.lines = (
                    note_page(call, self._zone, self.case_note) if self.tab == "Note" else headers_page(call)
                )
            elif self.tab == "Request":
                self._remarks.pieces = [(call.kind, "middle"), (call.profile, "middle"), (call.url, "middle")]
                document = Document.of_json((call.params.strip() or "[]").encode(errors="backslashreplace"))
            else:
                batch = [("Enter shows each call of the batch", "middle")] if call.kind == "batch" else []
                if batch and not call.foreign:  # An imported call is replayed instead: that asks for a profile.
                    batch.append(("r resends the batch", "middle"))
                self._remarks.pieces = [*remark_pieces(call, self._outcome.room), *batch]
                value = call.outcome.value if isinstance(call.outcome, Result | ErrorObject) else b""
                body = value or call.response.body
                document = Document.of_json(body) if body else None
                without = {"sent": "A notification: no response was expected.", "unreached": "No response."}
                why = without.get(call.outcome_name, "The response has no body.")
                self._reader.empty = [[], [(f"   {why}", "dim")]]
        self._bar.open = self.tab
        self._reader.document = document
        is_inside = self.has_focus_within
        self._sheet.display, self._reader.display = on_sheet, not on_sheet
        if is_inside:  # Keep the focus in the pane.
            self.screen.set_focus(self._sheet if on_sheet else self._reader)
