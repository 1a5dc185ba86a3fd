"""A program in a pseudo-terminal of 120 by 40, with a clock.

Keys go in, bytes come out, and nothing is drawn. If the screen itself matters, use ``tests/fakes/terminal``. Peak
memory is read from /proc, so it is known on Linux only.
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
"""Seconds without output after which a key is done; they are not counted."""
MAX_TAIL: Final = 100_000
PATIENCE: Final = 30.0
"""Seconds to wait for a word."""
BETWEEN_LOOKS: Final = 0.01
"""Seconds between two looks at the memory of a program that may end."""
_PEAK = re.compile(r"VmHWM:\s+(\d+) kB")


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a user with a new home.

    Compiled modules are kept, as on a user's machine.
    """
    slowing = {"PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"}
    variables = {name: value for name, value in os.environ.items() if name not in slowing}
    return variables | {"TERM": "xterm-256color", "RPCEXPLORER_HOME": str(folder / "home")}


class Program:
    """A running program, killed at the end of the block.

    Every key starts the clock again.
    """

    def __init__(self, command: Sequence[str | Path], folder: Path, more: Mapping[str, str] | None = None) -> None:
        """``more``: additions to ``environment``."""
        self.peak = 0
        """Highest memory in bytes so far."""
        self.tail = b""
        """The end of its output."""
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
        """Return the seconds from the start or last key to a new word."""
        written = b""
        while word not in written:
            piece = self._piece(self._since + patience - time.perf_counter())
            if not piece:
                raise TimeoutError(f"{word!r} did not come in {patience:.0f} s; the last that came: {written[-500:]!r}")
            written += piece
        return self._seconds()

    def settle(self, silence: float = 0.5, at_most: float = 5.0) -> None:
        """Read the rest of the output, at most as long as something blinks."""
        end = time.perf_counter() + at_most
        while time.perf_counter() < end and self._piece(silence):
            pass
        self.look()

    def press(self, keys: bytes) -> float:
        """Return the seconds from a key to the last byte of its change."""
        self.write(keys)
        took = 0.0
        while self._piece(SILENCE if took else 5):
            took = self._seconds()
        return took

    def whole(self, patience: float = PATIENCE) -> float:
        """Return the seconds until the program has ended by itself."""
        while self._piece(self._since + patience - time.perf_counter()):
            if time.perf_counter() > self._looked + BETWEEN_LOOKS:
                self.look()
        return self._seconds()

    def look(self) -> None:
        """Record the highest memory so far; an ended program has none."""
        self._looked = time.perf_counter()
        if found := _PEAK.search(Path(f"/proc/{self.pid}/status").read_text()):
            self.peak = int(found[1]) * 1024

    def _seconds(self) -> float:
        return time.perf_counter() - self._since

    def _piece(self, wait: float) -> bytes:
        """Return new output, or nothing after this time or at the end."""
        if not select.select([self._terminal], [], [], max(wait, 0))[0]:
            return b""
        with contextlib.suppress(OSError):  # Linux raises it after the last writer has closed.
            piece = os.read(self._terminal, 65536)
            self.tail = (self.tail + piece)[-MAX_TAIL:]
            return piece
        return b""
