"""What can be done to a profile: add, change, copy, take out. Each asks first, and says in which file it happens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import to_builtins
from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.problem import Changes
from rpcexplorer.model.profile import PATH, Profile, split_address
from rpcexplorer.text.printable import clipped
from rpcexplorer.tui.dialogs.confirm import warn_about
from rpcexplorer.tui.dialogs.dialog import Choice, Confirm
from rpcexplorer.tui.dialogs.form import Field, Form, Wrong
from rpcexplorer.tui.profiles.files import homes_for, homes_of
from rpcexplorer.tui.profiles.form import (
    ProfileForm,
    add_profile,
    changes_of,
    edit_profile,
    fields_of,
    overruled,
    with_path,
    wrong_of,
)
from rpcexplorer.tui.profiles.wrong import wrong_name

ROOM = 28
"""Columns that an answer has for a profile's name."""


async def added(screen: Screen[Any], explorer: Explorer) -> tuple[str, bool]:
    """A form for a new profile; its name, empty where there is none, and whether it is to be tested at once."""
    presets = [each.preset for each in explorer.profiles.presets.all() if not each.complaints]
    typed_before = explorer.profile if explorer.profile and explorer.profile.ad_hoc else None

    def save(typed: Mapping[str, str]) -> Wrong | None:
        name, file = typed["name"].strip(), form.file(typed)
        wrong = add_profile(explorer.edits(file), typed, explorer.profiles.leaves, presets)
        wrong = wrong or _read_again(explorer, name)
        if wrong or typed_before is None:
            return wrong
        complaint = explorer.apply(name, _learned(typed_before), file)
        return wrong_of(complaint, typed) if complaint else None

    fields = fields_of(None, typed_before, presets=presets)
    form = ProfileForm("Add a profile", homes_for(explorer), fields, save, presets=presets, tests=True)
    typed = await screen.app.push_screen_wait(form)
    return (typed["name"].strip(), form.is_tested) if typed else ("", False)


async def edited(screen: Screen[Any], explorer: Explorer, profile: Profile) -> bool:
    """The form of a profile, filled in; whether it was saved. A value that another file overrules is told."""
    name, said = profile.name, list[str]()

    def source(key: str) -> str:
        found = explorer.profiles.source_of(name, key)
        return "" if str(found) == "default" else found.file

    preset = explorer.profiles.presets.load(profile.preset) if profile.preset else None
    path = preset.preset.values.path if preset else PATH

    def save(filled: Mapping[str, str]) -> Wrong | None:
        was, typed = explorer.profiles.profiles.get(name, profile), with_path(filled, path)
        changed = changes_of(was, typed, lambda key: bool(source(key)))
        with explorer.accepting(profile, {*changed, *(["path"] if "url" in changed else [])}):
            edits, is_bare = explorer.edits(form.file(typed)), split_address(filled["url"])[1] is None
            wrong = edit_profile(edits, was, typed, source, is_bare=is_bare) or _read_again(explorer, name)
        if wrong:
            return wrong
        now = explorer.profiles.profiles[name]
        for key, value in overruled(now, typed, changed):
            place = explorer.profiles.source_of(name, key)
            said.append(f"{key} is written, but stays {value or 'empty'}: {place} says so and wins.")
        return None

    form = ProfileForm(f"Edit {name}", homes_for(explorer, name), fields_of(profile), save, path=path)
    typed = await screen.app.push_screen_wait(form)
    for sentence in said:
        screen.notify(sentence, markup=False, severity="warning", timeout=15)
    if typed is not None:
        await warn_about(screen, explorer, form.file(typed))
    return typed is not None


async def duplicated(screen: Screen[Any], explorer: Explorer, name: str) -> str:
    """One like it under another name, in the same files; that name, empty where there is none."""
    homes = homes_of(explorer, name)

    def save(typed: Mapping[str, str]) -> Wrong | None:
        copy = typed["name"].strip()
        if wrong := wrong_name(copy, explorer.profiles.leaves):
            return wrong
        for each in homes:
            if complaint := explorer.edits(each.file).duplicate(name, copy):
                return wrong_of(complaint, typed)
        return _read_again(explorer, copy)

    files = " and ".join(str(each.file) for each in homes)
    words = f"It is written to {files}. Secrets are not copied."
    form = Form(f"Duplicate {name}", words, [Field("name", "new name", f"{name}-copy")], save)
    typed = await screen.app.push_screen_wait(form)
    return typed["name"].strip() if typed else ""


def make_default(screen: Screen[Any], explorer: Explorer, name: str) -> None:
    """Write down that this profile is used wherever none is named, and say where."""
    file = explorer.profiles.default_home(name, explorer.paths.user_sessions)
    complaint = explorer.edits(file).set_default(name)
    explorer.reload()
    found = explorer.profiles
    said = str(complaint) if complaint else f"{name} is the default now, in {file}."
    if not complaint and found.default != name:
        said = f"Written to {file}, but {found.default} stays the default: {found.default_source} says so and wins."
    screen.notify(said, markup=False, severity="warning" if complaint else "information")


async def removed(screen: Screen[Any], explorer: Explorer, profile: Profile) -> bool:
    """Take it out of its files and forget its secrets, after a yes; whether that was done."""
    name, homes = profile.name, homes_of(explorer, profile.name)
    rows = [("profile", f"{name}  {profile.badge_word}".rstrip()), ("host", profile.origin)]
    rows += [("file" if at == 0 else "", f"{each.file}  ({each.audience})") for at, each in enumerate(homes)]
    rows.append(("also", "the secrets that are kept for it; its history stays"))
    choices = [Choice("keep", "Keep it"), Choice("remove", f"Remove {clipped(name, ROOM)}")]
    grave = profile.badge == "prod" or any(each.audience == "the team" for each in homes)
    if await screen.app.push_screen_wait(Confirm(f"Remove {name}?", rows, choices, grave=grave)) != "remove":
        return False
    troubles = explorer.remove_profile(profile)
    for trouble in troubles:
        screen.notify(str(trouble), markup=False, severity="warning", timeout=10)
    return not troubles


def _learned(profile: Profile) -> Changes:
    """What an address turned out to want in this run that the form has no line for."""
    values = ((key, to_builtins(getattr(profile, key))) for key in ("accept", "envelope", "id", "handshake"))
    usual = Profile("", "")
    return tuple((key, value) for key, value in values if value != getattr(usual, key))


def _read_again(explorer: Explorer, name: str) -> Wrong | None:
    """The files as they are now; where the profile cannot be used any more, why."""
    explorer.reload()
    broken = [each for each in explorer.profiles.complaints if each.profile == name]
    return Wrong(str(broken[0])) if broken else None
