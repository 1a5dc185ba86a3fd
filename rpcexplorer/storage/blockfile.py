"""A file of blocks: one is added at its end, they are read from its end, some are taken out or changed.

Where a block begins and ends is known here, and how a file is mended whose last block was torn; what a block says is
not. Whoever appends holds the lock, whoever rewrites for a moment; readers need none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from itertools import pairwise
from pathlib import Path

from rpcexplorer.storage.files import append_or_undo, aside, opened, read_bytes, read_span, telling, write_private
from rpcexplorer.storage.replacing import PRIVATE_FILE, prepared, write_all

APPENDING = os.O_RDWR | os.O_CREAT | os.O_APPEND

CHUNK = 64 * 1024
TAIL = 64
"""Bytes at a file's end that show whether its last block is whole."""

WHOLE = re.compile(rb'\nend = "[0-9a-f]{8}"\r?\n\r?\n\Z')
END_LINE = rb"""[ \t]*end[ \t]*=[ \t]*["'][0-9a-f]{8}["'][ \t]*(?:\#[^\n]*|\r)?(?=\n|\Z)"""
HEADER_LINE = rb"[ \t]*\[\[[ \t]*call[ \t]*\]\][ \t]*(?:\#[^\n]*|\r)?(?=\n|\Z)"
"""Both also as people and formatters spell them: what they have touched is not torn."""
LAST_END = re.compile(rb".*\n" + END_LINE, re.DOTALL)
LAST_HEADER = re.compile(rb".*(?:\n|\A(?:\xef\xbb\xbf)?)(?=" + HEADER_LINE + rb")", re.DOTALL)
COMMENTS = re.compile(rb"(?:[ \t]*(?:\#[\t\x20-\x7e\x80-\xff]*)?(?:\r?\n|\Z))*")
BOUNDARY = re.compile(
    rb'\n(?:end = "[0-9a-f]{8}"[ \t]*\r?\n(?:[ \t]*\r?\n)*'  # behind an end and its blank lines,
    rb"|(?=" + HEADER_LINE + rb"))"  # and before a beginning, where the end above it is damaged
)


def append(path: Path, blocks: bytes, *, rotate_at: int, rotated: Path) -> None:
    """Add blocks with one write, or none of them. A file that would grow past ``rotate_at`` moves to ``rotated``.

    It is not flushed to the disk: that costs a hundred times as much as all the rest, and only a power cut could
    tell the difference. A torn end that it leaves is moved aside by the next append.
    """
    with telling("write", path):
        with opened(path, APPENDING) as file:
            size, gap = _mended(file, path, blocks)
            if not size or size + len(blocks) <= rotate_at or rotated.exists():
                append_or_undo(file, gap + blocks, size)
                return
        path.rename(rotated)
        with opened(path, APPENDING) as file:
            append_or_undo(file, blocks, 0)


def newest_first(file: int, size: int) -> Iterator[bytes]:
    """An open file from its end, in stretches of whole blocks and whatever stands between them."""
    unread, held, step = size, b"", CHUNK
    while unread:
        start = max(0, unread - step)
        held = read_span(file, start, unread) + held
        unread = start
        first = BOUNDARY.search(held)
        if unread == 0:
            yield held
        elif first and first.end() < len(held):
            yield held[first.end() :]
            held, step = held[: first.end()], CHUNK
        else:
            step *= 2  # a long block: reading it in equal steps would take the square of its length


def split(content: bytes) -> list[bytes]:
    """Cut at the boundaries of blocks; joined, the pieces are the content again."""
    cuts = [0, *(match.end() for match in BOUNDARY.finditer(content)), len(content)]
    return [content[start:end] for start, end in pairwise(cuts)]


def rewrite(path: Path, change: Callable[[bytes], bytes], locked: Callable[[], AbstractContextManager[None]]) -> int:
    """Replace each block by what ``change`` makes of it, in one step; how many came out changed.

    All others stay as they are, byte for byte, damaged ones too. A file with nothing left in it is removed. It is
    ``locked`` only while the new file takes its place: what was appended meanwhile is taken along.
    """
    while True:
        version, content = _version(path), read_bytes(path) or b""
        blocks = split(content)
        changed = [change(block) if block.strip() else block for block in blocks]
        number = sum(before is not after for before, after in zip(blocks, changed, strict=True))
        if not number:
            return 0
        with telling("write", path), prepared(path, after := b"".join(changed), PRIVATE_FILE) as beside, locked():
            added = b"" if _version(path) == version else _added(path, content)
            if added is None:
                continue  # somebody else has changed it too
            if not after.strip() and not added.strip():
                path.unlink()
            else:
                with opened(beside, os.O_WRONLY | os.O_APPEND) as file:
                    write_all(file, added)
                beside.replace(path)
            return number


def _version(path: Path) -> tuple[int, int, int] | None:
    """Whenever a file was changed, this was too; None where there is none."""
    with telling("read", path), suppress(FileNotFoundError):
        found = path.stat()
        return found.st_ino, found.st_size, found.st_mtime_ns
    return None


def _added(path: Path, before: bytes) -> bytes | None:
    """What was added to a file that once held ``before``; None where more has become of it."""
    now = read_bytes(path)
    return now[len(before) :] if now is not None and now.startswith(before) else None


def _mended(file: int, path: Path, blocks: bytes) -> tuple[int, bytes]:
    """Make sure that the last block is whole: the file's size then, and what must go ahead of the next ``blocks``."""
    size = os.fstat(file).st_size
    if not size or WHOLE.search(read_span(file, max(0, size - TAIL), size)):
        return size, b""
    good, torn = _torn(file, size)
    if torn.strip() and torn.strip() not in blocks:  # else it is about to be written once more, whole
        _set_aside(path, torn.lstrip(b"\r\n"))
    os.ftruncate(file, good)
    return good, b"\n\n" if good else b""


def _torn(file: int, size: int) -> tuple[int, bytes]:
    """Where the last block that was written whole ends, and what comes behind it.

    Only the last block can be torn: what stands above its header was once whole, whatever became of it since.
    """
    step = CHUNK
    while True:
        start = max(0, size - step)
        tail = read_span(file, start, size)
        ends = [found.end() for found in (LAST_END.match(tail), LAST_HEADER.match(tail)) if found]
        if ends or not start:
            good = max(ends, default=0)
            if comments := COMMENTS.match(tail, good):  # which no program writes
                good = comments.end()
            return start + len(tail[:good].rstrip()), tail[good:]
        step *= 2


def _set_aside(path: Path, torn: bytes) -> None:
    """Keep what is cut off, in a file of its own."""
    write_private(next(side for side in aside(path, "torn") if not side.exists()), torn)
