"""The parts of the form screen and what they show: rows, the doc of the one under the cursor, the request to come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Region
from textual.screen import Screen
from textual.widget import Widget

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Preview, Refused
from rpcexplorer.schema.form import FieldPath, FormField, FormRows, FormView, with_problems
from rpcexplorer.text.exchange import request_lines
from rpcexplorer.tui.commands import Scope, first_key
from rpcexplorer.tui.dialogs.answer_once import AnswersOnce
from rpcexplorer.tui.form.list import FormList
from rpcexplorer.tui.form.source import FormSource
from rpcexplorer.tui.form.words import doc_lines
from rpcexplorer.tui.pending_keys import PendingKeys
from rpcexplorer.tui.sizes import NARROW
from rpcexplorer.tui.widgets.bar import Bar
from rpcexplorer.tui.widgets.row_list import RowList
from rpcexplorer.tui.widgets.sheet import Sheet, SheetLine

ROOMY: Final = 28
"""Lines from which the doc has more than two of them."""


class RequestSheet(Sheet):
    """A page on which the place that is being edited stays on view."""

    def show(self, lines: Sequence[SheetLine]) -> None:
        self.lines = lines
        marked = (at for at, row in enumerate(self._rows) if any("underline" in role for _, role in row))
        if (at := next(marked, None)) is not None:
            self.scroll_to_region(Region(0, at, 1, 1), animate=False, force=True, immediate=True, x_axis=False)


class FormLayout(AnswersOnce[bool | None], Screen[bool | None]):
    """What is on view, made anew of the text after each change."""

    DEFAULT_CSS = """
    FormLayout { background: $background; color: $text; layout: vertical; overflow: hidden; }
    FormLayout.-prod { border-left: outer $prod; border-right: outer $prod; }
    FormLayout #form { height: 1fr; }
    FormLayout #fields { width: 3fr; border-right: solid $line; }
    FormLayout #doc { height: 6; border-top: solid $line; }
    FormLayout #request { width: 2fr; }
    FormLayout.-narrow #fields { width: 1fr; border-right: none; }
    FormLayout.-narrow #request { display: none; }
    FormLayout.-low #doc { height: 2; border-top: none; }
    """
    scope: ClassVar[Scope] = "form"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-wide")]  # noqa: RUF012 - Textual's own declaration
    VERTICAL_BREAKPOINTS = [(0, "-low"), (ROOMY, "-tall")]  # noqa: RUF012 - Textual's own declaration

    def __init__(
        self,
        explorer: Explorer,
        source: FormSource,
        pending: PendingKeys | None = None,
        *,
        header: Widget | None = None,
        footer: Widget | None = None,
    ) -> None:
        super().__init__()
        self.explorer, self.source = explorer, source
        self.pending = pending or PendingKeys()
        self._header, self._footer = header, footer
        self._rows = FormRows(source.described, source.by)
        self._view = FormView()
        self._stood: dict[tuple[FieldPath, int], str] = {}
        """What stood at a place as an alternative of it, before it was taken out or something else came there."""
        add = first_key("form.add", explorer.settings.keymap) or "The palette"
        nothing = "   Nobody has told of any params of this method."
        advice = [[(nothing, "dim")], [("   ", "dim"), (add, "bold"), (" adds one.", "dim")]]
        self.list = FormList([[], *advice])
        self._bar, self._doc = Bar(), Sheet(id="doc")
        self._request_bar, self._request = Bar(), RequestSheet()
        self._made: tuple[FormField, ...] = ()
        """The rows of the text as it is."""
        self._preview: Preview | Refused | None = None

    def compose(self) -> ComposeResult:
        if self._header is not None:
            yield self._header
        with Horizontal(id="form"):
            with Vertical(id="fields"):
                yield self._bar
                yield self.list
                yield self._doc
            with Vertical(id="request"):
                yield self._request_bar
                yield self._request
        if self._footer is not None:
            yield self._footer

    def on_mount(self) -> None:
        profile = self.explorer.profile
        self.set_class(profile is not None and profile.badge == "prod", "-prod")
        self._doc.can_focus = False
        self._request_bar.words = [("Request", "bold"), ("  as it would go out", "middle")]
        self._show()
        self.list.cursor = _around_offset(self._made, self.source.cursor)
        self.set_focus(self.list)

    @property
    def place(self) -> int | None:
        """Where what the cursor is on stands in the text; None where it is absent."""
        row = self.list.chosen
        return row.span[0] if row is not None and row.state != "absent" else None

    @work(exclusive=True, group="check")
    async def _check(self) -> None:
        """What is finer than the kind is found out beside the typing, and counts for this very text."""
        text = self.text
        checked = await self.source.check(text)
        if text == self.text and checked.problems:
            self._made, of_all = with_problems(self._made, text, checked.problems)
            self._put_rows(self.list.cursor)
            self._say(of_all)

    @property
    def text(self) -> str:
        return self.source.read()

    def _show(self, at: FieldPath | None = None) -> None:
        """The rows of the text as it is by now; the cursor on the one at a place, else where it was."""
        before = self.list.chosen
        wanted = at if at is not None else before.path if before else ()
        self._made = self._rows.of(self.text, self._view)
        self._put_rows(_nearest(self._made, wanted, max(self.list.cursor, 0)))
        self._preview = self.source.preview() if self.has_class("-wide") else None
        self._say()
        if self.source.described.is_checked:
            self._check()

    def _put_rows(self, cursor: int) -> None:
        with self.prevent(RowList.CursorMoved):
            self.list.items = self._made
            self.list.cursor = cursor

    def _say(self, wrong_with_all: str = "") -> None:
        """What is told of the whole, of the row under the cursor, and of the request."""
        rows = self.list.items
        by = "by name" if self._rows.named(self.text) else "by position"
        wrong = sum(1 for row in rows if row.wrong) + bool(wrong_with_all)
        told = (f"  ! {wrong:,} to mend", "careful") if wrong else ("  ✓ nothing to mend", "well") if rows else ("", "")
        if wrong_with_all:
            told = (f"{told[0]}: {wrong_with_all}", "careful")
        self._bar.words = [("Form", "bold"), (f"  {self.source.method}", "accent"), (f"  {by}", "middle"), told]
        self._tell_row()

    def _tell_row(self) -> None:
        """What is said of the row under the cursor, and where it stands in the request, if there is room for that."""
        row = self.list.chosen
        self._doc.lines = doc_lines(row, self._rows.reader)
        self._doc.scroll_home(animate=False)
        if self.has_class("-wide"):
            self._request.show(request_lines(self._preview, row.path if row else ()))
        self.refresh_bindings()

    def on_resize(self) -> None:
        if self._preview is None and self.has_class("-wide"):
            self._preview = self.source.preview()
            self._tell_row()

    def on_descendant_focus(self) -> None:
        self._bar.here = self.list.has_focus
        self._request_bar.here = self._request.has_focus
        self.refresh_bindings()

    def on_row_list_cursor_moved(self) -> None:
        """Another row is told of; the text is the one it was."""
        self._tell_row()


def _around_offset(rows: tuple[FormField, ...], offset: int) -> int:
    """The innermost row of what stands around a place in the text; else the first."""
    around = [at for at, row in enumerate(rows) if row.state != "absent" and row.span[0] <= offset <= row.span[1]]
    return max(around, key=lambda at: rows[at].depth, default=0)


def _nearest(rows: tuple[FormField, ...], wanted: FieldPath, otherwise: int) -> int:
    """The row at a place, or at what it is in; else the one that stood there."""
    found = {row.path: at for at, row in enumerate(rows) if row.alone}
    while wanted:
        if wanted in found:
            return found[wanted]
        wanted = wanted[:-1]
    return otherwise
