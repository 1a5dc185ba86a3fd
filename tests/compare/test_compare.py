"""Two replies compared: what is told of them, whatever they hold."""

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
def test_order_of_members_layout_and_escapes_are_no_differences(value: Any, dice: random.Random, has_nan: bool) -> None:
    value = [value, float("nan")] if has_nan else value  # which makes it a text that only we read
    assert of(json.dumps(value), spelled(shuffled(value, dice))).verdict == "same"


def shuffled(value: Any, dice: random.Random) -> Any:
    if isinstance(value, list):
        return [shuffled(each, dice) for each in value]
    if isinstance(value, dict):
        return {name: shuffled(value[name], dice) for name in dice.sample(list(value), len(value))}
    return value


def spelled(value: Any) -> str:
    """In another layout and with other escapes."""
    return (
        json.dumps(value, indent=1).replace("a", "\\u0061").replace("f\\u0061lse", "false").replace("N\\u0061N", "NaN")
    )


@given(VALUES, VALUES)
def test_differences_applied_to_one_side_give_the_other(left: Any, right: Any) -> None:
    found = of(json.dumps(left), json.dumps(right))
    assert (found.verdict == "same") is (json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True))
    assert applied(left, found) == right


@given(VALUES, VALUES)
def test_what_only_we_can_read_is_compared_as_what_msgspec_reads(left: Any, right: Any) -> None:
    found, ours = (
        of(json.dumps([1, left]), json.dumps([1, right])),
        of(f"[NaN,{json.dumps(left)}]", f"[NaN,{json.dumps(right)}]"),
    )
    assert told(found) == told(ours)


def applied(value: Any, found: Comparison) -> Any:
    """The left value with each difference made in it: first what changed, then what went, then what came."""
    root = {"": value}
    for each in found.differences:
        if each.left and each.right:
            put(root, each.left.pointer, text_at(found.right, each.right))
    for each in reversed(found.differences):
        if each.left and not each.right:
            holder, name = held(root, each.left.pointer)
            del holder[name]
    for each in found.differences:
        if each.right and not each.left:
            put(root, each.right.pointer, text_at(found.right, each.right), new=True)
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
def test_numbers_are_compared_by_spelling_and_the_same_number_is_said_to_be_one(
    left: str, right: str, kind: str
) -> None:
    assert told(of(f'{{"n":{left}}}', f'{{"n":{right}}}')) == [(kind, f"/n {left}", f"/n {right}")]


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
def test_a_place_is_told_by_its_pointer_and_its_bytes(
    left: str, right: str, expected: list[tuple[str, str, str]]
) -> None:
    assert told(of(left, right)) == expected


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [("[1,2", "[1,3", "differs"), ("<html>", '{"a":1}', "differs"), ("[1,2", "[1,2", "same"), ("[1]", "[1 ]", "same")],
)
def test_bodies_that_are_not_json_are_compared_as_text(left: str, right: str, verdict: str) -> None:
    one, two = (exchange(Malformed("no"), body=body.encode()) for body in (left, right))
    assert at_once(compared(one, two)).verdict == verdict


def nest(depth: int, leaf: str) -> str:
    return '[{"a":' * (depth // 2) + leaf + "}]" * (depth // 2)


def test_values_800_deep_are_compared_by_their_meaning() -> None:
    one, two = nest(800, '{"x":1,"y":2}'), nest(800, '{"y":2,"x":1}')
    assert of(one, two).verdict == of(f"[{one},1]", f"[{two},1]").verdict == "same"
    assert told(of(f"[{one},1]", f"[0,{two},1]")) == [("added", "", "/0 0")]
    (found,) = of(nest(800, "1"), nest(800, "2")).differences
    assert found.kind == "changed"
    assert found.left is not None
    assert found.left.pointer == "/0/a" * 100


@pytest.mark.parametrize("depth", [DEEP, 1_100])
@pytest.mark.parametrize("odd", ["1", "NaN"])
def test_deeper_responses_are_refused_unless_they_are_equal(depth: int, odd: str) -> None:
    left, right = (f"[{odd},{nest(depth, leaf)}]" for leaf in "12")
    assert of(left, left).verdict == "same"
    found = of(left, right)
    assert (found.verdict, found.differences) == ("not comparable", ())
    assert found.why == "The responses are nested too deep to be compared: more than 900 levels."


def test_what_is_left_out_is_listed_and_what_is_the_same_anyway_is_not() -> None:
    left = '{"items":[{"id":1,"at":5},{"id":2,"at":6}],"at":1,"gone":0}'
    right = '{"items":[{"id":1,"at":7},{"id":2,"at":6}],"at":2}'
    found = of(left, right, "/items/*/at", "/gone", "at")
    assert told(found) == [("changed", "/at 1", "/at 2")]
    assert found.ignored == ("/items/0/at", "/gone")


def test_a_value_that_a_secret_stood_in_is_counted_and_not_compared() -> None:
    left = '{"a":"«prod.password»","b":"x «not recorded»","c":{"d":"«prod.token»"},"«prod.session»":1,"n":1}'
    right = '{"a":"«prod.password»","b":{"c":1},"c":{"d":7},"«staging.session»":1,"n":"«no.placeholder»"}'
    found = of(left, right)
    assert [kind for kind, *_ in told(found)] == ["changed"]
    assert found.hidden == 5


def test_a_result_and_an_error_differ_as_a_whole() -> None:
    error = ErrorObject(-32602, "Invalid params", b'{"field":"id"}', b"{}")
    found = at_once(compared(exchange(Result(b'{"id": 1}')), exchange(error)))
    assert found.outcomes == ("result", "error")
    assert told(found) == [
        ("changed", ' {"id": 1}', ' {"code":-32602,"message":"Invalid params","data":{"field":"id"}}')
    ]


def test_of_two_errors_code_message_and_data_are_compared() -> None:
    def failed(data: bytes | None, code: int | None = 7) -> Exchange:
        return exchange(ErrorObject(code, 'no "id"', data, b'{"trace":%d}' % id(data)))

    assert at_once(compared(failed(b"1"), failed(b"1"))).verdict == "same"
    assert told(at_once(compared(failed(b'{"a":1}'), failed(b'{"a":2}')))) == [("changed", "/data/a 1", "/data/a 2")]
    assert told(at_once(compared(failed(None), failed(b"[]", None)))) == [
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
def test_without_a_reply_the_kind_of_outcome_is_what_there_is(left: Outcome, right: Outcome, verdict: str) -> None:
    found = at_once(compared(exchange(left, body=b"<html>"), exchange(right, body=b"<html>")))
    assert (found.verdict, bool(found.why)) == (verdict, verdict == "not comparable")


def test_a_record_that_was_cut_is_not_comparable() -> None:
    whole = exchange(Result(b"1"))
    cut = exchange(Result(b"1"), response=Response(200, body=b"{", size=10_000, cut=True))
    found = at_once(compared(whole, cut))
    assert (found.verdict, found.why) == ("not comparable", "The record on the right was cut at 1 of 10,000 bytes.")


def test_replies_to_a_batch_are_compared_by_the_call_that_they_answer() -> None:
    def batch(id: str, body: str) -> Exchange:
        text = body.replace("#", id).encode()
        calls = '[{"method":"a"},{"method":"b","id":"mine"},{"method":"c","id":null}]'
        return exchange(decode_batch(text, ()), body=text, id=id, kind="batch", params=calls)

    one = batch(
        "01jd4x9a2mk7c3q", '[{"jsonrpc":"2.0","id":"#.1","result":1},{"id":"mine","jsonrpc":"2.0","result":{"x":1}}]'
    )
    two = batch(
        "02jd4x9a2mk7c3q", '[{"jsonrpc":"2.0","id":"mine","result":{"x":2}},{"id":"#.1","jsonrpc":"2.0","result":1}]'
    )
    assert told(at_once(compared(one, two))) == [("changed", "/1/result/x 1", "/1/result/x 2")]


def of(left: str, right: str, *ignore: str) -> Comparison:
    return at_once(compared_texts(left.encode(), right.encode(), ignore))


def told(comparison: Comparison) -> list[tuple[str, str, str]]:
    """Kind, and pointer and text on both sides."""
    return [
        (each.kind, _side(each.left, comparison.left), _side(each.right, comparison.right))
        for each in comparison.differences
    ]


def _side(place: ComparedPlace | None, text: bytes) -> str:
    return f"{place.pointer} {text[place.start : place.end].decode()}" if place else ""
