"""Which element of an array belongs to which of another: as a person would say it who sees both."""

from __future__ import annotations

import json
import random
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.compare.compare import Comparison, compared_texts
from rpcexplorer.compare.pairing import aligned, shortest
from rpcexplorer.compare.parts import LARGE, LevelParts, canonical, canonical_part
from rpcexplorer.jsontext.steps import at_once
from tests.compare.test_compare import SCALARS, applied, of, shuffled, told

ROWS = [{"id": at, "name": f"user {at % 7}", "tags": ["a", at]} for at in range(1_000)]
ITEMS = st.sampled_from([1, 2, "a", [1], {"id": 1, "v": 1}, {"id": 1, "v": 2}, {"id": 2, "v": 1, "w": [1, 2]}, {}])


@given(st.lists(ITEMS, max_size=12), st.lists(ITEMS, max_size=12))
def test_of_arrays_of_few_things_one_becomes_the_other_and_the_other_the_one(left: list[Any], right: list[Any]) -> None:
    there, back = of(json.dumps(left), json.dumps(right)), of(json.dumps(right), json.dumps(left))
    turned = {"added": "removed", "removed": "added"}
    assert sorted((turned.get(kind, kind), two, one) for kind, one, two in told(back)) == sorted(told(there))
    assert applied(json.loads(json.dumps(left)), there) == right
    assert applied(json.loads(json.dumps(right)), back) == left


@given(st.lists(st.integers(0, 4), max_size=14), st.lists(st.integers(0, 4), max_size=14))
def test_as_many_equal_items_are_found_as_there_are(left: list[int], right: list[int]) -> None:
    matches = at_once(shortest(left, right, (0, len(left), 0, len(right), 0)))
    assert matches is not None
    assert len(matches) == longest(left, right)
    for found in (sorted(matches), at_once(aligned(left, right))[0]):
        assert all(left[at] == right[to] for at, to in found)
        assert all(one[0] < two[0] and one[1] < two[1] for one, two in pairwise(found))


def longest(left: list[int], right: list[int]) -> int:
    """The length of the longest common subsequence, found by trying."""
    row = [0] * (len(right) + 1)
    for one in left:
        before, row = row, [0]
        for at, two in enumerate(right):
            row.append(before[at] + 1 if one == two else max(before[at + 1], row[-1]))
    return row[-1]


@pytest.mark.parametrize(
    ("right", "expected"),
    [
        ([{"id": -1}, *ROWS], [("added", "", "/0")]),
        (ROWS[1:], [("removed", "/0", "")]),
        ([*ROWS[:500], *ROWS[501:700], {"x": 1}, *ROWS[700:]], [("removed", "/500", ""), ("added", "", "/699")]),
        ([{"id": -1}, *({**row, "name": "new"} for row in ROWS[:3]), *ROWS[3:]],
         [("added", "", "/0"), *(("changed", f"/{at}/name", f"/{at + 1}/name") for at in range(3))]),
        ([{"new": 0, **row} for row in ROWS[1:]],
         [("removed", "/0", ""), *(("added", "", f"/{at}/new") for at in range(999))]),
        ([*ROWS[:3], {"id": -1, "name": "x", "tags": []}, *ROWS[4:]], [("removed", "/3", ""), ("added", "", "/3")]),
    ],
    ids=["at the front", "the first went", "in the middle", "and some changed", "all changed and one went", "another"],
)  # fmt: skip
def test_an_element_that_came_or_went_is_one_difference(right: list[Any], expected: list[tuple[str, str, str]]) -> None:
    found = of(json.dumps(ROWS), json.dumps(right))
    assert pointers(found) == expected
    assert not found.unaligned


def test_what_is_left_out_or_hidden_is_no_reason_for_another_partner() -> None:
    left = [{"n": f"user {at}", "at": at, "key": "«prod.token»"} for at in range(40)]
    right = [{"n": "new", "at": 0, "key": ""}, *({**row, "at": 7, "key": "«staging.token»"} for row in left)]
    found = of(json.dumps(left, ensure_ascii=False), json.dumps(right, ensure_ascii=False), "/*/at")
    assert pointers(found) == [("added", "", "/0")]
    assert (len(found.ignored), found.hidden) == (39, 40)


def test_an_element_is_known_without_a_name_whatever_its_layout_and_whatever_is_hidden_in_it() -> None:
    left = [{"a": at % 5, "b": [at % 3], "key": "«prod.token»"} for at in range(200)]
    right = [{"key": "«staging.token»", "b": [at % 3], "a": at % 5} for at in range(200)]
    found = of(json.dumps(left, ensure_ascii=False), json.dumps([{"c": 1}, *right], ensure_ascii=False))
    assert pointers(found) == [("added", "", "/0")]


LEAVES = SCALARS | st.sampled_from(["«x.token»", "\x1f"])
MEMBERS = st.dictionaries(st.sampled_from(["a", "é", "\ud800", "«x.token»"]), LEAVES | st.lists(LEAVES, max_size=2))
"""Among names and strings are such that are half a character, or in which a secret was hidden."""
ELEMENTS = st.lists(MEMBERS | LEAVES | st.lists(MEMBERS, max_size=2), max_size=6)
DEEP = "[" * 1_200 + "]" * 1_200


@given(ELEMENTS, st.randoms(use_true_random=False), st.sampled_from(["", "\ud800", "twice", "deep"]))
def test_no_order_of_members_and_no_mix_of_spellings_makes_a_difference(
    elements: list[Any], dice: random.Random, what: str
) -> None:
    elements = [one for each in elements for one in (each, shuffled(each, dice))]
    left, right = ([respelled(shuffled(each, dice), dice) for each in elements] for _ in range(2))
    if what == "twice":
        left, right = ([f'{{"a":1,"b":{each},"a":{each}}}' for each in side] for side in (left, right))
    if what == "deep":
        left, right = (['["",' * 300 + each + "]" * 300 for each in side] for side in (left, right))
    texts = f"[{','.join(left)}]", f"[{', '.join(right)}]"
    assert of(*texts).verdict == "same"
    ours, theirs = (f"[{','.join([*side, '0'])}]" for side in (left, right))
    assert pointers(of(texts[0], theirs)) == [("added", "", f"/{len(left)}")]
    assert pointers(of(ours, texts[1])) == [("removed", f"/{len(left)}", "")]


def respelled(value: Any, dice: random.Random) -> str:
    """With escapes or without, wherever there is a choice; but for the mark of a secret, which has none."""
    text = json.dumps(value, ensure_ascii=False, separators=dice.choice([(",", ":"), (", ", ": ")]))
    text = re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)
    return re.sub('[aé](?=")', lambda each: dice.choice([each[0], f"\\u{ord(each[0]):04X}"]), text)


@pytest.mark.thorough
@given(
    st.lists(MEMBERS, min_size=1, max_size=8),
    st.sampled_from([0, "«x.token»", [[]]]),
    st.randoms(use_true_random=False),
    st.sampled_from(["0", "NaN", DEEP]),
)
def test_lists_are_the_same_that_differ_in_what_is_left_out(
    elements: list[dict[str, Any]], other: Any, dice: random.Random, beside: str
) -> None:
    def side(start: int) -> str:
        rows = ({**each, "x": [at, other]} for at, each in enumerate(elements, start))
        return f'{{"beside":{beside},"a":[{",".join(respelled(shuffled(row, dice), dice) for row in rows)}]}}'

    left, right = side(0), side(1)
    assert of(left, right, "/a/*/x").verdict == "same"
    right = right.replace('"a":[', '"a":[{"q":1},', 1)
    assert pointers(of(left, right, "/a/*/x")) == [("added", "", "/a/0")]


def test_a_large_value_is_known_by_what_a_small_one_is_known_by() -> None:
    one, other = '"b":["«x.token»",{"z":1.0,"a":["\\ud800"]}]', '"a":[1,[[2, 3]]]'
    small = f'{{{one},{other},"«x.session»":1,"a":{{"q":0,"p":[{{}}]}},"\\udc00":0}}'.encode()
    large = small.replace(b"2, 3", b"2," + b" " * LARGE + b"3")
    for patterns in ((), (("*", "0"), ("a", "q"))):
        for marks in (False, True):
            steps = canonical_part(LevelParts(large), (0, len(large)), patterns, marks=marks)
            assert at_once(steps) == canonical(small, patterns, marks=marks) != small


def test_elements_that_have_one_name_twice_are_the_same_only_by_both() -> None:
    assert told(of('[0,{"a":1,"a":2}]', '[{"a":3,"a":2},0,{"a":1, "a":2}]')) == [("added", "", '/0 {"a":3,"a":2}')]
    assert told(of('[0,{"a":1,"a":2}]', '[0,{"a":3,"a":2}]')) == [("changed", "/1/a 1", "/1/a 3")]


def test_scalars_that_changed_are_paired_by_place_and_the_rest_came_or_went() -> None:
    assert pointers(of("[1,2,3,4]", "[1,7,8,4]")) == [("changed", "/1", "/1"), ("changed", "/2", "/2")]
    assert [kind for kind, *_ in pointers(of("[1,2,4]", "[1,7,8,4]"))] == ["changed", "added"]
    assert [kind for kind, *_ in pointers(of("[1.0,2]", "[1.00,2]"))] == ["spelling"]


def test_where_it_would_take_too_long_elements_are_compared_by_place_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rpcexplorer.compare.pairing.MOST_EDITS", 40)
    left = [at * 7919 % 50 for at in range(100)]
    right = [at * 6007 % 50 for at in range(101)]
    for one in (right, right[1:]):
        found = of(json.dumps({"a": left}), json.dumps({"a": one}))
        assert found.unaligned == ("/a",)
        assert applied({"a": list(left)}, found) == {"a": one}


def test_the_work_is_done_in_small_steps_and_can_be_left() -> None:
    right = [{**row, "name": "x"} for row in ROWS]
    steps = compared_texts(json.dumps(ROWS).encode(), json.dumps([{}, *right]).encode())
    assert sum(1 for _ in zip(range(10), steps, strict=False)) == 10
    steps.close()


def pointers(found: Comparison) -> list[tuple[str, str, str]]:
    return [
        (each.kind, each.left.pointer if each.left else "", each.right.pointer if each.right else "")
        for each in found.differences
    ]
