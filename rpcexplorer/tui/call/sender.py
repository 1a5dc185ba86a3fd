"""Calls, logins and discovery of the call screen, one at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from textual.screen import Screen

from rpcexplorer.auth.login import rejects_credentials
from rpcexplorer.discovery.methods import Discovery, DiscoveryStep
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange, Stop
from rpcexplorer.model.profile import Profile
from rpcexplorer.transport.port import Progress
from rpcexplorer.tui.call.drafts import DraftKeeper
from rpcexplorer.tui.call.response import ResponsePane
from rpcexplorer.tui.key_queue import PendingKeys

TICK_SECONDS: Final = 0.1


class Sender:
    """Sends with the current profile, and shows the progress.

    The coroutines run in workers of the group ``call``, which ``settle`` waits for.
    """

    def __init__(
        self,
        host: Screen[Any],
        explorer: Explorer,
        pending: PendingKeys,
        *,
        drafts: DraftKeeper,
        response: ResponsePane,
        busy: Callable[[str, str], object],
    ) -> None:
        """Call ``busy`` with the work and its method; twice "" at the end."""
        self._host, self._explorer, self._pending = host, explorer, pending
        self._drafts, self._response, self._busy = drafts, response, busy
        self.progress: Progress | None = None
        self._profile: Profile | None = None
        self._started_at = 0.0
        self._stop: Stop | None = None
        self._given: dict[str, str] = {}
        """The last typed values of variables without a value."""

    @property
    def is_current(self) -> bool:
        """Return whether the profile of the last request is still in use."""
        return self._profile is not None and self._explorer.profile == self._profile

    async def call(self, draft: Draft | Batch, *, whole: bool = False) -> Exchange | None:
        """Send a call, after all necessary questions.

        ``whole``: all variables must have values; missing ones are asked for.
        """
        from rpcexplorer.tui.dialogs import may_send

        host, explorer = self._host, self._explorer
        if whole:
            from rpcexplorer.tui.saved_calls import fill_variables

            with_values = await fill_variables(host, explorer, draft, self._given, id=self._drafts.next_id)
            if with_values is None:
                return None
            draft = with_values
        if not await may_send(host, explorer, draft):
            return None
        self._drafts.write_down()
        with self._under_way("sending", "a batch" if isinstance(draft, Batch) else draft.method) as stop:
            exchange = await explorer.call(draft, id=self._drafts.take_id(), watch=self._watch, stop=stop)
        self._judge(exchange)
        return exchange

    async def login(self, *, ask: bool = False) -> Exchange | None:
        """Open a session; ``ask`` for credentials even if they are known."""
        from rpcexplorer.tui.dialogs import credentials

        if not await credentials(self._host, self._explorer, ask=ask):
            return None
        with self._under_way("logging in") as stop:
            exchange = await self._explorer.login(watch=self._watch, stop=stop)
        self._judge(exchange)
        return exchange

    async def discover(self) -> Discovery:
        """Discover the methods of the server."""

        def show(step: DiscoveryStep) -> None:
            self._response.step = f"{step.protocol}: {step.words}"

        with self._under_way("discovering") as stop:
            found = await self._explorer.discover(watch=self._watch, stop=stop, tell=show)
        if found.ended is not None:
            self._judge(found.ended)
        return found

    async def open_connection(self) -> Exchange:
        """Open the connection of the profile without a call."""
        with self._under_way("opening") as stop:
            return await self._explorer.open_connection(watch=self._watch, stop=stop)

    def log_out(self, profile: Profile) -> str:
        """Forget the session; return a notice."""
        had_session, problem = self._explorer.credentials.log_out(profile)
        return problem or (
            "Forgot the session. rpcexplorer sent nothing to the server."
            if had_session
            else f"{profile.shown_name} has no session."
        )

    def cancel(self) -> bool:
        """Cancel the running work; return whether there was any."""
        if self._stop is not None:
            self._stop.press()
        return self._stop is not None

    async def settle(self) -> None:
        """Cancel the running work, and wait for its end."""
        if not self.cancel():  # A worker that waits for an answer would never end.
            self._host.workers.cancel_group(self._host, "call")
        elif running := [worker for worker in self._host.workers if worker.group == "call"]:
            await self._host.workers.wait_for_complete(running)

    @contextmanager
    def _under_way(self, doing: str, method: str = "") -> Iterator[Stop]:
        """Show the elapsed time, and allow to cancel; nothing else is sent."""
        self._stop, self._profile, self.progress = Stop(), self._explorer.profile, None
        self._started_at = time.monotonic() - self._explorer.credentials.asked_for
        self._busy(doing, method)
        ticking = self._host.set_interval(TICK_SECONDS, self._tick)
        try:
            yield self._stop
        finally:
            ticking.stop()
            self._stop = None
            self._busy("", "")

    def _watch(self, progress: Progress) -> None:
        """Release the keys: no secret is asked for before the response."""
        self.progress = progress
        self._pending.go_on("call")

    def _tick(self) -> None:
        elapsed = time.monotonic() - self._started_at - self._explorer.credentials.asked_for
        self._response.tick(elapsed, self.progress)

    def _judge(self, exchange: Exchange) -> None:
        """Remember whether the server accepted the credentials.

        Not every response shows it.
        """
        assert self._profile is not None
        is_rejected = rejects_credentials(exchange, self._profile)
        if is_rejected or not exchange.exit_code:
            self._explorer.credentials.judge(self._profile, rejected=is_rejected)
