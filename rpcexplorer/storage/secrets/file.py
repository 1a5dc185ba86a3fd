"""``secrets.toml``: private or not used at all, read whole, changed under a lock.

Which secret goes to whom is settled in lookup.py. No sentence in here quotes a value.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from rpcexplorer.model.complaint import Complaint
from rpcexplorer.model.secrets.route import Route
from rpcexplorer.model.secrets.secret import FIELDS
from rpcexplorer.storage.files import FileTrouble, is_private, lock, private_folder, telling, write_private
from rpcexplorer.storage.toml.checks import listed, moment, name, text, version
from rpcexplorer.storage.toml.positions import KeyPath
from rpcexplorer.storage.toml.reader import TomlFile, parse_toml, read_toml
from rpcexplorer.storage.toml.shape import CheckedFile, Each, TableRule, read_shape

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

HEADING = "# Kept by rpcexplorer for its owner alone. Each value goes the route that it was saved for, and no other.\n"


class Stored(Struct, frozen=True):
    """One value as it is kept."""

    value: str
    route: Route
    """The only one it may go. Of what an earlier version has stored, only the origin is known."""
    saved: datetime | None = None

    def __repr__(self) -> str:
        """Not the value."""
        return f"Stored(origin={self.route['origin']!r})"

    def members(self) -> dict[str, Any]:
        """All of it as a table."""
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
        return _toml(self.members())

    @classmethod
    def from_toml(cls, text: str) -> Stored | None:
        """Undo ``as_toml``; None for any other text."""
        file = parse_toml(Path("keyring"), text)
        return cls.of(read_shape(ENTRY, file)) if isinstance(file, TomlFile) else None


class Contents(Struct):
    """Everything in the file."""

    entries: dict[tuple[str, str], Stored] = field(default_factory=dict)
    """By profile and field."""
    plain: set[str] = field(default_factory=set)
    """Origins that get credentials over plain http, because the user said so."""
    complaint: Complaint | None = None
    """Why the file, or a part of it, cannot be used; it is then not written to either."""

    @classmethod
    def of(cls, reading: CheckedFile) -> Contents:
        """Take what is right, and the first complaint about the rest."""
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

    def as_toml(self) -> str:
        """Spell the whole file."""
        profiles: dict[str, dict[str, Any]] = {}
        for (profile, each), stored in self.entries.items():
            profiles.setdefault(profile, {})[each] = stored.members()
        document: dict[str, Any] = {"version": 1}
        if self.plain:
            document["plain_http"] = sorted(self.plain)
        return HEADING + _toml(document | {"profile": profiles})


class SecretFile(Struct, frozen=True):
    """The file at ``path``, whether it exists or not."""

    path: Path

    def read(self) -> Contents:
        """What the file holds now; nothing but a complaint where it is damaged or not private."""
        if refusal := why_not_private(self.path):
            return Contents(complaint=Complaint(str(self.path), refusal))
        file = read_toml(self.path, ours=True)
        return Contents.of(read_shape(SHAPE, file)) if isinstance(file, TomlFile) else Contents(complaint=file)

    @contextmanager
    def changing(self) -> Iterator[Contents]:
        """What the file holds, locked; written back where the block has changed it. Raises ``FileTrouble``."""
        private_folder(self.path.parent)
        with lock(self.path):
            contents = self.read()
            if contents.complaint:
                raise FileTrouble(f"{contents.complaint}; nothing was changed")
            before = contents.as_toml()
            yield contents
            if contents.as_toml() != before:
                write_private(self.path, contents.as_toml())


def why_not_private(path: Path) -> str | None:
    """Why a file cannot be taken for this person's alone. It is not repaired: its owner has to know."""
    folder = path.parent
    try:
        if os.access(folder, os.F_OK) and _is_open(folder):
            return f"others can write to its folder: run `chmod 700 {shlex.quote(str(folder))}`"
        if os.access(path, os.F_OK) and not is_private(path):
            return f"others can read it, so it is not used: run `chmod 600 {shlex.quote(str(path))}`"
    except FileTrouble as trouble:
        return trouble.sentence
    return None


def _is_open(folder: Path) -> bool:
    """Whether others can put files into ``folder``."""
    with telling("check", folder):
        return os.name == "posix" and bool(folder.stat().st_mode & 0o022)


def _toml(members: Mapping[str, Any]) -> str:
    import tomli_w

    return tomli_w.dumps(members)
