"""Waiting for something to become true on a screen, and not longer."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

PATIENCE = 15.0
"""Seconds after which it will not come any more."""


async def until(pilot: Pilot[Any], condition: Callable[[], bool]) -> None:
    """Let the app go on until the condition holds; a socket in another thread may have to answer first."""
    last = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < last, f"it did not come about in {PATIENCE:.0f} s; on screen: {pilot.app.screen!r}"
        await pilot.pause(0.002)
