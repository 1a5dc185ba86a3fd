"""What can be copied of a call and its reply, and in which forms. Copied text is made safe unless raw was asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.profile import Profile
from rpcexplorer.tui.call.response.body import Body
from rpcexplorer.tui.dialogs.picker import Pick, Picker
from rpcexplorer.tui.terminal.clipboard import copy
from rpcexplorer.views.copying.snippets import SNIPPETS, snippet_of
from rpcexplorer.views.printable import printable, printable_bytes

FORMS = {
    "curl": "a curl command",
    "python": "Python with httpx",
    "httpie": "an HTTPie command",
    "command": "our own command",
    "markdown": "Markdown for a ticket",
}
RUNNABLE = {"curl", "python", "httpie"}
"""Those that run elsewhere, where nothing knows what a placeholder stands for."""


async def copied(
    screen: Screen[Any],
    explorer: Explorer,
    draft: Draft | Batch,
    *,
    exchange: Exchange | None,
    body: Body | None = None,
    what: str = "",
    taken: Callable[[], object] = lambda: None,
) -> None:
    """Copy one thing, or ask which. A placeholder or a variable stands for each secret. ``body``: there is a cursor.

    ``taken`` is called when that may move on: what follows can take a while.
    """
    profile = _profile_of(explorer, exchange)
    picks = list(_picks(exchange, body, forms=profile is not None))
    if not what:
        chosen: str | None = await screen.app.push_screen_wait(Picker("Copy", picks))
        what = chosen or ""
    if not what:
        return
    found = _found(exchange, body, what)
    taken()
    if what in FORMS:
        preview = partial(explorer.preview, profile=profile)
        ours = exchange is None or explorer.journal.is_ours(exchange, explorer.profile)
        text = snippet_of(what, profile, draft, exchange, preview, secrets=explorer.credentials.in_use(), ours=ours)
    else:  # a reply may be long
        text = await asyncio.to_thread(_plain, found, what, explorer.redactor().text)
    if text is None:
        screen.notify("There is nothing to copy here.", markup=False, timeout=3)
        return
    await copy(screen, text, next((pick.label for pick in picks if pick.id == what), what))


def _profile_of(explorer: Explorer, exchange: Exchange | None) -> Profile | None:
    """The one that a call was made with, which need not be the one in use; None where it is gone."""
    used = explorer.profile
    if exchange is None or (used is not None and used.name == exchange.profile):
        return used
    found = explorer.profiles.get(exchange.profile)
    return found if isinstance(found, Profile) else None


def _picks(exchange: Exchange | None, body: Body | None, *, forms: bool) -> Iterator[Pick]:
    if body is not None and (path := body.path()):
        yield Pick("value", "the value under the cursor", path, "c")
        yield Pick("path", "its path", path, "p")
    if exchange is not None and exchange.response.body:
        yield Pick("reply", "the reply", "control characters made visible")
        yield Pick("raw", "the reply, raw", "every byte as the server wrote it")
    for form in SNIPPETS if forms else ():
        yield Pick(form, FORMS[form], f"secrets as {'variables' if form in RUNNABLE else 'placeholders'}")


def _found(exchange: Exchange | None, body: Body | None, what: str) -> bytes | None:
    if what in {"path", "value"}:
        found = body and (body.path().encode() if what == "path" else body.value())
        return found or None
    return exchange.response.body if exchange is not None else None


def _plain(found: bytes | None, what: str, redacted: Callable[[str], str]) -> str | None:
    """What was found, without the secrets that this run knows."""
    if found is None:
        return None
    if what == "reply":
        return redacted(printable_bytes(found))
    text = found.decode("utf-8", "replace")
    return redacted(text if what == "raw" else printable(text, lines=True))
