from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.discovery.documents import read_introspection
from rpcexplorer.discovery.methods import KNOWN, MethodChange, MethodChanges, line_of
from rpcexplorer.discovery.openrpc import read_openrpc
from rpcexplorer.model.method import Described, DescribedError, DescribedParam, ExampleCall, Method
from rpcexplorer.model.profile import Profile
from rpcexplorer.schema.node import SchemaReader
from rpcexplorer.text.docs import (
    MAX_ALTERNATIVES,
    MAX_INLINE_CHARACTERS,
    MAX_MEMBERS,
    MAX_VALUE_ROWS,
    MAX_VALUES,
    MemberRows,
    SchemaMember,
    change_lines,
    changes_counted,
    changes_found,
    docs_page,
    json_rows,
    short,
    spelled,
    widths_of,
)
from rpcexplorer.text.markdown import MAX_ROWS, PageRows
from rpcexplorer.text.printable import columns
from rpcexplorer.text.wrapping import text_of
from tests.corpora.documents import KODI, OPENRPC, document

LIST = Method(
    "user.list",
    "Lists users, newest first",
    None,
    "cookie",
    True,
    "discovered",
    "name",
    deprecated=True,
    protocol="rpc.discover",
)
DESCRIBED = Described(
    (
        DescribedParam("page", {"type": "integer", "default": 1}, True, "Which page"),
        DescribedParam("filter", {"type": "object", "examples": [{"active": True}]}, False, "What they must be"),
        DescribedParam("", required=None),
    ),
    details="Takes its time.\nBut not long.",
    result_kind="array of user",
    protocol="rpc.discover",
)


def told(method: Method | None, described: Described | None = None) -> list[str]:
    return [text_of(line).rstrip() for line in docs_page(method, described).rows]


def test_docs_page_shows_everything_known() -> None:
    assert told(LIST, DESCRIBED) == [
        "  user.list   ! deprecated",
        "  Lists users, newest first",
        "",
        "  Takes its time. But not long.",
        "",
        "  Params  by name, as an object",
        "  page    integer  required  Which page · default 1",
        '  filter  object   optional  What they must be · for example {"active":true}',
        "  #3",
        "",
        "  Starting point",
        '  {"page":1}',
        "",
        "  auth        according to the service, this method needs a session",
        '  safe        yes: rpcexplorer asks only if confirm = "always"',
        "  result      array of user",
        "  source      discovery (rpc.discover)",
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


def test_docs_page_has_a_section_for_each_fact() -> None:
    page = docs_page(Method("user.get", "One user"), FULL, width=60, on_screen=True)
    lines = [text_of(row).rstrip() for row in page.rows]
    assert lines == [
        "  One user",
        "",
        "  Params",
        "  id      integer  required  Which user · at least 1",
        "",
        "  Result",
        "  result  object             The user",
        "    name  string   required",
        "",
        "  Errors",
        "  -32001  authentication required",
        '       4  gone  data {"since":1}',
        "",
        "  Examples  Press Enter to insert one",
        "  The first",
        '    {"id":1}',
        "    result",
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
        "  auth        unknown",
        "  safe        unknown, so rpcexplorer treats it as unsafe",
        "  tags        user, read",
        "  source      the profile",
    ]
    assert [(lines[each.first].strip(), each.end, each.call) for each in page.examples] == [
        ("The first", 16, FULL.examples[0]),
        ("Example 2  Longer", 26, FULL.examples[1]),
    ]


def test_facts_of_other_sources_name_the_source() -> None:
    sources = (("doc", "profile"), ("details", "help"), ("parameters", "system.methodSignature"), ("safe", "service"))
    lines = told(
        replace(LIST, sources=sources), replace(DESCRIBED, sources=(("details", "help"),), details="One.\nTwo.")
    )
    assert lines[1] == "  Lists users, newest first  from the profile"
    assert lines[3:6] == ["  One.", "  Two.", "  from help"]  # help is laid out for a terminal
    assert "  Params  by name, as an object  from system.methodSignature" in lines
    assert '  safe        yes: rpcexplorer asks only if confirm = "always"  from the preset service' in lines
    assert "  auth        according to the service, this method needs a session" in lines


def test_help_for_a_terminal_keeps_its_lines() -> None:
    text = 'getblock\n\nArguments:\n1. hash   (string)\n\nResult:\n{\n  "a" : 1\n}'
    lines = told(Method("getblock", protocol="help"), Described(details=text, protocol="help"))
    assert "  1. hash   (string)" in lines
    assert '    "a" : 1' in lines


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        (
            {"auth": "inline"},
            "  auth        according to the profile, this method takes the credentials in its params",
        ),
        (
            {"auth": "none", "protocol": "rpc.discover"},
            "  auth        according to the service, this method needs no credentials",
        ),
        (
            {"auth": "none", "protocol": "help", "sources": (("auth", "profile"),)},
            "  auth        according to the profile, this method needs no credentials",
        ),
        (
            {"auth": "none", "source": "service"},
            "  auth        according to the preset service, this method needs no credentials",
        ),
        ({}, "  auth        unknown"),
        ({"safe": False}, '  safe        no: rpcexplorer asks unless confirm = "never"'),
        ({}, "  safe        unknown, so rpcexplorer treats it as unsafe"),
        ({"source": "history"}, "  source      an earlier call"),
        ({"protocol": "rpc.describe"}, "  source      the profile and discovery (rpc.describe)"),
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
        ({"auth": "none", "protocol": "rpc.discover"}, "  according to the service, this method needs no credentials"),
        (
            {"auth": "inline", "source": "profile"},
            "  according to the profile, this method takes the credentials in its params",
        ),
    ],
)
def test_credentials_of_profile_come_before_other_claims(fields: dict[str, Any], line: str) -> None:
    profile = Profile("p", "http://127.0.0.1/", auth=CookieAuth("ada"))
    lines = [text_of(row) for row in docs_page(Method("x", **fields), profile=profile).rows]
    assert f"  auth        sent with the session cookie of this profile{line}" in lines


def test_unknown_method_page_says_what_to_do() -> None:
    assert told(Method("x", source="history"))[2:4] == [
        "  The docs and params of this method are unknown.",
        "  You can send any params.",
    ]
    on_screen = docs_page(Method("x", source="history"), on_screen=True).rows
    assert [("  Press F9 to discover methods. You can send any params.", "dim")] in on_screen
    assert not any("Nothing more" in line for method in KNOWN for line in told(method))


def test_page_without_method_says_how_to_choose() -> None:
    assert told(None) == ["  No method selected. Press F2 to choose one."]


def test_control_characters_of_docs_are_escaped() -> None:
    hostile = "oops [/] \x1b[31m\u202e"
    param = DescribedParam(hostile, {"default": hostile, "examples": [hostile]}, True, hostile, kind=hostile)
    described = Described((param,), details=hostile, result_kind=hostile)
    lines = told(Method(hostile, hostile, {hostile: hostile}), described)
    assert all(line.isprintable() for line in lines)
    assert "  oops [/] ␛[31m\\u202e" in lines


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*OPENRPC, KODI])
def test_docs_of_real_services_fit_the_narrowest_page(name: str) -> None:
    listing = (read_introspection if name == KODI else read_openrpc)(document(name))
    assert listing.described
    for method, described in [*listing.described.items()][::4]:
        page = docs_page(line_of(method, described), described, width=33, on_screen=True)
        lines = [text_of(row) for row in page.rows]
        assert all(columns(line) <= 33 and line.isprintable() for line in lines)
        assert all(any(param.name[:20] in line for line in lines) for param in described.params)
        assert len(page.examples) == len(described.examples)


def shown(*members: SchemaMember, width: int | None = 80, definitions: dict[str, Any] | None = None) -> list[str]:
    rows, reader = PageRows(width), SchemaReader(definitions or {})
    MemberRows(reader, rows, widths=widths_of([members], reader, width)).table(members)
    return [text_of(row).rstrip() for row in rows.made]


COUNT = SchemaMember("count", {"type": "integer", "minimum": 1, "maximum": 9, "default": 3}, False, "How **many**")
KIND = SchemaMember("kind", {"enum": [f"value-{at}" for at in range(6)]}, True)


def test_members_are_shown_in_columns() -> None:
    assert shown(COUNT, KIND) == [
        "  count  integer  optional  How many · 1 … 9 · default 3",
        "  kind   string   required  one of value-0 | value-1 | value-2 | value-3 |",
        "                            value-4 | value-5",
    ]


def test_narrow_page_puts_member_docs_below() -> None:
    assert shown(COUNT, width=30) == [
        "  count  integer  optional",
        "      How many · 1 … 9",
        "      · default 3",
    ]


def test_member_doc_of_several_lines_goes_below() -> None:
    assert shown(SchemaMember("a", True, doc="First.\n\n- one")) == ["  a", "      First.", "", "      • one"]


def test_nested_members_are_indented_and_recursion_ends() -> None:
    tree = {"type": "object", "properties": {"name": {"type": "string"}, "branches": {"items": {"$ref": "#/T"}}}}
    assert shown(SchemaMember("root", {"$ref": "#/T"}, True), definitions={"#/T": tree}) == [
        "  root        object           required",
        "    name      string           optional",
        "    branches  array of object  optional",
        "      same members as above",
    ]


def test_deeper_members_are_counted() -> None:
    schema: dict[str, Any] = {"properties": {"last": {"type": "null"}}}
    for name in "edcba":
        schema = {"properties": {name: schema}}
    assert shown(SchemaMember("x", schema))[-1].strip() == "… 1 member inside"


def test_alternatives_with_members_are_separated() -> None:
    new = {"title": "new", "properties": {"name": {"type": "string"}}}
    old = {"title": "old", "properties": {"id": {"type": "integer"}}}
    assert shown(SchemaMember("who", {"oneOf": [{"type": "null"}, new, old]})) == [
        "  who       null or object",
        "    either new",
        "      name  string          optional",
        "    or old",
        "      id    integer         optional",
    ]


def test_nested_alternatives_are_shown_up_to_a_limit() -> None:
    one = {"title": "inner", "anyOf": [{"type": "null"}, {"properties": {"deep": {"type": "string"}}}]}
    many = [{"title": f"t{at}", "properties": {f"p{at}": True}} for at in range(MAX_ALTERNATIVES + 2)]
    lines = shown(SchemaMember("who", {"oneOf": [one, *many]}))
    said = [" ".join(line.split()) for line in lines[1:5]]
    assert said == ["either inner", "deep string optional", "or t0", "p0 optional"]
    assert lines[-1] == "    … or 3 more"
    assert f"    or t{MAX_ALTERNATIVES - 2}" in lines


def test_other_names_and_places_are_members_too() -> None:
    pair = {"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": {"type": "null"}}
    bag = {"type": "object", "additionalProperties": {"type": "number"}}
    assert shown(SchemaMember("pair", pair), SchemaMember("bag", bag)) == [
        "  pair                array",
        "    #1                string",
        "    #2                integer",
        "    (other elements)  null",
        "  bag                 object",
        "    (any other name)  number",
    ]


def test_long_lists_are_cut_and_counted() -> None:
    few, many = SchemaMember("x", {"enum": [*range(999)]}), SchemaMember("x", {"enum": [*range(10_000)]})
    assert shown(few, width=None)[0].endswith(f" | {MAX_VALUES - 1} … and {999 - MAX_VALUES} more")
    assert shown(many, width=None)[0].endswith(" … and at least 800 more")
    assert shown(*[COUNT] * 1_000)[-1] == f"  … and {1_000 - MAX_MEMBERS:,} more"


def circle() -> dict[str, Any]:
    """Return fifty schemas that each have all of them as members."""
    members = {f"p{at}": {"$ref": f"#/{at}"} for at in range(50)}
    return {f"#/{at}": {"properties": dict(members)} for at in range(50)}


@pytest.mark.thorough
def test_schemas_that_lead_everywhere_are_bounded() -> None:
    assert len(shown(SchemaMember("x", {"$ref": "#/0"}), definitions=circle())) <= MAX_ROWS
    deep: dict[str, Any] = {}
    for _ in range(1_000):
        deep = {"anyOf": [deep, deep], "items": deep, "properties": {"\x1b\ud800": deep}}
    wide: dict[str, Any] = {}
    for _ in range(100):
        wide = {"anyOf": [dict(wide) for _ in range(MAX_ALTERNATIVES)]}
    assert len(shown(SchemaMember("x", wide))) == 1
    lines = shown(SchemaMember("x", deep))
    assert len(lines) <= MAX_ROWS
    assert all(line.isprintable() for line in lines)


CHANGES = (
    MethodChange("a", "new"),
    MethodChange("b\u202e", "gone"),
    MethodChange("c", "changed", ("param “since” is new", "doc \x1b[2J")),
    MethodChange("d", "changed", ("deprecated now",)),
)


def test_method_changes_are_counted_and_listed() -> None:
    assert changes_counted(CHANGES) == "1 new, 1 gone, 2 changed"
    lines = [text_of(line) for change in CHANGES for line in change_lines(change)]
    assert lines == [
        " + a  new",
        " - b\\u202e  gone",
        " ~ c  changed",
        "     param “since” is new",
        "     doc ␛[2J",
        " ~ d  changed",
        "     deprecated now",
    ]
    assert changes_counted(()) == ""
    when = datetime(2026, 11, 2, 9, 30, tzinfo=UTC)
    assert changes_found(MethodChanges(when, when, CHANGES, more=3)).endswith(" 3 more changes were not saved.")
    assert changes_found(MethodChanges(when, when, CHANGES, more=1)).endswith(" 1 more change was not saved.")
    assert changes_found(MethodChanges(when, when, CHANGES)).endswith("at 09:30.")


def value_rows(value: object, width: int | None = 80) -> list[str]:
    rows = PageRows(width)
    json_rows(value, rows, 4)
    return [text_of(row) for row in rows.made]


def test_short_value_takes_one_row_long_several() -> None:
    assert value_rows({"a": [1, 2]}) == ['    {"a":[1,2]}']
    assert value_rows({"a": "x" * 60})[:2] == ["    {", f'      "a": "{"x" * 60}"']
    assert value_rows({"a": "x" * 20}, 20)[0] == "    {"


def test_long_value_is_cut_and_counted() -> None:
    assert value_rows([*range(1_000)])[-1] == f"    … and {1_002 - MAX_VALUE_ROWS} more lines"
    assert len(short("x" * 1_000)) == MAX_INLINE_CHARACTERS


def test_value_without_json_spelling_is_named() -> None:
    assert spelled("\ud800") == "(cannot be written as JSON)"
