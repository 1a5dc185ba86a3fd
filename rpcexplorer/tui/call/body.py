"""The views of a response: JSON, table, text, raw, headers, timing.

Views are loaded when they are first shown, so that a start without a response needs none of them.
"""

from __future__ import annotations

import asyncio
import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.rpc.codec import open_object
from rpcexplorer.rpc.messages import ErrorObject, Result, array_of
from rpcexplorer.tui.commands import Commanded
from rpcexplorer.tui.key_queue import paced
from rpcexplorer.tui.theme import AFTER_NUMBER
from rpcexplorer.tui.widgets.rows import Sheet, SheetLine

if TYPE_CHECKING:
    from rpcexplorer.jsontext.slices import Text
    from rpcexplorer.text.blocks import BlockRows, TextBlock
    from rpcexplorer.text.document import Document
    from rpcexplorer.text.table import Table
    from rpcexplorer.tui.widgets.grid import Grid
    from rpcexplorer.tui.widgets.reader import Reader

LARGE: Final = 256 * 1024
"""Bytes. Larger responses are laid out in steps, so that keys work."""
LAID_OUT: Final[Sequence[SheetLine]] = ((), (("      Formatting …", "dim"),))
SEARCHED_AT_ONCE: Final = 64 * 1024
"""Bytes of a result whose texts are found in a few milliseconds. A thread looks through larger ones."""
MAX_SEARCHED: Final = 1024 * 1024
"""Bytes. No texts are looked for in a larger result: taking it apart would hold up a key, also in a thread."""


class Body(Commanded, Vertical, scope="table"):
    """The views of a response; one is shown, and all keep their place."""

    DEFAULT_CSS = """
    Body { height: 1fr; background: $background; }
    Body > Reader, Body > Grid, Body > Sheet { height: 1fr; }
    """

    exchange: reactive[Exchange | None] = reactive[Exchange | None](None, always_update=True)
    tab: reactive[str] = reactive("Result")
    tabled: reactive[bool] = reactive(False)
    """The result is shown as a table."""
    made: reactive[bytes | None] = reactive[bytes | None](None)
    """The output of a filter or a command; None shows the response."""
    made_is_json: reactive[bool] = reactive(False)
    """The output is that of jq: JSON values, each on lines of its own."""
    wrapped: reactive[bool] = reactive(False)
    """Long lines are wrapped rather than cut."""
    usual: reactive[float | None] = reactive[float | None](None)
    """The usual duration of the method."""
    empty: reactive[Sequence[SheetLine]] = reactive[Sequence[SheetLine]](())
    """The page that is shown if there is no body."""

    class TextsFound(Message):
        """The result has texts, see ``blocks``."""

    class NoTable(Message):
        """The result cannot be shown as a table: it is not a list of objects."""

    def __init__(self, original_key: str = "o") -> None:
        super().__init__()
        words = [("      No output. Press ", "dim"), (original_key, "bold"), (" to show the response again.", "dim")]
        self._no_output: Sequence[SheetLine] = ((), words)
        self._sheet = Sheet()
        """Headers, timing, or the page without a body."""
        self._readers: dict[str, Reader] = {}
        """Keyed by their text: ``response``, ``made``, ``parts``, ``texts`` or ``bytes``."""
        self._grid: Grid | None = None
        self._table: Table | None = None
        self.parts = b""
        """The parts of the result as one array; empty if it came in one response."""
        self.blocks: Sequence[TextBlock] = ()
        """The texts in the result."""
        self._plain = b""
        """The same as one text."""
        self._block_rows: BlockRows | None = None
        self._text_width = 0
        """Columns for which they are laid out."""
        self._laid_out: dict[Reader, Text] = {}
        """The text that each reader has laid out."""

    def compose(self) -> ComposeResult:
        yield self._sheet

    @property
    def reader(self) -> Reader:
        """The view of JSON or text for the tab, made on first use."""
        from rpcexplorer.tui.widgets.reader import Reader

        own = {"Parts": "parts", "Text": "texts", "Raw": "bytes"}
        name = own.get(self.tab, "response" if self.made is None else "made")
        if name not in self._readers:
            self._readers[name] = reader = Reader()
            reader.display = False
            reader.wrapped = self.wrapped
            self.mount(reader)
        return self._readers[name]

    def prepare(self) -> None:
        """Load the reader and the search for texts while a response is on its way."""
        from rpcexplorer.text import blocks  # noqa: F401 - to have it loaded

        _ = self.reader

    @property
    def text(self) -> Text:
        """The result, the error object, or else the whole body."""
        match self.exchange:
            case Exchange(outcome=Result(text=text) | ErrorObject(value=text)) if text:
                return text
            case Exchange(response=response):
                return response.body
        return b""

    @property
    def shown(self) -> Text:
        """The text of the tab: ``text``, the output made of it, or the raw body."""
        if self.tab == "Raw" and self.exchange is not None:
            return self.exchange.response.body or self.text
        if self.tab == "Text":
            return self._plain
        if self.tab == "Parts":
            return self.parts
        return self.text if self.made is None else self.made

    @property
    def reading(self) -> bool:
        """JSON or text is shown, not a table or a page."""
        return bool(self.shown) and not (self._is_page or self._is_table)

    @property
    def doing(self) -> str:
        """Words for the work of the view; empty if there is none."""
        return self.reader.doing if self.reading else ""

    @property
    def folding(self) -> bool:
        """Folding is in progress and can be stopped."""
        return self.reading and self.reader.folding

    @property
    def _is_page(self) -> bool:
        return self.exchange is not None and self.tab in {"Headers", "Timing"}

    @property
    def _is_table(self) -> bool:
        return self.tabled and self._table is not None and self.tab == "Result"

    def focus_inside(self) -> None:
        self.screen.set_focus(self._current_view())

    def value(self) -> bytes:
        """Return the text of the value, the cell or the text under the cursor."""
        if self._block is not None:
            return self._block.text.encode(errors="backslashreplace")
        view = self._grid if self._is_table else self.reader if self.shown else None
        return view.value() if view else b""

    def path(self) -> str:
        """Return the path of that value; empty if there are no paths."""
        if self._block is not None:
            return self._block.path
        view = self._grid if self._is_table else self.reader if self.reading else None
        return view.path() if view else ""

    @property
    def _block(self) -> TextBlock | None:
        """The text under the cursor."""
        if self.tab != "Text" or self._block_rows is None:
            return None
        at = bisect_right(self._block_rows.starts, self.reader.current_line)
        return self.blocks[max(at - 1, 0)]

    @property
    def has_pointers(self) -> bool:
        """The result of one call is shown, and not as a table."""
        is_call = self.exchange is not None and self.exchange.kind == "call"
        return is_call and self.reading and self.tab == "Result" and self.made is None

    def watch_exchange(self) -> None:
        """Show another exchange, as JSON from the top."""
        self._table = None
        self._laid_out.clear()
        self.workers.cancel_group(self, "table")
        self.set_reactive(Body.tabled, False)
        self.set_reactive(Body.made, None)
        self._find_texts()
        parts = self.exchange.parts if self.exchange is not None else ()
        self._show_parts(array_of(parts) if parts else b"")

    def show_parts(self, responses: Sequence[bytes]) -> None:
        """Show the newest responses of a running call, as many as can be laid out at once."""
        parts: list[Text] = []
        room = LARGE
        for response in reversed(responses):
            room -= len(response)
            if room < 0 and parts:
                break
            envelope = open_object(response)
            if envelope is not None:
                parts.append(envelope.result or envelope.error or b"null")
        self._show_parts(array_of(reversed(parts)))

    def _show_parts(self, parts: bytes) -> None:
        """Show other parts. The end stays in view if it was, like that of a log."""
        self.parts = parts
        if self.tab != "Parts":
            self._show()
            return
        line, document = self.reader.current_line, self.reader.document
        follows = document is None or line >= document.lines - 1
        self._show()
        if parts:
            self.reader.go_to(sys.maxsize if follows else line)
        else:
            self.reader.document = None

    def _find_texts(self) -> None:
        self.workers.cancel_group(self, "texts")
        self.blocks, self._plain = (), b""
        if not self.text or len(self.text) > MAX_SEARCHED:
            return
        from rpcexplorer.text.blocks import text_blocks

        if len(self.text) > SEARCHED_AT_ONCE:
            self._find_texts_in_thread(bytes(self.text))
        else:
            self._set_texts(text_blocks(bytes(self.text)))

    @work(exclusive=True, group="texts", description="find texts")
    async def _find_texts_in_thread(self, text: bytes) -> None:
        from rpcexplorer.text.blocks import text_blocks

        blocks = await asyncio.to_thread(text_blocks, text)
        if self.is_attached:  # The program may have ended meanwhile.
            self._set_texts(blocks)

    def _set_texts(self, blocks: Sequence[TextBlock]) -> None:
        from rpcexplorer.text.blocks import plain_text

        self.blocks, self._plain = blocks, plain_text(blocks).encode(errors="backslashreplace")
        self._block_rows, self._text_width = None, 0
        if blocks:
            self.post_message(self.TextsFound())

    def _lay_out_texts(self) -> None:
        """Lay out the texts for the width, and keep their place."""
        width = self.size.width - AFTER_NUMBER - 1  # minus the scrollbar
        if width == self._text_width or not self.blocks:
            return
        self._text_width = width
        self.workers.cancel_group(self, "layout")
        if self._block_rows is None:
            self.reader.document = None
            self.reader.empty = LAID_OUT
        if len(self._plain) > SEARCHED_AT_ONCE:
            self._lay_out_texts_in_thread(self.blocks, width)
        else:
            from rpcexplorer.text.blocks import block_rows

            self._show_texts(block_rows(self.blocks, width))

    @work(exclusive=True, group="layout", description="lay out texts")
    async def _lay_out_texts_in_thread(self, blocks: Sequence[TextBlock], width: int) -> None:
        from rpcexplorer.text.blocks import block_rows

        rows = await asyncio.to_thread(block_rows, blocks, width)
        if self.is_attached and blocks is self.blocks:
            self._show_texts(rows)

    def _show_texts(self, found: BlockRows) -> None:
        from rpcexplorer.text.document import Document

        reader, before = self._readers["texts"], self._block_rows
        line = reader.current_line
        self._block_rows = found
        self._read(reader, self._plain, Document.of_rows(found.rows))
        if before is not None:
            reader.go_to(line * len(found.rows) // max(len(before.rows), 1))

    def watch_empty(self) -> None:
        if not self.shown:
            self._show()

    def watch_wrapped(self) -> None:
        for reader in self._readers.values():
            reader.wrapped = self.wrapped

    def watch_tabled(self) -> None:
        if not self.tabled or self._table is not None:
            self._arrange()
            return
        from rpcexplorer.text.table import Table

        make = Table.of_values if self._is_made_of_values else Table.of
        text = self.text if self.made is None else self.made
        if len(text) < LARGE:
            self._set_table(make(bytes(text)))
        else:
            self._make_large_table(make, bytes(text))

    @property
    def _is_made_of_values(self) -> bool:
        return self.made is not None and self.made_is_json

    @work(exclusive=True, group="table", description="make a table")
    async def _make_large_table(self, make: Callable[[bytes], Table | None], text: bytes) -> None:
        table = await asyncio.to_thread(make, text)
        if self.is_attached:  # The program may have ended meanwhile.
            self._set_table(table)

    def _set_table(self, table: Table | None) -> None:
        from rpcexplorer.tui.widgets.grid import Grid

        self._table = table
        if table is None:
            self.tabled = False
            self.post_message(self.NoTable())
        else:
            if self._grid is None:
                self._grid = Grid()
                self.mount(self._grid)
            self._grid.table = table
        self._arrange()

    def _show(self) -> None:
        exchange = self.exchange
        if exchange is not None and self._is_page:
            from rpcexplorer.text.exchange import headers_page, timing_page

            wide = max(self.size.width - 2, 20)
            is_timing = self.tab == "Timing"
            self._sheet.lines = timing_page(exchange, wide, self.usual) if is_timing else headers_page(exchange)
        elif self.tab == "Text" and self.blocks:
            self._lay_out_texts()
        elif self.shown:
            self._lay_out(self.reader, self.shown)
        else:
            self._sheet.lines = self._no_output if self.made is not None else self.empty
        self._arrange()

    watch_tab = _show

    def watch_made(self) -> None:
        """Show the output, or the response again, as JSON or text."""
        self._table = None
        self.workers.cancel_group(self, "table")
        self.set_reactive(Body.tabled, False)
        self._show()

    def show_element(self, index: int, path: str) -> None:
        """Go from a row of the table to its JSON."""
        self.tabled = False
        self.reader.search("")
        if self._is_made_of_values and self.made is not None:
            from rpcexplorer.text.table import indented_values

            values = indented_values(self.made)
            if len(values) > 1:
                self.reader.go_to(sum(value.count(b"\n") + 1 for value in values[:index]))
                return
        self.reader.go_to_element(index, path)

    def watch_usual(self) -> None:
        if self.tab == "Timing":
            self._show()

    def on_resize(self) -> None:
        if self.tab in {"Text", "Timing"}:
            self._show()

    def _lay_out(self, reader: Reader, body: Text) -> None:
        from rpcexplorer.text.document import Document

        if self._laid_out.get(reader) is body:
            return
        self.workers.cancel_group(self, "layout")
        self._laid_out.pop(reader, None)
        reader.document = None  # takes another body off view
        if len(body) < LARGE:
            if self.tab == "Raw":
                document = Document.raw(body)
            elif self._is_made_of_values:
                document = Document.raw(body, is_json=True)
            else:
                document = Document.of_json(body)
            self._read(reader, body, document)
        else:
            reader.empty = LAID_OUT
            self._lay_out_large(reader, body, self.tab)

    # Textual's default description would contain all arguments, which may be megabytes.
    @work(exclusive=True, group="layout", description="lay out")
    async def _lay_out_large(self, reader: Reader, body: Text, tab: str) -> None:
        from rpcexplorer.text.document import as_it_is, laid_out

        steps = laid_out(body)
        if tab == "Raw" or self._is_made_of_values:
            steps = as_it_is(body, is_json=tab != "Raw")
        async for document in paced(steps):
            if document is not None:
                self._read(reader, body, document)

    def _read(self, reader: Reader, body: Text, document: Document) -> None:
        if reader.document is not None and not reader.document.complete:
            reader.go_on_with(document)
        else:
            reader.document = document
            if reader.find.needle:  # the search began before there was a document
                reader.search(reader.find.needle)
        if document.complete:
            self._laid_out[reader] = body

    def _current_view(self) -> Widget:
        if self._is_table and self._grid is not None:
            return self._grid
        return self.reader if self.reading else self._sheet

    def _arrange(self) -> None:
        """Show the current view, and move the focus there if it was inside."""
        has_focus, current = self.has_focus_within, self._current_view()
        for view in self.children:
            view.display = view is current
        if has_focus:
            self.focus_inside()
        self.refresh_bindings()

    def has(self, state: str) -> bool:
        return self._is_table if state == "table" else super().has(state)

    def action_sort(self) -> None:
        if self._grid is not None:
            self._grid.action_sort()
