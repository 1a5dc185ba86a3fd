"""The context of the cursor in params that are being typed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext.cursor import DEEPEST, LONGEST, TypedPlace, place_at


def at(text: str) -> TypedPlace | None:
    offset = text.index("|")
    return place_at(text.replace("|", "", 1), offset)


@pytest.mark.parametrize(
    ("text", "due", "path", "typed", "span"),
    [
        ("{|", "name", (), "", (1, 1)),
        ("{cou|nt", "name", (), "cou", (1, 6)),
        ('{"co|unt", "b": 1}', "name", (), "co", (1, 8)),
        ('{"co|unt\n "b": 1}', "name", (), "co", (1, 7)),
        ('{"a": 1, "b": {"c": [1, "x,", |', "value", ("b", "c", 2), "", (30, 30)),
        ('{"a": "x|y z"}', "value", ("a",), "x", (6, 12)),
        ('{"a": tr|ue}', "value", ("a",), "tr", (6, 10)),
        ('{"a": [{}] |\n, "b": 1}', "next", (), "", (10, 11)),
        ('{"a\\u0041": |', "value", ("aA",), "", (12, 12)),
        ('{"a": "\\n|"', "value", ("a",), "\n", (6, 10)),
        ('{"a": "never closed\n "b": [|', "value", ("b", 0), "", (27, 27)),
        ("[[1,[2,3]],{}, |", "value", (2,), "", (15, 15)),
    ],
)
def test_expected_token_at_the_cursor_is_known(
    text: str, due: str, path: Any, typed: str, span: tuple[int, int]
) -> None:
    found = at(text)
    assert found
    assert (found.due, found.path, found.typed, (found.start, found.end)) == (due, path, typed, span)


@pytest.mark.parametrize(
    "text",
    ["|", "|[]", "[]|", "a|", '{"a"|: 1}', '{"a" |', "[1 |", "[1|:", '{"a": |"x"}', '{"a": | 5}', '{"a": 1 | b',  "{[|",
     "[" * (DEEPEST + 1) + "|", "[" + " " * LONGEST + "|"],
)  # fmt: skip
def test_invalid_position_expects_nothing(text: str) -> None:
    found = at(text)
    assert found is None


def test_scalars_of_each_level_are_known() -> None:
    found = at('{"type": "a, b", "no": [1], "in": {"x": 1.50, |"y": {"z": 0}, "t": true}, "last": null} "not": 1')
    assert found
    assert [level.members for level in found.levels] == [
        {"type": '"a, b"', "no": "", "in": "", "last": "null"},
        {"x": "1.50", "y": "", "t": "true"},
    ]


def test_comma_or_colon_after_the_cursor_is_seen() -> None:
    texts = ('{| "a": 1}', '{"a|": 1}', "[| 1]", "{|}", '{"a": | "b": 1}')
    found = [at(text) for text in texts]
    assert [place and (place.comma, place.colon) for place in found] == [
        (True, False), (False, True), (True, False), (False, False), (True, False),
    ]  # fmt: skip


NAMES = st.text('ab"{,', max_size=3)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text('ab"\\{[,: ', max_size=4)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=6,
)


@given(st.one_of(st.lists(VALUES, max_size=3), st.dictionaries(NAMES, VALUES, max_size=3)), st.sampled_from([None, 2]))
def test_value_at_cursor_is_one_at_its_path(params: Any, indent: Any) -> None:
    text = json.dumps(params, indent=indent)
    for offset in range(len(text) + 1):
        found = place_at(text, offset)
        if found and found.due == "value" and found.start < found.end:
            value = params
            for step in found.path:
                value = value[step]
            assert json.loads(text[found.start : found.end]) == value


@given(st.text('{}[]",:ab1\n\\ ', max_size=30), st.integers(0, 30))
def test_any_text_has_a_context(text: str, offset: int) -> None:
    found = place_at(text, min(offset, len(text)))
    assert found is None or found.start <= found.end <= len(text)
