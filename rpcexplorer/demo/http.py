"""The demo service on a port."""

from __future__ import annotations

import asyncio
import re
import signal
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import ExitStack, suppress
from email.utils import formatdate
from http import HTTPStatus
from types import TracebackType
from typing import Self

import h11

from rpcexplorer.demo import BODY_LIMIT, COOKIE, PATH
from rpcexplorer.demo.message import BLOCK, Response, blocks, page
from rpcexplorer.demo.service import DemoService
from rpcexplorer.patterns import regex

HEAD_LIMIT = 32 * 1024
Sleep = Callable[[float], Awaitable[object]]
MEDIA_TYPES = {"application/json-rpc", "application/json", "application/jsonrequest"}
_ORIGIN = regex(r"^https?://[^/?]*", re.IGNORECASE)
"""Scheme and host, which a client may write into the request line."""
LINGER_SECONDS = 1.0
"""Seconds that a rejected client has to send the rest of its request.

If the connection is closed at once, the client might never see the response.
"""


TOO_LONG = page(413, f"The body is longer than {BODY_LIMIT} bytes.\n")


class Connection:
    """One client's connection."""

    def __init__(
        self, service: DemoService, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sleep: Sleep
    ) -> None:
        self._service = service
        self._reader = reader
        self._writer = writer
        self._sleep = sleep
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT)

    async def serve(self) -> None:
        """Serve until the client leaves; when cancelled, close the socket at once."""
        try:
            with suppress(OSError):  # the client has closed the connection
                while await self._exchange():
                    self._http.start_next_cycle()
                self._writer.close()
                await self._writer.wait_closed()
        finally:
            self._writer.transport.abort()

    async def _exchange(self) -> bool:
        try:
            request = await self._next_event()
            if not isinstance(request, h11.Request):
                return False
            response = await self._response(request)
        except h11.RemoteProtocolError as error:
            response = page(error.error_status_hint, f"Not an HTTP request: {error}.\n")
        await self._send(response)
        if self._http.their_state is not h11.DONE:
            await self._linger()
        return self._http.our_state is self._http.their_state is h11.DONE

    async def _next_event(self) -> h11.Event:
        while not isinstance(event := self._http.next_event(), h11.Event):
            self._http.receive_data(await self._reader.read(BLOCK))
        return event

    async def _response(self, request: h11.Request) -> Response:
        refusal = refuse(request)
        if self._http.they_are_waiting_for_100_continue:
            if refusal is not None:
                return refusal
            self._writer.write(
                self._http.send(h11.InformationalResponse(status_code=100, headers=[], reason="Continue")) or b""
            )
        content = bytearray()
        while isinstance(event := await self._next_event(), h11.Data):
            content += event.data
            if len(content) > BODY_LIMIT:
                return TOO_LONG
        if refusal is not None:
            return refusal
        pairs = (pair.partition("=") for pair in header_of(request, b"cookie").split(";"))
        token = next((value.strip() for key, _, value in pairs if key.strip() == COOKIE), None)
        return self._service.answer(bytes(content), token)

    async def _send(self, response: Response) -> None:
        if response.delay:
            await self._sleep(response.delay)
        headers = [("Date", formatdate(usegmt=True)), *response.headers]
        if not response.chunked and response.status != HTTPStatus.NO_CONTENT:
            headers.append(("Content-Length", str(response.body.length + response.missing)))
        if self._http.their_state is not h11.DONE:  # the rest of the request is not read
            headers.append(("Connection", "close"))
        reason = HTTPStatus(response.status).phrase
        await self._write(h11.Response(status_code=response.status, headers=headers, reason=reason))
        for block in blocks(response.body.pieces):
            if isinstance(block, float):
                await self._sleep(block)
            else:
                await self._write(h11.Data(data=block))
                await asyncio.sleep(0)  # for a fast reader, drain returns at once and would block all other tasks
        if response.missing:  # fewer bytes than the header promised
            self._http.send_failed()
        else:
            await self._write(h11.EndOfMessage())

    async def _write(self, event: h11.Event) -> None:
        self._writer.write(self._http.send(event) or b"")
        await self._writer.drain()

    async def _linger(self) -> None:
        self._writer.write_eof()
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_SECONDS):
                while await self._reader.read(BLOCK):
                    pass


def refuse(request: h11.Request) -> Response | None:
    """Return the response to an invalid request; None if it is valid."""
    path, question, query = _ORIGIN.sub("", request.target.decode("latin-1")).partition("?")
    media_type = header_of(request, b"content-type").partition(";")[0].strip().lower()
    if path == PATH.rstrip("/"):
        return page(308, f"The service is at {PATH}\n", ("Location", PATH + question + query))
    if path != PATH:
        return page(404, f"Not found. The service is at {PATH}\n")
    if request.method != b"POST":
        return page(405, "Send calls with POST. There is no WebSocket.\n", ("Allow", "POST"))
    if media_type not in MEDIA_TYPES:
        return page(415, "Send a JSON-RPC call with Content-Type: application/json-rpc\n")
    if int(header_of(request, b"content-length") or 0) > BODY_LIMIT:
        return TOO_LONG
    return None


def header_of(request: h11.Request, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in request.headers if key == name), "")


LOOPBACK = "127.0.0.1"
"""Never another address, because the credentials are public."""


class ListenError(OSError):
    """The port is already in use, or this user may not listen on it."""


class DemoServer:
    """The demo service on a socket; port 0 means any free port."""

    def __init__(self, port: int = 0, sleep: Sleep = asyncio.sleep) -> None:
        self.url = ""
        """The base URL, once the server listens."""
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
        """Stop listening and drop all connections, even in the middle of a response."""
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
    """A `DemoServer` in a thread of its own."""

    def __init__(self, port: int = 0) -> None:
        self._server = DemoServer(port)
        self._cleanup = ExitStack()

    @property
    def url(self) -> str:
        return self._server.url

    def __enter__(self) -> Self:
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="demo service", daemon=True)

        def run(work: Coroutine[None, None, None]) -> None:
            asyncio.run_coroutine_threadsafe(work, loop).result()

        with ExitStack() as cleanup:  # undone in reverse order, and also if the port is in use
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
    """Serve until Ctrl+C or SIGTERM; ``announce`` gets the base URL."""

    async def serve() -> None:
        end = asyncio.Event()
        with suppress(NotImplementedError):  # Windows has no such handlers; Ctrl+C ends the loop instead
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, end.set)
        async with DemoServer(port) as server:
            announce(server.url)
            await end.wait()

    with suppress(KeyboardInterrupt):
        asyncio.run(serve())
