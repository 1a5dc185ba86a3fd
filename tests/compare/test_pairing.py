"""Pairs of array elements: those that a reader would pair."""

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
from rpcexplorer.compare.pairing import matched
from rpcexplorer.jsontext.steps import at_once
from tests.compare.test_compare import SCALARS, applied, compare_texts, shuffled, summary

ROWS = [{"id": at, "name": f"user {at % 7}", "tags": ["a", at]} for at in range(1_000)]
ITEMS = st.sampled_from([1, 2, "a", [1], {"id": 1, "v": 1}, {"id": 1, "v": 2}, {"id": 2, "v": 1, "w": [1, 2]}, {}])


@given(st.lists(ITEMS, max_size=12), st.lists(ITEMS, max_size=12))
def test_differences_of_short_arrays_give_the_other_array(left: list[Any], right: list[Any]) -> None:
    assert applied(json.loads(json.dumps(left)), compare_texts(json.dumps(left), json.dumps(right))) == right


@given(st.lists(st.integers(0, 4), max_size=14), st.lists(st.integers(0, 4), max_size=14))
def test_matched_items_are_equal_and_in_order(left: list[int], right: list[int]) -> None:
    found = at_once(matched(left, right))
    assert all(left[at] == right[to] for at, to in found)
    assert all(one[0] < two[0] and one[1] < two[1] for one, two in pairwise(found))
    assert at_once(matched(left, left)) == [(at, at) for at in range(len(left))]
    assert bool(found) == bool({*left} & {*right})


@pytest.mark.parametrize("values", [1, 2, 5, 50, 2_000])
def test_matching_2000_items_finds_most_in_few_steps(values: int) -> None:
    dice = random.Random(25)
    left = [dice.randrange(values) for _ in range(2_000)]
    right = list(left)
    for _ in range(25):
        del right[dice.randrange(len(right))]
        right.insert(dice.randrange(len(right)), dice.randrange(values))
    steps = matched(left, right)
    assert sum(1 for _ in steps) < 500
    assert len(at_once(matched(left, right))) >= 1_960


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
def test_added_or_removed_element_is_one_difference(right: list[Any], expected: list[tuple[str, str, str]]) -> None:
    found = compare_texts(json.dumps(ROWS), json.dumps(right))
    assert pointers(found) == expected


def test_ignored_or_redacted_values_do_not_change_pairs() -> None:
    left = [{"n": f"user {at}", "at": at, "key": "«prod.token»"} for at in range(40)]
    right = [{"n": "new", "at": 0, "key": ""}, *({**row, "at": 7, "key": "«staging.token»"} for row in left)]
    found = compare_texts(json.dumps(left, ensure_ascii=False), json.dumps(right, ensure_ascii=False), "/*/at")
    assert pointers(found) == [("added", "", "/0")]
    assert (len(found.ignored), found.hidden) == (39, 40)


def test_elements_without_id_pair_despite_layout_and_redaction() -> None:
    left = [{"a": at % 5, "b": [at % 3], "key": "«prod.token»"} for at in range(200)]
    right = [{"key": "«staging.token»", "b": [at % 3], "a": at % 5} for at in range(200)]
    found = compare_texts(json.dumps(left, ensure_ascii=False), json.dumps([{"c": 1}, *right], ensure_ascii=False))
    assert pointers(found) == [("added", "", "/0")]


LEAVES = SCALARS | st.sampled_from(["«x.token»", "\x1f"])
MEMBERS = st.dictionaries(st.sampled_from(["a", "é", "\ud800", "«x.token»"]), LEAVES | st.lists(LEAVES, max_size=2))
"""Some names and strings are a lone surrogate or a redacted secret."""
ELEMENTS = st.lists(MEMBERS | LEAVES | st.lists(MEMBERS, max_size=2), max_size=4)
APPENDED = '"equal to no other element"'
DEEP = "[" * 400 + "]" * 400


@given(ELEMENTS, st.randoms(use_true_random=False), st.sampled_from(["", "\ud800", "twice", "deep"]))
def test_order_of_members_and_spelling_make_no_difference(
    elements: list[Any], dice: random.Random, variant: str
) -> None:
    elements = [one for element in elements for one in (element, shuffled(element, dice))]
    left, right = ([respelled(shuffled(element, dice), dice) for element in elements] for _ in range(2))
    if variant == "twice":
        left, right = ([f'{{"a":1,"b":{text},"a":{text}}}' for text in side] for side in (left, right))
    if variant == "deep":
        left, right = (['["",' * 300 + text + "]" * 300 for text in side] for side in (left, right))
    texts = f"[{','.join(left)}]", f"[{', '.join(right)}]"
    assert compare_texts(*texts).verdict == "same"
    ours, theirs = (f"[{','.join([*side, APPENDED])}]" for side in (left, right))
    assert pointers(compare_texts(texts[0], theirs)) == [("added", "", f"/{len(left)}")]
    assert pointers(compare_texts(ours, texts[1])) == [("removed", f"/{len(left)}", "")]


def respelled(value: Any, dice: random.Random) -> str:
    """Spell the value with random escapes, except for secret references."""
    text = json.dumps(value, ensure_ascii=False, separators=dice.choice([(",", ":"), (", ", ": ")]))
    text = re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)
    return re.sub('[aé](?=")', lambda found: dice.choice([found[0], f"\\u{ord(found[0]):04X}"]), text)


@pytest.mark.thorough
@given(
    st.lists(MEMBERS, min_size=1, max_size=8),
    st.sampled_from([0, "«x.token»", [[]]]),
    st.randoms(use_true_random=False),
    st.sampled_from(["0", "NaN", DEEP]),
)
def test_lists_that_differ_in_ignored_values_are_same(
    elements: list[dict[str, Any]], other: Any, dice: random.Random, extra: str
) -> None:
    def side(start: int) -> str:
        rows = ({**element, "x": [at, other]} for at, element in enumerate(elements, start))
        return f'{{"extra":{extra},"a":[{",".join(respelled(shuffled(row, dice), dice) for row in rows)}]}}'

    left, right = side(0), side(1)
    assert compare_texts(left, right, "/a/*/x").verdict == "same"
    right = right.replace('"a":[', '"a":[{"q":1},', 1)
    assert pointers(compare_texts(left, right, "/a/*/x")) == [("added", "", "/a/0")]


def test_large_elements_pair_by_spelling_or_position(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.compare.pairing.MAX_CANONICAL_BYTES", 8)
    assert compare_texts('[[1,2,3,4],{"a":[5],"b":1}]', '[[1, 2, 3, 4],{"b":1,"a":[5]}]').verdict == "same"
    assert pointers(compare_texts("[[1,2,3,4],[5,6,7,8]]", "[[0],[1,2,3,4],[5,6,7,8]]")) == [("added", "", "/0")]
    found = pointers(compare_texts('[[{"a":1,"b":2}],[3]]', '[[0],[{"b":2,"a":1}],[3]]'))
    assert found == [("changed", "/0/0", "/0/0"), ("added", "", "/1")]


@pytest.mark.parametrize(
    ("right", "expected"),
    [
        ([{"login": "z", "n": 0}, {"login": "a", "n": 9}, {"login": "b", "n": 9}],
         [("added", "", "/0"), ("changed", "/0/n", "/1/n"), ("changed", "/1/n", "/2/n")]),
        ([{"id": 7, "login": "a", "n": 9}, {"id": 8, "login": "b", "n": 2}],
         [("added", "", "/0/id"), ("changed", "/0/n", "/0/n"), ("added", "", "/1/id")]),
        ([{"x": 1}, {"login": "b", "n": 2}], [("removed", "/0", ""), ("added", "", "/0")]),
        ([{"login": "c", "n": 9}, {"login": "d", "n": 8}],
         [("changed", "/0/login", "/0/login"), ("changed", "/0/n", "/0/n"),
          ("changed", "/1/login", "/1/login"), ("changed", "/1/n", "/1/n")]),
    ],
    ids=["one came and all changed", "an id came", "nothing in common", "no value in common"],
)  # fmt: skip
def test_objects_without_id_pair_by_values_or_position(right: list[Any], expected: list[tuple[str, str, str]]) -> None:
    left = [{"login": "a", "n": 1}, {"login": "b", "n": 2}]
    assert pointers(compare_texts(json.dumps(left), json.dumps(right))) == expected


def test_ignored_id_does_not_pair_elements() -> None:
    left = [{"id": at, "name": f"user {at}"} for at in range(3)]
    right = [{"id": at + 1, "name": f"user {at}"} for at in range(3)]
    found = compare_texts(json.dumps(left), json.dumps(right), "/*/id")
    assert (pointers(found), found.ignored) == ([], ("/0/id", "/1/id", "/2/id"))


def test_elements_with_duplicate_names_need_both_equal() -> None:
    assert summary(compare_texts('[0,{"a":1,"a":2}]', '[{"a":3,"a":2},0,{"a":1, "a":2}]')) == [
        ("added", "", '/0 {"a":3,"a":2}')
    ]
    assert summary(compare_texts('[0,{"a":1,"a":2}]', '[0,{"a":3,"a":2}]')) == [("changed", "/1/a 1", "/1/a 3")]


def test_changed_scalars_pair_by_position() -> None:
    assert pointers(compare_texts("[1,2,3,4]", "[1,7,8,4]")) == [("changed", "/1", "/1"), ("changed", "/2", "/2")]
    assert [kind for kind, *_ in pointers(compare_texts("[1,2,4]", "[1,7,8,4]"))] == ["changed", "added"]
    assert [kind for kind, *_ in pointers(compare_texts("[1.0,2]", "[1.00,2]"))] == ["spelling"]


def test_differences_of_long_lists_give_the_other_list() -> None:
    left = [at * 7919 % 50 for at in range(1_000)]
    right = [at * 6007 % 50 for at in range(1_001)]
    for one in (right, right[1:]):
        assert applied({"a": list(left)}, compare_texts(json.dumps({"a": left}), json.dumps({"a": one}))) == {"a": one}


def test_comparison_runs_in_small_steps_and_can_stop() -> None:
    right = [{**row, "name": "x"} for row in ROWS]
    steps = compared_texts(json.dumps(ROWS).encode(), json.dumps([{}, *right]).encode())
    assert sum(1 for _ in zip(range(10), steps, strict=False)) == 10
    steps.close()


def pointers(found: Comparison) -> list[tuple[str, str, str]]:
    return [
        (item.kind, item.left.pointer if item.left else "", item.right.pointer if item.right else "")
        for item in found.differences
    ]
