"""A file of blocks: one is added at its end, they are read from its end, some are taken out or changed.

Where a block begins and ends is known here, and how a file is mended whose last block was torn; what a block says is
not. Whoever writes holds the lock; readers need none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from itertools import count, pairwise
from pathlib import Path

from rpcexplorer.storage.files import append_or_undo, opened, read_bytes, read_span, telling, write_private

APPENDING = os.O_RDWR | os.O_CREAT | os.O_APPEND

CHUNK = 64 * 1024
TAIL = 64
"""Bytes at a file's end that show whether its last block is whole."""

WHOLE = re.compile(rb'\nend = "[0-9a-f]{8}"\r?\n\r?\n\Z')
LAST_END = re.compile(rb'.*\nend = "[0-9a-f]{8}"(?=[ \t]*\r?(?:\n|\Z))', re.DOTALL)
BOUNDARY = re.compile(
    rb'\n(?:end = "[0-9a-f]{8}"[ \t]*\r?\n(?:[ \t]*\r?\n)*'  # behind an end and its blank lines,
    rb"|(?=\[\[call\]\][ \t]*\r?(?:\n|\Z)))"  # and before a beginning, where the end above it is damaged
)


def append(path: Path, blocks: bytes, *, rotate_at: int, rotated: Path) -> None:
    """Add blocks with one write, or none of them. A file that would grow past ``rotate_at`` moves to ``rotated``.

    It is not flushed to the disk: that costs a hundred times as much as all the rest, and only a power cut could
    tell the difference. A torn end that it leaves is moved aside by the next append.
    """
    with telling("write", path):
        with opened(path, APPENDING) as file:
            size, gap = _mended(file, path)
            if not size or size + len(blocks) <= rotate_at or rotated.exists():
                append_or_undo(file, gap + blocks, size)
                return
        path.rename(rotated)
        with opened(path, APPENDING) as file:
            append_or_undo(file, blocks, 0)


def newest_first(file: int, size: int) -> Iterator[bytes]:
    """The blocks of an open file from its end, and whatever stands between them; blank lines aside."""
    unread, held, step = size, b"", CHUNK
    while unread:
        start = max(0, unread - step)
        held = read_span(file, start, unread) + held
        unread = start
        first, *others = split(held)
        if unread == 0:
            others, held = [first, *others], b""
        elif others:
            held, step = first, CHUNK
        else:
            step *= 2  # a long block: reading it in equal steps would take the square of its length
        yield from (block for block in reversed(others) if block.strip())


def split(content: bytes) -> list[bytes]:
    """Cut at the boundaries of blocks; joined, the pieces are the content again."""
    cuts = [0, *(match.end() for match in BOUNDARY.finditer(content)), len(content)]
    return [content[start:end] for start, end in pairwise(cuts)]


def rewrite(path: Path, change: Callable[[bytes], bytes]) -> int:
    """Replace each block by what ``change`` makes of it, in one step; how many came out changed.

    All others stay as they are, byte for byte, damaged ones too. A file with nothing left in it is removed.
    """
    blocks = split(read_bytes(path) or b"")
    changed = [change(block) if block.strip() else block for block in blocks]
    number = sum(before is not after for before, after in zip(blocks, changed, strict=True))
    if number:
        content = b"".join(changed)
        if content.strip():
            write_private(path, content)
        else:
            with telling("remove", path):
                path.unlink()
    return number


def _mended(file: int, path: Path) -> tuple[int, bytes]:
    """Make sure that the last block is whole: the file's size then, and what must go ahead of the next block."""
    size = os.fstat(file).st_size
    if not size or WHOLE.search(read_span(file, max(0, size - TAIL), size)):
        return size, b""
    good, torn = _torn(file, size)
    if torn.strip():
        _set_aside(path, torn.lstrip(b"\r\n"))
    os.ftruncate(file, good)
    return good, b"\n\n" if good else b""


def _torn(file: int, size: int) -> tuple[int, bytes]:
    """Where the last whole block ends, and what comes behind it."""
    step = CHUNK
    while True:
        start = max(0, size - step)
        tail = read_span(file, start, size)
        if found := LAST_END.match(tail):
            return start + found.end(), tail[found.end() :]
        if not start:
            return 0, tail
        step *= 2


def _set_aside(path: Path, torn: bytes) -> None:
    """Keep what is cut off, in a file of its own that no reader takes for history."""
    sides = (path.with_name(f"{path.name}.torn-{number}") for number in count(1))
    write_private(next(side for side in sides if not side.exists()), torn)
