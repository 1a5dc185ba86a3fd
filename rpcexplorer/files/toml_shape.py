"""The shape that a TOML file must have, with hints for wrong keys.

It is also the JSON Schema of the file: each rule of ``sessions.toml`` declares what it accepts, with ``accepts``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from datetime import MAXYEAR, MINYEAR, datetime
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct, field

from rpcexplorer.files.toml import KeyPath, TomlFile, dotted
from rpcexplorer.jsontext.scan import MAX_INTEGER
from rpcexplorer.model.problem import Problem, counted, cut, nearest
from rpcexplorer.patterns import regex

MAX_GUESSES = 20
"""Problems with a suggested key; each takes as long as reading 20 lines."""
MAX_COMPLAINTS = 200


class WrongValue(Struct, frozen=True):
    """A rejected value. The sentence never quotes it: it may be a secret."""

    sentence: str
    inside: KeyPath = ()


class Place(Struct, frozen=True):
    folder: Path
    path: KeyPath


ValueCheck = Callable[[Any, Place], Any]
"""Return the value as the program uses it, or ``WrongValue``."""
JsonSchema = Mapping[str, Any]
Refusal = Callable[[str, Any, Place], str | None]
"""Return a sentence for a key that a table must not have, or None."""


def _accept_key(_key: str, _value: object, _place: Place) -> str | None:
    return None


class TableRule(Struct, frozen=True):
    what: str
    keys: Mapping[str, Rule]
    refuse: Refusal = _accept_key
    docs: Mapping[str, str] = {}
    """What keys mean, for the JSON Schema."""
    limits: JsonSchema = {}
    """What the JSON Schema requires of the table besides its keys."""


class MapRule(Struct, frozen=True):
    inside: Rule
    refuse: Refusal = _accept_key
    names: JsonSchema = {}
    """The JSON Schema of its keys."""


Rule = TableRule | MapRule | ValueCheck
_ACCEPTED: dict[ValueCheck, JsonSchema] = {}
Check = TypeVar("Check", bound=ValueCheck)


def accepts(**schema: Any) -> Callable[[Check], Check]:
    """Declare what a rule accepts as a JSON Schema, which can be wider than the rule but not narrower."""

    def declare(check: Check) -> Check:
        _ACCEPTED[check] = schema
        return check

    return declare


def whole(pattern: str) -> str:
    """Return the pattern of a JSON Schema for texts that match as a whole."""
    return f"^(?:{pattern})$"


def in_any_case(word: str) -> str:
    """Return a pattern for a word in capital and small letters: that of a JSON Schema has no flags."""
    return "".join(f"[{letter.upper()}{letter}]" if letter.isalpha() else letter for letter in word)


def schema_of(rule: Rule) -> dict[str, Any]:
    """Return the JSON Schema of the values that a rule accepts."""
    if isinstance(rule, MapRule):
        names = {"propertyNames": rule.names} if rule.names else {}
        return {"type": "object", "additionalProperties": schema_of(rule.inside), **names}
    if not isinstance(rule, TableRule):
        return {**_ACCEPTED[rule]}
    keys = {}
    for key, inside in rule.keys.items():
        schema = schema_of(inside)
        if key in rule.docs:
            schema = {"description": rule.docs[key], **schema}
        keys[key] = schema
    return {"type": "object", "properties": keys, "additionalProperties": False, **rule.limits}


class Source(Struct, frozen=True):
    file: str
    line: int | None = None
    preset: str = ""

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"preset {self.preset}, {place}" if self.preset else place


DEFAULT = Source("default")


class Written(Struct, frozen=True):
    """A source whose line is looked up only if it is needed."""

    text: TomlFile
    path: KeyPath
    preset: str = ""

    @property
    def file(self) -> str:
        return str(self.text.path)


class Leaf(Struct, frozen=True):
    value: Any
    origin: Source | Written

    @property
    def source(self) -> Source:
        origin = self.origin
        if isinstance(origin, Source):
            return origin
        return Source(origin.file, origin.text.line_of(origin.path), origin.preset)


Leaves = dict[KeyPath, Leaf]


class CheckedFile(Struct):
    file: TomlFile
    leaves: Leaves = field(default_factory=dict)
    """Values by key, and the tables of ``MapRule``, which may be empty."""
    problems: list[tuple[KeyPath, Problem]] = field(default_factory=list)
    unlisted: int = 0
    """Problems beyond ``MAX_COMPLAINTS``, for entries that already have one."""
    entries_with_problem: set[KeyPath] = field(default_factory=set)
    """The first two parts of each key with a problem, such as a profile."""

    def values(self, *path: str) -> dict[str, Any]:
        return {key[-1]: leaf.value for key, leaf in self.leaves.items() if key[:-1] == path}


def read_shape(rule: Rule, file: TomlFile) -> CheckedFile:
    reading = CheckedFile(file)
    _walk(reading, rule, file.values, Place(file.path.absolute().parent, ()))
    if reading.unlisted:
        sentence = f"{counted(reading.unlisted, 'more problem')} in this file. Fix the problems above first"
        reading.problems.append(((), Problem(str(file.path), sentence, many=reading.unlisted)))
    return reading


def _walk(reading: CheckedFile, rule: Rule, value: Any, place: Place) -> None:
    path = place.path
    if not isinstance(rule, TableRule | MapRule):
        result = rule(value, place)
        if isinstance(result, WrongValue):
            _complain(reading, path + result.inside, result.sentence)
        else:
            reading.leaves[path] = Leaf(result, Written(reading.file, path))
    elif not isinstance(value, dict):
        _complain(reading, path, f"must be a table. Write its keys below [{dotted(path)}]")
    elif isinstance(rule, TableRule):
        for key, inner in value.items():
            here = Place(place.folder, (*path, key))
            if key in rule.keys:
                _walk(reading, rule.keys[key], inner, here)
                continue
            guess = len(reading.problems) < MAX_GUESSES
            _complain(reading, here.path, rule.refuse(key, inner, place) or _unknown(key, rule, guess=guess))
    else:
        for name, inner in value.items():
            here = Place(place.folder, (*path, name))
            if sentence := rule.refuse(name, inner, place):
                _complain(reading, here.path, sentence)
                continue
            if isinstance(rule.inside, TableRule | MapRule) and isinstance(inner, dict):
                reading.leaves[here.path] = Leaf({}, Written(reading.file, here.path))
            _walk(reading, rule.inside, inner, here)


def _unknown(key: str, rule: TableRule, *, guess: bool) -> str:
    like = nearest(key, rule.keys) if guess else None
    advice = f"Did you mean `{like}`?" if like else f"Known keys: {', '.join(rule.keys)}"
    return f"`{cut(key)}` is not a key of {rule.what}. {advice}"


def _complain(reading: CheckedFile, path: KeyPath, sentence: str) -> None:
    if len(reading.problems) >= MAX_COMPLAINTS and path[:2] in reading.entries_with_problem:
        reading.unlisted += 1
        return
    reading.entries_with_problem.add(path[:2])
    reading.problems.append((path, reading.file.complain(path, sentence)))


SIZE = regex(r"(\d{1,9}) ?([kMG]?)(i?)B", re.ASCII)
PREFIXES = " kMG"


@accepts(type="string")
def text_rule(value: Any, _place: Place) -> Any:
    return value if isinstance(value, str) else WrongValue("must be text, in quotes")


@accepts(type="string", minLength=1)
def name_rule(value: Any, place: Place) -> Any:
    return WrongValue("must not be empty") if value == "" else text_rule(value, place)


def file_name_rule(value: Any, place: Place) -> Any:
    """Accept a file name without extension and without a path."""
    if isinstance(value, str) and (re.search(r"[/\\\0]", value) or value.startswith(".")):
        return WrongValue("must be a file name without a folder")
    return text_rule(value, place)


def without_quotes(value: Any) -> str:
    """Return the end of a problem if only the quotes of a value are wrong."""
    if isinstance(value, str) and re.fullmatch(r"[\d.]+|true|false", value.strip("\"' ")):
        return ", without quotes"
    return ""


@accepts(type="boolean")
def flag_rule(value: Any, _place: Place) -> Any:
    return value if isinstance(value, bool) else WrongValue(f"must be true or false{without_quotes(value)}")


@accepts(type="integer", minimum=-MAX_INTEGER, maximum=MAX_INTEGER)
def integer_rule(value: Any, _place: Place) -> Any:
    if type(value) is int and -MAX_INTEGER <= value <= MAX_INTEGER:
        return value
    return WrongValue(f"must be a whole number{without_quotes(value)}")


@accepts(const=1)
def version_rule(value: Any, _place: Place) -> Any:
    """Accept the version of the file format, which is 1."""
    if type(value) is int and value == 1:
        return value
    return WrongValue("must be 1. Later versions need a newer rpcexplorer")


def time_rule(value: Any, _place: Place) -> Any:
    # The time must exist in every zone.
    if isinstance(value, datetime) and value.tzinfo and MINYEAR < value.year < MAXYEAR:
        return value
    return WrongValue("must be a date and time with an offset, such as 2026-01-31T12:00:00Z")


def choice_rule(*words: str) -> ValueCheck:

    @accepts(enum=words)
    def check(value: Any, _place: Place) -> Any:
        if isinstance(value, str) and value in words:
            return value
        guess = nearest(value, words) if isinstance(value, str) else None
        advice = f'. Did you mean "{guess}"?' if guess else ""
        allowed = ", ".join(f'"{word}"' for word in words)
        return WrongValue(f"must be one of {allowed}{advice}")

    return check


def list_rule(inside: ValueCheck, what: str) -> ValueCheck:

    @accepts(type="array", items=_ACCEPTED.get(inside, {}))
    def check(value: Any, place: Place) -> Any:
        if not isinstance(value, list):
            return WrongValue(f"must be an array of {what}, in square brackets")
        checked = [inside(element, place) for element in value]
        for index, element in enumerate(checked):
            if isinstance(element, WrongValue):
                return WrongValue(element.sentence, (str(index),))
        return tuple(checked)

    return check


@accepts(type="string", minLength=1)
def path_rule(value: Any, place: Place) -> Any:
    """Accept a path, relative to its file; it need not exist yet."""
    if not isinstance(value, str) or not value or "\0" in value:
        return WrongValue("must be the path of a file or folder, in quotes")
    return os.path.normpath(place.folder / os.path.expanduser(value))  # noqa: PTH111 - Path's own raises without a home


def size_rule(least: int) -> ValueCheck:
    """Accept a number of bytes from ``least`` up, or text such as "256 MiB"."""

    def check(value: Any, _place: Place) -> Any:
        found = SIZE.fullmatch(value) if isinstance(value, str) else None
        if found:
            value = int(found[1]) * (1024 if found[3] else 1000) ** PREFIXES.index(found[2] or " ")
        if type(value) is int and least <= value <= MAX_INTEGER:
            return value
        limit = f" (at least {least})" if least else ""
        return WrongValue(f'must be a number of bytes{limit}, or text such as "500 kB" or "256 MiB"')

    return check
