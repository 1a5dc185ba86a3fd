"""A process that speaks JSON-RPC on its standard streams, and that does not outlive us."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rpcexplorer.transport.connection import PIECE
from rpcexplorer.transport.framing import framer_of, printable_if_short
from rpcexplorer.transport.port import Unreachable
from rpcexplorer.transport.stream import StreamWire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rpcexplorer.transport.port import Framing

GRACE_SECONDS: Final = 1.0
"""Between closing stdin, SIGTERM and SIGKILL."""
POLL_SECONDS: Final = 0.01
MAX_STDERR: Final = 64 * 1024
"""Bytes of stderr to keep, and of a line to report."""
MAX_LAST_LINES: Final = 3
MAX_LAST_WORDS: Final = 300
"""Lines of stderr, and characters of all of them, for the sentence about the end."""


class Group:
    """A process of ours, and those that it has started."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._is_gone = self._is_killed = False
        _running.add(self)
        _handle_signals()

    def signal(self, number: signal.Signals) -> None:
        self._is_killed = number == signal.SIGKILL
        with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS forbids signals to zombies.
            os.killpg(self.process.pid, number)

    def is_gone(self) -> bool:
        """Return whether all have ended. Their id is never used again then."""
        if not self._is_gone and self.process.poll() is not None:
            try:
                os.killpg(self.process.pid, 0)
                self._is_gone = self._is_killed  # The others may stay zombies, if nobody asks for their exit codes.
            except (ProcessLookupError, PermissionError):
                self._is_gone = True
            if self._is_gone:
                _running.discard(self)
                _handle_signals()
        return self._is_gone

    async def is_gone_soon(self) -> bool:
        """Wait for the end of all, for a second at most."""
        until = time.monotonic() + GRACE_SECONDS
        while not self.is_gone() and time.monotonic() < until:  # noqa: ASYNC110 - no event tells of a group's end
            await asyncio.sleep(POLL_SECONDS)
        return self._is_gone


_running: Final = set[Group]()
"""The groups that have to end before us."""
os.register_at_fork(after_in_child=_running.clear)  # A fork of this program must not end them.


def end_now(groups: Iterable[Group]) -> None:
    """End groups without an event loop, even if Ctrl+C is pressed meanwhile."""
    left = [group for group in groups if not group.is_gone()]
    try:
        for group in left:
            group.signal(signal.SIGTERM)
        _wait_for(left)
    finally:
        left = [group for group in left if not group.is_gone()]
        for group in left:
            group.signal(signal.SIGKILL)
        _wait_for(left)


def _wait_for(groups: Sequence[Group]) -> None:
    until = time.monotonic() + GRACE_SECONDS
    while not all(group.is_gone() for group in groups) and time.monotonic() < until:
        time.sleep(POLL_SECONDS)


@atexit.register
def _end_all() -> None:
    end_now([*_running])


def _end_by_signal(number: int, _: object) -> None:
    _end_all()
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


def _handle_signals() -> None:
    """Handle the signals that would end us without our exit handler, while a process runs.

    Others keep their handlers: they end us in order. Only the main thread can set one.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        handler = signal.getsignal(number)
        if _running and handler == signal.SIG_DFL:
            signal.signal(number, _end_by_signal)
        elif not _running and handler == _end_by_signal:
            signal.signal(number, signal.SIG_DFL)


class ProcessWire(StreamWire):
    """Messages over standard input and output of a process."""

    def __init__(
        self,
        words: Sequence[str],
        framing: Framing = "lines",
        *,
        program: str,
        folder: Path,
        environment: Mapping[str, str],
        on_stderr: Callable[[str], None] = lambda _: None,
        cap: int,
    ) -> None:
        """Prepare a command, which no shell reads.

        ``program`` is the path of its program, empty if it was not found. ``on_stderr`` gets each line.
        """
        super().__init__(Path(words[0]).name, framer_of(framing, cap))
        self._words, self._program, self._folder = words, program, folder
        self._environment, self._on_stderr = environment, on_stderr
        self._outputs: list[asyncio.ReadTransport] = []
        """The pipes of stdout and stderr."""
        self._ending: asyncio.Task[None] | None = None
        self._life: asyncio.Task[None] | None = None
        self._errors: asyncio.Task[None] | None = None
        self._is_over = asyncio.Event()
        """It has ended, or is to end."""
        self._code: int | None = None
        """The exit code, or minus the signal, if it ended without ours."""
        self.stderr = b""
        """The last 64 kB."""

    async def open(self, deadline: float, left: float | None = None) -> None:  # noqa: ARG002 - a start takes no time
        if not self._folder.is_dir():
            raise Unreachable("start", f"The folder {self._folder} does not exist, so {self._peer} was not started.")
        if not self._program:
            advice = "Install it, or write its whole path in the command"
            raise Unreachable("start", f"{self._peer} was not found in PATH. {advice}.")
        try:
            process = subprocess.Popen(  # noqa: ASYNC220, S603 - it starts at once; the user has allowed these words
                [self._program, *self._words[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=self._folder,
                env=self._environment,
                start_new_session=True,
            )
        except (OSError, ValueError) as failure:
            why = getattr(failure, "strerror", None) or str(failure)
            problem = Unreachable("start", f"{self._program} does not start: {why.lower()}. Check the command.")
        else:
            await self._begin(process)
            return
        raise problem

    async def _begin(self, process: subprocess.Popen[bytes]) -> None:
        group, loop = Group(process), asyncio.get_running_loop()

        def wait() -> None:
            process.wait()
            with contextlib.suppress(RuntimeError):  # The loop is closed.
                loop.call_soon_threadsafe(self._is_over.set)

        threading.Thread(target=wait, name=f"end of {self._peer}", daemon=True).start()
        reader, errors = asyncio.StreamReader(PIECE), asyncio.StreamReader(PIECE)
        unused = asyncio.StreamReader()  # A StreamWriter asks one for failures.
        try:
            stdin, protocol = await loop.connect_write_pipe(lambda: asyncio.StreamReaderProtocol(unused), process.stdin)
            stdout, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), process.stdout)
            stderr, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(errors), process.stderr)
            stdin.set_write_buffer_limits(high=0)
            self._stream = reader, asyncio.StreamWriter(stdin, protocol, unused, loop)
            self._outputs = [stdout, stderr]
            self._errors = asyncio.create_task(self._read_errors(errors))
        except BaseException:
            self._is_over.set()
            raise
        finally:  # Not before: a process can end at once, and then its pipes are closed.
            self._life = asyncio.create_task(self._live(group))

    async def _live(self, group: Group) -> None:
        """Wait for the end, and end what is left of the group.

        The loop cancels this task if it ends before.
        """
        try:
            await self._is_over.wait()
            if self._stream is not None and not self._stream[1].is_closing():
                self._stream[1].transport.abort()  # Its standard input: what it has not taken is forgotten.
            if not await group.is_gone_soon():
                self._code = group.process.poll()
                group.signal(signal.SIGTERM)
                if not await group.is_gone_soon():
                    group.signal(signal.SIGKILL)
                    await group.is_gone_soon()
            else:
                self._code = group.process.returncode
            if self._outputs:
                self._ending = asyncio.create_task(_close_when_quiet(self._outputs[0]))
        except BaseException:
            self._close_outputs()
            end_now([group])
            raise

    async def _read_errors(self, errors: asyncio.StreamReader) -> None:
        line, size = bytearray(), 0
        while data := await errors.read(PIECE):
            self.stderr = (self.stderr + data)[-MAX_STDERR:]
            for number, part in enumerate(data.split(b"\n")):
                if number:
                    self._report(line, size)
                    line, size = bytearray(), 0
                line += part[: MAX_STDERR - len(line)]
                size += len(part)
        if line:
            self._report(line, size)

    def _report(self, line: bytearray, size: int) -> None:
        text = line.decode("utf-8", "replace").removesuffix("\r")
        self._on_stderr(text if size == len(line) else f"(a line of {size:,} bytes)")

    async def _close(self, *_: object) -> None:
        await self._end()
        self._close_outputs()

    async def _end(self) -> None:
        """End the process, and read the rest of stderr."""
        assert self._life is not None
        assert self._errors is not None
        self._is_over.set()
        await asyncio.wait([self._life])
        await asyncio.wait([self._errors], timeout=GRACE_SECONDS)  # A process that left the group may still write.

    def _close_outputs(self) -> None:
        for pipe in self._outputs:
            pipe.close()

    async def _reason(self, failure: OSError | None = None) -> Unreachable:  # noqa: ARG002 - the process says more
        await self._end()
        if self._code is None:
            words = f"{self._peer} closed a standard stream without ending, so it was ended"
        elif self._code < 0:
            words = f"{self._peer} was ended by {_name_of(-self._code)}"
        else:
            words = f"{self._peer} ended with exit code {self._code}"
        lines = [line.strip() for line in self.stderr.decode("utf-8", "replace").splitlines()]
        lines = [line for line in lines if line][-MAX_LAST_LINES:]
        while lines:  # As many of the last lines as are short enough together.
            if last := printable_if_short(" / ".join(lines), MAX_LAST_WORDS).rstrip("."):
                return Unreachable("closed", f"{words}: {last}.")
            del lines[0]
        is_exit = self._code is not None and self._code >= 0
        return Unreachable("closed", f"{words}.", reason="unexplained" if is_exit else "")


async def _close_when_quiet(pipe: asyncio.ReadTransport) -> None:
    """Close the pipe of a process that has ended when nothing comes any more: another one may keep it open."""
    until = time.monotonic() + GRACE_SECONDS
    while not pipe.is_closing() and time.monotonic() < until:
        await asyncio.sleep(POLL_SECONDS)
        if not pipe.is_reading():  # Our reader is slow.
            until = time.monotonic() + GRACE_SECONDS
    pipe.close()


def _name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
