"""Completions, schema warnings, and hints after a failure.

Advice never prevents a call or hides a response: a service may describe itself wrongly.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import By, Described
from rpcexplorer.model.problem import Checked, Hint, Problem
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.printable import printable
from rpcexplorer.text.wrapping import WordLine
from rpcexplorer.tui.commands import first_key
from rpcexplorer.variables.references import Offered

if TYPE_CHECKING:
    from rpcexplorer.schema.complete import Candidate, Completion

MAX_PARAMS_CHARACTERS: Final = 200_000
"""Longer params are not completed, so that typing stays fast."""


class EditedCall(Struct, frozen=True):
    """The call in the editor, as far as advice depends on it."""

    called: str
    """The method name that is sent."""
    by: By | None
    described: Described | None
    recent: Sequence[Exchange]
    """The newest calls of the profile."""


class OfferedHint(Struct, frozen=True):
    """A hint that can be applied."""

    hint: Hint
    profile: Profile
    again: Callable[[], object]
    """Repeats the work that failed."""

    @property
    def is_about_auth(self) -> bool:
        return bool(self.hint.secret) or any(key.startswith("auth") for key, _ in self.hint.changes)


class Advice:
    """Advice about the call in the editor and the response on view."""

    def __init__(
        self,
        host: Screen[Any],
        explorer: Explorer,
        *,
        edited: Callable[[], EditedCall],
        learned: Callable[[], object],
    ) -> None:
        """Call ``learned`` when earlier calls were read: they add suggestions."""
        self._host, self._explorer, self._edited, self._on_learned = host, explorer, edited, learned
        self._key = partial(first_key, keymap=explorer.settings.keymap)
        self._tell = partial(host.notify, timeout=8)
        self._newest: Sequence[Exchange] | None = None
        """The newest calls at the time when earlier ones were read."""
        self._calls: Sequence[Exchange] = ()
        """The newest and the earlier calls."""
        self._earlier: dict[object, Sequence[Candidate]] = {}
        """Values in these calls, by method, param and path."""
        self.offered: OfferedHint | None = None
        """The hint on view."""

    def names(self) -> Sequence[Offered]:
        """Return the names that can be used between double braces."""
        return self._explorer.names() if self._explorer.profile is not None else ()

    def complete(self, text: str, offset: int) -> Completion | None:
        """Return the completions at an offset in the params."""
        edited = self._edited()
        if edited.described is None or len(text) > MAX_PARAMS_CHARACTERS:
            return None
        self._look_for_calls(edited)
        from rpcexplorer.schema.complete import completions

        def values(name: str, path: tuple[str | int, ...]) -> Sequence[Candidate]:
            return self._values(edited.called, name, path)

        return completions(text, offset, edited.described, by=edited.by, values=values)

    def signature(self, text: str, offset: int) -> str:
        """Return the expected param at an offset, and the next ones."""
        edited = self._edited()
        if edited.described is None or len(text) > MAX_PARAMS_CHARACTERS:
            return ""
        self._look_for_calls(edited)
        from rpcexplorer.schema.complete import signature

        return signature(text, offset, edited.described, by=edited.by)

    async def check(self, described: Described, text: str) -> Checked:
        """Check a text of params against the schemas of the method in the editor."""
        return await self._explorer.checker.params(described, text, by=self._edited().by)

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

    def _look_for_calls(self, edited: EditedCall) -> None:
        """Read earlier calls in the background: they may have values to suggest."""
        if self._newest is not edited.recent:
            self._newest = self._calls = edited.recent
            self._earlier = {}
            if (profile := self._explorer.profile) is not None:
                self._host.run_worker(self._read_calls(profile), group="earlier", exclusive=True)

    async def _read_calls(self, profile: Profile) -> None:
        from rpcexplorer.schema.complete import MOST_CALLS

        newest = self._newest
        found = await asyncio.to_thread(self._explorer.journal.recent, profile, MOST_CALLS)
        if self._newest is newest and self._explorer.profile == profile:
            self._calls, self._earlier = found, {}
            self._on_learned()

    def offer(self, exchange: Exchange, profile: Profile, again: Callable[[], object]) -> WordLine:
        """Return the hint after a failure, with its key; empty if there is none.

        Applying the hint calls ``again`` afterwards.
        """
        from rpcexplorer.client.hints import hint_for
        from rpcexplorer.text.problems import hint_line

        variables = self._explorer.credentials.from_environment(profile)
        hint = hint_for(exchange, profile, variables=variables)
        if hint is None:
            near = " or ".join(map(printable, self._explorer.meant_methods(exchange)))
            return [(f"Did you mean {near}?", "careful")] if near else []
        self.offered = OfferedHint(hint, profile, again) if hint.changes or hint.secret else None
        # The editor may show ^R for a fix, so a secret has the key of the login.
        apply = "login" if hint.secret and not hint.changes else "apply-hint"
        key, test = (self._key(command) or self._key("palette") for command in (apply, "test"))
        return hint_line(hint, profile, key, test)

    def hint_for(self, profile: Profile | None) -> OfferedHint | None:
        """Return the hint on view if it is about this profile, unchanged."""
        return self.offered if self.offered is not None and self.offered.profile == profile else None

    async def follow(self, offered: OfferedHint) -> bool:
        """Apply a hint; return whether the call should be sent again."""
        hint, profile, explorer = offered.hint, offered.profile, self._explorer
        if not hint.changes:
            from rpcexplorer.tui.dialogs import enter_credentials, secrets

            if profile.has_sessions:
                return await enter_credentials(self._host, explorer, profile) is not None
            return await secrets(self._host, explorer, profile, resends=True) and explorer.profile is not None
        if not profile.ad_hoc:
            explorer.reload()  # a profile that was removed from the files stays in use
        if explorer.profile != profile or not (profile.ad_hoc or profile.name in explorer.profiles.profiles):
            self._tell(f"The profile {profile.shown_name} has changed. Resend the call, then apply the hint.")
            return False
        if not profile.ad_hoc:
            return await self._change_file(hint, profile)
        is_changed = await self._change_for_this_run(hint, profile)
        if is_changed:
            keys = f"{self._key('profiles')}, then {self._key('profiles.add')}"
            self._tell(f"The change lasts until you quit. To save the URL as a profile, press {keys}.")
        return is_changed

    async def _change_for_this_run(self, hint: Hint, profile: Profile) -> bool:
        from rpcexplorer.tui.dialogs import may_change

        explorer = self._explorer
        if not await may_change(self._host, profile, hint.changes, careful=hint.careful):
            return False
        changed = explorer.profiles.changed(profile, hint.changes)
        if isinstance(changed, Problem):
            self._host.notify(str(changed), severity="warning", timeout=10)
            return False
        if explorer.profile == profile:
            explorer.use_changed(changed)
        return explorer.profile is changed

    async def _change_file(self, hint: Hint, profile: Profile) -> bool:
        from rpcexplorer.tui.dialogs import apply_changes, file_to_change

        explorer = self._explorer
        file = await file_to_change(self._host, explorer, profile, hint.changes, careful=hint.careful)
        if file is None or explorer.profile != profile:
            return False
        seen = {key for key, _ in hint.changes}
        return await apply_changes(self._host, explorer, profile, hint.changes, file, seen=seen) == []
