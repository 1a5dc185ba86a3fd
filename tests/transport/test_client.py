"""Requests and responses of a server that behaves well."""

from __future__ import annotations

import asyncio
import gzip
import socket
import time
from itertools import count, pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from rpcexplorer.transport.http import HttpTransport
from rpcexplorer.transport.port import Progress, Request
from rpcexplorer.transport.request import address_of, request_headers
from rpcexplorer.transport.response import Incoming
from tests.fakes.wire import RawServer, http_reply
from tests.transport.sending import BODY, MIB, send, spent

if TYPE_CHECKING:
    from pathlib import Path

REPLY = b'{"jsonrpc": "2.0", "id": "1", "result": "pong"}'


def test_request_sends_exactly_these_bytes() -> None:
    with RawServer(http_reply(REPLY)) as server:
        send(Request(server.url, BODY, headers=(("X-Tenant", "acme"),), cookie="sessionid=abc"))
    assert server.requests[0].head == (
        b"POST /api/v2/ HTTP/1.1\r\n"
        b"Host: 127.0.0.1:%d\r\n"
        b"Content-Type: application/json-rpc\r\n"
        b"Accept: */*\r\n"
        b"Content-Length: %d\r\n"
        b"Cookie: sessionid=abc\r\n"
        b"X-Tenant: acme\r\n"
        b"\r\n" % (server.port, len(BODY))
    )
    assert server.requests[0].body == BODY


def test_head_of_shows_the_sent_headers() -> None:
    own = (("accept", "text/plain"), ("X-B", "2"), ("x-a", "1"), ("Host", "virtual.example"))
    with RawServer(http_reply(REPLY)) as server:
        request = Request(server.url, BODY, headers=own)
        send(request)
    assert server.requests[0].headers == request_headers(request, address_of(request.url))


def test_netrc_adds_no_password(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text("default login me password SECRET\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HOME", str(tmp_path))
    with RawServer(http_reply(REPLY)) as server:
        send(server.url)
    assert server.requests[0].header("Authorization") is None


def test_empty_and_large_bodies_arrive_whole() -> None:
    large = b"x" * (3 * MIB)
    with RawServer(http_reply(REPLY)) as server:
        send(Request(server.url, b""))
        send(Request(server.url, large))
    assert [received.header("Content-Length") for received in server.requests] == ["0", str(len(large))]
    assert server.requests[1].body == large


def test_response_has_the_bytes_of_the_server() -> None:
    body = b'\xef\xbb\xbf{"a": 1.10}\x00\xff'
    headers = [("x-Odd", "a"), ("X-ODD", "b"), ("Content-Type", "application/json; charset=zip")]
    with RawServer(http_reply(body, 502, headers, reason="B\x1b[2Jad \xe9")) as server:
        answer = send(server.url)
    assert (answer.status, answer.reason, answer.version) == (502, "B\x1b[2Jad \xe9", "HTTP/1.1")
    assert answer.headers == (*headers, ("Content-Length", str(len(body))))
    assert answer.body == body
    assert answer.size == len(body)
    assert answer.remarks == ()
    assert answer.proxy is None


@pytest.mark.parametrize(
    "reply",
    [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
        b"HTTP/1.0 200 OK\r\n\r\nabc",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
        b"HTTP/1.1 200\r\nContent-Length: 3\r\n\r\nabc",
    ],
    ids=["chunked", "up to the end", "after a 100", "no reason"],
)
def test_every_framer_of_a_body_is_read(reply: bytes) -> None:
    with RawServer(reply) as server:
        assert send(server.url).body == b"abc"


def test_gzip_is_decompressed_and_progress_counts_wire_bytes() -> None:
    heard: list[Progress] = []
    packed = gzip.compress(REPLY * 100)
    with RawServer(http_reply(packed, headers={"Content-Encoding": "gzip"})) as server:
        unasked = send(server.url, watch=heard.append)
        asked = send(Request(server.url, BODY, headers=(("Accept-Encoding", "gzip"),)))
    assert unasked.body == asked.body == REPLY * 100
    assert heard[-1].received == len(packed)
    assert len(unasked.remarks) == 1
    assert asked.remarks == ()


def test_phases_sum_to_at_most_the_total(monkeypatch: pytest.MonkeyPatch) -> None:
    with RawServer(http_reply(REPLY)) as server:
        address = socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", server.port)
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [address])
        began = time.perf_counter()
        phases = send(server.url.replace("127.0.0.1", "service.example")).phases
        total = time.perf_counter() - began
    assert phases.tls is None
    steps = [phases.name, phases.connect, phases.send, phases.wait, phases.transfer]
    assert all(step is not None and step >= 0 for step in steps)
    assert spent(phases) <= total


def test_progress_reports_each_phase_and_its_bytes() -> None:
    heard: list[Progress] = []
    with RawServer(http_reply(b"x" * MIB)) as server:
        send(server.url, watch=heard.append)
    assert list(dict.fromkeys(report.step for report in heard)) == ["connecting", "sending", "waiting", "receiving"]
    assert heard[0].received == 0
    assert (heard[-1].received, heard[-1].total) == (MIB, MIB)
    assert [report.elapsed for report in heard] == sorted(report.elapsed for report in heard)
    assert len(heard) < 16


@pytest.mark.parametrize(
    ("reply", "least", "size"),
    [
        (
            http_reply(headers={"Transfer-Encoding": "chunked"}) + b"1\r\nx\r\n" * 2_000 + b"0\r\n\r\n",
            2_000,
            2_000,
        ),
        (http_reply(gzip.compress(bytes(8 * MIB)), headers={"Content-Encoding": "gzip"}), 8, 8 * MIB),
    ],
    ids=["a byte at a time", "packed"],
)
def test_other_tasks_run_after_each_piece(reply: bytes, least: int, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    turn, taken = count(), []

    class Noted(Incoming):
        def take(self, chunk: bytes) -> None:
            taken.append(next(turn))
            super().take(chunk)

    monkeypatch.setattr("rpcexplorer.transport.http.Incoming", Noted)

    async def watch(server: RawServer) -> int:
        async with HttpTransport() as transport:
            request = Request(server.url, BODY)
            sending = asyncio.create_task(transport.send(request, deadline=20))
            while not sending.done():
                next(turn)
                await asyncio.sleep(0)
            return len((await sending).body)

    with RawServer(reply) as server:
        assert asyncio.run(watch(server)) == size
    assert len(taken) >= least
    assert all(after - before > 1 for before, after in pairwise(taken))


def test_progress_is_reported_a_few_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Progress] = []
    clock = count()
    monkeypatch.setattr(
        "rpcexplorer.transport.response.time", SimpleNamespace(perf_counter=lambda: next(clock) / 10_000)
    )

    async def take_all() -> None:
        incoming = Incoming(watch=heard.append, cap=MIB)
        incoming.begin(200, b"OK", b"HTTP/1.1", [])
        for _ in range(20_000):
            incoming.take(b"x")
        incoming.stop()

    asyncio.run(take_all())
    seconds = next(clock) / 10_000
    assert seconds > 2
    assert len(heard) < 21 * seconds
