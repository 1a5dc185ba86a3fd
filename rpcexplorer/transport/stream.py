"""Messages over a stream of bytes, and the streams of TCP, TLS and Unix sockets."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from typing import TYPE_CHECKING, Final

from rpcexplorer.transport.connection import Encrypted, dial
from rpcexplorer.transport.failures import Attempt, explain
from rpcexplorer.transport.framing import framer_of
from rpcexplorer.transport.http import proxy_for
from rpcexplorer.transport.port import MAX_UNREAD, Unreachable, closed_here
from rpcexplorer.transport.request import SOCKET, Address, address_of
from rpcexplorer.transport.response import Incoming
from rpcexplorer.transport.tls import USUAL, Trust

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from rpcexplorer.transport.connection import Duplex
    from rpcexplorer.transport.framing import Framer
    from rpcexplorer.transport.port import Framing

MAX_IN_ROW: Final = 256
"""Messages without a pause for the loop: short ones take longer than their bytes."""
GOODBYE_SECONDS: Final = 1.0


class StreamWire:
    """What all wires share: one stream, one reader, and writers that never mix their messages."""

    slice_size = 64 * 1024
    """Bytes to divide into messages at a time, to keep the loop free."""

    def __init__(self, peer: str, framer: Framer) -> None:
        self.ended: Unreachable | None = None
        self.unread: bytes | None = b""
        self._peer = peer
        """The name of the other side in sentences."""
        self._framer = framer
        self._stream: Duplex | None = None
        self._draining: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._is_idle = asyncio.Event()
        """Nobody waits for bytes."""
        self._is_idle.set()

    def _is_closed(self) -> bool:
        return self._closing is not None

    async def send(self, message: bytes) -> None:
        if self._stream is None or self._is_closed() or self.ended:
            raise self.ended or closed_here()
        await self._write(self._stream, self._framer.frame(message))

    async def messages(self) -> AsyncIterator[bytes]:
        problem = None
        try:
            while data := await self._received():
                if self.unread is not None:
                    self.unread = (self.unread + data[:MAX_UNREAD])[:MAX_UNREAD]
                for start in range(0, len(data), self.slice_size):
                    for number, message in enumerate(self._framer.feed(data[start : start + self.slice_size]), 1):
                        self.unread = None
                        yield message
                        if number % MAX_IN_ROW == 0:
                            await asyncio.sleep(0)
                    if start:
                        await asyncio.sleep(0)
            for message in self._framer.finish():
                yield message
        except Unreachable as unreadable:
            problem = unreadable
        except OSError as failure:  # This includes ssl.SSLError.
            problem = await self._reason(failure)
        if not self._is_closed():
            self.ended = self.ended or problem or await self._reason()
            await self.close()

    async def close(self) -> None:
        if self._stream is None:
            return
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(self._stream))
        await asyncio.wait([self._closing])  # Whoever stops waiting must not stop the closing.
        self._closing.result()

    async def _close(self, stream: Duplex) -> None:
        try:
            await self._say_goodbye()
        finally:
            await self._stop_writing()
            stream.shut()
            if self._is_idle.is_set():  # Or else the reader closes it, as it watches the stream.
                stream.close()

    async def _write(self, stream: Duplex, data: bytes) -> None:
        """Send bytes after all earlier ones.

        They are written at once, so that a cancelled call leaves no half message.
        """
        problem = None
        try:
            stream.write(data)
        except OSError as failure:
            problem = await self._reason(failure)
        else:
            await self._drain(stream)
            if stream.behind and self._is_closed():
                raise closed_here()
            if stream.behind:
                problem = await self._reason()
        if problem is not None:
            self.ended = self.ended or problem
            raise problem

    async def _stop_writing(self) -> None:
        """Forget the bytes that the peer has not taken."""
        if self._draining is not None:
            self._draining.cancel()
            await asyncio.wait([self._draining])

    async def _drain(self, stream: Duplex) -> None:
        """Wait until the peer has taken all bytes, or cannot any more."""
        if stream.behind:
            await asyncio.wait([self._drain_later(stream)])

    def _drain_later(self, stream: Duplex) -> asyncio.Task[None]:
        if self._draining is None or self._draining.done():
            self._draining = asyncio.create_task(_drain(stream))
        return self._draining

    async def _received(self) -> bytes:
        """Return the next bytes; b"" at the end, also at our own."""
        assert self._stream is not None
        if self._is_closed():
            return b""
        self._is_idle.clear()
        try:
            data = await self._stream.receive()
        finally:
            self._is_idle.set()
            if self._is_closed():
                self._stream.close()
        return b"" if self._is_closed() else data

    async def _reason(self, failure: OSError | None = None) -> Unreachable:  # noqa: ARG002 - for subclasses
        """Return why the peer ended the connection."""
        received = self._framer.unfinished
        if received:
            within = f"in the middle of a message, after {received:,} bytes of it"
            return Unreachable("closed", f"{self._peer} closed the connection {within}.")
        return Unreachable("closed", f"{self._peer} closed the connection.", reason="unexplained")

    async def _say_goodbye(self) -> None:
        """Do what comes before the end of the stream, in bounded time."""


async def _drain(stream: Duplex) -> None:
    with contextlib.suppress(OSError):  # The bytes that were not sent tell of it.
        await stream.drain()


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
        try:
            async with limit:
                await self._connect()
        except Unreachable as known:
            problem = known
        except Exception as failure:  # noqa: BLE001 - the border, as for HTTP
            problem = self._explain(failure, deadline, expired=limit.expired())
        else:
            return
        raise _with_proxy(problem, self._address)

    async def _connect(self) -> None:
        address = self._address
        context = await asyncio.to_thread(self._trust.context) if address.scheme in {"tls", "wss"} else None
        plain = self._stream = await dial(address, self._incoming)
        try:
            if context is not None:
                self._incoming.enter("tls")
                encrypted = self._stream = Encrypted(plain, context, address.host)
                await encrypted.shake_hands()
            self._incoming.enter("wait")
            await self._begin()
        except BaseException:
            self._stream = None
            plain.close()
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


def _with_proxy(problem: Unreachable, address: Address) -> Unreachable:
    """Name a proxy that is configured, because connections do not use it."""
    if problem.step not in {"name", "connect", "timeout"} or address.socket:
        return problem
    is_encrypted = address.scheme in {"tls", "wss"}
    proxy = proxy_for(Address("https" if is_encrypted else "http", address.host, address.port))
    if proxy is None:
        return problem
    unused = f"The proxy {proxy.shown} is not used for {address.scheme}:// URLs."
    return Unreachable(problem.step, f"{problem.sentence} {unused}", reason=problem.reason)
