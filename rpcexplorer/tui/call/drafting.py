"""What stands in the editor of the call screen, and what belongs to the profile in use: methods, session, newest calls.

Nothing is sent here; that is ``sending.py``'s.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from textual import on, work
from textual.app import SuspendNotSupported

from rpcexplorer.discovery.methods import first_method
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Preview, Refused, fresh_id
from rpcexplorer.model.method import SIGN, Method, SavedCall, SavedMethod, as_named, method_of, no_such_call
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.profile import auth_words
from rpcexplorer.tui.call.draft_writer import DraftWriter, Troubles
from rpcexplorer.tui.call.params import ParamsPane
from rpcexplorer.tui.call.schemas import SchemaScreen
from rpcexplorer.tui.keys import PendingKeys
from rpcexplorer.variables.references import Offered

RECENT = 8


class DraftScreen(SchemaScreen):
    """A screen with an editor whose text is kept, for the profile in use."""

    def __init__(self, explorer: Explorer, pending: PendingKeys) -> None:
        super().__init__(explorer, pending)
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
        self.method = name
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
        self.cover("")
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


def _of_preset(profile: Profile) -> str:
    """The first method that a preset calls safe, and has no params for: it lists what is good to begin with first."""
    notes = profile.methods.items() if profile.preset else ()
    return next((name for name, note in notes if note.safe and not note.params), "")
