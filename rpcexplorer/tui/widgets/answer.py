"""An answer to a question as a word to choose, and a row of them. It knows neither the question nor what follows."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theming import ThemeStyles, line, width_of


class Answer(Widget, can_focus=True):
    """Enter, space or a click gives it. The one with the focus stands on a ground of its own, underlined."""

    DEFAULT_CSS = "Answer { height: 1; width: auto; margin-right: 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "give", show=False)]

    @message
    class Given(Message):
        """An answer was chosen."""

        answer: Answer

    def __init__(self, label: str, *, grave: bool = False, id: str | None = None) -> None:
        """``grave``: what follows cannot be taken back, and the colour says so."""
        super().__init__(id=id)
        self._label, self._grave = label, grave

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002 - Textual's signature
        """The words and a blank at each side."""
        return width_of([(f" {self._label} ", "text")])

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one line
        here = f"{'wrong' if self._grave else 'accent'} reverse bold underline"
        role = here if self.has_focus else "text" if self.mouse_hover else "middle"
        blank = (" ", role.replace(" underline", ""))
        return line([blank, (self._label, role), blank], self.size.width, ThemeStyles.of(self), ground="surface")

    def on_enter(self) -> None:
        self.refresh()

    def on_leave(self) -> None:
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.focus()
        self.action_give()

    def action_give(self) -> None:
        self.post_message(self.Given(self))


class Answers(Horizontal):
    """Answers side by side; one below the other where they are too long for that."""

    DEFAULT_CSS = """
    Answers { height: auto; margin-top: 1; }
    Answers.-stacked { layout: vertical; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
    ]

    def on_resize(self) -> None:
        wanted = sum(answer.get_content_width(self.size, self.size) + 1 for answer in self.query(Answer)) - 1
        self.set_class(wanted > self.size.width, "-stacked")
