"""Ids and error codes."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from rpcexplorer.rpc.messages import CHANCE_LIMIT, MessageForm, explain, make_id, number_of, spellings, wire_id

moments = st.tuples(st.integers(0, 2**44), st.integers(0, CHANCE_LIMIT - 1))


@given(moments, moments)
def test_ids_sort_by_time(one: tuple[int, int], other: tuple[int, int]) -> None:
    assert (make_id(*one) < make_id(*other)) == (one < other)


def test_id_is_15_characters_of_one_word() -> None:
    made = make_id(1_795_000_000_000, 12345)
    assert len(made) == 15
    assert made.isalnum()


@pytest.mark.parametrize(("when", "chance"), [(-1, 0), (32**9, 0), (0, CHANCE_LIMIT)])
def test_number_that_does_not_fit_raises(when: int, chance: int) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        make_id(when, chance)


NUMBERS = MessageForm(id="number")


@given(moments, st.integers(1, 10**9 - 1))
@example((1_795_000_000_000, 12345), 1)
def test_number_of_an_id_fits_into_32_bits(moment: tuple[int, int], row: int) -> None:
    id = make_id(*moment)
    assume(not id.isdigit())  # Before 2039 a generated id never has only digits, so the user typed such an id.
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
def test_typed_id_is_sent_as_number_or_unchanged(id: str, text: str) -> None:
    assert wire_id(id, NUMBERS) == text
    assert wire_id(id, MessageForm()) == f'"{id}"'


def test_response_id_of_the_other_type_matches() -> None:
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
def test_codes_of_the_specification_are_explained(code: int | None, words: str) -> None:
    explained = explain(code)
    assert (words in explained) if words else explained == ""
