"""The form of params."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar, Final

from msgspec import Struct
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.geometry import Region
from textual.screen import Screen
from textual.widget import Widget

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Preview, Refused
from rpcexplorer.model.method import By, Described
from rpcexplorer.model.problem import Checked
from rpcexplorer.schema.form import (
    FieldPath,
    FormField,
    FormRows,
    FormText,
    FormView,
    shown,
    starting_text,
    typed_value,
    with_problems,
)
from rpcexplorer.text.exchange import request_lines
from rpcexplorer.tui.commands import Scope, bindings, first_key
from rpcexplorer.tui.form_rows import ABSENT, HOW_TO_TYPE, NULL, FormList, JsonInPlace, LineInPlace, doc_lines, picks
from rpcexplorer.tui.keys import PendingKeys, opens
from rpcexplorer.tui.theme import NARROW
from rpcexplorer.tui.widgets.bars import Bar
from rpcexplorer.tui.widgets.dialog import AnswersOnce, Ask
from rpcexplorer.tui.widgets.rows import RowList, Sheet, SheetLine
from rpcexplorer.variables.references import inert_value


class FormSource(Struct, frozen=True):
    """The text is read and changed where it stands, so that leaving the form in any way loses nothing."""

    method: str
    described: Described
    by: By | None
    read: Callable[[], str]
    put: Callable[[str], object]
    """Another text, as one change that can be taken back."""
    undo: Callable[[], object]
    redo: Callable[[], object]
    is_valid: Callable[[], bool]
    """Whether the text can be sent: taking changes back may lead to one that cannot."""
    preview: Callable[[], Preview | Refused | None]
    """The request as it would go out."""
    check: Callable[[str], Awaitable[Checked]]
    """What the schema has against a text; it may take its time, and be cancelled."""
    cursor: int = 0
    """Where in the text the cursor stands when the form opens."""


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


class FormChanges(FormLayout):
    """Each change is one that can be taken back."""

    @property
    def _form_text(self) -> FormText:
        return FormText(self._rows.reader, self.text, self.list.items)

    def _start(self, row: FormField) -> str:
        return self._form_text.value(row.path)

    def _can_change(self, row: FormField) -> bool:
        if not row.alone:
            self.notify("The one below counts. Esc leads to the editor, where this one can be taken out.", markup=False)
        return row.alone

    def _put(self, path: FieldPath, value: str) -> None:
        row = next((each for each in self.list.items if each.alone and each.path == path), None)
        if row is not None and value == NULL:
            self._keep(row)
        self._change(self._form_text.with_value(path, value), path)

    def _change(self, text: str, at: FieldPath) -> None:
        if text != self.text:
            self.source.put(text)
        self._show(at)

    def _keep(self, row: FormField) -> None:
        if row.state == "value":
            self._stood[row.path, row.place.chosen] = row.text

    def _around(self, row: FormField) -> FormField | None:
        return next((each for each in self.list.items if each.path == row.path[:-1]), None)

    # --- folding -----------------------------------------------------------------------------------------------

    @on(FormList.RowFolded)
    def _row_folded(self, event: FormList.RowFolded) -> None:
        event.stop()
        self._fold_row(event.field, unfold=event.unfold)

    def action_fold(self) -> None:
        if self.list.chosen is not None:
            self._fold_row(self.list.chosen, unfold=False)

    def action_unfold(self) -> None:
        if self.list.chosen is not None:
            self._fold_row(self.list.chosen, unfold=True)

    def _fold_row(self, row: FormField, *, unfold: bool) -> None:
        """To fold what is not open leads to what it is in."""
        if not unfold and not row.open:
            around = self._around(row)
            if around is not None:
                self._show(around.path)
        elif row.folds:
            self._fold(row.path, unfold=unfold)

    def _fold(self, path: FieldPath, *, unfold: bool) -> None:
        self._view = FormView({**self._view.folds, path: unfold}, self._view.chosen)
        self._show(path)
        if unfold:
            inside = sum(1 for each in self.list.items if each.path[: len(path)] == path)
            region = Region(0, self.list.cursor, 1, min(inside, max(self.list.size.height, 1)))
            self.list.scroll_to_region(region, animate=False, force=True, immediate=True, x_axis=False)

    def _open(self, *paths: FieldPath) -> None:
        self._view = FormView({**self._view.folds, **dict.fromkeys(paths, True)}, self._view.chosen)


OF_ROWS: Final = frozenset({"edit", "cycle", "unfold", "fold", "add", "remove"})
"""Actions that are for the row under the cursor."""


class FormScreen(FormChanges):
    """The answer is whether the call is to be sent."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("form")

    _edited: FormField | None = None
    """The row that is being typed into."""

    def compose(self) -> ComposeResult:
        self._line, self._json = LineInPlace(self._take), JsonInPlace(self._take)
        yield from super().compose()
        yield self._line
        yield self._json

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """What rows are for waits for what is being typed."""
        return self._edited is None or action not in OF_ROWS

    # --- typing a value ----------------------------------------------------------------------------------------

    @on(RowList.RowChosen)
    def _row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        self._edit(event.item)

    def action_edit(self) -> None:
        if self.list.chosen is not None:
            self._edit(self.list.chosen)

    def _edit(self, row: FormField) -> None:
        """As what stands there is typed; what is one of a few is chosen."""
        if self._edited is not None or not self._can_change(row):
            return
        if row.editing == "boolean":
            self._put(row.path, "false" if row.text == "true" else "true")
        elif row.editing == "choice":
            self._choose(row)
        elif row.folds and row.state != "value":
            self._put(row.path, self._start(row))
            self._fold(row.path, unfold=True)
        else:
            self._type(row)

    def _type(self, row: FormField) -> None:
        self._edited = row
        text = shown(row, self._start(row), self._form_text.indent(row))
        field = self._line if row.editing == "text" else self._json
        field.open(text, self._place_of_value())
        self._line.display, self._json.display = field is self._line, field is self._json
        self._doc.lines = [*doc_lines(row, self._rows.reader)[:1], HOW_TO_TYPE]
        self.refresh_bindings()

    def _place_of_value(self) -> Region:
        """Where the value of the row under the cursor stands on the screen."""
        x, y, width, _ = self.list.region
        column = self.list.value_column
        return Region(x + column, y + self.list.cursor - self.list.scroll_offset.y, max(width - column - 1, 1), 1)

    def _take(self) -> None:
        self._taken()

    def _taken(self, refused: str = "not applied") -> bool:
        """Put what was typed in its place; False if it is not JSON: then `refused` says what did not happen."""
        row = self._edited
        if row is None:
            return True
        value = typed_value(row, self._typed, self._start(row), self._form_text.indent(row))
        if value is None:
            self._json.refuse(refused)
            return False
        self._stop_typing()
        if value != row.text or row.state == "absent":
            self._put(row.path, value)
        return True

    def put_typed(self) -> None:
        """What is being typed goes into the text if it can stand there: the program may end before it is taken."""
        row = self._edited
        value = (
            typed_value(row, self._typed, self._start(row), self._form_text.indent(row)) if row is not None else None
        )
        if row is not None and value is not None and value != row.text:
            self.source.put(self._form_text.with_value(row.path, value))

    @property
    def _typed(self) -> str:
        return self._line.value if self._line.display else self._json.text

    def _stop_typing(self) -> None:
        self._edited = None
        self._tell_row()
        self.set_focus(self.list)
        self._line.display = self._json.display = False
        self.refresh_bindings()

    # --- changing a row ----------------------------------------------------------------------------------------

    def action_cycle(self) -> None:
        """Absent, a value, null: what may come next; of a few choices the one that is wanted."""
        row = self.list.chosen
        if row is None or not self._can_change(row):
            return
        if row.place.alternatives or row.editing == "choice":
            self._choose(row)
        elif (after := _next_state(row)) is None:
            self.notify(f"{row.name} is required, and cannot be null.", markup=False)
        elif after == ABSENT:
            self._leave_out(row)
        else:
            value = after if after != "value" else self._stood.get((row.path, row.place.chosen), self._start(row))
            self._put(row.path, value)

    @opens("choice")
    async def _choose(self, row: FormField) -> None:
        from rpcexplorer.tui.widgets.picker import Picker

        choices = picks(row, self._rows.reader)
        here = next((each.id for each in choices if each.mark and each.id != ABSENT), "")
        answer = await self.app.push_screen_wait(Picker(f"What stands at {row.name}?", choices, on=here))
        if answer == ABSENT:
            self._leave_out(row)
        elif answer == NULL:
            self._put(row.path, "null")
        elif answer is not None:
            at = int(answer.removeprefix("="))
            if row.place.alternatives:
                self._choose_alternative(row, at)
            else:
                self._put(row.path, inert_value((row.place.node.choices or ())[at]))

    def _choose_alternative(self, row: FormField, at: int) -> None:
        """What stood there as this alternative comes back, else what that begins with; what stands there is kept."""
        is_same = row.state == "value" and at == row.place.chosen
        self._view = FormView(self._view.folds, {**self._view.chosen, row.path: at})
        if not is_same:
            self._keep(row)
            stood = self._stood.get((row.path, at))
            self._put(row.path, stood or starting_text(self._rows.reader, row.schema, row.place.alternatives[at]))
        self._fold(row.path, unfold=True)

    def action_remove(self) -> None:
        if self.list.chosen is not None and self._can_change(self.list.chosen):
            self._leave_out(self.list.chosen)

    def _leave_out(self, row: FormField) -> None:
        if row.stays:
            self.notify(row.stays, markup=False)
        elif row.state != "absent":
            self._keep(row)
            *around, last = row.path
            behind = (*around, last + 1) if isinstance(last, int) else ()
            if any(each.path == behind and each.state != "absent" for each in self.list.items):  # these move up
                self._stood = {at: each for at, each in self._stood.items() if [*at[0][: len(around)]] != around}
            self._change(self._form_text.without(row.path), row.path)

    @opens("name")
    async def action_add(self) -> None:
        """One more element or member in what the cursor is on, or in what that is in."""
        row = self.list.chosen
        while row is not None and not row.is_container:
            row = self._around(row)
        path = row.path if row is not None else ()
        if row.is_array if row is not None else not self._rows.named(self.text):
            text, new = self._form_text.with_element(path)
            self._open(path, new)
            self._change(text, new)
            return
        words = f"It is added to {row.name}." if row is not None else "It is added to the params."
        name = await self.app.push_screen_wait(Ask("What is the member called?", words=words))
        if name:
            self._open(path)
            self._change(*self._form_text.with_member(path, name))

    def action_undo(self) -> None:
        if self._edited is not None:
            self._json.action_undo()
            return
        self.source.undo()
        self._changed_elsewhere()

    def action_redo(self) -> None:
        if self._edited is not None:
            self._json.action_redo()
            return
        self.source.redo()
        self._changed_elsewhere()

    def _changed_elsewhere(self) -> None:
        """What was taken back may have led to a text that is no params: only the editor can show that."""
        if self.source.is_valid():
            self._show()
        else:
            self.notify("What stood there before is not valid JSON: the editor has it.", markup=False)
            self.dismiss(None)

    # --- leaving ------------------------------------------------------------------------------------------------

    def action_send(self) -> None:
        if self._taken("not sent"):
            self.dismiss(True)

    def action_close(self) -> None:
        """Out of what is being typed, then out of the form."""
        if self._edited is not None:
            self._stop_typing()
        else:
            self.dismiss(False)

    def action_back(self) -> None:
        """Back to the editor, with what is being typed."""
        if self._taken():
            self.dismiss(False)


def _next_state(row: FormField) -> str | None:
    """Absent, ``value`` or a value's own text; None where nothing else may stand there."""
    values = ["true", "false"] if row.editing == "boolean" else ["value"]
    order = [*([] if row.required or row.stays else [ABSENT]), *values, *([NULL] if row.place.nullable else [])]
    now = ABSENT if row.state == "absent" else NULL if row.state == "null" else row.text
    now = now if now in order or row.state != "value" else "value"
    if now not in order:
        return order[0] if order else None
    after = order[(order.index(now) + 1) % len(order)]
    return after if after != now else None
