"""Calls that come from elsewhere: pasted, imported, from the history, from a batch."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from rpcexplorer.importing.credentials import Fitted, fitted
from rpcexplorer.importing.formats import imported
from rpcexplorer.importing.pasted import Pasted, is_command
from rpcexplorer.importing.request import Imported
from rpcexplorer.jsontext.params import Problem
from rpcexplorer.model.batch import collected, parts_of
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.problem import listed
from rpcexplorer.model.secret import Secret, of_another, without
from rpcexplorer.text.importing import note_lines, other_addresses, skipped_lines
from rpcexplorer.text.printable import clipped
from rpcexplorer.tui.commands import COMMANDS
from rpcexplorer.tui.widgets.dialog import Ask, Choice, Confirm
from rpcexplorer.tui.widgets.picker import Pick, Picker
from rpcexplorer.variables.resolve import TakenValue, placed

CallScreen: TypeAlias = Any
"""The screen, which imports this file."""


def added_to_batch(calls: CallScreen) -> None:
    """Put the call that stands in the editor back in its place, where it came from the batch; else behind the others.

    What stood in its place can be had back.
    """
    explorer, draft, key = calls.explorer, calls.draft, calls.key("batch") or "the palette"
    assert explorer.profile is not None
    batch, secrets = explorer.batches.of(explorer.profile), explorer.credentials.in_use()
    if (at := batch.place_of(calls.of_batch)) is None:
        batch = batch.added(draft)
        trouble, count = explorer.batches.keep(explorer.profile, batch, secrets), len(batch.rows)
        said = f"{draft.method} is in the batch: {count:,} call{'s' * (count != 1)}. {key} opens it."
    else:
        batch = batch.mended(at, draft)
        trouble = explorer.batches.replace(explorer.profile, batch, secrets)
        calls.of_batch = calls.batch_row = batch.rows[at].draft
        said = (
            f"{draft.method} is back in its place in the batch: call {at + 1:,} of {len(batch.rows):,}. {key} opens it."
        )
    calls.tell(" ".join([said, *([f"But {trouble}."] if trouble else [])]))


def put_into_batch(calls: CallScreen, exchange: Exchange) -> bool:
    """Let the calls of a record, each with what came of it, be the batch; whether they could be told apart.

    Those that were collected before can be had back.
    """
    explorer, found = calls.explorer, collected(exchange.params)
    assert explorer.profile is not None
    if isinstance(found, Problem) or not found.rows:
        calls.tell("The calls of this batch cannot be told apart: its text is not all there.")
        return False
    before = explorer.batches.of(explorer.profile)
    batch = found.came(exchange, parts_of(exchange))
    trouble = explorer.batches.replace(explorer.profile, batch, explorer.credentials.in_use())
    if before.rows and before.text != batch.text:
        calls.tell(f"The batch that was collected gave way to it; {calls.key('batch.undo')} there brings it back.")
    if trouble:
        calls.tell(f"{trouble[0].upper()}{trouble[1:]}.")
    return True


NOTHING: Final = frozenset({"", "[]", "{}"})
"""Params that nobody misses."""
WORDS: Final = next(each.words for each in COMMANDS if each.id == "replaced-params")
"""What brings back params is called."""
NOTIFY: Final = next(each.words for each in COMMANDS if each.id == "send-notification")
"""What sends the call in the editor without an id is called."""


async def carry(calls: CallScreen, draft: Draft, profile: str) -> None:
    """Use a profile and put a call into its editor; undo brings back the params that stood there.

    What stands in it for a secret of that profile is left out: it could not be sent where it comes from, so nobody has
    meant it, and whoever wrote it may have wanted it to be sent here.
    """
    explorer = calls.explorer
    if explorer.profile is None or explorer.profile.name != profile:
        await calls.settle()
        explorer.use(profile)
        explorer.remembered.profile = profile
        calls.show_profile()
    calls.choose_method(draft.method)
    before, text = calls.params.text, without(draft.text, profile)
    is_kept = put_in(calls, text)
    _show(calls)
    said = [f"{draft.method} stands on {profile} now. Nothing was sent."]
    if before != text and before.strip() not in NOTHING:
        said.append(f"{calls.key('params.undo')} brings back the params that stood there.")
    if is_kept:
        said.append(f"Later that is “{WORDS}” in the palette.")
    if draft.text != text:
        said.append(f"What stood for a secret of {profile} in it was left out.")
    elif mark := of_another(text, profile):
        said.append(f"{mark} is not sent with {profile}: write the value for it.")
    if draft.notification:
        said.append(as_call(calls, draft.method))
    calls.tell(" ".join(said))


def as_call(calls: CallScreen, method: str) -> str:
    """What the editor does not keep of a notification."""
    send = calls.key("send") or "The palette"
    return f"{method} was a notification. {send} sends it as a call, with an id; “{NOTIFY}” in the palette without one."


def put_in(calls: CallScreen, text: str, *, recorded: bool = False) -> bool:
    """Let a text take the place of what stands in the editor; whether that is a draft, which can be had back then."""
    explorer, draft = calls.explorer, calls.draft
    assert explorer.profile is not None
    is_draft = draft.text != text and _is_missed(calls)
    if is_draft:
        replaced, secrets = explorer.replaced, explorer.credentials.in_use()
        _tell(calls, replaced.keep(explorer.profile, calls.method, draft.text, secrets))
    if recorded:
        explorer.replaced.recorded[explorer.profile.name, calls.method] = text
    calls.params.replace(text)
    return is_draft


def bring_back(calls: CallScreen) -> None:
    """Put the params back that were replaced last; those that stand there can be had back in turn."""
    explorer, draft = calls.explorer, calls.draft
    assert explorer.profile is not None
    now = draft.text if _is_missed(calls) else ""
    text, trouble = explorer.replaced.bring_back(explorer.profile, calls.method, now, explorer.credentials.in_use())
    calls.params.replace(text)
    _show(calls)
    _tell(calls, trouble)


def _tell(calls: CallScreen, trouble: str) -> None:
    if trouble:
        calls.tell(f"{trouble[0].upper()}{trouble[1:]}.")


def _is_missed(calls: CallScreen) -> bool:
    """Whether somebody typed what stands in the editor: it is something, and neither its start nor in the history."""
    draft, drafts = calls.draft, calls.explorer.drafts
    profile = calls.explorer.profile.name if calls.explorer.profile else ""
    if draft.text.strip() in NOTHING or drafts.is_start(profile, calls.method, draft.text):
        return False
    return bool(calls.explorer.replaced.recorded.get((profile, calls.method)) != draft.text)


def _show(calls: CallScreen) -> None:
    calls.panes.cover("")
    calls.params.show_tab("Params")
    calls.params.focus_inside()


PURPOSE: Final = "use"
"""Under which the methods are remembered that a value was taken to."""
WHERE: Final = 40
"""Columns of the question for the place of the value."""


async def put_into_another(calls: CallScreen, value: TakenValue) -> None:
    """Ask for the call, take it into the editor, and put there what the value will be when it is sent."""
    explorer = calls.explorer
    listed = explorer.listed()
    before = [name for name in explorer.remembered.expressions(PURPOSE) if name in listed]
    names = [*before, *(name for name in listed if name not in before)]
    picks = [Pick(name, name, listed[name].doc) for name in names]
    where = clipped(value.pointer or "the result", WHERE)
    chosen = await calls.app.push_screen_wait(Picker(f"Use {where} in …", picks))
    if not chosen or explorer.profile is None:
        return
    explorer.remembered.add_expression(PURPOSE, chosen)
    calls.panes.cover("")
    calls.params.show_tab("Params")
    if chosen != calls.method:  # what stands in the editor for it stays there
        calls.choose(chosen)
    spelled, remark = value.spelled(explorer.journal.last_value(explorer.profile, value.method))
    known = listed[chosen].parameters
    calls.params.put_value(lambda text, at: placed(text, at, spelled, value.name, [each.name for each in known]))
    calls.params.focus_inside()
    if remark:
        calls.tell(remark)


NOTES = 2
"""Things that are noted of calls, beside what is always said."""


async def take_apart(calls: CallScreen, text: str, found: Pasted) -> None:
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


def _clear(calls: CallScreen) -> None:
    """What was pasted goes from the method that it does not belong to, which starts anew."""
    explorer = calls.explorer
    assert explorer.profile is not None
    calls.write_down()  # nothing is being written while it is forgotten
    explorer.drafts.forget(explorer.profile.name, calls.method)
    calls.params.replace(explorer.draft_of(calls.method))


def secrets_of(calls: CallScreen, fits: Sequence[Fitted]) -> list[Secret]:
    """What has to be hidden in the files that calls are written to."""
    return [*calls.explorer.credentials.in_use(), *(secret for each in fits for _, secret in each.secrets)]


async def settle_credentials(calls: CallScreen, fits: Sequence[Fitted]) -> None:
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


IMPORT_WORDS: Final = (
    "A file with curl commands, a HAR, a Postman collection 2.1, or JSON-RPC envelopes. Nothing in it is run, and no "
    "file that it names is read."
)
A_COMMAND: Final = "paste the command where the params stand: there it keeps its lines, and can be taken apart"
MOST: Final = 3
"""Reasons and notes that are told."""


async def import_calls(calls: CallScreen) -> None:
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
    calls.panes.cover("")
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


async def _found(calls: CallScreen) -> Imported | None:
    typed, words = "", IMPORT_WORDS
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
        words = f"✗ {said[0].upper()}{said[1:]}" if said else IMPORT_WORDS


def _read(calls: CallScreen, typed: str) -> tuple[str, str]:
    """What the file holds, and why nothing could be read."""
    if is_command(typed):
        return "", A_COMMAND
    file = Path(os.path.expanduser(typed)).absolute()  # noqa: PTH111 - Path's own raises without a home
    text, trouble = calls.explorer.imports.read(file)
    return text, trouble


async def _agreed(calls: CallScreen, found: Imported) -> bool:
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
