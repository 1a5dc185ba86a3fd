"""A language server on standard streams, which knows only the files that its client has opened.

``textDocument/hover`` returns the document as it was opened, and the ``root`` of the client.
"""

from __future__ import annotations

import json
import sys
from typing import Any

PROGRAM = [sys.executable, "-IS", __file__]
"""The words that start it."""


def receive() -> dict[str, Any]:
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        name, _, value = line.partition(b":")
        length = int(value) if name.lower() == b"content-length" else length
    message: dict[str, Any] = json.loads(sys.stdin.buffer.read(length) or b'{"method": "exit"}')
    return message


def main() -> None:
    documents: dict[str, dict[str, Any]] = {}
    root: str | None = None
    while (message := receive())["method"] != "exit":
        document: dict[str, Any] = (message.get("params") or {}).get("textDocument") or {}
        result: Any = None
        match message["method"]:
            case "initialize":
                root = message["params"]["rootUri"]
                result = {"capabilities": {}}
            case "textDocument/didOpen":
                documents[document["uri"]] = document
            case "textDocument/didClose":
                del documents[document["uri"]]
            case "textDocument/hover":
                result = {**documents.get(document["uri"], {}), "root": root}
        if "id" in message:
            body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
            sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
