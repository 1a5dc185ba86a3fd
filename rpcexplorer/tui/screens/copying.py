"""What can be copied of a call and its reply, and in which forms. Copied text is made safe unless raw was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.redaction import Redactor
from rpcexplorer.tui.clipboard import copy
from rpcexplorer.tui.screens.picker import Pick, Picker
from rpcexplorer.tui.widgets.reader import Reader
from rpcexplorer.views.printable import printable, printable_bytes
from rpcexplorer.views.snippets import SNIPPETS, snippet_of

FORMS = {
    "curl": "a curl command",
    "python": "Python with httpx",
    "httpie": "an HTTPie command",
    "command": "our own command",
    "markdown": "Markdown for a ticket",
}


async def copied(
    screen: Screen[Any],
    explorer: Explorer,
    draft: Draft,
    *,
    exchange: Exchange | None,
    reader: Reader | None = None,
    what: str = "",
) -> None:
    """Copy one thing, or ask which. Secrets stay placeholders in every form."""
    picks = list(_picks(exchange, reader))
    if not what:
        chosen: str | None = await screen.app.push_screen_wait(Picker("Copy", picks))
        what = chosen or ""
    if not what:
        return
    text = _text(explorer, draft, exchange, reader, what)
    if text is None:
        screen.notify("There is nothing to copy here.", markup=False, timeout=3)
        return
    await copy(screen, text, next((pick.label for pick in picks if pick.id == what), what))


def _picks(exchange: Exchange | None, reader: Reader | None) -> Iterator[Pick]:
    if reader is not None and reader.document is not None and reader.document.is_json:
        yield Pick("value", "the value under the cursor", reader.path(), "c")
        yield Pick("path", "its path", reader.path(), "p")
    if exchange is not None and exchange.response.body:
        yield Pick("reply", "the reply", "control characters made visible")
        yield Pick("raw", "the reply, raw", "every byte as the server wrote it")
    for form in SNIPPETS:
        yield Pick(form, FORMS[form], "secrets as variables" if form != "markdown" else "secrets as placeholders")


def _text(explorer: Explorer, draft: Draft, exchange: Exchange | None, reader: Reader | None, what: str) -> str | None:
    """The text of one choice; secrets that this run knows are never in it."""
    secrets = explorer.keys.in_use()
    if what in FORMS:
        return snippet_of(what, explorer.profile, draft, exchange, explorer.preview, secrets=secrets)
    text = _plain(exchange, reader, what)
    return None if text is None else Redactor(secrets).text(text)


def _plain(exchange: Exchange | None, reader: Reader | None, what: str) -> str | None:
    if what == "path":
        return printable(reader.path()) if reader else None
    if what == "value":
        return printable(reader.value().decode("utf-8", "replace"), lines=True) if reader else None
    if exchange is None:
        return None
    body = exchange.response.body
    return body.decode("utf-8", "replace") if what == "raw" else printable_bytes(body)
