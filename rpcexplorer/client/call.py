"""One call: the requests of its auth flow sent and read within one deadline."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from rpcexplorer.auth.credentials import (
    CanLogIn,
    CredentialSource,
    Drop,
    Ended,
    Flow,
    Hide,
    Keep,
    Message,
    Need,
    Received,
    Say,
    Send,
    Want,
    advance,
    opened,
    opened_address,
    opening_of,
)
from rpcexplorer.jsontext.pointers import Levels
from rpcexplorer.jsontext.steps import Steps, T, at_once, kept
from rpcexplorer.model.exchange import Cancelled, Exchange, Outcome, Refused, Sent, Stop, Unreached
from rpcexplorer.model.problem import cut
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import UNRECORDED, Secret
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.redaction.exchange import SHOW, redacted_in_steps
from rpcexplorer.rpc.batch import decode_batch
from rpcexplorer.rpc.codec import LARGE, decode, decode_large, encode, encode_batch, read_text
from rpcexplorer.rpc.messages import Malformed, MessageForm, Result, decoded
from rpcexplorer.transport.port import Headers, Partial, Request, Response, Transport, Unreachable, Verb, Watch
from rpcexplorer.transport.request import address_of, request_headers

if TYPE_CHECKING:
    from rpcexplorer.transport.http import HttpTransport
    from rpcexplorer.transport.port import ShownCertificate
    from rpcexplorer.transport.tls import Trust


async def connect(profile: Profile, reply_limit: int) -> Transport:
    """The transport that the profile's address asks for. It is loaded in another thread: who types goes on."""
    made = await asyncio.to_thread(_http)  # ws:// and pipes would be told apart here
    transport = made(trust=_trust(profile), cap=reply_limit)
    await transport.open()
    return transport


async def certificate_of(profile: Profile) -> ShownCertificate:
    """The certificate that the profile's server shows; raises `Unreachable`. Nothing is sent to it."""
    await asyncio.to_thread(_http)
    from rpcexplorer.transport.http import certificate_of

    return await certificate_of(profile.endpoint, _trust(profile), deadline=profile.timeout)


async def load() -> None:
    """Load what a first request takes: a tenth of a second of imports."""
    await (await asyncio.to_thread(_http))().open()


def target_of(request: Request) -> str:
    """Path and query as the request line has them; nothing of an address that cannot be used, which is told later."""
    try:
        return address_of(request.url).target
    except Unreachable:
        return ""


def head_of(request: Request) -> tuple[str, Headers]:
    """The request line and the exact headers as they would go out; raises `Unreachable` for what cannot be sent."""
    return f"POST {address_of(request.url).target} HTTP/1.1", request_headers(request)


def _trust(profile: Profile) -> Trust:
    """Only where HTTP is loaded."""
    from rpcexplorer.transport.tls import Trust

    files = (None if file is None else Path(file) for file in (profile.ca_file, profile.cert_file, profile.key_file))
    ca_file, cert_file, key_file = files
    return Trust(ca_file, profile.certificate, cert_file, key_file)


@cache
def _http() -> type[HttpTransport]:
    from rpcexplorer.transport.http import HttpTransport

    return HttpTransport


REDIRECTS = {
    301: "Moved Permanently", 302: "Found", 303: "See Other", 307: "Temporary Redirect", 308: "Permanent Redirect",
}  # fmt: skip
"""What sends a caller elsewhere; 300 and 304 may have a ``Location`` and do not."""


def named(response: Response, profile: Profile) -> str:
    """A sentence that begins with the status; empty where it says nothing that the body does not."""
    if response.status in REDIRECTS and (location := response.header("location")) is not None:
        title = f"HTTP {response.status} {REDIRECTS[response.status]}"
        return f"{title}: the server redirects to {location}. Redirects are not followed."
    if response.status not in MEANINGS:
        return ""
    title, meaning = MEANINGS[response.status]
    return f"HTTP {response.status} {title}: {meaning(response, profile)}"


def _unauthorized(response: Response, profile: Profile) -> str:
    wanted = response.header("www-authenticate")
    if profile.secrets and not profile.assumes_auth:
        return "the server did not take the credentials of this profile, or asks for others."
    return f"the server asks for credentials ({cut(wanted)})." if wanted else "the server asks for credentials."


def _forbidden(_: Response, profile: Profile) -> str:
    where = redacted_address(profile.endpoint)
    return f"whoever calls may not do this at {where}. Ask who runs the server."


def _by_proxy(response: Response, _: Profile) -> str:
    wanted = response.header("proxy-authenticate")
    asks = f" ({cut(wanted)})" if wanted else ""
    if response.proxy is None:
        return f"a proxy in front of the server asks for credentials of its own{asks}. Ask who runs the server."
    advice = "Put user name and password into its address in HTTP_PROXY, or name the host in NO_PROXY."
    return f"the proxy {response.proxy} asks for credentials of its own{asks}. {advice}"


def _media_type(_: Response, profile: Profile) -> str:
    return f"the server does not take {profile.content_type}."


def _too_many(response: Response, _: Profile) -> str:
    return f"too many requests. Try again {_later(response)}."


def _unavailable(response: Response, _: Profile) -> str:
    return f"the service is not available now. Try again {_later(response)}."


def _later(response: Response) -> str:
    after = (response.header("retry-after") or "").strip()
    if after.isdecimal():
        return f"in {after} s"
    return f"after {after}" if after else "later"


def _always(sentences: str) -> Callable[[Response, Profile], str]:
    return lambda _, __: sentences


MEANINGS: dict[int, tuple[str, Callable[[Response, Profile], str]]] = {
    401: ("Unauthorized", _unauthorized),
    403: ("Forbidden", _forbidden),
    407: ("Proxy Authentication Required", _by_proxy),
    413: (
        "Content Too Large",
        _always("the server, or a gateway in front of it, accepts no request of this size. Send less at once."),
    ),
    415: ("Unsupported Media Type", _media_type),
    417: (
        "Expectation Failed",
        _always("the server, or a gateway in front of it, refuses a header. Check the headers of the profile."),
    ),
    429: ("Too Many Requests", _too_many),
    502: (
        "Bad Gateway",
        _always("a gateway got no valid response from the service behind it. Check that the service runs."),
    ),
    503: ("Service Unavailable", _unavailable),
    504: (
        "Gateway Timeout",
        _always("a gateway got no response in time. The service may still run the call: look before you repeat it."),
    ),
    505: ("HTTP Version Not Supported", _always("the server does not accept HTTP/1.1. Check the port.")),
}
TURN: Final = 0.008
"""Seconds of steps in a row."""
PAUSE: Final = 0.001
"""Seconds for others. With none at all a loop only looks whether there is something to do; the threads that read keys
and write the screen would wait for the interpreter all the while."""


async def in_turns(steps: Steps[T]) -> T:
    came: list[T] = []
    until = time.perf_counter() + TURN
    for _ in kept(steps, came):
        if time.perf_counter() > until:
            await asyncio.sleep(PAUSE)
            until = time.perf_counter() + TURN
    return came[0]


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


LARGE_BODY_BYTES = 64 * 1024
"""Bytes that take a few milliseconds to write down."""
Record = Callable[[Exchange], None]


class RunningCall:
    """Holds what has happened so far, so that an exchange can be made of it at any point."""

    def __init__(
        self, profile: Profile, credentials: CredentialSource, requests: Requests, begun: Exchange, record: Record
    ) -> None:
        self._profile = profile
        self._credentials = credentials
        self._requests = requests
        self._begun = begun
        self._record = record
        self._said = list(begun.notes)
        self._hide = list(credentials.in_use())
        """What no reply may show, sessions included that are opened and over before it is told."""

    async def run(self, flow: Flow, stop: Stop | None) -> Exchange:
        """Drive the flow to its end. However it ends, also by a cancelled task, the exchange is recorded."""
        task = asyncio.current_task()
        assert task is not None
        stop = stop or Stop()
        stop.watch(task)
        try:
            exchange = await in_turns(self._shown(self._exchange_of(await self._drive(flow))))
        except asyncio.CancelledError:
            exchange = at_once(self._shown(self._exchange_of(self._requests.cancelled())))
            if not stop.pressed:  # somebody ends the whole program: not ours to hold up
                self._record(exchange)
                raise
            task.uncancel()
        finally:
            stop.watch(None)
        return await self._recorded(exchange)

    async def _drive(self, flow: Flow) -> Received | Refused:
        if self._profile.cert_file and (refused := await self._credentials.key(self._profile)):
            return refused
        want = advance(flow, None)
        while not isinstance(want, Ended):
            want = advance(flow, await self._do(want))
        return want.end

    async def _do(self, want: Want) -> object:
        match want:
            case Need(field=field):
                return await self._credentials.secret(self._profile, field)
            case CanLogIn():
                return self._credentials.can_log_in(self._profile)
            case Send():
                return await self._requests.send(want)
            case Keep(session=session):
                if trouble := self._credentials.keep(self._profile, session):
                    self._said.append(trouble)
                self._hide += self._credentials.in_use()
            case Drop():
                self._credentials.drop(self._profile)
            case Hide(value=value):
                self._hide.append(Secret(value, UNRECORDED.strip("«»")))
            case Say(sentence=sentence):
                self._said.append(sentence)
        return None

    def _exchange_of(self, end: Received | Refused) -> Exchange:
        exchange = replace(self._begun, seconds=self._requests.seconds, notes=tuple(self._said))
        if isinstance(end, Received):
            return replace(exchange, outcome=end.outcome, response=end.response, sent=end.sent)
        return replace(exchange, outcome=end)

    def _shown(self, exchange: Exchange) -> Steps[Exchange]:
        hide = dict.fromkeys([*self._hide, *self._requests.betrayed, *self._credentials.in_use()])
        return (yield from redacted_in_steps(exchange, SHOW, self._profile, hide)) if hide else exchange

    async def _recorded(self, exchange: Exchange) -> Exchange:
        """Write it down before it is handed over; a large one in another thread, so that a screen goes on."""
        if len(exchange.response.body) < LARGE_BODY_BYTES:
            self._record(exchange)
        else:
            await asyncio.to_thread(self._record, exchange)
        return exchange
