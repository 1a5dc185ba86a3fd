"""Calls on their way into the batch of the profile in use: the one in the editor, or those of a batch on record."""

from __future__ import annotations

from rpcexplorer.model.batches.collected import collected
from rpcexplorer.model.batches.parts import parts_of
from rpcexplorer.model.draft import Problem
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.tui.call.drafting import DraftScreen


def added_to_batch(calls: DraftScreen) -> None:
    """Put the call that stands in the editor behind the others."""
    explorer, draft = calls.explorer, calls.draft
    assert explorer.profile is not None
    batch = explorer.batches.of(explorer.profile).added(draft)
    trouble = explorer.batches.keep(explorer.profile, batch, explorer.credentials.in_use())
    count, key = len(batch.rows), calls.key("batch") or "the palette"
    said = f"{draft.method} is in the batch: {count:,} call{'s' * (count != 1)}. {key} opens it."
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
