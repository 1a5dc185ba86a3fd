"""Kept connections: only a clean, open and quiet one is used again."""

from __future__ import annotations

import asyncio
import gc
import gzip
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import trustme

from rpcexplorer.transport import http
from rpcexplorer.transport.http import HttpStream, HttpTransport, certificate_of
from rpcexplorer.transport.port import Request, Response, ShownCertificate, Unreachable
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


async def next_event(transport: HttpTransport) -> None:
    """Wait until the server does something with a kept connection."""
    (pool,) = transport._pools.values()
    (connection,) = pool.connections
    async with asyncio.timeout(5):
        while not connection.has_expired():  # noqa: ASYNC110 - httpcore has no event for it
            await asyncio.sleep(0.001)


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
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n" + http_reply(b"open"),
    ],
    ids=["chunked", "trailer", "gzip", "503", "after a 100"],
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
    ],
    ids=["close", "1.0", "1.0 that says so"],
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


def test_expired_connection_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "IDLE_SECONDS", -1)
    with RawServer(OPEN) as server:
        assert [answer.phases.kept for answer in in_a_row(server.url)] == [False, False]


def test_surplus_bytes_are_not_read_next() -> None:
    with RawServer([http_reply(b"ab", headers={"Content-Length": "2"}) + FORGED, NEXT]) as server:
        answers = in_a_row(server.url)
    assert [answer.body for answer in answers] == [b"ab"] * 2
    assert server.connections == 2


def test_unrequested_response_is_not_used() -> None:
    with RawServer([http_reply(b"first"), HOLD, FORGED, NEXT], OPEN) as server:
        (answer,) = after(server, released(server))
    assert isinstance(answer, Response)
    assert (answer.body, answer.remarks, answer.phases.kept) == (b"open", (), False)
    assert server.connections == 2


@pytest.mark.parametrize("end", [[], [RESET]], ids=["close", "reset"])
def test_closed_connection_is_not_used(end: list[Part]) -> None:
    with RawServer([http_reply(b"first"), HOLD, *end], OPEN) as server:
        (answer,) = after(server, released(server))
    assert isinstance(answer, Response)
    assert (answer.body, answer.remarks, answer.phases.kept) == (b"open", (), False)
    assert [request.body for request in server.requests] == [b"first", BODY]


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
    assert [isinstance(other, Response) and other.phases.kept for other in others] == [False, True]
    assert server.connections == 2


def test_incomplete_body_closes_a_kept_connection() -> None:
    with RawServer([http_reply(b"first"), NEXT], http_reply(b"part", headers={"Content-Length": "9"}), OPEN) as server:
        problem, other = after(server, lambda _: asyncio.sleep(0), 2)
    assert isinstance(problem, Unreachable)
    assert (problem.step, problem.response.body, problem.maybe_ran) == ("body", b"part", True)
    assert isinstance(other, Response)
    assert (other.body, server.connections) == (b"open", 2)


def unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server close between the check of a connection and its use."""
    monkeypatch.setattr(HttpStream, "get_extra_info", lambda *_: None)


@pytest.mark.parametrize("end", [[], [RESET]], ids=["close", "reset"])
def test_connection_closed_while_sending_fails_the_request(end: list[Part], monkeypatch: pytest.MonkeyPatch) -> None:
    async def meanwhile(transport: HttpTransport) -> None:
        await released(server)(transport)
        unseen(monkeypatch)

    with RawServer([http_reply(b"first"), HOLD, *end], OPEN) as server:
        (problem,) = after(server, meanwhile)
    assert isinstance(problem, Unreachable)
    assert problem.step in {"send", "wait"}
    assert [request.body for request in server.requests] == [b"first"]


def test_forged_response_in_a_chunk_is_not_used() -> None:
    chunked = http_reply(b"4\r\nopen\r\n0\r\n\r\n", headers={"Transfer-Encoding": "chunked"})
    with RawServer([chunked + FORGED, NEXT]) as server:
        (problem,) = after(server, lambda _: asyncio.sleep(0))
    assert isinstance(problem, Unreachable)
    assert (problem.step, problem.maybe_ran, problem.response.status) == ("wait", True, None)


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
            return sum(len(pool.connections) for pool in transport._pools.values())

    monkeypatch.setattr(http, "MAX_IDLE", 1)
    with RawServer(OPEN) as one, RawServer(OPEN) as other:
        assert asyncio.run(send([one.url, other.url])) == 1
        assert one.wait_for_hangup()


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


def test_transport_can_be_closed_in_another_loop() -> None:
    transport = HttpTransport()
    with RawServer(OPEN) as server:
        asyncio.run(transport.send(Request(server.url, BODY), deadline=5))
        asyncio.run(transport.close())
        assert server.wait_for_hangup()


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
        server.forget_hangup()
        await transport.close()
        assert await asyncio.to_thread(server.wait_for_hangup)

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
