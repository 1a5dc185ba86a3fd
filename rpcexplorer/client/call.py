"""One call: the requests of its auth flow, within one deadline."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from rpcexplorer.auth.credentials import (
    AuthCall,
    AuthFlow,
    AuthRequest,
    AuthResponse,
    CredentialSource,
    Hidden,
    Message,
    Note,
    SessionEnded,
    SessionOpened,
    opened,
    opened_address,
    opening_of,
)
from rpcexplorer.auth.registry import auth_of
from rpcexplorer.client.surroundings import ALONE, Surroundings
from rpcexplorer.jsontext.pointers import Levels
from rpcexplorer.jsontext.steps import Steps, at_once, run_in_turns
from rpcexplorer.model.exchange import Cancelled, Exchange, Outcome, Refused, Sent, Stop, Unreached
from rpcexplorer.model.problem import cut
from rpcexplorer.model.profile import MCP_SESSION_HEADER, Profile, split_socket
from rpcexplorer.model.secret import UNRECORDED, Secret
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.redaction.exchange import PRINT, SHOW, redacted_in_steps
from rpcexplorer.rpc.batch import decode_batch
from rpcexplorer.rpc.codec import decode, encode, encode_batch, read_text
from rpcexplorer.rpc.messages import METHOD_NOT_FOUND, ErrorObject, Malformed, MessageForm, Result, decoded
from rpcexplorer.transport.port import Headers, Partial, Request, Response, Transport, Unreachable, Verb, Watch
from rpcexplorer.transport.request import SOCKET, WEBSOCKET, address_of, request_headers, upgrade_headers

if TYPE_CHECKING:
    from rpcexplorer.client.event_stream import EventStream, Listening
    from rpcexplorer.transport.http import HttpTransport
    from rpcexplorer.transport.port import ShownCertificate
    from rpcexplorer.transport.tls import Trust


async def connect(profile: Profile, reply_limit: int, around: Surroundings = ALONE) -> Transport:
    """Return the transport for the profile's address.

    It is loaded in another thread, so that the screen stays responsive.
    """
    if profile.is_open_connection:
        await asyncio.to_thread(import_module, "rpcexplorer.client.open_connection")
        from rpcexplorer.client.open_connection import open_connection

        return open_connection(profile, reply_limit, trust_of(profile), around)
    transport_type = await asyncio.to_thread(_http)
    transport = transport_type(trust=trust_of(profile), cap=reply_limit)
    await transport.open()
    return transport


async def certificate_of(profile: Profile) -> ShownCertificate:
    """Return the certificate that the server shows; send nothing to it.

    Raises `Unreachable`.
    """
    await asyncio.to_thread(_http)
    if profile.is_open_connection:
        from rpcexplorer.transport.websocket import certificate_of
    else:
        from rpcexplorer.transport.http import certificate_of

    return await certificate_of(profile.endpoint, trust_of(profile), deadline=profile.timeout)


async def load() -> None:
    """Load the modules that a first request needs, which takes 0.1 s."""
    await (await asyncio.to_thread(_http))().open()


RANDOM_KEY: Final = "(random)"
"""Shown instead of the key of a WebSocket."""


def as_sent(request: Request, profile: Profile) -> tuple[str, Headers, bytes]:
    """Return request line, exact headers and message as they are sent.

    Those of a WebSocket open it. A stream or a process has no request line, and only the headers of its framing. Raises
    `Unreachable` for a request that cannot be sent.
    """
    if profile.connection_kind == "http":
        address = address_of(request.url, request.socket)
        return f"POST {address.target} HTTP/1.1", request_headers(request, address), request.body
    if profile.connection_kind == "websocket":
        address = address_of(request.url, schemes=WEBSOCKET)
        return f"GET {address.target} HTTP/1.1", upgrade_headers(request, address, RANDOM_KEY), request.body
    if profile.connection_kind == "stream":
        address_of(request.url, schemes=SOCKET)
    from rpcexplorer.transport.framing import framer_of

    framed = framer_of(profile.framing, len(request.body)).frame(request.body)
    if profile.framing == "length":
        head, _, message = framed.partition(b"\r\n\r\n")
        name, _, value = head.decode().partition(": ")
        return "", ((name, value),), message
    return "", (), framed.removesuffix(b"\n")


def trust_of(profile: Profile) -> Trust:
    from rpcexplorer.transport.tls import Trust

    files = (None if file is None else Path(file) for file in (profile.ca_file, profile.cert_file, profile.key_file))
    ca_file, cert_file, key_file = files
    return Trust(ca_file, profile.certificate, cert_file, key_file)


@cache
def _http() -> type[HttpTransport]:
    # If it can, httpx imports its own command line with rich and pygments, which takes a third of the time.
    modules: dict[str, Any] = sys.modules
    main = modules.setdefault("httpx._main", None)
    from rpcexplorer.transport.http import HttpTransport

    if main is None:
        modules.pop("httpx._main", None)
    return HttpTransport


REDIRECTS = {
    301: "Moved Permanently", 302: "Found", 303: "See Other", 307: "Temporary Redirect", 308: "Permanent Redirect",
}  # fmt: skip
"""Redirect statuses; 300 and 304 do not count, even with ``Location``."""


MEANINGS: Final = {
    401: ("Unauthorized", "the server asks for credentials{wanted}."),
    403: ("Forbidden", "you may not do this at {address}. Ask the owner of the server."),
    407: (
        "Proxy Authentication Required",
        "a proxy in front of the server asks for credentials{wanted}. Ask the owner of the proxy.",
    ),
    413: (
        "Content Too Large",
        "the server, or a gateway in front of it, does not accept a request of this size. Send less data at once.",
    ),
    415: ("Unsupported Media Type", "the server does not accept {content_type}."),
    417: (
        "Expectation Failed",
        "the server, or a gateway in front of it, refuses a header. Check the headers of the profile.",
    ),
    429: ("Too Many Requests", "too many requests. Try again {later}."),
    502: (
        "Bad Gateway",
        "a gateway got no valid response from the service behind it. Check that the service runs.",
    ),
    503: ("Service Unavailable", "the service is not available now. Try again {later}."),
    504: (
        "Gateway Timeout",
        "a gateway got no response in time.{maybe_runs}",
    ),
    505: ("HTTP Version Not Supported", "the server does not accept HTTP/1.1. Check the port."),
}
"""Title and meaning of statuses that say more than the body."""
OWN_PROXY: Final = (
    "the proxy {proxy} asks for credentials{wanted}. "
    "Add user name and password to its URL in HTTP_PROXY, or add the host to NO_PROXY."
)
MAYBE_RUNS: Final = " The service may still run the call: check before you resend it."
MAYBE_RAN: Final = "The complete request was sent, so the server may have run it: check before you resend it."
CAN_PIN: Final = "A connection test shows the certificate and can pin it."
REJECTED: Final = "the server rejected the credentials of this profile, or asks for other ones."


def explain_status(response: Response, profile: Profile, *, is_ahead: bool) -> str:
    """Return a sentence about the status; empty if the body says more.

    ``is_ahead``: the request was sent before the call.
    """
    status = response.status
    if status in REDIRECTS and (location := response.header("location")) is not None:
        title = f"HTTP {status} {REDIRECTS[status]}"
        return f"{title}: the server redirects to {location}. Redirects are not followed."
    if status not in MEANINGS:
        return ""
    title, meaning = MEANINGS[status]
    if status == 401 and profile.secrets and not profile.assumes_auth:
        meaning = REJECTED
    elif status == 407 and response.proxy is not None:
        meaning = OWN_PROXY
    wanted = response.header("www-authenticate" if status == 401 else "proxy-authenticate")
    after = (response.header("retry-after") or "").strip()
    explained = meaning.format(
        wanted=f" ({cut(wanted)})" if wanted else "",
        address=redacted_address(profile.endpoint),
        proxy=response.proxy,
        content_type=profile.content_type,
        maybe_runs="" if is_ahead else MAYBE_RUNS,
        later=f"in {after} s" if after.isdecimal() else f"after {after}" if after else "later",
    )
    return f"HTTP {status} {title}: {explained}"


OK = 200
EVENT_STREAM: Final = "text/event-stream"
CLEAR_STATUSES = frozenset({*REDIRECTS, 401, 407})
"""Statuses after which the content of the body does not matter."""
CALLS_A_TOOL: Final = "tools/call"
"""The method of MCP whose result may say that it failed."""
MAX_TOOL_RESULT: Final = 16 * 1024 * 1024
"""Bytes of a tool's result that are searched for a failure, in 20 ms."""
MAX_TOOL_TEXT: Final = 4_000
"""Characters of a failed tool's text to show; the result has all of it."""
GATEWAY_STATUSES = frozenset({413, 417, 502, 504, 505})
"""Statuses with a page of a gateway, which says nothing about the path."""
MAX_REFUSED: Final = 100
"""Characters of a method that the server asked for."""
HUNG_UP = "the server closed the connection without a response, as some servers do after a notification"


def body_of(profile: Profile, message: Message) -> bytes:
    """Return the message's body, with secret references."""
    if message.kind == "batch":
        return encode_batch(message.calls, profile.form)
    return encode(message.calls[0], profile.form)


def request_of(
    profile: Profile, request: AuthRequest, secrets: Sequence[Secret], verb: Verb = "POST"
) -> tuple[Request, tuple[Secret, ...]]:
    """Return a request with its secrets, and other values to redact.

    It is passed to the socket next and nowhere else.
    """
    body = opened(body_of(profile, request.message), request, secrets) if verb == "POST" else b""
    url = opened_address(request.address, secrets) or profile.endpoint
    if not request.headers:
        return http_request(profile, body, (), url, verb), ()
    try:
        target = address_of(split_socket(url)[1]).target
    except Unreachable:  # The transport reports why an address cannot be used.
        target = ""
    opening = opening_of(secrets, target, body, verb)
    values = [(header, header.opened(opening)) for header in request.headers]
    hidden = (Secret(part, UNRECORDED.strip("«»")) for header, value in values for part in header.betrays(value))
    headers = tuple((header.name, value) for header, value in values)
    return http_request(profile, body, headers, url, verb), tuple(hidden)


def http_request(
    profile: Profile, body: bytes, headers: Headers = (), address: str = "", verb: Verb = "POST"
) -> Request:
    """Return a request in the profile's form, with headers and address."""
    others = {name.lower(): (name, value) for name, value in headers}
    _, cookie = others.pop("cookie", ("", None))
    own = (header for header in profile.headers if header[0].lower() not in others)
    socket, url = split_socket(address or profile.endpoint)
    return Request(
        url=url,
        body=body,
        content_type=profile.content_type,
        accept=profile.accept,
        headers=(*own, *others.values()),
        cookie=cookie,
        verb=verb,
        socket=socket,
    )


def _find_tool_failure(result: Result) -> str:
    """Return why a tool of MCP failed, in its own words; empty if it did not."""
    if len(result.text) > MAX_TOOL_RESULT:
        return ""
    members = Levels(result.value.decode("utf-8", "replace"))
    if members.at("/isError") != "true":
        return ""
    try:
        content = decoded((members.at("/content") or "").encode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        content = None
    parts = [part.get("text") for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    text = "\n".join(part for part in parts if isinstance(part, str)).strip()
    # The text is complete or omitted: secrets are found only in complete texts.
    return text if 0 < len(text) <= MAX_TOOL_TEXT else "isError is true"


def _read_document(response: Response) -> Outcome:
    """Return a document as a result, for the caller to interpret."""
    if response.status is None:  # A connection was opened, without a message.
        return Sent()
    if response.status != OK:
        return Malformed("The server did not return a document.")
    text, remarks = read_text(response.body)
    if isinstance(text, Malformed):
        return text
    is_json = text.lstrip()[:1] in {b"{", b"["}
    return Result(text, remarks) if is_json else Malformed("The document is not JSON.")


def is_event_stream(response: Response) -> bool:
    return response.status == OK and (response.header("content-type") or "").lower().startswith(EVENT_STREAM)


def _read_opening(response: Response) -> Outcome:
    """Return the outcome of a GET for an event stream, which the server has answered."""
    if is_event_stream(response):
        return Sent()
    problem = f"HTTP {response.status}"
    if response.status == OK:
        problem = cut(response.header("content-type") or "no content type")
    return Malformed(f"The server has no event stream here: it answered a GET request with {problem}.")


def outcome_of(message: Message, response: Response, form: MessageForm) -> Outcome:
    """Decode the response to a message."""
    if _is_notification(message):
        return _read_notification(response, form)
    if message.kind == "batch":
        return decode_batch(response.body, message.calls, form)
    outcome = decode(response.body, message.calls[0].id, form)
    if isinstance(outcome, Result) and message.method == CALLS_A_TOOL:
        return replace(outcome, message=_find_tool_failure(outcome))
    return outcome


def _is_notification(message: Message) -> bool:
    return message.kind == "notification" or all(call.id is None for call in message.calls)


def _read_notification(response: Response, form: MessageForm) -> Outcome:
    """Return the outcome of a notification, whose answer is shown, if any."""
    accepted = response.status is None or response.status < 300
    if response.body.strip():
        reply = decode(response.body, None, form)
        if not isinstance(reply, Malformed) or not accepted:
            return replace(reply, remarks=(*reply.remarks, "the server sent a response to a notification"))
        return Sent(("the server sent data after a notification, but no response",))
    return Sent() if accepted else Malformed("The server did not accept the notification.")


LARGE_BODY_BYTES = 64 * 1024
"""Bytes that take a few milliseconds to decode or record."""
Record = Callable[[Exchange], None]


def discard(exchange: Exchange) -> None:
    """Record nothing, for discovery, connection tests and the Python client."""


class RunningCall:
    """One call in progress, which can become an exchange at any point.

    All its requests have one deadline. The time in which the user types a password does not count.
    """

    def __init__(
        self,
        profile: Profile,
        credentials: CredentialSource,
        transport: Callable[[], Awaitable[Transport]],
        unsent: Exchange,
        *,
        timeout: float,
        watch: Watch | None,
        document: str = "",
        prints: bool = False,
        stream_of: Callable[[Request, Response], EventStream | None] = lambda *_: None,
        send_later: Callable[[Request], object] = lambda _: None,
        listening: Listening | None = None,
    ) -> None:
        """Prepare a call.

        ``document`` is the address of a document to fetch instead: then only a login is posted. ``prints``: the
        response goes to stdout, so the names of its members are not redacted. ``stream_of`` gets a request and the
        head of its response, and returns what reads the body of an event stream. ``send_later`` sends a message whose
        response does not matter. ``listening``: the event stream goes on after the call; with ``document``, it is all
        that is fetched.
        """
        self._stream_of, self._send_later, self._listening = stream_of, send_later, listening
        self._stream: EventStream | None = None
        self._policy = PRINT if prints else SHOW
        self._profile, self._credentials, self._transport = profile, credentials, transport
        self._unsent, self._document, self._watch = unsent, document, watch
        self._seconds_left = timeout
        self._seconds = 0.0
        """Duration of all requests."""
        self._notes = list(unsent.notes)
        self._hidden = list(credentials.in_use())
        """Values to redact in every response, ended sessions of the call included."""
        self._own: list[Secret] = []
        """Such values that only this call knows: what proves a password, and the session of a handshake."""
        self._secrets: dict[str, Secret] = {}
        """Secrets that were looked up for this call, by field."""
        self._partial = Partial()
        self._is_ahead = False
        """Whether the last request was sent before the call."""
        self._sent = 0

    async def run(self, flow: AuthFlow, call: AuthCall, stop: Stop | None, record: Record) -> Exchange:
        """Drive a flow to its end; record the exchange even if it is cancelled."""
        task = asyncio.current_task()
        assert task is not None
        stop = stop or Stop()
        stop.watch(task)
        try:
            try:
                request = next(flow)
                while True:
                    self._apply_events(call)
                    request = flow.send(await self._look_up(request, call) or await self._send(request))
            except StopIteration as last:
                self._apply_events(call)
                end: AuthResponse | Refused = last.value
            exchange = await run_in_turns(self._exchange(end))
        except asyncio.CancelledError:
            # A login without a call is the cancelled request itself.
            maybe_ran = self._partial.sent_whole and not (self._is_ahead and call.message.calls)
            cancelled = AuthResponse(Cancelled(maybe_ran), self._partial.response, self._sent)
            exchange = at_once(self._exchange(cancelled))
            if not stop.pressed:  # The whole program ends and must not wait for this call.
                record(exchange)
                raise
            task.uncancel()
        finally:
            stop.watch(None)
        if len(exchange.response.body) < LARGE_BODY_BYTES:
            record(exchange)
        else:  # A thread keeps the screen responsive.
            await asyncio.to_thread(record, exchange)
        return exchange

    def _apply_events(self, call: AuthCall) -> None:
        """Handle the events that the flow reported since its last request."""
        for event in call.events:
            match event:
                case SessionOpened(session=session):
                    if problem := self._credentials.keep(self._profile, session):
                        self._notes.append(problem)
                    self._hidden += self._credentials.in_use()
                case SessionEnded():
                    self._credentials.drop(self._profile)
                case Note(sentence=sentence):
                    self._notes.append(sentence)
                case Hidden(value=value):
                    self._own.append(Secret(value, UNRECORDED.strip("«»")))
        call.events.clear()

    async def _look_up(self, request: AuthRequest, call: AuthCall) -> Refused | None:
        """Look up or ask for the secrets of a request; return why one is blocked."""
        for field in request.fields:
            if field == "session" and call.session is not None:
                self._secrets[field] = call.session
            elif field not in self._secrets:
                found = await self._credentials.secret(self._profile, field)
                if isinstance(found, Refused):
                    return found
                self._secrets[field] = found
        secrets = [self._secrets[field] for field in request.fields]
        return auth_of(self._profile).header_problem(self._profile, secrets) if request.headers and secrets else None

    async def _send(self, request: AuthRequest) -> AuthResponse:
        """Insert the secrets, send the request, and decode its response."""
        self._partial, self._is_ahead = Partial(), request.is_ahead
        fetches = bool(self._document) and not request.is_ahead
        if fetches:
            request = replace(request, address=request.address or self._document)
        secrets = [self._secrets[field] for field in request.fields]
        sent, derived = request_of(self._profile, request, secrets, "GET" if fetches else "POST")
        listening = None if request.is_ahead else self._listening
        is_opening = fetches and listening is not None
        sent = replace(sent, accept=EVENT_STREAM) if is_opening else replace(sent, call=self._unsent.id)
        self._own += derived
        self._sent = len(sent.body)
        transport = await self._transport()  # Loading the transport for the first call does not count.
        self._partial.read = partial(self._begin_stream, sent, listening)
        started = time.perf_counter()
        sending = transport.send(sent, deadline=self._seconds_left, watch=self._watch, partial=self._partial)
        try:
            response = await (listening.response_to(sending) if listening else sending)
            if self._stream is not None:
                await self._stream.finish()
        except asyncio.CancelledError:
            self._cancel_on_server(request, sent)
            raise
        except Unreachable as error:
            if error.step == "timeout":
                self._cancel_on_server(request, sent)
            if error.hung_up and _is_notification(request.message) and not error.response.phases.kept:
                return AuthResponse(Sent((HUNG_UP,)), error.response, self._sent)
            maybe_ran = error.maybe_ran and not request.is_ahead
            advice = f" {CAN_PIN}" if error.untrusted else f" {MAYBE_RAN}" if maybe_ran else ""
            sentence = f"{error.sentence}{advice}"
            unreached = Unreached(error.step, sentence, maybe_ran)
            self._note_refusal(unreached)
            return AuthResponse(unreached, error.response, self._sent)
        finally:
            self._notes += self._partial.notes
            took = time.perf_counter() - started
            self._seconds_left = round(self._seconds_left - took, 2)  # A sentence about a timeout names it.
            self._seconds += took
            self._end_stream()
        if fetches:
            outcome = _read_opening(response) if is_opening else _read_document(response)
        else:
            meaning = partial(outcome_of, request.message, response, self._profile.form)
            outcome = meaning() if len(response.body) <= LARGE_BODY_BYTES else await asyncio.to_thread(meaning)
        if isinstance(outcome, Malformed) and (
            explained := explain_status(response, self._profile, is_ahead=request.is_ahead)
        ):
            text, status = response.body.lstrip(), response.status
            says_more = text and status not in CLEAR_STATUSES and not (text[:1] == b"<" and status in GATEWAY_STATUSES)
            outcome = replace(outcome, reason=f"{explained} {outcome.reason}" if says_more else explained)
        self._note_refusal(outcome)
        return AuthResponse(outcome, response, self._sent)

    def _note_refusal(self, outcome: Outcome) -> None:
        """Say that the call may have failed because a request of the server got an error."""
        method = self._partial.refused
        lacks_answer = str(METHOD_NOT_FOUND) in getattr(outcome, "message", "")
        if isinstance(outcome, ErrorObject):
            lacks_answer = lacks_answer or outcome.code == METHOD_NOT_FOUND
        closed = isinstance(outcome, Unreached) and outcome.step == "closed"
        if not method or not (lacks_answer or closed):
            return
        # The name is complete or omitted: secrets are found only in complete texts.
        name = method if len(method) <= MAX_REFUSED else "…"
        self._notes.append(
            f"the server sent the request {name} during the call and got an error from rpcexplorer, which may be the "
            f'cause. To answer it, set answer."{name}" in the profile: see `rpcexplorer manual connections`'
        )

    def _cancel_on_server(self, request: AuthRequest, sent: Request) -> None:
        """Tell a server of MCP over HTTP that a call has ended, which it does not learn from the end of a request."""
        is_mcp = self._profile.handshake == "mcp" and not self._profile.is_open_connection
        is_call = request.message.kind == "call" and sent.verb == "POST" and not request.is_ahead
        if is_mcp and is_call and self._partial.sent_whole:
            from rpcexplorer.client.server_messages import cancellation

            message = cancellation("mcp", request.message.calls[0].id or "", self._profile.form)
            self._send_later(replace(sent, body=message, call=""))

    def _begin_stream(self, sent: Request, listening: Listening | None, head: Response) -> EventStream | None:
        """Return what reads the body of a response, if it is an event stream."""
        stream = self._stream_of(sent, head)
        if stream is not None:  # Its events are redacted with what the credentials know.
            session = head.header(MCP_SESSION_HEADER) if self._profile.handshake == "mcp" else None
            self._own += [Secret(session, UNRECORDED.strip("«»"))] if session else []
            self._credentials.hide(self._own)
        if listening is None:
            self._stream = stream
        elif stream is not None:
            listening.begin(stream)
            if sent.verb == "GET":
                listening.respond(head)
        return stream

    def _end_stream(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            self._partial.refused = stream.requests.refused
            if note := stream.end():
                self._notes.append(note)

    def _exchange(self, end: AuthResponse | Refused) -> Steps[Exchange]:
        """Return the exchange in its current state, with secrets redacted."""
        exchange = replace(self._unsent, seconds=self._seconds, notes=tuple(self._notes))
        if isinstance(end, AuthResponse):
            exchange = replace(exchange, outcome=end.outcome, response=end.response, sent=end.sent)
        else:
            exchange = replace(exchange, outcome=end)
        hidden = dict.fromkeys([*self._hidden, *self._own, *self._credentials.in_use()])
        return (yield from redacted_in_steps(exchange, self._policy, self._profile, hidden)) if hidden else exchange
