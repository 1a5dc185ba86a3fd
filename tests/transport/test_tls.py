"""Certificates are always checked, and a failure says what to do."""

from __future__ import annotations

import datetime as dt
import gc
import os
import socket
import ssl
import struct
import subprocess
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
import trustme
from cryptography import x509
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.transport.tls import OtherCertificate, Trust, certificate_from
from tests.fakes.certificates import PAST, Identity, issued, refusing, self_signed
from tests.fakes.wire import Authority, RawServer, http_reply
from tests.transport.sending import failure_of, send
from tests.transport.test_proxies import tunnel_to


def test_certificate_signed_by_ca_file_is_trusted(authority: Authority, tmp_path: Path) -> None:
    with RawServer(http_reply(b"safe"), tls=authority.server()) as server:
        answer = send(server.url, ca_file=authority.write(tmp_path))
    assert answer.body == b"safe"
    assert answer.phases.tls is not None


def test_authorities_of_environment_are_trusted(
    authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.write(tmp_path)))
    with RawServer(http_reply(b"safe"), tls=authority.server()) as server:
        assert send(server.url).body == b"safe"


def test_ca_file_replaces_other_authorities(
    authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.write(tmp_path)))
    (tmp_path / "other").mkdir()
    other = Authority().write(tmp_path / "other")
    with RawServer(http_reply(), tls=authority.server()) as server:
        problem = failure_of(server.url, ca_file=other)
    assert problem.step == "tls"
    assert str(other) in problem.sentence


def test_text_between_certificates_may_have_any_bytes(authority: Authority, tmp_path: Path) -> None:
    ca_file = authority.write(tmp_path)
    ca_file.write_bytes("# Zertifikate für uns\n".encode() + ca_file.read_bytes() + b"\n# \xff\n")
    with RawServer(http_reply(b"safe"), tls=authority.server()) as server:
        assert send(server.url, ca_file=ca_file).body == b"safe"


@pytest.mark.parametrize("kind", ["a pipe", "an endless device", "a folder", "nothing", "an empty file", "300 MB"])
def test_invalid_ca_file_is_named_without_waiting(
    authority: Authority, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.write(tmp_path)))  # These authorities must not be used instead.
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


def test_unknown_authority_is_refused_and_names_ca_file(authority: Authority) -> None:
    with RawServer(http_reply(), tls=authority.server()) as server:
        problem = failure_of(server.url)
        assert server.requests == []
    assert problem.step == "tls"
    assert "ca_file" in problem.sentence
    assert not problem.maybe_ran


def test_certificate_for_another_host_is_refused(authority: Authority, tmp_path: Path) -> None:
    with RawServer(http_reply(), tls=authority.server("elsewhere.example")) as server:
        problem = failure_of(server.url, ca_file=authority.write(tmp_path))
    assert problem.step == "tls"
    assert "another host" in problem.sentence


def test_missing_authorities_of_environment_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    problem = failure_of("https://127.0.0.1:1/")
    assert problem.step == "tls"
    assert "SSL_CERT_FILE" in problem.sentence


def test_plain_http_reads_no_authorities(monkeypatch: pytest.MonkeyPatch) -> None:
    def unexpected(_: Trust) -> ssl.SSLContext:
        raise AssertionError

    monkeypatch.setattr(Trust, "context", unexpected)
    with RawServer(http_reply(b"plain")) as server:
        assert send(server.url).body == b"plain"


@pytest.mark.parametrize("linger", [struct.pack("ii", 0, 0), struct.pack("ii", 1, 0)], ids=["close", "reset"])
def test_connection_closed_in_handshake_is_a_tls_failure(linger: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=slam, args=(listener, linger))
        thread.start()
        problem = failure_of(f"https://127.0.0.1:{listener.getsockname()[1]}/")
        thread.join()
    assert problem.step == "tls"
    assert "handshake" in problem.sentence


@pytest.mark.thorough
def test_endless_handshake_ends_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        problem = failure_of(f"https://127.0.0.1:{listener.getsockname()[1]}/", deadline=2)
        gc.collect()  # A connection that is still open causes a warning here.
    assert problem.step == "timeout"
    assert "TLS handshake" in problem.sentence


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


V2, V3 = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3


@pytest.mark.parametrize("version", [V2, V3])
@pytest.mark.parametrize("kind", ["self-signed", "made out for another name", "expired"])
def test_pinned_certificate_is_trusted_whatever_it_says(
    ca: trustme.CA, box: Identity, tmp_path: Path, version: ssl.TLSVersion, kind: str
) -> None:
    identity = {
        "self-signed": lambda: box,
        "made out for another name": lambda: issued(ca, "elsewhere.example"),
        "expired": lambda: issued(ca, expired=True),
    }[kind]()
    with RawServer(http_reply(b"safe"), tls=identity.server(tmp_path, version)) as server:
        assert failure_of(server.url).reason == "untrusted"
        assert send(server.url, trust=Trust(certificate=identity.fingerprint)).body == b"safe"


@pytest.mark.parametrize("version", [V2, V3])
def test_other_certificate_than_pinned_gets_no_bytes(
    ca: trustme.CA, box: Identity, tmp_path: Path, version: ssl.TLSVersion
) -> None:
    ca.cert_pem.write_to_path(tmp_path / "ca.pem")  # The authorities would trust this one.
    trust = Trust(tmp_path / "ca.pem", box.fingerprint)
    other = issued(ca)
    with RawServer(http_reply(), tls=other.server(tmp_path, version)) as server:
        problem = failure_of(server.url, trust=trust)
        assert server.requests == []
    assert problem.step == "tls"
    assert problem.reason == "untrusted"
    assert not problem.maybe_ran
    assert f"{other.fingerprint} instead of the pinned {box.fingerprint}" in problem.sentence


def test_pinned_certificate_needs_no_authorities(
    box: Identity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    with RawServer(http_reply(b"safe"), tls=box.server(tmp_path)) as server:
        assert send(server.url, trust=Trust(certificate=box.fingerprint)).body == b"safe"


@pytest.mark.parametrize("expected", [True, False])
def test_pin_is_checked_behind_a_proxy(
    box: Identity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: bool
) -> None:
    shown = box if expected else self_signed()
    with RawServer(http_reply(b"safe"), tls=shown.server(tmp_path)) as server, tunnel_to(server.port) as (port, heads):
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        if expected:
            assert send(server.url, trust=Trust(certificate=box.fingerprint)).body == b"safe"
        else:
            assert failure_of(server.url, trust=Trust(certificate=box.fingerprint)).reason == "untrusted"
            assert server.requests == []
    assert heads[0].startswith(b"CONNECT ")


@pytest.mark.parametrize("pin", ["", "sha256:", "sha256:" + "0" * 64, "0" * 64])
def test_empty_pin_does_not_disable_checks(box: Identity, tmp_path: Path, pin: str) -> None:
    with RawServer(http_reply(), tls=box.server(tmp_path)) as server:
        assert failure_of(server.url, trust=Trust(certificate=pin)).reason == "untrusted"
        assert server.requests == []


@pytest.mark.parametrize("expected", [True, False])
def test_pin_is_checked_for_plain_sockets(box: Identity, tmp_path: Path, expected: bool) -> None:
    shown = box if expected else self_signed()
    context = Trust(certificate=box.fingerprint).context()
    with RawServer(http_reply(), tls=shown.server(tmp_path)) as server, ExitStack() as open_sockets:
        plain = open_sockets.enter_context(socket.create_connection(("127.0.0.1", server.port)))
        if expected:
            open_sockets.enter_context(context.wrap_socket(plain, server_hostname="127.0.0.1"))
        else:
            with pytest.raises(OtherCertificate):
                context.wrap_socket(plain, server_hostname="127.0.0.1")


def test_pinned_socket_needs_a_handshake_first(box: Identity) -> None:
    context = Trust(certificate=box.fingerprint).context()
    near, far = socket.socketpair()
    with near, far, pytest.raises(ValueError, match="handshake"):
        context.wrap_socket(near, do_handshake_on_connect=False)


@pytest.mark.parametrize("version", [V2, V3])
@pytest.mark.parametrize("in_one_file", [False, True])
def test_client_certificate_is_sent_if_server_asks(
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
def test_missing_client_certificate_is_explained(
    ca: trustme.CA, box: Identity, tmp_path: Path, version: ssl.TLSVersion
) -> None:
    ca.cert_pem.write_to_path(tmp_path / "people.pem")
    with refusing(box.server(tmp_path, version, tmp_path / "people.pem")) as url:
        problem = failure_of(url, trust=Trust(certificate=box.fingerprint))
    assert problem.step == "tls"
    assert not problem.maybe_ran
    assert problem.reason == "certificate wanted"
    assert "Set cert_file and key_file" in problem.sentence


@pytest.mark.parametrize("version", [V2, V3])
def test_unknown_client_certificate_is_explained(
    ca: trustme.CA, box: Identity, tmp_path: Path, version: ssl.TLSVersion
) -> None:
    ca.cert_pem.write_to_path(tmp_path / "people.pem")
    cert, key = issued(trustme.CA(), "eve@example.com").write(tmp_path)
    with refusing(box.server(tmp_path, version, tmp_path / "people.pem")) as url:
        problem = failure_of(url, trust=Trust(None, box.fingerprint, cert, key))
    assert (problem.step, problem.reason) == ("tls", "")
    assert f"the client certificate {cert}" in problem.sentence


def test_client_certificate_is_sent_only_to_trusted_server(ca: trustme.CA, box: Identity, tmp_path: Path) -> None:
    """The server is checked before, and a proxy never sees the certificate."""
    cert, key = issued(ca, "ada@example.com").write(tmp_path)
    assert Trust(None, box.fingerprint, cert, key).of_proxies == Trust()
    assert Trust(cert, None, cert, key).of_proxies == Trust(cert)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        ("no certificate", "me.pem cannot be read as a certificate: it must be a readable PEM file"),
        ("no key", "me.key cannot be read as a key: it must be a readable PEM file"),
        ("a pipe", "me.key cannot be read as a key: it must be a readable PEM file"),
        ("a device", "me.pem cannot be read as a certificate: it must be a readable PEM file"),
        ("DER", "me.pem cannot be read as a certificate: it must be a readable PEM file"),
        ("half a key", "its key cannot be used: both must be complete PEM files"),
        ("another key", "me.key contains the key of another certificate, not of"),
        ("a key of another kind", "me.key contains the key of another certificate, not of"),
        ("an encrypted key", "me.key contains an encrypted key. Write it without a password"),
        ("an old encrypted key", "me.key contains an encrypted key. Write it without a password"),
        ("no key named", "me.pem contains no key. Set key_file to the file of the key"),
        ("no certificate named", "me.key needs a certificate: set cert_file, too"),
    ],
)
def test_unusable_client_certificate_is_named_before_sending(
    ca: trustme.CA, box: Identity, tmp_path: Path, spoil: str, words: str
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
    assert words in problem.sentence


def made_by_openssl(*arguments: str) -> bytes:
    return subprocess.run(["openssl", *arguments], capture_output=True, check=True).stdout


CA = trustme.CA(organization_name="Nobody, O=Bank\\")
LEAF = issued(CA, "rpc.example.com", "*.example.org", "127.0.0.1", "::1", "ada@example.com", "bücher.example")
BOX = self_signed()


def test_certificate_fields_are_read() -> None:
    found = certificate_from(LEAF.der)
    reference = x509.load_der_x509_certificate(LEAF.der)
    assert found.fingerprint == LEAF.fingerprint
    assert set(found.names) == {
        "rpc.example.com", "*.example.org", "127.0.0.1", "::1", "ada@example.com", "xn--bcher-kva.example"
    }  # fmt: skip
    assert (found.since, found.until) == (PAST, reference.not_valid_after_utc)
    assert not found.self_signed
    assert not found.remark


def test_name_cannot_look_like_two() -> None:
    assert "O=Nobody\\, O=Bank\\\\" in certificate_from(LEAF.der).issuer.split(", OU")[0]


def test_self_signed_certificate_is_marked() -> None:
    found = certificate_from(BOX.der)
    assert found.self_signed
    assert found.subject == found.issuer
    assert "O=a box in the cellar" in found.subject
    assert found.names == ()


@pytest.mark.parametrize("year", [1950, 1999, 2049, 2050, 2999])
def test_both_date_formats_are_read(year: int) -> None:
    since, until = dt.datetime(year, 2, 28, 23, 59, 58, tzinfo=dt.UTC), dt.datetime(2999, 12, 31, tzinfo=dt.UTC)
    leaf = CA.issue_cert("a", not_before=since, not_after=until)
    der = ssl.PEM_cert_to_DER_cert(leaf.cert_chain_pems[0].bytes().decode())
    found = certificate_from(der)
    assert (found.since, found.until) == (since, until)


def unread(der: bytes) -> bool:
    """Return whether only the fingerprint is known."""
    found = certificate_from(der)
    assert found.fingerprint.startswith("sha256:")
    assert bool(found.remark) == (found.since is None)
    return bool(found.remark)


@given(st.binary(max_size=300))
def test_any_bytes_have_a_fingerprint(der: bytes) -> None:
    unread(der)


@given(st.integers(0, len(LEAF.der) - 1), st.binary(max_size=8), st.integers(0, 8))
def test_damaged_certificate_is_survived(at: int, put: bytes, instead: int) -> None:
    unread(LEAF.der[:at] + put + LEAF.der[at + instead :])


@pytest.mark.parametrize("at", range(0, len(LEAF.der), 7))
def test_incomplete_certificate_is_not_read(at: int) -> None:
    assert unread(LEAF.der[:at])


@pytest.mark.parametrize(
    "der",
    [
        b"",
        b"0\x84\xff\xff\xff\xff",  # The length is larger than the data.
        b"0\x82\x01\x00" * 400,  # The sequences are nested.
    ],
)
def test_other_data_is_not_read_as_certificate(der: bytes) -> None:
    assert unread(der)
