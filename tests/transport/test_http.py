"""Kept connections: only a clean, open and quiet one is used again."""

from __future__ import annotations

import asyncio
import gc
import gzip
import select
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import trustme

from rpcexplorer.transport import http
from rpcexplorer.transport.connection import Encrypted, Plain
from rpcexplorer.transport.http import LONGEST, MOST, HttpTransport, certificate_of, time_to_keep
from rpcexplorer.transport.port import Request, Response, ShownCertificate, Unreachable
from rpcexplorer.transport.response import STRAY, SURPLUS
from rpcexplorer.transport.tls import USUAL, Trust
from tests.fakes.certificates import Identity, issued
from tests.fakes.wire import HOLD, NEXT, RESET, Authority, Part, RawServer, Received, Script, http_reply
from tests.transport.sending import BODY

OPEN: list[Part] = [http_reply(b"open"), NEXT]
"""A response on a connection that the server keeps open."""
FORGED = http_reply(b"forged")


def in_a_row(url: str, count: int = 2, ca_file: Path | None = None) -> list[Response]:
    """Send requests one after the other, and return the responses."""

    async def send() -> list[Response]:
        async with HttpTransport(trust=Trust(ca_file)) as transport:
            return [await transport.send(Request(url, BODY), deadline=5) for _ in range(count)]

    return asyncio.run(send())


def socket_of(transport: HttpTransport) -> socket.socket:
    (waiting,) = transport._idle._waiting
    stream = waiting.connection.stream
    if isinstance(stream, Encrypted):
        stream = stream._stream
    assert isinstance(stream, Plain)
    return stream._socket


async def next_event(transport: HttpTransport) -> None:
    """Wait until the server does something with a kept connection."""
    await asyncio.to_thread(select.select, [socket_of(transport)], [], [], 5)


def after(
    server: RawServer,
    meanwhile: Callable[[HttpTransport], Awaitable[object]],
    count: int = 1,
    ca_file: Path | None = None,
) -> list[Response | Unreachable]:
    """Send a first request, run `meanwhile`, and send `count` more."""

    async def send() -> list[Response | Unreachable]:
        ends: list[Response | Unreachable] = []
        async with HttpTransport(trust=Trust(ca_file)) as transport:
            await transport.send(Request(server.url, b"first"), deadline=5)
            await meanwhile(transport)
            for _ in range(count):
                try:
                    ends.append(await transport.send(Request(server.url, BODY), deadline=5))
                except Unreachable as problem:
                    ends.append(problem)
        return ends

    return asyncio.run(send())


def released(server: RawServer) -> Callable[[HttpTransport], Awaitable[None]]:
    """Let the server go on, and wait for the effect."""

    async def meanwhile(transport: HttpTransport) -> None:
        server.release()
        await next_event(transport)

    return meanwhile


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
def test_next_request_uses_the_same_connection(tls: bool, authority: Authority, tmp_path: Path) -> None:
    with RawServer(OPEN, tls=authority.server() if tls else None) as server:
        first, *others = in_a_row(server.url, 3, authority.write(tmp_path) if tls else None)
    assert (server.connections, len(server.requests)) == (1, 3)
    assert not first.phases.kept
    assert first.phases.connect is not None
    for other in others:
        assert (other.body, other.remarks) == (b"open", ())
        assert other.phases.kept
        assert (other.phases.name, other.phases.connect, other.phases.tls) == (None, None, None)
        assert other.phases.wait is not None


@pytest.mark.parametrize(
    "reply",
    [
        http_reply(b"4\r\nopen\r\n0\r\n\r\n", headers={"Transfer-Encoding": "chunked"}),
        http_reply(b"4\r\nopen\r\n0\r\nX-Trailer: 1\r\n\r\n", headers={"Transfer-Encoding": "chunked"}),
        http_reply(gzip.compress(b"open"), headers={"Content-Encoding": "gzip"}),
        http_reply(b"open", 503),
        http_reply(b"open", headers={"Keep-Alive": "timeout=nonsense, max=, timeout=-1, =, \x80"}),
        http_reply(b"open", headers={"Keep-Alive": "timeout=" + "9" * 5000}),
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n" + http_reply(b"open"),
    ],
    ids=["chunked", "trailer", "gzip", "503", "nonsense", "ages", "after a 100"],
)
def test_complete_response_keeps_the_connection(reply: bytes) -> None:
    with RawServer([reply, NEXT]) as server:
        assert [answer.body for answer in in_a_row(server.url)] == [b"open", b"open"]
    assert server.connections == 1


def test_response_without_body_keeps_the_connection() -> None:
    with RawServer([b"HTTP/1.1 204 No Content\r\n\r\n", NEXT]) as server:
        assert [answer.status for answer in in_a_row(server.url)] == [204, 204]
    assert server.connections == 1


@pytest.mark.parametrize(
    "reply",
    [
        http_reply(b"open", headers={"Connection": "Keep-Alive, CLOSE"}),
        http_reply(b"open").replace(b"HTTP/1.1", b"HTTP/1.0"),
        http_reply(b"open", headers={"Connection": "keep-alive"}).replace(b"HTTP/1.1", b"HTTP/1.0"),
        http_reply(b"open", headers={"Keep-Alive": "timeout=0"}),
        http_reply(b"open", headers={"Keep-Alive": "timeout=5, max=0"}),
    ],
    ids=["close", "1.0", "1.0 that says so", "no time", "the last one"],
)
def test_connection_that_server_will_close_is_not_kept(reply: bytes) -> None:
    with RawServer([reply, NEXT]) as server:
        assert [answer.body for answer in in_a_row(server.url)] == [b"open", b"open"]
        assert server.wait_for_hangup()
    assert server.connections == 2


def test_request_with_close_is_the_last_one() -> None:
    async def send(url: str) -> None:
        async with HttpTransport() as transport:
            for _ in range(2):
                await transport.send(Request(url, BODY, headers=(("Connection", "close"),)), deadline=5)

    with RawServer(OPEN) as server:
        asyncio.run(send(server.url))
    assert server.connections == 2


@pytest.mark.parametrize(
    ("values", "seconds"),
    [
        ([], LONGEST),
        (["timeout=5"], 4),
        (["timeout=2"], 1),
        (["timeout=1"], 0.5),
        (["timeout=3600"], LONGEST),
        (["max=100, TIMEOUT = 11"], 10),
        (['timeout="5"'], 4),
        (["timeout=9", "timeout=5"], 4),
        (["timeout=0"], 0),
        (["max=0"], 0),
        (["timeout=5.5", "timeout", "timeout=1e9", "timeout=\u0665", ",,"], LONGEST),
    ],
)
def test_keep_alive_timeout_is_used_with_a_margin(values: list[str], seconds: float) -> None:
    head = Response(200, version="HTTP/1.1", headers=tuple(("keep-alive", value) for value in values))
    assert time_to_keep((), head) == seconds


def test_expired_connection_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(http, "time", SimpleNamespace(monotonic=lambda: now[0]))

    async def send(url: str) -> list[bool]:
        async with HttpTransport() as transport:
            found = []
            for moment in (0.0, 29.9, 59.8, 89.9):
                now[0] = moment
                found.append((await transport.send(Request(url, BODY), deadline=5)).phases.kept)
            return found

    with RawServer(OPEN) as server:
        assert asyncio.run(send(server.url)) == [False, True, True, False]


def test_expired_connection_is_closed_without_another_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "LONGEST", 0.001)

    async def send(server: RawServer) -> None:
        async with HttpTransport() as transport:
            await transport.send(Request(server.url, BODY), deadline=5)
            assert await asyncio.to_thread(server.wait_for_hangup)
            assert transport._idle._waiting == []

    with RawServer(OPEN) as server:
        asyncio.run(send(server))


def test_surplus_bytes_are_reported_and_not_read_next() -> None:
    with RawServer([http_reply(b"ab", headers={"Content-Length": "2"}) + FORGED, NEXT]) as server:
        answers = in_a_row(server.url)
    assert [(answer.body, answer.remarks) for answer in answers] == [(b"ab", (SURPLUS,))] * 2
    assert server.connections == 2


def test_unrequested_response_is_reported_and_not_used() -> None:
    with RawServer([http_reply(b"first"), HOLD, FORGED, NEXT], OPEN) as server:
        (answer,) = after(server, released(server))
    assert isinstance(answer, Response)
    assert (answer.body, answer.remarks, answer.phases.kept) == (b"open", (STRAY,), False)
    assert server.connections == 2


@pytest.mark.parametrize("end", [[], [RESET]], ids=["close", "reset"])
def test_closed_connection_is_not_used(end: list[Part]) -> None:
    with RawServer([http_reply(b"first"), HOLD, *end], OPEN) as server:
        (answer,) = after(server, released(server))
    assert isinstance(answer, Response)
    assert (answer.body, answer.remarks, answer.phases.kept) == (b"open", (), False)
    assert [request.body for request in server.requests] == [b"first", BODY]


def test_server_that_closes_silently_loses_kept_connections() -> None:
    async def at_once(transport: HttpTransport) -> None:
        await next_event(transport)

    with RawServer(http_reply(b"first"), OPEN) as server:
        answers = after(server, at_once, 3)
    assert [isinstance(answer, Response) and answer.phases.kept for answer in answers] == [False] * 3
    assert server.connections == 4


@asynccontextmanager
async def encrypted(
    authority: Authority, send: Callable[[ssl.SSLObject, ssl.MemoryBIO], object]
) -> AsyncIterator[tuple[Encrypted, socket.socket]]:
    """Yield a stream with unread data from the server, and its socket."""
    near, far = socket.socketpair()
    for end in (near, far):
        end.setblocking(False)
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    authority._ca.configure_trust(trust)
    stream = Encrypted(Plain(near), trust, "localhost")

    async def serve() -> None:
        loop, coming, going = asyncio.get_running_loop(), ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = authority.server().wrap_bio(coming, going, server_side=True)
        while True:
            try:
                tls.do_handshake()
            except ssl.SSLWantReadError:
                await loop.sock_sendall(far, going.read())
                coming.write(await loop.sock_recv(far, 65536))
            else:
                break
        send(tls, going)
        await loop.sock_sendall(far, going.read())

    try:
        await asyncio.gather(stream.shake_hands(), serve())
        yield stream, near
    finally:
        stream.close()
        far.close()


def unwrap(tls: ssl.SSLObject, _: ssl.MemoryBIO) -> None:
    with pytest.raises(ssl.SSLWantReadError):
        tls.unwrap()


@pytest.mark.parametrize(
    ("send", "received"),
    [
        (lambda tls, going: None, None),
        (unwrap, b""),
        (lambda tls, going: going.write(FORGED), b""),
        (lambda tls, going: tls.write(FORGED), FORGED),
    ],
    ids=["tickets", "the end", "no tls", "surplus"],
)
def test_tls_tickets_are_ignored_and_close_notify_ends(
    authority: Authority, send: Callable[[ssl.SSLObject, ssl.MemoryBIO], object], received: bytes | None
) -> None:
    async def look() -> bytes | None:
        async with encrypted(authority, send) as (stream, near):
            assert near.recv(1, socket.MSG_PEEK)  # There are at least tickets.
            return stream.arrived()

    assert asyncio.run(look()) == received


@pytest.mark.parametrize(
    "script", [b"", [RESET], b"HTTP/1.1 200 OK\r\nContent-"], ids=["close", "reset", "half a head"]
)
def test_request_on_broken_connection_is_not_repeated(script: Script) -> None:
    with RawServer([http_reply(b"first"), NEXT], script, OPEN) as server:
        problem, *others = after(server, lambda _: asyncio.sleep(0), 3)
    assert isinstance(problem, Unreachable)
    assert (problem.step, problem.maybe_ran, problem.response.phases.kept) == ("wait", True, True)
    assert "the reused connection" in problem.sentence
    assert len(server.requests) == 4
    # The broken connection was closed without notice, so no further one is kept.
    assert [isinstance(other, Response) and other.phases.kept for other in others] == [False, False]
    assert server.connections == 3


def test_incomplete_body_closes_a_kept_connection() -> None:
    with RawServer([http_reply(b"first"), NEXT], http_reply(b"part", headers={"Content-Length": "9"}), OPEN) as server:
        problem, other = after(server, lambda _: asyncio.sleep(0), 2)
    assert isinstance(problem, Unreachable)
    assert (problem.step, problem.response.body, problem.maybe_ran) == ("body", b"part", True)
    assert isinstance(other, Response)
    assert (other.body, server.connections) == (b"open", 2)


def unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server close between the check of a connection and its use."""
    monkeypatch.setattr(Plain, "arrived", lambda _: None)


def test_connection_closed_while_sending_fails_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    unseen(monkeypatch)
    with RawServer([http_reply(b"first"), HOLD], OPEN) as server:
        (problem,) = after(server, released(server))
    assert isinstance(problem, Unreachable)
    assert (problem.step, problem.maybe_ran) == ("wait", True)
    assert [request.body for request in server.requests] == [b"first"]


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
def test_unwritten_request_is_sent_over_new_connection(
    tls: bool, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unseen(monkeypatch)
    script: list[Part] = [http_reply(b"first"), HOLD, RESET]
    with RawServer(script, OPEN, tls=authority.server() if tls else None) as server:
        (answer,) = after(server, released(server), ca_file=authority.write(tmp_path))
    assert isinstance(answer, Response)
    assert (answer.body, answer.phases.kept, answer.remarks) == (b"open", False, ())
    assert answer.phases.connect is not None
    assert [request.body for request in server.requests] == [b"first", BODY]


@pytest.mark.parametrize("how", ["cancel", "deadline"])
def test_cancelled_slow_response_closes_its_connection(how: str) -> None:
    async def give_up(transport: HttpTransport) -> None:
        slow = asyncio.create_task(
            transport.send(Request(server.url, b"slow"), deadline=0.05 if how == "deadline" else 60)
        )
        assert await asyncio.to_thread(server.wait_for_request, count=2)
        if how == "cancel":
            slow.cancel()
        (end,) = await asyncio.gather(slow, return_exceptions=True)
        assert isinstance(end, asyncio.CancelledError if how == "cancel" else Unreachable)
        assert await asyncio.to_thread(server.wait_for_hangup)
        server.release()

    def forging() -> Iterator[Part]:
        yield HOLD
        yield FORGED

    with RawServer([http_reply(b"first"), NEXT], lambda _: forging(), OPEN) as server:
        answers = after(server, give_up, 2)
    assert [isinstance(answer, Response) and answer.body for answer in answers] == [b"open", b"open"]
    # A cancelled call says nothing about the server, so the third connection is kept.
    assert server.connections == 2


def test_early_response_closes_the_connection() -> None:
    async def send(url: str) -> list[bytes]:
        async with HttpTransport() as transport:
            large = await transport.send(Request(url, b"x" * 20_000_000), deadline=5)
            return [large.body, (await transport.send(Request(url, BODY), deadline=5)).body]

    with RawServer([http_reply(b"too large", 413), HOLD], OPEN, read_body=False) as server:
        assert asyncio.run(send(server.url)) == [b"too large", b"open"]
    assert server.connections == 2


def test_parallel_requests_use_and_keep_separate_connections() -> None:
    def echo(request: Received) -> Iterator[Part]:
        yield HOLD
        yield http_reply(request.body)
        yield NEXT

    async def send(server: RawServer) -> list[Response]:
        async with HttpTransport() as transport:
            for _ in range(2):
                several = asyncio.gather(
                    *(transport.send(Request(server.url, name), deadline=5) for name in (b"one", b"two", b"three"))
                )
                assert await asyncio.to_thread(server.wait_for_request, count=3)
                server.release()
                answers = await several
            return answers

    with RawServer(echo) as server:
        answers = asyncio.run(send(server))
    assert [(answer.body, answer.phases.kept) for answer in answers] == [
        (b"one", True),
        (b"two", True),
        (b"three", True),
    ]
    assert server.connections == 3


def test_number_of_kept_connections_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    async def send(urls: list[str]) -> int:
        async with HttpTransport() as transport:
            for url in urls:
                await transport.send(Request(url, BODY), deadline=5)
            return len(transport._idle._waiting)

    monkeypatch.setattr(http, "MOST", 1)
    with RawServer(OPEN) as one, RawServer(OPEN) as other:
        assert asyncio.run(send([one.url, other.url])) == 1
        assert one.wait_for_hangup()
    assert MOST > 1


def test_connection_of_ended_loop_is_closed() -> None:
    transport = HttpTransport()

    async def send(url: str) -> bool:
        return (await transport.send(Request(url, BODY), deadline=5)).phases.kept

    async def end(url: str) -> tuple[bool, bool]:
        reused = await send(url), await send(url)
        await transport.close()
        return reused

    with RawServer(OPEN) as server:
        assert asyncio.run(send(server.url)) is False
        assert asyncio.run(end(server.url)) == (False, True)
    gc.collect()  # A socket that is still open causes a warning here.
    assert server.connections == 2


def test_connection_of_another_process_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async def forked(_: HttpTransport) -> None:
        monkeypatch.setattr("os.getpid", lambda: -1)

    with RawServer(OPEN) as server:
        (answer,) = after(server, forked)
    assert isinstance(answer, Response)
    assert (answer.phases.kept, server.connections) == (False, 2)


def test_closing_transport_closes_idle_and_active_connections() -> None:
    async def send(server: RawServer) -> None:
        transport = HttpTransport()
        under_way = asyncio.create_task(transport.send(Request(server.url, BODY), deadline=5))
        assert await asyncio.to_thread(server.wait_for_request)
        await transport.close()
        server.release()
        assert (await under_way).body == b"late"
        assert await asyncio.to_thread(server.wait_for_hangup)
        await transport.send(Request(server.url, BODY), deadline=5)
        assert len(transport._idle._waiting) == 1
        await transport.close()
        assert transport._idle._waiting == []

    with RawServer([HOLD, http_reply(b"late"), NEXT], OPEN) as server:
        asyncio.run(send(server))
    gc.collect()
    assert server.connections == 2


def looked(url: str, trust: Trust = USUAL) -> ShownCertificate:
    return asyncio.run(certificate_of(url, trust, deadline=5))


def test_untrusted_certificate_is_shown_with_its_problem(box: Identity, tmp_path: Path) -> None:
    with RawServer(http_reply(), tls=box.server(tmp_path)) as server:
        shown = looked(server.url)
        assert server.requests == []
    assert shown.certificate.fingerprint == box.fingerprint
    assert "self-signed" in shown.problem


def test_trusted_certificate_is_shown_without_problem(ca: trustme.CA, tmp_path: Path) -> None:
    ca.cert_pem.write_to_path(tmp_path / "ca.pem")
    identity = issued(ca)
    with RawServer(http_reply(), tls=identity.server(tmp_path)) as server:
        shown = looked(server.url, Trust(tmp_path / "ca.pem"))
        assert server.requests == []
    assert shown == ShownCertificate(shown.certificate)
    assert shown.certificate.fingerprint == identity.fingerprint
    assert shown.certificate.names == ("127.0.0.1",)


def test_pin_does_not_count_as_trusted_authority(box: Identity, tmp_path: Path) -> None:
    with RawServer(http_reply(), tls=box.server(tmp_path)) as server:
        assert looked(server.url, Trust(certificate=box.fingerprint)).problem


def test_client_certificate_is_not_shown(ca: trustme.CA, box: Identity, tmp_path: Path) -> None:
    ca.cert_pem.write_to_path(tmp_path / "people.pem")
    cert, key = issued(ca, "ada@example.com").write(tmp_path)
    tls = box.server(tmp_path, wants=tmp_path / "people.pem")
    with RawServer(http_reply(), tls=tls) as server:
        assert looked(server.url, Trust(None, None, cert, key)).certificate.fingerprint == box.fingerprint
        assert server.requests == []  # The server has not accepted the handshake.


def test_certificate_of_plain_http_sends_nothing() -> None:
    with RawServer(http_reply()) as server:
        with pytest.raises(Unreachable, match="https://") as caught:
            looked(server.url)
        assert server.requests == []
    assert caught.value.step == "url"
