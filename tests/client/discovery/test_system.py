"""What ``system.listMethods``, ``methodHelp`` and ``methodSignature`` answer, in all the forms that servers give it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from rpcexplorer.discovery.lists import DIALECT, described_by_signatures, read_names, with_help, with_signature
from rpcexplorer.model.method import Method, Parameter
from rpcexplorer.schema.start import starting_point

PLAIN = Method("user.get", source="discovered", dialect="system.listMethods")


@pytest.mark.parametrize(
    "value",
    [
        ["a", "b"],
        [{"name": "a", "params": []}, {"name": "b"}],
        {"methods": ["a", "b"]},
        {"a": {"doc": "x"}, "b": None},
        {"methods": {"a": 1, "b": 2}},
        ["a", "b", "a"],
    ],
)
def test_names_are_found_in_every_form(value: Any) -> None:
    listing = read_names(value, DIALECT)
    assert [method.name for method in listing.methods] == ["a", "b"]
    assert {(method.source, method.dialect) for method in listing.methods} == {("discovered", "system.listMethods")}
    assert (listing.skipped, listing.refusal) == ((), "")


@pytest.mark.parametrize("value", [None, [], {}, ""])
def test_an_empty_list_offers_nothing(value: Any) -> None:
    assert read_names(value, DIALECT).refusal == "not offered (an empty result)"


@pytest.mark.parametrize("value", ["ping auth", 7, True])
def test_anything_else_is_no_list(value: Any) -> None:
    assert read_names(value, DIALECT).refusal == "answered, but not with a list of names"


def test_what_is_no_name_is_counted() -> None:
    listing = read_names(["ok", 7, None, [], {"name": 1}, "\udfff", "x" * 999], DIALECT)
    assert [method.name for method in listing.methods] == ["ok"]
    assert listing.skipped == ("6 left out: without a name that can be called",)


def test_a_hundred_thousand_names_are_cut_at_a_number_that_is_said() -> None:
    listing = read_names([f"m{number}" for number in range(100_000)], DIALECT)
    assert len(listing.methods) == 20_000
    assert listing.skipped == ("80,000 left out: beyond the first 20,000",)


def test_help_is_one_line_and_the_rest_without_the_indentation_of_its_source() -> None:
    method = with_help(PLAIN, "\n    Gets a user\n    by number.\n\n    :param id:\n        which one\n    ")
    assert method.doc == "Gets a user by number."
    assert method.details == "Gets a user\nby number.\n\n:param id:\n    which one"


def test_help_of_one_line_is_not_said_twice() -> None:
    method = with_help(PLAIN, {"description": "Gets a user"})
    assert (method.doc, method.details) == ("Gets a user", "")


@pytest.mark.parametrize("value", [None, "", "  \n", 7, [], ["text"], {}, {"help": 7}])
def test_no_help_changes_nothing(value: Any) -> None:
    assert with_help(PLAIN, value) == PLAIN


@pytest.mark.parametrize(
    ("value", "required", "start"),
    [
        ([["struct", "int", "string"]], (True, True), [0, ""]),
        (["struct", "int", "string"], (True, True), [0, ""]),
        ([["struct", "int", "string"], ["struct", "int"]], (True, False), [0]),
        ([[], "junk", ["struct", "int", "string"]], (True, True), [0, ""]),
    ],
)
def test_a_signature_gives_params_by_position(value: Any, required: Any, start: Any) -> None:
    method = with_signature(PLAIN, value)
    assert method.parameters == (Parameter("", required[0], "integer"), Parameter("", required[1], "string"))
    assert (method.by, method.result) == ("position", "object")
    assert starting_point(method) == start


@pytest.mark.parametrize("value", [None, "signatures not supported", "undef", 7, [], [[]], [7], {"a": 1}])
def test_no_signature_changes_nothing(value: Any) -> None:
    assert with_signature(PLAIN, value) == PLAIN


def test_a_signature_of_odd_things_is_bounded() -> None:
    method = with_signature(PLAIN, [[None, {"type": "int"}, *["Int"] * 100_000]])
    assert len(method.parameters) == 32
    assert [parameter.kind for parameter in method.parameters[:2]] == ["", "integer"]


@pytest.mark.parametrize(
    ("value", "params", "result"),
    [
        ([["struct", "int", "string"]], [("integer", True), ("string", True)], {"type": "object"}),
        (
            [["int", "int"], ["int", "str", "bool"]],
            [(["integer", "string"], True), ("boolean", False)],
            {"type": "integer"},
        ),
        (["undef", "str"], [("string", True)], UNSET),
        ([["dateTime.iso8601", "base64"]], [("string", True)], {"type": "string"}),
        ([["array"], ["struct"]], [], {"type": ["array", "object"]}),
    ],
)
def test_signatures_together_say_what_stands_at_each_position(value: Any, params: Any, result: Any) -> None:
    described = described_by_signatures(value)
    assert described is not None
    assert [(each.schema["type"], each.required) for each in described.params] == params
    assert (described.result, described.extra, described.dialect) == (result, False, DIALECT)


def test_a_kind_that_json_has_not_is_anything() -> None:
    described = described_by_signatures([["Some.Class", "Other.Class", {"a": 1}]])
    assert described is not None
    assert [each.schema for each in described.params] == [True, True]
    assert described.result is UNSET


@pytest.mark.parametrize("value", [None, "signatures not supported", "undef", 7, [], [[]], [7], {"a": 1}])
def test_what_is_no_signature_describes_nothing(value: Any) -> None:
    assert described_by_signatures(value) is None


def test_what_a_signature_calls_undefined_is_no_kind() -> None:
    method = with_signature(PLAIN, [["undef", "any"]])
    assert (method.result, method.parameters) == ("", (Parameter("", True, ""),))
