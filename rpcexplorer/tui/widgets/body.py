"""The body of a response in the way of looking at it that is wanted: JSON, a table, raw text, headers or timing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from rpcexplorer.model.exchange import ErrorObject, Exchange, Result
from rpcexplorer.tui.widgets.grid import Grid
from rpcexplorer.tui.widgets.reader import Reader
from rpcexplorer.tui.widgets.sheet import Sheet
from rpcexplorer.views.document import Document, Text, as_it_is, laid_out
from rpcexplorer.views.reply_pages import headers_page, timing_page
from rpcexplorer.views.table import Table

LARGE: Final = 256 * 1024
"""Bytes; a larger reply is laid out in steps, so that typing goes on."""
YIELDS_NOTHING: Final[Sequence[Sequence[tuple[str, str]]]] = (
    (),
    (("      It yields nothing. ", "dim"), ("o", "bold"), (" shows the reply again.", "dim")),
)


LAID_OUT: Final[Sequence[Sequence[tuple[str, str]]]] = ((), (("      It is being laid out …", "dim"),))


class Body(Vertical):
    """Shows one of five views; each keeps its place while another is looked at."""

    DEFAULT_CSS = """
    Body { height: 1fr; background: $background; }
    Body > Reader, Body > Grid, Body > Sheet { height: 1fr; }
    """

    exchange: reactive[Exchange | None] = reactive[Exchange | None](None, always_update=True)
    tab: reactive[str] = reactive("Result")
    tabled: reactive[bool] = reactive(False)
    """The result is shown as a table."""
    made: reactive[bytes | None] = reactive[bytes | None](None)
    """What a filter or a command made of the reply, in its place; None shows the reply itself."""
    wrapped: reactive[bool] = reactive(False)
    """Long lines are wrapped rather than cut."""
    empty: reactive[Sequence[Sequence[tuple[str, str]]]] = reactive[Sequence[Sequence[tuple[str, str]]]](())
    """What to say where there is no body."""

    class NoTable(Message):
        """A table was wanted, and what is on view is no list of objects."""

    def __init__(self) -> None:
        super().__init__()
        self._result, self._made, self._raw = Reader(), Reader(), Reader()
        self.grid, self._sheet = Grid(), Sheet()
        self._table: Table | None = None
        self._laid: dict[Reader, Text] = {}
        """What each reader has laid out."""

    def compose(self) -> ComposeResult:
        """One of them is on screen."""
        self._made.empty = YIELDS_NOTHING
        yield from self._views

    @property
    def _views(self) -> tuple[Widget, ...]:
        return self._result, self._made, self._raw, self.grid, self._sheet

    @property
    def reader(self) -> Reader:
        """The lazy view of JSON or text that belongs to the tab: the reply, or what was made of it."""
        if self.tab == "Raw":
            return self._raw
        return self._result if self.made is None else self._made

    @property
    def text(self) -> Text:
        """The JSON text that is looked at, not copied: the result, the error object, or the bytes that came."""
        match self.exchange:
            case Exchange(outcome=Result(text=text) | ErrorObject(value=text)) if text:
                return text
            case Exchange(response=response):
                return response.body
        return b""

    @property
    def reading(self) -> bool:
        """Whether JSON or text is on view, rather than a table or a page."""
        return self.reader.display

    def focus_inside(self) -> None:
        """The focus goes to what is on view."""
        self.screen.set_focus(next(view for view in self._views if view.display))

    def value(self) -> bytes:
        """The text of the value under the cursor, or of the cell."""
        return self.grid.value() if self.grid.display else self.reader.value()

    def path(self) -> str:
        """Where in the reply that is; empty where there are no paths."""
        return self.grid.path() if self.grid.display else self.reader.path() if self.reader.display else ""

    def watch_exchange(self) -> None:
        """Another exchange: as JSON again, from the top."""
        self._table = None
        self._laid.clear()
        self.workers.cancel_group(self, "table")
        self.set_reactive(Body.tabled, False)
        self.set_reactive(Body.made, None)
        self._show()

    def watch_tab(self) -> None:
        """Another tab."""
        self._show()

    def watch_made(self) -> None:
        """Something else in the reply's place, or the reply again."""
        self._show()

    def watch_empty(self) -> None:
        """Said by the views for text."""
        self._result.empty = self._raw.empty = self.empty

    def watch_wrapped(self) -> None:
        """For the one as for the other."""
        self._result.wrapped = self._made.wrapped = self._raw.wrapped = self.wrapped

    def watch_tabled(self) -> None:
        """As a table or as JSON."""
        if not self.tabled or self._table is not None:
            self._arrange()
        elif len(self.text) < LARGE:
            self._take(Table.of(bytes(self.text)))
        else:
            self._make_large_table(bytes(self.text))

    @work(exclusive=True, group="table", description="make a table")
    async def _make_large_table(self, text: bytes) -> None:
        self._take(await asyncio.to_thread(Table.of, text))

    def _take(self, table: Table | None) -> None:
        self._table = self.grid.table = table
        if table is None:
            self.tabled = False
            self.post_message(self.NoTable())
        self._arrange()

    def _show(self) -> None:
        exchange = self.exchange
        if exchange is not None and self.tab == "Headers":
            self._sheet.lines = headers_page(exchange)
        elif exchange is not None and self.tab == "Timing":
            self._sheet.lines = timing_page(exchange, max(self.size.width - 2, 20))
        else:
            self._lay_out(self.reader, self._bytes())
        self._arrange()

    def _bytes(self) -> Text:
        if self.tab == "Raw" and self.exchange is not None:
            return self.exchange.response.body or self.text
        return self.text if self.made is None else self.made

    def _lay_out(self, reader: Reader, body: Text) -> None:
        if self._laid.get(reader) is body:
            return
        self.workers.cancel_group(self, "layout")
        self._laid.pop(reader, None)
        reader.document = None  # what was on view of another body ends here
        if len(body) < LARGE:
            self._read(reader, body, _document(body, self.tab) if body else None)
        else:
            reader.empty = LAID_OUT
            self._lay_out_large(reader, body, self.tab)

    # A worker without a description gets one that spells out all it is given, megabytes included.
    @work(exclusive=True, group="layout", description="lay out")
    async def _lay_out_large(self, reader: Reader, body: Text, tab: str) -> None:
        for document in as_it_is(body) if tab == "Raw" else laid_out(body):
            if document is not None:
                self._read(reader, body, document)
            await asyncio.sleep(0)

    def _read(self, reader: Reader, body: Text, document: Document | None) -> None:
        if document is not None and reader.document is not None and not reader.document.complete:
            reader.go_on_with(document)
        else:
            reader.document = document
        if document is None or document.complete:
            self._laid[reader] = body
        reader.empty = YIELDS_NOTHING if reader is self._made else self.empty
        if reader.needle:  # it was searched for before it was there
            reader.search(reader.needle)

    def _arrange(self) -> None:
        """Which view is on screen; a focus that was on another one goes along."""
        inside = self.has_focus_within
        sheet = self.exchange is not None and self.tab in {"Headers", "Timing"}
        grid = self.tabled and self._table is not None and self.tab == "Result" and self.made is None
        self._sheet.display = sheet
        self.grid.display = grid
        for reader in (self._result, self._made, self._raw):
            reader.display = reader is self.reader and not (sheet or grid)
        if inside:
            self.focus_inside()
        self.refresh_bindings()


def _document(body: Text, tab: str) -> Document:
    return Document.raw(body) if tab == "Raw" else Document.of_json(body)
