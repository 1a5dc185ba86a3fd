"""A line to type into, without a frame and without a blinking cursor: nothing moves that need not."""

from __future__ import annotations

from textual.widgets import Input

from rpcexplorer.tui.widgets.in_order import InOrder
from rpcexplorer.views.printable import printable


class Entry(InOrder, Input):
    """Textual's line with our manners. What it hints at may come from anywhere; what is masked is never copied."""

    DEFAULT_CSS = """
    Entry, Entry:focus, Entry:ansi, Entry:ansi:focus {
        border: none; height: 1; padding: 0 1; background: $background; color: $text; background-tint: transparent;
    }
    Entry > .input--placeholder { color: $dim; }
    Entry:ansi > .input--placeholder { color: $dim; text-style: none; }
    """

    def __init__(
        self,
        value: str = "",
        *,
        hint: str = "",
        masked: bool = False,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """The cursor stands at the end of the value: whoever types on does not replace it."""
        super().__init__(
            value, placeholder=printable(hint), password=masked, select_on_focus=False, id=id, classes=classes
        )
        self.cursor_blink = False

    def action_copy(self) -> None:
        """Copy what is selected, unless it is masked."""
        if not self.password:
            super().action_copy()

    def action_cut(self) -> None:
        """Cut what is selected; what is masked is taken out only."""
        if self.password:
            self.delete_selection()
        else:
            super().action_cut()
