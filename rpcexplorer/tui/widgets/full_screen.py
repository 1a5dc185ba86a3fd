"""The bases of screens: one with commands that fills the terminal, and a mixin for answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from textual import events
from textual.await_complete import AwaitComplete
from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.profile import Profile
from rpcexplorer.tui.commands import Commanded
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.theme import NARROW
from rpcexplorer.tui.widgets.bars import Frame

ResultT = TypeVar("ResultT")
MoveDivider: TypeAlias = Callable[[int, int], object]
"""Moves a divider to the column or line of the mouse."""
if TYPE_CHECKING:

    class _Base(Screen[ResultT]):
        """The base class that the mixin needs."""
else:
    # Textual looks for styles along the first base that is a screen, which must be its own class.
    _Base = Generic


class AnswersOnce(_Base[ResultT]):
    """A mixin for screens that are dismissed with an answer.

    It comes before Textual's class among the bases. Textual would dismiss the topmost screen, so a second answer would
    close the screen below.
    """

    def on_compose(self) -> None:
        set_size_classes(self)

    def dismiss(self, result: ResultT | None = None) -> AwaitComplete:
        """Dismiss the screen if it is on top."""
        return super().dismiss(result) if self.is_active else AwaitComplete()


def set_size_classes(screen: Screen[Any]) -> None:
    """Set the classes for the terminal's size before there are children.

    Otherwise Textual draws the screen once without them, and styles everything twice.
    """
    size = screen.app.size
    for breakpoints, room in ((screen.HORIZONTAL_BREAKPOINTS, size.width), (screen.VERTICAL_BREAKPOINTS, size.height)):
        fitting = [name for least, name in breakpoints or () if least <= room]
        screen.add_class(*fitting[-1:])


class FullScreen(Commanded, Screen[ResultT], Generic[ResultT]):
    """A screen with header and footer, and a red edge for production."""

    DEFAULT_CSS = "FullScreen { background: $background; color: $text; layout: vertical; overflow: hidden; }"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-wide")]  # noqa: RUF012 - Textual's own declaration
    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-tall")]  # noqa: RUF012 - Textual's own declaration

    explorer: Explorer
    """Set by the screens from which others open."""
    frame: Frame
    """Of the screens that open over the call screen, this one among them."""

    def __init__(self, pending: PendingKeys, frame: Frame, *profiles: Profile | None) -> None:
        is_prod = any(profile is not None and profile.badge == "prod" for profile in profiles)
        super().__init__(classes="-prod" if is_prod else None)
        self.pending, self.frame = pending, frame
        self._dragged: MoveDivider | None = None
        """Moves the divider between two panes that the mouse drags."""

    def on_compose(self) -> None:
        set_size_classes(self)

    def divider_at(self, x: int, y: int) -> MoveDivider | None:  # noqa: ARG002 - for subclasses
        """Return what moves the divider at a cell of the screen; None if there is none."""
        return None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._dragged = self.divider_at(event.screen_x, event.screen_y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragged is not None and event.button:
            event.stop()
            self._dragged(event.screen_x, event.screen_y)

    def on_mouse_up(self) -> None:
        self._dragged = None

    def dismiss(self, result: ResultT | None = None) -> AwaitComplete:
        """Dismiss the screen if it is on top: a second answer would close the one below."""
        return super().dismiss(result) if self.is_active else AwaitComplete()
