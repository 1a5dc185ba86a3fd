"""Ids: short, and sorted by the time they were made."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.protocol.codes import explain
from rpcexplorer.protocol.ids import CHANCE_LIMIT, make_id

moments = st.tuples(st.integers(0, 2**44), st.integers(0, CHANCE_LIMIT - 1))


@given(moments, moments)
def test_ids_sort_as_the_moments_they_were_made_at(one: tuple[int, int], other: tuple[int, int]) -> None:
    assert (make_id(*one) < make_id(*other)) == (one < other)


def test_an_id_is_fifteen_characters_that_can_be_selected_with_a_double_click() -> None:
    made = make_id(1_795_000_000_000, 12345)
    assert len(made) == 15
    assert made.isalnum()


@pytest.mark.parametrize(("when", "chance"), [(-1, 0), (32**9, 0), (0, CHANCE_LIMIT)])
def test_what_does_not_fit_is_refused_rather_than_cut(when: int, chance: int) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        make_id(when, chance)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (-32601, "Method not found"),
        (-32000, "Server error"),
        (-32099, "Server error"),
        (-32200, "Reserved"),
        (7, ""),
        (None, "no integer code"),
    ],
)
def test_codes_are_explained_where_the_specification_gives_them_a_meaning(code: int | None, words: str) -> None:
    explained = explain(code)
    assert (words in explained) if words else explained == ""
