"""The call screen: choose a method, edit its params, send, read the response."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias

from msgspec.structs import replace
from textual import events, on, work
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.screen import Screen

from rpcexplorer.auth.login import rejects_credentials
from rpcexplorer.auth.registry import KINDS
from rpcexplorer.discovery.methods import Discovery, DiscoveryStep, first_method
from rpcexplorer.explorer import Explorer
from rpcexplorer.importing.pasted import Pasted
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange, Preview, Refused, Stop, fresh_id
from rpcexplorer.model.method import (
    SIGN,
    Described,
    Method,
    SavedCall,
    SavedMethod,
    as_named,
    method_of,
    no_such_call,
)
from rpcexplorer.model.problem import Checked
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import Result
from rpcexplorer.text.exchange import WordLine
from rpcexplorer.text.json_text import laid_out
from rpcexplorer.text.problems import result_remark
from rpcexplorer.text.profile import auth_words
from rpcexplorer.transport.port import Progress
from rpcexplorer.tui.call.docs import DocsPane, DocsSheet
from rpcexplorer.tui.call.drafts import DraftWriter, Troubles
from rpcexplorer.tui.call.layout import PaneLayout
from rpcexplorer.tui.call.methods import MethodsPane
from rpcexplorer.tui.call.params import ParamsPane
from rpcexplorer.tui.call.response import ResponsePane
from rpcexplorer.tui.commands import Scope, bindings, first_key
from rpcexplorer.tui.keys import PendingKeys, opens
from rpcexplorer.tui.messages import (
    BatchWanted,
    ConnectionTestWanted,
    CopyCallWanted,
    FormWanted,
    ProfilesCompared,
    SendAgainWanted,
)
from rpcexplorer.tui.widgets.bars import Footer, Header
from rpcexplorer.tui.widgets.inputs import Purpose
from rpcexplorer.variables.references import Offered

if TYPE_CHECKING:
    from rpcexplorer.model.problem import Hint
    from rpcexplorer.schema.complete import Candidate, Completion

FIRST_STEPS: Final = (
    ("focus.methods", " chooses a method, "),
    ("focus.params", " goes to its params, "),
    ("send", " sends the call."),
)
"""What is said before there is any reply: commands and what they do."""
READY = 0.3
"""Seconds after the first screen: when it has been drawn for good, and sooner than anybody calls."""
CHANGES = 2
"""Seconds after which a file that describes the methods is looked at: its size and times, mostly."""
AGES = 20
"""Seconds after which the age of the session is told anew."""
RECENT = 8
TICK = 0.1
Hinted: TypeAlias = "tuple[Hint, Profile, Callable[[], object]]"

LARGEST: Final = 1_000_000
"""Bytes of a result; a larger one is not checked."""
LONGEST: Final = 200_000
"""Characters of params; in longer ones nothing is offered and nothing is hinted at, so that no key waits."""


class CallScreen(Screen[None]):
    """Where calls are made. A change of profile changes everything on it."""

    DEFAULT_CSS = """
    CallScreen { background: $background; color: $text; layout: vertical; overflow: hidden; }
    CallScreen.-prod { border-left: outer $prod; border-right: outer $prod; }
    CallScreen #panes { height: 1fr; }
    CallScreen MethodsPane { width: 34; border-right: solid $line; }
    CallScreen #right { width: 1fr; }
    CallScreen ParamsPane { height: 10; }
    CallScreen ResponsePane { height: 1fr; }
    CallScreen.-beside #right { layout: horizontal; }
    CallScreen.-beside ParamsPane, CallScreen.-beside ResponsePane { width: 1fr; }
    CallScreen.-beside ResponsePane { border-left: solid $line; }
    CallScreen MethodsPane.-alone { border-right: none; }
    """
    scope: ClassVar[Scope] = "call"
    BINDINGS: ClassVar[list[BindingType]] = bindings("call")
    AUTO_FOCUS = ""
    """Whoever shows something knows where the focus belongs; to move it from elsewhere costs a part of the start."""

    profile: reactive[Profile | None] = reactive[Profile | None](None, init=False, repaint=False)
    """The profile in use."""
    is_prod: reactive[bool] = reactive(False, init=False, repaint=False, toggle_class="-prod")
    """What is called may matter to many: the whole screen says so."""
    empty_params: reactive[str] = reactive("[]", init=False, repaint=False)
    """What is sent where no params are typed, as the profile says it."""
    auth: reactive[Sequence[tuple[str, str]]] = reactive[Sequence[tuple[str, str]]]((), init=False, repaint=False)
    """How the profile is logged in, or what it lacks."""
    trouble: reactive[str] = reactive("", init=False, repaint=False)
    """What could not be kept or read, in a few words."""
    known: reactive[Mapping[str, Method]] = reactive[Mapping[str, Method]]({}, init=False, repaint=False)
    """The methods that are known, by name."""
    pinned: reactive[Sequence[str]] = reactive[Sequence[str]]((), init=False, repaint=False)
    """Those that are kept at the top."""
    recent: reactive[Sequence[Exchange]] = reactive[Sequence[Exchange]]((), init=False, repaint=False)
    """The newest calls, the latest first."""
    discovered_at: reactive[datetime | None] = reactive[datetime | None](None, init=False, repaint=False)
    """When the service was asked which methods it has."""
    method: reactive[str] = reactive("", init=False, repaint=False)
    """What is chosen in the list for the editor: a method, or a saved call with its sign."""
    called: reactive[str] = reactive("", init=False, repaint=False)
    """The method that what stands in the editor calls."""
    described: reactive[Described | None] = reactive[Described | None](
        None, init=False, repaint=False, always_update=True
    )
    """All that is known of that method; None where nobody has told of it. It is never compared: it may be large."""
    preview: reactive[Preview | Refused | None] = reactive[Preview | Refused | None](None, init=False, repaint=False)
    """The request to come, or why there would be none."""
    exchange: reactive[Exchange | None] = reactive[Exchange | None](None, init=False, repaint=False, always_update=True)
    """The exchange on view."""
    hint: reactive[WordLine] = reactive[WordLine]([], init=False, repaint=False)
    """What may help, where the exchange on view has failed just now; empty where nobody knows."""
    schema_remark: reactive[str] = reactive("", init=False, repaint=False)
    """What its schema has against the result on view."""
    what: reactive[str] = reactive("", init=False, repaint=False)
    """What is under way, in a word; empty where nothing is."""
    whose: reactive[str] = reactive("", init=False, repaint=False)
    """The method that is being called, while one is."""

    def __init__(self, explorer: Explorer, pending: PendingKeys) -> None:  # noqa: PLR0915 - the parts of it follow
        super().__init__()
        self.explorer = explorer
        self.pending = pending
        self._keymap = explorer.settings.keymap
        self.has_login = True
        """Whether the profile sends credentials."""
        self._shown = False
        self._newest: Sequence[Exchange] | None = None
        """The newest calls as they were when the others were looked for."""
        self._calls: Sequence[Exchange] = ()
        """Those and the others, as far as they are known."""
        self._earlier: dict[object, Sequence[Candidate]] = {}
        """What was found in them for each place."""
        self._next_id = fresh_id()
        """The id that the next call will have."""
        self._writer = DraftWriter(self, explorer, lambda: Draft(self.method, self.params.text), self.show_troubles)
        self._troubles = Troubles(explorer)
        self._terminal_back = 0.0
        """When the terminal came back from an editor."""
        self._looked_back = False
        """The history of this profile was read, as far as the screen shows it."""
        self.of_batch: Draft | None = None
        """The call of the batch that is in the editor, as it stands in the batch."""
        self.batch_row: Draft | None = None
        """The call that the cursor was on when the batch was left."""
        self.typed_elsewhere: Callable[[], object] = lambda: None
        """Puts into the editor what is being typed in a form of it."""
        self._is_opening = False
        """What stands in the editor came with the profile, and nobody has chosen anything yet."""
        self._is_reading = False
        """Whether a file that describes the methods is being read."""
        self._stop: Stop | None = None
        """Ends what is under way."""
        self._progress: Progress | None = None
        self._started = 0.0
        self._elsewhere = False
        """Another call was put on view while one ran: what comes of it does not take its place."""
        self._given: dict[str, str] = {}
        """What was typed last for each name that had no value."""
        self._hinted: Hinted | None = None
        """What the hint on view would do, the profile that it is for, and how the call is sent again."""
        self.header = Header()
        """The line at the top."""
        self.methods = MethodsPane(key=self.key("focus.methods"), recent_key=self.key("history"))
        """The pane at the left."""
        self.params = ParamsPane(
            key=self.key("focus.params"),
            names=self.offered_names,
            complete=self.complete_params,
            hint=self.hint_params,
            check=self.check_params,
        )
        """The pane above."""
        self.response = ResponsePane(
            key=self.key("focus.response"), cancel_key=self.key("cancel"), first_steps=self.steps_of()
        )
        """The pane below."""
        panes = (self.methods, self.params, self.response)
        self.panes = PaneLayout(self, explorer, panes, docs_key=self.key("docs"), fill=self._fill_docs)

    def compose(self) -> ComposeResult:
        here = CallScreen
        yield self.header.data_bind(here.profile, here.auth, here.trouble)
        with Horizontal(id="panes"):
            yield self.methods.data_bind(here.pinned, here.recent, methods=here.known, current=here.method)
            with Vertical(id="right"):
                yield self.params.data_bind(here.preview, here.described, empty=here.empty_params)
                yield self.response.data_bind(
                    here.exchange, here.hint, here.schema_remark, here.what, here.whose, method=here.called
                )
        yield Footer().data_bind(prod=here.is_prod)

    def on_mount(self) -> None:
        self.response.wrapped = self.explorer.remembered.wrap
        self.show_profile()
        if self.method:
            self.params.focus_inside()
        self.set_timer(READY, self._get_ready)
        self.set_interval(AGES, self.show_auth)
        self.set_interval(CHANGES, self.look_at_description)
        self.on_resize()  # before anything is laid out, so that it is laid out once

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return what can be done now. What would send says so itself while something runs."""
        running = bool(self.what)
        profile = self.explorer.profile
        if action == "logout":
            return not running and profile is not None and profile.has_sessions
        if action == "login":
            return profile is not None
        if action == "new_session":
            return profile is not None and bool(profile.secrets)
        if action == "test":
            return not running
        if action == "apply_hint":
            return not running and self._hinted is not None and self._hinted[1] == profile
        if action in {"to_profile", "add_to_batch"}:
            return bool(self.method)
        if action == "replaced_params":
            return profile is not None and bool(self.explorer.replaced.of(profile, self.method))
        if action == "cancel":
            return running or self.response.can_cancel or self.panes.is_covered
        if action in {"taller", "shorter"}:
            return not self.panes.is_side_by_side  # side by side, both have all the height
        return super().check_action(action, parameters)

    def key(self, command: str) -> str:
        return first_key(command, self._keymap)

    def steps_of(self, profile: Profile | None = None) -> list[list[tuple[str, str]]]:
        """What is said before there is any reply; also how to learn of a server that was not asked, or is not known."""
        steps = [part for id, words in FIRST_STEPS for part in ((self.key(id), "bold"), (words, "dim"))]
        lines = [[("      ", "text"), *steps], [("      The reply appears here.", "dim")]]
        further = []
        if profile is not None and self.discovered_at is None:
            further.append(("discover", " asks the server which methods it has."))
        if profile is not None and profile.ad_hoc:
            further.append(("test", " tests this address, and says first what it calls."))
        for id, words in further:
            lines += [[], [("      ", "text"), (self.key(id) or "The palette", "bold"), (words, "dim")]]
        return lines

    def header_copy(self) -> Header:
        """A header like this one, for a screen that opens over it."""
        header = Header()
        header.set_reactive(Header.profile, self.profile)
        header.set_reactive(Header.auth, self.auth)
        header.set_reactive(Header.trouble, self.trouble)
        return header

    # --- the panes ---------------------------------------------------------------------------------------------

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """The first time, every widget has just got its styles: there is nothing to refresh."""
        event.refresh_styles = self._shown
        self._shown = True

    def on_resize(self) -> None:
        self.panes.fit()
        self._tell_footer()

    def _tell_footer(self) -> None:
        """Leave out of the footer what is seen elsewhere, or has no use for this profile."""
        elsewhere = {"focus.methods": not self.panes.is_narrow, "login": not self.has_login}
        self.query_one(Footer).elsewhere = frozenset(id for id, is_left_out in elsewhere.items() if is_left_out)

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

    @on(ResponsePane.ZoomWanted)
    def _zoom(self) -> None:
        self.panes.zoom()

    def watch_described(self) -> None:
        self.panes.follow_editor()

    def watch_whose(self) -> None:
        self.panes.free_response()

    def on_descendant_focus(self) -> None:
        self.panes.follow_focus()

    @on(MethodsPane.Pointed)
    def _pointer_moved(self) -> None:
        self.panes.follow_pointer()

    @opens("docs")
    async def action_docs(self) -> None:
        await self.panes.switch_docs()

    def _fill_docs(self, docs: DocsPane, pointed: str) -> None:
        """Show a method as it is listed; a saved call has no docs of its own."""
        listed = self.known.get(pointed)
        about = self.called
        if pointed:
            about = listed.calls if isinstance(listed, SavedMethod) else method_of(pointed)
        described = self.described if about == self.called else self.explorer.described(about)
        method = self.known.get(as_named(about)) or Method(about, source="history") if about else None
        docs.show(method, described, self.discovered_at, self.profile)

    @on(DocsSheet.ExampleTaken)
    def _example_taken(self, event: DocsSheet.ExampleTaken) -> None:
        """The params of an example stand in the editor; what stood there is one key away."""
        from rpcexplorer.variables.references import inert_value

        event.stop()
        name = event.example.name
        if event.method.name != as_named(self.called):
            self.choose(event.method.name)
        self.params.show_tab("Params")
        self.params.replace(laid_out(inert_value(event.example.params)))
        self.panes.free_response()
        self.params.focus_inside()
        called = f"“{name}”" if name else "The example"
        self.tell(f"{called} is in the editor. {self.key('params.undo')} brings back what stood there.")

    # --- what is done with the response -------------------------------------------------------------------------

    def interrupt(self) -> bool:
        """End what runs, on another screen only what is under way; whether there was anything."""
        here = self.app.screen is self and self.response.can_cancel
        if self._stop is not None or here:
            self.action_cancel()
        return self._stop is not None or here

    def action_cancel(self) -> None:
        if self._stop is not None:
            self._stop.press()
        elif self.response.can_cancel:
            self.response.cancel()
        elif self.panes.is_covered:
            inside = self.response if self.response.has_focus_within else self.params
            self.panes.uncover()
            inside.focus_inside()

    @on(ResponsePane.TransformWanted)
    def _transform_wanted(self, event: ResponsePane.TransformWanted) -> None:
        self._transform(event)

    @on(ResponsePane.TransformCancelled)
    def _transform_cancelled(self) -> None:
        self.workers.cancel_group(self, "through")

    @work(exclusive=True, group="through")
    async def _transform(self, wanted: ResponsePane.TransformWanted) -> None:
        from rpcexplorer.tui import processes
        from rpcexplorer.tui.processes import ending

        run, by = {
            "filter": (processes.filtered, "spelled by jq, not by the server"),
            "pipe": (processes.piped, "what the command made of it"),
        }[wanted.kind]
        came = await run(wanted.expression, wanted.body, self.explorer.settings.reply_limit)
        told = [came.complaint] if came.code else [by, came.complaint * came.cut]
        if (wanted.kind == "pipe" and not came.cut) or not any(told):
            told.append(ending(came.code))
        sentence = "; ".join(filter(None, told))
        self.response.transform.finish(wanted.label, came.text, sentence, is_wrong=bool(came.code))

    @on(ResponsePane.PromptSubmitted)
    def _remember_input(self, event: ResponsePane.PromptSubmitted) -> None:
        if event.purpose in {"filter", "pipe"}:
            self.explorer.remembered.add_expression(event.purpose, event.text)
            self.remind(event.purpose)

    def remind(self, *purposes: Purpose) -> None:
        """What was typed before, for the arrow keys."""
        for purpose in purposes:
            self.response.earlier_inputs[purpose] = self.explorer.remembered.expressions(purpose)

    @on(ResponsePane.Wrapped)
    def _wrapped(self, event: ResponsePane.Wrapped) -> None:
        self.explorer.remembered.wrap = event.on

    @on(ResponsePane.SaveWanted)
    @opens("save")
    async def _save(self) -> None:
        if self.response.exchange is not None:
            from rpcexplorer.tui.call.copying import saved

            await saved(self, self.explorer, self.response.exchange, self.response.body)

    @opens("copy")
    async def copy(self, draft: Draft, exchange: Exchange | None, what: str = "") -> None:
        """Copy a call or its reply; which of it is asked, unless that is said."""
        from rpcexplorer.tui.call.copying import copied

        body = self.response.body if exchange is self.response.exchange else None
        taken = partial(self.pending.go_on, "copy")
        await copied(self, self.explorer, draft, exchange=exchange, body=body, what=what, taken=taken)

    # --- what schemas say --------------------------------------------------------------------------------------

    def describe(self) -> None:
        """What is known of the method that is called, in full: for the docs, and for whoever writes its params."""
        self.described = self.explorer.described(self.called) if self.called else None

    async def check_params(self, described: Described, text: str) -> Checked:
        return await self.explorer.checker.params(described, text, by=self._method.by)

    def complete_params(self, text: str, offset: int) -> Completion | None:
        if self.described is None or len(text) > LONGEST:
            return None
        self._look_for_calls()
        from rpcexplorer.schema.complete import completions

        return completions(text, offset, self.described, by=self._method.by, values=self._values)

    def hint_params(self, text: str, offset: int) -> str:
        if self.described is None or len(text) > LONGEST:
            return ""
        self._look_for_calls()
        from rpcexplorer.schema.complete import signature

        found = signature(text, offset, self.described, by=self._method.by)
        return found.line if found else ""

    def _values(self, name: str, path: tuple[str | int, ...]) -> Sequence[Candidate]:
        """What could stand there besides what the service says: a variable of this name, then what earlier calls had.

        Of those the newest of this profile are looked through, once for each place; none that others may have written.
        """
        from rpcexplorer.schema.complete import Candidate, earlier_values

        profile, place = self.explorer.profile, (self.called, name, path)
        if profile is None:
            return ()
        if place not in self._earlier:
            is_ours = self.explorer.journal.is_ours
            ours = (each for each in self._calls if each.profile == profile.name and is_ours(each, profile))
            self._earlier[place] = earlier_values(ours, self.called, name, path)
        found, value = self._earlier[place], self.explorer.profiles.variables_of(profile).get(name)
        if value is None:
            return found
        return [Candidate(f'"{{{{{name}}}}}"', f"{{{{{name}}}}}", value), *found]

    def _look_for_calls(self) -> None:
        """Somebody writes params: calls before those that are listed may have had values for them."""
        if self._newest is not self.recent:
            self._newest = self._calls = self.recent
            self._earlier = {}
            if self.explorer.profile is not None:
                self._read_calls(self.explorer.profile)

    @work(exclusive=True, group="earlier")
    async def _read_calls(self, profile: Profile) -> None:
        """They are read beside the typing; a list that is open by then knows them at once."""
        from rpcexplorer.schema.complete import MOST_CALLS

        newest = self._newest
        found = await asyncio.to_thread(self.explorer.journal.recent, profile, MOST_CALLS)
        if self._newest is newest and self.explorer.profile == profile:
            self._calls, self._earlier = found, {}
            self.params.completion.look_again()

    @property
    def _method(self) -> Method:
        """The one that is called."""
        return self.known.get(as_named(self.called)) or Method(self.called)

    def check_result(self, exchange: Exchange | None) -> None:
        """Find out whether the result on view is what its method says that it gives."""
        self.schema_remark = ""
        self.workers.cancel_group(self, "result")
        profile = self.explorer.profile
        if (
            exchange is not None
            and profile is not None
            and isinstance(exchange.outcome, Result)
            and exchange.kind == "call"
            and (exchange.profile, exchange.foreign, exchange.response.cut) == (profile.name, False, False)
            and len(exchange.outcome.text) <= LARGEST
        ):
            self._check_result(exchange, exchange.outcome)

    @work(exclusive=True, group="result")
    async def _check_result(self, exchange: Exchange, result: Result) -> None:
        described = self.explorer.described(exchange.method)
        if described is not None and isinstance(described.result, dict):
            checked = await self.explorer.checker.result(described, result.value.decode(errors="replace"))
            if self.exchange is exchange:
                self.schema_remark = result_remark(checked.problems)

    # --- the profile in use, and the call in the editor --------------------------------------------------------

    @property
    def draft(self) -> Draft:
        return Draft(self.called, self.params.text)

    @property
    def saved_call(self) -> SavedCall | None:
        """The saved call that stands in the editor, if one does."""
        saved = isinstance(self.known.get(self.method), SavedMethod)
        return self.explorer.saved_calls().get(self.method.removeprefix(SIGN)) if saved else None

    @property
    def unknown_call(self) -> str:
        """Why what stands in the editor is not sent: no saved call has this name. A server may have such methods."""
        known = self.known.get(self.method)
        is_named_so = method_of(self.method) != self.method or (known is not None and known.source != "history")
        if not self.method.startswith(SIGN) or is_named_so:
            return ""
        return no_such_call(self.method, self.explorer.saved_calls(), self._profile_name)

    def offered_names(self) -> Sequence[Offered]:
        return self.explorer.names() if self.explorer.profile is not None else ()

    def show_profile(self) -> None:
        """Everything that belongs to the profile in use: session, methods, drafts, badge, newest calls."""
        self._looked_back = False
        profile = self.show_values()
        self.call_after_refresh(self._look_back)
        self.remind("filter", "pipe")
        self.exchange = None
        last = self.explorer.remembered.method(profile.name)
        last = last if not last.startswith(SIGN) or last in self.known else ""  # a saved call may be gone
        self.choose(last or _of_preset(profile) or first_method(self.known))
        self._is_opening = True
        if not self.method:
            self.action_focus_methods()

    def show_values(self) -> Profile:
        """What the profile in use says, where the call in the editor stays."""
        profile = self.explorer.profile
        assert profile is not None
        self.profile, self.empty_params, self.is_prod = profile, profile.empty_params, profile.badge == "prod"
        self.show_auth()
        self.show_methods()
        self.look_at_description()
        return profile

    def show_auth(self) -> None:
        profile, known = self.explorer.profile, self.explorer.credentials
        if profile is not None:
            now = datetime.now(UTC)
            self.auth = auth_words(
                profile, known.state(profile), known.since(profile), now, rejected=known.is_rejected(profile)
            )
            if self.has_login != bool(profile.secrets):
                self.has_login = bool(profile.secrets)
                self._tell_footer()
            self.show_troubles()

    def show_methods(self) -> None:
        profile = self.explorer.profile
        assert profile is not None
        self.known = self.explorer.listed(called=self._looked_back)
        self.panes.has_details = any(method.details or method.parameters for method in self.known.values())
        self.pinned = self.explorer.remembered.pinned(profile.name)
        learned = self.explorer.catalogues.of(profile)
        self.discovered_at = learned.when if learned else None
        self.response.first_steps = self.steps_of(profile)

    def show_saved(self) -> None:
        """What was kept on another screen stands in the list."""
        listed = {name for name, each in self.known.items() if isinstance(each, SavedMethod)}
        if self.explorer.profile and listed != {call.listed_as for call in self.explorer.saved_calls().values()}:
            self.show_methods()

    def _look_back(self) -> None:
        """What was called before, once the screen is there: nobody waits for the history to be read."""
        if self.explorer.profile is not None:
            self._looked_back = True
            self.show_methods()
            self.show_recent()
            is_start = self.explorer.drafts.is_start(self._profile_name, self.method, self.params.text)
            if self._is_opening and is_start and self.explorer.draft_of(self.method) != self.params.text:
                self.choose(self.method)  # its last call is where to start from

    def show_recent(self) -> None:
        """The newest calls of this profile; in a long history they may have to be looked for."""
        profile = self.explorer.profile
        if profile is None:  # it was removed, and another one will be chosen
            return
        if self.explorer.journal.is_long(profile):
            self._look_for_recent(profile)
        else:
            self.recent = self.explorer.recent(RECENT)

    @work(exclusive=True, group="recent")
    async def _look_for_recent(self, profile: Profile) -> None:
        self.recent = await asyncio.to_thread(self.explorer.journal.recent, profile, RECENT)

    def choose(self, name: str) -> None:
        """Take what is so named in the list into the editor, with the params last typed for it; no name: none yet."""
        self.write_down()
        self._is_opening, self.of_batch = False, None
        self.method, self.panes.has_method = name, bool(name)
        known = self.known.get(name) or (Method(name, source="history") if name else None)
        self.called = known.calls if isinstance(known, SavedMethod) else method_of(name)
        self.params.load(known, self.explorer.draft_of(name, called=self._looked_back))
        self.described = None
        if self._shown:
            self.describe()
        else:  # the first screen waits for nothing that it can do without
            self.call_after_refresh(self.describe)
        self._writer.loaded()
        if name and self.explorer.profile is not None and not self.explorer.profile.ad_hoc:
            self.explorer.remembered.set_method(self._profile_name, name)

    def open_method(self, name: str) -> None:
        """Choose what is so named in the list, and go to its params."""
        self.panes.cover("")
        self.params.show_tab("Params")
        self.choose(name)
        self.params.focus_inside()

    def choose_method(self, method: str) -> None:
        """Take a method of this very name into the editor: whoever named it may know how a saved call is named here."""
        self.choose(as_named(method))

    def write_down(self) -> None:
        """Keep what was typed, so that nothing can lose it."""
        self.typed_elsewhere()
        self._writer.write_down()

    def show_troubles(self) -> None:
        """What could not be kept: each is told once, and stands in the header for as long as it lasts."""
        self.trouble = self._troubles.told(self._writer.trouble, self.tell)

    def show_preview(self) -> None:
        """The request to come, under the id that it will have, where somebody looks at it."""
        if self.params.tab == "Request":
            self.preview = self.request_to_come()

    def request_to_come(self) -> Preview | Refused:
        if self.unknown_call:
            return Refused("params", self.unknown_call)
        if not self.saved_call:
            return self.explorer.preview(self.draft, id=self._next_id)
        from rpcexplorer.variables.resolve import Missing

        found = self.explorer.resolved(self.draft, id=self._next_id)
        if isinstance(found, Missing):
            return Refused("params", f"{found.what}. {self.key('send')} asks for it.")
        return self.explorer.preview(found, id=self._next_id)

    def take_id(self) -> str:
        """The id of the call to come is this one's; the next gets another."""
        id, self._next_id = self._next_id, fresh_id()
        return id

    def tell(self, sentence: str) -> None:
        """Something that has no place of its own."""
        self.notify(sentence, markup=False, timeout=8)

    @property
    def _profile_name(self) -> str:
        return self.explorer.profile.name if self.explorer.profile else ""

    @on(ParamsPane.TextChanged)
    def _typed(self) -> None:
        self._writer.typed()

    @on(ParamsPane.PreviewWanted)
    def _preview_wanted(self) -> None:
        self.show_preview()

    @on(ParamsPane.ResetWanted)
    def _reset(self) -> None:
        self.write_down()  # nothing is being written while it is forgotten
        self.explorer.drafts.forget(self._profile_name, self.method)
        self.params.replace(self.explorer.draft_of(self.method))

    @on(ParamsPane.EditorWanted)
    def _editor(self, event: ParamsPane.EditorWanted) -> None:
        if event.time < self._terminal_back:  # the key was pressed again before the editor was up
            return
        from rpcexplorer.tui.processes import edited

        text, trouble = event.text, "This terminal cannot be lent to an editor."
        with suppress(SuspendNotSupported), self.app.suspend():
            text, trouble = edited(event.text, self.method)
        self._terminal_back = time.monotonic()
        self.app.refresh(layout=True)
        if trouble:
            self.tell(trouble)
        elif text != event.text:
            self.params.replace(text)

    def watch_exchange(self) -> None:
        """A hint goes with the exchange that it is about; docs over the response make room for it."""
        self._hinted, self.hint = None, []
        self.check_result(self.exchange)
        self.refresh_bindings()
        self.panes.free_response()

    # --- sending -----------------------------------------------------------------------------------------------

    def watch_what(self) -> None:
        self.refresh_bindings()

    def action_test(self) -> None:
        self.post_message(ConnectionTestWanted(self))

    def action_send(self) -> None:
        self._when_typed(self._send_typed)

    def action_send_notification(self) -> None:
        self._when_typed(lambda: self._send_typed(notification=True))

    @opens("typed")
    async def _when_typed(self, then: Callable[[], object]) -> None:
        """Every key before the one that sends counts; what follows may be a password that is about to be asked for."""
        pane, is_judged = self.methods if self.methods.has_focus_within else self.params, asyncio.Event()
        pane.when_typed(is_judged.set)
        await is_judged.wait()
        then()

    def _send_typed(self, *, notification: bool = False) -> None:
        if self.methods.display and not self.params.is_on_view:  # on a narrow screen they hide what is said
            self.panes.cover("")
            self.params.focus_inside()
        if not self._refuses():
            self._send(replace(self.draft, notification=notification), whole=self.saved_call is not None)

    def _refuses(self, what: str = "not sent") -> bool:
        """Where what stands in the editor cannot be sent: say what did not become of it, and show the place."""
        if self.unknown_call:
            self.tell(self.unknown_call)
            return True
        if self.params.problem is None:
            return False
        self.panes.cover("")
        self.params.refuse(what)
        self.params.focus_inside()
        return True

    def _send(self, draft: Draft | Batch, *, whole: bool = False) -> None:
        """``whole``: nothing in it is sent as typed that stands for a value; whoever sends it is asked for that."""
        if not self._is_sending():
            self._call(draft, whole=whole)

    def _is_sending(self) -> bool:
        """Return whether something is under way, which is then shown: only one thing is sent at a time."""
        if not self.what:
            return False
        self.tell(f"Nothing was sent: {self.whose or self.what} is still running. {self.key('cancel')} cancels it.")
        return True

    def action_login(self) -> None:
        """Open a session; for a profile that has none, do what the hint says of its credentials."""
        if self._is_sending():
            return
        profile = self.explorer.profile
        if self._hinted is not None and self._hinted[1] == profile and not profile.has_sessions:
            hint = self._hinted[0]
            if hint.secret or any(key.startswith("auth") for key, _ in hint.changes):
                self.action_apply_hint()
                return
        self._login()

    def action_new_session(self) -> None:
        if not self._is_sending():
            self._login(ask=True)

    def action_logout(self) -> None:
        profile = self.explorer.profile
        assert profile is not None
        there_was, trouble = self.explorer.credentials.log_out(profile)
        self.tell(trouble or ("The session is forgotten." if there_was else f"{profile.name} has no session."))
        self.show_auth()

    def action_discover(self) -> None:
        if not self._is_sending():
            self._discover()

    @opens("call")
    async def _call(self, draft: Draft | Batch, *, whole: bool = False) -> None:
        """Ask where the profile wants it, send, show. Only the worker that finished assigns."""
        from rpcexplorer.tui.dialogs import may_send

        if whole:
            from rpcexplorer.tui.saved_calls import filled

            with_values = await filled(self, self.explorer, draft, self._given, id=self._next_id)
            if with_values is None:
                return
            draft = with_values
        if not await may_send(self, self.explorer, draft):
            return
        self.write_down()
        with self._under_way("sending", "a batch" if isinstance(draft, Batch) else draft.method) as stop:
            profile = self.explorer.profile
            exchange = await self.explorer.call(draft, id=self.take_id(), watch=self._watch, stop=stop)
        self._ended(exchange)
        self._offer(exchange, profile, partial(self._once_more, draft))

    @opens("call")
    async def _login(self, *, ask: bool = False) -> None:
        from rpcexplorer.tui.dialogs import credentials

        if not await credentials(self, self.explorer, ask=ask):
            self.show_auth()
            return
        with self._under_way("logging in") as stop:
            profile = self.explorer.profile
            exchange = await self.explorer.login(watch=self._watch, stop=stop)
        self._ended(exchange)
        self._offer(exchange, profile, self._login)

    @opens("call")
    async def _discover(self) -> None:
        with self._under_way("discovering") as stop:
            profile = self.explorer.profile
            found = await self.explorer.discover(watch=self._watch, stop=stop, tell=self._told_step)
        if self.explorer.profile is None:  # it was removed meanwhile
            return
        if found.ended is not None:
            self._judge(found.ended)
        self.show_methods()
        self.show_auth()
        self.tell("\n".join(found.sentences))
        if news := self._news(found):
            self.tell(news)
        self._describe_anew()
        if found.ended is not None and profile is not None and self.explorer.profile == profile:
            self._advise(found.ended, profile, self._discover)

    def _describe_anew(self) -> None:
        """Of the method in the editor something else is known than before."""
        self.params.method = self.known.get(self.method) or Method(self.method, source="history")
        self.describe()

    def _told_step(self, step: DiscoveryStep) -> None:
        self.response.step = f"{step.dialect}: {step.words}"

    def _news(self, found: Discovery) -> str:
        """That something is not as it was, and how to read it."""
        from rpcexplorer.text.docs import changes_counted

        counted = changes_counted(found.changed)
        return f"{counted}: {self.key('changes') or 'the palette'} shows what." if counted else ""

    @opens("changes")
    async def action_changes(self) -> None:
        from rpcexplorer.tui.dialogs import ChangesDialog

        profile = self.explorer.profile
        if profile is None:
            return
        if found := self.explorer.catalogues.changes(profile):
            if name := await self.app.push_screen_wait(ChangesDialog(profile.name, found)):
                self.open_method(as_named(name))
        else:
            self.tell("No refresh has found anything new, gone or changed.")

    @contextmanager
    def _under_way(self, what: str, method: str = "") -> Iterator[Stop]:
        """While it lasts: the time is told, Escape ends it, and nothing else can be sent."""
        stop, self._elsewhere = Stop(), False
        self._stop = stop
        self._progress, self._started = None, time.monotonic() - self.explorer.credentials.asked_for
        self.whose, self.what = method, what
        ticking = self.set_interval(TICK, self._tick)
        try:
            yield stop
        finally:
            ticking.stop()
            self._stop = None
            self.whose = self.what = ""

    def _watch(self, progress: Progress) -> None:
        """It is on its way, and no secret will be asked for before it is back."""
        self._progress = progress
        self.pending.go_on("call")

    def _tick(self) -> None:
        self.response.tick(time.monotonic() - self._started - self.explorer.credentials.asked_for, self._progress)

    def _ended(self, exchange: Exchange) -> None:
        profile = self.explorer.profile
        if profile is None:  # it was removed meanwhile, and another one will be chosen
            return
        if (as_named(exchange.method) in self.known) == (exchange.method in self.explorer.catalogues.absent(profile)):
            self.show_methods()  # the server has just said whether it has the method
        if self._elsewhere:
            self.tell(f"{exchange.method} has ended: {exchange.outcome_name}. It is the newest of the recent calls.")
        else:
            self.exchange = exchange
        self._elsewhere = False
        self._judge(exchange)
        self.show_recent()
        self.show_auth()
        self.show_preview()

    def _offer(self, exchange: Exchange, profile: Profile | None, again: Callable[[], object]) -> None:
        """Say what may help, where a call failed that is still on view, of a profile that is still in use as it was."""
        if (
            not exchange.exit_code
            or self.exchange is not exchange
            or profile is None
            or self.explorer.profile != profile
        ):
            return
        self._advise(exchange, profile, again)

    def _judge(self, exchange: Exchange) -> None:
        """Remember whether the server accepts the credentials of the profile in use, as far as it shows."""
        profile = self.explorer.profile
        assert profile is not None
        rejected = rejects_credentials(exchange, profile)
        if rejected or not exchange.exit_code:
            self.explorer.credentials.judge(profile, rejected=rejected)

    def _advise(self, exchange: Exchange, profile: Profile, again: Callable[[], object]) -> None:
        """Show what may help, and the key that does it and then `again`."""
        from rpcexplorer.client.hints import hint_for
        from rpcexplorer.text.problems import hint_line

        variables = self.explorer.credentials.from_environment(profile)
        if hint := hint_for(exchange, profile, KINDS, variables=variables):
            key, test = (self.key(command) or self.key("palette") for command in ("apply-hint", "test"))
            self.hint = hint_line(hint, profile.name, key, test)
            self._hinted = (hint, profile, again) if hint.changes or hint.secret else None
            self.refresh_bindings()

    @opens("hint")
    async def action_apply_hint(self) -> None:
        """Change the profile, after a question, and send what failed; a call as it stands in the editor now."""
        if self._hinted is None:
            return
        from rpcexplorer.tui.call.hinting import followed

        hint, profile, again = self._hinted
        save = f"{self.key('profiles')}, then {self.key('profiles.add')}, saves the address with it as a profile."
        wanted = await followed(self, self.explorer, hint, profile, save)
        if self.explorer.profile != profile:
            self._hinted, self.hint = None, []
            self.show_values()
            self._describe_anew()
            self.show_preview()
        if wanted:
            again()

    def _once_more(self, draft: Draft | Batch) -> None:
        if isinstance(draft, Draft) and as_named(draft.method) == self.method:
            self._when_typed(lambda: self._send_typed(notification=draft.notification))
        else:
            self._send(draft)

    async def settle(self) -> None:
        """End what runs and write down what was typed: the profile is about to change, or the program to end."""
        await self.params.settled()
        if self._stop is not None:
            self._stop.press()
        else:  # a worker that waits for an answer to a question would wait for ever
            self.workers.cancel_group(self, "call")
        if self._stop is not None and (running := [each for each in self.workers if each.group == "call"]):
            await self.workers.wait_for_complete(running)
        self.write_down()

    # --- calls that come from elsewhere ------------------------------------------------------------------------

    def look_at_description(self) -> None:
        """Read the file that describes the methods, if it has changed."""
        profile = self.explorer.profile
        if profile is not None and not self._is_reading and self.explorer.catalogues.unread(profile):
            self._read_description()

    @work(group="description")
    async def _read_description(self) -> None:
        profile, self._is_reading = self.explorer.profile, True
        try:
            found = await self.explorer.read_description_aside()
        finally:
            self._is_reading = False
        if found is None or profile is None or self.explorer.profile is not profile:
            return
        self.show_methods()
        self.show_auth()
        if news := self._news(found):
            self.tell("\n".join([*found.sentences, news]))
        self._describe_anew()

    @work(group="ready")
    async def _get_ready(self) -> None:
        await self.explorer.load()

    def load(self, exchange: Exchange, *, ours: bool) -> None:
        """Take a recorded call into the editor, and its reply onto the screen; the calls of a batch into the batch."""
        self._open(exchange, self._take_batch if exchange.kind == "batch" else self._take_call, ours=ours)

    def _take_call(self, exchange: Exchange) -> None:
        self._take(exchange)
        if exchange.kind == "notification":
            from rpcexplorer.tui.call.transfer import as_call

            self.tell(as_call(self, exchange.method))

    def _take_batch(self, exchange: Exchange) -> None:
        from rpcexplorer.tui.call.transfer import put_into_batch

        self._take(exchange)
        if put_into_batch(self, exchange):
            self.action_batch()

    def take(self, draft: Draft, came: Exchange | None) -> None:
        """A call of the batch into the editor, and what came of it onto the screen."""
        from rpcexplorer.tui.call.transfer import as_call, put_in

        self.panes.cover("")
        self.choose_method(draft.method)
        put_in(self, draft.text, recorded=True)
        self.of_batch = draft
        if draft.notification:
            self.tell(as_call(self, draft.method))
        if came is not None:
            self._elsewhere = bool(self.whose)
            self.exchange = came
        (self.params if came is None else self.response).focus_inside()

    def _take(self, exchange: Exchange) -> None:
        """A batch has no place in the editor."""
        if exchange.kind != "batch":
            from rpcexplorer.tui.call.transfer import put_in

            self.choose_method(exchange.method)
            put_in(self, exchange.params, recorded=True)
        self._elsewhere = bool(self.whose)
        self.exchange = exchange

    def again(self, exchange: Exchange, *, ours: bool) -> None:
        """Load a recorded call and send it once more, as what it was."""
        self._open(exchange, self._send_again, ours=ours)

    def _send_again(self, exchange: Exchange) -> None:
        from rpcexplorer.model.draft import draft_of

        self._take(exchange)
        self.response.focus_inside()
        self._send(draft_of(exchange))

    def _is_ours(self, exchange: Exchange) -> bool:
        """Of a record that was read from the history of the profile in use."""
        return self.explorer.journal.is_ours(exchange, self.explorer.profile)

    def _open(self, exchange: Exchange, then: Callable[[Exchange], None], *, ours: bool) -> None:
        """Go on with a record; but where anybody may have put a secret's placeholder into it, only after a yes.

        What others may have written is taken as it was sent: nothing in it is looked up in this person's own replies.
        """
        from rpcexplorer.model.secret import of_this, without
        from rpcexplorer.variables.resolve import as_it_went_out

        exchange = exchange if ours else as_it_went_out(exchange)
        if ours or not of_this(exchange.params, self._profile_name):
            then(exchange)
            return
        self._take(replace(exchange, params=without(exchange.params, self._profile_name)))
        self._ask_to_open(exchange, then)

    @opens("foreign")
    async def _ask_to_open(self, exchange: Exchange, then: Callable[[Exchange], None]) -> None:
        from rpcexplorer.tui.dialogs import may_open

        if await may_open(self, self.explorer, exchange):
            then(exchange)

    @on(MethodsPane.MethodChosen)
    def _chosen(self, event: MethodsPane.MethodChosen) -> None:
        self.open_method(event.name)
        if self.unknown_call:
            self.tell(self.unknown_call)

    @on(MethodsPane.PinWanted)
    def _pinned(self, event: MethodsPane.PinWanted) -> None:
        remembered = self.explorer.remembered
        pinned = event.name in remembered.pinned(self._profile_name)
        (remembered.unpin if pinned else remembered.pin)(self._profile_name, event.name)
        self.pinned = remembered.pinned(self._profile_name)

    @on(MethodsPane.Recalled)
    def _recalled(self, event: MethodsPane.Recalled) -> None:
        self.panes.cover("")
        self.load(event.exchange, ours=self._is_ours(event.exchange))
        (self.response if event.exchange.kind == "batch" else self.params).focus_inside()

    @on(SendAgainWanted)
    def _again(self, event: SendAgainWanted) -> None:
        event.stop()
        self.panes.cover("")
        self.again(event.exchange, ours=self._is_ours(event.exchange))

    @on(CopyCallWanted)
    def _copy_recent(self, event: CopyCallWanted) -> None:
        event.stop()  # the app copies those of the history
        self.copy(self.draft, event.exchange)

    @on(ResponsePane.CopyReplyWanted)
    def _copy_wanted(self, event: ResponsePane.CopyReplyWanted) -> None:
        self.copy(self.draft, self.exchange, event.what)

    @on(ResponsePane.UseWanted)
    @opens("use")
    async def _use(self, event: ResponsePane.UseWanted) -> None:
        from rpcexplorer.tui.call.transfer import put_into_another
        from rpcexplorer.variables.resolve import TakenValue

        await self.params.settled()
        await put_into_another(self, TakenValue(event.method, event.pointer, event.text))

    def action_batch(self) -> None:
        self.post_message(BatchWanted(self))

    def action_form(self) -> None:
        self._when_typed(self._open_form)

    def _open_form(self) -> None:
        """A form is made of what is right."""
        if not self._refuses("no form"):
            self.post_message(FormWanted(self))

    def action_add_to_batch(self) -> None:
        self._when_typed(self._add_to_batch)

    def _add_to_batch(self) -> None:
        if not self._refuses("not in the batch"):
            from rpcexplorer.tui.call.transfer import added_to_batch

            added_to_batch(self)

    @opens("carry")
    async def action_to_profile(self) -> None:
        from rpcexplorer.tui.call.transfer import carry
        from rpcexplorer.tui.dialogs import other_profile

        await self.params.settled()
        if name := await other_profile(self, self.explorer, self._profile_name):
            await carry(self, self.draft, name)

    def action_compare_profiles(self) -> None:
        self._when_typed(self._compare_typed)

    def _compare_typed(self) -> None:
        """What cannot be sent is refused as if it were to be sent here."""
        if not self._refuses():
            self.post_message(ProfilesCompared(self, self.draft, whole=self.saved_call is not None))

    @opens("keep")
    async def action_keep_call(self) -> None:
        from rpcexplorer.tui.saved_calls import kept

        await self.params.settled()
        chosen = self.method
        then = await kept(self, self.explorer, self.draft, self.saved_call)
        if then is None or self.method != chosen:
            return
        self.write_down()
        text, is_gone = self.params.text, not then.startswith(SIGN)
        if chosen.startswith(SIGN) and not is_gone:  # what was typed there has become the call itself
            self.explorer.drafts.forget(self._profile_name, chosen)
        self.show_methods()
        if then != chosen and chosen not in self.known and chosen in self.pinned:
            self.explorer.remembered.unpin(self._profile_name, chosen)
        self.choose(then)
        if is_gone:
            self._stay_on_view(text)
            self.explorer.drafts.forget(self._profile_name, chosen)

    def _stay_on_view(self, text: str) -> None:
        """The params of a call that is gone, as its method's: the next key sends nothing else, and none is lost."""
        from rpcexplorer.tui.call.transfer import put_in

        put_in(self, text)
        self.write_down()

    @on(ParamsPane.TakeApartWanted)
    def _apart(self, event: ParamsPane.TakeApartWanted) -> None:
        self._take_apart(event.text, event.pasted)

    @opens("import")
    async def _take_apart(self, text: str, found: Pasted) -> None:
        from rpcexplorer.tui.call.transfer import take_apart

        await take_apart(self, text, found)

    @opens("import")
    async def action_import(self) -> None:
        from rpcexplorer.tui.call.transfer import import_calls

        await self.params.settled()
        await import_calls(self)

    def action_replaced_params(self) -> None:
        from rpcexplorer.tui.call.transfer import bring_back

        bring_back(self)

    def action_copy(self) -> None:
        self.copy(self.draft, self.exchange)


def _of_preset(profile: Profile) -> str:
    """The first method that a preset calls safe, and has no params for: it lists what is good to begin with first."""
    notes = profile.methods.items() if profile.preset else ()
    return next((name for name, note in notes if note.safe and not note.params), "")
