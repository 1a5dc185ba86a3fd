"""Each fact of a method has a source, whichever of several fills a gap."""

from __future__ import annotations

from rpcexplorer.discovery.methods import FACTS, catalogue, filled, source_of
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
