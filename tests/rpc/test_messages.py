"""Ids: short, and sorted by the time they were made."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from rpcexplorer.rpc.messages import CHANCE_LIMIT, MessageForm, explain, make_id, number_of, spellings, wire_id

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


NUMBERS = MessageForm(id="number")


@given(moments, st.integers(1, 10**9 - 1))
@example((1_795_000_000_000, 12345), 1)
def test_the_number_of_an_id_is_given_back_by_servers_that_cut_to_32_bits(moment: tuple[int, int], row: int) -> None:
    id = make_id(*moment)
    assume(not id.isdigit())  # before 2039 no id that is made has digits alone: that is a number somebody typed
    parts = (".initialize", ".login", "", ".1", f".{row}")
    before, login, call, first, last = (number_of(f"{id}{part}") for part in parts)
    assert before is not None
    assert login is not None
    assert call is not None
    assert first is not None
    assert last is not None
    assert 0 < before < login < call == first <= last < 2**31
    assert last - call == row - 1, "each call of a batch has its own"


@pytest.mark.parametrize(
    ("id", "text"),
    [
        ("7", "7"),
        ("-7", "-7"),
        ("0", "0"),
        ("7.1", "7"),
        ("7.3", "9"),
        ("7.login", "6"),
        ("7.initialize", "5"),
        ("notification.login", "2"),
        ("notification.initialize", "1"),
        ("abc", '"abc"'),
        ("abc.1", '"abc.1"'),
        ("007", '"007"'),
        ("1e3", '"1e3"'),
        ("", '""'),
        ("12345678901234567890", '"12345678901234567890"'),
    ],
)
def test_an_id_that_was_typed_goes_out_as_the_number_it_is_or_as_it_is(id: str, text: str) -> None:
    assert wire_id(id, NUMBERS) == text
    assert wire_id(id, MessageForm()) == f'"{id}"'


def test_a_server_may_give_back_an_id_in_the_other_type() -> None:
    assert spellings("7") == {b"7", b'"7"'}
    assert spellings("abc") == {b'"abc"'}
    assert spellings(make_id(1, 5)) == {b'"000000001000005"', b'"8"', b"8"}


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
