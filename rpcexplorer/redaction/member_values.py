r"""Where the value of a member stands in text that holds JSON somewhere: whole, cut off, or inside other JSON.

The place of a quote tells how deep it is: ``"`` bounds a string of the text itself, ``\"`` one in JSON that
stands in a string, ``\\\"`` one level further down; ``\u0022`` is the same as ``\"``. So nothing before the
member has to be read, and text in which the JSON is only a part is no different.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from rpcexplorer.jsontext.scan import decoded
from rpcexplorer.redaction.matching.spellings import RUN, Spelling, continued

QUOTE: Final = r'(?:\\*+"|\\++u0022)'
"""Pattern of a quote with its backslashes."""
_QUOTE = re.compile(rf"(?<!\\){QUOTE}")
_SPACE = r"(?:[ \t\r\n]|\\++[nrt])*+"
_COLON = re.compile(f"{_SPACE}:{_SPACE}")
_KEY = re.compile(rf"(?<!\\){QUOTE}([\w .$-]{{1,100}}+)(?={QUOTE}{_SPACE}:)")
_BRACKET_OR_QUOTE = re.compile(rf"[\[\]{{}}]|(?<!\\){QUOTE}")
_BARE = re.compile(r'[^\s,\[\]{}"]++')
_BARE_IN_STRING = re.compile(r'[^\s,\[\]{}"\\]++')


class Value(NamedTuple):
    start: int
    end: int
    """Where the text is cut, if the value does not end before."""
    quote: str
    """How a string in this place is quoted."""
    inner: str | None
    """What stands between the quotes, as it is spelled; None for anything but a string."""

    def said(self, text: str) -> str | None:
        """What it means as text, also of a number; None for a list or a table."""
        if self.inner is None:
            return None if text.startswith(("{", "["), self.start) else text[self.start : self.end]
        inner = self.inner
        for _ in range(_level(self.quote) + 1):
            inner = decoded(f'"{inner}"')
        return inner


class MemberKey(NamedTuple):
    """The key of a member, up to its closing quote."""

    start: int
    end: int
    name: str


def plain_keys(text: str) -> Iterator[MemberKey]:
    """Every key that is a word or a few, at the top or inside strings."""
    for found in _KEY.finditer(text):
        yield MemberKey(*found.span(), found[1])


def keys(name: str) -> Iterator[Spelling]:
    """Patterns of a key of this name, large letters or small, at the top or inside strings; up to its closing quote."""
    rest = [f"(?i:{piece})" for piece in continued(name)] + [f"(?={QUOTE})"]
    yield Spelling('"', (r'(?<!\\")', *rest))
    yield Spelling("\\", (RUN, '(?:"|u0022)', *rest))


def value_after(text: str, key_start: int, name_end: int) -> Value | None:
    """The value of the member whose key opens at `key_start` and closes after `name_end`; None where it is no key."""
    opening, closing = _QUOTE.match(text, key_start), _QUOTE.match(text, name_end)
    colon = _COLON.match(text, closing.end()) if closing else None
    if not opening or not closing or not colon or _level(opening[0]) != _level(closing[0]):
        return None
    start, quote, level = colon.end(), opening[0], _level(opening[0])
    if string := _QUOTE.match(text, start):
        if _level(string[0]) < level:
            return None  # the text around ends here
        inner_end, end = _string_end(text, string.end(), _level(string[0]))
        return Value(start, end, string[0], text[string.end() : inner_end])
    if text.startswith(("{", "["), start):
        return Value(start, _container_end(text, start, level), quote, None)
    bare = (_BARE_IN_STRING if level else _BARE).match(text, start)
    return Value(start, bare.end(), quote, None) if bare else None


def _level(quote: str) -> int:
    """How many strings the quote is inside of."""
    backslashes, spelled_out = quote.count("\\"), not quote.endswith('"')
    level = 0
    while spelled_out or backslashes % 2:
        spelled_out = spelled_out and backslashes % 2 == 0
        backslashes //= 2
        level += 1
    return level


def _string_end(text: str, start: int, level: int) -> tuple[int, int]:
    """Where the inside of a string ends, and where its closing quote does."""
    for quote in _QUOTE.finditer(text, start):
        its_level = _level(quote[0])
        if its_level <= level:
            return quote.start(), quote.end() if its_level == level else quote.start()
    return len(text), len(text)


def _container_end(text: str, start: int, level: int) -> int:
    depth, in_string = 0, False
    for mark in _BRACKET_OR_QUOTE.finditer(text, start):
        if mark[0] in "[]{}":
            depth += 0 if in_string else 1 if mark[0] in "[{" else -1
            if depth == 0:
                return mark.end()
        elif (its_level := _level(mark[0])) < level:
            return mark.start()
        elif its_level == level:
            in_string = not in_string
    return len(text)
