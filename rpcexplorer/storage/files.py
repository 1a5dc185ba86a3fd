"""Files as this program needs them: read whole, replaced in one step, locked for a moment, private where they must be.

The one place in storage that meets the operating system's errors: whatever it raises leaves as a ``FileTrouble``
whose sentence names the file and what to do. What stands in a file is not this module's business.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from rpcexplorer.model.complaint import Trouble
from rpcexplorer.storage.replacing import PRIVATE_FILE, replace, write_all

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PRIVATE_FOLDER = 0o700

LOCK_SECONDS = 2.0
LOCK_PAUSE = 0.002
"""Seconds between two tries to get a lock; a holder needs far less than one of them."""

ADVICE: dict[int, tuple[str, str]] = {
    errno.ENOSPC: ("the disk is full", "free some space"),
    errno.EDQUOT: ("your disk quota is used up", "free some space"),
    errno.EROFS: ("the file system is read-only", "choose another folder"),
    errno.EACCES: ("permission denied", "check its owner and mode, and those of its folder"),
    errno.EPERM: ("the operation is not permitted", "check its owner and mode, and those of its folder"),
    errno.ENOENT: ("it does not exist", "check the path"),
    errno.EEXIST: ("it exists already", "choose another name"),
    errno.EISDIR: ("it is a folder", "name a file"),
    errno.ENOTDIR: ("a part of the path is a file", "check the path"),
    errno.ELOOP: ("it is a symbolic link that leads nowhere safe", "check the path"),
    errno.ENAMETOOLONG: ("the name is too long", "choose a shorter one"),
    errno.EIO: ("the disk reports an error", "check the disk"),
    errno.EFBIG: ("the file would grow too large", "move it away"),
    errno.EMFILE: ("too many files are open", "close something and try again"),
    errno.ENFILE: ("too many files are open", "close something and try again"),
    errno.ENOLCK: ("the file system has no locks", "choose a folder on a local disk"),
    errno.ENOTSUP: ("the file system cannot do this", "choose a folder on a local disk"),
}
"""What an error number means to a person, and what helps."""


class FileTrouble(Trouble):
    """A file could not be read or written."""


class Busy(FileTrouble):
    """Another process held the lock for the whole time we were willing to wait."""


@contextmanager
def telling(doing: str, path: Path) -> Iterator[None]:
    """Turn what the operating system raises inside into a ``FileTrouble``: "cannot {doing} {path}: …"."""
    try:
        yield
    except OSError as error:
        system = (error.strerror or type(error).__name__).lower()
        why, advice = ADVICE.get(error.errno or 0, (system, "check the path and the disk"))
        raise FileTrouble(f"cannot {doing} {path}: {why}; {advice}") from error
    except ValueError as error:
        # NUL or a lone surrogate in a path, text that is not UTF-8, a lone surrogate on its way out.
        raise FileTrouble(f"cannot {doing} {path}: {_unreadable(error)}") from error


@contextmanager
def meanwhile(comfort: str) -> Iterator[None]:
    """Add to the sentence of a trouble inside what happens to the things that could not be written."""
    try:
        yield
    except FileTrouble as trouble:
        raise type(trouble)(f"{trouble.sentence}; {comfort}") from trouble


def read_bytes(path: Path) -> bytes | None:
    """Whatever the file holds; None where there is no such file."""
    with telling("read", path), suppress(FileNotFoundError):
        return path.read_bytes()
    return None


def decoded(path: Path, content: bytes) -> str:
    """What was read from ``path`` as text without a byte order mark, its line ends untouched."""
    with telling("read", path):
        return content.decode("utf-8-sig")


def real(path: Path) -> Path:
    """Where a path leads to behind symbolic links; a loop of them leads nowhere, and that is told when it is opened."""
    with telling("find", path):
        return Path(os.path.realpath(path))  # Path.resolve raises a RuntimeError of its own for a loop


def aside(path: Path, word: str) -> Iterator[Path]:
    """Where that which cannot be used of a file may be kept beside it: at ``a.toml.damaged-1``, then at ``-2`` …."""
    return (path.with_name(f"{path.name}.{word}-{number}") for number in count(1))


def names(folder: Path) -> list[str]:
    """What lies in a folder, in no order; nothing where there is no such folder."""
    with telling("read", folder), suppress(FileNotFoundError):
        return [path.name for path in folder.iterdir()]
    return []


def private_folder(path: Path) -> None:
    """Make a folder and the missing ones above it, for its owner alone. One that exists stays as it is."""
    with telling("create", path):
        missing = [path] if not path.is_dir() else []
        while missing and not missing[-1].parent.is_dir():
            missing.append(missing[-1].parent)
        for folder in reversed(missing):
            with suppress(FileExistsError):  # another process was faster
                folder.mkdir(mode=PRIVATE_FOLDER)
        if not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


def write_private(path: Path, text: str | bytes) -> None:
    """Replace a file in one step by one that only its owner can read, from its first byte on."""
    private_folder(path.parent)
    with telling("write", path):
        replace(path, text, PRIVATE_FILE)


def write_new(path: Path, text: str | bytes) -> None:
    """Write a private file that must not exist yet."""
    with telling("write", path):
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    write_private(path, text)


def write_atomic(path: Path, text: str | bytes) -> None:
    """Replace a file that belongs to the person in one step.

    Its mode stays, and a symbolic link stays a link: what it points to is replaced.
    """
    with telling("write", path):
        target = real(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = None
        with suppress(FileNotFoundError):
            mode = stat.S_IMODE(target.stat().st_mode)
        replace(target, text, mode)


def is_private(path: Path) -> bool:
    """Whether nobody but the owner can read or change the file."""
    with telling("check", path):
        mode = path.stat().st_mode
    return os.name == "nt" or not mode & 0o077  # Windows has no such bits: the user's folder protects the file


@contextmanager
def lock(
    path: Path,
    seconds: float = LOCK_SECONDS,
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[None]:
    """Keep other processes that ask for the same lock out; raise ``Busy`` where one stays in for too long.

    The lock is a hidden file beside ``path``, because ``path`` itself may be replaced meanwhile. It is left there:
    removing it could pull it from under another process that has just opened it.
    """
    beside = path.with_name(f".{path.name}.lock")
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    with telling("lock", beside):
        descriptor = os.open(beside, flags, PRIVATE_FILE)
    try:
        until = clock() + seconds
        while not _locked(descriptor, beside):
            if clock() >= until:
                raise Busy(f"cannot lock {path}: another process has been writing for {seconds:g} s; try again")
            sleep(LOCK_PAUSE)
        yield
    finally:
        with suppress(OSError):  # it is let go all the same, and what was done under it is done
            os.close(descriptor)


@contextmanager
def opened(path: Path, flags: int) -> Iterator[int]:
    """A file's descriptor for as long as it is needed. A file that this creates is private from the start."""
    flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, PRIVATE_FILE)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def read_span(descriptor: int, start: int, end: int) -> bytes:
    """The bytes from ``start`` to ``end``, fewer where the file ends before."""
    os.lseek(descriptor, start, os.SEEK_SET)
    pieces = []
    while start < end and (piece := os.read(descriptor, end - start)):
        pieces.append(piece)
        start += len(piece)
    return b"".join(pieces)


def append_or_undo(descriptor: int, content: bytes, size: int) -> None:
    """Add to a file that is ``size`` bytes long. What cannot be written whole is cut off again."""
    whole = False
    try:
        write_all(descriptor, content)
        whole = True
    finally:
        if not whole:
            with suppress(OSError):  # the next append finds the torn end and moves it aside
                os.ftruncate(descriptor, size)


def _locked(descriptor: int, path: Path) -> bool:
    """Try once to get the lock."""
    with telling("lock", path), suppress(BlockingIOError, PermissionError):
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _unreadable(error: ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is not UTF-8; save the file as UTF-8"
    if isinstance(error, UnicodeEncodeError):
        return "it holds a lone surrogate, which is no character; remove it"
    return "this is no file name; choose another one"


def told(action: Callable[[], object]) -> str:
    """Do something with files; the sentence about what went wrong, empty where nothing did."""
    try:
        action()
    except FileTrouble as trouble:
        return trouble.sentence
    return ""
