"""Parts of a batch: outcomes of its calls, and unexpected responses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.jsontext.params import Typo
from rpcexplorer.model.batch import CUT, NO_RESPONSE, BatchParts, CollectedCalls, collected, parts_of
from rpcexplorer.model.draft import Batch, Draft, to_calls
from rpcexplorer.model.exchange import Cancelled, Exchange, Outcome, Sent, Unreached
from rpcexplorer.rpc.batch import decode_batch
from rpcexplorer.rpc.codec import encode_batch
from rpcexplorer.rpc.messages import ErrorObject, Malformed, MessageForm, Result
from rpcexplorer.transport.port import Response
from tests.text.exchanges import exchange

TEXT = '[{"method": "a"}, {"method": "b", "params": {"n": 1.10}}, {"method": "c", "id": null}]'


def reply(id: str, member: str = '"result": 1') -> str:
    return f'{{"jsonrpc": "2.0", "id": {id}, {member}}}'


FAILED = '"error": {"code": -32601, "message": "no"}'


def answered(*replies: str, text: str = TEXT, body: str | None = None, **fields: Any) -> Exchange:
    content = (f"[{','.join(replies)}]" if body is None else body).encode()
    return batch(decode_batch(content, ()), content, text, **fields)


def batch(outcome: Outcome, body: bytes = b"", text: str = TEXT, **fields: Any) -> Exchange:
    return exchange(outcome, body=body, id="x", kind="batch", method="a, b, c", params=text, **fields)


def outcomes(whole: Exchange) -> list[object]:
    return [type(call.outcome) for call in parts_of(whole).calls]


def test_each_call_has_its_own_id_and_outcome() -> None:
    one, other = reply('"x.1"'), reply('"x.2"', FAILED)
    parts = parts_of(answered(other, one))
    first, second, third = parts.calls
    assert [call.id for call in parts.calls] == ["x.1", "x.2", "x.3"]
    assert [(call.method, call.params, call.kind) for call in parts.calls] == [
        ("a", "[]", "call"),
        ("b", '{"n":1.10}', "call"),
        ("c", "[]", "notification"),
    ]
    assert isinstance(first.outcome, Result)
    assert (first.outcome.value, first.response.body, first.response.size) == (b"1", one.encode(), len(one))
    assert isinstance(second.outcome, ErrorObject)
    assert (second.outcome.code, second.response.body) == (-32601, other.encode())
    assert (third.outcome, third.response.body) == (Sent(), b"")
    assert parts.apart
    assert not parts.unexpected


def test_call_without_response_says_so() -> None:
    first, second, third = parts_of(answered(reply('"x.2"'))).calls
    assert first.outcome == Malformed(NO_RESPONSE)
    assert isinstance(second.outcome, Result)
    assert third.outcome == Sent()


def test_unexpected_responses_name_their_reason() -> None:
    replies = [reply('"x.1"'), reply('"x.1"', FAILED), reply('"y"'), reply("null", FAILED), reply('"x.2"')]
    parts = parts_of(answered(*replies))
    assert [type(call.outcome) for call in parts.calls] == [Result, Result, Sent]
    assert [call.remarks[0] for call in parts.unexpected] == [
        'unexpected response: it is the second one with the id "x.1"',
        'unexpected response: no call has the id "y"',
        "unexpected response: it has no id",
    ]
    assert [call.response.body.decode() for call in parts.unexpected] == replies[1:4]
    assert len({call.id for call in (*parts.calls, *parts.unexpected)}) == 6


def test_calls_with_equal_ids_get_one_response_each() -> None:
    text = '[{"method": "a", "id": "i"}, {"method": "b", "id": "i"}]'
    parts = parts_of(answered(reply('"i"'), reply('"i"', FAILED), text=text))
    assert [type(call.outcome) for call in parts.calls] == [Result, ErrorObject]


def test_one_error_is_the_outcome_of_each_call() -> None:
    parts = parts_of(answered(body=reply("null", FAILED)))
    assert [type(call.outcome) for call in parts.calls] == [ErrorObject, ErrorObject, Sent]
    assert all("one response for the whole batch" in call.remarks[0] for call in parts.calls[:2])
    assert not parts.apart


@pytest.mark.parametrize("outcome", [Unreached("connect", "Nobody is there."), Cancelled(True), Malformed("A page.")])
def test_no_response_gives_each_call_outcome_of_batch(outcome: Outcome) -> None:
    calls = parts_of(batch(outcome, b"<html>")).calls
    assert [call.outcome for call in calls[:2]] == [outcome, outcome]
    assert calls[2].outcome == (Sent() if isinstance(outcome, Malformed) else outcome)


def test_batch_of_notifications_has_one_outcome() -> None:
    text = '[{"method": "a", "id": null}]'
    assert outcomes(batch(Sent(), text=text)) == [Sent]
    assert outcomes(batch(Malformed("The server did not accept the notification."), text=text)) == [Malformed]


def test_response_that_was_cut_leaves_outcomes_unknown() -> None:
    whole = replace(answered(reply('"x.1"'), reply('"x.2"')), response=Response(200, cut=True))
    assert parts_of(whole).calls[0].outcome == Malformed(CUT)


def test_text_that_is_not_batch_has_no_parts() -> None:
    assert parts_of(batch(Malformed("no"), text="[1]")).calls == ()


def test_call_has_typed_and_sent_params() -> None:
    typed = '[{"method": "a", "params": ["{{n}}"]}, {"method": "b"}]'
    whole = answered(reply('"x.1"'), reply('"x.2"'), text=typed, params_sent=typed.replace("{{n}}", "7"))
    first, second = parts_of(whole).calls
    assert (first.params, first.params_sent) == ('["{{n}}"]', '["7"]')
    assert second.params_sent is None


LAID_OUT = '{\n  "n": 1.10,\n  "n": 2\n}'
THREE = CollectedCalls().added(Draft("a", LAID_OUT)).added(Draft("b")).added(Draft("c", "[3]", notification=True))


def methods(batch: CollectedCalls) -> str:
    return "".join(row.draft.method for row in batch.rows)


def read_back(batch: CollectedCalls) -> CollectedCalls:
    found = collected(batch.text)
    assert isinstance(found, CollectedCalls)
    return found


def test_text_of_a_batch_keeps_params_as_typed() -> None:
    calls = to_calls(Batch(THREE.text), "x")
    assert not isinstance(calls, Typo)
    assert [(call.method, call.params, call.id) for call in calls] == [
        ("a", '{"n":1.10,"n":2}', "x.1"),
        ("b", "[]", "x.2"),
        ("c", "[3]", None),
    ]
    assert [row.draft.text for row in read_back(THREE).rows] == [LAID_OUT, "[]", "[3]"]
    assert read_back(THREE).text == THREE.text


def test_typed_ids_are_sent() -> None:
    found = collected('\ufeff[{"method": "a", "id": "own"}, {"id": null, "method": "b"}, {"method": "c"}]')
    assert isinstance(found, CollectedCalls)
    assert [(row.id, row.draft.notification) for row in found.rows] == [('"own"', False), ("", True), ("", False)]
    assert [call.get("id", "none") for call in json.loads(found.text)] == ["own", None, "none"]
    assert json.loads(found.toggled(0).text)[0]["id"] is None
    assert json.loads(found.toggled(0).toggled(0).text)[0]["id"] == "own"


def test_numeric_id_is_sent_and_matched_as_number() -> None:
    batch = Batch('[{"method": "a", "id": 7}, {"method": "b", "id": "8"}]')
    calls = to_calls(batch, "x")
    assert not isinstance(calls, Typo)
    assert [call["id"] for call in json.loads(encode_batch(calls))] == [7, "8"]
    assert json.loads(encode_batch(calls, MessageForm(id="number")))[1]["id"] == 8
    found = collected(batch.text)
    assert isinstance(found, CollectedCalls)
    assert [call["id"] for call in json.loads(found.text)] == [7, "8"]
    second = reply('"8"')
    body = f"[{reply('7')}, {second}]".encode()
    assert decode_batch(body, calls) == Result(body)
    wrong = body.replace(b'"id": 7', b'"id": "7"')
    assert decode_batch(wrong, calls).remarks == ('responses that match no call: "7"',)


def test_text_that_is_not_batch_is_a_problem() -> None:
    assert isinstance(collected("[1]"), Typo)


@pytest.mark.parametrize(("at", "by", "order"), [(0, 1, "bac"), (2, -1, "acb"), (0, -1, "abc"), (2, 1, "abc")])
def test_call_moves_by_one_within_the_batch(at: int, by: int, order: str) -> None:
    assert methods(THREE.moved(at, by)) == order


def test_edited_call_is_replaced_where_it_is_now() -> None:
    opened = THREE.rows[2].draft
    moved = THREE.moved(2, -1).moved(1, -1)
    assert moved.place_of(opened) == 0
    changed = moved.with_draft(0, Draft("c", "[4]"))
    assert changed.rows[0].draft == Draft("c", "[4]", notification=True)
    assert changed.rows[1:] == moved.rows[1:]
    assert moved.with_draft(0, Draft("c", "[3]")) is moved
    assert moved.toggled(0).place_of(opened) == 0, "the only one that reads so"
    assert moved.without(0).place_of(opened) is None
    twice = moved.added(Draft("c", "[3]"))
    assert (twice.place_of(opened), twice.toggled(0).place_of(opened), twice.place_of(None)) == (0, None, None)


def test_response_is_shown_until_its_call_changes() -> None:
    body = b'[{"jsonrpc":"2.0","id":"x.2","result":2},{"jsonrpc":"2.0","id":"x.1","result":1},{"id":9,"result":9}]'
    sent = exchange(decode_batch(body, ()), body=body, id="x", kind="batch", params=THREE.text)
    updated = THREE.with_exchange(sent, parts_of(sent))
    assert [row.exchange.outcome_name if row.exchange else "" for row in updated.rows] == ["result", "result", "sent"]
    assert [row.exchange.response.body[-2:] for row in updated.rows[:2] if row.exchange] == [b"1}", b"2}"]
    assert (updated.sent, len(updated.unexpected)) == (sent, 1)
    moved = updated.moved(0, 1)
    assert [row.exchange.id if row.exchange else "" for row in moved.rows] == ["x.2", "x.1", "x.3"]
    assert [bool(row.exchange) for row in updated.toggled(1).rows] == [True, False, True]
    assert [bool(row.exchange) for row in updated.added(Draft("d")).rows] == [True, True, True, False]
    assert updated.text == THREE.text


def test_batch_that_was_not_sent_has_no_outcomes() -> None:
    whole = exchange(Sent(), kind="batch")
    assert [row.exchange for row in THREE.with_exchange(whole, BatchParts()).rows] == [None] * 3
