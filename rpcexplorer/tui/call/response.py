"""The response pane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.timer import Timer

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.rpc.messages import Result
from rpcexplorer.text.exchange import WordLine, beside, ended, nothing, running, told
from rpcexplorer.transport.port import Progress
from rpcexplorer.tui.call.body import Body
from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.messages import ComparisonWanted, TicketWanted, message
from rpcexplorer.tui.widgets.bars import Bar, Remarks
from rpcexplorer.tui.widgets.inputs import Prompt, Purpose

if TYPE_CHECKING:
    from rpcexplorer.tui.widgets.grid import Grid
    from rpcexplorer.tui.widgets.reader import Pager, Reader

PAUSE: Final = 0.15
"""Seconds without a key before a filter is tried."""
DIGITS: Final = 12
"""Of the number of a line; no reply has so many."""


class ReplyLine(Vertical):
    """The part of the response pane that listens to its line."""

    here: reactive[bool] = reactive(False)
    """The focus is inside."""
    filtered: reactive[str] = reactive("")
    """The expression or command that stands between the reply and what is shown; empty: nothing does."""
    waiting: reactive[bool] = reactive(False)
    """What it makes of the reply is not there yet."""

    @message
    class Through(Message):
        """The reply is wanted through a jq expression or a shell command; ``show`` is the answer."""

        pane: ReplyLine
        purpose: Literal["filter", "pipe"]
        told: str
        """The expression or the command."""
        body: bytes

        @property
        def label(self) -> str:
            return f"| {self.told}" if self.purpose == "pipe" else self.told

    @message
    class Dropped(Message):
        """Nobody waits any longer for what the reply went through."""

        pane: ReplyLine

    @message
    class Kept(Message):
        """An expression or a command was taken: worth remembering."""

        pane: ReplyLine
        purpose: Purpose
        text: str

    def __init__(self, body: Body, prompt: Prompt) -> None:
        super().__init__()
        self.body = body
        """The ways of looking at the reply."""
        self.prompt = prompt
        """The line."""
        self._before: dict[Purpose, Sequence[str]] = {}
        self._pause: Timer | None = None
        self._made_by = ""
        """The expression or command that what is shown was made by."""
        self._last_said = ("", False)
        """What the banner says of it, and whether that is a complaint."""

    @property
    def reader(self) -> Reader:
        """The lazy view of JSON and text."""
        return self.body.reader

    def remember(self, purpose: Purpose, before: Sequence[str]) -> None:
        """What was typed before for this purpose, newest first."""
        self._before[purpose] = before

    def show(self, through: Through, text: bytes, sentence: str, *, wrong: bool) -> None:
        """What the filter or the command made of the reply; a complaint leaves what was on view."""
        if through.label != self.filtered:  # something else was asked for meanwhile, or another reply has come
            return
        self.waiting = False
        if text or not wrong:
            self.body.made, self._made_by = text, through.label
        self.say(sentence, wrong=wrong)

    def focus_inside(self) -> None:
        self.body.focus_inside()

    def say(self, sentence: str = "", *, wrong: bool = False) -> None:
        """Put the banner up, or what belongs in its place."""
        raise NotImplementedError

    def watch_filtered(self) -> None:
        """The banner follows; the way back is a key that works only now."""
        if not self.filtered:
            self.drop()
            self.body.made = None
        self.say()
        self.refresh_bindings()

    def banner(self, sentence: str = "", *, wrong: bool = False) -> list[tuple[str, str]]:
        """Loud while something stands between the reply and the eye; nothing while nothing does."""
        if not self.filtered:
            return []
        if sentence or not self.waiting:
            self._last_said = (sentence or "no longer as the server wrote it", wrong)
        how, wrong = ("working …  Esc gives up", False) if self.waiting else self._last_said
        made = self.body.made is not None
        if made and self._made_by != self.filtered:
            how = f"{self.filtered}: {how}"
        return [
            (" FILTERED " if made else " NOT FILTERED " if wrong else " FILTERING ", "careful reverse bold"),
            (f"  {self._made_by if made else self.filtered}", "text bold"),
            (f"   {how}", "wrong" if wrong else "careful"),
            ("   o", "bold"),
            (" original", "middle"),
        ]

    # --- the line ----------------------------------------------------------------------------------------------

    def on_prompt_text_typed(self, event: Prompt.TextTyped) -> None:
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
        event.stop()
        more = "" if event.counted else "+"
        if not event.needle:
            state = ""
        elif not event.total:
            state = "nothing found" if event.counted else "searching …"
        else:
            place = "" if event.index is None else f"{event.index + 1:,} of "
            state = f"{place}{event.total:,}{more}"
        self.prompt.tell(state, wrong=bool(event.needle and event.counted and not event.total))

    def search_on(self) -> None:
        """A search goes along to what is on view now; where that cannot be searched, its line closes."""
        searched = self.prompt.is_open and self.prompt.purpose == "search"
        if self.body.reading:
            self.reader.search(self.prompt.text if searched else "")
        elif searched and not self.prompt.has_focus_within:
            self.prompt.close()

    @property
    def closes(self) -> bool:
        """Whether Escape, in here, has folds to stop or a line to close."""
        return self.here and (self.prompt.is_open or self.body.folding)

    def close_line(self) -> None:
        """Close the line; a search is over with it. What takes a while ends before that."""
        if self.body.folding:
            self.reader.stop_folding()
            return
        prompt = self.prompt
        self.on_prompt_left(Prompt.Left(prompt, prompt.purpose))

    # --- through something -------------------------------------------------------------------------------------

    def _no_pause(self) -> None:
        if self._pause is not None:
            self._pause.stop()
            self._pause = None

    def _put_through(self, purpose: Literal["filter", "pipe"], told: str) -> None:
        self.drop()
        wanted = self.Through(self, purpose, told.strip(), bytes(self.body.text))
        self.filtered = wanted.label
        if self.filtered:
            self.waiting = True
            self.post_message(wanted)

    def drop(self) -> None:
        """What is not there yet is not wanted any more."""
        self._no_pause()
        if self.waiting:
            self.waiting = False
            self.post_message(self.Dropped(self))

    def give_up(self) -> None:
        """Wait no longer for a filter or a command; what was on view before it stays."""
        self.drop()
        if self.body.made is None:
            self.filtered = ""
        else:
            self.say("given up; what is shown was made before", wrong=True)

    # --- actions -----------------------------------------------------------------------------------------------

    def action_search(self) -> None:
        self.prompt.ask("search", self.reader.needle, self._before.get("search", ()))

    def action_next(self) -> None:
        self.reader.next_hit()

    def action_previous(self) -> None:
        self.reader.previous_hit()

    def action_filter(self) -> None:
        before = self._before.get("filter", ())
        text = self.filtered if self.filtered and not self.filtered.startswith("| ") else next(iter(before), "")
        self.prompt.ask("filter", text, before)

    def action_pipe(self) -> None:
        self.prompt.ask("pipe", "", self._before.get("pipe", ()))

    def action_original(self) -> None:
        self.prompt.close()
        self.filtered = ""

    def action_goto(self) -> None:
        self.prompt.ask("goto")


TABS: Final = ("Result", "Raw", "Headers", "Timing")
QUICK: Final = 0.3
"""Seconds after which the reply before is seen to be the one before."""
READING: Final = frozenset({"search", "next", "previous", "goto", "wrap", "fold", "fold_all", "unfold_all", "fold_to"})
"""What can be done only while JSON or text is on view."""


class ResponsePane(ReplyLine):
    """One exchange on view, or the one that is under way."""

    DEFAULT_CSS = """
    ResponsePane { background: $background; }
    ResponsePane.-old Body { opacity: 55%; }
    """
    scope: ClassVar[Scope] = "response"
    BINDINGS: ClassVar[list[BindingType]] = bindings("response")

    exchange: reactive[Exchange | None] = reactive[Exchange | None](None, always_update=True)
    """What is on view."""
    hint: reactive[WordLine] = reactive[WordLine]([])
    """What may help, in a line; empty where nobody knows."""
    schema_remark: reactive[str] = reactive("")
    """What its schema has against the result; empty where it is as it should be, or nobody knows yet."""
    what: reactive[str] = reactive("")
    """What is under way, in a word; empty when nothing is."""
    method: reactive[str] = reactive("")
    """The method in the editor."""
    whose: reactive[str] = reactive("")
    """The method that is being called, while one is."""
    tab: reactive[str] = reactive("Result")
    wrapped: reactive[bool] = reactive(False)

    @message
    class CopyReplyWanted(Message):
        """Something is to be copied: ``value``, ``path``, or empty for a choice."""

        pane: ResponsePane
        what: str

    @message
    class SaveWanted(Message):
        """What is on view is to be saved in a file."""

        pane: ResponsePane

    @message
    class Wrapped(Message):
        """Long lines are wrapped from now on, or cut."""

        pane: ResponsePane
        on: bool

    @message
    class UseWanted(Message):
        """A value of the result on view is to be used in another call."""

        pane: ResponsePane
        method: str
        pointer: str
        text: str

    @message
    class ZoomWanted(Message):
        """The whole screen for this pane, or no longer."""

        pane: ResponsePane

    def __init__(
        self, *, key: str = "F4", cancel_key: str = "Esc", first_steps: Sequence[Sequence[tuple[str, str]]] = ()
    ) -> None:
        """``key`` goes here, ``cancel_key`` ends what runs; ``first_steps`` is said before there is any exchange."""
        super().__init__(Body(), Prompt())
        self._key, self._cancel_key = key, cancel_key
        self._bar, self._remarks, self._hint = Bar(classes="-tinted"), Remarks(), Remarks()
        self._hint.joined = False
        self.first_steps = first_steps
        """What is said before there is any exchange."""
        self.step = ""
        """How far that is which makes many calls."""
        self._before_method = ""
        """The method whose reply was on view last."""

    def compose(self) -> ComposeResult:
        yield from (self._bar, self._remarks, self._hint, self.prompt, self.body)

    # --- what is given to it -----------------------------------------------------------------------------------

    def tick(self, elapsed: float, progress: Progress | None) -> None:
        if self.what:
            self._bar.words = running(self.what, self.whose, progress, elapsed, step=self.step)
            if elapsed > QUICK:
                self._step_back()

    def _step_back(self) -> None:
        """While a call waits, the response before it is dimmed; an error is not shown at all."""
        failed = self.exchange is not None and bool(self.exchange.exit_code)
        self.set_class(not failed, "-old")
        if failed and self.body.exchange is not None:
            self.body.exchange = None
            self._remarks.pieces = self._hint.pieces = []

    def focus_inside(self) -> None:
        self.body.focus_inside()

    # --- watching ----------------------------------------------------------------------------------------------

    def watch_exchange(self) -> None:
        """Another exchange; a line that somebody types into stays, and the tab for another call of the same method."""
        prompt = self.prompt
        if self.exchange and self.exchange.method != self._before_method:
            self.tab = "Result"
        self._before_method = self.exchange.method if self.exchange else ""
        self.drop()
        self.set_reactive(ResponsePane.filtered, "")
        if not prompt.has_focus_within:
            prompt.close()
        self.body.exchange = self.exchange
        self.search_on()
        self.watch_what()
        self.say()

    def on_resize(self) -> None:
        """What has no room in the bar is said below it."""
        self.watch_method()

    def watch_what(self) -> None:
        """Something began or ended: the bar says so in the same place."""
        bar = self._bar
        if self.what:
            self.step = ""
            bar.words, bar.after, bar.tabs = running(self.what, self.whose, None, 0.0), (), ()
            bar.key = f"{self._cancel_key} cancel  {self._key}"
            self.call_after_refresh(self.body.prepare)
        else:
            self.remove_class("-old")
            if self.body.exchange is not self.exchange:  # it was off view, and nothing has replaced it
                self.body.exchange = self.exchange
                self._hint.pieces = self.hint
                self.say()
            bar.tabs, bar.open, bar.key = TABS, self.tab, self._key
            bar.after = self._beside()
            bar.words = ended(self.exchange, bar.room) if self.exchange else [("Response", "middle")]
        self.body.empty = nothing(self.exchange, self.what) or [[], *self.first_steps]
        self.refresh_bindings()

    def _beside(self) -> Sequence[tuple[str, str]]:
        """Behind the outcome: what the body is at, else whose reply it is and the transport."""
        if doing := self.body.doing:
            stop = "  Esc stops it" if self.body.folding else ""
            return [(f"   {doing} …", "careful"), (stop, "dim")]
        return beside(self.exchange, self.method) if self.exchange else ()

    def on_pager_works(self, event: Pager.Works) -> None:
        """The body is at something, or no longer. What is over in a moment is not worth a word."""
        event.stop()
        self.refresh_bindings()
        if self.body.doing:
            self.set_timer(QUICK, self.watch_what)
        else:
            self.watch_what()

    def watch_method(self) -> None:
        self.watch_what()
        self.say()

    def watch_hint(self) -> None:
        self._hint.pieces = self.hint

    def watch_schema_remark(self) -> None:
        if not self.filtered:  # what is said of the filter stays
            self.say()

    def watch_tab(self) -> None:
        self._bar.open = self.tab
        self.body.tab = self.tab
        self.search_on()
        self.say()

    def watch_here(self) -> None:
        self._bar.here = self.here

    def watch_wrapped(self) -> None:
        self.body.wrapped = self.wrapped

    def say(self, sentence: str = "", *, wrong: bool = False) -> None:
        """The lines under the bar; what stands between the reply and the eye is said before all else."""
        banner = self.banner(sentence, wrong=wrong) if self.tab == "Result" else []
        self._remarks.joined = not banner
        self._remarks.set_class(self.exchange is not None and not self.exchange.response.body, "-alone")
        beside = [(self.schema_remark, "careful")] if self.schema_remark else []
        self._remarks.pieces = banner or ([*told(self.exchange, self._bar.room), *beside] if self.exchange else [])

    # --- focus and mouse ---------------------------------------------------------------------------------------

    def on_descendant_focus(self) -> None:
        self.here = True

    def on_descendant_blur(self) -> None:
        self.here = self.has_focus_within

    def on_body_no_table(self, event: Body.NoTable) -> None:
        event.stop()
        self.notify("Only a list of objects can be shown as a table.", markup=False, timeout=4)

    def on_bar_tab_clicked(self, event: Bar.TabClicked) -> None:
        event.stop()
        self.tab = event.tab

    def on_click(self, event: events.Click) -> None:
        if isinstance(event.widget, Bar):
            self.focus_inside()

    def on_grid_element_opened(self, event: Grid.ElementOpened) -> None:
        """Enter on a row of the table: that object as JSON."""
        event.stop()
        self.body.tabled = False
        self.reader.search("")
        self.reader.go_to_element(event.index, event.path)

    # --- actions -----------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        there = self.exchange is not None and bool(self.body.text) and not self.prompt.has_focus_within
        if action in READING:
            return there and self.body.reading
        if action in {"copy_value", "copy_path"}:
            return there and bool(self.body.path() or self.body.reading)
        if action == "use":
            result = self.exchange is not None and isinstance(self.exchange.outcome, Result)
            return there and result and self.tab == "Result" and self.body.has_pointers
        if action == "original":
            return bool(self.filtered)
        if action == "table":
            return there and self.tab == "Result" and not self.filtered
        if action in {"filter", "pipe"}:
            return there and self.tab == "Result"
        if action in {"copy", "save", "ticket", "compare"}:
            return self.exchange is not None and (action != "save" or bool(self.body.shown))
        return True

    def action_fold(self) -> None:
        self.reader.fold()

    def action_fold_all(self) -> None:
        self.reader.fold_all()

    def action_unfold_all(self) -> None:
        self.reader.unfold_all()

    def action_fold_to(self, depth: int = 1) -> None:
        self.reader.fold_to(depth)

    def action_wrap(self) -> None:
        self.wrapped = not self.wrapped
        self.post_message(self.Wrapped(self, self.wrapped))

    def action_table(self) -> None:
        self.body.tabled = not self.body.tabled
        self.search_on()

    def action_copy(self) -> None:
        self.post_message(self.CopyReplyWanted(self, ""))

    def action_copy_value(self) -> None:
        self.post_message(self.CopyReplyWanted(self, "value"))

    def action_copy_path(self) -> None:
        self.post_message(self.CopyReplyWanted(self, "path"))

    def action_ticket(self) -> None:
        if self.exchange is not None:
            self.post_message(TicketWanted(self, self.exchange))

    def action_use(self) -> None:
        if self.exchange is not None:
            value = self.body.value().decode(errors="replace")
            self.post_message(self.UseWanted(self, self.exchange.method, self.body.pointer(), value))

    def action_save(self) -> None:
        self.post_message(self.SaveWanted(self))

    def action_compare(self) -> None:
        if self.exchange is not None:
            self.post_message(ComparisonWanted(self, self.exchange, is_live=True))

    def action_zoom(self) -> None:
        self.post_message(self.ZoomWanted(self))

    def action_tab_next(self) -> None:
        self._turn(1)

    def action_tab_previous(self) -> None:
        self._turn(-1)

    def _turn(self, by: int) -> None:
        self.tab = TABS[(TABS.index(self.tab) + by) % len(TABS)]
