"""A list in columns with the detail of its current row: the shape of most screens over the call screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, ClassVar, Final, Generic, TypeAlias, TypeVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from rpcexplorer.model.exchange import Stop
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.columns import MAX_NAME_COLUMNS, Cell
from rpcexplorer.text.document import Document
from rpcexplorer.text.printable import clipped, columns, printable
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.theme import width_of
from rpcexplorer.tui.widgets.bars import Bar, Frame, WarningLines
from rpcexplorer.tui.widgets.full_screen import FullScreen, MoveDivider
from rpcexplorer.tui.widgets.inputs import Entry
from rpcexplorer.tui.widgets.reader import Reader
from rpcexplorer.tui.widgets.rows import ItemList, RowList, Sheet, SheetLine

T = TypeVar("T")
AnswerT = TypeVar("AnswerT")

Sized: TypeAlias = Callable[[int], Cell]
"""Makes pieces for some columns."""


class Detail(Struct, frozen=True):
    """What the pane beside a list shows of a row."""

    title: Cell | None = ()
    """None: without a bar for it."""
    after: Cell = ()
    """After the title, if there is room."""
    outcome: Sized | None = None
    outcome_after: Cell = ()
    remarks: Sized = lambda _: ()
    """For as many columns as the outcome."""
    text: bytes | Document = b""
    """JSON or another text, in the reader; or its document, if it was laid out already."""
    is_raw: bool = False
    """The text is shown unchanged, even if it is JSON."""
    page: Sequence[SheetLine] | None = None
    """Lines to read instead of a text."""
    nothing: str = ""
    """Shown if there is neither."""


TAB_KEYS: Final = "[ ]"
MIN_PANE_COLUMNS: Final = 20
BESIDE_NAME: Final = 30
"""Columns of an outcome and its duration, which a long name leaves."""
MIN_NAME_COLUMNS: Final = 12


class DetailPane(Vertical):
    """The detail of the row under the cursor."""

    DEFAULT_CSS = """
    DetailPane { background: $background; }
    DetailPane > Reader, DetailPane > Sheet { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "fold", show=False)]

    def __init__(self) -> None:
        super().__init__(id="detail")
        self.bar, self.outcome, self.remarks = Bar(self), Bar(classes="-tinted"), WarningLines()
        self.reader, self.sheet = Reader(), Sheet()
        self._detail, self._key = Detail(), object()

    def compose(self) -> ComposeResult:
        yield from (self.bar, self.outcome, self.remarks, self.reader, self.sheet)

    def show(self, detail: Detail, key: object) -> None:
        """Show a detail; ``key``: what it is of. Another one is shown from its beginning."""
        is_other, before = key != self._key, self._detail
        self._detail, self._key = detail, key
        self._lay_out()
        self.reader.empty = [[], [(f"   {detail.nothing}", "dim")]] if detail.nothing else []
        if is_other or (detail.text, detail.is_raw) != (before.text, before.is_raw):
            self.reader.document = _document_of(detail)
        if detail.page is not None and (is_other or detail.page != before.page):
            self.sheet.lines = detail.page
            if is_other:
                self.sheet.scroll_home(animate=False)
        is_inside = self.has_focus_within
        self.sheet.display, self.reader.display = detail.page is not None, detail.page is None
        if is_inside:  # Keep the focus in the pane.
            self.screen.set_focus(self.reader if detail.page is None else self.sheet)

    def _lay_out(self) -> None:
        """Fill the bars. In little room, the keys of the tabs are dropped first, then what is after the title.

        If there is an outcome, a title that is too long comes after it.
        """
        detail, bar, outcome = self._detail, self.bar, self.outcome
        title = detail.title or ()
        wordings = [[*title, *detail.after], title]
        if detail.outcome is not None:
            wordings += [[(text.lstrip(), role) for text, role in detail.after], ()]
        keys = (TAB_KEYS, "") if bar.tabs else ("",)
        for bar.words, bar.key in product(wordings, keys):
            if width_of(bar.words) <= bar.room + len("✓ "):
                break
        outcome.after = detail.outcome_after
        if title and bar.words in wordings[2:]:
            room = min(MAX_NAME_COLUMNS, max(self.size.width - BESIDE_NAME, MIN_NAME_COLUMNS))
            names = [(clipped(text, room), "careful") for text, _ in title]
            outcome.after = [("  of ", "middle"), *names, *detail.outcome_after]
        outcome.words = detail.outcome(outcome.room) if detail.outcome else ()
        self.remarks.pieces = [*detail.remarks(outcome.room)]
        bar.display = detail.title is not None
        outcome.display = not bar.display or detail.outcome is not None
        outcome.panes = () if bar.display else (self,)

    def on_resize(self) -> None:
        self._lay_out()

    def action_fold(self) -> None:
        self.reader.fold()


def _document_of(detail: Detail) -> Document | None:
    if isinstance(detail.text, Document):
        return detail.text
    if not detail.text:
        return None
    return Document.raw(detail.text) if detail.is_raw else Document.of_json(detail.text)


class FilterLine(Horizontal):
    """A filter over a list. Keys that move go to the row at the cursor of the list, or a page from it."""

    DEFAULT_CSS = """
    FilterLine { height: 1; }
    FilterLine .prompt { width: 3; height: 1; color: $middle; }
    FilterLine Entry, FilterLine Entry:focus { padding: 0 1 0 0; width: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,down", "screen.into_list", show=False),
        Binding("pageup", "screen.into_list(-1)", show=False),
        Binding("pagedown", "screen.into_list(1)", show=False),
    ]


class Browser(FullScreen[AnswerT], Generic[T, AnswerT]):
    """A screen with a list, and the detail of its current row.

    A subclass gives its list of columns, the detail of a row, and the states that its commands need (``has``).
    """

    DEFAULT_CSS = """
    Browser #columns { height: 1fr; }
    Browser #main { width: 55%; border-right: solid $line; background: $background; }
    Browser #detail { width: 1fr; }
    Browser.-narrow #columns { layout: vertical; }
    Browser.-narrow #main, Browser #main.-alone { width: 1fr; border-right: none; }
    Browser.-stacked #columns { layout: vertical; }
    Browser.-stacked #main { width: 1fr; border-right: none; }
    Browser.-stacked #detail { height: 45%; max-height: 13; }
    Browser.-narrow.-low #detail { display: none; }
    Browser .state { height: auto; min-height: 1; max-height: 3; padding: 0 1 0 3; color: $dim; }
    Browser .state.-wrong { color: $wrong; }
    """
    FILTER: ClassVar[str] = ""
    """Examples of what can be typed into the filter; empty without one."""
    HAS_DETAIL: ClassVar[bool] = True

    def __init__(self, rows: ItemList[T], pending: PendingKeys, frame: Frame, *profiles: Profile | None) -> None:
        super().__init__(pending, frame, *profiles)
        self.list, self.pane = rows, DetailPane()
        self.filter, self.state = Entry(hint=self.FILTER), Static(classes="state")
        self.bar, self.remarks = Bar(self.filter, rows), WarningLines()
        self._state = ""
        self.stop: Stop | None = None
        """Stops the work that runs here; None if none does."""
        self.tab = ""
        """The tab of the detail."""

    def compose(self) -> ComposeResult:
        yield from self.frame.around(*self.over_both(), Horizontal(*self._panes(), id="columns"))

    def over_both(self) -> Sequence[Widget]:
        """Return the widgets above both panes."""
        return ()

    def over_list(self) -> Sequence[Widget]:
        """Return the widgets between the remarks and the list."""
        return ()

    def under_list(self) -> Sequence[Widget]:
        """Return the widgets below the list."""
        return ()

    def _panes(self) -> list[Widget]:
        sign = Static(Content(" ›"), classes="prompt")  # noqa: RUF001 - the sign is meant
        line = [FilterLine(sign, self.filter), self.state] if self.FILTER else []
        main = Vertical(self.bar, *line, self.remarks, *self.over_list(), self.list, *self.under_list(), id="main")
        main.set_class(not self.HAS_DETAIL, "-alone")
        return [main, self.pane] if self.HAS_DETAIL else [main]

    def on_mount(self) -> None:
        self.set_focus(self.list)

    def divider_at(self, x: int, y: int) -> MoveDivider | None:  # noqa: ARG002 - the divider is vertical
        main = self.query_one("#main")
        is_divider = self.HAS_DETAIL and not self.has_class("-narrow") and x == main.region.right - 1
        return self._move_divider if is_divider else None

    def _move_divider(self, x: int, _: int) -> None:
        main = self.query_one("#main")
        most = self.size.width - MIN_PANE_COLUMNS
        main.styles.max_width = most  # Some screens limit the list as long as nobody drags.
        main.styles.width = min(max(x + 1 - main.region.x, MIN_PANE_COLUMNS), most)

    # What a subclass says

    def tabs_of(self, row: T) -> Sequence[str]:  # noqa: ARG002 - for subclasses
        return ()

    def detail(self, row: T | None) -> Detail:  # noqa: ARG002 - for subclasses
        return Detail()

    def choose(self, row: T) -> None:
        """Act on a row that was entered or clicked."""

    def filter_changed(self) -> None:
        """Act on each letter of the filter."""

    def step_back(self) -> bool:
        """Undo something smaller than the screen before it closes; return whether there was any."""
        return False

    # What it does

    @property
    def row(self) -> T | None:
        """The row under the cursor."""
        return self.list.chosen

    @property
    def is_typing(self) -> bool:
        return self.filter.has_focus

    def show_detail(self) -> None:
        """Show the row under the cursor, and the keys that work for it."""
        row = self.row
        if self.HAS_DETAIL:
            tabs = self.tabs_of(row) if row is not None else ()
            if tabs and self.tab not in tabs:
                self.tab = tabs[0]
            self.pane.bar.tabs, self.pane.bar.open = tabs, self.tab
            self.pane.show(self.detail(row), (row, self.tab))
        self.refresh_bindings()

    def has(self, state: str) -> bool:
        return not self.is_typing if state == "list" else super().has(state)

    def show_state(self, words: str, *, is_wrong: bool = False) -> None:
        """Show what the filter has found. Only a text of several lines lays the screen out, which takes a while."""
        before, self._state = self._state, printable(words)
        self.state.set_class(is_wrong, "-wrong")
        if self._state != before:
            wide = max(columns(before), columns(self._state))
            self.state.update(Content(self._state), layout=wide > self.state.content_size.width)

    def on_descendant_focus(self) -> None:
        self.refresh_bindings()

    on_descendant_blur = on_descendant_focus

    def on_row_list_cursor_moved(self, event: RowList.CursorMoved) -> None:
        event.stop()
        self.show_detail()

    def on_row_list_row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        self.choose(event.item)

    def on_bar_tab_clicked(self, event: Bar.TabClicked) -> None:
        event.stop()
        self.open_tab(event.tab)

    def open_tab(self, tab: str) -> None:
        self.tab = tab
        self.show_detail()

    def action_tab_next(self, by: int = 1) -> None:
        self.open_tab(self.pane.bar.next_tab(by))

    def action_tab_previous(self) -> None:
        self.action_tab_next(-1)

    def action_open(self) -> None:
        self.list.action_choose()

    def action_search(self) -> None:
        """Focus the filter and select its text."""
        self.set_focus(self.filter)
        self.filter.action_select_all()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.filter_changed()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.into_list(lambda: None)

    def action_into_list(self, pages: int = 0) -> None:
        self.into_list(lambda: self.list.action_page(pages))

    def into_list(self, move: Callable[[], Any]) -> None:
        """Go from the filter to the list, and move there."""
        self.set_focus(self.list)
        move()

    def interrupt(self) -> bool:
        """Stop what runs, or clear the filter while it is typed; return whether there was anything."""
        if self.stop is not None:
            self.stop.press()
            return True
        if found := self.is_typing and bool(self.filter.value):
            self.filter.value = ""
        return found

    def action_close(self) -> None:
        """Leave what is smallest: what runs, the filter, the detail, the screen."""
        if self.interrupt():
            return
        if self.is_typing or self.pane.has_focus_within:
            self.set_focus(self.list)
        elif not self.step_back():
            self.dismiss(None)
