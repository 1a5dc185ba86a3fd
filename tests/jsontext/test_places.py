"""Positions of values in a text."""

from __future__ import annotations

import pytest

from rpcexplorer.jsontext.pointers import Places

TEXT = ' {"a": [1, {"b": "x", "b": null}],\n "1": 5, "é\\u0041": {} } '


@pytest.mark.parametrize(
    ("way", "value", "name"),
    [
        ((), TEXT.strip(), ""),
        (("a", 0), "1", ""),
        (("a", 1, "b"), "null", '"b"'),
        ((1,), "5", '"1"'),
        (("éA",), "{}", '"é\\u0041"'),
    ],
)
@pytest.mark.everyday(5)
def test_value_has_its_name_and_last_duplicate_counts(way: tuple[str | int, ...], value: str, name: str) -> None:
    place = Places(TEXT).at(way)
    assert place is not None
    assert (TEXT[place.start : place.end], TEXT[place.name_start : place.name_end]) == (value, name)


@pytest.mark.parametrize("way", [("b",), ("a", 2), ("a", 0, "x"), ("a", "0", "x"), ("a", -1)])
def test_path_to_nothing_finds_nothing(way: tuple[str | int, ...]) -> None:
    assert Places(TEXT).at(way) is None
