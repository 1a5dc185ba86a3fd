"""What comes from a terminal, as messages: whatever bytes they are, nothing fails and nothing waits for ever.

Textual's parser knows the keys. Bytes that are no UTF-8 and what is pasted never reach it: the first would end the
thread that reads, the second it would wait for without an end. Nothing here reads or knows a driver.
"""

from __future__ import annotations

import re
import time
from codecs import getincrementaldecoder
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.events import Key, MouseEvent, Paste, Resize
from textual.message import Message

from rpcexplorer.tui.terminal.typed_text import LEAST, TypedText, text_at

TORN: Final = 0.5
"""Seconds after which the rest of a character will not come any more."""
PAUSE: Final = 1.0
"""Seconds without a byte after which a paste is over, though nothing said so."""
WHILE: Final = 5.0
"""Seconds for which the bytes of a paste are counted; whoever types meanwhile lets it have no pause."""
PASTED: Final = 1_000
"""Bytes that come in this time at least while somebody pastes, also over a slow line; nobody types as many."""
NEXT: Final = 0.1
"""Seconds within which what comes after a text that nobody typed still belongs to it."""
ALT: Final = re.compile("\x1b([ac-eg-z])")
"""A letter with alt. No terminal begins anything longer so; b and f are arrows with ctrl, which the parser knows."""
SIDE: Final = 2_000
"""Columns or lines that no terminal has."""
NOT_UTF8: Final = re.compile("[\udc80-\udcff]")
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

    def feed(self, came: bytes) -> list[Message]:
        """What some bytes mean, as far as that can be said yet."""
        self._last = self._clock()
        self._count += len(came)
        return self._meant(self._decoder.decode(came))

    def tick(self) -> list[Message]:
        """What is meant by that which did not go on. To be asked several times a second."""
        now, found = self._clock(), list[Message]()
        if self._decoder.getstate()[0] and now - self._last >= TORN:
            found += self._meant(self._decoder.decode(b"", final=True))
        if self._pasted is not None and self._is_over(now):
            found += self._paste()
        with suppress(Exception):
            found += self._parser.tick()
        return [each for each in found if _can_be(each)]

    def finish(self) -> list[Message]:
        """What is left when nobody reads any more: a paste without an end is not lost."""
        return [] if self._pasted is None else self._paste()

    def _meant(self, text: str) -> list[Message]:
        """What is typed goes to the parser, what is pasted does not: it would take escapes in it for keys."""
        text, found = NOT_UTF8.sub(_western, text), list[Message]()
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
        return [each for each in found if _can_be(each)]

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
        if now - self._last >= PAUSE:
            return True
        if now - self._since < WHILE:
            return False
        few, self._since, self._count = self._count < PASTED, now, 0
        return few

    def _keys(self, text: str) -> list[Message]:
        """Keys, mouse, answers of the terminal, and text that is too long for anybody to have typed it."""
        found, at = list[Message](), 0
        least = 1 if self._last <= self._text_until else LEAST
        while at < len(text):
            if typed := text_at(text, at, least) if self._is_at_rest else "":
                found.append(TypedText(typed))
                self._text_until = self._last + NEXT
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


def _western(found: re.Match[str]) -> str:
    """The letter that a terminal means which knows no UTF-8; five of the bytes are none."""
    return bytes([ord(found[0]) - 0xDC00]).decode("cp1252", "ignore")


def _can_be(message: Message) -> bool:
    """Whether there can be such a thing: no window is empty, or as large as a number can be."""
    if isinstance(message, Resize):
        return 0 < message.size.width <= SIDE and 0 < message.size.height <= SIDE
    if isinstance(message, MouseEvent):
        return message.x <= SIDE and message.y <= SIDE
    return not isinstance(message, Paste) or bool(message.text)
