"""Text of a service is sent as data: no reference inside it is resolved."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rpcexplorer.cli.completion import param_words
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.secret import PLACEHOLDER
from rpcexplorer.schema.complete import completions
from rpcexplorer.schema.explain import by_name, fixes
from rpcexplorer.schema.form import FormText, plain_text, starting_text
from rpcexplorer.schema.node import SchemaReader
from rpcexplorer.text.docs import spelled
from rpcexplorer.variables.references import (
    MADE,
    REFERENCE,
    Offered,
    Reference,
    can_be_named,
    inert,
    inert_value,
    names,
    reference,
    to_last,
)
from rpcexplorer.variables.resolve import used_in
from tests.fakes.violations import explained

SECRET, LOOKED_UP = "«b.token»", "{{users#/0/token}}"
HOSTILE = [SECRET, LOOKED_UP, "{{{uuid}}", "{{{{{now}}", '\\{{today}}"', {"{{uuid}}": [{"«b.token»": {}}]}]


def reads(text: str) -> Any:
    """Return the value; fail if sending the text would resolve part of it."""
    assert not PLACEHOLDER.search(text)
    assert not used_in(Draft("m", text if text.lstrip()[:1] in {"[", "{"} else f"[{text}]"))
    return json.loads(text)


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.everyday(6)
def test_inert_value_is_equal_for_every_reader(value: Any) -> None:
    assert reads(inert_value(value)) == reads(spelled(value)) == value
    nested: dict[str, Any] = {"a": {"b": [[{"c": {}}]]}}
    assert inert(text := json.dumps(nested, separators=(",", ":"))) == text


def test_unspellable_value_is_null_and_surrogates_are_escaped() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert inert_value(deep) == inert_value(10**5_000) == "null"
    assert inert_value("\ud800«b.token»") == '"\\ud800\\u00abb.token\\u00bb"'


@pytest.mark.parametrize("value", [SECRET, LOOKED_UP])
def test_inert_value_stays_inert_in_any_params(value: str) -> None:
    schema, reader = {"enum": [value]}, SchemaReader({})
    assert reads(starting_text(reader, schema)) == reads(plain_text(reader.node(schema))) == value

    assert reads(FormText(reader, "{}", []).with_value((value,), "1")) == {value: 1}

    near = json.dumps(value[1:-1], ensure_ascii=False)
    for given, part in ((f'{{"a": {near}}}', schema), (f'{{"a": {near}}}', {"const": value})):
        (found,) = explained(Described((DescribedParam("a", part),)), given)
        assert [reads(fix.text) for fix in fixes(given, found)] == [{"a": value}]
    given = f'{{"x": {{{near}: 1}}}}'
    names = {"properties": {value: {}}, "additionalProperties": False}
    (found,) = explained(Described((DescribedParam("x", names),)), given)
    assert [reads(fix.text) for fix in fixes(given, found)] == [{"x": {value: 1}}]
    fix = by_name("[1]", [DescribedParam(value)])
    assert fix is not None
    assert reads(fix.text) == {value: 1}

    described = Described((DescribedParam("a", schema), DescribedParam(value, schema)))
    for before, after in (('{"a": ', "}"), ("{", "}"), ("{", ": 1}")):
        found_here = completions(before + after, len(before), described)
        assert found_here is not None
        for candidate in found_here.candidates:
            assert reads(f"{before}{candidate.text}{after}")
    assert [*param_words(described, "a=", ())] == []


@pytest.mark.parametrize(
    ("inside", "read"),
    [
        ("page", Reference("page")),
        (" page ", Reference("page")),
        ("page:json", Reference("page", as_json=True)),
        ("a.b-c_1", Reference("a.b-c_1")),
        ("last.user.list#/items/0/id", Reference("last.user.list#/items/0/id", False, "user.list", "/items/0/id")),
        ("last.user#list#/a#b:json", Reference("last.user#list#/a#b", True, "user#list", "/a#b")),
        ("last.ping#", Reference("last.ping#", False, "ping", "")),
        ("last.ping", Reference("last.ping", False, "ping", "")),
        (r"last.a\u0023/b#/c", Reference("last.a#/b#/c", False, "a#/b", "/c")),
        (r"last.a#/b\u003ajson", Reference("last.a#/b:json", False, "a", "/b:json")),
        (r"last.say \"hi\"#/\u007b", Reference('last.say "hi"#/{', False, 'say "hi"', "/{")),
        ("open.a#/b:json", Reference("open.a#/b", True, "", "/b", "a")),
        ("open.a#", Reference("open.a#", opening="a")),
        ("open.a", Reference("open.a")),
    ],
)
def test_text_between_the_braces_is_parsed(inside: str, read: Reference) -> None:
    assert reference(inside) == read


@pytest.mark.parametrize("method", ["ping", "user.list", "user#list", "a#/b", "a#", 'q"{}\\', "é\n"])
@pytest.mark.parametrize("pointer", ["", "/a/0", "/a#/b", "/a:json", '/"{x}', "/~1~0é"])
@pytest.mark.parametrize("as_json", [False, True])
def test_result_reference_keeps_its_spelling(method: str, pointer: str, as_json: bool) -> None:
    found = REFERENCE.fullmatch(to_last(method, pointer, as_json=as_json))
    assert found
    assert found["inside"]
    read = reference(found["inside"])
    assert (read.method, read.pointer, read.as_json) == (method, pointer, as_json)


def test_variable_name_cannot_have_another_meaning() -> None:
    assert all(map(can_be_named, ["page", "_x", "a.b", "größe", "n1-2"]))
    assert not any(map(can_be_named, [*MADE, "last.ping", "", "1a", "a b", "a:json", "a{", "x" * 65]))


def test_variables_come_first_and_every_offer_is_valid() -> None:
    found = names({"page": "2", "a": ""}, ["user.list", "a#/b"])
    assert [offered.inside for offered in found] == ["a", "page", *MADE, "last.user.list#", "last.a\\u0023/b#"]
    assert found[1] == Offered("page", "2")
    assert [reference(offered.inside).method for offered in found[-2:]] == ["user.list", "a#/b"]
