"""Open a stream of TCP, TLS or a Unix socket."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import threading
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from rpcexplorer.transport.port import LOOPBACK_ADDRESSES, LOOPBACK_NAME

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

    from rpcexplorer.transport.request import Address
    from rpcexplorer.transport.response import Phase

PIECE: Final = 256 * 1024
"""Bytes to read at a time, to keep the loop free."""
HEAD_START: Final = 0.25
"""Seconds before the next address is tried as well (RFC 8305)."""
Stream: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]
SocketAddress: TypeAlias = tuple[socket.AddressFamily, Any]


async def dial(address: Address, enter: Callable[[Phase], None], trust: ssl.SSLContext | None = None) -> Stream:
    """Connect to a host and port, or to a Unix socket; with ``trust``, over TLS.

    ``enter`` is told which phase begins.
    """
    if address.socket:
        enter("connect")
        connected = connect_to_socket(address.socket)
    else:
        addresses = known_addresses(address.host, address.port)
        if not addresses:
            enter("name")
            addresses = await look_up(address.host, address.port)
        enter("connect")
        connected = await connect(addresses)
    host = None
    if trust is not None:
        enter("tls")
        host = address.host
    reader, writer = await asyncio.open_connection(sock=connected, ssl=trust, server_hostname=host, limit=PIECE)
    writer.transport.set_write_buffer_limits(high=0)  # `drain` waits until the system has taken everything.
    return reader, writer


def write(writer: asyncio.StreamWriter, data: bytes) -> None:
    """Write all of ``data``: at once, so that a cancelled caller leaves no half message.

    In two parts: the layer of TLS takes what it can pass on, and only what waits behind that lets `drain` wait.
    """
    writer.write(data[:-PIECE])
    writer.write(data[-PIECE:])


def known_addresses(host: str, port: int) -> list[SocketAddress]:
    """Return the addresses of an IP or `localhost`; none for other names."""
    hosts = LOOPBACK_ADDRESSES if host == LOOPBACK_NAME else (host,)
    known = list[SocketAddress]()
    for text in hosts:
        try:
            ip = ipaddress.ip_address(text)
        except ValueError:
            return []
        family = socket.AF_INET6 if ip.version == 6 else socket.AF_INET
        known.append((family, (str(ip), port)))
    return known


async def look_up(host: str, port: int) -> list[SocketAddress]:
    """Resolve a name; IPv6 and IPv4 addresses alternate, because one of the two may not work.

    The look-up of the event loop delays Ctrl+C, and our end, if no name server answers.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Any] = loop.create_future()

    def settle(found: Any) -> None:
        if not answer.done():
            answer.set_result(found)

    def ask() -> None:
        try:
            found: Any = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as failure:
            found = failure
        with contextlib.suppress(RuntimeError):  # The loop is closed: nobody waits any more.
            loop.call_soon_threadsafe(settle, found)

    threading.Thread(target=ask, name=f"lookup of {host}", daemon=True).start()
    found = await answer
    if isinstance(found, Exception):
        raise found
    addresses = [(family, place) for family, _, _, _, place in found]
    preferred = [address for address in addresses if address[0] == addresses[0][0]]
    others = [address for address in addresses if address[0] != addresses[0][0]]
    alternating = list[SocketAddress]()
    for pair in zip_longest(preferred, others):
        alternating += [address for address in pair if address is not None]
    return alternating


async def connect(addresses: list[SocketAddress]) -> socket.socket:
    """Connect to the first address that answers, or raise all failures."""
    if len(addresses) == 1:  # The usual case needs no tasks.
        return await _connected(*addresses[0])
    waiting = list(addresses)
    attempts = set[asyncio.Task[socket.socket]]()
    failures = list[Exception]()
    try:
        while waiting or attempts:
            if waiting:
                attempts.add(asyncio.create_task(_connected(*waiting.pop(0))))
            timeout = HEAD_START if waiting else None
            ended, _ = await asyncio.wait(attempts, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            for attempt in ended:
                attempts.remove(attempt)
                failure = attempt.exception()
                if failure is None:
                    return attempt.result()
                assert isinstance(failure, Exception)
                failures.append(failure)
    finally:
        for attempt in attempts:
            attempt.cancel()
        for late in await asyncio.gather(*attempts, return_exceptions=True):
            if isinstance(late, socket.socket):  # Two connected at once: one is enough.
                late.close()
    raise ExceptionGroup("no address answered", failures)


async def _connected(family: socket.AddressFamily, place: Any) -> socket.socket:
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        opened.setblocking(False)
        await asyncio.get_running_loop().sock_connect(opened, place)
    except BaseException:
        opened.close()
        raise
    return opened


def connect_to_socket(path: str) -> socket.socket:
    """Connect to a Unix socket, which needs no waiting; OSError if it fails, also if its queue is full."""
    opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        opened.setblocking(False)
        opened.connect(path)
    except BaseException:
        opened.close()
        raise
    return opened
