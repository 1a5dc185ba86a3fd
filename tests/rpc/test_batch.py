"""Responses to batches: success needs a response to every call."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.rpc import batch, codec
from rpcexplorer.rpc.batch import Matched, decode_batch, matched
from rpcexplorer.rpc.messages import Call, ErrorObject, Malformed, Result, number_of

ONE, TWO = b'{"jsonrpc":"2.0","id":"1","result":1.10}', b'{"jsonrpc":"2.0","id":"2","result":2}'
FAILED = b'{"jsonrpc":"2.0","id":"2","error":{"code":-32601,"message":"no"}}'


def calls(*ids: str | None) -> list[Call]:
    return [Call(f"m{number}", id=id) for number, id in enumerate(ids, start=1)]


def listed(*parts: bytes) -> bytes:
    return b"[" + b",".join(parts) + b"]"


@given(st.binary())
def test_any_bytes_give_an_outcome(body: bytes) -> None:
    assert isinstance(decode_batch(body, calls("1", None)), Result | ErrorObject | Malformed)


def test_complete_batch_response_is_its_result_unchanged() -> None:
    body = listed(ONE, TWO)
    assert decode_batch(body, calls("1", None, "2")) == Result(body, ())
    assert decode_batch(body, ()) == Result(body, ()), "of a record nobody knows any more what was asked"


def test_batch_with_one_failure_is_an_error() -> None:
    body = listed(ONE, FAILED)
    reply = decode_batch(body, calls("1", "2"))
    assert isinstance(reply, ErrorObject)
    assert (reply.code, reply.message, reply.value) == (-32601, "1 of 2 calls failed: no", body)


@pytest.mark.parametrize(
    ("body", "ids", "reason"),
    [
        (ONE, ("1", "2"), '1 of 2 calls got no response: m2 ("2").'),
        (b'{"jsonrpc":"2.0","id":null,"result":1}', ("1", "2"), "1 of 2 calls got no response: one of m1"),
        (listed(ONE), ("1", "2"), '1 of 2 calls got no response: m2 ("2").'),
        (listed(FAILED), ("1", "2"), '1 of 2 calls got no response: m1 ("1"). 1 of 1 calls failed: no.'),
        (b"[]", ("1", "2"), "2 of 2 calls got no response"),
        (FAILED, ("1", "2"), "1 of 2 calls got no response"),
        (listed(ONE, b"7"), ("1",), "1 of 2 responses is malformed"),
        (b"data: " + ONE + b"\n\n", ("1", "2"), '1 of 2 calls got no response: m2 ("2").'),
        (listed(*([ONE] * 2)), ("1", "2"), "1 of 2 calls got no response"),
    ],
)
def test_batch_without_one_response_is_malformed(body: bytes, ids: tuple[str, ...], reason: str) -> None:
    reply = decode_batch(body, calls(*ids))
    assert isinstance(reply, Malformed), reply
    assert reason in reply.reason


@pytest.mark.parametrize("stream", ["one event each", "one event for all", "with a notification between"])
def test_each_event_of_a_stream_is_a_response(stream: str) -> None:
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
    others = ("the response is an event stream, with 1 other event",)
    assert reply.remarks == (others if note in events else ())


@pytest.mark.parametrize(
    ("ids", "remark"),
    [
        (("2", "1"), "not in the order"),
        (("1",), 'responses that match no call: "2"'),
        (("1", "3"), 'responses that match no call: "2"'),
    ],
)
def test_unusual_responses_are_warnings(ids: tuple[str, ...], remark: str) -> None:
    reply: Any = decode_batch(listed(ONE, TWO), calls(*ids))
    assert isinstance(reply, Result)
    assert any(remark in text for text in reply.remarks)


@pytest.mark.parametrize("form", ["%b", "[%b]"])
def test_batch_rejected_as_a_whole_is_one_error(form: str) -> None:
    refusal = form.encode() % b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batch"}}'
    reply = decode_batch(refusal, calls("1", "2"))
    assert isinstance(reply, ErrorObject)
    assert reply.code == -32600
    assert any("whole batch" in text for text in reply.remarks)


class Compared(bytes):
    """An id that counts its comparisons."""

    times = 0

    def __eq__(self, other: object) -> bool:
        Compared.times += 1
        return super().__eq__(other)

    __hash__ = bytes.__hash__


def test_ids_of_large_batch_are_found_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    many = 1_000
    body = listed(*(b'{"jsonrpc":"2.0","id":"%d","result":1}' % id for id in reversed(range(many))))
    own = codec.id_of
    monkeypatch.setattr(batch, "id_of", lambda part, form: Compared(own(part, form) or b""))
    monkeypatch.setattr(Compared, "times", 0)
    reply = decode_batch(body, calls(*map(str, range(many))))
    assert isinstance(reply, Result)
    assert reply.remarks == ("the responses are not in the order of the calls",)
    assert Compared.times < 10 * many


@pytest.mark.thorough
def test_calls_with_equal_ids_get_responses_in_order(soon: None) -> None:
    many = 40_000
    body = listed(*(b'{"jsonrpc":"2.0","id":"1","result":%d}' % number for number in range(many + 1)))
    found = matched(body, calls(*["1"] * many))
    assert isinstance(found, Matched)
    assert [reply and reply.text for reply in found.own[:2]] == [
        b'{"jsonrpc":"2.0","id":"1","result":0}',
        b'{"jsonrpc":"2.0","id":"1","result":1}',
    ]
    assert None not in found.own
    assert len(found.others) == 1


def test_response_of_either_id_type_matches_free_call() -> None:
    id = "0123456789abcde"
    number = str(number_of(id)).encode()
    first, second, third = (
        b'{"jsonrpc":"2.0","id":%s,"result":1}' % spelling for spelling in (number, b'"%s"' % id.encode(), number)
    )
    found = matched(listed(first, second, third), calls(id, id))
    assert isinstance(found, Matched)
    assert [reply and reply.text for reply in found.own] == [first, second]
    assert [reply.text for reply in found.others] == [third]
