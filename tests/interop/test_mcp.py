"""The MCP SDK's own server over streamable HTTP with event streams."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.client.client import Client
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.mcp import MCP_STATELESS
from rpcexplorer.model.profile import MCP_VERSIONS
from rpcexplorer.rpc.messages import Result
from tests.interop.serving import added_and_tested, asgi, discovered, error, send

pytestmark = pytest.mark.thorough
SETTINGS: dict[str, Any] = {
    "path": "/mcp",
    "content_type": "application/json",
    "accept": "application/json, text/event-stream",
    "empty_params": "{}",
}


SERVER = """
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.mcpserver import Elicit, Resolve
from pydantic import BaseModel

server = MCPServer("interop")


class Region(BaseModel):
    region: str


async def where() -> Elicit[Region]:
    return Elicit("Which region?", Region)


@server.tool()
async def deploy(name: str, region: Annotated[Region, Resolve(where)]) -> str:
    return f"{name} in {region.region}"
"""
"""A server with a tool that asks, in each version in its own way."""


@pytest.fixture(scope="module", params=[False, True], ids=["event stream", "one response"])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    names: dict[str, Any] = {}
    exec(SERVER, names)  # Importing it takes seconds, so not during collection.
    server = names["server"]

    @server.tool()
    def add(a: int, b: int = 2) -> int:
        """Adds two numbers."""
        return a + b

    @server.tool()
    def fail() -> str:
        """Fails on purpose."""
        raise ValueError("on purpose")

    @server.prompt()
    def greet(who: str, tone: str = "warm") -> str:
        return f"Greet {who}, and be {tone}"

    @server.resource("note://first")
    def first() -> str:
        return "a note"

    with asgi(server.streamable_http_app(json_response=request.param)) as address:
        yield address


def called(url: str, method: str, params: str = "", mcp: str = "auto") -> Exchange:
    return send(url, Draft(method, params), handshake="mcp", mcp=mcp, **SETTINGS)


def value(exchange: Exchange) -> Any:
    assert isinstance(exchange.outcome, Result), exchange
    return exchange.outcome.decoded()


def test_call_without_handshake_needs_a_session(url: str) -> None:
    assert "session" in error(send(url, Draft("ping"), **SETTINGS)).message.lower()


def test_call_is_sent_after_the_handshake(url: str) -> None:
    exchange = called(url, "ping", mcp="2025-11-25")
    assert value(exchange) == {}
    assert any("interop" in note for note in exchange.notes), "the client of the handshake"


@pytest.mark.parametrize("version", ["auto", *MCP_VERSIONS])
def test_tool_is_called_by_its_own_name_in_each_version(url: str, version: str) -> None:
    result = value(called(url, "add", '{"a": 40}', mcp=version))
    assert result["structuredContent"] == {"result": 42}
    assert ("resultType" in result) == (version in {"auto", MCP_STATELESS})


def test_tool_is_called_by_its_own_name(url: str) -> None:
    assert value(called(url, "tools/call", '{"name": "add", "arguments": {"a": 1}}'))["isError"] is False


@pytest.mark.parametrize(("tool", "words"), [("fail", "fail"), ("missing", "missing")])
def test_failed_or_unknown_tool_exits_with_1(url: str, tool: str, words: str) -> None:
    exchange = called(url, tool)
    assert exchange.exit_code == 1
    assert words in getattr(exchange.outcome, "message", "")


def test_tools_are_listed_with_their_params(url: str) -> None:
    tools = {tool["name"]: tool for tool in value(called(url, "tools/list"))["tools"]}
    assert tools["add"]["inputSchema"]["required"] == ["a"]
    found = discovered(url, handshake="mcp", discovery="tools/list", **SETTINGS)
    methods = {method.name: method for method in found.methods}
    assert methods["add"].doc == "Adds two numbers."
    assert [(param.name, param.required) for param in found.described["add"].params] == [
        ("a", True),
        ("b", False),
    ]
    described = found.described["add"]
    assert described.params[1].schema["default"] == 2
    reply = value(called(url, "add", '{"a": 1}'))
    assert {*reply} <= {*described.result["properties"], "resultType", "_meta"}
    assert reply["structuredContent"].keys() == described.result["properties"]["structuredContent"]["properties"].keys()


def test_prompts_and_resources_are_offered_as_choices(url: str) -> None:
    described = discovered(url, handshake="mcp", discovery="tools/list", **SETTINGS).described
    name, arguments = described["prompts/get"].params
    assert (name.schema["enum"], arguments.schema["required"]) == (["greet"], ["who"])
    assert "Greet Ada" in str(value(called(url, "prompts/get", '{"name": "greet", "arguments": {"who": "Ada"}}')))
    (uri,) = described["resources/read"].params
    assert uri.schema["examples"] == ["note://first"]
    assert "a note" in str(value(called(url, "resources/read", '{"uri": "note://first"}')))


def test_unknown_method_is_an_error(url: str) -> None:
    assert error(called(url, "no/such")).code == -32601


def test_bare_address_is_added_tested_and_called(url: str, tmp_path: Path) -> None:
    ran = added_and_tested(tmp_path, url, "add", "a:=1", "b:=2")
    assert (ran.code, '"text":"3"' in ran.text) == (0, True), ran.err


REGION = {"elicitation/create": {"result_json": '{"action": "accept", "content": {"region": "eu"}}'}}


@pytest.mark.parametrize("version", ["auto", *MCP_VERSIONS])
def test_question_of_a_tool_is_answered_in_each_version(url: str, version: str, request: Any) -> None:
    exchange = send(url, Draft("deploy", '{"name": "x"}'), handshake="mcp", mcp=version, answers=REGION, **SETTINGS)
    if "one response" in request.node.name and version in MCP_VERSIONS[1:]:
        assert exchange.counts_as == "error", "such a server can send no request before its response"
        return
    assert value(exchange)["structuredContent"] == {"result": "x in eu"}
    assert len(exchange.rounds) == (version in {"auto", MCP_STATELESS})


@pytest.mark.parametrize("version", ["auto", *MCP_VERSIONS])
def test_process_is_called_and_answered_in_each_version(version: Any) -> None:
    async def run() -> Exchange:
        command = [sys.executable, "-c", f"{SERVER}\nserver.run('stdio')"]
        async with Client("stdio:", command=command, handshake="mcp", mcp=version, answers=REGION) as client:
            assert value(await client.call("tools/list", {}))["tools"][0]["name"] == "deploy"
            return await client.call("deploy", {"name": "x"})

    exchange = asyncio.run(run())
    assert value(exchange)["structuredContent"] == {"result": "x in eu"}
    assert len(exchange.rounds) == (version in {"auto", MCP_STATELESS})
