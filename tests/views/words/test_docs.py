from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.discovery.documents import read_introspection
from rpcexplorer.discovery.methods import KNOWN
from rpcexplorer.discovery.openrpc import read_openrpc
from rpcexplorer.model.method import Described, DescribedError, DescribedParam, ExampleCall, Method, Parameter
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.docs import docs_lines, docs_page
from rpcexplorer.text.printable import columns
from tests.corpora.documents import KODI, OPENRPC, document

LIST = Method(
    "user.list",
    "Lists users, newest first",
    None,
    "cookie",
    True,
    "discovered",
    (
        Parameter("page", True, "integer", "Which page", default=1),
        Parameter("filter", False, "object", "What they must be", example={"active": True}),
        Parameter("", None),
    ),
    "name",
    "Takes its time.\nBut not long.",
    "array of user",
    deprecated=True,
    dialect="rpc.discover",
)


def told(method: Method | None) -> list[str]:
    return ["".join(text for text, _ in line).rstrip() for line in docs_lines(method)]


def test_everything_that_is_known_is_told() -> None:
    assert told(LIST) == [
        "  user.list   ! deprecated",
        "  Lists users, newest first",
        "",
        "  Takes its time. But not long.",
        "",
        "  Params  by name, as an object",
        "  page    integer  required  Which page; default 1",
        '  filter  object   optional  What they must be; for example {"active":true}',
        "  #3",
        "",
        "  Starting point",
        '  {"page":1}',
        "",
        "  login       needs a session",
        "  safe        yes, sent without a question",
        "  result      array of user",
        "  said by     the service, when it was asked (rpc.discover)",
    ]


FULL = Described(
    params=(DescribedParam("id", {"type": "integer", "minimum": 1}, True, "Which **user**"),),
    result={"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    result_doc="The user",
    errors=(DescribedError(-32001, "authentication required"), DescribedError(4, "gone", {"since": 1})),
    examples=(
        ExampleCall("The first", {"id": 1}, result={"name": "Ada"}),
        ExampleCall("", {"id": 1, "with": ["a" * 40, "b" * 40]}, "Longer"),
    ),
    tags=("user", "read"),
)


def test_all_that_a_service_says_has_its_part_of_the_page() -> None:
    page = docs_page(Method("user.get", "One user"), FULL, width=60, on_screen=True)
    lines = ["".join(text for text, _ in row).rstrip() for row in page.rows]
    assert lines == [
        "  One user",
        "",
        "  Params",
        "  id  integer  required  Which user; at least 1",
        "",
        "  Result",
        "  result  object  The user",
        "    name  string  required",
        "",
        "  Errors",
        "  -32001  authentication required",
        '       4  gone  data {"since":1}',
        "",
        "  Examples  Enter puts one into the editor",
        "  The first",
        '    {"id":1}',
        "    comes back",
        '      {"name":"Ada"}',
        "  Example 2  Longer",
        "    {",
        '      "id": 1,',
        '      "with": [',
        f'        "{"a" * 40}",',
        f'        "{"b" * 40}"',
        "      ]",
        "    }",
        "",
        "  login       unknown",
        "  safe        unknown, so it is treated as not safe",
        "  tags        user, read",
        "  said by     the profile",
    ]
    assert [(lines[each.first].strip(), each.end, each.call) for each in page.examples] == [
        ("The first", 16, FULL.examples[0]),
        ("Example 2  Longer", 26, FULL.examples[1]),
    ]


def test_what_another_one_said_names_it() -> None:
    sources = (("doc", "profile"), ("details", "help"), ("parameters", "system.methodSignature"), ("safe", "service"))
    lines = told(replace(LIST, sources=sources, details="One.\nTwo."))
    assert lines[1] == "  Lists users, newest first  says the profile"
    assert lines[3:6] == ["  One.", "  Two.", "  says help"]  # help is laid out for a terminal
    assert "  Params  by name, as an object  says system.methodSignature" in lines
    assert "  safe        yes, sent without a question  says the service's own document" in lines
    assert "  login       needs a session" in lines


def test_help_for_a_terminal_keeps_its_lines() -> None:
    text = 'getblock\n\nArguments:\n1. hash   (string)\n\nResult:\n{\n  "a" : 1\n}'
    lines = told(Method("getblock", details=text, dialect="help"))
    assert "  1. hash   (string)" in lines
    assert '    "a" : 1' in lines


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"auth": "inline"}, "  login       takes the credentials in its params"),
        ({"auth": "none"}, "  login       needs none"),
        ({"auth": "none", "dialect": "rpc.discover"}, "  login       the service says: none"),
        (
            {"auth": "none", "dialect": "help", "sources": (("auth", "profile"),)},
            "  login       needs none  says the profile",
        ),
        ({}, "  login       unknown"),
        ({"safe": False}, "  safe        no, asks first where the profile wants it"),
        ({}, "  safe        unknown, so it is treated as not safe"),
        ({"source": "history"}, "  said by     an earlier call"),
        ({"params": [1]}, "  Starting point"),
        ({"params": {}}, "  {}"),
    ],
)
def test_each_fact_has_its_words(fields: dict[str, Any], line: str) -> None:
    assert line in told(Method("x", **fields))


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"auth": "cookie"}, ""),
        ({}, ""),
        ({"auth": "none", "dialect": "rpc.discover"}, "  the service says that it needs none"),
        ({"auth": "inline", "source": "profile"}, "  the profile notes that it takes the credentials in its params"),
    ],
)
def test_what_a_call_takes_along_is_told_first_and_then_what_is_said_otherwise(
    fields: dict[str, Any], line: str
) -> None:
    profile = Profile("p", "http://127.0.0.1/", auth=CookieAuth("ada"))
    lines = ["".join(text for text, _ in row) for row in docs_lines(Method("x", **fields), profile=profile)]
    assert f"  login       goes with the session cookie of this profile{line}" in lines


def test_a_method_nobody_knows_says_what_to_do() -> None:
    assert told(Method("x", source="history"))[2:4] == [
        "  Nothing more is known of it.",
        "  F9 asks the service; the editor takes anything.",
    ]
    assert not any("Nothing more" in line for method in KNOWN for line in told(method))


def test_without_a_method_the_page_says_how_to_choose_one() -> None:
    assert told(None) == ["  No method is chosen yet: F2 shows them."]


def test_what_a_service_says_is_seen_and_does_nothing() -> None:
    hostile = "oops [/] \x1b[31m\u202e"
    parameter = Parameter(hostile, True, hostile, hostile, hostile, hostile)
    method = Method(hostile, hostile, {hostile: hostile}, details=hostile, result=hostile, parameters=(parameter,))
    assert all(line.isprintable() for line in told(method))
    assert "  oops [/] ␛[31m\\u202e" in told(method)


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*OPENRPC, KODI])
def test_what_real_services_say_fits_the_narrowest_page(name: str) -> None:
    listing = (read_introspection if name == KODI else read_openrpc)(document(name))
    assert listing.described
    for method in listing.methods[::4]:
        described = listing.described[method.name]
        page = docs_page(method, described, width=33, on_screen=True)
        lines = ["".join(text for text, _ in row) for row in page.rows]
        assert all(columns(line) <= 33 and line.isprintable() for line in lines)
        assert all(any(param.name[:20] in line for line in lines) for param in described.params)
        assert len(page.examples) == len(described.examples)
