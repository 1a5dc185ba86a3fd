"""Getting in: credentials, sessions and how long they live, and what is said to those who do not get in."""

from __future__ import annotations

import re

import pytest

from rpcexplorer.demo.declaration import LIFETIME
from rpcexplorer.demo.service import DemoService
from tests.demo.calling import LOGIN, Clock, ask, content, cookie_of, envelope, log_in

REQUIRED = {"code": -32001, "message": "authentication required"}
FAILED = {"code": -32001, "message": "authentication failed"}
ENDED = {"code": -32001, "message": "session has ended"}


@pytest.mark.parametrize("params", [LOGIN, '["demo", "demo-password"]'])
def test_auth_answers_with_the_user_and_sets_the_cookie(params: str) -> None:
    reply = DemoService().answer(envelope("auth", params).encode())
    assert content(reply) == b'{"jsonrpc": "2.0", "id": "1", "result": {"user": "ada", "expires_in": 1800}}'
    assert re.fullmatch(r"sessionid=[\w-]{32}; Path=/; HttpOnly; SameSite=Lax", cookie_of(reply))


@pytest.mark.parametrize(
    "params", ['["demo", "wrong"]', '["", ""]', '{"username": "ada", "password": "demo-password"}']
)
def test_auth_with_wrong_credentials_fails_and_sets_no_cookie(params: str) -> None:
    reply = DemoService().answer(envelope("auth", params).encode())
    assert b'{"code": -32001, "message": "authentication failed"}' in content(reply)
    assert "Set-Cookie" not in dict(reply.headers)


def test_auth_without_a_password_says_what_is_missing() -> None:
    error = ask(DemoService(), "auth", '["demo"]')
    assert error["code"] == -32602
    assert 'auth needs "password"' in error["message"]


def test_ping_wants_a_session() -> None:
    service = DemoService()
    assert ask(service, "ping") == REQUIRED
    assert ask(service, "ping", token="") == REQUIRED
    assert ask(service, "ping", token="made up") == ENDED
    assert ask(service, "ping", token=log_in(service)) == "pong"


@pytest.mark.parametrize("params", ["[]", "{}", "[ ]"])
def test_ping_takes_empty_params_of_either_kind(params: str) -> None:
    service = DemoService()
    assert ask(service, "ping", params, log_in(service)) == "pong"


@pytest.mark.parametrize("params", ["[1]", '{"a": 1}', LOGIN])
def test_ping_takes_nothing_else(params: str) -> None:
    service = DemoService()
    error = ask(service, "ping", params, log_in(service))
    assert error["code"] == -32602
    assert 'send "params": []' in error["message"]


def test_a_stranger_is_refused_before_the_params_are_looked_at() -> None:
    assert ask(DemoService(), "ping", "[1]") == REQUIRED
    assert ask(DemoService(), "ping", LOGIN) == REQUIRED


def test_a_session_lives_as_long_as_it_is_used() -> None:
    clock = Clock()
    service = DemoService(clock)
    token = log_in(service)
    for _ in range(5):
        clock.now += LIFETIME - 1
        assert ask(service, "ping", token=token) == "pong"
    clock.now += LIFETIME
    assert ask(service, "ping", token=token) == ENDED


def test_an_ended_session_stays_ended() -> None:
    clock = Clock()
    service = DemoService(clock)
    token = log_in(service)
    clock.now += LIFETIME
    assert ask(service, "ping", token=token) == ENDED
    assert log_in(service) != token
    assert ask(service, "ping", token=token) == ENDED


@pytest.mark.parametrize(("method", "params"), [("demo.numbers", "[]"), ("arg_test", LOGIN), ("auth", LOGIN)])
def test_a_call_that_needs_no_session_does_not_prolong_it(method: str, params: str) -> None:
    clock = Clock()
    service = DemoService(clock)
    token = log_in(service)
    clock.now += LIFETIME - 1
    ask(service, method, params, token)
    clock.now += 1
    assert ask(service, "ping", token=token) == ENDED


def test_a_second_login_leaves_the_first_session_open() -> None:
    service = DemoService()
    first, second = log_in(service), log_in(service)
    assert ask(service, "ping", token=first) == ask(service, "ping", token=second) == "pong"


def test_logout_ends_the_session_and_deletes_the_cookie() -> None:
    service = DemoService()
    token, other = log_in(service), log_in(service)
    reply = service.answer(envelope("demo.logout").encode(), token)
    assert cookie_of(reply) == "sessionid=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"
    assert ask(service, "ping", token=token) == ENDED
    assert ask(service, "ping", token=other) == "pong"


def test_a_session_knows_its_user_and_its_age() -> None:
    clock = Clock()
    service = DemoService(clock)
    token = log_in(service)
    clock.now += 12.5
    assert ask(service, "demo.session", token=token) == {"user": "ada", "age": 12, "expires_in": LIFETIME}


def test_arg_test_hands_back_the_other_members_as_they_were_spelled() -> None:
    params = '{"rate": 1.10, "username": "demo", "a": [1,  2], "password": "demo-password", "a": "\\u00e9"}'
    reply = DemoService().answer(envelope("arg_test", params).encode())
    arguments = rb'{"rate": 1.10, "a": [1,  2], "a": "\u00e9"}'
    assert content(reply) == (
        b'{"jsonrpc": "2.0", "id": "1", "result": {"ok": true, "user": "ada", "arguments": ' + arguments + b"}}"
    )


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ("{}", REQUIRED),
        ('{"username": "demo"}', REQUIRED),
        ('{"password": "demo-password"}', REQUIRED),
        ('{"username": "demo", "password": "wrong"}', FAILED),
        ('{"username": "demo", "password": null}', FAILED),
        ('{"username": ["demo"], "password": {}}', FAILED),
    ],
)
def test_arg_test_wants_both_credentials_right(params: str, error: object) -> None:
    assert ask(DemoService(), "arg_test", params) == error


@pytest.mark.parametrize("params", ["[]", '["demo", "demo-password"]'])
def test_arg_test_says_why_an_array_will_not_do(params: str) -> None:
    error = ask(DemoService(), "arg_test", params)
    assert error["code"] == -32602
    assert "members of an object" in error["message"]


def test_where_credentials_are_asked_for_a_cookie_does_not_help() -> None:
    service = DemoService()
    token = log_in(service)
    assert ask(service, "arg_test", "{}", token) == REQUIRED
    assert ask(service, "arg_test", '{"username": "demo", "password": "wrong"}', token) == FAILED
    assert ask(service, "arg_test", LOGIN, "made up")["ok"] is True
