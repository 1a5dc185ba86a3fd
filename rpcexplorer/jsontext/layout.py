"""Indented or compact JSON text; each token keeps its spelling."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from io import BytesIO
from typing import AnyStr, Final, NamedTuple

import msgspec

from rpcexplorer.jsontext.scan import SPACE, STRING, is_value
from rpcexplorer.jsontext.slices import LEVELS as SLICE_LEVELS
from rpcexplorer.jsontext.slices import Slice, Text, closing, in_string, slices
from rpcexplorer.patterns import regex

LEVELS: Final = SLICE_LEVELS
"""Deeper levels stay on one line: 100,000 of them would need gigabytes."""
INDENT: Final = 2
COMPACT: Final = -1
"""An indentation that means no whitespace at all."""
MAX_RECENT: Final = 16
"""Slices in memory, about 4 MB: more than the rows of a screen need."""
_PIECE = regex(rf'{STRING}|[^\s\[\]{{}},:"]++|\[{SPACE}\]|\{{{SPACE}\}}|[\[\]{{}},:]')
_BLANK = regex(rf"({STRING})|[ \t\n\r]++")


class Piece(NamedTuple):
    """A part of the indented text."""

    text: bytes
    broken: bool
    """A string contains a raw line break, so not every line is an item."""
    part: Slice
    """The slice of the original text."""
    is_native: bool
    """Indented by msgspec; the other way takes a hundred times as long."""


def indented(text: AnyStr) -> AnyStr:
    """Return the text with one item a line; unchanged if it is not JSON."""
    return _whole(text, INDENT)


def compact(text: AnyStr) -> AnyStr:
    """Return the text without whitespace between its tokens."""
    return _whole(text, COMPACT)


def pieces(text: Text, indent: int = INDENT) -> Iterator[Piece | None]:
    """Yield the indented text in pieces; None at the end if it is not JSON."""
    for part in slices(text):
        piece = _piece(text, part, indent)
        yield piece
        if piece is None:
            return


def _piece(text: Text, part: Slice, indent: int) -> Piece | None:
    value = part.value(text)
    native = _native(value, indent) if part.depth <= LEVELS else None
    broken = native is None and b"\n" in value and b"\n" in (_lenient(value, COMPACT) or b"")
    laid_out = native
    if native is None:
        laid_out = _lenient(value, indent)
    first, last = _opening(part, indent), _closing(part, indent)
    if laid_out is None or not (laid_out.startswith(first) and laid_out.endswith(last)):
        return None
    comma = b""
    if part.start and not in_string(part.before):
        comma = b"," + _line(len(part.before), indent, flat=b" ")
    return Piece(comma + laid_out[len(first) : len(laid_out) - len(last)], broken, part, native is not None)


class Layout:
    """Indented text like bytes, with a length and slices by offset.

    Only a few slices are in memory. Another one is indented again in half a millisecond. All of them would need twice
    the memory of the text.
    """

    def __init__(self, text: Text) -> None:
        """Start without slices."""
        self._text = text
        self._parts: list[Slice | bytes] = []
        self._starts = [0]
        self._recent: dict[int, bytes] = {}

    def __len__(self) -> int:
        return self._starts[-1]

    @property
    def is_in_memory(self) -> bool:
        """Return whether every slice is in memory."""
        return len(self._recent) == len(self._parts)

    def add(self, piece: Piece) -> None:
        """Add the next piece; one that takes long to indent stays in memory."""
        self._remember(len(self._parts), piece.text)
        self._parts.append(piece.part if piece.is_native else piece.text)
        self._starts.append(len(self) + len(piece.text))

    def __getitem__(self, offsets: slice) -> bytes:
        start, stop, _ = offsets.indices(len(self))
        nth = bisect_right(self._starts, start) - 1
        first = self._starts[nth]
        if start < stop <= self._starts[nth + 1]:
            return self._slice(nth)[start - first : stop - first]
        text = BytesIO()
        while start < stop:
            start += text.write(self._slice(nth)[start - first : stop - first])
            first, nth = start, nth + 1
        return text.getvalue()

    def _slice(self, nth: int) -> bytes:
        text = self._recent.pop(nth, None)
        if text is None:
            part = self._parts[nth]
            text = part if isinstance(part, bytes) else self._lay_out(part)
        self._remember(nth, text)
        return text

    def _lay_out(self, part: Slice) -> bytes:
        piece = _piece(self._text, part, INDENT)
        assert piece is not None  # It was indented before.
        return piece.text

    def _remember(self, nth: int, text: bytes) -> None:
        self._recent[nth] = text
        if len(self._recent) > MAX_RECENT:
            del self._recent[next(iter(self._recent))]


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
    """Return the indented brackets that are open before a slice."""
    name = b'"":' if indent == COMPACT else b'"": '
    laid_out = b""
    for level, sign in enumerate(map(chr, part.before), start=1):
        if laid_out.rstrip().endswith(b"{"):
            laid_out += name
        laid_out += sign.encode()
        if sign != '"':
            laid_out += _line(level, indent)
    return laid_out


def _closing(part: Slice, indent: int) -> bytes:
    """Return the indented brackets that close them after a slice."""
    laid_out = b""
    level = len(part.after)
    for sign in map(chr, closing(part.after)):
        if sign != '"':
            laid_out += _line(level, indent, closes=True)
        laid_out += sign.encode()
        level -= 1
    return laid_out


def _native(text: bytes, indent: int) -> bytes | None:
    """Return the text as msgspec indents it, or None if it refuses the text.

    It also refuses valid text: lone surrogate escapes, and nesting beyond the interpreter's recursion limit.
    """
    try:
        return msgspec.json.format(text, indent=indent)
    except (msgspec.DecodeError, RecursionError):
        return None


def _lenient(text: bytes, indent: int) -> bytes | None:
    """Indent text that msgspec refuses; None if it is not even loosely JSON."""
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
    """Return a line break and indentation, or `flat` if it is too deep."""
    if indent == COMPACT:
        return b""
    if level > LEVELS:
        return flat
    if closes:
        level -= 1
    return b"\n" + b" " * (indent * level)
