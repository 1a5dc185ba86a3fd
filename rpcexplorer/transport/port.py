"""The values that cross this wing's border: a request, an answer, progress, and why there was no answer.

Plain data and nothing else: no socket, no clock, no httpx. Importing this file costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator

Headers = tuple[tuple[str, str], ...]
"""Header lines in their order, duplicates kept."""

Stage = Literal["connecting", "tls", "sending", "waiting", "receiving"]
"""What a running exchange is busy with, as a person is told."""

Step = Literal["url", "name", "connect", "tls", "proxy", "send", "wait", "body", "timeout", "size", "request"]
"""Where an exchange came to its end; `url` and `request` mean that nothing left this machine."""


class Request(Struct, frozen=True):
    """One POST. Its repr shows neither body, headers nor cookie: each of them may hold a secret."""

    url: str
    """The whole address, path included, without user name and password."""
    body: bytes
    """Goes out as it is."""
    content_type: str = "application/json-rpc"
    """The Content-Type header."""
    accept: str = "*/*"
    """The Accept header."""
    headers: Headers = ()
    """The profile's own; each replaces a default header of the same name, whatever its case."""
    cookie: str | None = None
    """What the one Cookie header says, `sessionid=abc`; None sends no such header."""

    def __repr__(self) -> str:
        return f"Request(url={self.url!r}, {len(self.body)} bytes)"


class Timing(Struct, frozen=True):
    """Seconds that each step took; None for a step that was not reached or not needed."""

    name: float | None
    """Looking up the address of the host; None where the URL has the address itself."""
    connect: float | None
    """TCP, and the agreement with a proxy if there is one."""
    tls: float | None
    """The TLS handshake."""
    send: float | None
    """Handing the request to the network."""
    wait: float | None
    """From the request's last byte until the reply's head was complete."""
    transfer: float | None
    """The reply's body."""
    total: float
    """From the start to the end, whichever end it was."""


class Answer(Struct, frozen=True):
    """A reply as the server gave it. Its words are text from outside: whoever shows them makes them safe."""

    status: int
    """The HTTP status, whatever it is: a redirect is an answer like any other."""
    reason: str
    """The reason phrase, decoded as latin-1, unfiltered."""
    http_version: str
    """`HTTP/1.1` or `HTTP/1.0`."""
    headers: Headers
    """As received: order, case and duplicates kept, decoded as latin-1, unfiltered."""
    body: bytes
    """The body, with gzip or deflate undone."""
    wire_size: int
    """How many bytes of body came over the wire."""
    timing: Timing
    """How long each step took."""
    sent_headers: Headers
    """The request's headers as they went out; what a proxy is told is not among them."""
    remarks: tuple[str, ...] = ()
    """Sentences about what was unusual and was coped with."""
    proxy: str | None = None
    """The proxy that carried the exchange, without its credentials."""

    def __repr__(self) -> str:
        """Nothing that came, and nothing that was sent: each may hold a secret."""
        return f"Answer(status={self.status}, {len(self.body)} bytes)"

    def header(self, name: str) -> str | None:
        """Return the first header of that name, whatever its case."""
        return next(self._named(name), None)

    def all(self, name: str) -> tuple[str, ...]:
        """Return every header of that name, in their order."""
        return tuple(self._named(name))

    def _named(self, name: str) -> Iterator[str]:
        wanted = name.lower()
        return (value for key, value in self.headers if key.lower() == wanted)


class Progress(Struct, frozen=True):
    """How far a running exchange has come."""

    step: Stage
    """What it is busy with."""
    received: int
    """Bytes of body so far, as counted on the wire, so that they can be compared with `total`."""
    total: int | None
    """Bytes of body to come in all, if the server said so."""
    elapsed: float
    """Seconds since the start."""


class Unreachable(Exception):  # noqa: N818 - named for the outcome it stands for, which is no mistake of ours
    """No complete answer. `str()` is a sentence for people; it never holds a secret or a header's value."""

    def __init__(
        self,
        step: Step,
        sentence: str,
        *,
        partial: Answer | None = None,
        maybe_ran: bool = False,
        timing: Timing | None = None,
    ) -> None:
        super().__init__(sentence)
        self.step: Step = step
        """Where it ended."""
        self.sentence = sentence
        """What is wrong and what to do next."""
        self.partial = partial
        """Status, headers and as much of the body as came; None if not even the head came whole."""
        self.maybe_ran = maybe_ran
        """Whether the request went out whole, so that the server may have acted on it; the sentence says so."""
        self.timing = timing
        """How long each step took; None if nothing was tried."""
