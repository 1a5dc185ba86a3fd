"""Typing into the editor without a screen."""

from __future__ import annotations

from rpcexplorer.explorer import Explorer


def type_in(explorer: Explorer, method: str, text: str) -> str:
    """Store a draft as the screen does; return an error or ""."""
    assert explorer.profile is not None
    return explorer.drafts.keep_typed(explorer.profile, method, text, explorer.credentials.in_use())
