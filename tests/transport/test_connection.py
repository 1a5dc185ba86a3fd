"""Names with several addresses: the first one that answers is used."""

from __future__ import annotations

import asyncio
import gc
import socket
import ssl
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from rpcexplorer.transport import connection as tcp
from rpcexplorer.transport.connection import (
    Backend,
    Connection,
    SocketAddress,
    _http_of,
    connect,
    known_addresses,
    look_up,
    pool_of,
)
from rpcexplorer.transport.port import Request
from rpcexplorer.transport.request import address_of
from rpcexplorer.transport.response import Incoming
from tests.fakes.wire import NEXT, RawServer, http_reply
from tests.transport.sending import BODY, failure_of, send

HERE = "127.0.0.1"


def listening(stack: ExitStack) -> SocketAddress:
    listener = stack.enter_context(socket.create_server((HERE, 0)))
    return socket.AF_INET, listener.getsockname()


def refusing() -> SocketAddress:
    with socket.create_server((HERE, 0)) as listener:
        return socket.AF_INET, listener.getsockname()


def silent(stack: ExitStack) -> SocketAddress:
    """Yield an address that never answers: its backlog is full."""
    listener = stack.enter_context(socket.create_server((HERE, 0), backlog=0))
    for _ in range(4):
        filler = stack.enter_context(socket.socket())
        filler.setblocking(False)
        filler.connect_ex(listener.getsockname())
    return socket.AF_INET, listener.getsockname()


def reached(*addresses: SocketAddress) -> Any:
    """Connect to the addresses, and check that no task or socket leaks."""

    async def run() -> Any:
        try:
            with await connect(list(addresses)) as connection:
                return connection.getpeername()
        finally:
            assert asyncio.all_tasks() == {asyncio.current_task()}

    try:
        return asyncio.run(run())
    finally:
        gc.collect()  # A socket that is still open causes a warning here.


def test_refused_address_is_followed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "_HEAD_START", 3600)
    with ExitStack() as stack:
        address = listening(stack)
        assert reached(refusing(), address) == address[1]


def test_silent_address_is_followed_after_a_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "_HEAD_START", 0.001)
    with ExitStack() as stack:
        quiet, address = silent(stack), listening(stack)
        assert reached(quiet, quiet, address) == address[1]


def test_failures_of_all_addresses_are_raised() -> None:
    with pytest.raises(ExceptionGroup) as caught:
        reached(refusing(), refusing())
    assert [type(error) for error in caught.value.exceptions] == [ConnectionRefusedError] * 2


def test_name_without_addresses_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [])
    assert failure_of("http://nowhere.invalid/").step == "connect"


def test_cancelled_connect_waits_for_no_address() -> None:
    async def cancelled(addresses: list[SocketAddress]) -> None:
        connecting = asyncio.create_task(connect(addresses))
        await asyncio.sleep(0)
        connecting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await connecting
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with ExitStack() as stack:
        asyncio.run(cancelled([silent(stack), silent(stack)]))
        gc.collect()


def test_addresses_alternate_between_families(monkeypatch: pytest.MonkeyPatch) -> None:
    six, four = (socket.AF_INET6, ("::1", 80, 0, 0)), (socket.AF_INET, (HERE, 80))
    answer = [(family, socket.SOCK_STREAM, 6, "", where) for family, where in (six, six, six, four)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answer)
    assert asyncio.run(look_up("both.invalid", 80)) == [six, four, six, six]


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("127.0.0.1", ["127.0.0.1"]),
        ("::1", ["::1"]),
        ("localhost", ["::1", "127.0.0.1"]),
        ("evil.localhost", []),
        ("localhost.", []),
        ("127.0.0.1.", []),
    ],
)
def test_other_names_have_no_known_addresses(host: str, known: list[str]) -> None:
    assert [where[0] for _, where in known_addresses(host, 80)] == known


def test_localhost_needs_no_lookup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: pytest.fail("localhost was looked up"))
    with RawServer(http_reply(b"here")) as server:
        answer = send(f"http://localhost:{server.port}/")
    assert (answer.body, answer.phases.name) == (b"here", None)


def test_pool_opens_our_connections() -> None:
    pool = pool_of(httpx.AsyncHTTPTransport(verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)))
    assert hasattr(pool, "_network_backend")
    assert hasattr(Backend, "connect_tcp")


def test_http_state_reports_leftover_bytes() -> None:
    async def exchange(url: str) -> tuple[bytes, bool]:
        connection = Connection(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), None)
        headers = (("Host", "127.0.0.1"), ("Content-Length", str(len(BODY))))
        assert await connection.exchange(Request(url, BODY), headers, address_of(url), Incoming())
        left = _http_of(connection._httpx).trailing_data
        connection.close()
        return left  # type: ignore[no-any-return]

    with RawServer([http_reply(b"open"), NEXT]) as server:
        assert asyncio.run(exchange(server.url)) == (b"", False)
