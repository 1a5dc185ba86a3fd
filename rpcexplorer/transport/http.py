"""The HTTP transport: one request out, one response or failure in.

HTTP is that of httpcore, the part of httpx that sends: over our own streams, which httpx cannot be given.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import unquote, urlsplit

import httpcore

from rpcexplorer.transport.connection import PIECE, dial, write
from rpcexplorer.transport.failures import Attempt, explain
from rpcexplorer.transport.port import (
    DEFAULT_PORTS,
    Headers,
    Partial,
    Request,
    Response,
    ShownCertificate,
    Unreachable,
    Watch,
)
from rpcexplorer.transport.proxy import Proxy, proxy_for
from rpcexplorer.transport.request import Address, address_of, request_headers
from rpcexplorer.transport.response import Incoming, values_of
from rpcexplorer.transport.tls import USUAL, CertificateSeen, Looking, Trust, certificate_from

if TYPE_CHECKING:
    import ssl
    from collections.abc import Awaitable, Callable, Mapping

IDLE_SECONDS: Final = 30.0
"""How long an idle connection is used again."""
MAX_IDLE: Final = 8
"""Connections above this are closed after their response."""
PROXY_REFUSES: Final = 407
SMALL: Final = 64 * 1024
"""Bytes below which several pieces of a body may come with one read."""
_incoming: ContextVar[Incoming] = ContextVar("incoming")
"""The response of the current request, for the connection that httpcore opens for it."""


class HttpTransport:
    """Sends requests over HTTP, several at a time if needed."""

    def __init__(self, *, trust: Trust = USUAL, cap: int = 256 * 1024 * 1024) -> None:
        self._trust = trust
        self._cap = cap
        self._pools: dict[tuple[str, str, str], httpcore.AsyncConnectionPool] = {}
        """The connections to each kind of address, through each proxy: another login may reach another server."""
        self._home: object = None

    async def open(self) -> None:
        """Import what httpcore imports only when it connects."""
        await asyncio.to_thread(_load)

    async def send(
        self, request: Request, *, deadline: float, watch: Watch | None = None, partial: Partial | None = None
    ) -> Response:
        address = address_of(request.url, request.socket)
        headers = request_headers(request, address)
        proxy = None if request.socket else proxy_for(address)
        shown = proxy.shown if proxy else None
        read = partial.read if partial else None
        incoming = Incoming(", ".join(values_of(headers, "accept-encoding")), shown, watch, self._cap, read)
        attempt = Attempt(address, incoming, deadline, self._cap, shown, self._trust)
        limit = incoming.limit = asyncio.timeout(deadline)
        if partial is not None:
            partial.limit = limit
        problem: Exception
        try:
            async with limit:
                await self._exchange(request, headers, address, proxy, incoming)
        except (Unreachable, CertificateSeen) as known:
            problem = known
        except Exception as failure:  # noqa: BLE001 - the border: httpcore lets through far more than its own errors
            if incoming.is_answered:
                incoming.was_open = limit.expired()
                return incoming.response()
            if proxy is not None and address.scheme == "http" and incoming.head.status == PROXY_REFUSES:
                # The request reached only the proxy, even if its error page was cut off.
                return incoming.response()
            problem = explain(failure, attempt, expired=limit.expired())
        else:
            return incoming.response()
        finally:
            incoming.stop()
            if partial is not None:
                partial.limit = None
                partial.response, partial.sent_whole = incoming.response(), incoming.sent_whole
        # Raise outside of `except`: a foreign exception may quote a header's value.
        raise problem

    async def close(self) -> None:
        pools, self._pools = self._pools, {}
        if self._home != _home():  # The event loop of the connections has ended, and with it they have.
            return
        for pool in pools.values():
            await _close_idle(pool)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _exchange(
        self, sent: Request, headers: Headers, address: Address, proxy: Proxy | None, incoming: Incoming
    ) -> None:
        pool = await self._pool(address, proxy)
        port = None if address.port == DEFAULT_PORTS[address.scheme] else address.port
        request = httpcore.Request(
            sent.verb,
            httpcore.URL(scheme=address.scheme, host=address.host, port=port, target=address.target),
            headers=[(name.encode("ascii"), value.encode("ascii")) for name, value in headers],
            content=sent.body,
            extensions={"trace": _follow(incoming)},
        )
        _incoming.set(incoming)
        incoming.kept = True  # Until a connection is opened.
        response = await pool.handle_async_request(request)
        stream: HttpStream = response.extensions["network_stream"]
        chunks = response.aiter_stream()
        try:
            if not stream.is_answered:
                raise Unreachable("wait", f"{address.place} sent a response before the request.", maybe_ran=True)
            incoming.begin(
                response.status,
                response.extensions["reason_phrase"],
                response.extensions["http_version"],
                response.headers,
            )
            stream.begin_body(incoming.announced)
            async for chunk in chunks:
                for portion in incoming.portions(chunk):
                    incoming.take(portion)
                    if len(portion) < SMALL:  # Each larger one waits for a read, which gives others a turn.
                        await asyncio.sleep(0)
            incoming.finish()
        finally:
            incoming.is_cut = stream.is_over
            if stream.is_behind:
                incoming.sent_whole = False
            await response.aclose()
            with contextlib.suppress(OSError):
                async for _ in chunks:  # The generators of httpcore end in order only with the stream.
                    pass
            if pool not in self._pools.values():  # It was closed meanwhile.
                await _close_idle(pool)

    async def _pool(self, address: Address, proxy: Proxy | None) -> httpcore.AsyncConnectionPool:
        if self._home != _home():
            # Connections of another event loop are closed. Those of another process may be in use there.
            self._home, self._pools = _home(), {}
        link = address.scheme, proxy.url if proxy else "", address.socket
        if link not in self._pools:
            trust = await asyncio.to_thread(self._trust.context) if address.scheme == "https" else None
            through = await asyncio.to_thread(_reach, proxy, self._trust.of_proxies) if proxy else None
            pool = httpcore.AsyncConnectionPool(
                trust,
                through,
                max_connections=None,
                max_keepalive_connections=MAX_IDLE,
                keepalive_expiry=IDLE_SECONDS,
                network_backend=Backend(address.socket),
            )
            return self._pools.setdefault(link, pool)  # Another request may have been faster.
        return self._pools[link]


def _home() -> tuple[asyncio.AbstractEventLoop, int]:
    """Return where connections can be used: in this event loop of this process."""
    return asyncio.get_running_loop(), os.getpid()


async def _close_idle(pool: httpcore.AsyncConnectionPool) -> None:
    for connection in pool.connections:
        if connection.is_idle():
            await connection.aclose()


def _reach(proxy: Proxy, trust: Trust) -> httpcore.Proxy:
    """Return a proxy for httpcore; ValueError if its URL cannot be used."""
    parts = urlsplit(proxy.url)
    if parts.scheme not in {"http", "https", "socks5", "socks5h"} or not parts.hostname:
        raise ValueError("no proxy")
    url = httpcore.URL(scheme=parts.scheme, host=parts.hostname, port=parts.port, target="/")
    login = None
    if parts.username or parts.password:
        login = unquote(parts.username or "").encode(), unquote(parts.password or "").encode()
    return httpcore.Proxy(url, login, ssl_context=trust.context() if parts.scheme == "https" else None)


def _follow(incoming: Incoming) -> Callable[[str, Mapping[str, Any]], Awaitable[None]]:
    """Return a listener for the trace of httpcore, which names each step."""

    async def follow(event: str, details: Mapping[str, Any]) -> None:
        match event.partition(".")[2]:
            case "start_tls.started":
                incoming.enter("tls")
            case "send_request_headers.started":
                # CONNECT is the handshake with a proxy. The request follows it.
                incoming.enter("proxy" if details["request"].method == b"CONNECT" else "send")
            case "send_request_body.complete" if incoming.phase == "send":
                incoming.sent_whole = True
            case "receive_response_headers.started" if incoming.phase == "send":
                incoming.enter("wait")
            case "receive_response_headers.complete" if incoming.phase == "wait":
                incoming.enter("body")

    return follow


class Backend(httpcore.AsyncNetworkBackend):
    """Opens our streams for httpcore, so that names are resolved and addresses tried as everywhere here."""

    def __init__(self, socket_path: str) -> None:
        self._socket = socket_path

    async def connect_tcp(self, host: str, port: int, *_: object, **__: object) -> HttpStream:
        incoming = _incoming.get()
        incoming.kept = False
        return HttpStream(*await dial(Address("http", host, port, socket=self._socket), incoming.enter))


class HttpStream(httpcore.AsyncNetworkStream):
    """A stream of asyncio for httpcore.

    One read is always in progress. So it notices a response that begins before the whole request is sent, bytes that
    belong to no response, and the end of the connection.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._coming = asyncio.create_task(self._receive())
        self._is_closed = False
        self._draining: asyncio.Task[None] | None = None
        self.is_behind = False
        """A part of the request was not taken by the system."""
        self.rest = b""
        """Bytes that arrived with others, and are read after them."""
        self._unsent = b""
        """The head of the request."""
        self.is_answered = True
        """Something was read since the request began."""
        self.is_over = False
        """The server has closed its side."""
        self._is_head = True
        """The response is not past its head."""
        self._left: int | None = None
        """Bytes of the body that are still to be read, if the server announced them."""

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002, ASYNC109 - its shape
        """Write until everything is sent or a response begins."""
        if self.is_answered:  # The next request begins. Its head is sent with its body: a small one is one packet.
            self.is_answered, self._is_head = False, True
            self._unsent = buffer
            return
        data, self._unsent = self._unsent + buffer, b""
        write(self._writer, data)
        if self._writer.transport.get_write_buffer_size():
            self.is_behind = True
            self._draining = asyncio.create_task(self._drain())
            await asyncio.wait([self._draining, self._coming], return_when=asyncio.FIRST_COMPLETED)
        if self._writer.is_closing():
            raise httpcore.WriteError("closed")  # httpcore reads on: the response may say why.

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002, ASYNC109 - its shape
        if self._is_closed:
            raise ConnectionResetError("closed here")
        self.is_answered = True
        data, self.rest = self.rest, b""
        if not data:
            received = await self._coming
            self._coming = asyncio.create_task(self._receive())
            if isinstance(received, OSError):
                if self.is_behind and not self._is_head:
                    # A server that closes with unread data causes a reset. The response may still be whole.
                    return b""
                raise received
            data = received
            self.is_over = not data
        if self._is_head:
            head, end, self.rest = data.partition(b"\r\n\r\n")
            return head + end
        if self._left is not None:
            data, self.rest = data[: self._left], data[self._left :]
            self._left -= len(data)
        return data

    def begin_body(self, size: int | None) -> None:
        """Read no more than ``size`` bytes after the head: what follows them belongs to no response."""
        self._is_head, self._left = False, size

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 - httpcore's shape
    ) -> HttpStream:
        """Add TLS to the stream, even inside TLS."""
        try:
            await self._writer.start_tls(ssl_context, server_hostname=server_hostname)
        except BaseException:
            await self.aclose()
            raise
        received = self._coming.result() if self._coming.done() else b""
        if self.rest or (received and isinstance(received, bytes)):
            # They came before the handshake, and would be read as if they were encrypted.
            raise ConnectionResetError("bytes before the handshake")
        self._writer.transport.set_write_buffer_limits(high=0)
        return self

    def get_extra_info(self, info: str) -> Any:
        if info == "ssl_object":
            return self._writer.get_extra_info(info)
        if info == "is_readable":  # httpcore does not use such a connection again.
            return self.is_behind or bool(self.rest) or self._coming.done() or self._has_arrived()
        return None

    async def aclose(self) -> None:
        self._is_closed = True
        self._writer.transport.abort()
        tasks = [self._coming] if self._draining is None else [self._coming, self._draining]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    async def _receive(self) -> bytes | OSError:
        try:
            return await self._reader.read(PIECE)
        except OSError as failure:  # This includes ssl.SSLError.
            return failure
        except asyncio.CancelledError:
            self._writer.transport.abort()  # The event loop ends, or nobody waits for the response any more.
            raise

    async def _drain(self) -> None:
        with contextlib.suppress(OSError):
            await self._writer.drain()
            self.is_behind = False

    def _has_arrived(self) -> bool:
        """Return whether there are bytes, or the end, that the event loop has not seen yet."""
        if self._reader.at_eof() or self._writer.is_closing():
            return True
        try:
            return bool(select.select([self._writer.get_extra_info("socket")], [], [], 0)[0])
        except ValueError:  # Too many files are open for it.
            return True


@cache
def _load() -> None:
    asyncio.run(_send_nothing())


async def _send_nothing() -> None:
    backend = httpcore.AsyncMockBackend([b"HTTP/1.1 204 No Content\r\n\r\n"])
    async with httpcore.AsyncConnectionPool(network_backend=backend) as pool:
        await pool.request("GET", "http://localhost")


async def certificate_of(url: str, trust: Trust = USUAL, *, deadline: float) -> ShownCertificate:
    """Return a server's certificate, and why it is not trusted.

    The client certificate is not sent, so a server that requires one may not show its own.
    """
    try:
        return ShownCertificate(certificate_from(await _shown(url, Looking(trust.ca_file), deadline)))
    except Unreachable as refused:
        if refused.reason != "untrusted":
            raise
        problem = refused.sentence
    return ShownCertificate(certificate_from(await _shown(url, Looking(checked=False), deadline)), problem)


async def _shown(url: str, trust: Looking, deadline: float) -> bytes:
    """Return the certificate that a handshake shows, with which the connection ends."""
    scheme = url.partition(":")[0].lower()
    try:
        if scheme == "https":
            async with HttpTransport(trust=trust) as transport:
                await transport.send(Request(url, b""), deadline=deadline)
        elif scheme == "wss":
            from rpcexplorer.transport.websocket import WebSocketWire

            await WebSocketWire(url, trust=trust, cap=0).open(deadline)
        elif scheme == "tls":
            from rpcexplorer.transport.stream import SocketWire

            await SocketWire(url, trust=trust, cap=0).open(deadline)
    except CertificateSeen as seen:
        return seen.der
    raise Unreachable("url", "Only a server with https://, wss:// or tls:// shows a certificate.")
