"""TLS: the certificates that a profile trusts, and their fields."""

from __future__ import annotations

import ipaddress
import os
import ssl
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NoReturn

from msgspec import Struct

from rpcexplorer.transport.port import Certificate, Unreachable

_A_FILE = "it must be a readable PEM file"
MOST = 16 * 1024 * 1024
"""Bytes of a certificate file; an operating system's has under 1 MB."""


class Trust(Struct, frozen=True):
    """Which certificates to trust, and the client certificate to send.

    Requests with an equal value may share a connection.
    """

    ca_file: Path | None = None
    certificate: str | None = None
    """The pin, ``sha256:`` and hex digits; nothing else is checked then."""
    cert_file: Path | None = None
    """The client certificate, with its key if ``key_file`` is not set."""
    key_file: Path | None = None

    @property
    def of_proxies(self) -> Trust:
        """Return the settings for a proxy, without pin and client certificate."""
        return Trust(self.ca_file)

    def context(self) -> ssl.SSLContext:
        """Return a context that checks so; raise `Unreachable` for bad files.

        It reads files, which takes some time.
        """
        context = _pinned(self.certificate) if self.certificate else self._checked_by_authorities()
        if self.cert_file is not None:
            _identify(context, self.cert_file, self.key_file)
        elif self.key_file is not None:
            raise _unusable(f"The key_file {self.key_file} needs a certificate: set cert_file, too")
        return context

    def _checked_by_authorities(self) -> ssl.SSLContext:
        """Return a context with the ca_file, else with the authorities of the environment or of certifi."""
        source = f"The ca_file {self.ca_file}"
        try:
            if self.ca_file is not None:
                # Comments may contain any characters. Without any certificate, ssl would trust the usual authorities.
                certificates = _content_of(self.ca_file)
                if "-----BEGIN" in certificates:
                    return ssl.create_default_context(cadata=certificates)
            else:
                source = _usual_source()
                import httpx  # Its import takes half of the time of a call, and only TLS needs it.

                return httpx.create_ssl_context()
        except (OSError, ValueError):  # This includes ssl.SSLError. A NUL in a path is a ValueError.
            pass
        raise _unusable(f"{source} cannot be read as certificates: {_A_FILE}")


USUAL = Trust()


class Looking(Trust, frozen=True):
    """Ends every successful handshake with `CertificateSeen`: no data is sent."""

    checked: bool = True
    """The certificate authorities must trust the certificate."""

    def context(self) -> ssl.SSLContext:
        if self.checked:
            context = self._checked_by_authorities()
        else:
            context = _unchecked(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        context.sslobject_class = _Seeing
        return context


class OtherCertificate(ssl.SSLError):
    def __init__(self, fingerprint: str) -> None:
        super().__init__("another certificate")
        self.fingerprint = fingerprint


class CertificateSeen(ssl.SSLError):
    """The end of a handshake whose only purpose was the certificate."""

    def __init__(self, der: bytes) -> None:
        super().__init__("only the certificate was read")
        self.der = der


def fingerprint_of(der: bytes) -> str:
    return f"sha256:{sha256(der).hexdigest()}"


def _content_of(file: Path) -> str:
    """Return the text of a PEM file; pipes and devices are not read."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(file, flags), "rb") as opened:  # noqa: PTH123 - a descriptor, not a path
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise ValueError
        content = opened.read(MOST + 1)
    if len(content) > MOST:
        raise ValueError
    return content.decode("ascii", "ignore")


def _unusable(words: str) -> Unreachable:
    return Unreachable("tls", f"{words}.")


def _usual_source() -> str:
    for variable in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        if os.environ.get(variable):
            return f"The {variable} {os.environ[variable]}"
    return "The certificate list of certifi"


def _unchecked(context: ssl.SSLContext) -> ssl.SSLContext:
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.options |= ssl.OP_NO_RENEGOTIATION  # A renegotiation could bring another certificate.
    return context


def _pinned(fingerprint: str) -> ssl.SSLContext:
    """Return a context whose handshakes fail for any other certificate.

    The check is part of the handshake, before any byte can be written, so no caller can forget it. Every handshake
    proves that the server has the key.
    """

    def check(peer: ssl.SSLObject | ssl.SSLSocket) -> None:
        shown = fingerprint_of(peer.getpeercert(binary_form=True) or b"")
        if shown != fingerprint:
            raise OtherCertificate(shown)

    class Pinned(ssl.SSLObject):
        def do_handshake(self) -> None:
            super().do_handshake()
            check(self)

    class Context(ssl.SSLContext):
        def wrap_socket(self, *arguments: Any, **settings: Any) -> ssl.SSLSocket:
            encrypted = super().wrap_socket(*arguments, **settings)
            try:
                check(encrypted)
            except (OSError, ValueError):  # It is of another server, or the handshake is still to come.
                encrypted.close()
                raise
            return encrypted

    context = _unchecked(Context(ssl.PROTOCOL_TLS_CLIENT))
    context.sslobject_class = Pinned
    return context


class _Seeing(ssl.SSLObject):
    def do_handshake(self) -> None:
        super().do_handshake()
        raise CertificateSeen(self.getpeercert(binary_form=True) or b"")


class _EncryptedKey(Exception):  # noqa: N818 - says what it is
    pass


_OTHER_KEY = {"KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH", "NO_CERTIFICATE_ASSIGNED"}


def _identify(context: ssl.SSLContext, cert_file: Path, key_file: Path | None) -> None:
    holder = key_file or cert_file
    certificate = f"The cert_file {cert_file}"
    key = certificate if key_file is None else f"The key_file {key_file}"
    if "-----BEGIN CERTIFICATE-----" not in _pem(cert_file):
        raise _unusable(f"{certificate} cannot be read as a certificate: {_A_FILE}")
    if "PRIVATE KEY-----" not in _pem(holder):
        if key_file is None:
            raise _unusable(f"{key} contains no key. Set key_file to the file of the key")
        raise _unusable(f"{key} cannot be read as a key: {_A_FILE}")
    try:
        context.load_cert_chain(cert_file, holder, password=_refuse)
    except _EncryptedKey:
        problem = (
            f"{key} contains an encrypted key. Write it without a password to a file that only you can read, "
            "for example with openssl pkey"
        )
    except ssl.SSLError as failure:
        if (failure.reason or "") in _OTHER_KEY:
            problem = f"{key} contains the key of another certificate, not of {cert_file}: correct one of them"
        else:
            problem = f"{certificate} and its key cannot be used: both must be complete PEM files"
    else:
        return
    raise _unusable(problem)


def _pem(file: Path) -> str:
    try:
        return _content_of(file)
    except (OSError, ValueError):
        return ""


def _refuse() -> NoReturn:
    """Refuse a key with a password, or OpenSSL would ask on the terminal."""
    raise _EncryptedKey


# Tags and object identifiers of a certificate (RFC 5280).
_VERSION, _EXTENSIONS, _UTC_TIME, _WIDE_STRING = 0xA0, 0xA3, 0x17, 0x1E
_ALTERNATIVE_NAMES: Final = bytes.fromhex("551d11")
_EMAIL, _DNS, _URI, _IP = 0x81, 0x82, 0x86, 0x87
_ATTRIBUTES: Final = {
    "550403": "CN", "550405": "serialNumber", "550406": "C", "550407": "L", "550408": "ST", "55040a": "O",
    "55040b": "OU", "550461": "organizationIdentifier", "0992268993f22c640119": "DC",
    "2a864886f70d010901": "emailAddress",
}  # fmt: skip


def certificate_from(der: bytes) -> Certificate:
    """Return the fingerprint of a certificate, and its fields: the standard library reads only trusted ones."""
    fingerprint = fingerprint_of(der)
    try:
        ((_, certificate),) = _elements(der)
        fields = _elements(_elements(certificate)[0][1])
        if fields[0][0] == _VERSION:
            del fields[0]
        _, _, (_, issuer), (_, validity), (_, subject), _, *rest = fields
        since, until = (_moment(tag, text) for tag, text in _elements(validity))
        names = tuple(_alternative_names(dict(rest).get(_EXTENSIONS, b"")))
        return Certificate(fingerprint, _name(subject), _name(issuer), names, since, until)
    except (ValueError, IndexError):
        return Certificate(fingerprint, remark="its content cannot be read")


def _elements(data: bytes) -> list[tuple[int, bytes]]:
    """Split DER into its elements, each a tag and a content."""
    elements, position = list[tuple[int, bytes]](), 0
    while position < len(data):
        tag, size = data[position], data[position + 1]
        start = position + 2
        if size >= 0x80:  # The number of bytes of the size.
            start += size - 0x80
            size = int.from_bytes(data[position + 2 : start], "big")
        position = start + size
        if position > len(data):
            raise ValueError("incomplete")
        elements.append((tag, data[start:position]))
    return elements


def _moment(tag: int, text: bytes) -> datetime:
    digits = text.decode("ascii")
    if tag == _UTC_TIME:
        digits = f"20{digits}" if digits < "50" else f"19{digits}"
    return datetime.strptime(digits, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)


def _alternative_names(extensions: bytes) -> Iterator[str]:
    """Yield the host names, addresses and others that a certificate is for."""
    for _, listed in _elements(extensions):
        for _, extension in _elements(listed):
            (_, kind), *_, (_, content) = _elements(extension)
            if kind != _ALTERNATIVE_NAMES:
                continue
            for tag, name in _elements(_elements(content)[0][1]):
                if tag == _IP:
                    yield str(ipaddress.ip_address(name))
                elif tag in {_EMAIL, _DNS, _URI}:
                    yield name.decode("latin-1")


def _name(data: bytes) -> str:
    """Return a name as ``CN=…, O=…``; commas in its parts are escaped."""
    attributes = []
    for _, group in _elements(data):
        for _, attribute in _elements(group):
            (_, kind), (tag, value) = _elements(attribute)
            text = value.decode("utf-16-be" if tag == _WIDE_STRING else "utf-8", "replace")
            escaped = text.replace("\\", "\\\\").replace(",", "\\,")
            attributes.append(f"{_ATTRIBUTES.get(kind.hex(), '?')}={escaped}")
    return ", ".join(attributes)
