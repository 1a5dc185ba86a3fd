"""HTTP/1.1 over a connection: a request goes out, and its reply comes in beside it, however early.

h11 knows the rules of HTTP. Each exchange has a state of its own there: nothing of one is left for the next.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

import h11

from rpcexplorer.transport.http.streams import PIECE

if TYPE_CHECKING:
    from rpcexplorer.transport.http.reply import Incoming
    from rpcexplorer.transport.http.streams import ByteStream
    from rpcexplorer.transport.port import Headers

_MOST_HEADERS = 100 * 1024
"""Bytes."""


class HungUp(Exception):  # noqa: N818 - says what the server did
    """The connection was closed before a reply."""


class NothingWritten(Exception):  # noqa: N818 - says what became of the request
    """A kept connection took no byte of the request."""


class Connection:
    """One connection to a server, for one exchange after the other."""

    def __init__(self, stream: ByteStream) -> None:
        self.stream = stream

    async def exchange(self, target: str, headers: Headers, body: bytes, incoming: Incoming) -> bool:
        """Send a request and read the reply to its end; whether nothing is left of either, so that another may follow.

        That a request cannot be written is no failure: what comes says why.
        """
        http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MOST_HEADERS)
        head = http.send(h11.Request(method="POST", target=target, headers=list(headers))) or b""
        incoming.enter("send")
        writing = self._write(head, body, incoming)
        try:
            await _read(http, self.stream, incoming)
        finally:
            if writing is not None:
                writing.cancel()
                await asyncio.gather(writing, return_exceptions=True)
        surplus, ended = http.trailing_data
        incoming.finish(surplus=bool(surplus))
        return incoming.sent_whole and not surplus and not ended

    def _write(self, head: bytes, body: bytes, incoming: Incoming) -> asyncio.Task[None] | None:
        """Hand over as much as the network takes at once; the rest goes out beside the reading."""
        try:
            self.stream.write(head + body[:PIECE])
        except OSError:  # an ssl.SSLError is one too
            if incoming.kept:
                raise NothingWritten from None
            return None
        if self.stream.behind or len(body) > PIECE:
            return asyncio.create_task(self._write_on(body, incoming))
        incoming.is_sent()
        return None

    async def _write_on(self, body: bytes, incoming: Incoming) -> None:
        with contextlib.suppress(OSError):
            await self.stream.drain()
            for start in range(PIECE, len(body), PIECE):
                self.stream.write(body[start : start + PIECE])
                await self.stream.drain()
            incoming.is_sent()


async def _read(http: h11.Connection, stream: ByteStream, incoming: Incoming) -> None:
    """Read a reply to its end, and nothing beyond."""
    while True:
        event = http.next_event()
        if event is h11.NEED_DATA:
            came = await stream.receive()
            if not came and http.their_state is h11.SEND_RESPONSE:
                raise HungUp
            http.receive_data(came)
        elif isinstance(event, h11.Response):
            incoming.begin(event.status_code, event.reason, event.http_version, event.headers.raw_items())
        elif isinstance(event, h11.Data):
            for portion in incoming.portions(event.data):
                incoming.take(portion)
                await asyncio.sleep(0)  # what was read at once may be thousands of pieces: everybody has a turn
        elif isinstance(event, h11.EndOfMessage):
            return
        else:
            await asyncio.sleep(0)  # news that a reply is to come, perhaps thousands of them
