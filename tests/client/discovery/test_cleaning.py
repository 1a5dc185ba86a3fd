"""What no file could hold ends where a service's answer is read, wherever in it that stands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.discovery.openrpc import read_openrpc
from rpcexplorer.discovery.questions import value_of
from rpcexplorer.discovery.reader import DEEPEST, clean

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3) | st.just("\ud800"), inner),
    max_leaves=20,
)


@given(VALUES)
def test_what_is_clean_can_be_written_and_is_clean_once_and_for_all(value: Any) -> None:
    cleaned = clean(value)
    json.dumps(cleaned, allow_nan=False, ensure_ascii=False).encode()
    assert clean(cleaned) is cleaned


@pytest.mark.parametrize(
    ("value", "cleaned"),
    [
        (["\ud800é", {"a\udfff": 1}], ["\ufffdé", {"a\ufffd": 1}]),
        ({"default": float("nan"), "enum": [1, float("inf")], "type": "number"}, {"type": "number"}),
        ([{"const": [[float("nan")]]}, float("inf")], [{}, None]),
        (float("-inf"), None),
    ],
)
def test_half_characters_are_marked_and_numbers_that_are_none_are_left_out(value: Any, cleaned: Any) -> None:
    assert clean(value) == cleaned


@pytest.mark.parametrize("value", [{"a": ["é😀", 1.5, None]}, [], "x", 7, [[0]] * 1_000])
def test_what_is_clean_already_stays_the_value_that_it_is(value: Any) -> None:
    assert clean(value) is value


@pytest.mark.parametrize("levels", [DEEPEST + 1, 900])
def test_there_is_an_end_to_depth(levels: int) -> None:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {"items": schema}
    cleaned, count = clean(schema), 0
    while cleaned:
        cleaned, count = cleaned["items"], count + 1
    assert count == DEEPEST


def test_a_whole_answer_is_clean_before_a_dialect_sees_it() -> None:
    deep = '{"items":' * 700 + "true" + "}" * 700
    text = (
        '{"methods": [{"name": "a\\ud800"}, {"name": "m", "tags": [{"name": "t\\ud800"}], "params": [{"name": "p",'
        '"schema":'
        f'{{"enum": ["\\ud800"], "const": NaN, "description": "\\ud800", "properties": {{"x\\ud800": {deep}}}}}}}],'
        '"examples": [{"name": "e", "params": [{"name": "p", "value": "\\ud800"}]}]}]}'
    )
    listing = read_openrpc(value_of(text.encode()).value)
    described = listing.described["m"]
    assert (list(listing.described), described.tags) == (["m"], ())
    json.dumps(described.params[0].schema, allow_nan=False, ensure_ascii=False).encode()
    assert (described.params[0].schema["enum"], "const" in described.params[0].schema) == (["\ufffd"], False)
    assert listing.skipped == ("1 left out: without a name that can be called",)


@pytest.mark.parametrize(
    ("bad", "left"),
    [
        ('{"maximum": ' + "9" * 5_000 + ', "minimum": 1}', {"minimum": 1}),
        ('{"a": "]}\\"[", "items": ' + '[{"b": ' * 3_000 + "1" + "}]" * 3_000 + "}", "deep"),
    ],
)
def test_one_bad_place_costs_no_more_than_itself(bad: str, left: Any) -> None:
    params = f'[{{"name": "p", "schema": {bad}}}]'
    document = f'{{"openrpc": "1.3.2", "methods": [{{"name": "a", "params": {params}}}, {{"name": "b"}}]}}'
    listing = read_openrpc(value_of(document.encode()).value)
    assert [method.name for method in listing.methods] == ["a", "b"]
    schema = listing.described["a"].params[0].schema
    assert schema == left or (left == "deep" and schema["a"] == ']}"[' and json.dumps(schema).count("[") < DEEPEST)
