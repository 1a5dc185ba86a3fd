"""A pane with a title, a filter and a list."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Generic, Literal, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from rpcexplorer.tui.messages import message
from rpcexplorer.tui.widgets.bars import Bar
from rpcexplorer.tui.widgets.inputs import Entry
from rpcexplorer.tui.widgets.rows import RowList

Rows = TypeVar("Rows", bound=RowList[Any])


class FilterPane(Vertical, Generic[Rows]):
    """Title, filter, a line about what was found, and list."""

    DEFAULT_CSS = """
    FilterPane { background: $background; }
    FilterPane > .line { height: 1; }
    FilterPane .prompt { width: 3; height: 1; color: $middle; }
    FilterPane Entry, FilterPane Entry:focus { padding: 0 1 0 0; width: 1fr; }
    FilterPane > .state { height: 1; padding: 0 1 0 3; color: $dim; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "into_list('move', -1)", show=False),
        Binding("down", "into_list('move', 1)", show=False),
        Binding("pageup", "into_list('page', -1)", show=False),
        Binding("pagedown", "into_list('page', 1)", show=False),
    ]

    class FilterChanged(Message):
        """The filter was changed."""

    @message
    class KeyForList(Message):
        """A key in the filter should act on the list."""

        move: Callable[[], object]

    def __init__(self, rows: Rows, hint: str) -> None:
        """``hint``: examples of what can be typed."""
        super().__init__()
        self.list, self._bar, self._state = rows, Bar(), Static(classes="state")
        self._filter = Entry(hint=hint)

    def compose(self) -> ComposeResult:
        yield self._bar
        with Horizontal(classes="line"):
            yield Static(Content(" ›"), classes="prompt")  # noqa: RUF001 - the sign is meant
            yield self._filter
        yield self._state
        yield self.list

    @property
    def text(self) -> str:
        return self._filter.value

    @property
    def typing(self) -> bool:
        return self._filter.has_focus

    def focus_filter(self) -> None:
        """Focus the filter and select its text."""
        self.screen.set_focus(self._filter)
        self._filter.action_select_all()

    def leave_filter(self) -> None:
        """Clear the filter, or leave it if it is empty."""
        if self._filter.value:
            self._filter.value = ""
        else:
            self.screen.set_focus(self.list)

    def interrupt(self) -> bool:
        """Clear the typed filter; return whether there was one."""
        if found := self.typing and bool(self.text):
            self.leave_filter()
        return found

    def on_descendant_focus(self) -> None:
        self._bar.here = True

    def on_descendant_blur(self) -> None:
        self._bar.here = self.has_focus_within

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.FilterChanged())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the list on Enter."""
        event.stop()
        self.post_message(self.KeyForList(lambda: None))

    def action_into_list(self, way: Literal["move", "page"], by: int) -> None:
        self.post_message(
            self.KeyForList(partial(self.list.action_move if way == "move" else self.list.action_page, by))
        )
