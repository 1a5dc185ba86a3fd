"""Markdown as rows to read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from rpcexplorer.model.problem import counted
from rpcexplorer.text.code import code_lines
from rpcexplorer.text.printable import printable
from rpcexplorer.text.wrapping import Breaks, WordLine, joined, shortened, width_of, wrapped

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LINK: Final = "link:"
"""Prefix of a role during layout. The number of the link follows."""
CODE_ROLE: Final = "json-key"
"""Most code in docs is names of params, which are drawn so."""
MIN_WIDTH: Final = 16
"""Minimum width for wrapping. No screen that shows docs is narrower."""
MAX_ROWS: Final = 1_000
MAX_CHARACTERS: Final = 10_000
"""Characters shown of one text."""
MAX_LIST_DEPTH: Final = 4
MAX_CELL_WIDTH: Final = 32
MAX_CELLS: Final = 20
DRAWING: Final = "+--"
"""In code of the manual, it belongs to the drawing of a box."""
MIN_CELL_WIDTH: Final = 8
"""A table with narrower columns has its rows written as paragraphs."""


@cache
def _parser() -> MarkdownIt:
    """Return a parser that leaves HTML, entities and URLs unchanged."""
    from markdown_it import MarkdownIt  # 20 ms, and only docs need it

    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("entity")
    # A URL is shown unchanged, and never opened.
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.normalizeLinkText = lambda link: link  # type: ignore[method-assign]
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005
    return parser


def inline(text: str, role: str = "text") -> WordLine:
    (token,) = _parser().parseInline(text)
    words: WordLine = []
    for row in _inline_rows(token.children or (), role):
        words += row
    return words


def _inline_rows(tokens: Iterable[Token], role: str, targets: list[str] | None = None) -> list[WordLine]:
    """Return the pieces of a paragraph, with a row for each hard line break.

    With ``targets``, links to other pages are added to them, and their words have the role ``link:INDEX``.
    """
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
                in_link = roles[-1].startswith(LINK)
                rows[-1].append((token.content, roles[-1] if in_link else CODE_ROLE))
            case "image":  # Show the alternative text.
                rows[-1].append((token.content or "image", roles[-1] if token.content else "dim"))
            case "strong_open" | "em_open" | "link_open":
                attribute = {"strong_open": "bold", "em_open": "italic", "link_open": "underline"}[token.type]
                roles.append(roles[-1] if attribute in roles[-1].split() else f"{roles[-1]} {attribute}")
                if token.type == "link_open":
                    url = str(token.attrGet("href") or "")
                    if targets is not None and "://" not in url:
                        targets.append(url)
                        roles[-1], url = f"{LINK}{len(targets) - 1}", ""
            case "strong_close" | "em_close":
                roles.pop()
            case "link_close":
                roles.pop()
                if url and not (rows[-1] and rows[-1][-1][0] == url):
                    rows[-1].append((f" ({url})", "dim"))
            case _:
                rows[-1].append((token.content, roles[-1]))
    return [joined(row) for row in rows]


class PageRows:
    """The rows of a page. Width None turns wrapping off."""

    def __init__(self, width: int | None = None, most: int = MAX_ROWS) -> None:
        self.width = None if width is None else max(width, MIN_WIDTH)
        self.most = most
        self.made: list[WordLine] = []

    @property
    def is_full(self) -> bool:
        return len(self.made) >= self.most

    def blank(self) -> None:
        if self.made and self.made[-1]:
            self.made.append([])

    def rest(self, count: int, indent: int = 2, noun: str = "") -> None:
        """Say how many of something are not shown, if there are any."""
        if count > 0:
            what = counted(count, f"more {noun}") if noun else f"{count:,} more"
            self.add([(f"{' ' * indent}… and {what}", "dim")], indent)

    def add(self, words: WordLine, hang: int = 0, breaks: Breaks = "words") -> None:
        """Add a line; further rows begin in column ``hang``."""
        if self.is_full:
            return
        if self.width is None:
            self.made.append([(printable(text), role) for text, role in words if text])
            return
        rows = wrapped(words, self.width, min(hang, self.width * 3 // 5), breaks)
        self.made += islice(rows, self.most - len(self.made))


def markdown(text: str, rows: PageRows, indent: int = 2, role: str = "text", most: int = MAX_CHARACTERS) -> None:
    """Add Markdown, ``most`` characters of it."""
    _Writer(rows, indent, role).write(_parser().parse(text[:most].expandtabs(4)))
    rows.rest(len(text) - most, indent, "character")


def plain(text: str, rows: PageRows, indent: int = 2, role: str = "text", most: int = MAX_CHARACTERS) -> None:
    """Add plain text, ``most`` characters of it. Its line breaks are kept."""
    for line in text[:most].expandtabs(4).splitlines():
        deep = len(line) - len(line.lstrip())
        if not line.strip():
            rows.add([])
        else:
            rows.add([(" " * indent + line.rstrip(), role)], indent + deep + 2)
    rows.rest(len(text) - most, indent, "character")


_BLOCKS: Final = frozenset({"paragraph_open", "heading_open", "fence", "code_block", "hr", "table_open"})


class _Writer:
    """Writes blocks one after the other, with the blank rows of the text."""

    def __init__(self, rows: PageRows, indent: int, role: str) -> None:
        self._rows, self._indent, self._role = rows, indent, role
        self._hangs = [indent]
        """The column in which text begins, for each enclosing list and quote."""
        self._sign: WordLine = []
        """The sign of an item or quote, written before the next paragraph."""
        self._lists = 0
        self._last_line = 0
        self.headings: list[Heading] = []
        self.code: list[range] = []
        """The rows of each block of code."""
        self.targets: list[str] | None = None
        """Link targets so far; None if links cannot be followed."""
        self.code_width = 0
        """Columns for code, if there are more of them than for prose."""

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
                    words = next(tokens)
                    title = "".join(child.content for child in words.children or ())
                    self.headings.append(Heading(len(self._rows.made), int(token.tag[1:]), title, anchor_of(title)))
                    self._paragraph(words, "text bold")
                case "inline":
                    self._paragraph(token, self._role)
                case "fence" | "code_block":
                    indent, first = self._hangs[-1] + 2, len(self._rows.made)
                    is_manual = self.targets is not None
                    breaks: Breaks = "words" if is_manual else "anywhere"
                    width, self._rows.width = self._rows.width, self.code_width or self._rows.width
                    for line in code_lines(token.content, token.info):
                        row = [(" " * indent, "text"), *line]
                        if is_manual and DRAWING in token.content and self._rows.width:
                            # Wrapped, it would mean nothing.
                            row = shortened(row, self._rows.width)
                        self._rows.add(row, indent + 2, breaks)
                    self._rows.width = width
                    self.code.append(range(first, len(self._rows.made)))
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
        for row in _inline_rows(token.children or (), role, self.targets):
            self._rows.add([*(self._sign or [(" " * hang, "text")]), *row], hang)
            self._sign = []

    def _table(self, tokens: Iterator[Token]) -> None:
        """Write cells in columns without lines; long cells continue on rows below."""
        table: list[list[WordLine]] = []
        for token in tokens:
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                table.append([])
            elif token.type == "inline" and len(table[-1]) < MAX_CELLS:
                table[-1] += _inline_rows(token.children or (), self._role, self.targets)[:1]
        natural = [max(1, *map(width_of, column)) for column in zip_longest(*table, fillvalue=[])]
        widths = _column_widths(natural, self._rows.width and self._rows.width - self._hangs[-1])
        for number, row in enumerate(table):
            lines = [tuple(row)]
            if widths:
                cells = [wrapped(cell, width, 0, "words") for cell, width in zip(row, widths, strict=False)]
                lines = list(zip_longest(*cells, fillvalue=[]))
            for line in lines:
                words: WordLine = [(" " * self._hangs[-1], "text")]
                for place, cell in enumerate(line):
                    if place > 0:
                        room = widths[place - 1] if widths else min(natural[place - 1], MAX_CELL_WIDTH)
                        words.append((" " * (max(room - width_of(line[place - 1]), 0) + GAP), "text"))
                    words += cell
                if number == 0:
                    words = [(text, f"{role} bold") for text, role in words]
                self._rows.add(words, self._hangs[-1] + 4)


GAP: Final = 2
"""Blanks between the columns of a table."""


def _column_widths(natural: list[int], room: int | None) -> list[int]:
    """Return the widths of columns; narrow ones keep theirs.

    The wide ones share the rest. Return nothing if there are too many columns, or if nothing is wrapped.
    """
    if room is None or not natural:
        return []
    left = room - GAP * (len(natural) - 1)
    widths: dict[int, int] = {}
    for place in sorted(range(len(natural)), key=natural.__getitem__):
        widths[place] = min(natural[place], left // (len(natural) - len(widths)))
        left -= widths[place]
    if any(widths[place] < min(natural[place], MIN_CELL_WIDTH) for place in widths):
        return []
    return [widths[place] for place in range(len(natural))]


class Heading(Struct, frozen=True):
    row: int
    level: int
    text: str
    anchor: str
    """The fragment of a link to it, as on GitHub."""


class Link(Struct, frozen=True):
    row: int
    start: int
    end: int
    number: int
    """The same for all rows of a link."""
    target: str


class MarkdownPage(Struct, frozen=True):
    """A page of the manual, laid out for a width."""

    rows: list[WordLine]
    headings: list[Heading]
    links: list[Link]
    code: frozenset[int]
    """The rows of blocks of code."""


MAX_PAGE_CHARACTERS: Final = 60_000


def anchor_of(heading: str) -> str:
    """Return the anchor of a heading, as GitHub spells it."""
    return "".join(letter for letter in heading.lower().replace(" ", "-") if letter.isalnum() or letter in "-_")


def markdown_page(text: str, width: int, code_width: int) -> MarkdownPage:
    """Lay out a page of the manual below its title, with links and colours.

    Lines of code may be longer than prose.
    """
    rows = PageRows(width)
    if text.startswith("# "):
        text = text.partition("\n")[2]
    writer = _Writer(rows, 2, "text")
    writer.targets, writer.code_width = [], code_width
    writer.write(_parser().parse(text[:MAX_PAGE_CHARACTERS]))
    links: list[Link] = []
    for number, row in enumerate(rows.made):
        start = 0
        for place, (words, role) in enumerate(row):
            link, *attributes = role.split()
            if link.startswith(LINK):
                index = int(link.removeprefix(LINK))
                links.append(Link(number, start, start + len(words), index, writer.targets[index]))
                row[place] = (words, " ".join(["accent", "underline", *attributes]))
            start += len(words)
    code = frozenset(chain.from_iterable(writer.code))
    return MarkdownPage(rows.made, writer.headings, links, code)
