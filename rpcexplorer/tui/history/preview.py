"""One call of the history as it was: what came back, what was asked, and what a person noted about it."""

from __future__ import annotations

from datetime import date, tzinfo
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.reactive import reactive

from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text.document import Document
from rpcexplorer.text.exchange import beside, ended, headers_page, told
from rpcexplorer.text.history import moment_words, note_page
from rpcexplorer.tui.reader.reader import Reader
from rpcexplorer.tui.theming import width_of
from rpcexplorer.tui.widgets.bar import Bar
from rpcexplorer.tui.widgets.remarks import Remarks
from rpcexplorer.tui.widgets.sheet import Sheet

TABS: Final = ("Reply", "Headers", "Request", "Note")
KEYS: Final = "[ ]"
"""They turn the tabs."""


class HistoryPreview(Vertical):
    """Bar with method and moment, the outcome, and the body of the tab that is open."""

    DEFAULT_CSS = """
    HistoryPreview { background: $background; }
    HistoryPreview > Reader, HistoryPreview > Sheet { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "fold", show=False)]

    call: reactive[Exchange | Damaged | None] = reactive[Exchange | Damaged | None](None, init=False)
    """What is looked at."""
    tab: reactive[str] = reactive(TABS[0], init=False)
    here: reactive[bool] = reactive(False)
    """The focus is inside."""
    today: reactive[date] = reactive(date.min)

    def __init__(self, zone: tzinfo | None = None) -> None:
        """``zone``: where whoever looks lives; None asks the machine."""
        super().__init__()
        self._zone = zone
        self.case_note = ""
        """What is said of the case that the call is in."""
        self._bar, self._outcome, self._remarks = Bar(), Bar(classes="-tinted"), Remarks()
        self._reader, self._sheet = Reader(), Sheet()

    def compose(self) -> ComposeResult:
        yield self._bar
        yield self._outcome
        yield self._remarks
        yield self._reader
        yield self._sheet

    def on_mount(self) -> None:
        self.watch_call()

    # --- watching ----------------------------------------------------------------------------------------------

    def watch_call(self) -> None:
        match self.call:
            case Exchange() as call:
                self._outcome.after = beside(call, call.method)
                self._outcome.words = ended(call, self._outcome.room)
            case Damaged(reason=reason):
                self._outcome.after = ()
                self._bar.words = [("damaged record", "text bold")]
                self._outcome.words = [("! ", "careful"), (reason, "careful bold")]
            case None:
                self._bar.words = []
        self._outcome.display = self.call is not None
        self._bar.tabs = TABS if isinstance(self.call, Exchange) else ()
        self._entitle()
        self._lay_out()

    def watch_tab(self) -> None:
        self._lay_out()

    def watch_here(self) -> None:
        self._bar.here = self.here

    def on_descendant_focus(self) -> None:
        self.here = True

    def on_descendant_blur(self) -> None:
        self.here = self.has_focus_within

    def on_bar_tab_clicked(self, event: Bar.TabClicked) -> None:
        event.stop()
        self.tab = event.tab

    def on_resize(self) -> None:
        self._entitle()

    # --- what is shown -----------------------------------------------------------------------------------------

    def turn(self, by: int = 1) -> None:
        """The next tab, round the corner."""
        if self._bar.tabs:
            self.tab = self._bar.next_tab(by)

    def action_fold(self) -> None:
        self._reader.fold()

    def _entitle(self) -> None:
        """Name the method and the moment. Where there is no room for all, the keys of the tabs go, then the moment."""
        if not isinstance(self.call, Exchange):
            self._bar.key = ""
            return
        moment = moment_words(self.call.when, self.today, self._zone)
        words = [(self.call.method, "text bold"), (f"  {moment}", "dim")]
        for self._bar.key in (KEYS, ""):
            if width_of(words) <= self._bar.room + len("✓ "):
                self._bar.words = words
                return
        self._bar.words, self._bar.key = words[:1], KEYS

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
                opens = "Enter opens the batch, each call with its own outcome"
                again = "" if call.foreign else "; r sends it as it is"  # a stranger's is replayed: that asks where to
                batch = [(opens + again, "middle")] if call.kind == "batch" else []
                self._remarks.pieces = [*told(call, self._outcome.room), *batch]
                document = _reply(call)
                self._reader.empty = [[], [(f"   {_without(call)}", "dim")]]
        self._bar.open = self.tab
        self._reader.document = document
        self._arrange(on_sheet=on_sheet)

    def _arrange(self, *, on_sheet: bool) -> None:
        """Reader or page; the focus stays in the pane."""
        inside = self.has_focus_within
        self._sheet.display, self._reader.display = on_sheet, not on_sheet
        if inside:
            self.screen.set_focus(self._sheet if on_sheet else self._reader)


def _reply(call: Exchange) -> Document | None:
    """What came back as JSON: the result, the error object, or the bytes, whatever they are."""
    value = call.outcome.value if isinstance(call.outcome, Result | ErrorObject) else b""
    body = value or call.response.body
    return Document.of_json(body) if body else None


def _without(call: Exchange) -> str:
    words = {"sent": "A notification: no reply was expected.", "unreached": "No reply came."}
    return words.get(call.outcome_name, "The reply has no body.")
