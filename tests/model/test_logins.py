"""The session in a login's own reply."""

from __future__ import annotations

import json

import pytest

from rpcexplorer.model.logins import hidden, is_login, without_password

MARK = "«not recorded»"
SESSION = "0424bd59b807674191e7d77572075f33"
UUID = "0b7f2a64-5f0e-4c1d-9a51-2f3e8c7d1b90"


@pytest.mark.parametrize(
    "method",
    [
        *("user.login", "login", "auth", "auth.login", "userLogin", "session.login_with_password", "account/signIn"),
        *("common.authenticate", "session.create", "sessions.open", "user.createSession", "ping, user.login"),
    ],
)
def test_methods_that_open_a_session_are_known_by_their_last_word(method: str) -> None:
    assert is_login(method)


@pytest.mark.parametrize("method", ["user.get", "login.list", "user.lastLogin", "user.logout", "author", "ping", ""])
def test_others_are_none(method: str) -> None:
    assert not is_login(method)


@pytest.mark.parametrize(
    ("result", "kept"),
    [
        (SESSION, MARK),
        (UUID, MARK),
        ("OpaqueRef:" + UUID, MARK),
        ({"session": SESSION, "user": "ada"}, {"session": MARK, "user": "ada"}),
        ([0, {"ubus_rpc_session": SESSION, "timeout": 300}], [0, {"ubus_rpc_session": MARK, "timeout": 300}]),
        ({"Status": "Success", "Value": SESSION}, {"Status": "Success", "Value": MARK}),
        ("ok", "ok"),
        ("you are logged in since 2026", "you are logged in since 2026"),
        (True, True),
        (MARK, MARK),
    ],
)
def test_what_looks_like_a_session_is_hidden_and_the_rest_stays(result: object, kept: object) -> None:
    reply = {"jsonrpc": "2.0", "id": "1m7ypmkv7qa7kfj.login", "result": result}
    once = hidden(json.dumps(reply).encode())
    assert json.loads(once) == reply | {"result": kept}
    assert hidden(once) == once


def test_a_reply_that_was_cut_or_is_no_text_is_searched_all_the_same() -> None:
    assert hidden(b'\xff{"result": "' + SESSION[:20].encode()) == b'\xff{"result": "' + MARK.encode() + b'"'
    assert hidden(b"") == b""


@pytest.mark.parametrize(
    ("params", "kept"),
    [
        ('["ada", "hunter2", "1.0"]', f'["ada", "{MARK}", "1.0"]'),
        ('["hunter2"]', f'["{MARK}"]'),
        ('[1, "ada",\n "hu\\"nter2"]', f'[1, "ada",\n "{MARK}"]'),
        ('["ada", "«shop.password»"]', '["ada", "«shop.password»"]'),
        ('["ada", ""]', '["ada", ""]'),
        ('{"username": "ada"}', '{"username": "ada"}'),
        ("[1, 2]", "[1, 2]"),
        ("[]", "[]"),
        ("", ""),
        ('["ada", "hunt', '["ada", "hunt'),
    ],
)
def test_a_password_that_has_no_name_stands_behind_the_user_or_alone(params: str, kept: str) -> None:
    assert without_password(params) == kept
    assert without_password(kept) == kept
