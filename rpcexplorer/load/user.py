"""Users of Locust that send calls with the auth of a profile.

Importing this module imports Locust, which replaces the sockets and threads of Python by those of gevent.
"""

from __future__ import annotations

import logging
import socket
import ssl
import time
import traceback
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

import gevent
import gevent.select
import msgspec
from geventhttpclient.response import HTTPResponse
from locust import User
from locust.exception import StopUser

from rpcexplorer.auth.credentials import (
    UNAUTHORIZED,
    Agreement,
    AuthCall,
    AuthRequest,
    AuthResponse,
    Fetch,
    LoginStep,
    Message,
    SessionEnded,
    SessionOpened,
)
from rpcexplorer.auth.login import asks_for_login
from rpcexplorer.auth.registry import auth_of, requests_for
from rpcexplorer.client.authorization import MAX_DOCUMENT_BYTES, fetch_request
from rpcexplorer.client.call import outcome_of, request_of, trust_elsewhere, trust_of
from rpcexplorer.client.handshake import handshake_of, mcp_server_of, with_handshake
from rpcexplorer.explorer import Explorer
from rpcexplorer.load.plan import LOGIN, NO_RESPONSE, NOT_SENT, PlannedCall
from rpcexplorer.model.destination import DestinationChanged
from rpcexplorer.model.draft import Draft, calls_of, kind_of
from rpcexplorer.model.exchange import Outcome, Refused, Sent, Unreached, fresh_id
from rpcexplorer.model.method import SIGN
from rpcexplorer.model.problem import UserError
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import LATER, Secret
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.text.printable import printable
from rpcexplorer.transport.port import Request, Response, Step, Unreachable
from rpcexplorer.transport.request import Address, address_of, request_headers
from rpcexplorer.variables.references import NOTHING
from rpcexplorer.variables.resolve import Missing

T = TypeVar("T")
FIRST_PAUSE_SECONDS: Final = 0.1
MAX_PAUSE_SECONDS: Final = 10.0
"""A user waits longer after each call without a response, up to this."""
BLOCK_BYTES: Final = 64 * 1024
MAX_HEAD_BYTES: Final = 256 * 1024
"""More in the head of a response is hostile."""
ONLY_HTTP: Final = "A load test needs a profile with http:// or https://, not {}."


class RpcFailure(Exception):  # noqa: N818 - Locust shows its text as the failure
    """Why a call failed, in few words. Locust counts equal ones."""

    def __repr__(self) -> str:
        return str(self)


class Service:
    """A profile with its secrets; all users of a process share it."""

    def __init__(self, explorer: Explorer, profile: Profile, variables: Mapping[str, str]) -> None:
        if profile.scheme not in {"http", "https"}:
            raise UserError(ONLY_HTTP.format(f"{profile.scheme}:"))
        self.profile = profile
        self._explorer = explorer
        self._variables = variables
        self._secrets: dict[str, Secret] = {}
        self._logged: set[str] = set()
        self.limit = explorer.settings.reply_limit

    @classmethod
    def open(
        cls,
        profile: str | None,
        *,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        sessions: Path | None = None,
        given: Mapping[str, str] = NOTHING,
    ) -> Service:
        """Open a profile, and record nothing; raise `UserError`."""
        explorer = Explorer.open(folder=folder, environment=environment, sessions=sessions)
        explorer.journal.recording = False
        return cls(explorer, explorer.use(profile), given)

    # These read files, so they are computed once for all calls.

    @cached_property
    def tls(self) -> ssl.SSLContext:
        return trust_of(self.profile).context()

    @cached_property
    def tls_elsewhere(self) -> ssl.SSLContext:
        return trust_elsewhere(self.profile).context()

    @cached_property
    def can_log_in(self) -> bool:
        return self._explorer.credentials.can_log_in(self.profile)

    @cached_property
    def permission(self) -> Refused | None:
        """Why the profile must not be used, or None."""
        return _result_of(self._explorer.credentials.permission(self.profile))

    def secret(self, field: str) -> Secret | Refused:
        """Return a secret. Files and destination are read once for all calls."""
        known = self._secrets.get(field)
        if known is not None and known.until > time.monotonic():
            return known
        secret = _result_of(self._explorer.credentials.secret(self.profile, field))
        if isinstance(secret, Secret):
            self._secrets[field] = secret
        return secret

    async def agree(self, agreement: Agreement) -> Refused | None:
        return await self._explorer.credentials.agree(self.profile, agreement)

    def reject(self, secrets: Sequence[Secret]) -> None:
        """Get a rejected secret again from its command or file for the next call."""
        if self._explorer.credentials.reject(self.profile, secrets):
            self._secrets = {field: secret for field, secret in self._secrets.items() if secret not in secrets}

    def is_known(self, field: str) -> bool:
        return self._explorer.credentials.is_known(self.profile, field)

    @cached_property
    def shares_session(self) -> bool:
        """Whether all users share the session of OAuth that ``login`` opened, which another process may renew."""
        return self.profile.auth.kind == "oauth" and self.profile.secrets == ("session",)

    @cached_property
    def shared_session(self) -> Secret | Refused | None:
        session = _result_of(self._explorer.credentials.session(self.profile)) if self.shares_session else None
        return None if isinstance(session, DestinationChanged) else session

    def keep(self, session: Secret) -> None:
        """Store a renewed session."""
        if self.shares_session:
            self._explorer.credentials.keep(self.profile, session)
            self.shared_session = session

    def renewal(self, session: Secret) -> tuple[ExitStack, Secret | None]:
        """Return the lock of renewals once it is held, and the session if someone else has renewed it."""
        credentials = self._explorer.credentials
        while (held := credentials.lock_renewal(self.profile)) is None:
            gevent.sleep(FIRST_PAUSE_SECONDS)
        newer = credentials.newer_session(self.profile, session)
        if newer is not None:
            self.shared_session = newer
        return held, newer

    def saved(self, name: str) -> PlannedCall:
        """Return a saved call, such as ``@list users``; raise `UserError`."""
        saved = self._explorer.saved_calls().get(name.removeprefix(SIGN))
        if saved is None:
            raise UserError(f"Profile {self.profile.name} has no saved call {name}.")
        return PlannedCall(name, saved.method, saved.draft().text)

    def log_refusal(self, refused: Refused) -> None:
        """Say once why calls are not sent."""
        sentence = printable(self._explorer.redactor().text(refused.sentence))  # It may quote the server.
        if sentence not in self._logged:
            self._logged.add(sentence)
            logging.getLogger(__name__).error(sentence)

    def draft(self, call: PlannedCall) -> Draft | Refused:
        """Return a call with values for its variables, or why it has none."""
        draft = Draft(call.method, call.text)
        if "{{" not in call.text:  # It has no variables: most calls of a load test are equal.
            return draft
        resolved = self._explorer.resolved(draft, self._variables, id=fresh_id())
        if isinstance(resolved, Missing):
            return Refused("params", resolved.sentence)
        assert isinstance(resolved, Draft)
        return resolved


def _result_of(awaitable: Awaitable[T]) -> T:
    """Return the result of a coroutine without an event loop.

    Credentials wait only for an answer of the user, and no user is asked here.
    """
    steps = awaitable.__await__()
    try:
        next(steps)
    except StopIteration as end:
        result: T = end.value
        return result
    raise RuntimeError("a question without a user")


class RpcClient:
    """The calls, the session and the connection of one user."""

    def __init__(self, service: Service, user: User) -> None:
        self._service = service
        self._user = user
        self._profile = service.profile
        self._handshake = handshake_of(service.profile, mcp_server_of(service.profile))
        self._own_session: Secret | None = None
        self._connection = GeventConnection(service)
        self._renewal = ExitStack()
        """Holds the lock of a renewal until its session is stored."""
        self._call_seconds = 0.0
        """Duration of the running call, without the requests ahead of it. 0 before it is sent."""

    def close(self) -> None:
        self._connection.close()

    def send(self, planned: PlannedCall) -> Outcome:
        """Send a call and report it to Locust.

        An error in rpcexplorer itself is a failure, too.
        """
        start = time.time()
        self._call_seconds = 0.0
        try:
            end = self._drive(planned)
        except Exception as error:  # noqa: BLE001 - Locust would print a traceback for each call
            # Without its text, which may contain a secret.
            place = traceback.extract_tb(error.__traceback__)[-1]
            failure = f"internal error: {type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
            self._report(planned.row, start, self._call_seconds, 0, RpcFailure(failure))
            return Unreached("request", f"Not sent, because of an {failure}.")
        if isinstance(end, Refused):
            self._report(planned.row, start, 0, 0, _failure(end))
            return end
        if self._call_seconds:  # Otherwise a request ahead of it failed, such as the login, and has its own row.
            self._report(planned.row, start, self._call_seconds, len(end.response.body), _failure(end))
        return end.outcome

    def _drive(self, planned: PlannedCall) -> AuthResponse | Refused:
        """Drive the auth flow of a call, as the client does on an event loop."""
        draft = self._service.draft(planned)
        if isinstance(draft, Refused):
            return draft
        calls = calls_of(draft, fresh_id(), self._profile.envelope)
        if isinstance(calls, Refused):
            return calls
        refused = self._service.permission
        if refused is not None:
            return refused
        message = Message(kind_of(draft), calls)
        now = datetime.now(UTC)
        session = self._service.shared_session if self._service.shares_session else self._own_session
        if isinstance(session, Refused):
            return session
        call = AuthCall(
            self._profile, message, session, now, lambda: self._service.can_log_in, is_known=self._service.is_known
        )
        flow = with_handshake(requests_for(call), self._handshake, call.events)
        try:
            request = next(flow)
            while True:
                self._apply_events(call)
                request = flow.send(self._send(request, call))
        except StopIteration as end:
            self._apply_events(call)
            last_response: AuthResponse | Refused = end.value
            return last_response

    def _apply_events(self, call: AuthCall) -> None:
        """Keep the session that a login opened, for this user only."""
        for event in call.events:
            if isinstance(event, SessionOpened):
                self._own_session = event.session
                self._service.keep(event.session)
            elif isinstance(event, SessionEnded):
                self._own_session = None
        call.events.clear()
        self._renewal.close()

    def _send(self, request: AuthRequest, call: AuthCall) -> AuthResponse | Refused:
        secrets: list[Secret] = []
        for field in request.fields:
            if field == "session" and call.session is not None:
                secrets.append(call.session)
                continue
            secret = self._service.secret(field)
            if isinstance(secret, Refused):
                return secret
            secrets.append(secret)
        if request.step is not None:
            return self._take_step(request.step, call, secrets)
        if request.headers:
            problem = auth_of(self._profile).header_problem(self._profile, secrets)
            if problem is not None:
                return problem
        sent, _ = request_of(self._profile, request, secrets)
        start, started = time.time(), time.perf_counter()  # The clock may be set meanwhile.
        try:
            response = self._connection.send(sent)
        except Unreachable as error:
            unreached = Unreached(error.step, error.sentence, error.maybe_ran, error.reason)
            received = AuthResponse(unreached, error.response, len(sent.body))
        else:
            outcome = outcome_of(request.message, response, self._profile.form)
            received = AuthResponse(outcome, response, len(sent.body))
            if any(secret.source in LATER for secret in secrets) and self._asks_for_login(received):
                self._service.reject(secrets)
        seconds = time.perf_counter() - started
        if request.is_ahead:
            row = request.message.method
            if row == self._profile.login.method:
                row = LOGIN
            self._report(row, start, seconds, len(received.response.body), _failure(received))
        else:
            self._call_seconds += seconds  # It is sent again after a new login.
        return received

    def _asks_for_login(self, received: AuthResponse) -> bool:
        status = received.response.status
        return status == UNAUTHORIZED or asks_for_login(self._profile.login_signs, received.outcome, status)

    def _take_step(self, step: LoginStep, call: AuthCall, secrets: Sequence[Secret]) -> AuthResponse | Refused:
        """Send a request for a token; nobody can log in here."""
        if isinstance(step, Agreement):
            return _result_of(self._service.agree(step)) or AuthResponse(Sent())
        if not isinstance(step, Fetch):
            name = self._profile.name
            return Refused("credentials", f"Not logged in. Run `rpcexplorer login -p {name}` before the load test.")
        if step.renews and call.session is not None:
            self._renewal, newer = self._service.renewal(call.session)
            if newer is not None:
                call.session = newer
                return AuthResponse(Sent())
        connection = GeventConnection(self._service, elsewhere=True)
        start, started = time.time(), time.perf_counter()
        request, _ = fetch_request(step, secrets[0] if secrets else None)
        try:
            received = AuthResponse(Sent(), connection.send(request))
        except Unreachable as error:
            received = AuthResponse(Unreached(error.step, error.sentence, reason=error.reason), error.response)
        connection.close()
        if step.form:  # Metadata is no login.
            seconds = time.perf_counter() - started
            self._report(LOGIN, start, seconds, len(received.response.body), _failure(received))
        return received

    def _report(self, row: str, start: float, seconds: float, received: int, failure: RpcFailure | None) -> None:
        self._user.environment.events.request.fire(
            request_type="RPC",
            name=row,
            start_time=start,
            response_time=seconds * 1000,
            response_length=received,
            exception=failure,
            context=self._user.context(),
        )


def _failure(end: AuthResponse | Refused) -> RpcFailure | None:
    """Return why a call failed; None if it did not."""
    if isinstance(end, Refused):
        return RpcFailure(f"{NOT_SENT}: {end.why}")
    match end.outcome:
        case ErrorObject(code=code):
            return RpcFailure(f"error {code}")
        case Unreached(step=step):
            return RpcFailure(f"{NO_RESPONSE}: {step}")
        case Malformed():
            status = end.response.status
            if status and status >= 300:
                return RpcFailure(f"malformed: HTTP {status}")
            return RpcFailure("malformed")
        case Result(message=message) if message:  # Only a failed tool of MCP has one.
            return RpcFailure("tool failed")
    return None


class _ResponseParser(HTTPResponse):
    """The parser of geventhttpclient, which gets data with ``feed``."""

    def __init__(self) -> None:
        super().__init__("POST")
        self.body = bytearray()

    def _on_body(self, buf: bytearray) -> None:
        self.body += buf

    @property
    def is_complete(self) -> bool:
        """Return whether the response is whole. A 1xx before it does not count."""
        return bool(self.message_complete and self.status_code >= 200)


class _CallTimeoutError(Exception):
    """The timeout of a call has passed."""


class GeventConnection:
    """The connection of one user over HTTP.

    Requests are the same as without a load test. This is not `HTTPClient` of geventhttpclient, which does not limit
    the head of a response. While data arrives fast, it lets no other greenlet run, so that no timeout of gevent ends
    it.
    """

    def __init__(self, service: Service, *, elsewhere: bool = False) -> None:
        """``elsewhere``: to another server, which gets no client certificate and sends only documents."""
        self._service, self._elsewhere = service, elsewhere
        self._limit = MAX_DOCUMENT_BYTES if elsewhere else service.limit
        self._timeout = service.profile.timeout
        self._socket: socket.socket | None = None
        self._step: Step = "url"
        """The step in progress, which a failure names."""
        self._url = ""
        """The URL of the last request."""
        self._address = Address("")
        """The same URL, parsed."""

    def send(self, request: Request) -> Response:
        """Send a request and return the whole response; raise `Unreachable`."""
        problem: Unreachable
        self._step = "url"
        try:
            with gevent.Timeout(self._timeout, _CallTimeoutError):
                return self._exchange(request, time.monotonic() + self._timeout)
        except Unreachable as known:
            problem = known
        except (_CallTimeoutError, TimeoutError):
            problem = Unreachable("timeout", f"No response within {self._timeout:g} s.", maybe_ran=True)
        except Exception as error:  # noqa: BLE001 - the border: a foreign exception may quote a header's value
            step: Step = self._step
            if isinstance(error, socket.gaierror):
                step = "name"
            problem = Unreachable(step, f"No response ({step}).", maybe_ran=step in {"send", "wait", "body"})
        self.close()  # The rest of a response may still arrive.
        raise problem

    def _exchange(self, request: Request, deadline: float) -> Response:
        if request.url != self._url:
            self._url = request.url
            self._address = address_of(request.url)
        lines = [f"{request.verb} {self._address.target} HTTP/1.1"]
        for name, value in request_headers(request, self._address):
            if name.lower() != "accept-encoding":
                lines.append(f"{name}: {value}")
        lines.append("Accept-Encoding: identity")  # The parser does not decompress.
        data = "\r\n".join([*lines, "", ""]).encode("ascii") + request.body
        connection = self._open()
        self._step = "send"
        connection.sendall(data)
        self._step = "wait"
        response, size = _ResponseParser(), 0
        while not response.is_complete:
            block = connection.recv(BLOCK_BYTES)
            size += len(block)
            if time.monotonic() > deadline:
                raise _CallTimeoutError
            response.feed(block)  # An empty one is the end of the connection.
            self._step = "wait"
            limit = MAX_HEAD_BYTES
            if response.headers_complete:
                self._step = "body"
                limit = self._limit
            if size > limit:
                raise Unreachable("size", "The response is too large.", maybe_ran=True)
            if not block and not response.is_complete:
                raise EOFError
        if response.should_close():
            self.close()
        body = bytes(response.body)
        return Response(response.status_code, headers=tuple(response.items()), body=body, size=len(body))

    def _open(self) -> socket.socket:
        """Return the open connection, or a new one if the server has closed it."""
        if self._socket is not None:
            ready = gevent.select.poll()
            ready.register(self._socket, gevent.select.POLLIN)
            if ready.poll(0):  # On an idle connection, only its end can be read.
                self.close()
        if self._socket is None:
            address = self._address
            self._step = "connect"
            self._socket = socket.create_connection((address.host, address.port))
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if address.scheme == "https":
                self._step = "tls"
                tls = self._service.tls_elsewhere if self._elsewhere else self._service.tls
                self._socket = tls.wrap_socket(self._socket, server_hostname=address.host)
        return self._socket

    def close(self) -> None:
        if self._socket is not None:
            connection = self._socket
            self._socket = None
            connection.close()


class RpcUser(User):
    """A user that calls the server of a profile, for a locustfile of your own.

    Set ``profile``, and send calls in tasks with ``call``.
    """

    abstract = True
    profile: str | None = None
    """The name of a profile; None for the default one."""

    def __init__(self, environment: Any) -> None:
        super().__init__(environment)
        self.service = self.open_service()
        self.client = RpcClient(self.service, self)
        self._pause_seconds = 0.0
        """It gets longer after each call without a response."""

    @classmethod
    def open_service(cls) -> Service:
        """Open the profile, which all users of this class share."""
        return _service_of(cls.profile)

    def on_stop(self) -> None:
        self.client.close()

    def wait_time(self) -> float:
        """Return the seconds until the next call."""
        return self._pause_seconds

    def call(self, method: str, params: Any = None) -> Outcome:
        """Send a call and return its outcome.

        A method such as ``@list users`` is a saved call. A user whose call must not be sent stops.
        """
        if method.startswith(SIGN):
            return self.send(self.service.saved(method))
        text = ""
        if params is not None:
            text = msgspec.json.encode(params).decode()
        return self.send(PlannedCall(method, method, text))

    def send(self, call: PlannedCall) -> Outcome:
        outcome = self.client.send(call)
        if isinstance(outcome, Refused):
            self.service.log_refusal(outcome)
            raise StopUser
        if not isinstance(outcome, Unreached):
            self._pause_seconds = 0.0
        elif self._pause_seconds:
            self._pause_seconds = min(2 * self._pause_seconds, MAX_PAUSE_SECONDS)
        else:
            self._pause_seconds = FIRST_PAUSE_SECONDS
        return outcome


@cache
def _service_of(profile: str | None) -> Service:
    return Service.open(profile)
