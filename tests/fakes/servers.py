"""A server of JSON-RPC over every kind of connection, and its client.

    async with serving("tcp", script, tmp_path) as client:
        exchange = await client.call("ping")

A script is a coroutine that gets a `Server`. It runs for each connection, over http for each request, and the
connection closes at its end.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final, Literal, get_args

from rpcexplorer.client.client import Client
from rpcexplorer.client.open_connection import OpenConnection
from rpcexplorer.client.surroundings import Surroundings
from rpcexplorer.transport.framing import framer_of
from rpcexplorer.transport.port import Unreachable
from tests.fakes.peers import LIMIT, RELAY, Peer, framed, peer, upgraded
from tests.fakes.wire import Authority

Kind = Literal["memory", "tcp", "tls", "unix", "stdio", "ws", "http"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
OPEN: Final = tuple(kind for kind in KINDS if kind != "http")
"""Kinds that stay open."""


class Server:
    """The server's side of one connection."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer

    async def receive(self) -> Any:
        """Return the next message, decoded; None at the end."""
        message = await self.peer.receive()
        return json.loads(message) if message else None

    async def say(self, *messages: object) -> None:
        """Send messages; bytes are sent as they are, in a frame."""
        texts = [message if isinstance(message, bytes) else json.dumps(message).encode() for message in messages]
        if isinstance(self.peer, HttpPeer) and len(texts) > 1:
            await self.send(self.peer.event_stream(texts))
        else:
            await self.send(b"".join(map(self.peer.frame, texts)))

    async def send(self, data: bytes) -> None:
        """Send bytes without a frame."""
        with suppress(ConnectionError):  # The client may have left.
            await self.peer.send(data)

    async def read_to_end(self) -> None:
        with suppress(ConnectionError):
            await self.peer.read_to_end()


Script = Callable[[Server], Awaitable[None]]


class HttpPeer(Peer):
    """Takes one request, and sends its messages in one response."""

    async def receive(self) -> bytes:
        head = await self.reader.readuntil(b"\r\n\r\n") if not self._received else b""
        self._received.append(head)
        length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
        return await self.reader.readexactly(int(length)) if length else b""

    def frame(self, message: bytes, kind: bytes = b"application/json") -> bytes:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n"
        return head % (kind, len(message)) + message

    def event_stream(self, messages: list[bytes]) -> bytes:
        return self.frame(b"".join(b"data: %b\n\n" % message for message in messages), b"text/event-stream")


class MemoryWire:
    """A wire in memory; the script is its other end."""

    def __init__(self, script: Script) -> None:
        self.ended: Unreachable | None = None
        self.unread: bytes | None = None
        self._script = script
        self._sent, self._received = asyncio.Queue[bytes](), asyncio.Queue[bytes | None]()
        self._run: asyncio.Task[None] | None = None

    async def open(self, deadline: float, left: float | None = None) -> None:
        self._run = asyncio.create_task(self._serve())

    async def _serve(self) -> None:
        await self._script(Server(MemoryPeer(self._sent, self._received)))
        self._received.put_nowait(None)

    async def send(self, message: bytes) -> None:
        self._sent.put_nowait(message)

    async def messages(self) -> AsyncIterator[bytes]:
        while (message := await self._received.get()) is not None:
            yield message
        self.ended = self.ended or Unreachable("closed", "The server has closed the connection.")

    async def close(self) -> None:
        self._sent.put_nowait(b"")
        self._received.put_nowait(None)
        assert self._run is not None
        await asyncio.wait([self._run])


class MemoryPeer(Peer):
    def __init__(self, sent: asyncio.Queue[bytes], received: asyncio.Queue[bytes | None]) -> None:
        self._sent, self._answers = sent, received

    def frame(self, message: bytes) -> bytes:
        return message + b"\n"

    async def send(self, data: bytes) -> None:
        for message in data.splitlines():
            self._answers.put_nowait(message)

    async def receive(self) -> bytes:
        return await self._sent.get()

    async def read_to_end(self) -> None:
        while await self.receive():
            pass


@asynccontextmanager
async def serving(kind: Kind, script: Script, folder: Path, **settings: Any) -> AsyncIterator[Client]:
    """Serve a script, and yield a client of it with these settings."""

    async def run(accepted: Peer) -> None:
        await script(Server(accepted))

    async def run_http(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await run(HttpPeer(reader, writer, framer_of("lines", LIMIT)))

    path = folder / "rpc.sock"
    match kind:
        case "memory":
            connection = OpenConnection(
                lambda _: MemoryWire(script), Surroundings(settings.pop("on_event", lambda _: None))
            )
            async with Client("tcp://127.0.0.1:1", **settings) as client:
                client._transport = connection
                yield client
        case "tcp":
            async with peer(framed(run, "lines")) as port, Client(f"tcp://127.0.0.1:{port}", **settings) as client:
                yield client
        case "tls":
            authority = Authority()
            more = {"framing": "length", "ca_file": str(authority.write(folder)), **settings}
            async with (
                peer(framed(run, "length"), tls=authority.server()) as port,
                Client(f"tls://127.0.0.1:{port}", **more) as client,
            ):
                yield client
        case "unix":
            async with (
                peer(framed(run, "none"), path=path),
                Client(f"unix://{path}", framing="none", **settings) as client,
            ):
                yield client
        case "stdio":
            command = (sys.executable, "-IS", "-c", RELAY, str(path))
            async with (
                peer(framed(run, "lines"), path=path),
                Client("stdio:", command=command, **settings) as client,
            ):
                yield client
        case "ws":
            async with peer(upgraded(run)) as port, Client(f"ws://127.0.0.1:{port}", **settings) as client:
                yield client
        case "http":
            async with peer(run_http) as port, Client(f"http://127.0.0.1:{port}/rpc", **settings) as client:
                yield client
