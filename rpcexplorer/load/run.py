"""Runs Locust as a program of its own, and reads its reports."""

from __future__ import annotations

import asyncio
import os
import site
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.load.plan import LOOPBACK, Plan, Report
from rpcexplorer.model.exchange import Stop
from rpcexplorer.model.problem import UserError
from rpcexplorer.model.secret import for_others

LOCUSTFILE: Final = Path(__file__).with_name("locustfile.py")
MASTER_PORT: Final = 5557
"""The default port of Locust."""
STOP_SECONDS: Final = 10
"""For calls under way at the end; then they are cut off."""
END_SECONDS: Final = STOP_SECONDS + 5
"""For Locust to end by itself."""
LAST_SECONDS: Final = 2
"""For the other processes to end; then they are killed."""
MAX_LINE: Final = 16 * 1024 * 1024
"""Longest line of Locust's output; asyncio's default of 64 KiB would end the reading."""
Role = Literal["alone", "master", "worker"]


class Load(Struct, frozen=True):
    """How much to send, and with which processes."""

    users: int
    spawn_rate: float
    seconds: int
    workers: int = 1
    role: Role = "alone"
    listen: str = LOOPBACK
    """The address at which a master waits for workers of other machines."""
    master_host: str = LOOPBACK
    csv: str | None = None
    html: str | None = None


def is_installed() -> bool:
    """Return whether Locust is there, without an import."""
    return find_spec("locust") is not None


def commands(load: Load, port: int) -> list[list[str]]:
    """Return the command of each process of Locust; the first one reports.

    Every option is explicit, so that no file of options chooses one.
    """
    locust = [sys.executable, "-P", "-m", "locust", "-f", str(LOCUSTFILE), "--skip-log-setup"]
    worker = [*locust, "--headless", "--worker", "--master-port", str(port), "--master-host"]
    if load.role == "worker":
        return [[*worker, load.master_host]] * load.workers
    first = [*locust, "--headless", "--users", str(load.users), "--spawn-rate", f"{load.spawn_rate:g}"]
    first += ["--run-time", f"{load.seconds}s", "--stop-timeout", str(STOP_SECONDS), "--only-summary"]
    if load.csv:
        first += ["--csv", load.csv]
    if load.html:
        first += ["--html", load.html]
    if load.role == "alone" and load.workers == 1:
        return [first]
    host = load.listen if load.role == "master" else LOOPBACK
    first += ["--master", "--master-bind-host", host, "--master-bind-port", str(port)]
    first += ["--expect-workers", str(load.workers)]
    if load.role == "master":
        return [first]
    return [first, *([[*worker, LOOPBACK]] * load.workers)]


def environment_of(environment: Mapping[str, str], home: str) -> dict[str, str]:
    """Return the environment of Locust without options for it.

    ``home`` is an empty folder, because Locust reads options there, too.
    """
    kept = {name: value for name, value in environment.items() if not name.startswith("LOCUST_")}
    path = str(Path(__file__).parents[2])
    if others := environment.get("PYTHONPATH"):
        path = f"{path}{os.pathsep}{others}"
    return kept | {"HOME": home, "USERPROFILE": home, "PYTHONPATH": path, "PYTHONUSERBASE": site.getuserbase()}


class LoadRun:
    """One load test: its processes, and their newest report."""

    def __init__(self, plan: Plan, load: Load, environment: Mapping[str, str], port: int = MASTER_PORT) -> None:
        """Prepare a test; ``port`` is that of a master for other machines."""
        others = for_others(environment)
        own = {name: value for name, value in environment.items() if name not in others}
        self._plan, self._load, self._environment = replace(plan, own=own), load, environment
        self._port = free_port() if load.role == "alone" else port
        self.report: Report | None = None
        self._processes: list[asyncio.subprocess.Process] = []

    async def run(self, stop: Stop, show: Callable[[Report], None], say: Callable[[str], None]) -> int:
        """Run until the end, and return the exit code of Locust.

        ``stop`` ends it earlier. ``show`` gets each report, and ``say`` each line that Locust writes to its stderr.
        """
        stop.watch(current := asyncio.current_task())
        with TemporaryDirectory(prefix="rpcexplorer-load-") as folder:
            try:
                for command in commands(self._load, self._port):
                    await self._start(command, folder)
                readers = [asyncio.create_task(self._read(process, show, say)) for process in self._processes]
                waiting = asyncio.gather(*(readers if self._load.role == "worker" else readers[:1]))
                try:
                    await asyncio.shield(waiting)
                except asyncio.CancelledError:
                    if not stop.pressed or current is None:
                        raise
                    current.uncancel()
                    await self._interrupt(waiting)
            finally:
                stop.watch(None)
                await self._end()
        return self._processes[0].returncode or 0

    async def _start(self, command: Sequence[str], folder: str) -> None:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            cwd=folder,
            env=environment_of(for_others(self._environment), folder),
            limit=MAX_LINE,
            start_new_session=True,  # Ctrl+C reaches only rpcexplorer, which ends them in order.
        )
        self._processes.append(process)
        assert process.stdin is not None
        process.stdin.write(msgspec.json.encode(self._plan) + b"\n")  # It stays open: its end ends the process.

    async def _read(
        self, process: asyncio.subprocess.Process, show: Callable[[Report], None], say: Callable[[str], None]
    ) -> None:
        """Read the output of a process, until it has ended."""
        assert process.stdout is not None
        assert process.stderr is not None
        errors = asyncio.create_task(_lines(process.stderr, say))
        while line := await process.stdout.readline():
            if self.report is None or not self.report.is_final:
                self.report = msgspec.json.decode(line, type=Report)
                show(self.report)
        await errors

    async def _interrupt(self, waiting: asyncio.Future[list[None]]) -> None:
        """Let Locust end: it finishes calls under way, and reports."""
        # A master ends its workers itself: twice would be too often.
        self._close_stdin(self._processes if self._load.role == "worker" else self._processes[:1])
        with suppress(TimeoutError, asyncio.CancelledError):  # Pressed once more: end at once.
            await asyncio.wait_for(asyncio.shield(waiting), END_SECONDS)

    async def _end(self) -> None:
        """End all processes that are left."""
        self._close_stdin(self._processes)
        left = [process for process in self._processes if process.returncode is None]
        with suppress(TimeoutError, asyncio.CancelledError):
            await asyncio.wait_for(asyncio.gather(*(process.wait() for process in left)), LAST_SECONDS)
        for process in left:
            if process.returncode is None:
                process.kill()
                await process.wait()

    @staticmethod
    def _close_stdin(processes: Sequence[asyncio.subprocess.Process]) -> None:
        for process in processes:
            if process.stdin is not None:
                process.stdin.close()


async def _lines(stream: asyncio.StreamReader, say: Callable[[str], None]) -> None:
    while line := await stream.readline():
        say(line.decode(errors="replace").rstrip())


def free_port() -> int:
    with socket.create_server((LOOPBACK, 0)) as server:
        port: int = server.getsockname()[1]
        return port


def refuse_busy_port(host: str, port: int) -> None:
    """Raise `UserError` if Locust cannot listen there."""
    try:
        socket.create_server((host, port)).close()
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]
        raise UserError(f"Cannot listen at {host}:{port}: {reason}.") from None
