"""Input, output and driver of the terminal."""

from __future__ import annotations

import os
import sys
import time
from codecs import getincrementaldecoder
from collections.abc import Callable
from contextlib import ExitStack, suppress
from io import TextIOWrapper
from selectors import EVENT_READ, SelectSelector
from typing import Any, Final

from rich.cells import set_cell_size
from rich.segment import Segment
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.color import Color
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key, Paste
from textual.filter import LineFilter
from textual.message import Message

from rpcexplorer.patterns import regex
from rpcexplorer.text.printable import in_ascii, printable

PAUSE_SECONDS: Final = 1.0
"""After this time without a byte, a paste is over, even without its end."""
ALT: Final = regex("\x1b([ac-eg-z])")
"""A letter with Alt. Longer sequences do not begin like this.

B and F are arrows with Ctrl, which the parser knows.
"""


class TerminalInput:
    """Turns bytes of the terminal into messages; none of them can end the reading.

    Textual's parser would read escapes in a paste as keys, and an unknown letter with Alt as several. It raises at
    numbers that no terminal sends.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._parser = XTermParser()
        self._decoder = getincrementaldecoder("utf-8")("ignore")
        self._last = 0.0
        """Time of the last bytes."""
        self._end = ""
        """The last characters, which may be the beginning of a mark."""
        self._pasted: list[str] | None = None
        """The pieces of an open paste."""

    def feed(self, data: bytes) -> list[Message]:
        """Return the messages for some bytes, as far as they are complete."""
        self._last = self._clock()
        text, found = self._decoder.decode(data), list[Message]()
        while text:
            if self._pasted is None:
                piece, is_marked, text = self._until(BRACKETED_PASTE_START, text)
                found += self._keys(piece)
                if is_marked:
                    self._parsed(BRACKETED_PASTE_END)  # The parser has seen the start: for it, the paste is empty.
                    self._pasted = []
            else:
                piece, is_marked, text = self._until(BRACKETED_PASTE_END, text)
                self._pasted.append(piece)
                if is_marked:
                    found += self.finish()
        return found

    def tick(self) -> list[Message]:
        """Return the messages that are due to timeouts; call this several times a second."""
        found = list[Message]()
        if self._clock() - self._last >= PAUSE_SECONDS:
            found += self.finish()
        with suppress(Exception):
            found += self._parser.tick()
        return found

    def finish(self) -> list[Message]:
        """Return the open paste, if there is one."""
        text = "".join(self._pasted or ()).removesuffix(BRACKETED_PASTE_END).replace("\0", "")
        if self._pasted is not None:
            self._pasted, self._end = None, ""
        return [Paste(text)] if text else []

    def _until(self, mark: str, text: str) -> tuple[str, bool, str]:
        """Return the text through a mark, whether it was found, and the rest.

        The mark may have begun in earlier text.
        """
        before = len(self._end)
        whole = self._end + text
        at = whole.find(mark)
        if at < 0:
            self._end = whole[-(len(mark) - 1) :]
            return text, False, ""
        self._end = ""
        cut = at + len(mark) - before
        return text[:cut], True, text[cut:]

    def _keys(self, text: str) -> list[Message]:
        """Return keys, mouse events and answers of the terminal."""
        found, at = list[Message](), 0
        while at < len(text):
            is_at_rest = self._parser._awaiting.timeout is None  # noqa: SLF001 - only the parser knows
            alt = ALT.match(text, at) if is_at_rest else None
            if alt is not None:
                found.append(Key(f"alt+{alt[1]}", None))
                at = alt.end()
            else:
                found += self._parsed(text[at])
                at += 1
        return found

    def _parsed(self, text: str) -> list[Message]:
        """Return the messages for more text; drop a sequence that the parser cannot read."""
        with suppress(Exception):  # Invalid numbers, characters or window sizes raise different errors.
            return list(self._parser.feed(text))
        # Reset only the base parser: the state of the mouse stays.
        super(XTermParser, self._parser).__init__()
        return []


TICK_SECONDS: Final = 0.1
PIECE_BYTES: Final = 64 * 1024


class TerminalGone(Message):
    """The terminal was closed, or its connection was lost."""


class ReadingFailed(Message):
    """Reading has failed, so no key would be read from now on."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


class TerminalDriver(LinuxDriver):
    """A driver that posts a message when reading ends."""

    def run_input_thread(self) -> None:
        """Read until the terminal is needed for something else."""
        read = TerminalInput()
        with ExitStack() as reading:
            reading.push(self._failed)
            ready = reading.enter_context(SelectSelector())
            ready.register(self.fileno, EVENT_READ)
            data: bytes | None = None
            while data != b"" and not self.exit_event.is_set():
                data = self._read() if ready.select(TICK_SECONDS) else None
                if data:
                    self._process(read.feed(data))
                self._process(read.tick())
            self._process(read.finish())
            if data == b"":
                self.process_message(TerminalGone())

    def _process(self, messages: list[Message]) -> None:
        for message in messages:
            self.process_message(message)

    def _read(self) -> bytes | None:
        """Return the next bytes; b"" at the end, None if there are none now."""
        with suppress(OSError):
            with suppress(BlockingIOError):
                return os.read(self.fileno, PIECE_BYTES)
            return None
        return b""

    def _failed(self, *raised: object) -> bool:
        if isinstance(raised[1], BaseException):
            self.process_message(ReadingFailed(raised[1]))
        return True


class Guard(LineFilter):
    """Replaces control characters in the text of all widgets."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        """Return the segments without anything that a terminal obeys."""
        return [segment if is_harmless(segment.text) else _make_inert(segment) for segment in segments]


class AsciiSigns(LineFilter):
    """Replaces signs and pictures, for terminals whose font lacks them."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        return [
            segment if segment.text.isascii() else Segment(in_ascii(segment.text), segment.style)
            for segment in segments
        ]


def is_harmless(text: str) -> bool:
    """Return whether a text has only printable characters."""
    return text.isprintable() and (text.isascii() or printable(text) == text)


def _make_inert(segment: Segment) -> Segment:
    """Return an escaped segment of the same width."""
    return Segment(set_cell_size(printable(segment.text), segment.cell_length), segment.style)


class TerminalOutput:
    """A stream whose writes never fail."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush the stream, if possible."""
        with suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def outlive_terminal() -> None:
    """Let drivers write to a closed stream without waiting or raising."""
    screen = sys.__stdout__
    if isinstance(screen, TextIOWrapper):
        screen.reconfigure(errors="backslashreplace")  # As for stderr: no character can stop the drawing.
    vars(sys)["__stderr__"] = TerminalOutput(screen)
