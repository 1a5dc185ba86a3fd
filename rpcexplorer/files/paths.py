"""Where files are: the platform's folders, or one folder for all.

Nothing is created or read here.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from rpcexplorer.files.io import FileError, file_errors, real
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.profile import OVERLAY, TEAM_FILE

UNSAVED = "rpcexplorer-unsaved-"
"""The beginning of the name of a temporary folder for calls that could not be recorded."""


class Paths:
    def __init__(self, config: Path, state: Path, cache: Path) -> None:
        # Files that users write:
        self.config = config
        self.user_sessions = config / TEAM_FILE
        self.settings = config / "settings.toml"
        self.themes = config / "themes"
        self.presets = config / "presets"
        # Files that must not be lost or shared:
        self.state = state
        self.secrets = state / "secrets.toml"
        self.allowed = state / "allowed.toml"
        self.history = state / "history"
        self.drafts = state / "drafts"
        self.screen = state / "screen.toml"
        self.unsaved = state / "unsaved"
        self.crashes = state / "crashes"
        # Files that can be fetched again:
        self.cache = cache
        self.method_lists = cache / "catalogues"

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Paths:
        """Return the folders of the platform, or those in ``RPCEXPLORER_HOME``."""
        if home := environment.get("RPCEXPLORER_HOME"):
            folder = Path(home).absolute()
            return cls(folder / "config", folder / "state", folder / "cache")
        import platformdirs

        dirs = platformdirs.PlatformDirs("rpcexplorer", appauthor=False)
        return cls(dirs.user_config_path, dirs.user_state_path, dirs.user_cache_path)

    def locations(self, project: Path, history: Path) -> list[Location]:
        """Return all files and folders, with the project file and history in use."""
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
            Location("method lists", self.method_lists),
        ]


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
    """Find the project file: by option, variable, or from ``folder`` upwards.

    The search ends at the root of the repository, or below the home folder. A file that every user can write, as in
    /tmp, is skipped with a problem: a stranger may have put it there. Folders that the user has ``allowed`` and named
    files are used anyway. A named file that is missing is a problem.
    """
    if option is not None:
        return _named(_joined(folder, option), "--sessions")
    if named := environment.get("RPCEXPLORER_SESSIONS"):
        return _named(_joined(folder, named), "RPCEXPLORER_SESSIONS")
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
            "other users can write to this file or its folder, so its profiles are not used. If you trust them, name "
            f"the file with --sessions, or run `rpcexplorer profiles allow --folder {shlex.quote(str(place))}`"
        )
        problems.append(Problem(str(path), sentence))
    return TeamFile(None, tuple(problems))


def _joined(folder: Path, name: str | Path) -> Path:
    """Return the path of a named file without ``..``: documents must be in its folder."""
    return Path(os.path.abspath(folder / name))  # noqa: PTH100 - links stay


def _named(path: Path, by: str) -> TeamFile:
    if _exists(path):
        return TeamFile(path.absolute())
    return TeamFile(None, (Problem(str(path), f"there is no such file. Correct the path in {by}"),))


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
    """Return whether it exists; Path.exists raises for a forbidden folder."""
    return os.access(path, os.F_OK)


def _everyone_writes(path: Path) -> bool:
    """Return whether any user may change or replace a file.

    Windows always reports these bits, so they mean nothing there.
    """
    with file_errors("check", path):
        modes = [path.parent.stat().st_mode, path.stat().st_mode]
        overlay = path.with_name(OVERLAY)
        if _exists(overlay):
            modes.append(overlay.stat().st_mode)
    return os.name == "posix" and any(
        mode & stat.S_IWOTH and (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) for mode in modes
    )
