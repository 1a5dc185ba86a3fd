"""Input, output and driver of the terminal."""

from __future__ import annotations

import os
import re
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
from textual.events import Key, MouseEvent, Paste, Resize
from textual.filter import LineFilter
from textual.message import Message

from rpcexplorer.patterns import regex
from rpcexplorer.text.printable import printable
from rpcexplorer.tui.key_queue import LEAST, TypedText, text_at

TORN_SECONDS: Final = 0.5
"""After this time, the rest of a character will not come."""
PAUSE_SECONDS: Final = 1.0
"""After this time without a byte, a paste is over, even without its end."""
COUNTED_SECONDS: Final = 5.0
"""The bytes of a paste are counted for this time: typing may continue."""
MIN_PASTED_BYTES: Final = 1_000
"""A paste brings more bytes in this time, even over a slow line."""
NEXT_SECONDS: Final = 0.1
"""Within this time, more text belongs to the text before it."""
ALT: Final = regex("\x1b([ac-eg-z])")
"""A letter with Alt. Longer sequences do not begin like this.

B and F are arrows with Ctrl, which the parser knows.
"""
MAX_SIDE: Final = 2_000
"""No terminal has as many columns or lines."""
NOT_UTF8: Final = regex("[\udc80-\udcff]")
"""The marks of Python's decoder for invalid bytes."""


class TerminalInput:
    """Turns bytes of the terminal into messages, with timeouts."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._parser = XTermParser()
        self._decoder = getincrementaldecoder("utf-8")("surrogateescape")
        self._last = 0.0
        """Time of the last bytes."""
        self._end = ""
        """The last characters, which may be the beginning of a mark."""
        self._pasted: list[str] | None = None
        """The pieces of an open paste."""
        self._since, self._count = 0.0, 0
        """Start of counting the bytes of a paste, and their number."""
        self._text_until = 0.0
        """Until this time, letters belong to the text before them."""

    def feed(self, data: bytes) -> list[Message]:
        """Return the messages for some bytes, as far as they are complete."""
        self._last = self._clock()
        self._count += len(data)
        return self._messages_of(self._decoder.decode(data))

    def tick(self) -> list[Message]:
        """Return the messages that are due to timeouts.

        Call this several times a second.
        """
        now, found = self._clock(), list[Message]()
        if self._decoder.getstate()[0] and now - self._last >= TORN_SECONDS:
            found += self._messages_of(self._decoder.decode(b"", final=True))
        if self._pasted is not None and self._is_over(now):
            found += self._paste()
        with suppress(Exception):
            found += self._parser.tick()
        return [message for message in found if _is_possible(message)]

    def finish(self) -> list[Message]:
        """Return an unfinished paste when reading ends."""
        return [] if self._pasted is None else self._paste()

    def _messages_of(self, text: str) -> list[Message]:
        """Return the messages for decoded text.

        Pasted text does not go to the parser, which would read escapes in it as keys.
        """
        text, found = NOT_UTF8.sub(_decode_western, text), list[Message]()
        while text:
            pasting = self._pasted is not None
            piece, marked, text = self._until(BRACKETED_PASTE_END if pasting else BRACKETED_PASTE_START, text)
            if self._pasted is not None:
                self._pasted.append(piece)
                found += self._paste() if marked else []
            else:
                # The parser has seen the start of the paste. The end at once makes it an empty one.
                found += self._keys(piece + BRACKETED_PASTE_END if marked else piece)
                self._pasted = [] if marked else None
                self._since, self._count = self._last, 0
        return [message for message in found if _is_possible(message)]

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

    def _paste(self) -> list[Message]:
        text = "".join(self._pasted or ()).removesuffix(BRACKETED_PASTE_END)
        self._pasted, self._end = None, ""
        return [Paste(text.replace("\0", ""))]

    def _is_over(self, now: float) -> bool:
        """Return whether a paste has ended: too few bytes came lately."""
        if now - self._last >= PAUSE_SECONDS:
            return True
        if now - self._since < COUNTED_SECONDS:
            return False
        few, self._since, self._count = self._count < MIN_PASTED_BYTES, now, 0
        return few

    def _keys(self, text: str) -> list[Message]:
        """Return keys, mouse events, terminal answers and long text."""
        found, at = list[Message](), 0
        least = 1 if self._last <= self._text_until else LEAST
        while at < len(text):
            if typed := text_at(text, at, least) if self._is_at_rest else "":
                found.append(TypedText(typed))
                self._text_until = self._last + NEXT_SECONDS
                at += len(typed)
            elif alt := ALT.match(text, at) if self._is_at_rest else None:
                # The parser would wait for more, and read the next key as text.
                found.append(Key(f"alt+{alt[1]}", None))
                self._text_until = 0.0
                at += len(alt[0])
            else:
                found += self._parsed(text[at])
                self._text_until = 0.0
                at += 1
            least = LEAST
        return found

    @property
    def _is_at_rest(self) -> bool:
        """Whether the parser is in no sequence, so that a letter is a letter."""
        return self._parser._awaiting.timeout is None  # noqa: SLF001 - only the parser knows

    def _parsed(self, character: str) -> list[Message]:
        """Return the messages for one more character.

        A sequence that the parser cannot read is dropped.
        """
        with suppress(Exception):  # Invalid numbers, characters or window sizes raise different errors.
            return list(self._parser.feed(character))
        # Reset only the base parser: the state of the mouse stays.
        super(XTermParser, self._parser).__init__()
        return []


def _decode_western(found: re.Match[str]) -> str:
    """Return the character that a terminal without UTF-8 means, if any."""
    return bytes([ord(found[0]) - 0xDC00]).decode("cp1252", "ignore")


def _is_possible(message: Message) -> bool:
    """Return whether a message is possible: windows have a sensible size."""
    if isinstance(message, Resize):
        return 0 < message.size.width <= MAX_SIDE and 0 < message.size.height <= MAX_SIDE
    if isinstance(message, MouseEvent):
        return message.x <= MAX_SIDE and message.y <= MAX_SIDE
    return not isinstance(message, Paste) or bool(message.text)


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
                for message in (*(read.feed(data) if data else ()), *read.tick()):
                    self.process_message(message)
            for message in (*read.finish(), *([TerminalGone()] if data == b"" else [])):
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
