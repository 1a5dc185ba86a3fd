"""flask-jsonrpc on Flask's own development server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask, request
from flask_jsonrpc import JSONRPC

from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Outcome
from rpcexplorer.rpc.messages import Malformed, Result
from tests.interop.serving import added_and_tested, discovered, error, names, result, results, send, wsgi

pytestmark = pytest.mark.thorough


def application() -> Flask:
    """Return a few methods under the usual path."""
    app = Flask("interop")
    rpc = JSONRPC(app, "/api/v2/", enable_web_browsable_api=False)

    @rpc.method("ping")
    def ping() -> str:
        return f"pong {request.headers['Content-Type']}"

    @rpc.method("add")
    def add(a: int, b: int) -> int:
        return a + b

    @rpc.method("arg_test")
    def arg_test(username: str, password: str) -> bool:
        return (username, password) == ("ada", "hunter2hunter2")

    @rpc.method("fail")
    def fail() -> str:
        raise ValueError("on purpose")

    return app


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with wsgi(application()) as address:
        yield address


@pytest.mark.parametrize(
    ("draft", "outcome"),
    [
        (Draft("ping"), Result(b'"pong application/json-rpc"')),
        (Draft("add", "[1, 2]"), Result(b"3")),
        (Draft("add", '{"a": 40, "b": 2}'), Result(b"42")),
    ],
)
def test_calls_in_the_default_form_are_accepted(url: str, draft: Draft, outcome: Outcome) -> None:
    exchange = send(url, draft)
    assert exchange.outcome == outcome
    assert exchange.remarks == ()


def test_inline_credentials_arrive_as_named_params(url: str) -> None:
    exchange = send(url, Draft("arg_test"), auth="inline", username="ada", password="hunter2hunter2")
    assert exchange.outcome == Result(b"true")


@pytest.mark.parametrize(
    ("draft", "code"), [(Draft("missing"), -32601), (Draft("add", "[1]"), -32602), (Draft("fail"), -32000)]
)
def test_errors_are_read_with_any_http_status(url: str, draft: Draft, code: int) -> None:
    assert error(send(url, draft)).code == code


def test_own_description_of_the_service_is_read(url: str) -> None:
    assert "add" in str(result(send(url, Draft("rpc.describe"))))
    found = discovered(url)
    assert {"ping", "add", "arg_test", "fail"} <= names(found)
    assert [(param.name, param.schema["type"]) for param in found.described["arg_test"].params] == [
        ("username", "String"),
        ("password", "String"),
    ]


def test_batch_is_answered_with_every_id(url: str) -> None:
    sent = Batch('[{"method": "add", "params": [1, 2]}, {"method": "ping"}]')
    assert results(send(url, sent)) == [3, "pong application/json-rpc"]


def test_notification_is_accepted(url: str) -> None:
    assert send(url, Draft("ping", notification=True)).exit_code == 0


def test_missing_slash_is_shown_as_a_redirect(url: str) -> None:
    exchange = send(url, Draft("ping"), path="/api/v2")
    assert isinstance(exchange.outcome, Malformed)
    assert exchange.response.status == 308
    assert "/api/v2/" in exchange.outcome.reason


def test_bare_address_is_added_tested_and_called(url: str, tmp_path: Path) -> None:
    ran = added_and_tested(tmp_path, url, "add", "[1, 2]")
    assert (ran.code, ran.out) == (0, b"3\n"), ran.err
