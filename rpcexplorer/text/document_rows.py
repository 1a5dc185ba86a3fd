"""The rows of a document on view: folds, wrapping, places."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from itertools import accumulate
from typing import Final, NamedTuple, TypeAlias

from msgspec import Struct

from rpcexplorer.jsontext.pointers import pointer_of
from rpcexplorer.model.problem import counted
from rpcexplorer.patterns import regex
from rpcexplorer.text.document import EVERYTHING, Document, part
from rpcexplorer.text.printable import columns, printable

NOTHING: Final = -1
"""Level inside a folded container: no line is visible there."""


class LineRun(NamedTuple):
    """Lines in a row for which one rule holds."""

    start: int
    """The first line."""
    end: int
    """The line after the last."""
    level: int
    """The deepest visible level of these lines."""


_Exceptions: TypeAlias = dict[int, tuple[int, int]]
"""Keyed by first line of a container: its last line, and the level shown inside."""


class Folds:
    """The folded containers of a document. Immutable."""

    def __init__(self, document: Document, depth: int = EVERYTHING, exceptions: _Exceptions | None = None) -> None:
        """Every container inside ``depth`` others is folded."""
        self._document = document
        self._rule = min(max(depth, 0), EVERYTHING)
        self._exceptions = exceptions or {}
        self.stretches = self._stretched()
        """The document cut where another level begins to be on view."""

    def sign(self, line: int) -> str:
        """Return ``open`` or ``folded`` if a container opens here, else nothing."""
        outline = self._document.outline
        if not (self._document.is_json and outline.opens(line)):
            return ""
        at = bisect_right(self.stretches, line + 1, key=lambda stretch: stretch.start) - 1
        return "folded" if outline.depth(line) >= self.stretches[at].level else "open"

    def turned(self, opener: int, *, folded: bool) -> Folds:
        """Return folds with one container folded or unfolded."""
        closer = self._document.outline.closer(opener)
        inner = closer if folded else opener + 1
        others = {line: found for line, found in self._exceptions.items() if not opener <= line < inner}
        by_rule = Folds(self._document, self._rule, others)
        if (by_rule.sign(opener) == "folded") == folded:
            return by_rule
        level = NOTHING if folded else self._document.outline.depth(opener) + 1
        return Folds(self._document, self._rule, {**others, opener: (closer, level)})

    def like(self, beginning: Folds) -> Folds:
        """Return the same folds as in the beginning of this document."""
        closer = self._document.outline.closer
        exceptions = {line: (closer(line), level) for line, (_, level) in beginning._exceptions.items()}
        return Folds(self._document, beginning._rule, exceptions)

    def _stretched(self) -> list[LineRun]:
        cut: list[LineRun] = []
        at = 0
        around = [(self._document.lines, self._rule)]
        for opener, (closer, level) in sorted(self._exceptions.items()):
            while around[-1][0] <= opener:
                end, outer = around.pop()
                cut.append(LineRun(at, end, outer))
                at = end
            cut.append(LineRun(at, opener + 1, around[-1][1]))
            at = opener + 1
            around.append((closer + 1, level))
        for end, outer in reversed(around):
            cut.append(LineRun(at, end, outer))
            at = end
        return [stretch for stretch in cut if stretch.start < stretch.end]


_KEY = regex(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+"): ', re.DOTALL)
_KEY_LIMIT: Final = 65_536  # bytes; a name beyond it is taken for a value rather than a string of megabytes read
_IDENTIFIER = regex(r'"([A-Za-z_][A-Za-z0-9_]*+)"')


def path_at(document: Document, line: int) -> str:
    """Return a path such as ``$.items[2].name``, or empty text if not JSON."""
    if not document.is_json:
        return ""
    return "$" + "".join(map(step_text, _steps(document, line)))


def pointer_at(document: Document, line: int, *, exact: bool = False) -> str:
    """Return the path as a JSON pointer such as ``/items/2/name``.

    It is empty for the whole value, too. It is printable unless ``exact``.
    """
    if not document.is_json:
        return ""
    pointer = pointer_of(map(_name_of, _steps(document, line)))
    return pointer if exact else printable(pointer)


def value_at(document: Document, line: int) -> bytes:
    """Return the text of the value on a line, as the server wrote it.

    A container is unindented. In a document that is not JSON, return the line.
    """
    if not document.is_json:
        begin, end = document.span(line)
        return document.text[begin:end]
    outline = document.outline
    line = _start(document, line)
    begin, end = value_start(document, line), document.span(line)[1]
    if outline.opens(line):
        end = document.span(outline.closer(line))[1]
    value = document.text[begin:end].removesuffix(b",")
    return value.replace(b"\n" + b"  " * outline.depth(line), b"\n")


def value_start(document: Document, line: int) -> int:
    """Return the offset of the value on a line, after its name."""
    name, first = _name(document, line), document.outline.first(line)
    if name is not None:
        first += name.end()
    return first


_SCALAR = regex(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+"): ("[^"\\]*+(?:\\.[^"\\]*+)*+"|-?[0-9][0-9.eE+-]*+),?')
_NAMING: Final = (b'id"', b'key"', b'code"', b'name"', b'title"')
"""The ends of names whose values say which object it is."""
_NAMING_BYTES: Final = 2_048
"""Bytes of an object that are searched for such values."""
_NAMING_COLUMNS: Final = 24
"""Longer values are descriptions, not names."""


def naming_values(document: Document, line: int) -> list[str]:
    """Return up to two values that say which object begins on a line: ids and names first, else the first ones.

    Only short texts and numbers count. Few bytes are read, so that it can be asked for each row that is drawn.
    """
    start = document.span(line)[1]
    if document.text[start - 1 : start] != b"{":
        return []
    indent = b"  " * (document.outline.depth(line) + 1)
    ids_and_names, others = list[str](), list[str]()
    for member in document.text[start + 1 : start + 1 + _NAMING_BYTES].split(b"\n")[:-1]:  # The last may be cut.
        if not member.startswith(indent):
            break
        found = _SCALAR.fullmatch(member, len(indent))
        if found is None:
            continue
        value = _in_words(found[2])
        if value and columns(value) <= _NAMING_COLUMNS:
            is_naming = found[1].lower().endswith(_NAMING)
            (ids_and_names if is_naming else others).append(value)
    return [*ids_and_names, *others][:2]


def _in_words(scalar: bytes) -> str:
    """Return a JSON text without quotes and escapes, or a number as it is spelled."""
    if not scalar.startswith(b'"'):
        return scalar.decode()
    try:
        text: str = json.loads(scalar, strict=False)
    except ValueError:  # It is not UTF-8.
        return ""
    return printable(text.strip())


def in_string(document: Document, line: int, character: int) -> bool:
    """Return whether a character of a line is inside a JSON string."""
    begin, _ = document.span(line)
    value = value_start(document, line)
    before = document.place(line, begin, value)[1]
    if character < before:
        return document.outline.depth(line) * 2 < character < before - len(": ")
    return character > before and document.text[value : value + 1] == b'"'


def _steps(document: Document, line: int) -> Iterator[int | str]:
    """Yield the steps from the root: places in arrays, and names in quotes.

    Names are spelled as in the response.
    """
    outline, steps = document.outline, list[int | str]()
    line = _start(document, line)
    opener = outline.opener(line) if outline.depth(line) else None
    while opener is not None:
        name = _name(document, line)
        end = document.span(opener)[1]
        if document.text[end - 1 : end] == b"{":
            steps.append(name[1].decode("utf-8", "backslashreplace") if name else '""')
        else:
            steps.append(outline.index(opener, line))
        line = opener
        opener = outline.opener(line) if outline.depth(line) else None
    return reversed(steps)


def _start(document: Document, line: int) -> int:
    """The line on which the value starts that starts or ends on this one."""
    if not document.outline.closes(line):
        return line
    opener = document.outline.opener(line)
    return line if opener is None else opener


def _name(document: Document, line: int) -> re.Match[bytes] | None:
    """Match the name before the value on a line, and the separator after it."""
    first, end = document.outline.first(line), document.span(line)[1]
    return _KEY.match(document.text[first : min(end, first + _KEY_LIMIT)])


def step_text(step: int | str) -> str:
    """Return a step as a path has it; a name as the server spelled it, in quotes."""
    if isinstance(step, int):
        return f"[{step}]"
    plain = _IDENTIFIER.fullmatch(step)
    if plain:
        return f".{plain[1]}"
    return f"[{printable(step)}]"


def _name_of(step: int | str) -> str | int:
    if isinstance(step, int):
        return step
    name: str = json.loads(step, strict=False)
    return name


_KEPT = 16  # runs whose lines stay known
_AT_ONCE = 32  # runs that are measured in one step: a millisecond


class DocumentRow(Struct, frozen=True):
    """One row of the screen."""

    line: int
    """The line of the document, from 0."""
    text: str
    """Printable text. A folded container includes the number of its items."""
    fold: str
    """``open`` or ``folded`` on the first row of a container, else empty."""
    continued: bool
    """It is a later piece of a wrapped line."""
    start: int
    """Index of the first character in its line; 0 unless lines are wrapped."""
    in_string: bool = False
    """The text begins inside a JSON string, which matters for its colours."""


class _Inside(NamedTuple):
    """The visible lines of a run."""

    starts: list[int]
    """The offset of each line on view."""
    tops: list[int]
    """Rows of the run before each line, and at last their total."""


class Rows:
    """Rows by number, from 0, and the folds that decide which there are."""

    def __init__(self, document: Document, *, wrap: int | None = None) -> None:
        self.document = document
        self._folds = Folds(document)
        self._wrap: int | None = None
        self._heights: dict[LineRun, int] = {}
        self._inside: dict[LineRun, _Inside] = {}
        self._arrange()
        self.wrap(wrap)

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self._tops[-1]

    def row(self, index: int, start: int = 0, limit: int | None = None) -> DocumentRow:
        """Return a row; only `limit` characters from `start` on are decoded."""
        line, nth = self._locate(index)
        per_row = self._per_row(line)
        offset = nth * (per_row or 0)
        fold = self._folds.sign(line)
        if fold == "folded":
            text = part(self._summed_up(line, offset, per_row), start, limit)
        else:
            rest = limit
            if per_row is not None:
                rest = max(per_row - start, 0)
                if limit is not None:
                    rest = min(rest, limit)
            text = self.document.line(line, offset + start, rest)
        cut = offset + start
        inside = bool(cut) and self.document.is_json and in_string(self.document, line, cut)
        is_first = nth == 0
        return DocumentRow(line, text, fold if is_first else "", not is_first, offset, inside)

    def row_of(self, line: int, character: int = 0) -> int:
        """Return the row of a character, or the first row of its fold."""
        at = bisect_right(self._runs, line, key=lambda run: run.start) - 1
        run, top = self._runs[at], self._tops[at]
        if self._is_whole(run):
            return top + min(line, run.end - 1) - run.start
        inside, start = self._look(run), self.document.span(line)[0]
        nth = bisect_right(inside.starts, start) - 1
        if nth < 0:
            return top - 1 - self._locate(top - 1)[1]
        top, rows = top + inside.tops[nth], inside.tops[nth + 1] - inside.tops[nth]
        if inside.starts[nth] != start or rows == 1:
            return top
        return top + min(character // (self._per_row(line) or 1), rows - 1)

    def toggle(self, line: int) -> bool:
        """Fold or unfold the container at a line; return False if there is none."""
        if not self.document.is_json:
            return False
        line, _ = self._locate(self.row_of(line))
        opener: int | None = line
        if not self.document.outline.opens(line):
            opener = self.document.outline.opener(line)
        if opener is None:
            return False
        self._put(opener, folded=self._folds.sign(opener) == "open")
        return True

    def fold_to(self, depth: int) -> None:
        """Fold the containers inside `depth` others; those in them stay folded."""
        deque(self.folding_to(depth), maxlen=0)

    def folding_to(self, depth: int) -> Iterator[None]:
        """Do the work of ``fold_to`` in steps; only the last one changes anything."""
        if not self.document.is_json:
            depth = EVERYTHING
        yield from self._folding(Folds(self.document, depth))

    def folding_like(self, beginning: Rows) -> Iterator[None]:
        """Fold, in steps, the containers that are folded in the beginning."""
        yield from self._folding(self._folds.like(beginning._folds))

    def _folding(self, folds: Folds) -> Iterator[None]:
        for stretch in folds.stretches:
            yield from self._measure(stretch, self._wrap, self._heights)
        self._folds = folds
        self._arrange()

    def reveal(self, line: int) -> None:
        """Unfold whatever hides a line, and nothing more."""
        on_view, _ = self._locate(self.row_of(line))
        while on_view != line:
            self._put(on_view, folded=False)
            on_view, _ = self._locate(self.row_of(line))

    def wrap(self, width: int | None) -> None:
        """Limit the columns of a row; with None, each line has one row.

        Rows of hex are never wrapped.
        """
        deque(self.wrapping(width), maxlen=0)

    def wrapping(self, width: int | None) -> Iterator[None]:
        """Do the work of ``wrap`` in steps; only the last one changes anything."""
        wrap = width
        if width is None or self.document.is_hex or self.document.widest <= width:
            wrap = None
        if wrap == self._wrap:
            return
        heights: dict[LineRun, int] = {}
        for stretch in self._folds.stretches:
            yield from self._measure(stretch, wrap, heights)
        self._wrap, self._heights, self._inside = wrap, heights, {}
        self._arrange()

    def _put(self, opener: int, *, folded: bool) -> None:
        self._folds = self._folds.turned(opener, folded=folded)
        self._arrange()

    def _summed_up(self, line: int, offset: int, per_row: int | None) -> str:
        """Return a folded line from a character on, with summary and bracket."""
        outline = self.document.outline
        text = self.document.line(line, offset, per_row)
        if offset + len(text) < self.document.size(*self.document.span(line))[0]:
            return text
        size, closing = outline.size(line), self.document.line(outline.closer(line)).strip()
        noun = "item" if closing.startswith("]") else "member"
        return f"{text} {counted(size, noun)} {closing}"

    def _arrange(self) -> None:
        """Find out how many rows each run of lines has."""
        self._runs: list[LineRun] = []
        heights: list[int] = []
        for stretch in self._folds.stretches:
            for run in self._cut(stretch, self._wrap):
                height = self._height(run, self._wrap, self._heights)
                if height > 0:
                    self._runs.append(run)
                    heights.append(height)
        self._tops = list(accumulate(heights, initial=0))

    def _measure(self, stretch: LineRun, wrap: int | None, heights: dict[LineRun, int]) -> Iterator[None]:
        """Find out in steps how many rows each run of a stretch would have."""
        for nth, run in enumerate(self._cut(stretch, wrap)):
            self._height(run, wrap, heights)
            if nth % _AT_ONCE == _AT_ONCE - 1:
                yield

    def _cut(self, stretch: LineRun, wrap: int | None) -> Iterator[LineRun]:
        if stretch.level >= EVERYTHING and wrap is None:
            yield stretch
        elif stretch.level != NOTHING:
            for start, end in self.document.index.pieces(stretch.start, stretch.end):
                yield LineRun(start, end, stretch.level)

    def _is_whole(self, run: LineRun) -> bool:
        """Return whether each line has exactly one row."""
        return run.level >= EVERYTHING and self._wrap is None

    def _height(self, run: LineRun, wrap: int | None, heights: dict[LineRun, int]) -> int:
        """Return the number of rows of a run, cached in ``heights``."""
        if run.level >= EVERYTHING and wrap is None:
            return run.end - run.start
        if run not in heights:
            height = self.document.outline.count(run.level, run.start, run.end)
            if wrap is not None:
                fits = wrap // self.document.measures.growth
                spans = self.document.outline.spans(run.level, run.start, run.end, least=fits + 1)
                height += sum(self._wrapped(*span, wrap)[0] - 1 for span in spans)
            heights[run] = height
        return heights[run]

    def _locate(self, index: int) -> tuple[int, int]:
        """The line that a row shows, and which of its rows this is."""
        if not 0 <= index < self.count:
            raise IndexError(f"there is no row {index}: the document has {self.count} rows")
        at = bisect_right(self._tops, index) - 1
        run, nth = self._runs[at], index - self._tops[at]
        if self._is_whole(run):
            return run.start + nth, 0
        inside = self._look(run)
        within = bisect_right(inside.tops, nth) - 1
        return self.document.line_at(inside.starts[within]), nth - inside.tops[within]

    def _look(self, run: LineRun) -> _Inside:
        """Return the visible lines of a run, cached for a while."""
        if run not in self._inside:
            if len(self._inside) >= _KEPT:
                self._inside.pop(next(iter(self._inside)))
            spans, wrap = self.document.outline.spans(run.level, run.start, run.end), self._wrap
            heights = [1] * len(spans)
            if wrap is not None:
                heights = [self._wrapped(*span, wrap)[0] for span in spans]
            self._inside[run] = _Inside([start for start, _ in spans], list(accumulate(heights, initial=0)))
        return self._inside[run]

    def _per_row(self, line: int) -> int | None:
        """How many characters of a line go on one row; None if all do."""
        return None if self._wrap is None else self._wrapped(*self.document.span(line), self._wrap)[1]

    def _wrapped(self, begin: int, end: int, wrap: int) -> tuple[int, int]:
        """Return the rows of a line by its span, and the characters on one row.

        A line with a wide character has half as many characters on a row, so that no row is too long.
        """
        if (end - begin) * self.document.measures.growth <= wrap:
            return 1, wrap
        characters, widest = self.document.size(begin, end)
        per_row = max(wrap // widest, 1)
        return max(-(-characters // per_row), 1), per_row


def line_of_item(document: Document, path: str, index: int) -> int:
    """Return the line of a list item; the list is ``.`` or ``.items``."""
    opener, wanted = 0, "$" + path.replace(".[", "[", 1)
    if path != ".":
        members = range(document.outline.size(0))
        lines = (_line_of_nth(document, 0, nth) for nth in members)
        opener = next((line for line in lines if path_at(document, line) == wanted), 0)
    return _line_of_nth(document, opener, index)


def _line_of_nth(document: Document, opener: int, index: int) -> int:
    """The line on which an item or member begins of what opens on a line."""
    outline = document.outline
    level = outline.depth(opener) + 1
    for start, end in document.index.pieces(opener + 1, outline.closer(opener)):
        count = outline.count(level, start, end)
        if index < count:
            return document.line_at(outline.spans(level, start, end)[index][0])
        index -= count
    return opener
