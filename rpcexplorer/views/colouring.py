"""The tokens of JSON and the role of each, for whoever has the colours: the reader, its pages, and the terminal.

One regular expression that no text makes slow. The text may be cut, or be no JSON; it may be one line of more, a piece
that was cut out of one, or a folded container.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias, cast

Role: TypeAlias = Literal["key", "string", "number", "literal", "punctuation", "error"]
_REST_OF_STRING: Final = r'[^"\\]*+ (?: \\. [^"\\]*+ )*+ (?: " | \\?\Z )'
_STRING = rf"{_REST_OF_STRING} (?P<string>) (?: (?= \s*+ : ) (?P<key>) )?"
"""The last group that took part says which of the two it is."""
_TOKEN = re.compile(
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
_REST = re.compile(_STRING, re.VERBOSE | re.DOTALL)


def marked(text: str, marks: Mapping[str, tuple[str, str]]) -> str:
    """The text with what goes before and behind a token of each role; one that has no marks stays as it is."""
    pairs = {**marks, "summary": marks["punctuation"]}

    def put(found: re.Match[str]) -> str:
        before, behind = pairs.get(str(found.lastgroup), ("", ""))
        return f"{before}{found[0]}{behind}"

    return _TOKEN.sub(put, text)


def tokens(text: str, *, in_string: bool = False) -> Iterator[tuple[int, int, Role]]:
    """Start, end and role of each token in turn; blanks have none. `in_string`: the text begins inside a string."""
    at = 0
    if in_string and text and (rest := _REST.match(text)):
        at = rest.end()
        yield 0, at, cast("Role", rest.lastgroup)
    for found in _TOKEN.finditer(text, at):
        role = "punctuation" if found.lastgroup == "summary" else found.lastgroup
        yield found.start(), found.end(), cast("Role", role)
