"""What schemas refer to is gathered from their own document alone."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.schema.node import Definitions


def test_references_are_followed_as_far_as_they_lead() -> None:
    schemas = {"A": {"items": {"$ref": "#/components/schemas/B~1b"}}, "B/b": {"type": "string"}}
    root = {"components": {"schemas": schemas}}
    found = Definitions(root).gather([{"properties": {"a": {"$ref": "#/components/schemas/A"}}}])
    assert found == {
        "#/components/schemas/A": schemas["A"],
        "#/components/schemas/B~1b": {"type": "string"},
    }


def test_a_schema_is_found_by_the_name_that_it_gives_itself_and_a_type_by_its_bare_name() -> None:
    root = {"x": [{"$id": "urn:a", "type": "string"}, {"$anchor": "b", "type": "null"}]}
    found = Definitions(root, {"Player.Id": {"type": "integer"}}).gather(
        [{"$ref": "urn:a"}, {"$ref": "#b"}, {"$ref": "Player.Id"}, {"extends": "Player.Id"}]
    )
    assert {name: schema["type"] for name, schema in found.items()} == {
        "urn:a": "string",
        "#b": "null",
        "Player.Id": "integer",
    }


def test_another_document_is_never_asked_for() -> None:
    assert Definitions({}).gather([{"$ref": "https://example.org/schema.json"}, {"$ref": "#/no/where"}]) == {}


def test_a_circle_ends_and_a_place_in_a_list_is_found() -> None:
    root: Any = {"methods": [{"params": [{"schema": {"$ref": "#/methods/0/params/0/schema"}}]}]}
    found = Definitions(root).gather([root["methods"][0]["params"][0]["schema"]])
    assert list(found) == ["#/methods/0/params/0/schema"]
    assert Definitions(root).at("#/methods/7") is None


def test_ten_thousand_references_in_a_circle_end() -> None:
    schemas = {f"S{number}": {"$ref": f"#/s/S{(number + 1) % 10_000}"} for number in range(10_000)}
    assert len(Definitions({"s": schemas}).gather([{"$ref": "#/s/S0"}])) == 10_000


def test_places_inside_each_other_are_kept_as_far_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.schema.node.MOST_HELD", 2_000)
    root: Any = {"a": {"b": {"c": {"enum": ["x" * 800]}}}}
    definitions = Definitions(root)
    found = definitions.gather([{"allOf": [{"$ref": "#/a/b/c"}, {"$ref": "#/a/b"}, {"$ref": "#/a"}, {"$ref": "#/a"}]}])
    assert (len(found), definitions.left_out) == (2, 1)


def test_a_reference_is_part_of_an_address_and_may_be_spelled_as_one() -> None:
    root = {"s": {"List[int]": {"type": "array"}, "a%20b": {"type": "null"}}}
    found = Definitions(root).gather([{"$ref": "#/s/List%5Bint%5D"}, {"$ref": "#/s/a%20b"}])
    assert (found["#/s/List%5Bint%5D"], found["#/s/a%20b"]) == ({"type": "array"}, {"type": "null"})
