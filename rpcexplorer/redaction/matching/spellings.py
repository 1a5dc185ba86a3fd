r"""How a value may be spelled in text: raw, escaped for JSON of any depth, Python, HTML or a URL, as base64, as hex.

Most of that also in one another: JSON in a URL, a repr in HTML, JSON as base64.
What lives here makes patterns, nothing else. Letters and digits stand for themselves: where they are escaped as well,
they are read first (`escapes.py`). Backslashes are taken in whole runs, and only from where a run starts, so that no
text makes a search slow.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

RUN: Final = r"(?<!\\\\)\\*+"
"""After a first backslash: it has no other before it; then the rest of the run."""
_NEVER_ESCAPED = re.compile(r"[A-Za-z0-9_.~=:-]*")
_SHORT = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}
_REQUOTED = "(?:25)*"  # after a percent sign: the text may have been quoted more than once
_QUOTED_BACKSLASH = rf"{_REQUOTED}5[cC]"
_QUOTED_RUN = rf"(?<!5[cC]%){_QUOTED_BACKSLASH}(?:%{_QUOTED_BACKSLASH})*+"
"""After a first percent sign: a run of backslashes as a URL writes them, from where it starts."""
_AGAIN = rf"(?:amp(?:;|%{_REQUOTED}3[bB])){{0,4}}"
"""Behind an ampersand: it may have been escaped more than once."""
_AMPERSAND = rf"(?:\\*+u0026|%{_REQUOTED}26)"
"""One that is not written as itself."""
_HASH = rf"(?:#|%{_REQUOTED}23)"
_SEMICOLON = rf"(?:;|%{_REQUOTED}3[bB])"
_ZEROS = "0{0,4}"
_BACKSLASH_ENTITY = rf"(?:&|{_AMPERSAND}){_AGAIN}{_HASH}(?:{_ZEROS}92|[xX]{_ZEROS}5[cC]){_SEMICOLON}"
_ESCAPING = rf"(?:\\++|(?:%{_QUOTED_BACKSLASH}|{_BACKSLASH_ENTITY}){{1,16}})"
_BACKSLASHES = f"{_ESCAPING}?"
"""Before a character that is escaped, or need not be."""


class Spelling(NamedTuple):
    """A pattern in parts, so that many can be searched for at once by how they begin."""

    first: str
    """The character it begins with, as it is."""
    pieces: tuple[str, ...]
    """Regular expressions for what follows."""


def spellings(value: str) -> Iterator[Spelling]:
    yield from written(value)
    for core in base64_cores(value):
        yield Spelling(core[0], tuple(map(_base64_digit, core[1:])))
    yield from _hex(value.encode("utf-8", "surrogatepass"))


def written(value: str) -> Iterator[Spelling]:
    """The value character by character: each raw, or as JSON, Python, HTML or a URL would escape it."""
    first, *others = _split(value)
    rest = [_anywhere(piece) for piece in others]
    for start in _at_first(first):
        yield Spelling(start.first, (*start.pieces, *rest))


def continued(value: str) -> list[str]:
    """Pieces for a pattern that begins with something else."""
    return [_anywhere(piece) for piece in _split(value)]


def _is_plain(piece: str) -> bool:
    return piece.isascii() and piece.isalnum()


def _split(value: str) -> list[str]:
    return re.findall(r"\\+|[^\\]", value)


@lru_cache(maxsize=1024)
def _anywhere(piece: str) -> str:
    """Pattern of one character, or of a run of backslashes, that is not the first."""
    if _is_plain(piece):
        return piece
    if piece[0] == "\\":
        many = len(piece)
        coded = rf"(?:\\++(?:u00|x)5[cC]){{{many}}}"
        return rf"(?:\\{{{many},}}+|{coded}|(?:%{_QUOTED_BACKSLASH}|{_BACKSLASH_ENTITY}){{{many},{8 * many}}})"
    again = _AGAIN if piece == "&" else ""
    ways = "|".join(re.escape(way.first) + "".join(way.pieces) for way in _quoted(piece))
    entity = rf"(?:&|{_AMPERSAND}){_entity(piece)}"
    return rf"{_BACKSLASHES}(?:(?:{ways}|{re.escape(piece)}|{_escapes(piece)}){again}|{entity})"


def _at_first(piece: str) -> Iterator[Spelling]:
    """Spellings of the first one, by the characters it can begin with."""
    if _is_plain(piece):
        yield Spelling(piece, ())
        return
    entity = _entity(piece[0])
    if piece[0] == "\\":
        more = len(piece) - 1
        coded = rf"\\*+(?:u00|x)5[cC](?:\\++(?:u00|x)5[cC]){{{more}}}"
        yield Spelling("\\", (rf"(?<!\\\\)(?:\\{{{more},}}+|{coded})",))
        yield Spelling("%", (rf"(?<!5[cC]%){_QUOTED_BACKSLASH}(?:%{_QUOTED_BACKSLASH}){{{more},{8 * more + 8}}}",))
        yield Spelling("&", (rf"{entity}(?:&{entity}){{{more},{8 * more + 8}}}",))
        return
    again = _AGAIN if piece == "&" else ""
    escapes = f"(?:{_escapes(piece)})"
    yield Spelling(piece, (again,) if again else ())
    yield Spelling("\\", (RUN, f"(?:{escapes}{again}|u0026{entity})"))
    yield Spelling("%", (_QUOTED_RUN, escapes + again))
    yield Spelling("%", (f"{_REQUOTED}26{entity}",))
    yield Spelling("&", (entity,))
    for way in _quoted(piece):
        yield Spelling(way.first, (*way.pieces, again) if again else way.pieces)


def _escapes(char: str) -> str:
    """What JSON and Python's repr write after the backslash, the latter of text and of bytes."""
    plain = char.encode("utf-8", "surrogatepass")
    units = char.encode("utf-16-be", "surrogatepass")
    ways = [
        _ESCAPING.join("u" + _any_case(units[at : at + 2]) for at in range(0, len(units), 2)),
        _ESCAPING.join("x" + _any_case(plain[at : at + 1]) for at in range(len(plain))),
    ]
    if "\x80" <= char <= "\xff":
        ways.append("x" + _any_case(char.encode("latin-1")))
    if char > "\uffff":
        ways.append("U" + _any_case(ord(char).to_bytes(4, "big")))
    return "|".join([*([_SHORT[char]] if char in _SHORT else []), *ways])


def _entity(char: str) -> str:
    """What HTML writes after the ampersand."""
    from html.entities import codepoint2name  # a large table, and most runs have nothing to hide

    names = [name for name in (codepoint2name.get(ord(char)), "apos" if char == "'" else None) if name]
    digits = f"{ord(char):x}"
    number = rf"{_HASH}(?:{_ZEROS}{ord(char)}|[xX]{_ZEROS}{_digits(digits)})"
    if char == "&":  # escaped once more, it is itself again
        return rf"(?:{_AGAIN}{number}{_SEMICOLON}{_AGAIN}|(?:amp{_SEMICOLON}){{1,5}})"
    return rf"{_AGAIN}(?:{'|'.join([number, *names])}){_SEMICOLON}"


def _quoted(piece: str) -> Iterator[Spelling]:
    """What a URL writes, and what a body holds that is Latin-1 and not UTF-8."""
    yield _percent(piece.encode("utf-8", "surrogatepass"))
    if piece == " ":
        yield Spelling("+", ())
        yield Spelling("%", (f"{_REQUOTED}2[bB]",))
    if "\x80" <= piece <= "\xff":
        yield _percent(piece.encode("latin-1"))
        yield Spelling(chr(0xDC00 + ord(piece)), ())


def _percent(plain: bytes) -> Spelling:
    first, *others = (f"{_REQUOTED}{_any_case(bytes([byte]))}" for byte in plain)
    return Spelling("%", (first, *("%" + other for other in others)))


def _any_case(plain: bytes) -> str:
    return _digits(plain.hex())


def _digits(digits: str) -> str:
    """Hexadecimal digits, large or small."""
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits)


def _hex(plain: bytes) -> Iterator[Spelling]:
    digits = plain.hex()
    pieces = [_digits(digit) for digit in digits[1:]]
    for first in {digits[0], digits[0].upper()}:
        yield Spelling(first, tuple(pieces))


def base64_cores(value: str) -> Iterator[str]:
    """Base64 at each of the three places where a value can stand in a longer text, without what its neighbours decide.

    A sign at the start is left out as well: there are several ways to write one.
    """
    for plain in dict.fromkeys(_in_longer_texts(value)):
        for before in range(3):
            bits = 8 * (before + len(plain))
            encoded = b64encode(bytes(before) + plain + bytes(2)).decode("ascii")
            yield encoded[-(-8 * before // 6) : bits // 6].lstrip("+/")


def _in_longer_texts(value: str) -> Iterator[bytes]:
    """The value as it stands in what is encoded as a whole: plain, or in JSON as the usual libraries write it."""
    if _NEVER_ESCAPED.fullmatch(value):
        yield value.encode()
        return
    ascii_only, unicode = json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]
    large = re.sub(r"\\u[0-9a-f]{4}", lambda found: "\\u" + found[0][2:].upper(), ascii_only)
    for text in (value, ascii_only, unicode, large):
        yield text.encode("utf-8", "surrogatepass")
        yield text.replace("/", "\\/").encode("utf-8", "surrogatepass")
    for text, signs in ((unicode, "<>&"), (large, "<>&'+`")):  # those that keep JSON fit for HTML
        yield re.sub(f"[{signs}]", lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8", "surrogatepass")
    yield re.sub(r'\\"|[<>&\'+`]', lambda found: f"\\u{ord(found[0][-1]):04X}", large).encode("utf-8", "surrogatepass")
    yield value.encode("latin-1", "ignore") if max(value) <= "\xff" else value.encode("utf-8", "surrogatepass")


def _base64_digit(digit: str) -> str:
    """The two alphabets, and how JSON, HTML and URLs write what stands out in them."""
    if digit == "+":
        return rf"(?:[-+]|\\++u002[bB]|%{_REQUOTED}2[bB]|(?:&|{_AMPERSAND}){_entity(digit)})"
    if digit == "/":
        return rf"(?:_|\\*+(?:/|u002[fF])|%{_REQUOTED}2[fF]|(?:&|{_AMPERSAND}){_entity(digit)})"
    return digit
