"""The command line in the test's own process."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

from rpcexplorer.cli.main import run
from rpcexplorer.cli.world import World
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import Person


class Screen(io.BytesIO):
    """A stdin or stdout that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


class Keyboard(io.StringIO):
    """A stderr that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


@dataclass(frozen=True)
class Ran:
    """The exit code and output of a command."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def messages(self) -> list[str]:
        """Return the first line of each message; the others are indented."""
        return [line for line in self.err.splitlines() if not line.startswith("  ")]


class Shell:
    """A home and a working folder that run commands one by one."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.folder = folder / "work"
        self.folder.mkdir(parents=True)
        self.environment: dict[str, str] = {"RPCEXPLORER_HOME": str(self.home)}

    def sessions(self, text: str) -> Path:
        """Write the project file."""
        path = self.folder / "sessions.toml"
        path.write_text(text)
        return path

    @property
    def user_file(self) -> Path:
        return self.home / "config" / "sessions.toml"

    def own(self, text: str) -> Path:
        """Write the user file."""
        self.user_file.parent.mkdir(parents=True, exist_ok=True)
        self.user_file.write_text(text)
        return self.user_file

    def explorer(self, person: Person | None = None, **environment: str) -> Explorer:
        """Return the facade on the same files."""
        return Explorer.open(folder=self.folder, environment=self.environment | environment, person=person)

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        typed: bytes | None = None,
        terminal: bool = False,
        **environment: str,
    ) -> Ran:
        """Run one command on a terminal, or in a pipe that cannot ask; ``typed`` answers its questions."""
        terminal = terminal or typed is not None
        out, err = (Screen(), Keyboard()) if terminal else (io.BytesIO(), io.StringIO())
        world = World(
            stdin=io.BytesIO(stdin) if typed is None else Screen(typed),
            stdout=out,
            stderr=err,
            environment=self.environment | environment,
            folder=self.folder,
        )
        code = run(arguments, world)
        if world.explorer is not None:
            world.explorer.journal.flush_events()  # The program does so at its end.
        return Ran(code, out.getvalue(), err.getvalue())

    def files(self) -> dict[str, str]:
        """Return all written files, by path, as text."""
        found = [*self.home.rglob("*"), *self.folder.rglob("*")]
        return {str(path): path.read_text(errors="replace") for path in found if path.is_file()}
