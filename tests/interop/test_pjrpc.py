"""pjrpc on Flask: needs ``application/json``, and HTTP 400 for errors.

A batch with one failure has the status 400, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pjrpc.server
import pytest
from flask import Flask, request
from pjrpc.server.integration.flask import JsonRPC
from pjrpc.server.specs import openrpc
from pjrpc.server.specs.extractors.pydantic import PydanticMethodInfoExtractor

from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.profile import DocumentSource
from rpcexplorer.rpc.messages import Malformed
from tests.interop.serving import added_and_tested, discovered, error, names, result, results, send, wsgi

pytestmark = pytest.mark.thorough
SETTINGS: dict[str, Any] = {"path": "/api/v1", "content_type": "application/json"}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    describing = openrpc.MethodSpecificationGenerator(PydanticMethodInfoExtractor())
    methods = pjrpc.server.MethodRegistry(metadata_processors=[describing])

    @methods.add()
    def ping() -> str:
        return "pong"

    @methods.add()
    def add(a: int, b: int) -> int:
        return a + b

    @methods.add()
    def whoami() -> str:
        return request.authorization.username or "" if request.authorization else "nobody"

    app = Flask("interop")
    rpc = JsonRPC("/api/v1", app, status_by_error=lambda codes: 400 if any(codes) else 200)
    rpc.add_methods(methods)
    rpc.add_spec(openrpc.OpenRPC(openrpc.Info(title="interop", version="1")), path="openrpc.json")
    with wsgi(app) as address:
        yield address


@pytest.mark.parametrize("empty_params", ["[]", "{}", "omit"])
def test_call_without_params_works_in_every_form(url: str, empty_params: str) -> None:
    assert result(send(url, Draft("ping"), empty_params=empty_params, **SETTINGS)) == "pong"


def test_default_content_type_is_rejected_with_its_status(url: str) -> None:
    exchange = send(url, Draft("ping"), path="/api/v1", content_type="application/json-rpc")
    assert isinstance(exchange.outcome, Malformed)
    assert exchange.response.status == 415


@pytest.mark.parametrize(("draft", "code"), [(Draft("missing"), -32601), (Draft("add", "[1]"), -32602)])
def test_errors_are_read_at_http_400(url: str, draft: Draft, code: int) -> None:
    exchange = send(url, draft, **SETTINGS)
    assert error(exchange).code == code
    assert exchange.response.status == 400


def test_batch_with_a_failure_is_read_at_400(url: str) -> None:
    exchange = send(url, Batch('[{"method": "add", "params": [1, 2]}, {"method": "missing"}]'), **SETTINGS)
    assert exchange.response.status == 400
    assert results(exchange) == [3, -32601]
    assert exchange.exit_code == 1


def test_user_name_arrives_by_basic_auth(url: str) -> None:
    assert result(send(url, Draft("whoami"), auth="basic", username="ada", password="opensesame", **SETTINGS)) == "ada"


def test_document_is_discovered_at_a_given_path(url: str) -> None:
    found = discovered(url, discovery=DocumentSource(url="/api/v1/openrpc.json"), **SETTINGS)
    assert names(found) == {"ping", "add", "whoami"}
    add = found.described["add"]
    assert [(param.name, param.required) for param in add.params] == [("a", True), ("b", True)]
    assert [param.schema["type"] for param in found.described["add"].params] == ["integer", "integer"]
    assert found.described["add"].result["type"] == "integer"


def test_document_is_discovered_without_a_given_path(url: str) -> None:
    found = discovered(url, **SETTINGS)
    assert {method.protocol for method in found.methods} == {"/api/v1/openrpc.json"}
    assert names(found) == {"ping", "add", "whoami"}


def test_notification_is_accepted(url: str) -> None:
    assert send(url, Draft("ping", notification=True), **SETTINGS).exit_code == 0


def test_bare_address_is_added_tested_and_called(url: str, tmp_path: Path) -> None:
    ran = added_and_tested(tmp_path, url, "ping")
    assert (ran.code, ran.out) == (0, b'"pong"\n'), ran.err
