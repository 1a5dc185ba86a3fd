"""A Python process that answers requests, and that can be killed.

It is for libraries that hold the interpreter while they work and cannot be stopped.
"""

from __future__ import annotations

import asyncio
import faulthandler
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from rpcexplorer.model.secret import for_others

START_SECONDS: Final = 20.0
"""For the process to start on a very busy machine."""
END_SECONDS: Final = 2.0
"""To wait for a process that was killed."""
LAST_RESORT_SECONDS: Final = 10.0
"""For one request, if the parent cannot kill the process any more."""
MAX_ANSWER_BYTES: Final = 16 * 1024 * 1024
MEMORY_BYTES: Final = 1024 * 1024 * 1024
"""Limit of its address space: a hostile schema or expression must not use up the machine."""
READY: Final = b"ready"
CANNOT: Final = b"cannot start: "


def program_of(module: str) -> tuple[str, ...]:
    """Return the command for a module that calls ``serve``.

    ``-P``: a module in the working folder must not replace one of Python.
    """
    return (sys.executable, "-P", "-m", module)


class ChildProcess:
    """The parent's side: starts the process when needed, asks one thing at a time."""

    def __init__(self, name: str, program: tuple[str, ...], deadline: float) -> None:
        self._name, self._program, self._deadline = name, program, deadline
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = asyncio.Lock()
        self.problem = ""
        """Why it answers nothing any more."""

    @property
    def pid(self) -> int | None:
        """Return the id of the process, if it runs."""
        return self._process.pid if self._process else None

    async def ask(self, *lines: bytes) -> bytes | None:
        """Return the answer to a request; None if it took too long or ``problem`` is set.

        If the caller is cancelled, the next request waits for the end of this one.
        """
        await self._turn.acquire()
        asking = asyncio.ensure_future(self._ask(lines))
        asking.add_done_callback(lambda _: self._turn.release())
        return await asyncio.shield(asking)

    async def close(self) -> None:
        """End the process; there are no more answers."""
        self.problem = "rpcexplorer is quitting"
        self._end()

    async def _ask(self, lines: tuple[bytes, ...]) -> bytes | None:
        if self._process is not None and self._process.poll() is not None:  # The system or a user has ended it.
            self._end()
        if self._process is None and not self.problem:
            await self._start()
        process = self._process
        if process is None or self.problem:
            return None
        return await self._in_time(lambda: _exchange(process, lines), self._deadline)

    async def _start(self) -> None:
        home = str(Path(__file__).parents[1])
        path = home
        if more := os.environ.get("PYTHONPATH"):
            path += os.pathsep + more
        try:
            process = self._process = subprocess.Popen(  # noqa: ASYNC220, S603 - Python itself, at once
                self._program,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=for_others(os.environ) | {"PYTHONPATH": path},
                start_new_session=os.name == "posix",
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except (OSError, ValueError) as error:
            self.problem = f"{self._name} does not start: {error}"
            return
        greeting = await self._in_time(lambda: _answer(process), START_SECONDS)
        if greeting != READY:
            self._end()
            self.problem = f"{self._name} does not start"
            if greeting is not None and greeting.startswith(CANNOT):
                self.problem = greeting.removeprefix(CANNOT).decode()

    async def _in_time(self, read: Callable[[], bytes | None], seconds: float) -> bytes | None:
        """Return the answer of the process; kill it after some seconds.

        It is also killed if the event loop ends.
        """
        answer = None
        thread = ThreadPoolExecutor(1)  # Threads of the event loop may all be busy for longer.
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    answer = await asyncio.get_running_loop().run_in_executor(thread, read)
        finally:
            if answer is None:
                self._end()
            thread.shutdown(wait=False)
        return answer

    def _end(self) -> None:
        """Kill the process and close its pipes."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(OSError):
            process.kill()
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            with suppress(OSError):
                stream.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_SECONDS)


def _exchange(process: subprocess.Popen[bytes], lines: tuple[bytes, ...]) -> bytes | None:
    assert process.stdin is not None
    try:
        process.stdin.writelines(line + b"\n" for line in lines)
        process.stdin.flush()
    except (OSError, ValueError):  # The process has ended.
        return None
    return _answer(process)


def _answer(process: subprocess.Popen[bytes]) -> bytes | None:
    """Return a whole line without its end; None if the process was killed."""
    assert process.stdout is not None
    try:
        line = process.stdout.readline(MAX_ANSWER_BYTES)
    except (OSError, ValueError):
        return None
    return line[:-1] if line.endswith(b"\n") else None


def serve(answer: Callable[..., bytes], lines: int, library: str, last_resort: float = LAST_RESORT_SECONDS) -> None:
    """Answer requests of so many lines each on stdin, until it is closed.

    This is the child's side. ``library`` is the package that it needs.
    """
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    sys.stdout = sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    os.dup2(sys.stdout.fileno(), 1)
    _limit()
    try:
        __import__(library.replace("-", "_"))
    except ImportError:
        _write(answers, CANNOT + f"{library} is not installed: pip install {library}".encode())
        return
    _write(answers, READY)
    for first in requests:
        request = [first, *(requests.readline() for _ in range(lines - 1))]
        faulthandler.dump_traceback_later(last_resort, exit=True, file=sys.stderr)
        _write(answers, answer(*request))
        faulthandler.cancel_dump_traceback_later()


def _write(stream: BinaryIO, line: bytes) -> None:
    stream.write(line + b"\n")
    stream.flush()


def _limit() -> None:
    """Limit memory; write no core dump, because it would contain params."""
    with suppress(ImportError, ValueError, OSError):  # Not on every system, and not if the limit is lower already.
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
