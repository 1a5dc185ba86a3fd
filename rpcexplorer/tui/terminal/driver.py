"""Textual's driver for Linux and macOS with its own way to read: odd bytes end nothing, and no end goes unsaid.

What we use of Textual's way to read, of which it promises nothing, is used here and in input.py.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from selectors import EVENT_READ, SelectSelector
from typing import Final

from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from rpcexplorer.tui.terminal.input import TerminalInput

TICK: Final = 0.1
"""Seconds to wait for a byte."""
PIECE: Final = 64 * 1024
"""Bytes that are read at a time."""


class TerminalGone(Message):
    """Nothing will be typed any more: the window was closed, or a connection dropped."""


class ReadingFailed(Message):
    """A mistake of ours: keys would not be heard any more."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


class TerminalDriver(LinuxDriver):
    """Reads in a thread, and tells the app when that ends though the app does not."""

    def run_input_thread(self) -> None:
        """Read until the terminal is wanted for something else."""
        read = TerminalInput()
        with ExitStack() as reading:
            reading.push(self._failed)
            ready = reading.enter_context(SelectSelector())
            ready.register(self.fileno, EVENT_READ)
            came: bytes | None = None
            while came != b"" and not self.exit_event.is_set():
                came = self._come() if ready.select(TICK) else None
                for message in (*(read.feed(came) if came else ()), *read.tick()):
                    self.process_message(message)
            for message in (*read.finish(), *([TerminalGone()] if came == b"" else [])):
                self.process_message(message)

    def _come(self) -> bytes | None:
        """The next bytes; none where nothing will come any more, None where another program was faster."""
        with suppress(OSError):
            with suppress(BlockingIOError):
                return os.read(self.fileno, PIECE)
            return None
        return b""

    def _failed(self, *raised: object) -> bool:
        if isinstance(raised[1], BaseException):
            self.process_message(ReadingFailed(raised[1]))
        return True
