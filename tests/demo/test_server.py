"""Start and end of the server: delays, threads and signals."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import signal
import socket
import subprocess
import sys
import threading

import pytest

from rpcexplorer.demo.http import DemoThread, demo_server
from rpcexplorer.demo.service import DemoService
from tests.demo.calling import body_of, envelope, exchange, post


async def connect(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, _, port = url.removeprefix("http://").partition(":")
    return await asyncio.open_connection(host, int(port))


class Sleeps:
    """A sleep that returns at once and records its durations."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


class Gate:
    """A sleep that lasts until a test opens the gate."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.opened = asyncio.Event()

    async def __call__(self, _: float) -> None:
        self.reached.set()
        await self.opened.wait()


def test_server_listens_on_loopback_at_a_free_port() -> None:
    async def run() -> tuple[str, str]:
        async with demo_server(DemoService()) as first, demo_server(DemoService()) as second:
            return first, second

    first, second = asyncio.run(run())
    assert first.startswith("http://127.0.0.1:")
    assert first != second


def test_sleeps_have_the_requested_length() -> None:
    async def run() -> list[float]:
        sleeps = Sleeps()
        async with demo_server(DemoService(), sleep=sleeps) as url:
            reader, writer = await connect(url)
            for params in ("[2.5]", "[4, true]"):
                writer.write(post(envelope("demo.slow", params)))
            writer.write(post(envelope("demo.slow", "[600]", None), "Connection: close"))
            await reader.read()
            writer.close()
        return sleeps.taken

    assert asyncio.run(run()) == [2.5, *[0.2] * 20, 600]


@pytest.mark.parametrize("params", ["[600]", "[600, true]"])
def test_close_does_not_wait_for_slow_calls(params: str) -> None:
    async def run() -> bytes:
        gate = Gate()
        async with demo_server(DemoService(), sleep=gate) as url:
            reader, writer = await connect(url)
            writer.write(post(envelope("demo.slow", params)))
            await gate.reached.wait()
        received = await reader.read()
        writer.close()
        return received

    assert b"seconds" not in asyncio.run(run())


def test_close_does_not_wait_for_stalled_clients() -> None:
    async def run() -> None:
        async with demo_server(DemoService()) as url:
            reader, writer = await connect(url)
            writer.write(post(envelope("demo.records", "[1000000]")))
            await reader.readuntil(b"\r\n\r\n")
            writer.transport.pause_reading()  # type: ignore[attr-defined]
        writer.transport.abort()

    asyncio.run(run())


def test_client_that_disconnects_does_not_affect_others() -> None:
    async def run() -> None:
        async with demo_server(DemoService()) as url:
            reader, writer = await connect(url)
            writer.write(post(envelope("demo.records", "[1000000]")))
            await reader.readexactly(100_000)
            writer.transport.abort()
            reader, writer = await connect(url)
            writer.write(post(envelope("demo.echo"), "Connection: close"))
            assert body_of(await reader.read()).endswith(b'"result": []}')
            writer.close()

    asyncio.run(run())


def test_port_in_use_raises_listen_error() -> None:
    before = threading.active_count()
    with DemoThread() as demo:
        port = int(demo.url.rpartition(":")[2])
        with pytest.raises(OSError, match="address already in use"), DemoThread(port):
            pass
    assert threading.active_count() == before


def test_thread_ends_with_its_block_during_a_call() -> None:
    with DemoThread() as demo:
        connection = http.client.HTTPConnection(demo.url.removeprefix("http://"), timeout=10)
        connection.request(
            "POST", "/api/v2/", envelope("demo.slow", "[600, true]"), {"Content-Type": "application/json"}
        )
        response = connection.getresponse()
    with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
        response.read()
    connection.close()
    with pytest.raises(ConnectionRefusedError):
        exchange(demo.url, b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serve_forever_ends_cleanly_on_signals(number: signal.Signals) -> None:
    code = (
        "from rpcexplorer.demo.http import serve_forever\n"
        "serve_forever(0, lambda url: print(url, flush=True))\n"
        "print('ended')\n"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        with contextlib.ExitStack() as cleanup:
            cleanup.callback(process.kill)
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            host, _, port = url.removeprefix("http://").partition(":")
            with socket.create_connection((host, int(port)), timeout=10) as idle:
                idle.sendall(post(envelope("demo.echo")))
                assert idle.recv(10) == b"HTTP/1.1 2"
                process.send_signal(number)
                rest, problems = process.communicate(timeout=10)
        assert (rest, problems, process.returncode) == ("ended\n", "", 0)


def test_import_of_credentials_loads_no_server() -> None:
    code = (
        "import sys, rpcexplorer.demo; print(*[m for m in ('asyncio', 'http', 'json', 'socket') if m in sys.modules])"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []
