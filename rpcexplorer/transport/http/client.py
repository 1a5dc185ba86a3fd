"""HTTP: one POST, one reply, each over a connection of its own.

httpx does the talking and is held to a minimum: no redirects, no cookie jar, no netrc, no headers of its own, no
timeouts but the one deadline. A connection is not kept for the next request: bytes that a server sends beyond its
Content-Length would become the head of the next reply, and a call that dies with a stale connection cannot be
sent again unasked.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import ssl
from functools import cache
from typing import TYPE_CHECKING, Any, Self

import httpx

from rpcexplorer.transport.http.connection import PIECE, EarlyReading, NetworkStream
from rpcexplorer.transport.http.failures import Attempt, explain
from rpcexplorer.transport.http.lookup import is_literal, look_up
from rpcexplorer.transport.http.proxies import Proxy, proxy_for
from rpcexplorer.transport.http.reply import Incoming, values_of
from rpcexplorer.transport.http.request import Address, address_of, request_headers
from rpcexplorer.transport.port import Headers, Partial, Request, Response, Unreachable, Watch
from rpcexplorer.transport.tls.trust import USUAL, Trust

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from types import TracebackType


class HttpTransport:
    """Sends requests. Safe to share: exchanges know nothing of each other."""

    def __init__(self, *, trust: Trust = USUAL, cap: int = 256 * 1024 * 1024) -> None:
        """Keep at most `cap` bytes of a body."""
        self._trusted = trust
        self._cap = cap
        self._trusting: dict[Trust, ssl.SSLContext] = {}

    async def open(self) -> None:
        """Load what httpx loads only on its way to a connection. Each request makes a connection of its own."""
        await asyncio.to_thread(_load)

    async def send(
        self, request: Request, *, deadline: float, watch: Watch | None = None, partial: Partial | None = None
    ) -> Response:
        headers, address = request_headers(request), address_of(request.url)
        proxy = proxy_for(address)
        shown = proxy.shown if proxy else None
        incoming = Incoming(", ".join(values_of(headers, "accept-encoding")), shown, watch)
        attempt = Attempt(address, incoming, deadline, self._cap, shown, self._trusted)
        limit = asyncio.timeout(deadline)
        try:
            async with limit:
                await self._exchange(request, headers, address, proxy, incoming)
        except Unreachable as known:
            problem = known
        except Exception as failure:  # noqa: BLE001 - the border: httpx lets through far more than its own errors
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

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _exchange(
        self, sent: Request, headers: Headers, address: Address, proxy: Proxy | None, incoming: Incoming
    ) -> None:
        opened: list[NetworkStream] = []
        request = httpx.Request(
            sent.verb,
            address.url,
            headers=[(name.encode("ascii"), value.encode("ascii")) for name, value in headers],
            content=_pieces(sent.body) if sent.verb == "POST" else None,
            extensions={"trace": _follow(incoming, opened)},
        )
        try:
            if address.scheme == "https":
                await asyncio.to_thread(self._trust, self._trusted)  # which takes a while
            if proxy and proxy.url.startswith("https:"):
                await asyncio.to_thread(self._trust, self._trusted.of_proxies)
            async with self._route(address, proxy) as route:
                response = await route.handle_async_request(request)
                incoming.begin(
                    response.status_code,
                    response.extensions["reason_phrase"],
                    response.extensions["http_version"],
                    response.headers.raw,
                    self._cap,
                )
                ending = False
                async for chunk in response.aiter_raw():
                    for portion in incoming.portions(chunk):
                        incoming.take(portion)
                        ending = ending or await _give_turn()
                incoming.finish()
        finally:
            incoming.sent_whole &= not any(getattr(connection, "behind", False) for connection in opened)
            # A connection that is given up in the middle of its TLS handshake is closed by nobody else.
            for connection in opened:
                await connection.aclose()

    def _route(self, address: Address, proxy: Proxy | None) -> httpx.AsyncHTTPTransport:
        through = None
        if proxy is not None:
            to_proxy = self._trust(self._trusted.of_proxies) if proxy.url.startswith("https:") else None
            through = httpx.Proxy(proxy.url, ssl_context=to_proxy)
        # Without TLS a context is asked for all the same: this one is quick to make and trusts nobody.
        trust = self._trust(self._trusted) if address.scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        route = httpx.AsyncHTTPTransport(verify=trust, proxy=through)
        if os.name == "posix":  # elsewhere a socket cannot be read beside the loop's own way
            pool: Any = route._pool  # noqa: SLF001 - httpx has no other way to say who opens its connections
            pool._network_backend = EarlyReading(pool._network_backend)  # noqa: SLF001
        return route

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


async def _give_turn() -> bool:
    """Let everybody else do something: what was read at once may be thousands of pieces. Whether this is to end.

    A cancellation that comes here is put off until the next piece is waited for: only there does httpx, which is in the
    middle of several generators, hear of it and close all of them.
    """
    try:
        await asyncio.sleep(0)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        assert task is not None
        task.uncancel()
        task.cancel()
        return True
    return False


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    """Hand a body over little by little: whoever encrypts it, or counts it, must not keep the loop to itself."""
    for start in range(0, len(body), PIECE):
        yield body[start : start + PIECE]


def _follow(incoming: Incoming, opened: list[NetworkStream]) -> Callable[[str, Mapping[str, Any]], Awaitable[None]]:
    """Return the function that httpx tells each of its steps: it keeps `incoming` up to date, and what was opened."""

    async def follow(event: str, details: Mapping[str, Any]) -> None:
        match event.partition(".")[2]:
            case "connect_tcp.started":
                if not is_literal(details["host"]):
                    incoming.enter("name")
                    await look_up(details["host"], details["port"])
                incoming.enter("connect")
            case "connect_tcp.complete" | "start_tls.complete":
                opened.append(details["return_value"])
            case "start_tls.started":
                incoming.enter("tls")
            case "send_request_headers.started":
                # CONNECT is the agreement with a proxy; the request proper follows it.
                incoming.enter("proxy" if details["request"].method == b"CONNECT" else "send")
            case "send_request_body.complete" if incoming.phase == "send":
                incoming.sent_whole = True
            case "receive_response_headers.started" if incoming.phase == "send":
                incoming.enter("wait")
            case "receive_response_headers.complete" if incoming.phase == "wait":
                incoming.enter("body")

    return follow
