"""Completions, schema warnings, and hints after a failure.

Advice never prevents a call or hides a response: a service may describe itself wrongly.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange, Preview, Refused
from rpcexplorer.model.method import By, Described, as_named
from rpcexplorer.model.problem import Checked, Hint, Problem
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.printable import printable
from rpcexplorer.tui.call.state import CallState, OfferedHint
from rpcexplorer.variables.references import Offered

if TYPE_CHECKING:
    from rpcexplorer.schema.complete import Candidate, Completion

MAX_PARAMS_CHARACTERS: Final = 200_000
"""Longer params are not completed, so that typing stays fast."""


class Advice:
    """Advice about the call in the editor and the response on view."""

    def __init__(self, state: CallState) -> None:
        self._state, self._explorer, self.key = state, state.explorer, state.key
        self._newest: Sequence[Exchange] | None = None
        """The newest calls at the time when earlier ones were read."""
        self._calls: Sequence[Exchange] = ()
        """The newest and the earlier calls."""
        self._earlier: dict[object, Sequence[Candidate]] = {}
        """Values in these calls, by method, param and path."""

    def names(self) -> Sequence[Offered]:
        """Return the names that can be used between double braces."""
        return self._explorer.names() if self._explorer.profile is not None else ()

    def preview(self, text: str, sources: Sequence[str]) -> Preview | Refused:
        """Return the preview of the next request, or why there is none."""
        draft = self._filled(text, sources)
        if isinstance(draft, Refused):
            return draft
        return self._explorer.preview(draft, id=self._state.next_id, can_ask=True)

    def snippet(self, form: str, text: str, sources: Sequence[str]) -> str | Refused:
        """Return the next call as curl or Python, or why that is impossible."""
        from rpcexplorer.tui.call.copying import Copied, call_form  # Few people look at it.

        draft = self._filled(text, sources)
        if isinstance(draft, Refused):
            return draft
        made, _ = call_form(self._explorer, draft, None, form)
        return made.text if isinstance(made, Copied) else Refused("params", made)

    def _filled(self, text: str, sources: Sequence[str]) -> Draft | Batch | Refused:
        """Return the draft; the variables of a saved call have their values."""
        state, explorer = self._state, self._explorer
        draft = Draft(state.called, text, sources=tuple(sources))
        if state.unknown_call:
            return Refused("params", state.unknown_call)
        if not state.saved_call:
            return draft
        from rpcexplorer.variables.resolve import Missing

        found = explorer.resolved(draft, id=state.next_id)
        if isinstance(found, Missing):
            count = len(found.unresolved)
            asks = f"rpcexplorer asks for {'it' if count == 1 else 'them'} when you press {self.key('send')}."
            return Refused("params", f"{found.what} {asks if len(found.names) == count else ''}".rstrip())
        return found

    def complete(self, text: str, offset: int) -> Completion | None:
        """Return the completions at an offset in the params."""
        state = self._state
        described = state.described
        if described is None or len(text) > MAX_PARAMS_CHARACTERS:
            return None
        self._look_for_calls()
        from rpcexplorer.schema.complete import completions

        def values(name: str, path: tuple[str | int, ...]) -> Sequence[Candidate]:
            return self._values(state.called, name, path)

        return completions(text, offset, described, by=self.by, values=values)

    def signature(self, text: str, offset: int) -> str:
        """Return the expected param at an offset, and the next ones."""
        described = self._state.described
        if described is None or len(text) > MAX_PARAMS_CHARACTERS:
            return ""
        self._look_for_calls()
        from rpcexplorer.schema.complete import signature

        return signature(text, offset, described, by=self.by)

    async def check(self, described: Described, text: str) -> Checked:
        """Check a text of params against the schemas of the method in the editor."""
        return await self._explorer.checker.params(described, text, by=self.by)

    @property
    def by(self) -> By | None:
        """Whether the method in the editor takes params by position or by name, if that is known."""
        known = self._state.known.get(as_named(self._state.called))
        return known.by if known else None

    def _values(self, called: str, name: str, path: tuple[str | int, ...]) -> Sequence[Candidate]:
        """Return values that no schema has: a variable, and earlier values.

        Only the newest calls of this profile are searched, once per place. Calls that others may have written are not.
        """
        from rpcexplorer.schema.complete import Candidate, earlier_values

        profile, place = self._explorer.profile, (called, name, path)
        if profile is None:
            return ()
        if place not in self._earlier:
            is_ours = self._explorer.journal.is_ours
            ours = (call for call in self._calls if call.profile == profile.name and is_ours(call, profile))
            self._earlier[place] = earlier_values(ours, called, name, path)
        found, value = self._earlier[place], self._explorer.profiles.variables_of(profile).get(name)
        if value is None:
            return found
        return [Candidate(f'"{{{{{name}}}}}"', f"{{{{{name}}}}}", value), *found]

    def _look_for_calls(self) -> None:
        """Read earlier calls in the background: they may have values to suggest."""
        if self._newest is not self._state.recent:
            self._newest = self._calls = self._state.recent
            self._earlier = {}
            if (profile := self._explorer.profile) is not None:
                self._state.run_worker(self._read_calls(profile), group="earlier", exclusive=True)

    async def _read_calls(self, profile: Profile) -> None:
        from rpcexplorer.schema.complete import MOST_CALLS

        newest = self._newest
        found = await asyncio.to_thread(self._explorer.journal.recent, profile, MOST_CALLS)
        if self._newest is newest and self._explorer.profile == profile:
            self._calls, self._earlier = found, {}
            self._state.changes += 1

    def offer(self, exchange: Exchange, profile: Profile, again: Callable[[], object]) -> None:
        """Show the hint after a failure, if there is one. Applying it calls ``again`` afterwards."""
        from rpcexplorer.client.hints import hint_for
        from rpcexplorer.text.problems import hint_line

        variables = self._explorer.credentials.from_environment(profile)
        hint = hint_for(exchange, profile, variables=variables)
        if hint is None:
            near = " or ".join(map(printable, self._explorer.meant_methods(exchange)))
            if near:
                self._state.offered = OfferedHint([(f"Did you mean {near}?", "careful")], profile, None, again)
            return
        # The editor may show ^R for a fix, so a secret has the key of the login.
        apply = "login" if hint.secret and not hint.changes else "apply-hint"
        key, test = (self.key(command) or self.key("palette") for command in (apply, "test"))
        words = hint_line(hint, profile, key, test)
        self._state.offered = OfferedHint(words, profile, hint if hint.changes or hint.secret else None, again)

    async def follow(self, hint: Hint, profile: Profile) -> bool:
        """Apply a hint; return whether the call should be sent again."""
        explorer = self._explorer
        if not hint.changes:
            from rpcexplorer.tui.dialogs import enter_credentials, secrets

            if profile.has_sessions:
                return await enter_credentials(self._state, explorer, profile) is not None
            return await secrets(self._state, explorer, profile, resends=True) and explorer.profile is not None
        if not profile.ad_hoc:
            explorer.reload()  # a profile that was removed from the files stays in use
        if explorer.profile != profile or not (profile.ad_hoc or profile.name in explorer.profiles.profiles):
            self._state.tell(f"The profile {profile.shown_name} has changed. Resend the call, then apply the hint.")
            return False
        if not profile.ad_hoc:
            return await self._change_file(hint, profile)
        is_changed = await self._change_for_this_run(hint, profile)
        if is_changed:
            keys = f"{self.key('profiles')}, then {self.key('profiles.add')}"
            self._state.tell(f"The change lasts until you quit. To save the URL as a profile, press {keys}.")
        return is_changed

    async def _change_for_this_run(self, hint: Hint, profile: Profile) -> bool:
        from rpcexplorer.tui.dialogs import may_change

        explorer = self._explorer
        if not await may_change(self._state, profile, hint.changes, careful=hint.careful):
            return False
        changed = explorer.profiles.changed(profile, hint.changes)
        if isinstance(changed, Problem):
            self._state.notify(str(changed), severity="warning", timeout=10)
            return False
        if explorer.profile == profile:
            explorer.use_changed(changed)
        return explorer.profile is changed

    async def _change_file(self, hint: Hint, profile: Profile) -> bool:
        from rpcexplorer.tui.dialogs import apply_changes, file_to_change

        explorer = self._explorer
        file = await file_to_change(self._state, explorer, profile, hint.changes, careful=hint.careful)
        if file is None or explorer.profile != profile:
            return False
        seen = {key for key, _ in hint.changes}
        return await apply_changes(self._state, explorer, profile, hint.changes, file, seen=seen) == []
