"""What schemas say to the call screen: about the params in the editor, and about the result on view.

Nothing here keeps anything from being sent or shown. A service may be wrong about itself, and then it is its word
against what it does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from textual import work

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import Described, Method, as_named
from rpcexplorer.model.problem import Checked
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import Result
from rpcexplorer.text.problems import result_remark
from rpcexplorer.tui.call.reply_actions import ReplyScreen
from rpcexplorer.tui.keys import PendingKeys

if TYPE_CHECKING:
    from rpcexplorer.schema.complete import Candidate, Completion

LARGEST: Final = 1_000_000
"""Bytes of a result; a larger one is not checked."""
LONGEST: Final = 200_000
"""Characters of params; in longer ones nothing is offered and nothing is hinted at, so that no key waits."""


class SchemaScreen(ReplyScreen):
    """A screen that knows what the method in its editor takes, and what the one on view gives."""

    def __init__(self, explorer: Explorer, pending: PendingKeys) -> None:
        super().__init__(explorer, pending)
        self._newest: Sequence[Exchange] | None = None
        """The newest calls as they were when the others were looked for."""
        self._calls: Sequence[Exchange] = ()
        """Those and the others, as far as they are known."""
        self._earlier: dict[object, Sequence[Candidate]] = {}
        """What was found in them for each place."""

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
            self.params.offer_anew()

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
