"""A response of any size as lines, decoded where they are on view."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from codecs import utf_8_decode
from collections import deque
from collections.abc import Iterator
from functools import cache, cached_property, lru_cache
from io import BytesIO
from itertools import accumulate, islice, pairwise
from typing import Final, NamedTuple

from rpcexplorer.jsontext.layout import LEVELS, pieces
from rpcexplorer.jsontext.slices import Text, faults
from rpcexplorer.text.printable import _row as hex_row
from rpcexplorer.text.printable import columns, printable

BLOCK: Final = 16_384
"""Bytes; newlines are counted per block, and only the blocks that are looked at are taken apart."""
STEP: Final = 64 * BLOCK
"""Bytes that are gone through in one go, where it is done in steps: a millisecond or two."""
_KEPT = 64  # blocks that stay taken apart


def newlines_before(text: bytes) -> Iterator[array[int]]:
    """How many newlines come before each block, and at last how many there are; in steps, the same array growing."""
    before = array("Q", [0])
    for start in range(0, max(len(text), 1), STEP):
        stop = min(start + STEP, len(text))
        counted = (text.count(b"\n", at, min(at + BLOCK, stop)) for at in range(start, stop, BLOCK))
        before.extend(islice(accumulate(counted, initial=before[-1]), 1, None))
        yield before


class Lines:
    """Numbered lines, from 0. A newline at the very end ends the last line and starts no other."""

    def __init__(self, text: bytes, before: array[int] | None = None) -> None:
        """``before``: what ``newlines_before`` has found, where somebody took the time for it."""
        self.text = text
        self._before = before or deque(newlines_before(text), maxlen=1)[0]
        self._breaks = self._before[-1]
        self.count = self._breaks + (not text.endswith(b"\n"))
        self._apart: dict[int, list[int]] = {}

    def start(self, line: int) -> int:
        """The offset of its first byte."""
        return self._newline(line - 1) + 1 if line else 0

    def end(self, line: int) -> int:
        """The offset after its last byte, where the newline is."""
        return self._newline(line) if line < self._breaks else len(self.text)

    def at(self, offset: int) -> int:
        """The line an offset is on; a newline is on the line that it ends."""
        offset = max(min(offset, len(self.text)), 0)
        block = offset // BLOCK
        return min(self._before[block] + self.text.count(b"\n", block * BLOCK, offset), self.count - 1)

    def pieces(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The lines from `start` to before `end` in runs of about a block; the same cuts whatever is asked for.

        Line 0 is a run of its own: it is the only one without a newline before it.
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

    def longest(self, floor: int, start: int = 0, end: int | None = None) -> int:
        """Bytes of the longest line between two offsets, or `floor` if none is longer.

        The higher the floor, the more lines are leapt over at once.
        """
        text, rfind = self.text, self.text.rfind
        stop = len(text) if end is None else end
        longest, at = floor, start
        while at + longest < stop:
            newline = rfind(b"\n", at, at + longest + 1)
            if newline < 0:
                newline = text.find(b"\n", at, stop)
                newline = stop if newline < 0 else newline
                longest = newline - at
            at = newline + 1
        return longest

    def longest_so_far(self, floor: int) -> Iterator[int]:
        """``longest`` of the whole text in steps; the last one is final."""
        at, longest = 0, floor
        while at < len(self.text):
            newline = self.text.find(b"\n", at + STEP)
            end = len(self.text) if newline < 0 else newline
            longest = self.longest(longest, at, end)
            yield longest
            at = end + 1

    def _newline(self, number: int) -> int:
        block = bisect_right(self._before, number) - 1
        nth = number - self._before[block]
        return self._newlines(block)[nth] if nth else self.text.find(b"\n", block * BLOCK)

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
"""What is shown for a tab, wherever it stands, so that columns can be counted."""
_WIDE: Final = (  # all that takes two columns, and some that do not: a search is quicker than a count
    "[\u1100-\u115f\u231a-\u23ff\u25fd-\u27bf\u2b00-\u2bff\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3"
    "\uf900-\ufaff\ufe10-\ufe6f\uff01-\uff60\uffe0-\uffe6\U00016fe0-\U0010ffff]"
)


def shown(content: bytes) -> str:
    r"""The printable text of a part of a line; bytes that are not UTF-8 read ``\xff``."""
    return printable(content.decode("utf-8", "backslashreplace").replace("\t", TAB))


class LongLine:
    """One line, by offsets into a text, taken apart no further than somebody has looked."""

    def __init__(self, text: bytes, begin: int, end: int) -> None:
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
        return text[start : None if limit is None else start + limit]

    def characters_before(self, offset: int) -> int:
        """How many characters are shown for the bytes before an offset into the text."""
        while self._known < min(offset, self._end):
            self._grow()
        part = bisect_right(self._cuts, offset) - 1
        return self._before[part] + len(shown(self._text[self._cuts[part] : min(offset, self._end)]))

    def size(self) -> tuple[int, int]:
        """How many characters it has, and how many columns one of them takes at most: 1 or 2."""
        while self._known < self._end:
            self._grow()
        return self._before[-1], self._widest

    @property
    def _known(self) -> int:
        return self._cuts[-1]

    def _grow(self) -> None:
        """Count the characters of one part more, which ends where a character does."""
        cut = min(self._known + PART, self._end)
        least = cut - 3
        while least < cut < self._end and self._text[cut] & 0xC0 == 0x80:
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
_SPACES = re.compile(rb" *")
_CLOSERS = {ord("["): b"]", ord("{"): b"}"}
_COUNTS = 1 << 16  # runs whose counts are kept


class Outline:
    """Containers by the lines they open and close on.

    Lines are *at level n* if they stay when every container at depth n is folded: those of depth up to n, without
    the closing brackets at n. So inside a container at depth n - 1, one line is at level n for each of its items.
    """

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._text = lines.text
        self._closers: dict[int, int] = {}
        self._sizes: dict[int, int] = {}
        self._counted = lru_cache(_COUNTS)(self._count)

    def depth(self, line: int) -> int:
        """How many containers are around it; a closing bracket is as deep as the opening one."""
        start = self._lines.start(line)
        return (self.first(line) - start) // 2

    def first(self, line: int) -> int:
        """The offset of what follows the indentation."""
        found = _SPACES.match(self._text, self._lines.start(line))
        assert found
        return found.end()

    def opens(self, line: int) -> bool:
        """Whether a container that is not empty opens on it."""
        return self._text[max(self._lines.end(line) - 1, 0) : self._lines.end(line)] in {b"[", b"{"}

    def closes(self, line: int) -> bool:
        """Whether it is the end of such a container."""
        first = self.first(line)
        return self._text[first : first + 1] in {b"]", b"}"}

    def closer(self, opener: int) -> int:
        """The line on which the container ends that opens on this one; of a text that breaks off, the last line."""
        if opener not in self._closers:
            end = self._lines.end(opener)
            indent = b"\n" + b"  " * self.depth(opener)
            found = self._text.find(indent + _CLOSERS[self._text[end - 1]], end)
            self._closers[opener] = self._lines.count - 1 if found < 0 else self._lines.at(found + 1)
        return self._closers[opener]

    def opener(self, line: int) -> int | None:
        """The line on which the container opens that this line closes or, if it closes none, is in."""
        level = self.depth(line) - (not self.closes(line))
        if level < 0:
            return None
        for start, end in self._lines.pieces_before(line):
            if self.count(level, start, end):
                newlines = self.newlines(level, start, end)
                return self._lines.at(newlines[-1] + 1) if newlines else 0
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
        return self._counted(level, start, end)

    def newlines(self, level: int, start: int, end: int, least: int = 0) -> list[int]:
        """The offsets of the newlines before the lines of a run that are at a level and have `least` bytes or more.

        Line 0 has none.
        """
        first, stop = self._span(start, end)
        return [found.start() for found in _at_level(level, least).finditer(self._text, first, stop)]

    def _count(self, level: int, start: int, end: int) -> int:
        if level >= EVERYTHING:
            return end - start
        first, stop = self._span(start, end)
        return len(_at_level(level).findall(self._text, first, stop)) + (start == 0)

    def _span(self, start: int, end: int) -> tuple[int, int]:
        return max(self._lines.start(start) - 1, 0), self._lines.end(end - 1)


@lru_cache
def _at_level(level: int, least: int = 0) -> re.Pattern[bytes]:
    """The newline before a line that is at this level and so long."""
    shallow = b"" if level >= EVERYTHING else b"(?! {%d}[ \\]}])" % (2 * level)
    return re.compile(b"\n" + shallow + (rb"(?=[^\n]{%d})" % least if least else b""))


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


SLICE: Final = 1 << 20
"""Bytes that are searched at a time: some milliseconds."""
MatchSpan = tuple[int, int]
"""The offsets of a match in the text."""


class _Query(NamedTuple):
    """A needle ready to be looked for."""

    pattern: re.Pattern[bytes]
    """It; where any case will do, for a text whose ASCII letters are made lower."""
    any_case: bool
    """Whether any case will do."""
    longest: int
    """Bytes that a match has at most."""


def matches(document: Document, needle: str, start: int = 0, end: int | None = None) -> Iterator[MatchSpan]:
    """All matches between two offsets, in turn; none for an empty needle."""
    if not needle:
        return
    text, query = document.text, _query(needle)
    end = len(text) if end is None else end
    at = start
    while at < end:
        stop = min(at + SLICE, end)
        found = _found(text, query, at, stop, end)
        yield from found
        at = max(stop, found[-1][1] if found else 0)


def _found(text: bytes, query: _Query, start: int, stop: int, end: int) -> list[MatchSpan]:
    """The matches that start between `start` and `stop` and end before `end`."""
    piece = text[start : min(stop + query.longest - 1, end)]
    if query.any_case:
        piece = piece.lower()
    spans = (found.span() for found in query.pattern.finditer(piece))
    return [(start + first, start + last) for first, last in spans if start + first < stop]


@lru_cache(maxsize=8)
def _query(needle: str) -> _Query:
    any_case = needle == needle.lower()
    letters = [[_encoded(letter)] for letter in needle]
    if any_case:  # a letter in each case, as it reads when all ASCII letters are lower
        cases = [{_encoded(cased).lower() for cased in (char, char.lower(), char.upper())} for char in needle]
        letters = [sorted(spellings, reverse=True) for spellings in cases]
    pattern = b"".join(
        re.escape(letter[0]) if len(letter) == 1 else b"(?:%s)" % b"|".join(map(re.escape, letter))
        for letter in letters
    )
    return _Query(re.compile(pattern), any_case, sum(len(max(letter, key=len)) for letter in letters))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
