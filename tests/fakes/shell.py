"""The command line run inside the test's own process: arguments in, streams and exit code out."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rpcexplorer.cli.main import run
from rpcexplorer.cli.world import World


class Screen(io.BytesIO):
    """A stdout that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Keyboard(io.StringIO):
    """A stderr that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()


class Shell:
    """A home and a working folder of its own, in which commands are run one after the other."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.folder = folder / "work"
        self.folder.mkdir(parents=True)
        self.environment: dict[str, str] = {"RPCEXPLORER_HOME": str(self.home)}

    def sessions(self, text: str) -> Path:
        """Write the team's file."""
        path = self.folder / "sessions.toml"
        path.write_text(text)
        return path

    def run(self, *arguments: str, stdin: bytes = b"", terminal: bool = False, **environment: str) -> Ran:
        """Run one command; on a terminal, or in a pipe with nobody to ask."""
        out, err = (Screen(), Keyboard()) if terminal else (io.BytesIO(), io.StringIO())
        world = World(
            stdin=io.BytesIO(stdin),
            stdout=out,
            stderr=err,
            environment=self._with(environment),
            folder=self.folder,
        )
        return Ran(run(arguments, world), out.getvalue(), err.getvalue())

    def _with(self, more: Mapping[str, str]) -> dict[str, str]:
        return {**self.environment, **more}

    def files(self) -> dict[str, str]:
        """Everything that was written, by path, as text."""
        found = [*self.home.rglob("*"), *self.folder.rglob("*")]
        return {str(path): path.read_text(errors="replace") for path in found if path.is_file()}
