"""Credentials, sessions, params, notes and the OpenRPC document."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from rpcexplorer.demo.declaration import LIFETIME
from rpcexplorer.demo.methods import TABLE
from rpcexplorer.demo.service import DemoService
from tests.demo.calling import LOGIN, Clock, ask, content, cookie_of, envelope, log_in

REQUIRED = {"code": -32001, "message": "authentication required"}
FAILED = {"code": -32001, "message": "authentication failed"}
ENDED = {"code": -32001, "message": "session has ended"}


@pytest.mark.parametrize("params", [LOGIN, '["demo", "demo-password"]'])
def test_auth_returns_the_user_and_sets_the_cookie(params: str) -> None:
    response = DemoService().answer(envelope("auth", params).encode())
    assert content(response) == b'{"jsonrpc": "2.0", "id": "1", "result": {"user": "ada", "expires_in": 1800}}'
    assert re.fullmatch(r"sessionid=[\w-]{32}; Path=/; HttpOnly; SameSite=Lax", cookie_of(response))


@pytest.mark.parametrize(
    "params", ['["demo", "wrong"]', '["", ""]', '{"username": "ada", "password": "demo-password"}']
)
def test_auth_with_wrong_credentials_sets_no_cookie(params: str) -> None:
    response = DemoService().answer(envelope("auth", params).encode())
    assert b'{"code": -32001, "message": "authentication failed"}' in content(response)
    assert "Set-Cookie" not in dict(response.headers)


def test_auth_without_password_names_the_missing_param() -> None:
    error = ask(DemoService(), "auth", '["demo"]')
    assert error["code"] == -32602
    assert 'auth needs "password"' in error["message"]


def test_ping_requires_a_session() -> None:
    service = DemoService()
    assert ask(service, "ping") == REQUIRED
    assert ask(service, "ping", token="") == REQUIRED
    assert ask(service, "ping", token="made up") == ENDED
    assert ask(service, "ping", token=log_in(service)) == "pong"


@pytest.mark.parametrize("params", ["[1]", '{"a": 1}', LOGIN])
def test_ping_rejects_params(params: str) -> None:
    service = DemoService()
    error = ask(service, "ping", params, log_in(service))
    assert error["code"] == -32602
    assert 'Send "params": []' in error["message"]


def test_credentials_are_checked_before_params() -> None:
    assert ask(DemoService(), "ping", "[1]") == REQUIRED
    assert ask(DemoService(), "ping", LOGIN) == REQUIRED


def test_session_ends_only_when_unused() -> None:
    clock = Clock()
    service = DemoService(clock)
    token = log_in(service)
    for _ in range(5):
        clock.now += LIFETIME - 1
        assert ask(service, "ping", token=token) == "pong"
    clock.now += LIFETIME
    assert ask(service, "ping", token=token) == ENDED


def test_logout_ends_the_session_and_deletes_the_cookie() -> None:
    service = DemoService()
    token, other = log_in(service), log_in(service)
    response = service.answer(envelope("demo.logout").encode(), token)
    assert cookie_of(response) == "sessionid=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"
    assert ask(service, "ping", token=token) == ENDED
    assert ask(service, "ping", token=other) == "pong"


def test_session_returns_user_and_age() -> None:
    clock = Clock()
    service = DemoService(clock)
    token = log_in(service)
    clock.now += 12.5
    assert ask(service, "demo.session", token=token) == {"user": "ada", "age": 12, "expires_in": LIFETIME}


def test_arg_test_keeps_the_spelling_of_other_members() -> None:
    params = '{"rate": 1.10, "username": "demo", "a": [1,  2], "password": "demo-password", "a": "\\u00e9"}'
    response = DemoService().answer(envelope("arg_test", params).encode())
    arguments = rb'{"rate": 1.10, "a": [1,  2], "a": "\u00e9"}'
    assert content(response) == (
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
def test_arg_test_requires_both_credentials(params: str, error: object) -> None:
    assert ask(DemoService(), "arg_test", params) == error


@pytest.mark.parametrize("params", ["[]", '["demo", "demo-password"]'])
def test_arg_test_rejects_an_array_with_the_reason(params: str) -> None:
    error = ask(DemoService(), "arg_test", params)
    assert error["code"] == -32602
    assert "credentials must be named" in error["message"]


def answered(text: str, token: str | None = None) -> Any:
    return json.loads(content(DemoService().answer(text.encode(), token)))


def test_unknown_method_error_names_discovery() -> None:
    assert ask(DemoService(), "demo.ecko") == {
        "code": -32601,
        "message": "Method not found: demo.ecko. Call rpc.discover to see all methods.",
    }


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("demo.nested", '{"deep": 1}', 'has no param "deep". Its params: depth.'),
        ("demo.nested", "[1, 2]", "too many params for demo.nested: 2. Its params: depth."),
        ("demo.nested", "[0]", '"depth" must be an integer from 1 to 100000.'),
        ("demo.nested", "[100001]", "an integer from 1 to 100000"),
        ("demo.nested", "[1.0]", "an integer from 1 to 100000"),
        ("demo.nested", "[true]", "an integer from 1 to 100000"),
        ("demo.nested", '["1"]', "an integer from 1 to 100000"),
        ("demo.nested", "[null]", "an integer from 1 to 100000"),
        ("demo.nested", f"[{'9' * 5_000}]", "an integer from 1 to 100000"),
        ("demo.slow", "[1e400]", '"seconds" must be a number from 0 to 600.'),
        ("demo.slow", '{"drip": 1}', '"drip" must be true or false.'),
        ("demo.fail", "[]", 'demo.fail needs "kind": one of parse_error, '),
        ("demo.fail", '["nicely"]', '"kind" must be one of parse_error, '),
        ("demo.fail", "[[]]", '"kind" must be one of parse_error, '),
        ("demo.orders.find", '{"sort": {"by": "size"}}', '"sort/by" must be one of number, placed, total.'),
        ("demo.orders.find", '{"sort": {}}', '"sort" needs "by": one of number, placed, total.'),
        (
            "demo.orders.find",
            '{"sort": {"by": "total", "up": true}}',
            '"sort" has no member "up". Its members: by, descending.',
        ),
        ("demo.orders.place", "[7, []]", '"items" must be an array of 1 to 50 elements.'),
        ("demo.orders.place", '[7, [{"sku": "tea"}]]', '"items/0/sku" must be a string such as tea-01.'),
        (
            "demo.orders.place",
            '["7", []]',
            '"customer" must be an integer from 1 to 9999 or an object with name, address.',
        ),
        ("demo.orders.place", '[7, [{"sku": "tea-01", "engraving": 1}]]', "a string of at most 40 characters or null"),
        ("demo.tree", '[{"name": "a", "branches": [{"name": 5}]}]', '"root/branches/0/name" must be a string of'),
        ("demo.numbers", '{"x": 1}', 'has no param "x". It takes no params. Send "params": [].'),
        ("auth", json.dumps(["x" * 201, ""]), '"username" must be a string of at most 200 characters.'),
    ],
)
def test_invalid_params_error_describes_valid_ones(method: str, params: str, words: str) -> None:
    error = ask(DemoService(), method, params)
    assert error["code"] == -32602
    assert words in error["message"]


@pytest.mark.parametrize("depth", [100, 400])
def test_params_of_any_depth_get_an_answer(depth: int) -> None:
    root = '{"name": "a", "branches": [' * depth + '{"name": "a"}' + "]}" * depth
    outcome = ask(DemoService(), "demo.tree", f"[{root}]")
    assert outcome == {"branches": depth + 1} or "nested too deeply" in outcome["message"]


@pytest.mark.parametrize(
    "text",
    [
        envelope("demo.numbers", id=None),
        envelope("demo.nothing", id=None),
        envelope("ping", id=None),
        envelope("demo.fail", '["html"]', id=None),
        f"[{envelope('demo.numbers', id=None)}, {envelope('demo.nothing', id=None)}]",
    ],
)
def test_notification_gets_204_without_body(text: str) -> None:
    response = DemoService().answer(text.encode())
    assert (response.status, response.headers, content(response)) == (204, (), b"")


def test_batch_response_keeps_order_without_notifications() -> None:
    entries = [
        envelope("demo.echo", "[1.10]", '"a"'),
        envelope("demo.echo", "[2]", None),
        "7",
        envelope("demo.nothing", id="3"),
        envelope("demo.echo", '{"x": 1}', '"z"'),
    ]
    response = DemoService().answer(f"[{','.join(entries)}]".encode())
    assert b'{"jsonrpc": "2.0", "id": "a", "result": [1.10]}, ' in content(response)
    messages = json.loads(content(DemoService().answer(f"[{','.join(entries)}]".encode())))
    assert [message["id"] for message in messages] == ["a", None, 3, "z"]
    assert [message.get("error", {}).get("code") for message in messages] == [None, -32600, -32601, None]


def test_empty_batch_gets_one_error() -> None:
    message = answered("[]")
    assert (message["id"], message["error"]["code"]) == (None, -32600)


def test_notes_are_added_listed_and_deleted() -> None:
    service = DemoService()
    token = log_in(service)
    assert ask(service, "demo.notes.list", token=token) == []
    assert ask(service, "demo.notes.add", '{"text": "one"}', token) == {"id": 1, "text": "one"}
    assert ask(service, "demo.notes.add", '["\\ud800 two"]', token) == {"id": 2, "text": "\ud800 two"}
    assert ask(service, "demo.notes.delete", "[1]", token) == {"id": 1, "text": "one"}
    assert ask(service, "demo.notes.list", token=token) == [{"id": 2, "text": "\ud800 two"}]


def test_unknown_note_gets_an_application_error() -> None:
    service = DemoService()
    token = log_in(service)
    ask(service, "demo.notes.add", '["only"]', token)
    assert ask(service, "demo.notes.delete", "[9]", token) == {
        "code": 4004,
        "message": "There is no note 9.",
        "data": {"id": 9, "there_are": [1]},
    }


def test_too_many_notes_are_rejected() -> None:
    service = DemoService()
    token = log_in(service)
    notes = ",".join([envelope("demo.notes.add", '["n"]', None)] * 1_000)
    service.answer(f"[{notes}]".encode(), token)
    assert ask(service, "demo.notes.add", '["one more"]', token)["code"] == 4009


DOCUMENT: dict[str, Any] = ask(DemoService(), "rpc.discover")
METHODS: dict[str, dict[str, Any]] = {method["name"]: method for method in DOCUMENT["methods"]}


def test_document_has_the_required_openrpc_members() -> None:
    assert DOCUMENT["openrpc"].startswith("1.")
    assert {"title", "version"} <= DOCUMENT["info"].keys()
    assert DOCUMENT["servers"][0]["url"] == "/api/v2/"


def test_document_lists_exactly_the_callable_methods() -> None:
    assert len(DOCUMENT["methods"]) == len(METHODS)
    assert METHODS.keys() == TABLE.keys() == set(ask(DemoService(), "system.listMethods"))
    assert METHODS.keys() == {
        "auth", "ping", "arg_test", "rpc.discover", "system.listMethods",
        "demo.echo", "demo.records", "demo.slow", "demo.fail", "demo.unicode", "demo.numbers", "demo.nested",
        "demo.duplicates", "demo.notes.add", "demo.notes.list", "demo.notes.delete", "demo.logout", "demo.session",
        "demo.orders.find", "demo.orders.place", "demo.orders.search", "demo.tree", "demo.misdescribed",
        "demo.faults.discount", "demo.faults.initials",
    }  # fmt: skip


@pytest.mark.parametrize("name", METHODS)
def test_document_describes_each_method(name: str) -> None:
    method = METHODS[name]
    assert method["summary"]
    assert method["description"].endswith(".")
    assert method["tags"][0]["name"]
    assert {"name", "schema"} <= method["result"].keys()
    codes = [error["code"] for error in method["errors"]]
    assert len(codes) == len(set(codes))
    for param in method["params"]:
        assert {"name", "summary", "required", "schema"} <= param.keys()
        assert param["required"] is ("default" not in param["schema"])


@pytest.mark.parametrize("name", METHODS)
def test_document_states_the_auth_of_each_method(name: str) -> None:
    params = "{}" if METHODS[name]["x-auth"] == "inline" else "[]"
    message = json.loads(content(DemoService().answer(envelope(name, params).encode())))
    refused = message.get("error", {}).get("message") == "authentication required"
    assert refused is (METHODS[name]["x-auth"] != "none")
    if refused:
        assert -32001 in [error["code"] for error in METHODS[name]["errors"]]


def test_document_marks_exactly_the_unsafe_methods() -> None:
    unsafe = {name for name, method in METHODS.items() if not method["x-safe"]}
    assert unsafe == {"demo.notes.add", "demo.notes.delete", "demo.logout", "demo.orders.place"}


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if "examples" in method])
def test_examples_of_the_document_get_a_result(name: str) -> None:
    for example in METHODS[name]["examples"]:
        params = {param["name"]: param["value"] for param in example["params"]}
        answer = json.loads(content(DemoService().answer(envelope(name, json.dumps(params)).encode())))
        assert "error" not in answer


def test_document_contains_exactly_the_referenced_schemas() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    assert set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(DOCUMENT))) == set(schemas)
