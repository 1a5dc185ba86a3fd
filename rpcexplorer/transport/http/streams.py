"""Bytes there and back over one connection: plain, or in TLS over whatever there is, which may be TLS.

Each direction goes its own way, so that a reply is read while a request is still on its way out. A server may refuse a
large request after its head: it answers, reads no further, and perhaps hangs up; whoever only reads once all is
written would wait for ever.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections import deque
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import socket

PIECE = 256 * 1024
"""Bytes that are read, encrypted and handed to the network at a time: nobody keeps the loop to himself."""

_STEPS = 8
"""Pieces that may have come over TLS without a word in them; whoever sends more is up to something."""


class ByteStream(Protocol):
    """Bytes there and back. Each direction may end without the other."""

    @property
    def behind(self) -> bool:
        """Whether some of what was written has not gone out."""

    @property
    def draining(self) -> bool:
        """Whether somebody waits for what was written to go out."""

    def write(self, data: bytes) -> None:
        """Hand it to the network, as much as it takes at once; the rest goes out with `drain`.

        OSError means that nothing of it went out.
        """

    async def drain(self) -> None:
        """Wait until all that was written has gone out."""

    async def receive(self) -> bytes:
        """What comes next; nothing at the end."""

    def arrived(self) -> bytes | None:
        """What has come already; None if nothing did, and nothing at the end, also where that is a failure."""

    def close(self) -> None:
        """Close it, if it is not closed."""


class Plain:
    """A TCP connection."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._out: deque[bytes] = deque()
        self._turn = asyncio.Lock()

    @property
    def behind(self) -> bool:
        return bool(self._out)

    @property
    def draining(self) -> bool:
        return self._turn.locked()

    def write(self, data: bytes) -> None:
        taken = 0
        if not self._out:
            with contextlib.suppress(BlockingIOError, InterruptedError):
                taken = self._socket.send(data)
        if taken < len(data):
            self._out.append(data[taken:])

    async def drain(self) -> None:
        async with self._turn:
            while self._out:
                await asyncio.get_running_loop().sock_sendall(self._socket, self._out[0])
                self._out.popleft()
                await asyncio.sleep(0)  # a network that takes everything must not keep the loop to itself

    async def receive(self) -> bytes:
        try:
            came = self._socket.recv(PIECE)
        except (BlockingIOError, InterruptedError):
            return await asyncio.get_running_loop().sock_recv(self._socket, PIECE)
        await asyncio.sleep(0)  # nor may one that has everything at once
        return came

    def arrived(self) -> bytes | None:
        try:
            return self._socket.recv(PIECE)
        except (BlockingIOError, InterruptedError):
            return None
        except OSError:
            return b""

    def close(self) -> None:
        self._socket.close()


class Encrypted:
    """TLS over a stream."""

    def __init__(self, stream: ByteStream, trust: ssl.SSLContext, host: str) -> None:
        self._stream = stream
        self._coming, self._going = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = trust.wrap_bio(self._coming, self._going, server_hostname=host)

    async def shake_hands(self) -> None:
        """Agree with the server; raises what TLS raises, and then sends nothing more: it may say who calls."""
        while True:
            try:
                self.tls.do_handshake()
            except ssl.SSLWantReadError:
                await self._answer()
                self._take(await self._stream.receive())
            else:
                await self._answer()
                return

    @property
    def behind(self) -> bool:
        return self._stream.behind

    @property
    def draining(self) -> bool:
        return self._stream.draining

    def write(self, data: bytes) -> None:
        self.tls.write(data)
        self._pass_on()

    async def drain(self) -> None:
        await self._stream.drain()

    async def receive(self) -> bytes:
        """What comes next; nothing at the end, whether or not the server said that it is one."""
        while True:
            try:
                return self.tls.read(PIECE)
            except ssl.SSLWantReadError:
                with contextlib.suppress(OSError):  # who takes nothing any more may have said something before
                    await self._answer()
                self._take(await self._stream.receive())
            except (ssl.SSLEOFError, ssl.SSLZeroReturnError):
                return b""

    def arrived(self) -> bytes | None:
        """What the server says of TLS itself, such as a ticket for another time, is taken in, and is nothing."""
        for _ in range(_STEPS):
            try:
                return self.tls.read(PIECE)
            except ssl.SSLWantReadError:
                came = self._stream.arrived()
            except ssl.SSLError:
                return b""
            if came is None:
                return None
            self._take(came)
        return b""

    def close(self) -> None:
        self._stream.close()

    def _take(self, came: bytes) -> None:
        if came:
            self._coming.write(came)
        else:
            self._coming.write_eof()

    async def _answer(self) -> None:
        """To read may mean to write as well. Whoever is writing already takes that along, and is not waited for."""
        self._pass_on()
        if self.behind and not self.draining:
            await self.drain()

    def _pass_on(self) -> None:
        if self._going.pending:
            self._stream.write(self._going.read())
