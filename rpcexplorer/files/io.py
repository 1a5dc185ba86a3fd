"""Reading and writing files safely, with advice for each error."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from heapq import nlargest
from itertools import count
from pathlib import Path

from rpcexplorer.model.problem import UserError
from rpcexplorer.model.settings import MIB

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PRIVATE_FILE = 0o600
NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
ALWAYS = sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "O_BINARY"))
"""No child inherits the file, no pipe blocks, no device becomes the terminal, and Windows keeps line ends."""
WRITING = os.O_WRONLY | os.O_RDWR
KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)
LEAST, PIECE = 4096, MIB
"""Bytes to read at once, whatever size the file claims to have. A buffer of 1 MiB for a small file takes 90 µs."""


ORDINARY_FILE = 0o666
"""Mode of a new file, before the umask."""
ABANDONED = 3600.0
"""Seconds after which a half-written file has no writer any more."""
PRIVATE_FOLDER = 0o700
WRITTEN_BY_PEOPLE = MIB
"""Largest file that people write, in bytes: ten thousand lines of TOML."""
KEPT = 64 * MIB
"""Largest file that only this program writes, in bytes."""
LOCK_SECONDS = 2.0
LOCK_PAUSE = 0.002
"""Seconds between two tries to get a lock."""
ADVICE: dict[int, tuple[str, str]] = {
    errno.ENOSPC: ("the disk is full", "Free some space"),
    errno.EDQUOT: ("your disk quota is used up", "Free some space"),
    errno.EROFS: ("the file system is read-only", "Choose another folder"),
    errno.EACCES: ("permission denied", "Check the owner and mode of the file and of its folder"),
    errno.EPERM: ("the operation is not permitted", "Check the owner and mode of the file and of its folder"),
    errno.ENOENT: ("it does not exist", "Check the path"),
    errno.EEXIST: ("it already exists", "Choose another name"),
    errno.EISDIR: ("it is a folder", "Name a file"),
    errno.ENOTDIR: ("a part of the path is a file", "Check the path"),
    errno.ELOOP: ("it is a symbolic link, which rpcexplorer does not follow here", "Replace it with the file itself"),
    errno.ENXIO: ("it is a pipe, a socket or a device", "Name a regular file"),
    errno.ENAMETOOLONG: ("the name is too long", "Choose a shorter one"),
    errno.EIO: ("the disk reports an error", "Check the disk"),
    errno.EFBIG: ("the file would become too large", "Move it to another folder"),
    errno.EMFILE: ("too many files are open", "Close other programs and try again"),
    errno.ENFILE: ("too many files are open", "Close other programs and try again"),
    errno.ENOLCK: ("the file system has no locks", "Choose a folder on a local disk"),
    errno.ENOTSUP: ("the file system does not support this", "Choose a folder on a local disk"),
}


class Unfit(ValueError):  # noqa: N818 - it reads as what it is where it is raised
    """Why a file is not used, and what to do: the end of a sentence."""


@contextmanager
def opened(path: Path, flags: int = os.O_RDONLY, *, links: bool = False, others: bool = False) -> Iterator[int]:
    descriptor = open_file(path, flags, links=links, others=others)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def open_file(path: Path, flags: int, *, links: bool = False, others: bool = False) -> int:
    """Open an ordinary file, or create a private one.

    ``links``: the path may be a link, as for files that users write. ``others``: the owner may be another user.
    """
    if links or not NOFOLLOW:  # Opening a device can already have an effect.
        refuse_all_but_files(path.stat() if links else path.lstat())
    descriptor = os.open(path, flags | ALWAYS | (0 if links else NOFOLLOW), PRIVATE_FILE)
    try:
        found = os.fstat(descriptor)
        refuse_all_but_files(found)
        if not others:
            refuse_others(found, writing=bool(flags & WRITING))
        if flags & WRITING and found.st_nlink > 1:
            raise Unfit("it has a second hard link, which would change too. Replace it with a copy")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def refuse_others(found: os.stat_result, *, writing: bool) -> None:
    if not is_ours(found, writing=writing):
        raise Unfit("it belongs to another user. Move it, or choose another folder")


def is_ours(found: os.stat_result, *, writing: bool) -> bool:
    """Return whether a file belongs to this user; root may read all files."""
    if os.name != "posix":
        return True
    user = os.geteuid()
    return found.st_uid == user or (user == 0 and not writing)


def read_span(descriptor: int, start: int, end: int) -> bytes:
    os.lseek(descriptor, start, os.SEEK_SET)
    end = min(end, os.fstat(descriptor).st_size)  # os.read allocates all the memory that the caller asks for.
    pieces = []
    while start < end and (piece := os.read(descriptor, end - start)):
        pieces.append(piece)
        start += len(piece)
    return b"".join(pieces)


def read_whole(descriptor: int, most: int) -> bytes:
    """Read a whole file; raise ``Unfit`` if it is longer than ``most``."""
    size = os.fstat(descriptor).st_size
    if size > most:
        raise Unfit(f"it is too large, {size_words(size)} (limit {size_words(most)}). Shorten it")
    pieces, left = [], most + 1
    while piece := os.read(descriptor, min(max(size, LEAST), left, PIECE)):
        pieces.append(piece)
        left -= len(piece)
        if not left:  # The file grows meanwhile, or its size is reported as 0.
            raise Unfit(f"it is too large (limit {size_words(most)}). Shorten it")
    return b"".join(pieces)


def size_words(size: int) -> str:
    return f"{size / MIB:,.0f} MiB" if size >= MIB else f"{size:,} bytes"


def refuse_all_but_files(found: os.stat_result) -> None:
    if stat.S_ISREG(found.st_mode):
        return
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    kind = next((words for is_kind, words in KINDS if is_kind(found.st_mode)), "not a file")
    raise Unfit(f"it is {kind}. Name a regular file")


def replace(path: Path, text: str | bytes, mode: int | None) -> None:
    """Replace a file in one step; a failure leaves it unchanged.

    Without a ``mode`` it gets the mode of a new file. A read-only file is left alone, although the folder would allow
    it to be replaced.
    """
    with prepared(path, text if isinstance(text, bytes) else text.encode(), mode) as temporary:
        temporary.replace(path)


@contextmanager
def prepared(path: Path, content: bytes, mode: int | None) -> Iterator[Path]:
    """Yield the new file, complete on the disk, until it replaces ``path``."""
    refuse_protected(path)
    # Files of killed writers may contain a secret that was to be forgotten.
    left = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{8}}\.tmp")
    with suppress(OSError):
        for other in path.parent.iterdir():
            if left.fullmatch(other.name) and other.lstat().st_mtime < time.time() - ABANDONED:
                other.unlink()
    temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOFOLLOW | ALWAYS
    descriptor = os.open(temporary, flags, ORDINARY_FILE if mode is None else PRIVATE_FILE)
    try:
        try:
            if mode is not None and sys.platform != "win32":
                os.fchmod(descriptor, mode)
            write_all(descriptor, content)
            os.fsync(descriptor)  # Otherwise a power cut could leave the new name without content.
        finally:
            os.close(descriptor)
        yield temporary
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_all(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def refuse_protected(path: Path) -> None:
    with suppress(FileNotFoundError):
        if not path.lstat().st_mode & stat.S_IWUSR:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


class FileError(UserError):
    """A file could not be read or written."""


class LockedError(FileError):
    """Another process held the lock for too long."""


@contextmanager
def file_errors(action: str, path: Path) -> Iterator[None]:
    """Raise a ``FileError`` with advice instead of an OSError."""
    try:
        yield
    except OSError as error:
        system = (error.strerror or type(error).__name__).lower()
        why, advice = ADVICE.get(error.errno or 0, (system, "Check the path and the disk"))
        raise FileError(f"cannot {action} {path}: {why}. {advice}") from error
    except ValueError as error:
        why = "invalid file name. Choose another one"  # A path with a NUL or a lone surrogate.
        if isinstance(error, Unfit):
            why = str(error)
        elif isinstance(error, UnicodeDecodeError):
            why = f"byte {error.start} is not UTF-8. Save the file as UTF-8"
        elif isinstance(error, UnicodeEncodeError):
            why = "it contains half a character (a lone surrogate). Remove it"
        raise FileError(f"cannot {action} {path}: {why}") from error


def read_bytes(path: Path, most: int = KEPT, *, links: bool = False, others: bool = False) -> bytes | None:
    """Read a file of at most ``most`` bytes; None if it does not exist.

    It must belong to this user and not be a link, unless ``others`` and ``links`` allow it.
    """
    with (
        file_errors("read", path),
        suppress(FileNotFoundError),
        opened(path, links=links, others=others) as file,
    ):
        return read_whole(file, most)
    return None


def decoded(path: Path, content: bytes) -> str:
    with file_errors("read", path):
        return content.decode("utf-8-sig")


def read_source(path: Path) -> str:
    """Return the text of a file that people write; it may be a link, and belong to others."""
    content = read_bytes(path, WRITTEN_BY_PEOPLE, links=True, others=True)
    if content is None:
        with file_errors("read", path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    return decoded(path, content)


def real(path: Path) -> Path:
    """Return the path behind symbolic links."""
    with file_errors("find", path):
        return Path(os.path.realpath(path))  # Path.resolve raises RuntimeError for a loop.


def aside(path: Path, word: str) -> Iterator[Path]:
    """Yield paths next to a file: ``a.toml.damaged-1``, then ``-2`` …."""
    return (path.with_name(f"{path.name}.{word}-{number}") for number in count(1))


def free_aside(path: Path, word: str) -> Path:
    return next(side for side in aside(path, word) if not os.path.lexists(side))


def may_change(path: Path) -> bool:
    with file_errors("check", path), suppress(FileNotFoundError):
        return is_ours(path.lstat(), writing=True)
    return True


def refuse_links(folder: Path, base: Path) -> None:
    """Raise unless a folder is inside ``base``, without links on the way."""
    with file_errors("use", folder):
        if not folder.is_relative_to(base) or ".." in (inside := folder.relative_to(base)).parts:
            raise Unfit(f"it is not inside {base}. Choose a folder inside it")
        for part in (*reversed(inside.parents), inside):
            place = base / part
            if place != base and os.path.lexists(place) and stat.S_ISLNK(place.lstat().st_mode):
                raise Unfit(
                    f"{place} is a symbolic link, which rpcexplorer does not follow here. Name the folder itself"
                )


def private_folder(path: Path) -> None:
    """Create a folder and its parents, readable only by their owner."""
    with file_errors("create", path):
        missing = [path] if not path.is_dir() else []
        while missing and not missing[-1].parent.is_dir():
            missing.append(missing[-1].parent)
        for folder in reversed(missing):
            with suppress(FileExistsError):  # Another process may create it at the same time.
                folder.mkdir(mode=PRIVATE_FOLDER)
        if not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


def write_private(path: Path, text: str | bytes) -> None:
    """Replace a file in one step by one that only its owner can read."""
    private_folder(path.parent)
    with file_errors("write", path):
        replace(path, text, PRIVATE_FILE)


def write_new(path: Path, text: str | bytes) -> None:
    with file_errors("write", path):
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    write_private(path, text)


def output_file(path: Path, folder: Path) -> Path:
    """Return the file behind the links of a path that the user named; raise if they lead out of its folder.

    Someone else may have put them there. A path in the working ``folder`` must stay in it, so that a checkout chooses
    no place outside.
    """
    target, named = real(path), Path(os.path.abspath(path))  # noqa: PTH100 - links stay
    base = folder if named.is_relative_to(folder) else named.parent
    if not target.is_relative_to(real(base)):
        raise FileError(f"cannot write {path}: a link there leads out of {base}, to {target}. Name that file instead")
    return target


def write_output(path: Path, folder: Path, content: bytes) -> None:
    """Replace a file that the user named, in one step; a new one is private, because a response can be."""
    write_atomic(output_file(path, folder), content, private=True)


def write_atomic(path: Path, text: str | bytes, *, private: bool = False) -> None:
    """Replace a file of the user in one step; keep its mode.

    A symbolic link stays: its target is replaced. A new file that is ``private`` is readable only by its owner.
    """
    with file_errors("write", path):
        target = real(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = PRIVATE_FILE if private else None
        with suppress(FileNotFoundError):
            found = target.lstat()
            refuse_all_but_files(found)
            mode = stat.S_IMODE(found.st_mode)
        replace(target, text, mode)


def save_as(path: Path, folder: Path, content: bytes, *, replacing: bool) -> str:
    """Write a file that the user named; return why that failed.

    No folder is created: a missing one is a typo.
    """
    if not os.path.isdir(path.parent):  # noqa: PTH112 - a name that is none is no folder, and raises nothing
        return str(_no_folder(path))
    if replacing:
        return error_of(lambda: write_output(path, folder, content))
    return error_of(lambda: write_new(output_file(path, folder), content))


def _no_folder(path: Path) -> FileError:
    return FileError(f"cannot write {path}: there is no folder {path.parent}. Choose another path")


def refuse_unwritable(path: Path, folder: Path) -> None:
    """Raise the errors of ``write_output`` that are known before writing."""
    target = output_file(path, folder)
    with file_errors("write", path):
        if not target.parent.is_dir():
            raise _no_folder(path)
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        with suppress(FileNotFoundError):
            refuse_all_but_files(target.lstat())
            refuse_protected(target)


def is_private(path: Path) -> bool:
    with file_errors("check", path):
        found = path.lstat()
        refuse_all_but_files(found)
        refuse_others(found, writing=False)
    # Windows has no such bits: the user's folder protects the file.
    return os.name == "nt" or not found.st_mode & 0o077


@contextmanager
def lock(
    path: Path,
    seconds: float = LOCK_SECONDS,
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[None]:
    """Keep other processes out; raise ``LockedError`` after some seconds.

    The lock is a hidden file next to ``path``, which may be replaced meanwhile. It is not removed: another process may
    just have opened it.
    """
    lock_file = path.with_name(f".{path.name}.lock")
    with file_errors("lock", lock_file):
        descriptor = open_file(lock_file, os.O_RDWR | os.O_CREAT)
    try:
        until = clock() + seconds
        while not _locked(descriptor, lock_file):
            if clock() >= until:
                raise LockedError(f"cannot lock {path}: another process has been writing for {seconds:g} s. Try again")
            sleep(LOCK_PAUSE)
        yield
    finally:
        with suppress(OSError):  # Closing the file releases the lock anyway.
            os.close(descriptor)


def append_or_undo(descriptor: int, content: bytes, size: int) -> None:
    try:
        write_all(descriptor, content)
    except BaseException:
        with suppress(OSError):  # The next append finds the incomplete end and moves it aside.
            os.ftruncate(descriptor, size)
        raise


def _locked(descriptor: int, path: Path) -> bool:
    with file_errors("lock", path), suppress(BlockingIOError, PermissionError):
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def error_of(action: Callable[[], object]) -> str:
    """Return the sentence of the ``FileError`` of an action, or nothing."""
    try:
        action()
    except FileError as error:
        return error.sentence
    return ""


def names(folder: Path) -> list[str]:
    with file_errors("read", folder), suppress(FileNotFoundError):
        return [path.name for path in folder.iterdir()]
    return []


def toml_files(folder: Path) -> list[Path]:
    try:
        return [folder / name for name in names(folder) if name.endswith(".toml")]
    except FileError:
        return []


def changed_last(folder: Path, most: int, files: dict[str, str]) -> list[str]:
    if len(files) <= most:
        return list(files.values())
    with file_errors("read", folder):
        moments = [(_changed(f"{folder}/{name}"), found) for name, found in files.items()]
    return [found for _, found in nlargest(most, moments)]


def sizes(folder: Path, wanted: Callable[[str], bool]) -> list[int]:
    with file_errors("read", folder), suppress(FileNotFoundError), os.scandir(folder) as found:
        return [
            entry.stat(follow_symlinks=False).st_size
            for entry in found
            if wanted(entry.name) and entry.is_file(follow_symlinks=False)
        ]
    return []


def _changed(path: str) -> float:
    try:
        return os.lstat(path).st_mtime
    except FileNotFoundError:
        return 0.0
