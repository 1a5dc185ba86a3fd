"""Earlier values for a param."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.schema.complete import MAX_VALUE_CHARACTERS, MAX_VALUES, MOST_CALLS, MOST_TEXT, earlier_values
from tests.text.exchanges import exchange


def call(method: str, params: str, result: str = "null", **more: Any) -> Exchange:
    return exchange(Result(result.encode()), method=method, params=params, **more)


def texts(*calls: Exchange, method: str = "user.get", name: str = "user_id", path: Any = ()) -> list[str]:
    return [candidate.text for candidate in earlier_values(calls, method, name, path or (name,))]


def test_used_values_come_before_received_ones() -> None:
    found = earlier_values(
        [
            call("user.get", '{"user_id": 1.10, "more": {"user_id": "a b"}}'),
            call("order.list", '{"user_id": 7}', '[{"user_id": 1.10}, {"user_id": 8}]'),
        ],
        "user.get",
        "user_id",
        ("user_id",),
    )
    assert [(candidate.text, candidate.shown, candidate.words) for candidate in found] == [
        ("1.10", "1.10", "used before"),
        ('"a b"', "a b", "used before"),
        ("7", "7", "used for order.list"),
        ("8", "8", "from a response to order.list"),
    ]


def test_id_is_found_inside_the_object_it_names() -> None:
    assert texts(call("users.find", "[]", '[{"id": 1, "x": 2}, {"id": "b"}]')) == ["1", '"b"']
    assert texts(call("all", "[]", '{"id": 0, "users": [{"n": "x", "id": 5}], "user": {"id": 6}}')) == ["5", "6"]
    assert texts(call("all", "[]", '{"Player": {"id": 5}}'), name="playerid") == ["5"]
    assert texts(call("all", "[]", '{"id": 5}')) == []


def test_position_uses_values_of_the_same_method() -> None:
    calls = [call("user.get", '[1, "x", [2]]'), call("user.get", '["no'), call("other", '[1, "y"]')]
    assert texts(*calls, path=(1,), name="") == ['"x"']
    assert texts(*calls, path=(2,), name="") == texts(*calls, path=(9,), name="") == []


@pytest.mark.parametrize(
    ("params", "result"),
    [
        ('{"user_id": "«prod.password»"}', '{"user_id": "\\u00abnot recorded\\u00bb"}'),
        ('{"user_id": ""}', '{"user_id": "{{last.x#/a}}"}'),
        ('{"user_id": null}', '{"user_id": true}'),
        ('{"user_id": [1]}', '{"user_id": {"id": 5}}'),
        (f'{{"user_id": "{"x" * MAX_VALUE_CHARACTERS}"}}', '{"text": "\\"user_id\\": 5"}'),
    ],
)
def test_redacted_empty_or_long_values_are_not_offered(params: str, result: str) -> None:
    assert texts(call("m", params, result)) == []


def test_values_of_others_and_failures_are_not_offered() -> None:
    failed = exchange(ErrorObject(1, "no", None, b'{"user_id": 1}'), method="m", params="[]")
    assert texts(call("m", '{"user_id": 5}', foreign=True), failed) == []


def test_values_that_the_service_rejected_are_not_offered() -> None:
    refused = exchange(ErrorObject(-32602, "no such user", None, b"{}"), method="user.get", params='{"user_id": 9}')
    failed = exchange(ErrorObject(-32000, "try later", None, b"{}"), method="user.get", params='{"user_id": 5}')
    assert texts(refused, failed) == ["5"]


def test_ambiguous_text_is_shown_in_quotes() -> None:
    found = earlier_values([call("m", '{"a": "true", "b": {"a": "1.5"}, "c": {"a": "x1"}}')], "m", "a", ("a",))
    assert [candidate.shown for candidate in found] == ['"true"', '"1.5"', "x1"]


def test_only_the_needed_calls_are_read() -> None:
    many = [call("m", f'{{"user_id": {at}}}', f'{{"user_id": {-at}}}') for at in range(1, 100)]
    assert texts(*many) == [*map(str, range(1, MAX_VALUES + 1)), *map(str, range(-1, -MAX_VALUES - 1, -1))]
    read = 0

    def counted() -> Any:
        nonlocal read
        for _ in range(10_000):
            read += 1
            yield call("m", "[]", '"' + "x" * 100_000 + '"')

    assert earlier_values(counted(), "m", "user_id", ("user_id",)) == ()
    assert read <= min(MOST_CALLS, MOST_TEXT // 60_000) + 1
