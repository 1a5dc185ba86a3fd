from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.tui.widgets.editor import (
    BACKSPACE,
    KEYS,
    MAX_PAIRED_CHARACTERS,
    MAX_PAIRED_LINES,
    in_string,
    lines_of,
    offset_of,
    pair_at,
    place_of,
    stroke,
)


def typed(keys: str, text: str = "|") -> str:
    """Return a text after keys are typed at the bar, which is the cursor."""
    at, text = text.index("|"), text.replace("|", "", 1)
    for key in keys:
        text, at = pressed(text, at, key)
    return f"{text[:at]}|{text[at:]}"


def pressed(text: str, at: int, key: str) -> tuple[str, int]:
    lines = lines_of(text)
    done = stroke(lines, place_of(text, at), key) if key in KEYS else None
    if done is None:
        keep = text[: max(at - 1, 0)] if key == BACKSPACE else text[:at] + key
        return keep + text[at:], len(keep)
    text = text[: offset_of(lines, done.start)] + done.text + text[offset_of(lines, done.end) :]
    return text, offset_of(lines_of(text), done.cursor)


@pytest.mark.parametrize(
    ("keys", "text", "becomes"),
    [
        ("{", "|", "{|}"),
        ("{}", "|", "{}|"),
        ("[", "|]", "[|]"),
        ("[", "|1]", "[|1]"),
        ("]", "[[|]", "[[]|]"),
        ("]", "[1|]", "[1]|"),
        ('"', "|", '"|"'),
        ('"a"', "|", '"a"|'),
        ('"', '{"a|: 1}', '{"a"|: 1}'),
        ('"', "ab|", 'ab"|'),
        ('"', '|"a"', '"|"a"'),
        ('\\"', '"|"', '"\\"|"'),
        ("[{", '"|"', '"[{|"'),
        ("}", '"a|"', '"a}|"'),
        ("[", "[1, |2]", "[1, [|2]"),
    ],
)
def test_brackets_and_quotes_are_paired_if_useful(keys: str, text: str, becomes: str) -> None:
    assert typed(keys, text) == becomes


@pytest.mark.parametrize(
    ("keys", "text", "becomes"),
    [
        ("\n", "{|}", "{\n  |\n}"),
        ("\n", "  [| ]", "  [\n    |\n  ]"),
        ("\n", '{"a": [|', '{"a": [\n  |'),
        ("\n", '  "a": 1,|', '  "a": 1,\n  |'),
        ("\n", '  "a": 1,| "b": 2', '  "a": 1,\n  |"b": 2'),
        ("\n", '"a|b"', '"a\n|b"'),
        ("\n", "|", "\n|"),
        ("]", "[\n  1\n  |", "[\n  1\n]|"),
        ("]", "|", "]|"),
        ("}", "{\n  |\n}", "{\n}|"),
        ("}", '{\n  "a": 1|\n\n}', '{\n  "a": 1\n\n}|'),
        ("]", '{\n  "a": [1|\n}', '{\n  "a": [1]|\n}'),
    ],
)
def test_new_lines_are_indented(keys: str, text: str, becomes: str) -> None:
    assert typed(keys, text) == becomes


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("{|}", "|"),
        ('["|"]', "[|]"),
        ("[[|]", "[|]"),
        ('"a"|', '"a|'),
        ('"[|]"', '"|]"'),
        ('"\\"|"', '"\\|"'),
        ("[\n    |1", "[\n  |1"),
        ("[\n   |1", "[\n  |1"),
        ("[\n |1", "[\n|1"),
        ("[\n|1", "[|1"),
    ],
)
def test_backspace_deletes_an_empty_pair_or_indent_level(text: str, becomes: str) -> None:
    assert typed(BACKSPACE, text) == becomes


@pytest.mark.parametrize(
    "text",
    [
        '{"page": 1, "filter": {"active": true, "tags": ["a", "b"]}, "x": []}',
        '{\n"a": [\n1,\n2\n],\n"b": {}\n}',
        '["a \\" b", "[", "}", ""]',
    ],
)
def test_json_typed_key_by_key_is_unchanged(text: str) -> None:
    assert json.loads(typed(text).replace("|", "")) == json.loads(text)


@given(st.text(alphabet='{}[]"\\,: \na1é', max_size=40))
def test_typing_never_loses_a_character(keys: str) -> None:
    remaining = iter(typed(keys).replace("|", ""))
    lost = [key for key in keys if not key.isspace() and key not in remaining]
    assert lost == []


@given(st.text(alphabet='{}[]"a \n', max_size=30), st.text(alphabet='{}[]"a\n\b', max_size=10), st.integers(0, 30))
def test_every_key_works_at_every_place(text: str, keys: str, at: int) -> None:
    at = min(at, len(text))
    assert typed(keys, f"{text[:at]}|{text[at:]}").count("|") == 1


@pytest.mark.parametrize(
    ("before", "inside"), [("", False), ('"', True), ('"a"', False), ('"a\\"', True), ('""["', True)]
)
def test_string_is_open_until_its_quote(before: str, inside: bool) -> None:
    assert in_string(before) is inside


def test_keys_in_a_very_long_line_work() -> None:
    assert stroke(["1" * (MAX_PAIRED_CHARACTERS + 1)], (0, 5), "[") is None


@pytest.mark.parametrize(
    ("text", "at", "other"),
    [
        ("[1]", 0, 2),
        ("[1]", 3, 0),
        ("[1]", 2, 0),
        ('{"]": [\n"}"\n]}', 0, 13),
        ('{"]": [\n"}"\n]}', 12, 6),
        ('{"]": [\n"}"\n]}', 14, 0),
        ("[[]", 0, None),
        ("[}", 0, None),
        ('"["', 1, None),
        ("1", 0, None),
    ],
)
def test_matching_bracket_is_found_outside_strings(text: str, at: int, other: int | None) -> None:
    pair = pair_at(lines_of(text), place_of(text, at))
    assert (offset_of(lines_of(text), pair[1]) if pair else None) == other


def test_far_away_bracket_is_not_searched() -> None:
    assert pair_at(["[", *[""] * MAX_PAIRED_LINES, "]"], (0, 0)) is None
