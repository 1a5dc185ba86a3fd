"""HTTP: one POST, one reply, over a connection that may serve the next request too.

A request is held to a minimum: no redirects, no cookie jar, no netrc, no headers but its own, no timeouts but the one
deadline. Its connection is kept only after a reply that was read to its end and nothing beyond; a request that dies
with a kept connection is told as what it is, and never sent again unasked.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import ssl
from typing import TYPE_CHECKING, Self

from rpcexplorer.transport.http.certificates import context_of
from rpcexplorer.transport.http.connection import Connection, HungUp, NothingWritten
from rpcexplorer.transport.http.failures import Attempt, explain, unusable_roots
from rpcexplorer.transport.http.kept import KeptConnections, Link, time_to_keep
from rpcexplorer.transport.http.proxies import Proxy, lead_on, proxy_for
from rpcexplorer.transport.http.reply import STRAY, Incoming, values_of
from rpcexplorer.transport.http.request import Address, address_of, request_headers
from rpcexplorer.transport.http.streams import ByteStream, Encrypted, Plain
from rpcexplorer.transport.http.tcp import connect, literal, look_up
from rpcexplorer.transport.port import Headers, Partial, Request, Response, Unreachable, Watch

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType


class HttpTransport:
    """Sends requests. Safe to share: exchanges know nothing of each other, and each has a connection to itself."""

    def __init__(self, *, ca_file: Path | None = None, cap: int = 256 * 1024 * 1024) -> None:
        """Trust the authorities in `ca_file` instead of the usual ones; keep at most `cap` bytes of a body."""
        self._ca_file = ca_file
        self._cap = cap
        self._trusting: ssl.SSLContext | None = None
        self._kept = KeptConnections()

    async def open(self) -> None:
        """Nothing is left to do: what takes a while was loaded with this file."""

    async def send(
        self, request: Request, *, deadline: float, watch: Watch | None = None, partial: Partial | None = None
    ) -> Response:
        headers, address = request_headers(request), address_of(request.url)
        proxy = proxy_for(address)
        shown = proxy.shown if proxy else None
        incoming = Incoming(", ".join(values_of(headers, "accept-encoding")), shown, watch, self._cap)
        attempt = Attempt(address, incoming, deadline, self._cap, shown, self._ca_file)
        limit = asyncio.timeout(deadline)
        try:
            async with limit:
                await self._exchange(request.body, headers, address, proxy, incoming)
        except Unreachable as known:
            problem = known
        except Exception as failure:  # noqa: BLE001 - the border: whatever is raised below is told in our words
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
        self._trusting = None
        kept, self._kept = self._kept, KeptConnections()
        kept.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _exchange(
        self, body: bytes, headers: Headers, address: Address, proxy: Proxy | None, incoming: Incoming
    ) -> None:
        """Send a request over a connection that was kept, or over a new one."""
        target = address.target
        if proxy is not None and proxy.forwards(address):
            target, headers = address.url, (*headers, *proxy.headers)
        kept, link = self._kept, Link(address.scheme, address.host, address.port, proxy.url if proxy else "")

        async def over(connection: Connection) -> None:
            seconds = 0.0
            try:
                if await connection.exchange(target, headers, body, incoming):
                    seconds = time_to_keep(headers, incoming.head)
            except (HungUp, OSError, NothingWritten):
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
        await over(Connection(await self._opened(address, proxy, incoming)))

    async def _opened(self, address: Address, proxy: Proxy | None, incoming: Incoming) -> ByteStream:
        """A connection to an address, through a proxy if there is one: all that is written goes there."""
        host, port = proxy.place if proxy else (address.host, address.port)
        if address.scheme == "https" or (proxy and proxy.scheme == "https"):
            await asyncio.to_thread(self._trust)  # which takes a while
        where = literal(host, port)
        if where is None:
            incoming.enter("name")
        addresses = [where] if where else await look_up(host, port)
        incoming.enter("connect")
        stream: ByteStream = Plain(await connect(addresses))
        try:
            if proxy is not None:
                incoming.enter("proxy")
                if proxy.scheme == "https":
                    stream = await self._encrypted(stream, host)
                await lead_on(stream, proxy, address)
            if address.scheme == "https":
                incoming.enter("tls")
                stream = await self._encrypted(stream, address.host)
        except BaseException:
            stream.close()
            raise
        return stream

    async def _encrypted(self, stream: ByteStream, host: str) -> Encrypted:
        trust = self._trust()
        trust.set_alpn_protocols(["http/1.1"])
        encrypted = Encrypted(stream, trust, host)
        await encrypted.shake_hands()
        return encrypted

    def _trust(self) -> ssl.SSLContext:
        """Return the context that checks servers, made when first needed: reading the authorities takes a while."""
        if self._trusting is None:
            # ssl.SSLError is an OSError; a NUL in a path is a ValueError.
            with contextlib.suppress(OSError, ValueError):
                if self._ca_file is not None:
                    self._trusting = context_of(self._ca_file)
                else:
                    self._trusting = _usual_roots()
        if self._trusting is None:
            raise unusable_roots(_source_of_roots(self._ca_file))
        return self._trusting


def _usual_roots() -> ssl.SSLContext:
    """A context that trusts the authorities of the environment, or else those that certifi has."""
    if file := os.environ.get("SSL_CERT_FILE"):
        return ssl.create_default_context(cafile=file)
    if folder := os.environ.get("SSL_CERT_DIR"):
        return ssl.create_default_context(capath=folder)
    import certifi

    return ssl.create_default_context(cafile=certifi.where())


def _source_of_roots(ca_file: Path | None) -> str:
    if ca_file is not None:
        return f"The ca_file {ca_file}"
    for variable in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        if os.environ.get(variable):
            return f"What {variable} names ({os.environ[variable]})"
    return "The list of authorities that comes with certifi"
