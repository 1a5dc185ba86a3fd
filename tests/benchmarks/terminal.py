"""A program in a pseudo-terminal of 120 by 40, for the benchmarks: keys go in, bytes come out, a clock between them.

Nothing here knows what is measured, and nothing is drawn; where the screen itself counts, ``tests/fakes/terminal`` is
for that. Peak memory is read from /proc, so it is known on Linux only.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

DOWN, PAGE_DOWN, ENTER, ESCAPE, BACKSPACE = b"\x1b[B", b"\x1b[6~", b"\r", b"\x1b", b"\x7f"
F2, F4, F5, CTRL_J = b"\x1bOQ", b"\x1bOS", b"\x1b[15~", b"\n"
SIZE: Final = (40, 120)
SILENCE: Final = 0.03
"""Seconds without output after which a key is done with. They are not counted."""
PATIENCE: Final = 30.0
"""Seconds after which something will not come any more."""
BETWEEN_LOOKS: Final = 0.01
"""Seconds from one look at the memory to the next, where the program may end at any moment."""
_PEAK = re.compile(r"VmHWM:\s+(\d+) kB")


def environment(folder: Path) -> dict[str, str]:
    """That of a person with a home of their own; compiled modules are kept, as they are wherever people work."""
    slowing = {"PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"}
    kept = {name: value for name, value in os.environ.items() if name not in slowing}
    return kept | {"TERM": "xterm-256color", "RPCEXPLORER_HOME": str(folder / "home")}


class Program:
    """Started when it is made, killed when its block ends. The clock starts anew with every key."""

    def __init__(self, command: Sequence[str | Path], folder: Path, more: Mapping[str, str] | None = None) -> None:
        """``more``: what the environment has besides ``environment``."""
        self.peak = 0
        """Bytes of memory that it had at the most, as far as has been looked."""
        self._looked = self._since = time.perf_counter()
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
                os.chdir(folder)
                os.execvpe(command[0], list(map(str, command)), environment(folder) | dict(more or {}))
            finally:
                os._exit(127)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._terminal)

    def write(self, keys: bytes) -> None:
        """Press keys, and start the clock."""
        self._since = time.perf_counter()
        os.write(self._terminal, keys)

    def until(self, word: bytes, patience: float = PATIENCE) -> float:
        """Seconds from the start or the last key to a word, which must not be on the screen already."""
        written = b""
        while word not in written:
            piece = self._piece(self._since + patience - time.perf_counter())
            if not piece:
                raise TimeoutError(f"{word!r} did not come in {patience:.0f} s; the last that came: {written[-500:]!r}")
            written += piece
        return self._seconds()

    def settle(self, silence: float = 0.5, at_most: float = 5.0) -> None:
        """Read what still comes, for no longer than something that blinks would go on."""
        end = time.perf_counter() + at_most
        while time.perf_counter() < end and self._piece(silence):
            pass
        self.look()

    def press(self, keys: bytes) -> float:
        """Seconds from a key to the last byte of what it changed."""
        self.write(keys)
        took = 0.0
        while self._piece(SILENCE if took else 5):
            took = self._seconds()
        return took

    def whole(self, patience: float = PATIENCE) -> float:
        """Seconds from its start until it has ended by itself, everything read that it wrote."""
        while self._piece(self._since + patience - time.perf_counter()):
            if time.perf_counter() > self._looked + BETWEEN_LOOKS:
                self.look()
        return self._seconds()

    def look(self) -> None:
        """Take down the most memory it has had so far; one that has ended has none."""
        self._looked = time.perf_counter()
        if found := _PEAK.search(Path(f"/proc/{self.pid}/status").read_text()):
            self.peak = int(found[1]) * 1024

    def _seconds(self) -> float:
        return time.perf_counter() - self._since

    def _piece(self, wait: float) -> bytes:
        """What has been written; empty where nothing comes in time or nothing can come any more."""
        if not select.select([self._terminal], [], [], max(wait, 0))[0]:
            return b""
        with contextlib.suppress(OSError):  # Linux says so when the last writer has gone
            return os.read(self._terminal, 65536)
        return b""
