"""Servers that misbehave: calls end in time, and received data is kept."""

from __future__ import annotations

import gc
import gzip
import itertools
import socket
import threading
import tracemalloc
import zlib
from typing import TYPE_CHECKING

import pytest

from rpcexplorer.transport.port import Request
from tests.fakes.wire import HOLD, RESET, Pause, RawServer, Script, http_reply
from tests.transport.sending import MIB, failure_of, partial_body, send, spent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fakes.wire import Part

SOON = 0.5
TOO_LONG = {"Content-Length": "100"}
GZIP = {"Content-Encoding": "gzip"}
CHUNKED = {"Transfer-Encoding": "chunked"}


def dripping(first: bytes, drop: bytes) -> Iterator[Part]:
    yield first
    for _ in itertools.count():
        yield drop
        yield Pause(0.01)


def endless(first: bytes) -> Iterator[Part]:
    yield first
    yield from itertools.repeat(b"x" * 65536)


@pytest.mark.parametrize(
    ("script", "words", "received"),
    [
        ([HOLD], "did not respond", None),
        (lambda _: dripping(b"HTTP/1.1 200 OK\r\nX: ", b"y"), "did not respond", None),
        (lambda _: dripping(b"HTTP/1.1 200 OK\r\n", b"X-More: 1\r\n"), "did not respond", None),
        ([http_reply(b"partial", headers=TOO_LONG), HOLD], "7 bytes were received", b"partial"),
        ([http_reply(b"5\r\nhello\r\n", headers=CHUNKED), HOLD], "5 bytes were received", b"hello"),
    ],
    ids=["hang", "slow header", "endless headers", "stalled body", "stalled chunks"],
)
def test_deadline_covers_all_phases(script: Script, words: str, received: bytes | None) -> None:
    with RawServer(script) as server:
        problem = failure_of(server.url, deadline=SOON)
    assert problem.step == "timeout"
    assert "0.5 s" in problem.sentence
    assert words in problem.sentence
    assert problem.maybe_ran
    assert (problem.response.status is None) == (received is None)
    assert problem.response.body == (received or b"")
    assert spent(problem.response.phases) > 0


@pytest.mark.thorough
def test_unread_request_times_out_without_having_run() -> None:
    with RawServer([HOLD], read_body=False) as server:
        problem = failure_of(Request(server.url, b"x" * 20 * MIB), deadline=SOON)
    assert problem.step == "timeout"
    assert "could not be sent completely" in problem.sentence
    assert not problem.maybe_ran


@pytest.mark.thorough
def test_silent_port_ends_in_time() -> None:
    # A full backlog drops further connections silently, as a firewall would.
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        address = listener.getsockname()
        fillers = [socket.socket() for _ in range(4)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(address)
        problem = failure_of(f"http://127.0.0.1:{address[1]}/", deadline=SOON)
        for filler in fillers:
            filler.close()
    assert problem.step == "timeout"
    assert f"No connection to 127.0.0.1:{address[1]}" in problem.sentence
    assert not problem.maybe_ran


def test_endless_body_is_cut_at_the_limit() -> None:
    with RawServer(lambda _: endless(b"HTTP/1.1 200 OK\r\n\r\n")) as server:
        problem = failure_of(server.url, cap=MIB)
    assert problem.step == "size"
    assert "1,048,576 bytes" in problem.sentence
    assert partial_body(problem) == b"x" * MIB
    gc.collect()  # Anything that is still open causes a warning here.


def test_gzip_bomb_is_cut_at_the_limit() -> None:
    packing = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    block = packing.compress(bytes(MIB)) + packing.flush(zlib.Z_FULL_FLUSH)
    bomb = gzip.compress(b"")[:10] + block * 256
    with RawServer(http_reply(bomb, headers=GZIP)) as server:
        failure_of(server.url, cap=MIB)  # The first run loads modules and fills caches, which are not measured.
        tracemalloc.start()
        problem = failure_of(server.url, cap=MIB)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert problem.step == "size"
    assert partial_body(problem) == bytes(MIB)
    assert peak < 6 * MIB


def test_too_many_headers_are_explained() -> None:
    with RawServer(http_reply(headers=[(f"x-{number}", "y" * 90) for number in range(5000)])) as server:
        problem = failure_of(server.url)
    assert problem.step == "wait"
    assert "100 kB of headers" in problem.sentence


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ([http_reply(b"partial", headers=TOO_LONG), HOLD, RESET], "7 of 100 bytes were received"),
        (http_reply(b"partial", headers=TOO_LONG), "7 of 100 bytes were received"),
        (http_reply(b"7\r\npartial\r\n", headers=CHUNKED), "7 bytes were received"),
        ([http_reply(b"7\r\npartial\r\n", headers=CHUNKED), HOLD, RESET], "7 bytes were received"),
        ([b"HTTP/1.0 200 OK\r\n\r\npartial", HOLD, RESET], "7 bytes were received"),
    ],
    ids=["reset", "length too long", "chunks cut", "reset in chunks", "reset without a length"],
)
def test_incomplete_body_is_kept_and_may_have_run(script: Script, words: str) -> None:
    with RawServer(script) as server:
        # The reset waits until the bytes before it were read: not every system keeps them beyond a reset.
        problem = failure_of(server.url, watch=lambda report: server.release() if report.received else None)
    assert problem.step == "body"
    assert "closed the connection" in problem.sentence
    assert words in problem.sentence
    assert partial_body(problem) == b"partial"
    assert problem.response.status == 200
    assert problem.maybe_ran


def test_invalid_chunks_differ_from_a_closed_connection() -> None:
    with RawServer(http_reply(b"7\r\npartial\r\nzz\r\n", headers=CHUNKED)) as server:
        problem = failure_of(server.url)
    assert problem.step == "body"
    assert "is not valid HTTP" in problem.sentence
    assert partial_body(problem) == b"partial"


def test_endless_trailer_is_ended_and_body_kept() -> None:
    head = http_reply(b"7\r\npartial\r\n0\r\n", headers=CHUNKED)
    with RawServer(lambda _: endless(head)) as server:
        problem = failure_of(server.url)
    assert (problem.step, partial_body(problem)) == ("body", b"partial")
    assert "is not valid HTTP" in problem.sentence


@pytest.mark.thorough
def test_endless_interim_responses_end_in_time() -> None:
    with RawServer(lambda _: itertools.repeat(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)) as server:
        problem = failure_of(server.url, deadline=SOON)
    assert (problem.step, problem.maybe_ran) == ("timeout", True)


def test_short_content_length_ends_the_body() -> None:
    with RawServer(http_reply(b"abcdef", headers={"Content-Length": "3"})) as server:
        assert send(server.url).body == b"abc"


@pytest.mark.parametrize(
    "script", [b"", [RESET], b"HTTP/1.1 200 OK\r\nContent-"], ids=["close", "reset", "half a head"]
)
def test_close_without_response_may_have_run(script: Script) -> None:
    with RawServer(script) as server:
        problem = failure_of(server.url)
    assert problem.step == "wait"
    assert problem.response.status is None
    assert problem.maybe_ran


@pytest.mark.parametrize(
    "reply",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"\x15\x03\x01\x00\x02\x02\x16\r\n\r\n",
        b"HTTP/1.1 000 x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: \0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno header\r\n\r\n",
    ],
    ids=["ssh", "tls", "000", "negative", "two lengths", "coded transfer", "nul", "no colon"],
)
def test_response_that_is_not_http_is_explained(reply: bytes) -> None:
    with RawServer(reply) as server:
        problem = failure_of(server.url)
    assert problem.step == "wait"
    assert "did not respond with HTTP" in problem.sentence


def test_connection_closed_during_large_request_has_not_run() -> None:
    with RawServer([RESET], read_body=False) as server:
        problem = failure_of(Request(server.url, b"x" * 20 * MIB))
    assert problem.step == "send"
    assert "before the complete request was sent" in problem.sentence
    assert not problem.maybe_ran


@pytest.mark.thorough
def test_endless_lookup_delays_neither_deadline_nor_exit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    over, ended = threading.Event(), list[bool]()

    def slow(*_: object, **__: object) -> list[object]:
        ended.append(over.wait(30))
        return []

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    problem = failure_of("http://slow.invalid/", deadline=SOON)
    assert ended == []
    over.set()
    assert problem.step == "timeout"
    assert "slow.invalid" in problem.sentence
