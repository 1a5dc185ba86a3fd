"""New layout of JSON text without changes of tokens."""

from __future__ import annotations

import json
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext.layout import LEVELS, compact, indented

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
AWKWARD = '[1.10, NaN, {"a" : "\\ud800 \\/", "a": [ ], "b": {\n}, "c": [ -Infinity ]}, 1e400, "x\ty, [z] "]'


def tokens(text: str) -> list[str]:
    """Return the tokens of a JSON text, found by a simple rule."""
    return re.findall(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+', text, re.DOTALL)


def test_text_that_msgspec_rejects_has_the_same_layout() -> None:
    lines = [
        "[",
        "  1.10,",
        "  NaN,",
        "  {",
        '    "a": "\\ud800 \\/",',
        '    "a": [],',
        '    "b": {},',
        '    "c": [',
        "      -Infinity",
        "    ]",
        "  },",
        "  1e400,",
        '  "x\ty, [z] "',
        "]",
    ]
    assert indented(AWKWARD) == "\n".join(lines)


def test_text_that_msgspec_rejects_is_compacted() -> None:
    sent = '[1.10,NaN,{"a":"\\ud800 \\/","a":[],"b":{},"c":[-Infinity]},1e400,"x\ty, [z] "]'
    assert compact(AWKWARD) == sent


@given(values)
def test_own_layout_and_msgspec_agree(value: object) -> None:
    strict = json.dumps(value).replace("NaN", "1").replace("Infinity", "2")
    same = msgspec.json.format(f"[{strict}, 111]", indent=2)
    assert indented(f"[{strict}, NaN]") == same.removesuffix("111\n]") + "NaN\n]"


@given(values, st.sampled_from([None, 1, 4]))
def test_every_token_survives(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert tokens(compact(text)) == tokens(text)
    assert tokens(indented(text)) == tokens(text)
    assert compact(indented(text)) == compact(text) == "".join(tokens(text))


@pytest.mark.thorough
@pytest.mark.parametrize("levels", [LEVELS, LEVELS + 1, 300, 1_100, 100_000])
def test_deep_nesting_does_not_increase_the_size_much(levels: int) -> None:
    text = "[" * levels + "1, 2" + "]" * levels
    laid_out = indented(text)
    assert compact(laid_out) == compact(text) == text.replace(" ", "")
    assert len(laid_out) < 2 * len(text) + 20_000
    assert max(len(line) - len(line.lstrip()) for line in laid_out.splitlines()) <= 2 * LEVELS


@pytest.mark.parametrize("text", ["", "nope", "[1,", '{"a" 1}', "[1] [2]", "[01]", '["\\x41"]'])
def test_text_that_is_not_json_does_not_change(text: str) -> None:
    assert indented(text) == text
    assert compact(text) == text
    assert indented(text.encode()) == text.encode()


def test_bytes_give_bytes_even_if_not_utf_8() -> None:
    assert indented(b'["\xff", NaN]') == b'[\n  "\xff",\n  NaN\n]'
    assert compact(b'[ "\xff", 1 ]') == b'["\xff",1]'
