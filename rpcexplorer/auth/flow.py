"""What a flow can want, and what it is told: the vocabulary between auth and whoever drives it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from msgspec import Struct

from rpcexplorer.model.exchange import CallKind, Outcome, Refused
from rpcexplorer.model.secret import PLACEHOLDER, Secret
from rpcexplorer.rpc.messages import Call
from rpcexplorer.transport.port import NOTHING_CAME, Response


class Message(Struct, frozen=True):
    """What the person asked for: one call, a notification, or several calls in one body."""

    kind: CallKind
    calls: tuple[Call, ...]
    only_shown: bool = False
    """Nothing of it will be sent, so that it may hold what never is."""

    @property
    def method(self) -> str:
        return ", ".join(call.method for call in self.calls)


class Opening(Struct, frozen=True):
    """What a header is opened with, on the last line before the socket."""

    values: Mapping[str, str]
    """Of each placeholder, what it stands for."""
    target: str = ""
    """Path and query of the request, as its first line has them."""
    body: bytes = b""
    verb: str = "POST"

    def filled(self, text: str) -> str:
        """The text with values for placeholders."""
        return PLACEHOLDER.sub(lambda found: self.values.get(found[0], found[0]), text)


class AuthHeader(Struct, frozen=True):
    """A header that a kind of auth puts into a request, with placeholders where secrets will stand."""

    name: str
    text: str
    scheme: str = ""
    """What stands before the text, such as a scheme of HTTP and a space."""
    encoded: bool = False
    """The text goes out in base64."""

    @property
    def shown(self) -> str:
        """The value as people see it."""
        return f"{self.scheme}base64({self.text})" if self.encoded else f"{self.scheme}{self.text}"

    def opened(self, opening: Opening) -> str:
        """The value that goes out."""
        text = opening.filled(self.text)
        return f"{self.scheme}{b64encode(as_bytes(text)).decode() if self.encoded else text}"

    def betrays(self, opened: str) -> Iterable[str]:  # noqa: ARG002
        """What of the value that went out opens a door for a while, though it holds no secret as it is."""
        return ()


class Need(Struct, frozen=True):
    """Wants a credential; is told a ``Secret``, or a ``Refused`` that says how to give one."""

    field: str


class CanLogIn(Struct, frozen=True):
    """Wants to know whether all credentials of a login were given, even for another destination; is told a bool."""


class Send(Struct, frozen=True):
    """Wants a request sent; is told what ``Received``. Secrets stand in it as placeholders until the last moment."""

    message: Message
    headers: tuple[AuthHeader, ...] = ()
    address: str = ""
    """The whole address, where a secret stands in it; else it is the profile's."""
    texts: tuple[str, ...] = ()
    """Strings of the params in which a placeholder stands beside other text."""
    secrets: tuple[Secret, ...] = ()
    """What all placeholders stand for."""
    login: bool = False

    @property
    def opened_in(self) -> Iterator[str]:
        """Every part in which a kind of auth may have put a placeholder, but for the params."""
        yield self.address
        yield from self.texts
        yield from (each.text for each in self.headers)
        for call in self.message.calls:
            yield from (value for _, value in call.members)


class Keep(Struct, frozen=True):
    """Wants a session remembered."""

    session: Secret


class Drop(Struct, frozen=True):
    """Wants the session forgotten."""


class Say(Struct, frozen=True):
    """Wants the person to know what happened by the way."""

    sentence: str


class Hide(Struct, frozen=True):
    """Wants a value hidden in all that is told of this call: it opens a door for a while, as a secret does."""

    value: str


Want = Need | CanLogIn | Send | Keep | Drop | Say | Hide


class Received(Struct, frozen=True):
    """What came of a request."""

    outcome: Outcome
    response: Response = NOTHING_CAME
    sent: int = 0
    """Bytes of the request's body."""


def as_bytes(text: str) -> bytes:
    """Bytes of a variable that are no UTF-8 are those again; any other half of a character goes out as what it is."""
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return text.encode(errors="surrogatepass")


T = TypeVar("T")
FlowPart = Generator[Want, Any, T]
"""A piece of a flow: yields what it wants, is sent what it got, returns a T."""
Flow = FlowPart[Received | Refused]
"""All that is done to send one message."""


class Ended(Struct, frozen=True):
    """A flow has come to its end."""

    end: Received | Refused


def advance(flow: Flow, answer: object) -> Want | Ended:
    """Tell a flow what it got, and hear what it wants next or how it ended."""
    try:
        return flow.send(answer)
    except StopIteration as stop:  # the way a generator hands over what it returns
        return Ended(stop.value)
