"""The values of a request and its response, and the transport protocol.

Plain data without a socket, a clock or httpx, so that the model can import it at no cost.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from asyncio import Timeout

Verb = Literal["POST", "GET"]
Headers = tuple[tuple[str, str], ...]
Stage = Literal["connecting", "tls", "sending", "waiting", "receiving"]
"""The stage of a request in progress, for the screen."""
Step = Literal[
    "url", "name", "connect", "tls", "proxy", "request", "send", "wait", "body", "timeout", "size",
    "start", "upgrade", "framing", "closed", "open",
]  # fmt: skip
"""The step at which a request ended; `url` and `request` send nothing.

Only connections that stay open have the last five: a program that does not start, a server that refuses WebSocket,
data that cannot be divided into messages, the end of the connection, and a call at its opening that failed.
"""
Framing = Literal["lines", "length", "none"]
"""Form of the messages: a line each, ``Content-Length``, or by their ends."""
Reason = Literal[
    "",
    "untrusted",  # The certificate is not trusted; the user may pin it.
    "no tls",  # The server does not use TLS at this port.
    "certificate wanted",  # The server may require a client certificate, and none was sent.
    "hung up",  # The server took the whole request, and closed the connection without a byte of a response.
    "closed here",  # We closed the connection.
    "unexplained",  # The peer ended the connection, and nothing says why.
    "lengths",  # The messages have Content-Length headers, which the framing does not expect.
    "no lengths",  # The framing expects Content-Length headers, and the messages have none.
    "http",  # The server answers with HTTP, which was not asked for.
    "tls",  # The server uses TLS at this port, which was not asked for.
    "no http",  # The server answers with JSON, but HTTP was asked for.
    "not greeted",  # The server knows the handshake, and answers it with an error.
    "unsupported",  # The messages have a form that we do not read.
    "unreadable",  # Data was received that contains no message.
    "no end",  # Such data, which is the beginning of JSON.
    "silent",  # Nothing was received.
]
"""Why a request ended, as far as a rule asks. The sentence of the failure is only for people."""
CLOSED: Final = "The connection was closed."
DEFAULT_PORTS: Final = {"http": 80, "https": 443, "ws": 80, "wss": 443}
LOOPBACK_NAME: Final = "localhost"
LOOPBACK_ADDRESSES: Final = ("::1", "127.0.0.1")
"""The addresses of `localhost`; a resolver could send it elsewhere."""


def is_loopback_host(host: str) -> bool:
    """Return whether a connection to ``host`` stays on this machine.

    Names below `localhost`, and those with a final dot, are resolved like any name, so they do not count.
    """
    import ipaddress  # Few starts need it.

    if host == LOOPBACK_NAME:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Request(Struct, frozen=True):
    """One message to send. Its repr hides body, headers and cookie."""

    url: str
    """The whole URL with its path, without user name and password."""
    body: bytes
    content_type: str = "application/json-rpc"
    accept: str = "*/*"
    headers: Headers = ()
    """The profile's headers, which replace default headers of that name."""
    cookie: str | None = None
    """The value of the Cookie header, such as `sessionid=abc`."""
    verb: Verb = "POST"
    socket: str = ""
    """The path of the Unix socket to send it over; the URL begins with `http://localhost/` then."""
    call: str = ""
    """The id of the call that it belongs to, for events of its subscription."""
    begins: bool = True
    """It may open a connection; another one needs a connection that has begun."""

    def __repr__(self) -> str:
        return f"Request(url={self.url!r}, {len(self.body)} bytes)"


class Phases(Struct, frozen=True):
    """Seconds of each phase; None if it did not happen or is unknown."""

    name: float | None = None
    connect: float | None = None
    """TCP, and the handshake with a proxy."""
    tls: float | None = None
    send: float | None = None
    wait: float | None = None
    """From the last byte of the request to the end of the response's head."""
    transfer: float | None = None
    kept: bool = False
    """An open connection was used: no name, connect or TLS phase."""

    @property
    def total(self) -> float:
        phases = (self.name, self.connect, self.tls, self.send, self.wait, self.transfer)
        return sum(seconds for seconds in phases if seconds is not None)


NO_PHASES = Phases()


class Response(Struct, frozen=True):
    """The response, as far as it arrived. Its texts are not safe to print.

    Fields of HTTP stay empty with another transport, and without a response.
    """

    status: int | None = None
    """The HTTP status; redirects are not followed."""
    reason: str = ""
    version: str = ""
    headers: Headers = ()
    """As received: order, case and duplicates kept, decoded as Latin-1."""
    body: bytes = b""
    """The body after gzip or deflate; incomplete if the response is."""
    size: int = 0
    """Bytes of the whole body, even if ``body`` was cut for the record."""
    cut: bool = False
    """``body`` is only the beginning."""
    proxy: str | None = None
    remarks: tuple[str, ...] = ()
    """Sentences about unusual things that were handled."""
    phases: Phases = NO_PHASES

    def __repr__(self) -> str:
        """Show none of the content: it may be secret, or very long."""
        return f"Response(status={self.status}, size={self.size})"

    def header(self, name: str) -> str | None:
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), None)


NOTHING_CAME = Response()


class Progress(Struct, frozen=True):
    step: Stage
    received: int
    """Bytes of the body so far, counted before decompression like `total`."""
    total: int | None
    """Bytes of the whole body, if the server announced them."""
    elapsed: float


Watch: TypeAlias = Callable[[Progress], None]


class Unreachable(Exception):  # noqa: N818 - named like its outcome
    """No complete response. `str()` is a sentence without any secret."""

    def __init__(
        self,
        step: Step,
        sentence: str,
        *,
        maybe_ran: bool = False,
        response: Response = NOTHING_CAME,
        reason: Reason = "",
        in_handshake: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.step: Step = step
        self.sentence = sentence
        self.maybe_ran = maybe_ran
        """The request was sent whole, so the server may have run it."""
        self.response = response
        self.reason: Reason = reason
        self.in_handshake = in_handshake
        """It ended before the call was sent, in the handshake of JSON-RPC on an open connection."""


def closed_here() -> Unreachable:
    return Unreachable("closed", CLOSED, reason="closed here")


class Certificate(Struct, frozen=True):
    """A server's certificate. Its texts are not safe to print."""

    fingerprint: str
    """``sha256:`` and hex digits. Only this identifies a certificate."""
    subject: str = ""
    issuer: str = ""
    names: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    remark: str = ""

    @property
    def self_signed(self) -> bool:
        """Return whether it claims to be signed by its owner."""
        return bool(self.subject) and self.subject == self.issuer


class ShownCertificate(Struct, frozen=True):
    """A certificate that was fetched only to look at it."""

    certificate: Certificate
    problem: str = ""
    """Why the certificate is not trusted; empty if it is."""


class BodyReader(Protocol):
    """Reads the body of a response while it arrives."""

    listens: bool
    """The body may go on for ever. It is not kept, and has no deadline."""
    is_answered: bool
    """The call has its response, so the rest of the body may fail."""

    def feed(self, data: bytes) -> None:
        """Read the next bytes, decompressed; raise `Unreachable` to end the response."""


class Partial:
    """The response so far, set when a request ends or is cancelled."""

    def __init__(self) -> None:
        self.read: Callable[[Response], BodyReader | None] | None = None
        """Get the head of a response of HTTP, and return what reads its body."""
        self.response = NOTHING_CAME
        self.sent_whole = False
        self.notes: list[str] = []
        """What was sent besides the request."""
        self.refused = ""
        """The method of a request of the server that got an error meanwhile."""
        self.limit: Timeout | None = None
        """The deadline while the request is under way, which can be moved."""
        self.paused_seconds = 0.0
        """How long the user was asked meanwhile, which does not count."""


MAX_UNREAD: Final = 301
"""Bytes to keep of what contains no message."""


class Wire(Protocol):
    """A connection that stays open, which carries messages without their framing."""

    unread: bytes | None
    """The beginning of what the peer sent; None after its first message."""

    ended: Unreachable | None
    """Why no more messages come; None while it is open, and after our own `close`."""

    async def open(self, deadline: float, left: float | None = None) -> None:
        """Connect, or start the process; raise `Unreachable`.

        ``left``: seconds of the deadline that are left; the deadline is named in sentences.
        """

    async def send(self, message: bytes) -> None:
        """Send one JSON message; raise `Unreachable`.

        If it is cancelled, a message that has begun is still sent whole.
        """

    def messages(self) -> AsyncIterator[bytes]:
        """Yield each message as its bytes came, until the connection ends."""

    async def close(self) -> None:
        """End the connection, or the process, in bounded time."""


class Transport(Protocol):
    """A way to send requests, several at a time."""

    async def open(self) -> None:
        """Prepare what takes time, before the first request."""

    async def send(
        self, request: Request, *, deadline: float, watch: Watch | None = None, partial: Partial | None = None
    ) -> Response:
        """Send a request and return the whole response, or raise `Unreachable`.

        ``deadline`` is in seconds from now to the last byte of the response.
        """

    async def close(self) -> None:
        """Close idle connections; a later ``send`` opens new ones."""
