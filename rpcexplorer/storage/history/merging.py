"""The blocks of a history folder merged into one sequence, newest first, read as far as somebody asks for it.

Which files there are is in files.py, how one is read from its end in blockfile.py. Whatever somebody has put
into the folder, reading it ends: what cannot be read, is too long or too much is told and passed over.
"""

from __future__ import annotations

import os
import re
import time
from bisect import insort_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from heapq import merge
from math import inf
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import NamedTuple

from rpcexplorer.files.io import (
    LOCK_SECONDS,
    FileTrouble,
    Unfit,
    changed_last,
    inodes,
    names,
    opened,
    read_bytes,
    read_span,
    telling,
    told_size,
)
from rpcexplorer.storage.history.blockfile import CHUNK, COMMENTS, LARGEST, newest_first, split
from rpcexplorer.storage.history.blocks import HEADER, is_sealed
from rpcexplorer.storage.history.files import current, full_files, torn_files, writers

TIME = re.compile(rb"\ntime = ([^\r\n]{0,99})")
EARLY = CHUNK
"""Bytes at the beginning of a block in which its time is looked for."""
NEWEST = b"~"
"""Sorts above every time: for what stands at the end of a file without one."""
TORN = "it was torn while it was written"
UNFINISHED = LOCK_SECONDS
"""Seconds for which a block without its end may still be on its way: nobody writes for longer."""
CROWD = 200
"""Beginnings of calls in one stretch that are none, if not one of them has a time."""
WINDOW = 64
"""Calls are written when they end and shown by when they began; so many may overtake one another."""
WAITING = LARGEST
"""Bytes of calls that wait meanwhile, at the most."""
WRITERS = 500
"""Writers, and torn calls, of one folder that are looked at: those that were changed last."""
OPEN = 64
"""Long files that are open at once, at the most: a process cannot have many."""


class RawBlock(NamedTuple):
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
    calls: int
    """So many bytes it has, if there are calls in it."""


Probe = Callable[[bytes], list[bytes]]
"""Takes the blocks out of a stretch that may be wanted, and leaves them in their order; ``split`` takes all."""


def raw_blocks(
    folder: Path, wanted: Probe = split, reach: float = inf, largest: int = LARGEST, own: str = ""
) -> Iterator[RawBlock]:
    """Every block that may be wanted, newest first, as far as ``blocks_in_steps`` come."""
    return (step for step in blocks_in_steps(folder, wanted, reach, largest, own) if step is not None)


def blocks_in_steps(
    folder: Path, wanted: Probe, reach: float = inf, largest: int = LARGEST, own: str = ""
) -> Iterator[RawBlock | None]:
    """Every block of every writer that may be wanted, newest first; one that lies in two copies of a file comes once.

    Of two copies that of the writer ``own`` counts.
    None comes whenever a stretch was looked through, that one can stop also where nothing is found; and it ends when
    ``reach`` bytes of calls were. What is longer than ``largest`` is no block, and is only told.
    """
    last = None
    streams = FolderReader(folder, wanted, largest).streams(own)
    for block in _settled(_within(reach, merge(*streams, key=attrgetter("time"), reverse=True))):
        if block is None:
            yield None
        elif (block.raw, block.harm) != last:
            last = block.raw, block.harm
            yield block


class FolderReader:
    """Reads a folder once: what lay in it at the beginning, and what is wanted of that."""

    def __init__(self, folder: Path, wanted: Probe, largest: int) -> None:
        self._folder, self._wanted, self._largest = folder, wanted, largest
        self._listed = inodes(folder)
        """The files by name, and how each is known when it has another name."""
        self._full = full_files(self._listed)
        self._open = 0
        """How many long files are open."""

    def streams(self, own: str = "") -> list[Iterator[RawBlock | Passed]]:
        """What each writer wrote, and each torn call."""
        every, torn = writers(self._listed), torn_files(self._listed)
        newest = changed_last(self._folder, WRITERS, {f"{writer}.toml": writer for writer in every})
        newest_torn = changed_last(self._folder, WRITERS, {name: name for name in torn})
        # what was torn comes last among equals: its block may have been written again elsewhere, whole
        return [
            *(self._left_out(len(all_), what) for all_, what in ((every, "writers"), (torn, "torn calls"))),
            *map(self._written_by, sorted(newest, key=own.__ne__)),
            *map(self._torn, newest_torn),
        ]

    def _left_out(self, many: int, what: str) -> Iterator[RawBlock]:
        if many > WRITERS:
            told = f"{self._folder} holds files of {many:,} {what}: the newest {WRITERS} are read; move some away"
            yield RawBlock(NEWEST, "", self._folder, b"", told)

    def _written_by(self, writer: str) -> Iterator[RawBlock | Passed]:
        """What one writer wrote. A file that can be read in a moment is closed before anybody sees it."""
        yield Passed(NEWEST, b"", 0, 0)  # whoever looks can stop before each
        seen: set[tuple[int, int]] = set()
        for path in self._files_of(writer, seen):
            content = None
            try:
                with telling("read", path), suppress(FileNotFoundError), opened(path, others=True) as file:
                    found = os.fstat(file)
                    if (found.st_dev, found.st_ino) in seen:
                        continue
                    seen.add((found.st_dev, found.st_ino))
                    if found.st_size <= CHUNK:
                        content = read_span(file, 0, found.st_size)
                    else:
                        yield from self._kept_open(file, found, writer, path)
            except FileTrouble as trouble:
                seen.add((0, self._listed.get(path.name, 0)))  # it is not looked for elsewhere
                yield RawBlock(NEWEST, writer, path, b"", trouble.sentence)
            if content:
                yield from self._in_file(partial(_span_of, content), found, writer, path)

    def _files_of(self, writer: str, seen: set[tuple[int, int]]) -> Iterator[Path]:
        """Like ``files_of``; but the folder is listed again only if a file may have been moved since."""
        first = current(self._folder, writer)
        yield first
        as_listed = {self._listed.get(first.name)} - {None} == {inode for _, inode in seen}
        full = self._full if as_listed else full_files(names(self._folder))
        yield from (self._folder / name for name in full.get(writer, ()))

    def _kept_open(self, file: int, found: os.stat_result, writer: str, path: Path) -> Iterator[RawBlock | Passed]:
        if self._open >= OPEN:
            raise Unfit(f"{OPEN} files of more than {told_size(CHUNK)} are being read already; move some away")
        self._open += 1
        try:
            yield from self._in_file(partial(read_span, file), found, writer, path)
        finally:
            self._open -= 1

    def _in_file(
        self, read: Callable[[int, int], bytes], found: os.stat_result, writer: str, path: Path
    ) -> Iterator[RawBlock | Passed]:
        moment, at_end = NEWEST, True
        called = start = found.st_size

        def reading(begin: int, end: int) -> bytes:
            nonlocal start
            start = begin
            return read(begin, end)

        for read_now in newest_first(reading, found.st_size, self._largest):
            stretch = b"" if read_now.isspace() else read_now
            raws = [raw for raw in self._wanted(stretch) if raw.strip()] if stretch else []
            oldest = TIME.search(stretch)
            crowded = len(raws) > CROWD and not oldest
            raws = [] if crowded else raws
            for raw in reversed(raws):
                torn = at_end and _is_torn(raw, stretch)
                at_end = False
                if torn and time.time() - found.st_mtime < UNFINISHED:
                    continue  # it is being written at this moment
                yield RawBlock(_time_of(raw, stretch, moment), writer, path, raw, TORN if torn else "")
            if oldest:
                moment, called = oldest[1], start
            elif (crowded or called - start > self._largest) and moment:
                told = f"cannot read {path}: {told_size(called - start)} of it and more hold no call; take them out"
                yield RawBlock(moment, writer, path, b"", told)
                moment = b""  # everybody else comes first now
            at_end = at_end and not stretch and bool(moment)
            yield Passed(moment, stretch, len(raws), len(stretch) if oldest else 0)

    def _torn(self, name: str) -> Iterator[RawBlock | Passed]:
        """What an append has cut off and moved to a file of its own. It is read when its time has come."""
        path, writer = self._folder / name, name.partition(".")[0]
        yield Passed(NEWEST, b"", 0, 0)
        moment = b""
        try:
            with telling("read", path), suppress(FileNotFoundError), opened(path, others=True) as file:
                early = TIME.search(read_span(file, 0, EARLY))
                moment = early[1] if early else b""
            yield Passed(moment, b"", 0, 0)
            raw = read_bytes(path, self._largest, others=True)
        except FileTrouble as trouble:
            yield RawBlock(NEWEST, writer, path, b"", trouble.sentence)
            return
        if raw:
            yield RawBlock(moment, writer, path, raw, TORN)


def _span_of(content: bytes, start: int, end: int) -> bytes:
    return content[start:end]


def _time_of(raw: bytes, stretch: bytes, otherwise: bytes) -> bytes:
    """As it is spelled in a block; else in the one below it."""
    if spelled := TIME.search(raw, 0, EARLY):
        return spelled[1]
    below = stretch.rfind(raw) + len(raw)
    spelled = TIME.search(stretch, below, below + EARLY)
    return spelled[1] if spelled else otherwise


def _is_torn(raw: bytes, stretch: bytes) -> bool:
    """Whether a block of the stretch at a file's end is the last one, and has no end."""
    return stretch.rstrip().endswith(raw.rstrip()) and not is_sealed(raw) and not COMMENTS.fullmatch(raw)


def _within(reach: float, stream: Iterable[RawBlock | Passed]) -> Iterator[RawBlock | Passed]:
    """A stream as far as so many bytes of files go."""
    for one in stream:
        yield one
        if isinstance(one, Passed):
            reach -= one.calls
            if reach <= 0:
                return


def _settled(stream: Iterable[RawBlock | Passed]) -> Iterator[RawBlock | None]:
    """Put a stream in order that is nearly so; None for every stretch that it passed."""
    held: list[tuple[bytes, int, RawBlock]] = []
    read = waiting = 0
    for one in stream:
        if isinstance(one, Passed):
            read += one.stretch.count(HEADER) - one.entries if held else 0  # counting takes as long as searching
        else:
            read += 1
            waiting += len(one.raw)
            insort_left(held, (one.time, read, one), key=itemgetter(0))
        last = not one.time  # what follows is older than anything
        while held and (last or len(held) > WINDOW or waiting > WAITING or read - held[-1][1] >= WINDOW):
            waiting -= len(held[-1][2].raw)
            yield held.pop()[2]
        if isinstance(one, Passed):
            yield None
    yield from (block for _, _, block in reversed(held))
