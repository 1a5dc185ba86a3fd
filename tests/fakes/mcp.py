"""A server of MCP without a handshake, which checks what each request says of itself."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Sequence
from typing import Any, Final

from tests.fakes.wire import Received, http_reply

STATELESS: Final = "2026-07-28"
META = "io.modelcontextprotocol/"
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
Answer = Callable[[dict[str, Any]], dict[str, Any]]
"""Return the result or error of a call, from its params."""


class StatelessMcp:
    """Answers over HTTP, or one message of another connection."""

    def __init__(self, *, supported: Sequence[str] = (STATELESS,), marked: dict[str, str] | None = None) -> None:
        """``marked``: names in headers of params of the tool ``query``, which has pages of other tools before it."""
        self.supported, self.marked = [*supported], marked or {}
        self.answers: dict[str, Answer] = {}
        """By method, or by the name of a tool."""

    def __call__(self, request: Received) -> bytes:
        message = request.json
        if "id" not in message:
            return http_reply(b"", 202, reason="Accepted")
        answer = self.answer(message)
        is_read = "result" in answer or answer["error"]["code"] > -32020
        if is_read and (problem := self._mismatch(request, message)):
            answer = {"error": {"code": -32020, "message": problem}}
        status = 200
        if "error" in answer:
            status = 404 if answer["error"]["code"] == -32601 else 400
        return request.reply_with(json.dumps(answer, ensure_ascii=False)[1:-1], status=status)

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the result or error of a message."""
        params = message.get("params") or {}
        version = (params.get("_meta") or {}).get(f"{META}protocolVersion")
        if version not in self.supported:
            data = {"supported": self.supported, "requested": version or ""}
            return {"error": {"code": -32022, "message": "Unsupported protocol version", "data": data}}
        method = message["method"]
        if method == "server/discover":
            return {"result": {"resultType": "complete", "supportedVersions": self.supported, "capabilities": {}}}
        if method == "tools/list":
            return {"result": self._tools(params.get("cursor"))}
        name = params["name"] if method == "tools/call" else method
        if name in self.answers:
            return self.answers[name](params)
        if method == "tools/call":
            return {"result": {"resultType": "complete", "content": [], "structuredContent": params}}
        return {"error": {"code": -32601, "message": "Method not found"}}

    def _tools(self, cursor: str | None) -> dict[str, Any]:
        if self.marked and cursor is None:
            return {"tools": [{"name": "first", "inputSchema": {}}], "nextCursor": "2"}
        properties = {name: {"type": "string", "x-mcp-header": header} for name, header in self.marked.items()}
        return {"tools": [{"name": "query", "inputSchema": {"type": "object", "properties": properties}}]}

    def _mismatch(self, request: Received, message: dict[str, Any]) -> str:
        """Return which header does not repeat the message."""
        params, method = message["params"], message["method"]
        wanted = {
            "MCP-Protocol-Version": params["_meta"][f"{META}protocolVersion"],
            "Mcp-Method": method,
        }
        if method in NAMED_BY:
            wanted["Mcp-Name"] = params[NAMED_BY[method]]
        if params.get("name") == "query":
            arguments = params.get("arguments", {})
            wanted |= {f"Mcp-Param-{header}": arguments.get(name) for name, header in self.marked.items()}
        for name, value in wanted.items():
            if decoded(request.header(name)) != value:
                return f"Header mismatch: {name} is {request.header(name)}"
        return ""


def decoded(value: str | None) -> str | None:
    if value is None or not value.startswith("=?base64?"):
        return value
    return b64decode(value.removeprefix("=?base64?").removesuffix("?=")).decode()


def stdio_script(server: str = "") -> str:
    """Return a program that is such a server as a process; ``server`` is what it changes before it begins."""
    return f"""\
import json, sys
sys.path.insert(0, {json.dumps(_root())})
from tests.fakes.mcp import StatelessMcp
server = StatelessMcp()
{server}
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        print(json.dumps({{"jsonrpc": "2.0", "id": message["id"], **server.answer(message)}}), flush=True)
"""


def _root() -> str:
    from pathlib import Path

    return str(Path(__file__).parent.parent.parent)
