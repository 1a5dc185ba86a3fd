"""The body of a response in the way of looking at it that is wanted: JSON, a table, raw text, headers or timing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.reactive import reactive

from rpcexplorer.model.exchange import ErrorObject, Exchange, Result
from rpcexplorer.tui.widgets.grid import Grid
from rpcexplorer.tui.widgets.reader import Reader
from rpcexplorer.tui.widgets.sheet import Sheet
from rpcexplorer.views.document import Document
from rpcexplorer.views.reply_pages import headers_page, timing_page
from rpcexplorer.views.table import Table

LARGE: Final = 1_000_000
"""Bytes; a larger reply is laid out in a thread, so that typing goes on."""


class Body(Vertical):
    """Shows one of three views; each keeps its place while another is looked at."""

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
    empty: reactive[Sequence[Sequence[tuple[str, str]]]] = reactive[Sequence[Sequence[tuple[str, str]]]](())
    """What to say where there is no body."""

    def __init__(self) -> None:
        super().__init__()
        self._table: Table | None = None

    def compose(self) -> ComposeResult:
        """One of them is on screen."""
        yield Reader()
        yield Grid()
        yield Sheet()

    @property
    def reader(self) -> Reader:
        """The lazy view of JSON and text."""
        return self.query_one(Reader)

    @property
    def grid(self) -> Grid:
        """The table."""
        return self.query_one(Grid)

    @property
    def text(self) -> bytes:
        """The JSON text that is looked at: the result, the error object, or the bytes that came."""
        outcome = self.exchange.outcome if self.exchange else None
        if isinstance(outcome, Result | ErrorObject) and outcome.value:
            return outcome.value
        return self.exchange.response.body if self.exchange else b""

    @property
    def reading(self) -> bool:
        """Whether JSON or text is on view, rather than a table or a page."""
        return self.reader.display

    def focus_inside(self) -> None:
        """The focus goes to what is on view."""
        for view in (self.reader, self.grid, self.query_one(Sheet)):
            if view.display:
                self.screen.set_focus(view)

    def watch_exchange(self) -> None:
        """Another exchange: as JSON again, from the top."""
        self._table = None
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
        """Said by the view for text."""
        self.reader.empty = self.empty

    def watch_tabled(self) -> None:
        """As a table or as JSON."""
        if self.tabled and self._table is None:
            self._table = self.grid.table = Table.of(self.text)
            if self._table is None:
                self.set_reactive(Body.tabled, False)
        self._arrange()

    def _show(self) -> None:
        exchange = self.exchange
        if exchange is not None and self.tab == "Headers":
            self.query_one(Sheet).lines = headers_page(exchange)
        elif exchange is not None and self.tab == "Timing":
            self.query_one(Sheet).lines = timing_page(exchange, max(self.size.width - 2, 20))
        else:
            self._lay_out(self._bytes())
        self._arrange()

    def _bytes(self) -> bytes:
        if self.tab == "Raw" and self.exchange is not None:
            return self.exchange.response.body or self.text
        return self.text if self.made is None else self.made

    def _lay_out(self, body: bytes) -> None:
        self.workers.cancel_group(self, "layout")
        if len(body) < LARGE:
            self.reader.document = _document(body, self.tab) if body else None
        else:
            self.reader.document = None
            self._lay_out_large(body, self.tab)

    @work(exclusive=True, group="layout")
    async def _lay_out_large(self, body: bytes, tab: str) -> None:
        self.reader.document = await asyncio.to_thread(_measured, body, tab)

    def _arrange(self) -> None:
        """Which view is on screen; a focus that was on another one goes along."""
        inside = self.has_focus_within
        sheet = self.exchange is not None and self.tab in {"Headers", "Timing"}
        grid = self.tabled and self._table is not None and self.tab == "Result" and self.made is None
        self.query_one(Sheet).display = sheet
        self.grid.display = grid and not sheet
        self.reader.display = not sheet and not grid
        if inside:
            self.focus_inside()
        self.refresh_bindings()


def _measured(body: bytes, tab: str) -> Document:
    """A document that knows its widest line already: finding it takes as long as laying out, so it belongs here."""
    document = _document(body, tab)
    _ = document.widest
    return document


def _document(body: bytes, tab: str) -> Document:
    return Document.raw(body) if tab == "Raw" else Document.of_json(body)
