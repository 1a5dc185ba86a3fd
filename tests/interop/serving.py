"""What runs a server of others on loopback for as long as a test needs it, and asks it something."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def asgi(application: Any) -> Iterator[str]:
    """Serve with uvicorn. Its socket listens before it does, so that the first call waits for it by itself."""
    import uvicorn

    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(application, log_level="error", ws="none"))
    with listening, _thread(lambda: server.run(sockets=[listening]), lambda: setattr(server, "should_exit", True)):
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


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
    """Add the bare address, store secrets, let the connection test fill in the rest, then call a method.

    On the way nothing may ask for credentials that were already given.
    """
    shell = Shell(folder)
    assert shell.run("profiles", "add", "it", "--url", url).code == 0
    for field, value in secrets.items():
        assert shell.run("profiles", "secret", "it", field, "--stdin", stdin=value.encode()).code == 0
    tested = shell.run("profiles", "test", "it", "--apply", "--yes")
    assert tested.code in ({0} if secrets else {0, 3}), tested.text + tested.err
    return shell.run("call", "-p", "it", *words)


def send(url: str, draft: Draft | Batch, **settings: Any) -> Exchange:
    async def run() -> Exchange:
        async with Client(url, **settings) as client:
            return await client.send(draft)

    return asyncio.run(run())


def result(exchange: Exchange) -> Any:
    """The value of a result about which nothing is remarked."""
    assert isinstance(exchange.outcome, Result), exchange
    assert exchange.remarks == ()
    return exchange.outcome.decoded()


def error(exchange: Exchange) -> ErrorObject:
    assert isinstance(exchange.outcome, ErrorObject), exchange
    return exchange.outcome


def results(exchange: Exchange) -> list[Any]:
    """What each call of a batch brought: its result, or the code of its error."""
    assert isinstance(exchange.outcome, Result | ErrorObject), exchange
    assert exchange.remarks == ()
    replies = json.loads(bytes(exchange.outcome.value))
    return [reply["result"] if "result" in reply else reply["error"]["code"] for reply in replies]


def discovered(url: str, token: str | None = None, **settings: Any) -> Discovery:
    credentials = GivenCredentials(token=token)
    return asyncio.run(discover(Profile("interop", url, **settings), credentials, 1 << 20))


def names(found: Discovery) -> set[str]:
    return {method.name for method in found.methods}
