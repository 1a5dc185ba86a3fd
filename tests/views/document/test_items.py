"""The way back from a row of a table to the text."""

from __future__ import annotations

import json

import pytest

from rpcexplorer.text.document import Document
from rpcexplorer.text.document_rows import line_of_item, path_at, value_at

ITEMS = [{"id": number, "tags": [number] * (number % 3)} for number in range(2000)]


@pytest.mark.parametrize(
    ("value", "path", "there"),
    [(ITEMS, ".", "$"), ({"n": [1], "items": ITEMS}, ".items", "$.items"), ({"a b": ITEMS}, '.["a b"]', '$["a b"]')],
)
@pytest.mark.parametrize("index", [0, 1, 1999])
def test_an_item_of_a_list_is_found_by_its_number(value: object, path: str, there: str, index: int) -> None:
    document = Document.of_json(json.dumps(value).encode())
    line = line_of_item(document, path, index)
    assert path_at(document, line) == f"{there}[{index}]"
    assert json.loads(value_at(document, line)) == ITEMS[index]


def test_what_is_not_there_is_looked_for_no_farther_than_where_it_should_begin() -> None:
    document = Document.of_json(b'{"items": [1, 2]}')
    assert line_of_item(document, ".items", 7) == 1
