"""Logins: the session in the response and passwords in params."""

from __future__ import annotations

import json

import pytest

from rpcexplorer.model.profile import Login, Profile
from rpcexplorer.redaction.exchange import is_login, own_login, without_password, without_passwords, without_session

MARK = "«not recorded»"
SESSION = "0424bd59b807674191e7d77572075f33"
UUID = "0b7f2a64-5f0e-4c1d-9a51-2f3e8c7d1b90"


@pytest.mark.parametrize(
    "method",
    [
        *("user.login", "login", "auth", "auth.login", "userLogin", "session.login_with_password", "account/signIn"),
        *("common.authenticate", "session.create", "sessions.open", "user.createSession", "ping, user.login"),
        *("loginUser", "user.loginByPassword", "login_v2", "authenticateUser", "get_token", "auth.token"),
        *("user_login", "LoginV2", "login2", "SSOLogin", "sign_in", "do-log-on", "userlogin", "loginwithpassword"),
        *("getAccessToken", "auth.create_token", "requestToken", "tokens.newToken", "last.list.login"),
    ],
)
def test_login_methods_are_recognised_by_name(method: str) -> None:
    assert is_login(method)


@pytest.mark.parametrize(
    "method",
    [
        *("user.get", "login.list", "user.lastLogin", "user.logout", "author", "ping", ""),
        *("login.history", "loginAttempts", "get_login_count", "user.last_login", "loginHistory.get", "lastlogin"),
        *("catalog.insert", "isAuthenticated", "getTokenBalance", "token.transfer", "auth.tokens"),
    ],
)
def test_other_methods_are_not_logins(method: str) -> None:
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
def test_value_that_looks_like_a_session_is_redacted(result: object, kept: object) -> None:
    reply = {"jsonrpc": "2.0", "id": "1m7ypmkv7qa7kfj.login", "result": result}
    once = without_session(json.dumps(reply).encode())
    assert json.loads(once) == reply | {"result": kept}
    assert without_session(once) == once


def test_cut_or_binary_login_response_is_searched_too() -> None:
    assert without_session(b'\xff{"result": "' + SESSION[:20].encode()) == b'\xff{"result": "' + MARK.encode() + b'"'
    assert without_session(b"") == b""


@pytest.mark.parametrize(
    ("params", "kept"),
    [
        ('["ada", "hunter2", "1.0"]', f'["ada", "{MARK}", "{MARK}"]'),
        ('["db", "ada", "hunter2"]', f'["db", "{MARK}", "{MARK}"]'),
        ('{"args": ["db", "ada", "hunter2"], "n": 1}', f'{{"args": ["db", "{MARK}", "{MARK}"], "n": 1}}'),
        ('[["ada", "hunter2"], {"more": ["x"]}]', f'[["ada", "{MARK}"], {{"more": ["{MARK}"]}}]'),
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
def test_password_by_position_follows_user_or_is_alone(params: str, kept: str) -> None:
    assert without_password(params) == kept
    assert without_password(kept) == kept


def test_each_login_of_a_batch_loses_its_password() -> None:
    batch = '[{"method": "%s", "params": ["ada", "%s"]}, {"method":"note.add","params":["a", "b"]}, 1, {"params": []}]'
    assert without_passwords(batch % ("user.login", "hunter2")) == batch % ("user.login", MARK)
    assert without_passwords(batch % ("open.sesame", "hunter2")) == batch % ("open.sesame", "hunter2")
    assert without_passwords(batch % ("open.sesame", "hunter2"), "open.sesame") == batch % ("open.sesame", MARK)
    assert without_passwords("\ufeff" + batch % ("login", "hunter2")) == "\ufeff" + batch % ("login", MARK)
    assert without_passwords("[") == "["


def test_login_of_the_profile_may_have_any_name() -> None:
    assert is_login("ping, open.sesame", "open.sesame")
    assert not is_login("ping, open.sesame")
    assert not is_login("", "")


@pytest.mark.parametrize(
    ("params", "own"),
    [
        ('["000", "session", "login", {"username": "ann", "password": "x"}]', "call"),
        ('["000", "network", "status", {}]', ""),
        ('["session"]', ""),
    ],
)
def test_params_show_login_if_all_methods_are_equal(params: str, own: str) -> None:
    ubus = ["000", "session", "login", {"username": "{username}", "password": "{password}"}]
    assert own_login(Profile("p", "http://h", login=Login("call", ubus)), params) == own
    assert own_login(Profile("p", "http://h"), params) == "auth"
