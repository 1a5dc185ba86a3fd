"""Where files live: the platform's folders, or one folder for everything, and how the team's file is found.

Nothing is created or read here.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from rpcexplorer.model.complaint import Complaint
from rpcexplorer.storage.files import FileTrouble, telling

TEAM_FILE = "sessions.toml"


class Paths(Struct, frozen=True):
    """The three folders of one user, and what lies in them."""

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

    @property
    def user_sessions(self) -> Path:
        """The profiles of this user, which every team's file may change."""
        return self.config / TEAM_FILE

    @property
    def settings(self) -> Path:
        """Theme, keymap, history, limits."""
        return self.config / "settings.toml"

    @property
    def themes(self) -> Path:
        """The folder of the user's own themes."""
        return self.config / "themes"

    @property
    def secrets(self) -> Path:
        """Passwords and session cookies, for nobody else's eyes."""
        return self.state / "secrets.toml"

    @property
    def history(self) -> Path:
        """The folder of what was called, unless a profile or a setting names another."""
        return self.state / "history"

    @property
    def drafts(self) -> Path:
        """The folder of what was typed and not sent, or sent and kept."""
        return self.state / "drafts"

    @property
    def screen(self) -> Path:
        """What the screen remembers."""
        return self.state / "screen.toml"

    @property
    def unsaved(self) -> Path:
        """The folder of calls that could not be written to their history before the program ended."""
        return self.state / "unsaved"

    @property
    def crashes(self) -> Path:
        """The folder of what was written down when the program itself was at fault."""
        return self.state / "crashes"

    @property
    def catalogues(self) -> Path:
        """The folder of discovered catalogues."""
        return self.cache / "catalogues"


def find_team_file(folder: Path, environment: Mapping[str, str], option: Path | None) -> Path | Complaint | None:
    """Find the team's ``sessions.toml``: the option's, the variable's, or the nearest from ``folder`` upwards.

    Inside a repository the search ends at its root. Outside of one it ends below the home folder (or the root of
    the file system). Folders that everyone may write to, such as /tmp, are passed over on the way up: a file that
    a stranger left there must not name the servers. A file that was named but is not there is a complaint.
    """
    if option is not None:
        return _named(folder / option, "--sessions")
    if named := environment.get("RPCEXPLORER_SESSIONS"):
        return _named(folder / named, "RPCEXPLORER_SESSIONS")
    home = environment.get("HOME") or environment.get("USERPROFILE")
    places = _upwards(folder.absolute(), Path(home) if home else None)
    try:
        return next((place / TEAM_FILE for place in places if _exists(place / TEAM_FILE)), None)
    except FileTrouble as trouble:
        return Complaint(str(folder), trouble.sentence)


def _named(path: Path, by: str) -> Path | Complaint:
    if _exists(path):
        return path.absolute()
    return Complaint(str(path), f"there is no such file; correct {by}, which names it")


def _upwards(folder: Path, home: Path | None) -> Iterator[Path]:
    """Every folder to look into, nearest first."""
    line = [folder, *folder.parents]
    root = next((place for place in line if _exists(place / ".git")), None)
    ends = {home, Path(folder.anchor)} if root is None else set(root.parents)
    yield folder
    for place in line[1:]:
        if place in ends:
            return
        if not _is_everyones(place):
            yield place


def _exists(path: Path) -> bool:
    """Like Path.exists, which raises where a folder may not be entered."""
    return os.access(path, os.F_OK)


def _is_everyones(folder: Path) -> bool:
    """Whether any user may write to ``folder``. Windows reports these bits for every folder, so they say nothing."""
    with telling("check", folder):
        return os.name == "posix" and os.access(folder, os.X_OK) and bool(folder.stat().st_mode & stat.S_IWOTH)
