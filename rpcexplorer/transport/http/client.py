"""HTTP: one request, one reply, over a connection that may serve the next request too.

httpx does the talking and is held to a minimum: no redirects, no cookie jar, no netrc, no headers of its own, no
timeouts but the one deadline. A connection is kept only after a reply that was read to its end and nothing beyond; a
request that dies with a kept connection is told as what it is, and never sent again unasked.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from functools import cache
from typing import TYPE_CHECKING, Final, Self

import httpx

from rpcexplorer.transport.http.connection import Connection, NothingWritten
from rpcexplorer.transport.http.failures import Attempt, explain
from rpcexplorer.transport.http.kept import KeptConnections, Link, time_to_keep
from rpcexplorer.transport.http.proxies import Proxy, proxy_for
from rpcexplorer.transport.http.reply import STRAY, Incoming, values_of
from rpcexplorer.transport.http.request import Address, address_of, request_headers
from rpcexplorer.transport.port import Headers, Partial, Request, Response, Unreachable, Watch
from rpcexplorer.transport.tls.trust import USUAL, Trust

if TYPE_CHECKING:
    from types import TracebackType


PROXY_REFUSES: Final = 407


class HttpTransport:
    """Sends requests. Safe to share: exchanges know nothing of each other, and each has a connection to itself."""

    def __init__(self, *, trust: Trust = USUAL, cap: int = 256 * 1024 * 1024) -> None:
        """Keep at most `cap` bytes of a body."""
        self._trusted = trust
        self._cap = cap
        self._trusting: dict[Trust, ssl.SSLContext] = {}
        self._kept = KeptConnections()

    async def open(self) -> None:
        """Load what httpx loads only on its way to a connection."""
        await asyncio.to_thread(_load)

    async def send(
        self, request: Request, *, deadline: float, watch: Watch | None = None, partial: Partial | None = None
    ) -> Response:
        headers, address = request_headers(request), address_of(request.url)
        proxy = proxy_for(address)
        shown = proxy.shown if proxy else None
        incoming = Incoming(", ".join(values_of(headers, "accept-encoding")), shown, watch, self._cap)
        attempt = Attempt(address, incoming, deadline, self._cap, shown, self._trusted)
        limit = asyncio.timeout(deadline)
        try:
            async with limit:
                await self._exchange(request, headers, address, proxy, incoming)
        except Unreachable as known:
            problem = known
        except Exception as failure:  # noqa: BLE001 - the border: httpx lets through far more than its own errors
            if proxy is not None and address.scheme == "http" and incoming.head.status == PROXY_REFUSES:
                # The request got no further than the proxy, whatever became of the page that says so.
                return incoming.response()
            problem = explain(failure, attempt, expired=limit.expired())
        else:
            return incoming.response()
        finally:
            incoming.stop()
            if partial is not None:
                partial.response, partial.sent_whole = incoming.response(), incoming.sent_whole
        # Raised out here so that no foreign exception, which may quote a header's value, hangs on to it.
        raise problem

    async def close(self) -> None:
        self._trusting.clear()
        kept, self._kept = self._kept, KeptConnections()
        kept.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _exchange(
        self, sent: Request, headers: Headers, address: Address, proxy: Proxy | None, incoming: Incoming
    ) -> None:
        """Send a request over a connection that was kept, or over a new one."""
        kept, link = self._kept, Link(address.scheme, address.host, address.port, proxy.url if proxy else "")

        async def over(connection: Connection) -> None:
            seconds = 0.0
            try:
                if await connection.exchange(sent, headers, address, incoming):
                    seconds = time_to_keep(headers, incoming.head)
            except (httpx.TransportError, OSError, NothingWritten):
                if incoming.kept and incoming.head.status is None:
                    kept.avoid(link)
                raise
            finally:
                kept.give(link, connection, seconds)

        waiting, stray = kept.take(link)
        if stray:
            incoming.remarks.append(STRAY)
        if waiting is not None:
            incoming.kept = True
            with contextlib.suppress(NothingWritten):
                await over(waiting)
                return
            incoming.kept = False
        await over(await self._made(address, proxy))

    async def _made(self, address: Address, proxy: Proxy | None) -> Connection:
        """A connection that is opened with the first request; what it trusts is loaded, which takes a while."""
        through = None
        if proxy is not None:
            is_encrypted = proxy.url.startswith("https:")
            to_proxy = await asyncio.to_thread(self._trust, self._trusted.of_proxies) if is_encrypted else None
            through = httpx.Proxy(proxy.url, ssl_context=to_proxy)
        if address.scheme == "https":
            return Connection(await asyncio.to_thread(self._trust, self._trusted), through)
        # Without TLS a context is asked for all the same: this one is quick to make and trusts nobody.
        return Connection(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), through)

    def _trust(self, trust: Trust) -> ssl.SSLContext:
        """Return the context that checks servers, made when first needed: reading the authorities takes a while."""
        if trust not in self._trusting:
            self._trusting[trust] = trust.context()
        return self._trusting[trust]


class _WouldConnectError(Exception):
    """A request has come as far as it comes without a network."""


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
