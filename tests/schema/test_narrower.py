"""Schemas that refuse values which an earlier one allowed."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.schema.narrower import is_narrower
from rpcexplorer.schema.node import SchemaReader


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        ({"type": "integer"}, {}),
        ({"type": "integer"}, {"type": "number"}),
        ({"type": "string"}, {"type": ["string", "null"]}),
        ({"enum": ["a"]}, {"enum": ["a", "b"]}),
        ({"maximum": 5}, {"maximum": 6}),
        ({"minLength": 2}, {"minLength": 1}),
        ({"maximum": 5}, {}),
    ],
)
def test_fewer_values_are_narrower(narrow: dict[str, Any], wide: dict[str, Any]) -> None:
    reader = SchemaReader({})
    assert is_narrower(reader.node(narrow), reader.node(wide))
    assert not is_narrower(reader.node(wide), reader.node(narrow))


@pytest.mark.parametrize(
    ("one", "other"), [({"pattern": "a"}, {"pattern": "b"}), ({"type": "string"}, {"type": "integer"})]
)
def test_values_that_differ_are_narrower_both_ways(one: dict[str, Any], other: dict[str, Any]) -> None:
    reader = SchemaReader({})
    assert is_narrower(reader.node(one), reader.node(other))
    assert is_narrower(reader.node(other), reader.node(one))
