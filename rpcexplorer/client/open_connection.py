"""A connection that stays open: responses are matched by id, the rest are events.

Each call sends its message once. A connection that has closed opens again with the next call, never by itself.
"""

from __future__ import annotations

import asyncio
import functools
import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from rpcexplorer.client.server_messages import (
    MAX_AT_ONCE,
    NOT_OFFERED,
    AnswerRule,
    Outbox,
    ServerRequests,
    answers_of,
    calls_in,
    cancellation,
    event_of,
    internal_error,
    key_of,
    messages_of_array,
    notification_of,
    unreadable_event,
)
from rpcexplorer.client.surroundings import ALONE, Surroundings
from rpcexplorer.jsontext.pointers import at_pointer
from rpcexplorer.model.destination import ProcessCommand
from rpcexplorer.model.event import Event
from rpcexplorer.model.mcp import ACKNOWLEDGED, MCP_SPOKEN, MCP_STATELESS, mcp_params
from rpcexplorer.model.profile import INITIALIZE, CanAsk, Profile, ask_nobody, own_initialize
from rpcexplorer.model.secret import for_others
from rpcexplorer.rpc.codec import MISSING_IDS, Envelope, decode, encode, open_object
from rpcexplorer.rpc.messages import (
    METHOD_NOT_FOUND,
    USUAL_FORM,
    Call,
    ErrorObject,
    Malformed,
    MessageForm,
    Reply,
    Result,
    array_of,
    wire_id,
)
from rpcexplorer.transport.framing import printable_if_short
from rpcexplorer.transport.port import (
    MAX_UNREAD,
    Partial,
    Phases,
    Progress,
    Reason,
    Request,
    Response,
    Unreachable,
    Watch,
    Wire,
    closed_here,
)

if TYPE_CHECKING:
    from rpcexplorer.client.mcp import McpServer
    from rpcexplorer.client.open_files import OpenFiles
    from rpcexplorer.transport.tls import Trust

DISCOVER_SECONDS: Final = 5.0
"""For the answer to ``server/discover``, which some servers that do not know it never send."""
UNREAD: Final = frozenset({-32700, -32600, METHOD_NOT_FOUND})
"""Codes of a server that may not know the handshake."""
MAX_REMEMBERED: Final = 1_000
"""Ids of calls that ended without a response, to name a late one."""
MAX_QUOTED: Final = 300
"""Characters of a server's error to quote."""
MAX_SUBSCRIPTIONS: Final = 1_000
"""Results that may name a subscription; the oldest is forgotten first."""
MAX_SUBSCRIPTION: Final = 200
"""Bytes of a result that can name a subscription."""
FAREWELL_SECONDS: Final = 1.0
SLICE_SECONDS: Final = 0.006
"""For messages in a row, if there is a screen."""
PAUSE_SECONDS: Final = 0.002
"""For other callbacks: a key needs a dozen until it is drawn."""
CancelForm = Literal["lsp", "mcp"]


class Opening(Struct, frozen=True):
    """A handshake: ``initialize`` before the first call, and a notification after it."""

    request: Call
    notification: Call
    farewell: tuple[Call, ...] = ()
    """Calls before the connection closes, the last one without a response."""


class _Subscribed(Struct):
    subscription: msgspec.Raw


class _Push(Struct):
    """An event with params that name a subscription."""

    params: _Subscribed


class _Waiting(Struct, eq=False):
    """A call that waits for its response."""

    ids: set[str]
    response: asyncio.Future[bytes]
    is_batch: bool
    call: str = ""
    is_own: bool = False
    """It is a call of the connection itself, which a protocol does not let us cancel."""
    parts: dict[str, bytes] = field(default_factory=dict)
    """Responses to a batch that came one by one, by id."""

    @property
    def has_response(self) -> bool:
        return self.response.done() and not self.response.cancelled() and self.response.exception() is None

    def received(self) -> bytes:
        """Return the response, or the responses to a batch so far."""
        if self.has_response:
            return self.response.result()
        if not self.parts:
            return b""
        return array_of(self.parts.values())


def opening_of(profile: Profile, folder: str | None = None, can_ask: CanAsk = ask_nobody) -> Opening | None:
    """Return the handshake of an open connection; ``folder`` is that of the process."""
    if profile.handshake not in {"lsp", "mcp"}:
        return None
    if profile.handshake == "lsp":
        root = Path(folder).as_uri() if folder else None
        params = {"processId": None, "rootUri": root, "capabilities": {}, **own_initialize(profile)}
        farewell = (Call("shutdown", id="0"), Call("exit"))
        encoded = msgspec.json.encode(params).decode()
        return Opening(_initialize(encoded), Call("initialized", "{}"), farewell)
    return Opening(_initialize(mcp_params(profile, can_ask)), Call("notifications/initialized", "{}"))


def _initialize(params: str) -> Call:
    return Call(INITIALIZE, params, "rpcexplorer.initialize")


def open_connection(
    profile: Profile, cap: int, trust: Trust, around: Surroundings, mcp: McpServer | None = None
) -> OpenConnection:
    """Return the connection to a profile's server, which the first call opens."""
    kind, folder = profile.connection_kind, None
    if kind == "process" and around.command:
        process = around.command()
        folder = process.folder if isinstance(process, ProcessCommand) else None

    def wire_for(request: Request) -> Wire:
        if kind == "process":
            return _process(profile, cap, around)
        if kind == "websocket":
            from rpcexplorer.transport.websocket import WebSocketWire

            headers, cookie = request.headers, request.cookie
            return WebSocketWire(request.url, request.socket, headers=headers, cookie=cookie, trust=trust, cap=cap)
        from rpcexplorer.transport.stream import SocketWire

        return SocketWire(request.url, profile.framing, trust=trust, cap=cap)

    files_for = None
    if profile.handshake == "lsp" and kind == "process" and around.read_file:  # Only a server here gets files.
        from rpcexplorer.client.open_files import OpenFiles

        files_for = functools.partial(OpenFiles, around.read_file)
    return OpenConnection(
        wire_for,
        around,
        answer=answers_of(profile, around.can_ask),
        form=profile.form,
        opening=opening_of(profile, folder, around.can_ask),
        cancel=profile.handshake if profile.handshake in {"lsp", "mcp"} else None,
        files_for=files_for,
        mcp=mcp,
    )


def _process(profile: Profile, cap: int, around: Surroundings) -> Wire:
    from rpcexplorer.transport.process import ProcessWire

    allowed = around.command() if around.command else None
    if not isinstance(allowed, ProcessCommand):  # It was allowed when the call began.
        raise Unreachable("start", "The process is not allowed any more.")
    environment = for_others(os.environ) | dict(allowed.environment)
    for name in allowed.environment_secrets:
        environment[name] = around.environment_secrets[name].reveal()
    return ProcessWire(
        allowed.words,
        profile.framing,
        program=allowed.program,
        folder=Path(allowed.folder),
        environment=environment,
        on_stderr=around.on_stderr,
        cap=cap,
    )


class OpenConnection:
    """A transport for one connection, which several calls use at a time."""

    def __init__(
        self,
        wire_for: Callable[[Request], Wire],
        around: Surroundings = ALONE,
        *,
        answer: AnswerRule = lambda _: NOT_OFFERED,
        form: MessageForm = USUAL_FORM,
        opening: Opening | None = None,
        cancel: CancelForm | None = None,
        files_for: Callable[[], OpenFiles] | None = None,
        mcp: McpServer | None = None,
    ) -> None:
        """Prepare a connection that ``wire_for`` makes for the first request.

        ``mcp``: the server is asked which version it speaks, before a handshake that not all versions have.
        """
        self._wire_for = wire_for
        self.requests = ServerRequests(around, answer, self._send_answer, form.envelope)
        self._form = replace(form, empty_params="omit")
        """The form of our own calls: shutdown and exit of language servers have no params."""
        self._has_screen = around.has_screen
        self._handshake, self._cancel, self._mcp = opening, cancel, mcp
        self._files_for = files_for
        self._files: OpenFiles | None = None
        self._wire: Wire | None = None
        self._headers: object = None
        """Headers of the request that opened the connection: with others it opens again."""
        self._turn = asyncio.Lock()
        """Held while the connection opens or closes."""
        self._opening_limit: asyncio.Timeout | None = None
        """The time limit of the call that opens the connection."""
        self._close_count = 0
        """How often it was closed: calls that waited for it to open end, too."""
        self._ending: asyncio.Task[None] | None = None
        self._reader: asyncio.Task[None] | None = None
        self._writer: asyncio.Task[None] | None = None
        self._waiting: dict[str, _Waiting] = {}
        self._late: deque[str] = deque(maxlen=MAX_REMEMBERED)
        self._outbox = Outbox()
        self._subscriptions: dict[bytes, str] = {}
        """Ids of calls by their results, for the newest results that can name a subscription."""
        self.since: datetime | None = None
        """When the connection opened; None while it is closed."""
        self.is_closing = False
        self.ended: Unreachable | None = None
        """Why the last connection ended."""
        self._unread: bytes | None = None
        """What the last connection had received, if it contained no message."""
        self._closed = asyncio.Event()
        self._has_heard = False
        """The server sent a message that could be read."""
        self._has_worked = False
        """The server has ever answered a call, so the framing is right."""
        self._is_greeting = False
        """The server was sent ``initialize``, and has not answered."""

    @property
    def is_open(self) -> bool:
        return self.since is not None

    async def wait_closed(self) -> None:
        """Wait until the connection that is open now ends; ``ended`` says why."""
        if self.is_open:
            await self._closed.wait()

    async def open(self) -> None:
        """Do nothing: the first call opens the connection, within its timeout."""

    async def send(
        self, request: Request, *, deadline: float, watch: Watch | None = None, partial: Partial | None = None
    ) -> Response:
        """Send a message once, and return its response."""
        partial, started, close_count = partial or Partial(), time.perf_counter(), self._close_count
        opened, refusals = 0.0, self.requests.refusals
        calls = calls_in(request.body)
        waiting = _Waiting(
            {key_of(call.id) for call in calls if call.id not in MISSING_IDS},
            asyncio.get_running_loop().create_future(),
            request.body.lstrip()[:1] == b"[",
            call=request.call,
        )
        if watch is not None:
            watch(Progress("connecting", 0, None, 0))
        try:
            async with asyncio.timeout(deadline) as limit:
                partial.limit = limit
                kept = await self._opened(request, limit, deadline, calls)
                opened = time.perf_counter()
                if watch is not None:
                    watch(Progress("waiting", 0, None, opened - started))
                if self._files is not None:
                    await self._files.prepare(request.body, self._send, partial.notes)
                with self.requests.during(partial):
                    body = await self._send_and_wait(request.body, waiting, partial) if request.body else b""
        except TimeoutError:
            if not opened and close_count != self._close_count:
                raise closed_here() from None
            raise self._timeout(partial, deadline, is_open=bool(opened)) from None
        finally:
            partial.limit = None
            if self._cancel == "mcp" and request.call:
                self.requests.end("the call has ended", request.call)
            if self.requests.refusals > refusals:
                partial.refused = self.requests.refused
        waited = time.perf_counter() - opened - partial.paused_seconds
        phases = Phases(connect=None if kept else opened - started, wait=waited, kept=kept)
        partial.response = Response(body=body, size=len(body), phases=phases)
        return partial.response

    def _timeout(self, partial: Partial, deadline: float, *, is_open: bool) -> Unreachable:
        """Return what took too long, and what may be wrong."""
        reason: Reason = ""
        words = "No connection"
        if partial.sent_whole and self._has_heard:
            words = "The server sent other messages, but no response"
        elif partial.sent_whole and self._has_worked:
            words = "No response"
        elif partial.sent_whole:
            words = "The server did not respond"
            reason = "silent"
        elif is_open:
            words = "The request was not sent"
        elif self._is_greeting:
            words = f"The server did not respond to {INITIALIZE}"
            reason = "silent"
        advice = "Raise the timeout if the call needs more time."
        unread = self._wire.unread if self._wire else self._unread
        if unread and not self._has_worked:
            text = printable_if_short(unread.strip(), MAX_UNREAD - 1)
            advice = f"It sent data that is not a message{': ' if text else ''}{text}. Check the framing."
            reason = "no end" if unread.lstrip().startswith((b"{", b"[")) else "unreadable"
        return Unreachable(
            "timeout",
            f"{words} within {deadline:g} s. {advice}",
            maybe_ran=partial.sent_whole,
            response=partial.response,
            reason=reason,
            in_handshake=self._is_greeting,
        )

    async def close(self) -> None:
        """Say goodbye and end the connection, even while it opens."""
        self._close_count += 1
        self.is_closing = True
        if self._opening_limit is not None and not self._opening_limit.expired():
            self._opening_limit.reschedule(asyncio.get_running_loop().time())
        try:
            async with self._turn:
                if self._wire is not None:
                    await self._say_goodbye()
                self._end()
                await self._wait_for_ending()
        finally:
            self.is_closing = False

    async def _opened(
        self, request: Request, limit: asyncio.Timeout, deadline: float, calls: Sequence[Envelope]
    ) -> bool:
        """Open the connection if it is closed; return whether it was open."""
        close_count = self._close_count
        async with self._turn:
            headers = (request.url, request.headers, request.cookie)
            if close_count != self._close_count:
                raise closed_here()
            is_open = self._wire is not None and not self._wire.ended
            if is_open and headers == self._headers:
                return True
            if not request.begins:
                raise Unreachable("closed", "The connection closed before the call was sent.")
            self._opening_limit, self._is_greeting = limit, False
            try:
                while is_open and self._waiting:  # Other calls get their responses before it opens again.
                    await asyncio.wait([waiting.response for waiting in self._waiting.values()])
                await self._open(request, limit, deadline, calls)
                self._headers = headers
            finally:
                self._opening_limit = None
            return False

    async def _open(self, request: Request, limit: asyncio.Timeout, deadline: float, calls: Sequence[Envelope]) -> None:
        """Connect and shake hands."""
        close_count = self._close_count
        try:
            self._end(self._wire.ended if self._wire else None)
            await self._wait_for_ending()
            await self._connect(request, limit, deadline)
            is_by_hand = any(call.method == b'"initialize"' for call in calls)
            if self._handshake is not None and not is_by_hand:
                if self._mcp is None:
                    await self._shake_hands(self._handshake)
                else:
                    await self._agree(self._mcp, self._handshake, request, limit, deadline)
            if close_count != self._close_count:
                raise closed_here()
        except BaseException as error:
            self._end(error if isinstance(error, Unreachable) else None)
            raise

    async def _connect(self, request: Request, limit: asyncio.Timeout, deadline: float) -> None:
        wire, until, loop = self._wire_for(request), limit.when(), asyncio.get_running_loop()
        assert until is not None
        limit.reschedule(None)  # The wire has a better sentence for the end of the same time.
        await wire.open(deadline, until - loop.time())
        limit.reschedule(until)
        self._wire, self.ended = wire, None
        self._has_heard = False
        self._closed.clear()
        self.since = datetime.now(UTC)
        self._files = self._files_for() if self._files_for else None
        self._outbox = Outbox()
        self._reader = asyncio.create_task(self._read(wire))
        self._writer = asyncio.create_task(self._send_answers(wire))

    async def _agree(
        self, mcp: McpServer, handshake: Opening, request: Request, limit: asyncio.Timeout, deadline: float
    ) -> None:
        """Find out which version of MCP the server speaks, and shake hands if that has a handshake.

        A server that was known to have one is not asked again: some end when they get another call first.
        """
        if mcp.version and not mcp.is_stateless:
            await self._shake_hands(handshake)
            return
        if mcp.profile.mcp == MCP_STATELESS:
            return
        until = limit.when()
        assert until is not None
        left = until - asyncio.get_running_loop().time()
        call = mcp.discover_call("rpcexplorer.discover")
        asked = asyncio.create_task(self._call(call))
        try:
            await asyncio.wait({asked}, timeout=min(DISCOVER_SECONDS, left / 2))
            if asked.done() and isinstance(error := asked.exception(), Unreachable):
                if error.step != "closed":
                    raise error
                await self._wait_for_ending()
                await self._connect(request, limit, deadline)
            mcp.choose(_outcome_of(asked, call, self._form))
            if not mcp.is_stateless:
                await self._shake_hands(handshake, lambda: _outcome_of(asked, call, self._form))
        finally:
            asked.cancel()

    async def _shake_hands(self, handshake: Opening, discovered: Callable[[], Reply | None] = lambda: None) -> None:
        """Send ``initialize``, and the notification after its result.

        ``discovered`` returns the late answer of an MCP server that was slow to start, if it has arrived.
        """
        self._is_greeting = True  # It stays so after a timeout, whose sentence says so.
        try:
            outcome = decode(await self._call(handshake.request), handshake.request.id, self._form)
            if self._mcp is not None and self._mcp.is_stateless_after(outcome, discovered()):
                self._is_greeting = False
                return
            if not isinstance(outcome, Result):
                if self._mcp is not None:
                    self._mcp.speak("")
                advice = f". {MCP_SPOKEN}." if self._cancel == "mcp" else ""
                is_known = isinstance(outcome, ErrorObject) and outcome.code not in UNREAD
                raise Unreachable("closed", f"{_failure_of(outcome)}{advice}", reason="not greeted" if is_known else "")
            if self._mcp is not None:
                self._mcp.begin(outcome, discovered())
            await self._send(encode(handshake.notification, self._form))
        except Unreachable as error:
            sentence = f"{INITIALIZE} failed: {error.sentence}"
            raise Unreachable(error.step, sentence, reason=error.reason, in_handshake=True) from None
        self._is_greeting = False

    async def _say_goodbye(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL_SECONDS):
                await self._outbox.wait_sent()  # A cancelled call may have left a message.
        for call in self._handshake.farewell if self._handshake else ():
            with suppress(Unreachable, TimeoutError):
                async with asyncio.timeout(FAREWELL_SECONDS):
                    if call.id is None:
                        await self._send(encode(call, self._form))
                    else:
                        await self._call(call)

    async def _call(self, call: Call) -> bytes:
        assert call.id is not None
        id = key_of(wire_id(call.id, self._form).encode())
        waiting = _Waiting({id}, asyncio.get_running_loop().create_future(), is_batch=False, is_own=True)
        return await self._send_and_wait(encode(call, self._form), waiting, Partial())

    async def _send_and_wait(self, body: bytes, waiting: _Waiting, partial: Partial) -> bytes:
        """Send a message and wait for its response; a notification has none."""
        if not waiting.ids.isdisjoint(self._waiting):
            raise Unreachable("request", "Another call with this id waits for its response. Use another id.")
        self._waiting |= dict.fromkeys(waiting.ids, waiting)
        try:
            await self._send(body)
            partial.sent_whole = True
            return await waiting.response if waiting.ids else b""
        except asyncio.CancelledError:
            partial.sent_whole = True  # A wire sends the rest of a message that has begun.
            partial.response = _response_of(waiting.received())
            self._late += waiting.ids
            if self._cancel is not None and not waiting.is_own:
                self._outbox.put(*(cancellation(self._cancel, id, self._form) for id in waiting.ids))
            raise
        except Unreachable as error:
            if waiting.has_response:  # The server answered before it had read the whole message.
                return waiting.received()
            raise Unreachable(
                error.step,
                error.sentence,
                maybe_ran=partial.sent_whole,
                response=_response_of(waiting.received()),
                reason=error.reason,
                in_handshake=error.in_handshake,
            ) from None
        finally:
            for id in waiting.ids:
                self._waiting.pop(id, None)
            waiting.response.cancel()

    async def _send(self, message: bytes) -> None:
        if self._wire is None:
            raise self.ended or closed_here()
        await self._wire.send(message)

    def _end(self, why: Unreachable | None = None) -> None:
        """End the connection; calls that wait get no response."""
        wire, self._wire = self._wire, None
        if wire is None:
            return
        self.ended, self._unread = why or closed_here(), wire.unread
        for waiting in self._waiting.values():
            if not waiting.response.done():
                waiting.response.set_exception(self.ended)
        self._subscriptions.clear()
        self.requests.end("the connection has ended")
        self.since = None
        self._closed.set()
        self._ending = asyncio.create_task(_close(wire, self._reader, self._writer))

    async def _wait_for_ending(self) -> None:
        if self._ending is not None and not self._ending.done():
            await asyncio.wait([self._ending])

    async def _read(self, wire: Wire) -> None:
        """Pass on all messages until the connection ends, or the event loop."""
        why, until = None, 0.0
        try:
            async for message in wire.messages():
                try:
                    await self._take(message)
                except (UnicodeDecodeError, RecursionError):
                    self.requests.take(unreadable_event(message))
                if self._has_screen and time.perf_counter() > until:
                    await asyncio.sleep(PAUSE_SECONDS)
                    until = time.perf_counter() + SLICE_SECONDS
            why = wire.ended
        except Exception as error:  # noqa: BLE001 - no call may wait for ever
            why = internal_error(error)
        finally:
            if self._wire is wire:
                self._end(why)
                await self._wait_for_ending()

    async def _take(self, message: bytes) -> None:
        if (event := notification_of(message)) is not None:
            self._has_heard = True
            event.of = self._call_of_subscription(message)
            self.requests.take(event)
            if event.method == ACKNOWLEDGED:
                self._acknowledge(message)
            return
        if len(message) <= MAX_AT_ONCE:
            texts, envelopes = _opened(message, len(self._waiting))
        else:
            texts, envelopes = await asyncio.to_thread(_opened, message, len(self._waiting))
        if texts:
            calls = {id(one): one for one in map(self._call_of, envelopes) if one is not None}
            waiting = calls.popitem()[1] if len(calls) == 1 else None
            if waiting is not None and waiting.is_batch and not waiting.parts:
                waiting.response.set_result(message)
                return
        for text, envelope in zip(texts or [message], envelopes, strict=True):
            self._take_one(text, envelope)

    def _acknowledge(self, message: bytes) -> None:
        """End the call whose notifications begin: its response comes only when they end."""
        id = at_pointer(message.decode(), "/params/_meta/io.modelcontextprotocol~1subscriptionId")
        waiting = self._waiting.get(key_of(id.encode())) if id else None
        if waiting is not None and not waiting.is_batch and not waiting.response.done():
            waiting.response.set_result(b"")

    def _take_one(self, text: bytes, envelope: Envelope | None) -> None:
        waiting = self._call_of(envelope)
        self._has_heard = self._has_heard or envelope is not None
        if waiting is None or envelope is None:
            event = event_of(text, envelope, self._call_of_subscription(text))
            if event.kind == "request" and self._cancel == "mcp":
                event.of = event.of or self._only_call
            if event.kind == "response" and event.id is not None and key_of(event.id) in self._late:
                event.remark = "the call has already ended"
            self.requests.take(event)
        elif waiting.is_batch:
            id = "" if envelope.id in MISSING_IDS else key_of(envelope.id or b"")
            waiting.parts[id] = text
            self._waiting.pop(id, None)
            if not id or len(waiting.parts) == len(waiting.ids):  # An error without an id is for the whole batch.
                waiting.response.set_result(waiting.received())
        else:
            self._has_worked = True
            self._remember(waiting, envelope)
            waiting.response.set_result(text)

    def _remember(self, waiting: _Waiting, envelope: Envelope) -> None:
        """Remember a result that events can name in ``params.subscription``."""
        result = envelope.result
        if waiting.call and result is not None and result[:1] in b'"0123456789-' and len(result) <= MAX_SUBSCRIPTION:
            if len(self._subscriptions) >= MAX_SUBSCRIPTIONS:
                del self._subscriptions[next(iter(self._subscriptions))]
            self._subscriptions[bytes(result)] = waiting.call

    def _call_of_subscription(self, text: bytes) -> str:
        """Return the id of the call whose subscription an event names."""
        if not self._subscriptions or b'"subscription"' not in text:
            return ""
        try:
            named = msgspec.json.decode(text, type=_Push).params.subscription
        except (msgspec.DecodeError, RecursionError):
            return ""
        return self._subscriptions.get(bytes(named), "")

    @property
    def _only_call(self) -> str:
        """The id of the call that waits; empty if there is none, or several.

        A server of MCP asks the user only for a call.
        """
        calls = {waiting.call for waiting in self._waiting.values() if not waiting.is_own}
        return calls.pop() if len(calls) == 1 else ""

    def _call_of(self, envelope: Envelope | None) -> _Waiting | None:
        """Return the call that a message answers.

        An error without an id answers the only call that waits.
        """
        if envelope is None or envelope.method is not None:
            return None
        if envelope.id not in MISSING_IDS:
            found = self._waiting.get(key_of(envelope.id))
            return found if found is not None and not found.response.done() else None
        if envelope.error in {None, b"null"}:
            return None
        waiting = {id(one): one for one in self._waiting.values() if not one.response.done()}
        return waiting.popitem()[1] if len(waiting) == 1 else None

    def _send_answer(self, event: Event, member: bytes) -> bool:
        is_sent = self._outbox.put(event.answer_with(member))
        if is_sent:
            event.answer = member
        return is_sent

    async def _send_answers(self, wire: Wire) -> None:
        with suppress(Unreachable):  # The reader notices the end, too.
            await self._outbox.send_all(wire.send)


def _opened(message: bytes, waiting: int) -> tuple[Sequence[bytes], list[Envelope | None]]:
    """Return the messages of an array, if it is one, and the members of all messages.

    Raises ``UnicodeDecodeError`` for a text that is not UTF-8: the parser does not look at texts that it skips.
    """
    if not message.isascii():
        message.decode()
    texts = messages_of_array(message, waiting)
    return texts, [open_object(text) for text in texts or [message]]


async def _close(wire: Wire, *tasks: asyncio.Task[None] | None) -> None:
    try:
        await wire.close()  # Before the reader ends: it still reads the goodbye of the server.
    finally:
        for task in tasks:
            if task is not None:
                task.cancel()


def _outcome_of(asked: asyncio.Task[bytes], call: Call, form: MessageForm) -> Reply | None:
    """Return the answer to a call, or None if there is none so far."""
    if not asked.done() or asked.exception() is not None:
        return None
    return decode(asked.result(), call.id, form)


def _failure_of(outcome: ErrorObject | Malformed) -> str:
    """Return an error of the server, without a message that is too long.

    It is whole or omitted: secrets are found only in complete texts.
    """
    if isinstance(outcome, Malformed):
        return outcome.reason
    message = f" {outcome.message}" if len(outcome.message) <= MAX_QUOTED else ""
    return f"error {outcome.code}{message}"


def _response_of(body: bytes) -> Response:
    return Response(body=body, size=len(body))
