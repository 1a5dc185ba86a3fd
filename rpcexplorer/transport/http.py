"""The HTTP transport: one request out, one response or failure in."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import ssl
import time
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import urlsplit
from urllib.request import getproxies, getproxies_environment, proxy_bypass

import httpx
from msgspec import Struct

from rpcexplorer.patterns import regex
from rpcexplorer.transport.connection import Connection, NothingWritten
from rpcexplorer.transport.failures import Attempt, explain
from rpcexplorer.transport.port import (
    Headers,
    Partial,
    Request,
    Response,
    ShownCertificate,
    Unreachable,
    Watch,
    is_loopback_host,
)
from rpcexplorer.transport.request import Address, address_of, request_headers
from rpcexplorer.transport.response import STRAY, Incoming, values_of
from rpcexplorer.transport.tls import USUAL, CertificateSeen, Looking, Trust, no_certificate, shown_certificate

if TYPE_CHECKING:
    from types import TracebackType

LONGEST = 30.0
"""Seconds that an idle connection is kept."""
MOST = 8
"""Idle connections that are kept at a time."""
_AT_ONCE = 1.0
"""Seconds within which a server closes that keeps no connections."""
_PARAMETER = regex(r"\s*(timeout|max)\s*=\s*\"?([0-9]+)\"?\s*", re.IGNORECASE | re.ASCII)


class Link(Struct, frozen=True):
    """The server and proxy of a connection.

    The trusted certificates are the same for all connections that are kept together.
    """

    scheme: str
    host: str
    port: int
    proxy: str
    """The whole URL: another login may reach another server."""
    socket: str = ""

    def __repr__(self) -> str:
        return f"Link({self.socket or f'{self.scheme}://{self.host}:{self.port}'})"


def time_to_keep(sent: Headers, response: Response) -> float:
    """Return how many seconds to keep a connection after this response."""
    words = _words(response.headers, "connection")
    if response.version != "HTTP/1.1" or "close" in words or "close" in _words(sent, "connection"):
        return 0.0
    seconds = LONGEST
    for parameter in _words(response.headers, "keep-alive"):
        if found := _PARAMETER.fullmatch(parameter):
            count = float(found[2])
            if found[1].lower() == "timeout":
                # The server counts from its last byte, and the next request needs time to arrive.
                seconds = min(seconds, max(count - 1, count / 2))
            elif not count:
                return 0.0
    return seconds


def _words(headers: Headers, name: str) -> list[str]:
    return [word.strip().lower() for value in values_of(headers, name) for word in value.split(",")]


class _Waiting(Struct, eq=False):
    link: Link
    connection: Connection
    since: float
    until: float
    loop: asyncio.AbstractEventLoop
    process: int
    closing: asyncio.TimerHandle | None = None


class IdleConnections:
    """The idle connections of a transport, for one exchange each."""

    def __init__(self) -> None:
        self._waiting: list[_Waiting] = []
        self._never: set[Link] = set()
        self._closed = False

    def take(self, link: Link) -> tuple[Connection | None, bool]:
        """Return an idle connection, and whether another one had stray bytes.

        One of another event loop may be dead. One of another process may be in use there.
        """
        loop, process, now, surplus = asyncio.get_running_loop(), os.getpid(), time.monotonic(), False
        for idle in [idle for idle in reversed(self._waiting) if idle.link == link]:
            usable = idle.loop is loop and idle.process == process and now < idle.until
            stray = idle.connection.stream.arrived() if usable else b""
            if usable and stray is None:
                self._release(idle)
                return idle.connection, surplus
            surplus |= bool(stray)
            if usable and not stray and now - idle.since < _AT_ONCE:
                self.avoid(link)
            self._end(idle)
        return None, surplus

    def give(self, link: Link, connection: Connection, seconds: float) -> None:
        if self._closed or link in self._never or seconds <= 0:
            connection.close()
            return
        loop, now = asyncio.get_running_loop(), time.monotonic()
        idle = _Waiting(link, connection, now, now + seconds, loop, os.getpid())
        idle.closing = loop.call_later(seconds, self._end, idle)
        self._waiting.append(idle)
        if len(self._waiting) > MOST:
            self._end(self._waiting[0])

    def avoid(self, link: Link) -> None:
        """Keep no more connections there: the server closes them without notice."""
        self._never.add(link)

    def close(self) -> None:
        self._closed = True
        for idle in list(self._waiting):
            self._end(idle)

    def _end(self, idle: _Waiting) -> None:
        self._release(idle)
        idle.connection.close()

    def _release(self, idle: _Waiting) -> None:
        self._waiting.remove(idle)
        if idle.closing is not None:
            idle.closing.cancel()


class Proxy(Struct, frozen=True):
    """A proxy's URL, to use and to show."""

    url: str

    def __repr__(self) -> str:
        return f"Proxy({self.shown})"

    @property
    def shown(self) -> str:
        """Return scheme, host and port; a password may contain an unquoted ``/``."""
        scheme, _, rest = self.url.partition("://")
        shown = f"{scheme}://{re.split('[/?#]', rest.rpartition('@')[2])[0]}"
        return ascii(shown)[1:-1]


def proxy_for(address: Address) -> Proxy | None:
    stays_here = is_loopback_host(address.host)
    asked = getproxies_environment if stays_here else getproxies
    if asked is getproxies_environment and not any(name[-6:].lower() == "_proxy" for name in os.environ):
        return None  # The usual case. All other ways to find out take a twentieth of a call.
    proxies = asked()
    url = proxies.get(address.scheme) or proxies.get("all")
    if not url or proxy_bypass(address.place) or proxy_bypass(address.host) or _is_in_no_proxy(address.host):
        return None
    proxy = Proxy(url if "://" in url else f"http://{url}")
    return proxy if not stays_here or _is_here(proxy) else None


def _is_in_no_proxy(host: str) -> bool:
    """Return whether NO_PROXY has a network or another spelling of an address."""
    import ipaddress  # Only a call through a proxy needs it.

    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return False
    for entry in getproxies_environment().get("no", "").split(","):
        with suppress(ValueError):
            if ip in ipaddress.ip_network(entry.strip().strip("[]"), strict=False):
                return True
    return False


def _is_here(proxy: Proxy) -> bool:
    try:
        return is_loopback_host(urlsplit(proxy.shown).hostname or "")
    except ValueError:
        return False


PROXY_REFUSES: Final = 407


class HttpTransport:
    """Sends requests over HTTP, several at a time if needed."""

    def __init__(self, *, trust: Trust = USUAL, cap: int = 256 * 1024 * 1024) -> None:
        self._trusted = trust
        self._cap = cap
        self._trusting: dict[Trust, ssl.SSLContext] = {}
        self._idle = IdleConnections()

    async def open(self) -> None:
        """Import what httpx imports only when it connects."""
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
        attempt = Attempt(address, incoming, deadline, self._cap, shown, self._trusted)
        limit = incoming.limit = asyncio.timeout(deadline)
        try:
            async with limit:
                await self._exchange(request, headers, address, proxy, incoming)
        except Unreachable as known:
            problem = known
        except Exception as failure:  # noqa: BLE001 - the border: httpx lets through far more than its own errors
            if incoming.is_answered:
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
                partial.response, partial.sent_whole = incoming.response(), incoming.sent_whole
        # Raise outside of `except`: a foreign exception may quote a header's value.
        raise problem

    async def close(self) -> None:
        self._trusting.clear()
        connections, self._idle = self._idle, IdleConnections()
        connections.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _exchange(
        self, sent: Request, headers: Headers, address: Address, proxy: Proxy | None, incoming: Incoming
    ) -> None:
        idle = self._idle
        link = Link(address.scheme, address.host, address.port, proxy.url if proxy else "", address.socket)
        connection, stray = idle.take(link)
        if stray:
            incoming.remarks.append(STRAY)
        while True:
            incoming.kept = connection is not None
            connection = connection or await self._made(address, proxy)
            seconds = 0.0
            try:
                if await connection.exchange(sent, headers, address, incoming):
                    seconds = time_to_keep(headers, incoming.head)
                return
            except (httpx.TransportError, OSError, NothingWritten) as failure:
                if incoming.kept and incoming.head.status is None:
                    idle.avoid(link)
                if not (incoming.kept and isinstance(failure, NothingWritten)):
                    raise
            finally:
                idle.give(link, connection, seconds)
            connection = None  # The kept connection took nothing, so try once more over a new one.

    async def _made(self, address: Address, proxy: Proxy | None) -> Connection:
        """Return a connection that its first request opens."""
        through = None
        if proxy is not None:
            is_encrypted = proxy.url.startswith("https:")
            to_proxy = await asyncio.to_thread(self._trust, self._trusted.of_proxies) if is_encrypted else None
            through = httpx.Proxy(proxy.url, ssl_context=to_proxy)
        if address.scheme == "https":
            return Connection(await asyncio.to_thread(self._trust, self._trusted), through, address.socket)
        # httpx needs a context even without TLS. This one is quick to make and trusts no server.
        return Connection(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), through, address.socket)

    def _trust(self, trust: Trust) -> ssl.SSLContext:
        """Return the context that checks servers, made when first needed."""
        if trust not in self._trusting:
            self._trusting[trust] = trust.context()
        return self._trusting[trust]


class _WouldConnectError(Exception):
    """The request cannot go further without a network."""


@cache
def _load() -> None:
    asyncio.run(_up_to_connecting())


async def _up_to_connecting() -> None:
    async def stop(*_: object) -> None:
        raise _WouldConnectError

    request = httpx.Request("POST", "http://localhost", extensions={"trace": stop})
    with contextlib.suppress(_WouldConnectError):
        async with httpx.AsyncHTTPTransport(verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), trust_env=False) as route:
            await route.handle_async_request(request)


async def certificate_of(url: str, trust: Trust = USUAL, *, deadline: float) -> ShownCertificate:
    """Return a server's certificate, and why it is not trusted.

    The connection ends with the handshake.
    """
    if address_of(url).scheme != "https":
        raise no_certificate()
    return await shown_certificate(lambda looking: _seen(url, looking, deadline), trust)


async def _seen(url: str, looking: Looking, deadline: float) -> bytes:
    async with HttpTransport(trust=looking) as transport:
        try:
            await transport.send(Request(url, b""), deadline=deadline)
        except CertificateSeen as seen:
            return seen.der
    raise AssertionError("the handshake did not end")
