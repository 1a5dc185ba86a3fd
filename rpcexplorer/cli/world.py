"""What a command sees of the world: streams, environment, the person."""

from __future__ import annotations

import io
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO, cast

from msgspec import Struct, field

from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.slices import Text
from rpcexplorer.model.destination import DestinationChanged, Entered, Person, Store
from rpcexplorer.model.problem import Problem, UserError
from rpcexplorer.text.printable import printable

COMPLETING: Final = "_RPCEXPLORER_COMPLETE"
"""The variable in which a shell asks how a command line may go on: ``bash_complete`` and the like."""
INTERRUPTED = 130


class World(Struct):
    """Everything a command may read from or write to."""

    stdin: BinaryIO
    stdout: BinaryIO
    stderr: TextIO
    environment: Mapping[str, str]
    folder: Path
    """The one that the program was started in."""
    explorer: Explorer | None = None
    """The last one that was opened."""
    said: set[str] = field(default_factory=set)
    """Sentences that were printed: twice the same is printed once, such as why a file cannot be used."""

    def open_explorer(
        self,
        person: Person,
        sessions: Path | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> Explorer:
        self.explorer = Explorer.open(
            folder=folder or self.folder,
            environment=self.environment if environment is None else environment,
            sessions=sessions,
            person=person,
        )
        return self.explorer

    def open_screen(
        self, build: Callable[[Person], Explorer], profile: str | None, case: Path | None = None
    ) -> tuple[int, str]:
        """Open the screen on the explorer that is built; the exit code, and what comes next."""
        from rpcexplorer.tui import app  # so that it costs the command line nothing

        person = app.PersonOnScreen()
        return app.open_screen(build(person), person, profile, case)

    def path(self, name: str) -> Path:
        """Return the path of a file that was named on the command line."""
        return self.folder / os.path.expanduser(name)  # noqa: PTH111 - Path's own raises for an unknown user

    def open_profile(self, name: str | None) -> tuple[int, str]:
        """Open the screen on a profile by its name, or on the one that was used last."""

        def build(person: Person) -> Explorer:
            explorer = self.open_explorer(person)
            if name is not None and isinstance(problem := explorer.use(name), Problem):
                raise UserError(str(problem))
            return explorer

        try:
            return self.open_screen(build, name)
        except UserError as error:
            self.say(error.sentence)
            return 2, ""

    @property
    def on_terminal(self) -> bool:
        """Whether a screen can be opened: somebody types and looks."""
        return self.stdin.isatty() and self.shows

    @property
    def asks(self) -> bool:
        """Whether a person can be asked: somebody reads stderr and types."""
        return self.stdin.isatty() and self.stderr.isatty()

    @property
    def shows(self) -> bool:
        """Whether stdout is read by a person rather than a program."""
        return self.stdout.isatty()

    @property
    def colours(self) -> bool:
        """Whether stdout may be coloured."""
        return self.shows and not self.environment.get("NO_COLOR") and self.environment.get("TERM") != "dumb"

    @property
    def width(self) -> int:
        return shutil.get_terminal_size((100, 24)).columns

    def write(self, data: Text) -> None:
        self.stdout.write(data)
        self.stdout.flush()

    def print(self, text: str = "") -> None:
        self.write(text.encode(errors="backslashreplace") + b"\n")

    def say(self, sentence: str) -> None:
        """Tell the person something, once, on stderr, with nothing in it that a terminal would obey."""
        if sentence in self.said:
            return
        self.said.add(sentence)
        told = printable(sentence, lines=True).replace("\n", "\n  ")  # so that no line of it looks like another of ours
        self.stderr.write(f"rpcexplorer: {told}\n")
        self.stderr.flush()


NAMES: Final = ("standard input", "standard output", "standard error")


class Gone(Exception):  # noqa: N818 - nobody did anything wrong
    """Whoever read what is written has enough."""


class Stream(io.RawIOBase):
    """One of the three. Who needs one that is closed is told so, and nobody else."""

    def __init__(self, number: int, stream: TextIO | None) -> None:
        self._number, self._stream = number, stream.buffer if stream else None

    def readable(self) -> bool:
        return self._number == 0

    def writable(self) -> bool:
        return self._number != 0

    def isatty(self) -> bool:
        return self._stream is not None and self._stream.isatty()

    def fileno(self) -> int:
        return self._number

    def read(self, size: int = -1) -> bytes:
        """Everything to the end, unless ``size`` says less."""
        with self._telling("read") as stream:
            return stream.read(size)

    def readline(self, size: int | None = -1) -> bytes:
        with self._telling("read") as stream:
            return stream.readline(-1 if size is None else size)

    def write(self, content: Any) -> int:
        """Write it, at once."""
        with self._telling("write to") as stream:
            written = stream.write(content)
            stream.flush()
            return written

    @contextmanager
    def _telling(self, doing: str) -> Iterator[BinaryIO]:
        name = NAMES[self._number]
        if self._stream is None:
            instead = "Use" if self._number == 0 else "If you do not need it, use"
            raise UserError(f"Cannot {doing} {name}: it is closed. {instead} /dev/null or a file.")
        try:
            yield self._stream
        except BrokenPipeError:
            raise Gone from None
        except OSError as error:
            raise UserError(f"Cannot {doing} {name}: {(error.strerror or 'unknown error').lower()}.") from None


class Narration(Stream):
    """Standard error: what cannot be told is not told, for there is nowhere to complain of it."""

    def write(self, content: Any) -> int:
        with suppress(UserError):
            super().write(content)
        return len(content)


def streams() -> tuple[BinaryIO, BinaryIO, TextIO]:
    """The three, for as long as the process lasts; click's own words go through them as well.

    Nothing else may get the number of a stream that is closed: what is printed would end up in the next file that is
    opened. So the null device takes its place.
    """
    for number in range(3):
        with suppress(OSError):
            os.fstat(number)
            continue
        os.open(os.devnull, os.O_RDWR)  # it gets the lowest number that is free
    stdin, stdout, stderr = Stream(0, sys.stdin), Stream(1, sys.stdout), Narration(2, sys.stderr)
    sys.stdout = _text(stdout, sys.stdout)
    sys.stderr = _text(stderr, sys.stderr)
    return cast("BinaryIO", stdin), cast("BinaryIO", stdout), sys.stderr


def _text(stream: Stream, like: TextIO | None) -> TextIO:
    encoding = like.encoding if like else "utf-8"
    return io.TextIOWrapper(cast("BinaryIO", stream), encoding, "backslashreplace", write_through=True)


def let_go() -> None:
    """Nothing that is still in a buffer goes anywhere: at its end, Python would complain of it once more."""
    null = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(null, number)


class PersonAtTerminal:
    """Answers what the core asks; a secret is not shown while it is typed."""

    async def secret(self, question: str, *, masked: bool = True, store: Store | None = None) -> Entered | None:
        """Ask for a value, without an echo if it is `masked`, and name the command that stores it.

        A second question would stop whoever answers the first from a script.
        """
        value = hidden(question) if masked else visible(question)
        if value and masked and store is not None:
            import click

            click.echo(f"hint: to store it in {printable(store.place)}: {printable(store.command)}", err=True)
        return (value, False) if value else None

    async def agrees(self, question: str) -> bool:
        """Ask for a yes; Enter alone is a no."""
        import click

        with interruptible():
            return click.confirm(printable(question), default=False, err=True)

    async def allows(self, profile: str, moved: DestinationChanged) -> bool:  # noqa: ARG002
        """There is a command for it, which shows what has changed: ``profiles allow``."""
        return False


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl+C end a prompt at once: while a call is under way it would cancel that, once the prompt is answered."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def visible(question: str) -> str:
    """Ask for a value that is shown while it is typed. An end of input is no value."""
    import click

    with interruptible():
        try:
            return str(click.prompt(printable(question), default="", show_default=False, err=True))
        except click.Abort as abort:  # click's for both an end of input and Ctrl+C
            if isinstance(abort.__context__, EOFError):
                return ""
            raise


def hidden(question: str) -> str:
    """Ask for a value; the echo is off before the question is there. An end of input is no value."""
    import getpass  # only who asks needs it

    with suppress(EOFError), interruptible():
        return getpass.getpass(f"{printable(question)}: ")
    return ""
