"""JSON on stdout, output files, and the progress line."""

from __future__ import annotations

import asyncio
import io
import signal
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO, TypeVar

from msgspec.structs import replace

from rpcexplorer.cli.world import World, ending_signals
from rpcexplorer.discovery.methods import DiscoveryStep
from rpcexplorer.explorer import Explorer
from rpcexplorer.files.io import refuse_unwritable, write_output
from rpcexplorer.jsontext.slices import Text
from rpcexplorer.model.exchange import Exchange, Stop
from rpcexplorer.model.problem import PROGRAM, UserError, counted, cut, quoted
from rpcexplorer.model.profile import Profile
from rpcexplorer.profiles.profiles import answer_key
from rpcexplorer.text.exchange import duration, size
from rpcexplorer.text.printable import printable, printable_bytes
from rpcexplorer.transport.port import Progress

if TYPE_CHECKING:
    from rpcexplorer.model.event import Event


def print_json(world: World, text: Text) -> None:
    """Print JSON: formatted on a terminal, the server's bytes in a pipe."""
    if world.shows:
        from rpcexplorer.text.json_text import highlighted_pieces

        for piece in highlighted_pieces(text, colour=world.colours):
            world.write(piece.encode(errors="backslashreplace"))
    else:
        world.write(text)
    world.write(b"\n")


def print_json_line(world: World, text: bytes) -> None:
    """Print one line of JSON, safe for a terminal."""
    world.print(printable(text.decode())) if world.shows else world.write(text + b"\n")


def print_bytes(world: World, content: bytes) -> None:
    """Print bytes: unchanged in a pipe, safe on a terminal."""
    world.print(printable_bytes(content)) if world.shows else world.write(content)


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
        if exchange is not None and exchange.outcome_name in INCOMPLETE:
            self._say(f"{self._file} was not changed: there is no complete response")
        elif not self._content.getvalue():
            self._say(f"{self._file} was not changed: there is nothing to write")
        else:
            self._replace(self._file, f"rpcexplorer history show {exchange.id}" if exchange and recorded else "")

    def _replace(self, file: Path, command: str) -> None:
        try:
            write_output(file, self._folder, self._content.getvalue())
        except UserError as error:
            if not command:
                raise
            sentence = f"{error.sentence}. The response is in the history. To print it, run:\n{command}"
            raise UserError(sentence) from error


DELAY_SECONDS = 0.5
"""Seconds until the progress line appears: most calls take less."""
UPDATE_SECONDS = 0.1
MAX_STEP = 44
"""Columns of the step, so that the line fits in 80 columns."""
ERASE = "\r\x1b[K"
T = TypeVar("T")


class Waiting:
    def __init__(self, stderr: TextIO, asked_for: Callable[[], float]) -> None:
        self._stderr, self._asked_for = stderr, asked_for
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
def result_of(world: World, explorer: Explorer, stop: Stop, work: Callable[[Waiting], Awaitable[T]]) -> Iterator[T]:
    """Run work and yield its result; close the explorer after its output.

    A progress line appears if stderr is a terminal. Ctrl+C presses ``stop``, so that the part of a response that has
    arrived is printed and recorded.
    """
    signals = ending_signals()

    async def run() -> T:
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError):  # Windows has no such handlers: Ctrl+C ends the loop instead.
            for number in signals:
                loop.add_signal_handler(number, stop.press)
        # The time that the user needs for an answer does not count.
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

    with _restoring(signals), asyncio.Runner() as runner:
        try:
            try:
                result = runner.run(run())
            finally:
                _let_leave(runner, signals)
            yield result
        finally:
            try:
                runner.run(explorer.__aexit__())
            finally:
                for number in signals:  # Its processes end in two seconds now, even if Ctrl+C is pressed again.
                    signal.signal(number, signal.SIG_IGN)
            report_omitted(world)


def run_waiting(world: World, explorer: Explorer, stop: Stop, work: Callable[[Waiting], Awaitable[T]]) -> T:
    """Return the result of work after the explorer was closed."""
    with result_of(world, explorer, stop, work) as result:
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


MAX_PASSED_ON = 64 * 1024
"""Characters of a process's stderr to print."""


def pass_on(world: World, name: str, line: str, hide: Callable[[str], str]) -> None:
    """Print a line of a process's stderr, unless it has written too much."""
    if world.passed_on[name] + len(line) >= MAX_PASSED_ON:
        world.omitted[name] += 1
        return
    world.passed_on[name] += len(line) + 1
    erase = ERASE if world.stderr.isatty() else ""
    world.stderr.write(f"{erase}{world.for_log(printable(f'{name}: {hide(line)}'))}\n")
    world.stderr.flush()


def report_omitted(world: World) -> None:
    """Say how much of each process's stderr was not printed."""
    for name, count in world.omitted.items():
        world.say(f"{counted(count, 'more line')} of {name} on stderr: only the first 64 kB are printed")
    world.omitted.clear()


MAX_QUOTED = 1_000
"""Bytes of a message to quote on stderr. A part of a longer one could contain a part of a secret."""


def quoted_message(explorer: Explorer, profile: Profile, event: Event) -> str:
    if event.size > MAX_QUOTED:
        return f"a text of {event.size:,} bytes"
    return explorer.event_redactor(profile, whole=True).message(event).decode(errors="replace")


def note_event(world: World, explorer: Explorer, profile: Profile, event: Event) -> None:
    """Print once that a request was refused because nobody can answer here, and data that is not a message."""
    about = ""
    if event.kind == "request" and not event.remark:
        key = event.method if event.method in profile.answers else "*"
        about = key if key in profile.answers and profile.answers[key].ask else ""
    elif event.kind in {"response", "unreadable"}:
        about = event.remark
    if not about or about in world.noted:
        return
    world.noted.add(about)
    if event.kind == "request":
        method = cut(explorer.event_redactor(profile).method(event.method))
        keys = (f"{answer_key(about, 'ask')}=", f"{answer_key(about, 'result_json')}=JSON")
        sentence = (
            f"The server sent the request {method}. It got the error -32601, because you can only answer on the "
            f"screen. To answer by rule, run:\n{PROGRAM} profiles set {profile.name} {' '.join(map(quoted, keys))}"
        )
    else:
        sentence = f"{event.remark}: {quoted_message(explorer, profile, event)}"
    world.stderr.write(ERASE if world.stderr.isatty() else "")
    world.report(sentence)
