"""Whether bytes are UTF-8, found out in steps and without a copy of them as characters."""

from __future__ import annotations

from codecs import utf_8_decode
from collections.abc import Iterator
from typing import Final

from rpcexplorer.jsontext.slices import Text

STEP: Final = 1024 * 1024
"""Bytes that are looked at in one go: a millisecond at most."""


def fault(text: Text) -> int | None:
    """The offset of the first byte that belongs to no character, if there is one."""
    return next((at for at in faults(text) if at is not None), None)


def faults(text: Text, *, cut: bool = False) -> Iterator[int | None]:
    """Look for it in steps, None for each that finds nothing. ``cut``: half a character at the very end is no fault."""
    at = 0
    while at < len(text):
        piece = bytes(text[at : at + STEP])
        final = at + len(piece) == len(text)
        try:
            read = len(piece) if piece.isascii() else utf_8_decode(piece, "strict", final and not cut)[1]
        except UnicodeDecodeError as error:
            yield at + error.start
            return
        yield None
        if final:
            return
        at += read
