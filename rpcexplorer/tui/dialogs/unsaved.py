"""The question before the program ends though drafts could not be written: nothing typed goes without a word."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from textual.app import App

from rpcexplorer.explorer import Explorer
from rpcexplorer.text.printable import clipped
from rpcexplorer.tui.dialogs.dialog import Ask, Choice, Confirm

SHOWN = 3
"""Drafts that the question names."""
NAME = 40
"""Columns of each."""


async def may_end(app: App[Any], explorer: Explorer) -> bool:
    """Whether it may end: every draft is written, or the person knows that some are not."""
    while trouble := explorer.drafts.save_unsaved():
        choices = [
            Choice("again", "Try again"),
            Choice("elsewhere", "Save in another place"),
            Choice("end", "Quit all the same"),
        ]
        answer = await app.push_screen_wait(Confirm("What you typed is not written", _rows(explorer, trouble), choices))
        if answer == "end" or (answer == "elsewhere" and await _saved_elsewhere(app, explorer)):
            return True
        if answer is None:
            return False
    return True


def _rows(explorer: Explorer, trouble: str) -> list[tuple[str, str]]:
    names = [clipped(f"{method or 'no method'} on {profile}", NAME) for profile, method in explorer.drafts.unsaved]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return [
        ("params of", ", ".join(names[:SHOWN]) + more),
        ("why", trouble),
        ("quitting", "puts them where there is room, if there is any, and the next start looks there"),
        ("Esc", "goes on"),
    ]


async def _saved_elsewhere(app: App[Any], explorer: Explorer) -> bool:
    """Ask where; False where it was left, or that place takes nothing either."""
    words = "A new file, for your eyes only. What is known to be secret is left out."
    path = await app.push_screen_wait(Ask("Save the params in", value="~/params.txt", words=words))
    if not path:
        return False
    home = os.path.expanduser(path)  # noqa: ASYNC240, PTH111 - no disk is asked, and Path's own raises without a home
    if trouble := explorer.drafts.save_elsewhere(Path(home)):
        app.notify(trouble, severity="error")
        return False
    return True
