"""What every way to a server has in common: the values on the wire, and the port through which a client sends.

Plain data and one protocol: no socket, no clock, no httpx. Importing this file costs nothing, and it is the only one of
this wing that the model knows: a response is the same value from the socket to the history.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final, Literal, Protocol, TypeAlias

from msgspec import Struct

Verb = Literal["POST", "GET"]
Headers = tuple[tuple[str, str], ...]
Stage = Literal["connecting", "tls", "sending", "waiting", "receiving"]
"""What a running request is busy with, as a person is told."""
Step = Literal["url", "name", "connect", "tls", "proxy", "request", "send", "wait", "body", "timeout", "size"]
"""Where a request came to its end; `url` and `request` mean that nothing left this machine."""
LOOPBACK_NAME: Final = "localhost"
LOOPBACK_ADDRESSES: Final = ("::1", "127.0.0.1")
"""Where that name leads. It is not looked up: whoever answers for the network's names could send it elsewhere."""


def is_loopback_host(host: str) -> bool:
    """Return whether a connection to ``host`` stays on this machine.

    Other names below `localhost`, and those with a dot at the end, are looked up like any name, so they do not count.
    """
    import ipaddress  # few starts need it

    if host == LOOPBACK_NAME:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Request(Struct, frozen=True):
    """One message out. Its repr shows neither body, headers nor cookie: each of them may hold a secret."""

    url: str
    """The whole address, path included, without user name and password."""
    body: bytes
    content_type: str = "application/json-rpc"
    accept: str = "*/*"
    headers: Headers = ()
    """The profile's own; each replaces a default header of the same name, whatever its case."""
    cookie: str | None = None
    """What the one Cookie header says, `sessionid=abc`; None sends no such header."""
    verb: Verb = "POST"

    def __repr__(self) -> str:
        return f"Request(url={self.url!r}, {len(self.body)} bytes)"


class Phases(Struct, frozen=True):
    """How long each part of a request took, in seconds; None where it did not happen or cannot be told apart."""

    name: float | None = None
    connect: float | None = None
    """TCP, and the agreement with a proxy if there is one."""
    tls: float | None = None
    send: float | None = None
    wait: float | None = None
    """From the request's last byte until the reply's head was complete."""
    transfer: float | None = None
    kept: bool = False
    """A connection was used that was open since an earlier request, so that name, connect and TLS did not happen."""


NO_PHASES = Phases()


class Response(Struct, frozen=True):
    """What came back, as far as it came. Its words are text from outside: whoever shows them makes them safe.

    All but the body is HTTP's, and stays empty where another transport carried it, or where no reply came.
    """

    status: int | None = None
    """The HTTP status, whatever it is: a redirect is a response like any other."""
    reason: str = ""
    version: str = ""
    headers: Headers = ()
    """As received: order, case and duplicates kept, decoded as latin-1, unfiltered."""
    body: bytes = b""
    """As the server wrote it, with gzip or deflate undone; partial where the reply did not come whole."""
    size: int = 0
    """Bytes of the whole body, also where ``body`` was cut for the record."""
    cut: bool = False
    """``body`` is only the beginning of what came."""
    proxy: str | None = None
    remarks: tuple[str, ...] = ()
    """Sentences about what was unusual and was coped with."""
    phases: Phases = NO_PHASES

    def __repr__(self) -> str:
        """Nothing that came: any of it may be a secret, or very long."""
        return f"Response(status={self.status}, size={self.size})"

    def header(self, name: str) -> str | None:
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), None)


NOTHING_CAME = Response()


class Progress(Struct, frozen=True):
    step: Stage
    received: int
    """Bytes of body so far, as counted on the wire, so that they can be compared with `total`."""
    total: int | None
    """Bytes of body to come in all, if the server said so."""
    elapsed: float


Watch: TypeAlias = Callable[[Progress], None]


class Unreachable(Exception):  # noqa: N818 - named for the outcome it stands for, which is no mistake of ours
    """No complete response. `str()` is a sentence for people; it never holds a secret or a header's value."""

    def __init__(
        self,
        step: Step,
        sentence: str,
        *,
        maybe_ran: bool = False,
        response: Response = NOTHING_CAME,
        untrusted: bool = False,
        hung_up: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.step: Step = step
        self.sentence = sentence
        self.maybe_ran = maybe_ran
        """Whether the request went out whole, so that the server may have acted on it; the sentence says so."""
        self.hung_up = hung_up
        """Whether the server took the whole request and closed the connection in order, before it began to reply."""
        self.response = response
        self.untrusted = untrusted
        """The server's certificate is not one that the profile trusts; a person may decide otherwise."""


class Certificate(Struct, frozen=True):
    """A server's certificate, as far as it can be read. Its words are text from outside, and anybody can write them."""

    fingerprint: str
    """``sha256:`` and hex digits: this alone tells it from any other."""
    subject: str = ""
    issuer: str = ""
    names: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    remark: str = ""

    @property
    def self_signed(self) -> bool:
        """Whether it says that its owner has signed it."""
        return bool(self.subject) and self.subject == self.issuer


class ShownCertificate(Struct, frozen=True):
    """The certificate that a server showed to whoever only looked."""

    certificate: Certificate
    problem: str = ""
    """Why it is not trusted, where only the authorities are asked; empty where they vouch for it."""


class Partial:
    """What came of one request, for whoever cancels it: set by the transport when the request ends, however it ends."""

    def __init__(self) -> None:
        self.response = NOTHING_CAME
        self.sent_whole = False


class Transport(Protocol):
    """One way to a server. Requests through it know nothing of each other, and may be under way at the same time."""

    async def open(self) -> None:
        """Do what takes a while and no request has to wait for; nothing is sent."""

    async def send(
        self, request: Request, *, deadline: float, watch: Watch | None = None, partial: Partial | None = None
    ) -> Response:
        """Send a request and return the whole response, whatever it says; raises `Unreachable`, nothing else.

        ``deadline`` is in seconds, from now to the response's last byte.
        """

    async def close(self) -> None:
        """Let go of what is held between requests; a later ``send`` sets it up anew."""
