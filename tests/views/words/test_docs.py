from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.model.methods.catalogue import KNOWN
from rpcexplorer.model.methods.method import Method, Parameter
from rpcexplorer.views.words.docs import WIDEST_NAME, docs_lines

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
        "  Takes its time.",
        "  But not long.",
        "",
        "  login       needs a session",
        "  safe        yes, sent without a question",
        "  result      array of user",
        "  said by     the service, when it was asked (rpc.discover)",
        "",
        "  Params  by name, as an object",
        "  page    integer  required  Which page; default 1",
        '  filter  object   optional  What they must be; for example {"active":true}',
        "  #3",
        "",
        "  Starting point",
        "  {",
        '    "page": 1',
        "  }",
    ]


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"auth": "inline"}, "  login       takes the credentials in its params"),
        ({"auth": "none"}, "  login       needs none"),
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


def test_a_method_nobody_knows_says_what_to_do() -> None:
    assert told(Method("x", source="history"))[-2:] == [
        "  Nothing more is known of it.",
        "  F9 asks the service; the Params tab takes anything.",
    ]
    assert not any("Nothing more" in line for method in KNOWN for line in told(method))


def test_without_a_method_the_page_says_how_to_choose_one() -> None:
    assert told(None) == ["  No method is chosen yet: F2 shows them."]


def test_a_table_of_params_stays_a_table_with_very_long_names() -> None:
    method = Method("x", parameters=(Parameter("n" * 99, True, "k" * 99, "doc"), Parameter("日本", True, "any", "doc")))
    table = [row for row in docs_lines(method) if row and row[-1][0] == "doc"]
    assert [len(row[0][0]) for row in table] == [2 + WIDEST_NAME, 2 + WIDEST_NAME - 2]
    assert table[0][0][0].endswith("…")


def test_what_a_service_says_is_seen_and_does_nothing() -> None:
    hostile = "oops [/] \x1b[31m\u202e"
    parameter = Parameter(hostile, True, hostile, hostile, hostile, hostile)
    method = Method(hostile, hostile, {hostile: hostile}, details=hostile, result=hostile, parameters=(parameter,))
    assert all(line.isprintable() for line in told(method))
    assert "  oops [/] ␛[31m\\u202e" in told(method)
