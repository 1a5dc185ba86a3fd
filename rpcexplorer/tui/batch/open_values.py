"""What is left open in a batch is asked for: a saved call wants a value, another call may be meant as it was typed."""

from __future__ import annotations

from typing import Any, Final

from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.text.printable import clipped
from rpcexplorer.tui.dialogs.dialog import Choice, Confirm
from rpcexplorer.variables.resolve import Missing

NAMED: Final = 6
"""Places that the question names."""
ROOM: Final = 60
"""Columns for what is said of each."""


async def with_values(screen: Screen[Any], explorer: Explorer, batch: Batch, id: str) -> Batch | Draft | None:
    """The batch as it is to be sent under this id; None where it is not."""
    found = explorer.resolved(batch, id=id)
    if not isinstance(found, Missing):
        return found
    rows = [(str(each.reference), clipped(each.why, ROOM)) for each in found.unresolved[:NAMED]]
    choices = [Choice("keep", "Keep editing"), Choice("typed", "Send as typed")]
    if len(found.names) == len(found.unresolved):
        choices.insert(1, Choice("fill", "Write values"))
    answer = await screen.app.push_screen_wait(Confirm("Something in this batch has no value.", rows, choices))
    if answer == "fill":
        from rpcexplorer.tui.saved.filling import filled

        return await filled(screen, explorer, batch, {}, id=id)
    return batch if answer == "typed" else None
