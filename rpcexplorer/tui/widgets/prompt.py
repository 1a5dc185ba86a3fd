"""A line to type into that opens inside a pane: a search, a filter, a command, a line number. One at a time.

Most calls are looked at without it, so that what is in it is mounted when it is first opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Literal

from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from rpcexplorer.text.printable import columns, printable
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.widgets.entry import Taking

Purpose = Literal["search", "filter", "pipe", "goto"]
SIGNS: dict[Purpose, str] = {"search": "/", "filter": "jq", "pipe": "|", "goto": ":"}
HINTS: dict[Purpose, str] = {
    "search": "text to find; capitals only where you type them",
    "filter": ".items[] | select(.active)",
    "pipe": "any shell command; it gets the reply on its standard input",
    "goto": "number of a line",
}
COUNT: Final = 22
"""Columns that a search has for its numbers; the stylesheet says the same, with what is blank around them."""


class Prompt(Horizontal):
    """Sign, what is typed, and how it is going. Up and down bring back what was typed before."""

    DEFAULT_CSS = """
    Prompt { height: 1; display: none; background: $surface; }
    Prompt > .sign { width: 6; padding: 0 0 0 2; color: $accent; text-style: bold; background: $surface; }
    Prompt > Input, Prompt > Input:focus { border: none; height: 1; padding: 0; width: 1fr; background: $surface; }
    Prompt > .state { width: auto; max-width: 50%; padding: 0 2; color: $middle; background: $surface; height: 1; }
    Prompt > .state.-wrong { color: $wrong; }
    Prompt.-search > .state { min-width: 26; text-align: right; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "close", show=True),
        Binding("up", "earlier(1)", show=False),
        Binding("down", "earlier(-1)", show=False),
    ]

    @message
    class TextTyped(Message):
        """The text changed."""

        prompt: Prompt
        purpose: Purpose
        text: str

    @message
    class Taken(Message):
        """Enter: this is it."""

        prompt: Prompt
        purpose: Purpose
        text: str

    @message
    class Left(Message):
        """Escape: never mind."""

        prompt: Prompt
        purpose: Purpose

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.purpose: Purpose = "search"
        self._sign, self._line, self._state = Static(classes="sign"), Taking(self._take), Static(classes="state")
        self.listens = False
        """What is typed counts: it was opened, and not taken yet."""
        self._wide = 0
        """Columns of what is said."""
        self._before: Sequence[str] = ()
        self._at = -1

    @property
    def is_open(self) -> bool:
        return bool(self.display)

    @property
    def text(self) -> str:
        return self._line.value

    def ask(self, purpose: Purpose, text: str = "", before: Sequence[str] = ()) -> None:
        """Open for a purpose, with what was typed last selected, so that typing replaces it."""
        if self._line.parent is None:
            self.mount(self._sign, self._line, self._state)
        self.purpose, self._before, self._at, self.listens = purpose, before, -1, True
        self.set_class(purpose == "search", "-search")
        self._sign.update(Content(SIGNS[purpose]))
        line = self._line
        line.placeholder = HINTS[purpose]
        with line.prevent(Input.Changed):
            line.value = text
        self.tell("")
        self.display = True  # on the widget itself, so that the focus can follow in the same breath
        self.screen.set_focus(line)
        line.action_select_all()

    def tell(self, state: str, *, wrong: bool = False) -> None:
        """How it is going, at the right."""
        state = printable(state)
        wide = max(columns(state), COUNT if self.purpose == "search" else 0)
        self._state.update(Content(state), layout=wide != self._wide)  # the numbers of a search stay where they are
        self._wide = wide
        self._state.set_class(wrong, "-wrong")

    def close(self) -> None:
        """Take it off the screen."""
        self.display = False

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.listens:
            self.post_message(self.TextTyped(self, self.purpose, event.value))

    def _take(self, text: str) -> None:
        """Enter takes it, as it stands at that moment: letters that follow at once are for others."""
        if self.listens:
            self.listens = False
            self.post_message(self.Taken(self, self.purpose, text))
            self.call_later(self._put_back, text)

    def _put_back(self, text: str) -> None:
        with self._line.prevent(Input.Changed):
            self._line.value = text

    def on_descendant_blur(self) -> None:
        """Whoever comes back to it types again."""
        self.listens = True

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.screen.set_focus(self._line)

    def action_leave(self) -> None:
        self.post_message(self.Left(self, self.purpose))

    def action_earlier(self, by: int) -> None:
        at = min(max(self._at + by, -1), len(self._before) - 1)
        if at != self._at:
            self._at = at
            line = self._line
            line.value = self._before[at] if at >= 0 else ""
            line.cursor_position = len(line.value)
