"""Running a foreign server on loopback during a test, and calling it."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpcexplorer.auth.credentials import GivenCredentials
from rpcexplorer.client.client import Client
from rpcexplorer.discovery.interview import discover
from rpcexplorer.discovery.methods import Discovery
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import ErrorObject, Result
from tests.fakes.shell import Ran, Shell

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication


@contextmanager
def wsgi(application: WSGIApplication) -> Iterator[str]:
    """Serve with the development server that Flask uses."""
    from werkzeug.serving import make_server

    server = make_server("127.0.0.1", 0, application, threaded=True)
    with _thread(server.serve_forever, server.shutdown):
        yield f"http://127.0.0.1:{server.server_port}"
    server.server_close()


def asgi(application: Any) -> AbstractContextManager[str]:
    """Serve with uvicorn; the socket listens first, so the first call waits."""
    return asgi_at(lambda _: application)


@contextmanager
def asgi_at(make: Callable[[str], Any]) -> Iterator[str]:
    """Serve an application that knows its own address."""
    import uvicorn

    listening = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    server = uvicorn.Server(uvicorn.Config(make(address), log_level="error", ws="none"))
    with listening, _thread(lambda: server.run(sockets=[listening]), lambda: setattr(server, "should_exit", True)):
        yield address


@contextmanager
def _thread(run: Any, stop: Any) -> Iterator[None]:
    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stop()
        thread.join()


def added_and_tested(folder: Path, url: str, *words: str, **secrets: str) -> Ran:
    """Add the bare address, run its connection test, and call a method.

    Credentials that were already given must not be asked for. The test must succeed exactly if the call does.
    """
    shell = Shell(folder)
    assert shell.run("profiles", "add", "it", "--url", url).code == 0
    for field, value in secrets.items():
        assert shell.run("profiles", "secret", "it", field, "--stdin", stdin=value.encode()).code == 0
    tested = shell.run("profiles", "test", "it", "--apply", "--yes")
    assert tested.code in ({0} if secrets else {0, 3}), tested.text + tested.err
    called = shell.run("call", "-p", "it", *words)
    again = shell.run("profiles", "test", "it", "--no-input")
    assert (again.code == 0) == (called.code == 0), again.text + called.err
    return called


def send(url: str, draft: Draft | Batch, **settings: Any) -> Exchange:
    async def run() -> Exchange:
        async with Client(url, **settings) as client:
            return await client.send(draft)

    return asyncio.run(run())


def result(exchange: Exchange) -> Any:
    """Return the value of a result without warnings."""
    assert isinstance(exchange.outcome, Result), exchange
    assert exchange.remarks == ()
    return exchange.outcome.decoded()


def error(exchange: Exchange) -> ErrorObject:
    assert isinstance(exchange.outcome, ErrorObject), exchange
    return exchange.outcome


def results(exchange: Exchange) -> list[Any]:
    """Return the result or the error code of each call of a batch."""
    assert isinstance(exchange.outcome, Result | ErrorObject), exchange
    assert exchange.remarks == ()
    replies = json.loads(bytes(exchange.outcome.value))
    return [reply["result"] if "result" in reply else reply["error"]["code"] for reply in replies]


def discovered(url: str, token: str | None = None, **settings: Any) -> Discovery:
    credentials = GivenCredentials(token=token)
    return asyncio.run(discover(Profile("interop", url, **settings), credentials, 1 << 20))


def names(found: Discovery) -> set[str]:
    return {method.name for method in found.methods}
