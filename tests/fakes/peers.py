"""The other side of a connection that stays open, over every kind of wire.

    async with peer(framed(script, "lines")) as port: ...

A script is a coroutine that gets a `Peer`; the connection closes at its end. A process is a relay between its standard
streams and a Unix socket, so that the same scripts serve all kinds.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from rpcexplorer.transport.framing import Framer, framer_of
from rpcexplorer.transport.port import Framing

RELAY = """
import os, socket, sys, threading
peer = socket.socket(socket.AF_UNIX)
peer.connect(sys.argv[1])
def pump():
    while data := os.read(0, 65536):
        peer.sendall(data)
    peer.shutdown(socket.SHUT_WR)
threading.Thread(target=pump, daemon=True).start()
while data := peer.recv(65536):
    while data:
        data = data[os.write(1, data):]
"""
"""A process that ends with the connection to the peer."""
LIMIT = 256 * 1024 * 1024


class Peer:
    """One accepted connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, framer: Framer) -> None:
        self.reader, self.writer, self._framer = reader, writer, framer
        self._received: list[bytes] = []

    def frame(self, message: bytes) -> bytes:
        return self._framer.frame(message)

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def receive(self) -> bytes:
        """Return the next message; b"" at the end."""
        while not self._received:
            data = await self.reader.read(65536)
            if not data:
                return b""
            self._received += self._framer.feed(data)
        return self._received.pop(0)

    async def read_to_end(self) -> None:
        while await self.reader.read(65536):
            pass


class WebSocketPeer(Peer):
    """Answers the upgrade before the script begins."""

    async def begin(self, subprotocol: str, extension: str, first: bytes) -> None:
        self.protocol = ServerProtocol(max_size=LIMIT, subprotocols=[Subprotocol(subprotocol)] if subprotocol else None)
        while self.protocol.state.name == "CONNECTING":
            self.protocol.receive_data(await self.reader.read(65536))
            for event in self.protocol.events_received():
                assert isinstance(event, Request)
                response = self.protocol.accept(event)
                if extension:
                    response.headers["Sec-WebSocket-Extensions"] = extension
                self.protocol.send_response(response)
        await self.send(b"".join(self.protocol.data_to_send()) + first)

    async def flush(self) -> None:
        for data in filter(None, self.protocol.data_to_send()):
            await self.send(data)

    def frame(self, message: bytes) -> bytes:
        return Frame(Opcode.TEXT, message).serialize(mask=False)

    async def receive(self) -> bytes:
        while not self._received:
            data = await self.reader.read(65536)
            if not data:
                return b""
            self.protocol.receive_data(data)
            frames = [event for event in self.protocol.events_received() if isinstance(event, Frame)]
            self._received += [bytes(frame.data) for frame in frames if frame.opcode in {Opcode.TEXT, Opcode.CONT}]
            await self.flush()
        return self._received.pop(0)

    async def read_to_end(self) -> None:
        while await self.receive():
            pass


Script = Callable[[Peer], Awaitable[None]]
WebSocketScript = Callable[[WebSocketPeer], Awaitable[None]]
Accept = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def peer(
    script: Accept,
    *,
    path: Path | None = None,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[int]:
    """Serve a script for each connection; yield the port.

    Failures of the script are raised at the end.
    """
    running = list[asyncio.Task[None]]()

    async def run(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await script(reader, writer)
        finally:
            with contextlib.suppress(OSError):
                writer.close()
                await writer.wait_closed()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        running.append(asyncio.create_task(run(reader, writer)))

    if path is not None:
        server = await asyncio.start_unix_server(accept, path)
    else:
        listener = socket.create_server(("127.0.0.1", 0))
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)  # The system may take 32 MB otherwise.
        server = await asyncio.start_server(accept, sock=listener, ssl=tls)
    async with server:
        yield 0 if path is not None else server.sockets[0].getsockname()[1]
        async with asyncio.timeout(10):
            await asyncio.gather(*running)


def framed(script: Script, name: Framing) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
    async def run(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await script(Peer(reader, writer, framer_of(name, LIMIT)))

    return run


def upgraded(script: WebSocketScript, subprotocol: str = "", *, extension: str = "", first: bytes = b"") -> Accept:
    """Serve a script after the upgrade; ``first`` is sent with the response."""

    async def run(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted = WebSocketPeer(reader, writer, framer_of("lines", LIMIT))
        await accepted.begin(subprotocol, extension, first)
        await script(accepted)

    return run
