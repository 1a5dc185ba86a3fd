"""TLS: whom a profile trusts, and what a server's certificate says."""

from __future__ import annotations

import ipaddress
import os
import re
import ssl
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

import httpx
from msgspec import Struct

from rpcexplorer.transport.port import Certificate, Unreachable

_A_FILE = "it must be a PEM file that exists and may be read"
MOST = 16 * 1024 * 1024
"""Bytes; the authorities of a whole operating system take a few hundred thousand."""


class Trust(Struct, frozen=True):
    """Whom to trust, and who calls. Equal ones may share a connection."""

    ca_file: Path | None = None
    certificate: str | None = None
    """The fingerprint of the one certificate to trust, ``sha256:`` and hex digits: no authority, name or date counts
    beside it."""
    cert_file: Path | None = None
    """The certificate that is shown to a server that asks who calls; its key too, if ``key_file`` is not set."""
    key_file: Path | None = None

    @property
    def of_proxies(self) -> Trust:
        """What holds for a proxy in between: the one certificate is the server's, and ours is for its eyes alone."""
        return Trust(self.ca_file)

    def context(self) -> ssl.SSLContext:
        """What shakes hands so, and ends the handshake otherwise; `Unreachable` where a file is not what it should be.

        It reads files, which takes a while.
        """
        context = _pinned(self.certificate) if self.certificate else self._checked_by_authorities()
        if self.cert_file is not None:
            _identify(context, self.cert_file, self.key_file)
        elif self.key_file is not None:
            raise _unusable(f"The key_file {self.key_file} belongs to a certificate: name that as cert_file")
        return context

    def _checked_by_authorities(self) -> ssl.SSLContext:
        try:
            return httpx.create_ssl_context(trust_env=True) if self.ca_file is None else context_of(self.ca_file)
        except (OSError, ValueError):  # ssl.SSLError is an OSError; a NUL in a path is a ValueError
            problem = _unusable(f"{_source_of_roots(self.ca_file)} cannot be read as certificates: {_A_FILE}")
        raise problem


USUAL = Trust()


class Looking(Trust, frozen=True):
    """Ends every handshake that went well with `CertificateSeen`, so that nothing is ever sent."""

    checked: bool = True
    """Whether the authorities have to vouch for what is seen."""

    def context(self) -> ssl.SSLContext:
        context = self._checked_by_authorities() if self.checked else _unchecked()
        context.sslobject_class = _Seeing
        return context


class OtherCertificate(ssl.SSLError):
    def __init__(self, fingerprint: str) -> None:
        super().__init__("another certificate")
        self.fingerprint = fingerprint


class CertificateSeen(Unreachable):
    def __init__(self, der: bytes) -> None:
        super().__init__("tls", "Only the certificate was looked at.")
        self.der = der


def fingerprint_of(der: bytes) -> str:
    return f"sha256:{sha256(der).hexdigest()}"


def context_of(ca_file: Path) -> ssl.SSLContext:
    """A context that trusts what stands in a PEM file, and nothing else.

    OSError or ValueError where that is no file of certificates: a pipe is not waited for, and a device not read.
    """
    # Comments between them may be of any letters; and without any certificate, ssl would trust the usual ones.
    certificates = _content_of(ca_file)
    if "-----BEGIN" not in certificates:
        raise ValueError
    return ssl.create_default_context(cadata=certificates)


def _content_of(file: Path) -> str:
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


def _source_of_roots(ca_file: Path | None) -> str:
    if ca_file is not None:
        return f"The ca_file {ca_file}"
    for variable in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        if os.environ.get(variable):
            return f"What {variable} names ({os.environ[variable]})"
    return "The list of authorities that comes with certifi"


# --- one certificate ------------------------------------------------------------------------------------------------


class _ByHandshake(ssl.SSLContext):
    """Makes no connection but by handshakes of the class that it was given, which decides what one comes to."""

    def wrap_socket(self, *_: object, **__: object) -> NoReturn:
        raise NotImplementedError


def _unchecked() -> ssl.SSLContext:
    context = _ByHandshake(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.options |= ssl.OP_NO_RENEGOTIATION  # which could bring another certificate
    return context


def _pinned(fingerprint: str) -> ssl.SSLContext:
    """A context whose handshakes fail, before a byte can be written, unless this very certificate was shown.

    That the server has its key is what any handshake proves, whatever else is checked. It stands in the handshake
    itself so that no one who makes connections has to think of it.
    """

    class Pinned(ssl.SSLObject):
        def do_handshake(self) -> None:
            super().do_handshake()
            shown = fingerprint_of(self.getpeercert(binary_form=True) or b"")
            if shown != fingerprint:
                raise OtherCertificate(shown)

    context = _unchecked()
    context.sslobject_class = Pinned
    return context


class _Seeing(ssl.SSLObject):
    def do_handshake(self) -> None:
        super().do_handshake()
        raise CertificateSeen(self.getpeercert(binary_form=True) or b"")


# --- who calls ------------------------------------------------------------------------------------------------------


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
        wanted = f"cannot be read as a key: {_A_FILE}" if key_file else "holds no key: name its file as key_file"
        raise _unusable(f"{key} {wanted}")
    try:
        context.load_cert_chain(cert_file, holder, password=_refuse)
    except _EncryptedKey:
        written = f"openssl pkey -in {holder} -out NEW.key"
        problem = f"{key} holds an encrypted key: write it without a password, where only you may read: {written}"
    except ssl.SSLError as failure:
        if (failure.reason or "") in _OTHER_KEY:
            problem = f"{key} holds the key of another certificate than {cert_file}: name the two that belong together"
        else:
            problem = f"{certificate} and its key cannot be used: both must be whole, in PEM"
    except (OSError, ValueError):
        problem = f"{certificate} or its key cannot be read: check that both are there"
    else:
        return
    raise _unusable(problem)


def _pem(file: Path) -> str:
    try:
        return _content_of(file)
    except (OSError, ValueError):
        return ""


def _refuse() -> NoReturn:
    """Instead of OpenSSL, which would ask on the terminal."""
    raise _EncryptedKey


_SEQUENCE, _OID, _UTC_TIME, _TIME = 0x30, 0x06, 0x17, 0x18
_VERSION, _EXTENSIONS = 0xA0, 0xA3
_EMAIL, _DNS, _URI, _IP = 0x81, 0x82, 0x86, 0x87
_ALTERNATIVE_NAMES: Final = b"\x55\x1d\x11"
_ATTRIBUTES: Final = {
    b"\x55\x04\x03": "CN", b"\x55\x04\x06": "C", b"\x55\x04\x07": "L", b"\x55\x04\x08": "ST", b"\x55\x04\x0a": "O",
    b"\x55\x04\x0b": "OU", b"\x09\x92\x26\x89\x93\xf2\x2c\x64\x01\x19": "DC",
    b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x01": "emailAddress",
}  # fmt: skip
_LETTERS: Final = {0x14: "latin-1", 0x1C: "utf-32-be", 0x1E: "utf-16-be"}
"""Encodings of the strings that are not UTF-8, nor a part of it."""
_PART: Final = re.compile(r"[\\,]")
_ESCAPED: Final = r"\\\g<0>"


class _Element(NamedTuple):
    tag: int
    content: bytes


def certificate_from(der: bytes) -> Certificate:
    try:
        return _read(der)
    except (ValueError, IndexError, StopIteration, OverflowError):
        return Certificate(fingerprint_of(der), remark="what stands in it cannot be read")


def _read(der: bytes) -> Certificate:
    whole = _only(der, _SEQUENCE)
    fields = [each for each in _elements(next(_elements(whole)).content) if each.tag != _VERSION]
    _serial, _algorithm, issuer, validity, subject, _key, *more = fields
    since, until = map(_moment, _elements(validity.content))
    extensions = (each.content for each in more if each.tag == _EXTENSIONS)
    names = tuple(name for each in extensions for name in _alternative_names(each))
    return Certificate(fingerprint_of(der), _name(subject), _name(issuer), names, since, until)


def _elements(data: bytes) -> Iterator[_Element]:
    at = 0
    while at < len(data):
        tag, length, at = data[at], data[at + 1], at + 2
        if tag & 0x1F == 0x1F:  # a tag of several bytes, which no certificate needs
            raise ValueError
        if length > 0x80:
            length, at = int.from_bytes(data[at : at + length - 0x80], "big"), at + length - 0x80
        elif length == 0x80:  # a length that is not known yet: BER, not DER
            raise ValueError
        if at + length > len(data):
            raise ValueError
        yield _Element(tag, data[at : at + length])
        at += length


def _only(data: bytes, tag: int) -> bytes:
    (element,) = _elements(data)
    if element.tag != tag:
        raise ValueError
    return element.content


def _name(element: _Element) -> str:
    """A name as ``CN=…, O=…``; what would look like a further part is escaped."""
    if element.tag != _SEQUENCE:
        raise ValueError
    parts = []
    for relative in _elements(element.content):
        for attribute in _elements(relative.content):
            kind, value = _elements(attribute.content)
            text = value.content.decode(_LETTERS.get(value.tag, "utf-8"), "replace")
            parts.append(f"{_ATTRIBUTES.get(kind.content, 'other')}={_PART.sub(_ESCAPED, text)}")
    return ", ".join(parts)


def _moment(element: _Element) -> datetime:
    """A time; of its two forms the older has two digits for the year."""
    text = element.content.decode("ascii")
    if not re.fullmatch(r"[0-9]+Z", text) or element.tag not in {_UTC_TIME, _TIME}:
        raise ValueError
    if element.tag == _UTC_TIME:
        text = f"{'19' if text >= '5' else '20'}{text}"
    if len(text) != len("20260101000000Z"):
        raise ValueError
    return datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)


def _alternative_names(content: bytes) -> Iterator[str]:
    for extension in _elements(_only(content, _SEQUENCE)):
        kind, *_critical, value = _elements(extension.content)
        if kind != (_OID, _ALTERNATIVE_NAMES):
            continue
        for name in _elements(_only(value.content, _SEQUENCE)):
            if name.tag == _IP:
                yield str(ipaddress.ip_address(name.content))
            elif name.tag in {_DNS, _EMAIL, _URI}:
                yield name.content.decode("ascii", "replace")
