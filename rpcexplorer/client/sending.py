"""One errand on its way: drives the flow, answers what it wants, and tells the whole as an exchange."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec.structs import replace

from rpcexplorer.auth.flow import Drop, Ended, Flow, Keep, Landed, Need, Say, Step, Trip, advance
from rpcexplorer.client.credentials_port import Keys
from rpcexplorer.client.pacing import in_turns
from rpcexplorer.client.requests import Traveller
from rpcexplorer.client.stop import Stop
from rpcexplorer.jsontext.steps import Steps, at_once
from rpcexplorer.model.exchange import Exchange, Refused
from rpcexplorer.model.profile import Profile
from rpcexplorer.redaction.exchanges import SHOW, redacted_in_steps

LARGE = 64 * 1024
"""Bytes that take a few milliseconds to write down."""

Record = Callable[[Exchange], None]


class Journey:
    """Holds what has happened so far, so that the story can be told from any point of it."""

    def __init__(self, profile: Profile, keys: Keys, traveller: Traveller, story: Exchange, record: Record) -> None:
        self._profile = profile
        self._keys = keys
        self._traveller = traveller
        self._story = story
        self._record = record
        self._said = list(story.notes)
        self._hide = list(keys.in_use())
        """What no reply may show, sessions included that are opened and over before it is told."""

    async def run(self, flow: Flow, stop: Stop | None) -> Exchange:
        """Drive the flow to its end. However it ends, also by a cancelled task, the exchange is recorded."""
        task = asyncio.current_task()
        assert task is not None
        stop = stop or Stop()
        stop.watch(task)
        try:
            exchange = await in_turns(self._shown(self._told(await self._drive(flow))))
        except asyncio.CancelledError:
            exchange = at_once(self._shown(self._told(self._traveller.cancelled())))
            if not stop.pressed:  # somebody ends the whole program: not ours to hold up
                self._record(exchange)
                raise
            task.uncancel()
        finally:
            stop.watch(None)
        return await self._recorded(exchange)

    async def _drive(self, flow: Flow) -> Landed | Refused:
        step = advance(flow, None)
        while not isinstance(step, Ended):
            step = advance(flow, await self._do(step))
        return step.end

    async def _do(self, step: Step) -> object:
        match step:
            case Need(field=field):
                return await self._keys.secret(self._profile, field)
            case Trip():
                return await self._traveller.travel(step)
            case Keep(session=session):
                if trouble := self._keys.keep(self._profile, session):
                    self._said.append(trouble)
                self._hide += self._keys.in_use()
            case Drop():
                self._keys.drop(self._profile)
            case Say(sentence=sentence):
                self._said.append(sentence)
        return None

    def _told(self, end: Landed | Refused) -> Exchange:
        story = replace(self._story, seconds=self._traveller.seconds, notes=tuple(self._said))
        if isinstance(end, Landed):
            return replace(story, outcome=end.outcome, response=end.response, sent=end.sent)
        return replace(story, outcome=end)

    def _shown(self, exchange: Exchange) -> Steps[Exchange]:
        hide = dict.fromkeys([*self._hide, *self._keys.in_use()])
        return (yield from redacted_in_steps(exchange, SHOW, self._profile, hide)) if hide else exchange

    async def _recorded(self, exchange: Exchange) -> Exchange:
        """Write it down before it is handed over; a large one in another thread, so that a screen goes on."""
        if len(exchange.response.body) < LARGE:
            self._record(exchange)
        else:
            await asyncio.to_thread(self._record, exchange)
        return exchange
