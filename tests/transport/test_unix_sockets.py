"""HTTP over a Unix socket: as over TCP, and failures that name its path."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from rpcexplorer.transport.http import HttpTransport
from rpcexplorer.transport.port import Request, Response
from tests.fakes.wire import HOLD, NEXT, Part, RawServer, Script, http_reply
from tests.transport.sending import BODY, MIB, failure_of, partial_body, send
from tests.transport.test_http import released

OPEN: list[Part] = [http_reply(b"open"), NEXT]
URL = "http://localhost/api/v2/"


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "rpc service.sock")


@pytest.fixture(params=["tcp", "unix"])
def socket_path(request: pytest.FixtureRequest, path: str) -> str:
    return path if request.param == "unix" else ""


def request_to(server: RawServer, body: bytes = BODY) -> Request:
    return Request(server.url, body, socket=server.socket_path)


def in_a_row(*servers: RawServer) -> list[Response]:
    """Send one request to each server, with one transport."""

    async def run() -> list[Response]:
        async with HttpTransport() as transport:
            return [await transport.send(request_to(server), deadline=5) for server in servers]

    return asyncio.run(run())


def over(path: str) -> Request:
    return Request(URL, BODY, socket=path)


def test_next_request_uses_the_same_connection(socket_path: str) -> None:
    with RawServer(OPEN, socket_path=socket_path) as server:
        first, second = in_a_row(server, server)
    assert (server.connections, [first.body, second.body]) == (1, [b"open", b"open"])
    assert (first.phases.kept, second.phases.kept) == (False, True)
    assert (first.phases.name, first.phases.tls) == (None, None)
    assert first.phases.connect is not None
    assert server.requests[0].head == (
        b"POST /api/v2/ HTTP/1.1\r\n"
        b"Host: %b\r\n"
        b"Content-Type: application/json-rpc\r\n"
        b"Accept: */*\r\n"
        b"Content-Length: %d\r\n"
        b"\r\n" % (b"localhost" if socket_path else b"127.0.0.1:%d" % server.port, len(BODY))
    )


@pytest.mark.parametrize("late", [b"", b"stray"], ids=["closed", "stray bytes"])
def test_spoiled_connection_is_opened_again(late: bytes, socket_path: str) -> None:
    async def twice(server: RawServer) -> Response:
        async with HttpTransport() as transport:
            await transport.send(request_to(server), deadline=5)
            await released(server)(transport)
            return await transport.send(request_to(server), deadline=5)

    with RawServer([http_reply(b"first"), HOLD, late], OPEN, socket_path=socket_path) as server:
        second = asyncio.run(twice(server))
    assert (second.body, second.remarks, server.connections) == (b"open", (), 2)


def test_large_bodies_pass_in_both_directions(socket_path: str) -> None:
    large = b"x" * (3 * MIB)
    with RawServer(http_reply(large), socket_path=socket_path) as server:
        assert send(request_to(server, large)).body == large
    assert server.requests[0].body == large


def test_early_response_is_returned(socket_path: str) -> None:
    with RawServer([http_reply(b"too large", 413), HOLD], read_body=False, socket_path=socket_path) as server:
        answer = send(request_to(server, b"x" * 20 * MIB))
    assert (answer.status, answer.body) == (413, b"too large")


@pytest.mark.parametrize(
    ("script", "step", "words"),
    [
        ([HOLD], "timeout", "did not respond within 0.5 s"),
        (b"", "wait", "closed the connection without a response"),
        (b"220 mail.example ESMTP\r\n\r\n", "wait", "did not respond with HTTP"),
        (http_reply(b"part", headers={"Content-Length": "9"}), "body", "4 of 9 bytes were received"),
    ],
    ids=["hang", "close", "another protocol", "cut"],
)
def test_failure_of_a_peer_names_its_place(script: Script, step: str, words: str, socket_path: str) -> None:
    with RawServer(script, socket_path=socket_path) as server:
        problem = failure_of(request_to(server), deadline=0.5)
    assert (problem.step, problem.maybe_ran) == (step, True)
    assert words in problem.sentence
    assert (socket_path or f"127.0.0.1:{server.port}") in problem.sentence
    assert not socket_path or "localhost" not in problem.sentence
    assert ("unix://" in problem.sentence) == (bool(socket_path) and step != "body")


def test_partial_body_over_a_socket_is_kept(path: str) -> None:
    with RawServer(http_reply(b"part", headers={"Content-Length": "9"}), socket_path=path) as server:
        assert partial_body(failure_of(request_to(server))) == b"part"


def test_each_socket_has_its_own_connection(path: str) -> None:
    with RawServer(OPEN, socket_path=path) as one, RawServer(OPEN, socket_path=f"{path}2") as two:
        answers = in_a_row(one, two, one, two)
    assert [answer.phases.kept for answer in answers] == [False, False, True, True]
    assert (one.connections, two.connections) == (1, 1)


def test_socket_uses_no_proxy(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with RawServer() as proxy, RawServer(http_reply(b"here"), socket_path=path) as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.origin)
        answer = send(request_to(server))
    assert (answer.body, answer.proxy, proxy.connections) == (b"here", None, 0)


def missing(path: str, stack: ExitStack) -> None:
    pass


def abandoned(path: str, stack: ExitStack) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)


def regular_file(path: str, stack: ExitStack) -> None:
    Path(path).touch()


def below_a_file(path: str, stack: ExitStack) -> None:
    Path(path).parent.rmdir()
    Path(path).parent.touch()


def datagrams(path: str, stack: ExitStack) -> None:
    stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)).bind(path)


def full(path: str, stack: ExitStack) -> None:
    listener = stack.enter_context(socket.socket(socket.AF_UNIX))
    listener.bind(path)
    listener.listen(0)
    stack.enter_context(socket.socket(socket.AF_UNIX)).connect(path)


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (missing, "does not exist"),
        (below_a_file, "does not exist"),
        (abandoned, "Nothing accepts connections"),
        (regular_file, "Check that it is a socket"),
        (datagrams, "Check that it is a socket"),
        (full, "accepts no more connections"),
    ],
)
def test_unusable_socket_is_explained(prepare: Callable[[str, ExitStack], None], words: str, path: str) -> None:
    with ExitStack() as stack:
        prepare(path, stack)
        problem = failure_of(over(path))
    assert (problem.step, problem.maybe_ran) == ("connect", False)
    assert words in problem.sentence
    assert path in problem.sentence


def test_too_long_path_is_explained() -> None:
    problem = failure_of(over("/" + "x" * 200))
    assert problem.step == "connect"
    assert "too long for a Unix socket" in problem.sentence


@pytest.mark.parametrize("number", [13, 1])
def test_missing_permission_is_explained(number: int, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(number, "")

    monkeypatch.setattr("rpcexplorer.transport.connection.connect_to_socket", refuse)
    problem = failure_of(over(path))
    assert problem.step == "connect"
    assert f"no permission to connect to {path}" in problem.sentence


@pytest.mark.parametrize("bad", ["run/x.sock", "\0abstract", "/run/\0x", "/run/\x1b[2J", "/run/\ud800"])
def test_unprintable_or_relative_path_is_refused(bad: str) -> None:
    problem = failure_of(over(bad))
    assert problem.step == "url"
    assert problem.sentence.isprintable()
