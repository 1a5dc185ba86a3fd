"""The environment of a command: streams, variables, the user."""

from __future__ import annotations

import asyncio
import io
import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO, cast

from msgspec import Struct, field

from rpcexplorer.explorer import Explorer, Hooks
from rpcexplorer.jsontext.slices import Text
from rpcexplorer.model.destination import OTHER_SERVER, PLAIN_HTTP, DestinationChanged, Entered, Nobody, Person, Store
from rpcexplorer.model.problem import PROGRAM, UserError
from rpcexplorer.text.printable import columns, printable, printable_bytes
from rpcexplorer.text.wrapping import wrapped_text

COMPLETING: Final = "_RPCEXPLORER_COMPLETE"
"""Variable of a completion request, such as ``bash_complete``."""
INTERRUPTED = 130
ERASE: Final = "\r\x1b[K"
"""Erases the line of the cursor on a terminal."""
MIN_WIDTH = 20
"""Columns of a terminal below which messages are not wrapped."""
USES_LAST: Final = Hooks(continues=True)


class World(Struct):
    """Everything that a command may read from or write to."""

    stdin: BinaryIO
    stdout: BinaryIO
    stderr: TextIO
    environment: Mapping[str, str]
    folder: Path
    """The working folder at the start."""
    explorer: Explorer | None = None
    """The explorer that was opened last."""
    printed: set[str] = field(default_factory=set)
    """Messages that were printed: the same one is printed only once."""
    noted: set[str] = field(default_factory=set)
    """Rules of answers, and kinds of data, that were mentioned: each is mentioned only once."""
    passed_on: Counter[str] = field(default_factory=Counter)
    """Characters of each process's stderr that were printed."""
    asking: set[asyncio.Task[None]] = field(default_factory=set)
    """Questions of servers that wait for the user, in their order."""
    lacks_answer: bool = False
    """A server has asked something, and the user could not be asked."""
    omitted: Counter[str] = field(default_factory=Counter)
    """Lines of each process's stderr that were not printed."""

    def open_explorer(
        self,
        person: Person,
        sessions: Path | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        hooks: Hooks = USES_LAST,
    ) -> Explorer:
        self.explorer = Explorer.open(
            folder=folder or self.folder,
            environment=self.environment if environment is None else environment,
            sessions=sessions,
            person=person,
            hooks=hooks,
        )
        return self.explorer

    def open_screen(
        self, build: Callable[[Person], Explorer], profile: str | None, case: Path | None = None
    ) -> tuple[int, str]:
        """Open the screen; return the exit code, and what to open next."""
        from rpcexplorer.tui import app  # The command line must not load Textual.

        person = app.PersonOnScreen()
        explorer = build(person)
        wrong_default = explorer.profiles.wrong_default
        if case is None and explorer.profile is None and wrong_default and explorer.usual() == wrong_default:
            self.say(str(wrong_default))
            return 2, ""
        return app.open_screen(explorer, person, profile, case)

    def path(self, name: str) -> Path:
        """Return the path of a file named on the command line."""
        return self.folder / os.path.expanduser(name)  # noqa: PTH111 - Path's own raises for an unknown user

    def open_profile(self, name: str | None) -> tuple[int, str]:
        """Open the screen with the named profile, or with the usual one."""

        def build(person: Person) -> Explorer:
            explorer = self.open_explorer(person)
            if name is not None:
                explorer.use(name)
                explorer.remember_profile()
            return explorer

        try:
            return self.open_screen(build, name)
        except UserError as error:
            self.say(error.sentence)
            return 2, ""

    @property
    def on_terminal(self) -> bool:
        """Return whether a screen can be opened."""
        return self.stdin.isatty() and self.shows

    @property
    def asks(self) -> bool:
        """Return whether the user can be asked."""
        return self.stdin.isatty() and self.stderr.isatty()

    @property
    def shows(self) -> bool:
        """Return whether stdout is a terminal."""
        return self.stdout.isatty()

    @property
    def colours(self) -> bool:
        """Return whether stdout may be coloured."""
        return self.shows and not self.environment.get("NO_COLOR") and self.environment.get("TERM") != "dumb"

    @property
    def width(self) -> int:
        return shutil.get_terminal_size((100, 24)).columns

    @property
    def height(self) -> int:
        return shutil.get_terminal_size((100, 24)).lines

    def write(self, data: Text) -> None:
        self.stdout.write(data)
        self.stdout.flush()

    def print(self, text: str = "") -> None:
        self.write(text.encode(errors="backslashreplace") + b"\n")

    def print_json(self, text: Text) -> None:
        """Print JSON: formatted on a terminal, the server's bytes in a pipe."""
        if self.shows:
            from rpcexplorer.text.json_text import highlighted_pieces  # The screen starts without it.

            for piece in highlighted_pieces(text, colour=self.colours):
                self.write(piece.encode(errors="backslashreplace"))
        else:
            self.write(text)
        self.write(b"\n")

    def print_json_line(self, text: bytes) -> None:
        """Print one line of JSON, safe for a terminal."""
        if self.shows:
            self.print(printable(text.decode()))
        else:
            self.write(text + b"\n")

    def print_bytes(self, content: bytes) -> None:
        """Print bytes: unchanged in a pipe, safe on a terminal."""
        if self.shows:
            self.print(printable_bytes(content))
        else:
            self.write(content)

    def print_columns(self, rows: Iterable[Sequence[str]]) -> None:
        """Print a row on each line, with its cells in columns."""
        cells = [[*map(printable, row)] for row in rows]
        widths = [max(map(columns, column)) for column in zip(*cells, strict=True)]
        for row in cells:
            padded = [cell + " " * (width - columns(cell)) for cell, width in zip(row, widths, strict=True)]
            self.print("  ".join(padded).rstrip())

    def say(self, sentence: str, prefix: str = PROGRAM) -> None:
        """Print a message to stderr, safe for a terminal, and only once."""
        if sentence not in self.printed:
            self.printed.add(sentence)
            self.report(sentence, prefix)

    def report(self, sentence: str, prefix: str = PROGRAM) -> None:
        """Print a message to stderr as often as it comes, safe for a terminal."""
        first, *others = printable(f"{prefix}: {sentence}", lines=True).split("\n")
        width = 0
        with suppress(OSError, io.UnsupportedOperation):
            width = os.get_terminal_size(self.stderr.fileno()).columns
        # Indented, no line looks like another message.
        lines = [*wrapped(first, width, 2), *(f"  {line}" for line in others)]
        self.stderr.write("\n".join(map(self.for_log, lines)) + "\n")
        self.stderr.flush()

    def for_log(self, line: str) -> str:
        """Break the commands that GitHub would find in a line of its log, which may quote a server."""
        if self.environment.get("GITHUB_ACTIONS") != "true":
            return line
        if line.lstrip().startswith("::"):
            line = line.replace("::", ": :", 1)
        return line.replace("##[", "# #[")

    def erase_progress(self) -> None:
        """Erase the progress line, which another line replaces."""
        if self.stderr.isatty():
            self.stderr.write(ERASE)

    def warn(self, sentence: str) -> None:
        self.say(sentence, "warning")

    def hint(self, sentence: str) -> None:
        self.say(sentence, "hint")


def wrapped(line: str, width: int, indent: int) -> list[str]:
    """Wrap a printable line between words, unless the width is unknown (0) or small.

    A long word stays whole, and so does a command of ours in backticks.
    """
    if width < MIN_WIDTH:
        return [line]
    return wrapped_text(line, width, indent, "whole")


NAMES: Final = ("standard input", "standard output", "standard error")


class ReaderGone(Exception):  # noqa: N818 - this is not an error
    """The reader of our output has closed it."""


class Stream(io.RawIOBase):
    """A standard stream that raises a sentence if it is closed but needed."""

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
        """Read ``size`` bytes, or to the end."""
        with self._translated_errors("read") as stream:
            return stream.read(size)

    def readline(self, size: int | None = -1) -> bytes:
        with self._translated_errors("read") as stream:
            return stream.readline(-1 if size is None else size)

    def write(self, content: Any) -> int:
        """Write the content and flush it."""
        with self._translated_errors("write to") as stream:
            written = stream.write(content)
            stream.flush()
            return written

    @contextmanager
    def _translated_errors(self, action: str) -> Iterator[BinaryIO]:
        name = NAMES[self._number]
        if self._stream is None:
            instead = "Use /dev/null or a file." if self._number == 0 else "If you do not need it, use /dev/null."
            raise UserError(f"Cannot {action} {name}: it is closed. {instead}")
        try:
            yield self._stream
        except BrokenPipeError:
            raise ReaderGone from None
        except OSError as error:
            raise UserError(f"Cannot {action} {name}: {(error.strerror or 'unknown error').lower()}.") from None


class StandardError(Stream):
    """Standard error; its own failures cannot be reported."""

    def write(self, content: Any) -> int:
        with suppress(UserError):
            super().write(content)
        return len(content)


def streams() -> tuple[BinaryIO, BinaryIO, TextIO]:
    """Return the standard streams, and give click the same ones.

    The null device replaces a closed stream. Otherwise the next file that is opened would get its number, and output
    would end up in that file.
    """
    for number in range(3):
        with suppress(OSError):
            os.fstat(number)
            continue
        os.open(os.devnull, os.O_RDWR)  # The null device gets the lowest free number.
    stdin, stdout, stderr = Stream(0, sys.stdin), Stream(1, sys.stdout), StandardError(2, sys.stderr)
    sys.stdout = _text(stdout, sys.stdout)
    sys.stderr = _text(stderr, sys.stderr)
    return cast("BinaryIO", stdin), cast("BinaryIO", stdout), sys.stderr


def _text(stream: Stream, like: TextIO | None) -> TextIO:
    encoding = like.encoding if like else "utf-8"
    return io.TextIOWrapper(cast("BinaryIO", stream), encoding, "backslashreplace", write_through=True)


def discard_output(numbers: Iterable[int] = (1, 2)) -> None:
    """Discard buffered output: at exit, Python would fail on it again, or wait for its reader."""
    null = os.open(os.devnull, os.O_WRONLY)
    for number in numbers:
        os.dup2(null, number)


class PersonAtTerminal:
    """The user at a terminal, who answers questions of the core."""

    is_there = True

    def __init__(self, *, pastes: bool = False) -> None:
        """``pastes``: the redirect of a login is typed, because the browser is on another machine."""
        self._pastes = pastes

    async def secret(self, question: str, *, field: str = "password", store: Store | None = None) -> Entered | None:
        """Ask for a value, and name the command that stores it.

        Only a user name is shown. A second question would block a script that answers only the first.
        """
        is_hidden = field != "username"
        value = ask_hidden(question) if is_hidden else ask(question)
        if value and is_hidden and store is not None:
            import click

            place, command = printable(store.place), printable(store.command)
            click.echo(f"hint: To store it in {place}, run:\n  {command}", err=True)
        return (value, False) if value else None

    async def agrees(self, question: str, title: str = PLAIN_HTTP) -> bool:  # noqa: ARG002 - the screen has titles
        """Ask to confirm. Enter alone means no."""
        import click

        with interruptible():
            return click.confirm(printable(question), default=False, err=True)

    async def visits(self, profile: str, url: str, code: str, redirect: Awaitable[str]) -> str | None:
        """Print a URL where to log in, and wait for the redirect, or ask for it."""
        import click

        with_code = f", and type the code {code} there" if code else ""
        click.echo(printable(f"To log in to {profile}, open this URL in a browser{with_code}:"), err=True)
        click.echo(f"  {printable(url)}", err=True)  # On a line of its own, it can be copied.
        if self._pastes and not code:
            return ask("The URL that the browser was redirected to") or None
        if not code:
            hint = f"If the browser is on another machine, run `{PROGRAM} login -p {profile} --paste` instead."
            click.echo(printable(f"hint: {hint}"), err=True)
        return await redirect

    async def opens(self, file: str) -> bool:
        return await self.agrees(f"You did not type this call. Send the language server the text of {file}?")

    async def allows(self, profile: str, moved: DestinationChanged) -> bool:  # noqa: ARG002
        """Return False: ``profiles allow`` shows the change and asks."""
        return False


class AgreesToServers(Nobody):
    """The user of a script who has confirmed beforehand to ask any server for a token that another one names."""

    async def agrees(self, question: str, title: str = PLAIN_HTTP) -> bool:
        import click

        if title != OTHER_SERVER:
            return False
        click.echo(printable(question), err=True)
        return True


def ending_signals() -> list[signal.Signals]:
    """Return the signals to end, unless a parent such as nohup wants them ignored."""
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]  # Windows lacks some.
    return [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]


@contextmanager
def interruptible(handler: Callable[..., object] = signal.default_int_handler) -> Iterator[None]:
    """Let Ctrl+C and similar signals end a prompt, or a write to a slow reader, at once.

    During a call, they would cancel that call, but only after the prompt is answered.
    """
    signals = ending_signals()
    before = [signal.signal(number, handler) for number in signals]
    try:
        yield
    finally:
        for number, earlier in zip(signals, before, strict=True):
            signal.signal(number, earlier)


def ask(question: str) -> str:
    """Ask for a value and show it while it is typed.

    End of input means no value.
    """
    import click

    with interruptible():
        try:
            return str(click.prompt(printable(question), default="", show_default=False, err=True))
        except click.Abort as abort:  # Click raises it for end of input and for Ctrl+C.
            if isinstance(abort.__context__, EOFError):
                return ""
            raise


def ask_hidden(question: str) -> str:
    """Ask for a value without echo; end of input means no value.

    The echo is off before the question appears.
    """
    import getpass  # Only questions need it.

    with suppress(EOFError), interruptible():
        return getpass.getpass(f"{printable(question)}: ")
    return ""
