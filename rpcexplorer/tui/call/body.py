"""The body of a response in the way of looking at it that is wanted: JSON, a table, raw text, headers or timing.

What only a reply needs is loaded with the first one, and each view is made when it is first on view.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.keys import paced
from rpcexplorer.tui.widgets.rows import Sheet, SheetLine

if TYPE_CHECKING:
    from rpcexplorer.jsontext.slices import Text
    from rpcexplorer.text.document import Document
    from rpcexplorer.text.table import Table
    from rpcexplorer.tui.widgets.grid import Grid
    from rpcexplorer.tui.widgets.reader import Reader

LARGE: Final = 256 * 1024
"""Bytes; a larger reply is laid out in steps, so that typing goes on."""
YIELDS_NOTHING: Final[Sequence[SheetLine]] = (
    (),
    (("      It yields nothing. ", "dim"), ("o", "bold"), (" shows the reply again.", "dim")),
)
LAID_OUT: Final[Sequence[SheetLine]] = ((), (("      It is being laid out …", "dim"),))


class Body(Vertical):
    """Shows one of five views; each keeps its place while another is looked at."""

    DEFAULT_CSS = """
    Body { height: 1fr; background: $background; }
    Body > Reader, Body > Grid, Body > Sheet { height: 1fr; }
    """
    scope: ClassVar[Scope] = "table"
    BINDINGS: ClassVar[list[BindingType]] = bindings("table")

    exchange: reactive[Exchange | None] = reactive[Exchange | None](None, always_update=True)
    tab: reactive[str] = reactive("Result")
    tabled: reactive[bool] = reactive(False)
    """The result is shown as a table."""
    made: reactive[bytes | None] = reactive[bytes | None](None)
    """What a filter or a command made of the reply, in its place; None shows the reply itself."""
    wrapped: reactive[bool] = reactive(False)
    """Long lines are wrapped rather than cut."""
    empty: reactive[Sequence[SheetLine]] = reactive[Sequence[SheetLine]](())
    """What to say where there is no body."""

    class NoTable(Message):
        """A table was wanted, and what is on view is no list of objects."""

    def __init__(self) -> None:
        super().__init__()
        self._sheet = Sheet()
        """Headers, timing, or what is to be said where there is nothing to read."""
        self._readers: dict[str, Reader] = {}
        """Of the reply, of what was made of it, and of the bytes."""
        self._grid: Grid | None = None
        self._table: Table | None = None
        self._laid: dict[Reader, Text] = {}
        """What each reader has laid out."""

    def compose(self) -> ComposeResult:
        yield self._sheet

    @property
    def reader(self) -> Reader:
        """The lazy view of JSON or text that belongs to the tab: the reply, or what was made of it."""
        from rpcexplorer.tui.widgets.reader import Reader

        of = "bytes" if self.tab == "Raw" else "reply" if self.made is None else "made"
        if of not in self._readers:
            self._readers[of] = reader = Reader()
            reader.display = False
            reader.wrapped = self.wrapped
            self.mount(reader)
        return self._readers[of]

    def prepare(self) -> None:
        """A reply is on its way: have ready by then what it will be read in."""
        _ = self.reader  # which is made by being asked for

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
    def shown(self) -> Text:
        """What is on view: the JSON text, what was made of it, or every byte that came."""
        return self._bytes()

    @property
    def reading(self) -> bool:
        """Whether JSON or text is on view, rather than a table or a page."""
        return bool(self._bytes()) and not (self._paged or self._gridded)

    @property
    def doing(self) -> str:
        """What the view is at, in words; empty where it is at rest."""
        return self.reader.doing if self.reading else ""

    @property
    def folding(self) -> bool:
        """Folds are on their way, and can be stopped."""
        return self.reading and self.reader.folding

    @property
    def _paged(self) -> bool:
        return self.exchange is not None and self.tab in {"Headers", "Timing"}

    @property
    def _gridded(self) -> bool:
        return self.tabled and self._table is not None and self.tab == "Result" and self.made is None

    def focus_inside(self) -> None:
        self.screen.set_focus(self._on_view())

    def value(self) -> bytes:
        """The text of the value under the cursor, or of the cell."""
        view = self._grid if self._gridded else self.reader if self._bytes() else None
        return view.value() if view else b""

    def path(self) -> str:
        """Where in the reply that is; empty where there are no paths."""
        view = self._grid if self._gridded else self.reader if self.reading else None
        return view.path() if view else ""

    @property
    def has_pointers(self) -> bool:
        """What is on view is the one result of a call, and not a table of it."""
        is_call = self.exchange is not None and self.exchange.kind == "call"
        return is_call and self.reading and self.tab == "Result" and self.made is None

    def pointer(self) -> str:
        """Where in the result the value under the cursor is."""
        return self.reader.pointer()

    def watch_exchange(self) -> None:
        """Another exchange: as JSON again, from the top."""
        self._table = None
        self._laid.clear()
        self.workers.cancel_group(self, "table")
        self.set_reactive(Body.tabled, False)
        self.set_reactive(Body.made, None)
        self._show()

    def watch_tab(self) -> None:
        self._show()

    def watch_made(self) -> None:
        self._show()

    def watch_empty(self) -> None:
        if not self._bytes():
            self._show()

    def watch_wrapped(self) -> None:
        for reader in self._readers.values():
            reader.wrapped = self.wrapped

    def watch_tabled(self) -> None:
        if not self.tabled or self._table is not None:
            self._arrange()
            return
        from rpcexplorer.text.table import Table

        if len(self.text) < LARGE:
            self._take(Table.of(bytes(self.text)))
        else:
            self._make_large_table(bytes(self.text))

    @work(exclusive=True, group="table", description="make a table")
    async def _make_large_table(self, text: bytes) -> None:
        from rpcexplorer.text.table import Table

        self._take(await asyncio.to_thread(Table.of, text))

    def _take(self, table: Table | None) -> None:
        self._table = table
        if table is None:
            self.tabled = False
            self.post_message(self.NoTable())
        else:
            self._put_into_grid(table)
        self._arrange()

    def _put_into_grid(self, table: Table) -> None:
        from rpcexplorer.tui.widgets.grid import Grid

        if self._grid is None:
            self._grid = Grid()
            self.mount(self._grid)
        self._grid.table = table

    def _show(self) -> None:
        exchange = self.exchange
        if exchange is not None and self._paged:
            from rpcexplorer.text.exchange import headers_page, timing_page

            wide = max(self.size.width - 2, 20)
            self._sheet.lines = headers_page(exchange) if self.tab == "Headers" else timing_page(exchange, wide)
        elif self._bytes():
            self._lay_out(self.reader, self._bytes())
        else:
            self._sheet.lines = YIELDS_NOTHING if self.made is not None else self.empty
        self._arrange()

    def _bytes(self) -> Text:
        if self.tab == "Raw" and self.exchange is not None:
            return self.exchange.response.body or self.text
        return self.text if self.made is None else self.made

    def _lay_out(self, reader: Reader, body: Text) -> None:
        from rpcexplorer.text.document import Document

        if self._laid.get(reader) is body:
            return
        self.workers.cancel_group(self, "layout")
        self._laid.pop(reader, None)
        reader.document = None  # what was on view of another body ends here
        if len(body) < LARGE:
            self._read(reader, body, Document.raw(body) if self.tab == "Raw" else Document.of_json(body))
        else:
            reader.empty = LAID_OUT
            self._lay_out_large(reader, body, self.tab)

    # A worker without a description gets one that spells out all it is given, megabytes included.
    @work(exclusive=True, group="layout", description="lay out")
    async def _lay_out_large(self, reader: Reader, body: Text, tab: str) -> None:
        from rpcexplorer.text.document import as_it_is, laid_out

        async for document in paced(as_it_is(body) if tab == "Raw" else laid_out(body)):
            if document is not None:
                self._read(reader, body, document)

    def _read(self, reader: Reader, body: Text, document: Document) -> None:
        if reader.document is not None and not reader.document.complete:
            reader.go_on_with(document)
        else:
            reader.document = document
            if reader.find.needle:  # it was searched for before it was there
                reader.search(reader.find.needle)
        if document.complete:
            self._laid[reader] = body

    def _on_view(self) -> Widget:
        if self._gridded and self._grid is not None:
            return self._grid
        return self.reader if self.reading else self._sheet

    def _arrange(self) -> None:
        """Which view is on screen; a focus that was on another one goes along."""
        inside = self.has_focus_within
        shown = self._on_view()
        for view in self.children:
            view.display = view is shown
        if inside:
            self.focus_inside()
        self.refresh_bindings()

    # --- actions -----------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self._gridded if action == "sort" else super().check_action(action, parameters)

    def action_sort(self) -> None:
        if self._grid is not None:
            self._grid.action_sort()
