"""What of httpx is used by names that are not public: where one of them is gone, it is told here and not by a call."""

from __future__ import annotations

import asyncio
import ssl

import httpx

from rpcexplorer.transport.connection import Backend, Connection, _http_of, pool_of
from rpcexplorer.transport.port import Request
from rpcexplorer.transport.request import address_of
from rpcexplorer.transport.response import Incoming
from tests.fakes.wire import NEXT, RawServer, http_reply
from tests.transport.http.sending import BODY


def test_the_pool_of_a_transport_opens_its_connections_through_ours() -> None:
    pool = pool_of(httpx.AsyncHTTPTransport(verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)))
    assert hasattr(pool, "_network_backend")
    assert hasattr(Backend, "connect_tcp")


def test_the_state_of_http_on_a_connection_is_found_and_says_what_is_left_over() -> None:
    async def exchange(url: str) -> tuple[bytes, bool]:
        connection = Connection(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), None)
        headers = (("Host", "127.0.0.1"), ("Content-Length", str(len(BODY))))
        assert await connection.exchange(Request(url, BODY), headers, address_of(url), Incoming())
        left = _http_of(connection._httpx).trailing_data
        connection.close()
        return left  # type: ignore[no-any-return]

    with RawServer([http_reply(b"open"), NEXT]) as server:
        assert asyncio.run(exchange(server.url)) == (b"", False)
