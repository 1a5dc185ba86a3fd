"""What leads to a comparison: a reply and the one before, records that are replayed, one call on several profiles."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any, Final

from msgspec.structs import replace
from textual.screen import Screen

from rpcexplorer.client.replay import Replayed, ignored_in, replayed, server_of
from rpcexplorer.compare.compare import compared
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Batch, Draft, as_called, sent_draft
from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Stop, Unreached, fresh_id
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.printable import clipped
from rpcexplorer.tui.comparing.asking import may_send_all
from rpcexplorer.tui.comparing.choosing import profiles_for, profiles_for_servers
from rpcexplorer.tui.comparing.list import on_profile
from rpcexplorer.tui.comparing.replay import ReplayScreen
from rpcexplorer.tui.comparing.screen import ComparisonScreen, Frame
from rpcexplorer.tui.messages import ComparisonWanted
from rpcexplorer.tui.pacing import in_turns
from rpcexplorer.tui.pending_keys import PendingKeys
from rpcexplorer.variables.resolve import Missing

NAME: Final = 32
"""Columns of a method's name in a sentence or a title."""
STOPPED: Final = "It was stopped while it ran."


async def compare(
    screen: Screen[Any], explorer: Explorer, pending: PendingKeys, frame: Frame, wanted: ComparisonWanted
) -> None:
    """Open the comparison of two replies, the older at the left; without another, with the one before."""
    one, used = wanted.exchange, explorer.profile
    if wanted.is_live and used is not None:
        one = await asyncio.to_thread(explorer.journal.as_recorded, one, used)
    other = wanted.other or await asyncio.to_thread(explorer.journal.before, used, one)
    if other is None:
        name = clipped(one.method, NAME)
        screen.notify(f"There is no call of {name} with the same params before this one. In the history, m marks any.")
        return
    left, right = sorted((one, other), key=lambda call: call.when)
    await screen.app.push_screen_wait(ComparisonScreen(left, right, pending, frame, ignore=ignored(explorer, right)))


def ignored(explorer: Explorer, call: Exchange) -> Sequence[str]:
    """What this person's own profile of that name leaves out; a stranger's record names none of those."""
    profile = explorer.profiles.profiles.get(call.profile) if not call.foreign else None
    return ignored_in(call, profile, ()) if profile else ()


async def replay(
    screen: Screen[Any], explorer: Explorer, pending: PendingKeys, frame: Frame, records: Sequence[Exchange]
) -> None:
    """Ask where, ask for what is not marked safe, send one after the other, and show what came of each."""
    records = [as_called(each) for each in records]
    what = f"{len(records)} calls" if len(records) > 1 else clipped(records[0].method, NAME)
    chosen = await profiles_for_servers(screen, explorer, records, what)
    if chosen is None:
        return
    profiles = [chosen[server_of(each)] for each in records]
    drafts = [(sent_draft(each), profile) for each, profile in zip(records, profiles, strict=True)]
    routes = dict.fromkeys(
        (each.url, profile.endpoint)
        for each, profile in zip(records, profiles, strict=True)
        if explorer.cases.goes_elsewhere(each, profile)
    )
    if not await may_send_all(screen, explorer, drafts, ", ".join(dict.fromkeys(url for url, _ in routes))):
        return
    said = [(f"recorded at {clipped(url, 60)}, sent to {endpoint}", "careful") for url, endpoint in routes]
    run = partial(_replayed, explorer, list(zip(records, profiles, strict=True)))
    used = list(dict.fromkeys(each.name for each in profiles))
    title = f"Replay  {what} on {' and '.join(used)}"
    methods = [each.method for each in records]
    several = len(used) > 1
    names = [on_profile(method, each.name) for method, each in zip(methods, profiles, strict=True)]
    opened = ReplayScreen(title, names if several else methods, run, pending, frame, remarks=said, on_several=several)
    opened.set_class(any(each.badge == "prod" for each in profiles), "-prod")
    await screen.app.push_screen_wait(opened)


async def _replayed(
    explorer: Explorer, calls: Sequence[tuple[Exchange, Profile]], stop: Stop
) -> AsyncIterator[Replayed]:
    """What came of each; also where it cannot be compared, a reply is on view without what is hidden in a record."""
    for profile, group in groupby(calls, lambda call: call[1]):
        async for each in explorer.replay([record for record, _ in group], profile=profile, stop=stop):
            if each.live is not None and each.comparison is None:
                live = await asyncio.to_thread(explorer.journal.as_recorded, each.live, profile)
                yield replace(each, live=live)
            else:
                yield each


async def compare_profiles(
    screen: Screen[Any], explorer: Explorer, pending: PendingKeys, frame: Frame, draft: Draft, *, whole: bool
) -> None:
    """One call on several profiles: asked which, sent to each, and each reply compared with the first.

    ``whole``: each profile has its own values for what is open in it; where one has none, somebody is asked, or nothing
    is sent to any.
    """
    profiles = await profiles_for(screen, explorer, draft.method)
    calls: list[tuple[Draft | Batch, Profile]] = [(draft, each) for each in profiles]
    if whole:
        calls = await filled_for_each(screen, explorer, draft, profiles)
    if not calls or not await may_send_all(screen, explorer, calls):
        return
    others = [each.name for each in profiles[1:]]
    run = partial(_on_each, explorer, calls)
    title = f"{clipped(draft.method, NAME)}  compared with {profiles[0].name}"
    opened = ReplayScreen(title, others, run, pending, frame, by_profile=True)
    opened.set_class(any(each.badge == "prod" for each in profiles), "-prod")
    await screen.app.push_screen_wait(opened)


async def filled_for_each(
    screen: Screen[Any], explorer: Explorer, draft: Draft, profiles: Sequence[Profile]
) -> list[tuple[Draft | Batch, Profile]]:
    """The call as each of them gets it; none where it is not to be sent.

    What is typed for one stands for all that have no value of their own. What is random is the same for all.
    """
    from rpcexplorer.tui.saved.filling import filled

    calls, given, id = list[tuple[Draft | Batch, Profile]](), dict[str, str](), fresh_id()
    for profile in profiles:
        found = explorer.resolved(draft, id=id, profile=profile)
        if isinstance(found, Missing):
            known = {name: given[name] for name in found.names if name in given}
            found = explorer.resolved(draft, known, id=id, profile=profile)
        if isinstance(found, Missing):
            whole = await filled(screen, explorer, draft, given, id=id, profile=profile)
            if whole is None:
                return []
            found = whole
        calls.append((found, profile))
    return calls


async def _on_each(
    explorer: Explorer, calls: Sequence[tuple[Draft | Batch, Profile]], stop: Stop
) -> AsyncIterator[Replayed]:
    """Send to one after the other; what is stopped is not held against anything."""
    first: Exchange | None = None
    own: Sequence[str] = ()
    for draft, profile in calls:
        if stop.pressed:
            return
        came = await explorer.call(draft, profile=profile, stop=stop)
        came = await asyncio.to_thread(explorer.journal.as_recorded, came, profile)
        ignore = ignored_in(came, profile, ())
        if first is None:
            first, own = came, ignore
            continue
        yield await _held_against(first, came, [*own, *ignore])


async def _held_against(first: Exchange, came: Exchange, ignore: Sequence[str]) -> Replayed:
    match came.outcome:
        case Cancelled():
            return Replayed(first, came, None, "stopped", STOPPED)
        case Unreached(sentence=why) | Refused(sentence=why):
            return Replayed(first, came, None, "failed", why)
    return replayed(first, came, await in_turns(compared(first, came, ignore)), ignore)
