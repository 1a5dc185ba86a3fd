"""The real program in a pseudo-terminal: keys in, a grid of letters out."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import pyte
from wcwidth import wcwidth

KEYS = {
    "enter": "\r", "escape": "\x1b", "tab": "\t", "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
    "f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~",
    "f7": "\x1b[18~", "f8": "\x1b[19~", "f9": "\x1b[20~", "f10": "\x1b[21~", "delete": "\x1b[3~", "home": "\x1b[H",
    "end": "\x1b[F", "pageup": "\x1b[5~", "pagedown": "\x1b[6~", "backspace": "\x7f",
    "ctrl+a": "\x01", "ctrl+g": "\x07", "ctrl+k": "\x0b", "ctrl+l": "\x0c", "ctrl+p": "\x10", "ctrl+q": "\x11",
    "ctrl+r": "\x12", "ctrl+u": "\x15",
}  # fmt: skip
PATIENCE = 60.0
"""Seconds to wait for something on screen, enough for a busy machine."""


class _Screen(pyte.Screen):
    """A screen that does not measure letters of one column.

    Measuring takes longer than the program that wrote them.
    """

    def __init__(self, columns: int, lines: int) -> None:
        self._cells: dict[pyte.screens.Char, dict[str, pyte.screens.Char]] = {}
        self._narrow: set[str] = set()
        super().__init__(columns, lines)

    def draw(self, data: str) -> None:
        x, attributes, letters = self.cursor.x, self.cursor.attrs, set(data)
        if x + len(data) > self.columns or pyte.modes.IRM in self.mode or not self._are_narrow(letters):
            super().draw(data)
            return
        cells = self._cells.setdefault(attributes, {})
        for char in letters.difference(cells):
            cells[char] = attributes._replace(data=char)
        self.buffer[self.cursor.y].update(zip(range(x, x + len(data)), map(cells.__getitem__, data), strict=True))
        self.dirty.add(self.cursor.y)
        self.cursor.x = x + len(data)

    def _are_narrow(self, letters: set[str]) -> bool:
        if letters <= self._narrow:
            return True
        self._narrow.update(char for char in letters if wcwidth(char) == 1)
        return letters <= self._narrow


class Terminal:
    """A pseudo-terminal of a size, with a program in it."""

    def __init__(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        size: tuple[int, int],
        *,
        start: Sequence[str] = ("-m", "rpcexplorer"),
    ) -> None:
        columns, lines = size
        self.screen = _Screen(columns, lines)
        self._stream = pyte.ByteStream(self.screen)
        self._written = bytearray()
        self._rows: dict[int, str] = {}
        self.pid, self._file = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # tests in the background ignore it
            kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
            os.execve(
                sys.executable,
                [sys.executable, *start, *arguments],
                kept | {"TERM": "xterm-256color", "LANG": "C.UTF-8", "COLORTERM": "truecolor", **environment},
            )
        self.resize(columns, lines)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        if self._file >= 0:
            os.close(self._file)

    def resize(self, columns: int, lines: int) -> None:
        """Change the size; the terminal signals it to the program."""
        fcntl.ioctl(self._file, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.screen.resize(lines, columns)

    def press(self, *keys: str) -> None:
        """Press keys by name."""
        for key in keys:
            os.write(self._file, KEYS[key].encode())

    def burst(self, *keys: str) -> None:
        """Send keys by name, and letters, in one write, as a slow network does."""
        os.write(self._file, "".join(KEYS.get(key, key) for key in keys).encode())

    def type(self, text: str) -> None:
        """Type letters, one by one."""
        self.send(text.encode())

    def send(self, data: bytes) -> None:
        """Send bytes unchanged."""
        os.write(self._file, data)

    @property
    def written(self) -> bytes:
        """Every byte that the program wrote."""
        return bytes(self._written)

    @property
    def text(self) -> str:
        """Return the text on screen; unchanged lines are not built again."""
        columns, rows = range(self.screen.columns), range(self.screen.lines)
        for row in self.screen.dirty.union(rows[len(self._rows) :]).intersection(rows):
            line = self.screen.buffer[row]  # The display of pyte measures every letter again.
            self._rows[row] = "".join([line[at].data for at in columns]).rstrip()
        self.screen.dirty.clear()
        return "\n".join(map(self._rows.__getitem__, rows))

    def sees(self, *wanted: str) -> str:
        """Read until all texts are on screen."""

        def all_there() -> bool:
            text = self.text
            return all(each in text for each in wanted)

        self._read(all_there, f"to see {wanted}")
        return self.text

    def sees_no(self, unwanted: str) -> str:
        """Read until the text is gone from the screen."""
        self._read(lambda: unwanted not in self.text, f"{unwanted!r} to go")
        return self.text

    def ends(self) -> int:
        """Read until the program has ended; return its exit code."""
        self._read(lambda: False, "the end", to_the_end=True)
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def hangs_up(self) -> int:
        """Close the terminal of the running program; return its exit code.

        A closed window or a dropped connection does the same.
        """
        os.close(self._file)
        self._file = -1
        patience = threading.Timer(PATIENCE, os.kill, (self.pid, signal.SIGKILL))
        patience.start()
        _, status = os.waitpid(self.pid, 0)
        patience.cancel()
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def _read(self, done: object, what: str, *, to_the_end: bool = False) -> None:
        assert callable(done)
        until = time.monotonic() + PATIENCE
        while not done():
            ready, _, _ = select.select([self._file], [], [], max(until - time.monotonic(), 0))
            assert ready, f"waited {PATIENCE:.0f} s for {what}; on screen:\n{self.text}"
            if not self._take():
                assert to_the_end, f"the program ended while waiting for {what}; on screen:\n{self.text}"
                return

    def _take(self) -> bool:
        """Read available output; return whether more can come."""
        piece = self._piece()
        self._written += piece
        self._stream.feed(self.drawn(piece))
        return bool(piece)

    def drawn(self, piece: bytes) -> bytes:
        """Return the part of the output that is put on screen."""
        return piece

    def _piece(self) -> bytes:
        try:
            return os.read(self._file, 65536)
        except OSError:  # Linux raises it after the last writer has closed.
            return b""
