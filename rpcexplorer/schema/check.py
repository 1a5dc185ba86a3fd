"""Check params and results with a schema, in a process that can be killed.

The library holds the interpreter while it checks, and cannot be stopped. Three schemas take all of its time:

40 definitions that each refer to the next in two alternatives: more than 12 s to explain, 26 ms for 18 of them to say
no. An enum of 20,000 objects that 2,000 elements do not match: more than 12 s. A chain of 100,000 definitions: more
than 12 s before anything is checked.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from rpcexplorer.model.method import By, Described
from rpcexplorer.model.problem import Checked
from rpcexplorer.model.secret import for_others

PROGRAM: Final = (sys.executable, "-P", "-m", "rpcexplorer.schema.check_process")
"""``-P``: a module in the working folder must not replace one of Python."""
DEADLINE_SECONDS: Final = 2.0
"""For one check."""
START_SECONDS: Final = 20.0
"""For the process to start on a very busy machine."""
END_SECONDS: Final = 2.0
"""To wait for a process that was killed."""
MAX_MISSED: Final = 2
"""Checks with one schema that may time out: the first can be bad luck."""
MAX_TEXT_BYTES: Final = 8 * 1024 * 1024
MAX_SCHEMA_BYTES: Final = 16 * 1024 * 1024
NO_END: Final = Checked(why_not="the check took too long")
NO_START: Final = "the schema checker does not start"


class Checker:
    """Checks texts one at a time."""

    def __init__(self, deadline: float = DEADLINE_SECONDS, program: tuple[str, ...] = PROGRAM) -> None:
        self._deadline, self._program = deadline, program
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = asyncio.Lock()
        self._method: tuple[Described | None, bytes] = (None, b"")
        """The last method, and its bytes for the process."""
        self._missed: list[bytes] = []
        """The method of each check that timed out."""
        self._out_of_order = ""
        """Why there are no more checks."""

    async def params(self, described: Described, text: str, *, by: By | None = None) -> Checked:
        """Check params as typed: an object by name, an array by position.

        ``by`` is the only way in which the service accepts them.
        """
        return await self._check(described, text, "params", by)

    async def result(self, described: Described, text: str) -> Checked:
        """Check the text of a result."""
        return await self._check(described, text, "result", None)

    async def close(self) -> None:
        """End the process; there are no more checks."""
        self._out_of_order = "rpcexplorer is quitting"
        self._end()

    @property
    def pid(self) -> int | None:
        """Return the id of the process, if it runs."""
        return self._process.pid if self._process else None

    async def _check(self, described: Described, text: str, of: str, by: By | None) -> Checked:
        """Check once. If the caller is cancelled, the next check waits for it."""
        if len(text) > MAX_TEXT_BYTES:
            return Checked(why_not=f"the text is larger than {MAX_TEXT_BYTES // 1024 // 1024} MiB")
        await self._turn.acquire()
        checking = asyncio.ensure_future(self._checked(described, text, of, by))
        checking.add_done_callback(lambda _: self._turn.release())
        return await asyncio.shield(checking)

    async def _checked(self, described: Described, text: str, of: str, by: By | None) -> Checked:
        try:
            if self._method[0] is not described:
                self._method = (described, msgspec.json.encode(described, enc_hook=dict))
            question = msgspec.json.encode((text, of, by))
        except UnicodeError:
            return Checked(why_not="the text contains a lone surrogate (half a character)")
        except RecursionError:
            return Checked(why_not="the schema is nested too deeply")
        except (TypeError, ValueError):
            return Checked(why_not="the schema is invalid")
        method = self._method[1]
        if len(method) > MAX_SCHEMA_BYTES:
            return Checked(why_not="the schema is too large")
        if self._missed.count(method) >= MAX_MISSED:
            return Checked(why_not="earlier checks with this schema took too long")
        if self._process is not None and self._process.poll() is not None:  # The system or a user has ended it.
            self._end()
        if self._process is None and not self._out_of_order:
            await self._start()
        if (process := self._process) is None or self._out_of_order:
            return Checked(why_not=self._out_of_order)
        answer = await self._in_time(lambda: _ask(process, method, question), self._deadline)
        if answer is NO_END:
            self._missed.append(method)
        return answer

    async def _start(self) -> None:
        home = str(Path(__file__).parents[2])
        path = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))
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
            self._out_of_order = f"{NO_START}: {error}"
            return
        greeting = await self._in_time(lambda: _answer(process), START_SECONDS)
        if greeting.why_not:
            self._end()
            self._out_of_order = NO_START if greeting is NO_END else greeting.why_not

    async def _in_time(self, read: Callable[[], Checked], seconds: float) -> Checked:
        """Return the answer of the process; kill it after some seconds.

        It is also killed if the event loop ends.
        """
        answer, thread = NO_END, ThreadPoolExecutor(1)  # Threads of the event loop may all be busy for longer.
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    answer = await asyncio.get_running_loop().run_in_executor(thread, read)
        finally:
            if answer is NO_END:
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
            with suppress(OSError):
                stream.close() if stream else None
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_SECONDS)


def _ask(process: subprocess.Popen[bytes], *lines: bytes) -> Checked:
    assert process.stdin is not None
    try:
        process.stdin.writelines(line + b"\n" for line in lines)
        process.stdin.flush()
    except (OSError, ValueError):  # The process has ended.
        return NO_END
    return _answer(process)


def _answer(process: subprocess.Popen[bytes]) -> Checked:
    assert process.stdout is not None
    try:
        return msgspec.json.decode(process.stdout.readline(MAX_SCHEMA_BYTES), type=Checked)
    except (OSError, ValueError):  # The process was killed, or its answer is invalid.
        return NO_END
