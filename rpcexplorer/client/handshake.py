"""Handshakes: requests that a server needs before the first call."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable
from typing import Final, Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.credentials import (
    AuthFlow,
    AuthHeader,
    AuthRequest,
    AuthResponse,
    Event,
    Hidden,
    Message,
    Note,
)
from rpcexplorer.client.call import CALLS_A_TOOL
from rpcexplorer.model.exchange import Refused, Unreached
from rpcexplorer.model.profile import (
    MCP_SESSION_HEADER,
    MCP_SPOKEN,
    MCP_VERSION,
    MCP_VERSION_HEADER,
    CanAsk,
    HeaderHandshake,
    Profile,
    ask_nobody,
    mcp_params,
)
from rpcexplorer.model.secret import UNRECORDED
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import Call, ErrorObject, Malformed, Result, spelled

CONFLICT: Final = 409
BAD_REQUEST: Final = 400
NOT_FOUND: Final = 404
_INITIALIZE: Final = "initialize"
_MCP_METHOD = regex(r"ping|initialize|.*/.*", re.DOTALL)
"""MCP's own methods. All other names are tools."""
_NO_SESSION = regex(
    r"(?:no valid|missing|invalid|unknown) session(?: id)?\b"
    r"|\bsession (?:id )?(?:not found|expired|is (?:unknown|invalid))",
    re.IGNORECASE,
)
"""Words of servers that answer 400 because the session has ended."""
_SENDABLE = regex(r"[\x21-\x7e]{1,4096}")
"""A value of the server that can be sent back in a header."""
MAX_NAME: Final = 80
"""Characters of a server's name that is shown."""


class Handshake(Protocol):
    def send(self, request: AuthRequest, events: list[Event]) -> AuthFlow:
        """Send a request, with the handshake that it needs."""

    def shown(self, request: AuthRequest) -> AuthRequest:
        """Return the request as it is sent after the handshake."""


def handshake_of(profile: Profile, can_ask: CanAsk = ask_nobody) -> Handshake | None:
    """Return what each call of a profile needs."""
    if profile.is_open_connection:
        # Its handshake is part of opening it, so that calls need none.
        if profile.handshake == "mcp":
            return McpCalls()
        return None
    if profile.handshake is None:
        return None
    if isinstance(profile.handshake, HeaderHandshake):
        return KeptHeader(profile.handshake.header)
    return McpSession(mcp_params(profile, can_ask))


def with_handshake(flow: AuthFlow, handshake: Handshake, events: list[Event]) -> AuthFlow:
    """Yield the requests of a flow, each with its handshake."""
    try:
        request = next(flow)
        while True:
            response = yield from handshake.send(request, events)
            request = flow.send(response)
    except StopIteration as end:
        last_response: AuthResponse | Refused = end.value
        return last_response


class HandedHeader(AuthHeader, frozen=True):
    """A header with a value of the server that gives access for a while."""

    def secret_parts(self, opened: str) -> Iterable[str]:
        return (opened,)


class McpCalls:
    """MCP on an open connection: names of tools are methods."""

    def send(self, request: AuthRequest, events: list[Event]) -> AuthFlow:  # noqa: ARG002
        return (yield self.shown(request))

    def shown(self, request: AuthRequest) -> AuthRequest:
        return replace(request, message=_translated(request.message))


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
        if not value or not _SENDABLE.fullmatch(value):
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


class _Server(Struct, frozen=True):
    name: str = ""
    version: str = ""


class _Initialized(Struct, frozen=True):
    """The members of an ``initialize`` result that are used."""

    protocolVersion: str = MCP_VERSION  # noqa: N815 - the protocol's own
    serverInfo: _Server = _Server()  # noqa: N815


class McpSession:
    """MCP's ``initialize`` before the first call, and its headers later."""

    def __init__(self, params: str) -> None:
        self._initialize_call = Call(_INITIALIZE, params)
        self._headers: tuple[AuthHeader, ...] | None = None

    def send(self, request: AuthRequest, events: list[Event]) -> AuthFlow:
        if request.message.method == _INITIALIZE:  # The user calls it.
            response = yield request
            if isinstance(response, AuthResponse):
                self._hide_session_ids(events, response)
                if isinstance(response.outcome, Result):
                    self._headers = _headers_of(response, events)
            return response
        self._hide_session_ids(events)
        # Another call may begin a session meanwhile. This one continues in the session that was ready.
        headers = self._headers
        if headers is not None:
            response = yield _with_session(request, headers)
            if not isinstance(response, AuthResponse) or not _is_over(response):
                return response
            events.append(Note("the server no longer knows the session, so rpcexplorer sent initialize again"))
        new_session = yield from self._initialize(request, events)
        if isinstance(new_session, AuthResponse | Refused):
            return new_session
        return (yield _with_session(request, new_session))

    def shown(self, request: AuthRequest) -> AuthRequest:
        headers = (AuthHeader(MCP_VERSION_HEADER, MCP_VERSION), AuthHeader(MCP_SESSION_HEADER, UNRECORDED))
        return replace(request, message=_translated(request.message), headers=(*request.headers, *headers))

    def _initialize(
        self, request: AuthRequest, events: list[Event]
    ) -> Generator[AuthRequest, AuthResponse | Refused, AuthResponse | Refused | tuple[AuthHeader, ...]]:
        """Begin a session and return its headers, or the response if it failed."""
        id = f"{request.message.calls[0].id or 'notification'}.initialize"
        message = Message("call", (replace(self._initialize_call, id=id),))
        response = yield replace(request, message=message, is_ahead=True)
        if isinstance(response, Refused):
            return response
        if not isinstance(response.outcome, Result):
            return _failed_initialize(response)
        self._hide_session_ids(events, response)
        headers = _headers_of(response, events)
        ready = Message("notification", (Call("notifications/initialized", "{}"),))
        yield replace(request, message=ready, headers=(*request.headers, *headers), is_ahead=True)
        self._headers = headers
        return headers

    def _hide_session_ids(self, events: list[Event], received: AuthResponse | None = None) -> None:
        """Redact the id of a new session and the current one: an id gives access to its session."""
        ids = [header.text for header in self._headers or () if header.name == MCP_SESSION_HEADER]
        if received is not None and (new_id := received.response.header(MCP_SESSION_HEADER)):
            ids.insert(0, new_id)
        events += [Hidden(id) for id in ids]


def _with_session(request: AuthRequest, headers: tuple[AuthHeader, ...]) -> AuthRequest:
    message = request.message
    if not request.is_ahead:  # A login is a method, not a tool.
        message = _translated(message)
    return replace(request, message=message, headers=(*request.headers, *headers))


def _headers_of(received: AuthResponse, events: list[Event]) -> tuple[AuthHeader, ...]:
    """Return the headers of the session that ``initialize`` began."""
    assert isinstance(received.outcome, Result)
    try:
        initialized = msgspec.json.decode(received.outcome.value, type=_Initialized)
    except (msgspec.DecodeError, RecursionError):
        initialized = _Initialized()
    server, version = initialized.serverInfo, initialized.protocolVersion
    # Each name is complete or omitted: secrets are found only in complete texts.
    name = f"{server.name} {server.version}".strip()
    if not name or len(name) > MAX_NAME:
        name = "a server"
    protocol = ""
    if len(version) <= MAX_NAME:
        protocol = f", MCP {version}"
    events.append(Note(f"initialized: {name}{protocol}"))
    headers: list[AuthHeader] = []
    if _SENDABLE.fullmatch(version):
        headers.append(AuthHeader(MCP_VERSION_HEADER, version))
    session = received.response.header(MCP_SESSION_HEADER)
    if session and _SENDABLE.fullmatch(session):
        headers.append(HandedHeader(MCP_SESSION_HEADER, session))
    return tuple(headers)


def _is_over(received: AuthResponse) -> bool:
    """Return whether the server no longer knows the session."""
    outcome, status = received.outcome, received.response.status
    if isinstance(outcome, Result):
        return False
    if status == NOT_FOUND:  # as MCP demands
        return True
    if status == BAD_REQUEST and isinstance(outcome, ErrorObject):
        return _NO_SESSION.search(outcome.message) is not None
    return False


def _translated(message: Message) -> Message:
    """Return the message with each tool call as ``tools/call``."""
    return replace(message, calls=tuple(_translated_call(call) for call in message.calls))


def _translated_call(call: Call) -> Call:
    if _MCP_METHOD.fullmatch(call.method):
        return call
    arguments = call.params
    if arguments == "[]":  # The params that a call without params has. MCP wants an object.
        arguments = "{}"
    return replace(call, method=CALLS_A_TOOL, params=f'{{"name":{spelled(call.method)},"arguments":{arguments}}}')


def _failed_initialize(received: AuthResponse) -> AuthResponse:
    """Add to a failure that it happened before the call was sent."""
    outcome = received.outcome
    match outcome:
        case Unreached(sentence=sentence):
            outcome = replace(outcome, sentence=f"initialize failed: {sentence}", in_handshake=True)
        case ErrorObject(remarks=remarks):
            remark = "this is the error of initialize: the call was not sent"
            outcome = replace(outcome, remarks=(*remarks, remark, MCP_SPOKEN))
        case Malformed(reason=reason):
            outcome = replace(outcome, reason=f"initialize failed: {reason}", kind="handshake")
    return replace(received, outcome=outcome)
