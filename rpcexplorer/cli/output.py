"""What a finished call prints, where it goes, and what is shown meanwhile."""

from __future__ import annotations

import asyncio
import io
import os
import re
import signal
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import Any, TextIO, TypeVar

from msgspec.structs import replace

from rpcexplorer.auth.registry import KINDS
from rpcexplorer.cli.world import World
from rpcexplorer.discovery.methods import DiscoveryStep
from rpcexplorer.explorer import Explorer
from rpcexplorer.files.io import refuse_unwritable, write_atomic
from rpcexplorer.model.batch import parts_of
from rpcexplorer.model.exchange import Cancelled, Exchange, Preview, Refused, Stop
from rpcexplorer.model.problem import Trouble
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.text.exchange import SIGNS, duration, failed_count, failed_lines, outcome_line, size, transport_line
from rpcexplorer.text.json_text import highlighted
from rpcexplorer.text.printable import printable, printable_bytes
from rpcexplorer.transport.port import Progress

NAMED = re.compile(rb"\xab([\w.-]+|not recorded)\xbb")
"""The name that stands for a secret, as Latin-1: it is ours, and goes out as UTF-8."""


class Part(Enum):
    """What of a reply goes to stdout."""

    RESULT = "result"
    ENVELOPE = "envelope"
    BODY = "body"


def show(world: World, exchange: Exchange, part: Part, *, include: bool) -> None:
    """Print an exchange: what came on stdout, what to know about it on stderr."""
    for note in exchange.notes:
        world.say(note)
    if include and exchange.response.status is not None:
        _head(world, exchange)
    match exchange.outcome:
        case Result(value=value) if part is Part.RESULT:
            json(world, value)
        case ErrorObject(value=value) if part is Part.RESULT and value.lstrip().startswith(b"["):
            json(world, value)  # a batch in which some calls failed: the others have results
        case Malformed() if (
            part is Part.RESULT and exchange.kind == "batch" and exchange.response.body[:1] in {b"[", b"{"}
        ):
            json(world, exchange.response.body)  # or in which some got no reply
        case _ if part is not Part.RESULT and exchange.response.body:
            _body(world, exchange, part)
    for remark in exchange.remarks:
        world.say(f"note: {remark}")
    words = ""
    if exchange.kind == "batch":
        parts = parts_of(exchange)
        for line in failed_lines(parts):
            world.say(line)
        words = failed_count(parts) if parts.apart else ""
    if exchange.exit_code:
        _failure(world, exchange, words)


def advise(world: World, exchange: Exchange, explorer: Explorer) -> None:
    """Say what may help a call that failed, with the commands that do it."""
    profile = explorer.profile
    if exchange.exit_code == 0 or profile is None:
        return
    from rpcexplorer.client.hints import hint_for  # a call that succeeds needs none of it
    from rpcexplorer.text.problems import hint_told

    hint = hint_for(exchange, profile, KINDS, variables=explorer.credentials.from_environment(profile))
    if hint and (hint.tests or not isinstance(exchange.outcome, Refused)):  # most refusals name a command
        world.say(hint_told(hint))


def json(world: World, text: bytes) -> None:
    """JSON for whoever reads stdout: a person gets it laid out and safe, a program gets the server's bytes."""
    if world.shows:
        world.print(highlighted(text, colour=world.colours))
    else:
        world.write(text + b"\n")


def json_line(world: World, text: bytes) -> None:
    """One line of JSON, with nothing in it that a terminal would obey."""
    world.print(printable(text.decode())) if world.shows else world.write(text + b"\n")


def show_preview(world: World, preview: Preview | Refused) -> int:
    """Print the request to come; the exit code."""
    if isinstance(preview, Refused):
        world.say(preview.sentence)
        return 3 if preview.why == "credentials" else 2
    if preview.logs_in_first:
        world.say("there is no session yet: a login would go ahead of this request")
    lines = [preview.line, *(f"{name}: {value}" for name, value in preview.headers), ""]
    for line in lines:
        world.print(printable(line))
    json(world, preview.body)
    for remark in preview.remarks:
        world.say(f"note: {remark}")
    if preview.doubt:
        world.say(preview.doubt)
    return 2 if preview.doubt else 0


def _head(world: World, exchange: Exchange) -> None:
    response = exchange.response
    lines = [f"{response.version} {response.status} {response.reason}".rstrip()]
    lines += [f"{name}: {value}" for name, value in response.headers]
    for line in (*lines, ""):
        # headers came as latin-1 and leave as the same bytes, unless a person reads them or a secret was in them
        if world.shows:
            world.print(printable(line))
        else:
            world.write(NAMED.sub("«\\1»".encode(), line.encode("latin-1", errors="replace")) + b"\n")


def _body(world: World, exchange: Exchange, part: Part) -> None:
    body = exchange.response.body
    if part is Part.ENVELOPE and isinstance(exchange.outcome, Result | ErrorObject):
        json(world, body)
    elif world.shows:
        world.print(printable_bytes(body))
    else:
        world.write(body)


def _failure(world: World, exchange: Exchange, words: str = "") -> None:
    """Print how a call failed; ``words`` replace an outcome that other lines have shown."""
    outcome = f"{SIGNS[exchange.outcome_name]} {words}" if words else outcome_line(exchange)
    match exchange.outcome:
        case Refused(sentence=sentence):
            world.say(sentence)
            return
        case ErrorObject(data=data):
            world.say(f"{outcome}  {transport_line(exchange)}".rstrip())
            if data is not None:
                world.say(f"data: {highlighted(data, colour=False)}")
        case Cancelled(maybe_ran=maybe_ran):
            world.say("cancelled" + ("; the server may have run it" if maybe_ran else "; nothing was run"))
        case _:
            world.say(f"{outcome}  {transport_line(exchange)}".rstrip())
    hint = ""
    if exchange.response.body and exchange.outcome_name in {"unreached", "cancelled", "malformed"}:
        hint = f"; {len(exchange.response.body):,} bytes of a body came: add --body to see them"
    world.say(f"called {exchange.url}{hint}")


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
        """The world to print to."""
        if file is not None and file != STDOUT:
            self._file = world.folder / os.path.expanduser(file)  # noqa: PTH111 - Path's own raises for an unknown user
            refuse_unwritable(self._file)
            self.world = replace(world, stdout=self._kept)

    def write(self, exchange: Exchange | None = None, *, recorded: bool = False) -> None:
        """Put what was printed into the file. It stays as it was where there is nothing, or half of something."""
        if self._file is None:
            return
        if exchange is not None and exchange.outcome_name in BROKEN:
            self._say(f"{self._file} is left as it was: no whole reply came")
        elif not self._kept.getvalue():
            self._say(f"{self._file} is left as it was: there is nothing to write")
        else:
            self._replace(self._file, f"rpcexplorer history show {exchange.id}" if exchange and recorded else "")

    def _replace(self, file: Path, again: str) -> None:
        try:
            write_atomic(file, self._kept.getvalue(), private=True)  # nobody knows what a reply holds
        except Trouble as trouble:
            if not again:
                raise
            raise Trouble(f"{trouble.sentence}. The reply is kept: {again}") from trouble


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
