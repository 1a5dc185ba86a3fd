"""``allowed.toml``: what this person has said yes to, and which route each variable was first used on.

Everything in it is remembered by its exact content: a route by all its keys, a folder by its path. What follows from
it is settled in routes.py and storage/profiles/layers.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from rpcexplorer.model.complaint import Complaint
from rpcexplorer.model.secrets.route import Route
from rpcexplorer.storage.files import FileTrouble, lock, private_folder, write_private
from rpcexplorer.storage.secrets.file import why_not_private
from rpcexplorer.storage.toml.checks import listed, name, version
from rpcexplorer.storage.toml.reader import TomlFile, read_toml
from rpcexplorer.storage.toml.shape import CheckedFile, Each, Place, TableRule, WrongValue, read_shape

HEADING = "# Kept by rpcexplorer: what you have allowed. `rpcexplorer profiles allow --list` shows it.\n"


def _route(value: Any, _place: Place) -> Any:
    if isinstance(value, dict) and all(isinstance(inner, str) for inner in value.values()):
        return value
    return WrongValue("must be a table of texts")


SHAPE = TableRule(
    "allowed.toml",
    {
        "version": version,
        "folders": listed(name, "folders"),
        "histories": listed(name, "folders"),
        "first_use": Each("variables and their routes", _route),
        "routes": Each("profiles and their routes", listed(_route, "routes")),
    },
)


class Allowed(Struct):
    """Everything in the file."""

    folders: set[str] = field(default_factory=set)
    """Folders that others can write to, whose profiles are used all the same."""
    histories: set[str] = field(default_factory=set)
    """Folders that files of others name for a history."""
    first_uses: dict[str, Route] = field(default_factory=dict)
    """By variable."""
    routes: dict[str, list[Route]] = field(default_factory=dict)
    """By profile."""
    complaint: Complaint | None = None
    """Why the file, or a part of it, cannot be used; it is then not written to either."""

    @classmethod
    def of(cls, reading: CheckedFile) -> Allowed:
        """Take what is right, and the first complaint about the rest."""
        values = reading.values()
        return cls(
            set(values.get("folders", ())),
            set(values.get("histories", ())),
            reading.values("first_use"),
            {profile: list(routes) for profile, routes in reading.values("routes").items()},
            next((complaint for _, complaint in reading.complaints), None),
        )

    def as_toml(self) -> str:
        """Spell the whole file."""
        import tomli_w

        document: dict[str, Any] = {
            "version": 1,
            "folders": sorted(self.folders),
            "histories": sorted(self.histories),
            "first_use": {name: dict(route) for name, route in self.first_uses.items()},
            "routes": {name: [dict(route) for route in routes] for name, routes in self.routes.items()},
        }
        return HEADING + tomli_w.dumps({key: value for key, value in document.items() if value})


class AllowedFile(Struct, frozen=True):
    """The file at ``path``, whether it exists or not."""

    path: Path

    def read(self) -> Allowed:
        """What the file holds now; nothing but a complaint where it is damaged or others could have written it."""
        if refusal := why_not_private(self.path):
            return Allowed(complaint=Complaint(str(self.path), refusal))
        file = read_toml(self.path, ours=True)
        return Allowed.of(read_shape(SHAPE, file)) if isinstance(file, TomlFile) else Allowed(complaint=file)

    @contextmanager
    def changing(self) -> Iterator[Allowed]:
        """What the file holds, locked; written back where the block has changed it. Raises ``FileTrouble``."""
        private_folder(self.path.parent)
        with lock(self.path):
            allowed = self.read()
            if allowed.complaint:
                raise FileTrouble(f"{allowed.complaint}; nothing was changed")
            before = allowed.as_toml()
            yield allowed
            if allowed.as_toml() != before:
                write_private(self.path, allowed.as_toml())


def with_route(routes: Mapping[str, list[Route]], profile: str, route: Route) -> list[Route]:
    """The routes of a profile with one more; one that is there already stands in it once."""
    known = routes.get(profile, [])
    return known if route in known else [*known, route]
