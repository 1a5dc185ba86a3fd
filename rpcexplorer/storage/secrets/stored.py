"""``secrets.toml``: the secrets of profiles, each with the route that it was saved for.

Which secret goes to whom is settled in lookup.py. No sentence in here quotes a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Self

from msgspec import Struct, field

from rpcexplorer.files.private import Contents, toml
from rpcexplorer.files.toml import KeyPath, TomlFile, parse_toml
from rpcexplorer.files.toml_shape import (
    CheckedFile,
    Each,
    Rule,
    TableRule,
    listed,
    moment,
    name,
    read_shape,
    text,
    version,
)
from rpcexplorer.model.destination import Route
from rpcexplorer.model.secret import FIELDS

ENTRY = TableRule(
    "a secret", {"value": text, "origin": name, "saved": moment, "route": Each("the rest of the route by key", text)}
)
SHAPE = TableRule(
    "secrets.toml",
    {
        "version": version,
        "plain_http": listed(name, "origins"),
        "profile": Each("profiles by name", TableRule("a profile in this file", dict.fromkeys(FIELDS, ENTRY))),
    },
)


class Stored(Struct, frozen=True):
    value: str
    route: Route
    """The only one it may go. Of what an earlier version has stored, only the origin is known."""
    saved: datetime | None = None

    def __repr__(self) -> str:
        """Not the value."""
        return f"Stored(origin={self.route['origin']!r})"

    def members(self) -> dict[str, Any]:
        rest = {key: value for key, value in self.route.items() if key != "origin"}
        members = {"value": self.value, "origin": self.route["origin"], "saved": self.saved, "route": rest}
        return {key: value for key, value in members.items() if value is not None and value != {}}

    @classmethod
    def of(cls, reading: CheckedFile, *path: str) -> Stored | None:
        """Undo ``members``; None where one is missing that is needed."""
        members = reading.values(*path)
        if not {"value", "origin"} <= members.keys():
            return None
        route = {"origin": members["origin"], **reading.values(*path, "route")}
        return cls(members["value"], route, members.get("saved"))

    def as_toml(self) -> str:
        """Spell it for a store that keeps one text."""
        return toml(self.members())

    @classmethod
    def from_toml(cls, text: str) -> Stored | None:
        """Undo ``as_toml``; None for any other text."""
        file = parse_toml(Path("keyring"), text)
        return cls.of(read_shape(ENTRY, file)) if isinstance(file, TomlFile) else None


class StoredSecrets(Contents):
    entries: dict[tuple[str, str], Stored] = field(default_factory=dict)
    """By profile and field."""
    plain: set[str] = field(default_factory=set)
    """Origins that get credentials over plain http, because the user said so."""

    shape: ClassVar[Rule] = SHAPE
    heading: ClassVar[str] = (
        "# Kept by rpcexplorer for its owner alone. Each value goes the route that it was saved for, and no other.\n"
    )

    @classmethod
    def of(cls, reading: CheckedFile) -> Self:
        contents = cls(plain=set(reading.values().get("plain_http", ())))
        complaints = [complaint for _, complaint in reading.complaints]
        entries: dict[KeyPath, None] = {path[:3]: None for path in reading.leaves if len(path) > 3}
        for path in entries:
            if stored := Stored.of(reading, *path):
                contents.entries[path[1], path[2]] = stored
            elif not complaints:
                complaints.append(reading.file.complain(path, "needs both a value and an origin; remove it"))
        contents.complaint = complaints[0] if complaints else None
        return contents

    def members(self) -> Mapping[str, Any]:
        profiles: dict[str, dict[str, Any]] = {}
        for (profile, each), stored in self.entries.items():
            profiles.setdefault(profile, {})[each] = stored.members()
        return {"plain_http": sorted(self.plain), "profile": profiles}
