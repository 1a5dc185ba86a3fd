"""What can be changed of a recorded call: its name, its note, and whether it is there at all. Each asks first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Literal

from msgspec.structs import replace
from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.text.exchange import outcome_words
from rpcexplorer.text.printable import clipped, printable
from rpcexplorer.tui.dialogs.dialog import Ask, Choice, Confirm

ROOM = 56
"""Columns that the questions have for what they name."""


async def annotated(
    screen: Screen[Any], explorer: Explorer, call: Exchange, what: Literal["name", "note"], moment: str
) -> Exchange | None:
    """Ask for a name or a note; an empty one takes it away. The call as it is by now, where it may have changed."""
    if _refused(screen, explorer, call):
        return None
    title = "Name this call" if what == "name" else "A note to this call"
    words = f"{clipped(call.method, 32)}   {moment}"
    ask = Ask(title, value=getattr(call, what), words=words, hint=f"empty: it has no {what}")
    given = await screen.app.push_screen_wait(ask)
    if given is None:
        return None
    change = {what: explorer.redactor().text(given.strip())}
    is_done = await _done(screen, lambda: explorer.journal.annotate(explorer.profile, call.id, **change))
    return replace(call, **change) if is_done else call


async def deleted(screen: Screen[Any], explorer: Explorer, record: Exchange | Damaged, moment: str) -> bool:
    """Name what will be gone for good, and ask. Whether it may be gone."""
    if isinstance(record, Exchange) and _refused(screen, explorer, record):
        return False
    if isinstance(record, Damaged):
        rows = [("file", record.file), ("damage", record.reason)]
    else:
        rows = [("call", record.method), ("when", moment), ("outcome", outcome_words(record.outcome))]
        rows += [("profile", record.profile), ("name", record.name), ("note", record.note)]
    named = [(label, clipped(" ".join(text.split()), ROOM)) for label, text in rows if text]
    choices = [Choice("keep", "Keep it"), Choice("delete", "Delete it for good")]
    if await screen.app.push_screen_wait(Confirm("Delete this from the history?", named, choices)) != "delete":
        return False
    await _done(screen, lambda: explorer.journal.delete(explorer.profile, record.id))
    return True


def _refused(screen: Screen[Any], explorer: Explorer, call: Exchange) -> bool:
    """Whether it is somebody else's, which is said before anything is asked."""
    if refused := explorer.journal.refusal(explorer.profile, call):
        screen.notify(_sentence(refused), markup=False, severity="warning", timeout=10)
    return bool(refused)


async def _done(screen: Screen[Any], change: Callable[[], str]) -> bool:
    """Change the file, in a thread: another process may hold it for a moment. Where that failed it is told."""
    if trouble := await asyncio.to_thread(change):
        screen.notify(_sentence(trouble), markup=False, severity="warning", timeout=10)
    return not trouble


def _sentence(why: str) -> str:
    """Why it cannot be done, where nothing else is said with it."""
    said = printable(why).removesuffix(".")
    return f"{said[:1].upper()}{said[1:]}."
