"""Markdown as rows to read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import groupby, islice, zip_longest
from operator import itemgetter
from typing import TYPE_CHECKING, Final, TypeAlias

from rpcexplorer.patterns import regex
from rpcexplorer.text.exchange import WordLine
from rpcexplorer.text.printable import columns, printable

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

CODE_ROLE: Final = "json-key"
"""Most code in docs is names of params, which are drawn so."""
MIN_WIDTH: Final = 16
"""Columns below which nothing is wrapped for: no screen that shows docs is narrower."""
MAX_ROWS: Final = 1_000
MAX_CHARACTERS: Final = 10_000
"""Characters of one text that are shown; a service that has more to say has a page for it."""
MAX_LIST_DEPTH: Final = 4
MAX_CELL_WIDTH: Final = 32
MAX_CELLS: Final = 20
_TOKEN = regex(r"\s+|\S+")
_Break: TypeAlias = Callable[[WordLine, int, int], Iterator[WordLine]]


@cache
def _parser() -> MarkdownIt:
    """Make a parser that leaves HTML, entities and addresses as they are spelled."""
    from markdown_it import MarkdownIt  # 20 ms, and only docs need it

    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("entity")
    # An address is shown as it is spelled, and never opened.
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.normalizeLinkText = lambda link: link  # type: ignore[method-assign]
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005
    return parser


def inline(text: str, role: str = "text") -> WordLine:
    (token,) = _parser().parseInline(text)
    return [piece for row in _inline_rows(token.children or (), role) for piece in row]


def _inline_rows(tokens: Iterable[Token], role: str) -> list[WordLine]:
    """Return the pieces of a paragraph, a row for each line that the writer broke on purpose."""
    rows: list[WordLine] = [[]]
    roles = [role]
    url = ""
    for token in tokens:
        match token.type:
            case "hardbreak":
                rows.append([])
            case "softbreak":
                rows[-1].append((" ", roles[-1]))
            case "code_inline":
                rows[-1].append((token.content, CODE_ROLE))
            case "image":  # the text that stands for it
                rows[-1].append((token.content or "image", roles[-1] if token.content else "dim"))
            case "strong_open" | "em_open" | "link_open":
                attribute = {"strong_open": "bold", "em_open": "italic", "link_open": "underline"}[token.type]
                roles.append(roles[-1] if attribute in roles[-1].split() else f"{roles[-1]} {attribute}")
                if token.type == "link_open":
                    url = str(token.attrGet("href") or "")
            case "strong_close" | "em_close":
                roles.pop()
            case "link_close":
                roles.pop()
                if url and not (rows[-1] and rows[-1][-1][0] == url):
                    rows[-1].append((f" ({url})", "dim"))
            case _:
                rows[-1].append((token.content, roles[-1]))
    joined = ([(_joined(run), role) for role, run in groupby(row, itemgetter(1))] for row in rows)
    return [[(text, role) for text, role in row if text] for row in joined]


def _joined(pieces: Iterable[tuple[str, str]]) -> str:
    return "".join(text for text, _ in pieces)


class PageRows:
    """Gathers the rows of a page of so many columns; with None nothing is wrapped."""

    def __init__(self, width: int | None = None) -> None:
        self.width = None if width is None else max(width, MIN_WIDTH)
        self.made: list[WordLine] = []

    @property
    def is_full(self) -> bool:
        return len(self.made) >= MAX_ROWS

    def blank(self) -> None:
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
        for row in islice(broken(words, width, hang), MAX_ROWS - len(self.made)):
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
    _Writer(rows, indent, role).write(_parser().parse(text[:MAX_CHARACTERS].expandtabs(4)))
    more_than(text, rows, indent)


def plain(text: str, rows: PageRows, indent: int = 2, role: str = "text") -> None:
    """A text that is no Markdown: its lines stay lines, as it may be laid out in columns."""
    for line in text[:MAX_CHARACTERS].expandtabs(4).splitlines():
        deep = len(line) - len(line.lstrip())
        rows.add([(" " * indent + line.rstrip(), role)] if line.strip() else [], indent + deep + 2)
    more_than(text, rows, indent)


def more_than(text: str, rows: PageRows, indent: int) -> None:
    if len(text) > MAX_CHARACTERS:
        rows.add([(f"{' ' * indent}… and {len(text) - MAX_CHARACTERS:,} more characters", "dim")], indent)


_BLOCKS: Final = frozenset({"paragraph_open", "heading_open", "fence", "code_block", "hr", "table_open"})


class _Writer:
    """Writes blocks in turn; blank rows stand where the text has them."""

    def __init__(self, rows: PageRows, indent: int, role: str) -> None:
        self._rows, self._indent, self._role = rows, indent, role
        self._hangs = [indent]
        """The column in which text begins, for each list and quote around it."""
        self._sign: WordLine = []
        """What stands before the next paragraph: the sign of an item or a quote."""
        self._lists = 0
        self._last_line = 0

    def write(self, tokens: Iterable[Token]) -> None:
        tokens = iter(tokens)
        for token in tokens:
            if token.type in _BLOCKS and token.map:
                if token.map[0] > self._last_line:
                    self._rows.blank()
                self._last_line = token.map[1]
            match token.type:
                case "heading_open":
                    self._rows.blank()
                    self._paragraph(next(tokens), "text bold")
                case "inline":
                    self._paragraph(token, self._role)
                case "fence" | "code_block":
                    indent = self._hangs[-1] + 2
                    for line in token.content.splitlines():
                        self._rows.verbatim([(" " * indent + line.rstrip(), "middle")], indent + 2)
                case "hr":
                    self._rows.add([(" " * self._indent + "───", "dim")])
                case "table_open":
                    self._table(tokens)
                case _:
                    self._list_or_quote(token)

    def _list_or_quote(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                self._lists += 1
            case "bullet_list_close" | "ordered_list_close":
                self._lists -= 1
            case "list_item_open":
                number = f"{token.info}{token.markup}" if token.info else "•"
                self._begin(number, self._indent + 2 * min(self._lists - 1, MAX_LIST_DEPTH))
            case "blockquote_open":
                self._begin("│", self._hangs[-1])
            case "list_item_close" | "blockquote_close":
                self._end()

    def _begin(self, sign: str, column: int) -> None:
        self._sign = [(" " * column, "text"), (f"{sign} ", "dim")]
        self._hangs.append(column + len(sign) + 1)

    def _end(self) -> None:
        """End it; one without any text is its sign alone."""
        if self._sign:
            self._rows.add(self._sign)
        self._sign = []
        self._hangs.pop()

    def _paragraph(self, token: Token, role: str) -> None:
        hang = self._hangs[-1]
        for row in _inline_rows(token.children or (), role):
            self._rows.add([*(self._sign or [(" " * hang, "text")]), *row], hang)
            self._sign = []

    def _table(self, tokens: Iterator[Token]) -> None:
        """Write cells in columns, as far as they are narrow; without the lines between them."""
        table: list[list[WordLine]] = []
        for token in tokens:
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                table.append([])
            elif token.type == "inline" and len(table[-1]) < MAX_CELLS:
                table[-1] += _inline_rows(token.children or (), self._role)[:1]
        widths = [max(map(_width, column)) for column in zip_longest(*table, fillvalue=[])]
        for number, row in enumerate(table):
            words: WordLine = [(" " * self._hangs[-1], "text")]
            for place, cell in enumerate(row):
                room = min(widths[place], MAX_CELL_WIDTH) - _width(cell)
                words += [*cell, (" " * (max(room, 0) + 2) if place < len(row) - 1 else "", "text")]
            bold: WordLine = [(text, f"{role} bold") for text, role in words]
            self._rows.add(bold if number == 0 else words, self._hangs[-1] + 4)
