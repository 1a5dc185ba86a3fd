"""Stored descriptions and changes: unchanged, decoded one by one."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from rpcexplorer.discovery.methods import Discovery, MethodChange
from rpcexplorer.discovery.store import Definitions, MethodLists
from rpcexplorer.model.method import Described, DescribedError, DescribedParam, ExampleCall, Method
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.schema.node import SchemaReader

WHEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SHOP = Profile("shop", "https://shop.example")
TREE = "#/components/schemas/Tree"
DEFINITIONS: dict[str, Any] = {
    TREE: {"type": "object", "properties": {"next": {"$ref": TREE}, "\ufffd": {"default": 10**40}}},
    "Bare.Name": {"enum": ["\x1b]52;c;?\x07", None, 1.5]},
    "#/anything": True,
}
FULL = Described(
    (
        DescribedParam("tree", {"$ref": TREE}, True, "Two\nlines", True),
        DescribedParam("", {"$ref": "Bare.Name", "default": None}),
        DescribedParam("any"),
    ),
    {"type": "array"}, "rows", "What comes", (DescribedError(None, "no"), DescribedError(-32001, "busy", {"a": None})),
    (ExampleCall("one", {"tree": {}}, "doc", None), ExampleCall("two", [])),
    ("a", "b"), False, "http://json-schema.org/draft-07/schema#", "rpc.discover", DEFINITIONS,
)  # fmt: skip
OTHER = Described((DescribedParam("x", {"$ref": TREE}),), False, definitions=DEFINITIONS)
EVENT = Method("changed", "Something changed", source="discovered")


def found(described: dict[str, Described], later: int = 0, *events: Method) -> Discovery:
    methods = tuple(Method(name, source="discovered") for name in described)
    return Discovery(WHEN + timedelta(days=later), methods, (), described=described, events=events)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "catalogues"


def test_description_is_read_back_with_its_definitions(folder: Path) -> None:
    MethodLists(folder).settle(SHOP, found({"a": FULL, "b": OTHER, "c": Described()}, 0, EVENT))
    again = MethodLists(folder)
    assert (again.described(SHOP, "a"), again.described(SHOP, "b")) == (FULL, OTHER)
    assert again.described(SHOP, "c") == Described()
    assert again.described(SHOP, "nobody") is None
    assert again.events(SHOP) == (EVENT,)
    assert (again.changes(SHOP), again.problem) == (None, "")


def test_protocol_is_stored_as_the_dialect() -> None:
    found = [msgspec.to_builtins(stored) for stored in (Method("a", protocol="help"), Described(protocol="help"))]
    assert found == [{"name": "a", "dialect": "help"}, {"dialect": "help"}]


def test_shared_definitions_are_decoded_when_needed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    MethodLists(folder).settle(SHOP, found({"a": FULL, "b": OTHER}))
    assert (folder / "shop.json").read_bytes().count(b'"next"') == 1
    again = MethodLists(folder)
    one, other = again.described(SHOP, "a"), again.described(SHOP, "b")
    assert one
    assert other
    assert one.definitions is other.definitions
    assert isinstance(one.definitions, Definitions)
    decoded: list[object] = []

    def counting(text: msgspec.Raw) -> Any:
        decoded.append(text)
        return json.loads(bytes(text))

    monkeypatch.setattr("rpcexplorer.discovery.store.msgspec.json.decode", counting)
    assert (TREE in one.definitions, len(one.definitions), decoded) == (True, 3, [])
    node = SchemaReader(one.definitions).node(one.params[0].schema)
    assert (list(node.properties), len(decoded)) == (["next", "\ufffd"], 1)
    assert one.definitions[TREE] is other.definitions[TREE]
    assert len(decoded) == 1
    assert one.definitions.get("nowhere") is None


def test_start_reads_the_list_without_descriptions(folder: Path) -> None:
    MethodLists(folder).settle(SHOP, found({"a": FULL}))
    file = folder / "shop.json"
    file.write_bytes(file.read_bytes()[:-2] + b"?\n")
    again = MethodLists(folder)
    assert (again.learned(SHOP) is not None, again.problem) == (True, "")
    assert again.described(SHOP, "a") is None
    assert again.problem.startswith(f"cannot use {file}: it is damaged")


def test_refresh_replaces_the_list_for_other_programs_too(folder: Path) -> None:
    first = MethodLists(folder)
    first.settle(SHOP, found({"a": FULL}))
    siblings = MethodLists(folder)
    assert siblings.learned(SHOP)
    MethodLists(folder).settle(SHOP, found({"a": OTHER}, 1))
    assert siblings.described(SHOP, "a") == OTHER
    assert siblings.learned(SHOP) == MethodLists(folder).learned(SHOP)
    first.report_quirks_once(SHOP)
    assert first.described(SHOP, "a") == OTHER


def test_description_with_a_secret_is_not_stored(folder: Path) -> None:
    secret = "hunter2hunter2"
    leaky = replace(OTHER, result={"default": secret}, definitions={TREE: {"examples": [f"Bearer {secret}"]}, "T": {}})
    methods = {"leaky": leaky, "clean": replace(leaky, result=True), secret: Described()}
    discovery = found(methods, 0, Method("event", f"with {secret}"))
    discovery = replace(discovery, methods=(*discovery.methods, Method("doc", f"Try {secret}")))
    MethodLists(folder, lambda: [Secret(secret, "shop.password")]).settle(SHOP, discovery)
    assert secret not in "".join(file.read_text() for file in folder.iterdir())
    again = MethodLists(folder)
    learned = again.learned(SHOP)
    assert learned
    assert [method.name for method in learned.methods] == ["leaky", "clean", "doc"]
    assert again.described(SHOP, "leaky") is None
    clean = again.described(SHOP, "clean")
    assert clean
    assert dict(clean.definitions) == {"T": {}}
    assert again.events(SHOP) == (Method("event"),)


def test_too_large_descriptions_are_kept_until_exit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.discovery.store.KEPT", 2_000)
    method_lists = MethodLists(folder)
    settled = method_lists.settle(SHOP, found({"a": Described(result={"doc": "x" * 2_000})}))
    assert settled.sentences[-1].startswith("schemas and examples are kept only until you quit: they are larger than")
    assert method_lists.described(SHOP, "a") is not None
    assert MethodLists(folder).learned(SHOP) is not None
    assert MethodLists(folder).described(SHOP, "a") is None


def with_definition(schema: Any) -> dict[str, Described]:
    definitions = {"#/A": {"$ref": "#/B"}, "#/B": schema, "#/C": {}}
    return {
        name: Described((DescribedParam("x", {"$ref": reference}),), definitions=definitions)
        for name, reference in [("through", "#/A"), ("other", "#/C")]
    }


@pytest.mark.parametrize("again", [True, False], ids=["in another run", "in the same run"])
def test_change_behind_references_is_reported_for_all_users(folder: Path, again: bool) -> None:
    method_lists = MethodLists(folder)
    assert method_lists.settle(SHOP, found(with_definition({"type": "string", "maxLength": 5}))).changed == ()
    method_lists = MethodLists(folder) if again else method_lists
    assert method_lists.settle(SHOP, found(with_definition({"maxLength": 5, "type": "string"}), 1)).changed == ()
    method_lists = MethodLists(folder) if again else method_lists
    settled = method_lists.settle(SHOP, found(with_definition({"type": "string", "maxLength": 6}), 2))
    words = "limits of “x”: at most 5 characters → at most 6 characters"
    assert settled.changed == (MethodChange("through", "changed", (words,)),)


def test_last_changes_survive_refreshes_without_changes(folder: Path) -> None:
    for later, described in enumerate([{"a": OTHER}, {"b": OTHER}, {"b": OTHER}]):
        method_lists = MethodLists(folder)
        settled = method_lists.settle(SHOP, found(described, later))
    assert settled.changed == ()
    for lists in (method_lists, MethodLists(folder)):
        changes = lists.changes(SHOP)
        assert changes
        assert (changes.when, changes.before) == (WHEN + timedelta(days=1), WHEN)
        assert changes.methods == (MethodChange("a", "gone", breaks=True), MethodChange("b", "new"))
    assert MethodLists(folder).changes(replace(SHOP, url="https://other.example")) is None


def test_comparison_of_a_discovery_does_not_block(folder: Path) -> None:
    method_lists, turns = MethodLists(folder), list[bool]()
    method_lists.settle(SHOP, found({"a": FULL}))

    async def settle() -> Discovery:
        asyncio.get_running_loop().call_soon(lambda: turns.append(method_lists.described(SHOP, "a") == FULL))
        return await method_lists.settle_aside(SHOP, found({"a": OTHER}, 1))

    settled = asyncio.run(settle())
    assert turns == [True]
    assert [change.name for change in settled.changed] == ["a"]
    assert (method_lists.described(SHOP, "a"), MethodLists(folder).described(SHOP, "a")) == (OTHER, OTHER)
