"""Calls that are collected for one body: each change is another value, and its text is read back as it was."""

from __future__ import annotations

import json

import pytest

from rpcexplorer.jsontext.params import Problem
from rpcexplorer.model.batch import BatchParts, CollectedCalls, collected, parts_of
from rpcexplorer.model.draft import Batch, Draft, to_calls
from rpcexplorer.model.exchange import Sent
from rpcexplorer.rpc.batch import decode_batch
from tests.views.exchanges import exchange

LAID_OUT = '{\n  "n": 1.10,\n  "n": 2\n}'
THREE = CollectedCalls().added(Draft("a", LAID_OUT)).added(Draft("b")).added(Draft("c", "[3]", notification=True))


def methods(batch: CollectedCalls) -> str:
    return "".join(row.draft.method for row in batch.rows)


def read_back(batch: CollectedCalls) -> CollectedCalls:
    found = collected(batch.text)
    assert isinstance(found, CollectedCalls)
    return found


def test_the_text_is_a_batch_that_keeps_params_as_they_were_typed() -> None:
    calls = to_calls(Batch(THREE.text), "x")
    assert not isinstance(calls, Problem)
    assert [(call.method, call.params, call.id) for call in calls] == [
        ("a", '{"n":1.10,"n":2}', "x.1"),
        ("b", "[]", "x.2"),
        ("c", "[3]", None),
    ]
    assert [row.draft.text for row in read_back(THREE).rows] == [LAID_OUT, "[]", "[3]"]
    assert read_back(THREE).text == THREE.text


def test_no_calls_are_no_text() -> None:
    assert CollectedCalls().text == ""
    assert collected("") == collected(" \n") == CollectedCalls()


def test_ids_of_their_own_are_kept() -> None:
    found = collected('\ufeff[{"method": "a", "id": "own"}, {"id": null, "method": "b"}, {"method": "c"}]')
    assert isinstance(found, CollectedCalls)
    assert [(row.id, row.draft.notification) for row in found.rows] == [("own", False), ("", True), ("", False)]
    assert [call.get("id", "none") for call in json.loads(found.text)] == ["own", None, "none"]
    assert json.loads(found.toggled(0).text)[0]["id"] is None
    assert json.loads(found.toggled(0).toggled(0).text)[0]["id"] == "own"


def test_what_is_no_batch_is_a_problem() -> None:
    assert isinstance(collected("[1]"), Problem)


@pytest.mark.parametrize(("at", "by", "order"), [(0, 1, "bac"), (2, -1, "acb"), (0, -1, "abc"), (2, 1, "abc")])
def test_a_call_moves_by_one_and_not_over_the_ends(at: int, by: int, order: str) -> None:
    assert methods(THREE.moved(at, by)) == order


def test_a_call_is_taken_out() -> None:
    assert methods(THREE.without(1)) == "ac"


def test_a_call_is_mended_in_its_place_wherever_that_is_by_now() -> None:
    opened = THREE.rows[2].draft
    moved = THREE.moved(2, -1).moved(1, -1)
    assert moved.place_of(opened) == 0
    mended = moved.mended(0, Draft("c", "[4]"))
    assert mended.rows[0].draft == Draft("c", "[4]", notification=True)
    assert mended.rows[1:] == moved.rows[1:]
    assert moved.mended(0, Draft("c", "[3]")) is moved
    assert moved.toggled(0).place_of(opened) == 0, "the only one that reads so"
    assert moved.without(0).place_of(opened) is None
    twice = moved.added(Draft("c", "[3]"))
    assert (twice.place_of(opened), twice.toggled(0).place_of(opened), twice.place_of(None)) == (0, None, None)


def test_what_came_stands_with_its_call_until_the_call_changes() -> None:
    body = b'[{"jsonrpc":"2.0","id":"x.2","result":2},{"jsonrpc":"2.0","id":"x.1","result":1},{"id":9,"result":9}]'
    sent = exchange(decode_batch(body, ()), body=body, id="x", kind="batch", params=THREE.text)
    came = THREE.came(sent, parts_of(sent))
    assert [row.came.outcome_name if row.came else "" for row in came.rows] == ["result", "result", "sent"]
    assert [row.came.response.body[-2:] for row in came.rows[:2] if row.came] == [b"1}", b"2}"]
    assert (came.sent, len(came.unexpected)) == (sent, 1)
    moved = came.moved(0, 1)
    assert [row.came.id if row.came else "" for row in moved.rows] == ["x.2", "x.1", "x.3"]
    assert [bool(row.came) for row in came.toggled(1).rows] == [True, False, True]
    assert [bool(row.came) for row in came.added(Draft("d")).rows] == [True, True, True, False]
    assert came.text == THREE.text


def test_where_it_could_not_be_sent_no_call_has_an_outcome() -> None:
    whole = exchange(Sent(), kind="batch")
    assert [row.came for row in THREE.came(whole, BatchParts()).rows] == [None] * 3
