"""Opening TCP, TLS and Unix sockets: addresses, certificates, and failures that say what to do."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest
import trustme

from rpcexplorer.transport.http import certificate_of
from rpcexplorer.transport.port import Unreachable
from rpcexplorer.transport.stream import SocketWire
from rpcexplorer.transport.tls import USUAL, Trust
from tests.fakes.certificates import issued, refusing, self_signed
from tests.fakes.peers import LIMIT, Peer, framed, peer
from tests.fakes.wire import Authority
from tests.transport.test_wires import opened, run


async def echo(peer: Peer) -> None:
    while message := await peer.receive():
        await peer.send(peer.frame(message))


def failure_of(url: str, *, trust: Trust = USUAL, deadline: float = 5) -> Unreachable:
    with pytest.raises(Unreachable) as caught:
        asyncio.run(SocketWire(url, trust=trust, cap=LIMIT).open(deadline))
    problem = caught.value
    assert problem.sentence.endswith(".")
    assert "\n" not in problem.sentence
    assert problem.__cause__ is problem.__context__ is None
    return problem


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1:1", "tcp:// or tls:// or unix://"),
        ("tcp://127.0.0.1", "needs a port, as in tcp://"),
        ("tls://127.0.0.1:99999", "1 to 65535"),
        ("tcp://127.0.0.1:1/path", "must end after the port"),
        ("tcp://me:hunter2@127.0.0.1:1", "user name or password"),
        ("tcp://:1705", "no host"),
        ("unix://", "must begin with /"),
        ("unix://run/rpc.sock", "must begin with /"),
        ("unix:///run/\0", "printable"),
    ],
)
@pytest.mark.everyday(9)
def test_url_that_cannot_be_used_is_refused(url: str, words: str) -> None:
    problem = failure_of(url)
    assert problem.step == "url"
    assert words in problem.sentence
    assert "hunter2" not in problem.sentence


def test_bytes_without_a_message_are_kept() -> None:
    async def send(peer: Peer) -> None:
        await peer.send(b"Content-Length: 9\r\n\r\n")
        await peer.send(b"{}")

    async def test() -> None:
        async with peer(framed(send, "length")) as port:
            wire = SocketWire(f"tcp://127.0.0.1:{port}", "length", cap=LIMIT)
            async with opened(wire) as messages:
                with pytest.raises(StopAsyncIteration):
                    await anext(messages)
                assert wire.unread == b"Content-Length: 9\r\n\r\n{}"

    run(test())


def test_bytes_before_a_message_are_forgotten() -> None:
    async def test() -> None:
        async with peer(framed(echo, "lines")) as port:
            wire = SocketWire(f"tcp://127.0.0.1:{port}", cap=LIMIT)
            async with opened(wire) as messages:
                await wire.send(b"[]")
                await anext(messages)
                assert wire.unread is None

    run(test())


def test_port_without_a_service_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    problem = failure_of(f"tcp://127.0.0.1:{port}")
    assert (problem.step, f"127.0.0.1:{port}" in problem.sentence) == ("connect", True)
    assert "proxy" not in problem.sentence


def test_proxy_that_is_not_used_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://me:secret@127.0.0.1:3128")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    problem = failure_of(f"tcp://127.0.0.1:{port}")
    assert "The proxy http://127.0.0.1:3128 is not used for tcp:// URLs." in problem.sentence


def test_unknown_host_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    problem = failure_of("tcp://nowhere.example:1")
    assert (problem.step, "nowhere.example" in problem.sentence) == ("name", True)


def test_localhost_is_not_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with peer(framed(echo, "lines")) as port:
            monkeypatch.setattr(socket, "getaddrinfo", None)
            async with opened(SocketWire(f"tcp://localhost:{port}", cap=LIMIT)):
                pass

    run(test())


def test_missing_unix_socket_is_named(tmp_path: Path) -> None:
    problem = failure_of(f"unix://{tmp_path}/a b%20c.sock")
    assert problem.step == "connect"
    assert f"{tmp_path}/a b%20c.sock does not exist" in problem.sentence


@pytest.mark.thorough
def test_tls_handshake_without_end_is_a_timeout() -> None:
    pinned = Trust(certificate="sha256:" + "0" * 64)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        problem = failure_of(f"tls://127.0.0.1:{listener.getsockname()[1]}", trust=pinned, deadline=1)
    assert problem.step == "timeout"
    assert "TLS handshake" in problem.sentence
    assert "tls port" in problem.sentence


def test_certificate_of_unknown_authority_is_refused(authority: Authority) -> None:
    async def test() -> None:
        async with peer(framed(echo, "lines"), tls=authority.server()) as port:
            with pytest.raises(Unreachable) as refused:
                await SocketWire(f"tls://127.0.0.1:{port}", cap=LIMIT).open(5)
        assert refused.value.step == "tls"
        assert refused.value.reason == "untrusted"
        assert "ca_file" in refused.value.sentence

    run(test())


def test_server_without_tls_is_a_tls_failure() -> None:
    async def answer(peer: Peer) -> None:
        await peer.reader.read(100)
        await peer.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async def test() -> None:
        async with peer(framed(answer, "lines")) as port:
            with pytest.raises(Unreachable) as refused:
                await SocketWire(f"tls://127.0.0.1:{port}", cap=LIMIT).open(5)
        assert refused.value.step == "tls"
        assert "tcp://" in refused.value.sentence

    run(test())


@pytest.mark.parametrize("scheme", ["tls", "wss"])
def test_pinned_certificate_alone_is_trusted(tmp_path: Path, scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    identity = self_signed()
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:1")  # Only HTTP uses it.

    async def test() -> None:
        async with peer(framed(echo, "lines"), tls=identity.server(tmp_path)) as port:
            shown = await certificate_of(f"{scheme}://127.0.0.1:{port}", deadline=5)
            assert (shown.certificate.fingerprint, "self-signed" in shown.problem) == (identity.fingerprint, True)
            url, pinned = f"tls://127.0.0.1:{port}", Trust(certificate=identity.fingerprint)
            async with opened(SocketWire(url, trust=pinned, cap=LIMIT)):
                pass
            with pytest.raises(Unreachable, match="another certificate"):
                await SocketWire(url, trust=Trust(certificate="sha256:" + "0" * 64), cap=LIMIT).open(5)

    run(test())


@pytest.mark.parametrize("url", ["ws://127.0.0.1:1", "tcp://127.0.0.1:1", "unix:///run/x", "stdio:tls://x"])
def test_connection_without_tls_has_no_certificate(url: str) -> None:
    with pytest.raises(Unreachable, match="Only a server with https://, wss:// or tls:// shows a certificate"):
        asyncio.run(certificate_of(url, deadline=5))


def test_certificate_of_a_server_without_tls_is_missing() -> None:
    async def answer(peer: Peer) -> None:
        await peer.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async def test() -> None:
        async with peer(framed(answer, "lines")) as port:
            with pytest.raises(Unreachable, match="whether the URL must begin with ws://"):
                await certificate_of(f"wss://127.0.0.1:{port}", deadline=5)

    run(test())


@pytest.mark.parametrize("sends_certificate", [True, False])
def test_client_certificate_is_sent_and_its_refusal_named(tmp_path: Path, sends_certificate: bool) -> None:
    ca = trustme.CA()
    ca_file = tmp_path / "ca.pem"
    ca.cert_pem.write_to_path(ca_file)
    context = issued(ca).server(tmp_path, wants=ca_file)
    cert_file, key_file = issued(ca).write(tmp_path)

    async def accepted() -> None:
        async with peer(framed(echo, "lines"), tls=context) as port:
            trust = Trust(ca_file, cert_file=cert_file, key_file=key_file)
            wire = SocketWire(f"tls://127.0.0.1:{port}", trust=trust, cap=LIMIT)
            async with opened(wire) as messages:
                await wire.send(b"{}")
                assert await anext(messages) == b"{}"

    async def refused() -> None:
        with refusing(context) as url:
            wire = SocketWire(url.replace("https", "tls").rstrip("/"), trust=Trust(ca_file), cap=LIMIT)
            async with opened(wire) as messages:
                assert [message async for message in messages] == []
        assert wire.ended is not None
        assert wire.ended.step == "tls"
        assert "cert_file" in wire.ended.sentence

    run(accepted() if sends_certificate else refused())
