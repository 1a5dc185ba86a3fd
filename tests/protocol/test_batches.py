"""What answered a batch: every call has a reply, or the whole is no success."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.protocol.batches import decode_batch
from rpcexplorer.protocol.messages import Call, ErrorObject, Malformed, Result

ONE, TWO = b'{"jsonrpc":"2.0","id":"1","result":1.10}', b'{"jsonrpc":"2.0","id":"2","result":2}'
FAILED = b'{"jsonrpc":"2.0","id":"2","error":{"code":-32601,"message":"no"}}'


def calls(*ids: str | None) -> list[Call]:
    return [Call(f"m{number}", id=id) for number, id in enumerate(ids, start=1)]


def listed(*parts: bytes) -> bytes:
    return b"[" + b",".join(parts) + b"]"


@given(st.binary())
def test_whatever_the_bytes_a_reply_comes_out(body: bytes) -> None:
    assert isinstance(decode_batch(body, calls("1", None)), Result | ErrorObject | Malformed)


def test_a_batch_answered_in_full_is_its_reply_untouched() -> None:
    body = listed(ONE, TWO)
    assert decode_batch(body, calls("1", None, "2")) == Result(body, ())
    assert decode_batch(body, ()) == Result(body, ()), "of a record nobody knows any more what was asked"


def test_a_batch_with_one_failure_is_an_error_that_counts() -> None:
    body = listed(ONE, FAILED)
    reply = decode_batch(body, calls("1", "2"))
    assert isinstance(reply, ErrorObject)
    assert (reply.code, reply.message, reply.value) == (-32601, "1 of 2 calls failed: no", body)


@pytest.mark.parametrize(
    ("body", "ids", "reason"),
    [
        (ONE, ("1", "2"), '1 of 2 calls got no reply: m2 ("2").'),
        (b'{"jsonrpc":"2.0","id":null,"result":1}', ("1", "2"), "1 of 2 calls got no reply: one of m1"),
        (listed(ONE), ("1", "2"), '1 of 2 calls got no reply: m2 ("2").'),
        (listed(FAILED), ("1", "2"), '1 of 2 calls got no reply: m1 ("1"). 1 of 1 calls failed: no.'),
        (b"[]", ("1", "2"), "2 of 2 calls got no reply"),
        (FAILED, ("1", "2"), "1 of 2 calls got no reply"),
        (listed(ONE, b"7"), ("1",), "1 of 2 replies are none"),
        (b"data: " + ONE + b"\n\n", ("1", "2"), '1 of 2 calls got no reply: m2 ("2").'),
        (listed(*([ONE] * 2)), ("1", "2"), "1 of 2 calls got no reply"),
    ],
)
def test_a_call_without_a_reply_is_named_and_makes_the_whole_no_success(
    body: bytes, ids: tuple[str, ...], reason: str
) -> None:
    reply = decode_batch(body, calls(*ids))
    assert isinstance(reply, Malformed), reply
    assert reason in reply.reason


def test_many_calls_without_a_reply_are_counted() -> None:
    reply = decode_batch(b"[]", calls(*map(str, range(30))))
    assert isinstance(reply, Malformed)
    assert "30 of 30 calls" in reply.reason
    assert reply.reason.endswith("and 20 more.")


@pytest.mark.parametrize("stream", ["one event each", "one event for all", "with a notification between"])
def test_each_event_of_a_stream_is_a_reply(stream: str) -> None:
    note = b'{"jsonrpc":"2.0","method":"progress","params":[]}'
    events = {
        "one event each": [ONE, TWO],
        "one event for all": [listed(ONE, TWO)],
        "with a notification between": [ONE, note, TWO],
    }[stream]
    body = b"".join(b"event: message\r\ndata: " + event + b"\r\n\r\n" for event in events)
    reply = decode_batch(body, calls("1", "2"))
    assert isinstance(reply, Result)
    assert reply.value == listed(ONE, TWO)
    others = ("came as an event stream, 1 other event(s) among them",)
    assert reply.remarks == (others if note in events else ())


@pytest.mark.parametrize(
    ("ids", "remark"),
    [
        (("2", "1"), "another order"),
        (("1",), 'replies to nothing that was asked: "2"'),
        (("1", "3"), 'replies to nothing that was asked: "2"'),
    ],
)
def test_what_is_odd_about_the_replies_is_remarked(ids: tuple[str, ...], remark: str) -> None:
    reply: Any = decode_batch(listed(ONE, TWO), calls(*ids))
    assert isinstance(reply, Result)
    assert any(remark in said for said in reply.remarks)


def test_a_batch_refused_as_a_whole_is_that_error() -> None:
    refusal = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batch"}}'
    reply = decode_batch(refusal, calls("1", "2"))
    assert isinstance(reply, ErrorObject)
    assert reply.code == -32600
    assert any("whole batch" in said for said in reply.remarks)
