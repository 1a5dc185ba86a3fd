"""Connections that stay open: every kind behaves alike."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.transport import process, stream
from rpcexplorer.transport.port import Unreachable, Wire
from rpcexplorer.transport.process import ProcessWire
from rpcexplorer.transport.stream import SocketWire
from rpcexplorer.transport.tls import Trust
from rpcexplorer.transport.websocket import WebSocketWire
from tests.fakes.peers import LIMIT, RELAY, Peer, Script, framed, peer, upgraded
from tests.fakes.wire import Authority

BIG = b'{"a":"' + b"x" * 10_000_000 + b'"}'
"""More than the system takes before the peer reads."""
KINDS = ("tcp", "tls", "unix", "stdio", "ws", "ws+unix", "wss")
Served = Callable[[Script], Any]


@pytest.fixture(params=KINDS)
def served(
    request: pytest.FixtureRequest, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Served:
    """Return a context that serves a script, and yields a wire to it."""
    monkeypatch.setattr(process, "GRACE_SECONDS", 0.2)  # Some scripts keep the relay from ending by itself.

    @asynccontextmanager
    async def serve(script: Script) -> AsyncIterator[Wire]:
        match request.param:
            case "tcp":
                async with peer(framed(script, "lines")) as port:
                    yield SocketWire(f"tcp://127.0.0.1:{port}", cap=LIMIT)
            case "tls":
                trust = Trust(authority.write(tmp_path))
                async with peer(framed(script, "length"), tls=authority.server()) as port:
                    yield SocketWire(f"tls://localhost:{port}", "length", trust=trust, cap=LIMIT)
            case "unix":
                path = tmp_path / "rpc.sock"
                async with peer(framed(script, "none"), path=path):
                    yield SocketWire(f"unix://{path}", "none", cap=LIMIT)
            case "ws":
                async with peer(upgraded(script)) as port:
                    yield WebSocketWire(f"ws://127.0.0.1:{port}", cap=LIMIT)
            case "ws+unix":
                path = tmp_path / "rpc.sock"
                async with peer(upgraded(script), path=path):
                    yield WebSocketWire("ws://localhost/a?b", str(path), cap=LIMIT)
            case "wss":
                trust = Trust(authority.write(tmp_path))
                async with peer(upgraded(script), tls=authority.server()) as port:
                    yield WebSocketWire(f"wss://localhost:{port}/a?b", trust=trust, cap=LIMIT)
            case "stdio":
                path = tmp_path / "rpc.sock"
                async with peer(framed(script, "lines"), path=path):
                    words = [sys.executable, "-c", RELAY, str(path)]
                    yield ProcessWire(words, program=sys.executable, folder=tmp_path, environment={}, cap=LIMIT)

    return serve


def run(test: Coroutine[Any, Any, None]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(20):
            await test

    asyncio.run(limited())


@asynccontextmanager
async def opened(wire: Wire) -> AsyncIterator[AsyncIterator[bytes]]:
    """Open a wire, yield its messages, and close it."""
    await wire.open(10)
    try:
        async with aclosing(wire.messages()) as messages:  # type: ignore[type-var]
            yield messages
    finally:
        await wire.close()


def test_message_and_response_go_both_ways(served: Served) -> None:
    async def echo(peer: Peer) -> None:
        while message := await peer.receive():
            await peer.send(peer.frame(message))

    async def test() -> None:
        async with served(echo) as wire, opened(wire) as messages:
            for text in (b'{"id":1}', '{"id":"é"}'.encode()):
                await wire.send(text)
                assert await anext(messages) == text

    run(test())


def test_message_in_single_bytes_is_read_whole(served: Served) -> None:
    async def drip(peer: Peer) -> None:
        for byte in peer.frame(b'{"id":1}'):
            await peer.send(bytes([byte]))
            await asyncio.sleep(0)

    async def test() -> None:
        async with served(drip) as wire, opened(wire) as messages:
            assert [message async for message in messages] == [b'{"id":1}']

    run(test())


def test_messages_in_one_packet_are_read_apart(served: Served) -> None:
    async def both(peer: Peer) -> None:
        await peer.send(peer.frame(b'{"id":1}') + peer.frame(b"[2]"))
        await peer.receive()

    async def test() -> None:
        async with served(both) as wire, opened(wire) as messages:
            assert [await anext(messages), await anext(messages)] == [b'{"id":1}', b"[2]"]

    run(test())


def test_short_messages_leave_time_for_others(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "MAX_IN_ROW", 2)

    async def send(peer: Peer) -> None:
        await peer.send(peer.frame(b"[]") * 9)
        await peer.receive()

    async def test() -> None:
        async with served(send) as wire, opened(wire) as messages:
            turns = list[int]()
            assert await anext(messages) == b"[]"
            asyncio.get_running_loop().call_soon(turns.append, 1)
            for _ in range(8):
                await anext(messages)
            assert turns

    run(test())


def test_big_messages_in_both_directions_do_not_block(served: Served) -> None:
    received = []

    async def write_first(peer: Peer) -> None:
        await peer.send(peer.frame(BIG))
        received.append(await peer.receive())
        await peer.send(peer.frame(b"[]"))

    async def test() -> None:
        async with served(write_first) as wire, opened(wire) as messages:
            _, message = await asyncio.gather(wire.send(BIG), anext(messages))
            assert message == BIG
            assert await anext(messages) == b"[]"
        assert received == [BIG]

    run(test())


def test_cancelled_message_is_still_sent_whole(served: Served) -> None:
    received, may_read = [], asyncio.Event()

    async def read_late(peer: Peer) -> None:
        await may_read.wait()
        received.extend([await peer.receive(), await peer.receive()])

    async def test() -> None:
        async with served(read_late) as wire:
            await wire.open(10)
            reading = asyncio.create_task(drained(wire))
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0):
                    await wire.send(BIG)
            may_read.set()
            await wire.send(b"[]")
            await reading
        assert received == [BIG, b"[]"]

    run(test())


async def drained(wire: Wire) -> list[bytes]:
    return [message async for message in wire.messages()]


def test_peer_that_closes_at_once_ends_messages(served: Served) -> None:
    async def close(peer: Peer) -> None:
        pass

    async def test() -> None:
        async with served(close) as wire, opened(wire) as messages:
            assert [message async for message in messages] == []
            assert wire.ended.step == "closed"
            with pytest.raises(Unreachable) as refused:
                await wire.send(b"{}")
            assert refused.value.sentence == wire.ended.sentence

    run(test())


def test_peer_that_closes_within_a_message_is_reported(served: Served) -> None:
    async def close(peer: Peer) -> None:
        await peer.send(peer.frame(b"[1]") + peer.frame(b'{"id":1}')[:-3])

    async def test() -> None:
        async with served(close) as wire, opened(wire) as messages:
            assert next(iter([message async for message in messages])) == b"[1]"
            assert wire.ended.step == "closed"

    run(test())


def test_close_ends_reader_and_tells_the_peer(served: Served) -> None:
    async def hold(peer: Peer) -> None:
        await peer.send(peer.frame(b"[1]"))
        await peer.read_to_end()

    async def test() -> None:
        async with served(hold) as wire:
            await wire.open(10)
            messages = wire.messages()
            assert await anext(messages) == b"[1]"
            reading = asyncio.create_task(anext(messages, b"the end"))
            await asyncio.sleep(0)
            await wire.close()
            await wire.close()
            assert await reading == b"the end"
            assert wire.ended is None
            with pytest.raises(Unreachable, match="closed"):
                await wire.send(b"{}")

    run(test())


def test_close_ends_a_message_that_nobody_reads(served: Served) -> None:
    may_close = asyncio.Event()

    async def hold(peer: Peer) -> None:
        await may_close.wait()

    async def test() -> None:
        async with served(hold) as wire:
            await wire.open(10)
            sending = asyncio.create_task(wire.send(BIG))
            await asyncio.sleep(0)
            await wire.close()
            with pytest.raises(Unreachable, match="closed"):
                await sending
            assert wire.ended is None
            may_close.set()

    run(test())
