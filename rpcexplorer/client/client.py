"""The client of one service: calls, logins, and previews of requests."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, cast, get_type_hints

import msgspec
from msgspec.structs import replace

from rpcexplorer.auth.credentials import (
    AuthCall,
    AuthHeader,
    AuthRequest,
    CredentialSource,
    GivenCredentials,
    Message,
    find_unsendable,
)
from rpcexplorer.auth.registry import KINDS, auth_of, kind_named, login_requests, requests_for, with_usual_auth
from rpcexplorer.client.call import (
    Record,
    RunningCall,
    as_sent,
    body_of,
    connect,
    discard,
    http_request,
    is_event_stream,
)
from rpcexplorer.client.handshake import handshake_of, with_handshake
from rpcexplorer.client.surroundings import ALONE, Surroundings
from rpcexplorer.model.destination import DestinationChanged, ProcessCommand, find_program
from rpcexplorer.model.draft import Batch, Draft, calls_of, kind_of
from rpcexplorer.model.exchange import Cancelled, Exchange, Preview, Refused, Stop, Unreached, fresh_id
from rpcexplorer.model.problem import nearest
from rpcexplorer.model.profile import Auth, Profile, no_place_for, split_address, split_socket, usual_path, usual_type
from rpcexplorer.model.profile import kind_of as url_kind
from rpcexplorer.model.secret import HIDDEN, PLACEHOLDER, UNRECORDED, Secret, origin_of
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.redaction.exchange import redacted_draft, redactor_of
from rpcexplorer.rpc.codec import is_native
from rpcexplorer.rpc.messages import Malformed
from rpcexplorer.transport.port import Unreachable, Watch

if TYPE_CHECKING:
    from rpcexplorer.client.event_stream import EventStream, Listening
    from rpcexplorer.client.open_connection import OpenConnection
    from rpcexplorer.model.batch import BatchExchange
    from rpcexplorer.model.event import Event
    from rpcexplorer.transport.port import Request, Response, Transport

NO_STREAM: Final = "The response to the call is complete: it is not an event stream, so no events can come."
BACKGROUND_SECONDS: Final = 1.0
"""For a message whose response does not matter."""
ParamsValue = Sequence[Any] | Mapping[str, Any]
BatchCall = tuple[str] | tuple[str, ParamsValue | None] | tuple[str, ParamsValue | None, str]
SETTINGS: Final = (
    "path", "timeout", "headers", "content_type", "accept", "empty_params", "envelope", "id", "ca_file",
    "certificate", "cert_file", "key_file", "handshake", "command", "framing", "login", "answers", "methods",
)  # fmt: skip
"""The keys of a profile that change what a client sends, or what it understands."""
INSTEAD: Final = {
    "preset": "Client reads no presets. To see the keys of one, run `rpcexplorer presets show NAME`, and pass them.",
    "answer": 'Write answers, such as answers={"roots/list": {"result_json": "{}"}}.',
    "method": 'call takes the method. To set params of a handshake, use methods={"initialize": {"params": …}}.',
}
"""What to do instead, for keys of a profile that are not arguments of a client."""
USE_EXPLORER: Final = "It has no effect on a client, which asks and stores nothing. Explorer uses profiles with it."
_PARAMS: Final = msgspec.json.Encoder(decimal_format="number")


class Client:
    """The client of one service, which connects with its first call.

    A call never raises for a failure of the server or the network: that is the outcome of the exchange.
    """

    def __init__(
        self,
        url: str,
        *,
        auth: str | Auth | None = None,
        username: str | None = None,
        password: str | None = None,
        session: str | None = None,
        token: str | None = None,
        reply_limit: int = 256 * 1024 * 1024,
        on_event: Callable[[Event], None] = lambda _: None,
        **settings: Any,
    ) -> None:
        """Accept a URL, credentials, and these keys of a profile as settings.

        ``path``, ``timeout``, ``headers``, ``content_type``, ``accept``, ``empty_params``, ``envelope``, ``id``,
        ``ca_file``, ``certificate``, ``cert_file``, ``key_file``, ``handshake``, ``command``, ``framing``, ``login``,
        ``answers`` and ``methods``. Tables are dicts. Raise ``TypeError`` for another name, and ``ValueError`` for a
        value that cannot be used.

        A ``path`` is appended to ``url``. Without one, ``url`` is the complete address if it has a path of its own.
        ``on_event`` gets what the server sends unasked; it must not take long. A process with the URL
        ``stdio:`` is named by ``command``, its words, and runs in the working folder.
        """
        settings = _checked(url, settings)
        if "path" not in settings:
            url, own_path = split_address(url)
            settings["path"] = usual_path(url) if own_path is None else own_path
        settings.setdefault("content_type", usual_type(settings["path"]))
        chosen = kind_named(auth)() if isinstance(auth, str) else auth
        has_login = "login" in settings
        profile = Profile(name="client", url=url, auth=chosen or Auth(), ad_hoc=True, has_login=has_login, **settings)
        profile = profile if chosen else with_usual_auth(profile)
        given = {"username": username, "password": password, "session": session, "token": token}
        _refuse_unused(profile, [field for field, value in given.items() if value is not None])
        self._initialize(profile, GivenCredentials(**given), reply_limit, discard)
        self._around = Surroundings(on_event=on_event, command=partial(_own_process, profile))

    @classmethod
    def of(
        cls,
        profile: Profile,
        credentials: CredentialSource,
        reply_limit: int,
        record: Record,
        transport: Transport | None = None,
        *,
        prints: bool = False,
        around: Surroundings = ALONE,
    ) -> Self:
        """Return a client with the given credentials, which calls ``record``.

        Without a transport, the first call chooses the one for the profile's address. ``prints``: responses go to
        stdout.
        """
        client = cls.__new__(cls)
        client._initialize(profile, credentials, reply_limit, record)  # noqa: SLF001 - its own
        client._transport = transport  # noqa: SLF001
        client._prints, client._around = prints, around  # noqa: SLF001
        return client

    def _initialize(self, profile: Profile, credentials: CredentialSource, reply_limit: int, record: Record) -> None:
        self.profile = profile
        self._credentials = credentials
        self._reply_limit = reply_limit
        self._record = record
        self._transport: Transport | None = None
        self._prints = False
        self._around = ALONE
        self._streams: set[EventStream] = set()
        """Event streams over HTTP that have not ended."""
        self._background: set[asyncio.Task[None]] = set()
        """Messages that are sent while nobody waits for their responses."""
        self._handshake = handshake_of(profile)
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

    async def call(self, method: str, params: ParamsValue | None = None) -> Exchange:
        """Send a call and wait for its response.

        ``params`` are a list or a dict of what JSON has. ``int`` and ``Decimal`` are sent digit by digit.
        """
        return await self.send(Draft(method, _to_json(params)))

    async def notify(self, method: str, params: ParamsValue | None = None) -> Exchange:
        """Send a notification, which has no response."""
        return await self.send(Draft(method, _to_json(params), notification=True))

    async def batch(self, calls: Sequence[BatchCall]) -> BatchExchange:
        """Send calls in one request and wait for the responses.

        Each call is a method, its params, and its id. Params and id can be left out.
        """
        from rpcexplorer.model.batch import BatchExchange  # Few programs need it.

        rows = [_batch_row(*call) for call in calls]
        return BatchExchange.of(await self.send(Batch(_to_json(rows))))

    async def send(
        self,
        draft: Draft | Batch,
        *,
        id: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - covers a login too, and keeps the part received by then
        watch: Watch | None = None,
        stop: Stop | None = None,
        document: str = "",
        opens: bool = False,
        listening: Listening | None = None,
    ) -> Exchange:
        """Send a draft.

        ``watch`` is called with the progress; ``stop`` can end the call.

        ``document`` is a path on the same server that is fetched instead: with credentials in headers and address, but
        without any part of the draft. ``opens``: only open the connection, or the event stream of ``listening``.
        """
        id = id or fresh_id()
        profile = replace(self.profile, url=self.profile.origin, path=document) if document else self.profile
        calls = calls_of(draft, id, self.profile.envelope)
        exchange = self._unsent(id, draft)
        if isinstance(calls, Refused):
            return replace(exchange, outcome=calls)
        if refused := await self._credentials.permission(self.profile) or self._around.refused(self.profile):
            return replace(exchange, outcome=refused)
        message = Message(kind_of(draft), calls)
        exchange = replace(exchange, method=message.method)
        session = await self._credentials.session(self.profile) if self.profile.has_sessions else None
        if isinstance(session, Refused):
            return replace(exchange, outcome=session)
        if isinstance(session, DestinationChanged):
            changed = f" ({', '.join(map(str, session.changes))})" if session.changes else ""
            note = f"the stored session is blocked: {session.why}{changed}"
            exchange, session = replace(exchange, notes=(note,)), None
        call = AuthCall(profile, message, session, exchange.when, partial(self._credentials.can_log_in, self.profile))
        # The messages of other open connections have the credentials.
        is_bare = opens and self.profile.is_open_connection and self.profile.connection_kind != "websocket"
        flow = auth_of(replace(self.profile, auth=Auth())).requests(call) if is_bare else requests_for(call)
        if document:
            exchange = replace(exchange, url=redacted_address(profile.endpoint))
        elif self._handshake is not None:
            flow = with_handshake(flow, self._handshake, call.events)
        running = self._running(exchange, timeout, watch, profile.endpoint if document or opens else "", listening)
        return await running.run(flow, call, stop, discard if opens else self._record)

    async def open(self, *, watch: Watch | None = None, stop: Stop | None = None) -> Exchange:
        """Open a connection that stays open, without a call. Nothing is recorded."""
        return await self.send(Draft("open"), watch=watch, stop=stop, opens=True)

    async def listen(
        self,
        draft: Draft | None = None,
        *,
        on_response: Callable[[Exchange], None] = discard,
        id: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - until the response came, not for listening
        watch: Watch | None = None,
        stop: Stop | None = None,
    ) -> Exchange:
        """Send a draft, if any, and wait for the end of its connection.

        Over HTTP, the connection is the event stream of the response, or that of a GET request without a draft.
        ``on_response`` gets the exchange when its response came, or the connection opened. A call that failed is
        returned at once instead. The outcome says why nothing more comes: `Unreached`, `Cancelled` by ``stop``, or
        `Malformed` if the server has no event stream.
        """
        stop, opens = stop or Stop(), draft is None
        listening = None if self.profile.is_open_connection else _listening()
        sending = partial(self.send, draft or Draft("listen"), watch=watch, stop=stop, opens=opens, listening=listening)
        try:
            exchange = await sending(id=id, timeout=timeout)
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
        hide = redactor_of(self.profile, self._credentials.in_use()).text
        outcome = Unreached(end.step, hide(end.sentence)) if end else Cancelled()
        return replace(exchange, outcome=outcome, notes=tuple(filter(None, [listening and listening.note])))

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

    async def beside(self, profile: Profile) -> Client:
        """Return a client that shares the connection of this one, and records nothing.

        Do not close it.
        """
        transport = await self._open_transport()
        return Client.of(profile, self._credentials, self._reply_limit, discard, transport, around=self._around)

    async def login(self, *, watch: Watch | None = None, stop: Stop | None = None) -> Exchange:
        """Open a new session, even if there is one."""
        from rpcexplorer.auth.login import login_params  # Few calls need this import.

        id, profile = fresh_id(), self.profile
        exchange = self._unsent(id, Draft(profile.login.method, login_params(profile) if profile.has_sessions else ""))
        if refused := await self._credentials.permission(profile) or self._around.refused(profile):
            return replace(exchange, outcome=refused)
        can_log_in = partial(self._credentials.can_log_in, profile)
        call = AuthCall(profile, Message("call", ()), None, exchange.when, can_log_in)
        flow = login_requests(call, id)
        if self._handshake is not None:
            flow = with_handshake(flow, self._handshake, call.events)
        return await self._running(exchange, None, watch).run(flow, call, stop, self._record)

    def _running(
        self,
        unsent: Exchange,
        timeout: float | None,
        watch: Watch | None,
        document: str = "",
        listening: Listening | None = None,
    ) -> RunningCall:
        return RunningCall(
            self.profile,
            self._credentials,
            self._open_transport,
            unsent,
            timeout=timeout or self.profile.timeout,
            watch=watch,
            document=document,
            prints=self._prints,
            stream_of=self._stream_of,
            send_later=self._send_later,
            listening=listening,
        )

    def _stream_of(self, sent: Request, head: Response) -> EventStream | None:
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
            limit=self._reply_limit,
            running=self._streams,
        )

    def _send_later(self, request: Request) -> None:
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
        if self.connection is not None:
            return self.connection.requests.reply(event, member)
        stream = next((stream for stream in self._streams if id(event) in stream.requests.asked), None)
        return stream.requests.reply(event, member) if stream else event.remark or "The request was already answered."

    async def _open_transport(self) -> Transport:
        transport = self._transport or await connect(self.profile, self._reply_limit, self._around)
        # Another call may have been faster. A transport that sent nothing has no connection to close.
        self._transport = self._transport or transport
        return self._transport

    def _unsent(self, id: str, draft: Draft | Batch) -> Exchange:
        return Exchange(
            id=id,
            when=datetime.now(UTC),
            profile=self.profile.name,
            url=self._url,
            method="" if isinstance(draft, Batch) else draft.method,
            params=draft.text if draft.typed is None else draft.typed,
            params_sent=None if draft.typed in {None, draft.text} else draft.text,
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


def _own_process(profile: Profile) -> ProcessCommand | Refused:
    """Return the process of a Python program, which runs its own words."""
    if not profile.command:
        return Refused("profile", 'A client of a process needs its words, such as command=["pylsp"].')
    folder = Path.cwd()
    return ProcessCommand(tuple(profile.command), str(folder), find_program(profile.command[0], folder, os.environ))


def _checked(url: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as a profile has them; raise an error that names one."""
    types = get_type_hints(Profile)
    checked = {}
    for name, given in settings.items():
        if name not in SETTINGS:
            raise TypeError(f"Client has no argument {name}. {_instead_of(name)}")
        value = os.fspath(given) if isinstance(given, os.PathLike) else given
        if name == "headers" and isinstance(given, Mapping):
            value = [*given.items()]
        try:
            checked[name] = msgspec.convert(value, types[name])
        except msgspec.ValidationError as error:
            raise ValueError(f"{name}: {error}.") from None
        if why := no_place_for(url_kind(url), (name,), value):
            raise ValueError(f"{name}: {why}.")
    return checked


def _instead_of(name: str) -> str:
    if name in INSTEAD:
        return INSTEAD[name]
    if name in Profile.__struct_fields__:
        return USE_EXPLORER
    guess = nearest(name, SETTINGS)
    return f"Did you mean {guess}?" if guess else f"It has {', '.join(SETTINGS)}."


def _refuse_unused(profile: Profile, given: Sequence[str]) -> None:
    """Raise ``ValueError`` for a credential that no call would send."""
    if any(note.auth for note in profile.methods.values()):
        return
    for field in given:
        if field not in profile.secrets:
            advice = f"Name an auth type that sends it: auth is one of {', '.join(KINDS)}."
            raise ValueError(f"{field}: auth type {profile.auth.kind} does not send it. {advice}")


def _batch_row(method: str, params: ParamsValue | None = None, id: str | None = None) -> dict[str, Any]:
    row = {"method": method, "params": [] if params is None else params}
    return row if id is None else {**row, "id": id}


def _to_json(params: Any) -> str:
    if params is None:
        return ""
    text = _PARAMS.encode(params)
    if not is_native(text):  # msgspec writes such a Decimal as it is.
        raise ValueError(
            "The params contain a Decimal that is not a number in JSON: NaN, Infinity, or a member's name."
        )
    return text.decode()


def preview(
    profile: Profile,
    draft: Draft | Batch,
    id: str,
    *,
    has_session: bool,
    logs_in: bool = True,
    bare: bool = False,
    secrets: Iterable[Secret] = (),
) -> Preview | Refused:
    """Return the request for the draft, or why it would not be sent.

    ``logs_in``: without a session, a login is sent first. ``bare``: without credentials, as a login is sent. The values
    of ``secrets`` are redacted wherever they were typed.
    """
    redactor = redactor_of(profile, secrets)
    hide = redactor.text
    draft = redacted_draft(draft, profile, redactor)
    calls = calls_of(draft, id, profile.envelope)
    if isinstance(calls, Refused):
        return calls
    typed = Message(kind_of(draft), calls, only_shown=True)
    shown = _first_request(profile, typed, bare=bare)
    if isinstance(shown, Refused):
        return shown
    # Only the typed part is checked: the references of the auth type are correct.
    doubt = find_unsendable(profile, typed)
    to_come = profile.has_sessions and not has_session
    headers = () if to_come and auth_of(profile).session_cookie else shown.headers
    stand_ins = _StandIns(shown.address or profile.endpoint, shown.address, headers)
    request = http_request(
        profile, body_of(profile, shown.message), tuple(stand_ins.headers.items()), stand_ins.address
    )
    try:
        line, sent, body = as_sent(request, profile)
    except Unreachable as error:
        return Refused("profile", error.sentence)
    return Preview(
        _redacted_line(profile, stand_ins.shown_line(hide(line))) if line else "",
        tuple(
            (name, stand_ins.shown_header(name, value) if name in stand_ins.headers else hide(value))
            for name, value in sent
        ),
        body,
        logs_in_first=to_come and logs_in,
        doubt=doubt.sentence if doubt else "",
        facts=_facts(profile, typed),
    )


def _facts(profile: Profile, message: Message) -> tuple[tuple[str, str], ...]:
    """Return the address of a stream, and the handshake of a connection that stays open."""
    if not profile.is_open_connection:
        return ()
    from rpcexplorer.client.open_connection import opening_of

    opening = opening_of(profile)
    is_by_hand = opening and any(call.method == opening.request.method for call in message.calls)
    methods = f"{opening.request.method}, {opening.notification.method}" if opening and not is_by_hand else ""
    address = redacted_address(profile.endpoint) if profile.connection_kind == "stream" else ""
    return tuple((label, value) for label, value in (("address", address), ("handshake", methods)) if value)


def _redacted_line(profile: Profile, line: str) -> str:
    """Return a request line without credentials in the URL."""
    verb, _, rest = line.partition(" ")
    target, _, version = rest.rpartition(" ")  # a reference in it contains a space
    origin = origin_of(split_socket(profile.endpoint)[1])
    return f"{verb} {redacted_address(origin + target)[len(origin) :]} {version}"


class _StandIns:
    """Valid text for secret references, which a header cannot contain."""

    def __init__(self, address: str, marked: str, headers: Sequence[AuthHeader]) -> None:
        self._shown = {header.name: header.shown for header in headers}
        self.headers = {
            header.name: header.scheme + ("x" if header.encoded else HIDDEN.sub("x", header.text)) for header in headers
        }
        marks = [UNRECORDED, *dict.fromkeys(found[0] for found in PLACEHOLDER.finditer(marked))]
        self._parts = dict(zip(marks, _absent_from(address, len(marks)), strict=True))
        for mark, part in self._parts.items():
            address = address.replace(mark, part)
        self.address = address

    def shown_line(self, line: str) -> str:
        for mark, part in self._parts.items():
            line = line.replace(part, mark)
        return line

    def shown_header(self, name: str, value: str) -> str:
        return value.removesuffix(self.headers[name]) + self._shown[name]


def _absent_from(address: str, count: int) -> list[str]:
    """Return path segments that the address does not contain."""
    part = "not-recorded"
    while part in address:
        part += "-"
    return [f"{part}.{at}." for at in range(count)]


def _first_request(profile: Profile, message: Message, *, bare: bool) -> AuthRequest | Refused:
    """Return the request of the message itself, as if there is a session."""
    call = AuthCall(profile, message, Secret("", profile.label("session")), datetime.now(UTC), lambda: False)
    try:
        request = auth_of(profile).request(profile, message, bare=True) if bare else next(requests_for(call))
    except StopIteration as end:
        request = end.value
    handshake = handshake_of(profile)
    return request if isinstance(request, Refused) or handshake is None else handshake.shown(request)
