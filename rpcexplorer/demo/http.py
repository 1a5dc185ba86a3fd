"""The demo service on a port: HTTP/1.1 on asyncio's streams."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus
from types import TracebackType
from typing import Self

from rpcexplorer.demo import BODY_LIMIT, COOKIE, PATH
from rpcexplorer.demo.message import BLOCK, Response, blocks, page
from rpcexplorer.demo.service import DemoService

HEAD_LIMIT = 32 * 1024
HEAD_END = b"\r\n\r\n"
MEDIA_TYPES = {"application/json-rpc", "application/json", "application/jsonrequest"}
LINGER_SECONDS = 1.0
"""Seconds that a rejected client has to send the rest of its request.

If the connection is closed at once, the client might never see the response.
"""
Sleep = Callable[[float], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Head:
    """The head of an HTTP request; names of headers are in lower case."""

    method: str
    target: str
    version: str
    headers: dict[str, str]

    @property
    def keeps_open(self) -> bool:
        return self.version == "HTTP/1.1" and self.headers.get("connection", "").lower() != "close"

    @property
    def session(self) -> str | None:
        """The value of the session cookie."""
        for pair in self.headers.get("cookie", "").split(";"):
            name, _, value = pair.partition("=")
            if name.strip() == COOKIE:
                return value.strip()
        return None


class RejectedError(Exception):
    """A request whose body is not read; the connection is closed after it."""

    def __init__(self, response: Response) -> None:
        self.response = response


def read_head(content: bytes) -> Head:
    first, *lines = content.removesuffix(HEAD_END).decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or words[2] not in {"HTTP/1.0", "HTTP/1.1"}:
        raise RejectedError(page(400, "Not an HTTP request.\n"))
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    method, target, version = words
    return Head(method, target, version, headers)


def body_length(head: Head) -> int:
    """Return the length of a call's body; reject requests that are not calls."""
    target = head.target
    if target.startswith("http://"):  # as if this were a proxy
        target = "/" + target.split("/", 3)[-1]
    path, question, query = target.partition("?")
    if path == PATH.rstrip("/"):
        raise RejectedError(page(308, f"The service is at {PATH}\n", ("Location", PATH + question + query)))
    if path != PATH:
        raise RejectedError(page(404, f"Not found. The service is at {PATH}\n"))
    if head.method != "POST":
        raise RejectedError(page(405, "Send calls with POST. There is no WebSocket.\n", ("Allow", "POST")))
    media_type = head.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in MEDIA_TYPES:
        raise RejectedError(page(415, "Send a JSON-RPC call with Content-Type: application/json-rpc\n"))
    length = head.headers.get("content-length", "")
    if not length.isdecimal():
        raise RejectedError(page(411, "Send the body's length as Content-Length.\n"))
    if int(length) > BODY_LIMIT:
        raise RejectedError(page(413, f"The body is longer than {BODY_LIMIT} bytes.\n"))
    return int(length)


class Connection:
    """One client's connection."""

    def __init__(
        self, service: DemoService, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sleep: Sleep
    ) -> None:
        self._service = service
        self._reader = reader
        self._writer = writer
        self._sleep = sleep

    async def serve(self) -> None:
        """Serve until the client leaves; when cancelled, close the socket at once."""
        try:
            with suppress(OSError):  # the client has closed the connection
                while await self._exchange():
                    pass
                self._writer.close()
                await self._writer.wait_closed()
        finally:
            self._writer.transport.abort()

    async def _exchange(self) -> bool:
        """Answer one request; return whether the client may send another."""
        try:
            head = read_head(await self._reader.readuntil(HEAD_END))
            length = body_length(head)
            if head.headers.get("expect", "").lower() == "100-continue":
                self._writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            content = await self._reader.readexactly(length)
        except asyncio.IncompleteReadError as end:
            if end.partial:
                await self._reject(page(400, "The request ends too early.\n"))
            return False
        except asyncio.LimitOverrunError:
            await self._reject(page(431, f"The head is longer than {HEAD_LIMIT} bytes.\n"))
            return False
        except RejectedError as rejected:
            await self._reject(rejected.response)
            return False
        response = self._service.answer(content, head.session)
        keeps_open = head.keeps_open and not response.missing
        await self._send(response, keeps_open=keeps_open, chunked=response.chunked and head.version == "HTTP/1.1")
        return keeps_open

    async def _reject(self, response: Response) -> None:
        await self._send(response, keeps_open=False)
        self._writer.write_eof()
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_SECONDS):
                while await self._reader.read(BLOCK):
                    pass

    async def _send(self, response: Response, *, keeps_open: bool, chunked: bool = False) -> None:
        if response.delay:
            await self._sleep(response.delay)
        status = HTTPStatus(response.status)
        lines = [f"HTTP/1.1 {status.value} {status.phrase}", f"Date: {formatdate(usegmt=True)}"]
        lines += [f"{name}: {value}" for name, value in response.headers]
        if chunked:
            lines.append("Transfer-Encoding: chunked")
        elif status != HTTPStatus.NO_CONTENT:
            lines.append(f"Content-Length: {response.body.length + response.missing}")
        if not keeps_open:
            lines.append("Connection: close")
        self._writer.write("\r\n".join(lines).encode() + HEAD_END)
        for block in blocks(response.body.pieces):
            if isinstance(block, float):
                await self._sleep(block)
                continue
            self._writer.write(b"%x\r\n%b\r\n" % (len(block), block) if chunked else block)
            await self._writer.drain()
            await asyncio.sleep(0)  # for a fast reader, drain returns at once and would block all other tasks
        if chunked:
            self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()


LOOPBACK = "127.0.0.1"
"""Never another address, because the credentials are public."""


class ListenError(OSError):
    """The port is already in use, or this user may not listen on it."""


@asynccontextmanager
async def demo_server(service: DemoService, port: int = 0, sleep: Sleep = asyncio.sleep) -> AsyncIterator[str]:
    """Serve on a port, 0 for any free one; yield the base URL.

    At the end all connections are dropped, even in the middle of a response.
    """
    connections: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(Connection(service, reader, writer, sleep).serve())
        connections.add(task)
        task.add_done_callback(connections.discard)

    try:
        server = await asyncio.start_server(connected, LOOPBACK, port, limit=HEAD_LIMIT)
    except OSError as error:
        raise ListenError(error.errno, error.strerror or str(error)) from error
    try:
        yield f"http://{LOOPBACK}:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        await server.wait_closed()


class DemoThread:
    """The demo service in a thread of its own."""

    def __init__(self, port: int = 0) -> None:
        self.url = ""
        """The base URL, once the service listens."""
        self.service = DemoService()
        self._port = port

    def __enter__(self) -> Self:
        listening: Future[str] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(listening)), daemon=True)
        self._thread.start()
        try:
            self.url = listening.result()
        except ListenError:
            self._thread.join()
            raise
        return self

    async def _serve(self, listening: Future[str]) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        try:
            async with demo_server(self.service, self._port) as url:
                listening.set_result(url)
                await self._end.wait()
        except ListenError as error:
            listening.set_exception(error)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()


def serve_forever(port: int, announce: Callable[[str], None]) -> None:
    """Serve until Ctrl+C or SIGTERM; ``announce`` gets the base URL."""

    async def serve() -> None:
        end = asyncio.Event()
        with suppress(NotImplementedError):  # Windows has no such handlers; Ctrl+C ends the loop instead
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, end.set)
        async with demo_server(DemoService(), port) as url:
            announce(url)
            await end.wait()

    with suppress(KeyboardInterrupt):
        asyncio.run(serve())
