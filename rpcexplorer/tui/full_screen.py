"""The base of the screens that open over the call screen."""

from __future__ import annotations

from typing import Generic

from textual.await_complete import AwaitComplete
from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.profile import Profile
from rpcexplorer.tui.commands import Commanded
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.theme import NARROW
from rpcexplorer.tui.widgets.bars import Frame
from rpcexplorer.tui.widgets.dialog import ResultT, set_size_classes


class FullScreen(Commanded, Screen[ResultT], Generic[ResultT]):
    """A screen with header and footer, and red edges for production."""

    DEFAULT_CSS = "FullScreen { background: $background; color: $text; layout: vertical; overflow: hidden; }"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-wide")]  # noqa: RUF012 - Textual's own declaration
    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-tall")]  # noqa: RUF012 - Textual's own declaration

    explorer: Explorer
    """Set by the screens from which others open."""

    def __init__(self, pending: PendingKeys, frame: Frame, *profiles: Profile | None) -> None:
        is_prod = any(profile is not None and profile.badge == "prod" for profile in profiles)
        super().__init__(classes="-prod" if is_prod else None)
        self.pending, self.frame = pending, frame

    def on_compose(self) -> None:
        set_size_classes(self)

    def dismiss(self, result: ResultT | None = None) -> AwaitComplete:
        """Dismiss the screen if it is on top: a second answer would close the one below."""
        return super().dismiss(result) if self.is_active else AwaitComplete()
