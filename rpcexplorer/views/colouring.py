"""The tokens of one printable line of JSON and the role of each, for whoever has the colours.

A line is all there is: it may be a piece that was cut out of a longer one, or a folded container.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias, cast

Role: TypeAlias = Literal["key", "string", "number", "literal", "punctuation", "error"]

_REST_OF_STRING: Final = r'[^"\\]*+ (?: \\. [^"\\]*+ )*+ (?: " | \\?\Z )'
_TOKEN = re.compile(
    rf"""
      (?P<key>          " {_REST_OF_STRING} (?= \s*+ : ) )
    | (?P<string>       " {_REST_OF_STRING} )
    | (?P<summary>      (?<= [\[{{] [ ] ) [0-9,]++ [ ] (?: item | member ) s? (?= [ ] [\]}}] ) )
    | (?P<number>       -?[0-9][0-9.eE+-]*+ )
    | (?P<literal>      (?: true | false | null | NaN | -?Infinity ) \b )
    | (?P<punctuation>  [\[\]{{}},:]++ )
    | (?P<error>        [^\s\[\]{{}},:"]++ )
    """,
    re.VERBOSE | re.DOTALL,
)
_REST = re.compile(
    rf"(?P<key> {_REST_OF_STRING} (?= \s*+ : ) ) | (?P<string> {_REST_OF_STRING} )", re.VERBOSE | re.DOTALL
)


def tokens(text: str, *, in_string: bool = False) -> Iterator[tuple[int, int, Role]]:
    """Start, end and role of each token in turn; blanks have none. `in_string`: the text begins inside a string."""
    at = 0
    if in_string and text and (rest := _REST.match(text)):
        at = rest.end()
        yield 0, at, cast("Role", rest.lastgroup)
    for found in _TOKEN.finditer(text, at):
        role = "punctuation" if found.lastgroup == "summary" else found.lastgroup
        yield found.start(), found.end(), cast("Role", role)
