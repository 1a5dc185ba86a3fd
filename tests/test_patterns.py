from __future__ import annotations

import re

import pytest

from rpcexplorer.patterns import regex


def test_pattern_is_used_like_a_compiled_one() -> None:
    word = regex(r"(\w)\w*", re.ASCII)
    assert word.pattern == r"(\w)\w*"
    assert word.sub(r"\1", "one two") == "o t"
    found = word.match("äh")
    assert found is None
    assert [match[0] for match in word.finditer("one two")] == ["one", "two"]


def test_pattern_is_compiled_on_first_use() -> None:
    wrong = regex("(")
    with pytest.raises(re.error, match="missing"):
        wrong.match("x")
