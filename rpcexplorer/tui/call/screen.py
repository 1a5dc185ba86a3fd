"""The call screen, which connects the panes and sends calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from msgspec.structs import replace
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import OUTCOME_LABELS, Cancelled, Exchange, Outcome, Preview, Refused, Sent, Unreached
from rpcexplorer.model.method import Described, SavedCall, as_named, method_of
from rpcexplorer.model.problem import UserError, counted
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.wrapping import WordLine
from rpcexplorer.tui.call.layout import PaneLayout, is_side_by_side, methods_columns, params_lines
from rpcexplorer.tui.call.methods import MethodsPane
from rpcexplorer.tui.commands import Commanded, Scope, bindings, first_key
from rpcexplorer.tui.key_queue import SCREEN, PendingKeys, opens
from rpcexplorer.tui.messages import (
    BatchWanted,
    ChecksWanted,
    ConnectionTestWanted,
    CopyCallWanted,
    EventsWanted,
    FormWanted,
    ProfilesCompared,
    SendAgainWanted,
)
from rpcexplorer.tui.theme import NARROW
from rpcexplorer.tui.widgets.bars import FOOTER_OVER_CALLS, Bar, Footer, Frame, Header
from rpcexplorer.variables.references import OPENING

if TYPE_CHECKING:
    from rpcexplorer.tui.call.advice import EditedCall
    from rpcexplorer.tui.call.docs import DocsSheet
    from rpcexplorer.tui.call.params import ParamsPane
    from rpcexplorer.tui.call.response import ResponsePane
    from rpcexplorer.tui.call.transfer import Transfer
    from rpcexplorer.tui.checks import CheckRow, Verdicts
    from rpcexplorer.tui.connections import Connections

READY_SECONDS: Final = 0.3
"""After the first screen is drawn, and before a user can send a call."""
DESCRIPTION_SECONDS: Final = 2
"""Between two checks whether the description file has changed."""
AUTH_SECONDS: Final = 20
"""Between two updates of the session's age in the header."""
T = TypeVar("T")


def unpainted(default: T, *, always_update: bool = False) -> reactive[T]:
    """Return a reactive that only the panes watch."""
    return reactive(default, init=False, repaint=False, always_update=always_update)


class CallScreen(Commanded, Screen[None]):
    """Choose a method, edit its params, send, read the response."""

    DEFAULT_CSS = """
    CallScreen { background: $background; color: $text; layout: vertical; overflow: hidden; }
    CallScreen #panes { height: 1fr; }
    CallScreen #panes, CallScreen #right { visibility: hidden; }
    CallScreen #panes > MethodsPane, CallScreen #panes > DocsPane, CallScreen #right > * { visibility: visible; }
    CallScreen MethodsPane { width: 34; border-right: solid $line; }
    CallScreen #right { width: 1fr; }
    CallScreen .params { height: 10; }
    CallScreen .response { height: 1fr; }
    CallScreen.-beside #right { layout: horizontal; }
    CallScreen.-beside .params, CallScreen.-beside .response { width: 1fr; }
    CallScreen.-beside .response { border-left: solid $line; }
    CallScreen MethodsPane.-alone { border-right: none; }
    """
    scope: ClassVar[Scope] = "call"
    BINDINGS: ClassVar[list[BindingType]] = bindings("call")
    AUTO_FOCUS = ""
    """Each screen sets the focus itself: moving it slows the start."""

    method: reactive[str] = unpainted("")
    """The method in the editor, or a saved call with its sign."""
    called: reactive[str] = unpainted("")
    """The method that the draft calls."""
    described: reactive[Described | None] = unpainted(None, always_update=True)
    """The description of that method; never compared, as it may be large."""
    preview: reactive[Preview | Refused | None] = unpainted(None)
    """The preview of the next request, or the reason why there is none."""
    exchange: reactive[Exchange | None] = unpainted(None, always_update=True)
    """The exchange on view."""
    hint: reactive[WordLine] = unpainted([])
    """The hint if the exchange on view has just failed; else empty."""
    schema_remark: reactive[str] = unpainted("")
    """How the result on view differs from its schema."""
    check_remark: reactive[WordLine] = unpainted([])
    """The result of the check on view; empty if the call was none."""
    doing: reactive[str] = unpainted("")
    """The running work in a word."""
    doing_method: reactive[str] = unpainted("")
    """The method that is being called."""

    def __init__(
        self,
        explorer: Explorer,
        pending: PendingKeys,
        connections_of: Callable[[Profile | None], Connections | None] = lambda _: None,
    ) -> None:
        """``connections_of`` returns the connections if there is something to show for a profile."""
        super().__init__()
        self.explorer, self.pending = explorer, pending
        self.connections_of = connections_of
        self.completed = asyncio.Event()
        """Set when params and response exist: the first frame has none of them."""
        self._is_overtaken = False
        """Another exchange was opened during a call, and stays on view."""
        self.verdicts: Verdicts = {}
        """The last results of checks in this run of the program."""
        self.header, self.footer = Header(), Footer()
        self.methods = MethodsPane(
            key=self.key("focus.methods"), recent_key=self.key("history"), discover_key=self.key("discover")
        )

    @property
    def is_complete(self) -> bool:
        return self.completed.is_set()

    def _make_panes(self) -> None:
        from rpcexplorer.tui.call.advice import Advice
        from rpcexplorer.tui.call.drafts import DraftKeeper
        from rpcexplorer.tui.call.params import ParamsPane
        from rpcexplorer.tui.call.profile_view import ProfileView
        from rpcexplorer.tui.call.response import ResponsePane
        from rpcexplorer.tui.call.sender import Sender

        explorer = self.explorer
        self.advice = Advice(self, explorer, edited=self._edited_call, learned=self._earlier_calls_read)
        self.params = ParamsPane(self.advice, key=self.key("focus.params"), methods_key=self.key("focus.methods"))
        limit = explorer.settings.reply_limit
        self.response = ResponsePane(
            limit,
            key=self.key("focus.response"),
            cancel_key=self.key("cancel"),
            original_key=self.key("response.original"),
        )
        panes = (self.methods, self.params, self.response)
        self.drafts = DraftKeeper(self, explorer, self.params, chosen=self._draft_chosen, written=self._draft_written)
        self.panes = PaneLayout(self, explorer, panes, drafts=self.drafts, docs_key=self.key("docs"))
        self.sender = Sender(
            self, explorer, self.pending, drafts=self.drafts, response=self.response, busy=self._show_busy
        )
        self.view = ProfileView(
            self,
            explorer,
            panes=self.panes,
            drafts=self.drafts,
            header=self.header,
            footer=self.footer,
            verdicts=self.verdicts,
            described=self._describe_anew,
        )

    @cached_property
    def transfer(self) -> Transfer:
        from rpcexplorer.tui.call.transfer import Transfer  # not needed by the start

        return Transfer(
            self, self.explorer, self.pending, drafts=self.drafts, panes=self.panes, view=self.view, show=self._show
        )

    def compose(self) -> ComposeResult:
        yield self.header
        with Horizontal(id="panes"):
            yield self.methods.data_bind(current=CallScreen.method)
            with Vertical(id="right"):
                for title, command in (("Params", "focus.params"), ("Response", "focus.response")):
                    bar = Bar()
                    bar.words, bar.key = [(title, "middle")], self.key(command)
                    yield Vertical(bar, classes=title.lower())
        yield self.footer

    def on_mount(self) -> None:
        """Show the first frame, which needs no code of the other panes."""
        explorer, profile = self.explorer, self.explorer.profile
        assert profile is not None
        self.header.profile, self.footer.prod = profile, profile.badge == "prod"
        self.set_class(self.footer.prod, "-prod")
        self.methods.methods = explorer.listed_methods(called=False)
        self.methods.pinned = explorer.remembered.pinned(profile.name)
        size, remembered = self.app.size, explorer.remembered
        is_beside = is_side_by_side(remembered, size.width)
        self.set_class(is_beside, "-beside")
        self.methods.display = size.width >= NARROW
        self.methods.styles.width = methods_columns(remembered, size.width, side_by_side=is_beside)
        params, response = self.query_one("#right").children
        params.styles.height = "1fr" if is_beside else params_lines(remembered, size.height)
        response.query_one(Bar).set_class(not is_beside, "-tinted")

    async def _complete(self) -> None:
        """Add the panes for params and response, and let keys go to them."""
        explorer = self.explorer
        # before an editor or a list shows the rescued calls
        rescued = explorer.rescue.take_back(explorer.profiles.profiles.get)
        self._make_panes()
        right, here = self.query_one("#right"), CallScreen
        async with self.batch():
            await right.remove_children()
            await right.mount_all(
                [
                    self.params.data_bind(here.preview, here.described),
                    self.response.data_bind(
                        *(
                            here.exchange,
                            here.hint,
                            here.schema_remark,
                            here.check_remark,
                            here.doing,
                            here.doing_method,
                        ),
                        method=here.called,
                    ),
                ]
            )
            self.response.wrapped = explorer.remembered.wrap
            self.show_profile()
            if self.method:
                self.params.focus_inside()
            self.completed.set()
            self.on_resize()
        if rescued:
            self.notify(rescued, timeout=10)
        self.set_timer(READY_SECONDS, self._get_ready)
        self.set_interval(AUTH_SECONDS, self.view.show_auth)
        self.set_interval(DESCRIPTION_SECONDS, self.view.look_at_description)
        self.pending.go_on(SCREEN)

    @work(group="ready")
    async def _get_ready(self) -> None:
        await self.explorer.load()

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Refresh no styles the first time: every widget has just got them."""
        event.refresh_styles = self.is_complete
        if not self.is_complete:
            self.call_later(self._complete)  # after the first frame, which Textual draws now

    def on_resize(self) -> None:
        if self.is_complete:
            self.panes.fit()
            self.view.show_footer()

    @property
    def frame(self) -> Frame:
        """Makes header and footer for a screen over this one."""
        return Frame(self.header.copy, FOOTER_OVER_CALLS)

    def key(self, command: str) -> str:
        return first_key(command, self.explorer.settings.keymap)

    def tell(self, sentence: str) -> None:
        self.notify(sentence, timeout=8)

    def has(self, state: str) -> bool:
        if not self.is_complete:  # Most keys wait for the panes; these two states depend on them.
            return state not in {"running", "stacked"}
        profile = self.explorer.profile
        match state:
            case "idle":
                return not self.doing
            case "running":
                return bool(self.doing) or self.response.can_cancel or self.panes.is_covered
            case "profile":
                return profile is not None
            case "secrets":
                return profile is not None and bool(profile.secrets)
            case "sessions":
                return profile is not None and profile.has_sessions
            case "connection":
                return profile is not None and profile.is_open_connection
            case "events":
                return self._has_events
            case "hint":
                return self.advice.hint_for(profile) is not None
            case "method":
                return bool(self.method)
            case "named":
                return bool(self.method or self.methods.pointed)
            case "replaced":
                return profile is not None and bool(self.explorer.replaced.of(profile, self.method))
            case "stacked":
                return not self.panes.is_side_by_side
        return super().has(state)

    def show_profile(self) -> None:
        """Show another profile: its methods, its drafts, its session, its calls."""
        self.drafts.has_history = False
        self.view.show()
        self.connections_of(self.explorer.profile)  # From now on, the header shows the connection.
        self.call_after_refresh(self.view.show_history)
        self.exchange = None
        self.drafts.choose(self.view.first_method())
        self.drafts.is_opening = True
        if not self.method:
            self.action_focus_methods()

    async def use(self, name: str) -> bool:
        """Cancel running work and change the profile; return False on failure."""
        await self.settle()
        try:
            self.explorer.use(name)
        except UserError:
            return False
        self.show_profile()
        return True

    def action_focus_methods(self) -> None:
        self.panes.focus_methods()

    def action_focus_params(self) -> None:
        self.panes.focus_params()

    def action_focus_response(self) -> None:
        self.panes.focus_response()

    def action_side_by_side(self) -> None:
        if why_not := self.panes.switch_side_by_side():
            self.notify(why_not, timeout=6)

    def action_wider(self) -> None:
        self.panes.widen(2)

    def action_narrower(self) -> None:
        self.panes.widen(-2)

    def action_taller(self) -> None:
        self.panes.heighten(1)

    def action_shorter(self) -> None:
        self.panes.heighten(-1)

    def on_response_pane_zoom_wanted(self) -> None:
        self.panes.zoom()

    def watch_described(self) -> None:
        self.panes.follow_editor()

    def watch_doing_method(self) -> None:
        self.panes.free_response()

    def on_descendant_focus(self) -> None:
        self.panes.follow_focus()

    @on(MethodsPane.Pointed)
    def _pointer_moved(self) -> None:
        self.panes.follow_pointer()

    @opens("docs")
    async def action_docs(self) -> None:
        await self.panes.switch_docs()

    def on_docs_sheet_example_taken(self, event: DocsSheet.ExampleTaken) -> None:
        event.stop()
        self.transfer.take_example(event.method.name, event.example)

    def _draft_chosen(self) -> None:
        self.method, self.called = self.drafts.method, self.drafts.called
        self.described = None
        if self.is_complete:
            self.describe()
        else:  # the first frame is drawn before the description is read
            self.call_after_refresh(self.describe)

    def _draft_written(self) -> None:
        self.view.show_problems()

    def describe(self) -> None:
        self.described = self.explorer.described(self.called) if self.called else None

    def _describe_anew(self) -> None:
        """Show the changed description of the method in the editor."""
        self.params.method = self.drafts.listed_method(self.method)
        self.describe()

    def _edited_call(self) -> EditedCall:
        from rpcexplorer.tui.call.advice import EditedCall

        known = self.drafts.known.get(as_named(self.called))
        return EditedCall(self.called, known.by if known else None, self.described, self.methods.recent)

    def _earlier_calls_read(self) -> None:
        self.params.completion.look_again()

    def open_method(self, name: str) -> None:
        """Choose a listed method, and go to its params."""
        self.drafts.choose(name)
        self.panes.focus_params()

    @on(MethodsPane.MethodChosen)
    def _method_chosen(self, event: MethodsPane.MethodChosen) -> None:
        self.open_method(event.name)
        if why_not := self.drafts.unknown_call:
            self.tell(why_not)

    @on(MethodsPane.PinWanted)
    def _pin_wanted(self, event: MethodsPane.PinWanted) -> None:
        self.view.switch_pin(event.name)

    def on_params_pane_text_changed(self) -> None:
        self.drafts.typed()

    def on_params_pane_preview_wanted(self) -> None:
        self.show_preview()

    def show_preview(self) -> None:
        if self.params.tab == "Request":
            self.preview = self.drafts.request_to_come()

    def on_params_pane_reset_wanted(self) -> None:
        self.drafts.reset()

    def on_params_pane_editor_wanted(self, event: ParamsPane.EditorWanted) -> None:
        self.drafts.edit_outside(event.text, event.time)

    @opens("changes")
    async def action_changes(self) -> None:
        if name := await self.view.ask_for_change():
            self.open_method(as_named(name))

    @opens("typed")
    async def action_form(self) -> None:
        await self._wait_for_keys()
        if not self._refuses("form not opened"):
            self.post_message(FormWanted())

    @opens("keep")
    async def action_keep_call(self) -> None:
        await self.params.settled()
        await self.transfer.save_call()

    @opens("typed")
    async def action_mark_safe(self) -> None:
        """Mark the method under the cursor of the list, or the edited one."""
        from rpcexplorer.tui.dialogs import mark_safe

        await self._wait_for_keys()
        name = (self.methods.pointed if self.methods.here else "") or self.method
        known = self.methods.methods.get(name)
        if await mark_safe(self, self.explorer, getattr(known, "calls", "") or method_of(name)):
            self.view.show_methods()
            self._describe_anew()
            self.show_preview()

    def load(self, exchange: Exchange, *, ours: bool) -> None:
        """Load a recorded call into the editor or batch, with its response."""
        self.transfer.open(exchange, self.transfer.load, ours=ours)

    def again(self, exchange: Exchange, *, ours: bool) -> None:
        """Load a recorded call and resend it in its original form."""
        self.transfer.open(exchange, self._load_and_send, ours=ours)

    def _show(self, exchange: Exchange) -> None:
        self._is_overtaken = bool(self.doing_method)
        self.exchange = exchange

    def _load_and_send(self, exchange: Exchange) -> None:
        from rpcexplorer.model.draft import draft_of

        self.transfer.put_recorded(exchange)
        self.response.focus_inside()
        sent = exchange.params_sent
        self._send(draft_of(exchange), whole=sent is not None and OPENING not in sent)

    async def carry(self, draft: Draft, profile: str) -> None:
        """Use a profile, and put a call into its editor."""
        if self.drafts.profile_name != profile and await self.use(profile):
            self.explorer.remember_profile()
        self.transfer.carry(draft)

    @opens("carry")
    async def action_to_profile(self) -> None:
        from rpcexplorer.tui.dialogs import other_profile

        await self.params.settled()
        if name := await other_profile(self, self.explorer, self.drafts.profile_name):
            await self.carry(self.drafts.draft, name)

    @opens("import")
    async def on_params_pane_take_apart_wanted(self, event: ParamsPane.TakeApartWanted) -> None:
        await self.transfer.take_apart(event.text, event.pasted)

    @opens("import")
    async def action_import(self) -> None:
        await self.params.settled()
        await self.transfer.import_calls()

    @opens("use")
    async def on_response_pane_use_wanted(self, event: ResponsePane.UseWanted) -> None:
        from rpcexplorer.variables.resolve import TakenValue

        await self.params.settled()
        await self.transfer.use_value(TakenValue(event.method, event.pointer, event.text))

    @opens("expect")
    async def on_response_pane_expect_wanted(self) -> None:
        from rpcexplorer.tui.checks import expect_this

        await self.params.settled()
        saved, exchange = self.drafts.saved_call, self.exchange
        if saved is None or exchange is None:
            self.tell(f"Only a saved call can be a check. To save this call, press {self.key('keep-call')}.")
        elif exchange.method != saved.method:
            self.tell(f"This is the response of another call. To send {saved.listed_as}, press {self.key('send')}.")
        elif exchange.params != (saved.text or "[]"):
            advice = f"To save these params, press {self.key('keep-call')}."
            self.tell(f"These are not the params of {saved.listed_as}. {advice}")
        elif await expect_this(self, self.explorer, saved, exchange, self.response.body):
            self.view.show_methods()
            self._judge(self.drafts.saved_call, exchange)

    def _judge(self, saved: SavedCall | None, exchange: Exchange) -> None:
        """Show whether a response is as its saved call expects."""
        profile = self.explorer.profile
        if saved is not None and saved.expect is not None and profile is not None:
            self._judge_check(profile, saved, exchange)

    @work(group="check", description="judge")
    async def _judge_check(self, profile: Profile, saved: SavedCall, exchange: Exchange) -> None:
        from rpcexplorer.tui.checks import judged, remark

        result = await judged(self.explorer, profile, saved, exchange)
        if result is not None:
            self.verdicts[profile.name, saved] = result.verdict
            self.view.show_verdicts()
            if self.exchange is exchange:
                self.check_remark = remark(result)

    def action_run_checks(self) -> None:
        if not self._is_busy():
            self.post_message(ChecksWanted())

    def open_check(self, row: CheckRow) -> None:
        """Open a check in the editor, with its response if it failed."""
        from rpcexplorer.tui.checks import remark

        result = row.result
        self.open_method(row.check.call.listed_as)
        self.exchange = result.exchange if result else None
        self.check_remark = remark(result) if result and result.exchange else []

    def action_replaced_params(self) -> None:
        self.drafts.bring_back()
        self.panes.focus_params()

    def action_batch(self) -> None:
        self.post_message(BatchWanted())

    @opens("typed")
    async def action_add_to_batch(self) -> None:
        await self._wait_for_keys()
        if not self._refuses("not added"):
            self.tell(self.drafts.add_to_batch(self.key("batch") or self.key("palette")))

    def _is_ours(self, exchange: Exchange) -> bool:
        return self.explorer.journal.is_ours(exchange, self.explorer.profile)

    @on(MethodsPane.Recalled)
    def _recalled(self, event: MethodsPane.Recalled) -> None:
        self.panes.cover("")
        self.load(event.exchange, ours=self._is_ours(event.exchange))
        (self.response if event.exchange.kind == "batch" else self.params).focus_inside()

    @on(SendAgainWanted)
    def _again_wanted(self, event: SendAgainWanted) -> None:
        event.stop()
        self.panes.cover("")
        self.again(event.exchange, ours=self._is_ours(event.exchange))

    @opens("typed")
    async def action_send(self, *, notification: bool = False, whole: bool = False) -> None:
        """Send the call in the editor. For ``whole``, see `Sender.call`."""
        await self._wait_for_keys()
        if self.methods.display and not self.params.is_on_view:  # on a narrow screen the list hides problems
            self.panes.cover("")
            self.params.focus_inside()
        if not self._refuses():
            draft = replace(self.drafts.draft, notification=notification)
            self._send(draft, whole=whole or self.drafts.saved_call is not None)

    def action_send_notification(self) -> None:
        self.action_send(notification=True)

    async def _wait_for_keys(self) -> None:
        """Wait for all earlier keys: later ones may answer a password dialog."""
        pane, is_judged = self.methods if self.methods.has_focus_within else self.params, asyncio.Event()
        pane.when_typed(is_judged.set)
        await is_judged.wait()

    def _refuses(self, consequence: str = "not sent") -> bool:
        """Return whether the draft cannot be sent; if so, show its problem."""
        if why_not := self.drafts.unknown_call:
            self.tell(why_not)
            return True
        if self.params.problem is None:
            return False
        self.panes.cover("")
        self.params.refuse(consequence)
        self.params.focus_inside()
        return True

    def _send(self, draft: Draft | Batch, *, whole: bool = False) -> None:
        if not self._is_busy():
            self._call(draft, whole=whole)

    @opens("call")
    async def _call(self, draft: Draft | Batch, *, whole: bool = False) -> None:
        in_editor, saved = self.method, self.drafts.saved_call
        exchange = await self.sender.call(draft, whole=whole)
        if exchange is not None:
            self._show_ended(exchange, partial(self._send_again, draft, in_editor, whole=whole))
            self._judge(saved, exchange)

    @opens("call")
    async def _login(self, *, ask: bool = False) -> None:
        exchange = await self.sender.login(ask=ask)
        if exchange is None:
            self.view.show_auth()
            return
        self._show_ended(exchange, self._login)
        if exchange.exit_code and not self.hint:
            palette, test = self.key("palette"), self.key("test") or self.key("palette")
            other = f"To use other credentials, press {palette} and type “switch user”."
            self.tell(f"Login failed. {other} To test the connection, press {test}.")

    @opens("call")
    async def _discover(self) -> None:
        found = await self.sender.discover()
        profile = self.explorer.profile
        if profile is None:  # it was removed meanwhile
            return
        self.view.show_methods()
        self.view.show_auth()
        if found.methods:
            # The sentence about the success is the last.
            details = [f"{sentence.removesuffix('.')}." for sentence in reversed(found.sentences)]
            self.tell("\n".join([f"Found {counted(len(found.methods), 'method')}.", *details]))
        elif found.ended is None:
            *details, outcome = found.sentences
            sends = profile.discovery != "none" and not getattr(profile.discovery, "file", "")
            test = f" To test the connection, press {self.key('test') or self.key('palette')}." if sends else ""
            self.tell("\n".join([f"{outcome.removesuffix('.')}.{test}", *details]))
        else:
            self.tell("\n".join(reversed(found.sentences)))
        if news := self.view.news(found):
            self.tell(news)
        self._describe_anew()
        if found.ended is not None and self.sender.is_current:
            self._offer_hint(found.ended, self._discover)

    def _show_busy(self, doing: str, doing_method: str) -> None:
        self._is_overtaken = self._is_overtaken and not doing
        self.doing_method, self.doing = doing_method, doing

    def _is_busy(self) -> bool:
        """Return whether work is running, and notify if it is."""
        if self.doing:
            running = f"{self.doing_method} was still running" if self.doing_method else f"it was still {self.doing}"
            self.tell(f"Nothing was sent: {running}. {self.key('cancel')} cancels a running call.")
        return bool(self.doing)

    def watch_doing(self) -> None:
        self.refresh_bindings()

    @property
    def _has_events(self) -> bool:
        profile = self.explorer.profile
        connections = self.connections_of(profile)
        return profile is not None and connections is not None and connections.has_events(profile)

    def action_events(self) -> None:
        self.post_message(EventsWanted())

    def action_connect(self) -> None:
        """Close the connection, or open it like a call."""
        profile = self.explorer.profile
        connections = self.connections_of(profile)
        if profile is None or connections is None or connections.is_closing(profile):
            return
        if connections.is_open(profile):
            self.run_worker(self.explorer.close_connection(profile), group="connection")
        elif self.doing:
            self.tell(f"The connection opens with the running work. {self.key('cancel')} cancels it.")
        else:
            self._open_connection()

    @opens("call")
    async def _open_connection(self) -> None:
        exchange = await self.sender.open_connection()
        if not isinstance(exchange.outcome, Sent | Cancelled):
            self.notify(why_not_open(exchange.outcome), severity="warning", timeout=10)

    def watch_exchange(self) -> None:
        """Check the exchange on view, and close docs that cover it."""
        self.advice.offered, self.hint, self.schema_remark, self.check_remark = None, [], "", []
        self.workers.cancel_group(self, "result")
        if self.exchange is not None:
            self._check_result(self.exchange)
        self.refresh_bindings()
        self.panes.free_response()

    @work(exclusive=True, group="result")
    async def _check_result(self, exchange: Exchange) -> None:
        checked = await self.explorer.check_result(exchange)
        if self.exchange is exchange:
            from rpcexplorer.text.problems import result_remark  # Not needed before the first result.

            self.schema_remark = result_remark(checked.problems)

    def _show_ended(self, exchange: Exchange, again: Callable[[], object]) -> None:
        """Show a response; ``again`` repeats the work if a hint is applied."""
        profile = self.explorer.profile
        if profile is None:  # it was removed meanwhile, and another one will be chosen
            return
        is_absent = exchange.method in self.explorer.method_lists.absent(profile)
        if is_absent == (as_named(exchange.method) in self.drafts.known):
            self.view.show_methods()  # the response shows whether the server has the method
        if self._is_overtaken:
            outcome = OUTCOME_LABELS[exchange.outcome_name]
            self.tell(f"{exchange.method} has finished: {outcome}. The call is first in the list of recent calls.")
        else:
            self.exchange = exchange
        self.view.show_recent()
        self.view.show_auth()
        self.show_preview()
        if exchange.exit_code and self.exchange is exchange and self.sender.is_current:
            self._offer_hint(exchange, again)

    def _offer_hint(self, exchange: Exchange, again: Callable[[], object]) -> None:
        assert self.explorer.profile is not None
        if hint := self.advice.offer(exchange, self.explorer.profile, again):
            self.hint = hint
            self.refresh_bindings()

    @opens("hint")
    async def action_apply_hint(self) -> None:
        """Apply the hint after a question, and repeat the failed work."""
        offered = self.advice.offered
        if offered is None:
            return
        is_wanted = await self.advice.follow(offered)
        if self.explorer.profile != offered.profile:
            self.advice.offered, self.hint = None, []
            self.view.show()
            self._describe_anew()
            self.show_preview()
        if is_wanted:
            offered.again()

    def _send_again(self, draft: Draft | Batch, in_editor: str, *, whole: bool) -> None:
        """Send a failed call again, with changes that were made in the editor."""
        if isinstance(draft, Draft) and in_editor == self.method:
            self.action_send(notification=draft.notification, whole=whole)
        else:
            self._send(draft, whole=whole)

    def action_login(self) -> None:
        """Open a session, or apply a hint that shows the key of the login."""
        if self._is_busy():
            return
        offered = self.advice.hint_for(self.explorer.profile)
        asks = offered is not None and bool(offered.hint.secret) and not offered.hint.changes
        if offered is not None and (asks or (offered.is_about_auth and not offered.profile.has_sessions)):
            self.action_apply_hint()
        else:
            self._login()

    def action_new_session(self) -> None:
        if not self._is_busy():
            self._login(ask=True)

    def action_logout(self) -> None:
        assert self.explorer.profile is not None
        self.tell(self.sender.log_out(self.explorer.profile))
        self.view.show_auth()

    def action_discover(self) -> None:
        if not self._is_busy():
            self._discover()

    def action_test(self) -> None:
        self.post_message(ConnectionTestWanted())

    @opens("typed")
    async def action_compare_profiles(self) -> None:
        await self._wait_for_keys()
        if not self._refuses():
            is_whole = self.drafts.saved_call is not None
            self.post_message(ProfilesCompared(self.drafts.draft, whole=is_whole))

    def interrupt(self) -> bool:
        """Cancel running work; return whether there was any.

        Other screens only cancel calls, and nothing in the response pane.
        """
        is_here = self.app.screen is self and self.response.can_cancel
        is_running = bool(self.doing) or is_here
        if is_running:
            self.action_cancel()
        return is_running

    def action_cancel(self) -> None:
        if self.sender.cancel():
            return
        if self.response.can_cancel:
            self.response.cancel()
        elif self.panes.is_covered:
            inside = self.response if self.response.has_focus_within else self.params
            self.panes.uncover()
            inside.focus_inside()

    async def settle(self) -> None:
        """Cancel running work and save the draft.

        Needed before the profile changes or the program ends.
        """
        await self.params.settled()
        await self.sender.settle()
        self.drafts.write_down()

    def on_response_pane_prompt_submitted(self, event: ResponsePane.PromptSubmitted) -> None:
        self.view.remember_input(event.purpose, event.text)

    def on_response_pane_wrapped(self, event: ResponsePane.Wrapped) -> None:
        self.explorer.remembered.wrap = event.on

    @opens("save")
    async def on_response_pane_save_wanted(self) -> None:
        if self.response.exchange is not None:
            from rpcexplorer.tui.call.copying import save_response

            await save_response(self, self.explorer, self.response.exchange, self.response.body)

    def action_copy(self) -> None:
        self._copy(self.drafts.draft, self.exchange)

    def on_response_pane_copy_response_wanted(self, event: ResponsePane.CopyResponseWanted) -> None:
        self._copy(self.drafts.draft, self.exchange, event.part)

    @on(CopyCallWanted)
    def _copy_recent(self, event: CopyCallWanted) -> None:
        event.stop()  # the app copies calls of the history
        self._copy(self.drafts.draft, event.exchange)

    @opens("copy")
    async def _copy(self, draft: Draft, exchange: Exchange | None, part: str = "") -> None:
        """Copy a call or its response; ask which part, unless it is named."""
        from rpcexplorer.tui.call.copying import copy_call

        body = self.response.body if exchange is self.response.exchange else None
        release = partial(self.pending.go_on, "copy")
        await copy_call(self, self.explorer, draft, exchange=exchange, body=body, part=part, release=release)


def why_not_open(outcome: Outcome) -> str:
    """Return why a connection was not opened, with the step."""
    step = f" (step: {outcome.step})" if isinstance(outcome, Unreached) else ""
    return f"The connection was not opened{step}. {getattr(outcome, 'sentence', '')}".rstrip()
