"""The service on a port of this machine: on a loop, on a thread of its own, or in the foreground until stopped."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Self

from rpcexplorer.demo.dispatch import DemoService
from rpcexplorer.demo.http.connection import BLOCK, Connection, Sleep

LOOPBACK = "127.0.0.1"
"""Never another address: the credentials are public."""


class ListenError(OSError):
    """Nobody can listen on that port: it is taken, or not for this user."""


class DemoServer:
    """Listens while it is open. ``port`` 0 means any free one; one that is taken raises ``ListenError``."""

    def __init__(self, port: int = 0, service: DemoService | None = None, sleep: Sleep = asyncio.sleep) -> None:
        self.url = ""
        """The base URL, once it listens."""
        self._port = port
        self._service = service or DemoService()
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

    def __init__(self, port: int = 0, service: DemoService | None = None) -> None:
        self._server = DemoServer(port, service)
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
