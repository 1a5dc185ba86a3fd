"""What a finished call prints, where it goes, and what is shown meanwhile."""

from __future__ import annotations

import io
import os
from pathlib import Path

from msgspec.structs import replace

from rpcexplorer.cli.world import World
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.problem import Trouble

STDOUT = "-"
BROKEN = frozenset({"unreached", "cancelled"})
"""Outcomes of which no whole body can have come."""


class Output:
    """Stdout as it is, or a file. Before anything is sent it is known that the file could be written."""

    def __init__(self, world: World, file: str | None) -> None:
        self._file: Path | None = None
        self._files = world.files
        self._say = world.say
        self._kept = io.BytesIO()
        self.world = world
        """The world to print to."""
        if file is not None and file != STDOUT:
            self._file = world.folder / os.path.expanduser(file)  # noqa: PTH111 - Path's own raises for an unknown user
            self._files.check(self._file)
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
            self._files.write(file, self._kept.getvalue())
        except Trouble as trouble:
            if not again:
                raise
            raise Trouble(f"{trouble.sentence}. The reply is kept: {again}") from trouble
