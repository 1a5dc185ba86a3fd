"""The keys, those of the pane at hand first. A key that was given to another command is told as it is now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from rpcexplorer.tui.commands import COMMANDS, SCOPES, Scope, of, shown_keys
from rpcexplorer.tui.dialogs.dialog import Dialog
from rpcexplorer.tui.widgets.sheet import Sheet, SheetLine

WIDTH: Final = 13
"""Columns of the keys."""
SIGNS: Final = {
    "▸": "The method that stands in the editor.",
    "★": "Pinned.",
    "·": "Called before.",
    "!": "Not safe: where the profile wants it, you are asked before it is sent.",
    "cookie inline": "What it needs: a session, or the credentials in its params.",
}
"""What the signs of a method say."""


class PageDialog(Dialog[str]):
    """Something to read over a screen."""

    DEFAULT_CSS = """
    PageDialog > .block { width: 96; height: 90%; padding: 1 0 0 0; background: $background; overflow-y: hidden; }
    PageDialog.-low > .block { height: 100%; padding: 0; }
    PageDialog .title { padding: 0 3; }
    PageDialog Sheet { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,enter", "leave", show=False)]

    def __init__(self, title: str, lines: Sequence[SheetLine]) -> None:
        super().__init__(title)
        self._lines = lines

    def content(self) -> ComposeResult:
        sheet = Sheet()
        sheet.lines = self._lines
        yield sheet

    def on_mount(self) -> None:
        self.set_focus(self.query_one(Sheet))


class Help(PageDialog):
    def __init__(self, scopes: Sequence[Scope], keymap: Mapping[str, str]) -> None:
        """``scopes`` in the order they are told; ``keymap`` are the keys that differ from the table's."""
        self._scopes, self._keymap = scopes, keymap
        super().__init__("Keys", list(self._found()))

    def _found(self) -> Iterator[SheetLine]:
        for scope in self._scopes:
            yield [(f"   {SCOPES[scope]}", "text bold")]
            for command in of(scope):
                keys = shown_keys(command, self._keymap)
                yield [
                    (f"   {keys or 'by palette':<{WIDTH}}  ", "accent bold" if keys else "dim"),
                    (command.help, "middle"),
                ]
            yield []
            if scope == "methods":
                yield [("   Signs in the list of methods", "text bold")]
                for sign, meaning in SIGNS.items():
                    yield [(f"   {sign:<{WIDTH}}  ", "accent bold"), (meaning, "middle")]
                yield []
        yield [("   Other keys", "text bold")]
        yield [('   settings.toml, for example:  [keymap] send = "f5,ctrl+j"', "middle")]
        yield [("   The commands are called ", "dim"), (", ".join(command.id for command in COMMANDS), "dim")]
