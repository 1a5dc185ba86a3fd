"""Exceptions of the network as sentences that say what to do next."""

from __future__ import annotations

import errno
import socket
import ssl
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from rpcexplorer.transport.port import Reason, Step, Unreachable
from rpcexplorer.transport.response import Oversize, Undecodable
from rpcexplorer.transport.tls import OtherCertificate

if TYPE_CHECKING:
    import h11

    from rpcexplorer.transport.request import Address
    from rpcexplorer.transport.response import Incoming
    from rpcexplorer.transport.tls import Trust

HEADERS_TOO_LARGE: Final = 431
# OpenSSL's verify codes, see `man openssl-verification-options`.
_EXPIRED, _TOO_EARLY, _WRONG_HOST = {10}, {9}, {62, 64}
_SELF_SIGNED, _UNKNOWN_ISSUER = {18, 19}, {2, 20, 21}
_CERTIFICATE_ALERTS = (
    "CERTIFICATE_REQUIRED", "HANDSHAKE_FAILURE", "ALERT_UNKNOWN_CA", "ALERT_BAD_CERTIFICATE",
    "ALERT_UNSUPPORTED_CERTIFICATE", "ALERT_CERTIFICATE_", "ALERT_DECRYPT_ERROR", "ALERT_ACCESS_DENIED",
)  # fmt: skip
"""TLS alerts of a server that wants a client certificate, or another."""
_NO_TLS = {"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "UNKNOWN_PROTOCOL"}
_UNENCRYPTED = {"https": "http", "wss": "ws", "tls": "tcp"}


class Attempt(Struct, frozen=True):
    address: Address
    incoming: Incoming
    deadline: float
    cap: int
    proxy: str | None
    trust: Trust
    """The certificates that the profile trusts, and its own."""

    @property
    def peer(self) -> str:
        """Return the name of the server, and of its proxy with plain HTTP."""
        through = f" (through the proxy {self.proxy})" if self.proxy and self.address.scheme == "http" else ""
        return f"{self.address.place}{through}"


def explain(failure: Exception, attempt: Attempt, *, expired: bool) -> Unreachable:
    """Translate an exception; `expired`: the deadline caused it."""
    incoming = attempt.incoming
    causes = _causes(failure)
    if expired:
        step, words = _out_of_time(attempt)
    else:
        step, words = _words(failure, causes, attempt)
    maybe_ran = incoming.sent_whole and step != "tls"
    reason: Reason = ""
    if step == "tls":
        reason = _tls_reason(_tls_failure(causes), attempt)
    elif step == "wait" and maybe_ran:
        import httpcore  # Only HTTP fails so: other transports start without it.

        if isinstance(failure, httpcore.RemoteProtocolError) and _h11_failure(causes) is None:
            reason = "hung up"  # It closed the connection in order, before it sent a byte.
    return Unreachable(step, f"{words}.", maybe_ran=maybe_ran, response=incoming.response(), reason=reason)


def _h11_failure(causes: list[BaseException]) -> h11.RemoteProtocolError | None:
    """Return what is wrong with the bytes of a response."""
    import h11

    return next((cause for cause in causes if isinstance(cause, h11.RemoteProtocolError)), None)


def _tls_reason(failure: ssl.SSLError | None, attempt: Attempt) -> Reason:
    if isinstance(failure, ssl.SSLCertVerificationError | OtherCertificate):
        # The settings of the profile are for the server, not for the proxy's TLS.
        return "" if (attempt.proxy or "").startswith("https:") else "untrusted"
    if _reason(failure) in _NO_TLS:
        return "no tls"
    if _is_about_client_certificate(failure) and attempt.trust.cert_file is None:
        return "certificate wanted"
    return ""


def _is_about_client_certificate(failure: ssl.SSLError | None) -> bool:
    return any(alert in _reason(failure) for alert in _CERTIFICATE_ALERTS)


def _words(failure: Exception, causes: list[BaseException], attempt: Attempt) -> tuple[Step, str]:
    import httpcore

    phase = attempt.incoming.phase
    if isinstance(failure, Oversize):
        return "size", (
            f"The response was cut: it is larger than the limit of {attempt.cap:,} bytes. "
            "Request less data, or raise reply.limit in settings.toml"
        )
    if isinstance(failure, Undecodable):
        return "body", f"{failure}. Only the readable part is shown"
    if attempt.proxy and phase in {"start", "name", "connect", "proxy"}:
        return "proxy", _at_the_proxy(failure, attempt.proxy)
    if isinstance(failure, UnicodeError):
        return "url", "The URL cannot be used. Check its host and path for a typo"
    if isinstance(failure, httpcore.LocalProtocolError):
        return "request", "The request cannot be sent as HTTP. Check the headers of the profile"
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return "name", f"The host {attempt.address.host} was not found. Check its spelling, the network and the VPN"
    tls = _tls_failure(causes)
    if phase == "tls" or (phase in {"send", "wait"} and "ALERT" in _reason(tls)):
        # With TLS 1.3 the server rejects the handshake when the request is already on its way.
        return "tls", _at_tls(tls, attempt)
    if phase in {"send", "wait"}:
        return _without_response(causes, attempt)
    if phase == "body":
        return "body", _within_the_body(failure, attempt)
    if attempt.address.socket:
        return "connect", _at_socket(causes, attempt.address.socket)
    return "connect", _at_connecting(failure, causes, attempt.address.place)


def _causes(failure: Exception) -> list[BaseException]:
    """Return a failure and what is behind it: one for each address, or that of the layer below."""
    causes: list[BaseException] = [failure]
    if isinstance(failure, ExceptionGroup):
        causes += failure.exceptions
    if failure.__context__ is not None:  # httpcore removes the cause.
        causes.append(failure.__context__)
    return causes


def _tls_failure(causes: list[BaseException]) -> ssl.SSLError | None:
    return next((cause for cause in causes if isinstance(cause, ssl.SSLError)), None)


def _reason(failure: ssl.SSLError | None) -> str:
    return ((failure and failure.reason) or "").upper()


def _out_of_time(attempt: Attempt) -> tuple[Step, str]:
    time, place, incoming = f"{attempt.deadline:g} s", attempt.address.place, attempt.incoming
    match incoming.phase:
        case "name":
            words = f"The host {attempt.address.host} was not found within {time}. Check its spelling and the network"
        case "start" | "connect":
            words = f"No connection to {place} within {time}. Check the host, the port and the firewall"
        case "proxy":
            words = f"No connection to {place} through the proxy {attempt.proxy} within {time}. Check the proxy"
        case "tls":
            words = f"The TLS handshake with {place} did not end within {time}. {_check_tls_port(attempt.address)}"
        case "send":
            words = f"The request could not be sent completely to {place} within {time}. Raise the timeout"
        case "wait":
            words = f"{place} did not respond within {time}. Raise the timeout if the call needs more time"
            if attempt.address.socket:
                words += ", or use unix:// if the service there does not speak HTTP"
        case "body":
            received = f"The response was not complete within {time} ({incoming.received:,} bytes were received)"
            words = f"{received}. Raise the timeout if the call needs more time"
    return "timeout", words


def _at_the_proxy(failure: Exception, proxy: str) -> str:
    if isinstance(failure, ImportError):
        advice = "Install socksio where rpcexplorer is installed, or add the host to NO_PROXY"
        return f"The proxy {proxy} uses SOCKS, which needs the package socksio. {advice}"
    advice = "Check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY, or add the host to NO_PROXY"
    import httpcore

    if isinstance(failure, httpcore.ProxyError):
        status = str(failure)[:3]
        if status == "407":
            return f"The proxy {proxy} requires a user name and a password (407). {advice}"
        if status.isdecimal():
            return f"The proxy {proxy} refused to connect, with status {status}. {advice}"
    return f"The proxy {proxy} cannot be used. {advice}"


def _at_connecting(failure: Exception, causes: list[BaseException], place: str) -> str:
    numbers = {cause.errno for cause in causes if isinstance(cause, OSError)}
    if errno.ECONNREFUSED in numbers:
        return f"Nothing accepts connections at {place}. Check the port, and that the service is running"
    if numbers & {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL}:
        return f"There is no route to {place}. Check the network and the VPN"
    return f"Could not connect to {place} ({type(failure).__name__}). Check the host, the port and the network"


def _at_socket(causes: list[BaseException], path: str) -> str:
    errors = [cause for cause in causes if isinstance(cause, OSError)]
    numbers = {error.errno for error in errors}
    if numbers & {errno.ENOENT, errno.ENOTDIR}:
        return f"The Unix socket {path} does not exist. Check its path, and that the service is running"
    if numbers & {errno.EACCES, errno.EPERM}:
        return f"You have no permission to connect to {path}. Check the permissions of the socket and of its folder"
    if numbers & {errno.ECONNREFUSED, errno.ENOTSOCK, errno.EPROTOTYPE}:
        return f"Nothing accepts connections at {path}. Check that it is a socket, and that the service is running"
    if errno.EAGAIN in numbers:
        return f"{path} accepts no more connections: the service is busy or does not respond. Try again later"
    if None in numbers:  # Only this failure has no number.
        return f"The path {path} is too long for a Unix socket. Use a shorter one, such as that of a link"
    return f"Could not connect to {path}. Check its path, and that the service is running"


def _check_tls_port(address: Address) -> str:
    return f"Check that this is its {address.scheme} port"


def _at_tls(failure: ssl.SSLError | None, attempt: Attempt) -> str:
    place = attempt.address.place
    if failure is None or isinstance(failure, ssl.SSLEOFError | ssl.SSLZeroReturnError):
        return f"{place} closed the connection during the TLS handshake. {_check_tls_port(attempt.address)}"
    if isinstance(failure, ssl.SSLCertVerificationError):
        return _bad_certificate(failure.verify_code, attempt)
    if isinstance(failure, OtherCertificate):
        return (
            f"{place} shows another certificate: {failure.fingerprint} instead of the pinned "
            f"{attempt.trust.certificate}. Ask the owner of the server whether it was replaced"
        )
    reason = _reason(failure)
    if reason in _NO_TLS:
        scheme = _UNENCRYPTED.get(attempt.address.scheme, "http")
        return f"{place} does not use TLS. Check the port, and whether the URL must begin with {scheme}://"
    if _is_about_client_certificate(failure):
        if attempt.trust.cert_file is None:
            advice = "it may require a client certificate. Set cert_file and key_file in the profile"
        else:
            advice = (
                f"it may not accept the client certificate {attempt.trust.cert_file}. "
                "Ask the owner of the server which authority must sign it"
            )
        return f"{place} refused the TLS handshake: {advice}"
    if "PROTOCOL" in reason or "VERSION" in reason:
        return f"{place} offers no secure version of TLS. Update the server"
    return f"TLS with {place} failed ({reason.lower().replace('_', ' ') or 'no reason given'}). Check the port"


def _bad_certificate(code: int, attempt: Attempt) -> str:
    certificate = f"The certificate of {attempt.address.place}"
    trust = "If you trust it, set ca_file in the profile to the PEM file of the authority that signed it"
    if attempt.trust.ca_file is not None:
        trust = f"The ca_file {attempt.trust.ca_file} does not contain its authority. Ask the owner of the server"
    if code in _EXPIRED:
        return f"{certificate} has expired. The server needs a new one, or the clock of this computer is wrong"
    if code in _TOO_EARLY:
        return f"{certificate} is not valid yet. Check the clock of this computer"
    if code in _WRONG_HOST:
        return f"{certificate} is for another host. Use a host name that the certificate contains"
    if code in _SELF_SIGNED:
        return f"{certificate} is self-signed or signed by a private authority. {trust}"
    if code in _UNKNOWN_ISSUER:
        return f"{certificate} is signed by an unknown authority. {trust}"
    return f"{certificate} is not valid (code {code}). {trust}"


def _without_response(causes: list[BaseException], attempt: Attempt) -> tuple[Step, str]:
    place = attempt.peer
    if not attempt.incoming.sent_whole:
        return "send", (
            f"{place} closed the connection before the complete request was sent. The request may be too large"
        )
    if (unreadable := _h11_failure(causes)) is not None:
        if unreadable.error_status_hint == HEADERS_TOO_LARGE:
            return "wait", f"{place} sent more than 100 kB of headers, which is the limit"
        advice = "Check the port, and whether the URL needs http:// or https://"
        if attempt.address.socket:
            advice = "Check the path of the socket, and whether the URL needs unix:// instead of http+unix://"
        return "wait", f"{place} did not respond with HTTP. {advice}"
    if attempt.incoming.kept:
        return "wait", f"{place} closed the reused connection without a response"
    other = "" if attempt.address.scheme == "https" else ", or it needs https://"
    if attempt.address.socket:
        other = ", or it needs unix:// instead of http+unix://"
    return "wait", f"{place} closed the connection without a response. It may have stopped or restarted{other}"


def _within_the_body(failure: Exception, attempt: Attempt) -> str:
    incoming, place = attempt.incoming, attempt.peer
    received = f"{incoming.received:,} bytes were received"
    if incoming.announced is not None:
        received = f"{incoming.received:,} of {incoming.announced:,} bytes were received"
    if not isinstance(failure, OSError) and not incoming.is_cut:
        return f"The response of {place} is not valid HTTP: {received}"
    return f"{place} closed the connection during the response: {received}. It may have stopped or restarted"
