"""The manual: its pages beside a table of contents."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import ClassVar, Final

from msgspec import Struct
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.strip import Strip

from rpcexplorer.text.markdown import Heading, Link, MarkdownPage, markdown_page
from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.full_screen import FullScreen
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import NARROW, ThemeStyles, line
from rpcexplorer.tui.widgets.bars import Bar, Frame
from rpcexplorer.tui.widgets.inputs import Prompt
from rpcexplorer.tui.widgets.rows import LineView, RowList

MAX_PAGE_COLUMNS: Final = 100
"""Columns of a page: longer lines are hard to read."""
MAX_CODE_COLUMNS: Final = 124
"""Columns of code: no line of a page is longer than 120 characters."""
CONTENTS_COLUMNS: Final = 38
SECTION: Final = 2
"""The level of headings in the contents."""


class Hit(Struct, frozen=True):
    """A found text, or its part in one row."""

    row: int
    start: int
    end: int
    number: int


class PageText:
    """The rows of a page as one text, so that a search finds what is broken between two rows."""

    def __init__(self, rows: Sequence[Sequence[tuple[str, str]]]) -> None:
        self._starts: list[int] = []
        self._indents: list[int] = []
        parts: list[str] = []
        size = 0
        for row in rows:
            text = "".join(words for words, _ in row)
            shown = text.strip()
            self._starts.append(size)
            self._indents.append(len(text) - len(text.lstrip()))
            parts.append(shown)
            size += len(shown) + 1
        self._text = " ".join(parts)
        self._folded = self._text.lower()

    def find(self, needle: str) -> list[Hit]:
        """Return the hits in order; capitals in the needle mean only themselves."""
        has_capitals = needle != needle.lower()
        text = self._text if has_capitals or len(self._folded) != len(self._text) else self._folded
        hits: list[Hit] = []
        at, number = text.find(needle) if needle else -1, 0
        while at >= 0:
            end = at + len(needle)
            row = bisect_right(self._starts, at) - 1
            while row < len(self._starts) and self._starts[row] < end:
                next_start = self._starts[row + 1] if row + 1 < len(self._starts) else len(self._text) + 1
                start, stop = max(at, self._starts[row]), min(end, next_start - 1)
                shift = self._indents[row] - self._starts[row]
                if stop > start:
                    hits.append(Hit(row, start + shift, stop + shift, number))
                row += 1
            at, number = text.find(needle, end), number + 1
        return hits


class PageView(LineView):
    """A page to read, with links to follow and hits of a search."""

    DEFAULT_CSS = "PageView { height: 1fr; scrollbar-gutter: stable; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "page(1)", show=False)]

    @message
    class LinkClicked(Message):
        """A link should be followed."""

        target: str

    class LaidOut(Message):
        """The page has other rows."""

    def __init__(self) -> None:
        super().__init__()
        self.page = MarkdownPage([], [], [], frozenset())
        self._text = ""
        self.expected_width = 0
        """Columns that the view will have: until it is drawn once, nobody else knows."""
        self._width = 0
        """Columns of code; prose has fewer on a wide screen."""
        self.hits: list[Hit] = []
        self.hit = -1
        """The number of the current hit."""
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
        self.lay_out()
        self.scroll_to(y=0, animate=False, immediate=True, force=True)

    def on_resize(self) -> None:
        if self.lay_out():
            self.post_message(self.LaidOut())

    def lay_out(self) -> bool:
        """Lay the page out for the width, if that has changed; what was at the top stays there."""
        width = min((self.scrollable_content_region.width or self.expected_width) - 2, MAX_CODE_COLUMNS)
        if width <= 0 or width == self._width:
            return False
        top, rows = self.scroll_offset.y, max(self.row_count, 1)
        self._width = width
        self.page = markdown_page(self._text, min(width, MAX_PAGE_COLUMNS), width)
        self.hits = self._found()
        self.rows_changed()
        if top:
            self.scroll_to(y=top * self.row_count // rows, animate=False, immediate=True, force=True)
        return True

    def draw_row(self, row: int, width: int, styles: ThemeStyles) -> Strip:
        words = self._marked(row)
        if row not in self.page.code:
            return line(words, width, styles)
        room = min(self._width, width)
        block = line(words, room, styles, ground="surface")
        edge = line([], 2, styles)
        return Strip.join([edge, block.crop(2), line([], width - room, styles)])

    def _marked(self, row: int) -> Sequence[tuple[str, str]]:
        """Return a row with the current link and the hits on it."""
        marks = [(hit.start, hit.end, FOUND[hit.number == self.hit]) for hit in self.hits if hit.row == row]
        marks += [
            (link.start, link.end, "accent reverse bold")
            for link in self.page.links
            if link.row == row and link.number == self.link
        ]
        if not marks:
            return self.page.rows[row]
        letters = [(letter, role) for words, role in self.page.rows[row] for letter in words]
        for start, end, role in marks:
            letters[start:end] = [(letter, role) for letter, _ in letters[start:end]]
        return [
            ("".join(letter for letter, _ in run), role) for role, run in groupby(letters, key=lambda letter: letter[1])
        ]

    def go_to_anchor(self, anchor: str) -> None:
        """Scroll to a heading, if the page has it."""
        found = next((each for each in self.page.headings if each.anchor == anchor), None)
        if found is not None:
            self.go_to(found.row)

    def go_to(self, row: int) -> None:
        self.scroll_to(y=row, animate=False, immediate=True, force=True)

    def section(self) -> Heading | None:
        """Return the heading of the section at the top of the view; at the end of the page, of the last one."""
        top = self.scroll_offset.y
        if top and top >= self.max_scroll_y:
            top += self.view_height
        above = [each for each in self.page.headings if each.level == SECTION and each.row <= top]
        return above[-1] if above else None

    def is_on_view(self, row: int) -> bool:
        return 0 <= row - self.scroll_offset.y < self.view_height

    @property
    def current_link(self) -> Link | None:
        """The link that Enter follows: the current one, while it is on view."""
        return next((each for each in self.page.links if each.number == self.link and self.is_on_view(each.row)), None)

    def move_link(self, by: int) -> None:
        """Go to the next link, from the current one or from the view."""
        links = self.page.links
        if not links:
            return
        if (current := self.current_link) is not None:
            number = current.number + by
        else:
            top, end = self.scroll_offset.y, self.scroll_offset.y + self.view_height
            if by > 0:
                number = next((each.number for each in links if each.row >= top), links[0].number)
            else:
                number = next((each.number for each in reversed(links) if each.row < end), links[-1].number)
        self.link = number % (links[-1].number + 1)
        self._bring(next(each.row for each in links if each.number == self.link))
        self.refresh()

    def click_row(self, row: int, event: events.Click) -> None:
        for link in self.page.links:
            if link.row == row and link.start <= event.x < link.end:
                self.post_message(self.LinkClicked(link.target))

    @property
    def count(self) -> int:
        return self.hits[-1].number + 1 if self.hits else 0

    def search(self, needle: str) -> None:
        """Find a text, and go to the first hit on view or below."""
        self._needle = needle
        self.hits = self._found()
        top = self.scroll_offset.y
        self.hit = next((each.number for each in self.hits if each.row >= top), 0)
        self._show_hit()

    def _found(self) -> list[Hit]:
        return PageText(self.page.rows).find(self._needle) if self._needle else []

    def move_hit(self, by: int) -> None:
        if self.hits:
            self.hit = (self.hit + by) % self.count
        self._show_hit()

    def _show_hit(self) -> None:
        row = next((each.row for each in self.hits if each.number == self.hit), None)
        if row is not None:
            self._bring(row)
        self.refresh()

    def _bring(self, row: int) -> None:
        if not self.is_on_view(row):
            self.scroll_above(row)


FOUND: Final = {True: "careful reverse", False: "careful underline"}
"""How hits are drawn: the current one, and the others."""


class ContentsRow(Struct, frozen=True):
    name: str
    """A page."""
    heading: Heading | None
    """One of the open page's headings, or the page itself."""
    title: str


class ContentsList(RowList[ContentsRow]):
    """All pages, with the headings of the one that is open."""

    DEFAULT_CSS = "ContentsList { height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self.open = ""
        self.section: Heading | None = None

    def draw(self, item: ContentsRow, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        ground = "selection" if chosen and self.has_focus else "background"
        if item.heading is not None:
            is_here = item.heading == self.section
            indent = " " * (1 + 2 * (item.heading.level - 1))
            words = [
                (indent, "text"),
                ("▸ " if is_here else "  ", "accent"),
                (item.title, "text" if is_here else "middle"),
            ]
        else:
            is_open = item.name == self.open
            words = [(" ▾ " if is_open else "   ", "accent"), (item.title, "accent bold" if is_open else "text")]
        return line(words, width, styles, ground=ground)

    def show_section(self, section: Heading | None) -> None:
        """Mark the section on view, and keep it on view here."""
        if section != self.section:
            self.section = section
            if not self.has_focus:
                self.cursor = next(
                    (at for at, row in enumerate(self.items) if row.name == self.open and row.heading == section),
                    next((at for at, row in enumerate(self.items) if row.name == self.open), 0),
                )
            self.refresh()


class Place(Struct, frozen=True):
    """Where a link was followed."""

    name: str
    top: int
    link: int


class ManualScreen(FullScreen[None]):
    """Pages of the manual. Links lead from one to another, and Esc leads back."""

    DEFAULT_CSS = f"""
    ManualScreen #columns {{ height: 1fr; }}
    ManualScreen #contents {{ width: {CONTENTS_COLUMNS}; border-right: solid $line; }}
    ManualScreen #page {{ width: 1fr; }}
    ManualScreen.-narrow #columns {{ layers: page contents; }}
    ManualScreen.-narrow #page {{ layer: page; }}
    ManualScreen.-narrow #contents {{ layer: contents; width: 100%; border-right: none; display: none; }}
    ManualScreen.-narrow.-choosing #contents {{ display: block; }}
    """
    scope: ClassVar[Scope] = "manual"
    BINDINGS: ClassVar[list[BindingType]] = bindings("manual")

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
        """``titles`` of the pages by name; ``read`` returns the Markdown of one."""
        super().__init__(pending, frame)
        self._titles, self._read = titles, read
        self._open_page = page if page in titles else next(iter(titles))
        self._needle = ""
        """What is searched for."""
        self._before: list[Place] = []
        self._contents_bar, self._page_bar = Bar(), Bar()
        self._contents_bar.words, self._contents_bar.key = [("Manual", "middle")], contents_key
        self.contents, self.view, self.prompt = ContentsList(), PageView(), Prompt()

    def compose(self) -> ComposeResult:
        contents = Vertical(self._contents_bar, self.contents, id="contents")
        page = Vertical(self._page_bar, self.view, id="page")
        yield from self.frame.around(Horizontal(contents, page, id="columns"), self.prompt)

    def on_mount(self) -> None:
        self.set_focus(self.view)
        self.watch(self.view, "scroll_y", self._follow_scroll, init=False)
        columns = self.app.size.width
        self.view.expected_width = columns - (CONTENTS_COLUMNS if columns >= NARROW else 0) - 1  # for the scrollbar
        self._show()

    def open(self, name: str, anchor: str = "") -> None:
        """Go to a page, and remember the place before."""
        if name not in self._titles:
            return
        self._before.append(Place(self._open_page, self.view.scroll_offset.y, self.view.link))
        if name != self._open_page:
            self._open_page = name
            self._show()
        if anchor:
            self.view.go_to_anchor(anchor)
        self._read_on()

    def _show(self) -> None:
        self._page_bar.words = [(self._titles[self._open_page], "bold")]
        at = [*self._titles].index(self._open_page) + 1
        self._page_bar.key = f"{at} of {len(self._titles)}"
        self.view.show(self._read(self._open_page))
        self._fill()

    @on(PageView.LaidOut)
    def _fill(self) -> None:
        """List the pages, and the headings of the one that is open."""
        chosen, rows = self.contents.chosen, list[ContentsRow]()
        for name, title in self._titles.items():
            rows.append(ContentsRow(name, None, title))
            if name == self._open_page:
                rows += [
                    ContentsRow(name, each, each.text) for each in self.view.page.headings if each.level == SECTION
                ]
        self.contents.open, self.contents.items, self.contents.section = self._open_page, rows, None
        is_same = chosen is not None and chosen.name == self._open_page
        if not is_same or not self.contents.has_focus:
            self.contents.cursor = next(at for at, row in enumerate(rows) if row.name == self._open_page)
        self._follow_scroll()

    def _follow_scroll(self) -> None:
        self.contents.show_section(self.view.section())
        self.refresh_bindings()

    def on_descendant_focus(self) -> None:
        self._show_focus()

    def on_descendant_blur(self) -> None:
        self._show_focus()

    def _show_focus(self) -> None:
        self._contents_bar.here, self._page_bar.here = self.contents.has_focus, self.view.has_focus
        self.refresh_bindings()

    def _read_on(self) -> None:
        """Go back from the contents or the search to the page."""
        self.remove_class("-choosing")
        self.set_focus(self.view)
        self.refresh_bindings()

    @on(RowList.RowChosen)
    def _row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        row: ContentsRow = event.item
        self.open(row.name, row.heading.anchor if row.heading else "")
        if row.heading is None:
            self.view.go_to(0)

    @on(PageView.LinkClicked)
    def _link_clicked(self, event: PageView.LinkClicked) -> None:
        event.stop()
        self._follow(event.target)

    def _follow(self, target: str) -> None:
        """Open the page of a link; a file that is no page of the manual cannot be opened here."""
        file, _, anchor = target.partition("#")
        name = file.removesuffix(".md") or self._open_page
        if name in self._titles:
            self.open(name, anchor)
        else:
            self.notify(f"{target} is not a page of this manual.")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        is_reading = self.is_mounted and self.view.has_focus
        possible: dict[str, Callable[[], bool]] = {
            "follow": lambda: is_reading and self.view.current_link is not None,
            "link_next": lambda: is_reading and bool(self.view.page.links),
            "link_previous": lambda: is_reading and bool(self.view.page.links),
            "next": lambda: not self.prompt.has_focus_within and bool(self.view.hits),
            "previous": lambda: not self.prompt.has_focus_within and bool(self.view.hits),
        }
        return possible[action]() if action in possible else super().check_action(action, parameters)

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
        """Close the search or the contents, then go back to the place of the last link, then close the manual."""
        if self.prompt.is_open or self.contents.has_focus:
            self._close_search()
        elif self._before:
            place = self._before.pop()
            if place.name != self._open_page:
                self._open_page = place.name
                self._show()
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
        self._close_search()

    def _search(self, needle: str) -> None:
        if needle != self._needle:
            self._needle = needle
            self.view.search(needle)
        self._show_count()

    def _show_count(self) -> None:
        view = self.view
        state = f"{view.hit + 1} of {view.count}" if view.count else "no matches" if self._needle else ""
        self.prompt.show_state(state, wrong=bool(self._needle and not view.count))
        self.refresh_bindings()

    def _close_search(self) -> None:
        """Show no hits any more, and read on."""
        self.prompt.close()
        self._needle = ""
        self.view.search("")
        self._read_on()
