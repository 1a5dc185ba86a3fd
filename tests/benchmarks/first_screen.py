"""Time from the start of the process to the first usable screen, beside a bare Textual app, side by side in one run.

    python tests/benchmarks/first_screen.py [RUNS]

Both run in a pseudo-terminal of 120 by 40; the clock stops when the word that both wait for has been written.
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

BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("usable")
Bare().run()
"""
SESSIONS = 'version = 1\n[profile.usable]\nurl = "http://127.0.0.1:9"\n'


def seconds(arguments: list[str], folder: Path) -> float:
    """From the fork to the word."""
    started = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ |= {"TERM": "xterm-256color", "RPCEXPLORER_HOME": str(folder / "home")}
        os.execv(sys.executable, [sys.executable, *arguments])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    written = b""
    while b"usable" not in written:
        select.select([terminal], [], [], 20)
        written += os.read(terminal, 65536)
    took = time.perf_counter() - started
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(terminal)
    return took


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        (folder / "bare.py").write_text(BARE)
        (folder / "sessions.toml").write_text(SESSIONS)
        programs = {"bare Textual": ["bare.py"], "rpcexplorer": ["-m", "rpcexplorer"]}
        times: dict[str, list[float]] = {name: [] for name in programs}
        for run in range(runs + 1):
            for name, arguments in programs.items():
                took = seconds(arguments, folder)
                if run:  # the first of each fills the disk's cache
                    times[name].append(took)
    for name, taken in times.items():
        print(
            f"{name:<14} median {statistics.median(taken) * 1000:.0f} ms, worst {max(taken) * 1000:.0f} ms, {runs} runs"
        )
    bare, ours = (statistics.median(times[name]) for name in programs)
    print(f"ratio {ours / bare:.2f}")


if __name__ == "__main__":
    main()
