"""Whether a value fits a schema, as far as it is known without the checker."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sized
from math import comb, isfinite
from typing import Any, Final

from rpcexplorer.schema.node import (
    SchemaReader,
    alternatives_of,
    choices_of,
    is_kind,
    kind_of_value,
    kinds_of,
    limits_of,
    required_of,
)

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


STEPS: Final = 5_000
"""Schemas that are looked at for one answer."""
OF_A_PATTERN: Final = 50
"""Steps that a pattern counts for."""
DEEP: Final = 60
Fits = bool | None
"""None: it cannot be told."""


def fits(reader: SchemaReader, schema: Any, value: Any) -> Fits:
    """Whether a value may stand where the schema holds."""
    return Fitting(reader).fits(schema, value)


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are one: a truth is no number."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def is_one_of(value: Any, choices: Iterable[Any]) -> bool:
    return any(same(value, each) for each in choices)


def small(value: Any, most: int = 200, longest: int = 2_000) -> bool:
    """Whether a value is so small that it can be looked at, copied and shown in a moment."""
    rest, parts = [value], 0
    while rest:
        part = rest.pop()
        parts += 1
        if parts > most or (isinstance(part, str) and len(part) > longest):
            return False
        if isinstance(part, dict | list):
            if len(part) > most:
                return False
            rest += part.values() if isinstance(part, dict) else part
    return True


class Fitting:
    """Answers many questions together in a bounded number of steps; those that come when it is used up are unknown."""

    def __init__(self, reader: SchemaReader, steps: int = STEPS) -> None:
        self._reader = reader
        self._left = steps

    def fits(self, schema: Any, value: Any, deep: int = 0) -> Fits:
        if isinstance(schema, bool):
            return schema
        self._left -= 1
        if self._left < 0 or deep > DEEP:
            return None
        return _all(self._part(part, value, deep + 1) for part in self._reader.parts(schema))

    @property
    def is_over(self) -> bool:
        return self._left < 0

    def _part(self, part: dict[str, Any], value: Any, deep: int) -> Fits:
        self._left -= 1
        if self._left < 0:
            return None
        return _all(said for judge in (self._itself, self._inside, self._joined) for said in judge(part, value, deep))

    def _itself(self, part: dict[str, Any], value: Any, _: int) -> Iterator[Fits]:
        """Its kind, its choices and its limits."""
        kind = kind_of_value(value)
        if (kinds := kinds_of(part)) and not (value is None and part.get("nullable") is True):
            yield is_kind(kind, kinds)
        if (choices := choices_of(part)) is not None:
            yield is_one_of(value, choices)
        for key, bound in limits_of(part):
            self._left -= OF_A_PATTERN * (key == "pattern")
            yield _LIMITS[key](bound, value)

    def _inside(self, part: dict[str, Any], value: Any, deep: int) -> Iterator[Fits]:
        if isinstance(value, dict):
            yield from (name in value for name in required_of(part))
            yield from self._members(part, value, deep)
            yield from self._depending(part, value, deep)
        elif isinstance(value, list):
            node = self._reader.node({key: part[key] for key in _OF_ELEMENTS if key in part})
            if node.items is not True or node.prefix:
                yield from (self.fits(node.element(at), each, deep) for at, each in enumerate(value))
            if isinstance(wanted := part.get("contains"), dict):
                yield True if part.get("minContains") == 0 else _any(self.fits(wanted, each, deep) for each in value)

    def _members(self, part: dict[str, Any], value: dict[str, Any], deep: int) -> Iterator[Fits]:
        own, patterns = part.get("properties"), part.get("patternProperties")
        named = own if isinstance(own, dict) else {}
        other = part.get("additionalProperties", True)
        for name, member in value.items():
            if name in named:
                yield self.fits(named[name], member, deep)
            elif isinstance(patterns, dict) and patterns:
                yield None
            else:
                yield self.fits(other, member, deep)
        if isinstance(names := part.get("propertyNames"), dict):
            yield from (self.fits(names, name, deep) for name in value)

    def _depending(self, part: dict[str, Any], value: dict[str, Any], deep: int) -> Iterator[Fits]:
        """What must be there because something else is."""
        for key in ("dependentRequired", "dependentSchemas", "dependencies"):
            for name, wanted in found.items() if isinstance(found := part.get(key), dict) else ():
                if name in value and isinstance(wanted, list):
                    yield all(each in value for each in wanted if isinstance(each, str))
                elif name in value and isinstance(wanted, dict | bool):
                    yield self.fits(wanted, value, deep)

    def _joined(self, part: dict[str, Any], value: Any, deep: int) -> Iterator[Fits]:
        several = alternatives_of(part)
        if several:
            found = [self.fits(each, value, deep) for each in several]
            yield _one(found) if several is part.get("oneOf") else _any(found)
            if several is part.get("oneOf") and isinstance(any_of := part.get("anyOf"), list) and any_of:
                yield _any(self.fits(each, value, deep) for each in any_of)
        if isinstance(not_this := part.get("not"), dict | bool):
            yield None if (found_not := self.fits(not_this, value, deep)) is None else not found_not
        if isinstance(condition := part.get("if"), dict | bool):
            holds = self.fits(condition, value, deep)
            yield None if holds is None else self.fits(part.get("then" if holds else "else", True), value, deep)


_OF_ELEMENTS: Final = ("items", "prefixItems", "additionalItems")


def _all(found: Iterable[Fits]) -> Fits:
    unknown = False
    for each in found:
        if each is False:
            return False
        unknown = unknown or each is None
    return None if unknown else True


def _any(found: Iterable[Fits]) -> Fits:
    unknown = False
    for each in found:
        if each:
            return True
        unknown = unknown or each is None
    return None if unknown else False


def _one(found: list[Fits]) -> Fits:
    if found.count(True) > 1:
        return False
    return None if None in found else True in found


def _of_number(judge: Callable[[Any, Any], Fits]) -> Callable[[Any, Any], Fits]:
    return lambda bound, value: kind_of_value(value) not in {"integer", "number"} or judge(bound, value)


def _of_size(kind: type[Sized], judge: Callable[[int, int], Fits]) -> Callable[[Any, Any], Fits]:
    return lambda bound, value: not isinstance(value, kind) or judge(bound, len(value))


def _is_multiple(step: Any, value: Any) -> Fits:
    if isinstance(step, int) and isinstance(value, int):
        return value % step == 0
    try:
        times = value / step
        return True if times == 0 else (None if not isfinite(times) or abs(times) > 1e15 else _near(times))
    except OverflowError:
        return None


def _near(times: float) -> Fits:
    """A multiple of 0.1 is only nearly one to a machine: whoever judges it then, may judge otherwise."""
    if times == round(times):
        return True
    return None if abs(times - round(times)) < 1e-9 else False


def _is_each_once(_: Any, value: Any) -> Fits:
    if not isinstance(value, list):
        return True
    if len(value) > 100:  # every pair is compared
        return None
    return not any(same(one, other) for at, one in enumerate(value) for other in value[:at])


_LIMITS: Final[dict[str, Callable[[Any, Any], Fits]]] = {
    "minimum": _of_number(lambda bound, value: value >= bound),
    "maximum": _of_number(lambda bound, value: value <= bound),
    "exclusiveMinimum": _of_number(lambda bound, value: value > bound),
    "exclusiveMaximum": _of_number(lambda bound, value: value < bound),
    "multipleOf": _of_number(_is_multiple),
    "minLength": _of_size(str, lambda bound, size: size >= bound),
    "maxLength": _of_size(str, lambda bound, size: size <= bound),
    "minItems": _of_size(list, lambda bound, size: size >= bound),
    "maxItems": _of_size(list, lambda bound, size: size <= bound),
    "minProperties": _of_size(dict, lambda bound, size: size >= bound),
    "maxProperties": _of_size(dict, lambda bound, size: size <= bound),
    "uniqueItems": _is_each_once,
    "pattern": lambda pattern, value: not isinstance(value, str) or matches(pattern, value),
    "format": lambda _, __: True,
}
