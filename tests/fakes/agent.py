"""An agent with the protocol A2A, as a script of a `RawServer`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.fakes.wire import NEXT, Act, Part, Parts, Received, http_reply

CARD_PATH = "/.well-known/agent-card.json"
STREAM = http_reply(headers={"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})
"""The head of an event stream, which ends with ``END``."""
END = b"0\r\n\r\n"
WORKING = {"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}}}
COMPLETED = {"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}}}
VERSION = {"code": -32009, "message": "Version '0.3' is not supported", "data": [{"domain": "a2a-protocol.org"}]}


def said(text: str) -> dict[str, Any]:
    """Return a part of the result with a text of the agent."""
    artifact = {"artifactId": "a", "parts": [{"text": text}]}
    return {"artifactUpdate": {"taskId": "t", "contextId": "c", "artifact": artifact}}


def card(*urls: str, **members: Any) -> dict[str, Any]:
    interfaces = [{"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"} for url in urls]
    skill = {"id": "s", "name": "Translate", "description": "Translates a text.", "examples": ["Good morning"]}
    return {
        "name": "Linguist",
        "description": "Knows languages.",
        "supportedInterfaces": [{"url": "grpc.example:1", "protocolBinding": "GRPC"}, *interfaces],
        "skills": [skill],
        **members,
    }


class Agent:
    """Takes calls at one path; a streamed result has these parts, or holds."""

    def __init__(
        self,
        *parts: Mapping[str, Any] | Act,
        path: str = "/",
        named: Mapping[str, Any] | None = None,
        ends: bool = True,
    ) -> None:
        """``named`` is the card; ``ends``: the stream ends after the last part."""
        self.parts, self.path, self.card, self.ends = parts, path, named, ends

    def __call__(self, request: Received) -> Parts:
        verb, path, _ = request.line.split()
        if verb == "GET" and path == CARD_PATH and self.card is not None:
            return http_reply(json.dumps(self.card).encode(), headers={"Content-Type": "application/json"})
        if verb == "GET" or path != self.path:
            return http_reply(b"Not Found", 404)
        method = request.json["method"]
        if method not in {"SendStreamingMessage", "ListTasks"}:
            return request.reply(error={"code": -32601, "message": "Method not found"})
        if request.header("A2A-Version") != "1.0":
            return request.reply(error=VERSION)
        if method == "ListTasks":
            return request.reply(result={"tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0})
        return self._stream(request)

    def _stream(self, request: Received) -> Iterator[Part]:
        yield STREAM
        for part in self.parts:
            yield part if isinstance(part, Act) else event_of(request, part)
        if self.ends:
            yield END
            yield NEXT


def event_of(request: Received, result: Any) -> bytes:
    """Return one response in a chunk of the event stream."""
    data = b"data: " + json.dumps({"jsonrpc": "2.0", "id": request.json["id"], "result": result}).encode() + b"\n\n"
    return b"%x\r\n%b\r\n" % (len(data), data)
