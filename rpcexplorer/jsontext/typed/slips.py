"""Slips: what a person gets wrong in JSON, in words, with the edits that put it right.

What lives here are the slips one sees in a single token (quotes, escapes, comments, words and numbers of other
languages) and the collection in which all slips of a text meet. Slips in how tokens follow each other are found
in `structure.py`. What must not live here: positions as lines and columns (`params.py`).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from rpcexplorer.jsontext.scan import NUMBER
from rpcexplorer.jsontext.typed import fixes
from rpcexplorer.jsontext.typed.fixes import Rewrite
from rpcexplorer.jsontext.typed.tokens import STRINGS, Token

LABELS: Final = {
    "members": "make it an object",
    "array": "put it in square brackets",
    "object": "put it in braces",
    "single quotes": "use double quotes",
    "other quotes": "use plain double quotes",
    "quote": "add the missing quote",
    "trailing comma": "remove the trailing comma",
    "extra comma": "remove the extra comma",
    "missing comma": "add the missing comma",
    "missing colon": "add the missing colon",
    "comment": "remove the comments",
    "name": "quote the names",
    "bare text": "quote the text",
    "placeholder": "put the placeholders in quotes",
    "literal": "write null, true and false",
    "base": "write the number in decimal",
    "control": "escape the control characters",
    "backslash": "repair the backslashes",
    "space": "use plain spaces",
    "equals": "use colons",
    "opener": "close what is open",
    "closer": "remove the extra bracket",
}
"""The fixable kinds of slip, each with what its fix does."""


class Slip(NamedTuple):
    kind: str
    """What sort of slip it is: one fix takes all of a kind. A key of LABELS, or "" where nothing can be offered."""
    start: int
    """Where it starts in the text."""
    end: int
    """Where it ends."""
    what: str
    """What is wrong."""
    instead: str
    """What to write instead."""


class Slips:
    """All the slips of a text: the first in reading order, how many there are, and the edits for each kind."""

    def __init__(self) -> None:
        self.first: Slip | None = None
        self.count = 0
        self.edits: dict[str, list[Rewrite]] = {}

    def add(self, kind: str, where: tuple[int, int], what: str, instead: str, *edits: Rewrite) -> None:
        """Take up one slip, and the edits that put it right."""
        self.count += 1
        if self.first is None or where[0] < self.first.start:
            self.first = Slip(kind, *where, what, instead)
        self.edit(kind, *edits)

    def edit(self, kind: str, *edits: Rewrite) -> None:
        """Add to the edits of a slip that was taken up before."""
        if edits:
            self.edits.setdefault(kind, []).extend(edits)


def shown(text: str) -> str:
    """A few words of the text as they may stand in a message: short, and without control characters."""
    short = text if len(text) <= 24 else text[:23] + "…"
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in short)


def in_token(text: str, token: Token, slips: Slips) -> None:
    """Take up what is wrong with a token wherever it stands."""
    kind, start, end = token
    if kind in STRINGS:
        _string(text, token, slips)
    elif kind == "comment":
        slips.add(kind, (start, end), "JSON has no comments", "remove it", fixes.without_comment(text, token))
    elif kind == "endless":
        slips.add("", (start, end), "a comment that does not end", "remove it")
    elif kind == "space":
        what = f"the invisible character U+{ord(text[start]):04X} is no space of JSON"
        slips.add(kind, (start, end), what, "write a plain space", fixes.space(text, token))
    elif kind == "stray":
        what = f"{shown(text[start])} does not belong here"
        slips.add("", (start, end), what, "write a value in its place, or remove it")
    elif text[start] in "()":
        bracket = "[" if kind == "open" else "]"
        slips.add("", (start, end), "JSON has no round brackets", f"write {bracket}")
    elif kind == "colon" and text[start:end] != ":":
        what = f"{text[start:end]} does not join a name and its value"
        slips.add("equals", (start, end), what, "write a colon", Rewrite(start, end, ":"))


_INSIDE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}|(?=(.?)))|([\x00-\x1f])|([\ud800-\udfff])', re.DOTALL)
_CONTROLS = {"\n": "a line break", "\r": "a line break", "\t": "a tab"}


def _string(text: str, token: Token, slips: Slips) -> None:
    """Take up wrong quotes, a missing quote, and what is wrong between the quotes."""
    kind, start, end = token
    opener, closer = text[start], text[end - 1]
    if kind == "unopened":
        slips.add("quote", (start, end), "a quote is missing before this text", 'write "', Rewrite(start, start, '"'))
    elif opener == "'" or (opener == '"' and kind == "string" and closer == "'"):
        edits = fixes.requoted(text, token)
        slips.add("single quotes", (start, end), "text needs double quotes, not single ones", 'write "', *edits)
    elif opener != '"' or (kind == "string" and closer != '"'):
        edits = fixes.requoted(text, token)
        odd = closer if opener == '"' else opener
        slips.add("other quotes", (start, end), f"{odd} is not a quote of JSON", 'write "', *edits)
    if kind == "unclosed":
        what, edit = "this text has no closing quote", fixes.closing_quote(text, token)
        slips.add("quote", (start, end), what, 'write " at its end', edit)
    inner = (start + (kind != "unopened"), end - (kind != "unclosed"))
    if _INSIDE.search(text, *inner):
        _inside(text, inner, opener, slips)


def _inside(text: str, inner: tuple[int, int], opener: str, slips: Slips) -> None:
    """Take up what may not stand inside a string as it is: control characters, other languages' escapes."""
    wrong: list[int] = []
    for found in _INSIDE.finditer(text, *inner):
        where, char = found.span(), found[0]
        if found[2]:
            what = f"{_CONTROLS.get(char) or f'the control character U+{ord(char):04X}'} inside a string"
            slips.add("control", where, what, f"write {fixes.escaped(char)}", Rewrite(*where, fixes.escaped(char)))
        elif found[3]:
            what = f"half a character, U+{ord(char):04X}, cannot be sent"
            slips.add("", where, what, f"write {fixes.escaped(char)}")
        elif found[1] and found[1] != opener:
            wrong.append(where[0])
    if wrong:
        edits = fixes.path_backslashes(text, *inner) or [fixes.backslash(text, at) for at in wrong]
        what = f"{shown(text[wrong[0] : wrong[0] + 2])} is not an escape of JSON"
        slips.add("backslash", (wrong[0], wrong[0] + 2), what, r"write \\ for a backslash", *edits)


_NUMBER = re.compile(NUMBER)
_DECIMAL = re.compile(r"([0-9][0-9_]*+)?(?:\.(?:[0-9][0-9_]*+)?)?(?:[eE][+-]?[0-9]++)?")
_BASE = re.compile(r"0(?:[xX][0-9a-fA-F]{1,999}|[oO][0-7]{1,999}|[bB][01]{1,999})")
_ZEROS = re.compile(r"0[0_]*(?=[0-9])")
_NOT_NUMBERS = {"nan", "inf", "infinity"}
_LITERALS = dict.fromkeys(("null", "none", "nil", "undefined"), "null") | {"true": "true", "false": "false"}


def in_name(text: str, token: Token, slips: Slips) -> None:
    """Take up what is wrong with a token in the place of a member's name."""
    if token.kind not in STRINGS:
        what = "the name of a member needs double quotes"
        instead = f'write "{shown(text[token.start : token.end])}"'
        slips.add("name", token[1:], what, instead, *fixes.quoted(token))


def in_value(text: str, token: Token, slips: Slips) -> None:
    """Take up what is wrong with a word or a number in the place of a value."""
    spelled = text[token.start : token.end]
    if token.kind in STRINGS or spelled in ("true", "false", "null") or _NUMBER.fullmatch(spelled):
        return
    if token.kind == "number" and _number(spelled, token, slips):
        return
    if spelled.startswith("{{"):
        quoted = f'"{{{{{spelled[2:-2].strip().removesuffix(":json")}:json}}}}"'
        edit = Rewrite(token.start, token.end, quoted)
        slips.add("placeholder", token[1:], "a placeholder stands in quotes", f"write {shown(quoted)}", edit)
    elif right := _LITERALS.get(spelled.lower()):
        edit = Rewrite(token.start, token.end, right)
        slips.add("literal", token[1:], f"{shown(spelled)} is not JSON", f"write {right}", edit)
    elif spelled.lower().lstrip("+-") in _NOT_NUMBERS:
        slips.add("", token[1:], f"{spelled} is not JSON", f'write null, or "{spelled}" as text')
    else:
        slips.add("bare text", token[1:], "text needs double quotes", 'write " on both sides', *fixes.quoted(token))


def _number(spelled: str, token: Token, slips: Slips) -> bool:
    """Take up what is first wrong with the spelling of a number; False if it is no number at all."""
    digits = spelled.lstrip("+-")
    if _BASE.fullmatch(digits):
        right = str(int(digits, 0))
        edit = Rewrite(token.start + (spelled[0] == "-"), token.end, right)
        slips.add("base", token[1:], "JSON has only decimal numbers", f"write {shown(right)}", edit)
    elif decimal := _DECIMAL.fullmatch(digits):
        slips.add("", token[1:], *_misspelled(spelled, digits, decimal))
    else:
        return False
    return True


def _misspelled(spelled: str, digits: str, decimal: re.Match[str]) -> tuple[str, str]:
    """What is wrong with a decimal number that is none of JSON, and what to write instead."""
    if spelled[0] == "+":
        return "a number has no plus sign", f"write {shown(digits)}"
    if _ZEROS.match(digits):
        return "a number has no leading zeros", f'remove them, or write "{shown(digits)}" to keep them as text'
    if "_" in digits:
        return "a number has no underscores", "remove them"
    return f"a number needs a digit {'after' if decimal[1] else 'before'} its point", "write 0 there"
