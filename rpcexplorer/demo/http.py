"""The demo service on a port."""

from __future__ import annotations

import asyncio
import re
import signal
import threading
from asyncio import IncompleteReadError, LimitOverrunError, StreamReader
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus
from types import TracebackType
from typing import Self

from rpcexplorer.demo import COOKIE, PATH
from rpcexplorer.demo.message import Piece, Reply, page
from rpcexplorer.demo.service import DemoService

HEAD_LIMIT = 32 * 1024
BODY_LIMIT = 8 * 1024 * 1024
_REQUEST_LINE = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~]+) HTTP/([0-9])\.([0-9])")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")
_LENGTH = re.compile(r"[0-9]{1,15}")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,12})[ \t]*(;[^\r\n]*)?\r\n")


class RequestError(Exception):
    """A request that cannot be read to its end; the connection is over after the reply."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.status)
        self.reply = reply


@dataclass(frozen=True, slots=True)
class Head:
    method: str
    target: str
    minor: int
    """Of the version: 1 for HTTP/1.1, 0 for HTTP/1.0."""
    fields: tuple[tuple[str, str], ...]
    """Names in lower case."""

    def all(self, name: str) -> list[str]:
        return [value for field, value in self.fields if field == name]

    def words(self, name: str) -> list[str]:
        """The members of a header that is a list, in lower case."""
        return [word.strip().lower() for value in self.all(name) for word in value.split(",") if word.strip()]

    @property
    def keeps(self) -> bool:
        """Whether the client wants to use the connection again."""
        return self.minor == 1 and "close" not in self.words("connection")

    @property
    def waits(self) -> bool:
        """Whether the client holds the body back until it is told to continue."""
        return self.minor == 1 and "100-continue" in self.words("expect")

    @property
    def media(self) -> str:
        """The media type of the body, without parameters."""
        return "".join(self.all("content-type")[:1]).partition(";")[0].strip().lower()

    def cookie(self, name: str) -> str | None:
        for pair in ";".join(self.all("cookie")).split(";"):
            key, _, value = pair.partition("=")
            if key.strip() == name:
                return value.strip()
        return None


async def read_head(reader: StreamReader) -> Head | None:
    """The next request's head, or None if the client has closed the connection instead."""
    first = await reader.read(1)
    if not first:
        return None
    try:
        return await _read_head(reader, first + await reader.readuntil(b"\n"))
    except IncompleteReadError:
        raise RequestError(page(400, "The request ends in the middle of its head.\n")) from None
    except LimitOverrunError:
        raise _too_long() from None


async def read_body(reader: StreamReader, head: Head) -> bytes:
    try:
        if "chunked" in head.words("transfer-encoding"):
            return await _read_chunks(reader)
        return await reader.readexactly(_length(head))
    except IncompleteReadError:
        raise RequestError(page(400, "The request ends in the middle of its body.\n")) from None
    except LimitOverrunError:
        raise _bad("a chunk's size is not a line of its own") from None


def check_framing(head: Head) -> None:
    """Refuse a body that could be read in two ways, cannot be read, or is too big, before any of it is read."""
    codings = head.words("transfer-encoding")
    lengths = head.all("content-length")
    if codings and (lengths or head.minor == 0):
        raise _bad("Transfer-Encoding cannot stand beside Content-Length or in HTTP/1.0")
    if codings and codings != ["chunked"]:
        raise RequestError(page(501, "Of the transfer codings this service knows chunked only.\n"))
    if len(lengths) > 1 or not all(_LENGTH.fullmatch(length) for length in lengths):
        raise _bad("Content-Length is not one number")
    if _length(head) > BODY_LIMIT:
        raise _too_big()


async def _read_head(reader: StreamReader, line: bytes) -> Head:
    if line == b"\r\n":  # some clients send an empty line too many after a body
        line = await reader.readuntil(b"\n")
    start = _REQUEST_LINE.fullmatch(_text(line))
    if start is None:
        raise _bad("the first line is not a request line")
    if start[3] != "1":
        raise RequestError(page(505, "This service speaks HTTP/1.1.\n"))
    fields: list[tuple[str, str]] = []
    size = len(line)
    while (line := await reader.readuntil(b"\n")) != b"\r\n":
        size += len(line)
        if size > HEAD_LIMIT:
            raise _too_long()
        field = _FIELD.fullmatch(_text(line))
        if field is None:
            raise _bad(f"line {len(fields) + 2} is not a header")
        fields.append((field[1].lower(), field[2].rstrip(" \t")))
    head = Head(start[1], start[2], min(int(start[4]), 1), tuple(fields))
    if len(head.all("host")) != 1 and head.minor == 1:
        raise _bad("there must be one Host header")
    return head


async def _read_chunks(reader: StreamReader) -> bytes:
    content = bytearray()
    while True:
        line = _CHUNK_SIZE.fullmatch(await reader.readuntil(b"\n"))
        if line is None:
            raise _bad("a chunk does not begin with its size")
        size = int(line[1], 16)
        if size == 0:
            break
        if len(content) + size > BODY_LIMIT:
            raise _too_big()
        content += await reader.readexactly(size)
        if await reader.readexactly(2) != b"\r\n":
            raise _bad("a chunk is longer than it says")
    trailers = 0
    while (trailer := await reader.readuntil(b"\n")) != b"\r\n":
        trailers += len(trailer)
        if trailers > HEAD_LIMIT:
            raise _too_long()
    return bytes(content)


def _text(line: bytes) -> str:
    """A line of a head; headers are bytes, and latin-1 keeps each."""
    if not line.endswith(b"\r\n"):
        raise _bad("its lines must end in CR LF")
    return line[:-2].decode("latin-1")


def _length(head: Head) -> int:
    return int("".join(head.all("content-length")) or 0)


def _bad(why: str) -> RequestError:
    return RequestError(page(400, f"This is not an HTTP request: {why}.\n"))


def _too_long() -> RequestError:
    return RequestError(page(431, f"The head of the request is longer than {HEAD_LIMIT} bytes.\n"))


def _too_big() -> RequestError:
    return RequestError(page(413, f"The body is longer than {BODY_LIMIT} bytes.\n"))


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


LOOPBACK = "127.0.0.1"
"""Never another address: the credentials are public."""


class ListenError(OSError):
    """Nobody can listen on that port: it is taken, or not for this user."""


class DemoServer:
    """Listens while it is open. ``port`` 0 means any free one; one that is taken raises ``ListenError``."""

    def __init__(self, port: int = 0, sleep: Sleep = asyncio.sleep) -> None:
        self.url = ""
        """The base URL, once it listens."""
        self._port = port
        self._service = DemoService()
        self._sleep = sleep
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        try:
            self._server = await asyncio.start_server(self._connected, LOOPBACK, self._port, limit=BLOCK)
        except OSError as error:
            raise ListenError(error.errno, error.strerror or str(error)) from error
        self.url = f"http://{LOOPBACK}:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """Stop listening and drop every connection, even in the middle of a reply."""
        if self._server is None:
            return
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(self._service, reader, writer, self._sleep)
        task = asyncio.get_running_loop().create_task(connection.serve())
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)


class DemoThread:
    """A `DemoServer` beside a program that has no loop, or whose loop is busy with the client."""

    def __init__(self, port: int = 0) -> None:
        self._server = DemoServer(port)
        self._cleanup = ExitStack()

    @property
    def url(self) -> str:
        """The base URL, while it runs."""
        return self._server.url

    def __enter__(self) -> Self:
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="demo service", daemon=True)

        def run(work: Coroutine[None, None, None]) -> None:
            asyncio.run_coroutine_threadsafe(work, loop).result()

        with ExitStack() as cleanup:  # undone in reverse order, and also if the port is taken
            cleanup.callback(loop.close)
            thread.start()
            cleanup.callback(thread.join)
            cleanup.callback(loop.call_soon_threadsafe, loop.stop)
            run(self._server.start())
            cleanup.callback(lambda: run(self._server.close()))
            self._cleanup = cleanup.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._cleanup.close()


def serve_forever(port: int, announce: Callable[[str], None]) -> None:
    """Serve until Ctrl+C or SIGTERM, and return; ``announce`` gets the base URL as soon as it is true."""
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve_until_told(port, announce))


async def _serve_until_told(port: int, announce: Callable[[str], None]) -> None:
    told = asyncio.Event()
    with suppress(NotImplementedError):  # no such handlers on Windows, where Ctrl+C ends the loop instead
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, told.set)
    async with DemoServer(port) as server:
        announce(server.url)
        await told.wait()
