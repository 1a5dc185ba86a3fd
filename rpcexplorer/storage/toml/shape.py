"""What a TOML file may hold, as a table of rules, and the walk that holds a file against it.

A shape is declared with ``TableRule`` (known keys), ``Each`` (any name, one rule) and checks (one value). The walk
gives every value that is right together with its source, and a complaint for everything else. The rules of the
single files are in storage/profiles/shape.py, storage/settings.py and storage/secrets/stored.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from rpcexplorer.model.problem import Complaint, cut, nearest
from rpcexplorer.storage.toml.positions import KeyPath
from rpcexplorer.storage.toml.reader import TomlFile

GUESSED = 20
"""Complaints with a guess at what was meant: each takes as long as to read twenty lines."""
SAID = 200
"""Complaints that are worded; of more nobody reads any."""


class WrongValue(Struct, frozen=True):
    """What a check says of a value it refuses. The sentence never quotes the value: it may be a secret."""

    sentence: str
    inside: KeyPath = ()
    """The part of the value that is wrong, where it is a table."""


class Place(Struct, frozen=True):
    """Where a value stands, for the checks that depend on it."""

    folder: Path
    """The folder of the file, from which relative paths count."""
    path: KeyPath


ValueCheck = Callable[[Any, Place], Any]
"""Gives the value as the program wants it, or ``WrongValue``."""


def _nothing(_name: str, _value: object, _place: Place) -> str | None:
    return None


class TableRule(Struct, frozen=True):
    """A table with known keys."""

    what: str
    """What a person calls it, for "is not a key of …"."""
    keys: Mapping[str, Rule]
    refuse: Callable[[str, Any, Place], str | None] = _nothing
    """A better sentence than "unknown" for some of the keys that are not known."""


class Each(Struct, frozen=True):
    """A table whose keys are names that a person chose."""

    what: str
    """What a person calls it, for "must be …"."""
    inside: Rule
    refuse: Callable[[str, Any, Place], str | None] = _nothing
    """Why an entry cannot have this name, if so."""


Rule = TableRule | Each | ValueCheck


class Source(Struct, frozen=True):
    file: str
    """The file, or ``default``."""
    line: int | None = None
    preset: str = ""
    """The preset that the file holds."""

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"preset {self.preset}, {place}" if self.preset else place


DEFAULT = Source("default")


class Written(Struct, frozen=True):
    """Where a value stands, before anybody has looked for the line."""

    text: TomlFile
    path: KeyPath
    preset: str = ""
    """The preset that it is a value of."""

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
        return Source(origin.file, origin.text.layout.line_of(origin.path), origin.preset)


Leaves = dict[KeyPath, Leaf]


class CheckedFile(Struct):
    file: TomlFile
    leaves: Leaves = field(default_factory=dict)
    """Values by key; an entry of ``Each`` that is a table also stands here itself, for it may be empty."""
    complaints: list[tuple[KeyPath, Complaint]] = field(default_factory=list)
    unsaid: int = 0
    """Complaints beyond ``SAID``, each about something that one is said of already."""
    spoken_of: set[KeyPath] = field(default_factory=set)
    """The top of each key, such as a profile, that something is wrong with."""

    def values(self, *path: str) -> dict[str, Any]:
        """The values directly below ``path``."""
        return {key[-1]: leaf.value for key, leaf in self.leaves.items() if key[:-1] == path}


def read_shape(rule: Rule, file: TomlFile) -> CheckedFile:
    """Hold a whole file against its rule."""
    reading = CheckedFile(file)
    _walk(reading, rule, file.values, Place(file.path.absolute().parent, ()))
    if reading.unsaid:
        sentence = f"and {reading.unsaid:,} more things in this file are wrong; mend these first"
        reading.complaints.append(((), Complaint(str(file.path), sentence, many=reading.unsaid)))
    return reading


def _walk(reading: CheckedFile, rule: Rule, value: Any, place: Place) -> None:
    path = place.path
    if isinstance(rule, TableRule | Each):
        if not isinstance(value, dict):
            _complain(reading, path, f"must be {rule.what}, written as a table")
        elif isinstance(rule, TableRule):
            _walk_table(reading, rule, value, place)
        else:
            _walk_each(reading, rule, value, place)
        return
    result = rule(value, place)
    if isinstance(result, WrongValue):
        _complain(reading, path + result.inside, result.sentence)
    else:
        reading.leaves[path] = Leaf(result, Written(reading.file, path))


def _walk_table(reading: CheckedFile, rule: TableRule, value: dict[str, Any], place: Place) -> None:
    for key, inner in value.items():
        path = (*place.path, key)
        if key in rule.keys:
            _walk(reading, rule.keys[key], inner, Place(place.folder, path))
        else:
            guess = len(reading.complaints) < GUESSED
            _complain(reading, path, rule.refuse(key, inner, place) or _unknown(key, rule, guess=guess))


def _walk_each(reading: CheckedFile, rule: Each, value: dict[str, Any], place: Place) -> None:
    for name, inner in value.items():
        path = (*place.path, name)
        if sentence := rule.refuse(name, inner, place):
            _complain(reading, path, sentence)
            continue
        if isinstance(rule.inside, TableRule | Each) and isinstance(inner, dict):
            reading.leaves[path] = Leaf({}, Written(reading.file, path))
        _walk(reading, rule.inside, inner, Place(place.folder, path))


def _unknown(key: str, rule: TableRule, *, guess: bool) -> str:
    like = nearest(key, rule.keys) if guess else None
    advice = f"did you mean `{like}`?" if like else f"the keys are {', '.join(rule.keys)}"
    return f"`{cut(key)}` is not a key of {rule.what}; {advice}"


def _complain(reading: CheckedFile, path: KeyPath, sentence: str) -> None:
    if len(reading.complaints) >= SAID and path[:2] in reading.spoken_of:
        reading.unsaid += 1
        return
    reading.spoken_of.add(path[:2])
    reading.complaints.append((path, reading.file.complain(path, sentence)))
