"""Rules that hold for every discovery protocol and any answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.discovery.documents import at_path
from rpcexplorer.discovery.interview import ALWAYS_ASKED, PROTOCOLS, SUSPECTED, TRIED_IN_TURN
from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.questions import Answer, DiscoveryProtocol, Question, Questions
from rpcexplorer.discovery.reader import admit, within_limits
from tests.discovery.lines import Line, lines_of

EVERY = [*PROTOCOLS.values(), *SUSPECTED, at_path("/d")]
KEYS = [
    "methods", "procs", "tools", "prompts", "resources", "nextCursor", "name", "uri", "params", "schema", "inputSchema",
    "properties", "types", "$ref", "type", "enum", "enums", "items", "anyOf", "extends", "required", "default",
    "description", "examples", "annotations", "title", "returns", "result", "openrpc", "a",
]  # fmt: skip
TEXTS = [
    "a", "#", "#/methods", "#/properties/a", "array", "object", "== A ==\na \"b\" ( [c ) }", "== A ==\n\ud800 x",
    ":type a: list of b", "a\n\nArguments:\n1. a (string, optional, default=1) x\nResult:\n{ (json object)", "\ud800",
]  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(TEXTS) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=25,
)


def talked(protocol: DiscoveryProtocol, answers: list[Any]) -> tuple[int, Listing]:
    """Answer a protocol's questions with these values, then with refusals.

    Return the number of questions and the listing.
    """
    asking = protocol.ask(())
    step = next(asking)
    responses = iter([*map(Answer, answers), *[Answer(refusal="no")] * 1_000])
    for count in range(1, 1_000):
        assert isinstance(step, Question | Questions)
        try:
            if isinstance(step, Questions):
                step = asking.send(Answer(answers=tuple(next(responses) for _ in step.questions)))
            else:
                step = asking.send(next(responses))
        except StopIteration as stop:
            return count, stop.value
    raise AssertionError("it does not end")


def usable(method: Line) -> bool:
    """Return whether a method is valid UTF-8 of limited size."""
    texts = (
        method.name,
        method.doc,
        method.details,
        method.result,
        *(parameter.kind for parameter in method.parameters),
    )
    json.dumps([parameter.default for parameter in method.parameters], allow_nan=False).encode()
    return bool(method.name) and all(text == text.encode().decode() and len(text) < 250_000 for text in texts)


@pytest.mark.parametrize("protocol", EVERY, ids=lambda protocol: protocol.name)
@given(answers=st.lists(VALUES, min_size=1, max_size=6))
def test_arbitrary_answers_raise_nothing(protocol: DiscoveryProtocol, answers: list[Any]) -> None:
    _, listing = talked(protocol, [admit(answer) for answer in answers])
    assert isinstance(listing, Listing)
    assert bool(listing.refusal) <= (not lines_of(listing))
    assert all(usable(method) for method in lines_of(listing))


@pytest.mark.parametrize("protocol", EVERY, ids=lambda protocol: protocol.name)
@given(first=VALUES)
def test_answers_in_the_usual_structure_raise_nothing(protocol: DiscoveryProtocol, first: Any) -> None:
    first = admit(first)  # as every answer is
    forms: list[Any] = [
        {"methods": {"m": first, "n": {"params": first}}, "types": first},
        {"procs": [first, {"name": "m", "params": first, "return": first}]},
        {"tools": [first, {"name": "t", "inputSchema": first, "annotations": first}], "nextCursor": first},
        {"core.m": {"description": first, "params": first}},
        {"object": {"method": first}},
    ]
    for form in forms:
        assert all(usable(method) for method in lines_of(talked(protocol, [form, first])[1]))


NO_LISTING: dict[str, tuple[list[Any], str]] = {
    "system.listMethods": (["ping auth", 7, True], "the response is not a list of names"),
    "list": (
        [["system"], "text", 7, {"system": None}, {"system": ["board"]}],
        "the response is not a list of objects and methods",
    ),
    "rpc_modules": ([["eth"], "eth", 7], "the response is not a list of modules"),
    "JSONRPC.Introspect": (["text", 7, ["ping"], {"methods": ["ping"]}], "the response is not a method list like"),
    "system.describe": (
        ["text", 7, ["a"], {"name": "Shop"}, {"procs": 7}],
        "the response is not a service",
    ),
    "core.describe": (["text", 7, ["core.m"], {"core.m": None}], "the response is not a method list like"),
    "rpc.discover": (["text", 7, ["ping"], {"methods": "ping"}], "the response is not an OpenRPC document"),
    "tools/list": (["text", {"tools": {}}, {"tools": 7}], "the response is not a list of tools"),
}


@pytest.mark.parametrize("name", NO_LISTING)
def test_other_answers_are_refused_in_words(name: str) -> None:
    (protocol,) = (known for known in EVERY if known.name == name)
    answers, words = NO_LISTING[name]
    assert [talked(protocol, [answer])[1].refusal.startswith(words) for answer in answers] == [True] * len(answers)
    empty: list[Any] = [None, [], {}, ""]
    assert {talked(protocol, [answer])[1].refusal for answer in empty} == {"not offered (an empty result)"}


DEEP: dict[str, Any] = {"type": "object"}
for _ in range(90):
    DEEP = {"properties": {"a": DEEP}, "anyOf": [{"$ref": "Loop"}] * 3, "type": ["array", {"$ref": "Loop"}]}
LOOP: dict[str, Any] = {"$ref": "Loop", "type": [{"$ref": "Loop"}] * 50, "anyOf": [{"$ref": "Loop"}] * 50}
HOSTILE: dict[str, Any] = {
    "deep": {"methods": {"m": {"params": [DEEP], "returns": DEEP}}, "types": {"Loop": DEEP}},
    "cyclic": {"methods": {"m": {"params": [LOOP] * 50}}, "types": {"Loop": LOOP}},
    "wide": {"methods": {f"m{n}": {"params": [{"name": "p", "$ref": "Loop"}] * 900} for n in range(90)}, "types": {}},
    "many": {f"m{n}": {} for n in range(100_000)},
    "long": {"methods": ["x" * 1_000_000] * 20},
    "tools": {"tools": [{"name": f"t{n}", "inputSchema": DEEP} for n in range(1_000)]},
}


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("protocol", EVERY, ids=lambda protocol: protocol.name)
@pytest.mark.usefixtures("soon")
@pytest.mark.thorough
def test_huge_answers_are_cut(protocol: DiscoveryProtocol, hostile: Any) -> None:
    listing = within_limits(talked(protocol, [hostile])[1])
    assert len(lines_of(listing)) <= 20_000
    assert all(usable(method) for method in lines_of(listing))


def test_questions_to_every_server_change_nothing() -> None:
    asked = [protocol.name for protocol in (*ALWAYS_ASKED, *TRIED_IN_TURN)]
    assert len(asked) <= 8
    assert not {"list", "tools/list"} & set(asked)
    assert all(protocol.clue for protocol in SUSPECTED)
