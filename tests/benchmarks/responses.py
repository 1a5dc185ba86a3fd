"""Large responses: first lines, moving, and typing meanwhile.

    python tests/benchmarks/responses.py [RUNS] [SHAPE/SIZE ...]

The server is a process of its own and reports the time of the last byte (``response_server.py`` has the shapes). In the
same run a bare httpx fetches the same body. The first lines on screen are counted from the last byte on, without the
time that httpx needs from there. The profile has a password, so every response is searched for it. Each run is a fresh
process in a pseudo-terminal. Keys that are typed meanwhile are letters that are not on screen otherwise, so that each
is known by its echo. Memory is the peak of the process (Linux only). The floors are that fetch and msgspec.json.format.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from tests.benchmarks.figures import print_median
from tests.benchmarks.response_server import PASSWORD, result
from tests.benchmarks.terminal import ENTER, F2, F4, F5, PAGE_DOWN, Program

SHAPES = ("rows/1", "rows/10", "rows/100", "line/50", "short/5", "secrets/100")
FIRST = "first lines after the last byte"
FIRST_LINES = {"rows/1": 0.1, "rows/10": 0.3}
TARGETS = {
    "page down, worst": 0.05,
    "end": 0.05,
    "search, counted to the end": 1.0,
    "typing while it comes, worst": 0.1,
    "typing a search, worst": 0.1,
}
"""Seconds."""
PAGES = 20
PAUSE = 0.02
"""Seconds from an echo to the next letter."""
END, HOME = b"\x1b[F", b"\x1b[H"
NEEDLE = b"999"
LETTERS = [chr(code) for code in range(0x100, 0x180)]
FETCH = """
import httpx, sys, time
call = {"jsonrpc": "2.0", "id": "1", "method": "ping", "params": []}
for _ in range(2):
    httpx.post(sys.argv[1], json=call, timeout=100).content
    print(time.perf_counter())
"""


class Server(NamedTuple):
    """The server's address and its output."""

    url: str
    process: subprocess.Popen[str]

    def last_byte(self) -> float:
        """Return the time at which the last byte of the next response was sent."""
        assert self.process.stdout
        return float(self.process.stdout.readline())


@contextmanager
def serving() -> Iterator[Server]:
    """Run a server for the block."""
    command = [sys.executable, str(Path(__file__).with_name("response_server.py"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield Server(f"http://127.0.0.1:{process.stdout.readline().strip()}", process)
        finally:
            process.kill()


def fetched(server: Server, shape: str) -> float:
    """Return the seconds from the last byte until httpx has the response.

    The first fetch, for which the response is made, does not count.
    """
    command = [sys.executable, "-c", FETCH, f"{server.url}/{shape}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    server.last_byte()
    return float(done[1]) - server.last_byte()


@contextmanager
def explorer(server: Server, shape: str) -> Iterator[Program]:
    """Start the explorer with the focus in the params, ready to send."""
    with tempfile.TemporaryDirectory() as home:
        sessions = f'version = 1\n[profile.usable]\nurl = "{server.url}"\npath = "/{shape}"\n'
        sessions += 'auth = { kind = "inline", username = "ada" }\n[profile.usable.method.ping]\n'
        Path(home, "sessions.toml").write_text(sessions)
        command = [sys.executable, "-m", "rpcexplorer"]
        with Program(command, Path(home), {"RPCEXPLORER_USABLE_PASSWORD": PASSWORD}) as program:
            program.until(b"usable")
            program.settle()
            for keys in (F2, b"ping" + ENTER):
                program.write(keys)
                program.settle()
            yield program


def reading(server: Server, shape: str, found: int) -> dict[str, float]:
    """Measure one response: first lines, moving, searching, and memory."""
    with explorer(server, shape) as program:
        program.write(F5)
        sent = time.perf_counter()
        first = sent + program.until(b"zebra", 100)
        figures = {FIRST: first - server.last_byte()}
        program.settle(4, at_most=20)
        program.write(F4)
        program.settle()
        figures["page down, worst"] = max(program.press(PAGE_DOWN) for _ in range(PAGES))
        figures["end"] = program.press(END)
        program.press(HOME)
        if not shape.startswith("line"):
            program.write(b"g")
            program.settle()
            program.write(b"77777")
            program.settle()
            program.write(b"\r")
            figures["go to line 77777"] = program.until(b"77777")
            program.press(HOME)
        if shape.startswith(("rows", "secrets")):
            program.write(b"-")
            figures["fold all"] = program.until(b"6 members")
            program.settle()
            program.press(b"+")
        program.write(b"/")
        program.settle()
        program.write(NEEDLE)
        figures["search, counted to the end"] = program.until(f"1 of {found:,}".encode())
        program.settle()
        return figures | {"peak memory": program.peak / 1e6}


def printing(server: Server, shape: str) -> float:
    """Return the peak memory of a ``call`` that prints the response.

    The output is a terminal, the unit megabytes.
    """
    command = [sys.executable, "-m", "rpcexplorer", "call", "ping", "--url", f"{server.url}/{shape}"]
    with tempfile.TemporaryDirectory() as home, Program(command, Path(home)) as program:
        program.whole(100)
        server.last_byte()
        return program.peak / 1e6


def typing(server: Server, shape: str) -> dict[str, float]:
    """Return the slowest echo of a letter during receipt, and during a search."""
    with explorer(server, shape) as program:
        program.press(b"\x1b[C")
        program.write(F5)
        echoes = {"typing while it comes, worst": max(echo(program, letter) for letter in LETTERS)}
        server.last_byte()
        program.settle(2)
        program.write(F4)
        program.settle()
        program.write(b"/")
        program.settle()
        program.write(NEEDLE)  # takes a while to count
        return echoes | {"typing a search, worst": max(echo(program, letter) for letter in LETTERS[:30])}


def echo(program: Program, letter: str) -> float:
    """Return the seconds from a letter until it is on screen."""
    time.sleep(PAUSE)
    program.write(letter.encode())
    return program.until(letter.encode())


def measure(server: Server, shape: str, runs: int) -> None:
    """Print the table of one shape."""
    text = result(*shape.split("/"))
    began = time.perf_counter()
    laid_out = len(msgspec.json.format(text))
    native = time.perf_counter() - began
    size, found = len(text) / 1e6, text.count(NEEDLE)
    del text
    floors = [fetched(server, shape) for _ in range(runs)]
    taken: dict[str, list[float]] = {}
    printed = [printing(server, shape) for _ in range(runs)]
    for _ in range(runs):
        for name, figure in (reading(server, shape, found) | typing(server, shape)).items():
            taken.setdefault(name, []).append(figure)
    floor = statistics.median(floors)
    print(f"\n{shape}: {size:.0f} MB, laid out {laid_out / 1e6:.0f} MB in {native * 1000:.0f} ms by msgspec alone;")
    print(f"httpx has it {floor * 1000:.0f} ms after the last byte")
    taken = {"first lines over a plain fetch": [seconds - floor for seconds in taken[FIRST]]} | taken
    memory = taken.pop("peak memory")
    for name, seconds in taken.items():
        target = {**TARGETS, "first lines over a plain fetch": FIRST_LINES.get(shape, 1.0)}.get(name)
        print_median(name, seconds, f"target {target * 1000:.0f} ms" if target else "")
    print(f"{'peak memory':<30} median {statistics.median(memory):8.0f} MB   worst {max(memory):8.0f} MB", end="   ")
    print(f"target {60 + 1.3 * size:.0f} MB")
    print(f"{'peak memory of a call':<30} median {statistics.median(printed):8.0f} MB", flush=True)


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with serving() as server:
        for shape in sys.argv[2:] or SHAPES:
            measure(server, shape, runs)


if __name__ == "__main__":
    main()
