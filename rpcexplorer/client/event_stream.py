"""Event streams over HTTP: a response to a call, and events around it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from rpcexplorer.client.server_messages import (
    MAX_AT_ONCE,
    Outbox,
    Pause,
    ServerRequests,
    answers_of,
    calls_in,
    event_of,
    internal_error,
    key_of,
    messages_of_array,
    notification_of,
    text_of,
    unreadable_event,
)
from rpcexplorer.model.event import Event
from rpcexplorer.model.mcp import ACKNOWLEDGED
from rpcexplorer.rpc.codec import MISSING_IDS, Envelope, EventStreamDecoder, open_object
from rpcexplorer.transport.port import Partial, Request, Response, Transport, Unreachable

if TYPE_CHECKING:
    from rpcexplorer.client.surroundings import Surroundings
    from rpcexplorer.model.profile import Profile

ANSWER_SECONDS: Final = 1.0
"""To send the answers that are left at the end of the stream."""
ENDED: Final = "the event stream has ended"
NOT_ACCEPTED: Final = 300
"""The lowest status with which a server does not accept an answer."""
MAX_PARTS: Final = 100_000
"""Parts of one result; decoding them takes a second."""


class EventStream:
    """One event stream: the response to a call, or to a GET."""

    def __init__(
        self,
        sent: Request,
        head: Response,
        transport: Transport,
        profile: Profile,
        around: Surroundings,
        *,
        partial: Partial,
        limit: int,
        running: set[EventStream],
    ) -> None:
        """Prepare to read the response to ``sent``, which is on its way as ``partial``.

        It is one of ``running`` until the end. Answers go where that request went, with its headers. ``limit``: bytes
        of one message.
        """
        self.listens = False
        self.is_answered = False
        self.on_response: Callable[[Response], None] = lambda _: None
        """Get the response to a single call, without the stream around it."""
        self.requests = ServerRequests(
            around, answers_of(profile, around.can_ask), self._answer_later, profile.envelope
        )
        self.requests.pauses.append(Pause(partial))
        self._sent, self._head, self._transport, self._profile = sent, head, transport, profile
        self._around, self._limit, self._running = around, limit, running
        self._running.add(self)
        calls = calls_in(sent.body) if sent.verb == "POST" else []
        self._missing = {key_of(call.id) for call in calls if call.id not in MISSING_IDS}
        """Ids of calls without a response so far."""
        self._single = ""
        """The id of the call, if it is only one. All responses to it are parts of its result."""
        self.has_parts = False
        """Several are expected, until the server ends the stream."""
        if len(calls) == len(self._missing) == 1:
            (self._single,) = self._missing
            note = profile.methods.get(text_of(calls[0].method or b""))
            self.has_parts = note is not None and note.parts
        self.parts = 0
        """Responses to the one call so far."""
        self.last_part = b""
        self._new_parts: list[bytes] = []
        """Those that were not passed on yet."""
        self._decoder = EventStreamDecoder()
        self._outbox = Outbox()
        self._sending: deque[tuple[Event, bytes]] = deque()
        """The requests that the messages in the outbox answer."""
        self._sender: asyncio.Task[None] | None = None

    def feed(self, data: bytes) -> None:
        for payload in self._decoder.feed(data):
            self._take(payload)
        if self.listens and self._decoder.unfinished > self._limit:
            raise Unreachable("size", f"An event is larger than the limit of {self._limit:,} bytes, reply.limit.")
        if self.parts > MAX_PARTS and not self.listens:
            sentence = f"The server sent more than {MAX_PARTS:,} parts of one result. To print them all, use listen."
            raise Unreachable("size", sentence)

    async def finish(self) -> None:
        """Read the rest of the stream, and send the answers that are left."""
        for payload in self._decoder.finish():
            self._take(payload)
        if self._sender is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(ANSWER_SECONDS):
                    await self._outbox.wait_sent()

    def end(self) -> str:
        """Settle requests without an answer; return a note that counts them."""
        self._running.discard(self)
        if self._sender is not None:
            self._sender.cancel()
        for event, _ in self._sending:
            event.is_sending = False
            self.requests.fail(event, ENDED)
            self._around.on_settled(event)
        self._sending.clear()
        self.requests.end(ENDED)
        return self.requests.note

    def _take(self, payload: bytes) -> None:
        try:
            if (event := notification_of(payload)) is not None:
                event.of = self._sent.call
                self.requests.take(event)
                if event.method == ACKNOWLEDGED and self.listens:  # The response comes only when the stream ends.
                    self.on_response(replace(self._head, body=b"", size=0))
                return
            for text in messages_of_array(payload, len(self._missing)) or [payload]:
                self._take_one(text, open_object(text, max_deep=MAX_AT_ONCE))
        except (UnicodeDecodeError, RecursionError):
            self.requests.take(unreadable_event(payload, self._sent.call))
        except Exception as error:
            raise internal_error(error) from error

    def _take_one(self, text: bytes, envelope: Envelope | None) -> None:
        if envelope is not None and self._is_part(envelope):
            self._take_part(text, is_error=envelope.error not in {None, b"null"})
        elif envelope is None or not self._is_response(envelope):
            self.requests.take(event_of(text, envelope, self._sent.call))
        elif not self._missing:
            self.is_answered = True
            self._respond(text)

    def _respond(self, text: bytes) -> None:
        self.on_response(replace(self._head, body=text, size=len(text)))

    def _is_part(self, envelope: Envelope) -> bool:
        """Return whether a message is a response to the one call that was sent."""
        if not self._single or envelope.method is not None or envelope.id in MISSING_IDS:
            return False
        return key_of(envelope.id or b"") == self._single

    def _take_part(self, text: bytes, *, is_error: bool) -> None:
        """Take a response to the call; pass it on if there are several, or more of them are expected."""
        self.parts += 1
        is_all = is_error or not self.has_parts
        self.is_answered |= is_all
        self.last_part = text
        self._new_parts.append(text)
        if self.parts == 1:
            self._missing.clear()
            self._respond(text)
            if is_all:
                return
        for part in self._new_parts:
            event = Event(datetime.now(UTC), "part", part, of=self._sent.call)
            self._around.on_event(event)
            if self.listens:
                self._around.on_settled(event)
        self._new_parts.clear()

    def _is_response(self, envelope: Envelope) -> bool:
        """Return whether a message is a response to what was sent.

        An error without an id answers all.
        """
        if envelope.method is not None or not self._missing:
            return False
        if envelope.id not in MISSING_IDS:
            id = key_of(envelope.id or b"")
            is_ours = id in self._missing
            self._missing.discard(id)
            return is_ours
        if envelope.error in {None, b"null"}:
            return False
        self._missing.clear()
        return True

    def _answer_later(self, event: Event, member: bytes) -> bool:
        if not self._outbox.put(event.answer_with(member)):
            return False
        event.is_sending = True
        self._sending.append((event, member))
        if self._sender is None:
            self._sender = asyncio.create_task(self._outbox.send_all(self._post))
        return True

    async def _post(self, message: bytes) -> None:
        """Send an answer as the call was sent; its event says how it ended."""
        request = replace(self._sent, verb="POST", body=message, accept=self._profile.accept)
        problem = ""
        try:
            response = await self._transport.send(request, deadline=self._profile.timeout)
            if response.status is not None and response.status >= NOT_ACCEPTED:
                problem = f"the server did not accept the answer (HTTP {response.status})"
        except Unreachable as error:
            problem = error.sentence
        event, member = self._sending.popleft()
        event.is_sending = False
        if problem:
            self.requests.fail(event, problem)
        else:
            event.answer = member
        self._around.on_settled(event)


class Listening:
    """The event stream that goes on after the response to its call."""

    def __init__(self) -> None:
        self.stream: EventStream | None = None
        self.note = ""
        """See `EventStream.end`."""
        self._task: asyncio.Task[Response] | None = None
        self._response: asyncio.Future[Response] | None = None

    def begin(self, stream: EventStream) -> None:
        self.stream = stream
        stream.listens, stream.on_response = True, self.respond

    def respond(self, response: Response) -> None:
        """End the call, but not the stream."""
        if self._response is not None and not self._response.done():
            self._response.set_result(response)

    async def response_to(self, sending: Coroutine[Any, Any, Response]) -> Response:
        """Send a request; return its response, after which the stream goes on."""
        await self.close()
        self._response = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._read(sending))
        try:
            await asyncio.wait({self._task, self._response}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await self.close()
            raise
        if self._response.done():
            return self._response.result()
        if self.stream is not None and self._task.exception() is None:
            sentence = "The server ended the event stream without a response to the call."
            raise Unreachable("closed", sentence, maybe_ran=True)
        return self._task.result()

    async def wait(self) -> Unreachable | bytes:
        """Wait until the stream ends; return the reason, or the last part of a result that is complete then."""
        assert self._task is not None
        try:
            await self._task
        except Unreachable as error:
            return error
        if self.stream is not None and self.stream.has_parts:
            return self.stream.last_part
        return Unreachable("closed", "The server ended the event stream.")

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self.stream = None

    async def _read(self, sending: Coroutine[Any, Any, Response]) -> Response:
        try:
            response = await sending
            if self.stream is not None:
                await self.stream.finish()
            return response
        finally:
            if self.stream is not None:
                self.note = self.stream.end()
