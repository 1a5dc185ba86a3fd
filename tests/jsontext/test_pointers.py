"""Pointers with ``*`` into a JSON text."""

from __future__ import annotations

import pytest

from rpcexplorer.jsontext.pointers import parts_of, spans_at

TEXT = ' {"users": [{"email": "a"}, {"email": "b", "email": "c"}], "a/b": {"~": 1}, "n": [0, 1.10]} '


@pytest.mark.parametrize(
    ("pointer", "found"),
    [
        ("", [TEXT.strip()]),
        ("/users/*/email", ['"a"', '"b"', '"c"']),
        ("/*/1", ['{"email": "b", "email": "c"}', "1.10"]),
        ("/users/1/email", ['"b"', '"c"']),
        ("/a~1b/~0", ["1"]),
        ("/n/9", []),
        ("/n/" + "9" * 5000, []),
        ("/users/email", []),
        ("/n/0/0", []),
    ],
)
def test_a_pointer_leads_to_every_value_that_it_means(pointer: str, found: list[str]) -> None:
    parts = parts_of(pointer)
    assert parts is not None
    assert [TEXT[slice(*span)] for span in spans_at(TEXT, parts)] == found


def test_what_does_not_begin_with_a_slash_is_no_pointer() -> None:
    assert parts_of("users/0") is parts_of("/a~2") is None
