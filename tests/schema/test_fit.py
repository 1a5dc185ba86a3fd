"""Whether a value fits a schema: what this says is what a validator says, or that it cannot tell."""

from __future__ import annotations

import re
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rpcexplorer.schema.fit import LONGEST, MOST_REPEATS, STEPS, Fitting, fits, matches, same, sample, small
from rpcexplorer.schema.node import SchemaReader
from tests.schema.test_example import SCHEMAS

SCALARS = st.sampled_from([None, True, False, 0, 1, 5, -3, 1.5, "", "a", "0x1", "xy", "2.b"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)),
    max_leaves=6,
)


@given(SCHEMAS, SCHEMAS, VALUES)
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_it_agrees_with_a_validator(schema: Any, other: Any, value: Any) -> None:
    whole = {"$defs": {"A": other}, "allOf": [schema]}
    right = fits(SchemaReader({"#/$defs/A": other}), schema, value)
    assert right in {None, jsonschema_rs.Draft202012Validator(whole).is_valid(value)}


@pytest.mark.parametrize(
    ("schema", "right", "wrong"),
    [
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1, "b": 2}, {"a": 1}),
        ({"dependencies": {"a": {"required": ["b"]}}}, {"b": 1}, {"a": 1}),
        ({"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"minimum": 3}}, "ab", 2),
        ({"contains": {"type": "string"}}, [1, "a"], [1]),
        ({"propertyNames": {"maxLength": 1}}, {"a": 1}, {"ab": 1}),
        ({"not": {"type": "null"}}, 1, None),
        ({"oneOf": [{"$ref": "Never"}, {"type": "null"}]}, None, 1),
        ({"multipleOf": 0.1}, 0.5, 0.55),
        ({"minimum": 2, "maximum": 2}, 2, 1),
        ({"exclusiveMinimum": 2, "exclusiveMaximum": 4}, 3, 2),
        ({"exclusiveMinimum": 2, "exclusiveMaximum": 4}, 3, 4),
        ({"minLength": 1, "maxLength": 1}, "a", ""),
        ({"minItems": 1, "maxItems": 1, "uniqueItems": True}, [1], [1, 1]),
        ({"minProperties": 1, "maxProperties": 1}, {"a": 1}, {}),
        ({"properties": {"a": {"required": True}}}, {"a": 1}, {}),
        ({"type": [{"type": "string"}, "Number"]}, 1.5, []),
        ({"type": "string", "nullable": True}, None, 5),
        ({"items": [{"type": "string"}], "additionalItems": False}, ["a"], ["a", 1]),
    ],
)
def test_words_of_every_draft_count(schema: Any, right: Any, wrong: Any) -> None:
    reader = SchemaReader({"Never": False})
    assert (fits(reader, schema, right), fits(reader, schema, wrong)) == (True, False)


def test_what_a_pattern_of_names_lets_through_cannot_be_told() -> None:
    assert (
        fits(SchemaReader({}), {"patternProperties": {"(a+)+$": True}, "additionalProperties": False}, {"x": 1}) is None
    )


def test_the_steps_are_bounded_and_an_unknown_answer_is_none() -> None:
    circle = {"oneOf": [{"$ref": "A"}] * 20, "items": {"$ref": "A"}}
    fitting = Fitting(SchemaReader({"A": circle}))
    value: Any = []
    for _ in range(500):
        value = [value] * 2
    assert fitting.fits({"$ref": "A"}, value) is None
    assert fitting.is_over
    assert fitting.fits({"type": "string"}, 5) is None
    assert STEPS <= 5_000


def test_patterns_that_are_run_count_for_many_steps() -> None:
    fitting = Fitting(SchemaReader({}), 1_000)
    found = [fitting.fits({"type": "string", "pattern": "^a*a*b"}, "a" * 50) for _ in range(30)]
    assert (found[0], found[-1], fitting.is_over) == (False, None, True)


def test_a_truth_is_no_number() -> None:
    assert (same(1, True), same(1, 1.0), same([0], [0])) == (False, True, True)


def test_a_value_is_small_by_its_parts_and_its_texts() -> None:
    assert small({"a": [1, "b"]})
    assert not small([0] * 201)
    assert not small({"a": [["x" * 2_001]]})


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("", ""),
        ("^0x[0-9a-fA-F]{40}$", "0x" + "0" * 40),
        ("^0x([1-9a-f]+[0-9a-f]*|0)$", "0xa"),
        ("^0x([1-9a-f]+[0-9a-f]{0,31})|0$", "0xa"),
        (r"[-a-z0-9]{3,8}(:[-_a-zA-Z0-9]{1,32})?", "000"),
        (r"^\d{4}-\d\d\.(?:a|b)\x41\/$", "0000-00.aA/"),
        (r"^[^0x\-]+?.$", "Ax"),
        ("^(a$|b$)", "a"),
        (r"[\w.]+@[^@]+", "a@x"),
    ],
)
def test_the_least_text_that_matches_is_made(pattern: str, text: str) -> None:
    assert sample(pattern) == text
    assert re.search(pattern, text)


@pytest.mark.parametrize(
    "pattern",
    ["(?=a)a", r"(a)\1", r"\bword", "a^", "$a", "(a", "a)", "[a", "[]", "*", "a**", "(?i)a", r"\p{L}", r"[^\d]",
     "[a[b]]", "\\", "a{999}{999}", "(" * 1_000, "a" * (LONGEST + 1), "(?<n>a)", "[^x0A_-]"],
)  # fmt: skip
def test_what_is_no_simple_pattern_has_no_sample_and_is_never_run(pattern: str) -> None:
    assert sample(pattern) is None
    assert matches(pattern, "a") is None


def test_a_text_matches_or_does_not_or_it_would_take_too_long_to_tell() -> None:
    assert (matches("^a+b?$", "aab"), matches("^a+b?$", "ba")) == (True, False)
    assert matches("^a+$", "a" * 1_000) is True
    assert matches("a*a*a*b", "a" * 100) is None
    assert matches("^a*a*a*b", "a" * 100) is None
    assert matches("a*" * MOST_REPEATS, "") is None
    assert matches("^(a+)+$", "a" * 40 + "b") is None
