"""Listening: events until a connection ends."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from rpcexplorer.auth.credentials import GivenCredentials
from rpcexplorer.client.profile_client import ProfileClient
from rpcexplorer.client.surroundings import Surroundings
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.event import Event
from rpcexplorer.model.exchange import Cancelled, Exchange, Sent, Stop, Unreached
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import ErrorObject, Result
from tests.fakes.peers import Peer, framed, peer

LIMIT = 1024 * 1024
TICK = b'{"jsonrpc":"2.0","method":"tick"}'


class Listener:
    """A client whose events are kept."""

    def __init__(self, url: str, **settings: Any) -> None:
        self.events: list[Event] = []
        self.responses: list[Exchange] = []
        self.stop = Stop()
        self.stop_after = 0
        around = Surroundings(on_event=self._take)
        profile = Profile(name="x", url=url, ad_hoc=True, **settings)
        self.client = ProfileClient(profile, GivenCredentials(), reply_limit=LIMIT, around=around)

    def _take(self, event: Event) -> None:
        self.events.append(event)
        if len(self.events) == self.stop_after:
            self.stop.press()

    async def listen(self, draft: Draft | None) -> Exchange:
        async with self.client:
            return await self.client.listen(draft, on_response=self.responses.append, stop=self.stop)


@pytest.mark.parametrize("draft", [None, Draft("subscribe")])
def test_listening_lasts_until_the_connection_ends(draft: Draft | None) -> None:
    async def serve(peer: Peer) -> None:
        if draft is not None:
            id = json.loads(await peer.receive())["id"]
            await peer.send(peer.frame(json.dumps({"jsonrpc": "2.0", "id": id, "result": 1}).encode()))
        await peer.send(peer.frame(TICK) * 2)

    async def run() -> tuple[Listener, Exchange]:
        async with peer(framed(serve, "lines")) as port:
            listener = Listener(f"tcp://127.0.0.1:{port}")
            return listener, await listener.listen(draft)

    listener, end = asyncio.run(run())
    assert [event.text for event in listener.events] == [TICK, TICK]
    assert [response.outcome for response in listener.responses] == [Result(b"1") if draft else Sent()]
    assert isinstance(end.outcome, Unreached)
    assert (end.outcome.step, end.exit_code) == ("closed", 4)


def test_listening_stops_on_request() -> None:
    async def serve(peer: Peer) -> None:
        await peer.send(peer.frame(TICK))
        await peer.read_to_end()

    async def run() -> Exchange:
        async with peer(framed(serve, "lines")) as port:
            listener = Listener(f"tcp://127.0.0.1:{port}")
            listener.stop_after = 1
            return await listener.listen(None)

    assert asyncio.run(run()).outcome == Cancelled()


def test_listening_ends_with_the_failure_of_its_call() -> None:
    async def serve(peer: Peer) -> None:
        id = json.loads(await peer.receive())["id"]
        error = {"code": 1, "message": "no"}
        await peer.send(peer.frame(json.dumps({"jsonrpc": "2.0", "id": id, "error": error}).encode()))
        await peer.read_to_end()

    async def run() -> tuple[Listener, Exchange]:
        async with peer(framed(serve, "lines")) as port:
            listener = Listener(f"tcp://127.0.0.1:{port}")
            return listener, await listener.listen(Draft("subscribe"))

    listener, end = asyncio.run(run())
    assert isinstance(end.outcome, ErrorObject)
    assert (end.exit_code, listener.responses) == (1, [])
