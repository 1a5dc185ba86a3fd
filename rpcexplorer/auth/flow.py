"""What a flow can want, and what it is told: the vocabulary between auth and whoever drives it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

from msgspec import Struct

from rpcexplorer.model.exchange import NOTHING_CAME, CallKind, Outcome, Refused, Response
from rpcexplorer.model.secrets.secret import Secret
from rpcexplorer.protocol.messages import Call


class Message(Struct, frozen=True):
    """What the person asked for: one call, a notification, or several calls in one body."""

    kind: CallKind
    calls: tuple[Call, ...]
    only_shown: bool = False
    """Nothing of it will be sent, so that it may hold what never is."""

    @property
    def method(self) -> str:
        return ", ".join(call.method for call in self.calls)


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


class Need(Struct, frozen=True):
    """Wants a credential; is told a ``Secret``, or a ``Refused`` that says how to give one."""

    field: str


class Send(Struct, frozen=True):
    """Wants a request sent; is told what ``Received``. Secrets stand in it as placeholders until the last moment."""

    message: Message
    headers: tuple[AuthHeader, ...] = ()
    secrets: tuple[Secret, ...] = ()
    """What the placeholders in params and headers stand for."""
    session: Secret | None = None
    """What the session's placeholder in a header stands for."""
    login: bool = False


class Keep(Struct, frozen=True):
    """Wants a session remembered."""

    session: Secret


class Drop(Struct, frozen=True):
    """Wants the session forgotten."""


class Say(Struct, frozen=True):
    """Wants the person to know what happened by the way."""

    sentence: str


Want = Need | Send | Keep | Drop | Say


class Received(Struct, frozen=True):
    """What came of a request."""

    outcome: Outcome
    response: Response = NOTHING_CAME
    sent: int = 0
    """Bytes of the request's body."""


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
