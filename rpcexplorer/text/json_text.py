"""JSON with colours, for the editor, the reader and the terminal."""

from __future__ import annotations

import json
import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import Any, Final, Literal, TypeAlias, cast

import msgspec

from rpcexplorer.jsontext.layout import indented, pieces
from rpcexplorer.jsontext.slices import SLICE, Text, fault, in_string
from rpcexplorer.patterns import regex
from rpcexplorer.text.printable import printable, printable_bytes, readable
from rpcexplorer.text.wrapping import Words

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
    """Yield pieces of text with their roles; whitespace has the role of punctuation."""
    at = 0
    for start, end, role in tokens(text):
        if at < start:
            yield text[at:start], "json-punctuation"
        yield text[start:end], f"json-{role}"
        at = end
    if at < len(text):
        yield text[at:], "json-punctuation"


_JSON_INKS: Final[dict[str | None, str]] = {
    "key": "36",
    "string": "32",
    "number": "33",
    "literal": "35",
    "punctuation": "2",
}
_INKS: Final = {
    "bold": "1",
    "dim": "2",  # Readable on dark and light backgrounds, unlike bright black.
    "italic": "3",
    "underline": "4",
    "wrong": "31",
    "well": "32",
    "careful": "33",
} | {f"json-{role}": ink for role, ink in _JSON_INKS.items()}
"""The colour of each role on a terminal."""


def inked(text: str, role: str, *, colour: bool = True) -> str:
    """Return printable text in the colours of its role, if asked."""
    ink = ";".join(_INKS[part] for part in role.split() if part in _INKS)
    if not colour or not ink or not text.strip():
        return text
    return f"\x1b[{ink}m{text}\x1b[0m"


def painted(words: Words, *, colour: bool) -> str:
    """Return a line of the screen as a line of a terminal."""
    return "".join(inked(text, role, colour=colour) for text, role in words)


COLOUR_LIMIT: Final = 16_000_000
"""Characters. Colours would double the size of a longer text."""
_BEGINS = regex(r"\s*+(?:[\[{\"]|-?[0-9]|true|false|null|NaN|-?Infinity)")


def highlighted(json_text: bytes | str, *, colour: bool = True) -> str:
    """Return JSON indented and printable, in colours if asked.

    Other text is only made printable.
    """
    text = readable(json_text) if isinstance(json_text, bytes) else json_text
    if text is None:
        assert isinstance(json_text, bytes)
        return printable_bytes(json_text)
    shown = printable(indented(text), lines=True)
    if colour and len(shown) <= COLOUR_LIMIT and _BEGINS.match(shown):
        return _in_colours(shown)
    return shown


def highlighted_pieces(json_text: Text, *, colour: bool = True) -> Iterator[str]:
    """Yield what ``highlighted`` returns, in slices to save memory."""
    if len(json_text) <= SLICE or fault(json_text) is not None:
        yield highlighted(bytes(json_text), colour=colour)
        return
    length = 0
    for piece in pieces(json_text):
        if piece is None:
            yield highlighted(bytes(json_text), colour=colour)
            return
        length += len(piece.text)
    is_coloured = colour and length <= COLOUR_LIMIT
    decoder = getincrementaldecoder("utf-8")()
    for piece in pieces(json_text):
        assert piece is not None
        shown = printable(decoder.decode(piece.text), lines=True)
        if is_coloured:
            shown = _in_colours(shown, in_string=in_string(piece.part.before))
        yield shown


def _in_colours(text: str, *, in_string: bool = False) -> str:
    """Return the text with an escape sequence around each token."""

    def put(found: re.Match[str]) -> str:
        ink = _JSON_INKS.get(found.lastgroup)
        return f"\x1b[{ink}m{found[0]}\x1b[0m" if ink else found[0]

    rest = _REST.match(text) if in_string else None
    if rest is None:
        return _TOKEN.sub(put, text)
    return inked(rest[0], "json-string") + _TOKEN.sub(put, text[rest.end() :])


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
