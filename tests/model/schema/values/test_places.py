"""Which schemas may hold at a place of params."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.schema.complete import MOST_NODES, MOST_SCHEMAS, SchemaPlaces, required_in

CAT = {"properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}, "friend": {"$ref": "Pet"}}}
DOG = {"allOf": [{"properties": {"kind": {"enum": ["dog", "wolf"]}}}, {"properties": {"lives": {"type": "boolean"}}}]}
PET = {"anyOf": [{"$ref": "Cat"}, DOG, {"type": "null"}], "properties": {"name": {"type": "string"}}}
DESCRIBED = Described(
    (
        DescribedParam("pet", {"$ref": "Pet"}),
        DescribedParam("rows", {"prefixItems": [{"const": 1}], "items": {"additionalProperties": {"$ref": "Cat"}}}),
    ),
    definitions={"Pet": PET, "Cat": CAT},
)


@pytest.mark.parametrize(
    ("path", "beside", "schemas"),
    [
        (("pet",), [], [{"$ref": "Pet"}]),
        ((0,), [], [{"$ref": "Pet"}]),
        (("none",), [], []),
        ((7,), [], []),
        ((), [], []),
        (("pet", "lives"), [], [{"type": "integer"}, {"type": "boolean"}]),
        (("pet", "lives"), [{}, {"kind": '"cat"'}], [{"type": "integer"}]),
        (("pet", "lives"), [{}, {"kind": '"wolf"', "name": "1"}], [{"type": "boolean"}]),
        (("pet", "lives"), [{}, {"kind": '"fox"'}], [{"type": "integer"}, {"type": "boolean"}]),
        ((0, "friend", "lives"), [{}, {"kind": '"cat"'}, {"kind": '"dog"'}], [{"type": "boolean"}]),
        (("rows", 0), [], [{"const": 1}]),
        (("rows", 5, "any", "lives"), [], [{"type": "integer"}]),
        (("rows", "no number"), [], []),
    ],
)
def test_what_stands_beside_a_place_tells_which_schemas_hold(path: Any, beside: Any, schemas: Any) -> None:
    found = SchemaPlaces(DESCRIBED).schemas(path, beside)
    assert [schema for schema in found if schema is not True] == schemas


def test_what_must_be_there_is_what_every_alternative_wants() -> None:
    cat = {"required": ["kind", "lives"], "properties": {"kind": {}, "lives": {}}}
    dog = {"required": ["kind"], "properties": {"kind": {}}}
    places = SchemaPlaces(Described())
    whole = {"required": ["id"], "oneOf": [cat, dog, {"type": "null"}]}
    assert required_in(places.nodes([whole])) == {"id", "kind"}
    assert required_in(places.nodes([cat])) == {"kind", "lives"}
    assert required_in([]) == frozenset()


def test_alternatives_in_a_circle_and_without_number_are_bounded() -> None:
    wide: Any = {"oneOf": [{"oneOf": [{"$ref": "A"}] * 50, "properties": {"a": {"$ref": "A"}}} for _ in range(500)]}
    places = SchemaPlaces(Described((DescribedParam("a", {"$ref": "A"}),), definitions={"A": wide}))
    found = places.schemas(("a",) * 50, [{"b": "1", "c": '"x"'}] * 50)
    assert 0 < len(found) <= MOST_SCHEMAS
    assert len(places.nodes(found)) == MOST_NODES
