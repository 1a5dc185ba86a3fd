"""Differences between two descriptions of a service, in words."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from rpcexplorer.discovery.changes import MAX_LINES, changes_between
from rpcexplorer.discovery.methods import MethodChange
from rpcexplorer.model.method import Described, DescribedError, DescribedParam, ExampleCall

FULL = Described(
    (
        DescribedParam("page", {"type": "integer", "default": 1}, True, "Which"),
        DescribedParam("kind", {"type": "string"}, False),
    ),
    {"type": "array"},
    errors=(DescribedError(-1, "no"),),
    examples=(ExampleCall("one", {"page": 1}),),
    doc="Does",
)
PAGE, KIND = FULL.params


def words_of(old: Described, new: Described) -> tuple[str, ...]:
    changes = list(changes_between(["m"], ["m"], lambda _: (old, new)))
    assert [(change.name, change.kind) for change in changes] in ([], [("m", "changed")])
    return changes[0].what if changes else ()


def test_changes_name_new_and_gone_methods_only() -> None:
    changes = changes_between(["a", "b"], ["b", "c"], lambda _: None)
    assert list(changes) == [MethodChange("a", "gone", breaks=True), MethodChange("c", "new")]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, ()),
        ({"protocol": "help"}, ()),
        ({"doc": "Did"}, ("docs changed",)),
        ({"details": "More"}, ("docs changed",)),
        ({"deprecated": True}, ("now deprecated",)),
        ({"auth": "none"}, ("auth: not stated → none",)),
        ({"safe": False}, ("now unsafe",)),
        ({"by": "name"}, ("params are now by name",)),
        ({"params": FULL.params[::-1]}, ("order of the params changed",)),
        ({"params": (*FULL.params, DescribedParam("since", required=True))}, ("param “since” is new and required",)),
        ({"params": FULL.params[:1]}, ("param “kind” is gone",)),
        ({"params": (*FULL.params, DescribedParam(""))}, ("param #3 is new",)),
    ],
)
def test_each_change_of_a_line_is_described(fields: dict[str, Any], words: tuple[str, ...]) -> None:
    assert words_of(FULL, replace(FULL, **fields)) == words


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"required": None}, "“page” is now optional"),
        ({"schema": {"type": "string", "default": 1}}, "type of “page”: integer → string"),
        ({"schema": {"default": 1}}, "type of “page”: integer → not stated"),
        ({"schema": {"type": "integer", "default": True}}, "default of “page”: 1 → true"),
        ({"doc": "Where"}, "docs of “page” changed"),
    ],
)
def test_each_change_of_a_param_is_described(fields: dict[str, Any], words: str) -> None:
    assert words_of(FULL, replace(FULL, params=(replace(PAGE, **fields), KIND))) == (words,)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"protocol": "help", "draft": "x"}, ()),
        (
            {"params": (FULL.params[0], replace(FULL.params[1], schema={"type": "string", "title": "x"}))},
            ("schema of “kind” changed",),
        ),
        (
            {
                "params": (
                    replace(FULL.params[0], schema={"type": "integer", "default": 1, "minimum": 2}),
                    FULL.params[1],
                )
            },
            ("limits of “page”: none → at least 2",),
        ),
        ({"params": (FULL.params[0], replace(FULL.params[1], deprecated=True))}, ("“kind” is now deprecated",)),
        ({"result": {"type": "array", "items": {}}}, ("schema of the result changed",)),
        ({"result": {"type": "object"}}, ("result: array → object",)),
        ({"result": UNSET}, ("result: array → not stated",)),
        ({"errors": (DescribedError(-2), DescribedError(-1, "yes"))}, ("error -2 is new", "errors changed")),
        ({"errors": ()}, ("error -1 is gone",)),
        ({"examples": ()}, ("examples changed",)),
        ({"tags": ("a",)}, ("tags changed",)),
        ({"extra": False}, ("no longer accepts other params",)),
    ],
)
def test_each_change_of_a_description_is_described(fields: dict[str, Any], words: tuple[str, ...]) -> None:
    assert words_of(FULL, replace(FULL, **fields)) == words


def test_reports_a_changed_param_only_once() -> None:
    full = replace(FULL, params=(PAGE, replace(KIND, schema={"enum": ["a"]})))
    assert words_of(FULL, full) == ("type of “kind”: string → one of a",)


def test_recursive_and_deep_schemas_are_compared() -> None:
    deep: Any = {}
    for _ in range(5_000):
        deep = {"$ref": "#/a", "items": deep}
    before = replace(FULL, result=deep, definitions={"#/a": {"$ref": "#/b"}, "#/b": {"$ref": "#/a"}, "#/c": 1})
    after = replace(before, definitions={**before.definitions, "#/c": 2})
    assert words_of(before, after) == ()
    after = replace(before, definitions={**before.definitions, "#/b": {"$ref": "#/a", "title": "x"}})
    assert words_of(before, after) == ("schema of the result changed",)


def test_changes_of_one_method_are_limited() -> None:
    many = tuple(DescribedParam(f"p{number}") for number in range(1_000))
    assert len(words_of(FULL, replace(FULL, params=many))) == MAX_LINES


def test_changed_inner_limit_is_reported_with_its_place() -> None:
    def full(most: int) -> Described:
        circle = {"type": "object", "properties": {"next": {"$ref": "#/c"}}}
        inner = {"type": "object", "properties": {"again": {"$ref": "#/c"}, "quantity": {"maximum": most}}}
        params = (FULL.params[0], DescribedParam("kind", {"type": "array", "items": inner}))
        return replace(FULL, params=params, definitions={"#/c": circle})

    assert words_of(full(50), full(99)) == ("limits of “kind”[].quantity: at most 50 → at most 99",)


@pytest.mark.parametrize(
    ("before", "now", "words", "breaks"),
    [
        ({"maximum": 5}, {"maximum": 6}, "limits of “page”: at most 5 → at most 6", False),
        ({"maximum": 6}, {"maximum": 5}, "limits of “page”: at most 6 → at most 5", True),
        ({"type": "integer"}, {"type": "number"}, "type of “page”: integer → number", False),
        ({"type": "number"}, {"type": "integer"}, "type of “page”: number → integer", True),
        (
            {"properties": {"a": {"enum": [1, 2]}}},
            {"properties": {"a": {"enum": [1]}}},
            "values of “page”.a changed",
            True,
        ),
        (
            {"properties": {"a": {}}},
            {"properties": {"a": {}}, "required": ["a"]},
            "“page”.a is now required",
            True,
        ),
    ],
)
def test_change_of_a_param_breaks_if_it_allows_less(
    before: dict[str, Any], now: dict[str, Any], words: str, *, breaks: bool
) -> None:
    old, new = (Described((DescribedParam("page", schema),)) for schema in (before, now))
    (change,) = changes_between(["m"], ["m"], lambda _: (old, new))
    assert (change.what, change.breaks) == ((words,), breaks)


@pytest.mark.parametrize(
    ("before", "now", "words", "breaks"),
    [
        ({"type": "integer"}, {"type": "number"}, "result: integer → number", True),
        ({"type": "number"}, {"type": "integer"}, "result: number → integer", False),
        ({"properties": {"a": {}, "b": {}}}, {"properties": {"a": {}}}, "result.b is gone", True),
        ({"properties": {"a": {}}}, {"properties": {"a": {}, "b": {}}}, "schema of the result changed", False),
        ({"properties": {"a": {}}, "required": ["a"]}, {"properties": {"a": {}}}, "result.a is now optional", True),
    ],
)
def test_change_of_a_result_breaks_if_it_contains_other_values(
    before: dict[str, Any], now: dict[str, Any], words: str, *, breaks: bool
) -> None:
    old, new = Described(result=before), Described(result=now)
    (change,) = changes_between(["m"], ["m"], lambda _: (old, new))
    assert (change.what, change.breaks) == ((words,), breaks)
