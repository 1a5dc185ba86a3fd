"""openrpc: describes itself by ``rpc.discover``, with a wrong server URL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import openrpc
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rpcexplorer.model.draft import Batch, Draft
from tests.interop.serving import added_and_tested, asgi, discovered, error, names, result, results, send

pytestmark = pytest.mark.thorough
PATH = "/api"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    rpc = openrpc.RPCApp()

    @rpc.method()
    async def ping() -> str:
        """Answers if the service is up."""
        return "pong"

    @rpc.method()
    async def add(a: int, b: int = 2) -> int:
        return a + b

    @rpc.method()
    async def fail() -> int:
        raise ValueError("on purpose")

    async def answer(request: Request) -> Response:
        return Response(await rpc.process((await request.body()).decode()), media_type="application/json")

    with asgi(Starlette(routes=[Route(PATH, answer, methods=["POST"])])) as address:
        yield address


def test_methods_are_discovered_with_texts_and_params(url: str) -> None:
    found = discovered(url, path=PATH)
    methods = {method.name: method for method in found.methods}
    assert [(param.schema["type"], param.required) for param in found.described["add"].params] == [
        ("integer", True),
        ("integer", False),
    ]
    assert methods["ping"].doc == "Answers if the service is up."
    assert [(param.name, param.required) for param in found.described["add"].params] == [
        ("a", True),
        ("b", False),
    ]


def test_discovery_ignores_server_urls_of_the_document(url: str) -> None:
    assert {"ping", "add", "fail"} <= names(discovered(url, path=PATH))
    assert result(send(url, Draft("ping"), path=PATH)) == "pong"


@pytest.mark.parametrize(("params", "value"), [("[40]", 42), ('{"a": 1, "b": 2}', 3)])
def test_params_arrive_by_position_and_by_name(url: str, params: str, value: int) -> None:
    assert result(send(url, Draft("add", params), path=PATH)) == value


@pytest.mark.parametrize(
    ("draft", "code"), [(Draft("missing"), -32601), (Draft("add", '["x"]'), -32602), (Draft("fail"), -32000)]
)
def test_errors_are_read(url: str, draft: Draft, code: int) -> None:
    assert error(send(url, draft, path=PATH)).code == code


def test_batch_and_notification_are_answered(url: str) -> None:
    batch = Batch('[{"method": "add", "params": [1]}, {"method": "missing"}]')
    assert results(send(url, batch, path=PATH)) == [3, -32601]
    assert send(url, Draft("ping", notification=True), path=PATH).exit_code == 0


def test_bare_address_is_added_tested_and_called(url: str, tmp_path: Path) -> None:
    ran = added_and_tested(tmp_path, url, "ping")
    assert (ran.code, ran.out) == (0, b'"pong"\n'), ran.err
