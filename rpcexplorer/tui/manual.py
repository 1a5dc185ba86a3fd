"""The screen of the manual: a page and the table of contents."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import ClassVar, Final

from msgspec import Struct
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.strip import Strip

from rpcexplorer.text.markdown import Link, MarkdownPage, markdown_page
from rpcexplorer.text.wrapping import joined
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import NARROW, ThemeStyles, line
from rpcexplorer.tui.widgets.bars import Bar, Frame
from rpcexplorer.tui.widgets.full_screen import FullScreen
from rpcexplorer.tui.widgets.inputs import Prompt
from rpcexplorer.tui.widgets.rows import LineView, RowList

MAX_PAGE_COLUMNS: Final = 100
"""Longer lines are hard to read."""
MAX_CODE_COLUMNS: Final = 124
"""Pages have at most 120 characters in a line of code."""
MIN_CONTENTS, MAX_CONTENTS, CONTENTS_PERCENT = 42, 54, 27
"""Columns of the contents: the titles of all pages, and in a wide terminal those of all sections, are whole."""
SECTION: Final = 2
"""The level of headings in the contents."""


class Hit(Struct, frozen=True):
    """A match of a search, or its part in one row."""

    row: int
    start: int
    end: int
    number: int


def find_hits(rows: Sequence[Sequence[tuple[str, str]]], needle: str) -> list[Hit]:
    """Return the matches of a search, also those across a line break.

    Capitals in the needle match only capitals.
    """
    text, cells = "", list[tuple[int, int]]()
    for row, words in enumerate(rows):
        shown = "".join(piece for piece, _ in words).rstrip()
        start = len(shown) - len(shown.lstrip())
        text += shown[start:] + " "  # a line break is like a space
        cells += [(row, column) for column in range(start, len(shown) + 1)]
    case = re.IGNORECASE if needle == needle.lower() else re.NOFLAG
    hits: list[Hit] = []
    for number, found in enumerate(re.finditer(re.escape(needle), text, case)):
        for row, part in groupby(cells[found.start() : found.end()], key=itemgetter(0)):
            columns = [column for _, column in part]
            hits.append(Hit(row, columns[0], columns[-1] + 1, number))
    return hits


class PageView(LineView):
    """A page with links to follow and matches of a search."""

    DEFAULT_CSS = "PageView { height: 1fr; scrollbar-gutter: stable; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "page(1)", show=False)]

    @message
    class LinkClicked(Message):
        """A link should be followed."""

        target: str

    def __init__(self) -> None:
        super().__init__()
        self.page = MarkdownPage([], [], [], frozenset())
        self._text = ""
        self.expected_width = 0
        """Columns of the view before it is drawn for the first time."""
        self._width = 0
        """Columns of code; prose has fewer on a wide screen."""
        self.hits: list[Hit] = []
        self.hit = -1
        """The number of the current match."""
        self.link = -1
        """The number of the current link."""
        self._needle = ""

    @property
    def row_count(self) -> int:
        return len(self.page.rows)

    def nearest(self, row: int, by: int = 1) -> int:  # noqa: ARG002 - there is no cursor
        return -1

    def show(self, text: str) -> None:
        """Show another page from its top."""
        self._text, self._width, self.link = text, 0, -1
        self.on_resize()
        self.go_to(0)

    def on_resize(self) -> None:
        """Lay out the page for the width, and keep its place."""
        width = min((self.scrollable_content_region.width or self.expected_width) - 2, MAX_CODE_COLUMNS)
        if width <= 0 or width == self._width:
            return
        top, rows = self.scroll_offset.y, max(self.row_count, 1)
        self._width = width
        self.page = markdown_page(self._text, min(width, MAX_PAGE_COLUMNS), width)
        self._find()
        self.rows_changed()
        if top:
            self.go_to(top * self.row_count // rows)

    def draw_row(self, row: int, width: int, styles: ThemeStyles) -> Strip:
        words = self._marked(row)
        if row not in self.page.code:
            return line(words, width, styles)
        room = min(self._width, width)
        block = line(words, room, styles, ground="surface")
        edge = line([], 2, styles)
        return Strip.join([edge, block.crop(2), line([], width - room, styles)])

    def _marked(self, row: int) -> Sequence[tuple[str, str]]:
        """Return a row with the current link and the matches marked."""
        text, roles = "", list[str]()
        for words, role in self.page.rows[row]:
            text += words
            roles += [role] * len(words)
        for hit in self.hits:
            if hit.row == row:
                role = "careful reverse" if hit.number == self.hit else "careful underline"
                roles[hit.start : hit.end] = [role] * (hit.end - hit.start)
        for link in self.page.links:
            if link.row == row and link.number == self.link:
                roles[link.start : link.end] = ["accent reverse bold"] * (link.end - link.start)
        return joined(zip(text, roles, strict=True))

    def go_to_anchor(self, anchor: str) -> None:
        """Scroll to a heading, if the page has it."""
        found = next((heading for heading in self.page.headings if heading.anchor == anchor), None)
        if found is not None:
            self.go_to(found.row)

    def go_to(self, row: int) -> None:
        self.scroll_to(y=row, animate=False, immediate=True, force=True)

    @property
    def section(self) -> str:
        """The anchor of the section at the top; at the end, of the last one."""
        top = self.scroll_offset.y
        if top and top >= self.max_scroll_y:
            top += self.view_height
        above = [heading.anchor for heading in self.page.headings if heading.level == SECTION and heading.row <= top]
        return above[-1] if above else ""

    @property
    def current_link(self) -> Link | None:
        """The link that Enter follows: the current one, while it is on view."""
        rows = range(self.scroll_offset.y, self.scroll_offset.y + self.view_height)
        return next((link for link in self.page.links if link.number == self.link and link.row in rows), None)

    def move_link(self, by: int) -> None:
        """Go to the next link, from the current one or from the view."""
        self.link = self._next(self.page.links, self.link, by)

    def _next(self, marks: Sequence[Link | Hit], number: int, by: int) -> int:
        """Go to the next mark, and return its number.

        It starts from the current mark if that is on view, else from the view.
        """
        if not marks:
            return -1
        top, end = self.scroll_offset.y, self.scroll_offset.y + self.view_height
        if any(mark.number == number and top <= mark.row < end for mark in marks):
            number += by
        elif by > 0:
            number = next((mark.number for mark in marks if mark.row >= top), 0)
        else:
            number = next((mark.number for mark in reversed(marks) if mark.row < end), -1)
        number %= marks[-1].number + 1
        row = next(mark.row for mark in marks if mark.number == number)
        if not top <= row < end:
            self.go_to(max(row - self.view_height // 3, 0))
        self.refresh()
        return number

    def click_row(self, row: int, event: events.Click) -> None:
        for link in self.page.links:
            if link.row == row and link.start <= event.x < link.end:
                self.post_message(self.LinkClicked(link.target))

    @property
    def count(self) -> int:
        return self.hits[-1].number + 1 if self.hits else 0

    def search(self, needle: str) -> None:
        """Find a text, and go to the first match on view or below."""
        self._needle, self.hit = needle, -1
        self._find()
        self.move_hit(1)
        self.refresh()

    def _find(self) -> None:
        self.hits = find_hits(self.page.rows, self._needle) if self._needle else []

    def move_hit(self, by: int) -> None:
        """Go to the next match, from the current one or from the view."""
        self.hit = self._next(self.hits, self.hit, by)


class ContentsRow(Struct, frozen=True):
    page: str
    title: str
    anchor: str = ""
    """The anchor of a section; empty for the page itself."""


class ContentsList(RowList[ContentsRow]):
    """All pages, with the sections of the open one."""

    DEFAULT_CSS = "ContentsList { height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self.here = ContentsRow("", "")
        """The open page, or its section on view."""

    def draw(self, item: ContentsRow, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        ground = "selection" if chosen and self.has_focus else "background"
        if item.anchor:
            sign, role = ("▸ ", "text") if item == self.here else ("  ", "middle")
            words = [("   ", "text"), (sign, "text"), (item.title, role)]
        else:
            sign, role = (" ▾ ", "text bold") if item.page == self.here.page else ("   ", "text")
            words = [(sign, "text"), (item.title, role)]
        return line(words, width, styles, ground=ground)

    def show_place(self, page: str, anchor: str) -> None:
        """Mark the open page and its section, and put the cursor there.

        If the user is choosing a section, the cursor stays.
        """
        is_choosing = self.has_focus and page == self.here.page
        at = next((at for at, row in enumerate(self.items) if (row.page, row.anchor) == (page, anchor)), 0)
        self.here = self.items[at]
        if not is_choosing:
            self.cursor = at
        self.refresh()


class Place(Struct, frozen=True):
    """A place to go back to."""

    page: str
    top: int
    link: int


class ManualScreen(FullScreen[None], scope="manual"):
    """The pages of the manual, with links between them and Esc to go back."""

    DEFAULT_CSS = f"""
    ManualScreen #columns {{ height: 1fr; }}
    ManualScreen #contents {{
        width: {CONTENTS_PERCENT}%; min-width: {MIN_CONTENTS}; max-width: {MAX_CONTENTS}; border-right: solid $line;
    }}
    ManualScreen #page {{ width: 1fr; }}
    ManualScreen.-narrow #columns {{ layers: page contents; }}
    ManualScreen.-narrow #page {{ layer: page; }}
    ManualScreen.-narrow #contents {{
        layer: contents; width: 100%; max-width: 100%; border-right: none; display: none;
    }}
    ManualScreen.-narrow.-choosing #contents {{ display: block; }}
    """

    def __init__(
        self,
        titles: Mapping[str, str],
        read: Callable[[str], str],
        pending: PendingKeys,
        frame: Frame,
        *,
        page: str = "",
        contents_key: str = "c",
    ) -> None:
        """``titles`` of the pages by name; ``read`` returns the Markdown of one; ``page`` may be ``auth#limits``."""
        super().__init__(pending, frame)
        self._titles, self._read = titles, read
        page, _, self._first_section = page.partition("#")
        self._first = page if page in titles else next(iter(titles))
        self._open_page = ""
        self._needle = ""
        self._before: list[Place] = []
        self.contents, self.view, self.prompt = ContentsList(), PageView(), Prompt()
        self._contents_bar, self._page_bar = Bar(self.contents), Bar(self.view, self.prompt)
        self._contents_bar.words, self._contents_bar.key = [("Manual", "middle")], contents_key

    def compose(self) -> ComposeResult:
        contents = Vertical(self._contents_bar, self.contents, id="contents")
        page = Vertical(self._page_bar, self.view, id="page")
        yield from self.frame.around(Horizontal(contents, page, id="columns"), self.prompt)

    def on_mount(self) -> None:
        self.set_focus(self.view)
        columns = self.app.size.width
        contents = min(max(columns * CONTENTS_PERCENT // 100, MIN_CONTENTS), MAX_CONTENTS) if columns >= NARROW else 0
        self.view.expected_width = columns - contents - 1  # minus the scrollbar
        self._show(self._first)
        if self._first_section:
            self.call_after_refresh(self.view.go_to_anchor, self._first_section)
        self.watch(self.view, "scroll_y", self._show_place, init=False)

    def open(self, page: str, anchor: str = "") -> None:
        """Go to a page or section, and remember the place before."""
        if page not in self._titles:
            return
        self._before.append(Place(self._open_page, self.view.scroll_offset.y, self.view.link))
        self._show(page)
        if anchor:
            self.view.go_to_anchor(anchor)
        self._read_on()

    def _show(self, page: str) -> None:
        """Show a page and list its sections, unless it is open."""
        if page == self._open_page:
            return
        self._open_page = page
        self._end_search()
        self._page_bar.words = [(self._titles[page], "bold")]
        self._page_bar.key = f"{[*self._titles].index(page) + 1} of {len(self._titles)}"
        self.view.show(self._read(page))
        rows: list[ContentsRow] = []
        for name, title in self._titles.items():
            rows.append(ContentsRow(name, title))
            if name == page:
                headings = (heading for heading in self.view.page.headings if heading.level == SECTION)
                rows += [ContentsRow(name, heading.text, heading.anchor) for heading in headings]
        self.contents.items = rows
        self._show_place()

    def _show_place(self) -> None:
        self.contents.show_place(self._open_page, self.view.section)
        self.refresh_bindings()

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_place)

    def on_descendant_focus(self) -> None:
        self.refresh_bindings()

    on_descendant_blur = on_descendant_focus

    def _read_on(self) -> None:
        """Go back from the contents or the search to the page."""
        self.remove_class("-choosing")
        self.set_focus(self.view)
        self.refresh_bindings()

    @on(RowList.RowChosen)
    def _row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        row: ContentsRow = event.item
        self.open(row.page, row.anchor)
        if not row.anchor:
            self.view.go_to(0)

    @on(PageView.LinkClicked)
    def _link_clicked(self, event: PageView.LinkClicked) -> None:
        event.stop()
        self._follow(event.target)

    def _follow(self, target: str) -> None:
        """Open the page of a link, or say that it is not a page."""
        file, _, anchor = target.partition("#")
        name = file.removesuffix(".md") or self._open_page
        if name in self._titles:
            self.open(name, anchor)
        else:
            self.notify(f"{target} is not a page of this manual.")

    def has(self, state: str) -> bool:
        match state:
            case "page":
                return self.view.has_focus
            case "link":
                return self.view.current_link is not None
            case "links":
                return bool(self.view.page.links)
            case "matches":
                return bool(self.view.hits) and not self.prompt.has_focus_within
            case "closed-line":
                return not self.prompt.has_focus_within
        return super().has(state)

    def action_contents(self) -> None:
        """Go to the contents, or back to the page."""
        if self.contents.has_focus:
            self._read_on()
        else:
            self.add_class("-choosing")
            self.set_focus(self.contents)

    def action_follow(self) -> None:
        if link := self.view.current_link:
            self._follow(link.target)

    def action_link_next(self) -> None:
        self.view.move_link(1)
        self.refresh_bindings()

    def action_link_previous(self) -> None:
        self.view.move_link(-1)
        self.refresh_bindings()

    def action_page_next(self) -> None:
        self._turn(1)

    def action_page_previous(self) -> None:
        self._turn(-1)

    def _turn(self, by: int) -> None:
        names = [*self._titles]
        self.open(names[(names.index(self._open_page) + by) % len(names)])

    def action_close(self) -> None:
        """Close the search or the contents, else go back, else close."""
        if self.prompt.is_open or self.contents.has_focus:
            self._end_search()
            self._read_on()
        elif self._before:
            place = self._before.pop()
            self._show(place.page)
            self.view.link = place.link
            self.view.go_to(place.top)
        else:
            self.dismiss(None)

    def action_search(self) -> None:
        self.remove_class("-choosing")
        self.prompt.ask("search", self._needle)

    def action_next(self) -> None:
        self.view.move_hit(1)
        self._show_count()

    def action_previous(self) -> None:
        self.view.move_hit(-1)
        self._show_count()

    @on(Prompt.TextTyped)
    def _text_typed(self, event: Prompt.TextTyped) -> None:
        event.stop()
        self._search(event.text)

    @on(Prompt.Taken)
    def _text_taken(self, event: Prompt.Taken) -> None:
        event.stop()
        self._search(event.text)
        if not event.text:
            self.prompt.close()
        self._read_on()

    @on(Prompt.Left)
    def _search_left(self, event: Prompt.Left) -> None:
        event.stop()
        self._end_search()
        self._read_on()

    def _search(self, needle: str) -> None:
        if needle != self._needle:
            self._needle = needle
            self.view.search(needle)
        self._show_count()

    def _show_count(self) -> None:
        count, state = self.view.count, ""
        if count:
            state = f"{self.view.hit + 1} of {count}"
        elif self._needle:
            state = "no matches"
        self.prompt.show_state(state, wrong=state == "no matches")
        self.refresh_bindings()

    def _end_search(self) -> None:
        self.prompt.close()
        self._needle = ""
        self.view.search("")
