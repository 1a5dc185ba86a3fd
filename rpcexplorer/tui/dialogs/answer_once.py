"""A screen that is answered once, however often an impatient person presses Enter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import Screen

ResultT = TypeVar("ResultT")
if TYPE_CHECKING:

    class _Base(Screen[ResultT]):
        """What it stands before."""
else:
    # Textual looks for styles along the first base that is a screen, and that has to be its own class
    _Base = Generic


class AnswersOnce(_Base[ResultT]):
    """Stands before Textual's class among the bases of a screen that is dismissed with an answer.

    Textual closes whatever is on top, so that a second answer would take the screen below along.
    """

    def on_compose(self) -> None:
        """Take the classes for the size of the terminal before there is anything inside that has to be styled anew.

        Textual would draw the screen once without them.
        """
        size = self.app.size
        for breakpoints, room in (
            (self.HORIZONTAL_BREAKPOINTS, size.width),
            (self.VERTICAL_BREAKPOINTS, size.height),
        ):
            fitting = [name for least, name in breakpoints or () if least <= room]
            self.add_class(*fitting[-1:])

    def dismiss(self, result: ResultT | None = None) -> AwaitComplete:
        """Answer; only while it is on top."""
        return super().dismiss(result) if self.is_active else AwaitComplete()
