"""JSON text laid out or made compact; each token keeps its spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import AnyStr, Final, NamedTuple

import msgspec

from rpcexplorer.jsontext.scan import SPACE, STRING, is_value
from rpcexplorer.jsontext.slices import LEVELS as SLICE_LEVELS
from rpcexplorer.jsontext.slices import Slice, Text, closing, in_string, slices

LEVELS: Final = SLICE_LEVELS
"""Deeper levels stay on one line: indenting each of 100,000 levels would turn 200 kB into gigabytes."""
COMPACT: Final = -1
"""As an indentation: no whitespace at all."""
_PIECE = re.compile(rf'{STRING}|[^\s\[\]{{}},:"]++|\[{SPACE}\]|\{{{SPACE}\}}|[\[\]{{}},:]')
_BLANK = re.compile(rf"({STRING})|[ \t\n\r]++")


class Piece(NamedTuple):
    """A stretch of laid-out text."""

    text: bytes
    broken: bool
    """A raw line break stands inside a string, as some servers write it: not every line is an item."""


def indented(text: AnyStr, indent: int = 2) -> AnyStr:
    """Return the text with one item a line, each token as typed; text that is not JSON stays as it is."""
    return _whole(text, indent)


def compact(text: AnyStr) -> AnyStr:
    """The text without whitespace between its tokens."""
    return _whole(text, COMPACT)


def pieces(text: Text, indent: int = 2) -> Iterator[Piece | None]:
    """The laid-out text piece by piece; None, and then no more, where it turns out that the text is not JSON."""
    for part in slices(text):
        value = part.value(text)
        laid_out = _native(value, indent) if part.depth <= LEVELS else None
        broken = laid_out is None and b"\n" in value and b"\n" in (_lenient(value, COMPACT) or b"")
        if laid_out is None:
            laid_out = _lenient(value, indent)
        first, last = _opening(part, indent), _closing(part, indent)
        if laid_out is None or not (laid_out.startswith(first) and laid_out.endswith(last)):
            yield None
            return
        goes_on = not part.start or in_string(part.before)
        comma = b"" if goes_on else b"," + _line(len(part.before), indent, flat=b" ")
        yield Piece(comma + laid_out[len(first) : len(laid_out) - len(last)], broken)


def _whole(text: AnyStr, indent: int) -> AnyStr:
    if isinstance(text, str):
        return _whole(text.encode("utf-8", "surrogatepass"), indent).decode("utf-8", "surrogatepass")
    laid_out = BytesIO()
    for piece in pieces(text, indent):
        if piece is None:
            return text
        laid_out.write(piece.text)
    return laid_out.getvalue()


def _opening(part: Slice, indent: int) -> bytes:
    """How what is open before a slice is laid out."""
    name = b'"":' if indent == COMPACT else b'"": '
    laid_out = b""
    for level, sign in enumerate(map(chr, part.before), start=1):
        laid_out += name if laid_out.rstrip().endswith(b"{") else b""
        laid_out += b'"' if sign == '"' else sign.encode() + _line(level, indent)
    return laid_out


def _closing(part: Slice, indent: int) -> bytes:
    """How what closes it behind a slice is laid out."""
    levels = range(len(part.after), 0, -1)
    signs = map(chr, closing(part.after))
    return b"".join(
        b'"' if sign == '"' else _line(level, indent, closes=True) + sign.encode()
        for level, sign in zip(levels, signs, strict=True)
    )


def _native(text: bytes, indent: int) -> bytes | None:
    """Let msgspec lay it out; None where msgspec refuses the text.

    It refuses more than what is wrong: lone surrogate escapes, and nesting beyond the interpreter's recursion
    limit. There is no way to ask it beforehand, so its exceptions end here.
    """
    try:
        return msgspec.json.format(text, indent=indent)
    except (msgspec.DecodeError, RecursionError):
        return None


def _lenient(text: bytes, indent: int) -> bytes | None:
    """What msgspec would write, for text that it refuses; None where it is not JSON, even leniently read."""
    characters = text.decode("utf-8", "surrogateescape")
    if not is_value(characters):
        return None
    laid_out = _BLANK.sub(r"\1", characters) if indent == COMPACT else _indented(characters, indent)
    return laid_out.encode("utf-8", "surrogateescape")


def _indented(text: str, indent: int) -> str:
    level = 0
    parts: list[str] = []
    for found in _PIECE.finditer(text):
        piece = found[0]
        if piece[0] in "[{" and len(piece) > 1:
            piece = piece[0] + piece[-1]
        elif piece in ("[", "{"):
            level += 1
            piece += _line(level, indent).decode()
        elif piece in ("]", "}"):
            piece = _line(level, indent, closes=True).decode() + piece
            level -= 1
        elif piece == ",":
            piece = "," + _line(level, indent, flat=b" ").decode()
        elif piece == ":":
            piece = ": "
        parts.append(piece)
    return "".join(parts)


def _line(level: int, indent: int, *, closes: bool = False, flat: bytes = b"") -> bytes:
    """The break and the spaces for a line inside `level` containers; `flat` where the level is too deep for one."""
    if indent == COMPACT:
        return b""
    if level > LEVELS:
        return flat
    return b"\n" + b" " * (indent * (level - closes))
