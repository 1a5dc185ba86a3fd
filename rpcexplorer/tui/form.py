"""The screen with the params as a form."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any, Final

from msgspec import Struct
from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Region
from textual.widget import Widget

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Preview, Refused
from rpcexplorer.model.method import By, Described
from rpcexplorer.model.problem import Checked, capitalised, counted
from rpcexplorer.schema.fit import is_one_of, value_of
from rpcexplorer.schema.form import (
    FieldPath,
    FormField,
    FormRows,
    FormText,
    FormView,
    settled,
    shown,
    starting_text,
    typed_value,
    with_problems,
)
from rpcexplorer.text.exchange import request_lines
from rpcexplorer.text.problems import unchecked_words
from rpcexplorer.tui.commands import first_key
from rpcexplorer.tui.form_rows import (
    ABSENT,
    HOW_TO_TYPE,
    NULL,
    FormList,
    JsonInPlace,
    LineInPlace,
    doc_lines,
    element_picks,
    picks,
)
from rpcexplorer.tui.key_queue import PendingKeys, opens
from rpcexplorer.tui.widgets.bars import Bar, Frame
from rpcexplorer.tui.widgets.dialog import Ask
from rpcexplorer.tui.widgets.full_screen import FullScreen
from rpcexplorer.tui.widgets.picker import Pick
from rpcexplorer.tui.widgets.rows import RowList, Sheet, SheetLine
from rpcexplorer.variables.references import inert_value


class FormSource(Struct, frozen=True):
    """The editor's text, read and changed in place.

    Closing the form in any way loses nothing.
    """

    method: str
    described: Described
    by: By | None
    read: Callable[[], str]
    put: Callable[[str], object]
    """Replace the text as one step of undo."""
    undo: Callable[[], object]
    redo: Callable[[], object]
    is_valid: Callable[[], bool]
    """Return whether the text is valid; after an undo it may not be."""
    preview: Callable[[], Preview | Refused | None]
    check: Callable[[str], Awaitable[Checked]]
    """Check a text against the schema; this can take long."""
    cursor: int = 0
    """Offset of the editor's cursor when the form opens."""


class FormModel:
    """The params as rows, and the changes that can be made to them.

    A change writes the text and makes new ``rows``.
    """

    def __init__(self, source: FormSource) -> None:
        self.source = source
        self._makes_rows = FormRows(source.described, source.by)
        self.reader = self._makes_rows.reader
        self._view = FormView()
        self._removed: dict[tuple[FieldPath, int], str] = {}
        """Removed values by path and alternative; adding them again restores them."""
        self.refresh()

    def refresh(self) -> None:
        self.rows: tuple[FormField, ...] = self._makes_rows.of(self.text, self._view)
        self.general_problem = ""
        """A problem that belongs to no row."""
        self.unchecked = ""
        """Why the params, or some of them, were not checked."""

    @property
    def text(self) -> str:
        return self.source.read()

    async def check(self) -> bool:
        """Add the schema's problems to the rows; return whether this changes the verdict."""
        text = self.text
        checked = await self.source.check(text)
        if text != self.text:
            return False
        self.unchecked = unchecked_words(checked)
        if checked.problems:
            self.rows, self.general_problem = with_problems(self.rows, text, checked.problems)
        return bool(checked.problems or self.unchecked)

    @property
    def is_by_name(self) -> bool:
        return self._makes_rows.named(self.text)

    @property
    def problem_count(self) -> int:
        problems = [row.wrong for row in self.rows if row.wrong]
        return len(problems) + (1 if self.general_problem else 0)

    def index_around(self, offset: int) -> int:
        """Return the innermost row around an offset of the text, or 0."""
        innermost = 0
        for at, row in enumerate(self.rows):
            if row.state != "absent" and row.span[0] <= offset <= row.span[1]:
                innermost = at
        return innermost

    def index_of(self, path: FieldPath, default: int) -> int:
        """Return the row of a path, or of the nearest container around it."""
        found = {row.path: at for at, row in enumerate(self.rows)}
        while path:
            if path in found:
                return found[path]
            path = path[:-1]
        return default

    def row_at(self, path: FieldPath) -> FormField:
        return next(row for row in self.rows if row.path == path)

    def parent(self, row: FormField) -> FormField | None:
        return next((field for field in self.rows if field.path == row.path[:-1]), None)

    def fold(self, path: FieldPath, *, unfold: bool) -> None:
        self._view = FormView({**self._view.folds, path: unfold}, self._view.chosen)
        self.refresh()

    @property
    def _form_text(self) -> FormText:
        return FormText(self.reader, self.text, self.rows)

    def put(self, row: FormField, value: str) -> None:
        if value == NULL:
            self._remember(row)
        self._write(self._form_text.with_value(row.path, value))

    def put_start(self, row: FormField) -> None:
        """Set a row to its initial value, and unfold it."""
        self._unfold(row.path)
        self.put(row, self._form_text.value(row.path))

    def cycle(self, row: FormField) -> bool:
        """Switch between absent, value and null; return whether that is possible."""
        state = _next_state(row)
        if state == ABSENT:
            self.remove(row)
        elif state == "value":
            start = self._form_text.value(row.path)
            self.put(row, self._removed.get((row.path, row.place.chosen), start))
        elif state is not None:
            self.put(row, state)
        return state is not None

    def choose(self, row: FormField, index: int) -> None:
        """Set a row to one of its alternatives or choices.

        An alternative gets its last value, or its initial one.
        """
        if not row.place.alternatives:
            self.put(row, inert_value((row.place.node.choices or ())[index]))
            return
        self._view = FormView(self._view.folds, {**self._view.chosen, row.path: index})
        self._unfold(row.path)
        if row.state == "value" and index == row.place.chosen:
            self.refresh()
            return
        self._remember(row)
        start = starting_text(self.reader, row.schema, row.place.alternatives[index])
        self.put(row, self._removed.get((row.path, index)) or start)

    def choices_of_elements(self, row: FormField) -> tuple[Any, ...]:
        """Return the values that the elements of an array can have, if they are listed."""
        return settled(self.reader, row.place.node.items).node.choices or ()

    def chosen_elements(self, row: FormField) -> list[Any]:
        found = value_of(row.text) if row.state == "value" else None
        return found if isinstance(found, list) else []

    def is_choice_of_several(self, row: FormField) -> bool:
        """Return whether a row is an array of listed values, and has no other ones, such as a variable."""
        choices = self.choices_of_elements(row)
        if row.place.node.kinds != ("array",) or not choices:
            return False
        found = value_of(row.text) if row.state == "value" else []
        return isinstance(found, list) and all(is_one_of(value, choices) for value in found)

    def toggle(self, row: FormField, index: int) -> None:
        """Add one of the listed values to an array, or remove it; an empty array is omitted if possible."""
        chosen = self.chosen_elements(row)
        values = []
        for at, choice in enumerate(self.choices_of_elements(row)):
            is_chosen = is_one_of(choice, chosen)
            if at == index:
                is_chosen = not is_chosen
            if is_chosen:
                values.append(choice)
        if values or row.required:
            self.put(row, inert_value(values))
        else:
            self.remove(row)

    def remove(self, row: FormField) -> None:
        if row.state == "absent":
            return
        self._remember(row)
        *around, last = row.path
        next_path = (*around, last + 1) if isinstance(last, int) else ()
        # The next elements move up, so stored values would be wrong.
        if any(field.path == next_path and field.state != "absent" for field in self.rows):
            depth = len(around)
            self._removed = {at: text for at, text in self._removed.items() if list(at[0][:depth]) != around}
        self._write(self._form_text.without(row.path))

    def container(self, row: FormField | None) -> FormField | None:
        """Return the array or object at or around a row; None for the params."""
        while row is not None and not row.is_container:
            row = self.parent(row)
        return row

    def add(self, container: FormField | None, name: str = "") -> FieldPath:
        """Add a named member or an element; return its path."""
        path = container.path if container is not None else ()
        if name:
            text, added = self._form_text.with_member(path, name)
            self._unfold(path)
        else:
            text, added = self._form_text.with_element(path)
            self._unfold(path, added)
        self._write(text)
        return added

    def _remember(self, row: FormField) -> None:
        if row.state == "value":
            self._removed[row.path, row.place.chosen] = row.text

    def _unfold(self, *paths: FieldPath) -> None:
        self._view = FormView({**self._view.folds, **dict.fromkeys(paths, True)}, self._view.chosen)

    def _write(self, text: str) -> None:
        if text != self.text:
            self.source.put(text)
        self.refresh()

    def text_to_edit(self, row: FormField) -> str:
        form = self._form_text
        return shown(row, form.value(row.path), form.indent(row))

    def typed_value(self, row: FormField, typed: str) -> str | None:
        """Return the typed text as JSON, or None if it is not valid."""
        form = self._form_text
        return typed_value(row, typed, form.value(row.path), form.indent(row))


def _next_state(row: FormField) -> str | None:
    """Return the next state of a row, or None if there is no other.

    A state is absent, ``value`` or the text of a value.
    """
    order = ["true", "false"] if row.editing == "boolean" else ["value"]
    if not row.required and not row.stays:
        order.insert(0, ABSENT)
    if row.place.nullable:
        order.append(NULL)
    state = row.text if row.state == "value" and row.text in order else row.state
    if order == [state]:
        return None
    if state not in order:
        return order[0]
    return order[(order.index(state) + 1) % len(order)]


TALL_LINES: Final = 28
"""From this height on, the docs of a row have more than two lines."""


class RequestSheet(Sheet):
    """The request, scrolled to the edited value."""

    def show(self, lines: Sequence[SheetLine]) -> None:
        self.lines = lines
        for at, row in enumerate(self._rows):
            if any("underline" in role for _, role in row):
                self.scroll_to_region(Region(0, at, 1, 1), animate=False, force=True, immediate=True, x_axis=False)
                return


class FormScreen(FullScreen[bool | None], scope="form"):
    """The params as a form; it answers whether to send the call."""

    DEFAULT_CSS = """
    FormScreen #form { height: 1fr; }
    FormScreen #fields { width: 3fr; border-right: solid $line; }
    FormScreen #doc { height: 6; border-top: solid $line; }
    FormScreen #request { width: 2fr; }
    FormScreen.-narrow #fields { width: 1fr; border-right: none; }
    FormScreen.-narrow #request { display: none; }
    FormScreen.-low #doc { height: 2; border-top: none; }
    """
    VERTICAL_BREAKPOINTS = [(0, "-low"), (TALL_LINES, "-tall")]  # noqa: RUF012 - Textual's own declaration
    SENT = "Request"
    """What the form makes."""

    def __init__(
        self,
        explorer: Explorer,
        source: FormSource,
        pending: PendingKeys,
        frame: Frame,
        secrets: Collection[str] = (),
    ) -> None:
        """``secrets``: names of the params whose values are not shown."""
        super().__init__(pending, frame, explorer.profile)
        self.explorer, self.source, self.model = explorer, source, FormModel(source)
        keymap = explorer.settings.keymap
        add = first_key("form.add", keymap) or first_key("palette", keymap)
        nothing = "   The params of this method are unknown."
        advice = [[(nothing, "dim")], [("   Press ", "dim"), (add, "bold"), (" to add one.", "dim")]]
        self.list = FormList([[], *advice], secrets)
        self._doc, self._request = Sheet(id="doc"), RequestSheet()
        self._line, self._json = LineInPlace(self._apply_typed), JsonInPlace(self._apply_typed)
        self._bar, self._request_bar = Bar(self.list, self._line, self._json), Bar(self._request)
        self._edited: FormField | None = None
        self._preview: Preview | Refused | None = None

    def compose(self) -> ComposeResult:
        fields = Vertical(self._bar, *self.over_list(), self.list, self._doc, id="fields")
        request = Vertical(self._request_bar, self._request, id="request")
        yield from self.frame.around(Horizontal(fields, request, id="form"))
        yield self._line
        yield self._json

    def over_list(self) -> Sequence[Widget]:
        """Return what is above the rows."""
        return ()

    def on_mount(self) -> None:
        self._doc.can_focus = False
        self._request_bar.words = [(self.SENT, "bold"), ("  as it will be sent", "middle")]
        self._show()
        self.list.cursor = self.model.index_around(self.source.cursor)
        self.set_focus(self.list)

    @property
    def place(self) -> int | None:
        """The offset of the value at the cursor; None if it is absent."""
        row = self.list.chosen
        return row.span[0] if row is not None and row.state != "absent" else None

    def _show(self, path: FieldPath | None = None, *, unfolded: bool = False) -> None:
        """Show the rows, with the cursor on a path or where it was.

        ``unfolded``: scroll to show the rows inside it.
        """
        if path is None:
            path = self.list.chosen.path if self.list.chosen else ()
        self._put_rows(self.model.index_of(path, max(self.list.cursor, 0)))
        self._preview = self.source.preview() if self.has_class("-wide") else None
        self._show_title()
        if self.source.described.is_checked:
            self._check()
        if unfolded:
            count = sum(1 for field in self.model.rows if field.path[: len(path)] == path)
            region = Region(0, self.list.cursor, 1, min(count, max(self.list.size.height, 1)))
            self.list.scroll_to_region(region, animate=False, force=True, immediate=True, x_axis=False)

    @work(exclusive=True, group="check")
    async def _check(self) -> None:
        if await self.model.check():
            self._put_rows(self.list.cursor)
            self._show_title()

    def _put_rows(self, cursor: int) -> None:
        with self.prevent(RowList.CursorMoved):
            self.list.items = self.model.rows
            self.list.cursor = cursor

    def _show_title(self) -> None:
        model = self.model
        verdict = ("", "")
        if model.problem_count:
            general = f": {model.general_problem}" if model.general_problem else ""
            verdict = (f"  ! {counted(model.problem_count, 'problem')}{general}", "careful")
        elif model.unchecked:
            verdict = (f"  {model.unchecked}", "dim")
        elif model.rows and self.source.described.is_checked:
            verdict = ("  ✓ no problems", "well")
        self._bar.words = [("Form", "bold"), (f"  {self.source.method}", "text"), self._by, verdict]
        self._show_row()

    @property
    def _by(self) -> tuple[str, str]:
        return ("  by name" if self.model.is_by_name else "  by position", "middle")

    def _show_row(self) -> None:
        row = self.list.chosen
        self._doc.lines = doc_lines(row, self.model.reader)
        self._doc.scroll_home(animate=False)
        if self.has_class("-wide"):
            self._request.show(request_lines(self._preview, row.path if row else ()))
        self.refresh_bindings()

    def on_resize(self) -> None:
        if self._preview is None and self.has_class("-wide"):
            self._preview = self.source.preview()
            self._show_row()

    def on_descendant_focus(self) -> None:
        self.refresh_bindings()

    @on(RowList.CursorMoved)
    def _cursor_moved(self) -> None:
        self._show_row()

    def action_fold(self) -> None:
        self._fold(self.list.chosen, unfold=False)

    def action_unfold(self) -> None:
        self._fold(self.list.chosen, unfold=True)

    def _fold(self, row: FormField | None, *, unfold: bool) -> None:
        """Fold or unfold a row; if it is folded, go to its parent."""
        if row is None:
            return
        if not unfold and not row.open:
            parent = self.model.parent(row)
            if parent is not None:
                self._show(parent.path)
        elif row.folds:
            self.model.fold(row.path, unfold=unfold)
            self._show(row.path, unfolded=unfold)

    def has(self, state: str) -> bool:
        problem = self._json.known_problem
        match state:
            case "rows":
                return self._edited is None
            case "problem":
                return problem is not None
            case "fix":
                return problem is not None and problem.fix is not None
            case "params":
                return True
            case "question":
                return False
        return super().has(state)

    def action_fix(self) -> None:
        self._json.fix()

    def action_problem_next(self) -> None:
        self._json.go_to_problem()

    @on(RowList.RowChosen)
    def _row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        self._edit(event.item)

    def action_edit(self) -> None:
        if self.list.chosen is not None:
            self._edit(self.list.chosen)

    def _edit(self, row: FormField) -> None:
        if self._edited is not None:
            return
        if row.editing == "boolean":
            self.model.put(row, "false" if row.text == "true" else "true")
            self._show(row.path)
        elif row.editing == "choice":
            self._choose(row)
        elif self.model.is_choice_of_several(row):
            self._choose_several(row)
        elif row.folds and row.state != "value":
            self.model.put_start(row)
            self._show(row.path, unfolded=True)
        else:
            self._edited = row
            x, y, width, _ = self.list.region
            column = self.list.value_column
            top = y + self.list.cursor - self.list.scroll_offset.y
            text, place = self.text_to_edit(row), Region(x + column, top, max(width - column - 1, 1), 1)
            is_secret = self.list.is_secret(row)
            if row.editing == "text" or is_secret:
                self._line.open(text, place, masked=is_secret)
            else:
                self._json.open(text, place, row.kind)
            self._doc.lines = [*doc_lines(row, self.model.reader)[:1], HOW_TO_TYPE]
            self.refresh_bindings()

    def text_to_edit(self, row: FormField) -> str:
        """Return what typing begins with."""
        return self.model.text_to_edit(row)

    @property
    def _typed(self) -> str:
        return self._line.value if self._line.display else self._json.text

    def _apply_typed(self, refused: str = "not applied") -> bool:
        """Apply the typed value; return False if it is not valid JSON.

        ``refused`` is the action that was not done, shown with the problem.
        """
        row = self._edited
        if row is None:
            return True
        value = self.model.typed_value(row, self._typed)
        if value is None and self._line.display:
            self.notify(f"{capitalised(refused)}: this is not a value for {row.name}.", severity="warning")
            return False
        if value is None:
            self._json.refuse(refused)
            return False
        self._stop_typing()
        if value != row.text or row.state == "absent":
            self.model.put(row, value)
            self._show(row.path)
        return True

    def put_typed(self) -> None:
        """Write the value that is being typed, if it is valid.

        The program may end before it is applied.
        """
        row = self._edited
        if row is None:
            return
        value = self.model.typed_value(row, self._typed)
        if value is not None and value != row.text:
            self.model.put(row, value)
            self._put_rows(self.list.cursor)  # Typing may continue.
            self._edited = self.list.chosen

    def _stop_typing(self) -> None:
        self._edited = None
        self._show_row()
        self.set_focus(self.list)
        self._line.display = self._json.display = False
        self.refresh_bindings()

    def action_cycle(self) -> None:
        row = self.list.chosen
        if row is None:
            return
        if row.place.alternatives or row.editing == "choice":
            self._choose(row)
        elif self.model.cycle(row):
            self._show(row.path)
        else:
            self.notify(f"{row.name} is required, and cannot be null.")

    @opens("choice")
    async def _choose_several(self, row: FormField) -> None:
        """Add listed values to an array, and remove them."""
        from rpcexplorer.tui.widgets.picker import Several

        path = row.path

        def picks() -> list[Pick]:
            chosen = self.model.chosen_elements(self.model.row_at(path))
            return element_picks(self.model.row_at(path), self.model.choices_of_elements(row), chosen)

        def toggle(id: str) -> list[Pick]:
            self.model.toggle(self.model.row_at(path), int(id))
            self._show(path)
            return picks()

        await self.app.push_screen_wait(Several(f"Choose values for {row.name}", picks(), toggle))

    @opens("choice")
    async def _choose(self, row: FormField) -> None:
        from rpcexplorer.tui.widgets.picker import Picker

        choices = picks(row, self.model.reader)
        here = next((pick.id for pick in choices if pick.mark and pick.id != ABSENT), "")
        answer = await self.app.push_screen_wait(Picker(f"Choose a value for {row.name}", choices, on=here))
        if answer is None:
            return
        if answer == ABSENT:
            self.model.remove(row)
        elif answer == NULL:
            self.model.put(row, NULL)
        else:
            self.model.choose(row, int(answer.removeprefix("=")))
        self._show(row.path, unfolded=answer.startswith("=") and bool(row.place.alternatives))

    def action_remove(self) -> None:
        row = self.list.chosen
        if row is None:
            return
        if row.stays:
            self.notify(row.stays)
        else:
            self.model.remove(row)
            self._show(row.path)

    @opens("name")
    async def action_add(self) -> None:
        row = self.model.container(self.list.chosen)
        takes_names = self.model.is_by_name if row is None else not row.is_array
        if not takes_names:
            self._show(self.model.add(row))
            return
        title = f"Add a member to {row.name}" if row is not None else "Add a param"
        name = await self.app.push_screen_wait(Ask(title, hint="name", done="add"))
        if name:
            self._show(self.model.add(row, name))

    def action_undo(self) -> None:
        self._undo(self._json.editor.undo, self.source.undo)

    def action_redo(self) -> None:
        self._undo(self._json.editor.redo, self.source.redo)

    def _undo(self, in_field: Callable[[], object], in_text: Callable[[], object]) -> None:
        if self._edited is not None:
            in_field()
            return
        in_text()
        if self.source.is_valid():
            self.model.refresh()
            self._show()
        else:  # Only the editor can show it.
            self.notify("The restored text is not valid JSON. Fix it in the editor.")
            self.dismiss(None)

    def action_send(self) -> None:
        if self._apply_typed("not sent"):
            self.dismiss(True)

    def action_close(self) -> None:
        """Drop the typed value, else close the form."""
        if self._edited is not None:
            self._stop_typing()
        else:
            self.dismiss(False)

    def action_back(self) -> None:
        """Apply the typed value and close the form."""
        if self._apply_typed():
            self.dismiss(False)
