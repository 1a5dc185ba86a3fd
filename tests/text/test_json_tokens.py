from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.text.json_text import json_tokens


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ('{"a"', [("{", "punctuation"), ('"a"', "string")]),
        ('"a": 1.5', [('"a"', "key"), (":", "punctuation"), ("1.5", "number")]),
        ("[true, null]", [("[", "punctuation"), ("true", "literal"), (",", "punctuation"), ("null", "literal")]),
        ('"unfinished', [('"unfinished', "string")]),
        ("1 // why", [("1", "number"), ("// why", "error")]),
        ("'", [("'", "error")]),
        (" \n", []),
    ],
)
def test_each_token_has_its_role(text: str, roles: list[tuple[str, str]]) -> None:
    found = [(text[start:end], role.removeprefix("json-")) for start, end, role in json_tokens(text)]
    assert found[: len(roles)] == roles


@given(st.text(alphabet='{}[]",:\\ \n1.e-truefalsn/*\x1b“é', max_size=40))
def test_tokens_of_anything_come_in_turn_and_do_not_overlap(text: str) -> None:
    at = 0
    for start, end, _ in json_tokens(text):
        assert at <= start < end <= len(text)
        at = end
