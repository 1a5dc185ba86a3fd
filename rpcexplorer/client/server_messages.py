"""Events: messages that the server sends unasked, and the answers to its requests."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from rpcexplorer.model.event import Event
from rpcexplorer.model.problem import counted
from rpcexplorer.model.profile import Answer as Rule
from rpcexplorer.model.profile import CanAsk, Profile
from rpcexplorer.rpc.codec import MISSING_IDS, Envelope, encode, open_array, open_object
from rpcexplorer.rpc.messages import Call, EnvelopeForm, MessageForm, decoded, spelled, wire_id
from rpcexplorer.transport.port import Partial, Unreachable

if TYPE_CHECKING:
    from rpcexplorer.client.surroundings import Surroundings

NOT_OFFERED: Final = b'"error":{"code":-32601,"message":"Method not found"}'
"""The answer to a request of the server that no rule answers."""
NOT_JSON_RPC: Final = "this is not a JSON-RPC message"
"""The remark of any other JSON object, which some servers send as an event."""
CONFIGURATION: Final = "workspace/configuration"
"""The method with which a language server asks for settings."""
NULL_PER_ITEM: Final = b""
"""In place of the answer to ``CONFIGURATION``, which depends on the request."""
MAX_ANSWERS: Final = 1_000
MAX_ANSWER_BYTES: Final = 1024 * 1024
"""Answers that the server has not read yet; later requests stay unanswered."""
MAX_ASKED: Final = 1_000
MAX_ASKED_BYTES: Final = 16 * 1024 * 1024
"""Requests of the server that wait for the user; later ones stay unanswered."""
MAX_ID: Final = 1_000
"""Bytes of an id; a longer one is not kept."""
MAX_ARRAY: Final = 1024 * 1024
"""Bytes of an array of events; a longer one would take too much memory."""
MAX_EVENTS: Final = 1_000
"""Events in an array; more would keep the event loop busy."""
MAX_AT_ONCE: Final = 16 * 1024
"""Bytes of a message to read between two keys: JSON that is nested very deeply takes up to 2 s for 1 MB."""
AnswerRule = Callable[[str], bytes | None]
"""Return the member to answer a method with; None if the user answers."""


def cancellation(handshake: str, id: str, form: MessageForm) -> bytes:
    """Return the notification that the response to a call is not wanted any more."""
    method, member = "notifications/cancelled", "requestId"
    if handshake == "lsp":
        method, member = "$/cancelRequest", "id"
    return encode(Call(method, f'{{"{member}":{wire_id(id, form)}}}'), form)


def answers_of(profile: Profile, can_ask: CanAsk) -> AnswerRule:
    """Return the rule that answers the server's requests.

    The user answers those without a rule, if possible. Otherwise, they get an error.
    """

    def member(rule: Rule) -> bytes | None:
        if rule.ask:
            return None
        if rule.result_json is not None:
            return b'"result":' + rule.result_json.encode()
        return f'"error":{{"code":{rule.code},"message":{spelled(rule.message)}}}'.encode()

    # Built once, because thousands of events share these texts.
    members = {method: member(rule) for method, rule in profile.answers.items()}
    if profile.handshake == "lsp":
        members.setdefault(CONFIGURATION, NULL_PER_ITEM)
    if profile.handshake == "mcp":
        members.setdefault("ping", b'"result":{}')
    others = members.get("*")

    def answer(method: str) -> bytes | None:
        found = members.get(method, others)
        if found is None and not can_ask(method):
            return NOT_OFFERED
        return found

    return answer


class _Configuration(Struct):
    items: list[msgspec.Raw]


class _ConfigurationRequest(Struct):
    """A request of a language server for settings, one for each item."""

    params: _Configuration


def _nulls_for(text: bytes) -> bytes:
    """Return a result with a null for each setting: the language server uses its default."""
    try:
        count = len(msgspec.json.decode(text, type=_ConfigurationRequest).params.items)
    except (msgspec.DecodeError, RecursionError):
        count = 1
    return b'"result":[' + b",".join([b"null"] * count) + b"]"


class _MethodAndId(Struct):
    """The members that distinguish a notification from other messages."""

    method: str
    id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_method_and_id: Final = msgspec.json.Decoder(_MethodAndId)


class _NamedEvent(Struct):
    """An event of the library rpc-websockets, which has no method."""

    notification: str


def notification_of(text: bytes) -> Event | None:
    """Return the event of a plain notification, of which there may be very many; None for other messages."""
    try:
        message = _method_and_id.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    if message.id is not msgspec.UNSET:
        return None
    if not text.isascii():
        text.decode()  # Raise UnicodeError: the decoder does not check strings that it skips.
    return Event(datetime.now(UTC), "notification", text, message.method)


def event_of(text: bytes, envelope: Envelope | None, of: str = "") -> Event:
    """Return the event of a message that is not the response to a call that waits.

    ``of`` is the id of the call in whose event stream it arrived.
    """
    now = datetime.now(UTC)
    if envelope is None:
        remark = "this is not a JSON object"
        if len(text) > MAX_AT_ONCE and text.lstrip().startswith(b"{"):
            # Such a text is read only if it is simple: see MAX_AT_ONCE.
            remark = "this is not JSON, or nested too deeply"
        return Event(now, "unreadable", text, remark=remark, of=of)
    parts = (envelope.method, envelope.id, envelope.result, envelope.error)
    if all(part is None for part in parts):
        if name := _name_of_event(text):
            return Event(now, "notification", text, name, of=of)
        return Event(now, "unreadable", text, remark=NOT_JSON_RPC, of=of)
    id = envelope.id
    remark = ""
    if id is not None and len(id) > MAX_ID:
        id = None
        remark = f"its id is longer than {MAX_ID:,} bytes"
    if envelope.method is None:
        return Event(now, "response", text, id=id, remark="no call waits for this response", of=of)
    method = text_of(envelope.method)
    if envelope.id in MISSING_IDS:
        return Event(now, "notification", text, method, of=of)
    return Event(now, "request", text, method, id, remark, of=of)


def _name_of_event(text: bytes) -> str:
    """Return the name in an event of the library rpc-websockets, or nothing."""
    try:
        return msgspec.json.decode(text, type=_NamedEvent).notification
    except (msgspec.DecodeError, RecursionError):
        return ""


def unreadable_event(text: bytes, of: str = "") -> Event:
    """Return data that cannot even be searched for JSON."""
    return Event(datetime.now(UTC), "unreadable", text, remark="this is not UTF-8, or too deep", of=of)


def internal_error(error: Exception) -> Unreachable:
    """Return the end of a connection by an error of ours or of a program.

    Without it, calls would wait for ever.
    """
    place = traceback.extract_tb(error.__traceback__)[-1]
    words = f"internal error at {Path(place.filename).name}:{place.lineno} ({type(error).__name__})"
    return Unreachable("closed", f"The connection was closed, because of an {words}. Please report it.")


def calls_in(body: bytes) -> list[Envelope]:
    """Return the calls of a body: one, or those of a batch."""
    texts: Sequence[bytes] = [body]
    if body.lstrip().startswith(b"["):
        texts = open_array(body) or ()
    envelopes = [open_object(text) for text in texts]
    return [envelope for envelope in envelopes if envelope is not None]


def messages_of_array(text: bytes, waiting: int) -> Sequence[bytes]:
    """Return the messages of an array; of other texts, and if there are too many, none.

    ``waiting`` calls may be answered by it.
    """
    if not text.lstrip().startswith(b"["):
        return ()
    if len(text) > MAX_ARRAY and not waiting:
        return ()
    texts = open_array(text) or ()
    if len(texts) > MAX_EVENTS + waiting:
        return ()
    return texts


def key_of(id: bytes) -> str:
    """Return an id as text: some servers return a number as a string, or reverse."""
    if id.startswith(b'"'):
        return text_of(id)
    return id.decode()


def text_of(string: bytes) -> str:
    """Return the value of a JSON string, or any other text as it is."""
    try:
        return str(decoded(string))
    except ValueError:
        return string.decode("utf-8", "replace")


class Pause:
    """Lets the deadline of a call stand still while the user answers requests that came during it."""

    def __init__(self, partial: Partial) -> None:
        self._partial = partial
        self._asked: set[int] = set()
        """Ids of the events that wait."""
        self._since = 0.0
        self._seconds_left: float | None = None

    def begin(self, event: Event) -> None:
        if not self._asked:
            self._since = asyncio.get_running_loop().time()
            limit = self._partial.limit
            if limit is not None and not limit.expired() and (until := limit.when()) is not None:
                self._seconds_left = until - self._since
                limit.reschedule(None)
        self._asked.add(id(event))

    def end(self, event: Event) -> None:
        if id(event) in self._asked:
            self._asked.remove(id(event))
            if not self._asked:
                self._go_on()

    def close(self) -> None:
        """Go on, as the call has ended."""
        if self._asked:
            self._asked.clear()
            self._go_on()

    def _go_on(self) -> None:
        now = asyncio.get_running_loop().time()
        self._partial.paused_seconds += now - self._since
        limit = self._partial.limit
        if limit is not None and self._seconds_left is not None:
            limit.reschedule(now + self._seconds_left)
        self._seconds_left = None


class ServerRequests:
    """Passes on events, and answers those that are requests."""

    def __init__(
        self,
        around: Surroundings,
        answer: AnswerRule,
        send: Callable[[Event, bytes], bool],
        envelope: EnvelopeForm,
    ) -> None:
        """Prepare for requests, which are answered in the JSON-RPC version of the profile.

        ``send`` gets a request and the member that answers it, and returns whether there is room for the answer. It
        must not wait, and sets ``event.answer``, or ``event.is_sending`` for now.
        """
        self._around, self._answer, self._send = around, answer, send
        self._envelope = envelope
        self.asked: dict[int, Event] = {}
        """Requests that wait for the user, the oldest first. By identity: an id of the server may repeat."""
        self.pauses: list[Pause] = []
        """Those of the calls under way."""
        self.refused = ""
        """The method of the last request that got an error."""
        self.refusals = 0
        """Requests that got an error."""
        self.unanswered = 0
        """Requests that got no answer."""
        self._last_reason = ""
        """Why the last of them got none."""

    @property
    def note(self) -> str:
        """A sentence about the requests that got no answer, with the last reason; empty if there are none."""
        if not self.unanswered:
            return ""
        return f"{counted(self.unanswered, 'request')} of the server got no answer: {self._last_reason}"

    @contextmanager
    def during(self, partial: Partial) -> Iterator[None]:
        """Let the deadline of a call stand still while the user is asked."""
        pause = Pause(partial)
        self.pauses.append(pause)
        try:
            yield
        finally:
            self.pauses.remove(pause)
            pause.close()

    def take(self, event: Event) -> None:
        """Answer an event if it is a request, and pass it on."""
        if event.kind == "request":
            event.envelope = self._envelope
            reason = event.remark
            if not reason:
                reason = self._respond(event)
            if reason:
                self.fail(event, reason)
        self._around.on_event(event)

    def _respond(self, event: Event) -> str:
        """Answer a request, or keep it for the user; return why neither is possible."""
        member = self._answer(event.method)
        if member == NULL_PER_ITEM:
            member = _nulls_for(event.text)
        if member is not None:
            if member.startswith(b'"error"'):
                self.refused = event.method
                self.refusals += 1
            if not self._send(event, member):
                return "the server does not read its answers"
            return ""
        size = sum(len(waiting.text) for waiting in self.asked.values())
        if len(self.asked) >= MAX_ASKED or size >= MAX_ASKED_BYTES:
            return f"{len(self.asked):,} requests wait already"
        self.asked[id(event)] = event
        for pause in self.pauses:
            pause.begin(event)
        return ""

    def reply(self, event: Event, member: bytes) -> str:
        """Answer a request that waits for the user; return a problem.

        ``member`` is its result or error. This does not wait for the server to read the answer.
        """
        if id(event) not in self.asked:
            return event.remark or "The request was already answered."
        if not self._send(event, member):
            return "The server does not read its answers. Try again later, or close the connection."
        self._forget(event)
        if event.is_settled:
            self._around.on_settled(event)
        return ""

    def fail(self, event: Event, reason: str) -> None:
        """Note why a request got no answer."""
        self._last_reason = reason
        event.remark = f"not answered: {reason}"
        self.unanswered += 1

    def end(self, reason: str, call: str = "") -> None:
        """Settle the requests that can no longer be answered; with a ``call``, only those that came for it."""
        for event in [*self.asked.values()]:
            if not call or event.of == call:
                self._forget(event)
                self.fail(event, reason)
                self._around.on_settled(event)

    def _forget(self, event: Event) -> None:
        del self.asked[id(event)]
        for pause in self.pauses:
            pause.end(event)


class Outbox:
    """Messages that the server reads when it wants to, up to a limit."""

    def __init__(self) -> None:
        self._messages: asyncio.Queue[bytes] = asyncio.Queue(MAX_ANSWERS)
        self._size = 0

    def put(self, *messages: bytes) -> bool:
        """Send without waiting for the server to read; return whether there is room."""
        size = sum(map(len, messages))
        if self._size + size > MAX_ANSWER_BYTES or self._messages.qsize() + len(messages) > MAX_ANSWERS:
            return False
        self._size += size
        for message in messages:
            self._messages.put_nowait(message)
        return True

    async def send_all(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Send all messages, until it is cancelled."""
        while True:
            message = await self._messages.get()
            self._size -= len(message)
            await send(message)
            self._messages.task_done()

    async def wait_sent(self) -> None:
        await self._messages.join()
