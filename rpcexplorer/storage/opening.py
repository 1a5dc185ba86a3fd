"""How a file is opened: never so that it waits, not through a link, and only if it is an ordinary file of ours.

What lies in a folder may have been put there by somebody else: a link to a file of the person, a pipe that never ends,
gigabytes of nothing. So whatever is opened is looked at by its descriptor before a byte of it is used, and what is
read has a limit. Nothing is caught here; files.py says in words what stood in the way.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rpcexplorer.model.settings import MIB

PRIVATE_FILE = 0o600
NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
ALWAYS = sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "O_BINARY"))
WRITING = os.O_WRONLY | os.O_RDWR
KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)
LEAST, PIECE = 4096, MIB
"""Bytes that are asked for at once, whatever size the file says it has."""


class Unfit(ValueError):  # noqa: N818 - it reads as what it is where it is raised
    """Why a file is not used, and what to do about it: the end of a sentence."""


@contextmanager
def opened(path: Path, flags: int = os.O_RDONLY, *, links: bool = False, others: bool = False) -> Iterator[int]:
    """A file's descriptor for as long as it is needed; see ``open_file``."""
    descriptor = open_file(path, flags, links=links, others=others)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def open_file(path: Path, flags: int, *, links: bool = False, others: bool = False) -> int:
    """The descriptor of an ordinary file. One that this creates is private from the start.

    ``links``: it may lie elsewhere, as people keep what they write themselves. ``others``: it may be somebody else's.
    """
    if links or not NOFOLLOW:  # to open a device can do something already
        refuse_all_but_files(path.stat() if links else path.lstat())
    descriptor = os.open(path, flags | ALWAYS | (0 if links else NOFOLLOW), PRIVATE_FILE)
    try:
        found = os.fstat(descriptor)
        refuse_all_but_files(found)
        if not others:
            refuse_others(found, writing=bool(flags & WRITING))
        if flags & WRITING and found.st_nlink > 1:
            raise Unfit("it has a second name, whose content would change as well; put a copy in its place")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def refuse_others(found: os.stat_result, *, writing: bool) -> None:
    """Raise ``Unfit`` for a file that is not this user's."""
    if not is_ours(found, writing=writing):
        raise Unfit("it belongs to somebody else; move it away, or choose another folder")


def is_ours(found: os.stat_result, *, writing: bool) -> bool:
    """Whether a file is this user's. Root may read everybody's, and writes to nobody else's."""
    if os.name != "posix":
        return True
    user = os.geteuid()
    return found.st_uid == user or (user == 0 and not writing)


def read_span(descriptor: int, start: int, end: int) -> bytes:
    """The bytes from ``start`` to ``end``, fewer where the file ends before."""
    os.lseek(descriptor, start, os.SEEK_SET)
    end = min(end, os.fstat(descriptor).st_size)  # memory for all that is asked for is taken first
    pieces = []
    while start < end and (piece := os.read(descriptor, end - start)):
        pieces.append(piece)
        start += len(piece)
    return b"".join(pieces)


def read_whole(descriptor: int, most: int) -> bytes:
    """All of a file, unless it is longer than ``most``: then ``Unfit``, and little of it was read."""
    size = os.fstat(descriptor).st_size
    if size > most:
        raise Unfit(f"it has {told_size(size)}, and no more than {told_size(most)} are read; make it smaller")
    pieces, left = [], most + 1
    while piece := os.read(descriptor, min(max(size, LEAST), left, PIECE)):
        pieces.append(piece)
        left -= len(piece)
        if not left:  # it grows meanwhile, or is one that says of itself that it is empty
            raise Unfit(f"no more than {told_size(most)} of it are read; make it smaller")
    return b"".join(pieces)


def told_size(size: int) -> str:
    return f"{size / MIB:,.0f} MiB" if size >= MIB else f"{size:,} bytes"


def refuse_detours(folder: Path, base: Path) -> None:
    """Raise ``Unfit`` where a folder does not lie inside ``base``, or a link is on the way to it from there."""
    if not folder.is_relative_to(base) or ".." in (inside := folder.relative_to(base)).parts:
        raise Unfit(f"it does not lie inside {base}; name a folder there")
    for part in (*reversed(inside.parents), inside):
        place = base / part
        if place != base and os.path.lexists(place) and stat.S_ISLNK(place.lstat().st_mode):
            raise Unfit(f"{place} is a symbolic link, which is not followed here; name the folder itself")


def refuse_all_but_files(found: os.stat_result) -> None:
    """Raise where it is not an ordinary file."""
    if stat.S_ISREG(found.st_mode):
        return
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    kind = next((words for is_kind, words in KINDS if is_kind(found.st_mode)), "no file")
    raise Unfit(f"it is {kind}; name an ordinary file")
