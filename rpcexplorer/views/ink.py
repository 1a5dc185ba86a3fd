"""The colours of text on a plain terminal: the sixteen it has itself, so that they fit whatever theme it wears.

These are the only escape sequences this wing writes; they go around text that is already printable.
"""

from __future__ import annotations

from typing import Final, NewType

Ink = NewType("Ink", str)
"""The parameters of an SGR sequence."""
BOLD: Final = Ink("1")
DIM: Final = Ink("2")
"""Fainter than the text, on a dark and on a light ground alike; bright black would vanish on some."""
WRONG: Final = Ink("31")
WELL: Final = Ink("32")
CAREFUL: Final = Ink("33")
KEY: Final = Ink("36")
STRING: Final = Ink("32")
NUMBER: Final = Ink("33")
LITERAL: Final = Ink("35")
PUNCTUATION: Final = DIM


def inked(text: str, ink: Ink, *, colour: bool = True) -> str:
    """The text in this colour, or as it is where there are no colours."""
    return f"\x1b[{ink}m{text}\x1b[0m" if colour and text else text
