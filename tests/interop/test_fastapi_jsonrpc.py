"""fastapi-jsonrpc: accepts only named params, and rejects an empty array."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.profile import DocumentSource
from rpcexplorer.rpc.messages import Malformed
from tests.interop.serving import added_and_tested, asgi, discovered, error, names, result, results, send

pytestmark = pytest.mark.thorough
PATH = "/api/v1/jsonrpc"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    import fastapi_jsonrpc  # takes seconds, so not during collection
    from fastapi import Body

    app, methods = fastapi_jsonrpc.API(), fastapi_jsonrpc.Entrypoint(PATH)

    @methods.method()
    def ping() -> str:
        return "pong"

    @methods.method()
    def add(a: int = Body(..., examples=[1]), b: int = Body(..., examples=[2])) -> int:
        return a + b

    app.bind_entrypoint(methods)
    with asgi(app) as address:
        yield address


@pytest.mark.parametrize("empty_params", ["{}", "omit"])
def test_call_without_params_uses_configured_form(url: str, empty_params: str) -> None:
    assert result(send(url, Draft("ping"), path=PATH, empty_params=empty_params)) == "pong"


def test_default_form_of_empty_params_is_rejected(url: str) -> None:
    assert error(send(url, Draft("ping"), path=PATH)).code == -32600


def test_named_params_arrive_and_wrong_ones_are_reported(url: str) -> None:
    assert result(send(url, Draft("add", '{"a": 40, "b": 2}'), path=PATH)) == 42
    refused = error(send(url, Draft("add", '{"a": 40}'), path=PATH))
    assert refused.code == -32602
    assert b"errors" in (refused.data or b"")


def test_unknown_method_batch_and_notification_are_answered(url: str) -> None:
    assert error(send(url, Draft("missing", "{}"), path=PATH)).code == -32601
    batch = Batch('[{"method": "add", "params": {"a": 1, "b": 2}}, {"method": "ping", "params": {}}]')
    assert results(send(url, batch, path=PATH)) == [3, "pong"]
    assert send(url, Draft("ping", "{}", notification=True), path=PATH).exit_code == 0


def test_document_is_discovered_at_a_given_path(url: str) -> None:
    found = discovered(url, path=PATH, discovery=DocumentSource(url="/openrpc.json"))
    assert names(found) == {"ping", "add"}
    add = found.described["add"]
    assert [(param.name, param.required) for param in add.params] == [("a", True), ("b", True)]
    assert [param.schema["examples"] for param in found.described["add"].params] == [[1], [2]]
    assert found.described["add"].result["type"] == "integer"


def test_document_is_discovered_without_a_given_path(url: str) -> None:
    found = discovered(url, path=PATH)
    assert {method.protocol for method in found.methods} == {"/openrpc.json"}
    assert names(found) == {"ping", "add"}


def test_other_path_is_not_json_rpc(url: str) -> None:
    exchange = send(url, Draft("ping"), path="/")
    assert isinstance(exchange.outcome, Malformed)
    assert exchange.response.status == 404


def test_bare_address_is_added_tested_and_called(url: str, tmp_path: Path) -> None:
    ran = added_and_tested(tmp_path, url, "add", "a:=1", "b:=2")
    assert (ran.code, ran.out) == (0, b"3\n"), ran.err
