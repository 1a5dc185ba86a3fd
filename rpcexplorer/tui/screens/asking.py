"""The question before something that is not marked safe is sent: it names method, profile and host."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.tui.screens.dialog import Choice, Confirm
from rpcexplorer.views.cells import clipped

PARAMS = 50
"""Columns of the params that the question shows."""


async def may_send(screen: Screen[Any], explorer: Explorer, draft: Draft) -> bool:
    """Whether it may go out: nobody wants a question, or it was answered with a yes."""
    profile = explorer.profile
    if profile is None or not explorer.asks_first(draft) or _is_quiet(explorer, draft):
        return True
    rows = [
        ("method", draft.method),
        ("host", profile.origin),
        ("profile", f"{profile.name}  {profile.badge}".rstrip()),
        ("params", clipped(" ".join(draft.text.split()) or "[]", PARAMS)),
    ]
    choices = [
        Choice("keep", "Keep editing"),
        Choice("send", "Send once"),
        Choice("quiet", f"Send, and don't ask for {clipped(draft.method, 24)} today"),
    ]
    where = profile.badge.upper() if profile.badge == "prod" else profile.name
    title = f"Send to {where}?  {draft.method} is not marked safe."
    answer = await screen.app.push_screen_wait(Confirm(title, rows, choices, grave=profile.badge == "prod"))
    if answer == "quiet":
        explorer.remembered.quiet(profile.name, draft.method)
    return answer in {"send", "quiet"}


def _is_quiet(explorer: Explorer, draft: Draft) -> bool:
    """Whether the person wanted no more questions today; a profile that always asks goes on asking."""
    profile = explorer.profile
    assert profile is not None
    return profile.confirm == "unsafe" and explorer.remembered.is_quiet(profile.name, draft.method)
