"""What is to be changed in a text, and how to change it so that JSON stays JSON."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

_JSON_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[^\s\[\]{}",:]++', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)


class Edit(NamedTuple):
    """A stretch of a text, and what is put in its place."""

    start: int
    end: int
    put: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    at, parts = 0, []
    for start, end, put in edits:
        parts += [text[at:start], put]
        at = end
    return "".join([*parts, text[at:]])


def outside(settled: Sequence[Edit], secrets: Iterable[Edit]) -> Iterator[Edit]:
    """The parts of the secrets that lie in nothing that is settled."""
    first = 0
    for start, end, put in secrets:
        at = start
        first, inside = _touching(settled, first, start, end)
        for edit in inside:
            if at < edit.start:
                yield Edit(at, edit.start, put)
            at = edit.end
        if at < end:
            yield Edit(at, end, put)


def inside_tokens(text: str, pieces: Sequence[Edit]) -> Iterator[Edit]:
    """The edits that leave JSON valid: within strings up to whole escapes, numbers as a whole, punctuation never."""
    first = 0
    for token in _JSON_TOKEN.finditer(text):
        first, touching = _touching(pieces, first, *token.span())
        if touching and token[0][0] != '"':
            yield Edit(*token.span(), f'"{touching[0].put}"')
        elif touching:
            yield from _inside_string(text, token.start() + 1, token.end() - 1, touching)


def _touching(edits: Sequence[Edit], first: int, start: int, end: int) -> tuple[int, list[Edit]]:
    """The edits from the number `first` on that overlap with a stretch, after the number of the first of them."""
    while first < len(edits) and edits[first].end <= start:
        first += 1
    after = first
    while after < len(edits) and edits[after].start < end:
        after += 1
    return first, list(edits[first:after])


def _inside_string(text: str, start: int, end: int, pieces: Iterable[Edit]) -> Iterator[Edit]:
    escapes = [escape.span() for escape in _ESCAPE.finditer(text, start, end)]
    at = start
    for piece in pieces:
        first = _escape_around(escapes, max(piece.start, at))[0]
        last = _escape_around(escapes, min(piece.end, end))[1]
        if first < last:
            yield Edit(first, last, piece.put)
            at = last


def _escape_around(escapes: Sequence[tuple[int, int]], at: int) -> tuple[int, int]:
    """The escape that `at` is inside of; `at` itself where there is none."""
    number = bisect_left(escapes, (at, 0)) - 1
    return escapes[number] if number >= 0 and escapes[number][1] > at else (at, at)
