"""A file replaced in one step: the new one is written beside it, and takes its place when it is whole.

Whoever reads sees the old file or the new one, also when the writer is killed in between. What the operating system
raises is not caught here: files.py says it in words.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rpcexplorer.storage.opening import ALWAYS, NOFOLLOW, PRIVATE_FILE

ORDINARY_FILE = 0o666
"""Before the umask, like any program's new file."""
ABANDONED = 3600.0
"""Seconds after which a half-written file has no writer any more: none takes a hundredth of it."""


def replace(path: Path, text: str | bytes, mode: int | None) -> None:
    """Let ``path`` hold this and nothing else; a failure leaves it as it was, and nothing beside it.

    Without a ``mode`` the file is an ordinary new one. One that its owner has protected from writing is left alone:
    the folder alone would allow to replace it.
    """
    with prepared(path, text if isinstance(text, bytes) else text.encode(), mode) as beside:
        beside.replace(path)


@contextmanager
def prepared(path: Path, content: bytes, mode: int | None) -> Iterator[Path]:
    """The new file, whole and on the disk, for as long as it has not taken the place of ``path``; then it is gone."""
    refuse_protected(path)
    _sweep(path)
    beside = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOFOLLOW | ALWAYS
    descriptor = os.open(beside, flags, ORDINARY_FILE if mode is None else PRIVATE_FILE)
    try:
        try:
            if mode is not None and sys.platform != "win32":
                os.fchmod(descriptor, mode)
            write_all(descriptor, content)
            os.fsync(descriptor)  # or a power cut could leave the new name with no content
        finally:
            os.close(descriptor)
        yield beside
    finally:
        with suppress(OSError):
            beside.unlink()


def write_all(descriptor: int, content: bytes) -> None:
    """Write every byte; the system may take fewer at a time."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def refuse_protected(path: Path) -> None:
    """Raise for a file that its owner has protected from writing."""
    with suppress(FileNotFoundError):
        if not path.lstat().st_mode & stat.S_IWUSR:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _sweep(path: Path) -> None:
    """Remove what killed writers of this file have left: it may hold a secret that was to be forgotten."""
    left = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{8}}\.tmp")
    with suppress(OSError):
        for beside in path.parent.iterdir():
            if left.fullmatch(beside.name) and beside.lstat().st_mtime < time.time() - ABANDONED:
                beside.unlink()
