"""Text for the clipboard: by OSC 52, which also works over SSH, and by the system's own tool where there is one."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from textual.screen import Screen

from rpcexplorer.model.environment import for_others
from rpcexplorer.views.sentences import size

OSC_LIMIT = 74_994
"""Bytes that every terminal with OSC 52 takes; many take more."""
OSC_MOST = 8_000_000
"""Bytes beyond which none is asked: they would stand in the way of the screen."""
PATIENCE = 2.0


def tools() -> Iterator[list[str]]:
    """What may put text on the system's clipboard here."""
    if sys.platform == "darwin":
        yield ["pbcopy"]
    if os.environ.get("WAYLAND_DISPLAY"):
        yield ["wl-copy"]
    if os.environ.get("DISPLAY"):
        yield ["xclip", "-selection", "clipboard"]
        yield ["xsel", "--clipboard", "--input"]


async def copy(screen: Screen[Any], text: str, what: str) -> None:
    """Put it there, and say how much it was. What is no character (a lone surrogate) is copied as a question mark."""
    body = text.encode("utf-8", "replace")
    tool = next((found for found in tools() if shutil.which(found[0])), None)
    if len(body) <= OSC_MOST:
        screen.app.copy_to_clipboard(text)
    elif tool is None:
        words = f"Not copied: {size(len(body))} are too much for a terminal, and no xclip, xsel or wl-copy is here."
        screen.notify(words, markup=False, timeout=8)
        return
    if tool is not None:
        process = await asyncio.create_subprocess_exec(
            *tool,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=for_others(os.environ),
        )
        await asyncio.wait([asyncio.ensure_future(process.communicate(body))], timeout=PATIENCE)
    told = f"Copied {what}, {size(len(body))}."
    if tool is None and len(body) > OSC_LIMIT:
        told += " Some terminals take no more than 74 kB at a time."
    screen.notify(told, markup=False, timeout=3)
