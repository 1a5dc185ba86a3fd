"""Completions at the cursor in params."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.model.method import Described, DescribedParam, ExampleCall
from rpcexplorer.schema.complete import (
    MOST,
    MOST_NODES,
    MOST_SCHEMAS,
    Candidate,
    SchemaPlaces,
    completions,
    required_in,
)

OWNER = {
    "oneOf": [
        {"properties": {"type": {"const": "person"}, "born": {"type": "string"}}, "required": ["type"]},
        {"properties": {"type": {"const": "firm"}, "vat": {"type": ["string", "null"]}}, "required": ["type"]},
    ],
    "properties": {"note": {"type": "string", "description": "Anything  else.\n\nMore."}},
}
SHOP = Described(
    (
        DescribedParam("since", {"type": "string", "default": "today", "examples": ["2026-01-01"]}),
        DescribedParam("count", {"type": "integer", "minimum": 1, "maximum": 9}, True, "How many there are."),
        DescribedParam("kind", {"enum": ["book", "boat", 5]}, True),
        DescribedParam("old", {}, deprecated=True),
        DescribedParam("on", {"type": ["boolean", "null"]}),
        DescribedParam("owner", OWNER),
        DescribedParam("tags", {"type": "array", "items": {"enum": ["new", "old"]}}),
        DescribedParam("mode", {"const": "fast"}),
    ),
    examples=(ExampleCall("first", {"count": 7}), ExampleCall("second", ["2026-02-02", 8])),
)


def taken(text: str, *, at: int = 0, **more: Any) -> str:
    """Return the text with a candidate inserted; ``|`` is the cursor."""
    offset = text.index("|")
    text = text.replace("|", "", 1)
    found = completions(text, offset, SHOP, **more)
    assert found
    candidate = found.candidates[at]
    cursor = len(candidate.text) if candidate.cursor is None else candidate.cursor
    put = f"{candidate.text[:cursor]}|{candidate.text[cursor:]}"
    return text[: found.start] + put + text[found.end :]


def shown(text: str, described: Described = SHOP, **more: Any) -> list[str]:
    offset = text.index("|")
    found = completions(text.replace("|", "", 1), offset, described, **more)
    return [candidate.shown for candidate in found.candidates] if found else []


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("{cou|", '{"count": |'),
        ('{"co|un": 5}', '{"count"|: 5}'),
        ('{"SIN|"}', '{"since": "|"}'),
        ('{"count": 1, ta|}', '{"count": 1, "tags": [|]}'),
        ('{"count": 1 |}', '{"count": 1, "kind": |}'),
        ('{"kind": 5|}', None),
        ('{"sinc| "count": 1}', '{"since": "|",  "count": 1}'),
        ('{| "count": 1}', '{"kind": |,  "count": 1}'),
        ('{mo|}', '{"mode": "fast"|}'),
        ('{"kind": bo|', '{"kind": "book"|'),
        ('{"kind": "boa|"}', '{"kind": "boat"|}'),
        ('{"on": t|}', '{"on": true|}'),
        ('{"tags": [|"old"]}', '{"tags": ["new"|, "old"]}'),
        ('["2026|', '["2026-01-01"|'),
        ("[1, |", "[1, 7|"),
        ('{"owner": {"type": "firm", v|', '{"owner": {"type": "firm", "vat": |'),
        ('{"owner": |}', '{"owner": {"type": "person"}|}'),
    ],
)  # fmt: skip
def test_started_word_is_completed(text: str, after: str | None) -> None:
    if after is None:
        assert shown(text) == []
    else:
        assert taken(text) == after


def test_names_have_descriptions_and_required_ones_come_first() -> None:
    found = completions("{", 1, SHOP)
    assert found
    assert [(candidate.shown, candidate.words) for candidate in found.candidates] == [
        ("count", "integer, 1 … 9, required · How many there are."),
        ("kind", "one of book | boat | 5, required"),
        ("since", "string"),
        ("on", "boolean or null"),
        ("owner", "object"),
        ("tags", "array of one of new | old"),
        ("mode", "one of fast"),
        ("old", "deprecated"),
    ]
    assert shown('{"owner": {"type": "firm", |') == ["note", "vat"]
    assert shown('{"owner": {|}, "count": 1}') == ["type", "note", "born", "vat"]


def test_values_are_sorted_by_usefulness() -> None:
    mine = [Candidate('"{{day}}"', "{{day}}", "saved"), Candidate("7", "7"), Candidate("1.5", "1.5")]
    places = {("since", ("since",)), ("tags", ("tags", 0)), ("since", (0,)), ("count", ("count",))}

    def values(name: str, path: tuple[str | int, ...]) -> list[Candidate]:
        return mine if (name, path) in places else []

    assert shown('{"since": |', values=values) == ["today", "2026-01-01", "2026-02-02", "{{day}}"], "7 is no text"
    assert shown('{"count": |', values=values) == ["7", "8", "{{day}}"], "1.5 is no whole number"
    assert shown('["|', values=values) == ["today", "2026-01-01", "2026-02-02", "{{day}}"]
    assert shown('{"tags": [|', values=values) == ["new", "old", "{{day}}", "7", "1.5"]


def test_only_params_that_can_be_sent_are_completed() -> None:
    assert shown("{|", by="position") == shown("[|", by="name") == []
    assert shown("{|", by="name") == shown("{|")


@pytest.mark.parametrize(
    "text", ["|", "|{}", "{}|", '{"count"|: 1}', '{"a" |', '{"since": "{{lo|', "[1 |", '{"count": 1}|']
)
def test_invalid_positions_have_no_completions(text: str) -> None:
    assert shown(text) == []


def test_completion_filters_10000_names() -> None:
    wide = {f"p{at}": {"$ref": "A"} for at in range(10_000)}
    described = Described(
        (DescribedParam("a", {"properties": wide}),), definitions={"A": {"oneOf": [{"$ref": "A"}] * 50}}
    )
    assert len(shown('{"a": {|', described)) == MOST
    assert shown('{"a": {"p999|', described)[0] == "p999"


KEYS = st.sampled_from(["since", "count", "kind", "owner", "tags", "type", "born", "x y", "q\"'\\"])
VALUES = st.recursive(
    st.sampled_from([None, True, 1, -2.5, "", "book", "a, b: [{}] \"c\"", "\\"]),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)  # fmt: skip
PARAMS = st.one_of(st.lists(VALUES, max_size=4), st.dictionaries(KEYS, VALUES, max_size=5))


@given(PARAMS, st.sampled_from([None, 1]), st.data())
def test_completion_keeps_params_right_and_names_unique(value: Any, indent: Any, data: Any) -> None:
    text = json.dumps(value, indent=indent)
    for offset in sorted({data.draw(st.integers(0, len(text))) for _ in range(8)}):
        found = completions(text, offset, SHOP)
        for candidate in found.candidates if found else ():
            put = (
                f"{candidate.text[: candidate.cursor]}0{candidate.text[candidate.cursor :]}"
                if candidate.text[: candidate.cursor].endswith(": ")
                else candidate.text
            )
            json.loads(text[: found.start] + put + text[found.end :], object_pairs_hook=once)  # type: ignore[union-attr]


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


CAT = {"properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}, "friend": {"$ref": "Pet"}}}
DOG = {"allOf": [{"properties": {"kind": {"enum": ["dog", "wolf"]}}}, {"properties": {"lives": {"type": "boolean"}}}]}
PET = {"anyOf": [{"$ref": "Cat"}, DOG, {"type": "null"}], "properties": {"name": {"type": "string"}}}
DESCRIBED = Described(
    (
        DescribedParam("pet", {"$ref": "Pet"}),
        DescribedParam("rows", {"prefixItems": [{"const": 1}], "items": {"additionalProperties": {"$ref": "Cat"}}}),
    ),
    definitions={"Pet": PET, "Cat": CAT},
)


@pytest.mark.parametrize(
    ("path", "siblings", "schemas"),
    [
        (("pet",), [], [{"$ref": "Pet"}]),
        ((0,), [], [{"$ref": "Pet"}]),
        (("none",), [], []),
        (("pet", "lives"), [{}, {}], [{"type": "integer"}, {"type": "boolean"}]),
        (("pet", "lives"), [{}, {"kind": '"cat"'}], [{"type": "integer"}]),
        (("pet", "lives"), [{}, {"kind": '"wolf"', "name": "1"}], [{"type": "boolean"}]),
        (("pet", "lives"), [{}, {"kind": '"fox"'}], [{"type": "integer"}, {"type": "boolean"}]),
        ((0, "friend", "lives"), [{}, {"kind": '"cat"'}, {"kind": '"dog"'}], [{"type": "boolean"}]),
        (("rows", 0), [{}, {}], [{"const": 1}]),
        (("rows", 5, "any", "lives"), [{}, {}, {}, {}], [{"type": "integer"}]),
        (("rows", "no number"), [{}, {}], []),
    ],
)
def test_sibling_values_select_the_schemas(path: Any, siblings: Any, schemas: Any) -> None:
    found = SchemaPlaces(DESCRIBED).schemas(path, siblings)
    assert [schema for schema in found if schema is not True] == schemas


def test_member_is_required_if_every_alternative_requires_it() -> None:
    cat = {"required": ["kind", "lives"], "properties": {"kind": {}, "lives": {}}}
    dog = {"required": ["kind"], "properties": {"kind": {}}}
    places = SchemaPlaces(Described())
    whole = {"required": ["id"], "oneOf": [cat, dog, {"type": "null"}]}
    assert required_in(places.nodes([whole])) == {"id", "kind"}
    assert required_in(places.nodes([cat])) == {"kind", "lives"}
    assert required_in([]) == frozenset()


def test_recursive_and_many_alternatives_are_bounded() -> None:
    wide: Any = {"oneOf": [{"oneOf": [{"$ref": "A"}] * 50, "properties": {"a": {"$ref": "A"}}} for _ in range(500)]}
    places = SchemaPlaces(Described((DescribedParam("a", {"$ref": "A"}),), definitions={"A": wide}))
    found = places.schemas(("a",) * 50, [{"b": "1", "c": '"x"'}] * 50)
    assert 0 < len(found) <= MOST_SCHEMAS
    assert len(places.nodes(found)) == MOST_NODES
