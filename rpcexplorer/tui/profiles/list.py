"""The profiles, one a line: which is in use, its name, where it is, how it is logged in, and its badge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from msgspec import Struct
from textual import events
from textual.binding import Binding, BindingType
from textual.strip import Strip

from rpcexplorer.model.profile import Profile
from rpcexplorer.text.printable import clipped, columns, fitted
from rpcexplorer.tui.commands import bindings
from rpcexplorer.tui.theming import Pieces, ThemeStyles, line, width_of
from rpcexplorer.tui.widgets.header import BADGES
from rpcexplorer.tui.widgets.row_list import RowList

_NAME: Final = 28
"""Columns that a name gets at most; a third of the width where that is less."""
_BADGE: Final = 10
_AUTH: Final = 26
_KINDS: Final = 56
"""Columns of the list below which the kind of login is left to the page."""
_LEAST: Final = 12
"""Columns below which nothing is shown of a URL."""


class ProfileRow(Struct, frozen=True):
    """A profile, or what is left of one that cannot be used."""

    name: str
    profile: Profile | None
    in_use: bool
    auth: Sequence[tuple[str, str]]
    """How it is logged in, or what it lacks."""


class ProfileList(RowList[ProfileRow]):
    """All profiles of this run. A click puts the cursor on one, another click on the same takes it."""

    DEFAULT_CSS = "ProfileList { height: 1fr; min-height: 2; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        each for each in bindings("profiles") if isinstance(each, Binding) and each.id == "profiles.use"
    ]

    refused = False
    """There would be profiles, if their file could be read."""

    def draw(self, item: ProfileRow, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        """What gives way first is the URL, as the header and the page have it too."""
        ground = "selection" if chosen else "background"
        names = min(max(columns(each.name) for each in self.items), _NAME, max(width // 3, 4))
        mark = ("▸ ", "text bold" if chosen else "accent bold") if item.in_use else ("  ", "text")
        name = (fitted(item.name, names), "text bold" if chosen or item.in_use else "text")
        words: list[tuple[str, str]] = [(" ", "text"), mark, name]
        if item.profile is None:
            return line([*words, ("  ! cannot be used", "careful")], width, styles, ground=ground)
        kind = [(f"  {item.profile.auth.kind:<6}", "middle" if chosen else "dim")] if width >= _KINDS else []
        right = [*kind, *self._auth(item, width), *self._badge(item.profile)]
        room = width - width_of(words) - width_of(right) - 2
        if room >= _LEAST:
            words.append((f"  {clipped(self._address(item.profile.url, room), room)}", "middle"))
        return line(words, width, styles, right=right, ground=ground)

    def _address(self, url: str, room: int) -> str:
        """Where there is little room, no row has the scheme: the host is what tells servers apart."""
        fits = all(columns(each.profile.url) <= room for each in self.items if each.profile)
        return url if fits else url.partition("://")[2]

    def _auth(self, item: ProfileRow, width: int) -> Pieces:
        """Its own column; narrower where the list is."""
        wanted = max(width_of(each.auth) for each in self.items)
        room = min(wanted, _AUTH, max(width // 3, 2))
        shown, left = [("  ", "text")], room
        for text, role in item.auth:
            piece = clipped(text, left)
            shown.append((piece, role))
            left -= columns(piece)
        return [*shown, (" " * left, "text")]

    def _badge(self, profile: Profile) -> Pieces:
        """The badge in a column; none where no profile has one."""
        wanted = max(columns(each.profile.badge) for each in self.items if each.profile)
        shown = clipped(profile.badge_word, min(wanted, _BADGE))
        blank = " " * (min(wanted, _BADGE) - columns(shown) + 2 * bool(wanted))
        return [(blank, "text"), (shown, f"{BADGES.get(profile.badge, 'accent')} bold"), (" ", "text")]

    def empty(self, width: int, styles: ThemeStyles) -> Sequence[Strip]:
        if self.refused:
            return [line([], width, styles), line([("   ! No profile can be read now.", "careful")], width, styles)]
        return [
            line([], width, styles),
            line([("   There are no profiles yet. ", "dim"), ("a", "bold"), (" adds one.", "dim")], width, styles),
        ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return action != "use" or (self.chosen is not None and self.chosen.profile is not None)

    def on_click(self, event: events.Click) -> None:
        """The first click looks, the second takes."""
        event.prevent_default()
        index = event.y + self.scroll_offset.y
        if index == self.cursor:
            self.action_choose()
        elif index < len(self.items):
            self.cursor = index

    def action_use(self) -> None:
        self.action_choose()
