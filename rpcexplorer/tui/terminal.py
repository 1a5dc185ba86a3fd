"""Between Textual and the terminal: driver, guard, input, output."""

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
"""After this time the rest of a character will not come any more."""
PAUSE_SECONDS: Final = 1.0
"""After this time without a byte a paste is over, though nothing said so."""
COUNTED_SECONDS: Final = 5.0
"""The bytes of a paste are counted for this time; whoever types meanwhile lets it have no pause."""
MIN_PASTED_BYTES: Final = 1_000
"""So many come in this time while somebody pastes, also over a slow line; nobody types as many."""
NEXT_SECONDS: Final = 0.1
"""Within this time what comes after a text that nobody typed still belongs to it."""
ALT: Final = regex("\x1b([ac-eg-z])")
"""A letter with alt. No terminal begins anything longer so; b and f are arrows with ctrl, which the parser knows."""
MAX_SIDE: Final = 2_000
"""Columns or lines that no terminal has."""
NOT_UTF8: Final = regex("[\udc80-\udcff]")
"""How Python's decoder marks them."""


class TerminalInput:
    """Takes bytes as they come and is asked in between what time has made of them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._parser = XTermParser()
        self._decoder = getincrementaldecoder("utf-8")("surrogateescape")
        self._last = 0.0
        """When something came."""
        self._end = ""
        """The last characters, among which a mark may have begun."""
        self._pasted: list[str] | None = None
        """What came of a paste that is not over."""
        self._since, self._count = 0.0, 0
        """Since when the bytes of a paste are counted, and how many there were."""
        self._text_until = 0.0
        """Until when letters belong to the text before them, however few they are."""

    def feed(self, data: bytes) -> list[Message]:
        """Return what bytes mean, as far as that can be known yet."""
        self._last = self._clock()
        self._count += len(data)
        return self._messages_of(self._decoder.decode(data))

    def tick(self) -> list[Message]:
        """Return what time has made of bytes that did not go on. To be called several times a second."""
        now, found = self._clock(), list[Message]()
        if self._decoder.getstate()[0] and now - self._last >= TORN_SECONDS:
            found += self._messages_of(self._decoder.decode(b"", final=True))
        if self._pasted is not None and self._is_over(now):
            found += self._paste()
        with suppress(Exception):
            found += self._parser.tick()
        return [each for each in found if _is_possible(each)]

    def finish(self) -> list[Message]:
        """Return what is left when nobody reads any more: a paste without an end is not lost."""
        return [] if self._pasted is None else self._paste()

    def _messages_of(self, text: str) -> list[Message]:
        """What is typed goes to the parser, what is pasted does not: it would take escapes in it for keys."""
        text, found = NOT_UTF8.sub(_decode_western, text), list[Message]()
        while text:
            pasting = self._pasted is not None
            piece, marked, text = self._until(BRACKETED_PASTE_END if pasting else BRACKETED_PASTE_START, text)
            if self._pasted is not None:
                self._pasted.append(piece)
                found += self._paste() if marked else []
            else:
                # the parser has seen the mark as well: the other one at once is a paste of nothing
                found += self._keys(piece + BRACKETED_PASTE_END if marked else piece)
                self._pasted = [] if marked else None
                self._since, self._count = self._last, 0
        return [each for each in found if _is_possible(each)]

    def _until(self, mark: str, text: str) -> tuple[str, bool, str]:
        """The text up to and with a mark, which may have begun in what came before; whether it is there; the rest."""
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
        """Nothing came for a while, or no more than somebody types who waits for something to happen."""
        if now - self._last >= PAUSE_SECONDS:
            return True
        if now - self._since < COUNTED_SECONDS:
            return False
        few, self._since, self._count = self._count < MIN_PASTED_BYTES, now, 0
        return few

    def _keys(self, text: str) -> list[Message]:
        """Keys, mouse, answers of the terminal, and text that is too long for anybody to have typed it."""
        found, at = list[Message](), 0
        least = 1 if self._last <= self._text_until else LEAST
        while at < len(text):
            if typed := text_at(text, at, least) if self._is_at_rest else "":
                found.append(TypedText(typed))
                self._text_until = self._last + NEXT_SECONDS
                at += len(typed)
            elif alt := ALT.match(text, at) if self._is_at_rest else None:
                # the parser would wait for more, and take what comes with it for text: ^p
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
        """What one more character makes of those before it. A sequence that the parser cannot take is left out."""
        with suppress(Exception):  # numbers too large, no numbers, no such character, a window of no size
            return list(self._parser.feed(character))
        # only what every parser has begins anew: where the mouse was, and what it counts in, stays
        super(XTermParser, self._parser).__init__()
        return []


def _decode_western(found: re.Match[str]) -> str:
    """Return the letter that a terminal without UTF-8 means; five of the bytes are none."""
    return bytes([ord(found[0]) - 0xDC00]).decode("cp1252", "ignore")


def _is_possible(message: Message) -> bool:
    """Return whether there can be such a message: no window is empty, or as large as a number can be."""
    if isinstance(message, Resize):
        return 0 < message.size.width <= MAX_SIDE and 0 < message.size.height <= MAX_SIDE
    if isinstance(message, MouseEvent):
        return message.x <= MAX_SIDE and message.y <= MAX_SIDE
    return not isinstance(message, Paste) or bool(message.text)


TICK_SECONDS: Final = 0.1
PIECE_BYTES: Final = 64 * 1024


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
            data: bytes | None = None
            while data != b"" and not self.exit_event.is_set():
                data = self._read() if ready.select(TICK_SECONDS) else None
                for message in (*(read.feed(data) if data else ()), *read.tick()):
                    self.process_message(message)
            for message in (*read.finish(), *([TerminalGone()] if data == b"" else [])):
                self.process_message(message)

    def _read(self) -> bytes | None:
        """Return the next bytes; none if nothing will come any more, None if another program was faster."""
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
    """Replaces control characters in whatever a widget drew; its own escapes come later, from the styles."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        """The segments with nothing in them that a terminal would obey."""
        return [each if is_harmless(each.text) else _make_inert(each) for each in segments]


def is_harmless(text: str) -> bool:
    """Return whether nothing in the text can do anything but be seen."""
    return text.isprintable() and (text.isascii() or printable(text) == text)


def _make_inert(segment: Segment) -> Segment:
    """Return it visible, in as many columns as before: a line must not grow at the last moment."""
    return Segment(set_cell_size(printable(segment.text), segment.cell_length), segment.style)


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


def outlive_terminal() -> None:
    """Let drivers of Textual's draw on a stream that may be closed, or a file; else they wait or raise."""
    screen = sys.__stdout__
    if isinstance(screen, TextIOWrapper):
        screen.reconfigure(errors="backslashreplace")  # as stderr has it: no letter ends the drawing
    vars(sys)["__stderr__"] = TerminalOutput(screen)
