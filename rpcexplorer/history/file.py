"""One file of records: appended, read back, repaired."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from rpcexplorer.files.io import (
    PRIVATE_FILE,
    Unfit,
    append_or_undo,
    file_errors,
    free_aside,
    is_ours,
    names,
    opened,
    prepared,
    read_bytes,
    read_span,
    size_words,
    write_all,
    write_private,
)
from rpcexplorer.history.record import BOM, HEADER
from rpcexplorer.model.settings import MIB
from rpcexplorer.patterns import regex

APPENDING = os.O_RDWR | os.O_CREAT | os.O_APPEND
GROUP_READS, GROUP_WRITES = 0o040, 0o020
CHUNK = 64 * 1024
STEP = MIB
"""Most bytes of one read, so that readers can stop in between."""
OVERLAP = 4096
"""Bytes read twice, because a boundary may lie across two reads."""
LARGEST = 32 * MIB
"""Most bytes of a block. A response has at most a sixth by default."""
FILE = 8 * MIB
TAIL = 64
"""Bytes at the end of a file that show whether its last block is complete."""
WHOLE = regex(rb'\nend = "[0-9a-f]{8}"\r?\n\r?\n\Z')
"""The end of a block as this program writes it; only a block that was edited or torn ends differently."""
END_LINE = rb"""[ \t]*end[ \t]*=[ \t]*["'][0-9a-f]{8}["'][ \t]*(?:\#[^\n]*|\r)?(?=\n|\Z)"""
HEADER_LINE = rb"[ \t]*\[\[[ \t]*call[ \t]*\]\][ \t]*(?:\#[^\n]*|\r)?(?=\n|\Z)"
"""Both match edited lines, too, because an edited block is not torn."""
LAST_END = regex(rb".*\n" + END_LINE, re.DOTALL)
LAST_HEADER = regex(rb".*(?:\n|\A(?:\xef\xbb\xbf)?)(?=" + HEADER_LINE + rb")", re.DOTALL)
"""This and ``LAST_END`` are greedy, so that they find the last one."""
OURS = regex(rb"(?:\n|\A(?:\xef\xbb\xbf)?)" + HEADER_LINE)
NOTHING = b" \t\r\n\0"
"""Bytes that an empty file may contain: a power cut can leave zeros."""
FOREIGN = "it is not an rpcexplorer history file, so it was not changed. Move it, or choose another folder"
CASES = "+cases"
"""Suffix of a writer for imported cases. No user or host name contains it."""
EVENTS = "+events"
"""Suffix of a writer for events, which are never among calls."""
TORN_FILE = regex(r"[^.].*\.toml\.torn-\d+", re.DOTALL)
"""The name of the copy of an incomplete block, such as ``ada@laptop.toml.torn-1``."""
BOUNDARY = regex(
    rb'\n(?:end = "[0-9a-f]{8}"[ \t]*\r?\n(?:[ \t]*\r?\n)*+'  # after an end and its blank lines
    rb"|(?=" + HEADER_LINE + rb"))"  # before a header, if the end above it is damaged
)


def append(folder: Path, writer: str, blocks: bytes, *, when: datetime, rotate_at: int, shared: bool) -> None:
    """Add blocks to the file of a writer with one write, or none of them.

    A file that would grow past ``rotate_at`` is renamed by the time ``when``. The file is not flushed to the disk,
    because that takes a hundred times as long. The next append moves a torn end to another file.
    """
    path, full = current(folder, writer), rotated(folder, writer, when)
    with file_errors("write", path):
        with opened(path, APPENDING) as file:
            size, gap = _repaired(file, path, blocks)
            if shared and not size:
                _let_group_read(file, folder)
            if not size or size + len(blocks) <= rotate_at or os.path.lexists(full):
                append_or_undo(file, gap + blocks, size)
                return
        path.rename(full)
        with opened(path, APPENDING) as file:
            if shared:
                _let_group_read(file, folder)
            append_or_undo(file, blocks, 0)


def _let_group_read(file: int, folder: Path) -> None:
    """Let a group that can write in the folder read a new file."""
    if folder.stat().st_mode & GROUP_WRITES:
        os.fchmod(file, PRIVATE_FILE | GROUP_READS)


def newest_first(read: Callable[[int, int], bytes], size: int, largest: int = LARGEST) -> Iterator[bytes]:
    """Yield a file from its end, in stretches of whole blocks.

    ``read`` returns a span of the file. An empty stretch follows each step without a boundary, so that the reader can
    stop. More than ``largest`` bytes without a boundary end it with ``Unfit``: a file may contain only zeros.
    """
    held = b""
    unread, step = size, CHUNK
    while unread:
        start = max(0, unread - step)
        fresh = read(start, unread)
        held, unread = fresh + held, start
        boundary = BOUNDARY.search(held, 0, len(fresh) + OVERLAP) if start else None
        if boundary and boundary.end() < len(held):
            yield held[boundary.end() :]
            held, step = held[: boundary.end()], CHUNK
        elif len(held) > largest:
            raise Unfit(f"{size_words(len(held))} or more of it contain no call. Remove that part to see older calls")
        elif start:
            yield b""
            step = min(2 * step, STEP)
    if held:
        yield held


def split(content: bytes) -> list[bytes]:
    """Return the blocks of a text, with what is between them."""
    cuts = [0, *(boundary.end() for boundary in BOUNDARY.finditer(content)), len(content)]
    return [content[start:end] for start, end in pairwise(cuts)]


def rewrite(
    path: Path,
    change: Callable[[bytes], bytes],
    locked: Callable[[], AbstractContextManager[None]],
    most: int = FILE + 2 * LARGEST,
) -> int:
    """Replace each block by what ``change`` returns; return how many changed.

    Other blocks stay byte for byte, damaged ones too. An empty file is removed. The file is ``locked`` only while it is
    replaced, and keeps blocks that were appended meanwhile. A file of more than ``most`` bytes is refused.
    """
    while True:
        version, content = _version(path), _content(path, most) or b""
        blocks = split(content)
        changed = [change(block) if block.strip() else block for block in blocks]
        number = sum(before is not after for before, after in zip(blocks, changed, strict=True))
        if not number:
            return 0
        with (
            file_errors("write", path),
            # The mode is kept, but no other user gets write access.
            prepared(path, after := b"".join(changed), PRIVATE_FILE | (path.lstat().st_mode & GROUP_READS)) as beside,
            locked(),
        ):
            added = b""
            if _version(path) != version:
                now = read_bytes(path, most)
                if now is None or not now.startswith(content):
                    continue  # Another program also changed the file: start again.
                added = now[len(content) :]
            if not after.strip() and not added.strip():
                path.unlink()
            else:
                with opened(beside, os.O_WRONLY | os.O_APPEND) as file:
                    write_all(file, added)
                beside.replace(path)
            return number


def _version(path: Path) -> tuple[int, int, int] | None:
    with file_errors("read", path), suppress(FileNotFoundError):
        found = path.lstat()
        return found.st_ino, found.st_size, found.st_mtime_ns
    return None


def _content(path: Path, most: int) -> bytes | None:
    with file_errors("write", path), suppress(FileNotFoundError):
        if not is_ours(path.lstat(), writing=True):
            raise Unfit("it belongs to another user, and only that user can change it")
    return read_bytes(path, most)


def _repaired(file: int, path: Path, blocks: bytes) -> tuple[int, bytes]:
    """Cut off a torn end; return the size, and a prefix for new blocks."""
    size = os.fstat(file).st_size
    if not size:
        return size, b""
    if not read_span(file, 0, min(size, TAIL)).startswith(HEADER) and not _is_ours(read_span(file, 0, min(size, STEP))):
        raise Unfit(FOREIGN)
    if WHOLE.search(read_span(file, max(0, size - TAIL), size)):
        return size, b""
    good, torn = _torn(file, size, max(LARGEST, len(blocks)))
    if torn.strip() and torn.strip() not in blocks:  # Else it will be written again, complete.
        write_private(free_aside(path, "torn"), torn.lstrip(b"\r\n"))
    os.ftruncate(file, good)
    return good, b"\n\n" if good else b""


def _is_ours(beginning: bytes) -> bool:
    """Return whether a file with this beginning is a history, or empty."""
    if OURS.search(beginning):
        return True
    if len(beginning) >= STEP:
        return False
    return HEADER.startswith(beginning.strip(NOTHING)) or is_comment(beginning)


def is_comment(text: bytes) -> bool:
    """Return whether a text has only comments of the user, and blank lines."""
    lines = [line.strip() for line in text.removeprefix(BOM).splitlines()]
    return all(line.startswith(b"#") for line in lines if line)


def _torn(file: int, size: int, most: int) -> tuple[int, bytes]:
    """Return the end of the last complete block, and the bytes after it.

    Only the last block can be torn, because the blocks above it were complete.
    """
    step = CHUNK
    while True:
        start = max(0, size - step)
        tail = read_span(file, start, size)
        ends = [found.end() for found in (LAST_END.match(tail), LAST_HEADER.match(tail)) if found]
        if ends or not start:
            good = max(ends, default=0)
            if is_comment(tail[good:]):
                good = len(tail)
            return start + len(tail[:good].rstrip()), tail[good:]
        if step > most:
            raise Unfit(f"its last {size_words(step)} contain no call. Move it to another folder")
        step *= 2


def this_writer() -> str:
    """Return the names of the user and the machine, safe for a file name."""
    import getpass  # Most commands do not need it.

    user = "somebody"
    with suppress(KeyError, OSError, ImportError):
        user = getpass.getuser() or user
    host = os.environ.get("COMPUTERNAME", "") if sys.platform == "win32" else os.uname().nodename
    parts = (user, host.partition(".")[0])
    return "@".join(re.sub(r"[^A-Za-z0-9_-]", "-", part)[:40] or "-" for part in parts)


def current(folder: Path, writer: str) -> Path:
    return folder / f"{writer}.toml"


def rotated(folder: Path, writer: str, when: datetime) -> Path:
    return folder / f"{writer}.{when.astimezone(UTC):%Y%m%dT%H%M%S}{when.microsecond // 1000:03}Z.toml"


def writers(listed: Iterable[str]) -> list[str]:
    written = (name for name in listed if name.endswith(".toml") or TORN_FILE.fullmatch(name))
    return sorted({name.partition(".")[0] for name in written} - {""})


def full_files(listed: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in sorted(listed, reverse=True):
        if name.endswith(".toml") and name.count(".") > 1:
            found.setdefault(name.partition(".")[0], []).append(name)
    return found


def files_of(folder: Path, writer: str) -> Iterator[Path]:
    """Yield a writer's files, newest first.

    The folder is listed after the first file was read, so that a file that is renamed meanwhile is not missed.
    """
    yield current(folder, writer)
    yield from (folder / name for name in full_files(names(folder)).get(writer, ()))


def holds_events(name: str) -> bool:
    return name.partition(".")[0].endswith(EVENTS)


def holds_calls(name: str) -> bool:
    return not holds_events(name)


def torn_files(listed: Iterable[str]) -> list[str]:
    return [name for name in sorted(listed, reverse=True) if TORN_FILE.fullmatch(name)]
