"""Merging of discovered methods with known ones, and sources of facts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.discovery.methods import FACTS, Discovery, line_of, method_list, source_of
from rpcexplorer.model.method import Described, DescribedError, DescribedParam, ExampleCall, Method, completed
from rpcexplorer.model.profile import MethodNote, Profile
from rpcexplorer.schema.start import starting_point

PROFILE = Profile("p", "https://x.example")
STRING = {"type": "string"}


def discovered(name: str, **more: Any) -> Method:
    return Method(name, source="discovered", protocol="rpc.discover", **more)


def test_profile_wins_and_discovery_fills_gaps() -> None:
    full = Described((DescribedParam("id", {"type": "integer"}, True),), doc="Theirs", details="More", safe=True)
    found = line_of("user.get", full)
    profile = Profile("p", "https://x.example", methods={"user.get": MethodNote("Ours", {"id": 5}, safe=False)})
    method = method_list(profile, [found])["user.get"]
    assert (method.doc, method.safe, method.source, method.has_docs) == ("Ours", False, "profile", True)
    assert starting_point(method, full) == {"id": 5}


def test_discovered_bare_name_keeps_known_facts() -> None:
    method = method_list(PROFILE, [discovered("ping")], called=["ping"])["ping"]
    assert (method.doc, method.params, method.auth, method.safe, method.source) == (
        "Succeeds if the session is valid", [], "cookie", True, "discovered",
    )  # fmt: skip


def test_discovered_params_win_over_known_ones() -> None:
    params = (DescribedParam("host", {"type": "string"}, True),)
    full = Described(params, doc="Theirs", auth="none", safe=False, protocol="rpc.discover")
    method = method_list(PROFILE, [line_of("ping", full)])["ping"]
    assert (method.doc, method.auth, method.safe) == ("Theirs", "none", False)
    assert starting_point(method, full) == {"host": ""}


def test_repr_of_a_discovery_is_one_line() -> None:
    """``asyncio.run`` calls ``repr`` of its result."""
    described = Described((DescribedParam("a", {"enum": ["long"] * 10_000}),))
    discovery = Discovery(datetime(2026, 1, 2, tzinfo=UTC), (Method("m"),), ("one",), described={"m": described})
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
def test_service_methods_are_known_only_at_its_url(profile: Profile, names: list[str]) -> None:
    assert [*method_list(profile)] == names


FIRST = Described(result={"type": "string"}, protocol="rpc.discover")
OTHER = Described(doc="Its doc", safe=False, deprecated=True, protocol="help")


def sources(method: Method) -> dict[str, str]:
    return {fact: source for fact in FACTS if (source := source_of(method, fact))}


def test_first_source_wins_and_gaps_keep_their_source() -> None:
    both = completed(FIRST, replace(OTHER, result={"type": "integer"}))
    assert (both.doc, both.result, both.safe, both.deprecated) == ("Its doc", {"type": "string"}, False, True)
    assert both.sources == (("doc", "help"), ("safe", "help"))
    line = line_of("m", both)
    assert sources(line) == {"doc": "help", "safe": "help"}
    assert line.sources == both.sources


def test_param_structure_comes_with_its_params() -> None:
    mine = Described((DescribedParam("a"),), protocol="rpc.discover")
    other = Described((DescribedParam("", required=True),), by="position", start=[1], protocol="help")
    assert completed(mine, other) == mine
    line = line_of("m", completed(FIRST, other))
    assert (line.by, line.params, line.required) == ("position", [1], ("",))
    assert dict(line.sources)["parameters"] == "help"


def test_profile_facts_have_the_profile_as_source() -> None:
    profile = Profile("p", "https://x.example", methods={"m": MethodNote("Ours", {"id": 5}, safe=True)})
    method = method_list(profile, [line_of("m", completed(FIRST, replace(OTHER, auth="none")))])["m"]
    assert sources(method) == {"doc": "profile", "params": "profile", "safe": "profile", "auth": "help"}


def test_known_facts_have_the_service_as_source() -> None:
    profile = Profile("p", "https://x.example", methods={"ping": MethodNote("Ours")})
    assert sources(method_list(profile)["ping"]) == {
        "doc": "profile", "params": "service", "auth": "service", "safe": "service",
    }  # fmt: skip
    found = Method("ping", "Theirs", source="discovered", protocol="rpc.discover")
    assert sources(method_list(Profile("p", "https://x.example"), [found])["ping"]) == {
        "doc": "rpc.discover", "params": "service", "auth": "service", "safe": "service",
    }  # fmt: skip
    alone = Profile("p", "https://x.example", methods={"m": MethodNote("Ours")})
    assert sources(method_list(alone)["m"]) == {"doc": "profile"}
    assert method_list(alone)["m"].sources == ()


def test_descriptions_are_completed_field_by_field() -> None:
    first = Described(
        (DescribedParam("a", {"$ref": "A"}),), protocol="rpc.discover", definitions={"A": {"type": "string"}}
    )
    other = Described(
        (DescribedParam("b"),), {"type": "null"}, errors=(DescribedError(1),), tags=("t",), protocol="rpc.describe"
    )
    both = completed(first, other)
    assert (both.params, both.result, both.tags) == (first.params, {"type": "null"}, ("t",))
    assert both.definitions == first.definitions
    assert both.sources == (("result", "rpc.describe"), ("errors", "rpc.describe"), ("tags", "rpc.describe"))
    assert completed(first, first) is first


def test_schemas_keep_the_definitions_of_their_source() -> None:
    first = Described((DescribedParam("a", {"$ref": "A"}),), definitions={"A": {"type": "string"}})
    other = Described(
        result={"$ref": "A"}, examples=(ExampleCall("e", [1]),), protocol="x", definitions={"A": {"type": "null"}}
    )
    both = completed(first, other)
    assert (both.definitions, both.sources) == ({"A": {"type": "string"}}, (("examples", "x"),))
    assert completed(Described(), other).definitions == {"A": {"type": "null"}}
