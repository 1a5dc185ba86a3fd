"""A call on an open connection, on one of httpx, and on a new one.

    python tests/benchmarks/warm_call.py [RUNS] [--tls] [--delay MILLISECONDS]

A process of its own sends the shortest valid response. With a delay it does so through a relay, which holds bytes back
for half of it in each direction. It cannot delay the handshake of TCP, which costs a new connection one more round
trip. The contenders take turns, call by call and in changing order, so that a drifting machine slows all of them.
Ratios are of medians.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import ssl
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from multiprocessing.connection import Connection
from pathlib import Path

import httpx
import trustme

from rpcexplorer.client.client import Client
from rpcexplorer.rpc.messages import Result
from rpcexplorer.transport.http import HttpTransport
from rpcexplorer.transport.port import Request
from rpcexplorer.transport.tls import Trust
from tests.benchmarks.figures import print_median

BODY = b'{"jsonrpc": "2.0", "id": "1", "method": "demo.echo", "params": {"x": 1}}'
HEADERS = {"Content-Type": "application/json-rpc"}
Call = Callable[[], Awaitable[None]]


class Answering(asyncio.Protocol):
    """A server that answers each request with its id."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._received = b""

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, ended, body = self._received.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
        if ended and len(body) >= length:
            self._received = b""
            id = body.partition(b'"id"')[2].split(b'"', 2)[1]
            reply = b'{"jsonrpc": "2.0", "id": "%b", "result": {"x": 1}}' % id
            self._transport.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
                % (len(reply), reply)
            )


async def relay(port: int, delay: float) -> asyncio.Server:
    """Carry bytes to a port and back, each after a delay."""
    loop = asyncio.get_running_loop()

    async def carry(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while chunk := await source.read(65536):
            loop.call_later(delay / 2, sink.write, chunk)
        loop.call_later(delay / 2, sink.close)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to, far = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(carry(reader, far), carry(to, writer))

    return await asyncio.start_server(connected, "127.0.0.1", 0)


def serve(port_sender: Connection, certificate: bytes | None, delay: float) -> None:
    """Report the port, and answer for ever."""

    async def run() -> None:
        context = None
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            with tempfile.NamedTemporaryFile() as file:
                file.write(certificate)
                file.flush()
                context.load_cert_chain(file.name)
        server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", 0, ssl=context)
        if delay:
            server = await relay(server.sockets[0].getsockname()[1], delay)
        port_sender.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


async def measured(url: str, ca_file: Path | None, runs: int) -> dict[str, list[float]]:
    """Return the seconds of each call of each contender."""
    async with AsyncExitStack() as stack:
        theirs = await stack.enter_async_context(
            httpx.AsyncClient(verify=ssl.create_default_context(cafile=ca_file) if ca_file else False)
        )
        transport = await stack.enter_async_context(HttpTransport(trust=Trust(ca_file)))
        client = await stack.enter_async_context(Client(url, ca_file=ca_file and str(ca_file)))

        async def by_httpx() -> None:
            assert (await theirs.post(url, content=BODY, headers=HEADERS)).json()["result"]

        async def by_transport() -> None:
            assert (await transport.send(Request(url, BODY), deadline=30)).status == 200

        async def by_client() -> None:
            assert isinstance((await client.call("demo.echo", {"x": 1})).outcome, Result)

        async def first_by_httpx() -> None:
            async with httpx.AsyncClient(verify=new_context() if ca_file else False) as fresh:
                assert (await fresh.post(url, content=BODY, headers=HEADERS)).json()["result"]

        async def first_by_client() -> None:
            async with Client(url, ca_file=ca_file and str(ca_file)) as fresh:
                assert isinstance((await fresh.call("demo.echo", {"x": 1})).outcome, Result)

        def new_context() -> ssl.SSLContext:
            return ssl.create_default_context(cafile=ca_file)

        warm = {"httpx.AsyncClient, warm": by_httpx, "Client.call, warm": by_client, "  its transport": by_transport}
        first = {"httpx.AsyncClient, first": first_by_httpx, "Client.call, first": first_by_client}
        return await rotated(warm, runs) | await rotated(first, max(runs // 5, 5))


async def rotated(contenders: Mapping[str, Call], runs: int) -> dict[str, list[float]]:
    """Return the seconds of each call but the first.

    Each contender is equally often the first, as the call after a pause is quicker.
    """
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    names = list(contenders)
    for turn in range(runs + 1):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            started = time.perf_counter()
            await contenders[name]()
            taken[name].append(time.perf_counter() - started)
    return {name: times[1:] for name, times in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=int, nargs="?", default=500)
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--delay", type=float, default=0, help="milliseconds of a round trip")
    wanted = parser.parse_args()
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        os.environ.pop(name, None)
        os.environ.pop(name.lower(), None)
    with tempfile.TemporaryDirectory() as folder:
        ca_file = certificate = None
        if wanted.tls:
            authority = trustme.CA()
            ca_file = Path(folder) / "ca.pem"
            authority.cert_pem.write_to_path(ca_file)
            certificate = authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.bytes()
        port_receiver, port_sender = multiprocessing.Pipe(duplex=False)
        server = multiprocessing.Process(
            target=serve, args=(port_sender, certificate, wanted.delay / 1000), daemon=True
        )
        server.start()
        url = f"{'https' if wanted.tls else 'http'}://127.0.0.1:{port_receiver.recv()}/api/v2/"
        try:
            taken = asyncio.run(measured(url, ca_file, wanted.runs))
        finally:
            server.terminate()
    medians = {name: print_median(name, times) for name, times in taken.items()}
    for kind in ("warm", "first"):
        ratio = medians[f"Client.call, {kind}"] / medians[f"httpx.AsyncClient, {kind}"]
        trips = f", {medians[f'Client.call, {kind}'] * 1000 / wanted.delay:.2f} round trips" if wanted.delay else ""
        print(f"Client.call / httpx.AsyncClient, {kind}: {ratio:.2f}{trips}")


if __name__ == "__main__":
    main()
