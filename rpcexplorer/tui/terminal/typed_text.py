"""Letters and line breaks that came at once: what a terminal sends that does not mark a paste as one.

Key by key such a text would take minutes, and be taken for typing: brackets closed, lines indented anew. What becomes
of it is decided where it goes, see ``tui/keyboard.py``; nothing here knows a screen.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from textual._xterm_parser import XTermParser
from textual.events import Event, Key

LEAST: Final = 64
"""Characters; a slow line delivers some dozen keys at once, and nobody types as many as these."""
BREAKS: Final = "\r\n"
"""What ends a line: Enter is the first of them."""
_TEXT: Final = re.compile(r"[^\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]*")


class TypedText(Event):
    """So many letters and line breaks that nobody can have typed them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        """What came."""

    def first_key(self) -> Key:
        key = key_of(self.text[0]).copy()
        key.time = self.time
        return key

    def from_on(self, at: int) -> TypedText | None:
        """What is left of it from a character on, which came when all of it came."""
        if at >= len(self.text):
            return None
        rest = TypedText(self.text[at:])
        rest.time = self.time
        return rest

    def with_more(self, more: TypedText) -> TypedText:
        """It and what came right after it, as one."""
        both = TypedText(self.text + more.text)
        both.time = self.time
        return both


@lru_cache(1024)
def key_of(character: str) -> Key:
    """The key that a letter or a line break is by itself."""
    found = next(iter(XTermParser().feed(character)), None)
    return found if isinstance(found, Key) else Key(character, character)


def text_at(came: str, at: int, least: int = LEAST) -> str:
    """The letters and line breaks that stand in what came, from a place on; nothing where these are fewer."""
    found = _TEXT.match(came, at)
    return found[0] if found and len(found[0]) >= least else ""
