"""Every kind of failure is what it says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rpcexplorer.demo.message import Fault, Reply
from rpcexplorer.demo.methods import KINDS
from rpcexplorer.demo.service import DemoService
from tests.demo.calling import ask, content, envelope


def fail(kind: str) -> Any:
    return ask(DemoService(), "demo.fail", json.dumps({"kind": kind}))


def failed_page(kind: str) -> Reply:
    return DemoService().answer(envelope("demo.fail", json.dumps([kind])).encode())


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("parse_error", -32700),
        ("invalid_request", -32600),
        ("method_not_found", -32601),
        ("invalid_params", -32602),
        ("internal_error", -32603),
        ("server_error", -32000),
        ("application", 4090),
        ("traceback", -32603),
    ],
)
def test_an_error_has_its_code(kind: str, code: int) -> None:
    assert fail(kind)["code"] == code


def test_an_application_error_has_rich_data() -> None:
    assert fail("application")["data"]["refused"][0] == {"article": 4711, "wanted": 3, "left": 2}


def test_a_traceback_has_several_lines() -> None:
    assert fail("traceback")["data"]["traceback"].count("\n") == 6


def test_an_error_can_be_a_mere_string() -> None:
    assert fail("string") == "something went wrong, and this is all there is to know"


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


def test_a_redirect_leads_to_another_host() -> None:
    assert dict(failed_page("redirect").headers)["Location"] == "https://elsewhere.example/api/v2/"


def test_a_cut_reply_promises_more_than_it_has() -> None:
    assert failed_page("cut").missing > 0


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
