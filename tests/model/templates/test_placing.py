"""A value that is put into params: in the place of its name, else at the cursor."""

from __future__ import annotations

import json

import pytest

from rpcexplorer.variables.resolve import placed

VALUE = '"{{last.auth#/token}}"'


def put(text: str, name: str = "", parameters: tuple[str, ...] = (), value: str = VALUE) -> str:
    """The text with a bar where the cursor is, before and after."""
    at = text.index("|")
    after, cursor = placed(text.replace("|", ""), at, value, name, parameters)
    return f"{after[:cursor]}|{after[cursor:]}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[|]", f"[{VALUE}|]"),
        ("|", f"[{VALUE}|]"),
        ("[1|]", f"[1, {VALUE}|]"),
        ("[1, |2]", f"[1, {VALUE}|, 2]"),
        ('["a|b"]', '["a{{last.auth#/token}}|b"]'),
        ('["|"]', '["{{last.auth#/token}}|"]'),
        ('{"a": |}', f'{{"a": {VALUE}|}}'),
    ],
)
def test_it_stands_where_the_cursor_is(before: str, after: str) -> None:
    assert put(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"token": "old", "n": 1}|', f'{{"token": {VALUE}|, "n": 1}}'),
        ('{"n": {"token": 1}|, "token": {"a": [1]}}', f'{{"n": {{"token": 1}}, "token": {VALUE}|}}'),
        ("{|}", f'{{"token": {VALUE}|}}'),
        ("{ |\n}", f'{{"token": {VALUE}|}}'),
        ('{"n": 1|}', f'{{"n": 1, "token": {VALUE}|}}'),
        ('{\n  "n": 1|\n}', f'{{\n  "n": 1,\n  "token": {VALUE}|\n}}'),
    ],
)
def test_it_takes_the_place_of_its_name(before: str, after: str) -> None:
    assert put(before, "token", ("n", "token")) == after
    json.loads(after.replace("|", ""))


def test_a_name_that_is_no_parameter_is_not_made_one() -> None:
    assert put('{"n": |}', "token", ("n",)) == f'{{"n": {VALUE}|}}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('|{"n": 1}', f'{{"n": 1, "token": {VALUE}|}}'),
        ('{"n"|: 1}', f'{{"n": 1, "token": {VALUE}|}}'),
        ("|[1]", f"[1, {VALUE}|]"),
        ("|[ ]", f"[{VALUE}| ]"),
    ],
)
def test_params_that_could_be_sent_still_can_be(before: str, after: str) -> None:
    assert put(before, "token") == after


def test_what_is_no_text_goes_into_a_string_as_it_is() -> None:
    assert put('["a|"]', value="1.10") == '["a1.10|"]'
    assert put("[|]", value="1.10") == "[1.10|]"
