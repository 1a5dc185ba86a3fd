"""Messages over a stream of bytes, and the streams of TCP, TLS and Unix sockets."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from typing import TYPE_CHECKING, Final

from rpcexplorer.transport.connection import PIECE, dial, write
from rpcexplorer.transport.failures import Attempt, explain
from rpcexplorer.transport.framing import framer_of, refuse_unsupported
from rpcexplorer.transport.port import MAX_UNREAD, Unreachable, closed_here
from rpcexplorer.transport.proxy import proxy_for
from rpcexplorer.transport.request import SOCKET, Address, address_of
from rpcexplorer.transport.response import Incoming
from rpcexplorer.transport.tls import USUAL, CertificateSeen, Trust

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from rpcexplorer.transport.connection import Stream
    from rpcexplorer.transport.framing import Framer
    from rpcexplorer.transport.port import Framing

MAX_IN_ROW: Final = 256
"""Messages without a pause for the loop: short ones take longer than their bytes."""
GOODBYE_SECONDS: Final = 1.0
TLS_ALERT: Final = b"\x15\x03"
"""How a server with TLS answers a message that is not encrypted."""


class StreamWire:
    """What all connections that stay open share: one stream, one reader, and messages that never mix."""

    slice_size = 64 * 1024
    """Bytes to divide into messages at a time, to keep the loop free."""

    def __init__(self, peer: str, framer: Framer) -> None:
        self.ended: Unreachable | None = None
        self.unread: bytes | None = b""
        self._peer = peer
        """The name of the other side in sentences."""
        self._framer = framer
        self._stream: Stream | None = None
        self._closing: asyncio.Task[None] | None = None

    async def send(self, message: bytes) -> None:
        self._require_open()
        assert self._stream is not None
        _, writer = self._stream
        write(writer, self._framer.frame(message))
        try:
            await writer.drain()
        except OSError as failure:
            problem = await self._reason(failure)
            if self._closing is None:
                self.ended = self.ended or problem
        self._require_open()

    def _require_open(self) -> None:
        if self.ended is not None:
            raise self.ended
        if self._stream is None or self._closing is not None:
            raise closed_here()

    async def messages(self) -> AsyncIterator[bytes]:
        problem = None
        try:
            while data := await self._receive():
                if self.unread == b"":
                    self._look_at(data)
                if self.unread is not None:
                    self.unread = (self.unread + data[:MAX_UNREAD])[:MAX_UNREAD]
                for start in range(0, len(data), self.slice_size):
                    for number, message in enumerate(self._framer.feed(data[start : start + self.slice_size]), 1):
                        self.unread = None
                        yield message
                        if number % MAX_IN_ROW == 0:
                            await asyncio.sleep(0)
                    await asyncio.sleep(0)  # A peer that writes without end must not block the event loop.
            for message in self._framer.finish():
                yield message
        except Unreachable as unreadable:
            problem = unreadable
        except OSError as failure:  # This includes ssl.SSLError.
            problem = await self._reason(failure)
        if self._closing is None:
            self.ended = self.ended or problem or await self._reason()
            await self.close()

    def _look_at(self, first: bytes) -> None:
        """End the connection if its first bytes cannot be messages that we read."""
        if first.startswith(TLS_ALERT):
            raise Unreachable("framing", f"{self._peer} uses TLS at this port.", reason="tls")
        refuse_unsupported(first, self._peer)

    async def close(self) -> None:
        if self._stream is None:
            return
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(*self._stream))
        await asyncio.wait([self._closing])  # Whoever stops waiting must not stop the closing.
        self._closing.result()

    async def _close(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:  # noqa: ARG002 - for subclasses
        """End both directions in bounded time: a task that reads finds the end."""
        try:
            await self._say_goodbye()
        finally:
            writer.close()
            writer.transport.abort()  # It waits neither for the peer to read, nor for its end of TLS.
        with contextlib.suppress(OSError):
            await writer.wait_closed()

    async def _receive(self) -> bytes:
        """Return the next bytes; b"" at the end, also at our own."""
        assert self._stream is not None
        data = await self._stream[0].read(PIECE)
        return data if self._closing is None else b""

    async def _reason(self, failure: OSError | None = None) -> Unreachable:  # noqa: ARG002 - for subclasses
        """Return why the peer ended the connection."""
        received = self._framer.unfinished
        if received:
            within = f"in the middle of a message, after {received:,} bytes of it"
            return Unreachable("closed", f"{self._peer} closed the connection {within}.")
        return Unreachable("closed", f"{self._peer} closed the connection.", reason="unexplained")

    async def _say_goodbye(self) -> None:
        """Do what comes before the end of the stream, in bounded time."""


class SocketWire(StreamWire):
    """Messages over TCP, TLS or a Unix socket."""

    def __init__(self, url: str, framing: Framing = "lines", *, trust: Trust = USUAL, cap: int) -> None:
        """Prepare a connection; raise `Unreachable` for a URL that cannot be used."""
        self._prepare(address_of(url, schemes=SOCKET), framer_of(framing, cap), trust, cap)

    def _prepare(self, address: Address, framer: Framer, trust: Trust, cap: int) -> None:
        super().__init__(address.place, framer)
        self._address, self._trust, self._cap = address, trust, cap
        self._incoming = Incoming(cap=cap)

    async def open(self, deadline: float, left: float | None = None) -> None:
        limit = asyncio.timeout(deadline if left is None else left)
        problem: Exception
        try:
            async with limit:
                await self._connect()
        except CertificateSeen as seen:
            problem = seen
        except Unreachable as known:
            problem = self._with_proxy(known)
        except Exception as failure:  # noqa: BLE001 - the border, as for HTTP
            problem = self._with_proxy(self._explain(failure, deadline, expired=limit.expired()))
        else:
            return
        raise problem

    async def _connect(self) -> None:
        is_encrypted = self._address.scheme in {"tls", "wss"}
        trust = await asyncio.to_thread(self._trust.context) if is_encrypted else None
        self._stream = await dial(self._address, self._incoming.enter, trust)
        self._incoming.enter("wait")
        try:
            await self._begin()
        except BaseException:
            self._stream[1].transport.abort()
            self._stream = None
            raise

    async def _begin(self) -> None:
        """Do what comes before the first message."""

    def _explain(self, failure: Exception, deadline: float = 0, *, expired: bool = False) -> Unreachable:
        attempt = Attempt(self._address, self._incoming, deadline, self._cap, None, self._trust)
        return explain(failure, attempt, expired=expired)

    async def _reason(self, failure: OSError | None = None) -> Unreachable:
        # With TLS 1.3 the server refuses a client certificate after our side of the handshake.
        if isinstance(failure, ssl.SSLError) and "ALERT" in (failure.reason or ""):
            return self._explain(failure)
        return await super()._reason(failure)

    def _with_proxy(self, problem: Unreachable) -> Unreachable:
        """Name a proxy that is configured, because connections do not use it."""
        address = self._address
        if problem.step not in {"name", "connect", "timeout"} or address.socket:
            return problem
        scheme = "https" if address.scheme in {"tls", "wss"} else "http"
        proxy = proxy_for(Address(scheme, address.host, address.port))
        if proxy is None:
            return problem
        unused = f"The proxy {proxy.shown} is not used for {address.scheme}:// URLs."
        return Unreachable(problem.step, f"{problem.sentence} {unused}", reason=problem.reason)
