"""The form screen: params by their fields. Each key changes the text in the editor at once, as one change.

Nothing is kept here but what is folded and chosen, and what stood where somebody has taken it away: the text leads.
"""

from __future__ import annotations

from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Region

from rpcexplorer.schema.form import FormField, FormView, shown, starting_text, typed_value
from rpcexplorer.tui.commands import bindings
from rpcexplorer.tui.dialogs.dialog import Ask
from rpcexplorer.tui.form.changes import FormChanges
from rpcexplorer.tui.form.typing import JsonInPlace, LineInPlace
from rpcexplorer.tui.form.words import ABSENT, HOW_TO_TYPE, NULL, doc_lines, picks
from rpcexplorer.tui.pending_keys import opens
from rpcexplorer.tui.widgets.row_list import RowList
from rpcexplorer.variables.references import inert_value

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
        from rpcexplorer.tui.dialogs.picker import Picker

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
