"""Text for the clipboard, by every way there is here; and what is said of it is how far it is known to have come.

OSC 52 works over SSH as well, but no terminal says whether it heeds it: tmux lets no program's through by default. A
tool of the system's, or tmux itself, says whether it took the text.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec import Struct
from textual.screen import Screen

from rpcexplorer.text.exchange import size
from rpcexplorer.tui.terminal.processes import fed

OSC_LIMIT: Final = 74_994
"""Bytes that every terminal with OSC 52 takes; many take more."""
OSC_MOST: Final = 8_000_000
"""Bytes beyond which none is asked: they would stand in the way of the screen."""
PATIENCE: Final = 2.0
"""Seconds for a tool to take the text."""
READING: Final = 8.0
"""Seconds that more than a few words are on view."""


class Tool(Struct, frozen=True):
    """A program that takes text on its standard input."""

    program: tuple[str, ...]
    keeps: bool = True
    """It puts the text on the clipboard of the system; tmux has a buffer of its own."""


def tools() -> Iterator[Tool]:
    """What may put text on the system's clipboard here, and into tmux."""
    if sys.platform == "darwin":
        yield Tool(("pbcopy",))
    if os.environ.get("WAYLAND_DISPLAY"):
        yield Tool(("wl-copy",))
    if os.environ.get("DISPLAY"):
        yield Tool(("xclip", "-selection", "clipboard"))
        yield Tool(("xsel", "--clipboard", "--input"))
    if os.environ.get("TMUX"):
        yield Tool(("tmux", "load-buffer", "-w", "-"), keeps=False)  # on to the clipboard as well, if it may
        yield Tool(("tmux", "load-buffer", "-"), keeps=False)  # before 3.2


async def copy(screen: Screen[Any], text: str, what: str, *, also: str = "") -> None:
    """Put it there, and say how far it came. What is no character (a lone surrogate) is copied as a question mark.

    ``also`` is said of the text, behind its size.
    """
    body = text.encode("utf-8", "replace")
    if sent := len(body) <= OSC_MOST:
        screen.app.copy_to_clipboard(text)
    here = [each for each in tools() if shutil.which(each.program[0])]
    kinds = [[each for each in here if each.keeps], [each for each in here if not each.keeps]]
    (kept, why), (buffered, why_not) = await asyncio.gather(*(_taken(kind, body) for kind in kinds))
    told = ", ".join(filter(None, (what, size(len(body)), also)))
    if kept:
        screen.notify(f"Copied {told}.", timeout=3)
        return
    if buffered:
        told = f"Copied {told}, into tmux's buffer. Whether the clipboard has it cannot be known."
    elif sent:
        told = f"Sent {told}, to the terminal. Whether the clipboard has it cannot be known."
    else:
        told = f"Not copied: {size(len(body))} are too much for a terminal. They can be saved to a file."
    if sent and not buffered and len(body) > OSC_LIMIT:
        told += " Some terminals take no more than 74 kB at a time."
    screen.notify(" ".join([told, *why, *why_not]), timeout=READING)


async def _taken(ways: Iterable[Tool], body: bytes) -> tuple[bool, list[str]]:
    """Whether one of these programs took the text, and what went wrong with those before."""
    wrong: dict[str, str] = {}
    for tool in ways:
        complaint = await asyncio.to_thread(fed, tool.program, body, PATIENCE)
        if not complaint:
            return True, []
        wrong[tool.program[0]] = complaint
    return False, [f"{name}: {complaint}." for name, complaint in wrong.items()]
