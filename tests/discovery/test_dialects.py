"""What holds for every dialect, whatever it is answered."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.discovery.documents import at_path
from rpcexplorer.discovery.interview import ALWAYS, DIALECTS, IN_TURN, SUSPECTED
from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.questions import Answered, Dialect, Question, Several
from rpcexplorer.discovery.reader import clean
from tests.discovery.lines import Line, lines_of

EVERY = [*DIALECTS.values(), *SUSPECTED, at_path("/d")]
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


def talked(dialect: Dialect, answers: list[Any]) -> tuple[int, Listing]:
    """Answer a dialect's questions with these values and then with refusals; how many there were, and the listing."""
    asking = dialect.ask(())
    step = next(asking)
    told = iter([*map(Answered, answers), *[Answered(refusal="no")] * 1_000])
    for count in range(1, 1_000):
        assert isinstance(step, Question | Several)
        try:
            if isinstance(step, Several):
                step = asking.send(Answered(answers=tuple(next(told) for _ in step.questions)))
            else:
                step = asking.send(next(told))
        except StopIteration as stop:
            return count, stop.value
    raise AssertionError("it does not end")


def usable(method: Line) -> bool:
    """Whether a method can be kept in a file and shown: text that UTF-8 carries, of a size."""
    texts = (method.name, method.doc, method.details, method.result, *(each.kind for each in method.parameters))
    json.dumps([parameter.default for parameter in method.parameters], allow_nan=False).encode()
    return bool(method.name) and all(text == text.encode().decode() and len(text) < 250_000 for text in texts)


@pytest.mark.parametrize("dialect", EVERY, ids=lambda dialect: dialect.name)
@given(answers=st.lists(VALUES, min_size=1, max_size=6))
def test_no_answer_is_an_exception(dialect: Dialect, answers: list[Any]) -> None:
    _, listing = talked(dialect, [clean(answer) for answer in answers])
    assert isinstance(listing, Listing)
    assert bool(listing.refusal) <= (not lines_of(listing))
    assert all(usable(method) for method in lines_of(listing))


@pytest.mark.parametrize("dialect", EVERY, ids=lambda dialect: dialect.name)
@given(first=VALUES)
def test_an_answer_in_the_dialects_own_form_is_none_either(dialect: Dialect, first: Any) -> None:
    first = clean(first)  # as every answer is
    forms: list[Any] = [
        {"methods": {"m": first, "n": {"params": first}}, "types": first},
        {"procs": [first, {"name": "m", "params": first, "return": first}]},
        {"tools": [first, {"name": "t", "inputSchema": first, "annotations": first}], "nextCursor": first},
        {"core.m": {"description": first, "params": first}},
        {"object": {"method": first}},
    ]
    for form in forms:
        assert all(usable(method) for method in lines_of(talked(dialect, [form, first])[1]))


NO_LISTING: dict[str, tuple[list[Any], str]] = {
    "system.listMethods": (["ping auth", 7, True], "answered, but not with a list of names"),
    "list": (
        [["system"], "text", 7, {"system": None}, {"system": ["board"]}],
        "answered, but not with objects and their methods",
    ),
    "rpc_modules": ([["eth"], "eth", 7], "answered, but not with modules by name"),
    "JSONRPC.Introspect": (["text", 7, ["ping"], {"methods": ["ping"]}], "answered, but not with methods by name"),
    "system.describe": (["text", 7, ["a"], {"name": "Shop"}, {"procs": 7}], "answered, but not with a service"),
    "core.describe": (["text", 7, ["core.m"], {"core.m": None}], "answered, but not with methods by name"),
    "rpc.discover": (["text", 7, ["ping"], {"methods": "ping"}], "answered, but not with an OpenRPC document"),
    "tools/list": (["text", {"tools": {}}, {"tools": 7}], "answered, but not with a list of tools"),
}


@pytest.mark.parametrize("name", NO_LISTING)
def test_another_answer_is_refused_in_words(name: str) -> None:
    (dialect,) = (each for each in EVERY if each.name == name)
    answers, words = NO_LISTING[name]
    assert [talked(dialect, [answer])[1].refusal.startswith(words) for answer in answers] == [True] * len(answers)
    empty: list[Any] = [None, [], {}, ""]
    assert {talked(dialect, [each])[1].refusal for each in empty} == {"not offered (an empty result)"}


DEEP: dict[str, Any] = {"type": "object"}
for _ in range(400):
    DEEP = {"properties": {"a": DEEP}, "items": DEEP, "anyOf": [DEEP] * 3, "type": ["array", DEEP]}
LOOP: dict[str, Any] = {"$ref": "Loop", "type": [{"$ref": "Loop"}] * 50, "anyOf": [{"$ref": "Loop"}] * 50}
HOSTILE: dict[str, Any] = {
    "deep": {"methods": {"m": {"params": [DEEP], "returns": DEEP}}, "types": {"Loop": DEEP}},
    "cyclic": {"methods": {"m": {"params": [LOOP] * 50}}, "types": {"Loop": LOOP}},
    "wide": {"methods": {f"m{n}": {"params": [{"name": "p", "$ref": "Loop"}] * 900} for n in range(90)}, "types": {}},
    "many": {f"m{n}": {} for n in range(100_000)},
    "long": {"methods": ["x" * 1_000_000] * 20},
    "tools": {"tools": [{"name": f"t{n}", "inputSchema": DEEP} for n in range(5_000)]},
}


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("dialect", EVERY, ids=lambda dialect: dialect.name)
@pytest.mark.usefixtures("soon")
@pytest.mark.thorough
def test_an_answer_made_to_blow_up_is_cut(dialect: Dialect, hostile: Any) -> None:
    _, listing = talked(dialect, [hostile])
    assert len(lines_of(listing)) <= 20_000
    assert sum(len(described.params) for described in listing.described.values()) <= 300_000
    assert all(usable(method) for method in lines_of(listing))


def test_what_everybody_may_be_asked_changes_nothing_by_its_name() -> None:
    asked = [dialect.name for dialect in (*ALWAYS, *IN_TURN)]
    assert len(asked) <= 8
    assert not {"list", "tools/list"} & set(asked)
    assert all(dialect.clue for dialect in SUSPECTED)
