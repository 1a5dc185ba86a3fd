"""Tests of large responses: the event loop stays free."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable

import pytest

from rpcexplorer.auth.credentials import GivenCredentials
from rpcexplorer.client.call import load
from rpcexplorer.client.profile_client import ProfileClient
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.messages import Result
from rpcexplorer.transport.http import _load
from tests.fakes.wire import RawServer, Received, http_reply

ROWS = [{"name": f"row, {number}", "tags": ["a", "b"]} for number in range(40_000)]
SECRET = "hunter2-secret"


class KnownKeys(GivenCredentials):
    """A CredentialSource with one secret value."""

    def in_use(self) -> tuple[Secret, ...]:
        return (Secret(SECRET, "dev.password"),)


def exchange_with(
    reply: Callable[[str], str], record: Callable[[Exchange], None], draft: Draft | Batch | None = None
) -> Exchange:
    """Call once; `reply` makes the response from the id."""

    def answer(request: Received) -> bytes:
        sent = request.json
        return http_reply(reply(json.dumps((sent[0] if isinstance(sent, list) else sent)["id"])).encode())

    async def call(url: str) -> Exchange:
        async with ProfileClient(
            Profile(name="dev", url=url), KnownKeys(), record=lambda exchange, _: record(exchange)
        ) as client:
            return await client.send(draft or Draft("ping", "[]"))

    with RawServer(answer) as server:
        return asyncio.run(call(server.origin))


def result_of(rows: object) -> Callable[[str], str]:
    return lambda id: f'{{"jsonrpc":"2.0","id":{id},"result":{json.dumps(rows)}}}'


def test_large_result_is_recorded_before_it_is_returned() -> None:
    recorded: list[tuple[Exchange, int]] = []
    exchange = exchange_with(result_of(ROWS), lambda taken: recorded.append((taken, threading.get_ident())))
    assert isinstance(exchange.outcome, Result)
    assert exchange.outcome.decoded() == ROWS
    assert exchange.outcome.remarks == ()
    assert [taken for taken, _ in recorded] == [exchange]
    assert recorded[0][1] != threading.get_ident()


def test_secret_is_redacted_in_body_and_result() -> None:
    rows = [*ROWS, {"echo": SECRET}, *ROWS]
    exchange = exchange_with(result_of(rows), lambda _: None)
    assert isinstance(exchange.outcome, Result)
    assert exchange.outcome.decoded() == [*ROWS, {"echo": "«dev.password»"}, *ROWS]
    assert SECRET.encode() not in exchange.response.body
    assert any("«profile.password»" in remark for remark in exchange.response.remarks)


def test_large_batch_response_is_complete() -> None:
    exchange = exchange_with(
        lambda id: f"[{result_of(ROWS)(id)}]", lambda _: None, Batch('[{"method":"ping","params":[]}]')
    )
    assert isinstance(exchange.outcome, Result)
    assert exchange.outcome.decoded()[0]["result"] == ROWS


def test_loading_httpx_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []
    monkeypatch.setattr("socket.socket.connect", lambda *where: tried.append(where))
    monkeypatch.setattr("socket.getaddrinfo", lambda *where, **_: tried.append(where))
    monkeypatch.setattr("asyncio.BaseEventLoop.create_connection", lambda *where, **_: tried.append(where))
    _load.cache_clear()
    asyncio.run(load())
    assert tried == []
