"""The call screen: what its panes ask for, and calls of the history that are put on it. Its panes do not know it.

It is made in layers, each of which knows those below: the panes and how they share the room (``layout.py``), what is
done with a reply (``reply_actions.py``), what stands in the editor (``drafting.py``), what is sent (``sending.py``),
what there is to read about it (``documenting.py``).
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace
from textual import on, work

from rpcexplorer.importing.pasted import Pasted
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import SIGN
from rpcexplorer.model.profile import Profile
from rpcexplorer.tui.call.documenting import DocumentingScreen
from rpcexplorer.tui.call.methods import MethodsPane
from rpcexplorer.tui.call.params import ParamsPane
from rpcexplorer.tui.call.response import ResponsePane
from rpcexplorer.tui.keys import opens
from rpcexplorer.tui.messages import BatchWanted, CopyCallWanted, FormWanted, ProfilesCompared, SendAgainWanted

READY = 0.3
"""Seconds after the first screen: when it has been drawn for good, and sooner than anybody calls."""
CHANGES = 2
"""Seconds after which a file that describes the methods is looked at: its size and times, mostly."""
AGES = 20
"""Seconds after which the age of the session is told anew."""


class CallScreen(DocumentingScreen):
    """Where calls are made. A change of profile changes everything on it."""

    _is_reading = False
    """Whether a file that describes the methods is being read."""

    def on_mount(self) -> None:
        self.response.wrapped = self.explorer.remembered.wrap
        self.show_profile()
        if self.method:
            self.params.focus_inside()
        self.set_timer(READY, self._get_ready)
        self.set_interval(AGES, self.show_auth)
        self.set_interval(CHANGES, self.look_at_description)

    def show_values(self) -> Profile:
        profile = super().show_values()
        self.look_at_description()
        return profile

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

        self.cover("")
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
        self.cover("")
        self.load(event.exchange, ours=self._is_ours(event.exchange))
        (self.response if event.exchange.kind == "batch" else self.params).focus_inside()

    @on(SendAgainWanted)
    def _again(self, event: SendAgainWanted) -> None:
        event.stop()
        self.cover("")
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
