"""What a server of MCP asks: forms and pages, and what cannot be one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rpcexplorer.schema.elicitation import MAX_QUESTIONS, Elicitation, format_problem, read_elicitation


def read(**params: Any) -> Elicitation:
    text = json.dumps({"id": 1, "method": "elicitation/create", "params": params})
    return read_elicitation(text.encode(), lambda name: "token" in name.lower())


def form(**properties: Any) -> Elicitation:
    return read(message="Well?", requestedSchema={"type": "object", "properties": properties, "required": ["a"]})


HEROES = [{"const": "h1", "title": "Superman"}, {"const": "h2", "title": "Wonder Woman"}]


@pytest.mark.parametrize(
    ("schema", "kind", "choices"),
    [
        ({"type": "string"}, "text", ()),
        ({"type": "integer"}, "number", ()),
        ({"type": "boolean"}, "boolean", ()),
        ({"type": "object"}, "json", ()),
        (True, "json", ()),
        ({"type": "string", "enum": ["x", "y"]}, "choice", (("x", "x"), ("y", "y"))),
        ({"enum": ["x"], "enumNames": ["Ex"]}, "choice", (("x", "Ex"),)),
        ({"enum": ["x", "y"], "enumNames": ["Ex"]}, "choice", (("x", "x"), ("y", "y"))),
        ({"type": "string", "oneOf": HEROES}, "choice", (("h1", "Superman"), ("h2", "Wonder Woman"))),
        ({"type": "array", "items": {"anyOf": HEROES}}, "choices", (("h1", "Superman"), ("h2", "Wonder Woman"))),
        ({"type": "array", "items": {"enum": ["x"]}}, "choices", (("x", "x"),)),
        ({"type": "array", "items": {"type": "string"}}, "json", ()),
    ],
)
def test_field_of_each_kind_is_read(schema: Any, kind: str, choices: Any) -> None:
    (question,) = form(a=schema).questions
    assert (question.kind, question.choices, question.param.required) == (kind, choices, True)


def test_only_what_is_typed_is_a_secret() -> None:
    text = {"type": "string"}
    asked = form(token=text, pin={**text, "title": "Token"}, save_token={"type": "boolean"}, token_kind={"enum": ["x"]})
    assert asked.secrets == {"token", "pin"}


def test_form_starts_with_its_defaults() -> None:
    asked = form(a={"type": "string"}, b={"type": "integer", "default": 3}, c={"type": "array", "default": ["x"]})
    assert json.loads(asked.start) == {"b": 3, "c": ["x"]}
    assert asked.message == "Well?"


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({}, "The form has no schema with properties."),
        ({"requestedSchema": {"properties": []}}, "The form has no schema with properties."),
        ({"mode": "poem"}, "The mode poem is unknown."),
        ({"mode": ["form"]}, "The mode of the request is unknown."),
        ({"mode": "url"}, "The request has no URL that can be shown."),
        ({"mode": "url", "url": "https://a/\x1b[2J"}, "The request has no URL that can be shown."),
        ({"mode": "url", "url": "https://evil.org\\@bank.com/"}, "The request has no URL that can be shown."),
        ({"mode": "url", "url": "https://[::"}, "The URL of the request has no host."),
        ({"mode": "url", "url": "https:/evil.org/"}, "The URL of the request has no host."),
        ({"mode": "url", "url": "javascript:alert(1)"}, "The URL of the request has no host."),
        (
            {"requestedSchema": {"properties": {str(n): {"type": "string"} for n in range(4_000)}}},
            f"The form has 4,000 fields, more than the {MAX_QUESTIONS} that fit.",
        ),
        ({"message": "x" * 300_000}, "The form is larger than 256 kB."),
    ],
)
def test_what_is_no_form_says_why(params: dict[str, Any], why: str) -> None:
    assert read(**params).why_not == why


@pytest.mark.parametrize("levels", [30, 900, 20_000])
def test_deep_form_says_why(levels: int) -> None:
    schema = '{"items":' * levels + "{}" + "}" * levels
    text = f'{{"params":{{"message":"x","requestedSchema":{{"properties":{{"a":{schema}}}}}}}}}'
    why_not = read_elicitation(text.encode(), bool).why_not
    assert "nested deeper than 20 levels" in why_not or why_not == "The request has no params that can be read."


@pytest.mark.parametrize(
    ("url", "host", "caution"),
    [
        ("https://Example.org/a", "example.org", ""),
        ("http://example.org/", "example.org", "It is not encrypted."),
        ("https://bank.com@evil.org/", "evil.org", "The text before @ is no host: the page is at evil.org."),
        ("https://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com", "The host has letters that may look like others."),
        ("https://b%61nk.com/", "b%61nk.com", "The host has letters that may look like others."),
        ("ftp://example.org/", "example.org", "It is no web page: its scheme is ftp."),
    ],
)
def test_page_names_its_host_and_what_is_odd(url: str, host: str, caution: str) -> None:
    asked = read(mode="url", url=url, message="m", elicitationId="e1")
    assert (asked.url, asked.host, asked.caution, asked.id) == (url, host, caution, "e1")


def test_secret_fields_are_known_by_name_title_and_format() -> None:
    asked = form(a={"format": "password"}, my_token={}, c={"title": "API token"}, d={"title": "Name"})
    assert asked.secrets == {"a", "my_token", "c"}
    content = '{"a": "hunter2", "d": "x"}'
    assert asked.secrets_in(content) == ["hunter2"]
    digits = "7" * 5_000
    assert form(my_token={"type": "integer"}).secrets_in(f'{{"my_token": {digits}}}') == [digits]
    assert json.loads(asked.shown_answer(content)) == {"action": "accept", "content": {"a": "«not recorded»", "d": "x"}}


@pytest.mark.parametrize(
    ("wanted", "right", "wrong"),
    [
        ("email", "ada@example.org", "ada"),
        ("email", "a.b+c@x.y", "a b@x"),
        ("uri", "urn:x", "example"),
        ("date", "2026-07-28", "28.7.2026"),
        ("date-time", "2026-07-28T12:00:00Z", "noon"),
        ("poem", "roses", ""),
    ],
)
def test_text_has_the_format_of_its_field(wanted: str, right: str, wrong: str) -> None:
    asked = form(a={"type": "string", "format": wanted})
    assert format_problem(asked.questions[0], json.dumps(right)) == ""
    assert bool(format_problem(asked.questions[0], json.dumps(wrong))) == bool(wrong)
    assert [problem.pointer for problem in asked.format_problems(json.dumps({"a": wrong}))] == [("a",)] * bool(wrong)
