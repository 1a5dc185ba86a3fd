"""A server of MCP on standard streams: its tool ``ask`` sends its arguments as ``elicitation/create``.

The tool returns the answer as it came.
"""

from __future__ import annotations

import json
import sys
from typing import Any

PROGRAM = [sys.executable, "-IS", __file__]
"""The words that start it."""


def receive() -> dict[str, Any]:
    message: dict[str, Any] = json.loads(sys.stdin.readline() or '{"method": "exit"}')
    return message


def send(**members: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **members}), flush=True)


def ask(arguments: dict[str, Any]) -> str:
    send(id="asked", method="elicitation/create", params=arguments)
    while (message := receive()).get("id") != "asked":
        if message.get("method") in {"exit", "notifications/cancelled"}:
            return "cancelled"
    return json.dumps(message.get("result") or message["error"])


def main() -> None:
    offered: Any = None
    while (message := receive()).get("method") != "exit":
        result: Any = {}
        match message.get("method"):
            case "initialize":
                offered = message["params"]["capabilities"]
                result = {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "fake"},
                }
            case "tools/list":
                result = {"tools": [{"name": "ask", "inputSchema": {"type": "object"}}]}
            case "tools/call":
                params = message["params"]
                text = ask(params["arguments"]) if params["name"] == "ask" else json.dumps(offered)
                result = {"content": [{"type": "text", "text": text}]}
        if "id" in message:
            send(id=message["id"], result=result)


if __name__ == "__main__":
    main()
