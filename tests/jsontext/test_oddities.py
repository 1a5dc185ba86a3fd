"""What is odd about JSON, in words: each kind once, and nothing where there is nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext.scan import long_number, oddities


@pytest.mark.parametrize(
    ("text", "remarks"),
    [
        ('{"a": [1, "NaN", "\\ud83d\\ude00", "\\\\ud800"], "-Infinity": null}', ()),
        ("[NaN, NaN]", ("NaN is not JSON",)),
        ("[-Infinity]", ("Infinity is not JSON",)),
        ('["\\ud800", "\\udc00"]', ("lone surrogate \\ud800 in a string",)),
        ('["\\ude00\\ud83d"]', ("lone surrogate \\ude00 in a string",)),
        ('["a\tb"]', ("raw control character U+0009 in a string",)),
        ('["\udcff"]', ("half a character, U+DCFF, in a string",)),
        pytest.param("[" * 1100 + "]" * 1100, ("nested 1,100 deep",), id="deep"),
        pytest.param("[" + "1" * 5000 + "]", ("a number of 5,000 digits",), id="long number"),
        pytest.param('["' + "1" * 5000 + '"]', (), id="long string"),
    ],
)
def test_oddities_are_said_in_words(text: str, remarks: tuple[str, ...]) -> None:
    assert oddities(text) == remarks


@given(st.integers(4250, 4350), st.integers(0, 4400), st.sampled_from(["", "-", "0.", '"']))
def test_a_long_number_is_found_wherever_it_stands(count: int, before: int, sign: str) -> None:
    end = sign if sign == '"' else ""
    text = f"[{' ' * before}{sign}{'7' * count}{end}, 1]"
    assert bool(long_number(text.encode())) is (count > 4300 and sign != '"')


def test_each_kind_of_oddity_is_said_once() -> None:
    found = oddities('[NaN, "\\ud800", NaN, "\\ud801", Infinity]')
    assert found == ("NaN is not JSON", "lone surrogate \\ud800 in a string", "Infinity is not JSON")
