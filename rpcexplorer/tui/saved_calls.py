"""Dialogs to save a call and to fill in its variables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace
from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.params import Typo
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.method import SIGN, SavedCall
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.printable import clipped
from rpcexplorer.tui.profile_form import label_of
from rpcexplorer.tui.widgets.dialog import Choice, Confirm, Field, Form, Wrong
from rpcexplorer.variables.resolve import Missing

PARAMS_COLUMNS: Final = 56


async def ask_to_save(
    screen: Screen[Any], explorer: Explorer, draft: Draft, saved: SavedCall | None = None, *, name: str = ""
) -> str | None:
    """Ask how to save a call, or how to change the ``saved`` one.

    Return the listed name of the call to show, the method of a deleted one, or None if nothing was changed.
    """
    if saved is None:
        return await _save_new(screen, explorer, draft, name)
    rows = [
        ("method", saved.method),
        ("params", _one_line(draft)),
        ("for", saved.profile or "all profiles"),
        ("file", saved.file),
    ]
    choices = [Choice("another", "Save a copy")]
    if draft.text != (saved.text or "[]"):
        choices.append(Choice("replace", "Replace"))
    choices.append(Choice("remove", "Delete"))
    question = Confirm(f"Change the saved call {saved.listed_as}?", rows, choices)
    match await screen.app.push_screen_wait(question):
        case "another":
            return await _save_new(screen, explorer, draft, name)
        case "replace" if _can_be_saved(screen, draft):
            problem = explorer.save_call(replace(saved, text=draft.text), replacing=True)
            screen.notify(str(problem) if problem else f"Replaced {saved.listed_as}.", timeout=8)
            return None if problem else saved.listed_as
        case "remove":
            problem = explorer.remove_call(saved)
            screen.notify(str(problem) if problem else f"Deleted {saved.listed_as}.", timeout=8)
            return None if problem else saved.method
    return None


def _can_be_saved(screen: Screen[Any], draft: Draft) -> bool:
    read, why = draft.read(), ""
    if not draft.method.strip():
        why = "the method is missing"
    elif isinstance(read, Typo):
        why = f"the params are invalid at {read}"
    if why:
        screen.notify(f"Not saved: {why}.", timeout=8)
    return not why


def _one_line(draft: Draft) -> str:
    return clipped(" ".join(draft.text.split()) or "[]", PARAMS_COLUMNS)


async def _save_new(screen: Screen[Any], explorer: Explorer, draft: Draft, name: str) -> str | None:
    if not _can_be_saved(screen, draft):
        return None
    profile = explorer.profile
    assert profile is not None
    own = explorer.paths.user_sessions
    homes: dict[str, tuple[Path, str]] = {}
    for path, its in explorer.profiles.call_homes(profile, own):
        label = label_of(explorer, path).removesuffix(" file")  # The row is labelled "file".
        homes[label if its else f"{label}, all"] = path, its

    def meaning(words: str) -> str:
        file, its = homes[words]
        return f"for {its or 'all profiles'}, in {file}"

    fields = [
        Field("name", "name", name, hint="list users", required=True),
        Field("doc", "about", hint="one line, shown in the method list"),
        Field("home", "file", next(iter(homes)), choices=list(homes), meaning=meaning),
    ]

    def save(typed: Mapping[str, str]) -> Wrong | None:
        file, its = homes[typed["home"]]
        called = typed["name"].strip().removeprefix(SIGN)
        if not called:
            return Wrong("Type a name.", "name")
        call = SavedCall(called, draft.method, draft.text, typed["doc"].strip(), str(file), its)
        is_taken = called in explorer.saved_calls()
        problem = explorer.save_call(call)
        return Wrong(problem.sentence, "name" if is_taken else "home") if problem else None

    form = Form("Save this call?", f"{draft.method}  {_one_line(draft)}", fields, save)
    form.manual_pane = "save"
    typed = await screen.app.push_screen_wait(form)
    if typed is None:
        return None
    listed = SIGN + typed["name"].strip().removeprefix(SIGN)
    file = str(homes[typed["home"]][0])
    words = f"Saved {listed} in {file}."
    in_use = explorer.saved_calls().get(listed.removeprefix(SIGN))
    if in_use is not None and in_use.file != file:
        words += f" {in_use.file} overrides it."
    screen.notify(words, timeout=8)
    return listed


async def fill_variables(
    screen: Screen[Any],
    explorer: Explorer,
    draft: Draft | Batch,
    given: dict[str, str],
    *,
    id: str,
    profile: Profile | None = None,
) -> Draft | Batch | None:
    """Return the draft with all values, asking for missing ones.

    None means to send nothing. Values ``given`` last time are suggested. ``profile`` is named in the question if it is
    not the current one.
    """
    found = explorer.resolved(draft, id=id, profile=profile)
    if not isinstance(found, Missing):
        return found
    names = found.names
    if len(names) < len(found.unresolved):
        screen.notify(found.sentence, severity="warning", timeout=10)
        return None
    fields = [Field(name, name, given.get(name, "")) for name in names]

    def fits(typed: Mapping[str, str]) -> Wrong | None:
        for name, value in typed.items():
            if not value:
                return Wrong("Type a value.", name)
        tried = explorer.resolved(draft, typed, id=id, profile=profile)
        if not isinstance(tried, Missing):
            return None
        wrong = tried.unresolved[0]
        return Wrong(str(wrong), wrong.reference.name)

    what = "this batch" if isinstance(draft, Batch) else draft.method
    if profile is not None:
        what += f" on {profile.shown_name}"
    words = "The values replace the variables {{…}} in this call only."
    typed = await screen.app.push_screen_wait(Form(f"Send {what} with these values?", words, fields, fits, done="Send"))
    if typed is None:
        return None
    given |= typed
    whole = explorer.resolved(draft, typed, id=id, profile=profile)
    return None if isinstance(whole, Missing) else whole
