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
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from heapq import merge
from math import inf
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import NamedTuple

from rpcexplorer.storage.blockfile import COMMENTS, newest_first, split
from rpcexplorer.storage.blocks import HEADER, is_sealed
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


class Passed(NamedTuple):
    """A stretch of a file that was looked through."""

    time: bytes
    """That of the oldest block in it."""
    stretch: bytes
    entries: int
    """So many of its blocks came as entries."""


Probe = Callable[[bytes], list[bytes]]
"""Takes the blocks out of a stretch that may be wanted, and leaves them in their order; ``split`` takes all."""


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


def entries(folder: Path, wanted: Probe = split, reach: float = inf) -> Iterator[Entry]:
    """Every block that may be wanted, newest first, as far as ``steps`` come."""
    return (step for step in steps(folder, wanted, reach) if step is not None)


def steps(folder: Path, wanted: Probe, reach: float = inf) -> Iterator[Entry | None]:
    """Every block of every writer that may be wanted, newest first; one that lies in two copies of a file comes once.

    None comes whenever a stretch was looked through, that one can stop also where nothing is found; and it ends when
    ``reach`` bytes were.
    """
    # what was torn comes last among equals: its block may have been written again elsewhere, whole
    streams = [*(_written_by(folder, writer, wanted) for writer in writers(folder)), *map(_torn, torn_files(folder))]
    last = None
    for entry in _settled(_within(reach, merge(*streams, key=attrgetter("time"), reverse=True))):
        if entry is None:
            yield None
        elif (entry.raw, entry.harm) != last:
            last = entry.raw, entry.harm
            yield entry


def _written_by(folder: Path, writer: str, wanted: Probe) -> Iterator[Entry | Passed]:
    seen: set[tuple[int, int]] = set()
    for path in files_of(folder, writer):
        try:
            with telling("read", path), suppress(FileNotFoundError), opened(path, os.O_RDONLY) as file:
                found = os.fstat(file)
                if (found.st_dev, found.st_ino) not in seen:
                    seen.add((found.st_dev, found.st_ino))
                    yield from _in_file(file, found, writer, path, wanted)
        except FileTrouble as trouble:
            yield Entry(NEWEST, writer, path, b"", trouble.sentence)


def _in_file(file: int, found: os.stat_result, writer: str, path: Path, wanted: Probe) -> Iterator[Entry | Passed]:
    moment, at_end = NEWEST, True
    for stretch in newest_first(file, found.st_size):
        blocks = [raw for raw in wanted(stretch) if raw.strip()]
        for raw in reversed(blocks):
            torn = at_end and _is_torn(raw, stretch)
            at_end = False
            if torn and time.time() - found.st_mtime < UNFINISHED:
                continue  # it is being written at this moment
            spelled = TIME.search(raw) or TIME.search(stretch, stretch.rfind(raw) + len(raw))
            yield Entry(spelled[1] if spelled else moment, writer, path, raw, TORN if torn else "")
        oldest = TIME.search(stretch)
        moment = oldest[1] if oldest else moment
        at_end = at_end and not stretch.strip()
        yield Passed(moment, stretch, len(blocks))


def _is_torn(raw: bytes, stretch: bytes) -> bool:
    """Whether a block of the stretch at a file's end is the last one, and has no end."""
    return stretch.rstrip().endswith(raw.rstrip()) and not is_sealed(raw) and not COMMENTS.fullmatch(raw)


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


def _within(reach: float, stream: Iterable[Entry | Passed]) -> Iterator[Entry | Passed]:
    """A stream as far as so many bytes of files go."""
    for one in stream:
        yield one
        if isinstance(one, Passed):
            reach -= len(one.stretch)
            if reach <= 0:
                return


def _settled(stream: Iterable[Entry | Passed]) -> Iterator[Entry | None]:
    """Put a stream in order that is nearly so; None for every stretch that it passed."""
    held: list[tuple[bytes, int, Entry]] = []
    read = 0
    for one in stream:
        if isinstance(one, Passed):
            read += one.stretch.count(HEADER) - one.entries if held else 0  # counting takes as long as searching
        else:
            read += 1
            insort_left(held, (one.time, read, one), key=itemgetter(0))
        while held and (len(held) > WINDOW or read - held[-1][1] >= WINDOW):
            yield held.pop()[2]
        if isinstance(one, Passed):
            yield None
    yield from (entry for _, _, entry in reversed(held))
