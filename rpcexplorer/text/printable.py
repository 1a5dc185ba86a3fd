"""External text without control characters, and its width in columns."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from unicodedata import category, east_asian_width

from rpcexplorer.patterns import regex

UNPRINTABLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of control, private and unassigned characters."""
_HIDDEN = regex(  # letters and marks by category, but without any shape
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_EMOJI_STYLE = regex("[\ufe0e\ufe0f]")
AS_EMOJI: Final = "\ufe0f"
"""After a symbol: it is drawn as an emoji, in two columns."""
SKIN_TONES: Final = frozenset("🏻🏼🏽🏾🏿")
"""Each colours the emoji before it. Most terminals, and Textual, draw both in two columns."""
_PICTURES = {chr(code): chr(0x2400 + code) for code in range(0x20)} | {"\x7f": "␡"}
_ASCII_CONTROLS = regex(r"[\x00-\x1f\x7f]")
_CONTROLS_IN_LINES = regex(r"[\x00-\x08\x0b-\x1f\x7f]")
"""Without tab and line break, which are the layout of a text."""
_NOT_UTF8 = regex(r"[\udc80-\udcff]")
"""Bytes that are not UTF-8, as ``surrogateescape`` decodes them."""
_CUT_SHORT = regex(r"[\udcc2-\udcf4][\udc80-\udcbf]{0,2}\Z")
"""The first bytes of a character, at the end of a text that was cut."""
_NOT_GRAPHIC = regex(r"[^ -~]")
HEX_ROW: Final = 16
"""Bytes on one row of binary data."""


def is_printable(char: str) -> bool:
    """Return whether a character is visible and has no other effect."""
    return category(char) not in UNPRINTABLE and not _HIDDEN.match(char)


def printable(text: str, *, lines: bool = False) -> str:
    r"""Return the text with its unprintable characters made visible.

    With `lines`, newline and tab stay. Control characters such as ESC become pictures (␛), others ``\u202e`` or
    ``\U000e0001``. Joined emoji are separated, because the joiner is invisible. The selector of an emoji's style stays
    only directly after a symbol, where it can hide nothing.
    """
    if text.isascii():
        controls = _CONTROLS_IN_LINES if lines else _ASCII_CONTROLS
        return controls.sub(lambda found: _PICTURES[found[0]], text)
    text = _EMOJI_STYLE.sub(_style, text)
    strange = {}
    for char in set(text):
        is_kept = char in "\ufe0e\ufe0f" or (lines and char in "\n\t")
        if not is_kept and not is_printable(char):
            strange[ord(char)] = _visible(char)
    return text.translate(strange) if strange else text  # Translating takes long.


def _visible(char: str) -> str:
    if char in _PICTURES:
        return _PICTURES[char]
    code = ord(char)
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\U{code:08x}"


def _style(found: re.Match[str]) -> str:
    before = found.string[max(found.start() - 1, 0) : found.start()]
    if before and category(before) in {"So", "Sm"}:
        return found[0]
    return _visible(found[0])


def readable(body: bytes) -> str | None:
    r"""A body as the text it is, not yet printable; None where it is not UTF-8.

    A last character that is not complete makes no difference, as bodies are cut at a size; it reads ``\xe2``.
    """
    text = body.decode("utf-8", "surrogateescape")
    cut = _CUT_SHORT.search(text, max(len(text) - 3, 0))
    if cut:
        text = text[: cut.start()] + "".join(f"\\x{ord(half) - 0xDC00:02x}" for half in cut[0])
    if _NOT_UTF8.search(text):
        return None
    return text


def printable_bytes(body: bytes) -> str:
    """Return a body as printable text, or as hex if it is not UTF-8.

    Rows of hex have an offset, the bytes, and their ASCII characters.
    """
    text = readable(body)
    if text is None:
        return "\n".join(hex_row(body, start) for start in range(0, len(body), HEX_ROW))
    return printable(text, lines=True)


def hex_row(body: bytes, start: int) -> str:
    part = body[start : start + HEX_ROW]
    half = HEX_ROW // 2
    left, right = part[:half].hex(" "), part[half:].hex(" ")
    shown = _NOT_GRAPHIC.sub("·", part.decode("latin-1"))
    return f"{start:08x}  {left:<23}  {right:<23}  {shown}"


def columns(text: str) -> int:
    """Return the columns of printable text: wide characters take two."""
    if text.isascii():
        return len(text)
    if AS_EMOJI not in text:
        return sum(map(_cells, text))
    return sum(_cells_at(text, at) for at in range(len(text)))


@lru_cache(4096)
def _cells(char: str) -> int:
    if category(char).startswith("M") or char in SKIN_TONES:
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def _cells_at(text: str, at: int) -> int:
    if at and text[at] == AS_EMOJI:
        return 2 - _cells(text[at - 1])
    return _cells(text[at])


def clipped(text: str, width: int) -> str:
    """Return one line of at most `width` columns, cut with an ellipsis."""
    text = printable(text)
    if columns(text) <= width:
        return text
    if width < 1:
        return ""
    left = width - 1
    for at in range(len(text)):
        left -= _cells_at(text, at)
        if left < 0:
            return text[:at] + "…"
    return text


def fitted(text: str, width: int) -> str:
    """The text cut, or padded on the right, to exactly `width` columns."""
    text = clipped(text, width)
    return text + " " * (width - columns(text))


WITHOUT_SIGNS: Final = frozenset({"dumb", "linux"})
"""Values of TERM for terminals whose font has no block characters, and few signs."""
_IN_ASCII: Final = str.maketrans(
    "▁▂▃▄▅▆▇█" + "·●┊━╌▸" + "✓✗⨯◌◐→←★▾○•…›‹│▌▍▏▐◉┄┤└─",  # noqa: RUF001 - the signs are meant
    ".:-=+*%#" + ".o|=->" + "vxxo%><*voo~><|||||@-++-",
)


def in_ascii(text: str) -> str:
    """Return our signs and pictures as ASCII, in the same columns."""
    return text.translate(_IN_ASCII)
