"""Failures that no server on this machine can cause."""

from __future__ import annotations

import errno
import ssl
from typing import TYPE_CHECKING

import httpcore
import pytest

from rpcexplorer.transport.failures import Attempt, explain
from rpcexplorer.transport.request import address_of
from rpcexplorer.transport.response import Incoming
from rpcexplorer.transport.tls import Trust
from tests.transport.sending import failure_of

if TYPE_CHECKING:
    from pathlib import Path

    from rpcexplorer.transport.port import Unreachable
    from rpcexplorer.transport.response import Phase


def explained(failure: Exception, phase: Phase, *, sent: bool = False, ca_file: Path | None = None) -> Unreachable:
    incoming = Incoming()
    incoming.enter(phase)
    incoming.sent_whole = sent
    attempt = Attempt(address_of("https://rpc.example.com/"), incoming, 30, 1000, None, Trust(ca_file))
    return explain(failure, attempt, expired=False)


@pytest.mark.parametrize(
    "failure",
    [
        AssertionError("SECRET"),
        ValueError("SECRET"),
        KeyError("SECRET"),
        RuntimeError("SECRET"),
        MemoryError(),
        RecursionError("SECRET"),
        ExceptionGroup("SECRET", [OSError("SECRET"), ValueError("SECRET")]),
        httpcore.LocalProtocolError("Illegal header value b'sessionid=SECRET'"),
        httpcore.RemoteProtocolError("SECRET"),
        httpcore.ReadError("SECRET"),
        httpcore.ReadTimeout("SECRET"),
        httpcore.PoolTimeout("SECRET"),
        UnicodeEncodeError("ascii", "SECRET", 0, 1, "SECRET"),
    ],
    ids=lambda failure: type(failure).__name__,
)
@pytest.mark.parametrize("phase", ["start", "name", "connect", "proxy", "tls", "send", "wait", "body"])
def test_every_failure_has_a_sentence_without_quotes(failure: Exception, phase: Phase) -> None:
    problem = explained(failure, phase)
    assert problem.sentence.endswith(".")
    assert problem.sentence.isprintable()
    assert "SECRET" not in problem.sentence


def test_every_exception_of_httpcore_becomes_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> httpcore.Response:
        raise ExceptionGroup("several", [AssertionError("sessionid=SECRET")])

    monkeypatch.setattr(httpcore.AsyncConnectionPool, "handle_async_request", broken)
    assert "SECRET" not in repr(failure_of("http://127.0.0.1/"))


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ECONNREFUSED, "Nothing accepts connections at rpc.example.com:443"),
        (errno.ENETUNREACH, "no route"),
        (errno.EHOSTUNREACH, "no route"),
        (errno.EPERM, "Could not connect to rpc.example.com:443"),
    ],
)
def test_reason_in_a_group_is_found(number: int, words: str) -> None:
    problem = explained(ExceptionGroup("all failed", [OSError(errno.EINVAL, ""), OSError(number, "")]), "connect")
    assert problem.step == "connect"
    assert words in problem.sentence


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (10, "expired"),
        (9, "not valid yet"),
        (62, "another host"),
        (64, "another host"),
        (18, "self-signed"),
        (19, "self-signed"),
        (20, "unknown authority"),
        (77, "code 77"),
    ],
)
def test_certificate_failure_is_explained(code: int, words: str) -> None:
    certificate = ssl.SSLCertVerificationError(1, "x")
    certificate.verify_code = code
    problem = explained(certificate, "tls")
    assert problem.step == "tls"
    assert words in problem.sentence


@pytest.mark.parametrize(
    ("openssl", "words", "reason"),
    [
        ("WRONG_VERSION_NUMBER", "http://", "no tls"),
        ("TLSV1_ALERT_PROTOCOL_VERSION", "no secure version of TLS", ""),
        ("UNSUPPORTED_PROTOCOL", "no secure version of TLS", ""),
        ("SSLV3_ALERT_HANDSHAKE_FAILURE", "client certificate", "certificate wanted"),
        ("BAD_SIGNATURE", "bad signature", ""),
    ],
)
def test_handshake_failure_is_explained(openssl: str, words: str, reason: str) -> None:
    failure = ssl.SSLError(1, "x")
    failure.reason = openssl
    problem = explained(failure, "tls")
    assert (problem.step, problem.reason) == ("tls", reason)
    assert words in problem.sentence


@pytest.mark.parametrize("sent", [True, False])
def test_only_completely_sent_requests_may_have_run(sent: bool) -> None:
    assert explained(ConnectionResetError(), "wait", sent=sent).maybe_ran is sent
