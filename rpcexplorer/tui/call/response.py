"""The response pane: a bar, warnings, a prompt and the body."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeAlias

from msgspec import Struct
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.timer import Timer
from textual.worker import Worker

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import Method, SavedCall
from rpcexplorer.model.problem import counted
from rpcexplorer.model.profile import PATH, Profile
from rpcexplorer.rpc.messages import Result
from rpcexplorer.text.exchange import ended, nothing, remark_pieces, transport_pieces
from rpcexplorer.text.exchange import running as running_words
from rpcexplorer.text.wrapping import WordLine, wrapped
from rpcexplorer.tui.call.body import Body
from rpcexplorer.tui.call.drafts import DraftKeeper
from rpcexplorer.tui.call.state import CallState, OfferedHint, Question, Running
from rpcexplorer.tui.commands import Commanded, first_key
from rpcexplorer.tui.key_queue import opens
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.widgets.bars import Bar, WarningLines
from rpcexplorer.tui.widgets.inputs import Prompt
from rpcexplorer.tui.widgets.rows import Sheet

if TYPE_CHECKING:
    from rpcexplorer.history.statistics import UsualTimes
    from rpcexplorer.tui.widgets.grid import Grid
    from rpcexplorer.tui.widgets.reader import Reader

TransformKind: TypeAlias = Literal["filter", "pipe"]
FIRST_STEPS: Final = (
    ("focus.methods", " choose a method   "),
    ("focus.params", " edit params   "),
    ("send", " send the call"),
)
"""Commands for a new user, with their labels."""
PAUSE: Final = 0.15
"""Seconds without a key before a filter is run."""


def first_steps(explorer: Explorer, known: Mapping[str, Method]) -> list[WordLine]:
    """Return the first steps, shown before there is a response; ``known``: the listed methods."""
    profile = explorer.profile
    if profile is None:
        return []
    key = partial(first_key, keymap=explorer.settings.keymap)
    steps = [part for id, words in FIRST_STEPS for part in ((key(id), "bold"), (words, "dim"))]
    lines: list[WordLine] = [[("      ", "text"), *steps], [("      The response appears here.", "dim")]]
    further = []
    if explorer.method_lists.learned(profile) is None:
        assumed = ", ".join(name for name, method in known.items() if method.source == "service")
        about = f"Assumed, not listed by the server: {assumed}" if assumed else ""
        further.append(("discover", " discover the methods of the server", about))
    if profile.ad_hoc:
        about = f"rpcexplorer adds {PATH} to a URL without a path." if profile.path == PATH else ""
        further.append(("test", " test the connection", about))
    for id, label, about in further:
        lines += [[], [("      ", "text"), (key(id) or key("palette"), "bold"), (label, "dim")]]
        lines += [[(f"      {about}", "dim")]] if about else []
    return lines


class Transform(Struct, frozen=True):
    """A jq expression or shell command that transforms the response."""

    label: str
    """The expression, or ``|`` and the command."""
    made_by: str = ""
    """The label of the output on view; empty above the original response."""
    is_running: bool = True
    sentence: str = ""
    """A remark about the last run."""
    is_wrong: bool = False

    def banner(self, cancel_key: str, typed: str) -> WordLine:
        """Return the words above the output; ``typed``: the expression in the prompt, which is not repeated."""
        sentence = f"running …  {cancel_key} cancel" if self.is_running else self.sentence
        state = " NOT FILTERED " if self.is_wrong else " FILTERING "
        expression = self.made_by or self.label
        if self.made_by:
            state = " FILTERED "
            if self.made_by != self.label:
                sentence = f"{self.label}: {sentence}"
        words: WordLine = [(state, "careful reverse bold")]
        if expression.removeprefix("| ") != typed:
            words.append((f"  {expression}", "text bold"))
        if sentence:
            words.append((f"   {sentence}", "wrong" if self.is_wrong else "careful"))
        return words


TABS: Final = ("Result", "Parts", "Text", "Raw", "Headers", "Timing")
TICK_SECONDS: Final = 0.1
DELAY: Final = 0.3
"""Seconds of work until the bar shows it and the response is dimmed."""
MAX_DIGITS: Final = 12
"""More digits of a line number are ignored: no response has so many lines."""


class QuestionView(Sheet):
    """What the server asks; Enter answers."""

    DEFAULT_CSS = "QuestionView { height: 1fr; margin: 1 2; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "screen.answer", show=False)]

    def __init__(self) -> None:
        super().__init__()
        self._title: WordLine = []
        self._asked: Sequence[WordLine] = ()
        self._way_here = ""

    def show(self, method: str, lines: Sequence[WordLine], key: str) -> None:
        """``key`` goes to the pane of the question."""
        self._title, self._asked, self._way_here = [(f"? {method} waits for your answer", "careful bold")], lines, key
        self._show_keys()

    def _show_keys(self) -> None:
        way: WordLine = [] if self.has_focus else [(self._way_here, "bold"), (" then ", "middle")]
        self.lines = [self._title, [*way, ("Enter", "bold"), (" answer", "middle")], [], *self._asked]

    def click_row(self, row: int, event: events.Click) -> None:  # noqa: ARG002 - the row is enough
        title = list(wrapped(self._title, self.scrollable_content_region.width))
        if row == len(title):
            self.call_later(self.run_action, "screen.answer")

    def watch_has_focus(self, value: bool) -> None:
        super().watch_has_focus(value)
        self._show_keys()


class ResponsePane(Commanded, Vertical, scope="response"):
    """An exchange, or the progress of the running call."""

    DEFAULT_CSS = """
    ResponsePane { background: $background; }
    ResponsePane.-old Body { opacity: 70%; }
    """

    exchange: reactive[Exchange | None] = reactive[Exchange | None](None, always_update=True)
    offered: reactive[OfferedHint | None] = reactive[OfferedHint | None](None)
    """The hint if the exchange has just failed."""
    schema_remark: reactive[str] = reactive("")
    """How the result differs from its schema; empty if nothing is known."""
    check_remark: reactive[WordLine] = reactive[WordLine]([])
    """The result of the check; empty if the call was none."""
    running: reactive[Running | None] = reactive[Running | None](None)
    """The work that is under way."""
    method: reactive[str] = reactive("")
    """The method in the editor."""
    times: reactive[UsualTimes | None] = reactive["UsualTimes | None"](None)
    """The durations that are usual."""
    known: reactive[Mapping[str, Method]] = reactive[Mapping[str, Method]]({}, init=False)
    """The listed methods, for the first steps."""
    asked: reactive[Question | None] = reactive[Question | None](None)
    """The oldest request of the server that waits for the user, in place of the response."""
    transform: reactive[Transform | None] = reactive[Transform | None](None)
    tab: reactive[str] = reactive("Result")
    wrapped: reactive[bool] = reactive(False)

    @message
    class ValueTaken(Message):
        """A value of the result was taken, for the params of another call."""

        method: str
        pointer: str
        text: str

    class ZoomWanted(Message):
        """The user wants to zoom the pane, or to end that."""

    def __init__(self, state: CallState, drafts: DraftKeeper) -> None:
        super().__init__(classes="response")
        self._state, self._explorer, self._drafts, self.pending = state, state.explorer, drafts, state.pending
        key = state.key
        self._key, self._cancel_key, self._original_key = key("focus.response"), key("cancel"), key("response.original")
        self.body = Body(self._original_key)
        """The views of the response."""
        self.prompt = Prompt()
        """The line for searches, filters, commands and line numbers."""
        self._question = QuestionView()
        self._transforming: Worker[None] | None = None
        """Runs the transform, after a pause in the typing."""
        self._bar, self._remarks, self._hint = Bar(self, classes="-tinted"), WarningLines(), WarningLines()
        self._hint.joined = False
        self._last_method = ""
        """The method of the exchange that was shown last."""
        self._parts_shown = 0
        """Parts of the running call when they were shown last."""
        self._ticking: Timer | None = None
        """Shows the elapsed time of running work."""
        self.set_reactive(ResponsePane.wrapped, self._explorer.remembered.wrap)

    def compose(self) -> ComposeResult:
        self._question.display = False
        yield from (self._bar, self._remarks, self._hint, self.prompt, self._question, self.body)

    def _tick(self) -> None:
        """Show the progress. The previous response is dimmed, and an error removed."""
        running = self.running
        if running is None:
            return
        self._show_progress(running)
        if running.parts and not running.is_overtaken:
            self._show_parts(running)
        elif running.seconds > DELAY:
            is_error = self.exchange is not None and bool(self.exchange.exit_code)
            self.set_class(not is_error, "-old")
            if is_error and self.body.exchange is not None:
                self.body.exchange = None
                self._show_original()
                self._show_remarks()

    def _show_parts(self, running: Running) -> None:
        """Show the newest parts of the result. The tab stays when the call has ended."""
        if running.parts == self._parts_shown or running.profile is None:
            return
        if not self._parts_shown:
            self.remove_class("-old")
            self._last_method, self.tab, self.body.exchange = running.method, "Parts", None
            self._show_remarks()
        self._parts_shown = running.parts
        messages = self._explorer.event_redactor(running.profile).messages(running.newest)
        self.body.show_parts(messages)

    def _show_progress(self, running: Running) -> None:
        method = counted(running.parts, "part") if running.parts else running.method
        words, progress = running.words, running.progress
        if self.asked is not None:
            words, progress = "waiting for your answer", None
        self._bar.words = running_words(
            words, method, progress, running.seconds, step=running.step, room=self._bar.room
        )

    @property
    def _tabs(self) -> Sequence[str]:
        """The tabs; two of them are there only if they have content."""
        contents = {"Parts": bool(self.body.parts), "Text": bool(self.body.blocks)}
        return [tab for tab in TABS if contents.get(tab, True)]

    @property
    def can_cancel(self) -> bool:
        """Escape stops something in this pane."""
        is_running = self.transform is not None and self.transform.is_running
        return is_running or (self.has_focus_within and (self.body.folding or self.prompt.is_open))

    def cancel(self) -> None:
        """Stop folding, close the prompt, or cancel a transform."""
        if self.has_focus_within and self.body.folding:
            self.body.reader.stop_folding()
        elif self.has_focus_within and self.prompt.is_open:
            self._close_prompt()
        else:
            self._give_up()

    def watch_exchange(self) -> None:
        """Show another exchange; keep a focused prompt, and the tab if possible."""
        if self.exchange and self.exchange.method != self._last_method:
            self.tab = "Result"
        self._last_method = self.exchange.method if self.exchange else ""
        if not self.prompt.has_focus_within:
            self.prompt.close()
        self.body.exchange = self.exchange
        if self.tab not in self._tabs:
            self.tab = "Result"
        self._follow_search()
        self._show_original()
        self.schema_remark = ""
        self._show_bar()
        self._show_remarks()
        self.workers.cancel_group(self, "result")
        if self.exchange is not None:
            self._check_result(self.exchange)

    @work(exclusive=True, group="result")
    async def _check_result(self, exchange: Exchange) -> None:
        checked = await self._explorer.check_result(exchange)
        if self.exchange is exchange:
            from rpcexplorer.text.problems import result_remark  # Not needed before the first result.

            self.schema_remark = result_remark(checked.problems)

    def watch_running(self) -> None:
        """Show that work has begun or ended."""
        if self._ticking is not None:
            self._ticking.stop()
        if self.running is not None:
            self._parts_shown = 0
            self._ticking = self.set_interval(TICK_SECONDS, self._tick)
            self.call_after_refresh(self.body.prepare)
        else:
            self.remove_class("-old")
            if self.body.exchange is not self.exchange and not self._parts_shown:
                # An error was removed, and no response has replaced it.
                self.body.exchange = self.exchange
                self._show_remarks()
        self._show_bar()

    def on_resize(self) -> None:
        """Move words below the bar if they have no room in it."""
        self._show_bar()
        self._show_remarks()

    watch_method = watch_times = on_resize

    @property
    def _usual(self) -> float | None:
        if self.times is None or self.exchange is None:
            return None
        return self.times.usual(self.exchange.profile, self.exchange.method)

    def _show_bar(self) -> None:
        """Show the running work, or the outcome and its circumstances."""
        bar, running = self._bar, self.running
        if running is not None:
            bar.after, bar.tabs = (), ()
            bar.key = f"{self._cancel_key} cancel  {self._key}"
            self._show_progress(running)
        else:
            bar.tabs, bar.open, bar.key = self._tabs, self.tab, self._key
            if work := self.body.doing:
                cancel = f"  {self._cancel_key} cancel" if self.body.folding else ""
                bar.after = [(f"   {work} …", "careful"), (cancel, "dim")]
            else:
                bar.after = transport_pieces(self.exchange, self.method, self._usual) if self.exchange else ()
            bar.words = ended(self.exchange, bar.room) if self.exchange else [("Response", "middle")]
        self.body.usual = self._usual
        empty = nothing(self.exchange, running.words if running else "")
        self.body.empty = empty or [[], *first_steps(self._explorer, self.known)]
        self.refresh_bindings()

    watch_known = _show_bar

    def watch_tab(self) -> None:
        self._bar.open = self.tab
        self.body.tab = self.tab
        self._follow_search()
        self._show_remarks()

    def watch_wrapped(self) -> None:
        self.body.wrapped = self.wrapped

    def _show_remarks(self) -> None:
        """Show warnings below the bar, or the banner of a transform, and the hint."""
        transform = self.transform if self.tab == "Result" else None
        typed = self.prompt.text if self.prompt.is_open else ""
        banner = transform.banner(self._cancel_key, typed) if transform else []
        self._remarks.joined = not banner
        self._remarks.set_class(self.exchange is not None and not self.exchange.response.body, "-alone")
        schema = [(self.schema_remark, "careful")] if self.schema_remark else []
        self._remarks.pieces = banner or (
            [*self.check_remark, *remark_pieces(self.exchange, self._bar.room), *schema] if self.exchange else []
        )
        self._hint.pieces = self.offered.words if self.offered else []
        if self.body.exchange is not self.exchange:  # an error that was removed
            self._remarks.pieces = self._hint.pieces = []
        if self.asked is not None:
            self._remarks.pieces = self._hint.pieces = []

    def watch_asked(self) -> None:
        """Show the question of the server in place of the response, with the focus if it was here or on sent params."""
        question, was_shown = self.asked, self._question.display
        if self.running is not None:
            self.running.stand_still(is_asking=question is not None)
        self._question.display, self.body.display = question is not None, question is None
        if question is not None:
            self._question.show(question.method, question.lines, self._key)
            if self._may_take_focus and not was_shown:
                self._question.focus()
        elif self._question.has_focus:
            self.focus_inside()
        self._show_bar()
        self._show_remarks()

    @property
    def _may_take_focus(self) -> bool:
        """Return whether the user waits for the running call, and types nothing else."""
        running = self.running
        return running is not None and (self.has_focus_within or self._drafts.is_untouched_since(running.started))

    watch_offered = watch_schema_remark = watch_check_remark = _show_remarks

    def focus_inside(self) -> None:
        if self.asked is not None:
            self._question.focus()
        else:
            self.body.focus_inside()

    @on(Bar.TabClicked)
    def _tab_clicked(self, event: Bar.TabClicked) -> None:
        event.stop()
        self.tab = event.tab

    def on_click(self, event: events.Click) -> None:
        if isinstance(event.widget, Bar):
            self.focus_inside()

    # The start loads neither reader nor grid, so their messages are handled by name.

    def on_reader_works(self, event: Reader.Works) -> None:
        """Show work of the view in the bar, unless it is over at once."""
        event.stop()
        self.refresh_bindings()
        if self.body.doing:
            self.set_timer(DELAY, self._show_bar)
        else:
            self._show_bar()

    def on_reader_found(self, event: Reader.Found) -> None:
        event.stop()
        if not event.needle:
            state = ""
        elif not event.total:
            state = "no matches" if event.counted else "searching …"
        else:
            place = "" if event.index is None else f"{event.index + 1:,} of "
            state = f"{place}{event.total:,}{'' if event.counted else '+'}"
        self.prompt.show_state(state, wrong=bool(event.needle and event.counted and not event.total))

    def on_grid_element_opened(self, event: Grid.ElementOpened) -> None:
        """Show a row of the table as JSON."""
        event.stop()
        self.body.show_element(event.index, event.path)

    @on(Body.TextsFound)
    def _texts_found(self, event: Body.TextsFound) -> None:
        event.stop()
        self._show_bar()

    @on(Body.NoTable)
    def _no_table(self, event: Body.NoTable) -> None:
        event.stop()
        self.notify("Only a list of objects can be shown as a table.", timeout=4)

    @on(Prompt.TextTyped)
    def _prompt_typed(self, event: Prompt.TextTyped) -> None:
        """Search with each key; filter after a pause."""
        event.stop()
        if not self.prompt.listens:
            return
        if event.purpose == "search":
            self.body.reader.search(event.text)
        elif event.purpose == "filter":
            self._transforming = self._run_transform("filter", event.text.strip(), PAUSE)

    @on(Prompt.Taken)
    def _prompt_taken(self, event: Prompt.Taken) -> None:
        event.stop()
        text = event.text.strip()
        if text and event.purpose in {"filter", "pipe"}:
            self._explorer.remembered.add_expression(event.purpose, text)
        if event.purpose == "search" and self.body.reader.find.needle != event.text:
            self.body.reader.search(event.text)
        elif event.purpose == "goto" and text.isdecimal():
            self.body.reader.go_to(int(text[:MAX_DIGITS]) - 1)
        elif event.purpose == "filter" or (event.purpose == "pipe" and text):
            self._transforming = self._run_transform(event.purpose, text)
        if event.purpose != "search" or not text:
            self.prompt.close()
        self.focus_inside()

    @on(Prompt.Left)
    def _prompt_left(self, event: Prompt.Left) -> None:
        event.stop()
        self._close_prompt()

    def _close_prompt(self) -> None:
        """End the search, or cancel a transform that has no output yet."""
        if self.prompt.purpose == "search":
            self.body.reader.search("")
        elif self._transforming is not None and not self._transforming.is_finished:
            self._give_up()
        self.prompt.close()
        self._show_remarks()
        self.focus_inside()

    def _follow_search(self) -> None:
        """Continue a search in the current view, or close its prompt."""
        is_search = self.prompt.is_open and self.prompt.purpose == "search"
        if self.body.reading:
            self.body.reader.search(self.prompt.text if is_search else "")
        elif is_search and not self.prompt.has_focus_within:
            self.prompt.close()

    @work(exclusive=True, group="transform")
    async def _run_transform(self, kind: TransformKind, expression: str, pause: float = 0.0) -> None:
        """Show the output of an expression; a failure without output keeps the view."""
        from rpcexplorer.tui.processes import transform

        await asyncio.sleep(pause)
        if not expression:
            self._show_original()
            return
        label = f"| {expression}" if kind == "pipe" else expression
        made_by = self.transform.made_by if self.transform else ""
        started = self.transform = Transform(label, made_by)
        body, limit = bytes(self.body.text), self._explorer.settings.reply_limit
        text, sentence, is_wrong = await transform(kind, expression, body, limit)
        if not self.is_attached or self.transform is not started:  # It may end in the moment in which it is cancelled.
            return
        if text or not is_wrong:
            self.body.made_is_json = kind == "filter"
            self.body.made, made_by = text, label
        self.transform = Transform(label, made_by, is_running=False, sentence=sentence, is_wrong=is_wrong)

    def _give_up(self) -> None:
        """Cancel the transform; earlier output stays on view."""
        self.workers.cancel_group(self, "transform")
        if self.transform is None or not self.transform.made_by:
            self._show_original()
        else:
            label, made_by = self.transform.label, self.transform.made_by
            sentence = "cancelled: this is the previous output"
            self.transform = Transform(label, made_by, is_running=False, sentence=sentence, is_wrong=True)

    def _show_original(self) -> None:
        self.workers.cancel_group(self, "transform")
        self.transform = self.body.made = None

    def watch_transform(self) -> None:
        self._show_remarks()
        self.refresh_bindings()

    def has(self, state: str) -> bool:
        match state:
            case "response":
                return self.exchange is not None
            case "filtered":
                return self.transform is not None
            case "shown":
                return bool(self.body.shown)
        if self.prompt.has_focus_within or not self.body.text:
            return False
        match state:
            case "lines":
                return self.body.reading
            case "matches":
                return bool(self.body.reader.find.needle)
            case "result":
                return self.tab == "Result"
            case "value":
                return bool(self.body.path() or self.body.reading)
            case "result-value":
                is_result = self.exchange is not None and isinstance(self.exchange.outcome, Result)
                return is_result and self.tab == "Result" and self.body.has_pointers
        return super().has(state)

    def action_search(self) -> None:
        self.prompt.ask("search", self.body.reader.find.needle)

    def action_next(self) -> None:
        self.body.reader.next_hit()

    def action_previous(self) -> None:
        self.body.reader.previous_hit()

    def action_filter(self) -> None:
        earlier = self._explorer.remembered.expressions("filter")
        label = self.transform.label if self.transform else "| "
        self.prompt.ask("filter", next(iter(earlier), "") if label.startswith("| ") else label, earlier)
        self._show_remarks()

    def action_pipe(self) -> None:
        self.prompt.ask("pipe", "", self._explorer.remembered.expressions("pipe"))

    def action_original(self) -> None:
        self.prompt.close()
        self._show_original()

    def action_goto(self) -> None:
        self.prompt.ask("goto")

    def action_fold(self) -> None:
        self.body.reader.fold()

    def action_fold_all(self) -> None:
        self.body.reader.fold_all()

    def action_unfold_all(self) -> None:
        self.body.reader.unfold_all()

    def action_fold_to(self, depth: int = 1) -> None:
        self.body.reader.fold_to(depth)

    def action_wrap(self) -> None:
        self.wrapped = self._explorer.remembered.wrap = not self.wrapped

    def action_table(self) -> None:
        self.body.tabled = not self.body.tabled
        self._follow_search()

    @opens("copy")
    async def action_copy(self, part: str = "") -> None:
        """Copy the call or its response; ask which part, unless it is named."""
        from rpcexplorer.tui.call.copying import copy_call

        draft, release = self._drafts.draft, partial(self.pending.go_on, "copy")
        await copy_call(
            self._state, self._explorer, draft, exchange=self.exchange, body=self.body, part=part, release=release
        )

    def action_copy_value(self) -> None:
        self.action_copy("value")

    def action_copy_path(self) -> None:
        self.action_copy("path")

    def action_ticket(self) -> None:
        if self.exchange is not None:
            self.action_copy("report")

    def action_use(self) -> None:
        if self.exchange is not None:
            value = self.body.value().decode(errors="replace")
            self.post_message(self.ValueTaken(self.exchange.method, self.body.reader.pointer(), value))

    @opens("expect")
    async def action_expect(self) -> None:
        """Make a part of this response a check of the saved call in the editor."""
        from rpcexplorer.tui.checks import expect_this

        state, saved, exchange = self._state, self._state.saved_call, self.exchange
        if saved is None or exchange is None:
            state.tell(f"Only a saved call can be a check. To save this call, press {state.key('keep-call')}.")
        elif exchange.method != saved.method:
            state.tell(f"This is the response of another call. To send {saved.listed_as}, press {state.key('send')}.")
        elif exchange.params != (saved.text or "[]"):
            advice = f"To save these params, press {state.key('keep-call')}."
            state.tell(f"These are not the params of {saved.listed_as}. {advice}")
        elif await expect_this(state, self._explorer, saved, exchange, self.body):
            state.explorer_changed()
            self.judge(state.saved_call, exchange)

    def judge(self, saved: SavedCall | None, exchange: Exchange) -> None:
        """Show whether a response is as its saved call expects."""
        profile = self._explorer.profile
        if saved is not None and saved.expect is not None and profile is not None:
            self._judge(profile, saved, exchange)

    @work(group="check", description="judge")
    async def _judge(self, profile: Profile, saved: SavedCall, exchange: Exchange) -> None:
        from rpcexplorer.tui.checks import judged, remark

        result = await judged(self._explorer, profile, saved, exchange)
        if result is not None:
            self._state.all_verdicts[profile.name, saved] = result.verdict
            self._state.explorer_changed()
            if self.exchange is exchange:
                self._state.check_remark = remark(result)

    @opens("save")
    async def action_save(self) -> None:
        from rpcexplorer.tui.call.copying import save_response

        if self.exchange is not None:
            await save_response(self._state, self._explorer, self.exchange, self.body)

    @opens("comparison")
    async def action_compare(self) -> None:
        """Compare this response with the one before of the same call."""
        from rpcexplorer.tui.compare import compare

        profile = self._explorer.profile
        if profile is not None and self.exchange is not None:
            recorded = await asyncio.to_thread(self._explorer.journal.as_recorded, self.exchange, profile)
            await compare(self._state, recorded)

    def action_zoom(self) -> None:
        self.post_message(self.ZoomWanted())

    def action_tab_next(self) -> None:
        self._turn(1)

    def action_tab_previous(self) -> None:
        self._turn(-1)

    def _turn(self, by: int) -> None:
        tabs = self._tabs
        self.tab = tabs[(tabs.index(self.tab) + by) % len(tabs)]
