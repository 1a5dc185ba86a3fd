"""The files that a profile can stand in, and for whom each of them is."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec import Struct

from rpcexplorer.explorer import Explorer

OVERLAY: Final = "sessions.local.toml"
"""The name of the file beside a team's that holds one person's changes to it."""


class Home(Struct, frozen=True):
    """A file that profiles are written to."""

    file: Path
    audience: str
    """Whom it speaks to, in a word or two."""


def home(explorer: Explorer, file: Path) -> Home:
    if file == explorer.paths.user_sessions:
        return Home(file, "me")
    return Home(file, "me, here" if file.name == OVERLAY else "the team")


def homes_of(explorer: Explorer, name: str) -> list[Home]:
    """The files that speak of a profile, lowest layer first."""
    return [home(explorer, file) for file in explorer.profiles.files_of(name)]


def homes_for(explorer: Explorer, name: str | None = None) -> list[Home]:
    """The files that a change of a profile can go to, or a new profile; the first one is proposed.

    A change goes where it counts: to the highest layer that speaks of the profile. What the team says can be
    changed for one person alone as well.
    """
    if name is None:
        files = dict.fromkeys([explorer.paths.user_sessions, *explorer.profiles.files])
        return [home(explorer, file) for file in files if file.name != OVERLAY]
    speaking = [*reversed(homes_of(explorer, name))]
    beside = [home(explorer, each.file.with_name(OVERLAY)) for each in speaking if each.audience == "the team"]
    return [*dict.fromkeys([*speaking, *beside])]
