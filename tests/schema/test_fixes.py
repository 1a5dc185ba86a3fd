"""Fixes for params."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext.scan import is_value
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.schema.explain import by_name, by_position, fixes, meant_name
from tests.fakes.violations import explained

MENDS: list[tuple[Any, str, list[str]]] = [
    ({"type": "integer"}, '"5"', ["5"]),
    ({"type": "integer"}, '"5.5"', []),
    ({"type": "number"}, '"-5.50e1"', ["-5.50e1"]),
    ({"type": "string"}, "1.50", ['"1.50"']),
    ({"type": "string"}, "null", []),
    ({"type": "boolean"}, '"True"', ["true"]),
    ({"type": "boolean"}, "0", ["false"]),
    ({"type": ["null", "integer"]}, '"null"', ["null"]),
    ({"type": "array"}, '{"b": 1}', ['[{"b": 1}]']),
    ({"type": ["integer", "array"]}, '"5"', ["5", '["5"]']),
    ({"type": "string"}, '[ "x" ]', ['"x"']),
    ({"type": "string"}, '["x", "y"]', []),
    ({"enum": ["Alpha", "beta"]}, '"alpha"', ['"Alpha"']),
    ({"enum": ["alpha", "beta"]}, '"alhpa"', ['"alpha"']),
    ({"enum": ["alpha", "alphb"]}, '"alphc"', []),
    ({"enum": [5, "x"]}, '"5"', ["5"]),
    ({"const": "in-use"}, '"in_use"', ['"in-use"']),
    ({"minimum": 5}, "4", []),
    ({"properties": {"blockHash": {}}, "additionalProperties": False}, '{"block_hash": 1}', ['{"blockHash": 1}']),
    ({"properties": {"b": {}, "bb": {}}, "additionalProperties": False}, '{"b": 1, "B": 2}', []),
]


@pytest.mark.parametrize(("schema", "value", "expected"), MENDS)
@pytest.mark.everyday(20)
def test_fix_changes_one_value_and_nothing_else(schema: Any, value: str, expected: list[str]) -> None:
    before, after = '{ "a" :\t', "\n}"
    text = f"{before}{value}{after}"
    (found,) = explained(Described((DescribedParam("a", schema),)), text)
    assert [fix.text for fix in fixes(text, found)] == [f"{before}{written}{after}" for written in expected]


def test_misspelt_name_becomes_the_nearest_unused_one() -> None:
    method = Described(tuple(DescribedParam(name) for name in ("count", "county", "since")))
    text = '{"sinse": 1, "cuont": 2, "count": 3, "x": 4}'
    found = {problem.name: fixes(text, problem) for problem in explained(method, text)}
    assert [fix.text for fix in found["sinse"]] == ['{"since": 1, "cuont": 2, "count": 3, "x": 4}']
    assert [fix.label for fix in found["sinse"]] == ["rename it to “since”"]
    assert not found["x"]


@pytest.mark.parametrize(
    ("name", "names", "meant"),
    [
        ("cuont", ["count", "kind"], "count"),
        ("COUNT", ["count", "counts"], "count"),
        ("coun", ["count", "couns"], ""),
        ("x", ["y"], ""),
        ("a" * 5_000, ["a" * 4_999], ""),
        ("", [], ""),
    ],
)
@pytest.mark.everyday(6)
def test_several_near_names_give_no_fix(name: str, names: list[str], meant: str) -> None:
    assert meant_name(name, names) == meant


def test_position_and_name_convert_into_each_other() -> None:
    params = [DescribedParam(name) for name in ("a", "b", "c")]
    named, placed = by_name("[ 1.0,\n  [2] ]", params), by_position('{"b": [2], "a": 1.0}', params)
    assert named is not None
    assert named.text == '{ "a": 1.0,\n  "b": [2] }'
    assert placed is not None
    assert placed.text == "[1.0, [2]]"
    assert by_name("[1, 2, 3, 4]", params) is None
    assert by_name("[]", params) is None
    assert by_position('{"a": 1, "c": 2}', params) is None
    assert by_position('{"z": 1}', params) is None


WORDS = st.text(max_size=8) | st.sampled_from(["5", "true", "null"])
SCALARS = st.none() | st.booleans() | st.integers() | WORDS
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=2), max_leaves=3)
KINDS = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])


@given(VALUES, st.lists(KINDS, min_size=1, max_size=3))
def test_fixed_text_is_json(value: Any, kinds: list[str]) -> None:
    text = json.dumps({"a": value})
    for found in explained(Described((DescribedParam("a", {"type": kinds}),)), text):
        for fix in fixes(text, found):
            assert is_value(fix.text, strict=True)
            assert fix.text != text


NAMES = st.sampled_from(["a", "b", "1", "", "$ref", "\x1b]52;"])
WORDS_OF_SCHEMAS = st.sampled_from([
    "type", "properties", "required", "items", "prefixItems", "additionalProperties", "enum", "const", "anyOf",
    "oneOf", "allOf", "not", "$ref", "extends", "pattern", "minimum", "exclusiveMinimum", "maxLength", "minItems",
    "maxItems", "uniqueItems", "dependencies", "nullable", "format", "if", "then", "else", "disallow",
    "patternProperties", "propertyNames", "contains", "additionalItems", "multipleOf", "unevaluatedProperties",
    "enums", "divisibleBy",
])  # fmt: skip
ANY = st.recursive(
    SCALARS | st.floats(allow_nan=False, allow_infinity=False) | NAMES | KINDS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(NAMES, inner, max_size=3)
        | st.dictionaries(WORDS_OF_SCHEMAS, inner, max_size=4)
    ),
    max_leaves=12,
)


@given(ANY, ANY, ANY, st.booleans())
def test_any_schema_is_explained_without_an_exception(schema: Any, known: Any, value: Any, of_result: bool) -> None:
    described = Described((DescribedParam("a", schema),), result=schema, definitions={"a": known, "b": schema})
    text = json.dumps(value if of_result else [value])
    for found in explained(described, text, None if of_result else "position"):
        assert "\n" not in found.problem.sentence
        assert 0 <= found.problem.offset <= found.problem.end <= len(text)
        fixes(text, found)
