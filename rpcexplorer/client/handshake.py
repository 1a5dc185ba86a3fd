"""What a server wants before the first call."""

from __future__ import annotations

import re
from typing import Final, Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.credentials import AuthHeader, Ended, Flow, FlowPart, Hide, Message, Received, Say, Send, advance
from rpcexplorer.client.call import CALLS_A_TOOL
from rpcexplorer.model.exchange import Unreached
from rpcexplorer.model.profile import HeaderHandshake, Profile
from rpcexplorer.model.secret import UNRECORDED
from rpcexplorer.rpc.messages import Call, ErrorObject, Malformed, Result, spelled

CONFLICT: Final = 409
BAD_REQUEST: Final = 400
NOT_FOUND: Final = 404
MCP_VERSION: Final = "2025-06-18"
SESSION, VERSION = "Mcp-Session-Id", "MCP-Protocol-Version"
_INITIALIZE = Call(
    "initialize",
    f'{{"protocolVersion":"{MCP_VERSION}","capabilities":{{}},"clientInfo":{{"name":"rpcexplorer","version":"1"}}}}',
)
_OWN = re.compile(r"ping|initialize|.*/.*", re.DOTALL)
"""Methods of MCP's own; whatever else is called is a tool."""
_NO_SESSION = re.compile(
    r"(?:no valid|missing|invalid|unknown) session(?: id)?\b"
    r"|\bsession (?:id )?(?:not found|expired|is (?:unknown|invalid))",
    re.IGNORECASE,
)
"""What servers say with 400 that know a session no more."""
_SENDABLE = re.compile(r"[\x21-\x7e]{1,4096}")
LONGEST: Final = 80
"""Characters of a name that is told."""


class Handshake(Protocol):
    def send(self, want: Send) -> FlowPart[Received]:
        """Have a request sent, with what the server wants to go ahead of it or with it."""

    def shown(self, send: Send) -> Send:
        """The request as it goes out once the server has handed over what it wants back."""


def handshake_of(profile: Profile) -> Handshake | None:
    if profile.handshake is None:
        return None
    return KeptHeader(profile.handshake.header) if isinstance(profile.handshake, HeaderHandshake) else McpSession()


def around(flow: Flow, handshake: Handshake | None) -> Flow:
    """A flow whose requests go by way of a handshake."""
    if handshake is None:
        return flow
    return _driven(flow, handshake)


def _driven(flow: Flow, handshake: Handshake) -> Flow:
    want = advance(flow, None)
    while not isinstance(want, Ended):
        answer = (yield from handshake.send(want)) if isinstance(want, Send) else (yield want)
        want = advance(flow, answer)
    return want.end


class KeptHeader:
    """A refusal with 409 hands over a header, which goes out with every further request."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._value = ""

    def send(self, want: Send) -> FlowPart[Received]:
        received = yield from self._sent(want)
        value = received.response.header(self._name)
        if received.response.status != CONFLICT or isinstance(received.outcome, Result):
            return received
        if not value or not _SENDABLE.fullmatch(value):
            return received
        self._value = value
        return (yield from self._sent(want))

    def _sent(self, want: Send) -> FlowPart[Received]:
        """Have it sent with what is kept; neither that nor what is handed over now is shown."""
        received: Received = yield self._with(want, self._value)
        handed = received.response.header(self._name) if received.response.status == CONFLICT else None
        for value in filter(None, (self._value, handed)):
            yield Hide(value)
        return received

    def shown(self, send: Send) -> Send:
        return self._with(send, UNRECORDED)

    def _with(self, send: Send, value: str) -> Send:
        return replace(send, headers=(*send.headers, AuthHeader(self._name, value))) if value else send


class _Server(Struct, frozen=True):
    name: str = ""
    version: str = ""


class _Initialized(Struct, frozen=True):
    """What of the reply to ``initialize`` matters."""

    protocolVersion: str = MCP_VERSION  # noqa: N815 - the protocol's own
    serverInfo: _Server = _Server()  # noqa: N815


class McpSession:
    """MCP's ``initialize`` ahead of the first call, and its headers with all that follow; tools are called by name."""

    def __init__(self) -> None:
        self._headers: tuple[AuthHeader, ...] | None = None

    def send(self, want: Send) -> FlowPart[Received]:
        if want.message.method == _INITIALIZE.method:  # by hand
            received: Received = yield want
            yield from self._adopt(received)
            return received
        yield from self._hidden()
        had_session = self._headers is not None
        if not had_session and (refused := (yield from self._initialize(want))):
            return refused
        received = yield self._with(want)
        if had_session and _is_over(received):
            self._headers = None
            yield Say("the server knows the session no more: initialized anew")
            if refused := (yield from self._initialize(want)):
                return refused
            received = yield self._with(want)
        return received

    def shown(self, send: Send) -> Send:
        headers = (AuthHeader(VERSION, MCP_VERSION), AuthHeader(SESSION, UNRECORDED))
        return replace(send, message=_translated(send.message), headers=(*send.headers, *headers))

    def _with(self, want: Send) -> Send:
        message = want.message if want.login else _translated(want.message)
        return replace(want, message=message, headers=(*want.headers, *(self._headers or ())))

    def _initialize(self, want: Send) -> FlowPart[Received | None]:
        """Begin a session; what was received where none begins."""
        id = f"{want.message.calls[0].id or 'notification'}.initialize"
        received: Received = yield replace(want, message=Message("call", (replace(_INITIALIZE, id=id),)))
        if not isinstance(received.outcome, Result):
            return _at_initializing(received)
        yield from self._adopt(received)
        ready = Message("notification", (Call("notifications/initialized", "{}"),))
        yield replace(want, message=ready, headers=(*want.headers, *(self._headers or ())))
        return None

    def _hidden(self, handed: str | None = None) -> FlowPart[None]:
        """Whoever has the id of a session is in it."""
        kept = (each.text for each in self._headers or () if each.name == SESSION)
        for value in filter(None, (handed, *kept)):
            yield Hide(value)

    def _adopt(self, received: Received) -> FlowPart[None]:
        yield from self._hidden(received.response.header(SESSION))
        if not isinstance(received.outcome, Result):
            return
        try:
            said = msgspec.json.decode(received.outcome.value, type=_Initialized)
        except (msgspec.DecodeError, RecursionError):
            said = _Initialized()
        session = received.response.header(SESSION) or ""
        headers = {VERSION: said.protocolVersion, SESSION: session}
        self._headers = tuple(AuthHeader(*each) for each in headers.items() if _SENDABLE.fullmatch(each[1]))
        server = " ".join(filter(None, (said.serverInfo.name, said.serverInfo.version)))
        # whole or not at all: what is hidden in it can be found in a whole text only
        names = [server if 0 < len(server) <= LONGEST else "a server", said.protocolVersion]
        yield Say(f"initialized: {', MCP '.join(name for name in names if len(name) <= LONGEST)}")


def _is_over(received: Received) -> bool:
    """Whether the session is known no more: a status says so, or what comes with it."""
    outcome = received.outcome
    if isinstance(outcome, Result):
        return False
    said = outcome.message if isinstance(outcome, ErrorObject) else ""
    status = received.response.status
    return status == NOT_FOUND or (status == BAD_REQUEST and _NO_SESSION.search(said) is not None)


def _translated(message: Message) -> Message:
    """A call of a tool by its name as what MCP has for it."""
    return replace(message, calls=tuple(map(_call, message.calls)))


def _call(call: Call) -> Call:
    if _OWN.fullmatch(call.method):
        return call
    arguments = "{}" if call.params == "[]" else call.params
    return replace(call, method=CALLS_A_TOOL, params=f'{{"name":{spelled(call.method)},"arguments":{arguments}}}')


def _at_initializing(received: Received) -> Received:
    """Say of a failure that it came before the call was sent."""
    outcome = received.outcome
    match outcome:
        case Unreached(sentence=sentence):
            outcome = replace(outcome, sentence=f"At initialize, before the call: {sentence}", maybe_ran=False)
        case ErrorObject(remarks=remarks):
            outcome = replace(outcome, remarks=(*remarks, "this answered initialize; the call itself was not sent"))
        case Malformed(reason=reason):
            outcome = replace(outcome, reason=f"At initialize, before the call: {reason}")
    return replace(received, outcome=outcome)
