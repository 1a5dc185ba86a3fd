from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.files.toml_edit import shown

SCALARS = st.text() | st.integers() | st.booleans() | st.floats(allow_nan=False)
VALUES = st.recursive(SCALARS, lambda inside: st.lists(inside) | st.dictionaries(st.text(), inside), max_leaves=8)


@given(VALUES)
def test_value_is_one_line_and_reads_back_equal(value: Any) -> None:
    text = f"key = {shown(value)}"
    assert "\n" not in text
    assert tomllib.loads(text) == {"key": value}


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        ('a\n\tb"\\é', '"a\\n\\tb\\"\\\\é"'),
        ("a = b", '"a = b"'),
        (1e300, "1e+300"),
        (True, "true"),
        ([1, ["x"]], '[1, ["x"]]'),
        ({"a.b": {}, "c": [{"d": 1}]}, '{ "a.b" = {}, c = [{ d = 1 }] }'),
        (datetime(2026, 11, 22, tzinfo=UTC), "2026-11-22 00:00:00+00:00"),
    ],
)
def test_value_is_spelled_as_a_user_would(value: Any, spelled: str) -> None:
    assert shown(value) == spelled
