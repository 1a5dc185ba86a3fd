"""Sample and failure methods, byte by byte."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rpcexplorer.demo.message import Piece, Response
from rpcexplorer.demo.methods import ERRORS, PAGES
from rpcexplorer.demo.service import DemoService
from tests.demo.calling import ask, content, envelope

BEFORE = b'{"jsonrpc": "2.0", "id": "1", "result": '


def result(method: str, params: str = "[]") -> bytes:
    """Return the bytes of the result, after checking the promised length."""
    response = DemoService().answer(envelope(method, params).encode())
    whole = content(response)
    assert response.body.length == len(whole)
    assert whole.startswith(BEFORE)
    assert whole.endswith(b"}")
    return whole.removeprefix(BEFORE)[:-1]


@pytest.mark.parametrize(
    "params",
    [
        "[]",
        "{}",
        '{ "b":1,"a" :2,\n"b": 3}',
        "[1.10, 1e400, -0, 1E+2, 0.00001000, 18446744073709551616]",
        f"[{'7' * 5_000}]",
        r'["\ud800", "\u0041", "\/"]',
        '["Zoë 🚀 ⟨⟩"]',
        "[" * 300 + "]" * 300,
    ],
)
def test_echo_returns_the_bytes_of_the_params(params: str) -> None:
    assert result("demo.echo", params) == params.encode()


def test_unicode_is_utf_8_json_with_special_characters() -> None:
    raw = result("demo.unicode")
    texts = json.loads(raw.decode())
    assert texts["lone surrogate"] == "\ud800 and \udfff"
    assert rb"\ud800" in raw
    assert texts["control"] == "".join(map(chr, range(32))) + "\x7f"
    assert not any(byte < 32 for byte in raw)
    assert "🚀".encode() in raw
    assert rb"\u001b]52;c;" in raw
    assert "\u202e" in texts["overriding"]
    assert "\u200b" in texts["zero width"]
    assert "שלום" in texts["right to left"]


@pytest.mark.parametrize("depth", [1, 2, 300])
def test_nested_has_the_given_depth(depth: int) -> None:
    value = json.loads(result("demo.nested", f"[{depth}]"))
    for _ in range(depth - 1):
        value = value["in"]
    assert value == {}


def records(params: str = "[]") -> Any:
    return json.loads(result("demo.records", params))


def test_records_have_twenty_on_a_page() -> None:
    page = records()
    assert (page["page"], page["count"], len(page["records"])) == (1, 20, 20)
    assert page["records"][0] == {
        "id": 1,
        "name": "Tomás Brandt",
        "email": "tomas.brandt@mail.example",
        "balance": 1.1,
        "created": "2021-03-02T15:37:00Z",
        "tags": ["new"],
        "address": {
            "street": "4 Rue des Tilleuls",
            "city": "Grünau am See",
            "country": "Valdoria",
            "location": {"latitude": 47.75, "longitude": 9.5},
        },
    }


@pytest.mark.parametrize(
    ("count", "page"),
    [(1, 1), (9, 1), (10, 1), (500, 1), (501, 1), (999, 1), (1_000, 2), (1_001, 1), (2_500, 7), (3, 1_000_000)],
)
def test_records_length_is_exact_for_any_page(count: int, page: int) -> None:
    page_of_them = records(f"[{count}, {page}]")["records"]
    assert [record["id"] for record in page_of_them] == list(range((page - 1) * count + 1, page * count + 1))


def test_million_records_start_at_once() -> None:
    response = DemoService().answer(envelope("demo.records", "[1000000]").encode())
    pieces = iter(response.body.pieces)
    start = [next(pieces) for _ in range(3)]
    assert all(isinstance(piece, bytes) and len(piece) < 200_000 for piece in start)
    assert response.body.length > 250_000_000


def test_slow_delays_the_whole_response() -> None:
    response = DemoService().answer(envelope("demo.slow", '{"seconds": 1.5}').encode())
    assert response.delay == 1.5
    assert json.loads(content(response))["result"] == {"seconds": 1.5, "drip": False}


def test_drip_spreads_the_delay_over_the_body() -> None:
    response = DemoService().answer(envelope("demo.slow", "[3, true]").encode())
    pieces: list[Piece] = list(response.body.pieces)
    silences = [piece for piece in pieces if isinstance(piece, float)]
    assert response.delay == 0
    assert len(silences) == 20
    assert sum(silences) == pytest.approx(3)
    text = b"".join(piece for piece in pieces if isinstance(piece, bytes))
    assert len(text) == response.body.length
    assert json.loads(text)["result"]["drops"][-1] == "drop 20 of 20"


def fail(kind: str) -> Any:
    return ask(DemoService(), "demo.fail", json.dumps({"kind": kind}))


def failed_page(kind: str) -> Response:
    return DemoService().answer(envelope("demo.fail", json.dumps([kind])).encode())


def test_fail_application_has_nested_data() -> None:
    assert fail("application")["data"]["refused"][0] == {"article": 4711, "wanted": 3, "left": 2}


@pytest.mark.parametrize(
    ("kind", "status", "media", "start"),
    [
        ("html", 502, "text/html; charset=utf-8", b"<!DOCTYPE html>"),
        ("empty", 200, "application/json-rpc", b""),
        ("not_json", 200, "text/plain; charset=utf-8", b"OK, done."),
        ("cut", 200, "application/json-rpc", b'{"jsonrpc": "2.0"'),
        ("redirect", 307, "text/plain; charset=utf-8", b"Moved to another server."),
    ],
)
def test_fail_can_replace_the_whole_response(kind: str, status: int, media: str, start: bytes) -> None:
    response = failed_page(kind)
    assert response.status == status
    assert dict(response.headers)["Content-Type"] == media
    assert content(response).startswith(start)


@pytest.mark.parametrize("kind", [*ERRORS, *PAGES])
def test_fail_in_a_batch_always_gets_a_response(kind: str) -> None:
    response = DemoService().answer(f"[{envelope('demo.fail', json.dumps([kind]))}]".encode())
    (message,) = json.loads(content(response))
    if kind in ERRORS:
        assert (message["error"]["code"], message["error"]["message"]) == ERRORS[kind][:2]
    else:
        assert message["error"]["code"] == -32602
        assert "batch" in message["error"]["message"]
