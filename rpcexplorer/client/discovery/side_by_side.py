"""Several calls at a time that one button ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from rpcexplorer.model.exchange import Stop

T = TypeVar("T")


async def side_by_side(calls: Sequence[Callable[[Stop], Coroutine[Any, Any, T]]], stop: Stop | None) -> list[T]:
    """What comes of each call, in their order. ``stop`` ends all of them, and each still tells what came of it."""
    buttons = [Stop() for _ in calls]
    task = asyncio.current_task()
    assert task is not None
    tasks = [asyncio.ensure_future(call(button)) for call, button in zip(calls, buttons, strict=True)]
    stop = stop or Stop()
    stop.watch(task)
    try:
        await asyncio.wait(tasks)
    except asyncio.CancelledError:
        stop.watch(None)
        if not stop.pressed:  # somebody ends the whole program
            for each in tasks:
                each.cancel()
            raise
        task.uncancel()
        for button in buttons:
            button.press()
        await asyncio.wait(tasks)
    finally:
        stop.watch(None)
    return [each.result() for each in tasks]
