"""The tokens of JSON as a person types it, right or wrong.

What lives here cuts any text into tokens: proper ones, and those a person brings along from elsewhere (single and
typographic quotes, comments, bare words, the numbers of other languages, strings that never end). It tells what
a stretch of text was meant to be. What is wrong with it, `slips.py` tells.
"""

# ruff: noqa: RUF001  # the look-alikes of plain quotes are what this file is about

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias, cast

TokenKind: TypeAlias = Literal[
    "space",  # whitespace JSON does not know
    "comment",
    "endless",  # a comment that is not closed
    "string",  # in quotes of any sort
    "unclosed",  # a string without its closing quote
    "unopened",  # a string without its opening quote
    "number",  # begins as a number does
    "word",  # any other run of letters
    "open",
    "close",
    "comma",  # , or ;
    "colon",  # : or =
    "stray",
]


class Token(NamedTuple):
    """A stretch of the text; JSON's own whitespace makes no token."""

    kind: TokenKind
    """What the stretch was meant to be."""
    start: int
    """Where it starts in the text."""
    end: int
    """Where it ends."""


STRINGS: Final = frozenset({"string", "unclosed", "unopened"})
"""The kinds that are text in quotes."""

SCALARS: Final = STRINGS | {"number", "word"}
"""The kinds that are a value or a name by themselves."""

QUOTES: Final = "\"'`“”„«»‘’‚‹›"
"""All characters that may open or close a string in what people paste."""

ODD_SPACES: Final = r"\u00a0\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff\x0b\x0c\x85"
"""The whitespace and the invisible characters JSON does not know, for use in a pattern's brackets."""

_PARTNERS = {"“": "”", "„": "“”", "«": "»", "»": "«", "‘": "’", "‚": "‘’", "‹": "›", "›": "‹"}

_LITERAL = r"(?i:true|false|null|none|nil|undefined|nan|infinity)\b"
_WORD = r"[$]?[^\W\d][\w$.@-]*+"
_TOKEN = re.compile(
    rf"""
      (?P<blank>   \A\ufeff | [ \t\r\n]++ )
    | (?P<space>   [{ODD_SPACES}]++ )
    | (?P<comment> //[^\r\n]*+ | \#[^\r\n]*+ | /\*(?s:.)*?\*/ )
    | (?P<endless> /\*(?s:.)*+ )
    | (?P<quote>   [{QUOTES}] )
    | (?P<left_open> \{{\{{[^{{}}\[\]"',:\r\n]++(?::json)?[ ]*\}}\}} )
    | (?P<open>    [\[{{(] )
    | (?P<close>   [\]}})] )
    | (?P<comma>   [,;] )
    | (?P<colon>   => | := | ={{1,3}} | : )
    | (?P<unopened>{_WORD} "(?=[ \t]*[:,\]}}]) )
    | (?P<word>    [+-] (?i:nan|inf|infinity)\b
                 | <[\w.:-]++>
                 | (?!{_LITERAL}) {_WORD} (?: [ ]++ (?!{_LITERAL}) {_WORD} (?![ ]*[:="]) )*+
                 | {_WORD} )
    | (?P<number>  [+-]? \.? [0-9] [\w.+-]*+ )
    | (?P<stray>   (?s:.) )
    """,
    re.VERBOSE,
)


def _closed_by(opener: str) -> re.Pattern[str]:
    """Pattern of a string on one line; an apostrophe between letters does not end it."""
    closers = _PARTNERS.get(opener, opener)
    letters_around = r"|(?<=\w)['’](?=\w)" if closers in ("'", "’", "‘’") else ""
    return re.compile(rf"{opener}(?:[^{opener}{closers}\\\r\n]++|\\[^\r\n]{letters_around})*[{closers}]")


_DELIMITER = r"(?=[ \t]*+(?:[,:;=\]})\r\n]|\Z))"
_CLOSED = {opener: _closed_by(opener) for opener in QUOTES} | {
    '"': re.compile(r'"[^"\\\r\n]*+(?:\\[^\r\n][^"\\\r\n]*+)*+"')
}
_MIXED = {opener: re.compile(rf'{opener}[^"{opener}\\\r\n]*?[{QUOTES}]{_DELIMITER}') for opener in QUOTES}
_SPANNING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_DELIMITER_BELOW = re.compile(r"\s*+(?:[,:;\]})]|\Z)")
_REST_OF_LINE = re.compile(r"[^\r\n]*")
_NAME = re.compile(rf"[{QUOTES}][^\s:,;\[\]{{}}\\]+(?=[ \t]*:(?!//))")


def tokens(text: str) -> Iterator[Token]:
    """Cut the whole text, in reading order; whatever the text, nothing but whitespace is left out."""
    at = 0
    strings = _Strings(text)
    before = Token("open", 0, 0)
    container = ""
    while found := _TOKEN.match(text, at):
        kind, at = found.lastgroup, found.end()
        if kind == "blank":
            continue
        if kind == "unopened" and before.kind in STRINGS and before.end == found.start():
            kind, at = "word", at - 1
        if kind == "left_open":
            kind = "word"  # {{name}}, for which a value is put in later
        if kind == "quote":
            named = container == "{" and before.kind in ("open", "comma")
            before = strings.at(found.start(), named=named)
            at = before.end
        else:
            before = Token(cast("TokenKind", kind), found.start(), at)
        if kind in ("open", "close"):
            container = found[0]
        yield before


class _Strings:
    """Finds where strings end, without reading any stretch of the text again and again."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.barren = dict.fromkeys(QUOTES, 0)
        """For each quote, up to where none closes: what looks like one there is escaped."""

    def at(self, start: int, *, named: bool) -> Token:
        """The string that opens at `start`; `named` where the name of a member may stand."""
        text, opener = self.text, self.text[start]
        if start >= self.barren[opener]:
            for pattern in (_CLOSED[opener], _MIXED[opener]):
                if closed := pattern.match(text, start):
                    return Token("string", start, closed.end())
            if end := self._below(start):
                return Token("string", start, end)
        if named and (name := _NAME.match(text, start)):
            return Token("unclosed", start, name.end())
        line = _REST_OF_LINE.match(text, start + 1)
        inner = line[0].rstrip(" \t,;:]})") if line else ""
        return Token("unclosed", start, start + 1 + len(inner))

    def _below(self, start: int) -> int:
        """Where the string ends that does not end on its line; 0 if its quote is rather missing."""
        text, opener = self.text, self.text[start]
        if opener != '"':
            line = _REST_OF_LINE.match(text, start)
            self.barren[opener] = line.end() if line else start
            return 0
        span = _SPANNING.match(text, start)
        end = span.end() if span else start
        closed = end > start + 1 and text[end - 1] == opener
        if closed and _DELIMITER_BELOW.match(text, end):
            return end
        self.barren[opener] = end - 1 if closed else end
        return 0
