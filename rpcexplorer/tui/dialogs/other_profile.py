"""The question to which other profile a call is taken."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.problem import Complaint
from rpcexplorer.model.profile import Profile
from rpcexplorer.tui.dialogs.picker import Pick, Picker


async def other_profile(screen: Screen[Any], explorer: Explorer, than: str) -> str:
    """Ask for another profile; empty where there is none, or the one that was chosen cannot be used."""
    found, used = explorer.profiles, explorer.profile
    usable_first = sorted(found.leaves, key=lambda name: (name not in found.profiles, name))
    names = [name for name in usable_first if name != than]
    if not names:
        screen.notify("There is no other profile to take this call to.", markup=False)
        return ""
    picks = [_pick(name, found.profiles.get(name)) for name in names]
    chosen = await screen.app.push_screen_wait(Picker("Take this call to …", picks, on=used.name if used else ""))
    profile = found.get(chosen) if chosen else None
    if isinstance(profile, Complaint):
        screen.notify(f"{chosen} cannot be used, so the call stays here. {profile}", markup=False, severity="warning")
    return profile.name if isinstance(profile, Profile) else ""


def _pick(name: str, profile: Profile | None) -> Pick:
    return Pick(name, name, profile.endpoint, profile.badge_word) if profile else Pick(name, name, "cannot be used")
