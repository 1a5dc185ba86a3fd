"""Values as help texts lay them out, line by line."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.discovery.help import DEEPEST, MOST_CHOICES, Row, laid_out, rows_of

NESTED = """
[
  {                          (json object)
    "id" : "hex",            (string, required) The id (in hex)
                             of it
    "count": n,              (numeric, optional, default=3) How many
    "tags": [                (json array, optional, default=empty array) Tags
      "tag",                 (string) One
      ...
    ],
    "from": n or [n,n],      (numeric or array) A range
  },
  ...
]
"""


def shape(text: str) -> Any:
    (only,) = laid_out(rows_of(text.splitlines()))
    return only


def row(text: str) -> Row:
    (only,) = rows_of(text.splitlines())
    return only


def test_brackets_inside_brackets_are_schemas_inside_schemas() -> None:
    assert shape(NESTED) == {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "id": {"type": "string", "description": "The id (in hex)\nof it"},
                "count": {"type": "number", "description": "How many", "default": 3},
                "tags": {
                    "type": "array",
                    "description": "Tags",
                    "default": [],
                    "items": {"type": "string", "description": "One"},
                },
                "from": {"type": ["number", "array"], "description": "A range"},
            },
            "required": ["id"],
        },
    }


@pytest.mark.parametrize(
    "inside",
    [
        '"address": amount, (numeric) The address is the key, the amount the value',
        '"address": amount, (numeric) A pair. The key (string) is the address',
        '"address": amount, (numeric) An amount\n  ...',
    ],
)
def test_a_member_whose_name_is_for_the_caller_to_choose_is_any_member(inside: str) -> None:
    found = shape(f"{{ (json object)\n  {inside}\n}}")
    assert (found["type"], found["additionalProperties"]["type"]) == ("object", "number")
    assert "properties" not in found


def test_what_is_left_out_before_a_member_makes_it_none_of_many() -> None:
    assert [*shape('{ (json object)\n  ...,  As above\n  "tx" : [ (json array)\n  ]\n}')["properties"]] == ["tx"]


def test_elements_of_several_kinds_are_alternatives() -> None:
    found = shape('[\n  "text",  (string) A text\n  {        (json object) Or this\n  },\n  ...\n]')
    assert [each["type"] for each in found["items"]["anyOf"]] == ["string", "object"]


def test_so_many_alternatives_are_told_apart_and_no_more() -> None:
    found = shape("[\n" + "".join(f'"a", (string) Number {number}\n' for number in range(3_000)))
    assert len(found["items"]["anyOf"]) == MOST_CHOICES


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ('1. mode (string, required) How. Must be one of:\n   "fast"\n   "slow"', {"enum": ["fast", "slow"]}),
        ('1. mode (string) How. Options are "fast", and "slow".', {"enum": ["fast", "slow"]}),
        ("1. mode (string) How. Options: 'fast' (the usual one), 'slow'.", {"enum": ["fast", "slow"]}),
        ('1. mode (string) One of (case insensitive):\n   "fast"\n   "slow"', {"examples": ["fast", "slow"]}),
        ("1. mode (string) 'fast' to hurry, 'slow' to wait", {"examples": ["fast", "slow"]}),
        ('1. mode (numeric or string) must be one of "fast", "slow"', {"examples": ["fast", "slow"]}),
        ('1. mode (string) Say "fast" or "slow"', {}),
        ('1. mode (numeric) one of "fast", "slow"', {}),
    ],
)
def test_choices_are_those_that_the_text_names(text: str, choices: Any) -> None:
    schema = row(text).schema()
    assert {key: value for key, value in schema.items() if key in {"enum", "examples"}} == choices


@pytest.mark.parametrize(
    ("notes", "default"),
    [
        ("numeric, optional, default=0.25", 0.25),
        ("numeric, optional, default=wallet -rate", None),
        ("numeric, optional, default=not set, or so", None),
        ("boolean, optional, default=true", True),
        ("boolean, optional, default=1", None),
        ("string, optional, default=''", ""),
        ('string, optional, default="all"', "all"),
        ("string, optional, default=all of them", None),
        ("json array, optional, default=empty array", []),
    ],
)
def test_a_default_is_a_value_of_its_kind_or_none(notes: str, default: Any) -> None:
    found = row(f"1. a ({notes}) An a").schema()
    assert found.get("default") == default
    assert type(found.get("default")) is type(default)


@pytest.mark.parametrize("text", ["Words (or not) about it", "1. a (whatever) An a", "", "(see there)", "a )( b"])
def test_a_line_that_names_no_kind_is_no_row(text: str) -> None:
    assert [*rows_of([text])] == []


@pytest.mark.parametrize(
    "text",
    [
        "[\n" * 10_000,
        '"a": [\n' * 10_000,
        "]\n}\n" * 10_000,
        "( " * 100_000,
        "1. a (string, " + "(" * 100_000,
        "...\n" * 10_000,
    ],
)
@pytest.mark.usefixtures("soon")
def test_a_layout_that_does_not_end_well_is_read_as_far_as_it_goes(text: str) -> None:
    depth, found = 0, laid_out(rows_of(text.splitlines()))
    while found and depth <= DEEPEST + 1:
        inner = found[0].get("items", next(iter(found[0].get("properties", {}).values()), None))
        depth, found = depth + 1, [inner] if inner else []
    assert depth <= DEEPEST + 1
