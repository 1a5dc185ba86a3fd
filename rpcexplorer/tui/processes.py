"""Other programs: filters, the editor, the clipboard."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import IO, Any, Final, Literal

from msgspec import Struct
from textual.screen import Screen

from rpcexplorer.model.secret import for_others
from rpcexplorer.text.exchange import size
from rpcexplorer.text.jq import asked
from rpcexplorer.tui.key_queue import run_in_thread

FILTER: Final = "rpcexplorer.text.jq"
MAX_COMPLAINT_CHARACTERS: Final = 300
"""More would not fit in a line."""
MAX_COMPLAINT_BYTES: Final = 64 * 1024
"""A program may write errors without end."""
PIECE_BYTES: Final = 1024 * 1024
POSIX: Final = os.name == "posix"


class ProcessResult(Struct, frozen=True):
    """The output of a program and its end."""

    text: bytes
    problem: str
    """The last line of its error output; may be empty."""
    code: int
    cut: bool = False
    """It was stopped at the limit."""


def ending_words(code: int) -> str:
    """Return the exit code in words, or the signal that ended it."""
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):  # Python has no name for the signal.
        return f"ended by {signal.Signals(-code).name}"
    return f"ended by signal {-code}"


async def transform(
    kind: Literal["filter", "pipe"], expression: str, body: bytes, limit: int
) -> tuple[bytes, str, bool]:
    """Filter a body with jq or a shell command.

    Return the text, a remark, and whether it failed.
    """
    if kind == "pipe":
        result, remark = await run_command(expression, body, limit), "output of the command"
    else:
        result, remark = await run_jq(expression, body, limit), "formatted by jq, not by the server"
    remarks = [result.problem] if result.code else [remark, result.problem * result.cut]
    if (kind == "pipe" and not result.cut) or not any(remarks):
        remarks.append(ending_words(result.code))
    return result.text, ", ".join(filter(None, remarks)), bool(result.code)


async def run_jq(expression: str, body: bytes, limit: int) -> ProcessResult:
    """Run jq over a body in its own process, as it may take forever."""
    home = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))
    # With -P, Python imports no module from the working folder.
    return await _run([sys.executable, "-P", "-m", FILTER], asked(expression, body), limit, {"PYTHONPATH": path})


async def run_command(command: str, body: bytes, limit: int) -> ProcessResult:
    """Run a shell command over a body; its output is cut at the limit."""
    shell = ["/bin/sh", "-c", command] if POSIX else ["cmd", "/c", command]
    return await _run(shell, body, limit, {})


async def _run(program: list[str], body: bytes, limit: int, more: Mapping[str, str]) -> ProcessResult:
    """Run a program with threads that read and write.

    asyncio's own processes can hang if they are cancelled at the wrong moment.
    """
    process = None
    with suppress(OSError, ValueError):  # The command is too long or has a NUL, or no process is available.
        process = subprocess.Popen(  # noqa: ASYNC220, S603 - it returns at once; what runs is the person's own choice
            program,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=for_others(os.environ) | dict(more),
            start_new_session=POSIX,
        )
    if process is None:
        return ProcessResult(b"", "the system cannot start this command: shorten it, or put it into a script", 127)
    result = None
    try:
        result = await run_in_thread(partial(_communicate, process, body, limit))
        return result
    finally:
        if result is None:
            _end(process)


def _communicate(process: subprocess.Popen[bytes], body: bytes, limit: int) -> ProcessResult:
    """Write the body and read the output up to the limit."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    stderr, problems = process.stderr, list[bytes]()
    helpers = [
        Thread(target=_feed, args=(process.stdin, body), daemon=True),
        Thread(target=lambda: problems.append(_read(stderr, MAX_COMPLAINT_BYTES)), daemon=True),
    ]
    for helper in helpers:
        helper.start()
    with process.stdout:
        text = _read(process.stdout, limit, to_the_end=False)
    if cut := len(text) > limit:
        _end(process)
    code = process.wait()
    for helper in helpers:
        helper.join()
    stderr.close()
    if cut:
        return ProcessResult(text[:limit], f"cut after {size(limit)}", 0, cut=True)
    lines = problems[0].decode(errors="replace").strip().splitlines()
    return ProcessResult(text, lines[-1][:MAX_COMPLAINT_CHARACTERS] if lines else "", code)


def _feed(stream: IO[bytes], body: bytes) -> None:
    """Write the body; the program need not read all of it."""
    with suppress(OSError), stream:
        stream.write(body)


def _read(stream: IO[bytes], limit: int, *, to_the_end: bool = True) -> bytes:
    """Return the output, cut soon after the limit.

    ``to_the_end``: read the rest and drop it.
    """
    pieces: list[bytes] = []
    content = 0
    while piece := os.read(stream.fileno(), PIECE_BYTES):
        if content <= limit:
            pieces.append(piece)
            content += len(piece)
        elif not to_the_end:
            break
    return b"".join(pieces)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process group: a shell may have started others."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL) if POSIX else process.kill()


def send_text(program: Sequence[str], body: bytes, seconds: float) -> str:
    """Send a text to a program; return why it failed, or "".

    Its output is dropped, because some programs leave a child that would hold a pipe open. This blocks: run it in a
    thread.
    """
    process = None
    with suppress(OSError):
        process = subprocess.Popen(  # noqa: S603 - one of a few names, found on the person's own path
            program,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=for_others(os.environ),
            start_new_session=POSIX,
        )
    if process is None:
        return "cannot be started"
    with suppress(subprocess.TimeoutExpired):
        process.communicate(body, timeout=seconds)
        return ending_words(process.returncode) if process.returncode else ""
    _end(process)
    with suppress(OSError), process:  # Unread text is still in the pipe.
        pass
    return f"stopped, because it read nothing for {seconds:g} s"


def edit_in_editor(text: str, method: str) -> tuple[str, str]:
    """Open a text in the user's editor; return it and a problem.

    The screen has to be suspended. The file is in a folder that only this user can read, and is deleted afterwards.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with suppress(OSError), TemporaryDirectory(prefix="rpcexplorer-") as folder:
        name = "".join(letter if letter.isalnum() else "-" for letter in method)[:40] or "params"
        file = Path(folder) / f"{name}.json"
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        with _signals_held():
            # Through a shell, because the variable may contain options.
            shell = ["/bin/sh", "-c", f'{editor} "$1"', editor, str(file)]
            code = subprocess.call(shell, env=for_others(os.environ))  # noqa: S603 - their own choice
        if code:
            return text, f"Params unchanged: {editor} ended with exit code {code}. Set $EDITOR to use another editor."
        content = file.read_bytes().decode("utf-8", "replace")
        # Editors end a file with a line break that the user did not type.
        return content if text.endswith("\n") else content.removesuffix("\n"), ""
    return text, f"Params unchanged: the file for {editor} could not be written or read. Check the free disk space."


@contextmanager
def _signals_held() -> Iterator[None]:
    """Ignore ``^C`` while the editor runs, and delay signals to end."""
    missed: list[int] = []
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    loop = signal.set_wakeup_fd(-1)  # The loop gets its signals through this.
    handlers = {number: signal.signal(number, lambda heard, _: missed.append(heard)) for number in numbers}
    interrupt = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        for number, handler in [*handlers.items(), (signal.SIGINT, interrupt)]:
            signal.signal(number, handler)
        signal.set_wakeup_fd(loop)
        for number in missed:
            signal.raise_signal(number)


OSC_LIMIT: Final = 74_994
"""Bytes that every terminal with OSC 52 accepts; many accept more."""
OSC_MOST: Final = 8_000_000
"""With more bytes, the terminal would delay the screen."""
PATIENCE: Final = 2.0
"""Seconds for a program to read the text."""
READING: Final = 8.0
"""Seconds for a notice of several sentences."""


class Tool(Struct, frozen=True):
    """A program that reads text from its standard input."""

    program: tuple[str, ...]
    keeps: bool = True
    """It sets the clipboard of the system; tmux only has its own buffer."""


def tools() -> Iterator[Tool]:
    """Yield the programs that may set the clipboard or tmux's buffer."""
    if sys.platform == "darwin":
        yield Tool(("pbcopy",))
    if os.environ.get("WAYLAND_DISPLAY"):
        yield Tool(("wl-copy",))
    if os.environ.get("DISPLAY"):
        yield Tool(("xclip", "-selection", "clipboard"))
        yield Tool(("xsel", "--clipboard", "--input"))
    if os.environ.get("TMUX"):
        yield Tool(("tmux", "load-buffer", "-w", "-"), keeps=False)  # This sets the clipboard, too, if tmux may do so.
        yield Tool(("tmux", "load-buffer", "-"), keeps=False)  # tmux before 3.2


async def copy(screen: Screen[Any], text: str, what: str, *, also: str = "") -> None:
    """Copy a text to the clipboard, and show how well that worked.

    Lone surrogates are copied as question marks. ``also`` is shown after the size.
    """
    body = text.encode("utf-8", "replace")
    if sent := len(body) <= OSC_MOST:
        screen.app.copy_to_clipboard(text)
    here = [tool for tool in tools() if shutil.which(tool.program[0])]
    kinds = [[tool for tool in here if tool.keeps], [tool for tool in here if not tool.keeps]]
    (kept, why), (buffered, why_not) = await asyncio.gather(*(_try_tools(kind, body) for kind in kinds))
    words = ", ".join(filter(None, (what, size(len(body)), also)))
    if kept:
        screen.notify(f"Copied {words}.", timeout=3)
        return
    if buffered:
        words = f"Copied {words}, to the tmux buffer (clipboard not confirmed)."
    elif sent:
        words = f"Copied {words}, through the terminal (not confirmed)."
    else:
        words = f"Not copied: {size(len(body))} is too large for the terminal. Save it to a file instead."
    if sent and not buffered and len(body) > OSC_LIMIT:
        words += " Some terminals accept at most 74 kB."
    screen.notify(" ".join([words, *why, *why_not]), timeout=READING)


async def _try_tools(ways: Iterable[Tool], body: bytes) -> tuple[bool, list[str]]:
    """Try programs in order; return whether one worked, and the problems."""
    wrong: dict[str, str] = {}
    for tool in ways:
        problem = await asyncio.to_thread(send_text, tool.program, body, PATIENCE)
        if not problem:
            return True, []
        wrong[tool.program[0]] = problem
    return False, [f"{name}: {problem}." for name, problem in wrong.items()]
