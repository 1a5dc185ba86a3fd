"""The files of a history folder, and their blocks merged into one story, newest first.

Each user on each host writes one file, ``<writer>.toml``, which moves to ``<writer>.<time>.toml`` when it is full.
Nobody writes to another's file, so a folder can be shared by whatever copies files. Nothing is written here.
"""

from __future__ import annotations

import os
import re
import sys
import time
from bisect import insort_left
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from heapq import merge
from pathlib import Path
from typing import NamedTuple

from rpcexplorer.storage.blockfile import COMMENTS, newest_first
from rpcexplorer.storage.blocks import is_sealed
from rpcexplorer.storage.files import LOCK_SECONDS, FileTrouble, names, opened, read_bytes, telling

TIME = re.compile(rb"\ntime = ([^\r\n]*)")
NEWEST = b"~"
"""Sorts above every time: for what stands at the end of a file without one."""

TORN_FILE = re.compile(r"[^.].*\.toml\.torn-\d+", re.DOTALL)
TORN = "it was torn while it was written"
UNFINISHED = LOCK_SECONDS
"""Seconds for which a block without its end may still be on its way: nobody writes for longer."""

WINDOW = 64
"""Calls are written when they end and shown by when they began; so many may overtake one another."""


class Entry(NamedTuple):
    """One block where it lies, not yet read."""

    time: bytes
    """As it is spelled in the block; where there is none, that of the block that was written next."""
    writer: str
    file: Path
    raw: bytes
    harm: str = ""
    """Why it is no whole block and is only shown: it was torn, or is a file that cannot be read."""


def this_writer() -> str:
    """The user and host of this process, as they can stand in a file's name."""
    import getpass  # only here: most commands start without it

    user = "somebody"
    with suppress(KeyError, OSError, ImportError):  # a user without a name, as in some containers
        user = getpass.getuser()
    if sys.platform == "win32":
        host = os.environ.get("COMPUTERNAME", "")
    else:
        host = os.uname().nodename
    return "@".join(re.sub(r"[^A-Za-z0-9_-]", "-", part)[:40] or "-" for part in (user, host.partition(".")[0]))


def current(folder: Path, writer: str) -> Path:
    """The file that a writer adds to."""
    return folder / f"{writer}.toml"


def rotated(folder: Path, writer: str, when: datetime) -> Path:
    """Where a full file goes: the name says that all in it came before ``when``."""
    return folder / f"{writer}.{when.astimezone(UTC):%Y%m%dT%H%M%S}{when.microsecond // 1000:03}Z.toml"


def writers(folder: Path) -> list[str]:
    """Everyone who has written in this folder."""
    return sorted({name.partition(".")[0] for name in names(folder) if name.endswith(".toml")} - {""})


def files_of(folder: Path, writer: str) -> Iterator[Path]:
    """A writer's files, newest first. The full ones are looked for after the first was dealt with.

    So one that fills up meanwhile comes twice and is never missed.
    """
    yield current(folder, writer)
    full = (name for name in names(folder) if name.startswith(f"{writer}.") and name.endswith(".toml"))
    yield from (folder / name for name in sorted(full, reverse=True) if name != f"{writer}.toml")


def torn_files(folder: Path) -> list[Path]:
    """Where torn blocks were kept; newest first."""
    return [folder / name for name in sorted(names(folder), reverse=True) if TORN_FILE.fullmatch(name)]


def entries(folder: Path) -> Iterator[Entry]:
    """Every block of every writer, newest first; one that lies in two copies of a file comes once."""
    # what was torn comes last among equals: its block may have been written again elsewhere, whole
    streams = [*(_written_by(folder, writer) for writer in writers(folder)), *map(_torn, torn_files(folder))]
    last = None
    for entry in _settled(merge(*streams, key=_moment, reverse=True)):
        if (entry.raw, entry.harm) != last:
            yield entry
        last = entry.raw, entry.harm


def _written_by(folder: Path, writer: str) -> Iterator[Entry]:
    seen: set[tuple[int, int]] = set()
    for path in files_of(folder, writer):
        try:
            with telling("read", path), suppress(FileNotFoundError), opened(path, os.O_RDONLY) as file:
                found = os.fstat(file)
                if (found.st_dev, found.st_ino) not in seen:
                    seen.add((found.st_dev, found.st_ino))
                    yield from _in_file(file, found, writer, path)
        except FileTrouble as trouble:
            yield Entry(NEWEST, writer, path, b"", trouble.sentence)


def _in_file(file: int, found: os.stat_result, writer: str, path: Path) -> Iterator[Entry]:
    moment = NEWEST
    for number, raw in enumerate(newest_first(file, found.st_size)):
        torn = number == 0 and not is_sealed(raw) and not COMMENTS.fullmatch(raw)
        if torn and time.time() - found.st_mtime < UNFINISHED:
            continue  # it is being written at this moment
        spelled = TIME.search(raw)
        moment = spelled[1] if spelled else moment
        yield Entry(moment, writer, path, raw, TORN if torn else "")


def _torn(path: Path) -> Iterator[Entry]:
    """What an append has cut off and moved to a file of its own."""
    writer = path.name.partition(".")[0]
    try:
        raw = read_bytes(path)
    except FileTrouble as trouble:
        yield Entry(NEWEST, writer, path, b"", trouble.sentence)
        return
    if raw:
        spelled = TIME.search(raw)
        yield Entry(spelled[1] if spelled else b"", writer, path, raw, TORN)


def _settled(stream: Iterable[Entry]) -> Iterator[Entry]:
    """Put a stream in order that is nearly so."""
    held: list[Entry] = []
    for entry in stream:
        insort_left(held, entry, key=_moment)
        if len(held) > WINDOW:
            yield held.pop()
    yield from reversed(held)


def _moment(entry: Entry) -> bytes:
    return entry.time
