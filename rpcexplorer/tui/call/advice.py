"""Advice about params and responses: completions, schema problems, and hints after a failure.

It keeps nothing from being sent or shown: a service may be wrong about itself.
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
from rpcexplorer.rpc.messages import Result
from rpcexplorer.text.exchange import WordLine
from rpcexplorer.text.problems import result_remark
from rpcexplorer.tui.commands import first_key
from rpcexplorer.variables.references import Offered

if TYPE_CHECKING:
    from rpcexplorer.schema.complete import Candidate, Completion

MAX_RESULT_BYTES: Final = 1_000_000
"""A larger result is not checked."""
MAX_PARAMS_CHARACTERS: Final = 200_000
"""In longer params nothing is completed, so that no key waits."""


class EditedCall(Struct, frozen=True):
    """The call in the editor, as far as advice depends on it."""

    called: str
    """The name under which it is sent."""
    by: By | None
    described: Described | None
    recent: Sequence[Exchange]
    """The newest calls of the profile."""


class OfferedHint(Struct, frozen=True):
    """A hint that can be followed."""

    hint: Hint
    profile: Profile
    again: Callable[[], object]
    """Sends what failed once more."""

    @property
    def is_about_auth(self) -> bool:
        return bool(self.hint.secret) or any(key.startswith("auth") for key, _ in self.hint.changes)


class Advice:
    """What schemas, earlier calls and hints say about the call in the editor and the response on view."""

    def __init__(
        self,
        host: Screen[Any],
        explorer: Explorer,
        *,
        edited: Callable[[], EditedCall],
        learned: Callable[[], object],
    ) -> None:
        """``learned``: earlier calls were read, and there is more to offer."""
        self._host, self._explorer, self._edited, self._on_learned = host, explorer, edited, learned
        self._key = partial(first_key, keymap=explorer.settings.keymap)
        self._tell = partial(host.notify, timeout=8)
        self._newest: Sequence[Exchange] | None = None
        """The newest calls when the others were looked for."""
        self._calls: Sequence[Exchange] = ()
        """Those and the others that were read."""
        self._earlier: dict[object, Sequence[Candidate]] = {}
        """Values in them, by place."""
        self.offered: OfferedHint | None = None
        """The hint on view."""

    def names(self) -> Sequence[Offered]:
        """Return what could be between double braces."""
        return self._explorer.names() if self._explorer.profile is not None else ()

    def complete(self, text: str, offset: int) -> Completion | None:
        """Return what could be at an offset of a text of params."""
        edited = self._edited()
        if edited.described is None or len(text) > MAX_PARAMS_CHARACTERS:
            return None
        self._look_for_calls(edited)
        from rpcexplorer.schema.complete import completions

        def values(name: str, path: tuple[str | int, ...]) -> Sequence[Candidate]:
            return self._values(edited.called, name, path)

        return completions(text, offset, edited.described, by=edited.by, values=values)

    def signature(self, text: str, offset: int) -> str:
        """Return what belongs at an offset of a text of params, and what comes next."""
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
        """Return values that no schema knows: a variable of this name, then those of earlier calls.

        Of these the newest of this profile are searched, once for each place; none that others may have written.
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
        """Read calls before those that are listed, beside the typing: they may have had values for the params."""
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

    def can_check(self, exchange: Exchange | None) -> bool:
        """Return whether a result is whole, of this profile, and small enough to be checked."""
        profile = self._explorer.profile
        return (
            exchange is not None
            and profile is not None
            and isinstance(exchange.outcome, Result)
            and exchange.kind == "call"
            and (exchange.profile, exchange.foreign, exchange.response.cut) == (profile.name, False, False)
            and len(exchange.outcome.text) <= MAX_RESULT_BYTES
        )

    async def remark_on(self, exchange: Exchange) -> str:
        """Return how a result differs from what its method promises."""
        described, outcome = self._explorer.described(exchange.method), exchange.outcome
        if described is None or not isinstance(described.result, dict) or not isinstance(outcome, Result):
            return ""
        checked = await self._explorer.checker.result(described, outcome.value.decode(errors="replace"))
        return result_remark(checked.problems)

    def offer(self, exchange: Exchange, profile: Profile, again: Callable[[], object]) -> WordLine:
        """Return what may help after a failure, and the key that does it and then ``again``."""
        from rpcexplorer.client.hints import hint_for
        from rpcexplorer.text.problems import hint_line

        variables = self._explorer.credentials.from_environment(profile)
        hint = hint_for(exchange, profile, variables=variables)
        if hint is None:
            return []
        self.offered = OfferedHint(hint, profile, again) if hint.changes or hint.secret else None
        key, test = (self._key(command) or self._key("palette") for command in ("apply-hint", "test"))
        return hint_line(hint, profile.name, key, test)

    def hint_for(self, profile: Profile | None) -> OfferedHint | None:
        """Return the hint on view if it is for this profile, as it is now."""
        return self.offered if self.offered is not None and self.offered.profile == profile else None

    async def follow(self, offered: OfferedHint) -> bool:
        """Change the profile, or ask for a secret; return whether the call should be sent again."""
        hint, profile, explorer = offered.hint, offered.profile, self._explorer
        if not hint.changes:
            from rpcexplorer.tui.dialogs import secrets

            return await secrets(self._host, explorer, profile) and explorer.profile is not None
        if not profile.ad_hoc:
            explorer.reload()  # one that the files do not name any more stays in use
        if explorer.profile != profile or not (profile.ad_hoc or profile.name in explorer.profiles.profiles):
            self._tell(f"The profile {profile.name} has changed. Resend the call, then apply the hint.")
            return False
        if not profile.ad_hoc:
            return await self._change_file(hint, profile)
        is_changed = await self._change_for_this_run(hint, profile)
        if is_changed:
            keys = f"{self._key('profiles')}, then {self._key('profiles.add')}"
            self._tell(f"Changed until you quit. To save the address as a profile, press {keys}.")
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
