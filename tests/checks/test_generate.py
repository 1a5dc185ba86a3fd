"""Params made from schemas: what is drawn, and its bounds."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import SearchStrategy

from rpcexplorer.checks.generate import MAX_OPTIONAL, MAX_VALUES, UNKNOWN, ParamsMaker
from rpcexplorer.model.method import Described, DescribedParam

LEVELS = {"type": "object", "properties": {"inner": {"$ref": "#/x"}, "size": {"type": "integer"}}, "required": ["size"]}
SCHEMAS: list[Any] = [
    {"type": "integer", "minimum": 1, "exclusiveMaximum": 9},
    {"type": "integer", "multipleOf": 7, "minimum": 1, "maximum": 50},
    {"type": "number", "exclusiveMinimum": 0, "maximum": 0.5},
    {"type": "string", "minLength": 3, "maxLength": 4},
    {"type": "string", "pattern": "^0x[0-9a-f]+$"},
    {"type": "string", "format": "uuid"},
    {"type": ["string", "null"], "maxLength": 2},
    {"enum": ["a", 1, None]},
    {"const": {"a": [1]}},
    {"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 3},
    {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False, "minItems": 2},
    {"oneOf": [{"type": "string", "maxLength": 3}, {"type": "integer", "minimum": 5}]},
    {
        "type": "object",
        "properties": {"kind": {"const": "a"}},
        "anyOf": [{"required": ["kind"]}, {"properties": {"n": {"type": "null"}}}],
    },
    {"allOf": [{"type": "object", "required": ["id"]}, {"properties": {"id": {"type": "integer"}}}]},
    {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"], "additionalProperties": False},
]


def drawn(strategy: SearchStrategy[Any], examples: int = 60, number: int = 1) -> list[Any]:
    found: list[Any] = []

    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @seed(number)
    @given(strategy)
    def note(value: Any) -> None:
        found.append(value)

    with suppress(Unsatisfiable):
        note()
    return found


def method(schema: Any, definitions: dict[str, Any] | None = None, **more: Any) -> Described:
    return Described((DescribedParam("value", schema, required=True),), definitions=definitions or {}, **more)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_valid_params_match_their_schema(schema: Any) -> None:
    validator = jsonschema_rs.validator_for(schema)
    values = [params["value"] for params in drawn(ParamsMaker(method(schema)).valid())]
    assert values
    assert [value for value in values if not validator.is_valid(value)] == []


@pytest.mark.parametrize("schema", SCHEMAS)
def test_most_invalid_params_have_a_mistake(schema: Any) -> None:
    validator = jsonschema_rs.validator_for(schema)
    params = drawn(ParamsMaker(method(schema)).invalid())
    wrong = [one for one in params if "value" not in one or not validator.is_valid(one["value"])]
    assert len(wrong) > len(params) / 2


def test_the_same_seed_makes_the_same_params() -> None:
    described = method({"type": "array", "items": {"type": "string"}})
    first, again, other = (drawn(ParamsMaker(described).valid(), number=number) for number in (1, 1, 2))
    assert first == again
    assert first != other


def test_optional_params_come_and_go() -> None:
    params = (DescribedParam("a", {"const": 1}, required=True), DescribedParam("b", {"const": 2}, required=False))
    by_name = drawn(ParamsMaker(Described(params)).valid())
    assert {"a": 1} in by_name
    assert {"a": 1, "b": 2} in by_name
    by_position = drawn(ParamsMaker(Described(params, by="position")).valid())
    assert [1] in by_position
    assert [1, 2] in by_position


def test_definition_that_contains_itself_is_bounded() -> None:
    params = drawn(ParamsMaker(method({"$ref": "#/x"}, {"#/x": LEVELS})).valid())
    assert max(str(one).count("inner") for one in params) < 10


def test_wide_alternatives_are_bounded() -> None:
    wide: dict[str, Any] = {"type": "integer"}
    for _ in range(40):
        wide = {"oneOf": [wide, {"type": "array", "items": wide, "minItems": 50}]}
    params = drawn(ParamsMaker(method(wide)).valid(), 20)
    assert max(str(one).count(",") for one in params) <= 100 * MAX_VALUES


@pytest.mark.parametrize("pattern", ["^(a+)+$", "(?=x)y", r"(a)\1", "^" + "a?" * 200, "["])
def test_risky_pattern_is_not_matched(pattern: str) -> None:
    plain = {"type": "string", "pattern": pattern}
    assert drawn(ParamsMaker(method(plain)).valid(), 5) == []
    known = plain | {"examples": ["aaa"]}
    assert {params["value"] for params in drawn(ParamsMaker(method(known)).valid(), 5)} == {"aaa"}


def test_wide_objects_are_bounded() -> None:
    names = [str(at) for at in range(10_000)]
    wide = {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": names[:3]}
    values = [params["value"] for params in drawn(ParamsMaker(method(wide)).valid(), 10)]
    assert values
    assert max(map(len, values)) <= MAX_OPTIONAL + 3
    whole = wide | {"required": names}
    assert {len(params["value"]) for params in drawn(ParamsMaker(method(whole)).valid(), 3)} == {len(names)}


def test_params_of_which_nothing_is_known_are_always_there() -> None:
    unsure = Described((DescribedParam("a", {"const": 1}), DescribedParam("*rest", {"const": 2})), by="position")
    assert {len(params) for params in drawn(ParamsMaker(unsure).valid())} == {1, 2}


def test_text_contains_no_sign_of_a_secret() -> None:
    assert "«" not in str(drawn(ParamsMaker(method({"type": "string"})).valid(), 300))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "minimum": 5, "maximum": 4},
        {"type": "string", "minLength": 3, "maxLength": 2},
        {"type": "string", "minLength": 10**9},
        {"type": "array", "minItems": 10**9},
    ],
)
def test_schema_without_a_value_makes_no_params(schema: Any) -> None:
    assert drawn(ParamsMaker(method(schema)).valid(), 5) == []


@pytest.mark.parametrize("extra", [True, False])
def test_unknown_param_is_a_mistake_if_the_server_says_so(extra: bool) -> None:
    params = drawn(ParamsMaker(method({"type": "integer"}, extra=extra)).invalid())
    assert any(UNKNOWN in one for one in params) is not extra
    assert params
