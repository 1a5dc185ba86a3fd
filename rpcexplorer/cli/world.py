"""What a command sees of the world: streams, environment, the person."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Final, Protocol, TextIO

from msgspec import Struct, field

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import Person
from rpcexplorer.model.problem import Complaint
from rpcexplorer.views.printable import printable

PROGRAM: Final = "rpcexplorer"
COMPLETING: Final = "_RPCEXPLORER_COMPLETE"
"""The variable in which a shell asks how a command line may go on: ``bash_complete`` and the like."""
INTERRUPTED = 130
"""The exit code that a shell knows for Ctrl+C."""


class Demo(Protocol):
    """The embedded service, as far as a front may know it."""

    username: str
    password: str

    def home(self) -> AbstractContextManager[Path]:
        """A folder for everything that a visit writes; it is gone afterwards."""

    def run(self) -> AbstractContextManager[str]:
        """Serve in the background; the base URL while it lasts."""

    def serve(self, port: int, announce: Callable[[str], None]) -> None:
        """Serve in the foreground until interrupted."""


class Files(Protocol):
    """Files that are named on a command line. What cannot be done with one is a ``Trouble``."""

    def read(self, path: Path) -> bytes | None:
        """All of it; None where there is no such file."""

    def check(self, path: Path) -> None:
        """Whether it could be written."""

    def write(self, path: Path, content: bytes) -> None:
        """Replace it in one step."""


class OpenScreen(Protocol):
    """The front on screen."""

    def __call__(
        self, build: Callable[[Person], Explorer], profile: str | None, case: Path | None = None
    ) -> tuple[int, str]:
        """Open it on the explorer that is built, and on a case where one is named; exit code, and what comes next."""


class Shortcut(Struct, frozen=True):
    """What somebody can do on the screen, and by which keys."""

    command: str
    """What the keymap calls it."""
    keys: tuple[str, ...]
    """As the keymap spells them: ``ctrl+p``; none where the palette is the way."""
    shown: str
    """As people write them: ``^P``."""
    does: str
    where: str
    """The pane that the keys belong to."""


Shortcuts = Callable[[Mapping[str, str], str], tuple[list[Shortcut], list[Complaint]]]
"""The keys with a keymap, and what is wrong with it in the file that it comes from."""


def _no_keys(keymap: Mapping[str, str], file: str) -> tuple[list[Shortcut], list[Complaint]]:  # noqa: ARG001
    """The keys of a world without a screen."""
    return [], []


def _no_screen(
    build: Callable[[Person], Explorer],  # noqa: ARG001
    profile: str | None,  # noqa: ARG001
    case: Path | None = None,  # noqa: ARG001
) -> tuple[int, str]:
    return 0, ""


class World(Struct):
    """Everything a command may read from or write to."""

    stdin: BinaryIO
    stdout: BinaryIO
    stderr: TextIO
    environment: Mapping[str, str]
    folder: Path
    open_explorer: Callable[[Mapping[str, str], Path, Path | None, Person], Explorer]
    demo: Demo
    files: Files
    open_screen: OpenScreen = _no_screen
    keys: Shortcuts = _no_keys
    said: set[str] = field(default_factory=set)
    """What was told: twice the same is no more than once, such as why a file cannot be used."""

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

    def write(self, data: bytes) -> None:
        """Put bytes on stdout as they are."""
        self.stdout.write(data)
        self.stdout.flush()

    def print(self, text: str = "") -> None:
        """Put a line of ours on stdout."""
        self.write(text.encode(errors="backslashreplace") + b"\n")

    def say(self, sentence: str) -> None:
        """Tell the person something, once, on stderr, with nothing in it that a terminal would obey."""
        if sentence in self.said:
            return
        self.said.add(sentence)
        told = printable(sentence, lines=True).replace("\n", "\n  ")  # so that no line of it looks like another of ours
        self.stderr.write(f"rpcexplorer: {told}\n")
        self.stderr.flush()
