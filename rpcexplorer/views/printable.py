"""The exit of this wing: outside text in a spelling that no terminal obeys and no reader overlooks.

Everything in `views/` that shows text from outside ends here. What is not printable is decided in one place,
`is_printable`, and nowhere else in the program.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import category

UNPRINTABLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control, format, lone surrogate, private use, unassigned, line and paragraph separator."""

_HIDDEN = re.compile(  # letters and marks by category, but without any shape
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_EMOJI_STYLE = frozenset("\ufe0e\ufe0f")
_PICTURES = {chr(code): chr(0x2400 + code) for code in range(0x20)} | {"\x7f": "␡"}
_ASCII_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_CONTROLS_IN_LINES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NOT_UTF8 = re.compile(r"[\udc80-\udcff]")
_ROW = 16


def is_printable(char: str) -> bool:
    """Whether a character has a shape of its own and does nothing but stand there."""
    return category(char) not in UNPRINTABLE and not _HIDDEN.match(char)


def printable(text: str, *, lines: bool = False) -> str:
    """The text with all that is not printable made visible; with `lines`, newline and tab stay.

    ESC and its like become pictures (␛), the rest ``\\u202e`` or ``\\U000e0001``. Joined emoji come apart, as the
    joiner is invisible; only the selector of an emoji's style stays, right after a symbol, where it can hide nothing.
    """
    if text.isascii():
        controls = _CONTROLS_IN_LINES if lines else _ASCII_CONTROLS
        return controls.sub(lambda found: _PICTURES[found[0]], text)
    kept = "\n\t" if lines else ""
    strange = [char for char in set(text) if char not in kept and not is_printable(char)]
    if not strange:
        return text
    return re.sub(f"[{re.escape(''.join(strange))}]", _made_visible, text)


def _made_visible(found: re.Match[str]) -> str:
    char, at = found[0], found.start()
    if char in _EMOJI_STYLE and at and category(found.string[at - 1]) in {"So", "Sm"}:
        return char
    if char in _PICTURES:
        return _PICTURES[char]
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def printable_bytes(body: bytes) -> str:
    """A body as text where it is UTF-8, else as rows of offset, bytes in hex, and the ASCII among them."""
    text = body.decode("utf-8", "surrogateescape")
    if _NOT_UTF8.search(text):
        return "\n".join(_row(body, start) for start in range(0, len(body), _ROW))
    return printable(text, lines=True)


def _row(body: bytes, start: int) -> str:
    part = body[start : start + _ROW]
    half = _ROW // 2
    left, right = part[:half].hex(" "), part[half:].hex(" ")
    shown = "".join(chr(byte) if 0x20 <= byte < 0x7F else "·" for byte in part)
    return f"{start:08x}  {left:<23}  {right:<23}  {shown}"
