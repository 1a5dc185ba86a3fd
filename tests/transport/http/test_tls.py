"""Certificates are always checked, against the right authorities, and a failure says what to do."""

from __future__ import annotations

import contextlib
import datetime as dt
import gc
import os
import socket
import ssl
import struct
import threading
from typing import TYPE_CHECKING

import pytest
import trustme

from rpcexplorer.transport.http import HttpTransport
from rpcexplorer.transport.tls import Trust
from tests.fakes.wire import HOLD, RESET, Authority, RawServer, Script, http_reply
from tests.transport.http.sending import failure_of, partial_body, send

if TYPE_CHECKING:
    from pathlib import Path


def test_a_server_signed_by_the_ca_file_is_trusted(authority: Authority, tmp_path: Path) -> None:
    with RawServer(http_reply(b"safe"), tls=authority.server()) as server:
        answer = send(server.url, ca_file=authority.write(tmp_path))
    assert answer.body == b"safe"
    assert answer.phases.tls is not None


def test_the_authorities_of_the_environment_are_trusted(
    authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.write(tmp_path)))
    with RawServer(http_reply(b"safe"), tls=authority.server()) as server:
        assert send(server.url).body == b"safe"


def test_the_ca_file_replaces_the_other_authorities(
    authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.write(tmp_path)))
    (tmp_path / "other").mkdir()
    other = Authority().write(tmp_path / "other")
    with RawServer(http_reply(), tls=authority.server()) as server:
        problem = failure_of(server.url, ca_file=other)
    assert problem.step == "tls"
    assert str(other) in problem.sentence


def test_what_is_written_between_certificates_may_be_of_any_letters(authority: Authority, tmp_path: Path) -> None:
    ca_file = authority.write(tmp_path)
    ca_file.write_bytes("# Zertifikate für uns\n".encode() + ca_file.read_bytes() + b"\n# \xff\n")
    with RawServer(http_reply(b"safe"), tls=authority.server()) as server:
        assert send(server.url, ca_file=ca_file).body == b"safe"


@pytest.mark.parametrize("kind", ["a pipe", "an endless device", "a folder", "nothing", "an empty file", "300 MB"])
def test_what_is_no_file_of_certificates_is_told_and_never_waited_for(
    authority: Authority, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.write(tmp_path)))  # which must not be trusted instead
    ca_file = tmp_path / "own.pem"
    match kind:
        case "a pipe":
            os.mkfifo(ca_file)
        case "an endless device":
            ca_file.symlink_to("/dev/zero")
        case "a folder":
            ca_file.mkdir()
        case "an empty file":
            ca_file.touch()
        case "300 MB":
            with ca_file.open("wb") as file:
                file.truncate(300 * 1024 * 1024)
    with RawServer(http_reply(b"safe"), tls=authority.server()) as server:
        problem = failure_of(server.url, ca_file=ca_file)
        assert server.requests == []
    assert "cannot be read as certificates" in problem.sentence


def test_an_unknown_authority_is_refused_and_ca_file_is_named_as_the_way(authority: Authority) -> None:
    with RawServer(http_reply(), tls=authority.server()) as server:
        problem = failure_of(server.url)
        assert server.requests == []
    assert problem.step == "tls"
    assert "ca_file" in problem.sentence
    assert not problem.maybe_ran


def test_a_certificate_for_another_host_is_refused(authority: Authority, tmp_path: Path) -> None:
    with RawServer(http_reply(), tls=authority.server("elsewhere.example")) as server:
        problem = failure_of(server.url, ca_file=authority.write(tmp_path))
    assert problem.step == "tls"
    assert "another host" in problem.sentence


def test_an_expired_certificate_is_refused(tmp_path: Path) -> None:
    ca = trustme.CA()
    past = dt.datetime(2001, 1, 1, tzinfo=dt.UTC)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ca.issue_cert("127.0.0.1", not_before=past, not_after=past + dt.timedelta(1)).configure_cert(context)
    ca.cert_pem.write_to_path(tmp_path / "ca.pem")
    with RawServer(http_reply(), tls=context) as server:
        problem = failure_of(server.url, ca_file=tmp_path / "ca.pem")
    assert problem.step == "tls"
    assert "expired" in problem.sentence


@pytest.mark.parametrize("content", [None, b"", b"no certificate", b"-----BEGIN CERTIFICATE-----\n!\n"])
def test_a_ca_file_that_is_none_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "corp-ca.pem"
    if content is not None:
        path.write_bytes(content)
    problem = failure_of("https://127.0.0.1:1/", ca_file=path)
    assert problem.step == "tls"
    assert str(path) in problem.sentence


def test_authorities_of_the_environment_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    problem = failure_of("https://127.0.0.1:1/")
    assert problem.step == "tls"
    assert "SSL_CERT_FILE" in problem.sentence


def test_without_tls_no_authorities_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def unexpected(_: HttpTransport, _trust: Trust) -> ssl.SSLContext:
        raise AssertionError

    monkeypatch.setattr(HttpTransport, "_trust", unexpected)
    with RawServer(http_reply(b"plain")) as server:
        assert send(server.url).body == b"plain"


def test_https_to_a_plain_port_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer_plainly, args=(listener,))
        thread.start()
        problem = failure_of(f"https://127.0.0.1:{listener.getsockname()[1]}/")
        thread.join()
    assert problem.step == "tls"
    assert "http://" in problem.sentence


@pytest.mark.parametrize("linger", [struct.pack("ii", 0, 0), struct.pack("ii", 1, 0)], ids=["close", "reset"])
def test_a_door_slammed_in_the_handshake_is_a_tls_failure(linger: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=slam, args=(listener, linger))
        thread.start()
        problem = failure_of(f"https://127.0.0.1:{listener.getsockname()[1]}/")
        thread.join()
    assert problem.step == "tls"
    assert "handshake" in problem.sentence


@pytest.mark.thorough
def test_a_handshake_that_never_ends_ends_on_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        problem = failure_of(f"https://127.0.0.1:{listener.getsockname()[1]}/", deadline=2)
        gc.collect()  # a connection left open speaks up here
    assert problem.step == "timeout"
    assert "TLS handshake" in problem.sentence


def test_a_client_certificate_that_is_asked_for_is_a_tls_failure(authority: Authority, tmp_path: Path) -> None:
    pem = authority.write(tmp_path)
    context = authority.server()
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(pem)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=refuse_handshake, args=(listener, context))
        thread.start()
        problem = failure_of(f"https://127.0.0.1:{listener.getsockname()[1]}/", ca_file=pem)
        thread.join()
    assert problem.step == "tls"
    assert "client certificate" in problem.sentence
    assert not problem.maybe_ran


@pytest.mark.parametrize("script", [b"", [RESET]], ids=["close", "reset"])
def test_a_close_after_the_handshake_is_no_tls_failure(authority: Authority, tmp_path: Path, script: Script) -> None:
    with RawServer(script, tls=authority.server()) as server:
        problem = failure_of(server.url, ca_file=authority.write(tmp_path))
    assert problem.step == "wait"
    assert problem.maybe_ran


def test_a_body_cut_off_under_tls_is_kept(authority: Authority, tmp_path: Path) -> None:
    with RawServer(http_reply(b"part", headers={"Content-Length": "9"}), tls=authority.server()) as server:
        problem = failure_of(server.url, ca_file=authority.write(tmp_path))
    assert problem.step == "body"
    assert partial_body(problem) == b"part"


@pytest.mark.thorough
def test_a_body_that_stalls_under_tls_ends_on_time(authority: Authority, tmp_path: Path) -> None:
    with RawServer([http_reply(b"part", headers={"Content-Length": "9"}), HOLD], tls=authority.server()) as server:
        problem = failure_of(server.url, ca_file=authority.write(tmp_path), deadline=2)
    assert problem.step == "timeout"
    assert partial_body(problem) == b"part"


def answer_plainly(listener: socket.socket) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def slam(listener: socket.socket, linger: bytes) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.recv(65536)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


def refuse_handshake(listener: socket.socket, context: ssl.SSLContext) -> None:
    """Say no with an alert, and read on until the client has heard it: a reset could overtake the alert."""
    connection, _ = listener.accept()
    came, going = ssl.MemoryBIO(), ssl.MemoryBIO()
    handshake = context.wrap_bio(came, going, server_side=True)
    with connection, contextlib.suppress(ConnectionError):
        while chunk := connection.recv(65536):
            came.write(chunk)
            with contextlib.suppress(ssl.SSLError):
                handshake.do_handshake()
            connection.sendall(going.read())
