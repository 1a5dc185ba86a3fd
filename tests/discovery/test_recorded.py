"""Each discovery protocol with the recorded answers of real servers."""

from __future__ import annotations

from functools import cache

import pytest

from rpcexplorer.discovery.documents import at_path
from rpcexplorer.discovery.interview import PROTOCOLS
from rpcexplorer.discovery.lists import rpc_modules
from rpcexplorer.discovery.methods import Listing, Parameter
from rpcexplorer.discovery.questions import StartDialogue
from tests.discovery.lines import Line, lines_of
from tests.discovery.recordings import FOLDER, listing_of

SERVERS: dict[str, tuple[StartDialogue, int]] = {
    "aria2": (PROTOCOLS["system.listMethods"].ask, 36),
    "deluge": (PROTOCOLS["system.listMethods"].ask, 31),
    "django-modern-rpc": (PROTOCOLS["system.listMethods"].ask, 9),
    "electrum": (PROTOCOLS["help"].ask, 102),
    "fastapi-jsonrpc": (at_path("/openrpc.json").ask, 2),
    "flask-jsonrpc": (PROTOCOLS["rpc.describe"].ask, 5),
    "ganache": (rpc_modules, 0),
    "jsonrpclib": (PROTOCOLS["system.listMethods"].ask, 6),
    "kamailio": (PROTOCOLS["system.listMethods"].ask, 73),
    "litecoin": (PROTOCOLS["help"].ask, 138),
    "mcp": (PROTOCOLS["tools/list"].ask, 4),
    "mcp-everything": (PROTOCOLS["tools/list"].ask, 15),
    "mopidy": (PROTOCOLS["core.describe"].ask, 62),
    "openrpc": (PROTOCOLS["rpc.discover"].ask, 2),
    "openrpc-mock-server": (PROTOCOLS["rpc.discover"].ask, 4),
    "pjrpc": (at_path("/api/v1/openrpc.json").ask, 2),
}
"""Protocol of each server, and its number of methods."""


@cache
def asked(server: str) -> Listing:
    return listing_of(server, SERVERS[server][0](()))


def methods(server: str) -> dict[str, Line]:
    return {method.name: method for method in lines_of(asked(server))}


def test_all_methods_of_each_server_are_found() -> None:
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
def test_params_match_the_servers_description(server: str, name: str, parameters: list[str]) -> None:
    assert [in_short(parameter) for parameter in methods(server)[name].parameters] == parameters


def in_short(parameter: Parameter) -> str:
    """Return name, type, a sign if required, and the default."""
    default = "" if parameter.default is None else f"={parameter.default!r}"
    return f"{parameter.name}: {parameter.kind}{'!' * (parameter.required is True)}{default}"


def test_litecoind_help_is_read_with_examples() -> None:
    described = asked("litecoin").described
    assert len(described) == 138
    inputs, outputs, locktime, _ = described["createrawtransaction"].params
    assert (inputs.required, locktime.required, locktime.schema["default"]) == (True, False, 0)
    assert (inputs.schema, outputs.doc.partition("\n\n")[2][:3]) == ({"type": "array"}, "[\n ")
    assert described["createrawtransaction"].examples[0].params == [[{"txid": "myid", "vout": 0}], [{"address": 0.01}]]
    assert described["getblock"].result_doc.startswith("Result (for verbosity = 0):")
    assert (described["getblockcount"].result_kind, described["getblock"].result_kind) == ("number", "")


def test_mcp_tools_keep_their_schemas() -> None:
    described = asked("mcp").described
    part, size, count, note = described["store"].params
    assert (part.schema, size.schema["enum"], note.required) == ({"$ref": "#/$defs/Part"}, ["small", "large"], False)
    assert (count.schema["minimum"], count.schema["maximum"]) == (1, 10)
    assert described["store"].definitions["#/$defs/Part"]["properties"]["parts"]["items"] == part.schema
    assert described["store"].result["properties"]["structuredContent"]["required"] == ["name"]
    everything = asked("mcp-everything").described
    assert [param.name for param in everything["get-structured-content"].params] == ["location"]
    assert everything["echo"].draft == "http://json-schema.org/draft-07/schema#"
    prompts = everything["prompts/get"].params[1].schema["anyOf"]
    assert [prompt["title"] for prompt in prompts[:2]] == ["simple-prompt", "args-prompt"]
    assert prompts[1]["required"] == ["city"]


def test_signatures_become_schemas() -> None:
    described = asked("django-modern-rpc").described
    assert [param.schema for param in described["auth"].params] == [{"type": "string"}] * 2
    assert described["add"].result == {"type": "integer"}
