"""What the form screen does to the text of the params, and to what is folded, whatever key has asked for it."""

from __future__ import annotations

from textual import on
from textual.geometry import Region

from rpcexplorer.schema.form import FieldPath, FormField, FormText, FormView
from rpcexplorer.tui.form.layout import FormLayout
from rpcexplorer.tui.form.list import FormList
from rpcexplorer.tui.form.words import NULL


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
