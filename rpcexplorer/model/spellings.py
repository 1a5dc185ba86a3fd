r"""How a value may be spelled in text: raw, escaped in JSON of any depth, quoted in a URL, as base64, as hex.

What lives here makes patterns, nothing else. Backslashes are taken in whole runs, and only from where a run starts,
so that no text makes a search slow.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

RUN: Final = r"(?<!\\\\)\\*+"
"""After a first backslash: it has no other before it; then the rest of the run."""

_SHORT = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}
_REQUOTED = "(?:25)*"  # after a percent sign: the text may have been quoted more than once


class Spelling(NamedTuple):
    """A pattern in parts, so that many can be searched for at once by how they begin."""

    first: str
    """The character it begins with, as it is."""
    pieces: tuple[str, ...]
    """Regular expressions for what follows."""


def spellings(value: str) -> Iterator[Spelling]:
    """All patterns for a value."""
    plain = value.encode("utf-8", "surrogatepass")
    yield from written(value)
    yield from _base64(plain)
    yield from _hex(plain)


def written(value: str) -> Iterator[Spelling]:
    """The value character by character: each raw, or as JSON or a URL would escape it."""
    first, *others = _split(value)
    rest = [_anywhere(piece) for piece in others]
    for start in _at_first(first):
        yield Spelling(start.first, (*start.pieces, *rest))


def continued(value: str) -> list[str]:
    """The same as pieces of a pattern that begins with something else."""
    return [_anywhere(piece) for piece in _split(value)]


def _split(value: str) -> list[str]:
    return re.findall(r"\\+|[^\\]", value)


@lru_cache(maxsize=1024)
def _anywhere(piece: str) -> str:
    """Pattern of one character, or of a run of backslashes, that is not the first."""
    quoted = "|".join(re.escape(way.first) + "".join(way.pieces) for way in _quoted(piece))
    if piece[0] == "\\":
        return rf"(?:\\{{{len(piece)},}}+|(?:\\++u005[cC]){{{len(piece)}}}|{quoted})"
    return rf"(?:\\*+(?:{re.escape(piece)}|{_escapes(piece)})|{quoted})"


def _at_first(piece: str) -> Iterator[Spelling]:
    """The same for the first one, by the characters it can begin with."""
    if piece[0] == "\\":
        more = len(piece) - 1
        yield Spelling("\\", (rf"(?<!\\\\)(?:\\{{{more},}}+|\\*+u005[cC](?:\\++u005[cC]){{{more}}})",))
    else:
        yield Spelling(piece, ())
        yield Spelling("\\", (RUN, f"(?:{_escapes(piece)})"))
    yield from _quoted(piece)


def _escapes(char: str) -> str:
    """What JSON writes after the backslash."""
    units = char.encode("utf-16-be", "surrogatepass")
    spelled = r"\\++".join("u" + _any_case(units[at : at + 2]) for at in range(0, len(units), 2))
    return f"{_SHORT[char]}|{spelled}" if char in _SHORT else spelled


def _quoted(piece: str) -> Iterator[Spelling]:
    """What a URL writes, and what a body holds that is Latin-1 and not UTF-8."""
    yield _percent(piece.encode("utf-8", "surrogatepass"))
    if piece == " ":
        yield Spelling("+", ())
    if "\x80" <= piece <= "\xff":
        yield _percent(piece.encode("latin-1"))
        yield Spelling(chr(0xDC00 + ord(piece)), ())


def _percent(plain: bytes) -> Spelling:
    first, *others = (f"{_REQUOTED}{_any_case(bytes([byte]))}" for byte in plain)
    return Spelling("%", (first, *("%" + other for other in others)))


def _any_case(plain: bytes) -> str:
    """Hexadecimal digits, large or small."""
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in plain.hex())


def _hex(plain: bytes) -> Iterator[Spelling]:
    digits = plain.hex()
    pieces = [f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits[1:]]
    for first in {digits[0], digits[0].upper()}:
        yield Spelling(first, tuple(pieces))


def base64_cores(plain: bytes) -> Iterator[str]:
    """Base64 at each of the three places where a value can stand in a longer text, without what its neighbours decide.

    A sign at the start is left out as well: there are several ways to write one.
    """
    for before in range(3):
        bits = 8 * (before + len(plain))
        encoded = b64encode(bytes(before) + plain + bytes(2)).decode("ascii")
        yield encoded[-(-8 * before // 6) : bits // 6].lstrip("+/")


def _base64(plain: bytes) -> Iterator[Spelling]:
    for core in base64_cores(plain):
        yield Spelling(core[0], tuple(map(_base64_digit, core[1:])))


def _base64_digit(digit: str) -> str:
    """The two alphabets, and how JSON and URLs write what stands out in them."""
    if digit == "+":
        return rf"(?:[-+]|\\++u002[bB]|%{_REQUOTED}2[bB])"
    if digit == "/":
        return rf"(?:_|\\*+(?:/|u002[fF])|%{_REQUOTED}2[fF])"
    return digit
