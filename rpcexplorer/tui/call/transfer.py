"""Calls that come from elsewhere: pasted, imported, recorded, collected. The call screen puts them into its editor."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.importing.credentials import Fitted, fitted
from rpcexplorer.importing.formats import imported
from rpcexplorer.importing.pasted import Pasted, is_command
from rpcexplorer.importing.request import Imported
from rpcexplorer.jsontext.params import Problem
from rpcexplorer.model.batch import collected, parts_of
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.problem import listed
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret, of_another
from rpcexplorer.text.importing import note_lines, other_addresses, skipped_lines
from rpcexplorer.text.printable import clipped
from rpcexplorer.tui.call.drafts import EMPTY_PARAMS
from rpcexplorer.tui.commands import COMMANDS
from rpcexplorer.tui.widgets.dialog import Ask, Choice, Confirm
from rpcexplorer.tui.widgets.picker import Pick, Picker
from rpcexplorer.variables.resolve import TakenValue

BRING_BACK: Final = next(command.words for command in COMMANDS if command.id == "replaced-params")
SEND_NOTIFICATION: Final = next(command.words for command in COMMANDS if command.id == "send-notification")
IMPORT_WORDS: Final = (
    "A file with curl commands, a HAR, a Postman collection 2.1, or JSON-RPC envelopes. Nothing in it is run, and no "
    "file that it names is read."
)
COMMAND_WORDS: Final = "paste the command where the params stand: there it keeps its lines, and can be taken apart"
USE: Final = "use"
"""The purpose under which methods are remembered that a value was put into."""
PLACE_COLUMNS: Final = 40
"""Of the question for the call that a value is put into."""
MAX_NOTES: Final = 2
"""Of pasted calls, beside what is always told."""
MAX_REASONS: Final = 3
"""Reasons and notes of imported calls."""


class Incoming(Struct, frozen=True):
    """Calls that were kept as drafts, and the first of them for the editor."""

    method: str
    params: str
    words: str
    """To be told."""
    fits: Sequence[Fitted]
    """Which of the credentials in them the profile has a use for."""


def notification_words(method: str, send_key: str) -> str:
    """Return what the editor does not keep of a notification."""
    send = send_key or "The palette"
    return (
        f"{method} was a notification. {send} sends it as a call, with an id; “{SEND_NOTIFICATION}” in the palette "
        "without one."
    )


def carried_words(draft: Draft, profile: str, before: str, after: str, undo_key: str, *, is_kept: bool) -> list[str]:
    """Return what to tell of a call that was put into the editor of a profile.

    ``is_kept``: the params ``before`` were a draft, which can be brought back.
    """
    sentences = [f"{draft.method} stands on {profile} now. Nothing was sent."]
    if before != after and before.strip() not in EMPTY_PARAMS:
        sentences.append(f"{undo_key} brings back the params that stood there.")
    if is_kept:
        sentences.append(f"Later that is “{BRING_BACK}” in the palette.")
    if draft.text != after:
        sentences.append(f"What stood for a secret of {profile} in it was left out.")
    elif mark := of_another(after, profile):
        sentences.append(f"{mark} is not sent with {profile}: write the value for it.")
    return sentences


def put_into_batch(explorer: Explorer, exchange: Exchange, undo_key: str) -> tuple[bool, list[str]]:
    """Replace the batch by the calls of a recorded one, each with its response.

    Return whether they could be told apart, and what to tell.
    """
    profile, found = explorer.profile, collected(exchange.params)
    assert profile is not None
    if isinstance(found, Problem) or not found.rows:
        return False, ["The calls of this batch cannot be told apart: its text is not all there."]
    before, batch = explorer.batches.of(profile), found.came(exchange, parts_of(exchange))
    trouble = explorer.batches.replace(profile, batch, explorer.credentials.in_use())
    sentences = []
    if before.rows and before.text != batch.text:
        sentences.append(f"The batch that was collected gave way to it; {undo_key} there brings it back.")
    if trouble:
        sentences.append(f"{trouble[0].upper()}{trouble[1:]}.")
    return True, sentences


async def ask_for_call(host: Screen[Any], explorer: Explorer, value: TakenValue) -> tuple[str, Sequence[str]] | None:
    """Ask into which call a value should be put; return it with the names of its params."""
    methods = explorer.listed()
    before = [name for name in explorer.remembered.expressions(USE) if name in methods]
    names = [*before, *(name for name in methods if name not in before)]
    picks = [Pick(name, name, methods[name].doc) for name in names]
    place = clipped(value.pointer or "the result", PLACE_COLUMNS)
    chosen = await host.app.push_screen_wait(Picker(f"Use {place} in …", picks))
    if not chosen or explorer.profile is None:
        return None
    explorer.remembered.add_expression(USE, chosen)
    return chosen, [param.name for param in methods[chosen].parameters]


def take_apart(explorer: Explorer, profile: Profile, found: Pasted, undo_key: str) -> Incoming:
    """Keep the calls of a pasted text as drafts, but the first, which is for the editor."""
    fits = [fitted(profile, call) for call in found.calls]
    first, *rest = (fit.call for fit in fits)
    taken = explorer.imports.take_in(profile, rest, _secrets(explorer, fits))
    sentences = [f"{first.method} stands in the editor; {undo_key} brings back what was pasted."]
    if first.notification:
        sentences.append("It had no id: “send as notification” in the palette sends it so.")
    if rest:
        methods = listed(dict.fromkeys(call.method for call in taken.drafts), 4)
        sentences.append(f"The others stand in the drafts of {methods}.")
        if any(call.method == first.method for call in rest):
            sentences.append("Those of the same method can be brought back there.")
        sentences += _left_out_words(taken.left_out)
    if others := other_addresses(found.calls, profile.endpoint):
        sentences.append(f"It went to {others}; {profile.name} sends it to {profile.endpoint}.")
    sentences += [f"{note}." for note in [*note_lines(found.calls)][:MAX_NOTES]]
    sentences += found.notes[:MAX_NOTES]
    sentences += [f"But {taken.trouble}."] * bool(taken.trouble)
    return Incoming(first.method, first.params or "[]", " ".join(sentences), fits)


def take_in(explorer: Explorer, profile: Profile, found: Imported) -> Incoming:
    """Keep imported calls as drafts; the first is for the editor."""
    fits = [fitted(profile, call) for call in found.calls]
    taken = explorer.imports.take_in(profile, [fit.call for fit in fits], _secrets(explorer, fits))
    first, count = taken.drafts[0], len(taken.drafts)
    sentences = [f"{count:,} calls stand in the drafts of {profile.name}, the first in the editor."]
    if count == 1:
        sentences = [f"The call stands in the editor, as a draft of {profile.name}."]
    sentences += _left_out_words(taken.left_out)
    if taken.replaced:
        sentences.append(f"Params that gave way can be brought back: {listed(taken.replaced, MAX_REASONS)}.")
    sentences += [f"But {taken.trouble}."] * bool(taken.trouble)
    return Incoming(first.method, first.params or "[]", " ".join(sentences), fits)


def _left_out_words(count: int) -> list[str]:
    verb = "was" if count == 1 else "were"
    return [f"{count:,} more of the same methods {verb} left out."] if count else []


def _secrets(explorer: Explorer, fits: Sequence[Fitted]) -> list[Secret]:
    """Return what has to be hidden in the files that calls are written to."""
    return [*explorer.credentials.in_use(), *(secret for fit in fits for _, secret in fit.secrets)]


async def settle_credentials(host: Screen[Any], explorer: Explorer, fits: Sequence[Fitted]) -> list[str]:
    """Ask once whether to store the credentials that the profile has a use for; drop the others.

    Return what to tell.
    """
    profile = explorer.profile
    assert profile is not None
    sentences = []
    if found := {field: secret for fit in fits for field, secret in fit.secrets}:
        names = " and ".join(found)
        rows = [("profile", profile.name), ("server", profile.endpoint)]
        choices = [Choice("drop", "Drop"), Choice("store", "Store")]
        answer = await host.app.push_screen_wait(Confirm(f"Store the {names} that came along?", rows, choices))
        if answer == "store":
            hold = explorer.credentials.hold
            troubles = [hold(profile, field, secret.reveal(), keep=True) for field, secret in found.items()]
        else:
            troubles = [f"The {names} that came along was dropped."]
        sentences = [f"{trouble[0].upper()}{trouble[1:]}" for trouble in troubles if trouble][:1]
    if dropped := dict.fromkeys(place for fit in fits for place in fit.dropped):
        sentences.append(f"Credentials that {profile.name} has no use for were dropped: {listed(dropped, 4)}.")
    return sentences


async def ask_for_import(host: Screen[Any], explorer: Explorer) -> Imported | None:
    """Ask for a file until there are calls in it, then whether to take them in; what was typed stays in the line."""
    typed, words = "", IMPORT_WORDS
    while True:
        answer: str | None = await host.app.push_screen_wait(Ask("Import calls from", value=typed, words=words))
        if answer is None or not answer.strip():
            return None
        typed = answer
        text, trouble = await asyncio.to_thread(_read, explorer, answer.strip())
        found = await asyncio.to_thread(imported, text) if not trouble else Imported("")
        if found.calls:
            return found if await _agrees(host, explorer, found) else None
        reason = trouble or " ".join([*found.notes, *skipped_lines(found.skipped)][:MAX_REASONS])
        words = f"✗ {reason[0].upper()}{reason[1:]}" if reason else IMPORT_WORDS


def _read(explorer: Explorer, typed: str) -> tuple[str, str]:
    """Return the text of a file, and why it could not be read."""
    if is_command(typed):
        return "", COMMAND_WORDS
    file = Path(os.path.expanduser(typed)).absolute()  # noqa: PTH111 - Path's own raises without a home
    return explorer.imports.read(file)


async def _agrees(host: Screen[Any], explorer: Explorer, found: Imported) -> bool:
    profile = explorer.profile
    assert profile is not None
    count, methods = len(found.calls), listed(dict.fromkeys(call.method for call in found.calls), 8)
    rows = [("form", found.form), ("calls", f"{count:,}: {methods}")]
    if others := other_addresses(found.calls, profile.endpoint):
        rows.append(("went to", others))
    rows.append(("now to", f"{profile.name}, {profile.endpoint}"))
    notes = [*skipped_lines(found.skipped), *found.notes, *note_lines(found.calls)]
    rows += [("note" if at == 0 else "", note) for at, note in enumerate(notes[:MAX_REASONS])]
    choices = [Choice("leave", "Leave it"), Choice("take", "Take them in" if count > 1 else "Take it in")]
    answer: str | None = await host.app.push_screen_wait(Confirm("Take these calls in as drafts?", rows, choices))
    return answer == "take"
