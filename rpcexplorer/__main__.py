"""The entry point: run the program, and report a crash."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rpcexplorer import __version__

if TYPE_CHECKING:
    from rpcexplorer.cli.world import World
    from rpcexplorer.explorer import Explorer
    from rpcexplorer.model.secret import Secret

PIPE_CLOSED = 141
SOFTWARE = 70
"""Exit codes that shells know for these cases."""
COMPLETION_SECONDS = 2.0
"""A shell shows nothing while it waits for completion."""
MAX_CRASHES = 10
"""Crash reports that are stored; the oldest is removed first."""
CRASH_FILE = "%Y-%m-%dT%H%M%S.%f.txt"
"""Name of a crash report; other files are never removed."""
MAX_MESSAGE = 2_000
"""Characters of the message of an error."""


def main() -> int:
    """Run the program with this process's arguments and streams."""
    # A start creates no garbage: looking for some took a tenth of the time to the first screen. Whatever runs longer
    # than one command turns it on again.
    gc.disable()
    from rpcexplorer.cli.world import COMPLETING, INTERRUPTED, ReaderGone, World, discard_output, streams

    world = World(*streams(), os.environ, _working_folder())
    if completing := COMPLETING in os.environ:
        _limit_completion()
    try:
        return _run(sys.argv[1:], world)
    except KeyboardInterrupt:
        return INTERRUPTED
    except ReaderGone:
        discard_output()
        return PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 - the last stop: no value of any variable may be printed
        if completing:
            return 0  # A failed completion must not disturb typing.
        with suppress(ReaderGone):
            report = _reported(world.explorer, error)
            world.say(f"Internal error at {_place(error)}. {report}")
        return SOFTWARE
    finally:
        gc.enable()
        if completing and sys.platform != "win32":
            signal.setitimer(signal.ITIMER_REAL, 0)  # At its end, Python has no handler for it any more.
        if world.explorer is not None and (problem := world.explorer.put_unsaved_aside()):
            with suppress(ReaderGone):  # If stderr is closed, the next start reports it.
                world.warn(problem)


def _run(arguments: list[str], world: World) -> int:
    """Run a command, or open the screen without importing click."""
    from rpcexplorer.cli.world import COMPLETING

    names_profile = len(arguments) == 2 and arguments[0] in {"-p", "--profile"} and not arguments[1].startswith("-")
    if (not arguments or names_profile) and world.on_terminal and COMPLETING not in world.environment:
        code, wish = world.open_profile(arguments[1] if names_profile else None)
        if wish != "demo":
            return code
        arguments = ["demo"]
    from rpcexplorer.cli.main import run

    return run(arguments, world)


def _working_folder() -> Path:
    """Return the working folder at the start, even if it was removed."""
    with suppress(OSError):
        return Path.cwd()
    return Path(os.environ.get("PWD") or os.sep)


def _limit_completion() -> None:
    """Silence completion, and end it after a while: the user waits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
        signal.setitimer(signal.ITIMER_REAL, COMPLETION_SECONDS)


def _reported(explorer: Explorer | None, error: Exception) -> str:
    """Write a crash report; return the sentence that names it.

    It is written into the user's own folder, even if the explorer uses a temporary one or does not exist yet.
    """
    from rpcexplorer.files.paths import Paths
    from rpcexplorer.secrets.lookup import Secrets

    log: Path | str = "unknown error"
    with suppress(Exception):
        paths = Paths.of(os.environ)
        known = explorer.credentials.in_use() if explorer else Secrets(paths.secrets, os.environ).known()
        log = write_crash(paths.crashes, error, known, datetime.now(UTC))
    if isinstance(log, str):
        return f"Please report it. No crash report was written: {log}"
    return f"Please report it with {log}, which contains no known secrets."


def _place(error: Exception) -> str:
    """Return type, file and line of an error, which contain no secret."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = f"{Path(frame.tb_frame.f_code.co_filename).name}:{frame.tb_lineno}" if frame else "an unknown line"
    return f"{where} ({type(error).__name__})"


def write_crash(folder: Path, error: BaseException, secrets: Iterable[Secret], when: datetime) -> Path | str:
    """Write a crash report; return its file, or a problem as a sentence."""
    from rpcexplorer.files.io import error_of, file_errors, names, write_new
    from rpcexplorer.redaction.redactor import Redactor
    from rpcexplorer.text.printable import printable

    def remove_oldest() -> None:
        reports = sorted(name for name in names(folder) if _is_report(name))
        for name in reports[:-MAX_CRASHES]:
            with file_errors("remove", folder / name):
                (folder / name).unlink(missing_ok=True)

    file = folder / when.strftime(CRASH_FILE)
    text = Redactor(secrets, guesses=True).text("\n".join(_lines(error, when)))
    if problem := error_of(lambda: write_new(file, printable(text, lines=True).encode())):
        return problem
    error_of(remove_oldest)
    return file


def _is_report(name: str) -> bool:
    with suppress(ValueError):
        return datetime.strptime(name, CRASH_FILE).strftime(CRASH_FILE) == name  # noqa: DTZ007 - only its form counts
    return False


def _lines(error: BaseException, when: datetime) -> Iterator[str]:
    import platform
    import traceback

    yield f"rpcexplorer {__version__}, Python {platform.python_version()}, {platform.platform()}, {when:%Y-%m-%d %H:%M}"
    yield f"started as: {Path(sys.argv[0]).name}"
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield ""
        yield f"{type(cause).__module__}.{type(cause).__qualname__}: {_message(cause)}"
        for frame in traceback.extract_tb(cause.__traceback__):
            file = "/".join(Path(frame.filename).parts[-3:])  # Not the user's home folder.
            yield f"  {file}:{frame.lineno} in {frame.name}: {frame.line or ''}"
        cause = cause.__cause__ or cause.__context__


def _message(error: BaseException) -> str:
    try:
        return str(error)[:MAX_MESSAGE]
    except Exception:  # noqa: BLE001 - an error that cannot even say what it is
        return "(no message)"


if __name__ == "__main__":
    sys.exit(main())
