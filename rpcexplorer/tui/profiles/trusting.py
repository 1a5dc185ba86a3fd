"""Trusting the one certificate that a server shows, where a test of the connection has ended at it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.problem import Changes
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.connection_test import certificate_rows
from rpcexplorer.text.printable import clipped
from rpcexplorer.transport.port import ShownCertificate
from rpcexplorer.tui.dialogs.confirm import warn_about
from rpcexplorer.tui.dialogs.dialog import Choice, Confirm
from rpcexplorer.tui.profiles.files import home

ROOM: Final = 28
"""Columns that a title has for a profile's name."""


async def trusted(
    screen: Screen[Any], explorer: Explorer, profile: Profile, shown: ShownCertificate, moved: Changes = ()
) -> bool:
    """Show it and ask; whether it is trusted from now on. ``moved``: another address that goes with it."""
    name, found = profile.name, shown.certificate.fingerprint
    file = explorer.profiles.default_home(name, explorer.paths.user_sessions)
    written = home(explorer, file)
    rows = [
        ("host", dict(moved).get("url", profile.origin)),
        *certificate_rows(shown, profile.certificate, datetime.now(UTC)),
        ("compare", "its fingerprint with what the owner of the server tells you by another way"),
        ("file", f"{file}  ({written.audience})"),
    ]
    choices = [Choice("no", "Leave it"), Choice("trust", "Trust exactly this one")]
    title = f"Trust this certificate for {clipped(name, ROOM)}, and send it what goes there?"
    if await screen.app.push_screen_wait(Confirm(title, rows, choices, grave=True)) != "trust":
        return False
    if moved:
        complaint = explorer.apply(name, moved, explorer.profiles.change_home(name, explorer.paths.user_sessions))
        if complaint:
            screen.notify(str(complaint), markup=False, severity="warning", timeout=10)
            return False
        profile = explorer.profiles.profiles[name]

    with explorer.accepting(profile, {"certificate"}):
        trouble = explorer.edits(file).set_value(("profile", name, "certificate"), found)
        explorer.reload()
    said = str(trouble or f"{name} trusts this certificate now, in {file}.")
    if not trouble and explorer.profiles.profiles[name].certificate != found:
        said = f"Written to {file}, but {explorer.profiles.source_of(name, 'certificate')} says another one and wins."
    screen.notify(said, markup=False, severity="warning" if trouble else "information", timeout=10)
    if not trouble:
        await warn_about(screen, explorer, file)
    return trouble is None
