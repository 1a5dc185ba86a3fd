"""The check of the table ``expect`` of a saved call."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, get_args

from rpcexplorer.files.toml_shape import (
    Place,
    TableRule,
    ValueCheck,
    WrongValue,
    accepts,
    choice_rule,
    integer_rule,
    list_rule,
    name_rule,
    path_rule,
)
from rpcexplorer.jsontext.pointers import names_of, parts_of
from rpcexplorer.jsontext.scan import is_value
from rpcexplorer.model.expectation import SERVICE, Expectation, ExpectedOutcome, SchemaFile, as_json
from rpcexplorer.model.problem import cut, nearest
from rpcexplorer.model.secret import HIDDEN
from rpcexplorer.profiles.values import NO_KEY, duration_rule, password_in_json, wrong_json


def expectation(value: Any, place: Place) -> Any:
    """Convert a table to an ``Expectation``; report its first problem."""
    if not isinstance(value, dict):
        return WrongValue("must be a table")
    found: dict[str, Any] = {}
    for key, inner in value.items():
        checked = RULES[key](inner, place) if key in RULES else WrongValue(_unknown(key))
        if isinstance(checked, WrongValue):
            return WrongValue(checked.sentence, (key, *checked.inside))
        found[key] = checked
    if "code" in found:
        found.setdefault("outcome", "error")
    problem = _contradiction(found)
    return WrongValue(problem) if problem else Expectation(**found)


def _unknown(key: str) -> str:
    like = nearest(key, RULES)
    advice = f"Did you mean `{like}`?" if like else f"Known keys: {', '.join(RULES)}"
    return f"`{cut(key)}` is not a key of `expect`. {advice}"


def _contradiction(found: dict[str, Any]) -> str:
    """Return why no response can meet the keys; empty if one can."""
    if not found:
        return 'it is empty. Write what to expect, such as outcome = "result"'
    outcome = found.get("outcome", "result")
    if "code" in found and outcome != "error":
        return '`code` is for an error. Remove `code`, or write outcome = "error"'
    for key in OF_RESULT:
        if key in found and outcome != "result":
            other = "remove `code`" if "code" in found else 'write outcome = "result"'
            return f"`{key}` needs a result. Remove it, or {other}"
    if {"schema", "schema_file"} <= found.keys():
        return "it has `schema` and `schema_file`. Remove one of them"
    return ""


@accepts(type="object", propertyNames={"pattern": "^$|^/"})
def values_rule(value: Any, place: Place) -> Any:
    """Check expected values by JSON pointer; convert them to JSON text."""
    if not isinstance(value, dict):
        return WrongValue('must be a table of JSON pointers and values, such as { "/total" = 3 }')
    for pointer, wanted in value.items():
        if parts_of(pointer) is None:
            return WrongValue('must be a JSON pointer into the result, such as "/items/0/name"', (pointer,))
        member = {names_of(pointer)[-1]: wanted} if pointer else wanted  # A password is known by its name.
        wrong = _wrong_result(wanted, place) or password_in_json(as_json(member), place)
        if wrong:
            return WrongValue(wrong.sentence, (pointer, *wrong.inside))
    return tuple((pointer, as_json(wanted)) for pointer, wanted in value.items())


@accepts(type="string", minLength=1)
def result_json_rule(value: Any, place: Place) -> Any:
    """Check the whole result as JSON text, which keeps the spelling of numbers."""
    if not isinstance(value, str) or not is_value(value):
        return WrongValue("must be a JSON value as text, in quotes, such as '{\"price\": 1.10}'")
    if HIDDEN.search(value):
        ignore = "Remove it, and add its place to `ignore` of the method in the profile"
        return WrongValue(f"must not contain a redacted secret such as «not recorded». {ignore}")
    return password_in_json(value, place) or value


@accepts(anyOf=[{"const": SERVICE}, {"type": "object"}])
def schema_rule(value: Any, place: Place) -> Any:
    if value == SERVICE:
        return value
    if not isinstance(value, dict):
        return WrongValue(f'must be a JSON Schema as a table, or "{SERVICE}" for the one that the service declares')
    return _wrong_result(value, place) or as_json(value)


@accepts(type="string", minLength=1)
def schema_file_rule(value: Any, place: Place) -> Any:
    """Accept a file in the folder of this file: other users may have written it."""
    file = path_rule(value, place)
    if isinstance(file, WrongValue):
        return file
    if not Path(file).is_relative_to(place.folder):
        return WrongValue("must be in the folder of this file")
    return SchemaFile(file, str(place.folder))


@accepts(type="string", minLength=1, **{"not": {"pattern": "halt|modulemeta"}})
def jq_rule(value: Any, place: Place) -> Any:
    if not isinstance(value, str):
        return name_rule(value, place)
    if "halt" in value:
        return WrongValue("must not use halt, which ends jq without a result. Use error instead")
    words = value.replace(";", " ").split()  # Names such as `.import` are allowed.
    if "modulemeta" in value or any(word.startswith(("import", "include")) for word in words):
        return WrongValue("must not use import, include or modulemeta, which open files")
    return name_rule(value, place)


def _wrong_result(value: Any, place: Place) -> WrongValue | None:
    """Return why a TOML value cannot be a part of a result."""
    return wrong_json(value, (), place, NO_KEY)


RULES: Final[dict[str, ValueCheck]] = {
    "outcome": choice_rule(*get_args(ExpectedOutcome)),
    "code": integer_rule,
    "values": values_rule,
    "result_json": result_json_rule,
    "schema": schema_rule,
    "schema_file": schema_file_rule,
    "jq": list_rule(jq_rule, "jq expressions"),
    "within": duration_rule("milliseconds"),
}
DOCS: Final = {
    "outcome": "The response is a result (default) or an error. sent: a notification.",
    "code": "Code of the expected error.",
    "values": "Expected values by JSON pointer into the result, compared by value.",
    "result_json": "The whole result as JSON text, also in the spelling of its numbers.",
    "schema": "JSON Schema of the result, or service for the schema of the service.",
    "schema_file": "File with the JSON Schema of the result.",
    "jq": "Expressions that each yield true.",
    "within": "Milliseconds that the response may take, without the login.",
}
OF_RESULT: Final = ("values", "result_json", "schema", "schema_file", "jq")
"""Keys that only a result can meet."""
_NO_RESULT: Final = dict.fromkeys(OF_RESULT, False)
EXPECT: Final = TableRule(
    "expect",
    RULES,
    docs=DOCS,
    limits={
        "minProperties": 1,
        "not": {"required": ["schema", "schema_file"]},
        "allOf": [
            {"if": {"required": ["code"]}, "then": {"properties": {"outcome": {"const": "error"}, **_NO_RESULT}}},
            {
                "if": {"properties": {"outcome": {"enum": ["error", "sent"]}}, "required": ["outcome"]},
                "then": {"properties": _NO_RESULT},
            },
        ],
    },
)


def contradicted(expect: Expectation, wanted: Mapping[str, Any]) -> list[str]:
    """Return the keys to remove, so that one response can meet the wanted keys, too."""
    keys: list[str] = []
    if wanted.get("outcome", "result") != "result":
        keys += [*OF_RESULT, "code"]
    elif expect.outcome != "result":
        keys += ["outcome", "code"]
    if "schema" in wanted:
        keys.append("schema_file")
    usual = Expectation()
    return [key for key in keys if key not in wanted and getattr(expect, key) != getattr(usual, key)]
