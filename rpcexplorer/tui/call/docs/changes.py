"""What the last refresh of the methods has found that was not so before, to be read."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from rpcexplorer.model.methods.changes import MethodChanges
from rpcexplorer.tui.dialogs.dialog import Dialog
from rpcexplorer.tui.widgets.sheet import Sheet
from rpcexplorer.views.documentation.changes import changes_counted, changes_lines


class ChangesDialog(Dialog[None]):
    DEFAULT_CSS = """
    ChangesDialog > .block { width: 96; height: 90%; padding: 1 0 0 0; background: $background; overflow-y: hidden; }
    ChangesDialog.-low > .block { height: 100%; padding: 0; }
    ChangesDialog .title { padding: 0 3; }
    ChangesDialog Sheet { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,enter", "leave", show=False)]

    def __init__(self, profile: str, changes: MethodChanges) -> None:
        super().__init__(f"Methods of {profile}: {changes_counted(changes.methods)}")
        self._changes = changes

    def content(self) -> ComposeResult:
        sheet = Sheet()
        sheet.lines = changes_lines(self._changes)
        yield sheet

    def on_mount(self) -> None:
        self.set_focus(self.query_one(Sheet))
