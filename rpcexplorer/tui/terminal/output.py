"""Where Textual writes to, made deaf to the end of it.

A terminal goes when its window is closed or a connection drops. The thread of Textual's that writes to it would die of
that, and the program would wait for ever for the dead to write on: nothing typed would be kept, and nothing would end.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import Any


class TerminalOutput:
    """A stream that takes whatever it is given, whether or not there is still somebody to read it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Send on what was written, if that can be."""
        with suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def never_wait_for_the_gone() -> None:
    """From now on, for whatever driver of Textual's, which draws on stderr: that may be closed, or a file."""
    screen = sys.__stdout__
    if isinstance(screen, TextIOWrapper):
        screen.reconfigure(errors="backslashreplace")  # as stderr has it: no letter ends the drawing
    vars(sys)["__stderr__"] = TerminalOutput(screen)
