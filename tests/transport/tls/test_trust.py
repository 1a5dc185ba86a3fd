"""Whom a connection is made with, and what it tells of whoever calls: on real sockets, by servers that note it all."""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
from pathlib import Path

import pytest
import trustme

from rpcexplorer.transport.tls import Trust
from tests.fakes.certificates import Identity, issued, refusing, self_signed
from tests.fakes.wire import RawServer, http_reply
from tests.transport.http.sending import failure_of, send
from tests.transport.http.test_proxies import tunnel_to

V2, V3 = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3


@pytest.fixture(scope="module")
def ca() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def box() -> Identity:
    return self_signed()


# --- one certificate ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [V2, V3])
@pytest.mark.parametrize("kind", ["self-signed", "made out for another name", "expired"])
def test_the_one_certificate_is_trusted_whatever_it_says(
    ca: trustme.CA, box: Identity, tmp_path: Path, version: ssl.TLSVersion, kind: str
) -> None:
    identity = {
        "self-signed": lambda: box,
        "made out for another name": lambda: issued(ca, "elsewhere.example"),
        "expired": lambda: issued(ca, expired=True),
    }[kind]()
    with RawServer(http_reply(b"safe"), tls=identity.server(tmp_path, version)) as server:
        assert failure_of(server.url).untrusted
        assert send(server.url, trust=Trust(certificate=identity.fingerprint)).body == b"safe"


@pytest.mark.parametrize("version", [V2, V3])
def test_any_other_certificate_gets_not_one_byte_of_the_request(
    ca: trustme.CA, box: Identity, tmp_path: Path, version: ssl.TLSVersion
) -> None:
    ca.cert_pem.write_to_path(tmp_path / "ca.pem")  # also one that the authorities vouch for
    trust = Trust(tmp_path / "ca.pem", box.fingerprint)
    other = issued(ca)
    with RawServer(http_reply(), tls=other.server(tmp_path, version)) as server:
        problem = failure_of(server.url, trust=trust)
        assert server.requests == []
    assert problem.step == "tls"
    assert problem.untrusted
    assert not problem.maybe_ran
    assert f"{other.fingerprint} instead of {box.fingerprint}" in problem.sentence


def test_the_one_certificate_is_trusted_without_any_authorities(
    box: Identity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    with RawServer(http_reply(b"safe"), tls=box.server(tmp_path)) as server:
        assert send(server.url, trust=Trust(certificate=box.fingerprint)).body == b"safe"


@pytest.mark.parametrize("expected", [True, False])
def test_through_a_proxy_it_is_the_certificate_of_the_server_behind(
    box: Identity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: bool
) -> None:
    shown = box if expected else self_signed()
    with RawServer(http_reply(b"safe"), tls=shown.server(tmp_path)) as server, tunnel_to(server.port) as (port, heads):
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        if expected:
            assert send(server.url, trust=Trust(certificate=box.fingerprint)).body == b"safe"
        else:
            assert failure_of(server.url, trust=Trust(certificate=box.fingerprint)).untrusted
            assert server.requests == []
    assert heads[0].startswith(b"CONNECT ")


@pytest.mark.parametrize("pin", ["", "sha256:", "sha256:" + "0" * 64, "0" * 64])
def test_no_fingerprint_switches_checking_off(box: Identity, tmp_path: Path, pin: str) -> None:
    with RawServer(http_reply(), tls=box.server(tmp_path)) as server:
        assert failure_of(server.url, trust=Trust(certificate=pin)).untrusted
        assert server.requests == []


def test_nothing_but_a_handshake_that_is_checked_makes_a_connection(box: Identity) -> None:
    context = Trust(certificate=box.fingerprint).context()
    near, far = socket.socketpair()
    with near, far, pytest.raises(NotImplementedError):
        context.wrap_socket(near)


# --- who calls ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [V2, V3])
@pytest.mark.parametrize("in_one_file", [False, True])
def test_a_server_that_asks_is_shown_who_calls(
    ca: trustme.CA, box: Identity, tmp_path: Path, version: ssl.TLSVersion, in_one_file: bool
) -> None:
    ca.cert_pem.write_to_path(tmp_path / "people.pem")
    me = issued(ca, "ada@example.com")
    cert, key = me.write(tmp_path)
    if in_one_file:
        cert.write_bytes(me.key + me.certificate)
    trust = Trust(None, box.fingerprint, cert, None if in_one_file else key)
    with RawServer(http_reply(b"ada"), tls=box.server(tmp_path, version, tmp_path / "people.pem")) as server:
        assert send(server.url, trust=trust).body == b"ada"


@pytest.mark.parametrize("version", [V2, V3])
def test_a_server_that_asks_somebody_without_one_is_told_apart(
    ca: trustme.CA, box: Identity, tmp_path: Path, version: ssl.TLSVersion
) -> None:
    ca.cert_pem.write_to_path(tmp_path / "people.pem")
    with refusing(box.server(tmp_path, version, tmp_path / "people.pem")) as url:
        problem = failure_of(url, trust=Trust(certificate=box.fingerprint))
    assert problem.step == "tls"
    assert not problem.maybe_ran
    assert not problem.untrusted
    assert "name one as cert_file" in problem.sentence


@pytest.mark.parametrize("version", [V2, V3])
def test_a_server_that_does_not_know_who_calls_is_told_apart(
    ca: trustme.CA, box: Identity, tmp_path: Path, version: ssl.TLSVersion
) -> None:
    ca.cert_pem.write_to_path(tmp_path / "people.pem")
    cert, key = issued(trustme.CA(), "eve@example.com").write(tmp_path)
    with refusing(box.server(tmp_path, version, tmp_path / "people.pem")) as url:
        problem = failure_of(url, trust=Trust(None, box.fingerprint, cert, key))
    assert problem.step == "tls"
    assert f"the client certificate of cert_file {cert}" in problem.sentence


def test_a_certificate_is_only_shown_where_the_server_is_the_one_that_is_trusted(
    ca: trustme.CA, box: Identity, tmp_path: Path
) -> None:
    """Where authorities are asked, they are asked before; and a proxy never sees it."""
    cert, key = issued(ca, "ada@example.com").write(tmp_path)
    assert Trust(None, box.fingerprint, cert, key).of_proxies == Trust()
    assert Trust(cert, None, cert, key).of_proxies == Trust(cert)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        ("no certificate", "me.pem cannot be read as a certificate: it must be a PEM file"),
        ("no key", "me.key cannot be read as a key: it must be a PEM file"),
        ("a pipe", "me.key cannot be read as a key: it must be a PEM file"),
        ("a device", "me.pem cannot be read as a certificate: it must be a PEM file"),
        ("DER", "me.pem cannot be read as a certificate: it must be a PEM file"),
        ("half a key", "its key cannot be used: both must be whole, in PEM"),
        ("another key", "me.key holds the key of another certificate than"),
        ("a key of another kind", "me.key holds the key of another certificate than"),
        ("an encrypted key", "me.key holds an encrypted key: write it without a password"),
        ("an old encrypted key", "me.key holds an encrypted key: write it without a password"),
        ("no key named", "me.pem holds no key: name its file as key_file"),
        ("no certificate named", "me.key belongs to a certificate: name that as cert_file"),
    ],
)
def test_a_file_that_does_not_tell_who_calls_is_named_and_nothing_is_sent(
    ca: trustme.CA, box: Identity, tmp_path: Path, spoil: str, says: str
) -> None:
    cert, key = issued(ca, "ada@example.com").write(tmp_path)
    match spoil:
        case "no certificate":
            cert.unlink()
        case "no key":
            key.unlink()
        case "a pipe":
            key.unlink()
            os.mkfifo(key)
        case "a device":
            cert.unlink()
            cert.symlink_to("/dev/zero")
        case "DER":
            cert.write_bytes(box.der)
        case "half a key":
            key.write_bytes(key.read_bytes()[:90] + b"\n-----END EC PRIVATE KEY-----\n")
        case "another key":
            key.write_bytes(issued(ca).key)
        case "a key of another kind":
            key.write_bytes(made_by_openssl("genrsa", "2048"))
        case "an encrypted key":
            key.write_bytes(made_by_openssl("pkey", "-in", str(key), "-aes256", "-passout", "pass:secret"))
        case "an old encrypted key":
            key.write_bytes(made_by_openssl("ec", "-in", str(key), "-aes256", "-passout", "pass:secret"))
    with RawServer(http_reply(), tls=box.server(tmp_path)) as server:
        problem = failure_of(
            server.url,
            trust=Trust(
                None,
                box.fingerprint,
                None if spoil == "no certificate named" else cert,
                None if spoil == "no key named" else key,
            ),
        )
        assert server.requests == []
    assert problem.step == "tls"
    assert says in problem.sentence


def made_by_openssl(*arguments: str) -> bytes:
    return subprocess.run(["openssl", *arguments], capture_output=True, check=True).stdout
