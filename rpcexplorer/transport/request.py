"""Check URL, headers and body of a request over HTTP."""

from __future__ import annotations

import ipaddress
import unicodedata
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, quote, urlsplit

from msgspec import Struct

from rpcexplorer.patterns import regex
from rpcexplorer.transport.port import DEFAULT_PORTS, Headers, Unreachable

if TYPE_CHECKING:
    from rpcexplorer.transport.port import Request

HTTP = ("http", "https")
WEBSOCKET = ("ws", "wss")
SOCKET = ("tcp", "tls", "unix")
_EXAMPLES = {
    HTTP: "https://rpc.example.com",
    WEBSOCKET: "wss://rpc.example.com",
    SOCKET: "tcp://127.0.0.1:1705 or unix:///run/rpc.sock",
}
_LABEL = regex(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBERS = regex(r"\d+\.\d+\.\d+\.\d+")
_STRAY_PERCENT = regex(r"%(?![0-9A-Fa-f]{2})")
"""A percent sign that begins no escape; it is sent as ``%25``."""
_TOKEN = regex(r"[-!#$%&'*+.^_`|~0-9A-Za-z]+")
_FIELD_VALUE = regex(r"[\t -~]*")
_COOKIE_VALUE = regex(r"(?:[!-:<-~](?:[ -:<-~]*[!-:<-~])?)?")
"""Semicolons would end the cookie, and blanks at its ends would be lost."""
# Characters left unquoted in a path and a query; httpx leaves the same ones.
_PATH_SAFE = "!$%&'()*+,/:;=@[\\]^|~"
_QUERY_SAFE = _PATH_SAFE + "?`{}"
_FRAMING = ("content-length", "transfer-encoding")
_UPGRADE = ("upgrade", "connection", "sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions")


class Address(Struct, frozen=True):
    """The parts of a usable URL, all ASCII but the path of a socket."""

    scheme: str
    host: str = ""
    port: int = 0
    target: str = ""
    socket: str = ""
    """The path of a Unix socket, which is used instead of host and port."""

    @property
    def authority(self) -> str:
        """Return the Host header, without the default port of the scheme."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def place(self) -> str:
        if self.socket:
            return self.socket
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"


def address_of(url: str, socket: str = "", *, schemes: tuple[str, ...] = HTTP) -> Address:
    """Parse a URL with one of these schemes; raise `Unreachable` if it or the socket's path cannot be used."""
    example = _EXAMPLES[schemes]
    if is_socket := "unix" in schemes and url[:7].lower() == "unix://":
        socket = url[7:]  # It is not percent-encoded.
    if (socket or is_socket) and not (socket.startswith("/") and socket.isprintable()):
        raise _bad_url("The path of the Unix socket must begin with / and have only printable characters.")
    if is_socket:
        return Address("unix", socket=socket)
    for position, char in enumerate(url, start=1):
        if char.isspace() or not char.isprintable():
            raise _bad_url(
                f"The URL has the character U+{ord(char):04X} at position {position}: "
                "remove it, or write it percent-encoded."
            )
    parts = _split(url)
    if parts is None:
        raise _bad_url(f"The URL's host cannot be read: write it like {example}.")
    if parts.scheme not in schemes:
        beginnings = " or ".join(f"{scheme}://" for scheme in schemes)
        raise _bad_url(f"The URL must begin with {beginnings}, as in {example}.")
    if "@" in parts.netloc:
        raise _bad_url("The URL contains a user name or password: remove it and store it as a secret.")
    host, port = _host(parts, example), _port(parts)
    if parts.scheme in SOCKET:
        if parts.path or parts.query or parts.fragment:
            raise _bad_url(f"The URL must end after the port, as in {parts.scheme}://127.0.0.1:1705.")
        return Address(parts.scheme, host, port)
    return Address(parts.scheme, host, port, _target(parts), socket)


def request_headers(request: Request, address: Address) -> Headers:
    """Return the exact headers in order; raise for what HTTP cannot carry."""
    defaults = [
        ("Host", address.authority),
        ("Content-Type", _checked_value("Content-Type", request.content_type)),
        ("Accept", _checked_value("Accept", request.accept)),
        ("Content-Length", str(len(request.body))),
    ]
    if request.verb == "GET":  # Both describe a body.
        defaults = [(name, value) for name, value in defaults if not name.startswith("Content-")]
    return _completed(defaults, request, _FRAMING)


def upgrade_headers(request: Request, address: Address, key: str) -> Headers:
    """Return the exact headers of a request for WebSocket; ``key`` is random for each."""
    upgrade = (
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Key", key),
        ("Sec-WebSocket-Version", "13"),
    )
    return (*_completed([("Host", address.authority)], request, _FRAMING + _UPGRADE), *upgrade)


def _completed(defaults: list[tuple[str, str]], request: Request, reserved: tuple[str, ...]) -> Headers:
    """Return the default headers with those of the profile, and the cookies."""
    own = [(_checked_name(name, reserved), _checked_value(name, value)) for name, value in request.headers]
    cookies = [value for name, value in own if name.lower() == "cookie"]
    if request.cookie is not None:
        cookies.append(_checked_cookie(request.cookie))
    if cookies:
        # One Cookie header in all (RFC 6265), even if the profile sets cookies, too.
        defaults.append(("Cookie", "; ".join(cookies)))
        own = [(name, value) for name, value in own if name.lower() != "cookie"]

    replacing = {name.lower(): (name, value) for name, value in own}
    default_names = {name.lower() for name, _ in defaults}
    headers = [replacing.get(name.lower(), (name, value)) for name, value in defaults]
    headers += [(name, value) for name, value in own if name.lower() not in default_names]
    return tuple(headers)


# These functions return None instead of raising in `except`: a chained exception of `urlsplit` may quote a password.


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.hostname
    except ValueError:
        return None
    return parts


def _ip(name: str) -> str | None:
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        return None


def _host(parts: SplitResult, example: str) -> str:
    name = unicodedata.normalize("NFKC", parts.hostname or "").lower()
    if not name:
        raise _bad_url(f"The URL has no host: write it like {example}.")
    if ":" in name or _NUMBERS.fullmatch(name):
        ip = _ip(name)
        if ip is None or "%" in ip:
            raise _bad_url("The URL's host looks like an IP address, but it is not a valid one. Check it for a typo.")
        return ip
    labels = name.removesuffix(".").split(".")
    for at, label in enumerate(labels):
        if not label.isascii():
            labels[at] = "xn--" + label.encode("punycode").decode("ascii")
    host = ".".join(labels)
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise _bad_url("The URL's host is not a valid name: check it for a typo.")
    return f"{host}." if name.endswith(".") else host


def _port(parts: SplitResult) -> int:
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port is None and parts.scheme in DEFAULT_PORTS:
        return DEFAULT_PORTS[parts.scheme]
    if port is None:
        raise _bad_url(f"The URL needs a port, as in {parts.scheme}://127.0.0.1:1705.")
    if not port:
        raise _bad_url("The URL's port must be a number from 1 to 65535.")
    return port


def _target(parts: SplitResult) -> str:
    path = _STRAY_PERCENT.sub("%25", parts.path) or "/"
    if any(segment in {".", ".."} for segment in path.split("/")):
        raise _bad_url("The URL's path has a part such as /../. Write the path without it.")
    query = _STRAY_PERCENT.sub("%25", parts.query)
    target = quote(path, safe=_PATH_SAFE)
    if query:
        target += f"?{quote(query, safe=_QUERY_SAFE)}"
    return target


def _checked_name(name: str, reserved: tuple[str, ...]) -> str:
    if not _TOKEN.fullmatch(name):
        raise _bad_request(f"{name!a} cannot be the name of a header: use letters, digits and hyphens.")
    if name.lower() in reserved:
        raise _bad_request(f"The header {name} is set by rpcexplorer: remove it from the profile's headers.")
    return name


def _checked_value(name: str, value: str) -> str:
    if not _FIELD_VALUE.fullmatch(value):
        raise _bad_request(
            f"The value of the header {name} has a character that HTTP does not allow. Use printable ASCII on one line."
        )
    return value.strip(" \t")


def _checked_cookie(cookie: str) -> str:
    """Return the cookie; raise for a character that would end it."""
    name, equals, value = cookie.partition("=")
    if not equals or not _TOKEN.fullmatch(name):
        raise _bad_request("The session cookie must have the form name=value. Log in again, or paste it again.")
    if not _COOKIE_VALUE.fullmatch(value):
        raise _bad_request(
            "The session cookie has a character that is not allowed, such as a line break or a semicolon. "
            "Log in again, or paste it again."
        )
    return cookie


def _bad_url(sentence: str) -> Unreachable:
    return Unreachable("url", sentence)


def _bad_request(sentence: str) -> Unreachable:
    return Unreachable("request", sentence)
