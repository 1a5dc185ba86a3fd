"""JSON on stdout, output files, and the line that is shown while a call runs."""

from __future__ import annotations

import asyncio
import io
import signal
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TextIO, TypeVar

from msgspec.structs import replace

from rpcexplorer.cli.world import World
from rpcexplorer.discovery.methods import DiscoveryStep
from rpcexplorer.explorer import Explorer
from rpcexplorer.files.io import refuse_unwritable, write_atomic
from rpcexplorer.jsontext.slices import Text
from rpcexplorer.model.exchange import Exchange, Stop
from rpcexplorer.model.problem import UserError
from rpcexplorer.text.exchange import duration, size
from rpcexplorer.text.printable import printable, printable_bytes
from rpcexplorer.transport.port import Progress


def print_json(world: World, text: Text) -> None:
    """JSON for whoever reads stdout: a person gets it laid out and safe, a program gets the server's bytes."""
    if world.shows:
        from rpcexplorer.text.json_text import highlighted_pieces

        for piece in highlighted_pieces(text, colour=world.colours):
            world.write(piece.encode(errors="backslashreplace"))
    else:
        world.write(text)
    world.write(b"\n")


def print_json_line(world: World, text: bytes) -> None:
    """One line of JSON, with nothing in it that a terminal would obey."""
    world.print(printable(text.decode())) if world.shows else world.write(text + b"\n")


def print_bytes(world: World, content: bytes) -> None:
    """Bytes as they are for a program; for a person, with nothing in them that a terminal would obey."""
    world.print(printable_bytes(content)) if world.shows else world.write(content)


STDOUT = "-"
BROKEN = frozenset({"unreached", "cancelled"})
"""Outcomes of which no whole body can have come."""


class Output:
    """Stdout as it is, or a file. Before anything is sent it is known that the file could be written."""

    def __init__(self, world: World, file: str | None) -> None:
        self._file: Path | None = None
        self._say = world.say
        self._kept = io.BytesIO()
        self.world = world
        if file is not None and file != STDOUT:
            self._file = world.path(file)
            refuse_unwritable(self._file)
            self.world = replace(world, stdout=self._kept)

    def write(self, exchange: Exchange | None = None, *, recorded: bool = False) -> None:
        """Put what was printed into the file. It stays as it was where there is nothing, or half of something."""
        if self._file is None:
            return
        if exchange is not None and exchange.outcome_name in BROKEN:
            self._say(f"{self._file} was not changed: there is no complete response")
        elif not self._kept.getvalue():
            self._say(f"{self._file} was not changed: there is nothing to write")
        else:
            self._replace(self._file, f"rpcexplorer history show {exchange.id}" if exchange and recorded else "")

    def _replace(self, file: Path, again: str) -> None:
        try:
            write_atomic(file, self._kept.getvalue(), private=True)  # nobody knows what a reply holds
        except UserError as error:
            if not again:
                raise
            raise UserError(f"{error.sentence}. The response is in the history: {again}") from error


PATIENCE = 0.5
"""Seconds before the line appears: most calls are back by then."""
PAUSE = 0.1
STEP = 44
"""Characters of it: with the rest of the line it stays within 80."""
ERASE = "\r\x1b[K"
T = TypeVar("T")


class Waiting:
    def __init__(self, stderr: TextIO, asked_for: Callable[[], float]) -> None:
        self._stderr, self._asked_for = stderr, asked_for
        self._latest: Progress | None = None
        self.step = ""
        """How far a discovery is, in words."""
        self._started = time.monotonic()
        self._shown = False

    def __call__(self, progress: Progress) -> None:
        self._latest = progress

    def on_step(self, step: DiscoveryStep) -> None:
        """Hear how far a discovery is, which makes many calls."""
        whole = printable(f"{step.dialect}: {step.words}")
        self.step = whole if len(whole) <= STEP else printable(step.words)[:STEP]

    async def show(self) -> None:
        """Write the line again and again until cancelled."""
        await asyncio.sleep(PATIENCE)
        while True:
            self._shown = True
            elapsed = time.monotonic() - self._started - self._asked_for()
            self._stderr.write(ERASE + waiting_line(self._latest, elapsed, self.step))
            self._stderr.flush()
            await asyncio.sleep(PAUSE)

    def erase(self) -> None:
        if self._shown:
            self._stderr.write(ERASE)
            self._stderr.flush()


def waiting_line(progress: Progress | None, elapsed: float, step: str = "") -> str:
    """The line itself: what it is busy with, for how long, how much has come."""
    parts = [f"◐ {step or (progress.step if progress else 'starting')}", duration(elapsed)]
    if progress and progress.received and not step:
        total = f" of {size(progress.total)}" if progress.total else ""
        parts.append(f"{size(progress.received)}{total}")
    return "  ·  ".join(parts) + "     Ctrl+C cancels"


def run_waiting(world: World, explorer: Explorer, stop: Stop, work: Callable[[Waiting], Awaitable[T]]) -> T:
    """Run to the end, and show the line meanwhile if stderr is a terminal.

    Ctrl+C presses ``stop``, so that what has come by then is printed and recorded.
    """

    async def run() -> T:
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError):  # no such handlers on Windows, where Ctrl+C ends the loop instead
            loop.add_signal_handler(signal.SIGINT, stop.press)
            loop.add_signal_handler(signal.SIGTERM, stop.press)
        async with explorer:
            # the time that a person types in does not count
            watch = Waiting(world.stderr, lambda: explorer.credentials.asked_for)
            task = asyncio.ensure_future(watch.show()) if world.stderr.isatty() else None
            try:
                return await work(watch)
            finally:
                if task is not None:
                    task.cancel()
                    with suppress(asyncio.CancelledError):
                        await task
                watch.erase()

    return asyncio.run(run())
