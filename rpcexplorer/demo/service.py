"""The demo service without a socket."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from rpcexplorer.demo.declaration import Call, Method, Session, Sessions, bind
from rpcexplorer.demo.message import (
    NOTHING,
    RPC_TYPE,
    Batch,
    Body,
    FaultError,
    Invalid,
    Request,
    Response,
    Success,
    body,
    encode,
    fault,
    join,
    read,
)
from rpcexplorer.demo.methods import TABLE, check_login


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a request's body, and its outcome."""

    id: str | None
    outcome: Success | FaultError

    @property
    def text(self) -> Body:
        before = f'{{"jsonrpc": "2.0", "id": {self.id}, '.encode()
        if isinstance(self.outcome, FaultError):
            return body(before + b'"error": ' + encode(self.outcome.error) + b"}")
        return join(body(before + b'"result": '), self.outcome.result, body(b"}"))


class DemoService:
    """The service without its socket; ``clock`` decides when sessions end."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, methods: Iterable[Method] = ()) -> None:
        self._table = TABLE | {method.name: method for method in methods}
        self.sessions = Sessions(clock)
        self._notes: dict[int, str] = {}

    def answer(self, content: bytes, token: str | None = None) -> Response:
        """Answer the body of one request; ``token`` is the value of its cookie."""
        message = read(content)
        if not isinstance(message, Batch):
            answer = self._answer(message, token)
            if isinstance(answer, Entry):
                return response_of([answer])
            return answer if message.id is not None else response_of([])
        entries = []
        for entry in message.entries:
            answer = self._answer(entry, token)
            if isinstance(answer, Response):
                why = "this call replaces the whole response, so it cannot be part of a batch."
                answer = Entry(entry.id, fault(-32602, f"Invalid params: {why}"))
            entries.append(answer)
        return response_of(entries, batch=True)

    def _answer(self, entry: Request | Invalid, token: str | None) -> Entry | Response:
        if isinstance(entry, Invalid):
            return Entry(entry.id, entry.fault)
        try:
            outcome = self._run(entry, token)
        except FaultError as fault:
            return Entry(entry.id, fault)
        return outcome if isinstance(outcome, Response) else Entry(entry.id, outcome)

    def _run(self, request: Request, token: str | None) -> Success | Response:
        method = self._table.get(request.method)
        if method is None:
            raise fault(-32601, f"Method not found: {request.method}. Call rpc.discover to see all methods.")
        session = self._admit(method, request.params, token)
        try:
            call = Call(request, session, self.sessions, self._notes, self._table)
            return method.run(call, **bind(method, request.params))
        except RecursionError:
            raise fault(-32602, "Invalid params: they are nested too deeply for this service.") from None

    def _admit(self, method: Method, params: dict[str, Any] | list[Any], token: str | None) -> Session | None:
        """Return the session if the method needs one, or raise the reason to reject."""
        if method.auth == "inline":
            if isinstance(params, list):
                shape = '{"username": "…", "password": "…"}'
                raise fault(-32602, f"Invalid params: credentials must be named. Send an object: {shape}.")
            if not {"username", "password"} <= params.keys():
                raise fault(-32001, "authentication required")
            check_login(params["username"], params["password"])
        if method.auth != "cookie":
            return None
        if not token:
            raise fault(-32001, "authentication required")
        session = self.sessions.use(token)
        if session is None:
            raise fault(-32001, "session has ended")
        return session


def response_of(entries: list[Entry], *, batch: bool = False) -> Response:
    """Return one HTTP response for all entries.

    Notifications count for cookies and delays, but have no text.
    """
    successes = [entry.outcome for entry in entries if isinstance(entry.outcome, Success)]
    cookies = tuple(("Set-Cookie", success.cookie) for success in successes if success.cookie)
    delay = sum(success.delay for success in successes)
    texts = [entry.text for entry in entries if entry.id is not None]
    if not texts:
        return Response(204, NOTHING, cookies, delay)
    whole = texts[0]
    if batch:
        parts = [body(b"[")]
        for text in texts:
            parts += [text, body(b", ")]
        parts[-1] = body(b"]")
        whole = join(*parts)
    chunked = any(success.chunked for success in successes)
    return Response(200, whole, (("Content-Type", RPC_TYPE), *cookies), delay, chunked)
