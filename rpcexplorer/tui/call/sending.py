"""What the call screen sends: calls, logins, questions for methods. One at a time, and Escape ends it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from rpcexplorer.auth.login import rejects_credentials
from rpcexplorer.auth.registry import KINDS
from rpcexplorer.discovery.methods import Discovery, DiscoveryStep
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange, Stop
from rpcexplorer.model.method import Method, as_named
from rpcexplorer.model.profile import Profile
from rpcexplorer.transport.port import Progress
from rpcexplorer.tui.call.drafting import DraftScreen
from rpcexplorer.tui.keys import PendingKeys, opens
from rpcexplorer.tui.messages import ConnectionTestWanted

if TYPE_CHECKING:
    from rpcexplorer.model.problem import Hint

TICK = 0.1
Hinted: TypeAlias = "tuple[Hint, Profile, Callable[[], object]]"


class SendingScreen(DraftScreen):
    """A screen that sends what stands in its editor, and puts on view what came of it."""

    def __init__(self, explorer: Explorer, pending: PendingKeys) -> None:
        super().__init__(explorer, pending)
        self._progress: Progress | None = None
        self._started = 0.0
        self._elsewhere = False
        """Another call was put on view while one ran: what comes of it does not take its place."""
        self._given: dict[str, str] = {}
        """What was typed last for each name that had no value."""
        self._hinted: Hinted | None = None
        """What the hint on view would do, the profile that it is for, and how the call is sent again."""

    def watch_what(self) -> None:
        self.refresh_bindings()

    def watch_exchange(self) -> None:
        """A hint goes with the exchange that it is about."""
        self._hinted, self.hint = None, []
        self.check_result(self.exchange)
        self.refresh_bindings()

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
            return running or self.response.can_cancel or self.is_covered
        return super().check_action(action, parameters)

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
            self.cover("")
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
        self.cover("")
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
        self.params.describe(self.known.get(self.method) or Method(self.method, source="history"))
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
