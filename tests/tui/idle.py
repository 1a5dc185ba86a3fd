"""Waiting until an app is idle, as its queues show.

Textual's own pilot waits for its process to be calm. On a busy machine each key took up to a second there, and a short
stop of the machine looked calm.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any, Final

from textual._context import active_app
from textual.app import App
from textual.message_pump import MessagePump

from rpcexplorer.tui.key_queue import Keys

CALM: Final = 3
"""Consecutive looks that found nothing at work."""
SOON: Final = 30
"""Looks that only yield to the loop; the later ones pause as well."""
PAUSE: Final = 0.002


async def wait_for_idle(min_sleep: float = 0, max_sleep: float = 1.0) -> None:
    """Wait until nothing moves, at most for a time: something may never stop."""
    app: App[Any] = active_app.get()
    until, calm, look = time.monotonic() + max_sleep, 0, 0
    while calm < CALM and time.monotonic() < until:
        await asyncio.sleep(0 if look < SOON else PAUSE)
        calm, look = 0 if _is_busy(app) else calm + 1, look + 1


def _is_busy(app: App[Any]) -> bool:
    if isinstance(keys := getattr(app, "keys", None), Keys) and not keys.is_idle:
        return True
    for screen in app.screen_stack[-1:]:
        if screen._dirty_widgets or screen._callbacks or screen._layout_required or screen._repaint_required:
            return True
    return _is_at_work(app) or any(map(_is_at_work, list(app._registry)))


def _is_at_work(pump: MessagePump) -> bool:
    """Return whether a pump works, and does not wait for a message."""
    queue: Any = pump._message_queue
    return pump.is_running and not (queue.empty() and queue.ready_event._waiters)
