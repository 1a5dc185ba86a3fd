"""What a server of MCP asks: forms and pages, and what cannot be one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rpcexplorer.schema.elicitation import MAX_QUESTIONS, Elicitation, read_elicitation, titled_choices


def read(**params: Any) -> Elicitation:
    text = json.dumps({"id": 1, "method": "elicitation/create", "params": params})
    return read_elicitation(text.encode(), lambda name: "token" in name.lower())


def form(**properties: Any) -> Elicitation:
    return read(message="Well?", requestedSchema={"type": "object", "properties": properties, "required": ["a"]})


HEROES = [{"const": "h1", "title": "Superman"}, {"const": "h2", "title": "Wonder Woman"}]


@pytest.mark.parametrize(
    ("schema", "choices"),
    [
        ({"type": "string"}, []),
        (True, []),
        ({"type": "string", "enum": ["x", "y"]}, [("x", "x"), ("y", "y")]),
        ({"enum": ["x"], "enumNames": ["Ex"]}, [("x", "Ex")]),
        ({"enum": ["x", "y"], "enumNames": ["Ex"]}, [("x", "x"), ("y", "y")]),
        ({"type": "string", "oneOf": HEROES}, [("h1", "Superman"), ("h2", "Wonder Woman")]),
        ({"anyOf": HEROES}, [("h1", "Superman"), ("h2", "Wonder Woman")]),
    ],
)
def test_choices_have_titles(schema: Any, choices: list[tuple[Any, str]]) -> None:
    assert [*titled_choices(schema)] == choices
    (param,) = form(a=schema).described.params
    assert (param.name, param.schema, param.required) == ("a", schema, True)


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
        ("https://bank.com@evil.org/", "evil.org", "The text before @ is not the host: the page is at evil.org."),
        ("https://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com", "The host has letters that may look like others."),
        ("https://b%61nk.com/", "b%61nk.com", "The host has letters that may look like others."),
        ("ftp://example.org/", "example.org", "It is not a web page: its scheme is ftp."),
    ],
)
def test_page_names_its_host_and_what_is_odd(url: str, host: str, caution: str) -> None:
    asked = read(mode="url", url=url, message="m", elicitationId="e1")
    assert (asked.url, asked.host, asked.caution) == (url, host, caution)


def test_secret_fields_are_known_by_name_title_and_format() -> None:
    asked = form(a={"format": "password"}, my_token={}, c={"title": "API token"}, d={"title": "Name"})
    assert asked.secrets == {"a", "my_token", "c"}
    content = '{"a": "hunter2", "d": "x"}'
    assert asked.secrets_in(content) == ["hunter2"]
    digits = "7" * 5_000
    assert form(my_token={"type": "integer"}).secrets_in(f'{{"my_token": {digits}}}') == [digits]
    assert json.loads(asked.shown_answer(content)) == {"action": "accept", "content": {"a": "«not recorded»", "d": "x"}}
