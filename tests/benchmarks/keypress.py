"""Keypress to changed screen, in the real program in a pseudo-terminal: typing params, and moving in a reply.

    python tests/benchmarks/keypress.py [KEYS]

A key is written, and the clock stops when the program has written something back and fallen silent for a moment; that
moment is not counted. A bare Textual app with a line to type into is measured the same way in the same run.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path

from rpcexplorer.demo.server import DemoThread

BARE = """
from textual.app import App
from textual.widgets import Input
class Bare(App):
    def compose(self):
        yield Input("usable")
Bare().run()
"""
SESSIONS = 'version = 1\n[profile.usable]\nurl = "{url}"\n'
SILENCE = 0.03
DOWN, F4, F5 = b"\x1b[B", b"\x1bOS", b"\x1b[15~"


class Program:
    """A program in a pseudo-terminal of 120 by 40."""

    def __init__(self, arguments: list[str], folder: Path) -> None:
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ |= {"TERM": "xterm-256color", "RPCEXPLORER_HOME": str(folder / "home")}
            os.execv(sys.executable, [sys.executable, *arguments])
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))

    def until(self, word: bytes) -> None:
        """Read until a word has been written, and then until nothing more comes."""
        written = b""
        while word not in written:
            select.select([self.terminal], [], [], 30)
            written += os.read(self.terminal, 65536)
        self.settle()

    def settle(self, wait: float = 0.5) -> None:
        """Read what still comes."""
        while select.select([self.terminal], [], [], wait)[0]:
            os.read(self.terminal, 65536)

    def press(self, key: bytes) -> float:
        """Seconds from the key to the last byte of what it changed."""
        started = time.perf_counter()
        os.write(self.terminal, key)
        last = started
        while select.select([self.terminal], [], [], SILENCE if last > started else 5)[0]:
            os.read(self.terminal, 65536)
            last = time.perf_counter()
        return last - started

    def end(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def told(name: str, taken: list[float]) -> float:
    median = statistics.median(taken)
    print(f"{name:<34} median {median * 1000:5.1f} ms   worst {max(taken) * 1000:5.1f} ms   {len(taken)} keys")
    return median


def main() -> None:
    keys = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as home, DemoThread() as demo:
        folder = Path(home)
        (folder / "bare.py").write_text(BARE)
        (folder / "sessions.toml").write_text(SESSIONS.format(url=demo.url))
        bare = Program(["bare.py"], folder)
        bare.until(b"usable")
        floor = told("bare Textual, a line", [bare.press(b"x") for _ in range(keys)])
        bare.end()
        ours = Program(["-m", "rpcexplorer"], folder)
        ours.until(b"usable")
        ours.press(b'"')
        typing = told("typing params", [ours.press(b"x") for _ in range(keys)])
        ours.end()
        (folder / "sessions.toml").write_text(
            SESSIONS.format(url=demo.url) + '[profile.usable.method."demo.records"]\nparams = { count = 20000 }\n'
        )
        reading = Program(["-m", "rpcexplorer"], folder)
        reading.until(b"usable")
        os.write(reading.terminal, b"\x1bOQ")
        reading.settle()
        os.write(reading.terminal, b"demo.records\r")
        reading.settle()
        os.write(reading.terminal, F5)
        reading.settle(3)
        os.write(reading.terminal, F4)
        reading.settle()
        moving = told("moving in a reply of 6 MB", [reading.press(DOWN) for _ in range(keys)])
        paging = told("paging in it", [reading.press(b"\x1b[6~") for _ in range(keys)])
        reading.end()
    print(f"ratios to bare: typing {typing / floor:.1f}, moving {moving / floor:.1f}, paging {paging / floor:.1f}")


if __name__ == "__main__":
    main()
