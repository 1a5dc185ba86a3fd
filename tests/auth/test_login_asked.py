from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.login import MAX_DATA_BYTES, MAX_TEXT, asks_for_login, rejects_credentials
from rpcexplorer.auth.registry import KINDS
from rpcexplorer.model.exchange import Outcome, Unreached
from rpcexplorer.model.profile import Login, MethodNote, Profile
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from tests.text.exchanges import exchange

PONG = Result(b'"pong"')


def error(code: int | None, message: str = "", data: object = None) -> ErrorObject:
    return ErrorObject(code, message, None if data is None else json.dumps(data).encode(), b"{}")


def asks(outcome: Outcome, login: Login = Login()) -> bool:  # noqa: B008 - it is frozen
    return asks_for_login(login, outcome, 200)


@pytest.mark.parametrize(
    ("outcome", "status", "expected"),
    [
        (error(-1, "The author is unknown"), 200, False),
        (error(-1, "auth"), 200, True),
        (error(-1, "session expired"), 200, True),
        (error(-1, ""), 200, False),
        (Malformed(""), 401, True),
        (Malformed("log in"), 200, False),
        (PONG, 401, False),
        (Unreached("body", "log in"), 401, False),
    ],
)
def test_login_is_asked_by_status_code_or_words(outcome: Outcome, status: int, expected: bool) -> None:
    assert asks_for_login(Login(), outcome, status) is expected


@pytest.mark.parametrize(
    ("message", "status", "kind", "note", "expected"),
    [
        ("authentication failed", 200, "inline", None, True),
        ("authentication required", 200, "inline", None, False),
        ("authentication required", 401, "basic", None, True),
        ("authentication required", 200, "cookie", None, True),
        ("session has ended", 200, "inline", "cookie", False),
        ("authentication failed", 200, "inline", "none", True),
    ],
)
def test_credentials_are_rejected_if_the_server_saw_them(
    message: str, status: int, kind: str, note: str | None, expected: bool
) -> None:
    profile = Profile("p", "http://h", auth=KINDS[kind](), methods={"ping": MethodNote(auth=note)})
    one = exchange(error(-32001, message), status=status, method="ping")
    assert rejects_credentials(one, profile) is expected


ODOO = {"name": "odoo.http.SessionExpiredException", "message": "Session expired", "debug": "Traceback …"}


@pytest.mark.parametrize(
    ("server", "refusal"),
    [
        ("Deluge", error(1, "Not authenticated")),
        ("Zabbix", error(-32602, "Invalid params.", "Session terminated, re-login, please.")),
        ("Zabbix before 5", error(-32602, "Invalid params.", "Not authorised.")),
        ("Zabbix with a token", error(-32500, "Application error.", "API token expired.")),
        ("Moonraker", error(-32602, "Unauthorized")),
        ("django-modern-rpc", error(-32098, "")),
        ("django-modern-rpc in words", error(-32603, "Authentication failed when calling 'add'")),
        ("ubus", error(-32002, "Access denied")),
        ("XAPI", error(1, "SESSION_INVALID", ["SESSION_INVALID", "OpaqueRef:1"])),
        ("Odoo", error(100, "Odoo Session Expired", ODOO)),
        ("Odoo in another language", error(100, "Sitzung abgelaufen", ODOO)),
        ("aria2", error(1, "Unauthorized")),
        ("a service of ours", error(-32001, "")),
    ],
)
def test_errors_of_real_servers_ask_for_login(server: str, refusal: ErrorObject) -> None:
    assert asks(refusal), server


@pytest.mark.parametrize(
    "text",
    [
        "Please log in",
        "You must log in first.",
        "Not logged in",
        "You are not logged in!",
        "You have been logged out",
        "Login required",
        "login to continue",
        "Invalid session",
        "No such session: 5f",
        "Unknown session id",
        "Invalid session key",
        "The session has expired",
        "session 'abc' not found",
        "Invalid credentials",
        "Missing credentials.",
        "Authentication required",
        "authorization header is missing",
        "Unauthorised",
        "You are not authorized",
        "JWT token has expired",
        "NotAuthenticated",
        "NOT_LOGGED_IN",
        "AUTH_REQUIRED",
        "app.errors.SessionTimeout",
    ],
)
@pytest.mark.parametrize("place", ["message", "data", "data.message", "data.detail"])
def test_words_ask_for_login_anywhere_in_error(text: str, place: str) -> None:
    data = {"data": text, "data.message": {"message": text}, "data.detail": {"detail": text, "code": 7}}.get(place)
    assert asks(error(-32602, text if data is None else "Invalid params.", data))


@pytest.mark.parametrize(
    "text",
    [
        "author not found",
        "The authority is unknown",
        "no such session type",
        "Unknown session variable x",
        "got an unexpected keyword argument 'session'",
        "missing a required argument: 'login'",
        "unknown field session",
        "'login' is a required property",
        "The login name is already in use",
        "login already taken",
        "Login bob not found",
        "Too many login attempts",
        "Too many sessions",
        "session limit reached",
        "Credential 5 not found",
        "No such auth method: x",
        "Unknown authentication backend",
        "See the log in /var/log/x",
        "An error occurred and was logged.",
        "You are not authorized to delete users",
        "Unauthorized for this project",
        "AuthorNotFound",
        "odoo.addons.auth_signup.models.SignupError",
        "SessionTypeError",
        "AUTH_ALREADY_ENABLED",
        "session_count",
        "Method not found",
        "Access denied to folder 5",
        "Folder 5: access denied",
    ],
)
@pytest.mark.parametrize("place", ["message", "data", "data.message"])
@pytest.mark.parametrize("code", [1, 100, -32602])
def test_ordinary_error_does_not_ask_for_login(text: str, place: str, code: int) -> None:
    data = {"data": text, "data.message": {"message": text}}.get(place)
    assert not asks(error(code, text if data is None else "Invalid params.", data))


@pytest.mark.parametrize(
    "data",
    [
        {"debug": "session expired"},
        {"message": {"en": "session expired"}},
        {"message": "session expired " + "x" * MAX_TEXT},
        "session expired " + "x" * MAX_TEXT,
        {"message": "session expired", "trace": "x" * MAX_DATA_BYTES},
        ["session expired"],
        [["session expired"]],
        17,
        True,
    ],
    ids=lambda data: str(data)[:40],
)
def test_long_text_is_not_searched(data: object) -> None:
    assert not asks(error(-32602, "Invalid params.", data))


@pytest.mark.parametrize("data", [b"NaN", b'"\\ud800"', b'{"message": NaN}', b"[" * 2000 + b"]" * 2000, b""])
def test_data_of_lenient_json_is_ignored(data: bytes) -> None:
    assert not asks(ErrorObject(-32602, "Invalid params.", data, b"{}"))


@pytest.mark.parametrize(
    ("words", "text"),
    [(("session",), "a session"), (("gone  fishing",), "Gone  fishing!"), (("SESSION_INVALID",), "SESSION_INVALID")],
)
def test_profile_may_set_ended_words(words: tuple[str, ...], text: str) -> None:
    login = Login(ended_words=words)
    assert asks(error(1, text), login)
    assert not asks(error(1, "Not authenticated"), login)


def test_profile_may_set_ended_status_and_codes() -> None:
    login = Login(ended_status=(440,), ended_codes=(99,))
    assert asks_for_login(login, Malformed(""), 440)
    assert asks(error(99), login)
    assert not asks_for_login(login, Malformed(""), 401)
    assert not asks(error(-32001), login)


@pytest.mark.parametrize(("handshake", "expected"), [(None, True), ("lsp", False), ("mcp", False)])
def test_usual_code_is_no_login_after_handshakes(handshake: Any, expected: bool) -> None:
    profile = Profile("p", "http://h", handshake=handshake)
    assert asks(error(-32001, "Request timed out"), profile.login_signs) is expected
    assert asks(error(-32001), replace(profile, login=Login(ended_codes=(-32001,))).login_signs)
