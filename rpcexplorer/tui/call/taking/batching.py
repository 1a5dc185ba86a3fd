"""Calls on their way into the batch of the profile in use: the one in the editor, or those of a batch on record."""

from __future__ import annotations

from rpcexplorer.jsontext.params import Problem
from rpcexplorer.model.batch import collected, parts_of
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.tui.call.drafting import DraftScreen


def added_to_batch(calls: DraftScreen) -> None:
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


def put_into_batch(calls: DraftScreen, exchange: Exchange) -> bool:
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
