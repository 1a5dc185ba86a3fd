"""Helpers that call the demo service, with and without a socket."""

from __future__ import annotations

import json
import socket
from typing import Any

from rpcexplorer.demo import PASSWORD, USERNAME
from rpcexplorer.demo.message import Response
from rpcexplorer.demo.service import DemoService

LOGIN = json.dumps({"username": USERNAME, "password": PASSWORD})


class Clock:
    """A clock that moves only when a test sets it."""

    def __init__(self) -> None:
        self.now = 5_000.0

    def __call__(self) -> float:
        return self.now


def envelope(method: str, params: str = "[]", id: str | None = '"1"') -> str:
    member = "" if id is None else f'"id": {id}, '
    return f'{{"jsonrpc": "2.0", {member}"method": "{method}", "params": {params}}}'


def content(response: Response) -> bytes:
    return b"".join(piece for piece in response.body.pieces if isinstance(piece, bytes))


def ask(service: DemoService, method: str, params: str = "[]", token: str | None = None) -> Any:
    """Return the result or the error object of one call."""
    response = service.answer(envelope(method, params).encode(), token)
    assert response.status == 200
    assert ("Content-Type", "application/json-rpc") in response.headers
    message = json.loads(content(response))
    assert message.pop("jsonrpc") == "2.0"
    assert message.pop("id") == "1"
    (outcome,) = message.values()
    return outcome


def cookie_of(response: Response) -> str:
    return dict(response.headers)["Set-Cookie"]


def log_in(service: DemoService) -> str:
    """Return the token of a new session."""
    response = service.answer(envelope("auth", LOGIN).encode())
    return cookie_of(response).partition(";")[0].removeprefix("sessionid=")


def post(text: str | bytes, *headers: str, path: str = "/api/v2/", version: str = "1.1") -> bytes:
    """Return a request as bytes, with its Content-Length."""
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
    """Send bytes and return all bytes until the server closes."""
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
