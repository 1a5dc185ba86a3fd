"""WebSocket: the upgrade request, its refusals, and frames of hostile servers."""

from __future__ import annotations

import struct
from contextlib import nullcontext, suppress
from types import SimpleNamespace

import pytest
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import WebSocketURI

from rpcexplorer.transport import websocket
from rpcexplorer.transport.port import Headers, Unreachable
from rpcexplorer.transport.websocket import MAX_FRAGMENTS, MAX_PINGS, Frames, WebSocketWire
from tests.fakes.peers import LIMIT, Peer, WebSocketPeer, framed, peer, upgraded
from tests.transport.test_wires import drained, opened, run


def frame(opcode: Opcode, data: bytes = b"", *, fin: bool = True) -> bytes:
    return Frame(opcode, data, fin).serialize(mask=False)


def refusal(answer: bytes, *, holds: bool = False, deadline: float = 5) -> Unreachable:
    """Return the failure after this answer to the upgrade request."""
    problems = []

    async def answer_upgrade(peer: Peer) -> None:
        await peer.reader.readuntil(b"\r\n\r\n")
        await peer.send(answer)
        if holds:
            await peer.read_to_end()

    async def test() -> None:
        async with peer(framed(answer_upgrade, "lines")) as port:
            with pytest.raises(Unreachable) as refused:
                await WebSocketWire(f"ws://127.0.0.1:{port}/rpc", cap=LIMIT).open(deadline)
            problems.append(refused.value)

    run(test())
    assert problems[0].step == "upgrade"
    assert problems[0].sentence.isprintable()
    assert problems[0].__context__ is None
    return problems[0]


def end_after(*stream: bytes, cap: int = LIMIT) -> tuple[list[bytes], Unreachable]:
    """Return the messages and the end of a connection that gets these bytes."""
    ends = []

    async def send(peer: WebSocketPeer) -> None:
        with suppress(ConnectionError):  # The connection may end before all is sent.
            for data in stream:
                await peer.send(data)
            await peer.reader.read()

    async def test() -> None:
        async with peer(upgraded(send)) as port:
            wire = WebSocketWire(f"ws://127.0.0.1:{port}", cap=cap)
            await wire.open(5)
            messages = await drained(wire)
            assert wire.ended is not None
            ends.append((messages, wire.ended))

    run(test())
    return ends[0]


def test_upgrade_request_has_exactly_the_given_headers() -> None:
    heads = []

    async def read_head(peer: Peer) -> None:
        heads.append((await peer.reader.readuntil(b"\r\n\r\n")).decode())

    headers: Headers = (("Authorization", "Bearer t"), ("cookie", "a=b"), ("HOST", "rpc.example.com"))

    async def test() -> None:
        async with peer(framed(read_head, "lines")) as port:
            url = f"ws://127.0.0.1:{port}/a b?c=d".replace(" ", "%20")
            with pytest.raises(Unreachable, match="closed the connection without a response"):
                await WebSocketWire(url, headers=headers, cookie="sessionid=1", cap=LIMIT).open(5)

    run(test())
    *lines, key, version, _, _ = heads[0].split("\r\n")
    assert lines == [
        "GET /a%20b?c=d HTTP/1.1",
        "HOST: rpc.example.com",
        "Cookie: a=b; sessionid=1",
        "Authorization: Bearer t",
        "Upgrade: websocket",
        "Connection: Upgrade",
    ]
    assert (key.partition(": ")[0], len(key)) == ("Sec-WebSocket-Key", 43)
    assert version == "Sec-WebSocket-Version: 13"


def test_url_without_websocket_is_refused() -> None:
    with pytest.raises(Unreachable, match="must begin with ws:// or wss://"):
        WebSocketWire("http://127.0.0.1:1/", cap=LIMIT)


@pytest.mark.parametrize("name", ["Sec-WebSocket-Extensions", "connection", "Content-Length"])
def test_header_of_the_upgrade_is_refused(name: str) -> None:
    with pytest.raises(Unreachable) as refused:
        WebSocketWire("ws://127.0.0.1:1/", headers=((name, "x"),), cap=LIMIT)
    assert refused.value.step == "request"


def test_offered_subprotocol_may_be_chosen() -> None:
    async def choose(peer: WebSocketPeer) -> None:
        await peer.send(peer.frame(b"[]"))
        await peer.read_to_end()

    async def test() -> None:
        async with peer(upgraded(choose, "jsonrpc")) as port:
            headers = (("Sec-WebSocket-Protocol", "lsp, jsonrpc"),)
            async with opened(WebSocketWire(f"ws://127.0.0.1:{port}", headers=headers, cap=LIMIT)) as messages:
                assert await anext(messages) == b"[]"

    run(test())


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            b"HTTP/1.1 401 No\r\nContent-Length: 10\r\n\r\nno  \x1btokenXXX",
            r"401 No: no  \x1btoken. Check the cred",
        ),
        (b"HTTP/1.0 404 Not Found\r\n\r\n<html>", "404 Not Found: <html>. Check the path"),
        (b"HTTP/1.1 302\r\nlocation: ws://evil.example/\x9b\r\n\r\n", r"It redirects to ws://evil.example/\x9b, which"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "status 200 OK: {}."),
        (b"HTTP/1.1 500 x\r\n\r\n" + b"y" * 100_000, "status 500 x. Check the path"),
        (
            b"HTTP/1.1 308 " + b"z" * 200 + b"\r\nLocation: /" + b"y" * 200 + b"\r\n\r\n",
            "308. It redirects to another URL",
        ),
        (b"HTTP/1.1 405 No\r\n\r\nUse POST.\n", "405 No: Use POST. Check the path."),
        (b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n", "not that of a WebSocket"),
        (b"HTTP/1.1 101 Switching\r\n\xff\r\n\r\n", "not that of a WebSocket"),
        (b"SSH-2.0-OpenSSH_9\r\n\r\n", "did not respond with HTTP"),
        (b"HTTP/1.1 101 a\r\n" + b"a: b\r\n" * 100_000, "did not respond with HTTP"),
        (b"HTTP/1.1 1", "did not respond with HTTP"),
        (b"", "closed the connection without a response"),
    ],
    ids=range(13),
)
@pytest.mark.everyday(13)
def test_refused_upgrade_says_why(answer: bytes, words: str) -> None:
    assert words in refusal(answer).sentence


def test_refused_upgrade_has_status_and_beginning_of_body() -> None:
    problem = refusal(b"HTTP/1.1 403 Forbidden\r\nX-A: b\r\n\r\n" + b"z" * 100_000)
    response = problem.response
    assert (response.status, response.reason, response.header("x-a")) == (403, "Forbidden", "b")
    assert response.body == b"z" * 4096


def test_refusal_without_end_is_reported_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "GOODBYE_SECONDS", 0.05)
    problem = refusal(b"HTTP/1.1 403 Forbidden\r\n\r\nwait", holds=True)
    assert "403 Forbidden: wait" in problem.sentence


def test_refusal_at_the_deadline_is_no_timeout() -> None:
    assert "status 403" in refusal(b"HTTP/1.1 403 Forbidden\r\n\r\n", holds=True, deadline=0.3).sentence


def test_line_that_is_not_http_ends_the_wait() -> None:
    assert "did not respond with HTTP" in refusal(b"ERROR: no JSON\n", holds=True, deadline=0.3).sentence


def test_extension_that_was_not_offered_is_refused() -> None:
    async def test() -> None:
        async with peer(upgraded(WebSocketPeer.read_to_end, extension="permessage-deflate")) as port:
            with pytest.raises(Unreachable, match="extension or a subprotocol that was not offered") as refused:
                await WebSocketWire(f"ws://127.0.0.1:{port}", cap=LIMIT).open(5)
            assert refused.value.response.status == 101

    run(test())


def test_message_in_the_packet_of_the_upgrade_is_read() -> None:
    async def test() -> None:
        async with peer(upgraded(WebSocketPeer.read_to_end, first=frame(Opcode.TEXT, b"[1]"))) as port:
            wire = WebSocketWire(f"ws://127.0.0.1:{port}", cap=LIMIT)
            async with opened(wire) as messages:
                assert await anext(messages) == b"[1]"

    run(test())


def test_fragments_and_binary_frames_are_messages() -> None:
    text = '{"é":1}'.encode()
    parts = [frame(Opcode.TEXT, text[:3], fin=False), frame(Opcode.PING), frame(Opcode.CONT, text[3:])]
    many = [frame(Opcode.BINARY, fin=False), *[frame(Opcode.CONT, b"x", fin=False)] * (MAX_FRAGMENTS - 2)]
    stream = b"".join([*parts, *many, frame(Opcode.CONT, b"\xff"), frame(Opcode.TEXT)])
    messages, ended = end_after(stream, frame(Opcode.CLOSE, struct.pack("!H", 1001) + b"see\tyou."))
    assert messages == [text, b"x" * (MAX_FRAGMENTS - 2) + b"\xff", b""]
    assert ended.step == "closed"
    assert ended.sentence.endswith("closed the connection with 1001: see\\tyou.")


def test_close_without_a_code_names_none() -> None:
    _, ended = end_after(frame(Opcode.CLOSE))
    assert (ended.step, ended.sentence.endswith(" closed the connection.")) == ("closed", True)


def test_pings_are_answered() -> None:
    answers = list[tuple[Opcode, bytes]]()

    async def ping(peer: WebSocketPeer) -> None:
        await peer.send(frame(Opcode.PING, b"one") + frame(Opcode.PING, b"two"))
        while len(answers) < 2:
            peer.protocol.receive_data(await peer.reader.read(1000))
            frames = [event for event in peer.protocol.events_received() if isinstance(event, Frame)]
            answers.extend((frame.opcode, bytes(frame.data)) for frame in frames)

    async def test() -> None:
        async with peer(upgraded(ping)) as port:
            wire = WebSocketWire(f"ws://127.0.0.1:{port}", cap=LIMIT)
            await wire.open(5)
            await drained(wire)

    run(test())
    assert answers == [(Opcode.PONG, b"one"), (Opcode.PONG, b"two")]


def test_close_sends_code_1000() -> None:
    codes = []

    async def read(peer: WebSocketPeer) -> None:
        await peer.read_to_end()
        codes.append(peer.protocol.close_rcvd.code if peer.protocol.close_rcvd else None)

    async def test() -> None:
        async with peer(upgraded(read)) as port:
            wire = WebSocketWire(f"ws://127.0.0.1:{port}", cap=LIMIT)
            await wire.open(5)
            await wire.close()

    run(test())
    assert codes == [1000]


@pytest.mark.parametrize(
    ("stream", "step", "words"),
    [
        (Frame(Opcode.TEXT, b"{}").serialize(mask=True), "framing", "incorrect masking"),
        (b"\xc1\x02{}", "framing", "reserved bits"),
        (b"\x83\x02{}", "framing", "invalid opcode"),
        (b"\x81\x7f" + struct.pack("!Q", 1 << 62), "size", "reply.limit"),
        (b"\x81\x7f" + struct.pack("!Q", (1 << 64) - 1), "size", "reply.limit"),
        (b"\x89\x7e" + struct.pack("!H", 200) + b"x" * 200, "framing", "control frame too long"),
        (b"\x09\x00", "framing", "fragmented control frame"),
        (frame(Opcode.CONT, b"{}"), "framing", "unexpected continuation"),
        (frame(Opcode.TEXT, b"{", fin=False) * 2, "framing", "expected a continuation"),
        (frame(Opcode.TEXT, b"{\xff}"), "framing", "not UTF-8"),
        (frame(Opcode.TEXT, b"\xc3", fin=False) + frame(Opcode.CONT, b"{}"), "framing", "not UTF-8"),
        (b"\x88\x01x", "framing", "close frame too short"),
        (b"\x88\x02\x00\x01", "framing", "invalid status code"),
        (b"\x88\x03\x03\xe8\xff", "framing", "not valid WebSocket"),
        (frame(Opcode.TEXT, fin=False) + frame(Opcode.CONT, fin=False) * MAX_FRAGMENTS, "framing", "10,000 fragments"),
        (frame(Opcode.PING) * 50_000, "framing", f"more than {MAX_PINGS:,} pings"),
        (frame(Opcode.PING, b"x" * 125) * 50_000, "framing", "pings"),
    ],
    ids=range(17),
)
@pytest.mark.everyday(17)
def test_hostile_frames_end_the_connection(stream: bytes, step: str, words: str) -> None:
    messages, ended = end_after(frame(Opcode.TEXT, b"[1]"), stream)
    assert messages == [b"[1]"]
    assert (ended.step, words in ended.sentence) == (step, True), ended.sentence
    assert ended.sentence.isprintable()


@pytest.mark.parametrize("is_whole", [True, False])
def test_message_over_the_limit_ends_the_connection(is_whole: bool) -> None:
    whole, first, last = b"x" * 1001, b"x" * 600, b"x" * 401
    parts = frame(Opcode.TEXT, first, fin=False) + frame(Opcode.CONT, last)
    messages, ended = end_after(frame(Opcode.TEXT, whole) if is_whole else parts, cap=1000)
    assert (messages, ended.step) == ([], "size")


@pytest.mark.parametrize("is_behind", [True, False])
def test_slow_pings_end_only_a_server_that_does_not_read(is_behind: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter(range(0, 1000, 60))
    monkeypatch.setattr(websocket, "time", SimpleNamespace(monotonic=lambda: next(times)))
    protocol = ClientProtocol(WebSocketURI(False, "rpc.example.com", 80, "/", ""), state=State.OPEN)
    frames = Frames(protocol, "rpc.example.com", LIMIT, lambda _: is_behind)
    pings = frame(Opcode.PING) * (MAX_PINGS // 2)
    assert [*frames.feed(pings), *frames.feed(pings)] == []
    with pytest.raises(Unreachable, match="pings") if is_behind else nullcontext():
        list(frames.feed(pings))
