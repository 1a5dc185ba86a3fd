"""Output files, and the progress line of a command that waits."""

from __future__ import annotations

import asyncio
import io
import signal
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn, TextIO, TypeVar

from msgspec.structs import replace

from rpcexplorer.cli.run import Run
from rpcexplorer.cli.world import ERASE, World, ending_signals
from rpcexplorer.discovery.methods import DiscoveryStep
from rpcexplorer.files.io import refuse_unwritable, write_output
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.problem import UserError
from rpcexplorer.text.exchange import duration, size
from rpcexplorer.text.printable import printable
from rpcexplorer.transport.port import Progress

STDOUT = "-"
INCOMPLETE = frozenset({"unreached", "cancelled"})
"""Outcomes without a complete body."""


class Output:
    """Stdout, or a file that is checked before anything is sent."""

    def __init__(self, world: World, file: str | None) -> None:
        self._file: Path | None = None
        self._folder = world.folder
        self._say = world.say
        self._content = io.BytesIO()
        self.world = world
        if file is not None and file != STDOUT:
            self._file = world.path(file)
            refuse_unwritable(self._file, world.folder)
            self.world = replace(world, stdout=self._content)

    def write(self, exchange: Exchange | None = None, *, recorded: bool = False) -> None:
        """Write the output to the file, unless it is empty or incomplete."""
        if self._file is None:
            return
        content = self._content.getvalue()
        if exchange is not None and exchange.outcome_name in INCOMPLETE:
            self._say(f"{self._file} was not changed: there is no complete response")
            return
        if not content:
            self._say(f"{self._file} was not changed: there is nothing to write")
            return
        try:
            write_output(self._file, self._folder, content)
        except UserError as error:
            if exchange is None or not recorded:
                raise
            command = f"rpcexplorer history show {exchange.id}"
            sentence = f"{error.sentence}. The response is in the history. To print it, run:\n{command}"
            raise UserError(sentence) from error


DELAY_SECONDS = 0.5
"""Seconds until the progress line appears: most calls take less."""
UPDATE_SECONDS = 0.1
MAX_STEP = 44
"""Columns of the step, so that the line fits in 80 columns."""
T = TypeVar("T")


class Waiting:
    def __init__(self, stderr: TextIO, asked_for: Callable[[], float], is_asking: Callable[[], bool]) -> None:
        """``asked_for``: the seconds in which the user was asked; ``is_asking``: whether a question is open."""
        self._stderr, self._asked_for, self._is_asking = stderr, asked_for, is_asking
        self._latest: Progress | None = None
        self.step = ""
        """The current step of a discovery."""
        self._started = time.monotonic()
        self._shown = self._is_over = False

    def __call__(self, progress: Progress) -> None:
        self._latest = progress

    def on_step(self, step: DiscoveryStep) -> None:
        """Note the current step of a discovery, which makes many calls."""
        whole = printable(f"{step.protocol}: {step.words}")
        self.step = whole if len(whole) <= MAX_STEP else printable(step.words)[:MAX_STEP]

    async def show(self) -> None:
        """Update the progress line until cancelled, or until its end."""
        await asyncio.sleep(DELAY_SECONDS)
        while not self._is_over:
            if not self._is_asking():
                self._shown = True
                elapsed = time.monotonic() - self._started - self._asked_for()
                self._stderr.write(ERASE + waiting_line(self._latest, elapsed, self.step))
                self._stderr.flush()
            await asyncio.sleep(UPDATE_SECONDS)

    def end(self) -> None:
        """Show no progress any more."""
        self._is_over = True
        self.erase()

    def erase(self) -> None:
        if self._shown:
            self._stderr.write(ERASE)
            self._stderr.flush()


def waiting_line(progress: Progress | None, elapsed: float, step: str = "") -> str:
    """Return the progress line: the step, the time, the size so far."""
    parts = [f"◐ {step or (progress.step if progress else 'starting')}", duration(elapsed)]
    if progress and progress.received and not step:
        total = f" of {size(progress.total)}" if progress.total else ""
        parts.append(f"{size(progress.received)}{total}")
    return "  ·  ".join(parts) + "     Ctrl+C cancels"


@contextmanager
def result_of(run: Run, work: Callable[[Waiting], Awaitable[T]]) -> Iterator[T]:
    """Run work and yield its result; close the explorer after its output.

    A progress line appears if stderr is a terminal. Ctrl+C presses ``run.stop``, so that the part of a response that
    has arrived is printed and recorded.
    """
    signals = ending_signals()

    async def watched() -> T:
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError):  # Windows has no such handlers: Ctrl+C ends the loop instead.
            for number in signals:
                loop.add_signal_handler(number, run.stop.press)

        # The time that the user needs for an answer does not count.
        def is_asking() -> bool:
            return run.explorer.credentials.is_asking

        watch = Waiting(run.world.stderr, lambda: run.explorer.credentials.asked_for, is_asking)
        task = asyncio.ensure_future(watch.show()) if run.world.stderr.isatty() else None
        try:
            return await work(watch)
        finally:
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            watch.erase()

    with _restoring(signals), asyncio.Runner() as runner:
        try:
            try:
                result = runner.run(watched())
            finally:
                _let_leave(runner, signals)
            yield result
        finally:
            try:
                runner.run(run.explorer.__aexit__())
            finally:
                for number in signals:  # Its processes end in two seconds now, even if Ctrl+C is pressed again.
                    signal.signal(number, signal.SIG_IGN)
            if run.world.omitted:
                from rpcexplorer.cli.events import report_omitted  # Few processes write so much.

                report_omitted(run.world)


def run_waiting(run: Run, work: Callable[[Waiting], Awaitable[T]]) -> T:
    """Return the result of work after the explorer was closed."""
    with result_of(run, work) as result:
        return result


def _leave(number: int, _: object) -> NoReturn:
    """Exit while the result is printed, in order: processes end, too."""
    raise SystemExit(128 + number)


def _let_leave(runner: asyncio.Runner, signals: Sequence[signal.Signals]) -> None:
    """Replace the handlers of the event loop; Ctrl+C interrupts as always."""
    with suppress(NotImplementedError):
        for number in signals:
            runner.get_loop().remove_signal_handler(number)
            if number != signal.SIGINT:
                signal.signal(number, _leave)


@contextmanager
def _restoring(signals: Sequence[signal.Signals]) -> Iterator[None]:
    """Restore the usual handlers at the end."""
    try:
        yield
    finally:
        for number in signals:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
