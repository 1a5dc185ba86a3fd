"""JSON text laid out anew: indented for reading or compacted for sending; no token changes its spelling.

What lives here moves whitespace and nothing else. msgspec does it at native speed for what it accepts; the rest
(NaN, lone surrogates, great depth) is laid out here, in the same style. Text that is not JSON comes back as it
is. What must not live here: judging the text (`text.py`) or taking it apart (`scan.py`).
"""

from __future__ import annotations

import re
from typing import AnyStr, Final

import msgspec

from rpcexplorer.protocol.scan import SPACE, STRING, depth, is_value

LEVELS: Final = 64
"""Deeper levels stay on one line: indenting each of 100,000 levels would turn 200 kB into gigabytes."""

_PIECE = re.compile(rf'{STRING}|[^\s\[\]{{}},:"]++|\[{SPACE}\]|\{{{SPACE}\}}|[\[\]{{}},:]')
_BLANK = re.compile(rf"({STRING})|[ \t\n\r]++")


def indented(text: AnyStr, indent: int = 2) -> AnyStr:
    """The text with one item a line; an empty container stays on its line."""
    if isinstance(text, bytes):
        laid_out = indented(text.decode("utf-8", "surrogateescape"), indent)
        return laid_out.encode("utf-8", "surrogateescape")
    if depth(text) <= LEVELS and (native := _native(text, indent)) is not None:
        return native
    return _indented(text, indent) if is_value(text) else text


def compact(text: AnyStr) -> AnyStr:
    """The text without whitespace between its tokens."""
    if isinstance(text, bytes):
        laid_out = compact(text.decode("utf-8", "surrogateescape"))
        return laid_out.encode("utf-8", "surrogateescape")
    if (native := _native(text, -1)) is not None:
        return native
    return _BLANK.sub(r"\1", text) if is_value(text) else text


def _native(text: str, indent: int) -> str | None:
    """Let msgspec lay it out; None where msgspec refuses the text.

    It refuses more than what is wrong: lone surrogate escapes, and nesting beyond the interpreter's recursion
    limit. There is no way to ask it beforehand, so its exceptions end here.
    """
    try:
        return msgspec.json.format(text, indent=indent)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None


def _indented(text: str, indent: int) -> str:
    """What msgspec would write, for text that it refuses."""
    level = 0
    parts: list[str] = []
    for found in _PIECE.finditer(text):
        piece = found[0]
        if piece[0] in "[{" and len(piece) > 1:
            piece = piece[0] + piece[-1]
        elif piece in ("[", "{"):
            level += 1
            piece += _line(level, indent)
        elif piece in ("]", "}"):
            piece = _line(level, indent, closing=True) + piece
            level -= 1
        elif piece == ",":
            piece = "," + _line(level, indent, flat=" ")
        elif piece == ":":
            piece = ": "
        parts.append(piece)
    return "".join(parts)


def _line(level: int, indent: int, *, closing: bool = False, flat: str = "") -> str:
    """The break and the spaces for a line inside `level` containers; `flat` where the level is too deep for one."""
    if level > LEVELS:
        return flat
    return "\n" + " " * (indent * (level - closing))
