"""Handshakes: requests that a server needs before the first call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from msgspec.structs import replace

from rpcexplorer.auth.credentials import (
    SENDABLE,
    AuthFlow,
    AuthRequest,
    AuthResponse,
    Event,
    HandedHeader,
    Hidden,
)
from rpcexplorer.client.surroundings import ALONE, Surroundings
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.profile import HeaderHandshake, Profile
from rpcexplorer.model.secret import UNRECORDED
from rpcexplorer.rpc.messages import Result

if TYPE_CHECKING:
    from rpcexplorer.client.mcp import McpServer

CONFLICT: Final = 409


class Handshake(Protocol):
    def send(self, request: AuthRequest, events: list[Event]) -> AuthFlow:
        """Send a request, with the handshake that it needs."""

    def shown(self, request: AuthRequest) -> AuthRequest:
        """Return the request as it is sent after the handshake."""


def mcp_server_of(profile: Profile, around: Surroundings = ALONE) -> McpServer | None:
    """Return what is known of a server of MCP; None for other servers."""
    if profile.handshake != "mcp":
        return None
    from rpcexplorer.client.mcp import McpServer  # Few profiles need it.

    return McpServer(profile, around)


def handshake_of(profile: Profile, mcp: McpServer | None) -> Handshake | None:
    """Return what each call of a profile needs; ``mcp`` is what is known of a server of MCP."""
    if isinstance(profile.handshake, HeaderHandshake) and not profile.is_open_connection:
        return KeptHeader(profile.handshake.header)
    if mcp is None:  # The handshake of a language server is part of opening its connection.
        return None
    from rpcexplorer.client.mcp import McpCalls, McpOverHttp

    return McpCalls(mcp) if profile.is_open_connection else McpOverHttp(mcp)


def with_handshake(flow: AuthFlow, handshake: Handshake | None, events: list[Event]) -> AuthFlow:
    """Yield the requests of a flow, each with its handshake."""
    if handshake is None:
        return (yield from flow)
    try:
        request = next(flow)
        while True:
            response = (yield request) if request.step else (yield from handshake.send(request, events))
            request = flow.send(response)
    except StopIteration as end:
        last_response: AuthResponse | Refused = end.value
        return last_response


class KeptHeader:
    """A header that the server sends with 409 and needs in later requests."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._value = ""

    def send(self, request: AuthRequest, events: list[Event]) -> AuthFlow:
        response = yield from self._send(request, events)
        if isinstance(response, Refused):
            return response
        if response.response.status != CONFLICT or isinstance(response.outcome, Result):
            return response
        value = response.response.header(self._name)
        if not value or not SENDABLE.fullmatch(value):
            return response
        self._value = value
        return (yield from self._send(request, events))

    def _send(self, request: AuthRequest, events: list[Event]) -> AuthFlow:
        """Send the request with the current value, and redact a new one."""
        response = yield self._with(request, self._value)
        if isinstance(response, AuthResponse) and response.response.status == CONFLICT:
            new_value = response.response.header(self._name)
            if new_value:
                events.append(Hidden(new_value))
        return response

    def shown(self, request: AuthRequest) -> AuthRequest:
        return self._with(request, UNRECORDED)

    def _with(self, request: AuthRequest, value: str) -> AuthRequest:
        if not value:
            return request
        return replace(request, headers=(*request.headers, HandedHeader(self._name, value)))
