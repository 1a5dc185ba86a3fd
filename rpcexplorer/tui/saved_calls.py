"""Saved calls on screen: saving one, and filling in its variables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.params import Problem
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.method import SIGN, SavedCall
from rpcexplorer.model.problem import Complaint
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.printable import clipped
from rpcexplorer.tui.widgets.dialog import Choice, Confirm, Field, Form, Wrong
from rpcexplorer.variables.resolve import Missing

ROOM = 56
"""Columns for the params in a question."""


async def kept(
    screen: Screen[Any], explorer: Explorer, draft: Draft, saved: SavedCall | None = None, *, name: str = ""
) -> str | None:
    """Ask how a call is to be kept, or what is to be done with the ``saved`` one that it is; None where nothing was.

    What should stand in the editor then: the saved call with its sign, or the method of one that is gone.
    """
    if saved is not None:
        answer = await screen.app.push_screen_wait(_question(saved, draft))
        if answer == "remove":
            return _done(screen, saved.method, explorer.remove_call(saved), f"Deleted {saved.listed_as}.")
        if answer not in {"another", "replace"} or _refuses(screen, draft):
            return None
        if answer == "replace":
            call = replace(saved, text=draft.text)
            complaint = explorer.save_call(call, replacing=True)
            return _done(screen, call.listed_as, complaint, f"Replaced {call.listed_as}.")
    elif _refuses(screen, draft):
        return None
    return await _as_new(screen, explorer, draft, name)


def _refuses(screen: Screen[Any], draft: Draft) -> bool:
    """Whether it cannot be kept as it is: that is told then."""
    read, why = draft.read(), ""
    if not draft.method.strip():
        why = "no method is chosen"
    elif isinstance(read, Problem):
        why = f"the params cannot be sent: {read}"
    if why:
        _tell(screen, f"Not saved: {why}.")
    return bool(why)


def _question(saved: SavedCall, draft: Draft) -> Confirm:
    rows = [
        ("method", saved.method),
        ("params", clipped(" ".join(draft.text.split()) or "[]", ROOM)),
        ("for", saved.profile or "all profiles"),
        ("file", saved.file),
    ]
    choices = [Choice("leave", "Cancel"), Choice("another", "Save a copy")]
    choices += [Choice("replace", "Replace")] if draft.text != (saved.text or "[]") else []
    return Confirm(f"Change the saved call {saved.listed_as}?", rows, [*choices, Choice("remove", "Delete")])


async def _as_new(screen: Screen[Any], explorer: Explorer, draft: Draft, name: str) -> str | None:
    profile = explorer.profile
    assert profile is not None
    own = explorer.paths.user_sessions
    homes = {_words(file, its, own): (file, its) for file, its in explorer.profiles.call_homes(profile, own)}

    def meaning(words: str) -> str:
        file, its = homes[words]
        return f"with {its or 'all profiles'}, in {file}"

    fields = [
        Field("name", "name", name, hint="list users", required=True),
        Field("doc", "about", hint="one line, shown in the method list"),
        Field("home", "for", next(iter(homes)), choices=list(homes), meaning=meaning),
    ]

    def save(typed: Mapping[str, str]) -> Wrong | None:
        file, its = homes[typed["home"]]
        called = typed["name"].strip().removeprefix(SIGN)
        if not called:
            return Wrong("write a name", "name")
        call = SavedCall(called, draft.method, draft.text, typed["doc"].strip(), str(file), its)
        complaint = explorer.save_call(call)
        return Wrong(complaint.sentence, "name" if "name" in complaint.sentence else "home") if complaint else None

    words = f"{draft.method}  {clipped(' '.join(draft.text.split()) or '[]', ROOM)}"
    typed = await screen.app.push_screen_wait(Form("Save call", words, fields, save))
    if typed is None:
        return None
    listed = SIGN + typed["name"].strip().removeprefix(SIGN)
    file = str(homes[typed["home"]][0])
    counts = explorer.saved_calls().get(listed.removeprefix(SIGN))
    said = f"Saved {listed} in {file}."
    if counts is not None and counts.file != file:
        said = f"Saved {listed} in {file}, but {counts.file} overrides it."
    _tell(screen, said)
    return listed


def _words(file: Path, profile: str, own: Path) -> str:
    """For whom a call is that stands there, so short that all of them stand in one line."""
    who = "me" if file == own or file.name.endswith(".local.toml") else "team"
    return who if profile else f"{who}, all profiles"


def _done(screen: Screen[Any], chosen: str, complaint: Complaint | None, said: str) -> str | None:
    _tell(screen, str(complaint) if complaint else said)
    return None if complaint else chosen


def _tell(screen: Screen[Any], sentence: str) -> None:
    screen.notify(sentence, markup=False, timeout=8)


async def filled(
    screen: Screen[Any],
    explorer: Explorer,
    draft: Draft | Batch,
    given: dict[str, str],
    *,
    id: str,
    profile: Profile | None = None,
) -> Draft | Batch | None:
    """The draft with all its values; None where it is not to be sent. What was ``given`` last time is proposed.

    The values are those of the profile in use; of another ``profile`` it is said for which one is asked.
    """
    found = explorer.resolved(draft, id=id, profile=profile)
    if not isinstance(found, Missing):
        return found
    names = found.names
    if len(names) < len(found.unresolved):
        screen.notify(found.sentence, markup=False, severity="warning", timeout=10)
        return None
    fields = [Field(f"value{at}", name, given.get(name, "")) for at, name in enumerate(names)]

    def values_of(typed: Mapping[str, str]) -> dict[str, str]:
        return {name: typed[field.key] for name, field in zip(names, fields, strict=True)}

    def fits(typed: Mapping[str, str]) -> Wrong | None:
        values = values_of(typed)
        if empty := next((field.key for field in fields if not typed[field.key]), ""):
            return Wrong("write a value; nothing is sent without it", empty)
        tried = explorer.resolved(draft, values, id=id, profile=profile)
        if not isinstance(tried, Missing):
            return None
        wrong = tried.unresolved[0]
        key = next((field.key for field in fields if field.label == wrong.reference.name), "")
        return Wrong(str(wrong), key)

    what = "these calls" if isinstance(draft, Batch) else draft.method
    what += f" on {profile.name}" if profile else ""
    words = "They take the place of what stands between {{ and }}, in this call alone."
    typed = await screen.app.push_screen_wait(Form(f"Values for {what}", words, fields, fits, done="Send"))
    if typed is None:
        return None
    given |= values_of(typed)
    whole = explorer.resolved(draft, values_of(typed), id=id, profile=profile)
    return None if isinstance(whole, Missing) else whole
