"""The question for what is left open in the params of a saved call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.profile import Profile
from rpcexplorer.tui.dialogs.form import Field, Form, Wrong
from rpcexplorer.variables.resolve import Missing


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
