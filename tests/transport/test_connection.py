"""Names with several addresses: the first one that answers is used."""

from __future__ import annotations

import asyncio
import gc
import socket
from contextlib import ExitStack
from typing import Any

import pytest

from rpcexplorer.transport import connection as tcp
from rpcexplorer.transport.connection import (
    SocketAddress,
    connect,
    known_addresses,
    look_up,
)
from tests.fakes.wire import RawServer, http_reply
from tests.transport.sending import failure_of, send

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
    monkeypatch.setattr(tcp, "HEAD_START", 3600)
    with ExitStack() as stack:
        address = listening(stack)
        assert reached(refusing(), address) == address[1]


def test_silent_address_is_followed_after_a_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "HEAD_START", 0.001)
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
