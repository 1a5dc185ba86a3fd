"""The response pane: the outcome bar, what is worth saying, a line to type into, and the body below.

It shows what it is given. Filtering and piping need a process, so it asks for them upwards and shows what comes back.
The file is longer than others because each of the pane's twenty commands is an action of two lines here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.timer import Timer

from rpcexplorer.model.exchange import Exchange, Progress
from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.widgets.bar import Bar
from rpcexplorer.tui.widgets.body import Body
from rpcexplorer.tui.widgets.grid import Grid
from rpcexplorer.tui.widgets.outcome import beside, ended, nothing, running, told
from rpcexplorer.tui.widgets.prompt import Prompt, Purpose
from rpcexplorer.tui.widgets.reader import Reader
from rpcexplorer.tui.widgets.said import Said

TABS: Final = ("Result", "Raw", "Headers", "Timing")
PAUSE: Final = 0.15
"""Seconds without a key before a filter is tried."""

QUICK: Final = 0.3
"""Seconds after which the reply before is seen to be the one before."""
DIGITS: Final = 12
"""Of the number of a line; no reply has so many."""

READING: Final = frozenset(
    {
        "search",
        "next",
        "previous",
        "goto",
        "wrap",
        "fold",
        "fold_all",
        "unfold_all",
        "fold_to",
    }
)
"""What can be done only while JSON or text is on view."""


class ResponsePane(Vertical):
    """One exchange on view, or the one that is under way."""

    DEFAULT_CSS = """
    ResponsePane { background: $background; }
    ResponsePane.-old Body { opacity: 55%; }
    """
    scope: ClassVar[Scope] = "response"
    BINDINGS: ClassVar[list[BindingType]] = bindings("response")

    exchange: reactive[Exchange | None] = reactive[Exchange | None](None, always_update=True)
    """What is on view."""
    what: reactive[str] = reactive("")
    """What is under way, in a word; empty when nothing is."""
    method: reactive[str] = reactive("")
    """The method in the editor."""
    whose: reactive[str] = reactive("")
    """The method that is being called, while one is."""
    tab: reactive[str] = reactive("Result")
    here: reactive[bool] = reactive(False)
    """The focus is inside."""
    wrapped: reactive[bool] = reactive(False)
    filtered: reactive[str] = reactive("")
    """The expression or command that stands between the reply and what is shown; empty: nothing does."""
    waiting: reactive[bool] = reactive(False)
    """What it makes of the reply is not there yet."""

    @dataclass
    class Through(Message):
        """The reply is wanted through a jq expression or a shell command; ``show`` is the answer."""

        pane: ResponsePane
        purpose: Literal["filter", "pipe"]
        told: str
        """The expression or the command."""
        body: bytes

        @property
        def label(self) -> str:
            """What the banner calls it."""
            return f"| {self.told}" if self.purpose == "pipe" else self.told

    @dataclass
    class Dropped(Message):
        """Nobody waits any longer for what the reply went through."""

        pane: ResponsePane

    @dataclass
    class Kept(Message):
        """An expression or a command was taken: worth remembering."""

        pane: ResponsePane
        purpose: Purpose
        text: str

    @dataclass
    class CopyWanted(Message):
        """Something is to be copied: ``value``, ``path``, or empty for a choice."""

        pane: ResponsePane
        what: str

    @dataclass
    class Wrapped(Message):
        """Long lines are wrapped from now on, or cut."""

        pane: ResponsePane
        on: bool

    @dataclass
    class ZoomWanted(Message):
        """The whole screen for this pane, or no longer."""

        pane: ResponsePane

    def __init__(
        self, *, key: str = "F4", cancel_key: str = "Esc", first_steps: Sequence[Sequence[tuple[str, str]]] = ()
    ) -> None:
        """``key`` goes here, ``cancel_key`` ends what runs; ``first_steps`` is said before there is any exchange."""
        super().__init__()
        self._key, self._cancel_key = key, cancel_key
        self._bar, self._said, self._prompt = Bar(classes="-tinted"), Said(), Prompt()
        self.body = Body()
        """The ways of looking at the reply."""
        self._first_steps = first_steps
        self._progress: Progress | None = None
        self._elapsed = 0.0
        self._before: dict[Purpose, Sequence[str]] = {}
        self._pause: Timer | None = None
        self._made_by = ""
        """The expression or command that what is shown was made by."""
        self._last_said = ("", False)
        """What the banner says of it, and whether that is a complaint."""
        self._before_method = ""
        """The method whose reply was on view last."""

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield from (self._bar, self._said, self._prompt, self.body)

    # --- what is given to it -----------------------------------------------------------------------------------

    @property
    def reader(self) -> Reader:
        """The lazy view of JSON and text."""
        return self.body.reader

    def remember(self, purpose: Purpose, before: Sequence[str]) -> None:
        """What was typed before for this purpose, newest first."""
        self._before[purpose] = before

    def tick(self, elapsed: float, progress: Progress | None) -> None:
        """How far it has come."""
        self._elapsed, self._progress = elapsed, progress
        if self.what:
            self._bar.words = running(self.what, self.whose, progress, elapsed)
            self.set_class(elapsed > QUICK, "-old")

    def show(self, through: Through, text: bytes, sentence: str, *, wrong: bool) -> None:
        """What the filter or the command made of the reply; a complaint leaves what was on view."""
        if through.label != self.filtered:  # something else was asked for meanwhile, or another reply has come
            return
        self.waiting = False
        self._prompt.tell(sentence, wrong=wrong)
        if text or not wrong:
            self.body.made, self._made_by = text, through.label
        self._say(sentence, wrong=wrong)

    def focus_inside(self) -> None:
        """The focus goes to what is on view."""
        self.body.focus_inside()

    # --- watching ----------------------------------------------------------------------------------------------

    def watch_exchange(self) -> None:
        """Another exchange; a line that somebody types into stays, and the tab for another call of the same method."""
        prompt = self._prompt
        if self.exchange and self.exchange.method != self._before_method:
            self.tab = "Result"
        self._before_method = self.exchange.method if self.exchange else ""
        self._drop()
        self.set_reactive(ResponsePane.filtered, "")
        if not prompt.has_focus_within:
            prompt.close()
        self.body.exchange = self.exchange
        self._search_on()
        self.watch_what()
        self._say()

    def _search_on(self) -> None:
        """A search goes along to what is on view now; where that cannot be searched, its line closes."""
        if not (self._prompt.is_open and self._prompt.purpose == "search"):
            self.reader.search("")
        elif self.body.reading:
            self.reader.search(self._prompt.text)
        elif not self._prompt.has_focus_within:
            self._prompt.close()

    def on_resize(self) -> None:
        """What has no room in the bar is said below it."""
        self.watch_method()

    def watch_what(self) -> None:
        """Something began or ended: the bar says so in the same place."""
        bar = self._bar
        if self.what:
            self._elapsed, self._progress = 0.0, None
            bar.words, bar.after, bar.tabs = running(self.what, self.whose, None, 0.0), (), ()
            bar.key = f"{self._cancel_key} cancel  {self._key}"
        else:
            self.remove_class("-old")
            bar.tabs, bar.open, bar.key = TABS, self.tab, self._key
            bar.after = beside(self.exchange, self.method) if self.exchange else ()
            bar.words = ended(self.exchange, bar.room) if self.exchange else [("Response", "middle")]
        self.body.empty = nothing(self.exchange, self.what) or [[], *self._first_steps]
        self.refresh_bindings()

    def watch_method(self) -> None:
        """The reply may be another's now."""
        self.watch_what()
        self._say()

    def watch_tab(self) -> None:
        """Another tab."""
        self._bar.open = self.tab
        self.body.tab = self.tab
        self._search_on()
        self._say()

    def watch_here(self) -> None:
        """The mark of focus."""
        self._bar.here = self.here

    def watch_wrapped(self) -> None:
        """Long lines wrap, or are cut at the edge."""
        self.body.wrapped = self.wrapped

    def watch_filtered(self) -> None:
        """The banner follows; the way back is a key that works only now."""
        if not self.filtered:
            self._drop()
            self.body.made = None
        self._say()
        self.refresh_bindings()

    def _say(self, sentence: str = "", *, wrong: bool = False) -> None:
        """The line under the bar: a loud banner while something stands between the reply and the eye."""
        said = self._said
        said.joined = not self.filtered
        if not self.filtered or self.tab != "Result":
            said.joined = True
            said.pieces = told(self.exchange, self._bar.room) if self.exchange else []
            return
        if sentence or not self.waiting:
            self._last_said = (sentence or "no longer as the server wrote it", wrong)
        how, wrong = ("working …  Esc gives up", False) if self.waiting else self._last_said
        made = self.body.made is not None
        said.pieces = [
            (" FILTERED " if made else " NOT FILTERED " if wrong else " FILTERING ", "careful reverse bold"),
            (f"  {self._made_by if made else self.filtered}", "text bold"),
            (
                f"   {self.filtered}: {how}" if made and self._made_by != self.filtered else f"   {how}",
                "wrong" if wrong else "careful",
            ),
            ("   o", "bold"),
            (" original", "middle"),
        ]

    # --- focus and mouse ---------------------------------------------------------------------------------------

    def on_descendant_focus(self) -> None:
        """The focus came in."""
        self.here = True

    def on_descendant_blur(self) -> None:
        """It may have gone."""
        self.here = self.has_focus_within

    def on_body_no_table(self, event: Body.NoTable) -> None:
        """Say why nothing happened."""
        event.stop()
        self.notify("Only a list of objects can be shown as a table.", markup=False, timeout=4)

    def on_bar_opened(self, event: Bar.Opened) -> None:
        """A tab was clicked."""
        event.stop()
        self.tab = event.tab

    def on_click(self, event: events.Click) -> None:
        """A click on the bar comes in here."""
        if isinstance(event.widget, Bar):
            self.focus_inside()

    # --- the prompt --------------------------------------------------------------------------------------------

    def on_prompt_typed(self, event: Prompt.Typed) -> None:
        """A search goes along with the keys; a filter waits for a pause."""
        event.stop()
        if not event.prompt.listens:
            return
        if event.purpose == "search":
            self.reader.search(event.text)
        elif event.purpose == "filter":
            self._no_pause()
            self._pause = self.set_timer(PAUSE, lambda: self._put_through("filter", event.text))

    def on_prompt_taken(self, event: Prompt.Taken) -> None:
        """Enter: remember it, do it, and back to the reply."""
        event.stop()
        text = event.text.strip()
        if text:
            self.post_message(self.Kept(self, event.purpose, text))
        if event.purpose == "search" and self.reader.needle != event.text:
            self.reader.search(event.text)
        elif event.purpose == "goto" and text.isdecimal():
            self.reader.go_to(int(text[:DIGITS]) - 1)
        elif event.purpose == "filter" or (event.purpose == "pipe" and text):
            self._put_through(event.purpose, text)
        if event.purpose != "search" or not text:
            event.prompt.close()
        self.focus_inside()

    def on_prompt_left(self, event: Prompt.Left) -> None:
        """Escape closes it; a search is over with it, a filter stays until the original is wanted.

        One that has not come to anything yet is given up.
        """
        event.stop()
        if event.purpose == "search":
            self.reader.search("")
        elif self.waiting or self._pause is not None:
            self.give_up()
        event.prompt.close()
        self.focus_inside()

    def on_reader_found(self, event: Reader.Found) -> None:
        """How many there are, as far as they are counted."""
        event.stop()
        more = "" if event.counted else "+"
        if not event.needle:
            state = ""
        elif not event.total:
            state = "nothing found" if event.counted else "searching …"
        else:
            place = "" if event.index is None else f"{event.index + 1:,} of "
            state = f"{place}{event.total:,}{more}"
        self._prompt.tell(state, wrong=bool(event.needle and event.counted and not event.total))

    def on_grid_opened(self, event: Grid.Opened) -> None:
        """Enter on a row of the table: that object as JSON."""
        event.stop()
        self.body.tabled = False
        self.reader.search("")
        self.reader.go_to_element(event.index, event.path)

    def _no_pause(self) -> None:
        if self._pause is not None:
            self._pause.stop()
            self._pause = None

    def _put_through(self, purpose: Literal["filter", "pipe"], told: str) -> None:
        self._drop()
        wanted = self.Through(self, purpose, told.strip(), self.body.text)
        self.filtered = wanted.label
        if self.filtered:
            self.waiting = True
            self.post_message(wanted)

    def _drop(self) -> None:
        """What is not there yet is not wanted any more."""
        self._no_pause()
        if self.waiting:
            self.waiting = False
            self.post_message(self.Dropped(self))

    def give_up(self) -> None:
        """Wait no longer for a filter or a command; what was on view before it stays."""
        self._drop()
        if self.body.made is None:
            self.filtered = ""
        else:
            self._say("given up; what is shown was made before", wrong=True)

    # --- actions -----------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """What can be done with what is on view."""
        there = self.exchange is not None and bool(self.body.text) and not self._prompt.has_focus_within
        if action in READING:
            return there and self.body.reading
        if action in {"copy_value", "copy_path"}:
            return there and bool(self.body.path() or self.body.reading)
        if action == "original":
            return bool(self.filtered)
        if action == "table":
            return there and self.tab == "Result" and not self.filtered
        if action in {"filter", "pipe"}:
            return there and self.tab == "Result"
        return self.exchange is not None if action == "copy" else True

    @property
    def closes(self) -> bool:
        """Whether Escape, in here, has a line to close."""
        return self.here and self._prompt.is_open

    def close_line(self) -> None:
        """Close the line; a search is over with it."""
        prompt = self._prompt
        self.on_prompt_left(Prompt.Left(prompt, prompt.purpose))

    def action_search(self) -> None:
        """Search in the reply."""
        self._prompt.ask("search", self.reader.needle, self._before.get("search", ()))

    def action_next(self) -> None:
        """The next place."""
        self.reader.next_hit()

    def action_previous(self) -> None:
        """The place before."""
        self.reader.previous_hit()

    def action_filter(self) -> None:
        """A jq expression over the reply."""
        before = self._before.get("filter", ())
        text = self.filtered if self.filtered and not self.filtered.startswith("| ") else next(iter(before), "")
        self._prompt.ask("filter", text, before)

    def action_pipe(self) -> None:
        """The reply through a shell command."""
        self._prompt.ask("pipe", "", self._before.get("pipe", ()))

    def action_original(self) -> None:
        """The reply as the server wrote it."""
        self._prompt.close()
        self.filtered = ""

    def action_fold(self) -> None:
        """Fold or unfold here."""
        self.reader.fold()

    def action_fold_all(self) -> None:
        """Everything below the top."""
        self.reader.fold_all()

    def action_unfold_all(self) -> None:
        """Everything open."""
        self.reader.unfold_all()

    def action_fold_to(self, depth: int = 1) -> None:
        """So many levels open."""
        self.reader.fold_to(depth)

    def action_goto(self) -> None:
        """To a line."""
        self._prompt.ask("goto")

    def action_wrap(self) -> None:
        """Wrap or cut."""
        self.wrapped = not self.wrapped
        self.post_message(self.Wrapped(self, self.wrapped))

    def action_table(self) -> None:
        """Table or JSON."""
        self.body.tabled = not self.body.tabled
        self._search_on()

    def action_copy(self) -> None:
        """Copy in one of several forms."""
        self.post_message(self.CopyWanted(self, ""))

    def action_copy_value(self) -> None:
        """The value under the cursor."""
        self.post_message(self.CopyWanted(self, "value"))

    def action_copy_path(self) -> None:
        """Its path."""
        self.post_message(self.CopyWanted(self, "path"))

    def action_zoom(self) -> None:
        """The whole screen."""
        self.post_message(self.ZoomWanted(self))

    def action_tab_next(self) -> None:
        """The next tab."""
        self._turn(1)

    def action_tab_previous(self) -> None:
        """The tab before."""
        self._turn(-1)

    def _turn(self, by: int) -> None:
        self.tab = TABS[(TABS.index(self.tab) + by) % len(TABS)]
