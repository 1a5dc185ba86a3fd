"""``allowed.toml``: what you have allowed, and first uses of variables.

Everything is stored by its exact content: a destination by all its keys, a folder by its path, a process by
its words and its folder.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import msgspec
from msgspec import Struct, field

from rpcexplorer.files.private import Contents
from rpcexplorer.files.toml_shape import (
    CheckedFile,
    MapRule,
    Place,
    Rule,
    TableRule,
    WrongValue,
    list_rule,
    name_rule,
    version_rule,
)
from rpcexplorer.model.destination import Destination, ProcessCommand


def _destination(value: Any, _place: Place) -> Any:
    if isinstance(value, dict) and all(isinstance(inner, str) for inner in value.values()):
        return value
    return WrongValue("must be a table of text values")


class AllowedCommand(Struct, frozen=True):
    """The words of a process that may run in a folder, with these environment variables."""

    folder: str
    words: tuple[str, ...]
    environment: dict[str, str] = {}
    environment_secrets: tuple[str, ...] = ()
    profile: str = ""
    """The profile that it was allowed for. Older versions did not write it; whose words they are does not matter."""

    @classmethod
    def of(cls, process: ProcessCommand, profile: str = "") -> Self:
        environment = dict(process.environment)
        return cls(process.folder, process.words, environment, process.environment_secrets, profile)

    @property
    def destination(self) -> Destination:
        """What was allowed, with keys in the order of a question."""
        found = {"folder": self.folder, "words": shlex.join(self.words)}
        found |= {f"environment.{name}": value for name, value in self.environment.items()}
        if self.environment_secrets:
            found["environment_secrets"] = ", ".join(self.environment_secrets)
        return found


def _command(value: Any, _place: Place) -> Any:
    try:
        return msgspec.convert(value, AllowedCommand)
    except msgspec.ValidationError:
        return WrongValue("must be a table with a folder and an array of words")


SHAPE = TableRule(
    "allowed.toml",
    {
        "version": version_rule,
        "folders": list_rule(name_rule, "folders"),
        "histories": list_rule(name_rule, "folders"),
        "commands": list_rule(_command, "commands"),
        "first_use": MapRule(_destination),
        "routes": MapRule(list_rule(_destination, "destinations")),
    },
)


class Allowed(Contents):
    folders: set[str] = field(default_factory=set)
    """Folders that other users can write to, whose profiles are used."""
    histories: set[str] = field(default_factory=set)
    """Folders for histories that shared files name."""
    commands: list[AllowedCommand] = field(default_factory=list)
    """Processes that shared files name, the newest last."""
    first_uses: dict[str, Destination] = field(default_factory=dict)
    """Keyed by variable."""
    destinations: dict[str, list[Destination]] = field(default_factory=dict)
    """Keyed by profile."""

    shape: ClassVar[Rule] = SHAPE
    heading: ClassVar[str] = (
        "# Written by rpcexplorer. To list the destinations and folders that you have allowed, run:\n"
        "# rpcexplorer profiles allow --list\n"
    )

    @classmethod
    def from_file(cls, reading: CheckedFile) -> Self:
        if reading.problems:  # The file does not show what was allowed, so everything is asked again.
            return cls(reading.problems[0][1])
        values = reading.values()
        return cls(
            None,
            set(values.get("folders", ())),
            set(values.get("histories", ())),
            list(values.get("commands", ())),
            reading.values("first_use"),
            {profile: list(destinations) for profile, destinations in reading.values("routes").items()},
        )

    def members(self) -> Mapping[str, Any]:
        return {
            "folders": sorted(self.folders),
            "histories": sorted(self.histories),
            "commands": [msgspec.to_builtins(command) for command in self.commands],
            "first_use": {name: dict(destination) for name, destination in self.first_uses.items()},
            "routes": {
                name: [dict(destination) for destination in destinations]
                for name, destinations in self.destinations.items()
            },
        }


def with_destination(
    destinations: Mapping[str, list[Destination]], profile: str, destination: Destination
) -> list[Destination]:
    """Return the destinations of a profile with one more, without duplicates."""
    known = destinations.get(profile, [])
    return known if destination in known else [*known, destination]
