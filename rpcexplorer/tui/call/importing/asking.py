"""Calls from a file of another program: which file, what is in it, and whether it is to be taken in."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Final

from rpcexplorer.importing.credentials import fitted
from rpcexplorer.importing.formats import imported
from rpcexplorer.importing.pasted import is_command
from rpcexplorer.importing.request import Imported
from rpcexplorer.model.problem import listed
from rpcexplorer.text.importing import note_lines, other_addresses, skipped_lines
from rpcexplorer.tui.call.drafting import DraftScreen
from rpcexplorer.tui.call.importing.taking import secrets_of, settle_credentials
from rpcexplorer.tui.dialogs.dialog import Ask, Choice, Confirm

WORDS: Final = (
    "A file with curl commands, a HAR, a Postman collection 2.1, or JSON-RPC envelopes. Nothing in it is run, and no "
    "file that it names is read."
)
A_COMMAND: Final = "paste the command where the params stand: there it keeps its lines, and can be taken apart"
MOST: Final = 3
"""Reasons and notes that are told."""


async def import_calls(calls: DraftScreen) -> None:
    """Ask, as often as it takes; what was typed stays in the line until there is something in it."""
    found = await _found(calls)
    if found is None:
        return
    profile = calls.explorer.profile
    assert profile is not None
    if not await _agreed(calls, found):
        return
    calls.write_down()
    fits = [fitted(profile, call) for call in found.calls]
    taken = calls.explorer.imports.take_in(profile, [each.call for each in fits], secrets_of(calls, fits))
    calls.cover("")
    calls.params.show_tab("Params")
    calls.choose_method(taken.drafts[0].method)
    calls.params.focus_inside()
    said = [_taken_words(len(taken.drafts), profile.name)]
    if taken.left_out:
        said.append(f"{taken.left_out:,} more of the same methods {'was' if taken.left_out == 1 else 'were'} left out.")
    if taken.replaced:
        said.append(f"Params that gave way can be brought back: {listed(taken.replaced, MOST)}.")
    calls.tell(" ".join([*said, *([f"But {taken.trouble}."] if taken.trouble else [])]))
    await settle_credentials(calls, fits)


def _taken_words(many: int, profile: str) -> str:
    if many == 1:
        return f"The call stands in the editor, as a draft of {profile}."
    return f"{many:,} calls stand in the drafts of {profile}, the first in the editor."


async def _found(calls: DraftScreen) -> Imported | None:
    typed, words = "", WORDS
    while True:
        answer: str | None = await calls.app.push_screen_wait(Ask("Import calls from", value=typed, words=words))
        if answer is None or not answer.strip():
            return None
        typed = answer
        text, trouble = await asyncio.to_thread(_read, calls, answer.strip())
        found = await asyncio.to_thread(imported, text) if not trouble else Imported("")
        if found.calls:
            return found
        said = trouble or " ".join([*found.notes, *skipped_lines(found.skipped)][:MOST])
        words = f"✗ {said[0].upper()}{said[1:]}" if said else WORDS


def _read(calls: DraftScreen, typed: str) -> tuple[str, str]:
    """What the file holds, and why nothing could be read."""
    if is_command(typed):
        return "", A_COMMAND
    file = Path(os.path.expanduser(typed)).absolute()  # noqa: PTH111 - Path's own raises without a home
    return calls.explorer.imports.read(file)


async def _agreed(calls: DraftScreen, found: Imported) -> bool:
    """Show what is in it, before anything gives way to it."""
    profile = calls.explorer.profile
    assert profile is not None
    count = len(found.calls)
    rows = [
        ("form", found.form),
        ("calls", f"{count:,}: {listed(dict.fromkeys(each.method for each in found.calls), 8)}"),
    ]
    rows += [("went to", others)] if (others := other_addresses(found.calls, profile.endpoint)) else []
    rows.append(("now to", f"{profile.name}, {profile.endpoint}"))
    notes = [*skipped_lines(found.skipped), *found.notes, *note_lines(found.calls)]
    rows += [("note" if at == 0 else "", note) for at, note in enumerate(notes[:MOST])]
    choices = [Choice("leave", "Leave it"), Choice("take", "Take them in" if count > 1 else "Take it in")]
    answer: str | None = await calls.app.push_screen_wait(Confirm("Take these calls in as drafts?", rows, choices))
    return answer == "take"
