"""From the bytes of a body to a whole response."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from rpcexplorer.demo import COOKIE, PASSWORD, PATH, USER, USERNAME
from rpcexplorer.demo.declaration import LIFETIME, SCHEMAS, Call, ExampleCall, Method, Param, Session, Sessions, bind
from rpcexplorer.demo.message import (
    NOTHING,
    RPC_TYPE,
    Batch,
    Body,
    Fault,
    Invalid,
    Outcome,
    Reply,
    Request,
    Success,
    body,
    fault,
    joined,
    read,
    success,
    written,
)
from rpcexplorer.demo.methods import FAILURE_METHODS, NOTE_METHODS, ORDER_METHODS, SAMPLE_METHODS

ATTRIBUTES = "Path=/; HttpOnly; SameSite=Lax"
REQUIRED = fault(-32001, "authentication required")
FAILED = fault(-32001, "authentication failed")
ENDED = fault(-32001, "session has ended")
_TEXT = {"type": "string", "maxLength": 200}
_CREDENTIALS = (
    Param("username", f"For this service: {USERNAME}", _TEXT),
    Param("password", f"For this service: {PASSWORD}", _TEXT),
)


def right(username: Any, password: Any) -> bool:
    return (username, password) == (USERNAME, PASSWORD)


def refused(params: dict[str, Any] | list[Any]) -> Fault | None:
    if isinstance(params, list):
        shape = '{"username": "…", "password": "…"}'
        return fault(-32602, f"Invalid params: credentials are members of an object, {shape}; an array has no names.")
    if not {"username", "password"} <= params.keys():
        return REQUIRED
    return None if right(params["username"], params["password"]) else FAILED


def _auth(call: Call) -> Outcome:
    if not right(call.arguments["username"], call.arguments["password"]):
        return FAILED
    session = call.sessions.open(USER)
    return success({"user": USER, "expires_in": LIFETIME}, f"{COOKIE}={session.token}; {ATTRIBUTES}")


def _arg_test(call: Call) -> Outcome:
    others = [member.text for member in call.request.members if member.name not in {"username", "password"}]
    arguments = "{" + ", ".join(others) + "}"
    return Success(body(b'{"ok": true, "user": %s, "arguments": %s}' % (written(USER), arguments.encode())))


def _session(call: Call) -> Outcome:
    assert call.session is not None
    age = call.sessions.age(call.session)
    return success({"user": call.session.user, "age": age, "expires_in": LIFETIME})


def _logout(call: Call) -> Outcome:
    assert call.session is not None
    call.sessions.close(call.session)
    return success(True, f"{COOKIE}=; Max-Age=0; {ATTRIBUTES}")


METHODS = (
    Method(
        "auth",
        "Opens a session",
        _auth,
        f"Sets the cookie {COOKIE}. A session ends {LIFETIME // 60} minutes after its last use.",
        params=_CREDENTIALS,
        result={"type": "object", "properties": {"user": {"type": "string"}, "expires_in": {"type": "integer"}}},
        errors=((-32001, "authentication failed"),),
    ),
    Method(
        "ping",
        "Answers pong when the session is valid",
        lambda _: success("pong"),
        result={"type": "string", "enum": ["pong"]},
        auth="cookie",
    ),
    Method(
        "arg_test",
        "Takes the credentials in params and answers with everything else in there",
        _arg_test,
        "Any further members are welcome; they come back as they were spelled. A session cookie is not looked at.",
        params=_CREDENTIALS,
        takes_anything=True,
        result={
            "type": "object",
            "properties": {"ok": {"type": "boolean"}, "user": {"type": "string"}, "arguments": {"type": "object"}},
        },
        auth="inline",
    ),
    Method(
        "demo.session",
        "Says whose session this is and how old",
        _session,
        "Age and remaining time in seconds; like every call with the cookie, this one prolongs the session.",
        result={
            "type": "object",
            "properties": {
                "user": {"type": "string"},
                "age": {"type": "integer"},
                "expires_in": {"type": "integer"},
            },
        },
        auth="cookie",
    ),
    Method(
        "demo.logout",
        "Ends the session",
        _logout,
        "The cookie is deleted, and its value is worthless from then on.",
        result={"type": "boolean"},
        auth="cookie",
        safe=False,
    ),
)
_OTHERS: Final = {"name": "...", "summary": "Any others", "required": False, "schema": {"default": None}}
"""OpenRPC has no word for them; a name like this one is understood."""


def document(methods: Iterable[Method]) -> dict[str, Any]:
    """Describe these methods; ``x-auth`` and ``x-safe`` say what OpenRPC has no word for."""
    return {
        "openrpc": "1.3.2",
        "info": {
            "title": "rpcexplorer demo",
            "version": "2.0.0",
            "description": "A service to explore. It lives on this machine only and forgets everything when it ends.",
        },
        "servers": [{"name": "this one", "url": PATH}],
        "methods": [_method(method) for method in methods],
        "components": {"schemas": SCHEMAS},
    }


def _method(method: Method) -> dict[str, Any]:
    schema = {} if method.result is None else method.result
    return {
        "name": method.name,
        "summary": method.summary,
        "description": method.description or f"{method.summary}.",
        "tags": [{"name": method.tag}],
        "paramStructure": "by-name" if method.auth == "inline" else "either",
        "params": [*map(_param, method.params), *([_OTHERS] if method.takes_anything else [])],
        "result": {"name": "result", "schema": schema},
        "errors": [{"code": code, "message": message} for code, message in _errors(method)],
        **({"examples": [_example(method, each) for each in method.examples]} if method.examples else {}),
        **({"deprecated": True} if method.deprecated else {}),
        "x-auth": method.auth,
        "x-safe": method.safe,
    }


def _example(method: Method, example: ExampleCall) -> dict[str, Any]:
    given = [each.name for each in method.params if each.name in example.params]
    return {"name": example.name, "params": [{"name": name, "value": example.params[name]} for name in given]}


def _param(param: Param) -> dict[str, Any]:
    return {"name": param.name, "summary": param.summary, "required": param.required, "schema": dict(param.schema)}


def _errors(method: Method) -> list[tuple[int, str]]:
    """A code stands once, with the first thing said about it."""
    errors: list[tuple[int, str]] = list(method.errors)
    if method.auth != "none":
        errors.append((-32001, "authentication required"))
    if method.auth == "inline" or not method.takes_anything:
        errors.append((-32602, "Invalid params"))
    return list(dict(reversed(errors)).items())[::-1]


_ABOUT = (
    Method(
        "rpc.discover",
        "Describes the service as an OpenRPC document",
        lambda _: success(document(TABLE.values())),
        result={"type": "object"},
    ),
    Method(
        "system.listMethods",
        "The names of all methods",
        lambda _: success(sorted(TABLE)),
        result={"type": "array", "items": {"type": "string"}},
    ),
)
TABLE: dict[str, Method] = {
    method.name: method
    for group in (METHODS, SAMPLE_METHODS, FAILURE_METHODS, NOTE_METHODS, ORDER_METHODS, _ABOUT)
    for method in group
}


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
            outcome = fault(
                -32602, "Invalid params: this kind replaces the whole response, so it cannot be in a batch."
            )
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
