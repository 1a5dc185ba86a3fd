"""The signature line while params are typed."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.schema.complete import signature

OWNER = {"type": "object", "required": ["id"], "properties": {"born": {"format": "date", "type": "string"}, "id": {}}}
SHOP = Described(
    (
        DescribedParam("since", {"type": "string"}),
        DescribedParam("count", {"type": "integer", "minimum": 1, "maximum": 9, "description": "How many."}, True),
        DescribedParam("kind", {"enum": ["book", "boat"]}, True),
        DescribedParam("owner", {"anyOf": [OWNER, {"type": "null"}]}),
        DescribedParam("tags", {"items": {"type": "string"}}),
        DescribedParam("old", deprecated=True),
    )
)


def line(text: str, **more: Any) -> str:
    offset = text.index("|")
    return signature(text.replace("|", "", 1), offset, SHOP, **more)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("|", "count, kind, since (optional), owner (optional), tags (optional)"),
        ("{|", "count, kind, since (optional), owner (optional), tags (optional)"),
        ('{"kind": "book", |}', "count, since (optional), owner (optional), tags (optional)"),
        ('{"count": 5|, "kind": 1}', "count integer 1 … 9, next: since (optional), owner (optional), tags (optional)"),
        ('{"owner": {|', "owner object or null, next: id, born (optional)"),
        ('{"owner": {"id": 1, "born": "|', "owner.born string date"),
        ('{"tags": ["|', "tags[0] string"),
        ('{"foreign": |', "foreign, next: count, kind, since (optional), owner (optional), tags (optional)"),
        ("[|", "since string, next: count, kind, owner (optional), tags (optional), old (optional)"),
        ('["x", 5, |', "kind one of book | boat, next: owner (optional), tags (optional), old (optional)"),
        ('["x", 5, "book", {|', "owner object or null, next: tags (optional), old (optional)"),
        ('["x", 5, "book", {"id": 5|', "owner.id, next: tags (optional), old (optional)"),
        ("[1,2,3,4,5,6,7|", ""),
        ("{}|", ""),
    ],
)
def test_signature_follows_the_cursor(text: str, expected: str) -> None:
    assert line(text) == expected


def test_params_by_the_wrong_way_have_no_signature() -> None:
    assert line("{|", by="position") == line("[|", by="name") == ""
    assert signature("{", 1, Described()) == ""
