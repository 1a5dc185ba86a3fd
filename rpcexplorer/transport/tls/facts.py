"""What stands in a certificate, read from its DER (X.509, RFC 5280): as much as a person needs to know it again.

Total: whatever the bytes, a certificate with its fingerprint comes out, and a remark where the rest cannot be read.
Nothing is checked here; whether to trust it is a matter of its fingerprint or of the authorities.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final, NamedTuple

from rpcexplorer.transport.port import Certificate
from rpcexplorer.transport.tls.trust import fingerprint_of

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
    """The elements that stand one behind the other."""
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
    """The content of the one element that is there."""
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
    """The hosts and addresses among the extensions."""
    for extension in _elements(_only(content, _SEQUENCE)):
        kind, *_critical, value = _elements(extension.content)
        if kind != (_OID, _ALTERNATIVE_NAMES):
            continue
        for name in _elements(_only(value.content, _SEQUENCE)):
            if name.tag == _IP:
                yield str(ipaddress.ip_address(name.content))
            elif name.tag in {_DNS, _EMAIL, _URI}:
                yield name.content.decode("ascii", "replace")
