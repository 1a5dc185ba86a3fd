"""One client's connection: request after request, each answered before the next one is read."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from email.utils import formatdate
from http import HTTPStatus

from rpcexplorer.demo import COOKIE, PATH
from rpcexplorer.demo.dispatch import DemoService
from rpcexplorer.demo.http.request import Head, RequestError, check_framing, read_body, read_head
from rpcexplorer.demo.reply import Piece, Reply, page

Sleep = Callable[[float], Awaitable[object]]
MEDIA_TYPES = {"application/json-rpc", "application/json", "application/jsonrequest"}
_ORIGIN = re.compile(r"^https?://[^/?]*", re.IGNORECASE)
"""What stands before the path when a client writes the whole URL into the request line, as it may."""
BLOCK = 64 * 1024
"""Bytes that are sent at a time: not less where there are more, so that small pieces share a packet."""
FAREWELL = 1.0
"""Seconds a refused client has for the rest of its request; cut off at once, it might never see the reply."""


class Connection:
    """Serves one client until it has had enough, or breaks a rule of HTTP."""

    def __init__(
        self, service: DemoService, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sleep: Sleep
    ) -> None:
        self._service = service
        self._reader = reader
        self._writer = writer
        self._sleep = sleep

    async def serve(self) -> None:
        """Serve to the end; when cancelled, let go of the socket at once."""
        try:
            with suppress(OSError):  # the client went away, as clients do
                while await self._exchange():
                    pass
                self._writer.close()
                await self._writer.wait_closed()
        finally:
            self._writer.transport.abort()

    async def _exchange(self) -> bool:
        """Answer one request; whether there may be another."""
        try:
            head = await read_head(self._reader)
            if head is None:
                return False
            reply = await self._reply(head)
        except RequestError as refused:
            await self._send(refused.reply)
            await self._take_leave()
            return False
        keeps = head.keeps and not reply.missing
        await self._send(reply, head, keeps=keeps)
        return keeps

    async def _reply(self, head: Head) -> Reply:
        check_framing(head)
        elsewhere = turned_away(head)
        if head.waits:
            if elsewhere is not None:  # the body will not come, or will it? Only closing is safe
                raise RequestError(elsewhere)
            self._writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        content = await read_body(self._reader, head)
        return elsewhere or self._service.answer(content, head.cookie(COOKIE))

    async def _send(self, reply: Reply, head: Head | None = None, *, keeps: bool = False) -> None:
        if reply.delay:
            await self._sleep(reply.delay)
        chunked = reply.chunked and head is not None and head.minor == 1
        self._writer.write(status_and_headers(reply, chunked=chunked, keeps=keeps))
        if head is not None and head.method == "HEAD":
            return
        for block in blocks(reply.body.pieces):
            if isinstance(block, float):
                await self._sleep(block)
                continue
            self._writer.write(b"%x\r\n%b\r\n" % (len(block), block) if chunked else block)
            await self._writer.drain()
            await asyncio.sleep(0)  # drain alone returns at once to a fast reader, and nobody else would have a turn
        if chunked:
            self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()

    async def _take_leave(self) -> None:
        self._writer.write_eof()
        with suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL):
                while await self._reader.read(BLOCK):
                    pass


def turned_away(head: Head) -> Reply | None:
    """The answer to a request that is not for the service; None for one that is."""
    path, question, query = _ORIGIN.sub("", head.target).partition("?")
    if path == PATH.rstrip("/"):
        return page(308, f"It is at {PATH}\n", ("Location", PATH + question + query))
    if path != PATH:
        return page(404, f"There is nothing here. The service is at {PATH}\n")
    if head.method != "POST":
        return page(405, "The service takes calls by POST.\n", ("Allow", "POST"))
    if head.media not in MEDIA_TYPES:
        return page(415, "Send a JSON-RPC call with Content-Type: application/json-rpc\n")
    if any(word != "100-continue" for word in head.words("expect")):
        return page(417, "The only expectation that this service can meet is 100-continue.\n")
    return None


def status_and_headers(reply: Reply, *, chunked: bool, keeps: bool) -> bytes:
    fields = [("Date", formatdate(usegmt=True)), *reply.headers]
    if chunked:
        fields.append(("Transfer-Encoding", "chunked"))
    elif reply.status != HTTPStatus.NO_CONTENT:
        fields.append(("Content-Length", str(reply.body.length + reply.missing)))
    if not keeps:
        fields.append(("Connection", "close"))
    lines = [
        f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}",
        *(f"{name}: {value}" for name, value in fields),
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def blocks(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Bytes and silences as they come, but in blocks that are worth sending; never an empty one."""
    held = bytearray()
    for piece in pieces:
        if isinstance(piece, bytes):
            held += piece
        if held and (isinstance(piece, float) or len(held) >= BLOCK):
            yield bytes(held)
            held.clear()
        if isinstance(piece, float):
            yield piece
    if held:
        yield bytes(held)
