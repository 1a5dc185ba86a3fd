"""Large JSON text in slices that can be read one after the other."""

from __future__ import annotations

from codecs import utf_8_decode
from collections.abc import Iterator
from itertools import accumulate
from typing import Final, NamedTuple, TypeAlias

SLICE: Final = 128 * 1024
"""Bytes: about a millisecond. A slice is longer only where there is no place to cut it, as in a deep nest."""
LEVELS: Final = 64
"""Brackets that may be open at a cut: what nests deeper is not worth the brackets around every slice."""
Text: TypeAlias = bytes | memoryview
"""A text, or a part of a large one that is not copied."""
_QUOTE = b'"'
_ESCAPES = 12  # bytes of the longest escape, a pair of surrogates
_SIGNS = b'"[]{}'
_NO_SIGNS = bytes(set(range(256)) - set(_SIGNS))
_CLOSERS = bytes.maketrans(b"[{", b"]}")
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


class Slice(NamedTuple):
    start: int
    end: int
    before: bytes
    """The brackets that are open where it starts, and behind them a quote where it starts inside a string."""
    after: bytes
    """What is open where it ends."""
    depth: int
    """How deep the deepest value in it is, those around it counted; beyond ``LEVELS`` it may be deeper."""

    def value(self, text: Text) -> bytes:
        """The slice as a value of its own, if the text is JSON."""
        return opening(self.before) + bytes(text[self.start : self.end]) + closing(self.after)


def slices(text: Text, size: int | None = None) -> Iterator[Slice]:
    """All slices in turn; between two of them there is a comma or a cut string. What is no JSON may come in one."""
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
    """The beginning of a value in which this is open; members have an empty name."""
    return open_there.replace(b"{", b'{"":')[: -3 if open_there.endswith(b"{") else None]


def closing(open_there: bytes) -> bytes:
    return open_there.translate(_CLOSERS)[::-1]


def cut(piece: bytes, before: bytes) -> tuple[int, bytes, int] | None:
    """The last place at which a piece can be cut, what is open there, and how deep it gets up to there."""
    plain = _unescaped(piece)
    starts_inside = in_string(before)
    at = plain.rfind(b",")
    while at > 0 and (plain.count(_QUOTE, 0, at) + starts_inside) % 2:  # it stands in a string
        at = plain.rfind(b",", 0, max(plain.rfind(_QUOTE, 0, at), 0))
    open_string = b""
    if at <= 0:
        at, open_string = _cut_in_string(piece, plain, before), _QUOTE
    if at <= 0:
        return None
    after, depth = _nest(before, plain[:at])
    balanced = not after.strip(b"[{") and len(after) <= LEVELS
    return (at, after + open_string, depth) if balanced and (after or open_string) else None


def _cut_in_string(piece: bytes, plain: bytes, before: bytes) -> int:
    """A place in the string that goes on where a piece ends, if that is a value: well behind any escape."""
    if (plain.count(_QUOTE) + in_string(before)) % 2 == 0:
        return 0
    quote = plain.rfind(_QUOTE)
    if quote >= 0:
        ahead = plain[:quote].rstrip()
        if _nest(before, ahead)[0].endswith(b"{") and not ahead.endswith(b":"):  # it is a name
            return 0
    at, least = len(piece), max(quote + 1, len(piece) // 2)
    while at > least and b"\\" in piece[max(at - _ESCAPES, 0) : at]:
        at -= _ESCAPES
    return at if at > least else 0


def _unescaped(piece: bytes) -> bytes:
    """As long as the piece, but each quote in it opens or closes a string."""
    return piece.replace(rb"\\", b"  ").replace(rb"\"", b"  ") if b"\\" in piece else piece


def _brackets(plain: bytes) -> bytes:
    signs = plain.translate(None, _NO_SIGNS).replace(b'""', b"")  # what is between quotes stays so without a pair
    return b"".join(signs.split(b'"')[::2])


def _nest(before: bytes, plain: bytes) -> tuple[bytes, int]:
    """The brackets that have no partner behind a text, and how deep they all nest; exact up to ``LEVELS``."""
    quote = _QUOTE if in_string(before) else b""
    rest = brackets = before.removesuffix(_QUOTE) + _brackets(quote + plain)
    for rounds in range(LEVELS + 1):
        fewer = rest.replace(b"[]", b"").replace(b"{}", b"")
        if len(fewer) == len(rest):
            at_most = len(rest) + 2 * rounds  # each round takes two levels away at most
            return rest, at_most if at_most <= LEVELS else _depth(brackets)
        rest = fewer
    return rest, LEVELS + 1


def _depth(brackets: bytes) -> int:
    """How deep they nest, counted up to the first that is beyond ``LEVELS``."""
    depth = deepest = 0
    for start in range(0, len(brackets), SLICE):  # a single call would stop all threads for its time
        levels = [*accumulate(map(_STEP.__getitem__, brackets[start : start + SLICE]), initial=depth)]
        depth, deepest = levels[-1], max(deepest, *levels)
        if deepest > LEVELS:
            break
    return deepest


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
