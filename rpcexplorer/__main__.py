"""Builds the house and opens one front. The only place that knows every wing; a front costs nothing unless opened."""

from __future__ import annotations

import errno
import gc
import os
import platform
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rpcexplorer.demo import PASSWORD, USERNAME
from rpcexplorer.files.io import names, telling, told, write_new
from rpcexplorer.model.secret import Secret
from rpcexplorer.redaction.redactor import Redactor

if TYPE_CHECKING:
    from rpcexplorer.cli.world import Shortcut
    from rpcexplorer.explorer import Explorer
    from rpcexplorer.model.destination import Person
    from rpcexplorer.model.problem import Complaint

PIPE_CLOSED = 141
SOFTWARE = 70
"""Exit codes that shells and their scripts know for these."""
DEMO_HOME = "rpcexplorer-demo-"
"""How the folder of a visit to the demo service begins."""
COMPLETION_SECONDS = 2.0
"""How long a shell may wait for an answer."""


class EmbeddedDemo:
    """The embedded service as the fronts know it; its server is imported when it is first asked for."""

    username = USERNAME
    password = PASSWORD

    @contextmanager
    def home(self) -> Iterator[Path]:
        """A folder for everything that a visit writes; it is gone afterwards."""
        import tempfile

        from rpcexplorer.files.io import telling

        with ExitStack() as stack:
            with telling("make", Path(os.environ.get("TMPDIR", "/tmp")) / DEMO_HOME):  # noqa: S108 - only to name it
                home = stack.enter_context(tempfile.TemporaryDirectory(prefix=DEMO_HOME, ignore_cleanup_errors=True))
            yield Path(home)

    @contextmanager
    def run(self) -> Iterator[str]:
        """Serve in the background; the base URL while it lasts."""
        from rpcexplorer.demo.http import DemoThread

        with ExitStack() as stack:
            with _told_why_not(0):
                demo = stack.enter_context(DemoThread())
            yield demo.url

    def serve(self, port: int, announce: Callable[[str], None]) -> None:
        """Serve in the foreground until interrupted."""
        gc.enable()
        from rpcexplorer.demo.http import serve_forever

        with _told_why_not(port):
            serve_forever(port, announce)


@contextmanager
def _told_why_not(port: int) -> Iterator[None]:
    """That nobody can listen on a port is no mistake of ours: a sentence says why, and what to do."""
    from rpcexplorer.demo.http import LOOPBACK, ListenError
    from rpcexplorer.model.problem import Trouble

    try:
        yield
    except ListenError as error:
        free = "with --port, or leave it out for any free one"
        if error.errno == errno.EADDRINUSE:
            sentence = f"port {port} of {LOOPBACK} is taken by another program: name another one {free}"
        elif error.errno == errno.EACCES and port:
            sentence = f"port {port} of {LOOPBACK} is not for this user: name one from 1024 on {free}"
        else:
            why = os.strerror(error.errno).lower() if error.errno else error.strerror
            sentence = f"the demo service cannot listen on {LOOPBACK}: {why}"
        raise Trouble(sentence) from error


class LocalFiles:
    """Files that a command line names, as storage reads and writes those of people."""

    def read(self, path: Path) -> bytes | None:
        """All of it, also through a link; None where there is no such file."""
        from rpcexplorer.files.io import read_bytes

        return read_bytes(path, links=True, others=True)

    def check(self, path: Path) -> None:
        """Raise where it could not be written."""
        from rpcexplorer.files.io import refuse_unwritable

        refuse_unwritable(path)

    def write(self, path: Path, content: bytes) -> None:
        """Replace it in one step. A new one is this person's alone: nobody knows what a reply holds."""
        from rpcexplorer.files.io import write_atomic

        write_atomic(path, content, private=True)


class House:
    """What a front asks for: the explorer that it works with, and the front on screen."""

    def __init__(self) -> None:
        self.explorer: Explorer | None = None
        """The last one that was opened."""

    def open_explorer(
        self, environment: Mapping[str, str], folder: Path, sessions: Path | None, person: Person
    ) -> Explorer:
        """The explorer of a program that was started in ``folder``."""
        from rpcexplorer.explorer import Explorer

        self.explorer = Explorer.open(folder=folder, environment=environment, sessions=sessions, person=person)
        return self.explorer

    def open_screen(
        self, build: Callable[[Person], Explorer], profile: str | None, case: Path | None = None
    ) -> tuple[int, str]:
        """Open the front on screen. It is imported here, so that it costs the command line nothing."""
        from rpcexplorer.tui import app
        from rpcexplorer.tui.app import PersonOnScreen

        person = PersonOnScreen()
        return app.open_screen(build(person), person, profile, case)


def keys(keymap: Mapping[str, str], file: str) -> tuple[list[Shortcut], list[Complaint]]:
    """The keys of the front on screen, for the one that prints them; it is imported for nothing else."""
    from rpcexplorer.cli.world import Shortcut
    from rpcexplorer.tui.commands import COMMANDS, SCOPES, keys_of, read_keymap, shown_keys

    usable, complaints = read_keymap(keymap, file)
    found = [
        Shortcut(command.id, tuple(keys_of(command, usable)), shown_keys(command, usable), command.help, name)
        for scope, name in SCOPES.items()
        for command in COMMANDS
        if command.scope == scope
    ]
    return found, complaints


def main() -> int:
    """Run the program with this process's arguments, streams and environment."""
    # Nothing that a start makes is garbage: to look for some took a tenth of the time to the first screen. Who goes on
    # for longer than one command turns it on again.
    gc.disable()
    from rpcexplorer.cli.main import run
    from rpcexplorer.cli.world import COMPLETING, INTERRUPTED, Gone, World, let_go, streams

    house = House()
    world = World(
        *streams(), os.environ, _here(), house.open_explorer, EmbeddedDemo(), LocalFiles(), house.open_screen, keys
    )
    if completing := COMPLETING in os.environ:
        _end_soon_and_quietly()
    try:
        return run(sys.argv[1:], world)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Gone:
        let_go()
        return PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 - the last stop: no value of any variable may be printed
        if completing:
            return 0  # whatever it is: a shell is offered nothing, and whoever types is not disturbed
        with suppress(Gone):
            world.say(f"this is a mistake in rpcexplorer itself, at {_place(error)}; {_written_down(house, error)}")
        return SOFTWARE
    finally:
        gc.enable()
        if house.explorer is not None and (trouble := house.explorer.put_unsaved_aside()):
            with suppress(Gone):  # nobody is there to read it: the next start says it
                world.say(trouble)


def _here() -> Path:
    """The folder that the program was started in, also where somebody has removed it since."""
    with suppress(OSError):
        return Path.cwd()
    return Path(os.environ.get("PWD") or os.sep)


def _end_soon_and_quietly() -> None:
    """Somebody has pressed TAB and waits: after a while, nothing is a better answer than any, and no word of it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
        signal.setitimer(signal.ITIMER_REAL, COMPLETION_SECONDS)


def _written_down(house: House, error: Exception) -> str:
    """Where there is more to read about an error; that it cannot be written down is no reason to say less.

    It lies in this person's own folder, also where the explorer had one that is gone by now, or there was none yet.
    """
    from rpcexplorer.files.paths import Paths
    from rpcexplorer.secrets.lookup import Secrets

    log: Path | str = "no log could be written"
    with suppress(Exception):
        paths = Paths.of(os.environ)
        known = house.explorer.credentials.in_use() if house.explorer else Secrets(paths.secrets, os.environ).known()
        log = write_crash(paths.crashes, error, known, datetime.now(UTC))
    if isinstance(log, str):
        return f"please report it ({log})"
    return f"please report it with what is in {log}, which has no secrets in it that this run knew"


def _place(error: Exception) -> str:
    """Type, file and line of an error, and nothing that could hold a secret."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = f"{Path(frame.tb_frame.f_code.co_filename).name}:{frame.tb_lineno}" if frame else "an unknown place"
    return f"{where} ({type(error).__name__})"


if __name__ == "__main__":
    sys.exit(main())
KEPT = 10
"""So many files at most; the oldest goes first."""
OURS = re.compile(r"\d{4}-\d\d-\d\dT\d{6}\.\d{6}\.txt")
"""The names of these files: nothing else in the folder is removed."""
MESSAGE = 2_000
"""Characters of an error's own words."""
MEMBERS = dict.fromkeys(("password", "passwd", "secret", "token", "sessionid", "username"), "«hidden»")
"""What may stand in a message beside the secrets that are known, by its place."""


def write_crash(folder: Path, error: BaseException, secrets: Iterable[Secret], when: datetime) -> Path | str:
    """Write down what went wrong; the file, or why there is none."""
    hide = Redactor(secrets, MEMBERS).text
    file = folder / f"{when:%Y-%m-%dT%H%M%S.%f}.txt"
    text = "\n".join(_lines(error, when))
    trouble = told(lambda: write_new(file, _inert(hide(text))))
    if trouble:
        return trouble
    told(lambda: _forget_the_oldest(folder))
    return file


def _lines(error: BaseException, when: datetime) -> Iterator[str]:
    yield f"rpcexplorer {_version()}, Python {platform.python_version()}, {platform.platform()}, {when:%Y-%m-%d %H:%M}"
    yield f"started as: {Path(sys.argv[0]).name}"
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield ""
        yield f"{type(cause).__module__}.{type(cause).__qualname__}: {_message(cause)}"
        for frame in traceback.extract_tb(cause.__traceback__):
            yield f"  {_short(frame.filename)}:{frame.lineno} in {frame.name}: {frame.line or ''}"
        cause = cause.__cause__ or cause.__context__


def _inert(text: str) -> bytes:
    """Nothing in it does anything to a terminal that it is read in; views/ is not ours to ask."""
    return "".join(char if char == "\n" or char.isprintable() else ascii(char)[1:-1] for char in text).encode()


def _message(error: BaseException) -> str:
    try:
        return str(error)[:MESSAGE]
    except Exception:  # noqa: BLE001 - an error that cannot even say what it is
        return "it has no words"


def _short(filename: str) -> str:
    """The last folders of a path: those of a person's home are nobody's business."""
    return "/".join(Path(filename).parts[-3:])


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("rpcexplorer")
    except PackageNotFoundError:
        return "not installed"


def _forget_the_oldest(folder: Path) -> None:
    for name in sorted(name for name in names(folder) if OURS.fullmatch(name))[:-KEPT]:
        with telling("remove", folder / name):
            (folder / name).unlink(missing_ok=True)
