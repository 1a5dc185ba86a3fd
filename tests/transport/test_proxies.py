"""Proxies of the environment, which are shown without their credentials."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import socket
import threading
from typing import TYPE_CHECKING

import pytest

from rpcexplorer.transport import proxy as proxies
from rpcexplorer.transport.http import HttpTransport
from rpcexplorer.transport.port import Request
from rpcexplorer.transport.proxy import proxy_for
from rpcexplorer.transport.request import address_of
from rpcexplorer.transport.tls import Trust
from tests.fakes.wire import HOLD, NEXT, RESET, Authority, RawServer, Script, http_reply
from tests.transport.sending import BODY, failure_of, send

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.mark.parametrize(
    ("variables", "url", "shown"),
    [
        ({}, "http://h/", None),
        ({"HTTP_PROXY": "http://p:3128"}, "http://h/", "http://p:3128"),
        ({"http_proxy": "http://p:3128"}, "http://h/", "http://p:3128"),
        ({"HTTP_PROXY": "p:3128"}, "http://h/", "http://p:3128"),
        ({"HTTP_PROXY": "http://me:SECRET@p:3128/x"}, "http://h/", "http://p:3128"),
        ({"HTTP_PROXY": "http://me:SEC@RET@p:3128"}, "http://h/", "http://p:3128"),
        ({"HTTP_PROXY": "http://me:SEC/RET@p:3128/x"}, "http://h/", "http://p:3128"),
        ({"HTTP_PROXY": "me:SEC/R#E?T@p:3128"}, "http://h/", "http://p:3128"),
        ({"HTTP_PROXY": "http://p:3128"}, "https://h/", None),
        ({"HTTPS_PROXY": "http://p:3128"}, "https://h/", "http://p:3128"),
        ({"ALL_PROXY": "socks5://p:1080"}, "https://h/", "socks5://p:1080"),
        ({"ALL_PROXY": "http://a", "HTTP_PROXY": "http://p"}, "http://h/", "http://p"),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": "*"}, "http://h/", None),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": "other, h"}, "http://h/", None),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": ".example.com"}, "http://a.example.com/", None),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": "h:81"}, "http://h:81/", None),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": "h:81"}, "http://h:82/", "http://p"),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": "::1"}, "http://[::1]:8080/", None),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": "h, 10.0.0.0/8"}, "http://10.1.2.3:80/", None),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": "10.1.2.3/8"}, "http://10.9.9.9/", None),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": "10.0.0.0/8"}, "http://11.1.2.3/", "http://p"),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": "10.0.0.0/8,x/y"}, "http://ten.example/", "http://p"),
        ({"HTTP_PROXY": "http://p", "no_proxy": "fd00::/8"}, "http://[fd00::1]/", None),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": "[fd00:0::1]"}, "http://[fd00::1]/", None),
        ({"HTTP_PROXY": "http://127.0.0.1:1", "NO_PROXY": "127.0.0.0/8"}, "http://127.0.0.1/", None),
        ({"HTTP_PROXY": "http://127.0.0.1:1"}, "http://127.0.0.1/", "http://127.0.0.1:1"),
        ({"HTTP_PROXY": "http://localhost:1"}, "http://[::1]/", "http://localhost:1"),
        ({"HTTP_PROXY": "http://127.0.0.1:1", "NO_PROXY": "localhost"}, "http://localhost:8000/", None),
    ],
)
def test_environment_names_the_proxy(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], url: str, shown: str | None
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    proxy = proxy_for(address_of(url))
    assert (proxy.shown if proxy else None) == shown
    assert "SEC" not in repr(proxy)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "[::1]"])
def test_loopback_address_ignores_proxy_of_the_system(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setattr(proxies, "getproxies", lambda: {"http": "http://127.0.0.1:1"})
    assert proxy_for(address_of(f"http://{host}/")) is None
    assert proxy_for(address_of("http://rpc.example.com/")) is not None


@pytest.mark.parametrize("proxy", ["http://p:3128", "http://127.0.0.1@p", "http://localhost.:1", "http://[", "p"])
def test_loopback_address_ignores_proxy_of_another_machine(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    assert proxy_for(address_of("http://localhost/")) is None
    assert proxy_for(address_of("http://a.localhost/")) is not None


def test_plain_http_uses_and_names_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with RawServer(http_reply(b"by proxy")) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://me:SECRET@127.0.0.1:{proxy.port}")
        answer = send("http://rpc.example.invalid/api/v2/")
    assert answer.body == b"by proxy"
    assert answer.proxy == proxy.origin
    received = proxy.requests[0]
    assert received.line == "POST http://rpc.example.invalid/api/v2/ HTTP/1.1"
    assert received.header("Host") == "rpc.example.invalid"
    assert received.header("Proxy-Authorization") == f"Basic {base64.b64encode(b'me:SECRET').decode()}"


def test_https_tunnel_sees_no_plaintext(monkeypatch: pytest.MonkeyPatch, authority: Authority, tmp_path: Path) -> None:
    with RawServer(http_reply(b"safe"), tls=authority.server()) as server, tunnel_to(server.port) as (port, heads):
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        answer = send(server.url, ca_file=authority.write(tmp_path))
    assert answer.body == b"safe"
    assert answer.proxy == f"http://127.0.0.1:{port}"
    assert answer.phases.tls is not None
    assert heads[0].startswith(b"CONNECT 127.0.0.1:%d HTTP/1.1\r\n" % server.port)
    assert b"application/json-rpc" not in heads[0]


def test_bytes_before_tls_in_a_tunnel_end_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    injected = b"HTTP/1.1 200 Connected\r\n\r\n" + http_reply(b"forged")
    with RawServer([injected, HOLD]) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.origin)
        problem = failure_of("https://rpc.example.invalid/", deadline=1)
    assert problem.response.status is None


async def twice(url: str, ca_file: Path) -> list[tuple[bytes, str | None, bool]]:
    async with HttpTransport(trust=Trust(ca_file)) as transport:
        answers = [await transport.send(Request(url, BODY), deadline=5) for _ in range(2)]
    return [(answer.body, answer.proxy, answer.phases.kept) for answer in answers]


def test_tunnel_is_kept_for_next_request(monkeypatch: pytest.MonkeyPatch, authority: Authority, tmp_path: Path) -> None:
    with RawServer([http_reply(b"safe"), NEXT], tls=authority.server()) as server, tunnel_to(server.port) as (port, _):
        proxy = f"http://127.0.0.1:{port}"
        monkeypatch.setenv("HTTPS_PROXY", proxy)
        answers = asyncio.run(twice(server.url, authority.write(tmp_path)))
    assert answers == [(b"safe", proxy, False), (b"safe", proxy, True)]


def test_surplus_bytes_are_not_read_next_behind_a_proxy(
    monkeypatch: pytest.MonkeyPatch, authority: Authority, tmp_path: Path
) -> None:
    surplus: Script = [http_reply(b"safe, and more", headers={"Content-Length": "4"}), NEXT]
    with RawServer(surplus) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.origin)
        answers = asyncio.run(twice("http://rpc.example.invalid/", authority.write(tmp_path)))
        assert answers == [(b"safe", proxy.origin, False)] * 2


def test_kept_connection_belongs_to_proxy_and_login(monkeypatch: pytest.MonkeyPatch) -> None:
    async def by(*proxies: str) -> list[bool]:
        reused = []
        async with HttpTransport() as transport:
            for url in proxies:
                monkeypatch.setenv("HTTP_PROXY", url)
                answer = await transport.send(Request("http://rpc.example.invalid/", BODY), deadline=5)
                reused.append(answer.phases.kept)
        return reused

    with RawServer([http_reply(b"by proxy"), NEXT]) as one, RawServer([http_reply(b"other"), NEXT]) as other:
        logins = [f"http://{user}@127.0.0.1:{one.port}" for user in ("me", "you", "me")]
        assert asyncio.run(by(*logins, other.origin)) == [False, False, True, False]


@pytest.mark.parametrize(
    ("status", "words"), [(407, "a user name and a password (407)"), (502, "refused to connect, with status 502")]
)
def test_proxy_that_refuses_the_tunnel_is_named(monkeypatch: pytest.MonkeyPatch, status: int, words: str) -> None:
    with RawServer(http_reply(status=status, reason="\x1b[2J")) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:SECRET@127.0.0.1:{proxy.port}")
        problem = failure_of("https://rpc.example.invalid/")
    assert problem.step == "proxy"
    assert words in problem.sentence
    assert problem.sentence.isprintable()
    assert "SECRET" not in problem.sentence
    assert not problem.maybe_ran


def test_proxy_407_on_plain_http_is_a_response(monkeypatch: pytest.MonkeyPatch) -> None:
    reply = http_reply(b"<html>", 407, headers={"Content-Length": "100"})
    scripts: list[Script] = [reply, [reply, RESET]]
    for script in scripts:
        with RawServer(script) as proxy:
            monkeypatch.setenv("HTTP_PROXY", proxy.origin)
            answer = send("http://rpc.example.invalid/")
        assert (answer.status, answer.proxy) == (407, proxy.origin)


def test_hangup_on_plain_http_names_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with RawServer(b"") as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.origin)
        problem = failure_of("http://rpc.example.invalid/")
    assert f"rpc.example.invalid:80 (through the proxy {proxy.origin}) closed the connection" in problem.sentence


@pytest.mark.thorough
def test_silent_proxy_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with RawServer([HOLD]) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.origin)
        problem = failure_of("https://rpc.example.invalid/", deadline=2)
    assert problem.step == "timeout"
    assert f"through the proxy {proxy.origin}" in problem.sentence
    assert not problem.maybe_ran


@pytest.mark.parametrize(
    "proxy",
    [
        "http://me:SEC/RET@127.0.0.1:1",
        "http://127.0.0.1:1",
        "http://127.0.0.1:99999",
        "gopher://p",
        "http://",
        "http://a b",
        "http://\x1b",
    ],
)
def test_unusable_proxy_is_named(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    problem = failure_of("http://rpc.example.invalid/")
    assert problem.step == "proxy"
    assert "HTTP_PROXY" in problem.sentence
    assert "SEC" not in problem.sentence
    assert problem.sentence.isprintable()


def test_socks_proxy_names_the_needed_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "socksio", None)
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1")
    problem = failure_of("http://rpc.example.invalid/")
    assert problem.step == "proxy"
    assert "socksio" in problem.sentence


@contextlib.contextmanager
def tunnel_to(port: int) -> Iterator[tuple[int, list[bytes]]]:
    """Run a proxy that accepts one CONNECT and connects to the port."""
    heads: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def carry() -> None:
            near, _ = listener.accept()
            with near, socket.create_connection(("127.0.0.1", port)) as far:
                heads.append(near.recv(65536))
                near.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
                back = threading.Thread(target=pump, args=(far, near))
                back.start()
                pump(near, far)
                back.join()

        thread = threading.Thread(target=carry)
        thread.start()
        yield listener.getsockname()[1], heads
        thread.join()


def pump(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while chunk := source.recv(65536):
            sink.sendall(chunk)
        sink.shutdown(socket.SHUT_WR)
