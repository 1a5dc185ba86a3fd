"""The three streams as whoever started the program left them: closed, full, or with nobody at the other end.

The border to the shell, where what the system raises becomes ours: a ``Trouble`` that is told, or a ``Gone`` that ends
the program quietly. Python's own streams are ``None`` where they are closed, and know neither.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Final, TextIO, cast

from rpcexplorer.model.problem import Trouble

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
            instead = "give it /dev/null or a file" if self._number == 0 else "send it to /dev/null if nobody wants it"
            raise Trouble(f"{name} is closed, and is needed here: {instead}")
        try:
            yield self._stream
        except BrokenPipeError:
            raise Gone from None
        except OSError as error:
            raise Trouble(f"cannot {doing} {name}: {(error.strerror or 'it fails').lower()}") from None


class Narration(Stream):
    """Standard error: what cannot be told is not told, for there is nowhere to complain of it."""

    def write(self, content: Any) -> int:
        with suppress(Trouble):
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
