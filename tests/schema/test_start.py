"""The params that a first draft starts with."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.model.method import Described, DescribedParam, ExampleCall, Method, Started
from rpcexplorer.schema.start import started, starting_point

KIND = DescribedParam("kind", {"$ref": "#/Kind"}, required=True)
COUNT = DescribedParam("count", {"type": "integer", "minimum": 1}, required=False)
OWNER = DescribedParam("owner", {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}, True)


def described(*params: DescribedParam, **more: Any) -> Described:
    return Described(params, definitions={"#/Kind": {"enum": ["book", "film"]}}, **more)


@pytest.mark.parametrize(
    ("by", "params", "start"),
    [
        ("name", (COUNT, KIND, OWNER), {"kind": "book", "owner": {"id": ""}}),
        ("position", (COUNT, KIND, COUNT), [1, "book"]),
        (None, (COUNT, KIND), {"kind": "book"}),
        (None, (DescribedParam("Block hash", {"type": "string"}, required=True),), [""]),
        ("name", (DescribedParam("Block hash", {"type": "string"}, required=True),), {"Block hash": ""}),
        (None, (DescribedParam("", {"type": "string"}, required=True),), [""]),
        ("name", (COUNT,), {}),
        ("position", (COUNT,), []),
        (None, (COUNT,), None),
    ],
)
def test_draft_starts_with_required_params(by: Any, params: Any, start: Any) -> None:
    assert started(Method("m", by=by), described(*params)) == Started(start)


def test_values_of_example_call_are_used_if_right() -> None:
    calls = (
        ExampleCall("wrong", {"kind": "disc", "owner": 5}),
        ExampleCall("by place", ["film", {"id": "7"}]),
        ExampleCall("no params", None),
    )
    found = starting_point(Method("m"), described(KIND, OWNER, examples=calls))
    assert found == {"kind": "film", "owner": {"id": "7"}}


def test_default_of_the_profile_wins() -> None:
    assert starting_point(Method("m", params={"kind": "ours"}), described(KIND)) == {"kind": "ours"}


def test_invalid_start_names_the_param_and_reason() -> None:
    wanted = DescribedParam("address", {"type": "string", "pattern": "(?=x)"}, required=True)
    found = started(Method("m", by="position"), described(KIND, wanted))
    assert found == Started(["book", ""], "address: it must match the pattern `(?=x)`, and the schema has no example")
