"""A pasted request becomes a method and its params. Nothing that was typed is lost, and nothing is sent."""

from __future__ import annotations

from collections.abc import Sequence

from rpcexplorer.importing.credentials import Fitted, fitted
from rpcexplorer.importing.pasted import Pasted
from rpcexplorer.model.problem import listed
from rpcexplorer.model.secret import Secret
from rpcexplorer.text.importing import note_lines, other_addresses
from rpcexplorer.tui.call.drafting import DraftScreen
from rpcexplorer.tui.call.taking.carrying import put_in
from rpcexplorer.tui.dialogs.dialog import Choice, Confirm

NOTES = 2
"""Things that are noted of calls, beside what is always said."""


async def take_apart(calls: DraftScreen, text: str, found: Pasted) -> None:
    """Replace a pasted text by the calls that were `found` in it; undo brings it back."""
    explorer = calls.explorer
    profile = explorer.profile
    if profile is None:
        return
    fits = [fitted(profile, call) for call in found.calls]
    first, *rest = (each.call for each in fits)
    _clear(calls)
    taken = explorer.imports.take_in(profile, rest, secrets_of(calls, fits))
    calls.choose_method(first.method)
    put_in(calls, text)  # so that it can be brought back from there
    if any(call.credentials for call in found.calls):
        calls.params.replace(first.params or "[]")  # what was pasted is in no file then
    else:
        put_in(calls, first.params or "[]")
    said = [f"{first.method} stands in the editor; {calls.key('params.undo')} brings back what was pasted."]
    if first.notification:
        said.append("It had no id: “send as notification” in the palette sends it so.")
    if rest:
        said.append(
            f"The others stand in the drafts of {listed(dict.fromkeys(call.method for call in taken.drafts), 4)}."
        )
        said += ["Those of the same method can be brought back there."] * any(
            call.method == first.method for call in rest
        )
        were = "was" if taken.left_out == 1 else "were"
        said += [f"{taken.left_out:,} more of the same methods {were} left out."] * (taken.left_out > 0)
    if others := other_addresses(found.calls, profile.endpoint):
        said.append(f"It went to {others}; {profile.name} sends it to {profile.endpoint}.")
    said += [f"{note}." for note in [*note_lines(found.calls)][:NOTES]]
    said += found.notes[:NOTES]
    calls.tell(" ".join([*said, *([f"But {taken.trouble}."] if taken.trouble else [])]))
    await settle_credentials(calls, fits)


def _clear(calls: DraftScreen) -> None:
    """What was pasted goes from the method that it does not belong to, which starts anew."""
    explorer = calls.explorer
    assert explorer.profile is not None
    calls.write_down()  # nothing is being written while it is forgotten
    explorer.drafts.forget(explorer.profile.name, calls.method)
    calls.params.replace(explorer.draft_of(calls.method))


def secrets_of(calls: DraftScreen, fits: Sequence[Fitted]) -> list[Secret]:
    """What has to be hidden in the files that calls are written to."""
    return [*calls.explorer.credentials.in_use(), *(secret for each in fits for _, secret in each.secrets)]


async def settle_credentials(calls: DraftScreen, fits: Sequence[Fitted]) -> None:
    """Ask once about the credentials that the profile has a use for; the others are dropped, and that is said."""
    explorer = calls.explorer
    profile = explorer.profile
    assert profile is not None
    found = {field: secret for each in fits for field, secret in each.secrets}
    if found:
        names = " and ".join(found)
        rows = [("profile", profile.name), ("server", profile.endpoint)]
        choices = [Choice("drop", "Drop"), Choice("store", "Store")]
        answer = await calls.app.push_screen_wait(Confirm(f"Store the {names} that came along?", rows, choices))
        troubles = [
            explorer.credentials.hold(profile, field, secret.reveal(), keep=True)
            for field, secret in found.items()
            if answer == "store"
        ]
        calls.show_auth()
        said = f"The {names} that came along was dropped." if answer != "store" else ""
        if trouble := next(filter(None, troubles), said):
            calls.tell(f"{trouble[0].upper()}{trouble[1:]}")
    if dropped := dict.fromkeys(place for each in fits for place in each.dropped):
        calls.tell(f"Credentials that {profile.name} has no use for were dropped: {listed(dropped, 4)}.")
