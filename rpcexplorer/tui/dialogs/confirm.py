"""Questions before something goes out or is changed.

A call is not marked safe; a record of somebody else would open a secret; other values are proposed for a profile.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.params import Problem
from rpcexplorer.model.draft import Batch, Draft, to_calls
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.problem import Changes
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import standing
from rpcexplorer.text.printable import clipped
from rpcexplorer.text.problems import rows_of
from rpcexplorer.tui.dialogs.dialog import Choice, Confirm

PARAMS = 50
"""Columns of the params that the question shows."""
SET = "Set it, and send again"
PLACES = 5
"""Places of secrets that the question names."""


async def may_send(screen: Screen[Any], explorer: Explorer, draft: Draft | Batch) -> bool:
    """Whether it may go out: nobody wants a question, or it was answered with a yes."""
    profile = explorer.profile
    if profile is None or not explorer.asks_first(draft) or _is_quiet(explorer, draft):
        return True
    method = "This batch" if isinstance(draft, Batch) else draft.method
    rows = [
        ("calls", clipped(_called(draft), PARAMS)) if isinstance(draft, Batch) else ("method", method),
        ("host", profile.origin),
        ("profile", f"{profile.name}  {profile.badge_word}".rstrip()),
        ("params", clipped(" ".join(draft.text.split()) or "[]", PARAMS)),
    ]
    choices = [
        Choice("keep", "Keep editing"),
        Choice("send", "Send once"),
    ]
    if not isinstance(draft, Batch):
        choices.append(Choice("quiet", f"Send, and don't ask for {clipped(method, 24)} today"))
    where = profile.badge_word if profile.badge == "prod" else profile.name
    title = f"Send to {where}?" + ("" if profile.confirm == "always" else f"  {method} is not marked safe.")
    answer = await screen.app.push_screen_wait(Confirm(title, rows, choices, grave=profile.badge == "prod"))
    if answer == "quiet":
        explorer.remembered.quiet(profile.name, _bound(profile, method))
    return answer in {"send", "quiet"}


def _called(batch: Batch) -> str:
    """How many calls, and of which methods."""
    calls = to_calls(batch, "")
    return "" if isinstance(calls, Problem) else f"{len(calls):,}: {', '.join(call.method for call in calls)}"


async def may_open(screen: Screen[Any], explorer: Explorer, exchange: Exchange) -> bool:
    """Whether the placeholders in a record may stand for secrets, which somebody else may have put there."""
    profile = explorer.profile
    if profile is None:
        return False
    places = standing(exchange.params, profile.name)
    fields = " and ".join(dict.fromkeys(field for _, field in places))
    rows = [
        ("method", exchange.method),
        ("host", profile.origin),
        ("profile", f"{profile.name}  {profile.badge_word}".rstrip()),
        *((field, f"at {clipped(place, PARAMS)}") for place, field in places[:PLACES]),
    ]
    choices = [Choice("leave", "Leave it out"), Choice("open", f"Put in my {fields}")]
    whose = "Somebody else has written it." if exchange.foreign else "It comes from a folder that others write to."
    title = f"Put your {fields} into this call?  {whose}"
    answer = await screen.app.push_screen_wait(Confirm(title, rows, choices, grave=profile.badge == "prod"))
    return answer == "open"


def _is_quiet(explorer: Explorer, draft: Draft | Batch) -> bool:
    """Whether the person wanted no more questions today; a profile that always asks goes on asking."""
    profile = explorer.profile
    assert profile is not None
    if isinstance(draft, Batch) or profile.confirm != "unsafe":
        return False
    return explorer.remembered.is_quiet(profile.name, _bound(profile, draft.method))


def _bound(profile: Profile, method: str) -> str:
    """A yes holds for the server it was said of: a profile may be pointed at another one."""
    return f"{method} at {profile.origin}"


async def may_change(screen: Screen[Any], profile: Profile, changes: Changes, *, careful: bool) -> bool:
    """Whether a profile that stands in no file may have other values."""
    rows = [*rows_of(profile, changes), ("kept", "for this run alone")]
    return await _changed(screen, profile, rows, [Choice("set", SET)], careful=careful) == "set"


async def file_to_change(
    screen: Screen[Any], explorer: Explorer, profile: Profile, changes: Changes, *, careful: bool
) -> Path | None:
    """The file in which a profile gets other values, its person's own first; None where it stays as it is."""
    own, found = explorer.paths.user_sessions, explorer.profiles
    mine = found.change_home(profile.name, own)
    teams = [file for file in found.files_of(profile.name) if file not in {own, mine}][-1:]
    rows = [*rows_of(profile, changes), ("file", str(mine)), *(("or", f"{file}  (the team)") for file in teams)]
    choices = [
        Choice("set", f"For me: {SET.lower()}" if teams else SET),
        *(Choice("team", "For the team") for _ in teams),
    ]
    answer = await _changed(screen, profile, rows, choices, careful=careful)
    return {"set": mine, "team": teams[-1] if teams else None}.get(answer)


async def _changed(
    screen: Screen[Any], profile: Profile, rows: list[tuple[str, str]], choices: list[Choice], *, careful: bool
) -> str:
    """The answer that was chosen; the first one changes it, unless it matters more."""
    grave = careful or profile.badge == "prod"
    leave = Choice("leave", "Leave it")
    rows = [("profile", f"{profile.name}  {profile.badge_word}".rstrip()), *rows]
    question = Confirm(
        f"Change the profile {profile.name}?", rows, [leave, *choices] if grave else [*choices, leave], grave=grave
    )
    answer: str | None = await screen.app.push_screen_wait(question)
    return answer or "leave"


async def warn_about(screen: Screen[Any], explorer: Explorer, file: Path) -> None:
    """Show a warning if git would commit a file that was written for this person alone."""
    if warning := await asyncio.to_thread(explorer.commit_warning, file):
        screen.notify(warning, markup=False, severity="warning", timeout=10)
