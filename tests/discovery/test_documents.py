"""Method lists of Kodi and flask-jsonrpc, as these servers send them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.discovery.documents import at_path, read_description, read_document, read_introspection, read_service
from rpcexplorer.discovery.methods import Parameter, result_kind
from rpcexplorer.discovery.questions import Answer
from rpcexplorer.discovery.reader import key_of_event
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.profiles.layers import Presets
from rpcexplorer.schema.node import SchemaReader
from tests.discovery.driving import drive
from tests.discovery.lines import Line, lines_of, start_of
from tests.fakes.agent import CARD_PATH, card

TYPES: dict[str, Any] = {
    "Player.Id": {"default": -1, "id": "Player.Id", "maximum": 2, "minimum": 0, "type": "integer"},
    "Item.Fields": {"id": "Item.Fields", "items": {"type": "string"}, "type": "array", "uniqueItems": True},
    "Movie.Fields": {"extends": "Item.Fields", "id": "Movie.Fields", "items": {"enums": ["title", "year"]}},
    "Toggle": {"default": None, "id": "Toggle", "type": [{"type": "boolean"}, {"enums": ["toggle"], "type": "string"}]},
    "Filter": {
        "id": "Filter",
        "type": [
            {"properties": {"and": {"items": {"$ref": "Filter"}, "required": True, "type": "array"}}, "type": "object"},
            {"$ref": "Filter"},
        ],
    },
    "Empty": {"extends": "Nowhere"},
    "Heir": {"extends": "Item.Fields"},
}
METHODS: dict[str, Any] = {
    "Player.Seek": {
        "description": "Goes elsewhere in what is playing",
        "params": [
            {"$ref": "Player.Id", "name": "playerid", "required": True},
            {"name": "value", "required": True, "type": [{"type": "number"}, {"type": "string"}]},
            {"default": "a", "name": "how", "description": "In which way", "enums": ["a", "b"], "type": "string"},
        ],
        "permission": "ControlPlayback",
        "returns": {"properties": {"time": {"type": "integer"}}, "type": "object"},
        "type": "method",
    },
    "Library.Movies": {
        "description": "All of them",
        "params": [
            {"$ref": "Movie.Fields", "name": "properties"},
            {"$ref": "Filter", "name": "filter"},
            {"$ref": "Toggle", "name": "muted"},
            {"$ref": "Heir", "name": "heir"},
        ],
        "permission": "ReadData",
        "returns": "string",
        "type": "method",
    },
}


def only(entry: Any, types: Any = TYPES) -> Line:
    (method,) = lines_of(read_introspection({"methods": {"m": entry}, "types": types}))
    return method


def test_required_param_ignores_the_default_of_its_type() -> None:
    described = read_introspection({"methods": METHODS, "types": TYPES}).described["Player.Seek"]
    assert start_of(described) == {"playerid": 0, "value": 0}


def test_missing_permission_leaves_safety_unknown() -> None:
    assert only({"params": []}).safe is None


@pytest.mark.parametrize("types", [None, [], "Player.Id", {"Player.Id": None}, {"Player.Id": {"$ref": "Player.Id"}}])
def test_unknown_type_has_no_limits(types: Any) -> None:
    assert only({"params": [{"$ref": "Player.Id", "name": "p"}]}, types).parameters == (Parameter("p", False),)


def test_params_are_schemas_and_types_have_short_names() -> None:
    described = read_introspection({"methods": METHODS, "types": TYPES}).described
    seek, movies = described["Player.Seek"], described["Library.Movies"]
    assert (seek.doc, seek.safe, movies.safe) == ("Goes elsewhere in what is playing", False, True)
    assert [(param.name, param.schema, param.required) for param in seek.params] == [
        ("playerid", {"$ref": "Player.Id"}, True),
        ("value", {"type": [{"type": "number"}, {"type": "string"}]}, True),
        ("how", {"default": "a", "description": "In which way", "enums": ["a", "b"], "type": "string"}, False),
    ]
    assert (seek.result, movies.result) == (METHODS["Player.Seek"]["returns"], {"type": "string"})
    assert movies.definitions["Movie.Fields"] == TYPES["Movie.Fields"]
    assert {"Item.Fields", "Heir"} <= movies.definitions.keys()  # Other types extend Item.Fields.
    reader = SchemaReader(movies.definitions)
    assert (reader.node(seek.params[0].schema).limits, reader.node(movies.params[0].schema).kinds) == (
        {"maximum": 2, "minimum": 0},
        ("array",),
    )


def test_kodi_event_is_described_apart_from_its_namesake() -> None:
    sent = {
        "Player.OnPlay": {
            "description": "Playback has begun",
            "params": [{"name": "sender", "required": True, "type": "string"}],
            "returns": None,
            "type": "notification",
        },
        "Player.Seek": 7,
        "\ud800": {},
    }
    listing = read_introspection({"methods": METHODS, "types": TYPES, "notifications": sent})
    assert [(name, event.doc, event.params) for name, event in listing.events.items()] == [
        ("Player.OnPlay", "Playback has begun", (DescribedParam("sender", {"type": "string"}, True),)),
        ("Player.Seek", "", ()),
    ]
    assert len(listing.described["Player.Seek"].params) == 3
    assert listing.skipped == ("1 name skipped: missing or invalid",)
    assert read_introspection({"methods": {key_of_event("Player.OnPlay"): {}}}).described == {}


DRAFT = {
    "sdversion": "1.0",
    "name": "Shop",
    "id": "urn:uuid:41544946",
    "version": "2.1",
    "procs": [
        {
            "name": "sum",
            "summary": "Adds.",
            "help": "Adds two numbers.\n\nOf any size.",
            "idempotent": True,
            "params": [{"name": "a", "type": "num"}, {"name": "b", "type": "arr"}, "c"],
            "return": {"type": "num"},
        },
        {"name": "drop", "params": [], "return": "nil"},
    ],
}
FLASK = {
    "id": "urn:uuid:6109e5f7",
    "name": "Shop",
    "version": "1.0.0",
    "servers": [{"url": "/api"}],
    "methods": {
        "add": {
            "name": "add",
            "notification": True,
            "params": [
                {"name": "a", "type": "Number", "required": True, "minimum": 1},
                {"name": "how", "type": "Object", "properties": {"x": {"name": "x", "type": "String"}}},
            ],
            "returns": {"name": "default", "type": "Object", "properties": {"sum": {"type": "Number"}}},
            "type": "method",
            "validation": True,
        },
        "rpc.describe": {"description": "Tells all", "name": "rpc.describe", "params": [], "summary": "Describe"},
    },
}


def test_draft_1_1_procedures_have_own_types() -> None:
    listing = read_service(DRAFT, "system.describe")
    assert (listing.about, listing.skipped) == ('"Shop 2.1"', ())
    assert lines_of(listing) == (
        Line(
            "sum",
            "Adds.",
            safe=True,
            source="discovered",
            parameters=(Parameter("a", None, "number"), Parameter("b", None, "array"), Parameter("c")),
            details="Adds two numbers.\n\nOf any size.",
            result="number",
            protocol="system.describe",
        ),
        Line("drop", source="discovered", result="null", protocol="system.describe"),
    )


@pytest.mark.parametrize(
    "value", [{"procs": ["a", "b"]}, {"procs": [{"name": "a"}, {"name": "b"}]}, {"methods": {"a": 1, "b": None}}]
)
def test_plain_names_are_methods(value: Any) -> None:
    assert [*read_service(value, "x").described] == ["a", "b"]


def test_types_with_other_names_are_kept_and_understood() -> None:
    total = read_service(DRAFT, "x").described["sum"]
    assert [(param.name, param.schema, param.required) for param in total.params] == [
        ("a", {"type": "num"}, None), ("b", {"type": "arr"}, None), ("c", True, None),
    ]  # fmt: skip
    assert [param.kind for param in Line.read("sum", total).parameters] == ["number", "array", ""]
    add = read_service(FLASK, "x").described["add"]
    reader = SchemaReader({})
    a, how = (reader.node(param.schema) for param in add.params)
    assert (a.kinds, a.limits, how.kinds) == (("number",), {"minimum": 1}, ("object",))
    assert reader.node(how.member("x")).kinds == ("string",)
    assert result_kind(add) == "object"


MOPIDY: dict[str, Any] = {
    "core.play": {
        "description": "Play what is given.\n\nIt **must** be listed.\n\n.. deprecated:: 3.0\n:param n: how",
        "params": [{"name": "old", "default": None}, {"name": "n"}, {"name": "more", "varargs": True}],
    },
    "core.stop": {"description": "Stop.", "params": []},
}


def test_mopidys_docstrings_stay_text() -> None:
    found = read_description(MOPIDY).described
    assert found["core.play"] == Described(
        (
            DescribedParam("old", {"default": None}, False),
            DescribedParam("n", True, True),
            DescribedParam("more", True, False),
        ),
        extra=True,
        protocol="core.describe",
        deprecated=True,
        doc="Play what is given.",
        details=MOPIDY["core.play"]["description"],
    )
    assert found["core.stop"] == Described(extra=False, protocol="core.describe", doc="Stop.")
    odd: list[Any] = [{}, {"description": 7, "params": 7}, {"params": [None, 7, []]}]
    assert [*read_description({f"core.{at}": entry for at, entry in enumerate(odd)}).described] == [
        "core.0",
        "core.1",
        "core.2",
    ]


OPENRPC = {"openrpc": "1.3.2", "info": {"title": "shop", "version": "1"}, "methods": [{"name": "a"}]}
KODI = {"methods": METHODS, "types": TYPES}


@pytest.mark.parametrize(
    ("document", "names"),
    [
        (OPENRPC, ["a"]),
        (DRAFT, ["sum", "drop"]),
        (FLASK, ["add", "rpc.describe"]),
        (KODI, ["Player.Seek", "Library.Movies"]),
        ({"jsonrpc": "2.0", "id": 1, "result": OPENRPC}, ["a"]),
    ],
)
def test_document_format_is_recognised_by_its_content(document: Any, names: list[str]) -> None:
    listing = read_document(document, "openrpc.json")
    assert [*listing.described] == names
    assert {method.protocol for method in lines_of(listing)} == {"openrpc.json"}


@pytest.mark.parametrize("value", [None, 7, "text", [], {}, {"openapi": "3.0.0", "paths": {}}])
def test_other_values_are_rejected_as_documents(value: Any) -> None:
    assert read_document(value, "x").refusal


def test_agent_card_describes_methods_and_skills() -> None:
    asking = at_path(CARD_PATH, endpoint="http://here/a2a").ask(())
    (question,), listing = drive(asking, Answer(card("http://here/a2a")))
    assert (question.method, question.document) == (CARD_PATH, True)
    assert (listing.about, listing.skipped) == ('"Linguist" with 1 skill', ())
    message = listing.described["SendMessage"]
    assert [param.name for param in message.params if param.required] == ["message"]
    lines = ["Linguist", "", "Knows languages.", "", "Translate: Translates a text.", "- Good morning"]
    assert message.details.splitlines() == lines
    values = Presets(Path("/nowhere")).load("a2a")
    assert values is not None
    assert {*values.preset.values.methods} == {*listing.described}


@pytest.mark.parametrize(
    ("urls", "sentence"),
    [
        (["https://ada:secret@there/a2a"], "The card names https://there/a2a. "),
        (["https://there/" + "x" * 1_000, "ftp://there"], "The card names no address for JSON-RPC."),
    ],
)
def test_agent_card_with_other_addresses_is_reported(urls: list[str], sentence: str) -> None:
    _, listing = drive(at_path(CARD_PATH, endpoint="http://here/a2a").ask(()), Answer(card(*urls)))
    assert listing.skipped[0].startswith(sentence)
