"""The bases of screens: one with commands that fills the terminal, and a mixin for answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.profile import Profile
from rpcexplorer.tui.commands import Commanded
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.theme import NARROW
from rpcexplorer.tui.widgets.bars import Frame

ResultT = TypeVar("ResultT")
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
    """A screen with header and footer, and red edges for production."""

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

    def on_compose(self) -> None:
        set_size_classes(self)

    def dismiss(self, result: ResultT | None = None) -> AwaitComplete:
        """Dismiss the screen if it is on top: a second answer would close the one below."""
        return super().dismiss(result) if self.is_active else AwaitComplete()
