"""A certificate is looked at without a byte being sent to whoever shows it."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest
import trustme

from rpcexplorer.transport.http import certificate_of
from rpcexplorer.transport.port import ShownCertificate, Unreachable
from rpcexplorer.transport.tls import USUAL, Trust
from tests.fakes.certificates import Identity, issued, self_signed
from tests.fakes.wire import RawServer, http_reply
from tests.transport.http.test_proxies import tunnel_to


@pytest.fixture(scope="module")
def ca() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def box() -> Identity:
    return self_signed()


def looked(url: str, trust: Trust = USUAL) -> ShownCertificate:
    return asyncio.run(certificate_of(url, trust, deadline=5))


def test_one_that_nobody_vouches_for_is_shown_with_the_reason(box: Identity, tmp_path: Path) -> None:
    with RawServer(http_reply(), tls=box.server(tmp_path)) as server:
        shown = looked(server.url)
        assert server.requests == []
    assert shown.certificate.fingerprint == box.fingerprint
    assert "self-signed" in shown.problem


def test_one_that_the_authorities_vouch_for_is_shown_without_one(ca: trustme.CA, tmp_path: Path) -> None:
    ca.cert_pem.write_to_path(tmp_path / "ca.pem")
    identity = issued(ca)
    with RawServer(http_reply(), tls=identity.server(tmp_path)) as server:
        shown = looked(server.url, Trust(tmp_path / "ca.pem"))
        assert server.requests == []
    assert shown == ShownCertificate(shown.certificate)
    assert shown.certificate.fingerprint == identity.fingerprint
    assert shown.certificate.names == ("127.0.0.1",)


def test_a_fingerprint_that_is_trusted_does_not_count_as_vouching(box: Identity, tmp_path: Path) -> None:
    with RawServer(http_reply(), tls=box.server(tmp_path)) as server:
        assert looked(server.url, Trust(certificate=box.fingerprint)).problem


def test_ours_is_not_shown(ca: trustme.CA, box: Identity, tmp_path: Path) -> None:
    ca.cert_pem.write_to_path(tmp_path / "people.pem")
    cert, key = issued(ca, "ada@example.com").write(tmp_path)
    tls = box.server(tmp_path, wants=tmp_path / "people.pem")
    with RawServer(http_reply(), tls=tls) as server:
        assert looked(server.url, Trust(None, None, cert, key)).certificate.fingerprint == box.fingerprint
        assert server.requests == []  # it has not accepted the handshake


def test_through_a_proxy_it_is_the_one_of_the_server_behind(
    ca: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ca.cert_pem.write_to_path(tmp_path / "ca.pem")
    identity = issued(ca)
    with RawServer(tls=identity.server(tmp_path)) as server, tunnel_to(server.port) as (port, heads):
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        assert looked(server.url, Trust(tmp_path / "ca.pem")).certificate.fingerprint == identity.fingerprint
        assert server.requests == []
    assert all(head.startswith(b"CONNECT ") for head in heads)


def test_without_tls_nothing_is_sent_at_all() -> None:
    with RawServer(http_reply()) as server:
        with pytest.raises(Unreachable, match="https://") as caught:
            looked(server.url)
        assert server.requests == []
    assert caught.value.step == "url"


def test_where_nobody_answers_that_is_what_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(Unreachable, match="Nothing accepts connections") as caught:
        looked(f"https://127.0.0.1:{port}/")
    assert caught.value.step == "connect"
