"""Saving something in a file of the person's choice: what is on view of a reply, what else could be copied, a case.

Nothing is overwritten without a question.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.rpc.messages import Result
from rpcexplorer.text.exchange import size
from rpcexplorer.tui.call.response.body import Body
from rpcexplorer.tui.dialogs.dialog import Ask, Choice, Confirm

ALONE: Final = "Secrets are left out. No one else on this machine can read a new file."
WORDS: Final = "As the server wrote it, secrets left out. No one else on this machine can read a new file."
MADE: Final = "the filtered reply"
MADE_WORDS: Final = "What stands in the reply's place now. No one else on this machine can read a new file."
CASE: Final = ".toml"
CASE_WORDS: Final = (
    "Secrets stay here; what else is in params and replies goes along. It is read with rpcexplorer FILE."
)
NOTE: Final = "Note for the receiver"
NOTE_WORDS: Final = "Describe the problem. The receiver sees this first. Optional."
LONGEST: Final = 60
"""Letters of a method's name in the name of a file."""


async def saved(screen: Screen[Any], explorer: Explorer, exchange: Exchange, body: Body) -> None:
    """Save what is on view of the reply."""
    what, content = _on_view(exchange, body)
    name = file_name(exchange.method, ".txt" if what == MADE else ".json")
    content = await asyncio.to_thread(explorer.redactor().body, content)
    await put_in_file(screen, explorer, what, content, name, words=MADE_WORDS if what == MADE else WORDS)


async def case_saved(screen: Screen[Any], explorer: Explorer, records: Sequence[Exchange]) -> None:
    """Write recorded calls into a file for somebody else, with a note that its receiver sees first."""
    note: str | None = await screen.app.push_screen_wait(Ask(NOTE, words=NOTE_WORDS))
    if note is None:
        return
    made = await asyncio.to_thread(partial(explorer.cases.made_of, records, note=note.strip()))
    if isinstance(made, str):
        screen.notify(made, severity="warning", timeout=10)
        return
    methods = {each.method for each in records}
    name = file_name(methods.pop() if len(methods) == 1 else "calls", CASE)
    what = f"a case of {len(records)} calls" if len(records) > 1 else "a case of the call"
    content = made.text.encode(errors="backslashreplace")
    await put_in_file(screen, explorer, what, content, name, words=CASE_WORDS)


async def put_in_file(
    screen: Screen[Any],
    explorer: Explorer,
    what: str,
    content: bytes,
    name: str,
    *,
    words: str = ALONE,
    also: str = "",
) -> None:
    """Ask where, as often as it takes; what was typed stays in the line until it is saved or left.

    ``also`` is said of it once it is saved.
    """
    typed = name
    while True:
        path: str | None = await screen.app.push_screen_wait(Ask(f"Save {what} in", value=typed, words=words))
        if path is None or not path.strip():
            return
        typed = path
        file, there = await asyncio.to_thread(_file, path.strip(), name)
        if there and not await _may_replace(screen, file):
            continue
        trouble = await asyncio.to_thread(explorer.save_reply, file, content, replacing=there)
        if not trouble:
            told = ", ".join(filter(None, (what, size(len(content)), also)))
            screen.notify(f"Saved {told}, in {file}.", timeout=8)
            return
        words = f"✗ {trouble[0].upper()}{trouble[1:]}."


def _on_view(exchange: Exchange, body: Body) -> tuple[str, bytes]:
    """What it is, and the text: a result with a line break behind it, as in a pipe; a whole reply as it is."""
    if body.tab == "Raw":
        return "the whole reply", bytes(body.shown)
    if body.made is not None:
        return MADE, body.made
    if isinstance(exchange.outcome, Result):
        return "the result", bytes(body.shown) + b"\n"
    return "the reply", bytes(body.shown)


def file_name(method: str, ending: str) -> str:
    """A name that is one everywhere, whatever a method is called."""
    name = re.sub(r"[^\w.-]+", "-", method).strip("-.")[:LONGEST] or "reply"
    return name + ending


def _file(path: str, name: str) -> tuple[Path, bool]:
    """The file that was meant, and whether there is one already; in a folder it gets the usual name."""
    file = Path(os.path.expanduser(path)).absolute()  # noqa: PTH111 - Path's own raises without a home
    if os.path.isdir(file):  # noqa: PTH112 - a name that is none is no folder either, and raises nothing
        file /= name
    return file, os.path.lexists(file)


async def _may_replace(screen: Screen[Any], file: Path) -> bool:
    choices = [Choice("keep", "Keep it"), Choice("replace", "Replace it")]
    question = Confirm("There is a file of this name", [("file", str(file))], choices, grave=True)
    answer: str | None = await screen.app.push_screen_wait(question)
    return answer == "replace"
