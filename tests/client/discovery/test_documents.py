"""Documents in whichever form a service is described in: told apart by what stands in them."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.discovery.documents import at_path, read_document
from rpcexplorer.discovery.questions import Answered, Question
from tests.client.discovery.driving import drive
from tests.client.discovery.test_description import DRAFT, FLASK
from tests.client.discovery.test_kodi import METHODS, TYPES

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
def test_the_form_of_a_document_is_seen_from_what_is_in_it(document: Any, names: list[str]) -> None:
    listing = read_document(document, "openrpc.json")
    assert [method.name for method in listing.methods] == names
    assert {method.dialect for method in listing.methods} == {"openrpc.json"}


def test_params_are_read_in_the_form_of_the_document() -> None:
    seek, _ = read_document(KODI, "kodi.json").methods
    assert [parameter.kind for parameter in seek.parameters] == ["integer", "number or string", "one of a | b"]


def test_a_path_is_asked_for_once() -> None:
    questions, listing = drive(at_path("/openrpc.json").ask(()), Answered(OPENRPC))
    assert questions == [Question("/openrpc.json", document=True)]
    assert listing.about == 'OpenRPC 1.3.2, "shop 1"'
    _, refused = drive(at_path("/openrpc.json").ask(()), Answered(refusal="not offered (HTTP 404)"))
    assert refused.refusal == "not offered (HTTP 404)"


@pytest.mark.parametrize("value", [None, 7, "text", [], {}, {"openapi": "3.0.0", "paths": {}}])
def test_anything_else_is_no_document(value: Any) -> None:
    assert read_document(value, "x").refusal
