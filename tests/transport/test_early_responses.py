"""Responses that begin before the request is sent completely."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from rpcexplorer.transport.port import Request
from rpcexplorer.transport.response import EARLY
from tests.fakes.wire import HOLD, RESET, Authority, Parts, RawServer, http_reply
from tests.transport.sending import MIB, failure_of, partial_body, send

LARGE = b"x" * 20 * MIB
SAYS = b"too large, by far"
WITHOUT_LENGTH = http_reply(SAYS, 413, headers={"Transfer-Encoding": "identity"}).replace(
    b"Transfer-Encoding: identity\r\n", b""
)
REFUSAL = http_reply(SAYS, 413, reason="Too Large", headers={"Connection": "close", "Content-Length": str(len(SAYS))})
WAYS: dict[str, Parts] = {
    "keeps still": [REFUSAL, HOLD],
    "hangs up": REFUSAL,
    "resets": [REFUSAL, RESET],
    "says more than fits": [http_reply(b"y" * 3 * MIB, 413), HOLD],
    "ends without a length": WITHOUT_LENGTH,
    "resets without a length": [WITHOUT_LENGTH, RESET],
    "is content": [http_reply(SAYS, 200), HOLD],
}


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("way", WAYS)
def test_early_response_is_read_whatever_the_server_does(
    way: str, tls: bool, authority: Authority, tmp_path: Path
) -> None:
    with RawServer(WAYS[way], tls=authority.server() if tls else None, read_body=False) as server:
        # Without it, a reset overtakes the response.
        server._listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        answer = send(Request(server.url, LARGE), ca_file=authority.write(tmp_path) if tls else None)
    assert answer.status == (200 if way == "is content" else 413)
    assert answer.body == (b"y" * 3 * MIB if "more" in way else SAYS)
    assert answer.remarks == (EARLY,)


def test_early_incomplete_response_is_kept() -> None:
    with RawServer([http_reply(SAYS, 413, headers={"Content-Length": "100"}), RESET], read_body=False) as server:
        problem = failure_of(Request(server.url, LARGE))
    assert (problem.step, partial_body(problem), problem.maybe_ran) == ("body", SAYS, False)


@contextmanager
def talking(talk: Callable[[socket.socket], None]) -> Iterator[str]:
    """Run a server for one connection, and yield its URL."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with suppress(OSError):
                connection, _ = listener.accept()
                with connection:
                    connection.settimeout(10)
                    talk(connection)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        thread.join(10)


@pytest.mark.parametrize("early", [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 102 P\r\n\r\n"])
def test_server_that_answers_early_gets_whole_request(early: bytes) -> None:
    read: list[int] = []

    def talk(connection: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(65536)
        connection.sendall(early)
        body = len(head.partition(b"\r\n\r\n")[2])
        while body < len(LARGE):
            body += len(connection.recv(1 << 20))
        read.append(body)
        rest = http_reply(SAYS)
        connection.sendall(rest if early.endswith(b"\r\n\r\n") else rest.partition(b"\r\n")[2])

    with talking(talk) as url:
        answer = send(Request(url, LARGE))
    assert (answer.status, answer.body, answer.remarks) == (200, SAYS, ())
    assert read == [len(LARGE)]


def test_response_before_the_request_is_read() -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(b"SSH-2.0-OpenSSH_9.2p1\r\n\r\n")
        connection.recv(65536)

    with talking(talk) as url:
        assert "did not respond with HTTP" in failure_of(url).sentence
