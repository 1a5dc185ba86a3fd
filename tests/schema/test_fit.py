"""Schemas that a value probably belongs to, without a full check."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.model.method import By, Described, DescribedParam
from rpcexplorer.schema.fit import MAX_LOOKS, Looks, could_be_params, could_be_result, is_same, is_small, is_within
from rpcexplorer.schema.node import SchemaReader


@pytest.mark.parametrize(
    ("schema", "meant", "other"),
    [
        ({"type": ["integer", "null"]}, 5, "5"),
        ({"enum": ["a", 1]}, 1, True),
        ({"maxLength": 1, "type": "string"}, "too long, and still meant", 5),
        ({"properties": {"a": {"const": 1}}, "required": ["a"]}, {"a": 1}, {"a": 2}),
        ({"properties": {"a": {"const": 1}}, "required": ["a"]}, {"a": "{{n}}"}, {}),
        ({"properties": {"a": {}}, "additionalProperties": False}, {"a": 5}, {"b": 5}),
        ({"items": [{"type": "string"}], "additionalItems": False}, ["a"], ["a", 1]),
        ({"oneOf": [False, {"type": "null"}]}, None, 1),
    ],
)
def test_value_matches_by_type_choices_and_members(schema: Any, meant: Any, other: Any) -> None:
    looks = Looks(SchemaReader({}))
    assert (looks.could_be(schema, meant), looks.could_be(schema, other)) == (True, False)


def test_value_matches_anything_after_many_steps() -> None:
    circle = {"oneOf": [{"$ref": "A"}] * 20, "items": {"$ref": "A"}}
    value: Any = []
    for _ in range(500):
        value = [value] * 2
    looks = Looks(SchemaReader({"A": circle}))
    assert not looks.could_be({"type": "string"}, 5)
    for _ in range(MAX_LOOKS):
        assert looks.could_be({"$ref": "A"}, value)
    assert looks.could_be({"type": "string"}, 5)


@pytest.mark.parametrize(
    ("limits", "right", "wrong"),
    [
        ({"minimum": 2, "maximum": 2}, 2, 1),
        ({"exclusiveMinimum": 2, "exclusiveMaximum": 4}, 3, 4),
        ({"multipleOf": 0.1}, 0.3, 0.55),
        ({"minLength": 1, "maxLength": 1}, "a", ""),
        ({"minItems": 1, "maxItems": 1}, [1], []),
        ({"maxProperties": 1}, {"a": 1}, {"a": 1, "b": 2}),
        ({"minimum": 5, "minItems": 5}, None, 4),
        ({"pattern": "^0x[0-9a-f]{0,64}$"}, "0x1", "0xs"),
        ({"pattern": "^(a+)+$"}, "a", "a" * 1_000 + "!"),
    ],
)
def test_value_is_within_limits_of_its_type(limits: Any, right: Any, wrong: Any) -> None:
    assert (is_within(limits, right), is_within(limits, wrong)) == (True, False)


def test_value_is_within_limits_of_unknown_meaning() -> None:
    assert is_within({"pattern": "("}, "a")
    assert is_within({"multipleOf": 1e-300}, 10**400)


def test_boolean_does_not_equal_a_number() -> None:
    assert (is_same(1, True), is_same(1, 1.0), is_same([0], [0])) == (False, True, True)


def test_size_counts_parts_and_text() -> None:
    assert is_small({"a": [1, "b"]})
    assert not is_small([0] * 201)
    assert not is_small({"a": [["x" * 2_001]]})


@pytest.mark.parametrize(
    ("text", "by", "fits"),
    [
        ('{"limit": 2}', None, True),
        ("[2]", None, True),
        ("[]", "name", True),
        ('{"limit": 2}', "position", False),
        ('{"limit": "2"}', None, False),
        ('{"limt": 2}', None, False),
        ("[2, 3]", None, False),
        ('{"limit": NaN}', None, False),
    ],
)
def test_params_fit_by_names_types_and_count(text: str, by: By | None, fits: bool) -> None:
    described = Described((DescribedParam("limit", {"$ref": "#/n"}),), definitions={"#/n": {"type": "integer"}})
    assert could_be_params(described, text, by) is fits


def test_params_fit_without_one_that_is_required() -> None:
    described = Described((DescribedParam("limit", required=True),))
    assert not could_be_params(described, "[]")
    assert could_be_params(described, "[1]")


def test_result_fits_by_types_and_choices() -> None:
    described = Described(result={"items": {"enum": ["a"]}, "type": "array"})
    assert could_be_result(described, b'["a"]')
    assert not could_be_result(described, b'["b"]')
    assert not could_be_result(described, b"[NaN]")
