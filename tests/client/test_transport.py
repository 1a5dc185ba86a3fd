"""A call over another transport than HTTP, kept in memory: the client asks it for nothing that only HTTP has."""

from __future__ import annotations

import asyncio
import json

import pytest

from rpcexplorer.auth.credentials import GivenCredentials
from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.client.client import Client
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Cancelled, Exchange, Sent, Stop, Unreached
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.text.exchange import transport_line
from rpcexplorer.transport.port import Progress, Request, Response, Transport, Unreachable, Watch
from tests.fakes.memory import Answer, MemoryTransport

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
        async with Client.of(profile, keys or GivenCredentials(), 1 << 20, recorded.append, port) as client:
            return await client.send(draft, watch=watch, stop=stop)

    exchange = asyncio.run(call())
    assert recorded == [exchange]
    assert transport.closed
    return exchange


def exchange_with(answer: Answer, draft: Draft | Batch | None = None) -> Exchange:
    return exchange_over(MemoryTransport(answer), draft or Draft("ping", "[1]"))


def test_a_result_needs_no_status_and_no_headers() -> None:
    transport = MemoryTransport(echo)
    exchange = exchange_over(transport, Draft("ping", "[1]"))
    assert exchange.outcome == Result(b'["ping", [1]]')
    assert (exchange.exit_code, exchange.response.status, exchange.response.headers) == (0, None, ())
    assert [request.url for request in transport.requests] == [DEV.endpoint]
    assert exchange.sent == len(transport.requests[0].body)


def test_calls_at_once_share_one_transport(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[MemoryTransport] = []

    async def connect(*_: object) -> MemoryTransport:
        await asyncio.sleep(0)  # the others begin meanwhile
        opened.append(MemoryTransport(echo))
        return opened[-1]

    async def call() -> None:
        async with Client(DEV.url, auth="none") as client:
            await asyncio.gather(*(client.call("ping", [number]) for number in range(3)))

    monkeypatch.setattr("rpcexplorer.client.client.connect", connect)
    asyncio.run(call())
    assert [(len(each.requests), each.closed) for each in opened if each.requests] == [(3, True)]


def test_the_transport_is_told_without_a_status() -> None:
    said = transport_line(exchange_with(lambda _: b'{"result":1,"id":null,"jsonrpc":"2.0"}'))
    assert "HTTP" not in said
    assert said.endswith("s · 38 B")


def test_an_error_object_is_one() -> None:
    exchange = exchange_with(lambda _: b'{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}')
    assert isinstance(exchange.outcome, ErrorObject)
    assert exchange.outcome.code == -32601


def test_what_is_no_reply_is_malformed_in_the_words_of_its_bytes() -> None:
    outcome = exchange_with(lambda _: b"hello").outcome
    assert outcome == Malformed("The reply is plain text, not JSON.")


def test_silence_after_a_notification_is_what_was_expected() -> None:
    assert exchange_with(lambda _: b"", Draft("log", notification=True)).outcome == Sent()


def test_a_batch_comes_back_whole() -> None:
    def both(request: Request) -> bytes:
        return json.dumps(
            [{"jsonrpc": "2.0", "id": one["id"], "result": 1} for one in json.loads(request.body)]
        ).encode()

    assert isinstance(exchange_with(both, Batch('[{"method":"a"},{"method":"b"}]')).outcome, Result)


def test_what_the_transport_could_not_reach_is_unreached_with_what_came() -> None:
    lost = Unreachable("body", "The pipe broke.", maybe_ran=True, response=Response(body=b'{"js', size=4))
    exchange = exchange_with(lambda _: lost)
    assert exchange.outcome == Unreached("body", "The pipe broke.", maybe_ran=True)
    assert (exchange.response.body, exchange.exit_code) == (b'{"js', 4)


def test_a_call_that_is_stopped_keeps_what_had_come() -> None:
    stop, heard = Stop(), list[Progress]()

    def press(progress: Progress) -> None:
        heard.append(progress)
        stop.press()

    exchange = exchange_over(MemoryTransport(lambda _: b'{"half'), Draft("ping"), watch=press, stop=stop)
    assert exchange.outcome == Cancelled(maybe_ran=True)
    assert exchange.response.body == b'{"half'
    assert [progress.received for progress in heard] == [6]


def test_a_login_goes_ahead_and_its_session_goes_with_the_call() -> None:
    def answer(request: Request) -> Response:
        body = echo(request)
        login = json.loads(request.body)["method"] == "auth"
        return Response(headers=(("Set-Cookie", "sessionid=fresh"),) if login else (), body=body, size=len(body))

    transport = MemoryTransport(answer)
    profile = Profile(name="dev", url="http://rpc.example.com", auth=CookieAuth())
    exchange = exchange_over(transport, Draft("ping"), profile=profile, keys=GivenCredentials("ada", "hunter2"))
    assert isinstance(exchange.outcome, Result)
    assert [(json.loads(sent.body)["method"], sent.cookie) for sent in transport.requests] == [
        ("auth", None),
        ("ping", "sessionid=fresh"),
    ]
