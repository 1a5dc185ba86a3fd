"""A call while it runs: drives the flow, gives it what it wants, and makes an exchange of the whole."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec.structs import replace

from rpcexplorer.auth.credentials import (
    CanLogIn,
    CredentialSource,
    Drop,
    Ended,
    Flow,
    Hide,
    Keep,
    Need,
    Received,
    Say,
    Send,
    Want,
    advance,
)
from rpcexplorer.client.pacing import in_turns
from rpcexplorer.client.requests import Requests
from rpcexplorer.jsontext.steps import Steps, at_once
from rpcexplorer.model.exchange import Exchange, Refused, Stop
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import UNRECORDED, Secret
from rpcexplorer.redaction.exchange import SHOW, redacted_in_steps

LARGE = 64 * 1024
"""Bytes that take a few milliseconds to write down."""
Record = Callable[[Exchange], None]


class RunningCall:
    """Holds what has happened so far, so that an exchange can be made of it at any point."""

    def __init__(
        self, profile: Profile, credentials: CredentialSource, requests: Requests, begun: Exchange, record: Record
    ) -> None:
        self._profile = profile
        self._credentials = credentials
        self._requests = requests
        self._begun = begun
        self._record = record
        self._said = list(begun.notes)
        self._hide = list(credentials.in_use())
        """What no reply may show, sessions included that are opened and over before it is told."""

    async def run(self, flow: Flow, stop: Stop | None) -> Exchange:
        """Drive the flow to its end. However it ends, also by a cancelled task, the exchange is recorded."""
        task = asyncio.current_task()
        assert task is not None
        stop = stop or Stop()
        stop.watch(task)
        try:
            exchange = await in_turns(self._shown(self._exchange_of(await self._drive(flow))))
        except asyncio.CancelledError:
            exchange = at_once(self._shown(self._exchange_of(self._requests.cancelled())))
            if not stop.pressed:  # somebody ends the whole program: not ours to hold up
                self._record(exchange)
                raise
            task.uncancel()
        finally:
            stop.watch(None)
        return await self._recorded(exchange)

    async def _drive(self, flow: Flow) -> Received | Refused:
        if self._profile.cert_file and (refused := await self._credentials.key(self._profile)):
            return refused
        want = advance(flow, None)
        while not isinstance(want, Ended):
            want = advance(flow, await self._do(want))
        return want.end

    async def _do(self, want: Want) -> object:
        match want:
            case Need(field=field):
                return await self._credentials.secret(self._profile, field)
            case CanLogIn():
                return self._credentials.can_log_in(self._profile)
            case Send():
                return await self._requests.send(want)
            case Keep(session=session):
                if trouble := self._credentials.keep(self._profile, session):
                    self._said.append(trouble)
                self._hide += self._credentials.in_use()
            case Drop():
                self._credentials.drop(self._profile)
            case Hide(value=value):
                self._hide.append(Secret(value, UNRECORDED.strip("«»")))
            case Say(sentence=sentence):
                self._said.append(sentence)
        return None

    def _exchange_of(self, end: Received | Refused) -> Exchange:
        exchange = replace(self._begun, seconds=self._requests.seconds, notes=tuple(self._said))
        if isinstance(end, Received):
            return replace(exchange, outcome=end.outcome, response=end.response, sent=end.sent)
        return replace(exchange, outcome=end)

    def _shown(self, exchange: Exchange) -> Steps[Exchange]:
        hide = dict.fromkeys([*self._hide, *self._requests.betrayed, *self._credentials.in_use()])
        return (yield from redacted_in_steps(exchange, SHOW, self._profile, hide)) if hide else exchange

    async def _recorded(self, exchange: Exchange) -> Exchange:
        """Write it down before it is handed over; a large one in another thread, so that a screen goes on."""
        if len(exchange.response.body) < LARGE:
            self._record(exchange)
        else:
            await asyncio.to_thread(self._record, exchange)
        return exchange
