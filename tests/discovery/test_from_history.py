"""An OpenRPC document written from recorded calls."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rpcexplorer.discovery.from_history import MAX_LEVELS, MAX_PARTS, MAX_PLACES, document_of_calls
from rpcexplorer.discovery.openrpc import read_openrpc
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import Described
from rpcexplorer.model.problem import UserError
from rpcexplorer.model.profile import OpeningCall, Profile
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.transport.port import Response

SHOP = Profile("shop", "http://127.0.0.1:1")
NEWEST = datetime(2026, 11, 29, 12, tzinfo=UTC)


def call(params: str, result: Any = True, method: str = "m", days: int = 0, **more: Any) -> Exchange:
    """Return a recorded call with a result or an outcome."""
    outcome = result if isinstance(result, ErrorObject | Result) else Result(json.dumps(result).encode())
    when = NEWEST - timedelta(days=days)
    return Exchange("x", when, "shop", "", method, params, more.pop("kind", "call"), outcome, **more)


def error(code: int, message: str = "no") -> ErrorObject:
    return ErrorObject(code, message, None, b"")


def document(*calls: Exchange, profile: Profile = SHOP) -> dict[str, Any]:
    return document_of_calls(profile, calls, {}, lambda text: text.replace("hunter2", "«shop.password»"))


def described(*calls: Exchange) -> Described:
    """Return what the document says of the method, read as that of a server."""
    return read_openrpc(json.loads(json.dumps(document(*calls)))).described["m"]


def result_of(*results: Any) -> Any:
    return described(*(call("[]", result) for result in results)).result


@pytest.mark.parametrize(
    ("results", "schema"),
    [
        ([1, 2], {"type": "integer"}),
        ([1, 2.5], {"type": "number"}),
        (["a", None], {"type": ["null", "string"]}),
        ([[]], {"type": "array"}),
        ([[1], ["a", 2]], {"type": "array", "items": {"type": ["integer", "string"]}}),
        (
            [{"a": 1, "b": "x"}, {"a": None}],
            {
                "type": "object",
                "properties": {"a": {"type": ["integer", "null"]}, "b": {"type": "string"}},
                "required": ["a"],
            },
        ),
        (["«shop.token»", 5], {"type": "integer"}),
        (["«not recorded»"], {}),
        (["«Bonjour»"], {"type": "string"}),
        ([{"«shop.token»": 1, "a": "hunter2"}], {"type": "object", "properties": {"a": {}}, "required": ["a"]}),
        ([dict.fromkeys(map(str, range(MAX_PARTS + 1)), 1)], {"type": "object"}),
    ],
)
def test_types_of_results_are_joined(results: list[Any], schema: Any) -> None:
    assert result_of(*results) == schema


def test_params_of_every_call_are_required() -> None:
    full = described(call('{"a": 1, "b": "x"}'), call('{"a": 2}'))
    assert [(param.name, param.schema, param.required) for param in full.params] == [
        ("a", {"type": "integer"}, True),
        ("b", {"type": "string"}, False),
    ]
    assert full.by == "name"
    assert not any(param.required for param in described(call('{"a": 1}'), call("[]")).params)


def test_params_by_position_have_places_instead_of_names() -> None:
    full = described(call('[1, "x"]'), call("[2.5]"))
    assert [(param.name, param.schema, param.required) for param in full.params] == [
        ("param1", {"type": "number"}, True),
        ("param2", {"type": "string"}, False),
    ]
    assert full.by == "position"
    assert described(call("[1]"), call('{"a": 1}')).by is None


def test_variables_count_as_their_values() -> None:
    assert described(call('{"a": "{{n:json}}"}', params_sent='{"a": 5}')).params[0].schema == {"type": "integer"}


def test_errors_of_the_server_are_named_and_those_of_json_rpc_are_not() -> None:
    full = described(call("[]", error(7, "no hunter2")), call('{"wrong": 1}', error(-32602)), call("[]"))
    assert [(one.code, one.message) for one in full.errors] == [(7, "no «shop.password»")]
    assert full.params == ()
    assert full.doc == "Seen in 3 recorded calls."


def test_newest_short_call_without_secrets_is_the_example() -> None:
    full = described(
        call('{"a": "hunter2"}'), call('{"a": "b"}', "hunter2"), call('{"a": "x"}', "y" * 3000), call('{"a": "c"}', 5)
    )
    (example,) = full.examples
    assert (example.params, example.result) == ({"a": "c"}, 5)
    assert "hunter2" not in str(full)
    assert "«" not in str(full)


@pytest.mark.parametrize(
    "left_out",
    [
        call("[]", method="auth"),
        call("[]", method="server.login"),
        call("[]", kind="notification"),
        call("[]", kind="batch"),
        call("[]", response=Response(cut=True)),
        call("[]", error(-32601)),
        call("[]", error(1, "No such method: m")),
    ],
)
def test_what_says_nothing_about_a_method_is_left_out(left_out: Exchange) -> None:
    profile = Profile("shop", "tcp://127.0.0.1:1", openings=(OpeningCall("server.login", ["{token}"]),))
    with pytest.raises(UserError, match="No calls of profile shop are recorded"):
        document(left_out, profile=profile)


def test_document_says_what_it_is() -> None:
    made = document(call("[]"), call("[]", days=3))
    assert made["info"]["description"] == (
        "Written by rpcexplorer from 2 recorded calls, 2026-11-26 to 2026-11-29. The server may accept and return more."
    )


def test_size_and_depth_are_bounded() -> None:
    deep: Any = 1
    for _ in range(150):
        deep = {"a": [deep]}
    assert json.dumps(result_of(deep)).count("properties") <= MAX_LEVELS
    names = [str(at) for at in range(MAX_PARTS)]
    wide = {one: {f"{one}.{two}": {"x": [[1]]} for two in names} for one in names}
    assert json.dumps(result_of(wide)).count('"type"') <= MAX_PLACES + 3 * MAX_LEVELS
    assert described(call("[]", Result(b"[" * 100_000))).result_kind == ""
