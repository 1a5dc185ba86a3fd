"""Recorded calls into a file for somebody else: a case. Nothing is overwritten without a question."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.tui.dialogs.dialog import Ask, Choice, Confirm
from rpcexplorer.views.words.sentences import size

WORDS: Final = "Secrets stay here; what else is in params and replies goes along. It is read with rpcexplorer FILE."
LONGEST: Final = 60
"""Letters of a method's name in the name of a file."""


async def exported(screen: Screen[Any], explorer: Explorer, records: Sequence[Exchange]) -> None:
    """Ask where, as often as it takes; what was typed stays in the line until it is written or left."""
    made = await asyncio.to_thread(explorer.cases.made_of, records)
    if isinstance(made, str):
        screen.notify(made, severity="warning", timeout=10)
        return
    content, count = made.text.encode(errors="backslashreplace"), len(made.exchanges)
    what = f"{count} calls" if count > 1 else "the call"
    typed, words = _file_name(records), WORDS
    while True:
        ask = Ask(f"Export {what} as a case in", value=typed, words=words)
        path: str | None = await screen.app.push_screen_wait(ask)
        if path is None or not path.strip():
            return
        typed = path
        file, there = await asyncio.to_thread(_file, path.strip())
        if there and not await _may_replace(screen, file):
            continue
        trouble = await asyncio.to_thread(explorer.save_reply, file, content, replacing=there)
        if not trouble:
            screen.notify(f"Exported {what}, {size(len(content))}, in {file}.", timeout=8)
            return
        words = f"✗ {trouble[0].upper()}{trouble[1:]}."


def _file(path: str) -> tuple[Path, bool]:
    """The file that was meant, and whether there is one already."""
    file = Path(os.path.expanduser(path)).absolute()  # noqa: PTH111 - Path's own raises without a home
    return file, os.path.lexists(file)


def _file_name(records: Sequence[Exchange]) -> str:
    """Of the method where there is one; a name that is one everywhere, whatever a method is called."""
    methods = {each.method for each in records}
    named = methods.pop() if len(methods) == 1 else "calls"
    name = re.sub(r"[^\w.-]+", "-", named).strip("-.")[:LONGEST] or "calls"
    return f"{name}.toml"


async def _may_replace(screen: Screen[Any], file: Path) -> bool:
    choices = [Choice("keep", "Keep it"), Choice("replace", "Replace it")]
    question = Confirm("There is a file of this name", [("file", str(file))], choices, grave=True)
    answer: str | None = await screen.app.push_screen_wait(question)
    return answer == "replace"
