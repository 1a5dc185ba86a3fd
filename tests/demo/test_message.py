"""Parsing of request bodies."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.demo.message import BATCH_LIMIT, Batch, Invalid, Request, read

GOOD = '{"jsonrpc": "2.0", "id": "1", "method": "ping", "params": []}'


def error(content: bytes) -> dict[str, Any]:
    entry = read(content)
    assert isinstance(entry, Invalid)
    found: dict[str, Any] = entry.fault.error
    return found


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "line 1 column 1"),
        (b"{", "line 1 column 2"),
        (b'{"params": [ "username": "demo" ]}', "line 1 column 24"),
        (GOOD.encode() + b"x", "Extra data"),
        (b"\xff", "utf-8"),
        (b"\xef\xbb\xbf" + GOOD.encode(), "line 1 column 1"),
        (b'{"id": NaN}', "NaN is not JSON"),
        (b'{"id": -Infinity}', "-Infinity is not JSON"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_invalid_json_is_a_parse_error_with_place(content: bytes, words: str) -> None:
    found = error(content)
    assert found["code"] == -32700
    assert words in found["message"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("1", "a request must be an object"),
        ("null", "a request must be an object"),
        ("{}", "jsonrpc must be"),
        (GOOD.replace('"2.0"', "2.0"), 'the string "2.0"'),
        (GOOD.replace('"ping"', "7"), "method must be a string"),
        (GOOD.replace(', "params": []', ""), 'params is missing. Send "params": []'),
        (GOOD.replace("[]", "null"), "an array or an object"),
        (GOOD.replace("[]", '"x"'), "an array or an object"),
        (GOOD.replace('"1"', "null"), "id must be a string"),
        (GOOD.replace('"1"', "true"), "id must be a string"),
        (GOOD.replace('"1"', "[]"), "id must be a string"),
        ("[]", "the batch is empty"),
        ("[" + ",".join(["1"] * (BATCH_LIMIT + 1)) + "]", f"at most {BATCH_LIMIT}"),
    ],
)
def test_invalid_request_gets_its_reason(content: str, words: str) -> None:
    found = error(content.encode())
    assert found["code"] == -32600
    assert words in found["message"]


def test_invalid_request_keeps_a_valid_id() -> None:
    entry = read(b'{"id": 1.10, "jsonrpc": "1.0"}')
    assert isinstance(entry, Invalid)
    assert entry.id == "1.10"


@pytest.mark.parametrize("id", ['"\\u0041"', "1", "-0", "1e400", "18446744073709551616", "9" * 5_000, '""'])
def test_id_keeps_its_spelling(id: str) -> None:
    entry = read(GOOD.replace('"1"', id).encode())
    assert isinstance(entry, Request)
    assert entry.id == id


def test_params_keep_their_spelling() -> None:
    params = '{ "a" : 1.10,"a":[ ], "\\u0062":"é\\ud800" }'
    entry = read(GOOD.replace("[]", params).encode())
    assert isinstance(entry, Request)
    assert entry.params_text == params


def test_batch_keeps_the_order_of_its_entries() -> None:
    batch = read(f"[ {GOOD} , 7,{GOOD.replace('ping', 'pong')}]".encode())
    assert isinstance(batch, Batch)
    first, second, third = batch.entries
    assert isinstance(first, Request)
    assert isinstance(second, Invalid)
    assert isinstance(third, Request)
    assert (first.method, third.method) == ("ping", "pong")


@pytest.mark.parametrize("depth", range(300, 1_100, 7))
def test_any_nesting_is_parsed_or_rejected(depth: int) -> None:
    params = '{"a": ' * depth + "1" + "}" * depth
    entry = read(GOOD.replace("[]", params).encode())
    assert isinstance(entry, Invalid) or entry.params_text == params  # type: ignore[union-attr]


@given(st.binary(max_size=40))
def test_any_bytes_give_a_value(content: bytes) -> None:
    assert isinstance(read(content), Request | Invalid | Batch)
