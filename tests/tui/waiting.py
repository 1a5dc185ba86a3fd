"""Waiting until a condition holds on screen."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

PATIENCE = 15.0
"""Seconds to wait for a condition."""


async def until(pilot: Pilot[Any], condition: Callable[[], bool]) -> None:
    """Run the app until the condition holds, also for a socket of a thread."""
    last = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < last, (
            f"the condition did not hold within {PATIENCE:.0f} s; on screen: {pilot.app.screen!r}"
        )
        await pilot.pause(0.002)
