"""What a person sees while a call takes its time: one line on stderr, gone when the reply is there."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, TextIO, TypeVar

from rpcexplorer.discovery.methods import DiscoveryStep
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Stop
from rpcexplorer.transport.port import Progress
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.sentences import duration, size

PATIENCE = 0.5
"""Seconds before the line appears: most calls are back by then."""
PAUSE = 0.1
STEP = 44
"""Characters of it: with the rest of the line it stays within 80."""
ERASE = "\r\x1b[K"
T = TypeVar("T")


class Waiting:
    """Watches one call and keeps its line up to date."""

    def __init__(self, stderr: TextIO, asked_for: Callable[[], float]) -> None:
        self._stderr, self._asked_for = stderr, asked_for
        self._latest: Progress | None = None
        self.step = ""
        """How far a discovery is, in words."""
        self._started = time.monotonic()
        self._shown = False

    def __call__(self, progress: Progress) -> None:
        self._latest = progress

    def told(self, step: DiscoveryStep) -> None:
        """Hear how far a discovery is, which makes many calls."""
        whole = printable(f"{step.dialect}: {step.words}")
        self.step = whole if len(whole) <= STEP else printable(step.words)[:STEP]

    async def show(self) -> None:
        """Write the line again and again until cancelled."""
        await asyncio.sleep(PATIENCE)
        while True:
            self._shown = True
            elapsed = time.monotonic() - self._started - self._asked_for()
            self._stderr.write(ERASE + line(self._latest, elapsed, self.step))
            self._stderr.flush()
            await asyncio.sleep(PAUSE)

    def erase(self) -> None:
        if self._shown:
            self._stderr.write(ERASE)
            self._stderr.flush()


def line(progress: Progress | None, elapsed: float, step: str = "") -> str:
    """The line itself: what it is busy with, for how long, how much has come."""
    parts = [f"◐ {step or (progress.step if progress else 'starting')}", duration(elapsed)]
    if progress and progress.received and not step:
        total = f" of {size(progress.total)}" if progress.total else ""
        parts.append(f"{size(progress.received)}{total}")
    return "  ·  ".join(parts) + "     Ctrl+C cancels"


@asynccontextmanager
async def waiting(stderr: TextIO, explorer: Explorer) -> AsyncIterator[Waiting]:
    """Show the line while the block runs, if stderr is a terminal. The time that a person types in does not count."""
    shown = Waiting(stderr, lambda: explorer.credentials.asked_for)
    task = asyncio.ensure_future(shown.show()) if stderr.isatty() else None
    try:
        yield shown
    finally:
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        shown.erase()


def run_until_stopped(work: Coroutine[Any, Any, T], stop: Stop) -> T:
    """Run to the end; Ctrl+C presses the button, so that what has come by then is told and recorded."""

    async def run() -> T:
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError):  # no such handlers on Windows, where Ctrl+C ends the loop instead
            loop.add_signal_handler(signal.SIGINT, stop.press)
            loop.add_signal_handler(signal.SIGTERM, stop.press)
        return await work

    return asyncio.run(run())
