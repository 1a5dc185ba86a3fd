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

from rpcexplorer.model.problem import Trouble
from rpcexplorer.model.settings import MIB
from rpcexplorer.storage.opening import (
    PRIVATE_FILE,
    Unfit,
    is_ours,
    open_file,
    opened,
    read_whole,
    refuse_all_but_files,
    refuse_detours,
    refuse_others,
)
from rpcexplorer.storage.replacing import refuse_protected, replace, write_all

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl
PRIVATE_FOLDER = 0o700
WRITTEN_BY_PEOPLE = MIB
"""Bytes of a file that people write: some ten thousand lines of TOML, which take a moment to read."""
KEPT = 64 * MIB
"""Bytes of a file that this program keeps for itself, such as a draft."""
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
    errno.ELOOP: ("it is a symbolic link, which is not followed here", "put the file itself in its place"),
    errno.ENXIO: ("it is a pipe, a socket or a device", "name an ordinary file"),
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
        # no file for us, NUL or a lone surrogate in a path, text that is not UTF-8, a lone surrogate on its way out
        raise FileTrouble(f"cannot {doing} {path}: {_unreadable(error)}") from error


@contextmanager
def meanwhile(comfort: str) -> Iterator[None]:
    """Add to the sentence of a trouble inside what happens to the things that could not be written."""
    try:
        yield
    except FileTrouble as trouble:
        raise type(trouble)(f"{trouble.sentence}; {comfort}") from trouble


def read_bytes(path: Path, most: int = KEPT, *, links: bool = False, others: bool = False) -> bytes | None:
    """What a file holds, if that is no more than ``most``; None where there is no such file.

    It is one of this user's own, and no link, unless ``others`` and ``links`` say that it may be.
    """
    with telling("read", path), suppress(FileNotFoundError), opened(path, links=links, others=others) as file:
        return read_whole(file, most)
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


def free_aside(path: Path, word: str) -> Path:
    """The first of these places where nothing lies: no file, and no link that leads to none."""
    return next(side for side in aside(path, word) if not os.path.lexists(side))


def may_change(path: Path) -> bool:
    """Whether a file is this user's own."""
    with telling("check", path), suppress(FileNotFoundError):
        return is_ours(path.lstat(), writing=True)
    return True


def refuse_links(folder: Path, base: Path) -> None:
    """Raise where a folder does not lie inside ``base``, or a link is on the way to it from there."""
    with telling("use", folder):
        refuse_detours(folder, base)


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


def write_atomic(path: Path, text: str | bytes, *, private: bool = False) -> None:
    """Replace a file that belongs to the person in one step.

    Its mode stays, and a symbolic link stays a link: what it points to is replaced. A new file is an ordinary one, or
    ``private``: then only its owner can read it.
    """
    with telling("write", path):
        target = real(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = PRIVATE_FILE if private else None
        with suppress(FileNotFoundError):
            found = target.lstat()
            refuse_all_but_files(found)
            mode = stat.S_IMODE(found.st_mode)
        replace(target, text, mode)


def save_as(path: Path, content: bytes, *, replacing: bool) -> str:
    """Write a file of the person's choice; a sentence where that failed.

    A new one is for its owner alone, as a reply can be; one that is replaced keeps its mode. No folder is made: one
    that is not there is rather a slip.
    """
    if not os.path.isdir(path.parent):  # noqa: PTH112 - a name that is none is no folder, and raises nothing
        return f"cannot write {path}: there is no folder {path.parent}; choose another path"
    return told(lambda: (write_atomic if replacing else write_new)(path, content))


def refuse_unwritable(path: Path) -> None:
    """Raise where ``write_atomic`` would, as far as that can be told beforehand; no folder would be made for it."""
    with telling("write", path):
        target = real(path)
        if not target.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        with suppress(FileNotFoundError):
            refuse_all_but_files(target.lstat())
            refuse_protected(target)


def is_private(path: Path) -> bool:
    """Whether nobody but this user, its owner, can read or change the file."""
    with telling("check", path):
        found = path.lstat()
        refuse_all_but_files(found)
        refuse_others(found, writing=False)
    return os.name == "nt" or not found.st_mode & 0o077  # Windows has no such bits: the user's folder protects the file


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
    with telling("lock", beside):
        descriptor = open_file(beside, os.O_RDWR | os.O_CREAT)
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
    if isinstance(error, Unfit):
        return str(error)
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
