r"""Letters and digits that are spelled as escapes, as nobody spells them who does not want to hide something.

They are read in a copy of the text, so that the patterns of `spellings.py` need only those of other characters.
``\u0041``, ``\x41``, ``%41``, ``&#65;`` and ``&#x41;`` are all an A, quoted and escaped again or not.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from typing import Final

from rpcexplorer.redaction.matching.matcher import Occurrence

_REQUOTED = "(?:25)*+"
_HEX = r"(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])"
_DECIMAL = r"(?:4[89]|5[0-7]|6[5-9]|[78][0-9]|9[0789]|1[01][0-9]|12[0-2])"
_LETTER = rf"(?:u00|x|U000000)({_HEX})"
_AMPERSAND = rf"(?:&|\\++u0026|%{_REQUOTED}26)(?:amp(?:;|%{_REQUOTED}3[bB])){{0,4}}+"
_HASH = rf"(?:#|%{_REQUOTED}23)"
_SEMICOLON = rf"(?:;|%{_REQUOTED}3[bB])"
_BACKSLASH = rf"(?:%{_REQUOTED}5[cC]|{_AMPERSAND}{_HASH}(?:0{{0,4}}+92|[xX]0{{0,4}}+5[cC]){_SEMICOLON})"
_B_LETTER = _LETTER.encode()
_NUMBER = rf"(?:[xX]0*+{_HEX}|0*+{_DECIMAL})(?:;|%)".encode()
_SIGNS: Final = (
    (b"\\", re.compile(rb"\\" + _B_LETTER)),
    (
        b"%",
        re.compile(
            b"%(?:25)*+(?:" + b"|".join([_HEX.encode(), b"(?:5[cC]|3[bB])" + _B_LETTER, b"23" + _NUMBER]) + b")"
        ),
    ),
    (b"#", re.compile(b"#" + _NUMBER)),
    (b";", re.compile(b";" + _B_LETTER)),
)
"""A sign each of them has, and what follows it: to look for the sign alone is much faster."""


def has_escapes(content: bytes) -> bool:
    """Whether there may be any. A "no" is certain."""
    return any(sign in content and after.search(content) for sign, after in _SIGNS)


@cache
def _letters() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """With a backslash and without: the former may also be the end of a secret and what follows it."""
    numbered = rf"{_AMPERSAND}{_HASH}(?:0{{0,4}}+(?P<decimal>{_DECIMAL})|[xX]0{{0,4}}+({_HEX})){_SEMICOLON}"
    return (
        re.compile(rf"(?<!\\)\\++{_LETTER}|{_BACKSLASH}{{1,16}}+{_LETTER}"),
        re.compile(rf"%{_REQUOTED}({_HEX})|{numbered}"),
    )


def unescaped(text: str) -> Iterator[Unescaped]:
    """The text as it may be read, in each way that is tried."""
    yield from (Unescaped(text, letters) for letters in _letters())


class Unescaped:
    """A text in which they are read, and where everything stands in the text as it was."""

    def __init__(self, text: str, letters: re.Pattern[str]) -> None:
        parts: list[str] = []
        self._read: list[int] = [0]
        """Places in the text as it is read, from each of which on it is the same as ..."""
        self._was: list[int] = [0]
        """... from this place on in the text as it was."""
        at = length = 0
        for found in letters.finditer(text):
            decimal = found["decimal"] if "decimal" in letters.groupindex else None
            parts += [text[at : found.start()], chr(int(decimal) if decimal else int(found[found.lastindex or 0], 16))]
            length += found.start() - at
            self._read += [length, length + 1]
            self._was += [found.start(), found.end()]
            at, length = found.end(), length + 1
        self.text = "".join([*parts, text[at:]])

    def in_original(self, occurrence: Occurrence) -> Occurrence:
        """Something that is seen in the text as it is read."""
        start, end = self._place(occurrence.start), self._place(occurrence.end)
        return occurrence._replace(start=start, end=end)

    def _place(self, at: int) -> int:
        number = bisect_right(self._read, at) - 1
        return self._was[number] + at - self._read[number]
