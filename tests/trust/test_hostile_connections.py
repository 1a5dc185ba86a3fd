"""Hostile peers: each call ends with a sentence, in bounded memory."""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from rpcexplorer.client import open_connection
from rpcexplorer.client.client import Client
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.event import Event
from rpcexplorer.model.exchange import Exchange, Unreached
from rpcexplorer.rpc.messages import Malformed, Result
from tests.client.test_connections import result, value_of
from tests.client.test_open_connection import MemoryWire, Peer
from tests.client.test_open_connection import using as in_memory
from tests.fakes.peers import WebSocketPeer
from tests.fakes.servers import OPEN, HttpPeer, Kind, Script, Server, serving

WIRED: tuple[Kind, ...] = ("tcp", "tls", "unix", "stdio", "ws")
MIB = 1024 * 1024
DEEP = "[" * 100_000 + "]" * 100_000


@asynccontextmanager
async def connected(kind: Kind, script: Script, folder: Path, **settings: Any) -> AsyncIterator[Client]:
    async with asyncio.timeout(60), serving(kind, script, folder, **settings) as client:
        yield client


def unreached(exchange: Exchange) -> Unreached:
    assert isinstance(exchange.outcome, Unreached), exchange.outcome
    assert exchange.exit_code == 4
    assert exchange.outcome.sentence.isprintable()
    assert len(exchange.outcome.sentence) < 500
    return exchange.outcome


def endless(server: Server, kind: Kind) -> tuple[bytes, bytes]:
    """Return the two parts of a message that never ends."""
    if kind == "tls":
        return b"", b"X-More: yes\r\n" * 1000
    if isinstance(server.peer, WebSocketPeer):
        return (
            Frame(Opcode.TEXT, b"{", fin=False).serialize(mask=False),
            Frame(Opcode.CONT, b" " * 65_000, fin=False).serialize(mask=False),
        )
    return b'{"jsonrpc":"', b"x" * 65_000


@pytest.mark.parametrize("kind", WIRED)
@pytest.mark.everyday(5)
async def test_message_without_end_is_cut_off(kind: Kind, tmp_path: Path) -> None:
    sent = 0

    async def flood(server: Server) -> None:
        nonlocal sent
        await server.receive()
        begin, more = endless(server, kind)
        await server.peer.send(begin)
        try:
            while sent < 200 * MIB:
                await server.peer.send(more)
                sent += len(more)
        except ConnectionError:
            pass

    async with connected(kind, flood, tmp_path, reply_limit=MIB) as client:
        outcome = unreached(await client.call("m"))
    assert (outcome.step, outcome.maybe_ran) == ("framing" if kind == "tls" else "size", True)
    assert sent < 50 * MIB


@pytest.mark.parametrize("kind", WIRED)
async def test_end_at_each_byte_ends_the_call(kind: Kind, tmp_path: Path) -> None:
    """The last byte of a line need not come."""
    lengths = list[int]()
    cuts = iter(range(0, 1000, {"stdio": 7, "tls": 5}.get(kind, 1)))

    async def cut(server: Server) -> None:
        data = server.peer.frame(json.dumps(result(await server.receive(), 1)).encode())
        lengths.append(len(data))
        await server.send(data[: next(cuts)])

    async with connected(kind, cut, tmp_path) as client:
        while not isinstance((exchange := await client.send(Draft("m"), id="x")).outcome, Result):
            assert unreached(exchange).step == "closed"
    assert next(cuts) >= lengths[0]


@pytest.mark.parametrize("kind", OPEN)
@pytest.mark.everyday(6)
async def test_odd_ids_answer_no_call(kind: Kind, tmp_path: Path) -> None:
    """They are early, of an earlier call, unknown, or none at all."""
    events = list[Event]()

    async def confuse(server: Server) -> None:
        first = await server.receive()
        await server.say({"jsonrpc": "2.0", "id": "second", "result": "early"}, result(first, 1))
        second = await server.receive()
        odd = ("unknown", None, True, [1], {"a": 1}, 1.5, "", "x" * 100_000, -0.0, 10**30)
        await server.say(result(first, 2), *({"jsonrpc": "2.0", "id": id, "result": 3} for id in odd))
        await server.say(result(second, 4), result(second, 5))
        await server.read_to_end()

    async with connected(kind, confuse, tmp_path, on_event=events.append) as client:
        first, second = await client.send(Draft("m"), id="first"), await client.send(Draft("m"), id="second")
        while len(events) < 13:  # noqa: ASYNC110 - events come one after the other
            await asyncio.sleep(0.001)
    assert (value_of(first), value_of(second)) == (b"1", b"4")
    assert {event.kind for event in events} == {"response"}


async def test_odd_ids_in_an_event_stream_are_events(tmp_path: Path) -> None:
    events = list[Event]()

    async def confuse(server: Server) -> None:
        call = await server.receive()
        odd = ({"jsonrpc": "2.0", "id": id, "result": 0} for id in ("unknown", None, True, [1], "x" * 100_000))
        await server.say(*odd, result(call, 1), result(call, 2))

    async with connected("http", confuse, tmp_path, on_event=events.append) as client:
        exchange = await client.call("m")
    kinds = [event.kind for event in events]
    assert (value_of(exchange), kinds.count("response"), kinds.count("part")) == (b"2", 5, 2)


async def test_event_stream_that_ends_early_has_no_response(tmp_path: Path) -> None:
    ends = iter(range(1000))
    streams = list[bytes]()

    async def cut(server: Server) -> None:
        call = await server.receive()
        assert isinstance(server.peer, HttpPeer)
        event = b'{"jsonrpc":"2.0","method":"tick"}'
        streams.append(server.peer.event_stream([event, json.dumps(result(call, 1)).encode()]))
        await server.send(streams[-1][: next(ends)])

    async with connected("http", cut, tmp_path) as client:
        while not isinstance((exchange := await client.send(Draft("m"), id="x")).outcome, Result):
            unreached(exchange)
    assert next(ends) == len(streams[-1]) + 1


@pytest.mark.parametrize("kind", OPEN)
async def test_batch_with_odd_responses_gets_its_own(kind: Kind, tmp_path: Path) -> None:
    async def confuse(server: Server) -> None:
        one, two = await server.receive()
        await server.say(result(two, 2), result(two, 3), {"jsonrpc": "2.0", "id": "z", "result": 4}, result(one, 1))
        await server.read_to_end()

    async with connected(kind, confuse, tmp_path) as client:
        exchange = await client.batch([("a", None), ("b", None)])
    assert sorted(part["result"] for part in json.loads(value_of(exchange))) == [1, 2]


@pytest.mark.parametrize("kind", WIRED)
@pytest.mark.everyday(1)
async def test_server_that_asks_and_never_reads_is_bounded(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answers would take 10 MB, more than the systems of both sides take."""
    monkeypatch.setattr(open_connection, "FAREWELL_SECONDS", 0.1)
    id = "x" * 990
    request = json.dumps({"jsonrpc": "2.0", "id": id, "method": "ask"}).encode()
    events, may_end = list[Event](), asyncio.Event()

    async def ask(server: Server) -> None:
        call = await server.receive()
        await server.say(*[request] * 10_000, result(call))
        await may_end.wait()

    async with connected(kind, ask, tmp_path, on_event=events.append) as client:
        exchange = await client.call("m")
        may_end.set()
    assert (value_of(exchange), len(events)) == (b'"m"', 10_000)
    assert {event.remark for event in events} == {"", "not answered: the server does not read its answers"}


@pytest.mark.parametrize("kind", ["tcp", "unix"])
@pytest.mark.everyday(1)
async def test_deep_json_is_read_or_named(kind: Kind, tmp_path: Path) -> None:
    events = list[Event]()

    async def nest(server: Server) -> None:
        call = json.dumps((await server.receive())["id"])
        await server.say(
            f'{{"jsonrpc":"2.0","method":"deep","params":{DEEP}}}'.encode(),
            DEEP.encode(),
            f'{{"jsonrpc":"2.0","id":{DEEP},"method":"deep"}}'.encode(),
            f'{{"jsonrpc":"2.0","id":{call},"result":{DEEP}}}'.encode(),
        )
        await server.read_to_end()

    async with connected(kind, nest, tmp_path, on_event=events.append) as client:
        exchange = await client.call("m")
    assert value_of(exchange) == DEEP.encode()
    assert len(events) == 3


async def test_own_id_without_a_response_is_malformed(tmp_path: Path) -> None:
    async def answer(server: Server) -> None:
        call = await server.receive()
        await server.say({"jsonrpc": "2.0", "id": call["id"]})
        await server.read_to_end()

    async with connected("tcp", answer, tmp_path) as client:
        exchange = await client.call("m")
    assert isinstance(exchange.outcome, Malformed)
    assert exchange.exit_code == 5


@pytest.mark.parametrize(
    ("stream", "step"),
    [
        (Frame(Opcode.TEXT, b"{}").serialize(mask=True), "framing"),
        (b"\x81\x7f" + struct.pack("!Q", 1 << 62), "size"),
        (Frame(Opcode.PING, b"x").serialize(mask=False) * 50_000, "framing"),
        (Frame(Opcode.CLOSE, b"\x03\xe9" + "\u202ebye\x1b[2J".encode()).serialize(mask=False), "closed"),
    ],
    ids=["masked", "huge", "pings", "close"],
)
@pytest.mark.everyday(4)
async def test_hostile_frames_end_the_call(stream: bytes, step: str, tmp_path: Path) -> None:
    async def answer(server: Server) -> None:
        await server.receive()
        await server.send(stream)
        await server.read_to_end()

    async with connected("ws", answer, tmp_path) as client:
        outcome = unreached(await client.call("m"))
    assert (outcome.step, outcome.maybe_ran) == (step, True)


async def test_request_with_a_long_id_stays_unanswered(tmp_path: Path) -> None:
    events = list[Event]()

    async def ask(server: Server) -> None:
        call = await server.receive()
        await server.say({"jsonrpc": "2.0", "id": "x" * 2 * MIB, "method": "ask"}, result(call))
        await server.read_to_end()

    async with connected("tcp", ask, tmp_path, on_event=events.append) as client:
        await client.call("m")
    assert events[0].remark.startswith("not answered")


PARTS = [
    *("{", "}", "[", "]", ",", ":", '"', "\\", " ", "\n", "\x00", "\ud800"),
    *('"jsonrpc":"2.0"', '"id":', '"a"', "null", "1", "-", "1e999", "NaN", '"\\ud800"', "9" * 5000, "é"),
    *('"method":', '"result":', '"error":', '"params":', '{"code":1,"message":"x"}', '{"subscription":"a"}'),
]
MEMBER = st.sampled_from(['"jsonrpc":"2.0"', '"id":"a"', '"id":"b"', '"id":null', '"id":{}', '"id":"\\ud800"',
                          '"method":"m"', '"method":1', '"result":1', '"error":null', '"error":{"code":"x"}',
                          '"params":{"subscription":[]}'])  # fmt: skip
OBJECT = st.lists(MEMBER, max_size=4).map(lambda members: "{" + ",".join(members) + "}")
ARRAY = st.lists(OBJECT, max_size=3).map(lambda objects: "[" + ",".join(objects) + "]")
NOISE = st.lists(st.sampled_from(PARTS), max_size=8).map("".join)
MESSAGE = st.one_of(OBJECT, ARRAY, NOISE).map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary()


@given(st.lists(MESSAGE, max_size=8))
def test_any_messages_end_no_connection(messages: list[bytes]) -> None:
    async def use(peer: Peer) -> bool:
        tasks = [peer.call("a"), peer.call("b", "c")]
        wire: MemoryWire = await peer.wire()
        await wire.wait_for(2)
        wire.say(*messages)
        await peer.settle()
        is_open = peer.connection.is_open
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return is_open

    assert in_memory(use, answer=lambda method: b'"result":1' if method == "m" else None)
