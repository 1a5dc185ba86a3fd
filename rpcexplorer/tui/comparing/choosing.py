"""On which profile calls are sent again, and on which several one call: a person says so, nobody else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Static

from rpcexplorer.client.replay import server_of
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.problem import Complaint
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.printable import clipped, columns, fitted
from rpcexplorer.tui.dialogs.dialog import Dialog, keys
from rpcexplorer.tui.dialogs.picker import Pick, Picker
from rpcexplorer.tui.theming import ThemeStyles, line
from rpcexplorer.tui.widgets.row_list import RowList

ROOM: Final = 48
"""Columns of a method's name in a title."""
MOST: Final = 12
"""Profiles that are on view at once."""
NAMES: Final = 24
"""Columns that their names get at most."""


async def profiles_for_servers(
    screen: Screen[Any], explorer: Explorer, records: Sequence[Exchange], what: str
) -> dict[tuple[str, str], Profile] | None:
    """Ask for a profile for each server that calls went to; None if one of the questions was left."""
    servers = list(dict.fromkeys(map(server_of, records)))
    chosen: dict[tuple[str, str], Profile] = {}
    for server in servers:
        its = [each for each in records if server_of(each) == server]
        if len(servers) > 1:
            count = f"{len(its)} call{'s' * (len(its) > 1)}"
            what = f"{count} of {clipped(server[0], ROOM // 2)}, {clipped(server[1], ROOM)},"
        profile = await _profile_for(screen, explorer, its, what, [each.name for each in chosen.values()])
        if profile is None:
            return None
        chosen[server] = profile
    return chosen


async def _profile_for(
    screen: Screen[Any], explorer: Explorer, records: Sequence[Exchange], what: str, taken: Sequence[str]
) -> Profile | None:
    """Ask where recorded calls are to be sent.

    The cursor starts where they come from, but for calls of someone else on the only profile with their address, else
    on one that is not ``taken`` by another server's calls.
    """
    used = explorer.profile.name if explorer.profile else ""
    theirs = {each.profile for each in records if not (each.foreign or each.writer)}
    names = sorted(explorer.profiles.leaves, key=lambda name: (name not in explorer.profiles.profiles, name))
    picks = [_pick(name, explorer.profiles.profiles.get(name)) for name in names]
    if explorer.profile is not None and used not in names:  # an address that was typed
        picks.insert(0, _pick(used, explorer.profile))
    if not picks:
        screen.notify("Replay needs a profile. Press Esc, then add one.")
        return None
    free = [name for name in (used, *names) if name not in {"", *taken}] if taken else [used]
    urls = {each.url for each in records}
    same = [profile.name for profile in explorer.profiles.profiles.values() if profile.endpoint in urls]
    on = theirs.pop() if len(theirs) == 1 else same[0] if len(same) == 1 else (*free, used)[0]
    chosen: str | None = await screen.app.push_screen_wait(Picker(f"Replay {what} on …", picks, on=on))
    return usable(screen, explorer, chosen) if chosen else None


def usable(screen: Screen[Any], explorer: Explorer, name: str) -> Profile | None:
    """The profile of a name; None where it cannot be used, which is said."""
    used = explorer.profile
    profile = used if used is not None and used.name == name else explorer.profiles.get(name)
    if isinstance(profile, Complaint):
        screen.notify(f"{name} cannot be used, so nothing was sent. {profile}", severity="warning")
    return profile if isinstance(profile, Profile) else None


def _pick(name: str, profile: Profile | None) -> Pick:
    return Pick(name, name, profile.endpoint, profile.badge_word) if profile else Pick(name, name, "cannot be used")


class Ticked(RowList[tuple[str, Profile]]):
    """Profiles, some of them ticked, in the order in which they were."""

    DEFAULT_CSS = "Ticked { background: $surface; scrollbar-background: $surface; max-height: 12; }"

    def __init__(self, on: str) -> None:
        super().__init__()
        self.ticked: tuple[str, ...] = (on,) if on else ()
        self._names = self._badges = 0

    def draw(self, item: tuple[str, Profile], width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        """A box, the profile, its address and badge; the first that was ticked is what the others are held against."""
        name, profile = item
        at = self.ticked.index(name) + 1 if name in self.ticked else 0
        words = [
            (f" [{'x' if at else ' '}] ", "accent bold" if at else "middle"),
            (fitted(name, self._names), "text bold" if at else "text"),
        ]
        right = [("  compare with this", "accent")] if at == 1 else []
        right.append((f"  {profile.badge_word:>{self._badges}} ", "middle"))
        ground = "selection" if chosen else "surface"
        return line([*words, (f"  {profile.endpoint}", "dim")], width, styles, right=right, ground=ground)

    def watch_items(self) -> None:
        """The columns are as wide as what is in them."""
        self._names = min(max((columns(name) for name, _ in self.items), default=0), NAMES)
        self._badges = max((len(profile.badge_word) for _, profile in self.items), default=0)

    def tick(self) -> None:
        if self.chosen is not None:
            name = self.chosen[0]
            others = tuple(each for each in self.ticked if each != name)
            self.ticked = others if name in self.ticked else (*self.ticked, name)
            self.refresh()


class SeveralProfiles(Dialog[tuple[str, ...]]):
    """Space ticks, Enter takes what is ticked; the answer has their names, the first that was ticked first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "tick", show=False),
        Binding("enter", "take", show=False, priority=True),
    ]

    def __init__(self, title: str, profiles: Sequence[Profile], on: str) -> None:
        super().__init__(title)
        self._profiles, self._list = profiles, Ticked(on)
        self._told = Static(classes="hint")

    def content(self) -> ComposeResult:
        yield self._list
        yield self._told

    def on_mount(self) -> None:
        self._list.items = [(each.name, each) for each in self._profiles]
        if len(self._profiles) == 2 and self._list.ticked:  # nothing else can be meant
            self._list.ticked = tuple(each.name for each in self._profiles)
        self._list.styles.height = min(len(self._profiles), MOST)
        self.set_focus(self._list)
        self._told.update(keys("Space", "ticks", "Enter", "sends the call to each", "Esc", "sends nothing"))

    def action_tick(self) -> None:
        self._list.tick()
        self._list.action_move(1)

    def action_take(self) -> None:
        """With one alone there is nothing to compare."""
        if len(self._list.ticked) > 1:
            self.dismiss(self._list.ticked)
        else:
            self._told.update(keys("Space", "ticks another one: there have to be two to compare"))


async def profiles_for(screen: Screen[Any], explorer: Explorer, method: str) -> list[Profile]:
    """Ask on which profiles one call is to be compared; none where it was left."""
    used = explorer.profile
    known = [each for each in explorer.profiles.profiles.values() if used is None or each.name != used.name]
    profiles = [*([used] if used else []), *known]
    if len(profiles) < 2:
        screen.notify("There is no other profile to compare with.")
        return []
    title = f"Compare {clipped(method, ROOM)} on …"
    chosen = await screen.app.push_screen_wait(SeveralProfiles(title, profiles, used.name if used else ""))
    return [each for name in chosen or () for each in profiles if each.name == name]
