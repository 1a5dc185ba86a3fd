"""A value of a reply on its way into the params of another call: which one is asked, and how it is spelled there."""

from __future__ import annotations

from typing import Final

from rpcexplorer.text.printable import clipped
from rpcexplorer.tui.call.sending import SendingScreen
from rpcexplorer.tui.dialogs.picker import Pick, Picker
from rpcexplorer.variables.resolve import TakenValue, placed

PURPOSE: Final = "use"
"""Under which the methods are remembered that a value was taken to."""
WHERE: Final = 40
"""Columns of the question for the place of the value."""


async def put_into_another(calls: SendingScreen, value: TakenValue) -> None:
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
    calls.cover("")
    calls.params.show_tab("Params")
    if chosen != calls.method:  # what stands in the editor for it stays there
        calls.choose(chosen)
    spelled, remark = value.spelled(explorer.journal.last_value(explorer.profile, value.method))
    known = listed[chosen].parameters
    calls.params.put_value(lambda text, at: placed(text, at, spelled, value.name, [each.name for each in known]))
    calls.params.focus_inside()
    if remark:
        calls.tell(remark)
