"""Recorded calls sent again, one after the other, each compared with its record as soon as its reply is there.

It asks nobody: whoever begins it has asked what the profile wants asked. It can be stopped between two calls, in a
call and in a comparison; what was done by then is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Final

from msgspec import Struct

from rpcexplorer.client.pacing import in_turns
from rpcexplorer.compare.compare import compared
from rpcexplorer.jsontext.steps import Steps, T, kept
from rpcexplorer.model.draft import Batch, Draft, as_called
from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Stop
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.replaying import Replayed, draft_to_send, failure, ignored_in, replayed
from rpcexplorer.model.secret import of_another, unsendable
from rpcexplorer.redaction.exchange import is_login, own_login

LARGE: Final = 64 * 1024
"""Bytes of a reply that take more than a moment to hide secrets in."""
NOT_SENT: Final = "It was stopped before this was sent."
HALTED: Final = "It was not sent: the credentials had been refused for the call before it."
STOPPED: Final = "It was stopped while it ran."
LOGIN: Final = "It is a login, and its password is not recorded: it cannot be sent again. Calls log in by themselves."


class Replaying(Struct, frozen=True):
    """What it takes to send records again with one profile."""

    profile: Profile
    send: Callable[[Draft | Batch], Awaitable[Exchange]]
    as_recorded: Callable[[Exchange], Exchange]
    """An exchange as its record would be, so that both sides of a comparison hide alike."""
    is_ours: Callable[[Exchange], bool]
    """Whether nobody else can have written a record."""

    async def run(self, records: Sequence[Exchange], ignore: Sequence[str], stop: Stop) -> AsyncIterator[Replayed]:
        """Give what came of each record, in their order. Where a login fails, no further one is tried."""
        halted = ""
        for record in map(as_called, records):
            if stop.pressed or halted:
                yield Replayed(record, None, None, "stopped" if stop.pressed else "failed", halted or NOT_SENT)
                continue
            result = await self._again(record, ignore, stop)
            refused = result.live.outcome if result.live else None
            if isinstance(refused, Refused) and refused.why == "credentials":
                halted = HALTED
            yield result

    async def _again(self, record: Exchange, ignore: Sequence[str], stop: Stop) -> Replayed:
        draft = draft_to_send(record, self.profile, ours=self.is_ours(record))
        hidden = unsendable(draft.text) or of_another(draft.text, self.profile.name)
        if hidden and is_login(record.method, own_login(self.profile, draft.text)):
            return Replayed(record, None, None, "left out", LOGIN)
        live = await self.send(draft)
        if isinstance(live.outcome, Cancelled):
            return Replayed(record, live, None, "stopped", STOPPED)
        if isinstance(live.outcome, Refused) and live.outcome.why == "params":
            return Replayed(record, live, None, "not comparable", live.outcome.sentence)
        if why := failure(record, live):
            return Replayed(record, live, None, "failed", why)
        left, right = await self._hidden(record), await self._hidden(live)
        pointers = ignored_in(record, self.profile, ignore)
        steps = compared(left, right, pointers)
        comparison = await in_turns(_until_stopped(steps, stop))
        if comparison is None:
            return Replayed(record, live, None, "stopped", STOPPED)
        return replayed(record, right, comparison, pointers)

    async def _hidden(self, exchange: Exchange) -> Exchange:
        if len(exchange.response.body) < LARGE:
            return self.as_recorded(exchange)
        return await asyncio.to_thread(self.as_recorded, exchange)


def _until_stopped(steps: Steps[T], stop: Stop) -> Steps[T | None]:
    came: list[T] = []
    for _ in kept(steps, came):
        if stop.pressed:
            return None
        yield
    return came[0]
