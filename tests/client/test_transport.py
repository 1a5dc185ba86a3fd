"""Tests of calls over a transport in memory, without HTTP."""

from __future__ import annotations

import asyncio
import json

import pytest

from rpcexplorer.auth.credentials import GivenCredentials
from rpcexplorer.client.call import MAYBE_RAN
from rpcexplorer.client.client import Client
from rpcexplorer.client.profile_client import ProfileClient
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange, Stop, Unreached
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import Result
from rpcexplorer.transport.port import Request, Response, Transport, Unreachable, Watch
from tests.fakes.memory import MemoryTransport

DEV = Profile(name="dev", url="http://rpc.example.com")


def echo(request: Request) -> bytes:
    call = json.loads(request.body)
    return json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": [call["method"], call["params"]]}).encode()


def exchange_over(
    transport: MemoryTransport,
    draft: Draft | Batch,
    *,
    profile: Profile = DEV,
    keys: GivenCredentials | None = None,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> Exchange:
    recorded: list[Exchange] = []
    port: Transport = transport

    async def call() -> Exchange:
        async with ProfileClient(
            profile, keys or GivenCredentials(), record=lambda exchange, _: recorded.append(exchange), transport=port
        ) as client:
            return await client.send(draft, watch=watch, stop=stop)

    exchange = asyncio.run(call())
    assert recorded == [exchange]
    assert transport.closed
    return exchange


def test_result_needs_no_status_and_headers() -> None:
    transport = MemoryTransport(echo)
    exchange = exchange_over(transport, Draft("ping", "[1]"))
    assert exchange.outcome == Result(b'["ping", [1]]')
    assert (exchange.exit_code, exchange.response.status, exchange.response.headers) == (0, None, ())
    assert [request.url for request in transport.requests] == [DEV.endpoint]
    assert exchange.sent == len(transport.requests[0].body)


def test_parallel_calls_share_one_transport(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[MemoryTransport] = []

    async def connect(*_: object) -> MemoryTransport:
        await asyncio.sleep(0)  # The other calls begin in this turn.
        opened.append(MemoryTransport(echo))
        return opened[-1]

    async def call() -> None:
        async with Client(DEV.url, auth="none") as client:
            await asyncio.gather(*(client.call("ping", [number]) for number in range(3)))

    monkeypatch.setattr("rpcexplorer.client.profile_client.connect", connect)
    asyncio.run(call())
    assert [(len(server.requests), server.closed) for server in opened if server.requests] == [(3, True)]


def test_unreachable_transport_keeps_received_data() -> None:
    lost = Unreachable("body", "The pipe broke.", maybe_ran=True, response=Response(body=b'{"js', size=4))
    exchange = exchange_over(MemoryTransport(lambda _: lost), Draft("ping", "[1]"))
    assert exchange.outcome == Unreached("body", f"The pipe broke. {MAYBE_RAN}", maybe_ran=True)
    assert (exchange.response.body, exchange.exit_code) == (b'{"js', 4)
