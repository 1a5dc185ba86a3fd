"""A status that says more than the bytes is told in its own words, and has the exit code that fits."""

from __future__ import annotations

import asyncio

import pytest

from rpcexplorer.client.client import Client
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from tests.fakes.wire import RawServer, http_reply

BASIC = {"WWW-Authenticate": 'Basic realm="rpc"', "Proxy-Authenticate": "Negotiate"}


def called(reply: bytes, kind: str = "none") -> Exchange:
    async def call(url: str) -> Exchange:
        async with Client(url, auth=kind, username="ann", password="pw-pw-pw") as client:
            return await client.call("ping")

    with RawServer(reply) as server:
        return asyncio.run(call(server.origin))


@pytest.mark.parametrize(
    ("status", "headers", "code", "said"),
    [
        (
            401,
            BASIC,
            3,
            'HTTP 401 Unauthorized: the server asks for credentials (Basic realm="rpc").',
        ),
        (401, {}, 3, "HTTP 401 Unauthorized: the server asks for credentials."),
        (403, {}, 3, "HTTP 403 Forbidden: whoever calls may not do this at http://127.0.0.1"),
        (407, BASIC, 3, "a proxy in front of the server asks for credentials of its own (Negotiate). Ask who"),
        (415, {}, 5, "HTTP 415 Unsupported Media Type: the server does not take application/json-rpc."),
        (429, {"Retry-After": "7"}, 5, "too many requests. Try again in 7 s."),
        (429, {}, 5, "Try again later."),
        (503, {"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}, 5, "Try again after Fri, 31 Dec 1999 23:59:59 GMT."),
    ],
)
@pytest.mark.parametrize("body", [b"", b"<html>no", b"{}"])
def test_each_is_named_as_what_it_is(status: int, headers: dict[str, str], code: int, said: str, body: bytes) -> None:
    exchange = called(http_reply(body, status, headers))
    assert isinstance(exchange.outcome, Malformed)
    assert said in exchange.outcome.reason
    told = body == b"<html>no" and status not in {401, 407}
    assert ("HTML page" in exchange.outcome.reason) == told, "and what the bytes were, where that matters"
    assert exchange.exit_code == code


@pytest.mark.parametrize(
    ("status", "said"),
    [(413, "Content Too Large"), (417, "Expectation Failed"), (502, "Bad Gateway"), (504, "Gateway Timeout"),
     (505, "HTTP Version Not Supported")],
)  # fmt: skip
@pytest.mark.parametrize("body", [b"", b"<html>no", b"<!doctype html>no"])
def test_status_of_gateway_says_nothing_about_path(status: int, said: str, body: bytes) -> None:
    exchange = called(http_reply(body, status))
    assert isinstance(exchange.outcome, Malformed)
    assert exchange.outcome.reason.startswith(f"HTTP {status} {said}: ")
    assert "path" not in exchange.outcome.reason


def test_407_through_a_proxy_exits_3_and_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def call() -> Exchange:
        async with Client("http://rpc.example.invalid", auth="none") as client:
            return await client.call("ping")

    with RawServer(http_reply(b"<html>", 407, headers={"Content-Length": "100"})) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.origin)
        exchange = asyncio.run(call())
    assert exchange.exit_code == 3
    assert isinstance(exchange.outcome, Malformed)
    assert f"the proxy {proxy.origin} asks for credentials" in exchange.outcome.reason


def test_credentials_that_were_sent_are_to_be_entered_again() -> None:
    exchange = called(http_reply(b"", 401), "inline")
    assert isinstance(exchange.outcome, Malformed)
    assert "the server did not take the credentials of this profile" in exchange.outcome.reason
    assert "pw-pw-pw" not in exchange.outcome.reason


@pytest.mark.parametrize("status", [401, 403, 407, 415, 429, 503])
def test_an_error_object_and_a_result_count_whatever_the_status(status: int) -> None:
    failed = called(http_reply(b'{"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": "no"}}', status))
    assert (type(failed.outcome), failed.exit_code) == (ErrorObject, 1)
    worked = called(http_reply(b'{"jsonrpc": "2.0", "id": null, "result": 1}', status))
    assert (type(worked.outcome), worked.exit_code) == (Result, 0)
