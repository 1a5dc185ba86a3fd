"""Connections that are kept for the next request: for how long, and what is looked at before one is used again.

A request that dies with a connection may have run, and is not sent again unasked. So a connection is kept only where
nothing speaks against it, and is closed rather than tried.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from typing import TYPE_CHECKING

from msgspec import Struct

from rpcexplorer.transport.http.reply import values_of

if TYPE_CHECKING:
    from rpcexplorer.transport.http.connection import Connection
    from rpcexplorer.transport.port import Headers, Response

LONGEST = 30.0
"""Seconds that a connection waits for a request."""
MOST = 8
"""Connections that wait at a time; there are as many as there were requests at once."""
_AT_ONCE = 1.0
"""Seconds within which a server closes that never meant to go on, though it did not say so."""

_PARAMETER = re.compile(r"\s*(timeout|max)\s*=\s*\"?([0-9]+)\"?\s*", re.IGNORECASE | re.ASCII)


class Link(Struct, frozen=True):
    """Where a connection leads, and how. Whom to trust is the same for all that are kept together."""

    scheme: str
    host: str
    port: int
    proxy: str
    """Its URL, whole: another login may lead elsewhere."""

    def __repr__(self) -> str:
        """Without the proxy's password."""
        return f"Link({self.scheme}://{self.host}:{self.port})"


def time_to_keep(sent: Headers, response: Response) -> float:
    """Seconds that a connection may be kept after a reply that was read to its end; 0 if it may not."""
    words = _words(response.headers, "connection")
    if response.version != "HTTP/1.1" or "close" in words or "close" in _words(sent, "connection"):
        return 0.0
    seconds = LONGEST
    for parameter in _words(response.headers, "keep-alive"):
        if found := _PARAMETER.fullmatch(parameter):
            count = float(found[2])
            if found[1].lower() == "timeout":
                # Less than was granted: the server counts from its last byte on, and the request has a way to go.
                seconds = min(seconds, max(count - 1, count / 2))
            elif not count:
                return 0.0
    return seconds


def _words(headers: Headers, name: str) -> list[str]:
    return [word.strip().lower() for value in values_of(headers, name) for word in value.split(",")]


class _Waiting(Struct, eq=False):
    """A connection that waits for a request."""

    link: Link
    connection: Connection
    since: float
    until: float
    loop: asyncio.AbstractEventLoop
    process: int
    closing: asyncio.TimerHandle | None = None


class KeptConnections:
    """Those of one transport: each is handed out once, and comes back only from an exchange that went well."""

    def __init__(self) -> None:
        self._waiting: list[_Waiting] = []
        self._never: set[Link] = set()
        self._closed = False

    def take(self, link: Link) -> tuple[Connection | None, bool]:
        """Return a connection that is open and quiet, if there is one; and whether another had bytes nobody asked for.

        One of another loop is not used, which may be dead, nor one of another process, which may use it itself.
        """
        loop, process, now, surplus = asyncio.get_running_loop(), os.getpid(), time.monotonic(), False
        for each in [each for each in reversed(self._waiting) if each.link == link]:
            usable = each.loop is loop and each.process == process and now < each.until
            came = each.connection.stream.arrived() if usable else b""
            if usable and came is None:
                self._release(each)
                return each.connection, surplus
            surplus |= bool(came)
            if usable and not came and now - each.since < _AT_ONCE:
                self.avoid(link)
            self._end(each)
        return None, surplus

    def give(self, link: Link, connection: Connection, seconds: float) -> None:
        """Keep a connection for so long, or close it."""
        if self._closed or link in self._never or seconds <= 0:
            connection.close()
            return
        loop, now = asyncio.get_running_loop(), time.monotonic()
        each = _Waiting(link, connection, now, now + seconds, loop, os.getpid())
        each.closing = loop.call_later(seconds, self._end, each)
        self._waiting.append(each)
        if len(self._waiting) > MOST:
            self._end(self._waiting[0])

    def avoid(self, link: Link) -> None:
        """Keep none there any more: a server that closes what it had not said it would may take a request with it."""
        self._never.add(link)

    def close(self) -> None:
        """Close those that wait, and whatever is given back later."""
        self._closed = True
        for each in list(self._waiting):
            self._end(each)

    def _end(self, each: _Waiting) -> None:
        self._release(each)
        each.connection.close()

    def _release(self, each: _Waiting) -> None:
        self._waiting.remove(each)
        if each.closing is not None:
            each.closing.cancel()
