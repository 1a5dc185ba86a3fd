"""The process that checks: what it answers, whatever it is asked."""

from __future__ import annotations

import io
import json
from typing import Any

import jsonschema_rs
import pytest

from rpcexplorer.schema.check_process import KEPT, MOST, read, serve, write


def asked(*questions: tuple[bytes, Any, str | bytes]) -> list[dict[str, Any]]:
    """What it says to a key, a schema (or nothing) and a text, one after the other."""
    given, told = io.BytesIO(), io.BytesIO()
    for key, schema, text in questions:
        sent = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        write(given, key, b"" if schema is None else json.dumps(schema).encode(), sent)
    given.seek(0)
    serve(given, told, jsonschema_rs)
    told.seek(0)
    return [json.loads(message) for message in iter(lambda: read(told), None)]


def why_not(schema: Any, text: str | bytes) -> str:
    (answer,) = asked((b"k", schema, text))
    return str(answer.get("why_not", answer.get("violations")))


def test_a_schema_is_sent_once_and_the_oldest_one_is_forgotten() -> None:
    first = (b"0", {"type": "string"}, "1")
    others = [(b"%d" % number, {"type": "string"}, '"x"') for number in range(1, KEPT + 1)]
    answers = asked((b"0", None, "1"), first, (b"0", None, "1"), *others, (b"0", None, "1"))
    assert answers[0] == answers[-1] == {"unknown": True}
    assert answers[1] == answers[2]
    assert answers[1]["violations"][0]["rule"] == ["type"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "it is not JSON"),
        ("", "it is not JSON"),
        ("[NaN]", "NaN is not JSON"),
        (
            '{"a": 1, "b": {"c": 1, "c": 2}}',
            "“c” stands twice in one object",
        ),
        ('["\\ud800"]', "half a character (a lone surrogate) is in it"),
        ('{"\ud800": 1}', "half a character (a lone surrogate) is in it"),
        ("[" * 100_000, "it is nested too deep"),
        ("[" * 5_000 + "]" * 5_000, "it is nested too deep"),
        (b"\xff", "half a character (a lone surrogate) is in it"),
        ("9" * 5_000, "it cannot be read"),
    ],
)
@pytest.mark.everyday(10)
def test_a_text_that_cannot_be_judged_is_not_judged(text: str | bytes, reason: str) -> None:
    assert why_not({"type": "object", "additionalProperties": {"type": "object"}}, text).startswith(reason)


@pytest.mark.parametrize(
    ("schema", "text", "right"),
    [
        ({"maximum": 5}, "1e400", False),
        ({"type": "integer"}, "1e400", True),
        ({"exclusiveMinimum": 0}, "1e-400", True),
        ({"maximum": 9007199254740992}, "9007199254740993", False),
        ({"const": 123456789012345678901234567890}, "123456789012345678901234567891", False),
        ({"enum": [123456789012345678901234567890]}, "123456789012345678901234567890", True),
        ({"maximum": 0.1}, "0.1000000000000000000000001", False),
        ({"multipleOf": 0.01}, "4.35", True),
        ({"type": "integer"}, "1.0", True),
        ({"const": 0}, "-0.0", True),
        ({"type": "integer"}, "12345678901234567890.5", False),
        ({"maxLength": 1}, '"\\ud83d\\ude00"', True),
    ],
)
@pytest.mark.everyday(12)
def test_numbers_are_judged_by_what_is_written(schema: Any, text: str, right: bool) -> None:
    (answer,) = asked((b"k", schema, text))
    assert (answer["violations"] == []) == right


def test_what_is_told_of_a_text_is_bounded() -> None:
    (answer,) = asked((b"k", {"items": {"type": "string"}}, json.dumps([1] * 10_000)))
    assert len(answer["violations"]) == MOST
    (answer,) = asked((b"k", {"additionalProperties": False}, json.dumps(dict.fromkeys(map(str, range(1_000)), 1))))
    assert len(answer["violations"][0]["unexpected"]) == MOST
    required = {"required": [f"p{n}" for n in range(900)], "properties": {"p950": {"type": "string"}}}
    (answer,) = asked((b"k", required, '{"p950": 1}'))
    assert answer["violations"][0]["path"] == ["p950"], "what is there and wrong comes before what is missing"
    nested: dict[str, Any] = {"type": "string"}
    for _ in range(30):
        nested = {"anyOf": [nested, {"type": "null"}]}
    assert len(json.dumps(asked((b"k", nested, "5")))) < 10_000


@pytest.mark.parametrize(
    ("pattern", "text", "right"),
    [
        ("^(a+)+$", "a" * 5_000 + "!", False),
        (r"^(a|a)*\1(a+)+(?=c)$", "a" * 400 + "!", True),  # it gives up, and says nothing
        ("((x{1000}){1000}){1000}", "x", True),
        ("(", "x", True),
        (r"^\p{Letter}+$", "é", True),
        ("^(?<!x)a", "b", False),
    ],
)
@pytest.mark.everyday(6)
def test_a_pattern_costs_nothing_whatever_it_is(pattern: str, text: str, right: bool) -> None:
    schema = {"properties": {"a": {"pattern": pattern}}, "patternProperties": {pattern: True}}
    (answer,) = asked((b"k", schema, json.dumps({"a": text})))
    assert (answer["violations"] == []) == right


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://localhost:1/x"},
        {"$ref": "file:///etc/passwd"},
        {"type": "wibble"},
        {"$ref": "#/$defs/none"},
        [5],
    ],
)
@pytest.mark.everyday(5)
def test_a_schema_that_is_none_is_told_and_nothing_is_fetched(schema: Any) -> None:
    assert why_not(schema, "1") == "its schema is none that can be checked"
