"""The process that checks, as the program sees it: started, asked, killed. It blocks; a thread does it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from rpcexplorer.checking.frames import read, write
from rpcexplorer.model.problem import Violation
from rpcexplorer.model.secret import for_others

PROGRAM: Final = (sys.executable, "-P", "-m", "rpcexplorer.checking.process")
"""``-P``: a module in the working folder must not pass for one of Python's."""
ENDING: Final = 2.0
"""Seconds until one that was killed is left to the system."""


class Verdict(Struct, frozen=True):
    """What it says."""

    ready: bool = False
    unknown: bool = False
    """It wants to see the schema."""
    violations: tuple[Violation, ...] = ()
    why_not: str = ""


GONE: Final = Verdict(why_not="the check came to no end")


class Child:
    """One such process."""

    def __init__(self, program: tuple[str, ...] = PROGRAM) -> None:
        home = str(Path(__file__).parents[2])
        path = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))
        self._process = subprocess.Popen(  # noqa: S603 - Python itself, and a module of ours
            program,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=for_others(os.environ) | {"PYTHONPATH": path},
            start_new_session=os.name == "posix",
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def greeting(self) -> Verdict:
        """What it says when it has started."""
        return self._answer()

    def ask(self, key: bytes, schema: bytes, text: bytes) -> Verdict:
        """Check a text by a schema, which is sent where it is not known there."""
        answer = self._asked(key, b"", text)
        return self._asked(key, schema, text) if answer.unknown else answer

    def kill(self) -> None:
        """End it, whatever it does. Whoever waits for its answer has none."""
        with suppress(OSError):
            self._process.kill()

    def close(self) -> None:
        """End it, and leave nothing of it."""
        self.kill()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                stream.close() if stream else None
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(ENDING)

    def _asked(self, key: bytes, schema: bytes, text: bytes) -> Verdict:
        assert self._process.stdin is not None
        try:
            write(self._process.stdin, key, schema, text)  # type: ignore[arg-type]  # bytes go in and out
        except (OSError, ValueError):  # it is gone
            return GONE
        return self._answer()

    def _answer(self) -> Verdict:
        assert self._process.stdout is not None
        try:
            message = read(self._process.stdout)  # type: ignore[arg-type]
            return msgspec.json.decode(message, type=Verdict) if message is not None else GONE
        except (OSError, ValueError):  # it was killed, or says what it should not
            return GONE
