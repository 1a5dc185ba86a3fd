"""A response of any size as lines, decoded where they are on view."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Iterator
from functools import cache, cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import Final, NamedTuple, TypeAlias

from rpcexplorer.jsontext.layout import LEVELS, Layout, pieces
from rpcexplorer.jsontext.slices import Text, faults
from rpcexplorer.text.code import MAX_CHARACTERS, code_lines, markup_language
from rpcexplorer.text.printable import HEX_ROW, columns, hex_row, printable
from rpcexplorer.text.wrapping import WordLine, text_of

Span: TypeAlias = tuple[int, int]
"""Offsets in a text: of the first byte, and after the last."""
BLOCK: Final = 16_384
"""Bytes of a block. Newlines are counted per block."""
STEP: Final = 64 * BLOCK
"""Bytes processed in one step, which takes a millisecond or two."""
_KEPT = 64  # blocks that stay taken apart
_REACH = 2 * LEVELS + 2  # bytes from a newline on that say at which level the line after it is
_GROWTH = 4  # columns that one byte takes at most, in a tab or \xff
_PRINTABLE_ASCII = bytes(range(0x20, 0x7F))


class Measures:
    """Measures of a text in one pass. Add all parts, then ``finish``."""

    def __init__(self, *, is_json: bool = False) -> None:
        self.newlines = array("Q", [0])
        """How many come before each block, and at last how many there are."""
        self.levels = array("B")
        """For JSON: the outermost level with lines in each block, see ``Outline``."""
        self.level_counts = array("H")
        """How many newlines in the block are before lines at that level."""
        self.longest = 0
        """Bytes of the longest line."""
        self.growth = 1
        """Maximum columns per byte: above 1 only if escapes need more room."""
        self.is_even = True
        """Each byte is one character."""
        self._is_json = is_json
        self._rest = b""
        self._line = 0  # bytes of the line that is not over
        self._decoder = getincrementaldecoder("utf-8")("surrogateescape")

    @classmethod
    def of(cls, text: bytes, *, is_json: bool = False) -> Measures:
        measures = cls(is_json=is_json)
        deque(measures.add_all(text), maxlen=0)
        return measures

    def add_all(self, text: bytes) -> Iterator[None]:
        """Measure a whole text in steps."""
        for start in range(0, len(text), STEP):
            self.add(text[start : start + STEP])
            yield
        self.finish()

    def add(self, text: bytes) -> None:
        lengths = [*map(len, text.split(b"\n"))]
        lengths[0] += self._line
        self._line = lengths[-1]
        self.longest = max(self.longest, *lengths)
        if not text.isascii() or b"\t" in text:
            self.is_even = False
            self._look_for_growth(text)
        rest, at = self._rest + text, 0
        while len(rest) - at >= BLOCK + _REACH:
            self._add_block(rest, at)
            at += BLOCK
        self._rest = rest[at:]

    def finish(self) -> None:
        for at in range(0, len(self._rest), BLOCK):
            self._add_block(self._rest, at)
        self._rest = b""
        self._look_for_growth(b"", final=True)

    def _look_for_growth(self, text: bytes, *, final: bool = False) -> None:
        if self.growth == 1:
            characters = self._decoder.decode(text.translate(None, _PRINTABLE_ASCII + b"\n"), final)
            encoded = (char.encode("utf-8", "surrogateescape") for char in set(characters))
            if any(columns(shown(char)) > len(char) for char in encoded):
                self.growth = _GROWTH

    def _add_block(self, text: bytes, start: int) -> None:
        """Count the newlines of a block, and those at its outermost level."""
        count = text.count(b"\n", start, start + BLOCK)
        self.newlines.append(self.newlines[-1] + count)
        if self._is_json:
            level = self.levels[-1] if self.levels else 0
            found = _count_at(level, text, start, count)
            while level and (outer := _count_at(level - 1, text, start, count)):
                level, found = level - 1, outer
            while count and not found:
                level += 1
                found = _count_at(level, text, start, count)
            self.levels.append(level)
            self.level_counts.append(found)


class Lines:
    """Numbered lines, from 0. A final newline does not start another line."""

    def __init__(self, text: bytes | Layout, newlines: array[int]) -> None:
        """``newlines``: how many come before each block, as ``Measures`` has them."""
        self.text = text
        self._before = newlines
        self._breaks = self._before[-1]
        self.count = self._breaks + (text[-1:] != b"\n")
        self._apart: dict[int, list[int]] = {}

    def start(self, line: int) -> int:
        """The offset of its first byte."""
        return self._newline(line - 1) + 1 if line else 0

    def end(self, line: int) -> int:
        """Return the offset of the newline after a line."""
        return self._newline(line) if line < self._breaks else len(self.text)

    def at(self, offset: int) -> int:
        """The line an offset is on; a newline is on the line that it ends."""
        offset = max(min(offset, len(self.text)), 0)
        block = offset // BLOCK
        return min(self._before[block] + self.text[block * BLOCK : offset].count(b"\n"), self.count - 1)

    def pieces(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the lines from `start` to before `end` in runs of about a block.

        The cuts do not depend on the range. Line 0 has its own run, because it is the only line without a newline
        before it.
        """
        while start < end:
            block = bisect_right(self._before, start - 1) if start else 0
            cut = self._before[block] + 1 if block < len(self._before) else end
            yield start, min(cut, end)
            start = cut

    def pieces_before(self, end: int) -> Iterator[tuple[int, int]]:
        """The runs of ``pieces``, from before `end` back to line 0."""
        while end > 0:
            start = self._before[bisect_right(self._before, end - 2) - 1] + 1 if end > 1 else 0
            yield start, end
            end = start

    def block(self, start: int, end: int) -> int | None:
        """Return the block with the newlines before the lines of a run.

        Return None for a part of a run, and for line 0.
        """
        block = bisect_right(self._before, start - 1) - 1
        is_whole = self._before[block] == start - 1 and self._before[block + 1] == end - 1
        return block if is_whole else None

    def _newline(self, number: int) -> int:
        block = bisect_right(self._before, number) - 1
        nth = number - self._before[block]
        if nth:
            return self._newlines(block)[nth]
        start = block * BLOCK
        return start + self.text[start : start + BLOCK].find(b"\n")

    def _newlines(self, block: int) -> list[int]:
        found = self._apart.get(block)
        if found is None:
            if len(self._apart) >= _KEPT:
                self._apart.pop(next(iter(self._apart)))
            start = block * BLOCK
            lengths = map(len, self.text[start : start + BLOCK].split(b"\n")[:-1])
            found = self._apart[block] = [at + start + nth for nth, at in enumerate(accumulate(lengths))]
        return found


PART: Final = 16_384
"""Bytes that are decoded at a time."""
TAB: Final = "    "
"""Replaces a tab everywhere, so that columns can be counted."""
_WIDE: Final = (  # all that takes two columns, and some that do not: a search is quicker than a count
    "[\u1100-\u115f\u231a-\u23ff\u25fd-\u27bf\u2b00-\u2bff\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3"
    "\uf900-\ufaff\ufe10-\ufe6f\uff01-\uff60\uffe0-\uffe6\U00016fe0-\U0010ffff]"
)


def part(text: str, start: int, limit: int | None) -> str:
    """Return up to ``limit`` characters from ``start`` on."""
    return text[start:] if limit is None else text[start : start + limit]


def shown(content: bytes) -> str:
    r"""Return printable text; bytes that are not UTF-8 become ``\xff``."""
    return printable(content.decode("utf-8", "backslashreplace").replace("\t", TAB))


class LongLine:
    """One line, by offsets into a text, decoded only as far as needed."""

    def __init__(self, text: bytes | Layout, begin: int, end: int) -> None:
        self._text = text
        self._end = end
        self._cuts = [begin]
        self._before = [0]  # characters before each cut
        self._widest = 1

    def text(self, start: int = 0, limit: int | None = None) -> str:
        while self._known < self._end and (limit is None or self._before[-1] < start + limit):
            self._grow()
        first = bisect_right(self._before, start) - 1
        last = len(self._cuts) if limit is None else bisect_right(self._before, start + limit)
        cuts = self._cuts[first : last + 1]
        text = "".join(shown(self._text[cut:stop]) for cut, stop in pairwise(cuts))
        start -= self._before[first]
        return part(text, start, limit)

    def characters_before(self, offset: int) -> int:
        """Return the number of characters shown for the bytes before an offset."""
        while self._known < min(offset, self._end):
            self._grow()
        part = bisect_right(self._cuts, offset) - 1
        return self._before[part] + len(shown(self._text[self._cuts[part] : min(offset, self._end)]))

    def size(self) -> tuple[int, int]:
        """Return the number of characters, and the maximum columns of one."""
        while self._known < self._end:
            self._grow()
        return self._before[-1], self._widest

    @property
    def _known(self) -> int:
        return self._cuts[-1]

    def _grow(self) -> None:
        """Count the characters of one more part, cut between characters."""
        cut = min(self._known + PART, self._end)
        least = cut - 3
        while least < cut < self._end and self._text[cut : cut + 1][0] & 0xC0 == 0x80:
            cut -= 1
        part = self._text[self._known : cut]
        characters = len(part)
        if not part.isascii() or b"\t" in part:
            text = shown(part)
            characters = len(text)
            if self._widest == 1 and _wide().search(text):
                self._widest = 2
        self._cuts.append(cut)
        self._before.append(self._before[-1] + characters)


@cache
def _wide() -> re.Pattern[str]:
    return re.compile(_WIDE)


EVERYTHING: Final = LEVELS + 1
"""A level that no line is deeper than."""
_COUNTS = 1 << 16  # runs whose counts are kept


class Outline:
    """Containers by the lines they open and close on.

    Lines are *at level n* if they stay when every container at depth n is folded: those of depth up to n, without
    the closing brackets at n. So inside a container at depth n - 1, one line is at level n for each of its items.
    """

    def __init__(self, lines: Lines, measures: Measures) -> None:
        self._lines = lines
        self._text = lines.text
        self._levels, self._level_counts = measures.levels, measures.level_counts
        self._closers: dict[int, int] = {}
        self._sizes: dict[int, int] = {}
        self._counts: dict[tuple[int, int, int], int] = {}

    def depth(self, line: int) -> int:
        """Return how many containers surround a line or its bracket."""
        return (self.first(line) - self._lines.start(line)) // 2

    def first(self, line: int) -> int:
        """The offset of what follows the indentation."""
        start = self._lines.start(line)
        beginning = self._text[start : start + _REACH]
        return start + len(beginning) - len(beginning.lstrip(b" "))

    def opens(self, line: int) -> bool:
        """Return whether a container that is not empty opens on it."""
        return self._text[max(self._lines.end(line) - 1, 0) : self._lines.end(line)] in {b"[", b"{"}

    def closes(self, line: int) -> bool:
        """Return whether it is the end of such a container."""
        first = self.first(line)
        return self._text[first : first + 1] in {b"]", b"}"}

    def closer(self, opener: int) -> int:
        """Return the last line of the container that begins on this line.

        If the text is incomplete, return its last line.
        """
        if opener not in self._closers:
            self._closers[opener] = self._closer(opener)
        return self._closers[opener]

    def _closer(self, opener: int) -> int:
        """The line before the next one at the level of the opener."""
        level = self.depth(opener)
        for start, end in self._lines.pieces(opener + 1, self._lines.count):
            if self.count(level, start, end):
                return self._lines.at(self.spans(level, start, end)[0][0]) - 1
        return self._lines.count - 1

    def opener(self, line: int) -> int | None:
        """Return the first line of the container that ends on or contains a line."""
        level = self.depth(line) - (not self.closes(line))
        if level < 0:
            return None
        for start, end in self._lines.pieces_before(line):
            if self.count(level, start, end):
                return self._lines.at(self.spans(level, start, end)[-1][0])
        return None

    def size(self, opener: int) -> int:
        """How many items or members the container has that opens on this line."""
        if opener not in self._sizes:
            self._sizes[opener] = self.index(opener, self.closer(opener))
        return self._sizes[opener]

    def index(self, opener: int, line: int) -> int:
        """Which of the items of this container, from 0, starts on `line`."""
        level = self.depth(opener) + 1
        return sum(self.count(level, start, end) for start, end in self._lines.pieces(opener + 1, line))

    def count(self, level: int, start: int, end: int) -> int:
        """How many lines of a run, or of a part of one, are at a level."""
        if level >= EVERYTHING:
            return end - start
        block = self._lines.block(start, end)
        if block is not None and level <= self._levels[block]:
            return self._level_counts[block] if level == self._levels[block] else 0
        run = level, start, end
        if run not in self._counts:
            if len(self._counts) >= _COUNTS:
                self._counts.clear()
            if block is None:
                self._counts[run] = len(self.spans(level, start, end))
            else:
                at = block * BLOCK
                self._counts[run] = _count_at(level, self._text[at : at + BLOCK + _REACH], 0, end - start)
        return self._counts[run]

    def spans(self, level: int, start: int, end: int, least: int = 0) -> list[Span]:
        """Return the offsets of the lines of a run at a level.

        Lines of less than `least` bytes are omitted, except line 0.
        """
        if start == 0:
            return [(0, self._lines.end(0))]
        first, stop = self._lines.start(start) - 1, self._lines.end(end - 1)
        text = self._text[first : min(first + BLOCK + max(_REACH, least), stop)]  # the last line may be very long
        newlines = [found.start() for found in _at_level(level, least).finditer(text)]
        spans = []
        for at in newlines:
            end = text.find(b"\n", at + 1)
            spans.append((first + at + 1, first + end if end >= 0 else stop))
        return spans


def _count_at(level: int, text: bytes, start: int, newlines: int) -> int:
    """Return the number of newlines before lines at a level in a block.

    It does the work of ``_at_level``, but several times faster if lines are short.
    """
    indent = b"\n" + b" " * (2 * level)
    for deeper in (b" ", b"]", b"}"):
        if newlines and level < EVERYTHING:
            newlines -= text.count(indent + deeper, start, start + BLOCK + len(indent))
    return newlines


@lru_cache
def _at_level(level: int, least: int = 0) -> re.Pattern[bytes]:
    """The newline before a line that is at this level and so long."""
    shallow = b"" if level >= EVERYTHING else b"(?! {%d}[ \\]}])" % (2 * level)
    return re.compile(b"\n" + shallow + (rb"(?=[^\n]{%d})" % least if least else b""))


SMALL: Final = 256 * 1024
"""Bytes. The widest line is measured up to this size, else estimated."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Document:
    """Bytes as numbered lines, from 0, decoded only when needed."""

    is_hex = False
    """The body is binary and shown as hex rows, which are never wrapped."""
    is_numbered = True
    """Lines have their numbers before them."""

    def __init__(
        self,
        text: bytes | Layout,
        *,
        is_json: bool = False,
        measures: Measures | None = None,
        complete: bool = True,
    ) -> None:
        """``measures``: those of the text, if they were taken in steps."""
        self.text = text
        """The shown text, or the body if it is binary. All offsets refer to it."""
        self.is_json = is_json
        """The text is laid-out JSON, so folds, paths and colours work."""
        self.complete = complete
        """False for the beginning of a large body that is still being laid out."""
        if measures is not None:
            self.measures = measures
        self._long: dict[int, LongLine] = {}

    @classmethod
    def of_json(cls, body: Text) -> Document:
        """Lay out a body if it is JSON, else show it unchanged."""
        return _last(laid_out(body))

    @classmethod
    def raw(cls, body: Text, *, is_json: bool = False) -> Document:
        return _last(as_it_is(body, is_json=is_json))

    @property
    def lines(self) -> int:
        return self.index.count

    @cached_property
    def measures(self) -> Measures:
        return Measures.of(self.text[:], is_json=self.is_json)

    @cached_property
    def index(self) -> Lines:
        return Lines(self.text, self.measures.newlines)

    @cached_property
    def outline(self) -> Outline:
        """The structure of laid-out JSON."""
        return Outline(self.index, self.measures)

    @classmethod
    def of_rows(cls, rows: list[WordLine]) -> Document:
        """Show rows that are laid out for reading, in their roles."""
        document = cls("\n".join(map(text_of, rows)).encode(errors="backslashreplace"))
        document.role_lines = rows
        document.is_numbered = False
        return document

    @cached_property
    def role_lines(self) -> list[WordLine]:
        """The first lines in roles if the text has some, as HTML and XML have."""
        if self.is_json or self.is_hex or not self.complete:
            return []
        language = markup_language(self.line(0, 0, MAX_CHARACTERS))
        if not language:
            return []
        lines: list[str] = []
        room = MAX_CHARACTERS
        while room > 0 and len(lines) < self.lines:
            line = self.line(len(lines), 0, room)
            lines.append(line)
            room -= len(line) + 1
        return code_lines("\n".join(lines), language)

    def span(self, line: int) -> tuple[int, int]:
        """The offsets of a line in the text, without its newline."""
        return self.index.start(line), self.index.end(line)

    def line_at(self, offset: int) -> int:
        return self.index.at(offset)

    def line(self, line: int, start: int = 0, limit: int | None = None) -> str:
        """Return the text of a line, or `limit` characters from `start` on."""
        begin, end = self.span(line)
        if self.measures.is_even:
            stop = end if limit is None else min(begin + start + limit, end)
            return shown(self.text[begin + start : stop])
        return self._pieces(begin, end).text(start, limit)

    def place(self, line: int, begin: int, end: int) -> tuple[int, int]:
        """Return the characters of a line that show the bytes `begin` to `end`."""
        first, last = self.span(line)
        begin, end = max(begin, first), min(end, last)
        if self.measures.is_even:
            return begin - first, end - first
        pieces = self._pieces(first, last)
        return pieces.characters_before(begin), pieces.characters_before(end)

    def size(self, begin: int, end: int) -> tuple[int, int]:
        """Return the number of characters, and the columns of the widest (1 or 2)."""
        return (end - begin, 1) if self.measures.is_even else self._pieces(begin, end).size()

    def width(self, line: int) -> int:
        """The columns a line takes; a very long line perhaps takes fewer."""
        begin, end = self.span(line)
        if self.measures.is_even or end - begin > PART:
            characters, widest = self.size(begin, end)
            return characters * widest
        return columns(shown(self.text[begin:end]))

    @cached_property
    def widest(self) -> int:
        """Return a width that no line exceeds; it may be larger than the widest."""
        if self.measures.is_even or len(self.text) > SMALL:
            return self.measures.longest * self.measures.growth
        return max(map(self.width, range(self.lines)))

    def _pieces(self, begin: int, end: int) -> LongLine:
        """Return a line to split; facts about very long lines are cached."""
        if end - begin <= PART:
            return LongLine(self.text, begin, end)
        if begin not in self._long:
            self._long[begin] = LongLine(self.text, begin, end)
        return self._long[begin]


class HexDocument(Document):
    """A binary body: rows of offset, bytes in hex, and ASCII."""

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
        return part(hex_row(self.text[:], line * HEX_ROW), start, limit)

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
        """All rows but the last have the same width."""
        return self.width(0)


def _hex_column(nth: int) -> int:
    """Return the column of the nth byte on its row."""
    return 10 + 3 * nth + (nth >= HEX_ROW // 2)


# --- from a body to its document, in steps -----------------------------------------------------------------------


def laid_out(body: Text) -> Iterator[Document | None]:
    """Yield a body as a document, laid out if it is JSON.

    For a large body, yield its beginning first, then None for each step, and finally the whole.
    """
    text = body
    if body[: len(_BYTE_ORDER_MARK)] == _BYTE_ORDER_MARK:
        text = body[len(_BYTE_ORDER_MARK) :]
    layout, measures = Layout(text), Measures(is_json=True)
    broken = False  # by raw line breaks in strings: readable, but indentation would say nothing any more
    for number, piece in enumerate(pieces(text)):
        if piece is None:
            yield from as_it_is(body)
            return
        if number == 1:
            yield Document(layout[:], is_json=not broken, complete=False)
        layout.add(piece)
        measures.add(piece.text)
        broken = broken or piece.broken
        yield None
    measures.finish()
    content = layout[:] if layout.is_in_memory else layout
    yield from _document(body, Document(content, is_json=not broken, measures=measures))


def as_it_is(body: Text, *, is_json: bool = False) -> Iterator[Document | None]:
    """Yield an unchanged body; ``is_json``: it is one or several values of JSON, indented as `laid_out` does."""
    text, measures = bytes(body), Measures(is_json=is_json)
    if is_json:
        text = text.removesuffix(b"\n")
    for _ in measures.add_all(text):
        yield None
    yield from _document(body, Document(text, is_json=is_json, measures=measures))


def _document(body: Text, document: Document) -> Iterator[Document | None]:
    """Yield the document of a body, or hex rows if it is binary."""
    for fault in faults(body, cut=True):
        if fault is not None:
            yield HexDocument(bytes(body))
            return
        yield None
    yield document


def _last(steps: Iterator[Document | None]) -> Document:
    document = deque(steps, maxlen=1)[0]
    assert document is not None
    return document


SLICE: Final = 1 << 20
"""Bytes that are searched at a time: some milliseconds."""


class _Query(NamedTuple):
    """A needle ready to be looked for."""

    pattern: re.Pattern[bytes]
    """If case does not matter, it matches text with lower-case ASCII letters."""
    any_case: bool
    """The search ignores case."""
    longest: int
    """Bytes that a match has at most."""


def matches(document: Document, needle: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """All matches between two offsets, in turn; none for an empty needle."""
    if not needle:
        return
    text, query = document.text, _query(needle)
    if end is None:
        end = len(text)
    at = start
    while at < end:
        stop = min(at + SLICE, end)
        found = _found(text, query, at, stop, end)
        yield from found
        at = stop
        if found:
            at = max(stop, found[-1][1])


def _found(text: bytes | Layout, query: _Query, start: int, stop: int, end: int) -> list[Span]:
    """The matches that start between `start` and `stop` and end before `end`."""
    piece = text[start : min(stop + query.longest - 1, end)]
    if query.any_case:
        piece = piece.lower()
    spans = (found.span() for found in query.pattern.finditer(piece))
    return [(start + first, start + last) for first, last in spans if start + first < stop]


@lru_cache(maxsize=8)
def _query(needle: str) -> _Query:
    any_case = needle == needle.lower()
    pattern, longest = b"", 0
    for char in needle:
        spellings = {_encoded(char)}
        if any_case:  # A letter in each case, as it reads when all ASCII letters are lower.
            spellings = {_encoded(cased).lower() for cased in (char, char.lower(), char.upper())}
        pattern += b"(?:%s)" % b"|".join(map(re.escape, sorted(spellings, reverse=True)))
        longest += max(map(len, spellings))
    return _Query(re.compile(pattern), any_case, longest)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
