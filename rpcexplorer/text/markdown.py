"""Markdown as rows to read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Final, TypeAlias

from rpcexplorer.text.exchange import WordLine
from rpcexplorer.text.printable import columns, printable

DEEPEST: Final = 3
"""Emphasis inside emphasis."""
CODE: Final = "json-key"
"""The role of what is code: most of it are names of params, which are drawn so."""
_INLINE = re.compile(
    r"""
      \\ (?P<escaped> [!-/:-@\[-`{-~] )
    | (?P<ticks> `{1,3} ) (?! ` ) (?P<code> .{1,300}? ) (?<! ` ) (?P=ticks) (?! ` )
    | (?P<image> !? ) \[ (?P<text> [^\[\]]{0,300}+ ) \] (?: \( \s? <? (?P<url> [^()\s<>]{0,500}+ ) >?
        (?: \s{1,3}+ (?: "[^"()]{0,200}+" | '[^'()]{0,200}+' ) )? \s? \) | \[ (?P<label> [^\[\]]{0,100}+ ) \] )
    | < (?P<auto> (?: https?:// | mailto: ) [^<>\s]{1,500}+ ) >
    | (?P<strong> \*\* | (?<! \w ) __ ) (?= \S ) (?P<loud> .{1,300}? ) (?<= \S ) (?P=strong) (?: (?<= \* ) | (?! \w ) )
    | (?P<em> \* | (?<! \w ) _ ) (?= [^\s*_] ) (?P<soft> [^*_]{1,300}+ ) (?<= \S ) (?P=em)
        (?: (?<= \* ) | (?! \w ) )
    """,
    re.VERBOSE,
)
LEAST: Final = 16
"""Columns below which nothing is wrapped for: no screen that shows docs is narrower."""
MOST_ROWS: Final = 1_000
"""Of one page. Whoever wrote more wrote it for a program."""
_TOKEN = re.compile(r"\s+|\S+")
_Break: TypeAlias = Callable[[WordLine, int, int], Iterator[WordLine]]
LONGEST: Final = 10_000
"""Characters of one text that are shown; a service that has more to say has a page for it."""
DEEPEST_LIST: Final = 4
WIDEST_CELL: Final = 32
MOST_CELLS: Final = 20
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+(.*?))?[ \t]*#*[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_ITEM = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])(?:[ \t]+(.*)|$)")
_QUOTE = re.compile(r" {0,3}> ?(.*)")
_INDENTED_CODE = re.compile(r"(?: {4}|\t)(.*)")
_DIVIDER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_CELLS = re.compile(r"(?<!\\)\|")


def inline(text: str, role: str = "text", depth: int = 0) -> WordLine:
    """A line's pieces, each with its role."""
    words: WordLine = []
    at = 0
    for found in _INLINE.finditer(text):
        words.append((text[at : found.start()], role))
        words += _pieces(found, role, depth)
        at = found.end()
    return [piece for piece in (*words, (text[at:], role)) if piece[0]]


def _pieces(found: re.Match[str], role: str, depth: int) -> WordLine:
    part = found.groupdict()
    if part["escaped"]:
        return [(part["escaped"], role)]
    if part["code"]:
        return [(_code(part["code"]), CODE)]
    if part["auto"]:
        return [(part["auto"], f"{role} underline")]
    if part["text"] is not None:
        text, url = part["text"], part["url"] or ""
        shown = inline(text, role, depth + 1) if depth < DEEPEST else [(text, role)]
        if part["image"]:  # the text that stands for it
            return shown or [("image", "dim")]
        underlined = [(words, f"{each} underline") for words, each in shown]
        if not url or text == url:
            return underlined or [(url, role)]
        return [*underlined, (f" ({url})", "dim")]
    inside, attribute = (part["loud"], "bold") if part["loud"] else (part["soft"], "italic")
    loud = role if attribute in role.split() else f"{role} {attribute}"
    return inline(inside, loud, depth + 1) if depth < DEEPEST else [(inside, loud)]


def _code(text: str) -> str:
    """One blank at both ends lets a backtick stand there and is none of it."""
    return text[1:-1] if text.strip() and text[0] == text[-1] == " " and len(text) > 2 else text


class PageRows:
    """Gathers the rows of a page of so many columns; with None nothing is wrapped."""

    def __init__(self, width: int | None = None) -> None:
        self.width = None if width is None else max(width, LEAST)
        self.made: list[WordLine] = []

    @property
    def is_full(self) -> bool:
        return len(self.made) >= MOST_ROWS

    def blank(self) -> None:
        """A blank row, where there is something above to be apart from."""
        if self.made and self.made[-1]:
            self.made.append([])

    def add(self, words: WordLine, hang: int = 0) -> None:
        """Prose: further rows begin in column ``hang``."""
        self._take(words, hang, _prose)

    def verbatim(self, words: WordLine, hang: int = 0) -> None:
        """What breaks anywhere, as its blanks may mean something."""
        self._take(words, hang, _anywhere)

    def _take(self, words: WordLine, hang: int, broken: _Break) -> None:
        words = [(printable(text), role) for text, role in words if text]
        width = self.width
        if self.is_full:
            return
        if width is None or sum(columns(text) for text, _ in words) <= width:
            self.made.append(words)
            return
        hang = min(hang, width * 3 // 5)
        for row in islice(broken(words, width, hang), MOST_ROWS - len(self.made)):
            self.made.append([("".join(text for text, _ in run), role) for role, run in groupby(row, itemgetter(1))])


def _prose(words: WordLine, width: int, hang: int) -> Iterator[WordLine]:
    row: WordLine = []
    used, begun = 0, False
    for gap, word in _apart(words):
        wide, blank = _width(word), _width(gap)
        if begun and used + blank + wide > width:
            yield row
            row, used = [(" " * hang, "text")], hang
        else:
            row, used = [*row, *gap], used + blank
        begun = True
        if used + wide > width:
            *whole, row = _anywhere([*row, *word], width, hang)
            yield from whole
            used = _width(row)
        else:
            row, used = [*row, *word], used + wide
    yield row


def _anywhere(words: WordLine, width: int, hang: int) -> Iterator[WordLine]:
    row: WordLine = []
    room, fresh = width, True
    for text, role in words:
        at = 0
        while at < len(text):
            end = _fits(text, at, room, least=1 if fresh and room == width - hang else 0)
            if end > at:
                row.append((text[at:end], role))
                room, at, fresh = room - columns(text[at:end]), end, False
            if at < len(text):
                yield row
                row, room, fresh = [(" " * hang, "text")], width - hang, True
    yield row


def _width(words: WordLine) -> int:
    return sum(columns(text) for text, _ in words)


def _fits(text: str, at: int, room: int, *, least: int) -> int:
    """Where the part of a text ends that takes no more than so many columns."""
    end = min(at + max(room, 0), len(text))
    if not text[at:end].isascii():
        end = at
        while end < len(text) and (room := room - columns(text[end])) >= 0:
            end += 1
    return max(end, at + least)


def _apart(words: WordLine) -> Iterator[tuple[WordLine, WordLine]]:
    """The words, each with the blanks before it; a word may have pieces of several roles."""
    gap: WordLine = []
    word: WordLine = []
    for text, role in words:
        for token in _TOKEN.findall(text):
            if not token.isspace():
                word.append((token, role))
                continue
            if word:
                yield gap, word
                gap, word = [], []
            gap.append((token, role))
    if word:
        yield gap, word


def markdown(text: str, rows: PageRows, indent: int = 2, role: str = "text") -> None:
    """The text as rows, all of them so far in."""
    _Page(rows, indent, role).read(text[:LONGEST].expandtabs(4).splitlines())
    more_than(text, rows, indent)


def plain(text: str, rows: PageRows, indent: int = 2, role: str = "text") -> None:
    """A text that is no Markdown: its lines stay lines, as it may be laid out in columns."""
    for line in text[:LONGEST].expandtabs(4).splitlines():
        deep = len(line) - len(line.lstrip())
        rows.add([(" " * indent + line.rstrip(), role)] if line.strip() else [], indent + deep + 2)
    more_than(text, rows, indent)


def more_than(text: str, rows: PageRows, indent: int) -> None:
    if len(text) > LONGEST:
        rows.add([(f"{' ' * indent}… and {len(text) - LONGEST:,} more characters", "dim")], indent)


class _Page:
    """Reads line by line; a paragraph is held until it is over."""

    def __init__(self, rows: PageRows, indent: int, role: str) -> None:
        self._rows, self._role = rows, role
        self._indent = indent
        self._held: list[str] = []
        self._first: WordLine = []
        """What stands before the held paragraph: the sign of a list or a quote."""
        self._hang = indent
        self._in_list = False

    def read(self, lines: Sequence[str]) -> None:
        at = 0
        while at < len(lines):
            at = self._take(lines, at)
        self._end()

    def _take(self, lines: Sequence[str], at: int) -> int:
        """Read what begins at a line; the line after it."""
        line = lines[at]
        if fence := _FENCE.match(line):
            self._end()
            at += 1
            while at < len(lines) and not lines[at].strip().startswith(fence[1]):
                self._rows.verbatim([(" " * (self._hang + 2) + lines[at].rstrip(), "middle")], self._hang + 4)
                at += 1
            return at + 1
        if not line.strip():
            self._end()
            self._rows.blank()
        elif self._held and not self._first and _UNDERLINE.match(line):
            self._heading(" ".join(each.strip() for each in self._held))
        elif heading := _HEADING.match(line):
            self._end()
            self._heading(heading[1] or "")
        elif _RULE.match(line):
            self._end()
            self._rows.add([(" " * self._indent + "───", "dim")])
        elif "|" in line and at + 1 < len(lines) and "|" in lines[at + 1] and _DIVIDER.match(lines[at + 1]):
            return self._table(lines, at)
        elif item := _ITEM.match(line):
            self._item(item)
        elif (code := _INDENTED_CODE.match(line)) and not self._held and not self._in_list:
            self._rows.verbatim([(" " * (self._indent + 2) + code[1], "middle")], self._indent + 4)
        elif quote := _QUOTE.match(line):
            self._quoted(quote[1])
        else:
            if not self._held and not line.startswith(" "):
                self._in_list, self._hang = False, self._indent
            self._held.append(line)
        return at + 1

    def _end(self) -> None:
        """What was held is a paragraph: its lines run on, but where two blanks or a backslash end one."""
        if not self._held and not self._first:
            return
        start: WordLine = self._first or [(" " * self._hang, "text")]
        parts: list[str] = []
        for number, line in enumerate(self._held):
            ends = line.endswith(("  ", "\\")) and number < len(self._held) - 1
            parts.append(line.strip().removesuffix("\\").rstrip() if ends else line.strip())
            if ends:
                self._rows.add([*start, *inline(" ".join(parts), self._role)], self._hang)
                start, parts = [(" " * self._hang, "text")], []
        self._rows.add([*start, *inline(" ".join(parts), self._role)], self._hang)
        self._held, self._first = [], []
        if not self._in_list:
            self._hang = self._indent

    def _heading(self, text: str) -> None:
        self._held, self._in_list, self._hang = [], False, self._indent
        self._rows.blank()
        self._rows.add([(" " * self._indent, "text"), *inline(text.strip(), "text bold")], self._indent)

    def _item(self, item: re.Match[str]) -> None:
        self._end()
        sign = "•" if item[2] in "-*+" else item[2]
        deep = self._indent + min(len(item[1]) // 2, DEEPEST_LIST) * 2
        self._first = [(" " * deep, "text"), (f"{sign} ", "dim")]
        self._hang, self._in_list = deep + len(sign) + 1, True
        self._held = [item[3] or ""]

    def _quoted(self, text: str) -> None:
        sign: WordLine = [(" " * self._indent + "│ ", "dim")]
        if self._first != sign or not text.strip():
            self._end()
        self._first, self._hang, self._in_list = sign, self._indent + 2, False
        self._held.append(text)

    def _table(self, lines: Sequence[str], at: int) -> int:
        """Cells in columns, as far as they are narrow; without the lines between them."""
        self._end()
        end = at + 2
        while end < len(lines) and "|" in lines[end] and lines[end].strip():
            end += 1
        table = [_cells(line) for line in (lines[at], *lines[at + 2 : end])]
        count = max(map(len, table))
        wide = [max(_width(row[place]) for row in table if place < len(row)) for place in range(count)]
        for number, row in enumerate(table):
            words: WordLine = [(" " * self._indent, "text")]
            for place, cell in enumerate(row):
                room = min(wide[place], WIDEST_CELL) - _width(cell)
                words += [*cell, (" " * (max(room, 0) + 2) if place < len(row) - 1 else "", "text")]
            bold: WordLine = [(text, f"{role} bold") for text, role in words]
            self._rows.add(bold if number == 0 else words, self._indent + 4)
        return end


def _cells(line: str) -> list[WordLine]:
    parts = _CELLS.split(line.strip().removeprefix("|").removesuffix("|"))[:MOST_CELLS]
    return [inline(part.strip().replace("\\|", "|")) for part in parts]
