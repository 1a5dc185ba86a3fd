"""The calls of the history under a line to type in that filters them; Enter and the arrows lead on into the list."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo
from functools import partial
from typing import ClassVar, Final, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input, Static

from rpcexplorer.model.filter import narrowed
from rpcexplorer.text.printable import printable
from rpcexplorer.tui.history.list import MARK, HistoryList
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.widgets.bar import Bar
from rpcexplorer.tui.widgets.entry import Entry

ALL: Final = "all profiles"


class HistoryPane(Vertical):
    """Title with the tabs of whose calls are shown, filter, what became of it, list."""

    DEFAULT_CSS = """
    HistoryPane { background: $background; }
    HistoryPane > .line { height: 1; }
    HistoryPane .prompt { width: 3; height: 1; color: $middle; }
    HistoryPane Entry, HistoryPane Entry:focus { padding: 0 1 0 0; width: 1fr; }
    HistoryPane > .state { height: 1; padding: 0 1 0 3; color: $dim; }
    HistoryPane > .state.-wrong { color: $wrong; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "into_list('move', -1)", show=False),
        Binding("down", "into_list('move', 1)", show=False),
        Binding("pageup", "into_list('page', -1)", show=False),
        Binding("pagedown", "into_list('page', 1)", show=False),
    ]

    profile: reactive[str] = reactive("", init=False)
    """The profile in use; empty where there is none."""
    case: reactive[str] = reactive("")
    """The name of the case whose calls are shown; empty for the history."""
    everyone: reactive[bool] = reactive(False)
    """The calls of all profiles are shown."""
    marked: reactive[frozenset[str]] = reactive(frozenset[str]())
    """The ids of calls that are marked."""
    count: reactive[str] = reactive("")
    """How many calls there are, in words."""
    told: reactive[str] = reactive("")
    """What is looked for, and how far that has come."""
    trouble: reactive[str] = reactive("")
    """Why nothing can be looked for."""

    @message
    class FilterChanged(Message):
        """Other calls are looked for."""

        pane: HistoryPane
        text: str

    @message
    class LedOn(Message):
        """The keys go on to the list, and there to another row."""

        pane: HistoryPane
        move: Callable[[], object]

    @message
    class ScopeWanted(Message):
        """The calls of all profiles are wanted, or those of the one in use."""

        pane: HistoryPane
        everyone: bool

    def __init__(self, zone: tzinfo | None = None) -> None:
        """``zone``: where whoever looks lives; None asks the machine."""
        super().__init__()
        self.list = HistoryList(zone)
        self._wider = ("", "")
        """What is looked for since somebody wanted less, and what was before."""
        self._bar, self._state = Bar(), Static(classes="state")
        self._filter = Entry(hint="text  outcome:error  method:user  since:2h  slower:1s  code:-32602")

    def compose(self) -> ComposeResult:
        yield self._bar
        with Horizontal(classes="line"):
            yield Static(Content(" ›"), classes="prompt")  # noqa: RUF001 - the sign is meant
            yield self._filter
        yield self._state
        yield self.list

    @property
    def text(self) -> str:
        return self._filter.value

    @property
    def typing(self) -> bool:
        """The keys go to the filter."""
        return self._filter.has_focus

    def focus_filter(self) -> None:
        """The next key that is typed filters; what is typed already is selected, so that it gives way."""
        self.screen.set_focus(self._filter)
        self._filter.action_select_all()

    def narrow(self, words: str) -> None:
        """Look for less; ``widen`` leads back."""
        before = self._filter.value
        self._filter.value = narrowed(before, words)
        self._wider = (self._filter.value, before)

    def widen(self) -> bool:
        """Look for what was looked for before; whether that was more, and nothing was typed since."""
        narrow, wide = self._wider
        self._wider = ("", "")
        if found := bool(narrow) and self._filter.value == narrow:
            self._filter.value = wide
        return found

    def leave_filter(self) -> None:
        """Take away what is typed; where nothing is, the keys go to the list."""
        if self._filter.value:
            self._filter.value = ""
        else:
            self.screen.set_focus(self.list)

    def interrupt(self) -> bool:
        """What is being looked for is not wanted any more; whether anything was."""
        if found := self.typing and bool(self.text):
            self.leave_filter()
        return found

    # --- watching ----------------------------------------------------------------------------------------------

    def watch_profile(self) -> None:
        self._bar.tabs = () if self.case else (self.profile, ALL) if self.profile else (ALL,)
        self._bar.key = "p" if self.profile else ""
        self.watch_everyone()

    def watch_everyone(self) -> None:
        self._bar.open = ALL if self.everyone else self.profile or ALL

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

    def watch_told(self) -> None:
        self._state.update(Content(printable(self.trouble or self.told)))
        self._state.set_class(bool(self.trouble), "-wrong")

    def watch_trouble(self) -> None:
        self.watch_told()

    # --- what happened -----------------------------------------------------------------------------------------

    def on_descendant_focus(self) -> None:
        self._bar.here = True

    def on_descendant_blur(self) -> None:
        self._bar.here = self.has_focus_within

    def on_bar_tab_clicked(self, event: Bar.TabClicked) -> None:
        event.stop()
        self.post_message(self.ScopeWanted(self, event.tab == ALL))

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.FilterChanged(self, event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter leads into the list; there it takes a call."""
        event.stop()
        self.post_message(self.LedOn(self, lambda: None))

    def action_into_list(self, way: Literal["move", "page"], by: int) -> None:
        self.post_message(
            self.LedOn(self, partial(self.list.action_move if way == "move" else self.list.action_page, by))
        )
