from __future__ import annotations

import pytest

from rpcexplorer.history.record import renamed, to_exchange, to_record
from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.transport.port import Response
from tests.storage.recording import exchange


def cut(reply: str, limit: int) -> Exchange:
    one = exchange(reply=reply)
    return exchange(
        reply=reply, response=Response(200, body=one.response.body[:limit], size=len(one.response.body), cut=True)
    )


def test_of_a_cut_reply_the_record_says_the_true_size_and_that_it_is_a_result() -> None:
    one = cut('{"jsonrpc":"2.0","id":"1","result":"0123456789"}', 20)
    record = to_record(one)
    assert (record["received"], record["reply_cut"], record["reply"]) == (48, True, '{"jsonrpc":"2.0","id')
    found = to_exchange(record)
    assert isinstance(found, Exchange)
    assert isinstance(found.outcome, Result)
    assert found.outcome.value == b""
    assert found.remarks[-1] == "the recorded reply was cut at 20 of 48 bytes"


def test_of_a_cut_error_its_code_and_message_stay() -> None:
    found = to_exchange(to_record(cut('{"error":{"code":-32601,"message":"Method not found"}}', 5)))
    assert isinstance(found, Exchange)
    assert isinstance(found.outcome, ErrorObject)
    assert (found.outcome.code, found.outcome.message) == (-32601, "Method not found")


def test_a_reply_that_was_changed_by_hand_stays_what_was_recorded_and_says_so() -> None:
    found = to_exchange(to_record(exchange()) | {"reply": "<html>"})
    assert isinstance(found, Exchange)
    assert isinstance(found.outcome, Result)
    assert found.remarks == ("the recorded reply can no longer be read as one",)


def test_a_batch_comes_back_as_the_whole_reply() -> None:
    reply = b'[{"jsonrpc":"2.0","id":"1","result":1}, {"jsonrpc":"2.0","id":"2","result":2}]'
    one = exchange(kind="batch", outcome=Result(reply, ("a",)), response=Response(200, body=reply, size=len(reply)))
    found = to_exchange(to_record(one))
    assert isinstance(found, Exchange)
    assert found.outcome == one.outcome


def test_headers_are_recorded_as_lines_of_text_in_their_order() -> None:
    headers = (("X-Request-Id", "r-1"), ("Link", "a: b"), ("link", ""))
    record = to_record(exchange(response=Response(200, headers=headers)))
    assert record["headers"] == ["X-Request-Id: r-1", "Link: a: b", "link: "]
    found = to_exchange(record)
    assert isinstance(found, Exchange)
    assert found.response.headers == headers


def test_a_record_without_headers_has_no_such_key_and_reads_as_one_without() -> None:
    record = to_record(exchange())
    assert "headers" not in record
    found = to_exchange(record)
    assert isinstance(found, Exchange)
    assert found.response.headers == ()


def test_headers_that_somebody_wrote_by_hand_are_read() -> None:
    found = to_exchange(to_record(exchange()) | {"headers": ["X-A:b", "nothing"]})
    assert isinstance(found, Exchange)
    assert found.response.headers == (("X-A", "b"), ("nothing", ""))


@pytest.mark.parametrize("headers", ["X-A: b", [1], {"X-A": "b"}])
def test_headers_of_another_kind_are_a_damage(headers: object) -> None:
    found = to_exchange(to_record(exchange()) | {"headers": headers})
    assert isinstance(found, Damaged)
    assert found.reason == "its headers must be a list of texts"


def test_a_reply_that_is_not_utf8_stands_as_base64() -> None:
    record = to_record(exchange(response=Response(200, body=b"\xff\xfe", size=2)))
    assert "reply" not in record
    assert record["reply_base64"] == "//4="


def test_a_lone_surrogate_stands_as_base64_where_it_stands_and_nowhere_else() -> None:
    record = to_record(exchange(method="\ud800", params='["\\ud800"]'))
    assert "method" not in record
    assert record["method_base64"] == "7aCA"
    assert record["params"] == '["\\ud800"]'


def test_a_name_is_given_replaced_and_taken_away() -> None:
    record = to_record(exchange())
    named = renamed(record, name="\udc80", note=None)
    assert named["name_base64"] == "7bKA"
    assert renamed(named, name="b", note="c") == record | {"name": "b", "note": "c"}
    assert renamed(named, name="") == record
