"""The demo service without a socket, and its methods for auth."""

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
    Request,
    Response,
    Success,
    body,
    encode,
    fault,
    join,
    read,
    success,
)
from rpcexplorer.demo.methods import FAILURE_METHODS, NOTE_METHODS, ORDER_METHODS, SAMPLE_METHODS

ATTRIBUTES = "Path=/; HttpOnly; SameSite=Lax"
REQUIRED = fault(-32001, "authentication required")
FAILED = fault(-32001, "authentication failed")
ENDED = fault(-32001, "session has ended")
_TEXT = {"type": "string", "maxLength": 200}
_CREDENTIALS = (
    Param("username", f"User name. The demo service accepts {USERNAME}.", _TEXT),
    Param("password", f"Password. The demo service accepts {PASSWORD}.", _TEXT),
)


def is_login(username: Any, password: Any) -> bool:
    return (username, password) == (USERNAME, PASSWORD)


def check_inline(params: dict[str, Any] | list[Any]) -> Fault | None:
    if isinstance(params, list):
        shape = '{"username": "…", "password": "…"}'
        return fault(-32602, f"Invalid params: credentials must be named. Send an object: {shape}.")
    if not {"username", "password"} <= params.keys():
        return REQUIRED
    return None if is_login(params["username"], params["password"]) else FAILED


def _auth(call: Call) -> Outcome:
    if not is_login(call.arguments["username"], call.arguments["password"]):
        return FAILED
    session = call.sessions.open(USER)
    return success({"user": USER, "expires_in": LIFETIME}, f"{COOKIE}={session.token}; {ATTRIBUTES}")


def _arg_test(call: Call) -> Outcome:
    others = [member.text for member in call.request.members if member.name not in {"username", "password"}]
    arguments = "{" + ", ".join(others) + "}"
    return Success(body(b'{"ok": true, "user": %s, "arguments": %s}' % (encode(USER), arguments.encode())))


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
        "Returns pong if the session is valid",
        lambda _: success("pong"),
        result={"type": "string", "enum": ["pong"]},
        auth="cookie",
    ),
    Method(
        "arg_test",
        "Takes the credentials in params and returns the other params",
        _arg_test,
        "Accepts any other params and returns them exactly as you sent them. Ignores the session cookie.",
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
        "Shows the user and the age of the session",
        _session,
        "Age and remaining time are in seconds. Like every call with the cookie, this call prolongs the session.",
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
        "The cookie is deleted, and its value is no longer valid.",
        result={"type": "boolean"},
        auth="cookie",
        safe=False,
    ),
)
_OTHERS: Final = {"name": "...", "summary": "Any other params", "required": False, "schema": {"default": None}}
"""A param that accepts all others, for which OpenRPC has no keyword."""


def document(methods: Iterable[Method]) -> dict[str, Any]:
    """Return the OpenRPC document; `x-auth` and `x-safe` are extensions."""
    return {
        "openrpc": "1.3.2",
        "info": {
            "title": "rpcexplorer demo",
            "version": "2.0.0",
            "description": "A service to explore. It runs on this machine only and loses all its data when it ends.",
        },
        "servers": [{"name": "demo", "url": PATH}],
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
        **({"examples": [_example(method, example) for example in method.examples]} if method.examples else {}),
        **({"deprecated": True} if method.deprecated else {}),
        "x-auth": method.auth,
        "x-safe": method.safe,
    }


def _example(method: Method, example: ExampleCall) -> dict[str, Any]:
    given = [param.name for param in method.params if param.name in example.params]
    return {"name": example.name, "params": [{"name": name, "value": example.params[name]} for name in given]}


def _param(param: Param) -> dict[str, Any]:
    return {"name": param.name, "summary": param.summary, "required": param.required, "schema": dict(param.schema)}


def _errors(method: Method) -> list[tuple[int, str]]:
    """Return each error code once, with its first message."""
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
        lambda call: success(document(call.table.values())),
        result={"type": "object"},
    ),
    Method(
        "system.listMethods",
        "Lists the names of all methods",
        lambda call: success(sorted(call.table)),
        result={"type": "array", "items": {"type": "string"}},
    ),
)
TABLE: dict[str, Method] = {
    method.name: method
    for group in (METHODS, SAMPLE_METHODS, FAILURE_METHODS, NOTE_METHODS, ORDER_METHODS, _ABOUT)
    for method in group
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a request's body, and its outcome."""

    id: str | None
    outcome: Success | Fault

    @property
    def text(self) -> Body:
        before = f'{{"jsonrpc": "2.0", "id": {self.id}, '.encode()
        if isinstance(self.outcome, Fault):
            return body(before + b'"error": ' + encode(self.outcome.error) + b"}")
        return join([body(before + b'"result": '), self.outcome.result, body(b"}")])


class DemoService:
    """The service without its socket; ``clock`` decides when sessions end."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, methods: Iterable[Method] = ()) -> None:
        self._table = TABLE | {method.name: method for method in methods}
        self._sessions = Sessions(clock)
        self._notes: dict[int, str] = {}

    def answer(self, content: bytes, token: str | None = None) -> Response:
        """Answer the body of one request; ``token`` is the value of its cookie."""
        message = read(content)
        if isinstance(message, Batch):
            return response_of([self._answer_entry(entry, token) for entry in message.entries], batch=True)
        if isinstance(message, Invalid):
            return response_of([Entry(message.id, message.fault)])
        outcome = self._outcome(message, token)
        if not isinstance(outcome, Response):
            return response_of([Entry(message.id, outcome)])
        return outcome if message.id is not None else response_of([])

    def _answer_entry(self, entry: Request | Invalid, token: str | None) -> Entry:
        if isinstance(entry, Invalid):
            return Entry(entry.id, entry.fault)
        outcome = self._outcome(entry, token)
        if isinstance(outcome, Response):
            outcome = fault(
                -32602, "Invalid params: this call replaces the whole response, so it cannot be part of a batch."
            )
        return Entry(entry.id, outcome)

    def _outcome(self, request: Request, token: str | None) -> Outcome:
        method = self._table.get(request.method)
        if method is None:
            return fault(-32601, f"Method not found: {request.method}. Call rpc.discover to see all methods.")
        session = self._admit(method, request, token)
        if isinstance(session, Fault):
            return session
        arguments = bind(method, request.params)
        if isinstance(arguments, Fault):
            return arguments
        return method.run(Call(request, arguments, session, self._sessions, self._notes, self._table))

    def _admit(self, method: Method, request: Request, token: str | None) -> Session | Fault | None:
        """Return the session if the method needs one, or the reason to reject."""
        match method.auth:
            case "none":
                return None
            case "inline":
                return check_inline(request.params)
            case "cookie":
                return (self._sessions.use(token) or ENDED) if token else REQUIRED


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
    whole = join([body(b"["), join(texts, b", "), body(b"]")]) if batch else texts[0]
    chunked = any(success.chunked for success in successes)
    return Response(200, whole, (("Content-Type", RPC_TYPE), *cookies), delay, chunked)
