"""MCP: the version that a server speaks, and what that adds to a call.

Until 2025-11-25, ``initialize`` begins a session. Since 2026-07-28, each request says by itself which version it has,
and what the client can do.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.credentials import (
    SENDABLE,
    AuthFlow,
    AuthHeader,
    AuthRequest,
    AuthResponse,
    Event,
    HandedHeader,
    Hidden,
    Message,
    Note,
    Opening,
)
from rpcexplorer.client.surroundings import ALONE, Surroundings
from rpcexplorer.jsontext.pointers import PointerLookup, pointer_of
from rpcexplorer.jsontext.scan import members
from rpcexplorer.model.exchange import Outcome, Refused, Sent, Unreached, fresh_id
from rpcexplorer.model.mcp import (
    CALLS_A_TOOL,
    LISTEN,
    LISTS_TOOLS,
    MCP_DISCOVER,
    MCP_HEADER_MISMATCH,
    MCP_LACKS_CAPABILITY,
    MCP_SESSION_HEADER,
    MCP_SPOKEN,
    MCP_STATELESS,
    MCP_UNKNOWN_VERSION,
    MCP_VERSION_HEADER,
    mcp_meta,
    mcp_params,
)
from rpcexplorer.model.profile import INITIALIZE, MCP_VERSIONS, Profile
from rpcexplorer.model.secret import HIDDEN, UNRECORDED
from rpcexplorer.patterns import regex
from rpcexplorer.redaction.redactor import kind_of
from rpcexplorer.rpc.messages import INVALID_PARAMS, METHOD_NOT_FOUND, Call, ErrorObject, Malformed, Result, spelled

BAD_REQUEST: Final = 400
NOT_FOUND: Final = 404
REFUSING: Final = frozenset({BAD_REQUEST, NOT_FOUND, 405})
"""Statuses that refuse a request as such."""
LOCKED: Final = frozenset({401, 403, 407, 429})
"""Statuses that say nothing of the version that a server speaks."""
EVERY_CHANGE: Final = (
    '{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}}'
)
"""Params of a call that listens for all that needs no URI."""
_OF_STATELESS: Final = frozenset(
    {MCP_HEADER_MISMATCH, MCP_LACKS_CAPABILITY, MCP_UNKNOWN_VERSION, INVALID_PARAMS, METHOD_NOT_FOUND}
)
"""Codes with which a server without sessions answers 400 or 404."""
NAMED_BY: Final = {CALLS_A_TOOL: "/name", "prompts/get": "/name", "resources/read": "/uri"}
"""The param that the header ``Mcp-Name`` repeats, by method."""
_MCP_METHOD = regex(r"ping|initialize|.*/.*", re.DOTALL)
"""MCP's own methods. All other names are tools."""
_NO_SESSION = regex(
    r"(?:no valid|missing|invalid|unknown) session(?: id)?\b"
    r"|\bsession (?:id )?(?:not found|expired|is (?:unknown|invalid))",
    re.IGNORECASE,
)
"""Words of servers that answer 400 because the session has ended."""
_IN_HEADER = regex(r"(?! )[\x20-\x7e]+(?<! )")
"""A value that a header can hold as it is."""
_BASE64: Final = "=?base64?"
_TOKEN = regex(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
"""A part of the name of a header."""
MAX_NAME: Final = 80
"""Characters of a server's name that is shown."""
MAX_PAGES: Final = 20
"""Pages of tools among which one is searched."""
MAX_LEVELS: Final = 8
"""Nested objects of a tool's params that can have headers."""


class _Server(Struct, frozen=True):
    name: str = ""
    version: str = ""


class _Initialized(Struct, frozen=True):
    """The members of an ``initialize`` result that are used."""

    protocolVersion: str = MCP_VERSIONS[1]  # noqa: N815 - the protocol's own
    serverInfo: _Server = _Server()  # noqa: N815


class _Versions(Struct, frozen=True):
    """The versions that a server names in the answer to ``server/discover``, or in an error."""

    supportedVersions: tuple[str, ...] = ()  # noqa: N815 - the protocol's own
    supported: tuple[str, ...] = ()


class _Tools(Struct, frozen=True):
    tools: list[dict[str, Any]] = []
    nextCursor: str = ""  # noqa: N815 - the protocol's own


class McpServer:
    """What is known of a server of MCP: the version to speak with it."""

    def __init__(self, profile: Profile, around: Surroundings = ALONE) -> None:
        self.profile = profile
        self.around = around
        self._version = ""
        self._tools: dict[str, Mapping[str, Any]] = {}
        """Schemas of params by tool, as far as the server was asked for them."""

    @property
    def version(self) -> str:
        """The version to speak; empty if the server has to be asked."""
        if self.profile.mcp != "auto":
            return self.profile.mcp
        if not self._version:
            remembered = self.around.mcp_version()
            self._version = remembered if remembered in MCP_VERSIONS else ""
        return self._version

    @property
    def is_stateless(self) -> bool:
        return self.version == MCP_STATELESS

    def speak(self, version: str) -> None:
        """Speak a version until the server refuses it; an empty one has to be found."""
        if self.profile.mcp == "auto":
            self._version = version
            self.around.keep_mcp_version(version)

    def choose(self, outcome: Outcome | None) -> None:
        """Speak the newest version that both speak, after an answer to ``server/discover``.

        A server that does not know the call, or does not answer, begins a session.
        """
        has_its_code = isinstance(outcome, ErrorObject) and outcome.code in {MCP_HEADER_MISMATCH, MCP_LACKS_CAPABILITY}
        # If it speaks only later versions, it refuses the call and names them.
        if has_its_code or any(version >= MCP_STATELESS for version in versions_in(outcome)):
            self.speak(MCP_STATELESS)
        else:
            self._version = MCP_VERSIONS[1]  # It is remembered once a session began.

    def begin(self, result: Result, discovered: Outcome | None = None) -> _Initialized:
        """Speak the version of the session that a result of ``initialize`` began; return the result.

        ``discovered`` is an answer that came too late: it is not remembered that the server needs a session.
        """
        try:
            initialized = msgspec.json.decode(result.value, type=_Initialized)
        except (msgspec.DecodeError, RecursionError):
            initialized = _Initialized()
        version = initialized.protocolVersion
        if MCP_STATELESS in versions_in(discovered):
            self._version = MCP_VERSIONS[1]
        else:
            self.speak(version if version in MCP_VERSIONS else MCP_VERSIONS[1])
        return initialized

    def is_stateless_after(self, outcome: Outcome, discovered: Outcome | None = None) -> bool:
        """Return whether ``initialize`` failed because the server speaks without it; speak so.

        Its error says so, or the answer to ``server/discover``, if that came too late.
        """
        named = (*versions_in(outcome), *versions_in(discovered))
        if self.profile.mcp != "auto" or isinstance(outcome, Result) or MCP_STATELESS not in named:
            return False
        self.speak(MCP_STATELESS)
        return True

    def refuses(self, response: AuthResponse | Refused, *, has_session: bool) -> bool:
        """Return whether a response means that the server no longer speaks the version that is remembered.

        Without a session, it is that of ``initialize`` if the version has one.
        """
        if self.profile.mcp != "auto" or isinstance(response, Refused):
            return False
        outcome, status = response.outcome, response.response.status
        if not self.is_stateless:
            return not has_session and (isinstance(outcome, ErrorObject) or status in REFUSING)
        if isinstance(outcome, ErrorObject) and outcome.code == MCP_UNKNOWN_VERSION:
            return True
        is_read = isinstance(outcome, ErrorObject) and outcome.code in _OF_STATELESS
        return status in REFUSING and not is_read and not isinstance(outcome, Result)

    def discover_call(self, id: str) -> Call:
        """Return the call that asks a server for its versions and capabilities."""
        return self.stateless_call(Call(MCP_DISCOVER, "{}", id))

    def stateless_call(self, call: Call) -> Call:
        """Return a call that says by itself which version it has."""
        if call.id is None:
            return call
        meta = {
            name: msgspec.json.encode(value).decode()
            for name, value in mcp_meta(self.profile, self.around.can_ask).items()
        }
        return replace(call, params=_with_meta(call.params, meta))

    def keep_tool(self, tool: Mapping[str, Any]) -> None:
        schema = tool.get("inputSchema")
        properties = schema.get("properties") if isinstance(schema, dict) else None
        self._tools[str(tool.get("name"))] = properties if isinstance(properties, dict) else {}

    def properties_of(self, tool: str) -> Mapping[str, Any]:
        """Return the schemas of a tool's params, as far as they are known."""
        if tool not in self._tools and (described := self.around.described(tool)):
            return {param.name: param.schema for param in described.params}
        return self._tools.get(tool, {})

    def headers(self, message: Message) -> tuple[AuthHeader, ...]:
        """Return the headers that repeat parts of a message."""
        headers = [AuthHeader(MCP_VERSION_HEADER, MCP_STATELESS)]
        if message.kind == "batch" or not message.calls:  # The version has no batches; the server says so.
            return tuple(headers)
        call = message.calls[0]
        headers.append(_header("Mcp-Method", call.method))
        if call.method not in NAMED_BY:
            return tuple(headers)
        params = PointerLookup(call.params)
        name = _text_of(params.at(NAMED_BY[call.method]))
        if name:
            headers.append(_header("Mcp-Name", name))
        if call.method == CALLS_A_TOOL and name:
            headers += _param_headers(params, self.properties_of(name))
        return tuple(headers)


def versions_in(outcome: Outcome | None) -> tuple[str, ...]:
    """Return the versions that a server names."""
    text: bytes | None = None
    if isinstance(outcome, Result):
        text = outcome.value
    elif isinstance(outcome, ErrorObject):
        text = outcome.data
    try:
        found = msgspec.json.decode(text or b"{}", type=_Versions)
    except (msgspec.DecodeError, RecursionError):
        return ()
    return found.supportedVersions if isinstance(outcome, Result) else found.supported


class ParamHeader(AuthHeader, frozen=True):
    """A header that repeats a part of the message."""

    is_secret: bool = False

    @property
    def shown(self) -> str:
        return UNRECORDED if self.is_secret and not HIDDEN.search(self.text) else self.text

    def opened(self, opening: Opening) -> str:
        """Return the value to send: with the secret of a reference, it is encoded only now."""
        return header_value(opening.filled(self.text)) if HIDDEN.search(self.text) else self.text

    def secret_parts(self, opened: str) -> Iterable[str]:
        if not self.is_secret:
            return ()
        return (opened, plain_value(opened))


def header_value(text: str) -> str:
    """Return a text as a header holds it: in base64 if it has other letters than a header, or looks like that."""
    is_like_base64 = text.startswith(_BASE64) and text.endswith("?=")
    if _IN_HEADER.fullmatch(text) and not is_like_base64:
        return text
    return f"{_BASE64}{b64encode(text.encode('utf-8', 'surrogatepass')).decode()}?="


def plain_value(value: str) -> str:
    """Return the text that `header_value` made this value of."""
    if not (value.startswith(_BASE64) and value.endswith("?=")):
        return value
    return b64decode(value.removeprefix(_BASE64).removesuffix("?=")).decode("utf-8", "surrogatepass")


def _header(name: str, text: str, *, is_secret: bool = False) -> ParamHeader:
    if HIDDEN.search(text):
        return ParamHeader(name, text, is_secret=True)
    return ParamHeader(name, header_value(text), is_secret=is_secret)


def _param_headers(params: PointerLookup, properties: Mapping[str, Any]) -> Iterator[ParamHeader]:
    """Yield the headers of the params that a tool's schema marks."""
    for path, name in _marked(properties):
        text = _text_of(params.at(pointer_of(("arguments", *path))))
        if text is not None:
            yield _header(f"Mcp-Param-{name}", text, is_secret=any(map(kind_of, path)))


def _marked(properties: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the paths of marked params, and their names in headers."""
    for name, schema in properties.items():
        if not isinstance(schema, dict):
            continue
        path, header, inside = (*above, name), schema.get("x-mcp-header"), schema.get("properties")
        if isinstance(header, str) and _TOKEN.fullmatch(header):
            yield path, header
        if isinstance(inside, dict) and len(path) < MAX_LEVELS:
            yield from _marked(inside, path)


def _text_of(value: str | None) -> str | None:
    """Return a text, number or flag as a header has it; other values are in none."""
    if value is None or value == "null" or value[:1] in {"{", "["}:
        return None
    if not value.startswith('"'):
        return value
    try:
        return str(msgspec.json.decode(value))
    except msgspec.DecodeError:
        return None


def _with_meta(params: str, meta: Mapping[str, str]) -> str:
    """Return params with members of ``_meta``, of which those that were typed stay."""
    for member in members(params) or ():
        if member.name == "_meta" and params[member.value[0]] == "{":
            start, end = member.value
            typed = params[start:end]
            names = {inside.name for inside in members(typed) or ()}
            added = {name: value for name, value in meta.items() if name not in names}
            return params[:start] + with_members(typed, added) + params[end:]
    return with_members(params, {"_meta": with_members("{}", meta)})


def with_members(params: str, added: Mapping[str, str]) -> str:
    """Return an object with more members, whose values are JSON text; an array stays as it is."""
    text = "{}" if params in {"", "[]"} else params.strip()
    if not text.startswith("{"):
        return params
    inside = text[1:-1].strip()
    parts = [inside] if inside else []
    parts += [f"{spelled(name)}:{value}" for name, value in added.items()]
    return "{" + ",".join(parts) + "}"


class McpCalls:
    """MCP on an open connection: names of tools are methods."""

    def __init__(self, server: McpServer) -> None:
        self._server = server

    def send(self, request: AuthRequest, events: list[Event]) -> AuthFlow:  # noqa: ARG002
        if not self._server.version and request.message.method != INITIALIZE:
            # The connection opens first: what is sent depends on the version that the server speaks.
            opened = yield replace(request, message=Message("notification", ()), is_ahead=True)
            if isinstance(opened, Refused) or not isinstance(opened.outcome, Sent):
                return opened
        return (yield self.shown(request))

    def shown(self, request: AuthRequest) -> AuthRequest:
        if request.message.method == INITIALIZE:
            return request
        message = translated(request.message)
        if self._server.is_stateless:
            message = replace(message, calls=tuple(map(self._server.stateless_call, message.calls)))
        return replace(request, message=message)


class McpOverHttp:
    """MCP over HTTP: a session that ``initialize`` begins, or requests with headers of their own."""

    def __init__(self, server: McpServer) -> None:
        self._server = server
        self._headers: tuple[AuthHeader, ...] | None = None
        """Those of the session that is ready."""

    def send(self, request: AuthRequest, events: list[Event]) -> AuthFlow:
        if request.message.method == INITIALIZE:  # The user calls it.
            response = yield request
            if isinstance(response, AuthResponse):
                self._hide_session_ids(events, response)
                if isinstance(response.outcome, Result):
                    self._headers = self._headers_of(response, events)
            return response
        self._hide_session_ids(events)
        version = self._server.version
        response = yield from self._send(request, events)
        if not version or not self._server.refuses(response, has_session=self._headers is not None):
            return response
        events.append(Note(f"the server refuses MCP {version}, so rpcexplorer asked again which version it speaks"))
        self._server.speak("")
        self._headers = None
        return (yield from self._send(request, events))

    def shown(self, request: AuthRequest) -> AuthRequest:
        if request.message.method == INITIALIZE:
            return request
        if not self._server.version or self._server.is_stateless:
            return self._stateless(request)
        headers = (AuthHeader(MCP_VERSION_HEADER, self._server.version), AuthHeader(MCP_SESSION_HEADER, UNRECORDED))
        return replace(request, message=translated(request.message), headers=(*request.headers, *headers))

    def _send(self, request: AuthRequest, events: list[Event]) -> AuthFlow:
        """Send a request in the version that the server speaks, which is found first."""
        if not self._server.version:
            answer = yield self._ahead(request, self._server.discover_call(_id_ahead(request, "discover")))
            if isinstance(answer, Refused):
                return answer
            if isinstance(answer.outcome, Unreached) or answer.response.status in LOCKED:
                return _failed(answer, MCP_DISCOVER)
            self._server.choose(answer.outcome)
        if self._server.is_stateless:
            return (yield from self._send_stateless(request))
        return (yield from self._send_in_session(request, events))

    def _send_stateless(self, request: AuthRequest) -> AuthFlow:
        if request.message.kind == "opening":  # An event stream is the response to a call.
            request = replace(request, message=Message("call", (Call(LISTEN, EVERY_CHANGE, fresh_id()),)))
        sent = self._stateless(request)
        response = yield sent
        call = sent.message.calls[0]
        if call.method != CALLS_A_TOOL or isinstance(response, Refused):
            return response
        if not isinstance(response.outcome, ErrorObject) or response.outcome.code != MCP_HEADER_MISMATCH:
            return response
        # The server did not run the call, because headers of its params are missing: its schema names them.
        yield from self._find_tool(request, _text_of(PointerLookup(call.params).at("/name")) or "")
        again = self._stateless(request)
        if again.headers == sent.headers:
            return response
        return (yield again)

    def _find_tool(self, request: AuthRequest, name: str) -> Generator[AuthRequest, AuthResponse | Refused, None]:
        """Ask for the schema of a tool."""
        cursor = ""
        for page in range(MAX_PAGES):
            params = f'{{"cursor":{spelled(cursor)}}}' if cursor else "{}"
            call = Call(LISTS_TOOLS, params, _id_ahead(request, f"tools{page}"))
            answer = yield self._ahead(request, self._server.stateless_call(call))
            if isinstance(answer, Refused) or not isinstance(answer.outcome, Result):
                return
            try:
                found = msgspec.json.decode(answer.outcome.value, type=_Tools)
            except (msgspec.DecodeError, RecursionError):
                return
            tool = next((tool for tool in found.tools if tool.get("name") == name), None)
            if tool is not None:
                self._server.keep_tool(tool)
                return
            cursor = found.nextCursor
            if not cursor:
                return

    def _send_in_session(self, request: AuthRequest, events: list[Event]) -> AuthFlow:
        # Another call may begin a session meanwhile. This one continues in the session that was ready.
        headers = self._headers
        if headers is not None:
            response = yield _with_session(request, headers)
            if not isinstance(response, AuthResponse) or not _is_over(response):
                return response
            if self._headers is headers:
                self._headers = None
            events.append(Note("the server no longer knows the session, so rpcexplorer sent initialize again"))
        new_session = yield from self._initialize(request, events)
        if isinstance(new_session, Refused):
            return new_session
        if isinstance(new_session, AuthResponse):
            if self._server.is_stateless_after(new_session.outcome):
                return (yield from self._send_stateless(request))
            return _failed(new_session, INITIALIZE)
        return (yield _with_session(request, new_session))

    def _stateless(self, request: AuthRequest) -> AuthRequest:
        """Return a request that says by itself which version it has."""
        message = request.message if request.is_ahead else translated(request.message)
        headers = self._server.headers(message)
        message = replace(message, calls=tuple(map(self._server.stateless_call, message.calls)))
        return replace(request, message=message, headers=(*request.headers, *headers))

    def _ahead(self, request: AuthRequest, call: Call) -> AuthRequest:
        """Return a request of our own, without a session."""
        message = Message("call", (call,))
        headers = (*request.headers, *self._server.headers(message))
        return replace(request, message=message, headers=headers, is_ahead=True)

    def _initialize(
        self, request: AuthRequest, events: list[Event]
    ) -> Generator[AuthRequest, AuthResponse | Refused, AuthResponse | Refused | tuple[AuthHeader, ...]]:
        """Begin a session and return its headers, or the response if it failed."""
        call = Call(
            INITIALIZE, mcp_params(self._server.profile, self._server.around.can_ask), _id_ahead(request, INITIALIZE)
        )
        response = yield replace(request, message=Message("call", (call,)), is_ahead=True)
        if isinstance(response, Refused) or not isinstance(response.outcome, Result):
            return response
        self._hide_session_ids(events, response)
        headers = self._headers_of(response, events)
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

    def _headers_of(self, received: AuthResponse, events: list[Event]) -> tuple[AuthHeader, ...]:
        """Return the headers of the session that ``initialize`` began."""
        assert isinstance(received.outcome, Result)
        initialized = self._server.begin(received.outcome)
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
        if SENDABLE.fullmatch(version):
            headers.append(AuthHeader(MCP_VERSION_HEADER, version))
        session = received.response.header(MCP_SESSION_HEADER)
        if session and SENDABLE.fullmatch(session):
            headers.append(HandedHeader(MCP_SESSION_HEADER, session))
        return tuple(headers)


def _id_ahead(request: AuthRequest, part: str) -> str:
    """Return the id of a call that is sent before another one."""
    calls = request.message.calls
    base = (calls[0].id if calls else None) or "notification"
    return f"{base}.{part}"


def _with_session(request: AuthRequest, headers: tuple[AuthHeader, ...]) -> AuthRequest:
    message = request.message
    if not request.is_ahead:  # A login is a method, not a tool.
        message = translated(message)
    return replace(request, message=message, headers=(*request.headers, *headers))


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


def translated(message: Message) -> Message:
    """Return the message with each tool call as ``tools/call``."""
    return replace(message, calls=tuple(_translated_call(call) for call in message.calls))


def _translated_call(call: Call) -> Call:
    if _MCP_METHOD.fullmatch(call.method):
        return call
    arguments = call.params
    if arguments == "[]":  # The params that a call without params has. MCP wants an object.
        arguments = "{}"
    return replace(call, method=CALLS_A_TOOL, params=f'{{"name":{spelled(call.method)},"arguments":{arguments}}}')


def _failed(received: AuthResponse, method: str) -> AuthResponse:
    """Add to the failure of a request ahead of a call that the call was not sent."""
    outcome = received.outcome
    match outcome:
        case Unreached(sentence=sentence):
            outcome = replace(outcome, sentence=f"{method} failed: {sentence}", in_handshake=True)
        case ErrorObject(remarks=remarks):
            remark = f"this is the error of {method}: the call was not sent"
            outcome = replace(outcome, remarks=(*remarks, remark, MCP_SPOKEN))
        case Malformed(reason=reason):
            outcome = replace(outcome, reason=f"{method} failed: {reason}", kind="handshake")
    return replace(received, outcome=outcome)
