"""Where files live: the platform's folders, or one folder for everything, and how the team's file is found.

Nothing is created or read here.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from rpcexplorer.files.io import FileError, real, telling
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.profile import OVERLAY, TEAM_FILE


class Paths(Struct, frozen=True):
    config: Path
    """What a person writes: profiles, settings, themes."""
    state: Path
    """What must not be lost and not be shared: secrets, history, drafts."""
    cache: Path
    """What can be fetched again: catalogues."""

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Paths:
        """``RPCEXPLORER_HOME`` puts everything below one folder; else the platform decides."""
        if home := environment.get("RPCEXPLORER_HOME"):
            folder = Path(home).absolute()
            return cls(folder / "config", folder / "state", folder / "cache")
        import platformdirs

        dirs = platformdirs.PlatformDirs("rpcexplorer", appauthor=False)
        return cls(dirs.user_config_path, dirs.user_state_path, dirs.user_cache_path)

    def locations(self, project: Path, history: Path) -> list[Location]:
        """Return all files and folders, with the project file and the history folder in use."""
        return [
            Location("project file", project),
            Location("local file", project.with_name(OVERLAY)),
            Location("user file", self.user_sessions),
            Location("settings", self.settings),
            Location("themes", self.themes),
            Location("presets", self.presets),
            Location("secrets", self.secrets),
            Location("allowed", self.allowed),
            Location("history", history),
            Location("drafts", self.drafts),
            Location("unsaved calls", self.unsaved),
            Location("screen state", self.screen),
            Location("crash reports", self.crashes),
            Location("method lists", self.catalogues),
        ]

    @property
    def user_sessions(self) -> Path:
        return self.config / TEAM_FILE

    @property
    def settings(self) -> Path:
        return self.config / "settings.toml"

    @property
    def themes(self) -> Path:
        return self.config / "themes"

    @property
    def presets(self) -> Path:
        return self.config / "presets"

    @property
    def secrets(self) -> Path:
        return self.state / "secrets.toml"

    @property
    def allowed(self) -> Path:
        return self.state / "allowed.toml"

    @property
    def history(self) -> Path:
        return self.state / "history"

    @property
    def drafts(self) -> Path:
        return self.state / "drafts"

    @property
    def screen(self) -> Path:
        return self.state / "screen.toml"

    @property
    def unsaved(self) -> Path:
        return self.state / "unsaved"

    @property
    def crashes(self) -> Path:
        return self.state / "crashes"

    @property
    def catalogues(self) -> Path:
        return self.cache / "catalogues"


class Location(Struct, frozen=True):
    """A file or folder that rpcexplorer uses."""

    name: str
    path: Path

    @property
    def exists(self) -> bool:
        return _exists(self.path)


class TeamFile(Struct, frozen=True):
    path: Path | None
    problems: tuple[Problem, ...] = ()


def find_team_file(
    folder: Path, environment: Mapping[str, str], option: Path | None, allowed: Collection[str] = ()
) -> TeamFile:
    """Find the team's file: by option, variable, or from ``folder`` upwards.

    Inside a repository the search ends at its root, else below the home folder. Where everyone may write, as in /tmp, a
    file is passed over with a problem: a stranger may have left it. Folders that this person has ``allowed``, and named
    files, are used as they are. A named file that is missing is a problem.
    """
    if option is not None:
        return _named(folder / option, "--sessions")
    if named := environment.get("RPCEXPLORER_SESSIONS"):
        return _named(folder / named, "RPCEXPLORER_SESSIONS")
    home = environment.get("HOME") or environment.get("USERPROFILE")
    problems: list[Problem] = []
    for place in _upwards(folder.absolute(), Path(home) if home else None):
        path = place / TEAM_FILE
        try:
            if not _exists(path):
                continue
            if not _everyone_writes(path) or str(real(place)) in allowed:
                return TeamFile(path, tuple(problems))
        except FileError as error:
            return TeamFile(None, (*problems, Problem(str(place), error.sentence)))
        sentence = (
            f"others can write to it or its folder, so its profiles are not used. If you trust them: "
            f"run `rpcexplorer profiles allow --folder {shlex.quote(str(place))}`, or name the file with --sessions"
        )
        problems.append(Problem(str(path), sentence))
    return TeamFile(None, tuple(problems))


def _named(path: Path, by: str) -> TeamFile:
    if _exists(path):
        return TeamFile(path.absolute())
    return TeamFile(None, (Problem(str(path), f"there is no such file; correct {by}, which names it"),))


def _upwards(folder: Path, home: Path | None) -> Iterator[Path]:
    line = [folder, *folder.parents]
    root = next((place for place in line if _exists(place / ".git")), None)
    ends = {home, Path(folder.anchor)} if root is None else set(root.parents)
    yield folder
    for place in line[1:]:
        if place in ends:
            return
        yield place


def _exists(path: Path) -> bool:
    """Like Path.exists, which raises where a folder may not be entered."""
    return os.access(path, os.F_OK)


def _everyone_writes(path: Path) -> bool:
    """Return whether any user may change or exchange a file.

    Windows reports these bits always, so they say nothing.
    """
    with telling("check", path):
        overlay = path.with_name(OVERLAY)
        places = (path.parent, path, *([overlay] if _exists(overlay) else []))
        modes = [place.stat().st_mode for place in places]
    return os.name == "posix" and any(
        mode & stat.S_IWOTH and (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) for mode in modes
    )
