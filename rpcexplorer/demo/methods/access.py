"""Getting in and out: the three methods that ``service.md`` names, and a look at one's own session."""

from __future__ import annotations

from typing import Any

from rpcexplorer.demo import COOKIE, PASSWORD, USER, USERNAME
from rpcexplorer.demo.declaration import Call, Method, Param
from rpcexplorer.demo.reply import Fault, Outcome, Success, body, fault, success, written
from rpcexplorer.demo.sessions import LIFETIME

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
    """Why a call whose credentials stand in params is not let in; None if it is."""
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


def _ping(_: Call) -> Outcome:
    return success("pong")


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
        _ping,
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
