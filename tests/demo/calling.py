"""Short ways to ask the service something, with and without a socket."""

from __future__ import annotations

import json
import socket
from typing import Any

from rpcexplorer.demo import PASSWORD, USERNAME
from rpcexplorer.demo.message import Reply
from rpcexplorer.demo.service import DemoService

LOGIN = json.dumps({"username": USERNAME, "password": PASSWORD})


class Clock:
    """A clock that stands still until it is told otherwise."""

    def __init__(self) -> None:
        self.now = 5_000.0

    def __call__(self) -> float:
        return self.now


def envelope(method: str, params: str = "[]", id: str | None = '"1"') -> str:
    member = "" if id is None else f'"id": {id}, '
    return f'{{"jsonrpc": "2.0", {member}"method": "{method}", "params": {params}}}'


def content(reply: Reply) -> bytes:
    return b"".join(piece for piece in reply.body.pieces if isinstance(piece, bytes))


def ask(service: DemoService, method: str, params: str = "[]", token: str | None = None) -> Any:
    """The reply to one call: the result, or the error object."""
    reply = service.answer(envelope(method, params).encode(), token)
    assert reply.status == 200
    assert ("Content-Type", "application/json-rpc") in reply.headers
    message = json.loads(content(reply))
    assert message.pop("jsonrpc") == "2.0"
    assert message.pop("id") == "1"
    (outcome,) = message.values()
    return outcome


def cookie_of(reply: Reply) -> str:
    return dict(reply.headers)["Set-Cookie"]


def log_in(service: DemoService) -> str:
    """The token of a new session."""
    reply = service.answer(envelope("auth", LOGIN).encode())
    return cookie_of(reply).partition(";")[0].removeprefix("sessionid=")


def post(text: str | bytes, *headers: str, path: str = "/api/v2/", version: str = "1.1") -> bytes:
    """A request as bytes, with a length."""
    body = text.encode() if isinstance(text, str) else text
    lines = [
        f"POST {path} HTTP/{version}",
        "Host: localhost",
        "Content-Type: application/json-rpc",
        f"Content-Length: {len(body)}",
        *headers,
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


def exchange(url: str, sent: bytes) -> bytes:
    """Everything that comes back until the server closes."""
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(sent)
        received = bytearray()
        while block := connection.recv(65536):
            received += block
    return bytes(received)


def status(received: bytes) -> int:
    return int(received.split(b" ", 2)[1])


def body_of(received: bytes) -> bytes:
    return received.partition(b"\r\n\r\n")[2]
