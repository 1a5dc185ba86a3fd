"""JSON with colours, for the editor, the reader and the terminal."""

from __future__ import annotations

import json
import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import Any, Final, Literal, NewType, TypeAlias, cast

import msgspec

from rpcexplorer.jsontext.layout import indented, pieces
from rpcexplorer.jsontext.slices import SLICE, Text, fault, in_string
from rpcexplorer.patterns import regex
from rpcexplorer.text.printable import printable, printable_bytes, readable

Role: TypeAlias = Literal["key", "string", "number", "literal", "punctuation", "error"]
_REST_OF_STRING: Final = r'[^"\\]*+ (?: \\. [^"\\]*+ )*+ (?: " | \\?\Z )'
_STRING = rf"{_REST_OF_STRING} (?P<string>) (?: (?= \s*+ : ) (?P<key>) )?"
"""The last group that took part says which of the two it is."""
_TOKEN = regex(
    rf"""
      " {_STRING}
    | (?P<summary>      (?<= [\[{{] [ ] ) [0-9,]++ [ ] (?: item | member ) s? (?= [ ] [\]}}] ) )
    | (?P<number>       -?[0-9][0-9.eE+-]*+ )
    | (?P<literal>      (?: true | false | null | NaN | -?Infinity ) \b )
    | (?P<punctuation>  [\[\]{{}},:]++ )
    | (?P<error>        [^\s\[\]{{}},:"]++ )
    """,
    re.VERBOSE | re.DOTALL,
)
_REST = regex(_STRING, re.VERBOSE | re.DOTALL)


def tokens(text: str, *, in_string: bool = False) -> Iterator[tuple[int, int, Role]]:
    """Yield start, end and role of each token; blanks are skipped.

    ``in_string``: the text begins inside a string.
    """
    at = 0
    if in_string and text and (rest := _REST.match(text)):
        at = rest.end()
        yield 0, at, cast("Role", rest.lastgroup)
    for found in _TOKEN.finditer(text, at):
        role = "punctuation" if found.lastgroup == "summary" else found.lastgroup
        yield found.start(), found.end(), cast("Role", role)


def coloured(text: str) -> Iterator[tuple[str, str]]:
    """Yield pieces of text with roles; blanks have that of punctuation."""
    at = 0
    for start, end, role in tokens(text):
        if at < start:
            yield text[at:start], "json-punctuation"
        yield text[start:end], f"json-{role}"
        at = end
    if at < len(text):
        yield text[at:], "json-punctuation"


Ink = NewType("Ink", str)
BOLD: Final = Ink("1")
DIM: Final = Ink("2")
"""Readable on dark and light backgrounds, unlike bright black."""
WRONG: Final = Ink("31")
WELL: Final = Ink("32")
CAREFUL: Final = Ink("33")
KEY: Final = Ink("36")
STRING: Final = Ink("32")
NUMBER: Final = Ink("33")
LITERAL: Final = Ink("35")
PUNCTUATION: Final = DIM


def inked(text: str, ink: Ink, *, colour: bool = True) -> str:
    return f"\x1b[{ink}m{text}\x1b[0m" if colour and text else text


COLOUR_LIMIT: Final = 16_000_000
"""Characters. Colours would double the size of a longer text."""
_BEGINS = regex(r"\s*+(?:[\[{\"]|-?[0-9]|true|false|null|NaN|-?Infinity)")
_INKS: Final[dict[str | None, Ink]] = {
    "key": KEY,
    "string": STRING,
    "number": NUMBER,
    "literal": LITERAL,
    "punctuation": PUNCTUATION,
}


def highlighted(json_text: bytes | str, *, colour: bool = True) -> str:
    """Return JSON indented and printable, in colours if asked.

    Other text is only made printable.
    """
    text = readable(json_text) if isinstance(json_text, bytes) else json_text
    if text is None:
        assert isinstance(json_text, bytes)
        return printable_bytes(json_text)
    shown = printable(indented(text), lines=True)
    return _in_colours(shown) if colour and len(shown) <= COLOUR_LIMIT and _BEGINS.match(shown) else shown


def highlighted_pieces(json_text: Text, *, colour: bool = True) -> Iterator[str]:
    """Yield what ``highlighted`` returns, in slices to save memory."""
    length = 0
    is_small = len(json_text) <= SLICE
    for piece in (None,) if is_small or fault(json_text) is not None else pieces(json_text):
        if piece is None:
            yield highlighted(bytes(json_text), colour=colour)
            return
        length += len(piece.text)
    decoder = getincrementaldecoder("utf-8")()
    for piece in filter(None, pieces(json_text)):
        shown = printable(decoder.decode(piece.text), lines=True)
        is_coloured = colour and length <= COLOUR_LIMIT
        yield _in_colours(shown, in_string=in_string(piece.part.before)) if is_coloured else shown


def _in_colours(text: str, *, in_string: bool = False) -> str:
    """Return the text with an escape sequence around each token."""

    def put(found: re.Match[str]) -> str:
        ink = _INKS.get(found.lastgroup)
        return f"\x1b[{ink}m{found[0]}\x1b[0m" if ink else found[0]

    rest = _REST.match(text) if in_string else None
    at = rest.end() if rest else 0
    return inked(text[:at], STRING) + _TOKEN.sub(put, text[at:])


def json_of(value: Any) -> bytes:
    return msgspec.json.encode(value)


def raw_of(value: Any) -> msgspec.Raw:
    """Encode a value of a service; null if it is nested too deeply."""
    try:
        return msgspec.Raw(msgspec.json.encode(value))
    except UnicodeEncodeError:  # half a character, which only an escape can spell
        return msgspec.Raw(json.dumps(value).encode())
    except RecursionError:
        return msgspec.Raw(b"null")
