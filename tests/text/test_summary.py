"""Tests of the one-line summary of a comparison."""

from __future__ import annotations

import pytest

from rpcexplorer.compare.compare import compared, compared_texts
from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.model.exchange import Cancelled
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text.compare import names_of, summary
from tests.text.exchanges import exchange


@pytest.mark.parametrize(
    ("left", "right", "ignore", "expected"),
    [
        ('{"a":1}', '{"a": 1}', (), "the same"),
        ('{"a":1,"b":2,"c":3}', '{"a":2,"b":3,"c":4,"d":1}', (), "3 members differ, 1 is new"),
        ('{"a":1,"b":2}', '{"a":2}', (), "1 member differs, 1 is gone"),
        ("[1,2]", "[1]", (), "1 element is gone"),
        ("{}", '{"a":1,"b":2}', (), "2 members are new"),
        ('{"a":1,"b":[1]}', '{"a":2,"b":[2]}', (), "2 values differ"),
        ('{"a":1.0}', '{"a":1.00}', (), "1 number is equal but written differently"),
        ("1", "2", (), "the result differs"),
        ('{"a":1,"b":"«x.token»"}', '{"a":2,"b":"t"}', ("/a",),
         "the same, 1 value was ignored, 1 redacted value was not compared"),
    ],
)  # fmt: skip
def test_summary_counts_differences_and_names_uncompared_parts(
    left: str, right: str, ignore: tuple[str, ...], expected: str
) -> None:
    assert summary(at_once(compared_texts(left.encode(), right.encode(), ignore))) == expected


def test_summary_of_two_profiles_uses_their_names() -> None:
    left, right = exchange(Result(b'{"a":1}'), profile="stag"), exchange(Result(b'{"b":1}'), profile="prod\x1b[2J")
    names = names_of(left, right)
    assert names == ("stag", "prod␛[2J")
    assert summary(at_once(compared(left, right)), names) == "1 member is only in prod␛[2J, 1 is only in stag"
    error = exchange(ErrorObject(-32602, "no", None, b"{}"), profile="prod")
    told = summary(at_once(compared(left, error)), names_of(left, error))
    assert told == "result in stag, error -32602 in prod"
    assert names_of(left, left) is None


def test_changed_outcomes_are_shown_before_and_now() -> None:
    result, error = exchange(Result(b"1")), exchange(ErrorObject(-32602, "no", None, b"{}"))
    assert summary(at_once(compared(result, error))) == "result before, error -32602 now"
    assert summary(at_once(compared(error, error))) == "the same error -32602"
    assert summary(at_once(compared(result, exchange(Cancelled())))) == (
        "not comparable: The call on the right was cancelled: there is no response to compare."
    )
