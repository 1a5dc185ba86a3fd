"""Somebody who types into the editor, without a screen."""

from __future__ import annotations

from rpcexplorer.explorer import Explorer


def type_in(explorer: Explorer, method: str, text: str) -> str:
    """Have a text stand in the editor of a method, as the screen writes it down; a sentence where that failed."""
    assert explorer.profile is not None
    return explorer.drafts.keep_typed(explorer.profile, method, text, explorer.credentials.in_use())
