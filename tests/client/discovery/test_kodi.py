"""What Kodi tells of itself, in the structure of its own replies."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.discovery.documents import read_introspection
from rpcexplorer.model.method import Method, Parameter, key_of_event
from rpcexplorer.schema.node import SchemaReader
from rpcexplorer.schema.start import starting_point

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


def only(entry: Any, types: Any = TYPES) -> Method:
    (method,) = read_introspection({"methods": {"m": entry}, "types": types}).methods
    return method


def test_methods_are_read_with_types_by_bare_name_and_required_inside_a_param() -> None:
    listing = read_introspection(
        {"description": "JSON-RPC API", "version": "13.0.0", "methods": METHODS, "types": TYPES}
    )
    assert (listing.about, listing.skipped) == ('"JSON-RPC API" 13.0.0', ())
    seek, movies = listing.methods
    assert seek == Method(
        "Player.Seek",
        "Goes elsewhere in what is playing",
        safe=False,
        source="discovered",
        parameters=(
            Parameter("playerid", True, "integer"),
            Parameter("value", True, "number or string"),
            Parameter("how", False, "one of a | b", "In which way", "a", "a"),
        ),
        result="object",
        dialect="JSONRPC.Introspect",
    )
    assert [(each.kind, each.required) for each in movies.parameters] == [
        ("array of one of title | year", False),
        ("object", False),
        ("boolean or one of toggle", False),
        ("array of string", False),
    ]
    assert (movies.safe, movies.result) == (True, "string")


def test_the_default_of_a_type_is_nothing_to_start_with_where_a_value_is_required() -> None:
    assert starting_point(only(METHODS["Player.Seek"])) == {"playerid": 0, "value": 0}


def test_a_permission_that_nobody_told_says_nothing_of_safety() -> None:
    assert only({"params": []}).safe is None


@pytest.mark.parametrize("types", [None, [], "Player.Id", {"Player.Id": None}, {"Player.Id": {"$ref": "Player.Id"}}])
def test_a_type_that_leads_nowhere_says_nothing(types: Any) -> None:
    assert only({"params": [{"$ref": "Player.Id", "name": "p"}]}, types).parameters == (Parameter("p", False),)


@pytest.mark.parametrize("value", [None, [], {}, ""])
def test_an_empty_answer_offers_nothing(value: Any) -> None:
    assert read_introspection(value).refusal == "not offered (an empty result)"


@pytest.mark.parametrize("value", ["text", 7, ["ping"], {"methods": ["ping"]}, {"types": {}}])
def test_another_answer_is_none_of_kodis(value: Any) -> None:
    assert read_introspection(value).refusal.startswith("answered, but not with methods by name")


def test_a_param_is_kept_as_its_own_schema_and_types_by_their_bare_names() -> None:
    described = read_introspection({"methods": METHODS, "types": TYPES}).described
    seek, movies = described["Player.Seek"], described["Library.Movies"]
    assert [(each.name, each.schema, each.required) for each in seek.params] == [
        ("playerid", {"$ref": "Player.Id"}, True),
        ("value", {"type": [{"type": "number"}, {"type": "string"}]}, True),
        ("how", {"default": "a", "description": "In which way", "enums": ["a", "b"], "type": "string"}, False),
    ]
    assert (seek.result, movies.result) == (METHODS["Player.Seek"]["returns"], {"type": "string"})
    assert movies.definitions["Movie.Fields"] == TYPES["Movie.Fields"]
    assert {"Item.Fields", "Heir"} <= movies.definitions.keys()  # the former is what others extend
    reader = SchemaReader(movies.definitions)
    assert (reader.node(seek.params[0].schema).limits, reader.node(movies.params[0].schema).kinds) == (
        {"maximum": 2, "minimum": 0},
        ("array",),
    )


def test_what_kodi_sends_of_itself_is_described_beside_a_method_of_the_same_name() -> None:
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
    assert [(event.name, event.doc, event.parameters) for event in listing.events] == [
        ("Player.OnPlay", "Playback has begun", (Parameter("sender", True, "string"),)),
        ("Player.Seek", "", ()),
    ]
    assert listing.described[key_of_event("Player.OnPlay")].params[0].schema == {"type": "string"}
    assert listing.described[key_of_event("Player.Seek")].params == ()
    assert len(listing.described["Player.Seek"].params) == 3
    assert listing.skipped == ("1 left out: without a name that can be called",)
    assert read_introspection({"methods": {key_of_event("Player.OnPlay"): {}}}).methods == ()
