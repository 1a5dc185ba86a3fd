"""A connection on which a reply is heard while the request is still on its way out.

A server may refuse a large request after its head: it answers, reads no further, and perhaps hangs up. httpx reads only
once it has written everything, so that it would wait for ever; and asyncio drops what had come as soon as it cannot
write any more. So the bytes go through a socket of our own here, TLS is done over it, and from the first byte of a
reply on the rest of the request goes out beside it, as far as the server takes it. httpx connects, and speaks HTTP.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import ssl
from collections import deque
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

PIECE = 256 * 1024


class NetworkStream(Protocol):
    """All that is asked of a connection that httpx has opened."""

    def get_extra_info(self, info: str) -> Any:
        """Give its socket."""

    async def aclose(self) -> None:
        """Close it, if it is not closed."""


class NetworkBackend(Protocol):
    """Whatever of httpx's opens connections."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpx's own shape
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> NetworkStream:
        """Open one."""


class ByteStream(Protocol):
    """Bytes there and back. Each direction may end without the other."""

    tls: ssl.SSLObject | None

    async def receive(self) -> bytes:
        """What comes next; nothing at the end."""

    async def send(self, data: bytes) -> None:
        """Hand it to the network."""

    async def close(self) -> None:
        """Close it, if it is not closed."""


class EarlyReading:
    """Opens connections of ours where httpx would open its own."""

    def __init__(self, usual: NetworkBackend) -> None:
        self._usual = usual

    async def connect_tcp(self, *given: Any, **named: Any) -> Connection:
        """Open one as usual, and take it over."""
        return Connection(Plain(await self._usual.connect_tcp(*given, **named)))


class Connection:
    """What httpx speaks HTTP over."""

    def __init__(self, line: ByteStream) -> None:
        self._line = line
        self._head = b""
        """The beginning of a request: it goes out with what follows it, so that a small request goes out at once."""
        self._at_beginning = True
        self._out: deque[bytes] = deque()
        self._writer: asyncio.Future[None] | None = None
        self._ahead: asyncio.Future[bytes] | None = None
        """Reads while something is written."""

    @property
    def behind(self) -> bool:
        """Whether some of what was written has not gone out."""
        return bool(self._head or self._out)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002, ASYNC109 - httpx's shape
        """Write, until it is out or something comes. That it cannot be written is no failure: what comes says why."""
        if self._at_beginning and buffer:
            self._head, self._at_beginning = buffer, False
            return
        if not (data := self._head + buffer):
            return
        self._head = b""
        self._out.append(data)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.ensure_future(self._write_all())
        if self._ahead is None:
            self._ahead = asyncio.ensure_future(self._line.receive())
        at_work: set[asyncio.Future[Any]] = {self._writer, self._ahead}
        await asyncio.wait(at_work, return_when=asyncio.FIRST_COMPLETED)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002, ASYNC109 - httpx's shape
        if self._head:
            await self.write(b"")
        self._at_beginning = True
        ahead, self._ahead = self._ahead, None
        return await (ahead or self._line.receive())

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 - httpx's shape
    ) -> Connection:
        """TLS over what there is, which may be TLS."""
        line = Encrypted(self._line, ssl_context, server_hostname)
        await line.shake_hands()
        return Connection(line)

    def get_extra_info(self, info: str) -> Any:
        return self._line.tls if info == "ssl_object" else None

    async def aclose(self) -> None:
        at_work = [task for task in (self._writer, self._ahead) if task is not None]
        for task in at_work:
            task.cancel()
        await asyncio.gather(*at_work, return_exceptions=True)
        await self._line.close()

    async def _write_all(self) -> None:
        with contextlib.suppress(OSError):  # an ssl.SSLError is one too
            while self._out:
                await self._line.send(self._out[0])
                self._out.popleft()


class Plain:
    """A TCP connection, by a socket of our own that leads where httpx's does."""

    def __init__(self, opened: NetworkStream) -> None:
        self.tls: ssl.SSLObject | None = None
        self._opened = opened  # it reads nothing unless it is asked
        self._socket = socket.socket(fileno=os.dup(opened.get_extra_info("socket").fileno()))
        self._socket.setblocking(False)

    async def receive(self) -> bytes:
        await asyncio.sleep(0)  # a network that has everything at once must not keep the loop to itself
        return await asyncio.get_running_loop().sock_recv(self._socket, PIECE)

    async def send(self, data: bytes) -> None:
        await asyncio.sleep(0)  # nor may one that takes everything
        await asyncio.get_running_loop().sock_sendall(self._socket, data)

    async def close(self) -> None:
        self._socket.close()
        await self._opened.aclose()


class Encrypted:
    """TLS over a line."""

    def __init__(self, line: ByteStream, trust: ssl.SSLContext, host: str | None) -> None:
        self._line = line
        self._coming, self._going = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._flushing = False
        """To read may mean to write as well; records go out in the order in which they were made."""
        self.tls: ssl.SSLObject | None = trust.wrap_bio(self._coming, self._going, server_hostname=host)

    async def shake_hands(self) -> None:
        """Agree with the server; raises what TLS raises."""
        assert self.tls is not None
        while True:
            with contextlib.suppress(ssl.SSLWantReadError):
                self.tls.do_handshake()
                break
            await self._flush()
            await self._fetch()
        await self._flush()

    async def receive(self) -> bytes:
        """What comes next; nothing at the end, whether or not the server said that it is one."""
        assert self.tls is not None
        while True:
            with contextlib.suppress(ssl.SSLEOFError, ssl.SSLZeroReturnError):
                with contextlib.suppress(ssl.SSLWantReadError):
                    return self.tls.read(PIECE)
                await self._flush()
                await self._fetch()
                continue
            return b""

    async def send(self, data: bytes) -> None:
        assert self.tls is not None
        self.tls.write(data)
        await self._flush()

    async def close(self) -> None:
        await self._line.close()

    async def _fetch(self) -> None:
        came = await self._line.receive()
        if came:
            self._coming.write(came)
        else:
            self._coming.write_eof()

    async def _flush(self) -> None:
        """Send what is to go out; whoever is at it goes on until nothing is left, so nobody has to wait for that."""
        if self._flushing:
            return
        self._flushing = True
        try:
            while self._going.pending:
                await self._line.send(self._going.read())
        finally:
            self._flushing = False
