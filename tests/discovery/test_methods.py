"""The catalogue's merge of what is known with what was discovered, and what params start from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.discovery.methods import FACTS, Discovery, catalogue, filled, source_of
from rpcexplorer.model.method import (
    Described,
    DescribedError,
    DescribedParam,
    ExampleCall,
    Method,
    Parameter,
    completed,
)
from rpcexplorer.model.profile import MethodNote, Profile
from rpcexplorer.schema.start import starting_point

PROFILE = Profile("p", "https://x.example")


def discovered(name: str, **more: Any) -> Method:
    return Method(name, source="discovered", dialect="rpc.discover", **more)


def test_the_word_of_the_profile_wins_and_what_was_discovered_fills_its_gaps() -> None:
    parameters = (Parameter("id", True, "integer"),)
    found = discovered("user.get", doc="Theirs", details="More", parameters=parameters, safe=True)
    profile = Profile("p", "https://x.example", methods={"user.get": MethodNote("Ours", {"id": 5}, safe=False)})
    method = catalogue(profile, [found])["user.get"]
    assert (method.doc, method.safe, method.source, method.details) == ("Ours", False, "profile", "More")
    assert method.parameters == parameters
    assert starting_point(method) == {"id": 5}


def test_a_bare_name_that_was_discovered_keeps_what_is_known_of_it_anyway() -> None:
    method = catalogue(PROFILE, [discovered("ping")], called=["ping"])["ping"]
    assert (method.doc, method.params, method.auth, method.safe, method.source) == (
        "Answers when the session is valid", [], "cookie", True, "discovered",
    )  # fmt: skip


def test_a_service_says_better_what_its_own_method_takes() -> None:
    found = discovered("ping", doc="Theirs", auth="none", safe=False, parameters=(Parameter("host", True, "string"),))
    method = catalogue(PROFILE, [found])["ping"]
    assert (method.doc, method.auth, method.safe, starting_point(method)) == ("Theirs", "none", False, {"host": ""})


@pytest.mark.parametrize(
    ("parameters", "by", "start"),
    [
        ((), None, None),
        ((Parameter("a", False, "string"),), None, None),
        ((Parameter("a", None, "string"),), None, None),
        ((Parameter("a", True, "string"), Parameter("b", False)), None, {"a": ""}),
        ((Parameter("a", False, "integer"), Parameter("b", True, "boolean")), "name", {"b": False}),
        ((Parameter("a", False, "integer"), Parameter("b", True, "boolean")), "position", [0, False]),
        ((Parameter("", True, "array of string"), Parameter("b", True, "object or null")), None, [[], {}]),
        ((Parameter("a", True, "one of x | y", example="x"), Parameter("b", True)), None, {"a": "x", "b": None}),
        ((Parameter("a", True, default=0, example=7), Parameter("b", True, default=3)), None, {"a": 7, "b": 3}),
        ((Parameter("a", True, "number", default=0, example=False),), None, {"a": False}),
    ],
)  # fmt: skip
def test_required_params_are_the_starting_point(parameters: Any, by: Any, start: Any) -> None:
    assert starting_point(Method("m", parameters=parameters, by=by)) == start


def test_the_methods_of_the_service_are_no_other_servers() -> None:
    usual = Profile("shop", "https://shop.example.com")
    assert {*catalogue(usual), *catalogue(replace(usual, preset="service"))} == {"ping", "arg_test", "auth"}
    node = replace(usual, preset="electrum")
    assert catalogue(node) == {}
    assert catalogue(node, [Method("ping", "Answers true")])["ping"] == Method("ping", "Answers true")


def test_params_that_are_known_are_the_starting_point_even_when_empty() -> None:
    assert starting_point(Method("m", params=[], parameters=(Parameter("a", True),))) == []


def test_a_discovery_without_methods_found_nothing_and_is_no_failure() -> None:
    discovery = Discovery(datetime(2026, 1, 2, tzinfo=UTC))
    assert (discovery.found, discovery.exit_code) == (False, 0)


def test_a_discovery_is_spelled_in_a_line() -> None:
    """``asyncio.run`` has its result spelled where it is done, whoever looks at that."""
    told = Described((DescribedParam("a", {"enum": ["long"] * 10_000}),))
    discovery = Discovery(datetime(2026, 1, 2, tzinfo=UTC), (Method("m"),), ("one",), described={"m": told})
    assert repr(discovery) == "Discovery(1 methods, 1 sentences)"


@pytest.mark.parametrize(
    ("profile", "names"),
    [
        (PROFILE, ["arg_test", "auth", "ping"]),
        (Profile("p", "https://x.example", "/rpc"), []),
        (Profile("p", "https://x.example", "/rpc", preset="service"), ["arg_test", "auth", "ping"]),
        (Profile("p", "https://x.example", preset="bitcoin"), []),
    ],
)
def test_methods_of_the_service_are_known_only_there(profile: Profile, names: list[str]) -> None:
    assert [*catalogue(profile)] == names


FIRST = Method("m", source="discovered", result="string", dialect="rpc.discover")
OTHER = Method("m", "Its doc", safe=False, source="discovered", deprecated=True, dialect="help")
PARAMETERS = (Parameter("a", True, "string"),)


def sources(method: Method) -> dict[str, str]:
    return {fact: source for fact in FACTS if (source := source_of(method, fact))}


def test_the_first_wins_and_who_fills_a_gap_is_known() -> None:
    method = filled(FIRST, Method("m", "Its doc", result="integer", safe=False, dialect="help"))
    assert (method.doc, method.result, method.safe) == ("Its doc", "string", False)
    assert sources(method) == {"doc": "help", "result": "rpc.discover", "safe": "help"}
    assert method.sources == (("doc", "help"), ("safe", "help"))
    assert filled(FIRST, FIRST) is FIRST


def test_how_params_are_given_is_not_taken_from_another_source_than_the_params() -> None:
    mine = Method("m", parameters=PARAMETERS, dialect="rpc.discover")
    other = Method("m", parameters=(Parameter("", True),), by="position", params=[1], dialect="help")
    assert filled(mine, other) == mine
    method = filled(FIRST, other)
    assert (method.by, method.params) == ("position", [1])
    assert sources(method)["parameters"] == "help"


def test_what_the_profile_says_has_the_profile_for_its_source_and_the_rest_its_own() -> None:
    profile = Profile("p", "https://x.example", methods={"m": MethodNote("Ours", {"id": 5}, safe=True)})
    method = catalogue(profile, [filled(FIRST, OTHER)])["m"]
    assert sources(method) == {
        "doc": "profile",
        "params": "profile",
        "safe": "profile",
        "result": "rpc.discover",
        "deprecated": "help",
    }


def test_what_the_services_own_document_says_keeps_its_source() -> None:
    profile = Profile("p", "https://x.example", methods={"ping": MethodNote("Ours")})
    assert sources(catalogue(profile)["ping"]) == {
        "doc": "profile", "params": "service", "auth": "service", "safe": "service",
    }  # fmt: skip
    found = Method("ping", "Theirs", source="discovered", dialect="rpc.discover")
    assert sources(catalogue(Profile("p", "https://x.example"), [found])["ping"]) == {
        "doc": "rpc.discover", "params": "service", "auth": "service", "safe": "service",
    }  # fmt: skip
    alone = Profile("p", "https://x.example", methods={"m": MethodNote("Ours")})
    assert sources(catalogue(alone)["m"]) == {"doc": "profile"}
    assert catalogue(alone)["m"].sources == ()


def test_what_is_described_is_completed_field_by_field() -> None:
    first = Described(
        (DescribedParam("a", {"$ref": "A"}),), dialect="rpc.discover", definitions={"A": {"type": "string"}}
    )
    other = Described(
        (DescribedParam("b"),), {"type": "null"}, errors=(DescribedError(1),), tags=("t",), dialect="rpc.describe"
    )
    both = completed(first, other)
    assert (both.params, both.result, both.tags) == (first.params, {"type": "null"}, ("t",))
    assert both.definitions == first.definitions
    assert both.sources == (("result", "rpc.describe"), ("errors", "rpc.describe"), ("tags", "rpc.describe"))
    assert completed(first, first) is first


def test_schemas_are_not_torn_from_what_they_refer_to() -> None:
    first = Described((DescribedParam("a", {"$ref": "A"}),), definitions={"A": {"type": "string"}})
    other = Described(
        result={"$ref": "A"}, examples=(ExampleCall("e", [1]),), dialect="x", definitions={"A": {"type": "null"}}
    )
    both = completed(first, other)
    assert (both.definitions, both.sources) == ({"A": {"type": "string"}}, (("examples", "x"),))
    assert completed(Described(), other).definitions == {"A": {"type": "null"}}
