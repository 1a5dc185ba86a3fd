"""What becomes of a hint that somebody takes: the profile is changed, or a secret entered anew, after a question."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.problem import Complaint, Hint
from rpcexplorer.model.profile import Profile


async def followed(screen: Screen[Any], explorer: Explorer, hint: Hint, profile: Profile, save: str) -> bool:
    """Do what a hint says for the profile that it was given for; whether the call is to be sent again.

    ``save`` says how an address is kept that stands in no file.
    """
    if not hint.changes:
        from rpcexplorer.tui.dialogs import secrets

        return await secrets(screen, explorer, profile) and explorer.profile is not None
    if not _is_as_it_was(explorer, profile):
        screen.notify(f"{profile.name} was changed meanwhile: send the call again first.", markup=False, timeout=8)
        return False
    done = await (_for_this_run if profile.ad_hoc else _in_a_file)(screen, explorer, hint, profile)
    if done and profile.ad_hoc:
        screen.notify(f"Set for this run. {save}", markup=False, timeout=8)
    return done


def _is_as_it_was(explorer: Explorer, profile: Profile) -> bool:
    """Whether the files still say of it what they did; one that they say nothing of any more stays in use."""
    if profile.ad_hoc:
        return explorer.profile == profile
    explorer.reload()
    return explorer.profile == profile and profile.name in explorer.profiles.profiles


async def _for_this_run(screen: Screen[Any], explorer: Explorer, hint: Hint, profile: Profile) -> bool:
    from rpcexplorer.tui.dialogs import may_change

    if not await may_change(screen, profile, hint.changes, careful=hint.careful):
        return False
    changed = explorer.profiles.changed(profile, hint.changes)
    if isinstance(changed, Complaint):
        screen.notify(str(changed), markup=False, severity="warning", timeout=10)
        return False
    if explorer.profile == profile:
        explorer.use_changed(changed)
    return explorer.profile is changed


async def _in_a_file(screen: Screen[Any], explorer: Explorer, hint: Hint, profile: Profile) -> bool:
    from rpcexplorer.tui.dialogs import file_to_change, warn_about

    file = await file_to_change(screen, explorer, profile, hint.changes, careful=hint.careful)
    used = explorer.profile
    if file is None or used != profile:
        return False
    with explorer.accepting(profile, {key for key, _ in hint.changes}):
        complaint = explorer.apply(profile.name, hint.changes, file)
    said = [str(complaint)] if complaint else explorer.profiles.overruled(profile.name, hint.changes, file)
    for sentence in said:
        screen.notify(sentence, markup=False, severity="warning", timeout=10)
    if not complaint:
        await warn_about(screen, explorer, file)
    return not said
