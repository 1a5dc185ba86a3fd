"""The odd replies, byte by byte, and the records."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rpcexplorer.demo.message import Fault, Piece, Reply
from rpcexplorer.demo.methods import KINDS
from rpcexplorer.demo.service import DemoService
from tests.demo.calling import ask, content, envelope

BEFORE = b'{"jsonrpc": "2.0", "id": "1", "result": '


def result(method: str, params: str = "[]") -> bytes:
    """The result's bytes as they go over the wire; the length that was promised is checked."""
    reply = DemoService().answer(envelope(method, params).encode())
    whole = content(reply)
    assert reply.body.length == len(whole)
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
def test_an_echo_is_the_params_to_the_byte(params: str) -> None:
    assert result("demo.echo", params) == params.encode()


def test_unicode_holds_what_is_hard_to_show_and_is_json_in_utf_8() -> None:
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
def test_nested_is_as_deep_as_asked(depth: int) -> None:
    value = json.loads(result("demo.nested", f"[{depth}]"))
    for _ in range(depth - 1):
        value = value["in"]
    assert value == {}


def records(params: str = "[]") -> Any:
    return json.loads(result("demo.records", params))


def test_records_come_twenty_to_a_page() -> None:
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
def test_the_length_of_any_page_is_known_before(count: int, page: int) -> None:
    page_of_them = records(f"[{count}, {page}]")["records"]
    assert [record["id"] for record in page_of_them] == list(range((page - 1) * count + 1, page * count + 1))


def test_a_million_records_start_at_once() -> None:
    reply = DemoService().answer(envelope("demo.records", "[1000000]").encode())
    pieces = iter(reply.body.pieces)
    start = [next(pieces) for _ in range(3)]
    assert all(isinstance(piece, bytes) and len(piece) < 200_000 for piece in start)
    assert reply.body.length > 250_000_000


def test_slow_is_silent_until_it_is_done() -> None:
    reply = DemoService().answer(envelope("demo.slow", '{"seconds": 1.5}').encode())
    assert reply.delay == 1.5
    assert json.loads(content(reply))["result"] == {"seconds": 1.5, "drip": False}


def test_a_drip_spreads_its_seconds_over_the_body() -> None:
    reply = DemoService().answer(envelope("demo.slow", "[3, true]").encode())
    pieces: list[Piece] = list(reply.body.pieces)
    silences = [piece for piece in pieces if isinstance(piece, float)]
    assert reply.delay == 0
    assert len(silences) == 20
    assert sum(silences) == pytest.approx(3)
    text = b"".join(piece for piece in pieces if isinstance(piece, bytes))
    assert len(text) == reply.body.length
    assert json.loads(text)["result"]["drops"][-1] == "drop 20 of 20"


def fail(kind: str) -> Any:
    return ask(DemoService(), "demo.fail", json.dumps({"kind": kind}))


def failed_page(kind: str) -> Reply:
    return DemoService().answer(envelope("demo.fail", json.dumps([kind])).encode())


def test_an_application_error_has_rich_data() -> None:
    assert fail("application")["data"]["refused"][0] == {"article": 4711, "wanted": 3, "left": 2}


@pytest.mark.parametrize(
    ("kind", "status", "media", "start"),
    [
        ("html", 502, "text/html; charset=utf-8", b"<!DOCTYPE html>"),
        ("empty", 200, "application/json-rpc", b""),
        ("not_json", 200, "text/plain; charset=utf-8", b"OK, done."),
        ("cut", 200, "application/json-rpc", b'{"jsonrpc": "2.0"'),
        ("redirect", 307, "text/plain; charset=utf-8", b"It has moved."),
    ],
)
def test_a_page_is_no_json_rpc(kind: str, status: int, media: str, start: bytes) -> None:
    reply = failed_page(kind)
    assert reply.status == status
    assert dict(reply.headers)["Content-Type"] == media
    assert content(reply).startswith(start)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_asked_for_in_a_batch(kind: str) -> None:
    reply = DemoService().answer(f"[{envelope('demo.fail', json.dumps([kind]))}]".encode())
    (message,) = json.loads(content(reply))
    known = KINDS[kind]
    if isinstance(known, Fault):
        assert message["error"] == known.error
    else:
        assert message["error"]["code"] == -32602
        assert "batch" in message["error"]["message"]
