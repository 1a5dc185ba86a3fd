"""Whether a host's name has an address: a lookup that can be given up.

The loop's own lookup runs on its executor, and a program cannot exit before that is done, which with a dead
name server is long after the deadline. So the name is tried here first, on a thread nobody waits for; the
connection looks it up once more, and finds it fresh in the resolver's memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import threading


def is_literal(host: str) -> bool:
    """Say whether the host is an IP address already."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


async def look_up(host: str, port: int) -> None:
    """Return once the name is known to have an address; raises what the resolver raises."""
    loop = asyncio.get_running_loop()
    known: asyncio.Future[None] = loop.create_future()

    def settle(failure: Exception | None) -> None:
        if known.done():
            return
        if failure is None:
            known.set_result(None)
        else:
            known.set_exception(failure)

    def ask() -> None:
        failure: Exception | None = None
        try:
            socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as problem:
            failure = problem
        # The loop may be closed by now: then nobody waits for the outcome.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, failure)

    threading.Thread(target=ask, name=f"lookup of {host}", daemon=True).start()
    await known
