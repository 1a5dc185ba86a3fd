"""Descriptions of real projects are read whole, with all references."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rpcexplorer.discovery.documents import read_document
from rpcexplorer.discovery.openrpc import read_openrpc
from rpcexplorer.model.method import Described
from tests.corpora.documents import OPENRPC, document, documents

COUNTS = {
    "api-with-examples": 2,
    "ethereum": 55,
    "ethereum-multichain": 6,
    "kodi": 172,
    "link-example": 6,
    "params-by-name-petstore": 3,
    "petstore": 3,
    "petstore-expanded": 4,
    "simple-math": 2,
}


@pytest.mark.parametrize(("name", "value"), documents())
def test_every_method_of_a_document_is_read(name: str, value: Any) -> None:
    listing = read_document(value, name)
    assert (len(listing.described), listing.skipped, listing.refusal) == (COUNTS[name], (), "")


def test_references_of_openrpc_schemas_are_resolved() -> None:
    for name in OPENRPC:
        described = read_openrpc(document(name)).described
        assert len(described) == COUNTS[name]
        for method, details in described.items():
            assert missing(details) == set(), (name, method)


def test_notifications_of_kodi_are_described_like_its_methods() -> None:
    listing = read_document(document("kodi"), "kodi")
    assert len(listing.events) == 39
    assert {name: lost for name, details in listing.events.items() if (lost := missing(details))} == {}
    assert {name: lost for name, details in listing.described.items() if (lost := missing(details))} == {}


def missing(described: Described) -> set[str]:
    """Return the references without a target."""
    schemas = [described.result, *(param.schema for param in described.params)]
    return {reference for schema in schemas for reference in references(schema)} - {*described.definitions}


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for item in value.values():
            yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)
