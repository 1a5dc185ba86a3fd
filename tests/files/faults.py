"""Faults: system calls that fail, and lines that make a file invalid."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

CALLS = (
    "open",
    "close",
    "read",
    "write",
    "lseek",
    "stat",
    "lstat",
    "fstat",
    "fchmod",
    "ftruncate",
    "fsync",
    "listdir",
    "scandir",
    "replace",
    "rename",
    "unlink",
    "mkdir",
)
"""Functions of ``os`` that every write and read uses."""
LINES: dict[str, bytes] = {
    "conflict marker": b">>>>>>> theirs",
    "not UTF-8": b'x = "\xe9"',
    "NUL": b"x = \0",
    "no value": b"x =",
    "unclosed": b'x = "',
    "unclosed lines": b'x = """',
    "shell": b"export X=1; rm -rf /",
    "arrays": b"x = " + b"[" * 5_000 + b"]" * 5_000,
    "unclosed arrays": b"x = " + b"[" * 100_000,
    "inline tables": b"x = " + b"{a=" * 5_000 + b"1" + b"}" * 5_000,
    "arrays of tables": b"x = " + b"[{a=" * 5_000 + b"1" + b"}]" * 5_000,
    "dotted key": b"x" + b".a" * 50_000 + b" = 1",
    "quoted dotted key": b"x" + b'."a"' * 50_000 + b" = 1",
    "dotted header": b"[x" + b".a" * 50_000 + b"]",
    "dotted array header": b"[[x" + b".a" * 50_000 + b"]]",
    "dotted key in a table": b"x = {y" + b".a" * 50_000 + b" = 1}",
    "decimal number": b"x = " + b"9" * 5_000,
    "hexadecimal number": b"x = [{y = 0x" + b"f" * 5_000 + b"}]",
}
"""Lines of invalid TOML.

Some take tomllib a minute, or overflow its stack.
"""
CHANGING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Fire:
    """Lets the n-th system call fail, or all from the n-th on."""

    def __init__(self, number: int, *, for_good: bool = False, error: int = errno.EIO) -> None:
        self.number, self.for_good, self.error = number, for_good, error
        self.calls = 0

    @property
    def struck(self) -> bool:
        return self.calls >= self.number

    def burns(self) -> bool:
        self.calls += 1
        return self.struck if self.for_good else self.calls == self.number

    def strike(self) -> None:
        """Fail instead of making the call."""
        raise OSError(self.error, os.strerror(self.error))

    def around(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **keywords: Any) -> Any:
            if self.burns():
                if name == "close":  # The descriptor is closed anyway.
                    real(*arguments)
                if name == "write":  # A part of the data is written.
                    real(arguments[0], arguments[1][: len(arguments[1]) // 2])
                self.strike()
            return real(*arguments, **keywords)

        return call

    @contextmanager
    def lit(self) -> Iterator[None]:
        burning = {name: self.around(name, getattr(os, name)) for name in CALLS}
        lock = self.around("flock", fcntl.flock)
        with replaced(os, **burning), replaced(fcntl, flock=lock):
            yield


@contextmanager
def replaced(module: ModuleType, **calls: Callable[..., Any]) -> Iterator[None]:
    """Replace functions of a module.

    It is for processes that start too often to load pytest.
    """
    real = {name: getattr(module, name) for name in calls}
    try:
        vars(module).update(calls)
        yield
    finally:
        vars(module).update(real)


@contextmanager
def read_only(error: int) -> Iterator[None]:
    """Let every change fail; reading works."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise OSError(error, os.strerror(error))

    real = os.open

    def reading(path: Any, flags: int, *arguments: Any, **keywords: Any) -> Any:
        return refuse() if flags & CHANGING else real(path, flags, *arguments, **keywords)

    with replaced(os, open=reading, mkdir=refuse, rename=refuse, replace=refuse, unlink=refuse):
        yield


@contextmanager
def full_disk(error: int, room: int) -> Iterator[None]:
    """Let writes fail after so many bytes."""
    real = os.write
    left = [room]

    def write(descriptor: int, content: Any) -> int:
        if not left[0]:
            raise OSError(error, os.strerror(error))
        written = real(descriptor, content[: left[0]])
        left[0] -= written
        return written

    with replaced(os, write=write):
        yield


def snapshot(root: Path) -> dict[str, bytes]:
    """Return every file below a folder except the locks."""
    found = (path for path in sorted(root.rglob("*")) if path.is_file() and not path.name.endswith(".lock"))
    return {str(path.relative_to(root)): path.read_bytes() for path in found}


def restore(root: Path, files: dict[str, bytes]) -> None:
    """Restore the files of a snapshot, and delete all others."""
    for name in snapshot(root).keys() - files.keys():
        (root / name).unlink()
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
