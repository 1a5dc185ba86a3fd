"""Calls, logins and discovery of the call screen, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rpcexplorer.auth.login import rejects_credentials
from rpcexplorer.discovery.methods import Discovery, DiscoveryStep
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.event import Event
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.transport.port import Progress
from rpcexplorer.tui.call.drafts import DraftKeeper
from rpcexplorer.tui.call.state import CallState, Running

if TYPE_CHECKING:
    from rpcexplorer.tui.connections import Connections


class Sender:
    """Sends with the current profile.

    The coroutines run in workers of the group ``call``, which ``settle`` waits for.
    """

    def __init__(self, state: CallState, drafts: DraftKeeper) -> None:
        self._state, self._explorer, self._drafts = state, state.explorer, drafts
        self._last: Running | None = None
        """The work that is under way, or was last."""
        self._given: dict[str, str] = {}
        """The last typed values of variables without a value."""

    @property
    def is_current(self) -> bool:
        """Return whether the profile of the last request is still in use."""
        return self._last is not None and self._explorer.profile == self._last.profile

    @property
    def is_overtaken(self) -> bool:
        """Return whether another exchange was opened during the last call, and stays on view."""
        return self._last is not None and self._last.is_overtaken

    async def call(self, draft: Draft | Batch, *, whole: bool = False) -> Exchange | None:
        """Send a call, after all necessary questions.

        ``whole``: all variables must have values; missing ones are asked for.
        """
        from rpcexplorer.tui.dialogs import may_send

        state, explorer = self._state, self._explorer
        if whole:
            from rpcexplorer.tui.saved_calls import fill_variables

            with_values = await fill_variables(state, explorer, draft, self._given, id=state.next_id)
            if with_values is None:
                return None
            draft = with_values
        if not await may_send(state, explorer, draft):
            return None
        self._drafts.write_down()
        with self._under_way("sending", "a batch" if isinstance(draft, Batch) else draft.method) as running:
            exchange = await explorer.call(draft, id=state.take_id(), watch=self._watch, stop=running.stop)
        self._judge(exchange)
        return exchange

    def take_part(self, event: Event) -> None:
        """Take a response of several to the running call; it is shown later."""
        running = self._state.running
        if running is not None:
            running.parts += 1
            running.newest.append(event)

    async def login(self, *, ask: bool = False) -> Exchange | None:
        """Open a session; ``ask`` for credentials even if they are known."""
        from rpcexplorer.tui.dialogs import credentials

        if not await credentials(self._state, self._explorer, ask=ask):
            return None
        with self._under_way("logging in") as running:
            exchange = await self._explorer.login(watch=self._watch, stop=running.stop)
        self._judge(exchange)
        return exchange

    async def discover(self) -> Discovery:
        """Discover the methods of the server."""
        with self._under_way("discovering") as running:

            def show(step: DiscoveryStep) -> None:
                running.step = f"{step.protocol}: {step.words}"

            found = await self._explorer.discover(watch=self._watch, stop=running.stop, tell=show)
        if found.ended is not None:
            self._judge(found.ended)
        return found

    async def open_connection(self, connections: Connections) -> Exchange | None:
        """Open the connection of the profile without a call, or the event stream of a server over HTTP."""
        with self._under_way("opening") as running:
            profile = running.profile
            if profile is not None and not profile.is_open_connection:
                return await connections.listen(profile, running.stop, self._watch)
            return await self._explorer.open_connection(watch=self._watch, stop=running.stop)

    async def settle(self) -> None:
        """Cancel the running work, and wait for its end."""
        workers = self._state.workers
        if self._state.running is None:  # A worker that waits for an answer would never end.
            workers.cancel_group(self._state, "call")
            return
        self._state.running.stop.press()
        if running := [worker for worker in workers if worker.group == "call"]:
            await workers.wait_for_complete(running)

    @contextmanager
    def _under_way(self, words: str, method: str = "") -> Iterator[Running]:
        running = self._last = self._state.running = Running(self._explorer, words, method)
        try:
            yield running
        finally:
            self._state.running = None

    def _watch(self, progress: Progress) -> None:
        """Release the keys: no secret is asked for before the response."""
        if self._state.running is not None:
            self._state.running.progress = progress
        self._state.pending.go_on("call")

    def _judge(self, exchange: Exchange) -> None:
        """Remember whether the server accepted the credentials.

        Not every response shows it.
        """
        assert self._last is not None
        profile = self._last.profile
        assert profile is not None
        is_rejected = rejects_credentials(exchange, profile)
        if is_rejected or not exchange.exit_code:
            self._explorer.credentials.judge(profile, rejected=is_rejected)
