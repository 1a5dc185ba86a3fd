"""What a key does in JSON beyond putting its character in: pairs of brackets and quotes, indents.

Also which brackets belong together. Pure: lines and a place go in, a change comes out. Nothing that was typed is ever
lost, except what a person rubs out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from msgspec import Struct

RowColumn: TypeAlias = tuple[int, int]
"""Row and column, both from 0."""
INDENT: Final = 2
LONGEST: Final = 100_000
"""Characters; in a longer line or text no pair is looked for, so that typing does not wait."""
FARTHEST: Final = 5_000
"""Lines that are searched for the other bracket of a pair."""
RUB_OUT: Final = "\b"
_CLOSERS: Final = {"{": "}", "[": "]"}
_OPENERS: Final = {"}": "{", "]": "["}
KEYS: Final = frozenset('{}[]"\n\b')
"""The characters with a meaning of their own."""
_BEFORE_BREAK = " \t,:]}"
"""What may follow a pair that opens here: anything else would be taken in by it."""
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*+"?')
_CLOSED_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"')
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"?|([\[\]{}])')


class Stroke(Struct, frozen=True):
    """A text in place of a range, and where the cursor stands afterwards."""

    start: RowColumn
    end: RowColumn
    text: str
    cursor: RowColumn

    @property
    def moves_only(self) -> bool:
        return self.start == self.end and not self.text


def stroke(lines: Sequence[str], place: RowColumn, key: str) -> Stroke | None:
    """What a key does at a place; None where it does what it does in any text."""
    row, column = place
    line = lines[row]
    if len(line) > LONGEST:
        return None
    before, after = line[:column], line[column:]
    if key == RUB_OUT:
        return _rub_out(lines, place, before, after)
    if key == '"':
        return _quote(place, before, after)
    if in_string(before):
        return None
    if key == "\n":
        return _break(place, before, after)
    if key in _CLOSERS:
        return _open(lines, place, after, key)
    return _close(lines, place, before, after, key)


def in_string(before: str) -> bool:
    """Whether a string is open at the end of what stands before on the line; strings end with their line."""
    return '"' in before and '"' in _CLOSED_STRING.sub("", before)


def _quote(place: RowColumn, before: str, after: str) -> Stroke | None:
    """Open a string with its end at once, or step over the end that is there."""
    if in_string(before):
        escaped = (len(before) - len(before.rstrip("\\"))) % 2
        return _step(place) if after.startswith('"') and not escaped else None
    beside_a_word = before[-1:].isalnum() or before[-1:] in {"_", '"'}
    return None if beside_a_word or after[:1] not in _BEFORE_BREAK else _pair(place, '""')


def _open(lines: Sequence[str], place: RowColumn, after: str, key: str) -> Stroke | None:
    """A bracket with its closer, unless one is waiting already."""
    return _pair(place, key + _CLOSERS[key]) if after[:1] in _BEFORE_BREAK and _lacking(lines, key) >= 0 else None


def _close(lines: Sequence[str], place: RowColumn, before: str, after: str, key: str) -> Stroke | None:
    """Step over the closer that is there already, perhaps on the next line; else go back a level on a blank line."""
    row, column = place
    wanted = _lacking(lines, _OPENERS[key]) > 0
    if not wanted and after.startswith(key):
        return _step(place)
    if after.strip():
        return None
    if not wanted and (there := _waiting(lines, row + 1, key)):
        if before.strip():
            return Stroke(place, place, "", (there[0], there[1] + 1))
        return Stroke((row, 0), (there[0], 0), "", (row, there[1] + 1))
    if before.strip() or not before:
        return None
    start = row, max(column - INDENT, 0)
    return Stroke(start, place, key, (row, start[1] + 1))


def _break(place: RowColumn, before: str, after: str) -> Stroke:
    """A new line with the indent of the old one, or one more after a bracket; its closer gets a line of its own."""
    row, column = place
    opener, rest = before.rstrip()[-1:], after.lstrip()
    indent = before[: len(before) - len(before.lstrip())]
    end = row, column + len(after) - len(rest)
    deeper = indent + " " * INDENT * (opener in _CLOSERS)
    closing = f"\n{indent}" if rest and _CLOSERS.get(opener) == rest[0] else ""
    return Stroke(place, end, f"\n{deeper}{closing}", (row + 1, len(deeper)))


def _rub_out(lines: Sequence[str], place: RowColumn, before: str, after: str) -> Stroke | None:
    """Both of an empty pair, or a level of indent."""
    row, column = place
    both = before[-1:] + after[:1]
    if both in {"{}", "[]", '""'} and not in_string(before[:-1]):
        alone = both != '""' and _lacking(lines, both[0]) > 0
        return None if alone else Stroke((row, column - 1), (row, column + 1), "", (row, column - 1))
    if len(before) > 1 and not before.strip(" "):
        start = row, (column - 1) // INDENT * INDENT
        return Stroke(start, place, "", start)
    return None


def _step(place: RowColumn) -> Stroke:
    return Stroke(place, place, "", (place[0], place[1] + 1))


def _pair(place: RowColumn, text: str) -> Stroke:
    return Stroke(place, place, text, (place[0], place[1] + 1))


def _waiting(lines: Sequence[str], row: int, closer: str) -> RowColumn | None:
    """Where a closer is the next thing that stands below."""
    while row < len(lines) and not lines[row].strip():
        row += 1
    if row == len(lines) or not lines[row].lstrip().startswith(closer):
        return None
    return row, len(lines[row]) - len(lines[row].lstrip())


def _lacking(lines: Sequence[str], opener: str) -> int:
    """How many brackets of a kind lack their closer; below 0, how many closers there are too many."""
    if sum(map(len, lines)) > LONGEST:
        return 0
    bare = _STRING.sub("", "\n".join(lines))
    return bare.count(opener) - bare.count(_CLOSERS[opener])


def pair_at(lines: Sequence[str], place: RowColumn) -> tuple[RowColumn, RowColumn] | None:
    """The bracket at a place, or else just before it, and the one that belongs to it."""
    row, column = place
    for at in (column, column - 1):
        char = lines[row][at : at + 1] if at >= 0 else ""
        if (char in _CLOSERS or char in _OPENERS) and (at, char) in _brackets(lines[row]):
            other = _other(lines, (row, at), 1 if char in _CLOSERS else -1)
            return ((row, at), other) if other else None
    return None


def _other(lines: Sequence[str], place: RowColumn, way: int) -> RowColumn | None:
    """The bracket that belongs to the one at a place, downwards or upwards."""
    row, column = place
    open_ones: list[str] = []
    last = min(max(row + way * FARTHEST, -1), len(lines))
    for at in range(row, last, way):
        for where, char in _brackets(lines[at])[::way]:
            if at == row and (where - column) * way < 0:
                continue
            if (char in _CLOSERS) == (way > 0):
                open_ones.append(char)
            elif {open_ones.pop(), char} not in ({"{", "}"}, {"[", "]"}):
                return None
            elif not open_ones:
                return at, where
    return None


@lru_cache(1024)
def _brackets(line: str) -> tuple[tuple[int, str], ...]:
    """The brackets of a line that stand in no string, each with its column."""
    if len(line) > LONGEST:
        return ()
    return tuple((found.start(), found[1]) for found in _BRACKET.finditer(line) if found[1])
