"""The call screen: it owns the draft, the exchange and the worker, and knows the explorer. Its panes know neither.

The file is longer than others because every message of the three panes ends here, each in a handler of a few lines.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

from msgspec.structs import replace
from textual import on, work
from textual.app import SuspendNotSupported
from textual.reactive import reactive

from rpcexplorer.explorer import Explorer, Stop, fresh_id
from rpcexplorer.model.catalogue import Method, first_method
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange, Progress
from rpcexplorer.tui.call.draft_writer import DraftWriter
from rpcexplorer.tui.call.methods.pane import MethodsPane
from rpcexplorer.tui.call.params.pane import ParamsPane
from rpcexplorer.tui.call.reply_actions import ReplyScreen
from rpcexplorer.tui.call.response.pane import ResponsePane
from rpcexplorer.tui.call.troubles import Troubles
from rpcexplorer.tui.pending_keys import HeldKeys, opens
from rpcexplorer.tui.widgets.footer import Footer
from rpcexplorer.views.words.auth import auth_words

RECENT = 8
TICK = 0.1
READY = 0.3
"""Seconds after the first screen: when it has been drawn for good, and sooner than anybody calls."""
AGES = 20
"""Seconds after which the age of the session is told anew."""


class CallScreen(ReplyScreen):
    """Where calls are made. A change of profile changes everything on it."""

    method: reactive[str] = reactive("", init=False)
    """The name of the method in the editor."""
    exchange: reactive[Exchange | None] = reactive[Exchange | None](None, init=False, always_update=True)
    """The exchange on view."""
    what: reactive[str] = reactive("", init=False)
    """What is under way, in a word."""

    def __init__(self, explorer: Explorer, held: HeldKeys) -> None:
        super().__init__(explorer, held)
        self._next_id = fresh_id()
        """The id that the next call will have."""
        self._progress: Progress | None = None
        self._started = 0.0
        self._writer = DraftWriter(self, explorer, lambda: self.draft, self.show_troubles)
        self._elsewhere = False
        """Another call was put on view while one ran: what comes of it does not take its place."""
        self._lent = 0.0
        """When the terminal came back from an editor."""
        self._troubles = Troubles(explorer)
        self._methods: dict[str, Method] = {}
        self._looked_back = False
        """The history of this profile was read, as far as the screen shows it."""
        self._is_opening = False
        """What stands in the editor came with the profile, and nobody has chosen anything yet."""

    def on_mount(self) -> None:
        """Show the profile in use, the focus in the editor."""
        self.response.wrapped = self.explorer.remembered.wrap
        self.show_profile()
        if self.method:
            self.params.focus_inside()
        self.set_timer(READY, self._get_ready)
        self.set_interval(AGES, self.show_auth)

    @work(group="ready")
    async def _get_ready(self) -> None:
        await self.explorer.clients.load()

    @property
    def draft(self) -> Draft:
        """What stands in the editor."""
        return Draft(self.method, self.params.text)

    # --- profile -----------------------------------------------------------------------------------------------

    def show_profile(self) -> None:
        """Everything that belongs to the profile in use: session, methods, drafts, badge, newest calls."""
        profile = self.explorer.profile
        assert profile is not None
        self.set_class(profile.badge == "prod", "-prod")
        self.header.profile = profile
        self.params.empty = profile.empty_params
        self.query_one(Footer).prod = profile.badge == "prod"
        self._looked_back = False
        self.show_auth()
        self.show_methods()
        self.call_after_refresh(self._look_back)
        self.remind("filter", "pipe")
        self.exchange = None
        self.choose(self.explorer.remembered.method(profile.name) or first_method(self._methods))
        self._is_opening = True
        if not self.method:
            self.action_focus_methods()

    def show_auth(self) -> None:
        """How the profile is logged in, now."""
        profile, keys = self.explorer.profile, self.explorer.keys
        if profile is not None:
            now = datetime.now(UTC)
            self.header.auth = auth_words(profile, keys.state(profile), keys.since(profile), now)
            self.show_troubles()

    def show_methods(self) -> None:
        """The catalogue as it is now."""
        profile = self.explorer.profile
        assert profile is not None
        self._methods = self.explorer.methods(called=self._looked_back)
        self.methods.methods = self._methods
        self.methods.pinned = self.explorer.remembered.pinned(profile.name)
        learned = self.explorer.catalogues.of(profile)
        self.params.asked = learned.when if learned else None

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
            self._look_for_recent()
        else:
            self.methods.recent = self.explorer.recent(RECENT)

    @work(exclusive=True, group="recent")
    async def _look_for_recent(self) -> None:
        self.methods.recent = await asyncio.to_thread(self.explorer.recent, RECENT)

    # --- method and draft --------------------------------------------------------------------------------------

    def choose(self, name: str) -> None:
        """Take a method into the editor, with the params last typed for it; no name, where none is chosen yet."""
        self.write_down()
        self._is_opening = False
        self.set_reactive(CallScreen.method, name)
        self.response.method = name
        self.methods.current = name
        known = self._methods.get(name) or (Method(name, source="history") if name else None)
        self.params.load(known, self.explorer.draft_of(name, called=self._looked_back))
        self._writer.loaded()
        if name and self.explorer.profile is not None and not self.explorer.profile.ad_hoc:
            self.explorer.remembered.set_method(self._profile_name, name)

    def load(self, exchange: Exchange, *, ours: bool) -> None:
        """Take a recorded call into the editor, and its reply onto the screen."""
        self._open(exchange, self._take, ours=ours)

    def _take(self, exchange: Exchange) -> None:
        """A batch has no place in the editor."""
        if exchange.kind != "batch":
            from rpcexplorer.tui.call.carrying import put_in

            self.choose(exchange.method)
            put_in(self, exchange.params, recorded=True)
        self._elsewhere = bool(self.response.whose)
        self.exchange = exchange

    def again(self, exchange: Exchange, *, ours: bool) -> None:
        """Load a recorded call and send it once more, as what it was."""
        self._open(exchange, self._send_again, ours=ours)

    def _send_again(self, exchange: Exchange) -> None:
        from rpcexplorer.views.copying.snippets import draft_of

        self._take(exchange)
        self.response.focus_inside()
        self._send(draft_of(exchange))

    def _is_ours(self, exchange: Exchange) -> bool:
        """Of a record that was read from the history of the profile in use."""
        return self.explorer.journal.is_ours(exchange, self.explorer.profile)

    def _open(self, exchange: Exchange, then: Callable[[Exchange], None], *, ours: bool) -> None:
        """Go on with a record; but where anybody may have put a secret's placeholder into it, only after a yes."""
        from rpcexplorer.model.secrets.placeholders import of_this, without

        if ours or not of_this(exchange.params, self._profile_name):
            then(exchange)
            return
        self._take(replace(exchange, params=without(exchange.params, self._profile_name)))
        self._ask_to_open(exchange, then)

    @opens("foreign")
    async def _ask_to_open(self, exchange: Exchange, then: Callable[[Exchange], None]) -> None:
        from rpcexplorer.tui.dialogs.confirm import may_open

        if await may_open(self, self.explorer, exchange):
            then(exchange)

    def write_down(self) -> None:
        """Keep what was typed, so that nothing can lose it."""
        self._writer.write_down()

    def show_troubles(self) -> None:
        """What could not be kept: each is told once, and stands in the header for as long as it lasts."""
        self.header.trouble = self._troubles.told(self._writer.trouble, self.tell)

    def show_preview(self) -> None:
        """The request to come, under the id that it will have, where somebody looks at it."""
        if self.params.tab == "Request":
            self.params.preview = self.explorer.preview(self.draft, id=self._next_id)

    def tell(self, sentence: str) -> None:
        """Something that has no place of its own."""
        self.notify(sentence, markup=False, timeout=8)

    @property
    def _profile_name(self) -> str:
        return self.explorer.profile.name if self.explorer.profile else ""

    # --- calls -------------------------------------------------------------------------------------------------

    @opens("call")
    async def _call(self, draft: Draft | Batch) -> None:
        """Ask where the profile wants it, send, show. Only the worker that finished assigns."""
        from rpcexplorer.tui.dialogs.confirm import may_send

        if not await may_send(self, self.explorer, draft):
            return
        self.write_down()
        id, self._next_id = self._next_id, fresh_id()
        with self._under_way("sending", "a batch" if isinstance(draft, Batch) else draft.method) as stop:
            exchange = await self.explorer.call(draft, id=id, watch=self._watch, stop=stop)
        self._ended(exchange)

    @opens("call")
    async def _login(self, *, ask: bool = False) -> None:
        from rpcexplorer.tui.dialogs.login import credentials

        if not await credentials(self, self.explorer, ask=ask):
            self.show_auth()
            return
        with self._under_way("logging in") as stop:
            exchange = await self.explorer.login(watch=self._watch, stop=stop)
        self._ended(exchange)

    @opens("call")
    async def _discover(self) -> None:
        with self._under_way("discovering") as stop:
            found = await self.explorer.discover(watch=self._watch, stop=stop)
        if self.explorer.profile is None:  # it was removed meanwhile
            return
        self.show_methods()
        self.show_auth()
        self.tell("\n".join(found.sentences))
        self.params.describe(self._methods.get(self.method) or Method(self.method, source="history"))

    @contextmanager
    def _under_way(self, what: str, method: str = "") -> Iterator[Stop]:
        """While it lasts: the time is told, Escape ends it, and nothing else can be sent."""
        stop, self._elsewhere = Stop(), False
        self._stop = stop
        self._progress, self._started = None, time.monotonic() - self.explorer.keys.asked_for
        self.response.whose = method
        self.what = what
        ticking = self.set_interval(TICK, self._tick)
        try:
            yield stop
        finally:
            ticking.stop()
            self._stop = None
            self.response.whose = self.what = ""

    def _watch(self, progress: Progress) -> None:
        """It is on its way, and no secret will be asked for before it is back."""
        self._progress = progress
        self.held.go_on("call")

    def _tick(self) -> None:
        self.response.tick(time.monotonic() - self._started - self.explorer.keys.asked_for, self._progress)

    def _ended(self, exchange: Exchange) -> None:
        profile = self.explorer.profile
        if profile is None:  # it was removed meanwhile, and another one will be chosen
            return
        if (exchange.method in self._methods) == (exchange.method in self.explorer.catalogues.absent(profile)):
            self.show_methods()  # the server has just said whether it has the method
        if self._elsewhere:
            self.tell(f"{exchange.method} has ended: {exchange.outcome_name}. It is the newest of the recent calls.")
        else:
            self.exchange = exchange
        self._elsewhere = False
        self.show_recent()
        self.show_auth()
        self.show_preview()

    async def settle(self) -> None:
        """End what runs and write down what was typed: the profile is about to change, or the program to end."""
        self.held.go_on("call")
        await self.params.settled()
        if self._stop is not None:
            self._stop.press()
        else:  # a worker that waits for an answer to a question would wait for ever
            self.workers.cancel_group(self, "call")
        if self._stop is not None and (running := [each for each in self.workers if each.group == "call"]):
            await self.workers.wait_for_complete(running)
        self.write_down()

    # --- what happened -----------------------------------------------------------------------------------------

    def watch_exchange(self) -> None:
        """Show it."""
        self.response.exchange = self.exchange

    def watch_what(self) -> None:
        """Something began or ended."""
        self.response.what = self.what
        self.refresh_bindings()

    @on(MethodsPane.Chosen)
    def _chosen(self, event: MethodsPane.Chosen) -> None:
        self.cover("")
        self.params.show_tab("Params")
        self.choose(event.name)
        self.params.focus_inside()

    @on(MethodsPane.PinWanted)
    def _pinned(self, event: MethodsPane.PinWanted) -> None:
        remembered = self.explorer.remembered
        pinned = event.name in remembered.pinned(self._profile_name)
        (remembered.unpin if pinned else remembered.pin)(self._profile_name, event.name)
        self.methods.pinned = remembered.pinned(self._profile_name)

    @on(MethodsPane.Recalled)
    def _recalled(self, event: MethodsPane.Recalled) -> None:
        self.cover("")
        self.load(event.exchange, ours=self._is_ours(event.exchange))
        (self.response if event.exchange.kind == "batch" else self.params).focus_inside()

    @on(MethodsPane.AgainWanted)
    def _again(self, event: MethodsPane.AgainWanted) -> None:
        self.again(event.exchange, ours=self._is_ours(event.exchange))

    @on(MethodsPane.CopyWanted)
    def _copy_recent(self, event: MethodsPane.CopyWanted) -> None:
        self.copy(self.draft, event.exchange)

    @on(ParamsPane.Typed)
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
        if event.time < self._lent:  # the key was pressed again before the editor was up
            return
        from rpcexplorer.tui.processes import edited

        text, trouble = event.text, "This terminal cannot be lent to an editor."
        with suppress(SuspendNotSupported), self.app.suspend():
            text, trouble = edited(event.text, self.method)
        self._lent = time.monotonic()
        self.app.refresh(layout=True)
        if trouble:
            self.tell(trouble)
        elif text != event.text:
            self.params.replace(text)

    @on(ResponsePane.CopyWanted)
    def _copy_wanted(self, event: ResponsePane.CopyWanted) -> None:
        self.copy(self.draft, self.exchange, event.what)

    # --- actions -----------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What can be done now: nothing is sent while something runs."""
        running = bool(self.what)
        if action in {"login", "logout", "new_session"}:
            return not running and self.explorer.profile is not None and self.explorer.profile.auth.kind != "none"
        if action == "discover":
            return not running
        if action == "to_profile":
            return bool(self.method)
        if action == "replaced_params":
            profile = self.explorer.profile
            return profile is not None and bool(self.explorer.drafts.replaced.of(profile, self.method))
        if action == "cancel":
            return running or self.response.closes or self.response.waiting or self.is_covered
        return super().check_action(action, parameters)

    def action_send(self) -> None:
        """Send what is on the screen, with every letter that was typed before the key."""
        self._when_typed(self._send_typed)

    def action_send_notification(self) -> None:
        """The same without an id."""
        self._when_typed(lambda: self._send_typed(notification=True))

    def _when_typed(self, then: Callable[[], object]) -> None:
        """Every key before the one that sends counts; what follows may be a password that is about to be asked for."""
        self.held.wait("call")
        pane = self.methods if self.methods.has_focus_within else self.params
        pane.when_typed(then)

    def _send_typed(self, *, notification: bool = False) -> None:
        if self.methods.display and not self.params.is_on_view:  # on a narrow screen they hide what is said
            self.cover("")
            self.params.focus_inside()
        if self.params.problem is not None:
            self.cover("")
            self.params.refuse()
            self.params.focus_inside()
            self.held.go_on("call")
        else:
            self._send(replace(self.draft, notification=notification))

    def _send(self, draft: Draft | Batch) -> None:
        if self.what:
            under_way = self.response.whose or self.what
            self.tell(f"Nothing was sent: {under_way} is still under way. {self.key('cancel')} cancels it.")
            self.held.go_on("call")
        else:
            self._call(draft)

    def action_login(self) -> None:
        """Open a session."""
        self._login()

    def action_new_session(self) -> None:
        """Enter credentials or a session id, also where a session is there."""
        self._login(ask=True)

    def action_logout(self) -> None:
        """Forget the session."""
        profile = self.explorer.profile
        assert profile is not None
        self.tell(self.explorer.keys.forget(profile, "session") or "The session is forgotten.")
        self.show_auth()

    def action_discover(self) -> None:
        """Ask which methods there are."""
        self._discover()

    @opens("carry")
    async def action_to_profile(self) -> None:
        """Take the call that stands here to another profile."""
        from rpcexplorer.tui.call.carrying import carry
        from rpcexplorer.tui.dialogs.other_profile import other_profile

        await self.params.settled()
        if name := await other_profile(self, self.explorer, self._profile_name):
            await carry(self, self.draft, name)

    def action_replaced_params(self) -> None:
        """Bring back the params that another call took the place of."""
        from rpcexplorer.tui.call.carrying import bring_back

        bring_back(self)

    def action_copy(self) -> None:
        """Copy in one of several forms."""
        self.copy(self.draft, self.exchange)
