"""The simple patterns of a service: a text that one lets through, made from the pattern alone, and whether a text does.

Known are letters, classes, groups, alternatives and repetitions, of which the least is taken. Nothing can be said of a
pattern with anything else in it (what is looked ahead for, what was found before), and it is never run; nor is one that
could take long.
"""

from __future__ import annotations

import re
from math import comb
from typing import Final

LONGEST: Final = 1_000
"""Of a pattern and of a sample."""
MOST_STEPS: Final = 60_000
"""That a pattern may take which is run."""
MOST_REPEATS: Final = 10
_TWICE: Final = re.compile(r"\)[*+?{]")
"""A group that is repeated, in which something may be repeated."""
_REPEAT: Final = re.compile(r"(?:([*+?])|\{(\d{1,4})(?:,(\d{0,6}))?\})[?+]?")
_CLASSES: Final = {"d": "0", "w": "a", "s": " ", "S": "x", "D": "x", "W": " "}
_CONTROL: Final = {"t": "\t", "n": "\n", "r": "\r"}
_CODE: Final = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})")
_DEEP: Final = 20


def sample(pattern: str) -> str | None:
    """A short text that matches; None where the pattern is too much for this."""
    if len(pattern) > LONGEST:
        return None
    try:
        return _Sampler(pattern).whole()
    except _TooMuchError:
        return None


def matches(pattern: str, text: str) -> bool | None:
    """Whether a text is let through; None where that cannot be told in a moment."""
    if _cost(pattern, len(text)) > MOST_STEPS or _TWICE.search(pattern) or sample(pattern) is None:
        return None
    try:
        return re.search(pattern, text, re.ASCII) is not None
    except re.error:
        return None


def _cost(pattern: str, length: int) -> int:
    """Steps at the worst: each repetition may end at any place behind the one before, and a match begin at any."""
    repeats = sum(pattern.count(sign) for sign in "*+?{")
    is_anchored = pattern.startswith("^") and "|" not in pattern
    return comb(length + repeats, repeats + (not is_anchored)) if repeats < MOST_REPEATS else MOST_STEPS + 1


class _TooMuchError(Exception):
    pass


class _Sampler:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._over = False
        """The end of the text was asked for."""

    def whole(self) -> str:
        found = self._either("", 0)
        if self._at < len(self._pattern):
            raise _TooMuchError
        return found

    def _either(self, before: str, deep: int) -> str:
        """Of several alternatives the first."""
        if deep > _DEEP:
            raise _TooMuchError
        first = self._sequence(before, deep)
        over = self._over
        while self._next() == "|":
            self._at += 1
            self._over = False
            self._sequence(before, deep)
        self._over = over
        return first

    def _sequence(self, before: str, deep: int) -> str:
        found = ""
        while (sign := self._next()) and sign not in "|)":
            self._at += 1
            if sign == "^":
                if before or found:
                    raise _TooMuchError
                continue
            if sign == "$":
                self._over = True
                continue
            over = self._over
            one = self._one(sign, before + found, deep)
            text = self._repeated(one)
            if (over and text) or (self._over and len(text) > len(one)):
                raise _TooMuchError
            found += text
            if len(found) > LONGEST:
                raise _TooMuchError
        return found

    def _one(self, sign: str, before: str, deep: int) -> str:
        match sign:
            case "[":
                return self._of_class()
            case "(":
                return self._group(before, deep)
            case "\\":
                return self._escaped()
            case ".":
                return "x"
            case "*" | "+" | "?" | "{":
                raise _TooMuchError
        return sign

    def _repeated(self, text: str) -> str:
        found = _REPEAT.match(self._pattern, self._at)
        if not found:
            return text
        self._at = found.end()
        least = {"*": 0, "?": 0, "+": 1}[found[1]] if found[1] else int(found[2])
        if least * len(text) > LONGEST:
            raise _TooMuchError
        return text * least

    def _group(self, before: str, deep: int) -> str:
        if self._next() == "?":
            if not self._pattern.startswith("?:", self._at):
                raise _TooMuchError
            self._at += 2
        found = self._either(before, deep + 1)
        if self._next() != ")":
            raise _TooMuchError
        self._at += 1
        return found

    def _escaped(self) -> str:
        if code := _CODE.match(self._pattern, self._at):
            self._at = code.end()
            return chr(int(code[1] or code[2], 16))
        sign = self._next()
        self._at += 1
        if not sign or (sign.isalnum() and sign not in _CLASSES and sign not in _CONTROL):
            raise _TooMuchError
        return _CLASSES.get(sign) or _CONTROL.get(sign, sign)

    def _of_class(self) -> str:
        """The first of a class; of one that is turned round a letter that it does not name."""
        turned = self._next() == "^"
        self._at += turned
        ranges: list[tuple[str, str]] = []
        while (sign := self._next()) != "]":
            if not sign or sign == "[":
                raise _TooMuchError
            self._at += 1
            if turned and sign == "\\" and self._next() in _CLASSES:
                raise _TooMuchError
            first = last = self._escaped() if sign == "\\" else sign
            if self._next() == "-" and self._pattern[self._at + 1 : self._at + 2] not in ("]", ""):
                self._at += 1
                sign = self._next()
                self._at += 1
                last = self._escaped() if sign == "\\" else sign
            ranges.append((first, last))
        self._at += 1
        if not turned:
            if not ranges:
                raise _TooMuchError
            return self._plainest(ranges)
        return self._outside(ranges)

    def _plainest(self, ranges: list[tuple[str, str]]) -> str:
        return next((each for each in "0a" if _is_in(each, ranges)), ranges[0][0])

    def _outside(self, ranges: list[tuple[str, str]]) -> str:
        found = next((each for each in "x0A_-" if not _is_in(each, ranges)), "")
        if not found:
            raise _TooMuchError
        return found

    def _next(self) -> str:
        return self._pattern[self._at : self._at + 1]


def _is_in(sign: str, ranges: list[tuple[str, str]]) -> bool:
    return any(first <= sign <= last for first, last in ranges)
