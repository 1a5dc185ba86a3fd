"""What a front holds before anything is sent: the id of the call to come, and the button that ends it.

It knows nothing of the way to a server, so that a front that is being opened need not load it.
"""

from __future__ import annotations

import random
import time
from asyncio import Task
from typing import Any

from rpcexplorer.protocol.ids import CHANCE_LIMIT, make_id


def fresh_id() -> str:
    """A new id, by this machine's clock and dice."""
    return make_id(time.time_ns() // 1_000_000, random.randrange(CHANCE_LIMIT))  # noqa: S311 - no secret


class Stop:
    """A button that ends a running call; what had come by then is kept in its exchange."""

    def __init__(self) -> None:
        self.pressed = False
        self._task: Task[Any] | None = None

    def press(self) -> None:
        """End the call, now or as soon as it starts."""
        self.pressed = True
        if self._task is not None:
            self._task.cancel()

    def watch(self, task: Task[Any] | None) -> None:
        """Say which task the button ends; None once nothing runs."""
        self._task = task
        if self.pressed and task is not None:
            task.cancel()
