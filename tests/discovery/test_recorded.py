"""Each dialect has its whole dialogue with what real servers have answered to it."""

from __future__ import annotations

from functools import cache

import pytest

from rpcexplorer.discovery.documents import at_path
from rpcexplorer.discovery.interview import DIALECTS
from rpcexplorer.discovery.lists import rpc_modules
from rpcexplorer.discovery.methods import Listing, Parameter
from rpcexplorer.discovery.questions import WayOfAsking
from tests.discovery.lines import Line, lines_of
from tests.discovery.recordings import FOLDER, listing_of

SERVERS: dict[str, tuple[WayOfAsking, int]] = {
    "aria2": (DIALECTS["system.listMethods"].ask, 36),
    "deluge": (DIALECTS["system.listMethods"].ask, 31),
    "django-modern-rpc": (DIALECTS["system.listMethods"].ask, 9),
    "electrum": (DIALECTS["help"].ask, 102),
    "fastapi-jsonrpc": (at_path("/openrpc.json").ask, 2),
    "flask-jsonrpc": (DIALECTS["rpc.describe"].ask, 5),
    "ganache": (rpc_modules, 0),
    "jsonrpclib": (DIALECTS["system.listMethods"].ask, 6),
    "kamailio": (DIALECTS["system.listMethods"].ask, 73),
    "litecoin": (DIALECTS["help"].ask, 138),
    "mcp": (DIALECTS["tools/list"].ask, 4),
    "mcp-everything": (DIALECTS["tools/list"].ask, 15),
    "mopidy": (DIALECTS["core.describe"].ask, 62),
    "openrpc": (DIALECTS["rpc.discover"].ask, 2),
    "openrpc-mock-server": (DIALECTS["rpc.discover"].ask, 4),
    "pjrpc": (at_path("/api/v1/openrpc.json").ask, 2),
}
"""How each is asked, and how many methods it has."""


@cache
def asked(server: str) -> Listing:
    return listing_of(server, SERVERS[server][0](()))


def methods(server: str) -> dict[str, Line]:
    return {method.name: method for method in lines_of(asked(server))}


def test_every_method_of_each_server_is_found() -> None:
    assert sorted(SERVERS) == sorted(path.name.removesuffix(".json.gz") for path in FOLDER.glob("*.json.gz"))
    found = {name: len(asked(name).described) for name in SERVERS}
    assert found == {name: count for name, (_, count) in SERVERS.items()}


@pytest.mark.parametrize(
    ("server", "name", "parameters"),
    [
        ("litecoin", "getblock", ["blockhash: string!", "verbosity: number=1"]),
        ("mcp", "add", ["a: integer!", "b: integer=2"]),
        (
            "mcp-everything",
            "get-resource-reference",
            ["resourceType: one of Text | Blob='Text'", "resourceId: number=1"],
        ),
        (
            "openrpc",
            "store",
            ["part: object!", "size: one of small | large!", "count: integer=1", "note: string or null"],
        ),
        ("openrpc-mock-server", "get_pets", ["tags: array of string", "limit: integer"]),
        ("django-modern-rpc", "system.methodHelp", [": string!"]),
    ],
)
def test_the_params_of_a_method_are_those_that_its_server_tells_of(
    server: str, name: str, parameters: list[str]
) -> None:
    assert [in_short(each) for each in methods(server)[name].parameters] == parameters


def in_short(parameter: Parameter) -> str:
    """Its name and kind; a sign where it is required; its default."""
    default = "" if parameter.default is None else f"={parameter.default!r}"
    return f"{parameter.name}: {parameter.kind}{'!' * (parameter.required is True)}{default}"


def test_the_help_of_litecoind_is_read_with_all_that_is_inside() -> None:
    described = asked("litecoin").described
    assert len(described) == 138
    inputs, outputs, locktime, _ = described["createrawtransaction"].params
    assert (inputs.required, locktime.required, locktime.schema["default"]) == (True, False, 0)
    assert inputs.schema["items"]["required"] == ["txid", "vout"]
    pair, fixed = outputs.schema["items"]["anyOf"]
    assert (pair["additionalProperties"]["type"], [*fixed["properties"]]) == (["number", "string"], ["data"])
    assert described["createrawtransaction"].examples[0].params == [[{"txid": "myid", "vout": 0}], [{"address": 0.01}]]
    options = described["fundrawtransaction"].params[1].schema["properties"]
    assert options["change_type"]["enum"] == ["legacy", "p2sh-segwit", "bech32"]
    assert options["subtractFeeFromOutputs"]["items"]["type"] == "number"
    assert [each["type"] for each in described["getblock"].result["anyOf"]] == ["string", "object", "object"]
    assert sum(len(each.examples) for each in described.values()) == 172


def test_tools_of_mcp_servers_are_kept_with_their_schemas() -> None:
    described = asked("mcp").described
    part, size, count, note = described["store"].params
    assert (part.schema, size.schema["enum"], note.required) == ({"$ref": "#/$defs/Part"}, ["small", "large"], False)
    assert (count.schema["minimum"], count.schema["maximum"]) == (1, 10)
    assert described["store"].definitions["#/$defs/Part"]["properties"]["parts"]["items"] == part.schema
    assert described["store"].result["properties"]["structuredContent"]["required"] == ["name"]
    everything = asked("mcp-everything").described
    assert [each.name for each in everything["get-structured-content"].params] == ["location"]
    assert everything["echo"].draft == "http://json-schema.org/draft-07/schema#"
    prompts = everything["prompts/get"].params[1].schema["anyOf"]
    assert [each["title"] for each in prompts[:2]] == ["simple-prompt", "args-prompt"]
    assert prompts[1]["required"] == ["city"]


def test_docstrings_and_signatures_are_read_as_schemas() -> None:
    described = asked("mopidy").described
    (field, query) = described["core.library.get_distinct"].params
    assert (len(field.schema["enum"]), query.schema) == (15, {"type": ["object", "null"], "default": None})
    assert described["core.tracklist.add"].result == {"type": "array", "items": {"type": "object"}}
    described = asked("django-modern-rpc").described
    assert [each.schema for each in described["auth"].params] == [{"type": "string"}] * 2
    assert described["add"].result == {"type": "integer"}
