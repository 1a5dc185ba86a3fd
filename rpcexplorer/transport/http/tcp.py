"""From a host and a port to a TCP connection: the name looked up, and the first of its addresses that answers.

The loop's own lookup runs on its executor, and a program cannot exit before that is done, which with a dead name server
is long after the deadline. So a name is looked up on a thread that nobody waits for.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import threading
from collections import deque
from itertools import zip_longest
from typing import Any, TypeAlias

from rpcexplorer.transport.port import LOOPBACK_ADDRESSES, LOOPBACK_NAME

_HEAD_START = 0.25
"""Seconds that an address has to answer in before the next one is tried as well (RFC 8305)."""

SocketAddress: TypeAlias = tuple[socket.AddressFamily, Any]
"""A family, and what a socket of it connects to."""


def known_addresses(host: str, port: int) -> list[SocketAddress]:
    """Return the addresses of a host that is one itself or `localhost`; none for a name that must be looked up."""
    try:
        found = [ipaddress.ip_address(ip) for ip in (LOOPBACK_ADDRESSES if host == LOOPBACK_NAME else [host])]
    except ValueError:
        return []
    return [
        (socket.AF_INET6, (str(ip), port, 0, 0)) if ip.version == 6 else (socket.AF_INET, (str(ip), port))
        for ip in found
    ]


async def look_up(host: str, port: int) -> list[SocketAddress]:
    """Return a name's addresses, the families in turns; raises what the resolver raises."""
    loop = asyncio.get_running_loop()
    known: asyncio.Future[list[SocketAddress]] = loop.create_future()

    def settle(found: list[SocketAddress], failure: Exception | None) -> None:
        if known.done():
            return
        if failure is None:
            known.set_result(found)
        else:
            known.set_exception(failure)

    def ask() -> None:
        found, failure = list[SocketAddress](), None
        try:
            found = [(each[0], each[4]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
        except (OSError, UnicodeError) as problem:
            failure = problem
        # The loop may be closed by now: then nobody waits for the outcome.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, found, failure)

    threading.Thread(target=ask, name=f"lookup of {host}", daemon=True).start()
    return _in_turns(await known)


async def connect(addresses: list[SocketAddress]) -> socket.socket:
    """Connect to the first address that answers; raises the failures of all of them, if none does."""
    if len(addresses) == 1:
        return await _connected(addresses[0])
    left, running, failures = deque(addresses), set[asyncio.Task[socket.socket]](), list[Exception]()
    try:
        while left or running:
            if left:
                running.add(asyncio.create_task(_connected(left.popleft())))
            wait_for = _HEAD_START if left else None
            ended, running = await asyncio.wait(running, timeout=wait_for, return_when=asyncio.FIRST_COMPLETED)
            well = [task for task in ended if task.exception() is None]
            failures += [failure for task in ended if isinstance(failure := task.exception(), Exception)]
            running |= set(well[1:])  # two at once: one is enough
            if well:
                return well[0].result()
    finally:
        for task in running:
            task.cancel()
        for late in await asyncio.gather(*running, return_exceptions=True):
            if isinstance(late, socket.socket):
                late.close()
    raise ExceptionGroup("no address answered", failures or [OSError("there is none")])


async def _connected(address: SocketAddress) -> socket.socket:
    family, where = address
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        opened.setblocking(False)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(opened, where)
    except BaseException:
        opened.close()
        raise
    return opened


def _in_turns(addresses: list[SocketAddress]) -> list[SocketAddress]:
    """The resolver's order, but a family after the other: where one of them leads nowhere, the other is tried soon."""
    families: dict[socket.AddressFamily, list[SocketAddress]] = {}
    for address in addresses:
        families.setdefault(address[0], []).append(address)
    return [each for turn in zip_longest(*families.values()) for each in turn if each is not None]
