"""Profiles of files of a test."""

from __future__ import annotations

from pathlib import Path

from rpcexplorer.files.paths import Paths
from rpcexplorer.model.profile import Profile
from rpcexplorer.profiles.profiles import Profiles, load


def paths_of(folder: Path) -> Paths:
    return Paths.of({"RPCEXPLORER_HOME": str(folder / "home")})


def read(
    folder: Path, team: str | None = None, own: str | None = None, local: str | None = None, **presets: str
) -> Profiles:
    """Write the given project, user and local file, and own presets by name; load all."""
    paths = paths_of(folder)
    files = {folder / "sessions.toml": team, paths.user_sessions: own, folder / "sessions.local.toml": local}
    for name, text in presets.items():
        files[paths.presets / f"{name}.toml"] = text
    for path, content in files.items():
        if content is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode())
    return load(paths, folder, {"HOME": str(folder)}, None)


def good(profiles: Profiles, name: str = "p") -> Profile:
    profile = profiles.get(name)
    assert isinstance(profile, Profile), profile
    return profile
