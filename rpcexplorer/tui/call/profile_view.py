"""The profile on the call screen: its session, methods, newest calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from textual.screen import Screen

from rpcexplorer.discovery.methods import Discovery, first_method
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.method import SIGN, SavedMethod
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.profile import auth_words
from rpcexplorer.tui.call.drafts import DraftKeeper
from rpcexplorer.tui.call.layout import PaneLayout
from rpcexplorer.tui.call.response import first_steps
from rpcexplorer.tui.commands import first_key
from rpcexplorer.tui.widgets.bars import Footer, Header
from rpcexplorer.tui.widgets.inputs import Purpose

if TYPE_CHECKING:
    from rpcexplorer.tui.checks import Verdicts

RECENT_CALLS: Final = 8


class ProfileView:
    """Updates header, footer and method list for the profile in use."""

    def __init__(
        self,
        host: Screen[Any],
        explorer: Explorer,
        *,
        header: Header,
        footer: Footer,
        panes: PaneLayout,
        drafts: DraftKeeper,
        verdicts: Verdicts,
        described: Callable[[], object],
    ) -> None:
        """``described`` is called when a file that describes the methods was read.

        ``verdicts`` are the last results of checks.
        """
        self._host, self._explorer, self._header, self._footer = host, explorer, header, footer
        self._panes, self._drafts, self._described = panes, drafts, described
        self._verdicts = verdicts
        self._key = partial(first_key, keymap=explorer.settings.keymap)
        self._tell = partial(host.notify, timeout=8)
        self._has_login = True
        self._is_reading = False
        self._told: set[str] = set()
        """Problems that were shown and still exist."""

    def show(self) -> None:
        """Show the profile; the call in the editor stays."""
        profile = self._header.profile = self._explorer.profile
        assert profile is not None
        is_prod = profile.badge == "prod"
        self._panes.params.empty, self._footer.prod = profile.empty_params, is_prod
        self._host.set_class(is_prod, "-prod")
        self.show_auth()
        self.show_methods()
        self._offer_inputs("filter", "pipe")
        self.look_at_description()

    def show_auth(self) -> None:
        profile, credentials = self._explorer.profile, self._explorer.credentials
        if profile is None:
            return
        state, since = credentials.state(profile), credentials.since(profile)
        rejected = credentials.is_rejected(profile)
        if question := self._explorer.question(profile):
            state = {question.field: question, **state}
        self._header.auth = auth_words(profile, state, since, datetime.now(UTC), rejected=rejected)
        if self._has_login != bool(profile.secrets):
            self._has_login = bool(profile.secrets)
            self.show_footer()
        self.show_problems()

    def show_footer(self) -> None:
        """Hide keys that are shown elsewhere or do nothing for this profile."""
        elsewhere = {"focus.methods": not self._panes.is_narrow, "login": not self._has_login}
        self._footer.elsewhere = frozenset(id for id, is_left_out in elsewhere.items() if is_left_out)

    def show_problems(self) -> None:
        """Notify about each new problem, and name the first in the header."""
        explorer = self._explorer
        history = explorer.journal.problem
        if history and explorer.history.unsaved:
            history += ". rpcexplorer tries again with the next call."
        problems = {
            "history not saved": history,
            "draft not saved": self._drafts.problem or explorer.drafts.problem,
            "draft changed elsewhere": explorer.drafts.other,
            "layout not saved": explorer.remembered.problem,
            "methods not saved": explorer.method_lists.problem,
        }
        for problem in problems.values():
            if problem and problem not in self._told:
                self._tell(problem)
        self._told = set(problems.values())
        self._header.problem = next((words for words, problem in problems.items() if problem), "")

    def show_methods(self) -> None:
        profile = self._explorer.profile
        assert profile is not None
        known = self._drafts.known = self._explorer.listed_methods(called=self._drafts.has_history)
        self._panes.has_details = any(method.has_docs for method in known.values())
        self._panes.methods.methods = known
        self._panes.methods.pinned = self._explorer.remembered.pinned(profile.name)
        self.show_verdicts()
        learned = self._explorer.method_lists.learned(profile)
        self._panes.response.first_steps = first_steps(
            profile,
            self._key,
            is_discovered=learned is not None,
            assumed=[name for name, method in known.items() if method.source == "service"],
        )

    def show_verdicts(self) -> None:
        """Show the last results of checks in the method list."""
        profile = self._explorer.profile
        if profile is not None and self._verdicts:
            calls = self._explorer.saved_calls().values()
            found = {call.listed_as: self._verdicts.get((profile.name, call)) for call in calls}
            self._panes.methods.verdicts = {name: verdict for name, verdict in found.items() if verdict}

    def first_method(self) -> str:
        """Return the method to start with: the last one, or a good example."""
        profile = self._explorer.profile
        assert profile is not None
        last = self._explorer.remembered.method(profile.name)
        if last and (not last.startswith(SIGN) or last in self._drafts.known):  # a saved call may be gone
            return last
        notes = profile.methods.items() if profile.preset else ()  # those to begin with are first
        of_preset = next((name for name, note in notes if note.safe and not note.params), "")
        return of_preset or first_method(self._drafts.known)

    def show_saved_calls(self) -> None:
        """List calls that were saved on another screen."""
        listed = {name for name, method in self._drafts.known.items() if isinstance(method, SavedMethod)}
        if self._explorer.profile and listed != {call.listed_as for call in self._explorer.saved_calls().values()}:
            self.show_methods()

    def switch_pin(self, method: str) -> None:
        """Pin a method to the top of the list, or unpin it."""
        profile, remembered = self._explorer.profile, self._explorer.remembered
        assert profile is not None
        is_pinned = method in remembered.pinned(profile.name)
        (remembered.unpin if is_pinned else remembered.pin)(profile.name, method)
        self._panes.methods.pinned = remembered.pinned(profile.name)

    def show_history(self) -> None:
        """Show recorded calls, after the screen is drawn."""
        profile, drafts, text = self._explorer.profile, self._drafts, self._panes.params.text
        if profile is None:
            return
        drafts.has_history = True
        self.show_methods()
        self.show_recent()
        is_start = self._explorer.drafts.is_start(profile.name, drafts.method, text)
        if drafts.is_opening and is_start and self._explorer.draft_of(drafts.method) != text:
            drafts.choose(drafts.method)  # the start is the last call of the method

    def show_recent(self) -> None:
        """Show the newest calls; in a long history, search for them."""
        self._host.workers.cancel_group(self._host, "recent")  # the worker may search for calls of another profile
        profile = self._explorer.profile
        if profile is None:  # the profile was removed, and another will be chosen
            return
        if self._explorer.journal.is_long(profile):
            self._host.run_worker(self._find_recent(profile), group="recent", exclusive=True)
        else:
            self._panes.methods.recent = self._explorer.recent(RECENT_CALLS)

    async def _find_recent(self, profile: Profile) -> None:
        find = self._explorer.journal.recent
        self._panes.methods.recent = await asyncio.to_thread(find, profile, RECENT_CALLS)

    def look_at_description(self) -> None:
        """Read the file that describes the methods, if it has changed."""
        profile = self._explorer.profile
        if profile is not None and not self._is_reading and self._explorer.method_lists.unread(profile):
            self._host.run_worker(self._read_description(profile), group="description")

    async def _read_description(self, profile: Profile) -> None:
        self._is_reading = True
        try:
            found = await self._explorer.read_description_aside()
        finally:
            self._is_reading = False
        if found is None or self._explorer.profile is not profile:
            return
        self.show_methods()
        self.show_auth()
        if news := self.news(found):
            self._tell("\n".join([*found.sentences, news]))
        self._described()

    def news(self, found: Discovery) -> str:
        """Return how many methods changed, and the key that shows them."""
        from rpcexplorer.text.docs import changes_counted

        counted = changes_counted(found.changed)
        key = self._key("changes") or self._key("palette")
        return f"{counted}. To show the changes, press {key}." if counted else ""

    def remember_input(self, purpose: Purpose, text: str) -> None:
        """Remember an input, so that the arrow keys offer it later."""
        if purpose in {"filter", "pipe"}:
            self._explorer.remembered.add_expression(purpose, text)
            self._offer_inputs(purpose)

    def _offer_inputs(self, *purposes: Purpose) -> None:
        for purpose in purposes:
            self._panes.response.earlier_inputs[purpose] = self._explorer.remembered.expressions(purpose)

    async def ask_for_change(self) -> str:
        """Show the changes of the last refresh; return the chosen method."""
        from rpcexplorer.tui.dialogs import ChangesDialog

        profile = self._explorer.profile
        if profile is None:
            return ""
        found = self._explorer.method_lists.changes(profile)
        if not found:
            self._tell("No refresh has found changes yet.")
            return ""
        return await self._host.app.push_screen_wait(ChangesDialog(profile.shown_name, found)) or ""
