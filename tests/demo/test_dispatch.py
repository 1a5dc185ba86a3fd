"""From a body to a reply: unknown methods, params of every kind, notifications and batches."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rpcexplorer.demo.service import DemoService
from tests.demo.calling import LOGIN, ask, content, cookie_of, envelope, log_in


def answered(text: str, token: str | None = None) -> Any:
    return json.loads(content(DemoService().answer(text.encode(), token)))


def test_an_unknown_method_is_named_with_the_way_to_find_others() -> None:
    assert ask(DemoService(), "demo.ecko") == {
        "code": -32601,
        "message": "Method not found: demo.ecko. Call rpc.discover to see what there is.",
    }


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("demo.nested", '{"deep": 1}', 'has no param "deep". It takes depth.'),
        ("demo.nested", "[1, 2]", "got 2 params. It takes depth."),
        ("demo.nested", "[0]", '"depth" must be an integer from 1 to 100000.'),
        ("demo.nested", "[100001]", "an integer from 1 to 100000"),
        ("demo.nested", "[1.0]", "an integer from 1 to 100000"),
        ("demo.nested", "[true]", "an integer from 1 to 100000"),
        ("demo.nested", '["1"]', "an integer from 1 to 100000"),
        ("demo.nested", "[null]", "an integer from 1 to 100000"),
        ("demo.nested", f"[{'9' * 5_000}]", "an integer from 1 to 100000"),
        ("demo.slow", "[1e400]", '"seconds" must be a number from 0 to 600.'),
        ("demo.slow", '{"drip": 1}', '"drip" must be true or false.'),
        ("demo.fail", "[]", 'demo.fail needs "kind": one of parse_error, '),
        ("demo.fail", '["nicely"]', '"kind" must be one of parse_error, '),
        ("demo.fail", "[[]]", '"kind" must be one of parse_error, '),
        ("demo.orders.find", '{"sort": {"by": "size"}}', '"sort/by" must be one of number, placed, total.'),
        ("demo.orders.find", '{"sort": {}}', '"sort" needs "by": one of number, placed, total.'),
        ("demo.orders.find", '{"sort": {"by": "total", "up": true}}', '"sort" has no "up". It takes by, descending.'),
        ("demo.orders.place", "[7, []]", '"items" must be an array of 1 or more.'),
        ("demo.orders.place", '[7, [{"sku": "tea"}]]', '"items/0/sku" must be a string like tea-01.'),
        (
            "demo.orders.place",
            '["7", []]',
            '"customer" must be an integer from 1 to 9999 or an object with name, address.',
        ),
        ("demo.orders.place", '[7, [{"sku": "tea-01", "engraving": 1}]]', "a string of at most 40 characters or null"),
        ("demo.tree", '[{"name": "a", "branches": [{"name": 5}]}]', '"root/branches/0/name" must be a string of'),
        ("demo.numbers", '{"x": 1}', 'has no param "x". It takes none: send "params": [].'),
        ("auth", json.dumps(["x" * 201, ""]), '"username" must be a string of at most 200 characters.'),
    ],
)
def test_wrong_params_are_answered_with_what_would_be_right(method: str, params: str, words: str) -> None:
    error = ask(DemoService(), method, params)
    assert error["code"] == -32602
    assert words in error["message"]


@pytest.mark.parametrize(
    "text",
    [
        envelope("demo.numbers", id=None),
        envelope("demo.nothing", id=None),
        envelope("ping", id=None),
        envelope("demo.fail", '["html"]', id=None),
        f"[{envelope('demo.numbers', id=None)}, {envelope('demo.nothing', id=None)}]",
    ],
)
def test_a_notification_is_answered_with_nothing(text: str) -> None:
    reply = DemoService().answer(text.encode())
    assert (reply.status, reply.headers, content(reply)) == (204, (), b"")


def test_a_notification_is_carried_out_all_the_same() -> None:
    service = DemoService()
    token = log_in(service)
    service.answer(envelope("demo.notes.add", '["remember"]', id=None).encode(), token)
    assert ask(service, "demo.notes.list", token=token) == [{"id": 1, "text": "remember"}]


def test_a_batch_is_answered_in_order_without_its_notifications() -> None:
    entries = [
        envelope("demo.echo", "[1.10]", '"a"'),
        envelope("demo.echo", "[2]", None),
        "7",
        envelope("demo.nothing", id="3"),
        envelope("demo.echo", '{"x": 1}', '"z"'),
    ]
    reply = DemoService().answer(f"[{','.join(entries)}]".encode())
    assert b'{"jsonrpc": "2.0", "id": "a", "result": [1.10]}, ' in content(reply)
    messages = json.loads(content(DemoService().answer(f"[{','.join(entries)}]".encode())))
    assert [message["id"] for message in messages] == ["a", None, 3, "z"]
    assert [message.get("error", {}).get("code") for message in messages] == [None, -32600, -32601, None]


def test_a_batch_of_one_is_answered_with_an_array() -> None:
    assert answered(f"[{envelope('demo.echo', '[5]')}]") == [{"jsonrpc": "2.0", "id": "1", "result": [5]}]


def test_an_empty_batch_is_answered_with_one_error() -> None:
    message = answered("[]")
    assert (message["id"], message["error"]["code"]) == (None, -32600)


def test_what_is_promised_as_length_of_a_batch_is_true() -> None:
    text = f"[{envelope('demo.records', '[700]')}, {envelope('demo.unicode')}, {envelope('demo.slow', '[1, true]')}]"
    reply = DemoService().answer(text.encode())
    assert reply.body.length == len(content(reply))


def test_a_session_opened_in_a_batch_counts_from_the_next_request_on() -> None:
    service = DemoService()
    reply = service.answer(f"[{envelope('auth', LOGIN)}, {envelope('ping')}]".encode())
    login, ping = json.loads(content(reply))
    assert login["result"]["user"] == "ada"
    assert ping["error"]["message"] == "authentication required"
    token = cookie_of(reply).partition(";")[0].removeprefix("sessionid=")
    assert ask(service, "ping", token=token) == "pong"


def test_a_batch_waits_for_each_of_its_calls() -> None:
    text = f"[{envelope('demo.slow', '[1.5]')}, {envelope('demo.slow', '[2]', None)}]"
    assert DemoService().answer(text.encode()).delay == 3.5


def test_notes_are_added_listed_and_deleted() -> None:
    service = DemoService()
    token = log_in(service)
    assert ask(service, "demo.notes.list", token=token) == []
    assert ask(service, "demo.notes.add", '{"text": "one"}', token) == {"id": 1, "text": "one"}
    assert ask(service, "demo.notes.add", '["\\ud800 two"]', token) == {"id": 2, "text": "\ud800 two"}
    assert ask(service, "demo.notes.delete", "[1]", token) == {"id": 1, "text": "one"}
    assert ask(service, "demo.notes.list", token=token) == [{"id": 2, "text": "\ud800 two"}]


def test_a_note_that_is_not_there_is_an_error_of_the_application() -> None:
    service = DemoService()
    token = log_in(service)
    ask(service, "demo.notes.add", '["only"]', token)
    assert ask(service, "demo.notes.delete", "[9]", token) == {
        "code": 4004,
        "message": "There is no note 9.",
        "data": {"id": 9, "there_are": [1]},
    }


def test_there_is_an_end_to_the_notes() -> None:
    service = DemoService()
    token = log_in(service)
    notes = ",".join([envelope("demo.notes.add", '["n"]', None)] * 1_000)
    service.answer(f"[{notes}]".encode(), token)
    assert ask(service, "demo.notes.add", '["one more"]', token)["code"] == 4009
