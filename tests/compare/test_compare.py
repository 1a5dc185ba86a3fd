"""Comparison of two responses."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.compare.compare import ComparedPlace, Comparison, compared, compared_texts
from rpcexplorer.jsontext.pointers import names_of
from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.model.exchange import Cancelled, Exchange, Outcome, Unreached
from rpcexplorer.rpc.batch import decode_batch
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.transport.port import Response
from tests.text.exchanges import exchange

SCALARS = st.sampled_from([None, True, False, 0, 1, -2, 1.5, 1e30, "", "a", "é\u2028", "\ud800", '"\\/~', "NaN"])
VALUES = st.recursive(
    SCALARS,
    lambda inside: st.lists(inside, max_size=6) | st.dictionaries(st.sampled_from(["", "a", "é", "~/"]), inside),
    max_leaves=25,
)
DEEP = 100_000


@given(VALUES, st.randoms(use_true_random=False), st.booleans())
def test_order_layout_and_escapes_do_not_differ(value: Any, dice: random.Random, has_nan: bool) -> None:
    value = [value, float("nan")] if has_nan else value  # msgspec does not read NaN.
    assert compare_texts(json.dumps(value), spelled(shuffled(value, dice))).verdict == "same"


def shuffled(value: Any, dice: random.Random) -> Any:
    if isinstance(value, list):
        return [shuffled(item, dice) for item in value]
    if isinstance(value, dict):
        return {name: shuffled(value[name], dice) for name in dice.sample(list(value), len(value))}
    return value


def spelled(value: Any) -> str:
    """Spell the value with another layout and other escapes."""
    return (
        json.dumps(value, indent=1).replace("a", "\\u0061").replace("f\\u0061lse", "false").replace("N\\u0061N", "NaN")
    )


@given(VALUES, VALUES)
def test_differences_applied_to_one_side_give_the_other(left: Any, right: Any) -> None:
    found = compare_texts(json.dumps(left), json.dumps(right))
    assert (found.verdict == "same") is (json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True))
    assert applied(left, found) == right


@given(VALUES, VALUES)
def test_text_msgspec_refuses_is_compared_like_other_text(left: Any, right: Any) -> None:
    found, ours = (
        compare_texts(json.dumps([1, left]), json.dumps([1, right])),
        compare_texts(f"[NaN,{json.dumps(left)}]", f"[NaN,{json.dumps(right)}]"),
    )
    assert summary(found) == summary(ours)


def applied(value: Any, found: Comparison) -> Any:
    """Return the left value with all differences applied."""
    root = {"": value}
    for item in found.differences:
        if item.left and item.right:
            put(root, item.left.pointer, text_at(found.right, item.right))
    for item in reversed(found.differences):
        if item.left and not item.right:
            holder, name = held(root, item.left.pointer)
            del holder[name]
    for item in found.differences:
        if item.right and not item.left:
            put(root, item.right.pointer, text_at(found.right, item.right), new=True)
    return root[""]


def put(root: Any, pointer: str, value: Any, *, new: bool = False) -> None:
    holder, name = held(root, pointer)
    if new and isinstance(holder, list):
        holder.insert(name, value)
    else:
        holder[name] = value


def held(root: Any, pointer: str) -> tuple[Any, Any]:
    holder, names = root, ["", *names_of(pointer)]
    for name in names[:-1]:
        holder = holder[int(name) if isinstance(holder, list) else name]
    return holder, int(names[-1]) if isinstance(holder, list) else names[-1]


def text_at(text: bytes, place: ComparedPlace) -> Any:
    return json.loads(text[place.start : place.end])


@pytest.mark.parametrize(
    ("left", "right", "kind"),
    [
        ("1.0", "1.00", "spelling"),
        ("1e2", "100", "spelling"),
        ("-0", "0", "spelling"),
        ("1E+400", "10e399", "spelling"),
        ("0.1", "0.10000000000000000000000000000000001", "changed"),
        ("123456789012345678901234567890", "123456789012345678901234567891", "changed"),
        (f"1e{'9' * 5000}", f"1e{'8' * 5000}", "changed"),
        ("1", '"1"', "changed"),
        ("NaN", "null", "changed"),
        ("[]", "{}", "changed"),
        ('"\\ud800"', '"\\ud801"', "changed"),
    ],
)
def test_equal_numbers_of_different_spelling_are_reported(left: str, right: str, kind: str) -> None:
    assert summary(compare_texts(f'{{"n":{left}}}', f'{{"n":{right}}}')) == [(kind, f"/n {left}", f"/n {right}")]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ('{"a":1,"a":2}', '{"a":1,"a":3}', [("changed", "/a 2", "/a 3")]),
        ('{"a":1,"a":2}', '{"a":1}', [("removed", "/a 2", "")]),
        ('{"\\u0061":1,"b":2}', '{"a":1,"b":3}', [("changed", "/b 2", "/b 3")]),
        ('{"a/b~":1}', '{"a/b~":2}', [("changed", "/a~1b~0 1", "/a~1b~0 2")]),
        ('{"":{"":1}}', '{"":{"":2}}', [("changed", "// 1", "// 2")]),
        ("1", "2", [("changed", " 1", " 2")]),
        ('{"a:NaN,":1,"b":":NaN ,"}', '{"a:NaN,":2,"b":":111 ,"}',
         [("changed", "/a:NaN, 1", "/a:NaN, 2"), ("changed", '/b ":NaN ,"', '/b ":111 ,"')]),
        ('{ "a" : 1 ,\n"b":[ NaN ] }', '{"a": 1,"b":[111, -Infinity]}',
         [("changed", "/b/0 NaN", "/b/0 111"), ("added", "", "/b/1 -Infinity")]),
        ('{ "a" : 1, "a" : 12 , "b": 3}', '{ "b" :3, "a" : 1, "a" : 13 }', [("changed", "/a 12", "/a 13")]),
        ('[{"é":1,"x":NaN}]', '[{"é":1,"x":-Infinity}]', [("changed", "/0/x NaN", "/0/x -Infinity")]),
    ],
)  # fmt: skip
def test_difference_has_pointer_and_span_of_each_value(
    left: str, right: str, expected: list[tuple[str, str, str]]
) -> None:
    assert summary(compare_texts(left, right)) == expected


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [("[1,2", "[1,3", "differs"), ("<html>", '{"a":1}', "differs"), ("[1,2", "[1,2", "same"), ("[1]", "[1 ]", "same")],
)
def test_bodies_that_are_not_json_compare_as_text(left: str, right: str, verdict: str) -> None:
    one, two = (exchange(Malformed("no"), body=body.encode()) for body in (left, right))
    assert at_once(compared(one, two)).verdict == verdict


def nest(depth: int, leaf: str) -> str:
    return '[{"a":' * (depth // 2) + leaf + "}]" * (depth // 2)


def test_values_800_levels_deep_compare_by_meaning() -> None:
    one, two = nest(800, '{"x":1,"y":2}'), nest(800, '{"y":2,"x":1}')
    assert compare_texts(one, two).verdict == compare_texts(f"[{one},1]", f"[{two},1]").verdict == "same"
    assert summary(compare_texts(f"[{one},1]", f"[0,{two},1]")) == [("added", "", "/0 0")]
    (found,) = compare_texts(nest(800, "1"), nest(800, "2")).differences
    assert found.kind == "changed"
    assert found.left is not None
    assert found.left.pointer == "/0/a" * 100


@pytest.mark.parametrize("depth", [DEEP, 1_100])
@pytest.mark.parametrize("odd", ["1", "NaN"])
def test_deeper_responses_are_not_comparable_unless_equal(depth: int, odd: str) -> None:
    left, right = (f"[{odd},{nest(depth, leaf)}]" for leaf in "12")
    assert compare_texts(left, left).verdict == "same"
    found = compare_texts(left, right)
    assert (found.verdict, found.differences) == ("not comparable", ())
    assert found.why == "The responses are nested too deep to be compared: more than 900 levels."


def test_ignored_values_are_listed_only_if_they_differ() -> None:
    left = '{"items":[{"id":1,"at":5},{"id":2,"at":6}],"at":1,"gone":0}'
    right = '{"items":[{"id":1,"at":7},{"id":2,"at":6}],"at":2}'
    found = compare_texts(left, right, "/items/*/at", "/gone", "at")
    assert summary(found) == [("changed", "/at 1", "/at 2")]
    assert found.ignored == ("/items/0/at", "/gone")


def test_values_with_redacted_secret_are_counted_not_compared() -> None:
    left = '{"a":"«prod.password»","b":"x «not recorded»","c":{"d":"«prod.token»"},"«prod.session»":1,"n":1}'
    right = '{"a":"«prod.password»","b":{"c":1},"c":{"d":7},"«staging.session»":1,"n":"«no.placeholder»"}'
    found = compare_texts(left, right)
    assert [kind for kind, *_ in summary(found)] == ["changed"]
    assert found.hidden == 5


def test_result_and_error_differ_as_a_whole() -> None:
    error = ErrorObject(-32602, "Invalid params", b'{"field":"id"}', b"{}")
    found = at_once(compared(exchange(Result(b'{"id": 1}')), exchange(error)))
    assert found.outcomes == ("result", "error")
    assert summary(found) == [
        ("changed", ' {"id": 1}', ' {"code":-32602,"message":"Invalid params","data":{"field":"id"}}')
    ]


def test_two_errors_compare_code_message_and_data() -> None:
    def failed(data: bytes | None, code: int | None = 7) -> Exchange:
        return exchange(ErrorObject(code, 'no "id"', data, b'{"trace":%d}' % id(data)))

    assert at_once(compared(failed(b"1"), failed(b"1"))).verdict == "same"
    assert summary(at_once(compared(failed(b'{"a":1}'), failed(b'{"a":2}')))) == [("changed", "/data/a 1", "/data/a 2")]
    assert summary(at_once(compared(failed(None), failed(b"[]", None)))) == [
        ("changed", "/code 7", "/code null"),
        ("added", "", "/data []"),
    ]


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        (Malformed("no"), Malformed("never"), "same"),
        (Unreached("connect", "one"), Unreached("connect", "two"), "same"),
        (Unreached("connect", "one"), Unreached("timeout", "one"), "differs"),
        (Result(b"1"), Cancelled(), "not comparable"),
        (Result(b""), Result(b"1"), "not comparable"),
    ],
)
def test_outcomes_without_response_compare_by_kind(left: Outcome, right: Outcome, verdict: str) -> None:
    found = at_once(compared(exchange(left, body=b"<html>"), exchange(right, body=b"<html>")))
    assert (found.verdict, bool(found.why)) == (verdict, verdict == "not comparable")


def test_record_that_was_cut_is_not_comparable() -> None:
    whole = exchange(Result(b"1"))
    cut = exchange(Result(b"1"), response=Response(200, body=b"{", size=10_000, cut=True))
    found = at_once(compared(whole, cut))
    assert (found.verdict, found.why) == (
        "not comparable",
        "The recorded response on the right was cut at 1 of 10,000 bytes.",
    )


def batch(id: str, body: str) -> Exchange:
    text = body.replace("#", id).encode()
    calls = '[{"method":"a"},{"method":"b","id":"mine"},{"method":"c","id":null}]'
    return exchange(decode_batch(text, ()), body=text, id=id, kind="batch", params=calls)


def test_missing_response_of_a_batch_is_compared_as_null() -> None:
    one = batch("01jd4x9a2mk7c3q", '[{"id":"#.1","result":1},{"id":"mine","result":2}]')
    two = batch("02jd4x9a2mk7c3q", '[{"id":"mine","result":2}]')
    assert summary(at_once(compared(one, two))) == [("changed", '/0 {"result":1}', "/0 null")]


def test_batch_responses_are_compared_call_by_call() -> None:
    one = batch(
        "01jd4x9a2mk7c3q", '[{"jsonrpc":"2.0","id":"#.1","result":1},{"id":"mine","jsonrpc":"2.0","result":{"x":1}}]'
    )
    two = batch(
        "02jd4x9a2mk7c3q", '[{"jsonrpc":"2.0","id":"mine","result":{"x":2}},{"id":"#.1","jsonrpc":"2.0","result":1}]'
    )
    assert summary(at_once(compared(one, two))) == [("changed", "/1/result/x 1", "/1/result/x 2")]


def compare_texts(left: str, right: str, *ignore: str) -> Comparison:
    return at_once(compared_texts(left.encode(), right.encode(), ignore))


def summary(comparison: Comparison) -> list[tuple[str, str, str]]:
    """Return kind, and pointer and text on both sides, of each difference."""
    return [
        (item.kind, _side(item.left, comparison.left), _side(item.right, comparison.right))
        for item in comparison.differences
    ]


def _side(place: ComparedPlace | None, text: bytes) -> str:
    return f"{place.pointer} {text[place.start : place.end].decode()}" if place else ""
