"""The client of one profile: its calls and logins, and the connection that they share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, Self, cast

from msgspec.structs import replace

from rpcexplorer.auth.credentials import (
    UNAUTHORIZED,
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
)
from rpcexplorer.auth.registry import auth_of, login_requests, requests_for
from rpcexplorer.client.call import (
    CAN_PIN,
    HUNG_UP,
    LARGE_BODY_BYTES,
    MAX_REFUSED,
    MAYBE_RAN,
    asks_for_input,
    connect,
    explained,
    is_event_stream,
    is_notification,
    outcome_of,
    read_document,
    read_opening,
    request_of,
)
from rpcexplorer.client.handshake import handshake_of, mcp_server_of, with_handshake
from rpcexplorer.client.surroundings import ALONE, Surroundings
from rpcexplorer.jsontext.steps import Steps, at_once, run_in_turns
from rpcexplorer.model.destination import DestinationChanged
from rpcexplorer.model.draft import Batch, Draft, calls_of, kind_of
from rpcexplorer.model.exchange import (
    EVENT_STREAM,
    Cancelled,
    Exchange,
    Outcome,
    Refused,
    Sent,
    Stop,
    Unreached,
    fresh_id,
)
from rpcexplorer.model.mcp import LISTEN, MCP_SESSION_HEADER
from rpcexplorer.model.problem import counted
from rpcexplorer.model.profile import Auth, OpeningCall, Profile, joined
from rpcexplorer.model.secret import LATER, Secret, unrecorded
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.redaction.exchange import PRINT, SHOW, Redaction
from rpcexplorer.rpc.codec import decode
from rpcexplorer.rpc.messages import METHOD_NOT_FOUND, ErrorObject, Malformed, Result
from rpcexplorer.transport.port import Partial, Request, Response, Transport, Unreachable, Watch

if TYPE_CHECKING:
    from rpcexplorer.client.authorization import Authorization
    from rpcexplorer.client.event_stream import EventStream, Listening
    from rpcexplorer.client.inputs import Inputs
    from rpcexplorer.client.mcp import McpServer
    from rpcexplorer.client.open_connection import OpenConnection
    from rpcexplorer.client.openings import Openings
    from rpcexplorer.model.event import Event
    from rpcexplorer.variables.resolve import LastResult

NO_STREAM: Final = "The response to the call is complete: it is not an event stream, so no events can come."
BACKGROUND_SECONDS: Final = 1.0
"""For a message whose response does not matter."""
REPLY_LIMIT: Final = 256 * 1024 * 1024
Record = Callable[[Exchange, Redaction], None]
"""Get an exchange without secrets, and what has redacted them."""
Fill = Callable[[], Awaitable[Draft | Batch | Refused]]
"""Return a draft with its variables replaced, or why it is not sent."""


def discard(exchange: Exchange, redaction: Redaction) -> None:
    """Record nothing, for discovery, connection tests and the Python client."""


class ProfileClient:
    """The client of one profile, which connects with its first call.

    A call never raises for a failure of the server or the network: that is the outcome of the exchange.
    """

    def __init__(
        self,
        profile: Profile,
        credentials: CredentialSource,
        *,
        reply_limit: int = REPLY_LIMIT,
        record: Record = discard,
        transport: Transport | None = None,
        prints: bool = False,
        around: Surroundings = ALONE,
        advises: bool = True,
        mcp: McpServer | None = None,
    ) -> None:
        """``record`` gets each exchange; without a ``transport``, the first call chooses one for the address.

        ``prints``: responses go to stdout, so the names of their members are not redacted. ``advises``: the sentence of
        a failure says what to do before the call is sent again. ``mcp``: what is known of a server of MCP.
        """
        self.profile, self.credentials = profile, credentials
        self.advises = advises
        self.policy = PRINT if prints else SHOW
        self._reply_limit, self._record, self._around = reply_limit, record, around
        self._transport = transport
        self._streams: set[EventStream] = set()
        """Event streams over HTTP that have not ended."""
        self.inputs: set[Inputs] = set()
        """What servers of MCP ask before they go on with calls."""
        self._background: set[asyncio.Task[None]] = set()
        """Messages that are sent while nobody waits for their responses."""
        self.mcp = mcp or mcp_server_of(profile, around)
        self._handshake = handshake_of(profile, self.mcp)
        self._redaction = Redaction(profile, ())
        self._url = redacted_address(profile.endpoint)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection; the next call opens a new one."""
        if self._transport is not None:
            transport, self._transport = self._transport, None
            if self._background:
                await asyncio.wait(self._background)
            await transport.close()

    async def send(
        self,
        draft: Draft | Batch,
        *,
        id: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - covers a login too, and keeps the part received by then
        watch: Watch | None = None,
        stop: Stop | None = None,
        fill: Fill | None = None,
        document: str = "",
        opens: bool = False,
        listening: Listening | None = None,
    ) -> Exchange:
        """Send a draft.

        ``watch`` is called with the progress; ``stop`` can end the call. ``fill`` replaces the draft, once a connection
        has had its opening calls: the draft may need their results.

        ``document`` is a path on the same server that is fetched instead: with credentials in headers and address, but
        without any part of the draft. ``opens``: only open the connection, or the event stream of ``listening``.
        """
        id = id or fresh_id()
        profile, fetched = self.profile, ""
        calls = calls_of(draft, id, profile.envelope)
        exchange = self._unsent(id, draft)
        if isinstance(calls, Refused):
            return replace(exchange, outcome=calls)
        if refused := await self._refusal():
            return replace(exchange, outcome=refused)
        if profile.openings:
            if failure := await self._begin(timeout, watch, stop):
                return replace(exchange, outcome=failure)
            exchange = replace(exchange, when=datetime.now(UTC))  # It comes after the calls of the opening.
        if fill is not None:
            filled = await fill()
            if isinstance(filled, Refused):
                return replace(exchange, outcome=filled)
            exchange, calls = self._unsent(id, filled), calls_of(filled, id, profile.envelope)
            if isinstance(calls, Refused):
                return replace(exchange, outcome=calls)
        message = Message(kind_of(draft), calls)
        exchange = replace(exchange, method=message.method)
        if opens:
            message = replace(message, kind="opening")
        session = await self.credentials.session(profile) if profile.has_sessions else None
        if isinstance(session, Refused):
            return replace(exchange, outcome=session)
        if isinstance(session, DestinationChanged):
            changed = f" ({', '.join(map(str, session.changes))})" if session.changes else ""
            note = f"the stored session is blocked: {session.why}{changed}"
            exchange, session = replace(exchange, notes=(note,)), None
        if document:
            profile = replace(profile, url=profile.origin, path=document)
            exchange = replace(exchange, url=redacted_address(profile.endpoint))
        if document or opens:
            fetched = profile.endpoint
        call = self._auth_call(message, session, exchange.when)
        call.profile = profile
        if opens and profile.is_open_connection and profile.connection_kind != "websocket":
            # The messages of these connections have the credentials.
            flow = auth_of(replace(profile, auth=Auth())).requests(call)
        elif document:
            flow = requests_for(call)
        else:
            flow = self.flow_of(call)
        running = RunningCall(self, exchange, timeout=timeout, watch=watch, fetched=fetched, listening=listening)
        return await running.run(flow, call, stop, discard if opens else self._record)

    def flow_of(self, call: AuthCall) -> AuthFlow:
        """Return the requests of a call, each with the handshake that it needs."""
        return with_handshake(requests_for(call), self._handshake, call.events)

    async def _begin(self, timeout: float | None, watch: Watch | None, stop: Stop | None) -> Outcome | None:  # noqa: ASYNC109
        """Begin the connection with its opening calls, unless it has had them; return why it cannot be used."""
        send = partial(self._send_opening, timeout=timeout, watch=watch, stop=stop)
        if failure := await self._openings.make(send):
            return _with_handshake_named(failure)
        self.credentials.hide(self._openings.secrets)  # Again: later ones must not displace them.
        return None

    async def _send_opening(
        self,
        opening: OpeningCall,
        *,
        timeout: float | None,  # noqa: ASYNC109 - that of the call
        watch: Watch | None,
        stop: Stop | None,
    ) -> Exchange:
        """Send a call that the connection begins with; it may open it."""
        from rpcexplorer.client.openings import opening_request, params_of

        id, profile = fresh_id(), self.profile
        params = params_of(profile, opening)
        exchange = replace(self._unsent(id, Draft(opening.method, params)), kind="opening")
        call = AuthCall(profile, Message("call", ()), None, exchange.when, lambda: False)
        running = RunningCall(self, exchange, timeout=timeout, watch=watch, begins=True)
        exchange = await running.run(opening_request(profile, opening, params, id), call, stop, self._record)
        self._openings.keep(opening, exchange, self.redaction())
        self.credentials.hide(self._openings.secrets)
        return exchange

    def opened(self, name: str) -> LastResult:
        """Return the result of an opening call on the connection that is open."""
        return self._openings.result(name)

    @cached_property
    def _openings(self) -> Openings:
        from rpcexplorer.client.openings import Openings  # Few profiles have such calls.

        def opened() -> datetime | None:
            return self.connection.since if self.connection is not None else None

        return Openings(self.profile.openings, opened, self.close)

    async def _refusal(self) -> Refused | None:
        """Return why the profile must not be used now, or its process not be started."""
        if refused := await self.credentials.permission(self.profile) or self._around.refused(self.profile):
            return refused
        return await self._find_environment() if self.profile.environment_secrets else None

    async def _find_environment(self) -> Refused | None:
        """Look up the secrets that the process gets; one that runs with other values is ended."""
        found: dict[str, Secret] = {}
        for name in self.profile.environment_secrets:
            secret = await self.credentials.secret(self.profile, name)
            if isinstance(secret, Refused):
                return secret
            found[name] = secret
        if found != self._around.environment_secrets:
            await self.close()
            self._around = replace(self._around, environment_secrets=found)
        return None

    def redaction(self) -> Redaction:
        """Return what redacts the secrets that are known now; the same object while they do not change."""
        secrets = self.credentials.in_use()
        if self._redaction.secrets is not secrets or self._redaction.profile is not self.profile:
            self._redaction = Redaction(self.profile, secrets)
        return self._redaction

    async def open(
        self,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the exchange says what took too long
        watch: Watch | None = None,
        stop: Stop | None = None,
    ) -> Exchange:
        """Open a connection that stays open, without a call. Nothing is recorded."""
        return await self.send(Draft("open"), timeout=timeout, watch=watch, stop=stop, opens=True)

    async def listen(
        self,
        draft: Draft | None = None,
        *,
        on_response: Callable[[Exchange], None] = lambda _: None,
        fill: Fill | None = None,
        id: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - until the response came, not for listening
        watch: Watch | None = None,
        stop: Stop | None = None,
    ) -> Exchange:
        """Send a draft, if any, and wait for the end of its connection.

        Over HTTP, the connection is the event stream of the response, or that of a GET request without a draft.
        ``on_response`` gets the exchange when its response came, or the connection opened. A call that failed is
        returned at once instead. The outcome says why nothing more comes: `Unreached`, `Cancelled` by ``stop``,
        `Malformed` if the server has no event stream, or the last part of a result.
        """
        stop, opens = stop or Stop(), draft is None
        listening = None if self.profile.is_open_connection else _listening()
        sending = partial(self.send, draft or Draft("listen"), watch=watch, stop=stop, opens=opens, listening=listening)
        try:
            exchange = await sending(id=id, timeout=timeout, fill=fill)
            if draft is None and self._needs_subscription and not exchange.exit_code:
                from rpcexplorer.client.mcp import EVERY_CHANGE

                exchange = await self.send(Draft(LISTEN, EVERY_CHANGE), timeout=timeout, watch=watch, stop=stop)
            if exchange.exit_code:
                return exchange
            on_response(exchange)
            if listening is not None and listening.stream is None:
                return replace(exchange, outcome=Malformed(NO_STREAM), notes=())
            waiting = asyncio.create_task(listening.wait() if listening else self._wait_closed())
            end = None if await _is_stopped(waiting, stop) else waiting.result()
        finally:
            if listening is not None:
                await listening.close()
        notes = (listening.note,) if listening and listening.note else ()
        if end is None:
            return replace(exchange, outcome=Cancelled(), notes=notes)
        if isinstance(end, bytes):
            last = self.redaction().redactor(of_reply=True).body(end)
            return replace(exchange, outcome=decode(last, exchange.id, self.profile.form), notes=notes)
        hide = self.redaction().redactor().text
        return replace(exchange, outcome=Unreached(end.step, hide(end.sentence), reason=end.reason), notes=notes)

    @property
    def _needs_subscription(self) -> bool:
        """Return whether a server of MCP sends nothing on its open connection unless it is asked to."""
        return self.mcp is not None and self.profile.is_open_connection and self.mcp.is_stateless

    async def _wait_closed(self) -> Unreachable:
        connection = self.connection
        assert connection is not None
        await connection.wait_closed()
        assert connection.ended is not None
        return connection.ended

    @property
    def connection(self) -> OpenConnection | None:
        """The connection that stays open; None over HTTP, and before the first call."""
        transport: Any = self._transport if self.profile.is_open_connection else None
        return cast("OpenConnection | None", transport)

    async def beside(self, profile: Profile) -> ProfileClient:
        """Return a client that shares the connection of this one, and records nothing.

        Do not close it.
        """
        transport = await self.open_transport()
        return ProfileClient(
            profile,
            self.credentials,
            reply_limit=self._reply_limit,
            transport=transport,
            around=self._around,
            mcp=self.mcp,
        )

    async def login(self, *, watch: Watch | None = None, stop: Stop | None = None) -> Exchange:
        """Open a new session, even if there is one; or a new connection, if it has a login at its opening."""
        if self.profile.logs_in_at_opening and not self.profile.has_sessions:
            await self.close()
            return await self.open(watch=watch, stop=stop)
        from rpcexplorer.auth.login import login_params  # Few calls need this import.

        id, profile = fresh_id(), self.profile
        is_call = auth_of(profile).opens_session(profile)
        exchange = self._unsent(id, Draft(profile.login.method, login_params(profile)) if is_call else Draft("login"))
        if is_call and profile.login.path:
            exchange = replace(exchange, url=redacted_address(joined(profile.address, profile.login.path)))
        if refused := await self._refusal():
            return replace(exchange, outcome=refused)
        call = self._auth_call(Message("call", ()), None, exchange.when)
        flow = with_handshake(login_requests(call, id), self._handshake, call.events)
        record = self._record if is_call else discard  # The history has calls of the profile's server.
        return await RunningCall(self, exchange, watch=watch).run(flow, call, stop, record)

    def _auth_call(self, message: Message, session: Secret | None, now: datetime) -> AuthCall:
        profile, credentials = self.profile, self.credentials
        can_log_in = partial(credentials.can_log_in, profile)
        return AuthCall(profile, message, session, now, can_log_in, is_known=partial(credentials.is_known, profile))

    def stream_of(self, sent: Request, head: Response, partial: Partial) -> EventStream | None:
        """Return what reads the body of a response, if it is an event stream."""
        if self._transport is None or not is_event_stream(head):
            return None
        from rpcexplorer.client.event_stream import EventStream  # Few servers send one.

        return EventStream(
            sent,
            head,
            self._transport,
            self.profile,
            self._around,
            partial=partial,
            limit=self._reply_limit,
            running=self._streams,
        )

    def send_later(self, request: Request) -> None:
        """Send a message whose response does not matter; closing waits for it."""
        if (transport := self._transport) is None:
            return

        async def send() -> None:
            with suppress(Unreachable):
                await transport.send(request, deadline=BACKGROUND_SECONDS)

        task = asyncio.create_task(send())
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def answer(self, event: Event, member: bytes) -> str:
        """Answer a request of the server that waits for the user, with its result or error; return a problem.

        ``member`` is JSON text with its name: ``"result":null``.
        """
        several = [inputs.requests for inputs in self.inputs] + [stream.requests for stream in self._streams]
        for requests in several:
            if id(event) in requests.asked:
                return requests.reply(event, member)
        if self.connection is not None:
            return self.connection.requests.reply(event, member)
        return event.remark or "The request was already answered."

    async def open_transport(self) -> Transport:
        transport = self._transport or await connect(self.profile, self._reply_limit, self._around, self.mcp)
        # Another call may have been faster. A transport that sent nothing has no connection to close.
        self._transport = self._transport or transport
        return self._transport

    def _unsent(self, id: str, draft: Draft | Batch) -> Exchange:
        params, params_sent = draft.text, None
        if draft.typed is not None and draft.typed != draft.text:
            params, params_sent = draft.typed, draft.text
        return Exchange(
            id=id,
            when=datetime.now(UTC),
            profile=self.profile.name,
            url=self._url,
            method="" if isinstance(draft, Batch) else draft.method,
            params=params,
            params_sent=params_sent,
            kind=kind_of(draft),
            outcome=Refused("params", "Nothing was sent."),
            envelope=self.profile.envelope,
        )


def _listening() -> Listening:
    from rpcexplorer.client.event_stream import Listening  # Only listening needs it.

    return Listening()


async def _is_stopped(task: asyncio.Task[Any], stop: Stop) -> bool:
    """Wait for a task, which ``stop`` can cancel; return whether it did."""
    stop.watch(task)
    try:
        await asyncio.wait({task})
    finally:
        stop.watch(None)
        task.cancel()
    return task.cancelled()


def _with_handshake_named(outcome: Outcome) -> Outcome:
    """Say that the call was not sent, if its handshake failed."""
    match outcome:
        case Unreached(in_handshake=True, sentence=sentence):
            return replace(outcome, sentence=f"The call was not sent, because {sentence}")
        case Malformed(kind="handshake", reason=reason):
            return replace(outcome, reason=f"The call was not sent, because {reason}")
    return outcome


def _question_of(end: AuthResponse | Refused) -> Result | None:
    """Return the result of a call if the server asks for something before it goes on."""
    if isinstance(end, AuthResponse) and isinstance(end.outcome, Result) and asks_for_input(end.outcome):
        return end.outcome
    return None


class RunningCall:
    """One call in progress, which can become an exchange at any point.

    All its requests have one deadline. The time in which the user types a password does not count.
    """

    def __init__(
        self,
        client: ProfileClient,
        unsent: Exchange,
        *,
        timeout: float | None = None,
        watch: Watch | None = None,
        fetched: str = "",
        listening: Listening | None = None,
        begins: bool = False,
    ) -> None:
        """``fetched`` is the address of a document to fetch instead: then only a login is posted.

        ``listening``: the event stream goes on after the call; with ``fetched``, it is all that is fetched. ``begins``:
        it is a call that the connection begins with.
        """
        self._begins = begins or not client.profile.openings
        self._client, self._profile, self._credentials = client, client.profile, client.credentials
        self._unsent, self._fetched, self._watch, self._listening = unsent, fetched, watch, listening
        self._stream: EventStream | None = None
        self._seconds_left = timeout or self._profile.timeout
        self._seconds = 0.0
        """Duration of all requests."""
        self._notes = list(unsent.notes)
        self._known = client.redaction()
        """What redacts the secrets that were known when the call began."""
        self._sessions: list[Secret] = []
        """Secrets that were known meanwhile: the call may open and end several sessions."""
        self._own: list[Secret] = []
        """Secrets that only this call knows: what proves a password, and the session of a handshake."""
        self._secrets: dict[str, Secret] = {}
        """Secrets that were looked up for this call, by field."""
        self._rounds: tuple[str, ...] = ()
        self._partial = Partial()
        self._authorization: Authorization | None = None
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
            end = await self._drive(flow, call)
            end = await self._answer_inputs(end, call)
            self._reject_secrets(end)
            redaction = self._redaction()
            exchange = await run_in_turns(self._exchange(end, redaction))
        except asyncio.CancelledError:
            # A login without a call is the cancelled request itself.
            maybe_ran = self._partial.sent_whole and not (self._is_ahead and call.message.calls)
            cancelled = AuthResponse(Cancelled(maybe_ran), self._partial.response, self._sent)
            redaction = self._redaction()
            exchange = at_once(self._exchange(cancelled, redaction))
            if not stop.pressed:  # The whole program ends and must not wait for this call.
                record(exchange, redaction)
                raise
            task.uncancel()
        finally:
            stop.watch(None)
        if len(exchange.response.body) < LARGE_BODY_BYTES:
            record(exchange, redaction)
        else:  # A thread keeps the screen responsive.
            await asyncio.to_thread(record, exchange, redaction)
        return exchange

    async def _drive(self, flow: AuthFlow, call: AuthCall) -> AuthResponse | Refused:
        """Send each request of a flow; return what it ends with."""
        try:
            request = next(flow)
            while True:
                self._apply_events(call)
                answer: AuthResponse | Refused | None = await self._look_up(request, call)
                if answer is None:
                    answer = await (self._take_step(request, call) if request.step else self._send(request))
                request = flow.send(answer)
        except StopIteration as last:
            self._apply_events(call)
            end: AuthResponse | Refused = last.value
        finally:
            if self._authorization is not None:
                await self._authorization.close()
                self._authorization = None  # If the call is sent again, its login may begin another one.
        if isinstance(end, AuthResponse) and not self._fetched:
            end = replace(end, outcome=_with_handshake_named(end.outcome))
        return end

    def _reject_secrets(self, end: AuthResponse | Refused) -> None:
        """Have the next call get a secret again from its command or file, if the server has rejected it."""
        if not any(secret.source in LATER for secret in self._secrets.values()):
            return
        from rpcexplorer.auth.login import rejects_credentials  # Few calls need this import.

        exchange = replace(self._unsent, outcome=end if isinstance(end, Refused) else end.outcome)
        if isinstance(end, AuthResponse):
            exchange = replace(exchange, response=end.response)
        is_rejected = exchange.response.status == UNAUTHORIZED or rejects_credentials(exchange, self._profile)
        if is_rejected and self._credentials.reject(self._profile, self._secrets.values()):
            self._notes.append("the next call gets the rejected secret again from its command or file")

    async def _answer_inputs(self, end: AuthResponse | Refused, call: AuthCall) -> AuthResponse | Refused:
        """Answer what a server of MCP asks before it has a result, and send the call again each time.

        Nothing is on its way while the user is asked, so that the deadline stands still.
        """
        mcp, question = self._client.mcp, _question_of(end)
        if mcp is None or question is None:
            return end
        from rpcexplorer.client.inputs import Inputs  # Few servers ask.

        inputs = Inputs(mcp, call.message, self._unsent.id)
        self._client.inputs.add(inputs)
        try:
            while question is not None:
                self._partial = Partial()
                message = await inputs.next_message(question)
                if isinstance(message, str):
                    assert isinstance(end, AuthResponse)
                    return replace(end, outcome=replace(question, message=message))
                call.message = message
                end = await self._drive(self._client.flow_of(call), call)
                question = _question_of(end)
        finally:
            self._client.inputs.discard(inputs)
            self._rounds = tuple(inputs.rounds)
            self._own += [unrecorded(state) for state in inputs.states]
        return end

    def _apply_events(self, call: AuthCall) -> None:
        """Handle the events that the flow reported since its last request."""
        for event in call.events:
            match event:
                case SessionOpened(session=session):
                    if problem := self._credentials.keep(self._profile, session):
                        self._notes.append(problem)
                    self._sessions += self._credentials.in_use()
                case SessionEnded():
                    self._credentials.drop(self._profile)
                case Note(sentence=sentence):
                    self._notes.append(sentence)
                case Hidden(value=value):
                    self._own.append(unrecorded(value))
        call.events.clear()
        if self._authorization is not None:
            self._authorization.release()

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
        if not request.headers:
            return None
        secrets = [self._secrets[field] for field in request.fields]
        return auth_of(self._profile).header_problem(self._profile, secrets)

    async def _take_step(self, request: AuthRequest, call: AuthCall) -> AuthResponse | Refused:
        """Take a step of a login of OAuth."""
        assert request.step is not None
        self._partial = Partial()  # If it is cancelled, no call has run.
        if self._authorization is None:
            from rpcexplorer.client.authorization import Authorization  # Other auth types do not need it.

            self._authorization = Authorization(self._profile, self._credentials, self._own)
        stored = self._secrets["client_secret"] if request.fields else None
        return await self._authorization.take(request.step, call, stored, self._seconds_left)

    async def _send(self, request: AuthRequest) -> AuthResponse:
        """Insert the secrets, send the request, and decode its response."""
        self._partial, self._is_ahead = Partial(), request.is_ahead
        listening = None if request.is_ahead else self._listening
        fetches = self._fetched != "" and not request.is_ahead
        if listening is not None and request.message.kind != "opening":
            fetches = False  # It is a call, perhaps the one with which a server of MCP opens an event stream.
        if fetches:
            request = replace(request, address=request.address or self._fetched)
        secrets = [self._secrets[field] for field in request.fields]
        sent, derived = request_of(self._profile, request, secrets, "GET" if fetches else "POST")
        is_opening = fetches and listening is not None
        sent = replace(sent, accept=EVENT_STREAM) if is_opening else replace(sent, call=self._unsent.id)
        if not self._begins:
            sent = replace(sent, begins=False)
        self._own += derived
        if derived and self._profile.is_open_connection:  # Events may repeat what opened it.
            self._credentials.hide(derived)
        self._sent = len(sent.body)
        transport = await self._client.open_transport()  # Loading the transport for the first call does not count.
        self._partial.read = partial(self._begin_stream, sent, listening)
        outcome: Outcome | None = None
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
            outcome, response = self._failure(request, error), error.response
        finally:
            self._notes += self._partial.notes
            self._end_stream()
            took = time.perf_counter() - started - self._partial.paused_seconds
            self._seconds_left = round(self._seconds_left - took, 2)  # A sentence about a timeout names it.
            self._seconds += took
        if self._partial.paused_seconds and response.phases.transfer is not None:
            transfer = max(response.phases.transfer - self._partial.paused_seconds, 0.0)
            response = replace(response, phases=replace(response.phases, transfer=transfer))
        if outcome is None:
            outcome = await self._read(request, response, fetches=fetches, is_opening=is_opening)
        self._note_refusal(outcome)
        return AuthResponse(outcome, response, self._sent)

    def _failure(self, request: AuthRequest, error: Unreachable) -> Unreached | Sent:
        """Return the outcome of a request without a complete response."""
        if error.reason == "hung up" and is_notification(request.message) and not error.response.phases.kept:
            return Sent((HUNG_UP,))
        sentence, maybe_ran = error.sentence, error.maybe_ran and not request.is_ahead
        if self._client.advises and error.reason == "untrusted":
            sentence += f" {CAN_PIN}"
        elif self._client.advises and maybe_ran and self._unsent.kind != "opening":
            sentence += f" {MAYBE_RAN}"
        if self._stream is not None and self._stream.parts:
            sentence += f" {counted(self._stream.parts, 'part')} of the result came before that."
        return Unreached(error.step, sentence, maybe_ran, error.reason, error.in_handshake)

    async def _read(self, request: AuthRequest, response: Response, *, fetches: bool, is_opening: bool) -> Outcome:
        """Return what a complete response means."""
        if is_opening:
            outcome = read_opening(response)
        elif fetches:
            outcome = read_document(response)
        elif len(response.body) <= LARGE_BODY_BYTES:
            outcome = outcome_of(request.message, response, self._profile.form)
        else:
            outcome = await asyncio.to_thread(outcome_of, request.message, response, self._profile.form)
        if isinstance(outcome, Malformed):
            return explained(outcome, response, self._profile, is_ahead=request.is_ahead)
        return outcome

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
        """Tell a server of MCP that a call has ended, which the end of a request does not say in a session."""
        mcp = self._client.mcp
        is_mcp = mcp is not None and not mcp.is_stateless and not self._profile.is_open_connection
        is_call = request.message.kind == "call" and sent.verb == "POST" and not request.is_ahead
        if is_mcp and is_call and self._partial.sent_whole:
            from rpcexplorer.client.server_messages import cancellation

            message = cancellation("mcp", request.message.calls[0].id or "", self._profile.form)
            self._client.send_later(replace(sent, body=message, call=""))

    def _begin_stream(self, sent: Request, listening: Listening | None, head: Response) -> EventStream | None:
        """Return what reads the body of a response, if it is an event stream."""
        stream = self._client.stream_of(sent, head, self._partial)
        if stream is not None:  # Its events are redacted with what the credentials know.
            session = head.header(MCP_SESSION_HEADER)
            if session and self._profile.handshake == "mcp":
                self._own.append(unrecorded(session))
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

    def _redaction(self) -> Redaction:
        """Return what redacts all secrets that were known at any time of the call."""
        now = self._client.redaction()
        if now is self._known and not self._sessions and not self._own:
            return now
        secrets = dict.fromkeys([*self._known.secrets, *self._sessions, *self._own, *now.secrets])
        return Redaction(self._profile, secrets)

    def _exchange(self, end: AuthResponse | Refused, redaction: Redaction) -> Steps[Exchange]:
        """Return the exchange in its current state, with secrets redacted."""
        exchange = replace(self._unsent, seconds=self._seconds, notes=tuple(self._notes), rounds=self._rounds)
        if isinstance(end, AuthResponse):
            exchange = replace(exchange, outcome=end.outcome, response=end.response, sent=end.sent)
        else:
            exchange = replace(exchange, outcome=end)
        if not redaction.secrets:  # The program itself has passed them, and gets the exact bytes.
            return exchange
        return (yield from redaction.in_steps(exchange, self._client.policy))
