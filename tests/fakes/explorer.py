"""The facade on files of a test."""

from __future__ import annotations

from pathlib import Path

from rpcexplorer.explorer import Explorer


def open_explorer(folder: Path, sessions: str = "", own: str = "", /, **environment: str) -> Explorer:
    """Open an explorer in a folder, with its home below it.

    Texts become the project file and the user file. Without texts it opens the files again.
    """
    home = folder / "home"
    for path, text in ((folder, sessions), (home / "config", own)):
        if text:
            path.mkdir(parents=True, exist_ok=True)
            (path / "sessions.toml").write_text(text)
    return Explorer.open(folder=folder, environment={"RPCEXPLORER_HOME": str(home), **environment})
