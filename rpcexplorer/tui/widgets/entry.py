"""A line to type into, without a frame and without a blinking cursor: nothing moves that need not."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from textual.widgets import Input

from rpcexplorer.text.printable import printable
from rpcexplorer.tui.widgets.in_order import InOrder


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

    @property
    def _value(self) -> Text:
        """What is drawn of the value: one sign for each character, as the cursor counts them."""
        shown = super()._value
        shown.plain = "".join(map(_sign, shown.plain))
        return shown

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


class Taking(Entry):
    """A line whose Enter is done in the order of the keys: letters that follow at once are no part of what it takes."""

    def __init__(self, take: Callable[[str], None], *, hint: str = "") -> None:
        super().__init__(hint=hint)
        self._take = take

    async def action_submit(self) -> None:
        self._take(self.value)


def _sign(char: str) -> str:
    """The character, its picture, or a sign that something without a shape stands there."""
    shown = printable(char)
    return shown if len(shown) == 1 else "\N{REPLACEMENT CHARACTER}"
