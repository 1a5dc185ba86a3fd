"""The lazy document behind the response pane: bytes as numbered lines, decoded where somebody looks.

A large text becomes a document in steps, so that whoever waits for it can do something else in between. Characters
are counted as they are shown: tabs as spaces, what cannot be printed as what stands for it. What must not live here:
folds (`rows.py`).
"""

from __future__ import annotations

from array import array
from codecs import utf_8_decode
from collections import deque
from collections.abc import Iterator
from functools import cached_property
from io import BytesIO
from typing import Final

from rpcexplorer.jsontext.layout import pieces
from rpcexplorer.jsontext.slices import Text, faults
from rpcexplorer.views.cells import columns
from rpcexplorer.views.document.lines import STEP, Lines, newlines_before
from rpcexplorer.views.document.longline import PART, LongLine, shown
from rpcexplorer.views.document.outline import Outline
from rpcexplorer.views.printable import _row as hex_row

SMALL: Final = 256 * 1024
"""Bytes; of a smaller text the widest line is measured, of a larger one estimated."""
HEX_ROW: Final = 16
"""Bytes on one row of what is no text."""
_LEAST_WIDEST = 80  # columns; no line of a larger text is looked for that is shorter
_GROWTH = 4  # columns that one byte takes at most, in a tab or \xff
_PRINTABLE_ASCII = bytes(range(0x20, 0x7F))
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Document:
    """Bytes as numbered lines, from 0; nothing is decoded before it is asked for."""

    is_hex = False
    """It is no text and shows its bytes as numbers; the rows of that are never wrapped."""

    complete = True
    """It is the whole; else the beginning of something large that is still being laid out."""

    def __init__(self, text: bytes, *, is_json: bool = False, newlines: array[int] | None = None) -> None:
        """``newlines``: how many come before each block, where they were counted in steps."""
        self.text = text
        """What is shown, or of a body that is no text the body; all offsets are into it."""
        self.is_json = is_json
        """It is laid-out JSON, perhaps several values in a row: folds, paths and colours make sense."""
        self.index = Lines(text, newlines)
        self._even = text.isascii() and b"\t" not in text  # so that each byte is one character
        self._long: dict[int, LongLine] = {}

    @classmethod
    def of_json(cls, body: Text) -> Document:
        """A body laid out if it is JSON, else as it is."""
        return _last(laid_out(body))

    @classmethod
    def raw(cls, body: Text) -> Document:
        return _last(as_it_is(body))

    @property
    def lines(self) -> int:
        return self.index.count

    @cached_property
    def outline(self) -> Outline:
        """The structure of laid-out JSON."""
        return Outline(self.index)

    def span(self, line: int) -> tuple[int, int]:
        """The offsets of a line in the text, without its newline."""
        return self.index.start(line), self.index.end(line)

    def line_at(self, offset: int) -> int:
        return self.index.at(offset)

    def line(self, line: int, start: int = 0, limit: int | None = None) -> str:
        """The printable text of a line, or `limit` characters of it from `start` on."""
        begin, end = self.span(line)
        if self._even:
            stop = end if limit is None else min(begin + start + limit, end)
            return shown(self.text[begin + start : stop])
        return self._pieces(begin, end).text(start, limit)

    def place(self, line: int, begin: int, end: int) -> tuple[int, int]:
        """Which characters of a line show the bytes from `begin` to `end`, as far as these are on it."""
        first, last = self.span(line)
        begin, end = max(begin, first), min(end, last)
        if self._even:
            return begin - first, end - first
        pieces = self._pieces(first, last)
        return pieces.characters_before(begin), pieces.characters_before(end)

    def size(self, begin: int, end: int) -> tuple[int, int]:
        """Of a line by its span: how many characters are shown, and the most columns that one takes, 1 or 2."""
        return (end - begin, 1) if self._even else self._pieces(begin, end).size()

    def width(self, line: int) -> int:
        """The columns a line takes; a very long line perhaps takes fewer."""
        begin, end = self.span(line)
        if self._even or end - begin > PART:
            characters, widest = self.size(begin, end)
            return characters * widest
        return columns(shown(self.text[begin:end]))

    @cached_property
    def widest(self) -> int:
        """No line takes more columns than this; of a large text perhaps none takes as many."""
        if len(self.text) > SMALL:
            return deque(self.index.longest_so_far(_LEAST_WIDEST), maxlen=1)[0] * self.growth
        return self.index.longest(0) if self._even else max(map(self.width, range(self.lines)))

    @cached_property
    def growth(self) -> int:
        """How many columns a byte takes at most: 1 unless something takes more room than it has bytes."""
        return max(self._growths())

    def measure(self) -> Iterator[None]:
        """Find out in steps what takes long in a large text and is wanted as soon as it is on view."""
        if len(self.text) <= SMALL:
            return
        for growth in self._growths():
            self.growth = growth
            yield
        for longest in self.index.longest_so_far(_LEAST_WIDEST):
            self.widest = longest * self.growth
            yield

    def _growths(self) -> Iterator[int]:
        """The growth of each part of the text; where it is not 1, that is all there is to know."""
        left = b""
        for start in range(0, 1 if self._even else len(self.text), STEP):
            rest = left + self.text[start : start + STEP].translate(None, _PRINTABLE_ASCII + b"\n")
            characters, read = utf_8_decode(rest, "surrogateescape", start + STEP >= len(self.text))
            left = rest[read:]
            found = (char.encode("utf-8", "surrogateescape") for char in set(characters))
            if not self._even and any(columns(shown(char)) > len(char) for char in found):
                yield _GROWTH
                return
            yield 1

    def _pieces(self, begin: int, end: int) -> LongLine:
        """A line to be taken apart; what was found out about a very long one is kept."""
        if end - begin <= PART:
            return LongLine(self.text, begin, end)
        if begin not in self._long:
            self._long[begin] = LongLine(self.text, begin, end)
        return self._long[begin]


class Beginning(Document):
    """What can be shown of a large text while the rest is laid out."""

    complete = False


class HexDocument(Document):
    """A body that is no text: rows of offset, bytes in hex, and the ASCII among them."""

    is_hex = True

    @property
    def lines(self) -> int:
        return max(-(-len(self.text) // HEX_ROW), 1)

    def span(self, line: int) -> tuple[int, int]:
        """The offsets of the bytes on a row."""
        return line * HEX_ROW, min((line + 1) * HEX_ROW, len(self.text))

    def line_at(self, offset: int) -> int:
        """The row that shows a byte."""
        return max(min(offset, len(self.text) - 1), 0) // HEX_ROW

    def line(self, line: int, start: int = 0, limit: int | None = None) -> str:
        return hex_row(self.text, line * HEX_ROW)[start : None if limit is None else start + limit]

    def place(self, line: int, begin: int, end: int) -> tuple[int, int]:
        """The columns of the numbers for some bytes."""
        first, last = self.span(line)
        begin, end = max(begin, first), max(min(end, last), begin)
        return _hex_column(begin - first), _hex_column(max(end - 1, begin) - first) + 2

    def size(self, begin: int, end: int) -> tuple[int, int]:
        """A row has one character to a column."""
        return len(hex_row(self.text[begin:end], 0)), 1

    def width(self, line: int) -> int:
        """The columns a row takes."""
        return self.size(*self.span(line))[0]

    @cached_property
    def widest(self) -> int:
        """All rows but the last are alike."""
        return self.width(0)


def _hex_column(nth: int) -> int:
    """Where on its row the number of the nth byte stands."""
    return 10 + 3 * nth + (nth >= HEX_ROW // 2)


# --- from a body to its document, in steps -----------------------------------------------------------------------


def laid_out(body: Text) -> Iterator[Document | None]:
    """A body laid out if it is JSON, else as it is: of a large one first its beginning, then nothing, at last all."""
    text = body[len(_BYTE_ORDER_MARK) :] if body[: len(_BYTE_ORDER_MARK)] == _BYTE_ORDER_MARK else body
    kept = BytesIO()
    broken = False  # by raw line breaks in strings: readable, but indentation would say nothing any more
    for number, piece in enumerate(pieces(text)):
        if piece is None:
            yield from as_it_is(body)
            return
        if number == 1:
            yield Beginning(kept.getvalue(), is_json=not broken)
        kept.write(piece.text)
        broken = broken or piece.broken
        yield None
    yield from _document(body, kept.getvalue(), is_json=not broken)


def as_it_is(body: Text) -> Iterator[Document | None]:
    yield from _document(body, bytes(body), is_json=False)


def _document(body: Text, text: bytes, *, is_json: bool) -> Iterator[Document | None]:
    """The document that shows a body as this text, or as rows of hex where the body is no text."""
    for fault in faults(body, cut=True):
        if fault is not None:
            yield HexDocument(bytes(body))
            return
        yield None
    newlines = None
    for counted in newlines_before(text):
        newlines = counted
        yield None
    document = Document(text, is_json=is_json, newlines=newlines)
    for _ in document.measure():
        yield None
    yield document


def _last(steps: Iterator[Document | None]) -> Document:
    document = deque(steps, maxlen=1)[0]
    assert document is not None
    return document
