"""Which name an object repeats, if any does."""

from __future__ import annotations

import pytest

from rpcexplorer.jsontext.scan import repeated_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[]", None),
        ('{"a": 1, "b": 1}', None),
        ('{"a": 1, "b": 2, "a": 1}', "a"),
        ('{"a":1,"\\u0061":2}', "a"),
        ('{"a": {"a": {"a": "a"}}, "b": ["a", "a", "a"]}', None),
        ('[{"a": 1}, {"a": 1}]', None),
        ('[{"a": {"x": [{"b": 1, "b": 1}]}, "a": 1}]', "b"),
        ('{"a": {"c": 1}, "b": {"c": 1}, "b": 1}', "b"),
        ('{"{": "}", "}": "{\\"", "a:": ":", "\\"": ":"}', None),
        ('{"": 1, "" : 2}', ""),
        ("[" * 50_000 + '{"a": 1, "a": 2}' + "]" * 50_000, "a"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_the_first_name_that_stands_twice_in_one_object_is_found(text: str, name: str | None) -> None:
    assert repeated_name(text) == name
