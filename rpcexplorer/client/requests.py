"""The requests of one call: each is formed, sent and read, within one deadline for all of them.

The secrets are opened here, on the bytes that transport gets next, and nowhere earlier.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

from msgspec.structs import replace

from rpcexplorer.auth.credentials import Message, Received, Send, opened, opened_address, opening_of
from rpcexplorer.client.connection import target_of
from rpcexplorer.client.pacing import in_turns
from rpcexplorer.client.statuses import REDIRECTS, named
from rpcexplorer.jsontext.pointers import Levels
from rpcexplorer.model.exchange import Cancelled, Outcome, Sent, Unreached
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import UNRECORDED, Secret
from rpcexplorer.rpc.batch import decode_batch
from rpcexplorer.rpc.codec import LARGE, decode, decode_large, encode, encode_batch, read_text
from rpcexplorer.rpc.messages import Malformed, MessageForm, Result, decoded
from rpcexplorer.transport.port import Headers, Partial, Request, Response, Transport, Unreachable, Verb, Watch

OK = 200
SAID_ENOUGH = frozenset({*REDIRECTS, 401, 407})
"""Statuses after which it does not matter what the bytes were."""
CALLS_A_TOOL: Final = "tools/call"
"""The method of MCP whose result may say that it failed."""
MAX_TOOL_RESULT: Final = 16 * 1024 * 1024
"""Bytes of a tool's result that are read for that: some 20 ms."""
MAX_TOOL_TEXT: Final = 4_000
"""Characters of what a failed tool says; the result has all of it."""
OF_GATEWAYS = frozenset({413, 417, 502, 504, 505})
"""Statuses that a gateway explains with a page, which says nothing about the path."""
HUNG_UP = "the server closed the connection without a reply, as some do after a notification"


def body_of(profile: Profile, message: Message) -> bytes:
    """The message's body with placeholders where secrets will stand."""
    if message.kind == "batch":
        return encode_batch(message.calls, profile.form)
    return encode(message.calls[0], profile.form)


def request_of(profile: Profile, send: Send, verb: Verb = "POST") -> tuple[Request, tuple[Secret, ...]]:
    """What a flow wants sent, secrets opened, and what in it is to be hidden beside them.

    It goes to the socket next and nowhere else.
    """
    body = opened(body_of(profile, send.message), send) if verb == "POST" else b""
    request = formed(profile, body, address=opened_address(send.address, send.secrets), verb=verb)
    if not send.headers:
        return request, ()
    opening = opening_of(send.secrets, target_of(request), body, verb)
    values = [(each, each.opened(opening)) for each in send.headers]
    betrayed = (part for header, value in values for part in header.betrays(value))
    headers = tuple((header.name, value) for header, value in values)
    hidden = tuple(Secret(part, UNRECORDED.strip("«»")) for part in betrayed)
    return formed(profile, body, headers, request.url, verb), hidden


def formed(profile: Profile, body: bytes, headers: Headers = (), address: str = "", verb: Verb = "POST") -> Request:
    """A request in the form that the profile wants, with what its kind of auth puts into headers and address."""
    others = {name.lower(): (name, value) for name, value in headers}
    _, cookie = others.pop("cookie", ("", None))
    own = (each for each in profile.headers if each[0].lower() not in others)
    return Request(
        url=address or profile.endpoint,
        body=body,
        content_type=profile.content_type,
        accept=profile.accept,
        headers=(*own, *others.values()),
        cookie=cookie,
        verb=verb,
    )


class Requests:
    """Makes the requests of one message, within one deadline for all of them.

    The time between requests, while a person types a password, does not count.
    """

    def __init__(
        self,
        profile: Profile,
        transport: Callable[[], Awaitable[Transport]],
        timeout: float,
        watch: Watch | None,
        document: str = "",
    ) -> None:
        """``document`` is the address of one that is wanted instead of a reply: nothing but a login is posted then."""
        self._profile = profile
        self._document = document
        self._transport = transport
        self._left = timeout
        self._watch = watch
        self.seconds = 0.0
        """How long all requests took."""
        self.betrayed: tuple[Secret, ...] = ()
        """What went out that is no secret of the profile, and is to be hidden like one."""
        self._partial = Partial()
        self._sent = 0

    async def send(self, send: Send) -> Received:
        """Send a request and read what comes of it, whatever that is."""
        self._partial = Partial()
        fetches = bool(self._document) and not send.login
        if fetches:
            send = replace(send, address=send.address or self._document)
        request, betrayed = request_of(self._profile, send, "GET" if fetches else "POST")
        self.betrayed += betrayed
        self._sent = len(request.body)
        transport = await self._transport()  # the first time, it is loaded: that does not count
        started = time.perf_counter()
        try:
            response = await transport.send(request, deadline=self._left, watch=self._watch, partial=self._partial)
        except Unreachable as error:
            if error.hung_up and _is_notification(send.message) and not error.response.phases.kept:
                return Received(Sent((HUNG_UP,)), error.response, self._sent)
            sentence = _advised(error, self._profile)
            return Received(Unreached(error.step, sentence, error.maybe_ran), error.response, self._sent)
        finally:
            took = time.perf_counter() - started
            self._left -= took
            self.seconds += took
        outcome = _document_in(response) if fetches else await _read(send.message, response, self._profile.form)
        outcome = _named(outcome, response, self._profile)
        if isinstance(outcome, Result) and send.message.method == CALLS_A_TOOL:
            outcome = replace(outcome, message=_failure_of_tool(outcome))
        return Received(outcome, response, self._sent)

    def cancelled(self) -> Received:
        """What had come of the request that was under way."""
        return Received(Cancelled(self._partial.sent_whole), self._partial.response, self._sent)


def _failure_of_tool(result: Result) -> str:
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
    # Whole or not at all: a secret is found in a whole text only.
    return text if 0 < len(text) <= MAX_TOOL_TEXT else "isError is true"


def _advised(error: Unreachable, profile: Profile) -> str:
    """What went wrong; where it is the server's certificate alone, with the command that shows and trusts it."""
    if not error.untrusted:
        return error.sentence
    if profile.ad_hoc:
        return f"{error.sentence[:-1]}; a test of the connection shows this one certificate and offers to trust it."
    command = f"rpcexplorer profiles trust {profile.name}"
    return f"{error.sentence[:-1]}; to see this one certificate and trust no other: {command}."


def _document_in(response: Response) -> Outcome:
    """A document stands for itself, without an envelope; what its text means is for whoever wanted it."""
    if response.status != OK:
        return Malformed("The server gave no document.")
    text, remarks = read_text(response.body)
    if isinstance(text, Malformed):
        return text
    is_json = text.lstrip()[:1] in {b"{", b"["}
    return Result(text, remarks) if is_json else Malformed("What the server gave is no JSON document.")


async def _read(message: Message, response: Response, form: MessageForm) -> Outcome:
    """What the response means for the message that was sent; a large one is read while a screen goes on."""
    if len(response.body) <= LARGE:
        return _meaning(message, response, form)
    if message.kind == "call" and (reply := await in_turns(decode_large(response.body, message.calls[0].id, form))):
        return reply
    return await asyncio.to_thread(_meaning, message, response, form)


def _meaning(message: Message, response: Response, form: MessageForm) -> Outcome:
    if _is_notification(message):
        return _read_notification(response, form)
    if message.kind == "batch":
        return decode_batch(response.body, message.calls, form)
    return decode(response.body, message.calls[0].id, form)


def _is_notification(message: Message) -> bool:
    return message.kind == "notification" or all(call.id is None for call in message.calls)


def _read_notification(response: Response, form: MessageForm) -> Outcome:
    """Nothing is expected: a good status or silence is enough, but an error that came all the same is shown."""
    accepted = response.status is None or response.status < 300
    if response.body.strip():
        reply = decode(response.body, None, form)
        if not isinstance(reply, Malformed) or not accepted:
            return replace(reply, remarks=(*reply.remarks, "the server answered a notification"))
        return Sent(("the server answered a notification with something that is no reply",))
    return Sent() if accepted else Malformed("The server did not accept the notification.")


def _named(outcome: Outcome, response: Response, profile: Profile) -> Outcome:
    """What came instead of a reply, by its status where that says more than the bytes."""
    if not isinstance(outcome, Malformed) or not (said := named(response, profile)):
        return outcome
    text, status = response.body.lstrip(), response.status
    says_more = text and status not in SAID_ENOUGH and not (text[:1] == b"<" and status in OF_GATEWAYS)
    more = f" {outcome.reason}" if says_more else ""
    return replace(outcome, reason=f"{said}{more}")
