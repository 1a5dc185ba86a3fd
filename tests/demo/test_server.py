"""Servers that start, run and end: time, threads, signals."""

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

from rpcexplorer.demo.http import DemoServer, DemoThread
from tests.demo.calling import body_of, envelope, exchange, post


async def connect(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, _, port = url.removeprefix("http://").partition(":")
    return await asyncio.open_connection(host, int(port))


class Sleeps:
    """Takes note of every sleep and takes no time."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


class Gate:
    """A sleep that lasts until the gate is opened."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.opened = asyncio.Event()

    async def __call__(self, _: float) -> None:
        self.reached.set()
        await self.opened.wait()


def test_a_server_is_on_the_loopback_at_a_free_port() -> None:
    async def run() -> tuple[str, str]:
        async with DemoServer() as first, DemoServer() as second:
            return first.url, second.url

    first, second = asyncio.run(run())
    assert first.startswith("http://127.0.0.1:")
    assert first != second


def test_sleeps_are_as_long_as_asked() -> None:
    async def run() -> list[float]:
        sleeps = Sleeps()
        async with DemoServer(sleep=sleeps) as server:
            reader, writer = await connect(server.url)
            for params in ("[2.5]", "[4, true]"):
                writer.write(post(envelope("demo.slow", params)))
            writer.write(post(envelope("demo.slow", "[600]", None), "Connection: close"))
            await reader.read()
            writer.close()
        return sleeps.taken

    assert asyncio.run(run()) == [2.5, *[0.2] * 20, 600]


@pytest.mark.parametrize("params", ["[600]", "[600, true]"])
def test_closing_does_not_wait_for_a_slow_call(params: str) -> None:
    async def run() -> bytes:
        gate = Gate()
        server = DemoServer(sleep=gate)
        await server.start()
        reader, writer = await connect(server.url)
        writer.write(post(envelope("demo.slow", params)))
        await gate.reached.wait()
        await server.close()
        received = await reader.read()
        writer.close()
        return received

    assert b"seconds" not in asyncio.run(run())


def test_closing_does_not_wait_for_a_client_that_reads_nothing() -> None:
    async def run() -> None:
        server = DemoServer()
        await server.start()
        reader, writer = await connect(server.url)
        writer.write(post(envelope("demo.records", "[1000000]")))
        await reader.readuntil(b"\r\n\r\n")
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        await server.close()
        writer.transport.abort()

    asyncio.run(run())


def test_a_client_that_goes_away_in_the_middle_of_a_reply_disturbs_nobody() -> None:
    async def run() -> None:
        async with DemoServer() as server:
            reader, writer = await connect(server.url)
            writer.write(post(envelope("demo.records", "[1000000]")))
            await reader.readexactly(100_000)
            writer.transport.abort()
            reader, writer = await connect(server.url)
            writer.write(post(envelope("demo.echo"), "Connection: close"))
            assert body_of(await reader.read()).endswith(b'"result": []}')
            writer.close()

    asyncio.run(run())


def test_closing_twice_and_closing_what_never_ran_is_nothing() -> None:
    async def run() -> None:
        server = DemoServer()
        await server.close()
        await server.start()
        await server.close()
        await server.close()

    asyncio.run(run())


def test_a_port_that_is_taken_is_an_error_of_the_caller() -> None:
    before = threading.active_count()
    with DemoThread() as demo:
        port = int(demo.url.rpartition(":")[2])
        with pytest.raises(OSError, match="address already in use"), DemoThread(port):
            pass
    assert threading.active_count() == before


def test_a_thread_ends_with_its_block_even_while_a_call_is_running() -> None:
    with DemoThread() as demo:
        connection = http.client.HTTPConnection(demo.url.removeprefix("http://"), timeout=10)
        connection.request(
            "POST", "/api/v2/", envelope("demo.slow", "[600, true]"), {"Content-Type": "application/json"}
        )
        reply = connection.getresponse()
    with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
        reply.read()
    connection.close()
    with pytest.raises(ConnectionRefusedError):
        exchange(demo.url, b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serving_in_the_foreground_ends_cleanly_when_told(number: signal.Signals) -> None:
    code = (
        "from rpcexplorer.demo.http import serve_forever\n"
        "serve_forever(0, lambda url: print(url, flush=True))\n"
        "print('ended')\n"
    )
    command = [sys.executable, "-W", "error", "-X", "dev", "-c", code]
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


def test_asking_for_the_credentials_starts_no_machinery() -> None:
    code = (
        "import sys, rpcexplorer.demo; print(*[m for m in ('asyncio', 'http', 'json', 'socket') if m in sys.modules])"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []
