"""The call screen, which connects the panes and sends calls."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace
from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Batch, Draft, draft_of
from rpcexplorer.model.exchange import OUTCOME_LABELS, Cancelled, Exchange, Outcome, Sent, Unreached
from rpcexplorer.model.method import SIGN, Method, as_named
from rpcexplorer.model.problem import UserError, capitalised, counted, first_few
from rpcexplorer.model.profile import Profile
from rpcexplorer.tui.call.layout import PaneLayout, is_side_by_side, methods_columns, params_lines
from rpcexplorer.tui.call.methods import MethodsPane, RecentList
from rpcexplorer.tui.call.state import CallState
from rpcexplorer.tui.key_queue import SCREEN, PendingKeys, opens
from rpcexplorer.tui.theme import NARROW
from rpcexplorer.tui.widgets.bars import FOOTER_OVER_CALLS, Bar, Footer, Frame, Header
from rpcexplorer.tui.widgets.full_screen import MoveDivider
from rpcexplorer.variables.references import OPENING

if TYPE_CHECKING:
    from rpcexplorer.discovery.methods import Discovery
    from rpcexplorer.tui.call.docs import DocsSheet
    from rpcexplorer.tui.call.params import ParamsPane
    from rpcexplorer.tui.call.response import ResponsePane
    from rpcexplorer.tui.call.transfer import Transfer
    from rpcexplorer.tui.checks import CheckRow
    from rpcexplorer.tui.connections import Connections
    from rpcexplorer.tui.form import FormSource

MAX_COMPLAINTS: Final = 4
"""Problems of one kind of file that are shown."""
READY_SECONDS: Final = 0.3
"""After the first screen is drawn, and before a user can send a call."""
DESCRIPTION_SECONDS: Final = 2
"""Between two checks whether the description file has changed."""
AUTH_SECONDS: Final = 20
"""Between two updates of the session's age in the header."""


class CallScreen(CallState, scope="call"):
    """Choose a method, edit its params, send, read the response."""

    DEFAULT_CSS = """
    CallScreen #panes { height: 1fr; }
    CallScreen #panes, CallScreen #right { visibility: hidden; }
    CallScreen #panes > MethodsPane, CallScreen #panes > DocsPane, CallScreen #right > * { visibility: visible; }
    CallScreen MethodsPane { width: 34; border-right: solid $line; }
    CallScreen #right { width: 1fr; }
    CallScreen .params { height: 10; }
    CallScreen .response { height: 1fr; }
    CallScreen.-beside #right { layout: horizontal; }
    CallScreen.-beside .params, CallScreen.-beside .response { width: 1fr; }
    CallScreen.-beside .response, CallScreen.-beside #right > DocsPane { border-left: solid $line; }
    CallScreen MethodsPane.-alone { border-right: none; }
    """
    AUTO_FOCUS = ""
    """Each screen sets the focus itself: moving it slows the start."""

    def __init__(self, explorer: Explorer, pending: PendingKeys) -> None:
        header = Header()
        super().__init__(explorer, pending, Frame(header.copy, FOOTER_OVER_CALLS))
        self.header, self.footer = header, Footer(self._not_in_footer)
        self.methods = MethodsPane(self)
        self._is_reading = False
        """The description file is being read."""

    def _make_panes(self) -> None:
        from rpcexplorer.tui.call.advice import Advice
        from rpcexplorer.tui.call.drafts import DraftKeeper
        from rpcexplorer.tui.call.params import ParamsPane
        from rpcexplorer.tui.call.response import ResponsePane
        from rpcexplorer.tui.call.sender import Sender

        self.advice = Advice(self)
        self.params = ParamsPane(self.advice)
        self.drafts = DraftKeeper(self, self.params)
        self.response = ResponsePane(self, self.drafts)
        self.panes = PaneLayout(self, (self.methods, self.params, self.response))
        self.sender = Sender(self, self.drafts)

    @cached_property
    def transfer(self) -> Transfer:
        from rpcexplorer.tui.call.transfer import Transfer  # not needed by the start

        return Transfer(self, self.drafts, self.panes)

    @cached_property
    def connections(self) -> Connections:
        """The connections and their events; calls over HTTP mostly need none."""
        from rpcexplorer.tui.connections import Connections

        return Connections(self.app, self.explorer)

    def compose(self) -> ComposeResult:
        here = CallState
        yield self.header.data_bind(here.profile, here.auth, here.problem)
        with Horizontal(id="panes"):
            yield self.methods.data_bind(
                here.pinned,
                here.recent,
                here.verdicts,
                here.profile,
                here.times,
                here.found_none,
                methods=here.known,
                current=here.method,
            )
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
        self.profile = profile
        self.known = explorer.listed_methods(called=False)
        self.pinned = explorer.remembered.pinned(profile.name)
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
        right, here = self.query_one("#right"), CallState
        params = self.params.data_bind(here.described, here.profile, here.changes, method=here.listed)
        response = self.response.data_bind(
            here.exchange,
            here.running,
            here.asked,
            here.offered,
            here.check_remark,
            here.known,
            here.times,
            method=here.called,
        )
        async with self.batch():
            await right.remove_children()
            await right.mount_all([params, response])
            self.show_profile()
            if self.method:
                self.params.focus_inside()
            self.completed.set()
            self.watch(self.methods, "pointed", self.panes.follow_pointer, init=False)
            self.watch(self.params, "text_lines", self.panes.fit_params, init=False)
            self.on_resize()
        if rescued:
            self.notify(rescued, timeout=10)
        self.set_timer(READY_SECONDS, self._get_ready)
        self.set_interval(AUTH_SECONDS, self.show_session)
        self.set_interval(DESCRIPTION_SECONDS, self._look_at_description)
        self.pending.go_on(SCREEN)

    @work(group="ready")
    async def _get_ready(self) -> None:
        await self.explorer.load()

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Refresh no styles the first time: every widget has just got them."""
        event.refresh_styles = self.is_complete
        if self.is_complete:
            self.explorer_changed()  # by another screen
        else:
            self.call_later(self._complete)  # after the first frame, which Textual draws now

    def on_resize(self) -> None:
        if self.is_complete:
            self.panes.fit()

    def _not_in_footer(self) -> set[str]:
        """Return the commands whose keys are shown elsewhere, or that nobody needs now."""
        omitted = set[str]()
        if self.app.size.width >= NARROW or self.methods.has_focus_within:
            omitted.add("focus.methods")
        if self.profile is None or not self.profile.secrets:
            omitted.add("login")
        if self.profile is not None and self.explorer.method_lists.learned(self.profile):
            omitted.add("discover")
        if self.running is None and not (self.is_complete and self.response.can_cancel):
            omitted.add("cancel")
        omitted.add("docs" if self.is_complete and self.panes.are_docs_focused else "close-panel")
        return omitted

    def has(self, state: str) -> bool:
        if not self.is_complete:  # Most keys wait for the panes; these states depend on them.
            return state not in {"running", "panel", "stacked"}
        profile = self.explorer.profile
        match state:
            case "editing":
                return not (isinstance(self.focused, RecentList) and self.focused.chosen)
            case "panel":
                return self.panes.is_closable
            case "idle":
                return self.running is None
            case "running":
                return self.running is not None or self.response.can_cancel or self.panes.is_covered
            case "profile" | "secrets" | "sessions" | "connection" | "events" | "replaced":
                return profile is not None and self._has_with(profile, state)
            case "hint":
                return self.hint is not None
            case "method":
                return bool(self.method)
            case "named":
                return bool(self.method or self.methods.pointed)
            case "request":
                return self.asked is not None
            case "stacked":
                return not self.panes.is_side_by_side
        return super().has(state)

    def _has_with(self, profile: Profile, state: str) -> bool:
        """Return whether a state holds that depends on the profile."""
        match state:
            case "secrets":
                return bool(profile.secrets)
            case "sessions":
                return profile.has_sessions
            case "connection":
                return profile.has_events
            case "events":
                is_used = "connections" in self.__dict__
                return self.connections.has_events(profile) if is_used else profile.has_events
            case "replaced":
                return bool(self.explorer.replaced.of(profile, self.method))
        return True

    def watch_profile(self) -> None:
        self.footer.prod = self.profile is not None and self.profile.badge == "prod"
        self.set_class(self.footer.prod, "-prod")
        self.footer.refresh()

    def show_profile(self) -> None:
        """Show another profile: its methods, its drafts, its session, its calls."""
        self.has_history = self.found_none = False
        self.explorer_changed()
        self._look_at_description()
        if self.explorer.profile is not None and self.explorer.profile.is_open_connection:
            _ = self.connections  # From now on, the header shows the connection.
        self.call_after_refresh(self._read_history)
        self.exchange = None
        self.drafts.choose(self._first_method())
        self.drafts.is_opening = True
        if not self.method:
            self.action_focus_methods()

    def _first_method(self) -> str:
        """Return the method to start with: the last one, or a good example."""
        from rpcexplorer.discovery.methods import first_method

        profile = self.explorer.profile
        assert profile is not None
        last = self.explorer.remembered.method(profile.name)
        if last and (not last.startswith(SIGN) or last in self.known):  # a saved call may be gone
            return last
        notes = profile.methods.items() if profile.preset else ()  # those to begin with are first
        of_preset = next((name for name, note in notes if note.safe and not note.params), "")
        return of_preset or first_method(self.known)

    def _read_history(self) -> None:
        """Show recorded calls, after the screen is drawn."""
        if self.explorer.profile is not None:
            self.has_history = True
            self.explorer_changed()
            self.drafts.open_again()

    def _look_at_description(self) -> None:
        """Read the file that describes the methods, if it has changed."""
        profile = self.explorer.profile
        if profile is not None and not self._is_reading and self.explorer.method_lists.unread(profile):
            self._read_description(profile)

    @work(group="description")
    async def _read_description(self, profile: Profile) -> None:
        self._is_reading = True
        try:
            found = await self.explorer.read_description_aside()
        finally:
            self._is_reading = False
        if found is not None and self.explorer.profile is profile:
            self.explorer_changed()
            if news := self._news(found):
                self.tell("\n".join([*found.sentences, news]))

    def _news(self, found: Discovery) -> str:
        """Return how many methods changed, and the key that shows them."""
        from rpcexplorer.text.docs import changes_counted

        counted = changes_counted(found.changed)
        key = self.key("changes") or self.key("palette")
        return f"{counted}. To show the changes, press {key}." if counted else ""

    def read_profiles(self) -> None:
        """Read the files of profiles again; the current profile stays in use."""
        explorer = self.explorer
        used, before = explorer.profile, explorer.profiles.profiles
        explorer.reload()
        if used is not None and used.name in before and used.name not in explorer.profiles.profiles:
            words = f"The profile {used.name} can no longer be read. Its old settings stay in use."
            self.notify(words, severity="warning")
            for problem in first_few(explorer.profiles.problems, MAX_COMPLAINTS):
                self.notify(problem, timeout=10, severity="warning")

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

    def divider_at(self, x: int, y: int) -> MoveDivider | None:
        return self.panes.divider_at(x, y) if self.is_complete else None

    def on_response_pane_zoom_wanted(self) -> None:
        self.panes.zoom()

    def watch_described(self) -> None:
        self.panes.follow_editor()

    def on_descendant_focus(self) -> None:
        self.panes.follow_focus()

    @opens("docs")
    async def action_docs(self) -> None:
        await self.panes.switch_docs()

    def on_docs_sheet_example_taken(self, event: DocsSheet.ExampleTaken) -> None:
        event.stop()
        self.transfer.take_example(event.method.name, event.example)

    def open_method(self, name: str) -> None:
        """Choose a listed method, and go to its params."""
        self.drafts.choose(name)
        self.panes.focus_params()

    @on(MethodsPane.MethodChosen)
    def _method_chosen(self, event: MethodsPane.MethodChosen) -> None:
        self.open_method(event.name)
        if why_not := self.unknown_call:
            self.tell(why_not)

    def on_params_pane_text_changed(self) -> None:
        self.drafts.typed()

    def on_params_pane_reset_wanted(self) -> None:
        self.drafts.reset()

    def on_params_pane_editor_wanted(self, event: ParamsPane.EditorWanted) -> None:
        self.drafts.edit_outside(event.text, event.time)

    @opens("changes")
    async def action_changes(self) -> None:
        """Show the changes of the last refresh, and open a chosen method."""
        from rpcexplorer.text.docs import changes_found
        from rpcexplorer.tui.dialogs import ChangesDialog

        profile = self.explorer.profile
        found = self.explorer.method_lists.changes(profile) if profile else None
        if profile is None or not found:
            self.tell("No refresh has found changes yet.")
            return
        dialog = ChangesDialog(f"Methods of {profile.shown_name}", changes_found(found), found.methods)
        if name := await self.app.push_screen_wait(dialog):
            self.open_method(as_named(name))

    @opens("changes")
    async def action_compare_methods(self) -> None:
        """Compare the methods with those of another profile, and open a chosen one."""
        from rpcexplorer.tui.dialogs import compare_methods

        profile = self.explorer.profile
        if profile is None:
            return
        if name := await compare_methods(self, self.explorer, profile):
            self.open_method(as_named(name))

    @opens("typed")
    async def action_form(self) -> None:
        """Edit the params as a form, and send the call if wanted."""
        from rpcexplorer.schema.form import why_no_form
        from rpcexplorer.tui.form import FormScreen

        await self.params.settled()
        params = self.params
        if self._refuses("form not opened"):
            return
        if why_not := why_no_form(params.text):
            self.tell(why_not)
            return
        form = FormScreen(self.explorer, self._form_source(), self.pending, self.frame)
        self.drafts.form = form
        is_sent = await self.app.push_screen_wait(form)
        self.drafts.form = None
        params.show_tab("Params")
        if form.place is not None:
            params.editor.go_to(form.place)
        params.focus_inside()
        if is_sent:
            self.action_send()

    def _form_source(self) -> FormSource:
        from rpcexplorer.model.method import Described
        from rpcexplorer.tui.form import FormSource

        if self.described is None:  # The first screen does not wait for the description.
            self.describe()
        params, described = self.params, self.described or Described()
        return FormSource(
            self.called,
            described,
            self.advice.by,
            lambda: params.text,
            params.replace,
            params.action_undo,
            params.action_redo,
            lambda: params.problem is None,
            lambda: self.advice.preview(params.text, params.loaded),
            partial(self.advice.check, described),
            params.editor.cursor_offset,
        )

    @opens("answer")
    async def action_answer(self) -> None:
        """Answer the oldest request of the server that waits."""
        from rpcexplorer.tui.answers import answer

        profile = self.explorer.profile
        if profile is not None and (asked := self.connections.asked(profile.name)):
            await answer(self, self.connections, profile, asked[0])

    @opens("keep")
    async def action_keep_call(self) -> None:
        await self.params.settled()
        await self.transfer.save_call()

    @opens("typed")
    async def action_mark_safe(self) -> None:
        """Mark the method under the cursor of the list, or the edited one."""
        from rpcexplorer.tui.dialogs import mark_safe

        await self.params.settled()
        name = self.methods.pointed or self.method
        if await mark_safe(self, self.explorer, self.called_by(name)):
            self.explorer_changed()

    def load(self, exchange: Exchange, *, ours: bool) -> None:
        """Load a recorded call into the editor or batch, with its response."""
        self.transfer.open(exchange, self._load, ours=ours)

    def _load(self, exchange: Exchange) -> None:
        if self.transfer.load(exchange):
            self.action_batch()

    def again(self, exchange: Exchange, *, ours: bool) -> None:
        """Load a recorded call and resend it in its original form."""
        self.transfer.open(exchange, self._load_and_send, ours=ours)

    def _load_and_send(self, exchange: Exchange) -> None:
        self.transfer.put_recorded(exchange)
        self.response.focus_inside()
        sent = exchange.params_sent
        self._send(draft_of(exchange), whole=sent is not None and OPENING not in sent)

    async def carry(self, draft: Draft, profile: str) -> None:
        """Use a profile, and put a call into its editor."""
        if self.profile_name != profile and await self.use(profile):
            self.explorer.remember_profile()
        self.transfer.carry(draft)

    @opens("carry")
    async def action_to_profile(self) -> None:
        from rpcexplorer.tui.dialogs import other_profile

        await self.params.settled()
        if name := await other_profile(self, self.explorer, self.profile_name):
            await self.carry(self.drafts.draft, name)

    @opens("import")
    async def on_params_pane_take_apart_wanted(self, event: ParamsPane.TakeApartWanted) -> None:
        await self.transfer.take_apart(event.text, event.pasted)

    @opens("import")
    async def action_import(self) -> None:
        await self.params.settled()
        await self.transfer.import_calls()

    @opens("use")
    async def on_response_pane_value_taken(self, event: ResponsePane.ValueTaken) -> None:
        from rpcexplorer.variables.resolve import TakenValue

        await self.params.settled()
        await self.transfer.use_value(TakenValue(event.method, event.pointer, event.text))

    @opens("checks")
    async def action_run_checks(self) -> None:
        """Run all checks of the profile, and open a chosen one."""
        from rpcexplorer.tui.checks import run_checks

        if self._is_busy():
            return
        self.drafts.write_down()
        self.read_profiles()
        chosen = await run_checks(self, self.all_verdicts)
        if chosen is not None:
            self.open_check(chosen)

    @opens("checks")
    async def action_generate_checks(self) -> None:
        """Send calls made from the schema of the method, and load one that was found wrong."""
        from rpcexplorer.tui.generated import generate_checks

        if self._is_busy():
            return
        self.drafts.write_down()
        name = self.called_by(self.method)
        method = self.known.get(as_named(name)) or Method(name)
        found = await generate_checks(self, method, self.explorer.described(name))
        if found is not None:
            self.transfer.put_recorded(found)

    def open_check(self, row: CheckRow) -> None:
        """Open a check in the editor, with its response if it failed."""
        from rpcexplorer.tui.checks import remark

        result = row.result
        self.explorer_changed()
        self.open_method(row.check.call.listed_as)
        self.exchange = result.exchange if result else None
        self.check_remark = remark(result) if result and result.exchange else []

    def action_replaced_params(self) -> None:
        self.drafts.bring_back()
        self.panes.focus_params()

    @opens("batch")
    async def action_batch(self) -> None:
        """Show the batch, and load a chosen call of it."""
        from rpcexplorer.tui.batch import BatchScreen

        self.drafts.write_down()
        batch = BatchScreen(
            self.explorer,
            self.pending,
            self.frame,
            under_way=lambda: self.running.name if self.running else "",
            at=self.drafts.batch_row,
        )
        choice = await self.app.push_screen_wait(batch)
        self.drafts.batch_row = batch.draft
        if choice is not None:
            self.transfer.put_back(choice.draft, choice.exchange)

    @opens("typed")
    async def action_add_to_batch(self) -> None:
        await self.params.settled()
        if not self._refuses("not added"):
            self.tell(self.drafts.add_to_batch(self.key("batch") or self.key("palette")))

    @on(RecentList.Recalled)
    def _recalled(self, event: RecentList.Recalled) -> None:
        exchange = event.exchange
        self.panes.cover("")
        ours = self.explorer.journal.is_ours(exchange, self.explorer.profile)
        if event.resend:
            self.again(exchange, ours=ours)
            return
        self.load(exchange, ours=ours)
        (self.response if exchange.kind == "batch" else self.params).focus_inside()

    def action_send(self, *, notification: bool = False, whole: bool = False) -> None:
        """Send the call in the editor. For ``whole``, see `Sender.call`."""
        if not self._is_busy():
            self._send_typed(notification=notification, whole=whole)

    @opens("call")
    async def _send_typed(self, *, notification: bool, whole: bool) -> None:
        await self.params.settled()
        if self.panes.is_narrow and self.methods.display:  # the list would hide problems
            self.panes.cover("")
            self.params.focus_inside()
        if not self._refuses():
            draft = replace(self.drafts.draft, notification=notification)
            await self._call(draft, whole=whole or self.saved_call is not None)

    def action_send_notification(self) -> None:
        self.action_send(notification=True)

    def _refuses(self, consequence: str = "not sent") -> bool:
        """Return whether the draft cannot be sent; if so, show its problem."""
        if why_not := self.unknown_call:
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
            self._send_now(draft, whole=whole)

    @opens("call")
    async def _send_now(self, draft: Draft | Batch, *, whole: bool) -> None:
        await self._call(draft, whole=whole)

    async def _call(self, draft: Draft | Batch, *, whole: bool) -> None:
        in_editor, saved = self.method, self.saved_call
        exchange = await self.sender.call(draft, whole=whole)
        if exchange is None:
            return
        if self.sender.is_overtaken:
            outcome = OUTCOME_LABELS[exchange.outcome_name]
            self.tell(f"{exchange.method} has finished: {outcome}. The call is first in the list of recent calls.")
        else:
            self.exchange = exchange
        self._ended(exchange, partial(self._send_again, draft, in_editor, whole=whole))
        self.response.judge(saved, exchange)

    @opens("call")
    async def _login(self, *, ask: bool = False) -> None:
        exchange = await self.sender.login(ask=ask)
        if exchange is None:
            self.show_session()  # it may have been entered
            return
        self.exchange = exchange
        self._ended(exchange, self._login)
        if exchange.exit_code and not self.offered:
            palette, test = self.key("palette"), self.key("test") or self.key("palette")
            other = f"To use other credentials, press {palette} and type “switch user”."
            self.tell(f"Login failed. {other} To test the connection, press {test}.")

    @opens("call")
    async def _discover(self) -> None:
        found = await self.sender.discover()
        profile = self.explorer.profile
        if profile is None:  # it was removed meanwhile
            return
        self.found_none = found.ended is None and not found.methods
        self.explorer_changed()
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
        if news := self._news(found):
            self.tell(news)
        if found.ended is not None and self.sender.is_current:
            self.advice.offer(found.ended, profile, self._discover)

    def _is_busy(self) -> bool:
        """Return whether work is running, and notify if it is."""
        if (work := self.running) is not None:
            still = f"{work.method} was still running" if work.method else f"it was still {work.words}"
            self.tell(f"Nothing was sent: {still}. {self.key('cancel')} cancels a running call.")
        return work is not None

    def watch_running(self) -> None:
        self.refresh_bindings()
        if self.running is not None and self.running.method:
            self.panes.free_response()

    @opens("events")
    async def action_events(self) -> None:
        from rpcexplorer.tui.events import EventsScreen

        profile = self.explorer.profile
        if profile is not None:
            connect = self.action_connect
            events = EventsScreen(self.explorer, profile, self.connections, self.pending, self.frame, connect=connect)
            await self.app.push_screen_wait(events)

    def action_connect(self) -> None:
        """Close the connection, or open it like a call."""
        profile = self.explorer.profile
        if profile is None or self.connections.is_closing(profile):
            return
        if self.connections.is_open(profile):
            self.connections.stop_listening()
            self.run_worker(self.explorer.close_connection(profile), group="connection")
        elif self.running:
            self.tell(f"The connection opens with the running work. {self.key('cancel')} cancels it.")
        else:
            self._open_connection()

    @opens("call")
    async def _open_connection(self) -> None:
        exchange = await self.sender.open_connection(self.connections)
        if exchange is not None and not isinstance(exchange.outcome, Sent | Cancelled):
            self.notify(why_not_open(exchange.outcome), severity="warning", timeout=10)

    def watch_exchange(self) -> None:
        """Drop what was about another exchange, and close docs that cover it."""
        self.offered, self.check_remark = None, []
        if self.running is not None:
            self.running.is_overtaken = True
        self.refresh_bindings()
        self.panes.free_response()

    def watch_offered(self) -> None:
        self.refresh_bindings()

    def _ended(self, exchange: Exchange, again: Callable[[], object]) -> None:
        """Show what else a response has changed; ``again`` repeats the work if a hint is applied."""
        profile = self.explorer.profile
        if profile is None:  # it was removed meanwhile, and another one will be chosen
            return
        if (name := as_named(exchange.method)) not in self.known:
            self.new_names |= {name}
        self.explorer_changed()
        if exchange.exit_code and self.exchange is exchange and self.sender.is_current:
            self.advice.offer(exchange, profile, again)

    @opens("hint")
    async def action_apply_hint(self) -> None:
        """Apply the hint after a question, and repeat the failed work."""
        offered = self.offered
        if offered is None or offered.hint is None:
            return
        is_wanted = await self.advice.follow(offered.hint, offered.profile)
        if self.explorer.profile != offered.profile:
            self.offered = None
            self.explorer_changed()
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
        offered = self.hint
        asks = offered is not None and offered.hint is not None and not offered.hint.changes
        if offered is not None and (asks or (offered.is_about_auth and not offered.profile.has_sessions)):
            self.action_apply_hint()
        else:
            self._login()

    def action_new_session(self) -> None:
        if not self._is_busy():
            self._login(ask=True)

    def action_logout(self) -> None:
        """Forget the session."""
        profile = self.explorer.profile
        assert profile is not None
        had_session, problem = self.explorer.credentials.log_out(profile)
        words = "Forgot the session. rpcexplorer sent nothing to the server."
        self.tell(problem or (words if had_session else f"{profile.shown_name} has no session."))
        self.show_session()

    async def offer_discovery(self) -> None:
        """Ask whether to discover the methods of a new profile."""
        from rpcexplorer.tui.dialogs import may_discover

        profile = self.explorer.profile
        if profile is None or profile.discovery == "none" or self.explorer.method_lists.learned(profile) is not None:
            return
        if await may_discover(self, profile, self.key("discover")):
            self.action_discover()

    def action_discover(self) -> None:
        if not self._is_busy():
            self._discover()

    @opens("test")
    async def action_test(self) -> None:
        """Open the connection test, and use the profile that it has changed."""
        from rpcexplorer.tui.connection_test import run_connection_test

        profile = self.explorer.profile
        if profile is None:
            return
        await self.params.settled()
        self.drafts.write_down()
        found = await run_connection_test(self, self.explorer, profile)
        saved = self.explorer.profiles.profiles.get(found.name)
        if saved is not None and profile.ad_hoc:
            self.adopt_drafts(profile, saved)
        if found.name and await self.use(found.name):
            self.explorer.remember_profile()
            if profile.ad_hoc:
                await self.offer_discovery()

    def adopt_drafts(self, typed: Profile, saved: Profile) -> None:
        """Keep the drafts of a typed URL for the profile that was saved from it."""
        if problem := self.explorer.adopt_drafts(typed, saved, self.method):
            self.tell(f"{capitalised(problem)}.")

    @opens("typed")
    async def action_compare_profiles(self) -> None:
        from rpcexplorer.tui.replay import compare_profiles

        await self.params.settled()
        if not self._refuses():
            await compare_profiles(self, self.drafts.draft, whole=self.saved_call is not None)

    def interrupt(self) -> bool:
        """Cancel running work; return whether there was any.

        Other screens only cancel calls, and nothing in the response pane.
        """
        is_here = self.app.screen is self and self.response.can_cancel
        is_running = self.running is not None or is_here
        if is_running:
            self.action_cancel()
        return is_running

    def action_cancel(self) -> None:
        if self.running is not None:
            self.running.stop.press()
        elif self.response.can_cancel:
            self.response.cancel()
        elif self.panes.is_covered:
            self.panes.close()

    def action_close_panel(self) -> None:
        self.panes.close()

    async def settle(self) -> None:
        """Cancel running work and save the draft.

        Needed before the profile changes or the program ends.
        """
        await self.params.settled()
        await self.sender.settle()
        self.drafts.write_down()

    def action_copy(self) -> None:
        self.response.action_copy()


def why_not_open(outcome: Outcome) -> str:
    """Return why a connection was not opened, with the step."""
    step = f" (step: {outcome.step})" if isinstance(outcome, Unreached) else ""
    why = getattr(outcome, "sentence", "") or getattr(outcome, "reason", "") or getattr(outcome, "message", "")
    return f"The connection was not opened{step}. {why}".rstrip()
