"""Rewriting: the edits that put a slip right, and nothing but the slip.

What lives here knows how something wrong is spelled right (a string in single quotes, a comment, a number of
another language) and applies edits to a text; everything between the edits, the layout included, stays as typed.
Finding what is wrong is the business of `slips.py` and `structure.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from rpcexplorer.jsontext.typed.tokens import QUOTES, Token


class Rewrite(NamedTuple):
    """One place of a text to be spelled anew."""

    start: int
    """Where the place starts."""
    end: int
    """Where it ends; the same as the start where something is put in."""
    text: str
    """What stands there afterwards."""


def applied(text: str, edits: Iterable[Rewrite]) -> str:
    """The text with all the edits made; where two overlap, the later one only deletes what is left to it."""
    parts: list[str] = []
    at = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        if start >= at or end > at:
            parts += (text[at:start], new) if start >= at else ()
            at = end
    return "".join(parts) + text[at:]


def quoted(token: Token) -> tuple[Rewrite, ...]:
    """Double quotes around a token."""
    return Rewrite(token.start, token.start, '"'), Rewrite(token.end, token.end, '"')


def requoted(text: str, token: Token) -> tuple[Rewrite, ...]:
    """Double quotes in place of whatever a string has; those inside it are escaped."""
    opener = text[token.start]
    edits = [Rewrite(token.start, token.start + 1, '"')]
    end = token.end
    if token.kind == "string":
        end -= 1
        edits.append(Rewrite(end, token.end, '"'))
    for found in re.finditer(r'\\(.)|"', text[token.start + 1 : end], re.DOTALL):
        at = token.start + 1 + found.start()
        if found[0] == '"':
            edits.append(Rewrite(at, at, "\\"))
        elif found[1] == opener != '"':
            edits.append(Rewrite(at, at + 1, ""))
    return tuple(edits)


def closing_quote(text: str, token: Token) -> Rewrite:
    """The quote that a string lacks at its end; a backslash before it is doubled, or it would be escaped."""
    inner = text[token.start : token.end]
    dangling = (len(inner) - len(inner.rstrip("\\"))) % 2
    return Rewrite(token.end, token.end, "\\" * dangling + '"')


def escaped(char: str) -> str:
    """A character as JSON escapes it."""
    short = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\b": r"\b", "\f": r"\f"}
    return short.get(char, f"\\u{ord(char):04x}")


_SINGLE_BACKSLASH = re.compile(r'\\\\|\\"|(\\)')
_WINDOWS_PATH = re.compile(r"[A-Za-z]:\\(?!\\)")


def backslash(text: str, at: int) -> Rewrite:
    """A backslash that starts no escape of JSON: what it means elsewhere, else the character itself."""
    if text[at + 1 : at + 2] in tuple(QUOTES):
        return Rewrite(at, at + 1, "")
    if re.match(r"x[0-9a-fA-F]{2}", text[at + 1 : at + 4]):
        return Rewrite(at, at + 2, r"\u00")
    return Rewrite(at, at, "\\")


def path_backslashes(text: str, start: int, end: int) -> list[Rewrite]:
    r"""The edits that double each backslash of `C:\users\new`; none where no such path stands."""
    if not _WINDOWS_PATH.match(text, start, end):
        return []
    found = _SINGLE_BACKSLASH.finditer(text, start, end)
    return [Rewrite(single.start(), single.start(), "\\") for single in found if single[1]]


def without_comment(text: str, token: Token) -> Rewrite:
    """A comment taken out: with its line if it has one to itself, else with the blanks beside it."""
    before, after = token.start, token.end
    while text[before - 1 : before] in (" ", "\t"):
        before -= 1
    while text[after : after + 1] in (" ", "\t"):
        after += 1
    starts_line = text[before - 1 : before] in ("", "\n", "\r")
    ends_line = text[after : after + 1] in ("", "\n", "\r")
    if starts_line and ends_line:
        break_ = 2 if text.startswith("\r\n", after) else 1
        return Rewrite(before, min(after + break_, len(text)), "")
    if starts_line:
        return Rewrite(token.start, after, "")
    return Rewrite(before, after, "" if ends_line or text[after] in ",;:)]}" else " ")


def space(text: str, token: Token) -> Rewrite:
    """Whitespace that JSON does not know, as plain spaces; what has no width leaves nothing."""
    visible = re.sub("[\u200b-\u200d\u2060\ufeff]", "", text[token.start : token.end])
    return Rewrite(token.start, token.end, " " * len(visible))
