"""`listen` and calls on connections that stay open, next to bare readers and a bare client.

    python -m tests.benchmarks.connections [EVENTS] [CALLS] [RUNS]

A process of its own sends notifications of 130 bytes in large blocks, through a pipe or over WebSocket. The bare reader
of a pipe is a loop over asyncio's lines, that of WebSocket a loop over messages of websockets without compression; both
write what they read to a file and decode nothing. `listen` writes the same file, without and with a history. All take
turns, whole processes with their start; each file must have every event. A call goes to a server that answers lines
over TCP, by asyncio's streams and by the Python client. Memory is the peak of the process (Linux only).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from rpcexplorer.client.client import Client
from rpcexplorer.rpc.messages import Result
from tests.benchmarks.figures import in_turns, print_median
from tests.benchmarks.warm_call import rotated

EVENT: Final = (
    '{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1",'
    '"result":{"number":%8d,"hash":"0x0123456789ab"}}}'
)
SENDER: Final = f"""
import base64, hashlib, os, socket, sys
BLOCK = 500
lines = [b{EVENT!r} % number for number in range(BLOCK)]
way, count = sys.argv[1], int(sys.argv[2])
if way == "pipe":
    block, write, framed = b"".join(line + b"\\n" for line in lines), lambda data: os.write(1, data), 1
elif way == "ws":
    block, framed = b"".join(b"\\x81\\x7e" + len(line).to_bytes(2, "big") + line for line in lines), 4
with socket.create_server(("127.0.0.1", 0)) as server:
    if way != "pipe":
        print(server.getsockname()[1], flush=True)
        connected, _ = server.accept()
        write = connected.send
    if way == "ws":
        request = b""
        while b"\\r\\n\\r\\n" not in request:
            request += connected.recv(65536)
        fields = dict(line.lower().split(b": ", 1) if b"key" not in line.lower() else
                      (b"key", line.split(b": ", 1)[1]) for line in request.split(b"\\r\\n")[1:-2])
        accepted = base64.b64encode(hashlib.sha1(fields[b"key"] + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        connected.sendall(b"HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n"
                          b"Sec-WebSocket-Accept: " + accepted + b"\\r\\n\\r\\n")
    if way == "answer":
        data = b""
        while more := connected.recv(65536):
            *requests, data = (data + more).split(b"\\n")
            for line in requests:
                id = line.partition(b'"id":"')[2].partition(b'"')[0]
                connected.sendall(b'{{"jsonrpc":"2.0","id":"%b","result":{{"x":1}}}}\\n' % id)
        sys.exit()
    while count:
        size = min(BLOCK, count)
        data = memoryview(block)[:sum(len(line) + framed for line in lines[:size])]
        count -= size
        while data:
            data = data[write(data):]
    if way == "ws":
        connected.sendall(b"\\x88\\x02\\x03\\xe8")
        while connected.recv(65536):
            pass
"""
"""Sends events to a pipe or over WebSocket, or answers calls, and ends."""
BARE_PIPE: Final = """
import asyncio, sys
async def main():
    process = await asyncio.create_subprocess_exec(*sys.argv[1:], stdin=-1, stdout=-1)
    with open(1, "wb", closefd=False) as file:
        while line := await process.stdout.readline():
            file.write(line)
asyncio.run(main())
"""
BARE_WS: Final = """
import asyncio, sys
from websockets.asyncio.client import connect
async def main():
    async with connect(sys.argv[1], compression=None) as connection:
        with open(1, "wb", closefd=False) as file:
            async for message in connection:
                file.write(message.encode() + b"\\n")
asyncio.run(main())
"""
LISTEN: Final = [sys.executable, "-m", "rpcexplorer", "listen"]


class Run(Struct):
    seconds: float
    peak: int
    """Bytes."""


@contextmanager
def sender(script: Path, way: str, count: int = 0) -> Iterator[str]:
    """Start a sender; yield the port that it listens on."""
    with subprocess.Popen([sys.executable, script, way, str(count)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def measured(command: list[str], folder: Path, count: int) -> Run:
    """Run a program that writes each event as a line."""
    started, file = time.perf_counter(), folder / "events"
    with file.open("wb") as output:
        environment = {**os.environ, "RPCEXPLORER_HOME": str(folder / "home")}
        process, peak = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, env=environment), 0
        while process.poll() is None:
            peak = peak_of(process.pid) or peak
            time.sleep(0.05)
    seconds = time.perf_counter() - started
    with file.open("rb") as lines:
        assert sum(1 for _ in lines) == count, command
    return Run(seconds, peak)


def peak_of(pid: int) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text("ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def events(folder: Path, script: Path, count: int, runs: int) -> None:
    def by_pipe(*command: str) -> Run:
        return measured([*command], folder, count)

    def by_ws(*command: str) -> Run:
        with sender(script, "ws", count) as port:
            return measured([*command, f"ws://127.0.0.1:{port}/"], folder, count)

    words = [sys.executable, str(script), "pipe", str(count)]
    stdio = ["--stdio", " ".join(words)]
    python = [sys.executable, "-c"]
    for floor, contenders in (
        ("pipe, bare reader", {
            "pipe, bare reader": lambda: by_pipe(*python, BARE_PIPE, *words),
            "pipe, listen --no-history": lambda: by_pipe(*LISTEN, "--no-history", *stdio),
            "pipe, listen": lambda: by_pipe(*LISTEN, *stdio),
        }),
        ("WebSocket, bare websockets", {
            "WebSocket, bare websockets": lambda: by_ws(*python, BARE_WS),
            "WebSocket, listen --no-history": lambda: by_ws(*LISTEN, "--no-history", "--url"),
            "WebSocket, listen": lambda: by_ws(*LISTEN, "--url"),
        }),
    ):  # fmt: skip
        taken = in_turns(runs, contenders)
        rates = {name: count / statistics.median(run.seconds for run in done) for name, done in taken.items()}
        for name, done in taken.items():
            peak = max(run.peak for run in done) / 1e6
            print(
                f"{name:<32} {rates[name]:9,.0f} events/s   {rates[name] / rates[floor]:5.2f} of bare   {peak:4.0f} MB"
            )


async def seconds_of_calls(ports: list[str], count: int) -> dict[str, list[float]]:
    """Return the seconds of each call of the bare client and of ours."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(ports[0]))
    async with Client(f"tcp://127.0.0.1:{ports[1]}") as client:

        async def bare() -> None:
            writer.write(b'{"jsonrpc":"2.0","id":"1","method":"demo.echo","params":{"x":1}}\n')
            assert b'"result"' in await reader.readline()

        async def ours() -> None:
            assert isinstance((await client.call("demo.echo", {"x": 1})).outcome, Result)

        taken = await rotated({"call, asyncio's streams": bare, "call, Client": ours}, count)
    writer.close()
    return taken


def main() -> None:
    given = [*map(int, sys.argv[1:])]
    count, number, runs = [*given, *[1_000_000, 2_000, 3][len(given) :]]
    with tempfile.TemporaryDirectory() as name:
        folder, script = Path(name), Path(name) / "sender.py"
        script.write_text(SENDER)
        events(folder, script, count, runs)
        with sender(script, "answer") as first, sender(script, "answer") as second:
            taken = asyncio.run(seconds_of_calls([first, second], number))
    bare, ours = (print_median(name, times) for name, times in taken.items())
    print(f"a call takes {(ours - bare) * 1000:.2f} ms more than the bare client")


if __name__ == "__main__":
    main()
