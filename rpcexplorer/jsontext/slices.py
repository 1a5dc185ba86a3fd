"""Large JSON text in slices that can be read one after the other."""

from __future__ import annotations

from codecs import utf_8_decode
from collections.abc import Iterator
from itertools import accumulate
from typing import Final, NamedTuple, TypeAlias

SLICE: Final = 128 * 1024
"""Bytes, about 1 ms of work; more if there is no place to cut."""
LEVELS: Final = 64
"""Brackets that may be open at a cut, because each slice repeats them."""
Text: TypeAlias = bytes | memoryview
"""A text, or a view of a part of a large one."""
_QUOTE = b'"'
_ESCAPES = 12  # Bytes of the longest escape, a pair of surrogates.
_SIGNS = b'"[]{}'
_NO_SIGNS = bytes(set(range(256)) - set(_SIGNS))
_CLOSERS = bytes.maketrans(b"[{", b"]}")
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


class Slice(NamedTuple):
    start: int
    end: int
    before: bytes
    """The open brackets at its start, then a quote if it starts in a string."""
    after: bytes
    """The open brackets at its end, then a quote if it ends in a string."""
    depth: int
    """Depth of its deepest value; beyond ``LEVELS`` it may be deeper."""

    def value(self, text: Text) -> bytes:
        """Return the slice as a complete value."""
        return opening(self.before) + bytes(text[self.start : self.end]) + closing(self.after)


def slices(text: Text, size: int | None = None) -> Iterator[Slice]:
    """Yield all slices; text that is not JSON may be a single one.

    Between two slices there is a comma or a cut string.
    """
    size = size or SLICE
    start, before, reach = 0, b"", size
    while start + reach < len(text):
        found = cut(bytes(text[start : start + reach]), before)
        if found is None:
            reach *= 2
        else:
            length, after, depth = found
            yield Slice(start, start + length, before, after, depth)
            start, before, reach = start + length + (not in_string(after)), after, size
    _, depth = _nest(before, _unescaped(bytes(text[start:])))
    yield Slice(start, len(text), before, b"", depth)


def in_string(open_there: bytes) -> bool:
    return open_there.endswith(_QUOTE)


def opening(open_there: bytes) -> bytes:
    """Return the start of a value with these brackets open.

    Members get an empty name.
    """
    value = open_there.replace(b"{", b'{"":')
    if open_there.endswith(b"{"):
        return value.removesuffix(b'"":')
    return value


def closing(open_there: bytes) -> bytes:
    return open_there.translate(_CLOSERS)[::-1]


def cut(piece: bytes, before: bytes) -> tuple[int, bytes, int] | None:
    """Return the last place to cut a piece, the brackets there, its depth."""
    plain = _unescaped(piece)
    starts_inside = in_string(before)
    at = plain.rfind(b",")
    while at > 0 and (plain.count(_QUOTE, 0, at) + starts_inside) % 2:  # The offset is in a string.
        at = plain.rfind(b",", 0, max(plain.rfind(_QUOTE, 0, at), 0))
    open_string = b""
    if at <= 0:
        at, open_string = _cut_in_string(piece, plain, before), _QUOTE
    if at <= 0:
        return None
    after, depth = _nest(before, plain[:at])
    is_balanced = not after.strip(b"[{") and len(after) <= LEVELS
    if not is_balanced or not (after or open_string):
        return None
    return at, after + open_string, depth


def _cut_in_string(piece: bytes, plain: bytes, before: bytes) -> int:
    """Return a place to cut the string at the end of a piece.

    It is a value, and the place is far enough from any escape.
    """
    if (plain.count(_QUOTE) + in_string(before)) % 2 == 0:
        return 0
    quote = plain.rfind(_QUOTE)
    if quote >= 0:
        ahead = plain[:quote].rstrip()
        if _nest(before, ahead)[0].endswith(b"{") and not ahead.endswith(b":"):  # The string is a name.
            return 0
    at, least = len(piece), max(quote + 1, len(piece) // 2)
    while at > least and b"\\" in piece[max(at - _ESCAPES, 0) : at]:
        at -= _ESCAPES
    return at if at > least else 0


def _unescaped(piece: bytes) -> bytes:
    """Replace escapes, so that each quote opens or closes a string.

    The length stays the same.
    """
    if b"\\" not in piece:
        return piece
    return piece.replace(rb"\\", b"  ").replace(rb"\"", b"  ")


def _brackets(plain: bytes) -> bytes:
    # Text between quotes stays between quotes without a pair.
    signs = plain.translate(None, _NO_SIGNS).replace(b'""', b"")
    return b"".join(signs.split(b'"')[::2])


def _nest(before: bytes, plain: bytes) -> tuple[bytes, int]:
    """Return the open brackets after a text, and the depth up to ``LEVELS``."""
    quote = _QUOTE if in_string(before) else b""
    rest = brackets = before.removesuffix(_QUOTE) + _brackets(quote + plain)
    for rounds in range(LEVELS + 1):
        fewer = rest.replace(b"[]", b"").replace(b"{}", b"")
        if len(fewer) == len(rest):
            at_most = len(rest) + 2 * rounds  # Each round removes two levels at most.
            return rest, at_most if at_most <= LEVELS else _depth(brackets)
        rest = fewer
    return rest, LEVELS + 1


def _depth(brackets: bytes) -> int:
    """Return the depth of brackets, counted up to just beyond ``LEVELS``."""
    depth = deepest = 0
    for start in range(0, len(brackets), SLICE):  # A single call would stop all threads meanwhile.
        levels = [*accumulate(map(_STEP.__getitem__, brackets[start : start + SLICE]), initial=depth)]
        depth, deepest = levels[-1], max(deepest, *levels)
        if deepest > LEVELS:
            break
    return deepest


STEP: Final = 1024 * 1024
"""Bytes to check at a time: a millisecond at most."""


def fault(text: Text) -> int | None:
    """Return the offset of the first byte that is not UTF-8, or None."""
    return next((at for at in faults(text) if at is not None), None)


def faults(text: Text, *, cut: bool = False) -> Iterator[int | None]:
    """Search it in steps; yield None for each step without a fault.

    ``cut``: an incomplete character at the very end is not a fault.
    """
    at = 0
    while at < len(text):
        piece = bytes(text[at : at + STEP])
        final = at + len(piece) == len(text)
        try:
            read = len(piece)
            if not piece.isascii():
                read = utf_8_decode(piece, "strict", final and not cut)[1]
        except UnicodeDecodeError as error:
            yield at + error.start
            return
        yield None
        if final:
            return
        at += read
