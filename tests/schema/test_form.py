"""The form: its rows, and the text after each change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext.edit import span_of
from rpcexplorer.jsontext.params import Typo, parse
from rpcexplorer.model.method import By, Described, DescribedParam
from rpcexplorer.model.problem import SchemaProblem
from rpcexplorer.schema.form import (
    MOST_ITEMS,
    FormField,
    FormRows,
    FormText,
    FormView,
    starting_text,
    why_no_form,
    with_problems,
)
from rpcexplorer.schema.node import SchemaReader

PERSON: Any = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "description": "In full"},
        "age": {"type": ["integer", "null"], "minimum": 1},
        "role": {"enum": ["user", "admin"], "deprecated": True},
        "friend": {"$ref": "#/Person"},
        "tags": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        "shape": {
            "required": ["by"],
            "properties": {"by": {"const": "hand"}},
            "oneOf": [
                {"title": "circle", "type": "object", "required": ["r"], "properties": {"r": {"type": "number"}}},
                {"title": "square", "type": "object", "required": ["s"], "properties": {"s": {"type": "number"}}},
            ],
        },
    },
}
DESCRIBED = Described(
    (
        DescribedParam("who", {"$ref": "#/Person"}, required=True),
        DescribedParam("dry", {"type": "boolean"}),
        DescribedParam("limit", {"type": "integer", "default": 10}),
    ),
    definitions={"#/Person": PERSON},
)
OPEN = FormView({("who",): True})


def rows_of(text: str, view: FormView = OPEN, by: By | None = None, described: Described = DESCRIBED) -> list[str]:
    return [summary(row) for row in FormRows(described, by).of(text, view)]


def summary(row: FormField) -> str:
    """Return depth, name, value and problem of a row."""
    value = {"absent": "-", "null": "null", "value": row.text}[row.state]
    return f"{'.' * row.depth}{row.name} {value}{f' !{row.wrong}' if row.wrong else ''}"


def edited(text: str, by: By | None = None, view: FormView = OPEN, described: Described = DESCRIBED) -> FormText:
    rows = FormRows(described, by)
    return FormText(rows.reader, text, rows.of(text, view))


def test_rows_show_members_of_schema_and_of_text() -> None:
    text = '{"x": 1, "who": {"age": "7", "name": null, "role": "boss", "y": []}, "limit": 1e1, "limit": 1.0}'
    assert rows_of(text) == [
        f"who {text[16:67]}",
        ".name null !not null",
        '.age "7" !a string, not integer',
        '.role "boss" !not one of the choices',
        ".friend -",
        ".tags -",
        ".shape -",
        ".y []",
        "dry -",
        "limit 1.0",
        "x 1",
    ]
    rows = {row.path: row for row in FormRows(DESCRIBED).of(text, OPEN)}
    assert not rows[("x",)].known
    assert rows[("who", "name")].doc == "In full"
    assert rows[("who", "role")].remarks == ("deprecated",)
    assert (rows[("who", "age")].kind, rows[("who", "age")].limits) == ("integer or null", "at least 1")


def test_empty_params_show_all_rows_as_absent() -> None:
    for text in ("", "[]", "{}", " \n"):
        assert rows_of(text, FormView()) == ["who - !required", "dry -", "limit -"]
    assert FormRows(DESCRIBED).named("[]")
    assert not FormRows(DESCRIBED, "position").named("{}")
    assert rows_of("[]", by="position", described=Described()) == []


def test_recursive_schema_unfolds_one_level_at_a_time() -> None:
    deep = FormView({("who",): True, ("who", "friend"): True, ("who", "friend", "friend"): True})
    rows = FormRows(DESCRIBED).of("{}", deep)
    assert [row.depth for row in rows if row.name == "friend"] == [1, 2, 3]
    text = edited("{}", view=deep).with_value(("who", "friend", "friend", "age"), "5")
    assert text == '{"who": {"name": "", "friend": {"name": "", "friend": {"name": "", "age": 5}}}}'


def test_new_value_is_not_null_even_by_default() -> None:
    schema = {"type": ["null", "string"], "default": None}
    form = edited("{}", described=Described((DescribedParam("note", schema), DescribedParam("any"))))
    assert (form.start(("note",)), form.value(("note",)), form.value(("any",))) == ("null", '""', "null")


def test_position_fills_params_before_and_keeps_them() -> None:
    text = edited("[]", "position").with_value((2,), "3")
    assert text == '[{"name": ""}, false, 3]'
    rows = FormRows(DESCRIBED, "position").of(text)
    assert [bool(row.stays) for row in rows if row.depth == 0] == [True, True, False]
    assert rows_of("[1, true, 2, 3]", FormView(), "name")[-1] == "[3] 3"
    assert edited(text, "position").without((2,)) == '[{"name": ""}, false]'


def test_position_omits_optional_param_by_null_before_others() -> None:
    rows = FormRows(DESCRIBED, "position").of("[null, null, 3]", FormView())
    assert [summary(row) for row in rows] == ["who null !not null", "dry null", "limit 3"]
    assert [row.place.nullable for row in rows] == [False, True, False], "there it can be taken out as well"
    assert rows[1].remarks == ("null: omitted",)
    assert rows_of('{"who": {}, "dry": null}', FormView(), by="name")[-2] == "dry null !not null"


def test_alternative_is_the_matching_or_the_chosen_one() -> None:
    def shape(text: str, view: FormView = OPEN) -> FormField:
        return next(row for row in FormRows(DESCRIBED).of(text, view) if row.name == "shape")

    assert shape('{"who": {"shape": {"s": 1, "by": "hand"}}}').place.chosen == 1
    assert shape('{"who": {"shape": {"z": 1}}}').wrong == "matches no alternative"
    assert shape('{"who": {"shape": "{{shape:json}}"}}').wrong == ""
    chosen = FormView({("who",): True}, {("who", "shape"): 1})
    assert shape("{}", chosen).place.chosen == 1
    assert json.loads(edited('{"who": {}}', view=chosen).start(("who", "shape"))) == {"by": "hand", "s": 0}
    tags = next(row for row in FormRows(DESCRIBED).of('{"who": {"tags": null}}', OPEN) if row.name == "tags")
    assert (tags.place.nullable, tags.place.alternatives, tags.state, tags.wrong) == (True, (), "null", "")


def test_members_and_elements_are_added_to_absent_containers() -> None:
    view = FormView({("who",): True, ("who", "tags"): True})
    text, path = edited("{}", view=view).with_element(("who", "tags"))
    assert (text, path) == ('{"who": {"name": "", "tags": [""]}}', ("who", "tags", 0))
    text, path = edited(text, view=view).with_element(("who", "tags"))
    assert (text, path) == ('{"who": {"name": "", "tags": ["", ""]}}', ("who", "tags", 1))
    text, path = edited(text, view=view).with_member((), "new")
    assert text.endswith(', "new": null}')
    assert edited(text, view=view).with_member((), "new") == (text, ("new",))


def test_form_accepts_types_that_the_check_ignores() -> None:
    kinds: tuple[Any, ...] = ("decimal", "hash", ["Numeric", "null"], "real")
    described = Described(tuple(DescribedParam(str(at), {"type": kind}) for at, kind in enumerate(kinds)))
    text = '["1.50", ["a", 1], "1", "1.5"]'
    assert [row.wrong for row in FormRows(described).of(text) if not row.depth] == ["", "", "", "a string, not number"]
    either = Described((DescribedParam("p", {"oneOf": [{"type": "decimal"}, {"type": "boolean"}]}),))
    assert rows_of('["1.5"]', described=either) == ['p "1.5"']

    def known(*names: str, text: str, extra: bool = True) -> bool:
        params = tuple(DescribedParam(name, {"type": "string"}) for name in names)
        return FormRows(Described(params, extra=extra)).of(text)[-1].known

    assert known("a", "*args", text='["", "", 3]')
    assert known("a", "**kwargs", text='{"b": 1}')
    assert not known("a", text='["", 3]')
    assert not known("a", text='{"b": 3}')
    assert not known("a", "*args", text='["", "", 3]', extra=False)
    assert known("a", "", text='["", "", 3]')


def test_new_element_starts_like_param_of_its_position() -> None:
    form = edited("[]", "position")
    assert form.with_element(()) == ('[{"name": ""}]', (0,))
    text, _ = edited('[{"name": ""}, true]', "position").with_element(())
    assert text == '[{"name": ""}, true, 10]'
    assert edited(text, "position").with_element(())[0].endswith(", 10, null]")
    pair = Described((DescribedParam("p", {"type": "array", "prefixItems": [{"const": 1}], "items": {"const": 2}}),))
    assert edited('{"p": []}', described=pair, view=FormView({("p",): False})).with_element(("p",))[0] == '{"p": [1]}'


def test_problem_is_on_its_row_or_parent() -> None:
    text = '{"who": {"name": "", "tags": ["a"], "age": "{{age}}"}, "dry": 1, "x": 1}'
    found = [
        (("who", "name"), "short"),
        (("who", "tags", 0), "low"),
        (("who", "age"), "kind"),
        (("dry",), "x"),
        (("x",), "it is not one of the params"),
        (("who", "of no row"), "it is missing"),
        ((), "all"),
    ]
    spans = [span_of(text, way) or (0, 0) for way, _ in found]
    problems = [SchemaProblem(way, "", word, *span) for (way, word), span in zip(found, spans, strict=True)]
    rows, of_all = with_problems(FormRows(DESCRIBED).of(text, OPEN), text, problems)
    assert of_all == "all"
    assert {row.name: row.wrong for row in rows if row.wrong} == {
        "name": "short",
        "tags": "low",
        "dry": "an integer, not boolean",
        "x": "it is not one of the params",
        "who": "it is missing",
    }


def test_thousands_of_elements_or_alternatives_are_fast() -> None:
    def rows(count: int) -> tuple[FormField, ...]:
        return FormRows(DESCRIBED).of(f'{{"x": [{", ".join("1" * count)}]}}', FormView({("x",): True}))

    assert (rows(2_000)[3].open, len(rows(2_000))) == (True, 4 + MOST_ITEMS)
    assert (rows(2_001)[-1].folds, rows(2_001)[-1].remarks) == (False, ("typed as JSON",))

    class Counting(SchemaReader):
        looks = 0

        def parts(self, schema: Any) -> Iterator[dict[str, Any]]:
            self.looks += 1
            return super().parts(schema)

    reader = Counting({})
    assert starting_text(reader, {"oneOf": [{"type": "object", "title": str(at)} for at in range(1_000)]}) == "{}"
    assert reader.looks < 50


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/Circle"},
        {"allOf": [{"$ref": "#/Circle"}, {"$ref": "#/Circle"}]},
        {"oneOf": [{"$ref": "#/Many"}, {"$ref": "#/Many"}]},
        {"type": 7, "properties": [], "enum": {}, "oneOf": [1, None, "x"], "required": "y", "minimum": "z"},
        {"default": json.loads("[" * 900 + "]" * 900)},
        {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/Many"}}},
        {"enum": ["x" * 1_000_000]},
    ],
)
def test_form_accepts_any_schema(schema: Any) -> None:
    many = {
        "anyOf": [{"$ref": "#/Many"} for _ in range(1_000)],
        "type": "object",
        "properties": {"a": {"$ref": "#/Many"}},
    }
    definitions = {"#/Circle": {"$ref": "#/Circle"}, "#/Many": many}
    described = Described((DescribedParam("p", schema),), definitions=definitions)
    for text in ('{"p": {"a": {"a": {"a": [1, {"a": 2}]}}}}', f'{{"p": {"[" * 900}{"]" * 900}}}', "{}"):
        form = edited(text, described=described, view=FormView(Always()))
        assert not isinstance(parse(form.with_value(("p",), form.start(("p",)))), Typo)


class Always(dict[Any, bool]):
    """A view that unfolds everything."""

    def get(self, key: Any, default: Any = None) -> bool:
        return True


LEAVES: st.SearchStrategy[Any] = st.sampled_from(
    [
        *({"type": kind} for kind in ("string", "integer", "number", "boolean", "null", "object", "array")),
        *(
            {"enum": ["a", None, 1.5]},
            {"const": True},
            {"type": ["string", "null"], "default": "d"},
            {"$ref": "#/self"},
        ),
        *(True, False, {}, {"nullable": True, "type": "integer"}, {"examples": [[1]]}),
    ]
)


def nested(inside: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.sampled_from(["a", "b", "c d", ""])
    return st.one_of(
        st.builds(
            lambda members, needed, others: {
                "type": "object",
                "properties": members,
                "required": needed,
                "additionalProperties": others,
            },
            st.dictionaries(names, inside, max_size=3),
            st.lists(names, max_size=2),
            st.booleans(),
        ),
        st.builds(lambda items: {"type": "array", "items": items}, inside),
        st.builds(lambda items: {"prefixItems": items}, st.lists(inside, max_size=3)),
        st.builds(
            lambda schemas, how: {how: schemas}, st.lists(inside, max_size=3), st.sampled_from(["oneOf", "allOf"])
        ),
    )


SCHEMAS = st.recursive(LEAVES, nested, max_leaves=6)
VALUES = st.recursive(
    st.sampled_from([None, True, 0, 1.5, "a", "\u00e9"]),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "x"]), inside, max_size=3),
    max_leaves=6,
)
LEVELS = 4


class Unfolded(dict[Any, bool]):
    """A view that unfolds every level of the test."""

    def get(self, key: Any, default: Any = None) -> bool:
        return len(key) < LEVELS


@given(st.data())
def test_form_and_json_show_each_others_changes(data: st.DataObject) -> None:
    schemas = data.draw(st.dictionaries(st.sampled_from(["a", "b", "p"]), SCHEMAS, max_size=3))
    params = tuple(DescribedParam(name, schema) for name, schema in schemas.items())
    described = Described(params, definitions={"#/self": {"type": "object", "properties": {"a": {"$ref": "#/self"}}}})
    value = data.draw(
        st.lists(VALUES, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "x"]), VALUES, max_size=3)
    )
    text = json.dumps(value, indent=data.draw(st.sampled_from([None, 2])))
    view = FormView(Unfolded())
    rows = FormRows(described, data.draw(st.sampled_from(["name", "position", None])))
    for _ in range(4):
        found = rows.of(text, view)
        form = FormText(rows.reader, text, found)
        present = [row for row in found if row.state != "absent"]
        assert all(text[slice(*row.span)] == row.text for row in present)
        assert all(form.with_value(row.path, row.text) == text for row in present), "nothing is changed by itself"
        assert {way for way in leaves(json.loads(text)) if len(way) <= LEVELS} == {row.path for row in present}
        if not found:
            return
        row = data.draw(st.sampled_from(found))
        new = data.draw(st.sampled_from(["null", form.start(row.path), '{"n": [1]}', "-0.0"]))
        after = form.without(row.path) if data.draw(st.booleans()) else form.with_value(row.path, new)
        assert not isinstance(parse(after), Typo)
        if after != text and len(after) >= len(text) and span_of(after, row.path):
            again = {field.path: field for field in rows.of(after, view)}
            changed = again[row.path]  # Elements are laid out like their neighbours.
            assert json.loads(changed.text) == json.loads(new)
            assert changed.state == ("null" if new == "null" else "value")
        text = after


def leaves(value: Any, before: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    """Return the paths to all values inside a value."""
    inside = list(value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()))
    return {(*before, step) for step, _ in inside}.union(*(leaves(item, (*before, step)) for step, item in inside))


def test_form_of_long_params_is_declined() -> None:
    assert why_no_form(f"[{'[]' * 30_000}]") == ""
    assert why_no_form(" " * 64_001) == "The form shows at most 64,000 characters of params. These params have 64,001."


def test_form_shows_params_of_any_depth() -> None:
    text = "[" * 30_000 + "]" * 30_000
    rows = FormRows(DESCRIBED).of(text, FormView(Always()))
    assert not rows[-1].folds
    assert not rows[-1].open
    assert edited(text).with_value((0,), "1") == "[1]"
