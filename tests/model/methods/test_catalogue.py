"""The catalogue's merge of what is known with what was discovered, and what params start from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.discovery.methods import Discovery, catalogue
from rpcexplorer.model.method import Described, DescribedParam, Method, Parameter
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
