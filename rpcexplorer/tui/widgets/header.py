"""The top line: which server this is, how it is logged in, and the badge, which is on screen all the time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from rpcexplorer.model.profile import Profile
from rpcexplorer.tui.theming import Pieces, ThemeStyles, line

BADGES: dict[str, str] = {"dev": "well", "staging": "careful", "prod": "prod"}
"""The colour of a badge's ground; any other word has the accent."""


class Header(Widget):
    """Name and URL at the left, the session and the badge at the right; the URL gives way first."""

    DEFAULT_CSS = "Header { height: 1; dock: top; }"

    NOBODY: ClassVar[Pieces] = [(" rpcexplorer", "bold"), ("  no profile yet", "middle")]

    profile: reactive[Profile | None] = reactive[Profile | None](None)
    auth: reactive[Sequence[tuple[str, str]]] = reactive[Sequence[tuple[str, str]]](())
    """How the profile is logged in, or what it lacks."""
    trouble: reactive[str] = reactive("")
    """What must not be overlooked, such as a history that cannot be written."""

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one line
        """One line on the ground of bars; on prod that ground is red."""
        styles, width = ThemeStyles.of(self), self.size.width
        if self.profile is None:
            return line(self.NOBODY, width, styles, ground="surface")
        ground = "prod-surface" if self.profile.badge == "prod" else "surface"
        trouble = [(f"! {self.trouble}   ", "wrong bold")] if self.trouble else []
        left = [
            (f" {self.profile.name}", "accent bold"),
            (f"  {self.profile.endpoint}", "middle"),
        ]
        right = [*trouble, *self.auth, *self._badge(), (" ", "text")]
        return line(left, width, styles, right=right, ground=ground)

    def _badge(self) -> Pieces:
        if self.profile is None or not self.profile.badge:
            return [(" ", "text")]
        ground = BADGES.get(self.profile.badge, "accent")
        return [("   ", "text"), (f" {self.profile.badge_word[:16]} ", f"on:{ground} bold")]
