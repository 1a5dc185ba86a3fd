"""From the bytes of a body and a session's token to a whole reply.

No socket, no loop, no sleep: a reply only says how long it wants to take. All that is remembered between two calls is
held here: sessions and notes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from rpcexplorer.demo.declaration import Call, Method, bind
from rpcexplorer.demo.envelope import Batch, Invalid, Request, read
from rpcexplorer.demo.methods.access import ENDED, REQUIRED, refused
from rpcexplorer.demo.methods.table import TABLE
from rpcexplorer.demo.reply import NOTHING, RPC_TYPE, Body, Fault, Outcome, Reply, Success, body, fault, joined, written
from rpcexplorer.demo.sessions import Session, Sessions


@dataclass(frozen=True, slots=True)
class _Settled:
    """One entry of a request's body, and what became of it."""

    id: str | None
    outcome: Success | Fault

    @property
    def text(self) -> Body:
        before = f'{{"jsonrpc": "2.0", "id": {self.id}, '.encode()
        if isinstance(self.outcome, Fault):
            return body(before + b'"error": ' + written(self.outcome.error) + b"}")
        return joined([body(before + b'"result": '), self.outcome.result, body(b"}")])


class DemoService:
    """The service without its socket. ``clock`` counts seconds and decides when sessions end."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._sessions = Sessions(clock)
        self._notes: dict[int, str] = {}

    def answer(self, content: bytes, token: str | None = None) -> Reply:
        """Answer the body of one request, whatever it is; ``token`` is what its session cookie says."""
        message = read(content)
        if isinstance(message, Batch):
            return _reply([self._settle_in_batch(entry, token) for entry in message.entries], batch=True)
        if isinstance(message, Invalid):
            return _reply([_Settled(message.id, message.fault)])
        outcome = self._outcome(message, token)
        if not isinstance(outcome, Reply):
            return _reply([_Settled(message.id, outcome)])
        return outcome if message.id is not None else _reply([])

    def _settle_in_batch(self, entry: Request | Invalid, token: str | None) -> _Settled:
        if isinstance(entry, Invalid):
            return _Settled(entry.id, entry.fault)
        outcome = self._outcome(entry, token)
        if isinstance(outcome, Reply):
            outcome = fault(-32602, "Invalid params: this kind replaces the whole reply, so it cannot be in a batch.")
        return _Settled(entry.id, outcome)

    def _outcome(self, request: Request, token: str | None) -> Outcome:
        method = TABLE.get(request.method)
        if method is None:
            return fault(-32601, f"Method not found: {request.method}. Call rpc.discover to see what there is.")
        session = self._admit(method, request, token)
        if isinstance(session, Fault):
            return session
        arguments = bind(method, request.params)
        if isinstance(arguments, Fault):
            return arguments
        return method.run(Call(request, arguments, session, self._sessions, self._notes))

    def _admit(self, method: Method, request: Request, token: str | None) -> Session | Fault | None:
        """The session if the method asks for one, or why the caller is not let in."""
        match method.auth:
            case "none":
                return None
            case "inline":
                return refused(request.params)
            case "cookie":
                return (self._sessions.use(token) or ENDED) if token else REQUIRED


def _reply(settled: list[_Settled], *, batch: bool = False) -> Reply:
    """One HTTP reply for all entries. Notifications count for cookies and delays, but have no text."""
    successes = [each.outcome for each in settled if isinstance(each.outcome, Success)]
    cookies = tuple(("Set-Cookie", success.cookie) for success in successes if success.cookie)
    delay = sum(success.delay for success in successes)
    texts = [each.text for each in settled if each.id is not None]
    if not texts:
        return Reply(204, NOTHING, cookies, delay)
    whole = joined([body(b"["), joined(texts, b", "), body(b"]")]) if batch else texts[0]
    chunked = any(success.chunked for success in successes)
    return Reply(200, whole, (("Content-Type", RPC_TYPE), *cookies), delay, chunked)
