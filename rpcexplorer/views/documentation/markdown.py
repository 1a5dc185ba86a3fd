"""Markdown as rows to read: headings, lists, code, quotes and tables as text. What is none of these is a paragraph.

A renderer of our own: what services write is short and seldom deep, it has to be done in a blink whatever it is, and
nothing of it may be obeyed. References, footnotes and HTML are shown as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from rpcexplorer.views.cells import columns
from rpcexplorer.views.documentation.inlines import inline
from rpcexplorer.views.documentation.rows import PageRows
from rpcexplorer.views.words.sentences import WordLine

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
_CODE = re.compile(r"(?: {4}|\t)(.*)")
_DIVIDER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_CELLS = re.compile(r"(?<!\\)\|")


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
            return self._fenced(lines, at + 1, fence[1])
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
        elif (code := _CODE.match(line)) and not self._held and not self._in_list:
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

    def _fenced(self, lines: Sequence[str], at: int, fence: str) -> int:
        self._end()
        while at < len(lines) and not lines[at].strip().startswith(fence):
            self._rows.verbatim([(" " * (self._hang + 2) + lines[at].rstrip(), "middle")], self._hang + 4)
            at += 1
        return at + 1

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


def _width(words: WordLine) -> int:
    return sum(columns(text) for text, _ in words)
