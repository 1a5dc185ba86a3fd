"""jsonrpcserver on Python's HTTP server: HTTP/1.0, and NaN as a number."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from http.server import HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.rpc.messages import Result
from tests.interop.serving import added_and_tested, error, result, results, send

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # It reads a file of its own with a deprecated function.
        import jsonrpcserver
        from jsonrpcserver.server import RequestHandler

    @jsonrpcserver.method
    def ping() -> jsonrpcserver.Result:
        return jsonrpcserver.Success("pong")

    @jsonrpcserver.method
    def not_a_number() -> jsonrpcserver.Result:
        return jsonrpcserver.Success([float("nan"), float("inf")])

    @jsonrpcserver.method
    def fail() -> jsonrpcserver.Result:
        return jsonrpcserver.Error(1, "on purpose", {"why": "it was asked for"})

    with HTTPServer(("127.0.0.1", 0), RequestHandler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("empty_params", ["[]", "{}", "omit"])
def test_call_without_params_works_in_every_form(url: str, empty_params: str) -> None:
    assert result(send(url, Draft("ping"), empty_params=empty_params)) == "pong"


def test_invalid_json_number_is_shown_with_a_warning(url: str) -> None:
    exchange = send(url, Draft("not_a_number"))
    assert isinstance(exchange.outcome, Result), exchange
    assert bytes(exchange.outcome.value) == b"[NaN, Infinity]"
    assert any("NaN" in remark for remark in exchange.remarks)


def test_errors_keep_their_data(url: str) -> None:
    assert error(send(url, Draft("fail"))).data == b'{"why": "it was asked for"}'
    assert error(send(url, Draft("missing"))).code == -32601


def test_batch_and_notification_are_answered(url: str) -> None:
    assert results(send(url, Batch('[{"method": "ping"}, {"method": "missing"}]'))) == ["pong", -32601]
    assert send(url, Draft("ping", notification=True)).exit_code == 0


def test_bare_address_is_added_tested_and_called(url: str, tmp_path: Path) -> None:
    ran = added_and_tested(tmp_path, url, "ping")
    assert (ran.code, ran.out) == (0, b'"pong"\n'), ran.err
